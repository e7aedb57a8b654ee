// usage: node tests/browser/shots.mjs REPORT.html FOLDER [page,page...] [width] [dark|light] [lang]
// Takes a picture of each page of a report, to be looked at.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch, openReport } from "./browser.mjs";

const [report, folder, pages = "verdict,timeline", width = "1440", scheme = "light", lang = "en"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const context = await browser.newContext({ viewport: { width: Number(width), height: Number(width) > 1300 ? 900 : 720 }, colorScheme: scheme });
const page = await context.newPage();
page.on("console", (message) => process.stdout.write(`console ${message.type()}: ${message.text()}\n`));
page.on("pageerror", (error) => process.stdout.write(`page error: ${error.message}\n`));
for (const name of pages.split(",")) {
  const [path, hash = ""] = name.split("?");
  await openReport(page, resolve(report), `p=${path}${hash ? `&${hash}` : ""}`);
  if (lang === "zh") await page.getByRole("button", { name: "Language" }).click();
  await page.waitForTimeout(500);
  const file = join(folder, `${path}-${scheme}-${width}${lang === "en" ? "" : `-${lang}`}${hash ? "-x" : ""}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
}
await browser.close();
