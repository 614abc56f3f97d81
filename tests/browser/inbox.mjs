// Drives the inbox page in a real Chromium: signs in, answers by mouse and by keyboard, corrects, searches, and looks for
// faults of accessibility. Prints one JSON object. Needs PARTS (the folder of test parts), INBOX (the page's address), KEY
// (a human key), SHOTS (a folder for screenshots).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { PARTS, INBOX, KEY, SHOTS } = process.env;
const require = createRequire(`${PARTS}/node/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const chromium = (await load("@sparticuz/chromium")).default;
const puppeteer = (await load("puppeteer-core")).default;
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const patienceMilliseconds = 60000;

const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
const errors = [];
const faults = [];

async function newPage() {
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMilliseconds);
  // A status that the test brings about is no error of the page.
  page.on("console", (it) => it.type() === "error" && !/status of 401/.test(it.text()) && errors.push(it.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  return page;
}

async function inspect(page, name) {
  // The page's own policy lets no foreign script in; evaluation through the debugger is not bound by it.
  await page.evaluate(axe);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const it of result.violations.filter((it) => ["serious", "critical"].includes(it.impact))) {
    faults.push(`${name}: ${it.id}: ${it.nodes.map((node) => node.html).join(" | ")}`);
  }
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

const text = (page) => page.evaluate(() => document.body.innerText);
const until = (page, words) => page.waitForFunction((words) => document.body.innerText.includes(words), {}, words);
const click = (page, selector) => Promise.all([page.waitForNavigation(), page.click(selector)]);

const page = await newPage();
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
await page.goto(INBOX);
await inspect(page, "sign-in");
await page.type("#key", KEY);
await click(page, "form button.primary");
await until(page, "Which cache do we use?");
await inspect(page, "inbox-light");
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
await inspect(page, "inbox-dark");
await page.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true });
await inspect(page, "inbox-phone");
const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
await page.setViewport({ width: 1000, height: 800 });

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
