// Flame graphs: one tree at a time, drawn as elements of the rows in sight; a click looks into a frame.
import type { FlameNode, FlameTrees } from "../data/types";
import { FlameView, type FrameDetails } from "../charts/flame_view";
import { foldAddresses } from "../data/flame_names";
import { clean, el, replace } from "../ui/dom";
import { count, duration, percent } from "../ui/format";
import { hasText, t } from "../ui/i18n";
import type { Context } from "./pages";

export function treeTitle({ id, title }: { id: string; title?: string }): string {
  const key = `flame_${id}`;
  return hasText(key) ? t(key) : clean(title ?? id);
}

export function flameNames(strings: readonly string[]): (node: FlameNode) => string {
  return (node) => (typeof node.name === "number" ? (strings[node.name] ?? "") : node.name);
}

export async function flamePage(page: HTMLElement, context: Context): Promise<void> {
  const [trees, model] = await Promise.all([context.source.json<FlameTrees>("flame"), context.model()]);
  const nameOf = flameNames(model.strings);
  const usable = trees.trees.filter((tree) => tree.root && tree.root.value_ns > 0);
  const tabs = el("div", { class: "subnav-tabs", role: "tablist", "aria-label": t("flame") });
  const body = el("div", { class: "flame-body" });
  const info = el("p", { class: "flame-info", "aria-live": "polite" });
  const find = el("input", { type: "search", class: "search", placeholder: t("flameFind"), "aria-label": t("flameFind"), spellcheck: "false" });
  let view: FlameView | null = null;
  const describe = (frame: FrameDetails | null): void => {
    replace(info, ...(frame ? [el("b", { class: "mono" }, clean(frame.name) || t("all")), `  ${t("flameTime", { time: duration(frame.node.value_ns), share: percent(frame.share * 100) })}${frame.node.self_ns > 0 ? ` · ${t("flameSelf", { time: duration(frame.node.self_ns) })}` : ""}${frame.node.count > 0 ? ` · ${t("flameCount", { n: count(frame.node.count) })}` : ""}`] : [t("flameHint")]));
  };
  const open = (index: number): void => {
    replace(tabs, ...usable.map((tree, i) => el("button", { class: i === index ? "tab is-on" : "tab", role: "tab", "aria-selected": String(i === index), onclick: () => open(i) }, treeTitle(tree))));
    view = new FlameView(foldAddresses(usable[index].root, nameOf), nameOf, describe, null, treeTitle(usable[index]));
    view.find(find.value);
    replace(body, view.element);
    describe(null);
    view.draw();
  };
  find.addEventListener("input", () => view?.find(find.value));
  replace(page, el("div", { class: "subnav" }, tabs, el("span", { class: "spring" }), find), info, body);
  if (usable.length) open(0);
  else replace(page, el("p", {}, t("emptyTable")));
}
