// A table of the report: sorted by any column, filtered, exported as CSV. Rows are elements only while in sight.
import type { Cell, Table } from "../data/types";
import { columnLabel, MAIN_COLUMNS } from "./columns";
import { clean, copyText, download, el, replace } from "./dom";
import { count, withUnit } from "./format";
import { t, told } from "./i18n";
import { VirtualList } from "./virtual_list";

const ROW = 24;
const TEXT_COLUMNS_WIDE = new Set(["name", "kernel", "message", "label", "subject", "value", "caller", "meaning", "operator", "top_advice", "text", "hottest_place", "top_stall_text", "fact", "where"]);

// Columns that carry a bar of their size behind the number.
const BARS = /^(total_ns|self_device_ns|self_host_ns|idle_ns|dur_ns|busy_ns|share.*_pct|self_.*_pct|caused_idle_ns|exposed_ns|kernel_ns|holds_bytes)$/;

export function csv(table: Table): string {
  const quote = (cell: Cell): string => {
    if (cell === null) return "";
    let text = String(cell);
    // A spreadsheet would run a name that begins like a formula.
    if (typeof cell === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [table.columns.map((column) => quote(column.name)), ...table.rows.map((row) => row.map(quote))].map((cells) => cells.join(",")).join("\n") + "\n";
}

export function compareCells(a: Cell, b: Cell): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // absent ones last when ascending
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

export class TableView {
  readonly element: HTMLElement;
  private readonly head = el("div", { class: "table-head", role: "row" });
  private readonly status = el("span", { class: "muted", "aria-live": "polite" });
  private readonly list: VirtualList;
  private readonly scroller: HTMLElement;
  private order: number[] = [];
  private shown: number[];
  private sort: { column: number; down: boolean } | null = null;
  private filter = "";
  private readonly largest: number[];

  constructor(
    private readonly table: Table,
    private readonly name: string,
    private readonly onRow: ((row: Cell[]) => void) | null = null,
  ) {
    const main = MAIN_COLUMNS[name] as string[] | undefined;
    this.shown = table.columns.map((_, i) => i).filter((i) => !main || main.includes(table.columns[i].name));
    if (this.shown.length === 0) this.shown = table.columns.map((_, i) => i);
    // Full and short kernel name side by side say the same twice.
    if (main?.includes("kernel") && table.columns.some((column) => column.name === "kernel")) this.shown = this.shown.filter((i) => table.columns[i].name !== "name");
    this.largest = table.columns.map((column, i) => (BARS.test(column.name) ? Math.max(0, ...table.rows.slice(0, 50_000).map((row) => (typeof row[i] === "number" ? (row[i] as number) : 0))) : 0));
    this.list = new VirtualList(0, ROW, (i) => this.row(this.order[i]), "table");
    this.scroller = this.list.element;
    this.scroller.classList.add("table-scroll");
    this.scroller.setAttribute("aria-label", clean(table.title));
    this.scroller.setAttribute("aria-rowcount", String(table.rows.length));
    this.scroller.prepend(this.head);
    const input = el("input", { type: "search", class: "search", placeholder: t("filter"), "aria-label": t("filter"), spellcheck: "false", oninput: () => { this.filter = input.value; this.refresh(); } });
    const toggle: HTMLButtonElement = el("button", { class: "small", onclick: () => this.toggleColumns(toggle) }, t("showAllColumns"));
    this.element = el(
      "div", { class: "table-view" },
      el("div", { class: "toolbar" }, input, this.status, el("span", { class: "spring" }), main && this.shown.length < table.columns.length ? toggle : null, el("button", { class: "small", onclick: () => void copyText(csv(this.current())) }, t("copyTable")), el("button", { class: "small", onclick: () => download(`${name}.csv`, "text/csv", csv(this.current())) }, t("exportCsv"))),
      this.scroller,
    );
    this.drawHead();
    this.refresh();
  }

  private current(): Table {
    return { ...this.table, rows: this.order.map((i) => this.table.rows[i]) };
  }

  private toggleColumns(button: HTMLElement): void {
    const main = MAIN_COLUMNS[this.name] ?? [];
    const all = this.shown.length < this.table.columns.length;
    this.shown = this.table.columns.map((_, i) => i).filter((i) => all || (main.includes(this.table.columns[i].name) && !(this.table.columns[i].name === "name" && main.includes("kernel"))));
    button.textContent = t(all ? "showMainColumns" : "showAllColumns");
    this.drawHead();
    this.refresh();
  }

  private isNumber(i: number): boolean {
    return this.table.columns[i].unit !== "" || typeof this.table.rows.find((row) => row[i] !== null)?.[i] === "number";
  }

  // [least width in pixels, share of what is left] of a column.
  private width(i: number): [number, number] {
    if (this.isNumber(i)) return [78, 0.7];
    return TEXT_COLUMNS_WIDE.has(this.table.columns[i].name) ? [260, 4] : [88, 1];
  }

  private drawHead(): void {
    const widths = this.shown.map((i) => this.width(i));
    this.scroller.style.setProperty("--columns", widths.map(([least, share]) => `minmax(${least}px, ${share}fr)`).join(" "));
    this.scroller.style.setProperty("--least", `${widths.reduce((sum, [least]) => sum + least + 10, 14)}px`);
    this.scroller.style.setProperty("--rows", String(this.table.rows.length));
    replace(
      this.head,
      ...this.shown.map((i) => {
        const column = this.table.columns[i];
        const active = this.sort?.column === i;
        const arrow = active ? (this.sort?.down ? " ↓" : " ↑") : "";
        const sorted = active ? (this.sort?.down ? "descending" : "ascending") : "none";
        return el("div", { class: this.isNumber(i) ? "th is-num" : "th", role: "columnheader", "aria-sort": sorted }, el("button", { title: t("sortBy", { column: column.name }), onclick: () => this.sortBy(i) }, columnLabel(column.name) + arrow));
      }),
    );
  }

  private sortBy(column: number): void {
    if (this.sort?.column !== column) this.sort = { column, down: this.isNumber(column) };
    else if (this.sort.down === this.isNumber(column)) this.sort = { column, down: !this.sort.down };
    else this.sort = null; // third click: as the table came
    this.drawHead();
    this.refresh();
  }

  refresh(): void {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const { rows } = this.table;
    this.order = [];
    for (let i = 0; i < rows.length; ++i) {
      if (words.length) {
        const text = rows[i].filter((cell) => typeof cell === "string").join("\n").toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      this.order.push(i);
    }
    const { sort } = this;
    if (sort) {
      this.order.sort((a, b) => {
        const x = rows[a][sort.column];
        const y = rows[b][sort.column];
        if (x === null || y === null) return compareCells(x, y) || a - b; // absent last either way
        return (sort.down ? -compareCells(x, y) : compareCells(x, y)) || a - b;
      });
    }
    this.status.textContent = t("rowsOf", { n: count(this.order.length), total: count(this.table.row_count ?? rows.length) });
    this.list.setCount(this.order.length);
  }

  private row(index: number): HTMLElement {
    const row = this.table.rows[index];
    const { onRow } = this;
    const element = el("div", { class: onRow ? "tr is-link" : "tr", role: "row" }, ...this.shown.map((i) => this.cell(row, i)));
    if (onRow) {
      element.tabIndex = 0;
      element.addEventListener("click", () => onRow(row));
      element.addEventListener("keydown", (event) => {
        if (event.key === "Enter") onRow(row);
      });
    }
    return element;
  }

  private cell(row: Cell[], i: number): HTMLElement {
    const value = row[i];
    const { unit } = this.table.columns[i];
    if (value === null || value === undefined) return el("span", { class: this.isNumber(i) ? "td num is-absent" : "td is-absent", role: "cell" }, "–");
    const text = this.table.columns[i].name === "message" ? told(String(value)) : String(value);
    if (typeof value !== "number") return el("span", { class: TEXT_COLUMNS_WIDE.has(this.table.columns[i].name) ? "td mono" : "td", role: "cell", title: clean(text).slice(0, 2000) }, clean(text).slice(0, 500));
    const share = this.largest[i] > 0 ? Math.max(0, Math.min(1, value / this.largest[i])) : 0;
    return el("span", { class: "td num", role: "cell", title: `${value}${unit && unit !== "count" ? ` ${unit}` : ""}`, style: share > 0.004 ? `--share:${(share * 100).toFixed(1)}%` : null }, withUnit(value, unit));
  }
}
