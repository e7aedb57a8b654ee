// Why the warps of each kernel wait: bars of the first two reasons, and the whole table.
import type { Cell, Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { percent } from "../ui/format";
import { t } from "../ui/i18n";
import type { Context } from "./pages";
import { tableBody } from "./tables";

// Dark enough for white text.
const HUES = ["#b23a4b", "#8a6a10", "#3f6aa3", "#55752f", "#775f96", "#a04c7d", "#7a5343", "#2f7280"];

export async function stallsPage(page: HTMLElement, context: Context): Promise<void> {
  const table = await context.source.json<Table>("table:stalls");
  const at = (row: Cell[], name: string): Cell => row[table.columns.findIndex((column) => column.name === name)] ?? null;
  const number = (row: Cell[], name: string): number => {
    const value = at(row, name);
    return typeof value === "number" ? value : 0;
  };
  const hues = new Map<string, string>();
  const hue = (reason: string): string => {
    if (!hues.has(reason)) hues.set(reason, HUES[hues.size % HUES.length]);
    return hues.get(reason) ?? HUES[0];
  };
  const bars = table.rows.slice(0, 20).map((row) => {
    const first = String(at(row, "top_stall") ?? "");
    const second = String(at(row, "second_stall") ?? "");
    const parts: [string, number, string][] = [
      [t("issuing"), number(row, "issuing_pct"), "#2f7a6b"],
      [clean(first), number(row, "top_stall_pct"), hue(first)],
      [clean(second), number(row, "second_stall_pct"), hue(second)],
    ];
    const rest = Math.max(0, 100 - parts.reduce((sum, part) => sum + part[1], 0));
    parts.push([t("otherReasons"), rest, "#6b6b66"]);
    return el(
      "div", { class: "stall-row" }, el("div", { class: "stall-name mono", title: clean(String(at(row, "name") ?? "")).slice(0, 800) }, clean(String(at(row, "kernel") ?? at(row, "name") ?? ""))),
      el("div", { class: "step-bar is-thin" }, ...parts.filter(([, pct]) => pct > 0).map(([text, pct, colour]) => el("span", { class: "part", style: `flex-grow:${pct};--swatch:${colour}`, title: `${text}: ${percent(pct)}` }, pct > 14 ? el("span", {}, `${text} ${percent(pct)}`) : null))),
      el("div", { class: "muted" }, clean(String(at(row, "hottest_place") ?? ""))),
    );
  });
  replace(page, el("h2", {}, t("stallsTitle")), el("p", { class: "muted" }, t("stallsHint")), el("section", { class: "block" }, ...bars), tableBody(table, "stalls", context));
}
