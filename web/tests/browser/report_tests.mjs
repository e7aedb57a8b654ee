// What a reader does with a report, and what must be seen then.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { training } from "../fixtures/training.mjs";
import { counts, eventually, shows } from "./browser.mjs";

const range = (page) => page.evaluate(() => {
  const params = new URLSearchParams(location.hash.slice(1));
  return [Number(params.get("t0")), Number(params.get("t1"))];
});

// The range in the address once `holds` says so of it (it is written a few times a second).
const rangeWhere = (page, holds) =>
  eventually(async () => {
    const [t0, t1] = await range(page);
    assert.ok(t1 > t0 && holds(t0, t1), `range ${t0} to ${t1}`);
    return [t0, t1];
  });

// The range once several actions have all reached the address: it stays the same from one look to the next.
async function rangeStill(page) {
  let last = "";
  return eventually(async () => {
    const now = await range(page);
    const before = last;
    last = String(now);
    assert.ok(now[1] > now[0] && last === before, `range ${last}`);
    return now;
  }, 15_000, 400);
}

// Colours of a row of pixels of the tracks' canvas, as a set.
const coloursAt = (page, y) => page.evaluate((at) => {
  const canvas = document.querySelector(".pane-main canvas");
  const data = canvas.getContext("2d").getImageData(0, at * devicePixelRatio, canvas.width, 1).data;
  const set = new Set();
  for (let i = 0; i < data.length; i += 4) set.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return set.size;
}, y);

// Clicks along a row until a span with that text in its details is met.
async function clickSpan(page, heading, text) {
  const panel = page.locator(".panel");
  await eventually(async () => {
    const box = await page.locator(".pane-main canvas").boundingBox();
    const row = await page.locator(".pane-main .track-heading", { hasText: heading }).first().boundingBox();
    for (let x = 100; x < 900; x += 35) {
      await page.mouse.click(box.x + x, row.y + 8);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      if ((await page.locator(".panel .details").count()) && text.test(await panel.innerText())) return;
    }
    throw new Error(`no span of ${heading} with ${text}`);
  });
}

// A time of the recording in the middle of the canvas, close enough that a click meets a kernel.
const CLOSE = "p=timeline&t0=2200000&t1=2260000";

