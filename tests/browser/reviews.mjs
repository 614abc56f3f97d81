// Follows a review on the dashboard in a real Chromium: comes by the review's address, signs in, sees events and the
// verdict come without a reload. Prints one JSON object. Needs INBOX, KEY (a human key) and REVIEW (the review's address).
import { browser, click, errors, faults, inspectEverywhere, newPage, text, until } from "./chromium.mjs";

const { INBOX, KEY, REVIEW } = process.env;
const page = await newPage();
await page.goto(REVIEW);
await page.type("#key", KEY);
await click(page, "form button.primary");
await until(page, "Round 1 is running");
const address = page.url();
await until(page, "cargo test");
const wide = await inspectEverywhere(page, "review-running");
// What somebody closed stays closed while the page is kept fresh.
await page.click("#events-1 summary");
await page.focus("#events-1 summary");

console.error("ready");
await until(page, "Round 1 has ended: the author answers (respond: open_issues)");
const reloads = await page.evaluate(() => performance.getEntriesByType("navigation").length);
const kept = await page.evaluate(() => ({ open: document.getElementById("events-1").open, focused: document.activeElement.tagName }));
const news = await page.evaluate(() => document.getElementById("news").textContent);
const wideAtEnd = await inspectEverywhere(page, "review-ended");
const review = await text(page);
await page.goto(`${INBOX}/reviews`);
await until(page, "Round 1 has ended");
const wideList = await inspectEverywhere(page, "reviews");
await browser.close();
console.log(JSON.stringify({ errors, faults, address, wide: wide || wideAtEnd || wideList, reloads, kept, news, review }));
