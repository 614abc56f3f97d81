// Drives the inbox page in a real Chromium: signs in, answers by mouse and by keyboard, corrects, searches, and looks for
// faults of accessibility. Prints one JSON object. Needs INBOX (the page's address) and KEY (a human key).
import { browser, click, errors, faults, inspect, inspectEverywhere, newPage, text, until } from "./chromium.mjs";

const { INBOX, KEY } = process.env;

const page = await newPage();
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
await page.goto(INBOX);
await inspect(page, "sign-in");
await page.type("#key", KEY);
await click(page, "form button.primary");
await until(page, "Which cache do we use?");
const wide = await inspectEverywhere(page, "inbox");

// The page's own address loads again for a link that comes from elsewhere, signed in.
const [mouse] = await page.$$("xpath///article[.//h2[contains(., 'Which cache')]]//button[@value='valkey']");
await Promise.all([page.waitForNavigation(), mouse.click()]);
await until(page, "is answered: valkey");

// A request that comes while the page is open appears without a reload.
console.error("ready");
await until(page, "Which queue do we use?");
const reloaded = await page.evaluate(() => performance.getEntriesByType("navigation").length);
await page.keyboard.press("j");
const focused = await page.evaluate(() => document.activeElement.innerText.split("\n")[0]);
await Promise.all([page.waitForNavigation(), page.keyboard.press("2")]);
await until(page, "is answered: ");
const byKeyboard = await text(page);

await page.click("nav a:nth-of-type(3)");
await page.waitForSelector("#query");
await page.type("#query", "cache");
await click(page, ".search button");
await inspect(page, "history");
const found = await text(page);
await click(page, ".decisions a");
await inspect(page, "decision");
await page.click("input[value=too_broad]");
await click(page, "form.stack button");
await until(page, "only the files and concepts it was asked for");
await click(page, "nav button");
const signedOut = await text(page);
await browser.close();
console.log(JSON.stringify({ errors, faults, wide, reloaded, focused, byKeyboard, found, signedOut }));
