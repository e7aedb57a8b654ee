// Two runs side by side: the step, its parts, the causes of the difference, and a difference flame graph.
import type { FlameNode, FlameTrees } from "../data/types";
import { FlameView } from "../charts/flame_view";
import { foldAddresses, hasPython, isPythonFrame } from "../data/flame_names";
import { partColour } from "../timeline/colours";
import { clean, el, replace } from "../ui/dom";
import { duration, milliseconds } from "../ui/format";
import { t } from "../ui/i18n";
import { headline, prose, remark } from "../ui/prose";
import { theme } from "../ui/theme";
import { flameNames, treeTitle } from "./flame";
import type { Context } from "./pages";

interface DiffSide { path: string; device: string | null; steps: number; median_ms: number | null }
interface DiffPart { name: string; label: string; a_ms: number; b_ms: number; diff_ms: number }
interface DiffCause { kind?: string; detail?: string | null; title: string; subject: string | null; diff_ms: number; a_ms: number; b_ms: number; beyond_noise: boolean }
interface DiffDocument {
  answer: string;
  a: DiffSide;
  b: DiffSide;
  step: { a_ms: number; b_ms: number; diff_ms: number; diff_pct: number; beyond_noise: boolean } | null;
  causes: DiffCause[];
  parts: DiffPart[];
  environment?: unknown[];
  notes?: string[];
}
interface DiffSection { own?: "a" | "b"; diff: DiffDocument; flame?: FlameTrees; flame_names?: string[] }

const signed = (ms: number): string => (ms > 0 ? "+" : ms < 0 ? "−" : "") + milliseconds(Math.abs(ms));

// A change below this share of the step is not worth a colour.
const NEGLIGIBLE = 0.01;

function judgement(diffMs: number, beyondNoise: boolean, stepMs: number): string {
  if (!beyondNoise || Math.abs(diffMs) <= stepMs * NEGLIGIBLE) return "";
  return diffMs > 0 ? "worse" : "better";
}

// `stepMs`: what the answer compares, which is the mean where the middle steps are alike.
function side(name: string, one: DiffSide, stepMs: number | null): HTMLElement {
  return el("div", { class: "card" }, el("div", { class: "card-label" }, name), el("div", { class: "card-value" }, stepMs === null ? "–" : milliseconds(stepMs)), el("div", { class: "muted mono" }, clean((one.path ?? "").split("/").pop() ?? "")), el("div", { class: "muted" }, [clean(one.device ?? ""), t("stepsCounted", { n: one.steps })].filter(Boolean).join(" · ")));
}

function parts(list: DiffPart[], judge: (part: DiffPart) => string): HTMLElement {
  const longest = Math.max(1e-9, ...list.flatMap((part) => [part.a_ms, part.b_ms]));
  const hue = (part: DiffPart): string => partColour(part.name.replace(/^idle_/, "").replace(/^kernels$/, "device_compute").replace(/^copies$/, "device_copy").replace(/^launches$/, "launch_call"));
  return el(
    "div", { class: "diff-parts" },
    ...list.map((part) =>
      el(
        "div", { class: "diff-part" }, el("span", {}, prose(part.label)),
        el("span", { class: "diff-bars" }, el("span", { class: "bar", style: `width:${(part.a_ms / longest) * 100}%;background:${hue(part)};opacity:.55` }), el("span", { class: "bar", style: `width:${(part.b_ms / longest) * 100}%;background:${hue(part)}` })),
        el("span", { class: "num muted" }, `${milliseconds(part.a_ms)} → ${milliseconds(part.b_ms)}`), el("span", { class: `num ${judge(part)}` }, signed(part.diff_ms)),
      ),
    ),
  );
}

// Processes, threads and addresses have other numbers in each run: threads count as one, addresses are left out.
function frameKey(name: string, depth: number): string {
  return depth === 0 && /process|thread/.test(name) ? "" : name.replace(/0x(?:[0-9a-f]+|…)/gi, "");
}

// A path with a frame more. Where one run has no Python stacks, Python frames of the other count for nothing.
function step(path: string, name: string, depth: number, skipPython: boolean): string {
  return skipPython && isPythonFrame(name) ? path : `${path}\u0001${frameKey(name, depth)}`;
}

// Time of each path of the first tree, so that frames of the second can be compared with it.
function pathTimes(root: FlameNode, nameOf: (node: FlameNode) => string, skipPython: boolean): Map<string, number> {
  const times = new Map<string, number>();
  const visit = (node: FlameNode, path: string, depth: number): void => {
    if (depth > 300) return;
    for (const child of node.children ?? []) {
      const own = step(path, nameOf(child), depth, skipPython);
      if (own !== path) times.set(own, (times.get(own) ?? 0) + child.value_ns);
      visit(child, own, depth + 1);
    }
  };
  times.set("", root.value_ns);
  visit(root, "", 0);
  return times;
}

function changeColour(now: number, then: number, scale: number): string {
  const difference = (now - then) / Math.max(1, scale);
  const strength = Math.min(1, Math.sqrt(Math.abs(difference) * 8));
  const dark = theme() === "dark";
  if (strength < 0.04) return dark ? "#4a4d55" : "#d9d9d4";
  return difference > 0 ? `hsl(28 ${40 + strength * 50}% ${dark ? 30 + strength * 14 : 84 - strength * 26}%)` : `hsl(210 ${35 + strength * 45}% ${dark ? 30 + strength * 14 : 84 - strength * 26}%)`;
}

