// A scrollable list of tracks: headings on the left (elements, for keyboard and screen readers), canvas on the right.
// The timeline has two: pinned tracks above, all tracks below.
import type { Matches } from "../data/search";
import { spanAt } from "../data/spans";
import { el, replace } from "../ui/dom";
import { t } from "../ui/i18n";
import { cssColour } from "../ui/theme";
import type { Palette } from "./colours";
import { type Folding, type Item, layOut } from "./layout";
import type { Model } from "./model";
import { type Label, Painter, type TextTone } from "./painter";
import type { Scale } from "./scale";
import { drawSeries } from "./series_painter";
import { TextFit } from "./text_fit";
import { trackHeading } from "./track_heading";

export interface Hit {
  item: Item;
  row: number; // of the store; -1 for series
  index: number; // span or -1
}

export interface PaneActions {
  fold(track: number): void;
  foldGroup(group: string): void;
  pin(track: number): void;
}

export class Pane {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly headings: HTMLElement;
  private readonly inner: HTMLElement;
  private readonly context: CanvasRenderingContext2D;
  private readonly painter: Painter;
  private fit: TextFit | null = null;
  private fitRatio = 0;
  items: Item[] = [];
  height = 0;

  constructor(
    private readonly model: Model,
    private readonly scale: Scale,
    private readonly actions: PaneActions,
    private readonly withGroups: boolean,
    palette: Palette,
    label: string,
  ) {
    this.canvas = el("canvas", { class: "pane-canvas", role: "application", "aria-label": `${label}. ${t("canvasHelp")}`, tabindex: 0 });
    this.headings = el("div", { class: "pane-headings", role: "list" });
    this.inner = el("div", { class: "pane-inner" }, this.headings, this.canvas);
    this.element = el("div", { class: "pane" }, this.inner);
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser draws no canvas");
    this.context = context;
    this.painter = new Painter(1, 1, model, palette);
  }

  setPalette(palette: Palette): void {
    this.painter.palette = palette;
  }

  setTracks(order: readonly { track: number; group: string }[], folding: Folding, pinned: ReadonlySet<string>): void {
    const { items, height } = layOut(this.model, order, folding, this.withGroups);
    this.items = items;
    this.height = height;
    this.inner.style.height = `${height}px`;
    replace(this.headings, ...items.map((item) => trackHeading(this.model, item, this.actions, pinned)));
  }

  // Width of the canvas in CSS pixels at the present layout.
  measure(): number {
    return Math.max(50, this.element.clientWidth - this.headings.offsetWidth);
  }

  get top(): number {
    return this.element.scrollTop;
  }

  // Scrolls as little as brings the row into sight; of a whole track, its beginning.
  reveal(track: number, row: number | null = null): void {
    const item = this.items.find((one) => one.track === track && one.kind === "track");
    if (!item) return;
    const view = this.element.clientHeight;
    const depth = row === null ? 0 : Math.min(row - this.model.store(track).firstRow, Math.max(0, item.rows - 1));
    const from = item.y + depth * item.rowHeight - 30;
    const to = row === null ? item.y + Math.min(item.h, view / 2) : from + item.rowHeight + 60;
    if (from < this.top) this.element.scrollTop = Math.max(0, from);
    else if (to > this.top + view) this.element.scrollTop = to - view;
  }

  hit(x: number, y: number): Hit | null {
    const inside = y + this.top;
    const item = this.items.find((one) => inside >= one.y && inside < one.y + one.h);
    if (!item || item.kind !== "track") return null;
    const store = this.model.store(item.track);
    if (item.rows === 0) return { item, row: -1, index: -1 };
    const depth = Math.floor((inside - item.y) / item.rowHeight);
    if (depth >= Math.min(item.rows, store.rows)) return { item, row: -1, index: -1 };
    const row = store.firstRow + depth;
    const time = this.scale.time(x);
    let index = spanAt(store.spans, row, time);
    // Thin spans are hard to meet: take the nearest within two pixels.
    for (let reach = 1; index < 0 && reach <= 2; ++reach) {
      index = spanAt(store.spans, row, time - reach * this.scale.nsPerPx);
      if (index < 0) index = spanAt(store.spans, row, time + reach * this.scale.nsPerPx);
    }
    return { item, row, index };
  }

