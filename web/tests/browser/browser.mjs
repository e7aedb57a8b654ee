// A headless Chromium for tests: Debian's, found by path, with everything off that talks to a network.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const executable = PATHS.find((path) => path && existsSync(path));

export function launch() {
  return chromium.launch({
    executablePath: executable,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync", "--enable-precise-memory-info"],
  });
}

// Opens a report and waits until its timeline is decoded.
export async function openReport(page, path, hash = "") {
  await page.goto("about:blank");
  await page.goto(`${path.startsWith("http") ? path : pathToFileURL(path).href}${hash ? `#${hash}` : ""}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined || document.querySelector(".fatal") !== null, undefined, { timeout: 30_000 });
}
