// Who holds memory at a moment: a flame graph and a table of the stacks that asked for it.
import { type Allocations, framesOf, type Holding, holdingsAt, holdingTree, placeOf, shortFrame } from "../data/allocations";
import type { Cell, FlameNode, Table } from "../data/types";
import { FlameView, type FrameDetails } from "../charts/flame_view";
import { clean, el, replace } from "../ui/dom";
import { bytes, count, duration, percent } from "../ui/format";
import { t } from "../ui/i18n";
import { TableView } from "../ui/table";
import { flameNames } from "./flame";

const blocksOf = (n: number): string => (n === 1 ? t("oneBlock") : t("blocks", { n: count(n) }));

export interface Subject {
  all: Allocations;
  strings: readonly string[];
  track: number;
  name: string; // of the device
  begin: number;
  end: number;
  peak: number; // the moment of most bytes, in ns
}

export class Holders {
  readonly element: HTMLElement;
  private readonly head = el("h3", {});
  private readonly slider: HTMLInputElement;
  private readonly info = el("p", { class: "flame-info", "aria-live": "polite" });
  private readonly body = el("div", { class: "flame-body" });
  private readonly list = el("div", {});
  private readonly stack = el("div", { class: "stack" });
  private frame = 0;
  private time: number;

  // `moved`: another moment was chosen here.
  constructor(
    private readonly subject: Subject,
    time: number | null,
    private readonly moved: (time: number) => void,
  ) {
    this.time = time ?? subject.peak;
    this.slider = el("input", { type: "range", class: "moment", min: 0, max: 1000, step: "any", "aria-label": t("moment"), oninput: () => this.choose(subject.begin + (Number(this.slider.value) / 1000) * (subject.end - subject.begin)) });
    this.element = el(
      "section", { class: "block holders" },
      el("div", { class: "toolbar" }, this.head, el("span", { class: "spring" }), el("button", { class: "small", onclick: () => this.choose(subject.peak) }, t("atPeak")), this.slider),
      el("p", { class: "muted" }, t("holdersHint")), this.info, this.body, this.list, this.stack,
    );
  }

  // Shown from the chart, or here.
  choose(time: number): void {
    this.time = Math.max(this.subject.begin, Math.min(this.subject.end, time));
    this.moved(this.time);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    const { subject } = this;
    const holdings = holdingsAt(subject.all, subject.track, this.time);
    const total = holdings.reduce((sum, one) => sum + one.bytes, 0);
    const blocks = holdings.reduce((sum, one) => sum + one.count, 0);
    this.slider.value = String(((this.time - subject.begin) / Math.max(1, subject.end - subject.begin)) * 1000);
    this.slider.setAttribute("aria-valuetext", `${duration(this.time)}: ${bytes(total)}`);
    this.head.textContent = t("holdersTitle", { device: clean(subject.name), time: duration(this.time), bytes: bytes(total), blocks: blocksOf(blocks) });
    this.drawFlame(holdings);
    this.drawTable(holdings, total);
    replace(this.stack);
  }

  private unknown(holding: Holding): string {
    return t(holding.before ? "allocatedBefore" : "noAllocationStack");
  }

  private drawFlame(holdings: Holding[]): void {
    const whole = flameNames(this.subject.strings);
    const nameOf = (node: FlameNode): string => shortFrame(whole(node));
    const describe = (frame: FrameDetails | null): void => {
      if (!frame) return replace(this.info, t("holdersFlameHint"));
      replace(this.info, el("b", { class: "mono" }, clean(frame.name) || t("all")), `  ${bytes(frame.node.value_ns)} · ${percent(frame.share * 100)} · ${blocksOf(frame.node.count)}`);
    };
    const known = holdings.some((one) => one.stack >= 0);
    if (!known) return replace(this.body, el("p", { class: "muted" }, t("noAllocationStacks")));
    const view = new FlameView(holdingTree(this.subject.all, holdings, (one) => this.unknown(one)), nameOf, describe, null, this.head.textContent ?? "");
    replace(this.body, view.element);
    describe(null);
    view.draw();
  }

  private drawTable(holdings: Holding[], total: number): void {
    const { all, strings } = this.subject;
    const names = (stack: number): string[] => framesOf(all, stack).map((frame) => strings[all.frameName[frame]] ?? "");
    const rows = holdings.slice(0, 5000).map((one): Cell[] => [one.bytes, total ? (one.bytes / total) * 100 : null, one.count, one.before ? null : this.time - one.oldest, one.stack < 0 ? this.unknown(one) : placeOf(names(one.stack).map(shortFrame)), one.stack]);
    const table: Table = {
      schema: "", title: this.head.textContent ?? "", summary: [], notes: [], row_count: holdings.length, rows,
      columns: [{ name: "holds_bytes", unit: "bytes" }, { name: "share_pct", unit: "%" }, { name: "blocks", unit: "count" }, { name: "age_ns", unit: "ns" }, { name: "where", unit: "" }],
    };
    const show = (row: Cell[]): void => {
      const stack = Number(row[5]);
      replace(this.stack, el("div", { class: "stack-title" }, t("allocationStack")), ...(stack < 0 ? [el("div", { class: "muted" }, String(row[4]))] : names(stack).map((name) => el("div", { class: "frame mono" }, clean(name).slice(0, 2000)))));
      this.stack.scrollIntoView({ block: "nearest" });
    };
    replace(this.list, new TableView(table, "holders", show).element);
  }
}
