// What a reader does with a report, and what must be seen then.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { training } from "../fixtures/training.mjs";

const range = (page) => page.evaluate(() => {
  const params = new URLSearchParams(location.hash.slice(1));
  return [Number(params.get("t0")), Number(params.get("t1"))];
});

// Waits for the state to reach the address (it is written a few times a second).
async function settled(page) {
  await page.waitForTimeout(400);
  return range(page);
}

// Colours of a row of pixels of the tracks' canvas, as a set.
const coloursAt = (page, y) => page.evaluate((at) => {
  const canvas = document.querySelector(".pane-main canvas");
  const data = canvas.getContext("2d").getImageData(0, at * devicePixelRatio, canvas.width, 1).data;
  const set = new Set();
  for (let i = 0; i < data.length; i += 4) set.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return set.size;
}, y);

async function clickSpan(page, heading, x) {
  const box = await page.locator(".pane-main canvas").boundingBox();
  const row = await page.locator(".pane-main .track-heading", { hasText: heading }).first().boundingBox();
  await page.mouse.click(box.x + x, row.y + 8);
}

// A time of the recording in the middle of the canvas, close enough that a click meets a kernel.
const CLOSE = "p=timeline&t0=2200000&t1=2260000";

export const tests = [
  {
    name: "the verdict is on the first screen, in words, with the change as code",
    report: "small",
    run: async (page) => {
      assert.match(await page.locator("h1").innerText(), /waits for input data 40 %/);
      assert.equal(await page.locator(".step-bar .part").count(), 4);
      const first = page.locator(".finding").first();
      assert.match(await first.innerText(), /num_workers=8/);
      assert.match(await first.innerText(), /confidence: high/);
      assert.match(await page.locator(".trust").innerText(), /clock_throttled/);
      assert.ok((await page.locator("h1").boundingBox()).y < 200);
    },
  },
  {
    name: "a finding leads to the place that proves it",
    report: "small",
    run: async (page) => {
      await page.getByRole("button", { name: "Show in the timeline" }).first().click();
      await page.waitForSelector(".pane-main canvas");
      const [t0, t1] = await settled(page);
      const place = await page.evaluate(() => JSON.parse(document.getElementById("ws:head").textContent).findings_at[0]);
      assert.ok(t0 < place.begin_ns && t1 > place.end_ns && t1 - t0 < 2 * (place.end_ns - place.begin_ns));
      const panel = await page.locator(".panel").innerText();
      assert.match(panel, /Shown for finding 1: The GPU waits for input data/);
      assert.match(panel, /Kind\s+device idle/);
      await page.getByRole("button", { name: "Keys" }).click();
      await page.keyboard.press("Escape");
      assert.equal(await page.locator(".popover:visible").count(), 0);
      assert.equal(await page.locator(".panel .details").count(), 1);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator(".panel .details, .proof-note").count(), 0);
    },
  },
  {
    name: "back leads to where the page was scrolled; print unfolds and is light",
    report: "small",
    run: async (page) => {
      await page.setViewportSize({ width: 1000, height: 420 });
      await page.locator("main").evaluate((main) => (main.scrollTop = 150));
      await page.locator('.nav-item[data-page="tables"]').click();
      await page.waitForSelector(".tr");
      assert.equal(await page.locator("main").evaluate((main) => main.scrollTop), 0);
      await page.goBack();
      await page.waitForSelector(".page-verdict:not([hidden])");
      assert.equal(await page.locator("main").evaluate((main) => main.scrollTop), 150);
      await page.locator(".top button").last().click();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--text").trim()), "#1d2026");
      assert.equal(await page.locator(".finding:not([open])").count(), 0);
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      assert.ok((await page.locator(".finding:not([open])").count()) > 0);
    },
  },
  {
    name: "no judgement by colour within noise; the cards tell one change from all",
    report: "small",
    run: async (page) => {
      assert.match(await page.locator(".cards").innerText(), /after all changes together[\s\S]*after the first alone 6\.00 ms/);
      await page.locator('.nav-item[data-page="diff"]').click();
      await page.waitForSelector(".page-diff h1");
      assert.match(await page.locator(".page-diff h1").innerText(), /10\.0 ms → 20\.0 ms/);
      assert.equal(await page.locator(".page-diff tr .worse").count(), 1);
    },
  },
  {
    name: "the timeline draws spans; wheel and keys zoom and pan",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await page.waitForTimeout(200);
      assert.ok((await coloursAt(page, 120)) > 3);
      const box = await page.locator(".pane-main canvas").boundingBox();
      await page.mouse.move(box.x + 300, box.y + 60);
      await page.keyboard.down("Control");
      for (let i = 0; i < 5; ++i) await page.mouse.wheel(0, -200);
      await page.keyboard.up("Control");
      const zoomed = await settled(page);
      await page.keyboard.press("d");
      const panned = await settled(page);
      assert.ok(panned[0] > zoomed[0]);
      await page.keyboard.press("w");
      const closer = await settled(page);
      assert.ok(closer[1] - closer[0] < panned[1] - panned[0]);
      await page.mouse.down();
      await page.mouse.move(box.x + 200, box.y + 60, { steps: 4 });
      await page.mouse.up();
      const dragged = await settled(page);
      assert.ok(dragged[0] > closer[0]);
      await page.keyboard.press("0");
      const all = await settled(page);
      assert.ok(all[1] - all[0] > 10 * (zoomed[1] - zoomed[0]) || all[0] <= 0);
    },
  },
  {
    name: "search lists matches, walks them and lights them",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await page.keyboard.press("/");
      await page.keyboard.type("flash_fwd");
      await page.waitForSelector(".match");
      assert.match(await page.locator(".panel").innerText(), /matches of 1 names/);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".match.is-on");
      assert.match(await page.locator(".toolbar-status").innerText(), /^1 of /);
      await page.keyboard.press("Enter");
      assert.match(await page.locator(".toolbar-status").innerText(), /^2 of /);
      const hash = await page.evaluate(() => new Promise((done) => setTimeout(() => done(location.hash), 400)));
      assert.match(hash, /q=flash_fwd/);
      assert.match(hash, /[&#]s=\d+/);
    },
  },
  {
    name: "a click shows a kernel's launch, its call and the stack above it",
    report: "small",
    hash: CLOSE,
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await page.waitForTimeout(200);
      for (let x = 100; x < 900 && !(await page.locator(".panel .details").count()); x += 35) await clickSpan(page, "stream 7", x);
      const text = await page.locator(".panel").innerText();
      assert.match(text, /kernel/);
      assert.match(text, /Grid\s+(128 × 1 × 1|4,?096 × 2 × 1)/);
      assert.match(text, /Launched by\s+cudaLaunchKernel/);
      assert.match(text, /aten::/);
      assert.match(text, /ProfilerStep#1/);
      await page.getByRole("button", { name: "cudaLaunchKernel" }).first().click();
      assert.match(await page.locator(".panel").innerText(), /Caused device work/);
    },
  },
  {
    name: "a marked range is summed: busy time, kernels, idle time by cause",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      const box = await page.locator(".axis").boundingBox();
      await page.mouse.move(box.x + 100, box.y + 8);
      await page.mouse.down();
      await page.mouse.move(box.x + 600, box.y + 8, { steps: 5 });
      await page.mouse.up();
      const text = await page.locator(".panel").innerText();
      assert.match(text, /busy \d+\.\d %/);
      assert.match(text, /idle: waits for input data/);
      assert.match(text, /Kernels · 5/);
      await page.getByRole("button", { name: /Zoom to it/ }).click();
      const [t0, t1] = await settled(page);
      assert.ok(t1 - t0 > 0 && t1 - t0 < 1e7);
    },
  },
  {
    name: "tracks fold and are pinned; the address brings the same view back",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".track-heading");
      const before = await page.locator(".pane-main .pane-inner").evaluate((element) => parseFloat(element.style.height));
      await page.getByRole("button", { name: /^Fold: python/ }).click();
      const after = await page.locator(".pane-main .pane-inner").evaluate((element) => parseFloat(element.style.height));
      assert.ok(after < before);
      await page.locator(".track-heading", { hasText: "stream 7" }).hover();
      await page.getByRole("button", { name: /^Pin to the top: stream 7/ }).click();
      assert.equal(await page.locator(".pane-pinned .track-heading").count(), 1);
      await page.waitForTimeout(400);
      await page.reload();
      await page.waitForSelector(".pane-pinned .track-heading");
      assert.equal(await page.locator(".pane-main .pane-inner").evaluate((element) => parseFloat(element.style.height)), after);
    },
  },
  {
    name: "tables sort, filter and export",
    report: "small",
    hash: "p=tables&t=kernels",
    run: async (page) => {
      await page.waitForSelector(".tr");
      assert.equal(await page.locator(".tr").count(), 5);
      await page.getByRole("columnheader", { name: "count" }).click();
      assert.equal(await page.getByRole("columnheader", { name: "count" }).getAttribute("aria-sort"), "descending");
      await page.getByRole("searchbox", { name: "Filter rows" }).fill("flash");
      await page.waitForFunction(() => document.querySelectorAll(".tr").length === 1);
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
      const text = readFileSync(await file.path(), "utf8");
      assert.match(text, /^name,kernel,count/);
      assert.equal(text.trim().split("\n").length, 2);
    },
  },
  {
    name: "memory: a click on the line asks who holds it then; the address brings the moment back",
    report: "small",
    hash: "p=memory",
    run: async (page) => {
      await page.waitForSelector(".holders .tr");
      const atPeak = await page.locator(".holders h3").innerText();
      assert.match(atPeak, /GPU 0 NVIDIA H200: 957 MiB in 2 blocks at/);
      assert.match(await page.locator(".holders .table-scroll").innerText(), /allocated before the recording began/);
      await page.locator(".holders .tr", { hasText: "aten::" }).first().click();
      assert.match(await page.locator(".holders .stack").innerText(), /aten::(linear|add)\s+model\.py\(12\): forward\s+train\.py\(12\): main/);
      const box = await page.locator(".chart-room .u-over").first().boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + 40);
      await page.waitForFunction((before) => document.querySelector(".holders h3").textContent !== before, atPeak);
      const early = await page.locator(".holders h3").innerText();
      await page.waitForTimeout(400);
      await page.reload();
      await page.waitForSelector(".holders .tr");
      assert.equal(await page.locator(".holders h3").innerText(), early);
      await page.locator(".holders .moment").focus();
      await page.keyboard.press("End");
      await page.waitForFunction((before) => document.querySelector(".holders h3").textContent !== before, early);
    },
  },
  {
    name: "every page opens, in both languages and both colour schemes",
    report: "small",
    run: async (page) => {
      for (const round of ["en", "zh"]) {
        for (const name of await page.locator(".nav-item").evaluateAll((items) => items.map((item) => item.dataset.page))) {
          await page.locator(`.nav-item[data-page=${name}]`).click();
          await page.waitForSelector(`.page-${name}:not([hidden])`);
          await page.waitForFunction((one) => !document.querySelector(`.page-${one} .loading`), name);
          assert.equal(await page.locator(`.page-${name} .fatal`).count(), 0, name);
        }
        if (round === "en") {
          await page.getByRole("button", { name: "Language" }).click();
          await page.waitForFunction(() => document.documentElement.lang === "zh-Hans");
          await page.waitForFunction(() => document.querySelector(".nav").innerText.includes("时间线"));
          await page.locator(".nav-item[data-page=verdict]").click();
          assert.equal(await page.locator("h1:visible").first().innerText(), "GPU 等待输入数据");
          await page.locator(".nav-item[data-page=tables]").click();
          await page.waitForSelector(".table-page h2");
          assert.match(await page.locator(".table-page h2").innerText(), /^内核，设备时间最多的在前$/);
        }
      }
      const before = await page.evaluate(() => document.documentElement.dataset.theme);
      await page.locator(".top button").last().click();
      assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), before);
    },
  },
  {
    name: "names made of markup and script stay text, everywhere",
    report: "hostile",
    run: async (page) => {
      for (const name of await page.locator(".nav-item").evaluateAll((items) => items.map((item) => item.dataset.page))) {
        await page.locator(`.nav-item[data-page=${name}]`).click();
        await page.waitForFunction((one) => document.querySelector(`.page-${one}`) && !document.querySelector(`.page-${one} .loading`), name);
        await page.waitForTimeout(100);
      }
      await page.locator('.nav-item[data-page="timeline"]').click();
      await page.keyboard.press("/");
      await page.keyboard.type("script");
      await page.waitForSelector(".match");
      await page.keyboard.press("Enter");
      await page.waitForTimeout(200);
      assert.equal(await page.evaluate(() => window.attacked), undefined);
      assert.equal(await page.locator("#app script, #app img").count(), 0);
      assert.match(await page.locator(".title").innerText(), /<script>/);
      assert.doesNotMatch(await page.locator("body").innerText(), /\u202e/);
    },
  },
  {
    name: "an empty recording is said to be empty",
    report: "empty",
    run: async (page) => {
      assert.match(await page.locator("main").innerText(), /nothing was recorded on a device/);
      const timeline = page.locator('.nav-item[data-page="timeline"]');
      if (await timeline.count()) await timeline.click();
    },
  },
  {
    name: "ten ranks: a heading each, all reachable by scrolling",
    report: "ranks",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".group-heading");
      const headings = (await page.locator(".group-name").allInnerTexts()).join("\n");
      for (let rank = 0; rank < 10; ++rank) assert.match(headings, new RegExp(`GPU ${rank} NVIDIA H200`));
      await page.locator(".pane-main").evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.waitForTimeout(200);
      assert.ok((await coloursAt(page, 150)) >= 1);
      await page.getByRole("button", { name: "Fold all" }).click();
      assert.equal(await page.locator(".pane-main .track-heading").count(), 0);
    },
  },
  {
    name: "view: spans come by range; closer looks ask again, and a chosen span stays chosen",
    view: () => training({ events: 20000 }),
    hash: "p=timeline",
    run: async (page, server) => {
      await page.waitForSelector(".pane-main canvas");
      await page.waitForTimeout(500);
      assert.ok((await coloursAt(page, 60)) > 1);
      const asked = server.state.asked;
      assert.ok(asked >= 4);
      await page.evaluate(() => (location.hash = "p=timeline&t0=12200000&t1=12260000"));
      await page.waitForTimeout(700);
      assert.ok(server.state.asked > asked);
      for (let x = 100; x < 900 && !(await page.locator(".panel .details").count()); x += 35) await clickSpan(page, "stream 7", x);
      assert.match(await page.locator(".panel").innerText(), /Launched by\s+cudaLaunchKernel/);
      const name = await page.locator(".panel h3").innerText();
      await page.getByRole("button", { name: "Find all" }).click();
      await page.waitForSelector(".match");
      assert.match(await page.locator(".loaded-only").innerText(), /in the loaded part/);
      await page.getByRole("tab", { name: "Details" }).click();
      const box = await page.locator(".pane-main canvas").boundingBox();
      await page.mouse.move(box.x + 400, box.y + 40);
      await page.keyboard.press("w");
      await page.waitForTimeout(600);
      assert.equal(await page.locator(".panel h3").innerText(), name);
    },
  },
  {
    name: "a damaged section costs that section, and is said",
    report: "damaged",
    run: async (page) => {
      assert.match(await page.locator("h1").innerText(), /waits for input data/);
      await page.locator('.nav-item[data-page="timeline"]').click();
      await page.waitForSelector(".fatal");
      assert.match(await page.locator(".page-timeline .fatal").innerText(), /could not be read/);
      await page.locator('.nav-item[data-page="tables"]').click();
      await page.waitForSelector(".tr");
    },
  },
];
