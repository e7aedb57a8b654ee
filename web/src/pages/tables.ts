// All tables, one at a time.
import { stepWindow } from "../data/steps";
import type { Cell, Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { hasText, t } from "../ui/i18n";
import { prose, remark, tableNote } from "../ui/prose";
import { TableView } from "../ui/table";
import type { Context } from "./pages";
import { tableNames } from "./pages";

// Most asked for first; others follow in the order of the report.
const ORDER = ["kernels", "ops", "gaps", "copies", "launches", "syncs", "collectives", "steps", "streams", "devices", "critical-path", "memory"];

// A table's name is FAMILY or FAMILY:VARIANT ("kernels:geometry").
export function tableTitle(family: string): string {
  const key = `table_${family.replace(/-/g, "_")}`;
  return hasText(key) ? t(key) : clean(family);
}

function variantTitle(variant: string): string {
  const key = `by_${variant || "all"}`;
  return hasText(key) ? t(key) : clean(variant);
}

export function tablesPage(page: HTMLElement, context: Context): Promise<void> {
  const place = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  const names = tableNames(context.source, context.head);
  const families = [...new Set(names.map((name) => name.split(":")[0]))].sort((a, b) => place(a) - place(b));
  const body = el("div", { class: "table-body" });
  const tabs = el("div", { class: "subnav", role: "tablist" });
  const variants = el("div", { class: "subnav is-second", role: "tablist" });
  let current = names.includes(context.state.value.table) ? context.state.value.table : (names.find((name) => name.startsWith(families[0])) ?? "");
  const tab = (title: string, on: boolean, name: string): HTMLElement => el("button", { class: on ? "tab is-on" : "tab", role: "tab", "aria-selected": String(on), onclick: () => void open(name) }, title);
  const open = async (name: string): Promise<void> => {
    current = name;
    context.state.set({ table: name });
    const family = name.split(":")[0];
    const own = names.filter((one) => one.split(":")[0] === family);
    replace(tabs, ...families.map((one) => tab(tableTitle(one), one === family, names.find((other) => other.split(":")[0] === one) ?? one)));
    replace(variants, ...own.map((one) => tab(variantTitle(one.split(":")[1] ?? ""), one === name, one)));
    variants.hidden = own.length < 2;
    replace(body, el("p", { class: "loading" }, t("loading")));
    try {
      const table = await context.source.json<Table>(`table:${name}`);
      if (current === name) replace(body, tableBody(table, name, context));
    } catch (error) {
      replace(body, el("p", { class: "fatal" }, t("failed", { error: error instanceof Error ? error.message : String(error) })));
    }
  };
  replace(page, tabs, variants, body);
  return open(current);
}

export function tableBody(table: Table, name: string, context: Context): HTMLElement {
  const nameColumn = table.columns.findIndex((column) => column.name === "name");
  const findable = new Set(["kernels", "ops", "launches", "counters", "roofline", "stalls", "collectives"]);
  const find = (row: Cell[]): void => {
    const text = row[nameColumn];
    if (typeof text !== "string") return;
    context.searchTimeline(text);
  };
  const step = (row: Cell[]): void => {
    const window = stepWindow(table, row);
    if (window) context.showPlace(window[0], window[1], null);
  };
  const view = new TableView(table, name, name === "steps" ? step : findable.has(name.split(":")[0]) && nameColumn >= 0 ? find : null);
  const family = name.split(":")[0];
  const variants = tableNames(context.source, context.head).filter((one) => one.split(":")[0] === family).length > 1;
  const notes = (table.notes ?? []).map((text) => tableNote(text, family, variants)).filter((text) => text !== null);
  return el(
    "div", { class: "table-page" }, el("h2", {}, prose(table.title)), ...(table.summary ?? []).map((text) => el("p", { class: "muted summary" }, remark(text))),
    table.row_count > table.rows.length ? el("p", { class: "muted" }, t("truncated", { n: table.rows.length, total: table.row_count })) : null, view.element, ...notes.map((text) => el("p", { class: "muted note" }, text)),
  );
}
