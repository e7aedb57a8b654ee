// Every page beside the picture of it that was looked at (tests/browser/pictures, text; picture.mjs says how they are
// compared). After a change of the looks: UPDATE_PICTURES=1 python3 tools/web.py --test, and look at the pages.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { alike, distance, looksLike } from "./picture.mjs";

const FOLDER = fileURLToPath(new URL("./pictures", import.meta.url));

// All that is drawn after the page is ready: two frames, with no part still loading.
async function drawn(page, name) {
  await page.waitForSelector(`.page-${name}:not([hidden])`);
  await page.waitForFunction((one) => !document.querySelector(`.page-${one} .loading`), name);
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let i = 0; i < 4; ++i) await new Promise((done) => requestAnimationFrame(done));
  });
}

export const tests = ["light", "dark"].map((scheme) => ({
  name: `every page looks as it did when it was looked at, ${scheme}`,
  report: "small",
  scheme,
  run: async (page) => {
    const names = await page.locator(".nav-item").evaluateAll((items) => items.map((item) => item.dataset.page));
    const grids = [];
    const trouble = [];
    for (const name of names) {
      await page.locator(`.nav-item[data-page=${name}]`).click();
      await page.mouse.move(640, 799);
      await drawn(page, name);
      try {
        grids.push(await looksLike(page, join(FOLDER, `${name}-${scheme}.txt`)));
      } catch (error) {
        trouble.push(`${name}: ${error.message}`);
      }
    }
    assert.deepEqual(trouble, []);
    // The measure tells pages apart, or it would say nothing.
    for (let i = 1; i < grids.length; ++i) assert.ok(!alike(distance(grids[0], grids[i])), `${names[0]} and ${names[i]}`);
  },
}));
