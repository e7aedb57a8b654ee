// usage: node tests/browser/run.mjs TEMPLATE [WORDS]: opens reports in a headless Chromium and uses them as a reader would.
// Prints one line a test and last 'N passed, N failed'. Exit status 77 without a Chromium.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { make } from "../fixtures/make.mjs";
import { executable, launch, openReport } from "./browser.mjs";
import { serve } from "../fixtures/view_server.mjs";
import { tests as accessTests } from "./access_tests.mjs";
import { tests as pictureTests } from "./picture_tests.mjs";
import { tests as reportTests } from "./report_tests.mjs";

const [template, only = ""] = process.argv.slice(2);
const tests = [...reportTests, ...accessTests, ...pictureTests].filter((test) => test.name.includes(only));
if (!executable) {
  process.stdout.write("no Chromium: the report is not opened (./dev test installs one)\n0 passed, 0 failed, 1 skipped\n");
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "warpscope-web-"));
const browser = await launch();
let passed = 0;
let failed = 0;
for (const { name, report, hash, view, scheme, run } of tests) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, colorScheme: scheme ?? "light" });
  const page = await context.newPage();
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`error in the page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && trouble.push(`console: ${message.text()}`));
  const server = view ? await serve(template, view()) : null;
  page.on("request", (request) => /^(file|blob|data|about):/.test(request.url()) || (server && request.url().startsWith(server.url)) || trouble.push(`asks the network for ${request.url()}`));
  try {
    await openReport(page, server ? server.url : make(template, folder, report), hash);
    await run(page, server);
    if (trouble.length) throw new Error(trouble.join("; "));
    ++passed;
    process.stdout.write(`ok     ${name}\n`);
  } catch (error) {
    ++failed;
    process.stdout.write(`FAILED ${name}: ${error instanceof Error ? error.stack : error}\n`);
  }
  await context.close();
  server?.close();
}
await browser.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed ? 1 : 0);
