// What a reader without eyes or without a mouse meets: axe-core's rules on every page, and Chromium's accessibility tree.
import assert from "node:assert/strict";
import axe from "axe-core";
import { eventually, shows } from "./browser.mjs";

async function violations(page) {
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}

// Roles, names and values of the tree that Chromium gives to screen readers.
async function tree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  return nodes.filter((node) => !node.ignored).map((node) => ({ role: node.role?.value ?? "", name: node.name?.value ?? "" }));
}

export const tests = [
  ...["light", "dark"].map((scheme) => ({
    name: `axe-core finds nothing on any page, ${scheme}`,
    report: "small",
    scheme,
    run: async (page) => {
      await page.evaluate(axe.source);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
      for (const name of await page.locator(".nav-item").evaluateAll((items) => items.map((item) => item.dataset.page))) {
        await page.locator(`.nav-item[data-page=${name}]`).click();
        await page.waitForSelector(`.page-${name}:not([hidden])`);
        await page.waitForFunction((one) => !document.querySelector(`.page-${one} .loading`), name);
        if (name === "timeline") await page.getByRole("button", { name: "Keys" }).click();
        assert.deepEqual(await violations(page), [], name);
      }
    },
  })),
  {
    name: "the timeline is walked by keys, and what is chosen is said",
    report: "small",
    hash: "p=timeline&t0=2200000&t1=2260000",
    run: async (page) => {
      await page.waitForSelector(".pane-main canvas");
      await page.locator(".pane-main canvas").focus();
      const said = page.locator(".timeline > [role=status]");
      await page.keyboard.press("Enter");
      await shows(said, /, kernel, [\d.]+ µs, at 2\.\d+ ms, GPU 0 NVIDIA H200, stream 7$/);
      const first = await said.innerText();
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.notEqual(await said.innerText(), first));
      await page.keyboard.press("ArrowUp");
      await shows(said, /^cudaLaunchKernel, .*python 4000/);
      await eventually(async () => {
        const nodes = await tree(page);
        assert.ok(nodes.some((node) => node.role === "application" && /Tracks.*Enter chooses/.test(node.name)));
        assert.ok(nodes.some((node) => node.role === "StaticText" && node.name.startsWith("cudaLaunchKernel, ")));
      });
      await page.keyboard.press("Escape");
      await eventually(async () => assert.equal(await said.innerText(), ""));
    },
  },
  {
    name: "a flame graph is walked by keys",
    report: "small",
    hash: "p=flame",
    run: async (page) => {
      await page.locator(".flame-canvas").focus();
      const info = page.locator(".flame-info");
      for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      await shows(info, /forward/);
      const above = await info.innerText();
      await page.keyboard.press("ArrowDown");
      await eventually(async () => assert.notEqual(await info.innerText(), above));
      const left = await info.innerText();
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.notEqual(await info.innerText(), left));
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
    },
  },
];