export const tests = [
  {
    name: "the verdict is on the first screen, in words, with the change as code",
    report: "small",
    run: async (page) => {
      await shows(page.locator("h1"), /waits for input data 40 %/);
      await counts(page.locator(".step-bar .part"), 4);
      const first = page.locator(".finding").first();
      await shows(first, /num_workers=8/);
      await shows(first, /confidence: high/);
      await shows(page.locator(".trust"), /clock_throttled/);
      assert.ok((await page.locator("h1").boundingBox()).y < 200);
    },
  },
  {
    name: "a finding leads to the place that proves it",
    report: "small",
    run: async (page) => {
      await page.getByRole("button", { name: "Show in the timeline" }).first().click();
      await page.waitForSelector(".pane-main canvas");
      const place = await page.evaluate(() => JSON.parse(document.getElementById("ws:head").textContent).findings_at[0]);
      await rangeWhere(page, (t0, t1) => t0 < place.begin_ns && t1 > place.end_ns && t1 - t0 < 2 * (place.end_ns - place.begin_ns));
      await shows(page.locator(".panel"), /Shown for finding 1: The GPU waits for input data/);
      await shows(page.locator(".panel"), /Kind\s+device idle/);
      await page.getByRole("button", { name: "Keys" }).click();
      await page.keyboard.press("Escape");
      await counts(page.locator(".popover:visible"), 0);
      await counts(page.locator(".panel .details"), 1);
      await page.keyboard.press("Escape");
      await counts(page.locator(".panel .details, .proof-note"), 0);
    },
  },
  {
    name: "a finding's place is shown though its track and its group were folded",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".track-heading");
      const tracks = page.locator(".pane-main .track-heading");
      const all = await tracks.count();
      await page.getByRole("button", { name: "Fold all" }).click();
      await counts(tracks, 0);
      await page.locator('.nav-item[data-page="verdict"]').click();
      await page.getByRole("button", { name: "Show in the timeline" }).first().click();
      await eventually(async () => {
        const now = await tracks.count();
        assert.ok(now > 0 && now <= all);
      });
      await shows(page.locator(".panel"), /Shown for finding 1/);
    },
  },
  {
    name: "a narrow window keeps every button within reach",
    report: "small",
    run: async (page) => {
      await page.setViewportSize({ width: 800, height: 600 });
      for (const button of await page.locator(".top > button").all()) {
        const box = await button.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 800, `${box.x} and ${box.width}`);
      }
      await page.locator(".nav-item").last().click();
      await page.waitForFunction(() => {
        const box = document.querySelector(".nav-item[aria-current]").getBoundingClientRect();
        return box.left >= 0 && box.right <= innerWidth;
      });
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
      await eventually(async () => assert.equal(await page.locator("main").evaluate((main) => main.scrollTop), 0));
      await page.goBack();
      await page.waitForSelector(".page-verdict:not([hidden])");
      await eventually(async () => assert.equal(await page.locator("main").evaluate((main) => main.scrollTop), 150));
      await page.locator(".top button").last().click();
      await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      await page.waitForFunction(() => getComputedStyle(document.documentElement).getPropertyValue("--text").trim() === "#1d2026");
      await counts(page.locator(".finding:not([open])"), 0);
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      await eventually(async () => assert.ok((await page.locator(".finding:not([open])").count()) > 0));
    },
  },
  {
    name: "no judgement by colour within noise; the cards tell one change from all",
    report: "small",
    run: async (page) => {
      await shows(page.locator(".cards"), /after all changes together[\s\S]*after the first alone 6\.00 ms/);
      await page.locator('.nav-item[data-page="diff"]').click();
      await page.waitForSelector(".page-diff h1");
      await shows(page.locator(".page-diff h1"), /10\.0 ms → 20\.0 ms/);
      await counts(page.locator(".page-diff tr .worse"), 1);
    },
  },
  {
    name: "the timeline draws spans; wheel and keys zoom and pan",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await eventually(async () => assert.ok((await coloursAt(page, 120)) > 3));
      const box = await page.locator(".pane-main canvas").boundingBox();
      await page.mouse.move(box.x + 300, box.y + 60);
      await page.keyboard.down("Control");
      for (let i = 0; i < 5; ++i) await page.mouse.wheel(0, -200);
      await page.keyboard.up("Control");
      const zoomed = await rangeStill(page);
      await page.keyboard.press("d");
      const panned = await rangeWhere(page, (t0) => t0 > zoomed[0]);
      await page.keyboard.press("w");
      const closer = await rangeWhere(page, (t0, t1) => t1 - t0 < panned[1] - panned[0]);
      await page.mouse.down();
      await page.mouse.move(box.x + 200, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await rangeWhere(page, (t0) => t0 > closer[0]);
      await page.keyboard.press("0");
      await eventually(async () => {
        const all = await range(page);
        assert.ok(all[1] - all[0] > 10 * (zoomed[1] - zoomed[0]) || all[0] <= 0);
      });
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
      // Every letter lists its own matches: the list of the whole word is the one to wait for.
      await page.locator(".panel", { hasText: /matches of 1 names/ }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForSelector(".match.is-on");
      await page.locator(".toolbar-status", { hasText: /^\s*1 of / }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator(".toolbar-status", { hasText: /^\s*2 of / }).waitFor();
      await page.waitForFunction(() => /q=flash_fwd/.test(location.hash) && /[&#]s=\d+/.test(location.hash));
    },
  },
  {
    name: "a click shows a kernel's launch, its call and the stack above it",
    report: "small",
    hash: CLOSE,
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await clickSpan(page, "stream 7", /kernel/);
      const panel = page.locator(".panel");
      await shows(panel, /Grid\s+(128 × 1 × 1|4,?096 × 2 × 1)/);
      await shows(panel, /Launched by\s+cudaLaunchKernel/);
      await shows(panel, /aten::/);
      await shows(panel, /ProfilerStep#1/);
      await page.getByRole("button", { name: "cudaLaunchKernel" }).first().click();
      await shows(page.locator(".panel"), /Caused device work/);
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
      const panel = page.locator(".panel");
      await shows(panel, /busy \d+\.\d %/);
      await shows(panel, /idle: waits for input data/);
      await shows(panel, /Kernels · 5/);
      await page.getByRole("button", { name: /Zoom to it/ }).click();
      await rangeWhere(page, (t0, t1) => t1 - t0 < 1e7);
    },
  },
  {
    name: "tracks fold and are pinned; the address brings the same view back",
    report: "small",
    hash: "p=timeline",
    run: async (page) => {
      await page.waitForSelector(".track-heading");
      const height = () => page.locator(".pane-main .pane-inner").evaluate((element) => parseFloat(element.style.height));
      const before = await height();
      await page.getByRole("button", { name: /^Fold: python/ }).click();
      const after = await eventually(async () => {
        const now = await height();
        assert.ok(now < before);
        return now;
      });
      await page.locator(".track-heading", { hasText: "stream 7" }).hover();
      await page.getByRole("button", { name: /^Pin to the top: stream 7/ }).click();
      await counts(page.locator(".pane-pinned .track-heading"), 1);
      const pinned = await height();
      await page.waitForFunction(() => /[#&]pin/.test(location.hash));
      await page.reload();
      await page.waitForSelector(".pane-pinned .track-heading");
      await eventually(async () => assert.equal(await height(), pinned));
    },
  },
  {
    name: "tables sort, filter and export",
    report: "small",
    hash: "p=tables&t=kernels",
    run: async (page) => {
      await page.waitForSelector(".tr");
      await counts(page.locator(".tr"), 5);
      await page.getByRole("columnheader", { name: "count" }).click();
      await eventually(async () => assert.equal(await page.getByRole("columnheader", { name: "count" }).getAttribute("aria-sort"), "descending"));
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
      await shows(page.locator(".holders .table-scroll"), /allocated before the recording began/);
      await page.locator(".holders .tr", { hasText: "aten::" }).first().click();
      await shows(page.locator(".holders .stack"), /aten::(linear|add)\s+model\.py\(12\): forward\s+train\.py\(12\): main/);
      const hash = await page.evaluate(() => location.hash);
      const box = await page.locator(".chart-room .u-over").first().boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + 40);
      await page.waitForFunction((before) => document.querySelector(".holders h3").textContent !== before, atPeak);
      const early = await page.locator(".holders h3").innerText();
      await page.waitForFunction((before) => location.hash !== before, hash);
      await page.reload();
      await page.waitForSelector(".holders .tr");
      await eventually(async () => assert.equal(await page.locator(".holders h3").innerText(), early));
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
          await counts(page.locator(`.page-${name} .fatal`), 0);
        }
        if (round === "en") {
          await page.getByRole("button", { name: "Language" }).click();
          await page.waitForFunction(() => document.documentElement.lang === "zh-Hans");
          await page.waitForFunction(() => document.querySelector(".nav").innerText.includes("时间线"));
          await page.locator(".nav-item[data-page=verdict]").click();
          await eventually(async () => assert.equal(await page.locator("h1:visible").first().innerText(), "GPU 等待输入数据"));
          await page.locator(".nav-item[data-page=tables]").click();
          await page.waitForSelector(".table-page h2");
          await shows(page.locator(".table-page h2"), /^内核，设备时间最多的在前$/);
        }
      }
      const before = await page.evaluate(() => document.documentElement.dataset.theme);
      await page.locator(".top button").last().click();
      await page.waitForFunction((first) => document.documentElement.dataset.theme !== first, before);
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
      await counts(page.locator("#app script, #app img"), 0);
      await shows(page.locator(".title"), /<script>/);
      assert.doesNotMatch(await page.locator("body").innerText(), /\u202e/);
    },
  },
  {
    name: "an empty recording is said to be empty",
    report: "empty",
    run: async (page) => {
      await shows(page.locator("main"), /nothing was recorded on a device/);
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
      await eventually(async () => {
        const headings = (await page.locator(".group-name").allInnerTexts()).join("\n");
        for (let rank = 0; rank < 10; ++rank) assert.match(headings, new RegExp(`GPU ${rank} NVIDIA H200`));
      });
      await page.locator(".pane-main").evaluate((element) => (element.scrollTop = element.scrollHeight));
      await eventually(async () => assert.ok((await coloursAt(page, 150)) >= 1));
      await page.getByRole("button", { name: "Fold all" }).click();
      await counts(page.locator(".pane-main .track-heading"), 0);
    },
  },
  {
    name: "view: spans come by range; closer looks ask again, and a chosen span stays chosen",
    view: () => training({ events: 20000 }),
    hash: "p=timeline",
    run: async (page, server) => {
      await page.waitForSelector(".pane-main canvas");
      await eventually(async () => {
        assert.ok((await coloursAt(page, 60)) > 1);
        assert.ok(server.state.asked >= 4);
      });
      const asked = server.state.asked;
      await page.evaluate(() => (location.hash = "p=timeline&t0=12200000&t1=12260000"));
      await eventually(async () => assert.ok(server.state.asked > asked));
      await clickSpan(page, "stream 7", /Launched by\s+cudaLaunchKernel/);
      await shows(page.locator(".panel"), /Launched by\s+cudaLaunchKernel/);
      const name = await page.locator(".panel h3").innerText();
      await page.getByRole("button", { name: "Find all" }).click();
      await page.waitForSelector(".match");
      await shows(page.locator(".loaded-only"), /in the loaded part/);
      await page.getByRole("tab", { name: "Details" }).click();
      const box = await page.locator(".pane-main canvas").boundingBox();
      await page.mouse.move(box.x + 400, box.y + 40);
      await page.keyboard.press("w");
      await rangeWhere(page, (t0, t1) => t1 - t0 < 60_000);
      await eventually(async () => assert.equal(await page.locator(".panel h3").innerText(), name));
    },
  },
  {
    name: "a damaged section costs that section, and is said",
    report: "damaged",
    run: async (page) => {
      await shows(page.locator("h1"), /waits for input data/);
      await page.locator('.nav-item[data-page="timeline"]').click();
      await page.waitForSelector(".fatal");
      await shows(page.locator(".page-timeline .fatal"), /could not be read/);
      await page.locator('.nav-item[data-page="tables"]').click();
      await page.waitForSelector(".tr");
    },
  },
];
