// usage: node bench/report_open.mjs [REPORT.html | EVENTS]...   (default: 300000 1000000)
// Opens reports in a headless Chromium on the timeline and prints, a report each: size of the file, time from the
// start of the navigation until the verdict is drawn and until the timeline is drawn and answers, memory of the
// renderer, frames a second while the timeline pans and zooms, and CPU time of the page's thread a frame, which other
// work on the machine does not change. Numbers stand for reports of that many synthetic events. Needs `./dev web` and a Chromium.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { executable } from "../web/tests/browser/browser.mjs";
import { page as makePage } from "../web/tests/fixtures/encode.mjs";
import { training } from "../web/tests/fixtures/training.mjs";
import { verdict } from "../web/tests/fixtures/verdict.mjs";
import { chromium } from "../web/node_modules/playwright-core/index.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const template = join(root, "build/web/report.html");
const folder = mkdtempSync(join(tmpdir(), "warpscope-bench-"));
const RUNS = 5;

function reportOf(argument) {
  if (!/^\d+$/.test(argument)) return resolve(argument);
  const path = join(folder, `${argument}.html`);
  writeFileSync(path, makePage(template, training({ events: Number(argument), verdict: verdict() })));
  return path;
}

// Resident memory of the browser's renderers, as the kernel tells it.
function rendererBytes(browserPid) {
  const parents = new Map();
  const renderers = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) renderers.push(Number(pid));
    } catch {
      // it ended meanwhile
    }
  }
  const below = (pid) => pid === browserPid || (parents.has(pid) && below(parents.get(pid)));
  let sum = 0;
  for (const pid of renderers.filter(below)) sum += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  return sum;
}

async function open(browser, path) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${pathToFileURL(path).href}#p=timeline`);
  await page.waitForFunction(() => performance.getEntriesByName("warpscope:drawn").length > 0, undefined, { timeout: 60_000 });
  const times = await page.evaluate(() => Object.fromEntries(["verdict", "drawn"].map((name) => [name, performance.getEntriesByName(`warpscope:${name}`)[0].startTime])));
  return { page, times };
}

// Frames while the keys are held, as the browser counts them.
async function frames(page, keys, seconds) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpu = async () => (await session.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value;
  const before = await cpu();
  await page.evaluate(() => {
    window.stamps = [];
    const count = (now) => {
      window.stamps.push(now);
      window.counting = requestAnimationFrame(count);
    };
    count(performance.now());
  });
  for (const key of keys) {
    await page.keyboard.down(key);
    await page.waitForTimeout((seconds * 1000) / keys.length);
    await page.keyboard.up(key);
  }
  const stamps = await page.evaluate(() => (cancelAnimationFrame(window.counting), window.stamps));
  const spent = (await cpu()) - before;
  await session.detach();
  const gaps = stamps.slice(1).map((time, i) => time - stamps[i]).sort((a, b) => a - b);
  return { fps: (1000 * gaps.length) / (stamps[stamps.length - 1] - stamps[0]), slow: gaps[Math.floor(gaps.length * 0.95)], cpuMs: (1000 * spent) / gaps.length };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const arguments_ = process.argv.slice(2).length ? process.argv.slice(2) : ["300000", "1000000"];
process.stdout.write("report                    file MB  verdict ms  timeline ms  memory MiB  pan f/s  95 % ms  cpu ms  zoom f/s  95 % ms  cpu ms\n");
for (const argument of arguments_) {
  const path = reportOf(argument);
  const verdicts = [];
  const drawn = [];
  let memory = 0;
  let pan;
  let zoom;
  for (let run = 0; run < RUNS; ++run) {
    const server = await chromium.launchServer({ executablePath: executable, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync"] });
    const browser = await chromium.connect(server.wsEndpoint());
    const { page, times } = await open(browser, path);
    verdicts.push(times.verdict);
    drawn.push(times.drawn);
    if (run === RUNS - 1) {
      memory = rendererBytes(server.process().pid);
      for (let i = 0; i < 12; ++i) await page.keyboard.press("w");
      pan = await frames(page, ["a", "d"], 3);
      await page.keyboard.press("0");
      zoom = await frames(page, ["w", "s"], 3);
    }
    await browser.close();
    await server.close();
  }
  const cells = [(statSync(path).size / 1e6).toFixed(2), median(verdicts).toFixed(0), median(drawn).toFixed(0), (memory / 2 ** 20).toFixed(0), pan.fps.toFixed(0), pan.slow.toFixed(1), pan.cpuMs.toFixed(1), zoom.fps.toFixed(0), zoom.slow.toFixed(1), zoom.cpuMs.toFixed(1)];
  const widths = [8, 11, 12, 11, 8, 8, 7, 9, 8, 7];
  const name = /^\d+$/.test(argument) ? `${Number(argument).toLocaleString("en-US")} events` : argument.split("/").pop();
  process.stdout.write(`${name.padEnd(24).slice(0, 24)} ${cells.map((cell, i) => cell.padStart(widths[i])).join(" ")}\n`);
}
rmSync(folder, { recursive: true });