async function flames(section: DiffSection, context: Context): Promise<HTMLElement | null> {
  if (!section.flame || !context.source.has("flame")) return null;
  const [own, model] = await Promise.all([context.source.json<FlameTrees>("flame"), context.model()]);
  const ownNames = flameNames(model.strings);
  const otherNames = flameNames(section.flame_names ?? model.strings);
  const ownIsSecond = section.own === "b";
  const [first, second] = ownIsSecond ? [section.flame, own] : [own, section.flame];
  const [nameA, nameB] = ownIsSecond ? [otherNames, ownNames] : [ownNames, otherNames];
  const info = el("p", { class: "flame-info", "aria-live": "polite" }, t("flameDiffHint"));
  const body = el("div", { class: "flame-body" });
  const tabs = el("div", { class: "subnav", role: "tablist" });
  const trees = second.trees.filter((tree) => tree.root && first.trees.some((other) => other.id === tree.id));
  const open = (index: number): void => {
    const tree = trees[index];
    const before = first.trees.find((other) => other.id === tree.id);
    replace(tabs, ...trees.map((one, i) => el("button", { class: i === index ? "tab is-on" : "tab", role: "tab", "aria-selected": String(i === index), onclick: () => open(i) }, treeTitle(one))));
    const [pythonA, pythonB] = [before !== undefined && hasPython(before.root, nameA), hasPython(tree.root, nameB)];
    const skipPython = pythonA !== pythonB;
    const root = foldAddresses(tree.root, nameB);
    const then = before ? pathTimes(before.root, nameA, skipPython) : new Map<string, number>();
    const paths = new Map<FlameNode, string>([[root, ""]]);
    const walk = (node: FlameNode, path: string, depth: number): void => {
      if (depth > 300) return;
      for (const child of node.children ?? []) {
        const own = step(path, nameB(child), depth, skipPython);
        if (own !== path) paths.set(child, own);
        walk(child, own, depth + 1);
      }
    };
    walk(root, "", 0);
    const known = (node: FlameNode): boolean => paths.has(node);
    const timeThen = (node: FlameNode): number => then.get(paths.get(node) ?? "?") ?? 0;
    const scale = Math.max(tree.root.value_ns, before?.root.value_ns ?? 0);
    const view = new FlameView(root, nameB, (frame) => replace(info, ...(frame ? [el("b", { class: "mono" }, clean(frame.name) || t("all")), known(frame.node) ? ` ${duration(timeThen(frame.node))} → ${duration(frame.node.value_ns)}` : ` ${duration(frame.node.value_ns)}`] : [t("flameDiffHint")])), (node) => (known(node) ? changeColour(node.value_ns, timeThen(node), scale) : changeColour(0, 0, 1)), treeTitle(tree));
    replace(body, skipPython ? el("p", { class: "warning" }, t("flameDiffPython", { run: t(pythonA ? "first" : "second"), other: t(pythonA ? "second" : "first") })) : null, view.element);
    view.draw();
  };
  if (!trees.length) return null;
  const element = el("section", {}, tabs, info, body);
  requestAnimationFrame(() => open(0));
  return element;
}

export async function diffPage(page: HTMLElement, context: Context): Promise<void> {
  const section = await context.source.json<DiffSection>("diff");
  const { diff } = section;
  const longest = diff.step ? Math.max(diff.step.a_ms, diff.step.b_ms) : 0;
  const judge = (diffMs: number, beyondNoise: boolean): string => judgement(diffMs, beyondNoise, longest);
  const stepBeyond = diff.step?.beyond_noise ?? false;
  // Idle parts are causes too, which know their noise.
  const partBeyond = (part: DiffPart): boolean => diff.causes.find((cause) => cause.kind === "idle" && part.name === `idle_${cause.detail ?? ""}`)?.beyond_noise ?? true;
  const causes = diff.causes.map((cause) =>
    el("tr", {}, el("td", {}, prose(cause.title), cause.subject ? el("div", { class: "muted mono" }, clean(cause.subject).slice(0, 300)) : null), el("td", { class: "num" }, milliseconds(cause.a_ms)), el("td", { class: "num" }, milliseconds(cause.b_ms)), el("td", { class: `num ${judge(cause.diff_ms, cause.beyond_noise)}` }, signed(cause.diff_ms)), el("td", { class: "muted" }, t(cause.beyond_noise ? "beyondNoise" : "withinNoise"))),
  );
  replace(
    page, el("section", { class: "hero" }, el("div", { class: "hero-text" }, el("h1", {}, ...headline(diff.answer))), el("div", { class: "cards" }, side(t("first"), diff.a, diff.step?.a_ms ?? diff.a.median_ms), side(t("second"), diff.b, diff.step?.b_ms ?? diff.b.median_ms), diff.step ? el("div", { class: "card" }, el("div", { class: "card-label" }, t("difference")), el("div", { class: `card-value ${judge(diff.step.diff_ms, stepBeyond)}` }, signed(diff.step.diff_ms)), el("div", { class: "muted" }, t(diff.step.beyond_noise ? "beyondNoise" : "withinNoise"))) : null)),
    diff.parts.length ? el("section", { class: "block" }, el("h2", {}, t("part")), parts(diff.parts, (part) => judge(part.diff_ms, stepBeyond && partBeyond(part)))) : null,
    causes.length ? el("section", { class: "block" }, el("h2", {}, t("causes")), el("table", { class: "plain" }, el("thead", {}, el("tr", {}, el("th", {}, t("about")), el("th", { class: "num" }, "A"), el("th", { class: "num" }, "B"), el("th", { class: "num" }, t("difference")), el("td", {}))), el("tbody", {}, ...causes))) : null,
    await flames(section, context), ...(diff.notes ?? []).map((note) => el("p", { class: "muted note" }, remark(note))),
  );
}
