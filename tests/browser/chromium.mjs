// A real Chromium that notes every error of a page, and every fault of accessibility in what it is shown. Needs PARTS (the
// folder of test parts) and SHOTS (a folder for screenshots).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { PARTS, SHOTS } = process.env;
const require = createRequire(`${PARTS}/node/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const chromium = (await load("@sparticuz/chromium")).default;
const puppeteer = (await load("puppeteer-core")).default;
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const patienceMilliseconds = 60000;

export const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
export const errors = [];
export const faults = [];

export async function newPage() {
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMilliseconds);
  // A status that the test brings about is no error of the page.
  page.on("console", (it) => it.type() === "error" && !/status of 401/.test(it.text()) && errors.push(it.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  return page;
}

export async function inspect(page, name) {
  // The page's own policy lets no foreign script in; evaluation through the debugger is not bound by it.
  await page.evaluate(axe);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const it of result.violations.filter((it) => ["serious", "critical"].includes(it.impact))) {
    faults.push(`${name}: ${it.id}: ${it.nodes.map((node) => node.html).join(" | ")}`);
  }
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

// The same on a dark ground and on a phone; whether it was too wide for the phone.
export async function inspectEverywhere(page, name) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await inspect(page, `${name}-light`);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await inspect(page, `${name}-dark`);
  await page.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true });
  await inspect(page, `${name}-phone`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  await page.setViewport({ width: 1000, height: 800 });
  return wide;
}

export const text = (page) => page.evaluate(() => document.body.innerText);
export const until = (page, words) => page.waitForFunction((words) => document.body.innerText.includes(words), {}, words);
export const click = (page, selector) => Promise.all([page.waitForNavigation(), page.click(selector)]);
