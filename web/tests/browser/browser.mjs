// A headless Chromium for tests: Debian's, found by path, with everything off that talks to a network.
import assert from "node:assert/strict";
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

// What is to be seen soon after an action: asked again until it holds. The bound is for a machine under load; a page that
// answers at once costs one look. The last refusal is what the test reports.
export async function eventually(check, limitMs = 15_000, pauseMs = 50) {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

export const shows = (locator, pattern) => eventually(async () => assert.match(await locator.innerText({ timeout: 1000 }), pattern));
export const counts = (locator, number) => eventually(async () => assert.equal(await locator.count(), number));