  // Middle of a row's scanline in CSS pixels of the canvas; null when its track is not in this pane.
  rowY(track: number, row: number): number | null {
    const item = this.items.find((one) => one.track === track && one.kind === "track");
    const store = this.model.store(track);
    if (!item) return null;
    const depth = Math.min(row - store.firstRow, Math.max(0, item.rows - 1));
    return item.y + (depth + 0.5) * item.rowHeight - this.top;
  }

  draw(matches: Matches | null): void {
    const ratio = window.devicePixelRatio || 1;
    const width = this.scale.width;
    const height = this.element.clientHeight;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    this.painter.resize(w, h);
    this.painter.clear();
    const labels: Label[] = [];
    const view = { t0: this.scale.t0, nsPerPixel: this.scale.nsPerPx / ratio, matches, labels, minLabel: 24 * ratio };
    const seriesItems: Item[] = [];
    for (const item of this.visible(height)) {
      if (item.kind === "group") continue;
      if (item.rows === 0) seriesItems.push(item);
      else this.drawRows(item, view, ratio);
    }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.putImageData(this.painter.image, 0, 0);
    this.drawLabels(labels, ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const item of seriesItems) this.drawSeriesItem(item);
    this.drawGroupLines(height, width);
  }

  get canvasContext(): CanvasRenderingContext2D {
    return this.context;
  }

  private visible(height: number): Item[] {
    return this.items.filter((item) => item.y + item.h > this.top && item.y < this.top + height);
  }

  private drawRows(item: Item, view: Parameters<Painter["row"]>[4], ratio: number): void {
    const store = this.model.store(item.track);
    const hatch = this.model.tracks[item.track].kind === "gaps";
    const list = item.folded ? null : view.labels;
    const behind = this.model.gapsBehind(item.track);
    const rows = Math.min(item.rows, store.rows);
    for (let depth = 0; depth < rows; ++depth) {
      const y = Math.round((item.y + depth * item.rowHeight - this.top) * ratio);
      const next = Math.round((item.y + (depth + 1) * item.rowHeight - this.top) * ratio);
      const h = Math.max(1, next - y - (item.folded ? 0 : Math.max(1, Math.round(ratio))));
      this.painter.row(store, store.firstRow + depth, y, h, { ...view, labels: list }, hatch, behind);
    }
  }

  private drawLabels(labels: readonly Label[], ratio: number): void {
    const context = this.context;
    const font = `${Math.round(11 * ratio)}px system-ui, "Segoe UI", "Noto Sans", sans-serif`;
    if (!this.fit || this.fitRatio !== ratio) {
      this.fit = new TextFit(context, font);
      this.fitRatio = ratio;
    }
    context.font = font;
    context.textBaseline = "middle";
    const tones: Record<TextTone, string> = { dark: "#16181d", light: "#ffffff", muted: cssColour("--muted") };
    let tone: TextTone | null = null;
    const { spans } = this.model;
    for (const label of labels) {
      const cut = this.fit.cut(this.model.label(spans, label.index), label.x1 - label.x0 - 6 * ratio);
      if (!cut) continue;
      if (label.text !== tone) {
        tone = label.text;
        context.fillStyle = tones[tone];
      }
      context.fillText(cut, label.x0 + 3 * ratio, label.y + label.h / 2 + 0.5 * ratio);
    }
  }

  private drawSeriesItem(item: Item): void {
    const series = this.model.series(item.track);
    if (!series || series.time.length === 0 || series.min >= series.max) return;
    const track = this.model.tracks[item.track];
    const colour = cssColour(track.kind === "memory" ? "--series-memory" : track.kind === "readings" ? "--series-readings" : "--series-counter");
    drawSeries(this.context, series, track.unit, this.scale, { y: item.y - this.top, h: item.rowHeight }, colour);
  }

  private drawGroupLines(height: number, width: number): void {
    const context = this.context;
    for (const item of this.visible(height)) {
      if (item.kind === "group") {
        context.fillStyle = cssColour("--group");
        context.fillRect(0, item.y - this.top, width, item.h - 1);
      } else {
        context.fillStyle = cssColour("--line-soft");
        context.fillRect(0, item.y + item.h - 2 - this.top, width, 1);
      }
    }
  }
}
