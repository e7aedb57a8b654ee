// Draws rows of spans into a buffer of pixels. One scanline a row is computed and then copied down, so a frame costs
// the width times the rows on the screen, whatever the number of events; it needs no GPU.
import { type Level, levelFor } from "../data/pyramid";
import type { Matches } from "../data/search";
import { firstEndingAfter, type Spans } from "../data/spans";
import { blend, type Palette } from "./colours";
import type { Model, TrackStore } from "./model";

export interface Label {
  index: number;
  x0: number; // device pixels
  x1: number;
  y: number;
  h: number;
  text: TextTone;
}

export type TextTone = "dark" | "light" | "muted";

// Least weight of a pixel column in which something happens: rare events stay in sight.
const LEAST = 0.4;

export interface PaintView {
  t0: number;
  nsPerPixel: number; // of device pixels
  matches: Matches | null;
  labels: Label[] | null; // filled for spans of at least minLabel pixels
  minLabel: number;
}

export class Painter {
  image: ImageData;
  private buffer: Uint32Array;
  private line: Uint32Array;

  constructor(
    public width: number,
    public height: number,
    private readonly model: Model,
    public palette: Palette,
  ) {
    this.image = new ImageData(Math.max(1, width), Math.max(1, height));
    this.buffer = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(Math.max(1, width));
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.image = new ImageData(Math.max(1, width), Math.max(1, height));
    this.buffer = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(Math.max(1, width));
  }

  clear(): void {
    this.buffer.fill(this.palette.background);
  }

  fillRect(y: number, h: number, colour: number): void {
    const from = Math.max(0, y) * this.width;
    const to = Math.min(this.height, y + h) * this.width;
    if (to > from) this.buffer.fill(colour, from, to);
  }

  // A row of a track at y, h pixels high. `behind`: a row of gaps that shades the background, or -1.
  row(store: TrackStore, row: number, y: number, h: number, view: PaintView, hatch: boolean, behind = -1): void {
    if (y + h <= 0 || y >= this.height) return;
    this.line.fill(this.palette.background);
    const level = levelFor(store.levels, view.nsPerPixel);
    if (behind >= 0) this.shade(store.spans, level, behind, view);
    this.scan(store.spans, level, row, y, h, view);
    const top = Math.max(0, y);
    const bottom = Math.min(this.height, y + h);
    for (let at = top; at < bottom; ++at) this.buffer.set(this.line, at * this.width);
    if (hatch) this.hatch(top, bottom);
  }

  private scan(spans: Spans, level: Level | null, row: number, y: number, h: number, view: PaintView): void {
    const { line, palette, model, width } = this;
    const { start, dur, before } = spans;
    const { t0, matches } = view;
    const scale = 1 / view.nsPerPixel;
    const end = t0 + width * view.nsPerPixel;
    const first = level?.first;
    const longest = level?.longest;
    const nodesBegin = level ? level.rowStart[row] : spans.rowStart[row];
    const nodesEnd = level ? level.rowStart[row + 1] : spans.rowStart[row + 1];
    let tinyPixel = -1;
    let tinyShare = 0;
    let tinyBest = -1;
    let tinyColour = 0;
    let tinyHit = false;
    const flush = (): void => {
      if (tinyPixel >= 0 && tinyPixel < width) {
        const paint = matches ? (tinyHit ? palette.match : palette.dim[tinyColour]) : palette.fill[tinyColour];
        line[tinyPixel] = blend(paint, line[tinyPixel], tinyHit ? 1 : Math.min(1, LEAST + (1 - LEAST) * tinyShare));
      }
      tinyPixel = -1;
    };
    for (let node = firstNode(spans, level, nodesBegin, nodesEnd, t0); node < nodesEnd; ++node) {
      const from = first ? first[node] : node;
      if (start[from] >= end) break;
      const to = first ? first[node + 1] : node + 1; // rows lie side by side, so a row's last node ends at the next row
      const index = longest ? longest[node] : node;
      const x0 = (start[from] - t0) * scale;
      const x1 = (start[to - 1] + dur[to - 1] - t0) * scale;
      const busy = (before[to] - before[from]) * scale;
      const hit = matches !== null && matches.before[to] > matches.before[from];
      if (x1 - x0 < 1.2) {
        const at = Math.max(0, Math.floor((x0 + x1) / 2));
        if (at !== tinyPixel) {
          flush();
          tinyPixel = at;
          tinyShare = 0;
          tinyBest = -1;
          tinyHit = false;
        }
        tinyShare += busy;
        if (dur[index] > tinyBest) {
          tinyBest = dur[index];
          tinyColour = model.colour(spans, index);
        }
        tinyHit ||= hit;
        continue;
      }
      flush();
      const colour = model.colour(spans, index);
      const left = Math.max(0, Math.round(x0));
      const right = Math.min(width, Math.max(left + 1, Math.round(x1)));
      let paint = matches ? (hit ? palette.match : palette.dim[colour]) : palette.fill[colour];
      const share = busy / (x1 - x0);
      if (share < 0.98) paint = blend(paint, palette.background, LEAST + (1 - LEAST) * share);
      line.fill(paint, left, right);
      if (to - from === 1 && x1 - x0 >= 3 && x0 >= 0) line[left] = matches && !hit ? paint : palette.edge[colour];
      if (view.labels && to - from === 1 && right - left >= view.minLabel && view.labels.length < 3000)
        view.labels.push({ index, x0: left, x1: right, y, h, text: matches ? (hit ? palette.matchText : "muted") : palette.lightText[colour] === 1 ? "light" : "dark" });
    }
    flush();
  }

  // Idle time of one colour a cause, faint, at least a pixel wide.
  private shade(spans: Spans, level: Level | null, row: number, view: PaintView): void {
    const scale = 1 / view.nsPerPixel;
    const end = view.t0 + this.width * view.nsPerPixel;
    const nodesBegin = level ? level.rowStart[row] : spans.rowStart[row];
    const nodesEnd = level ? level.rowStart[row + 1] : spans.rowStart[row + 1];
    for (let node = firstNode(spans, level, nodesBegin, nodesEnd, view.t0); node < nodesEnd; ++node) {
      const from = level ? level.first[node] : node;
      if (spans.start[from] >= end) break;
      const last = (level ? level.first[node + 1] : node + 1) - 1;
      const x0 = Math.max(0, Math.round((spans.start[from] - view.t0) * scale));
      const x1 = Math.min(this.width, Math.round((spans.start[last] + spans.dur[last] - view.t0) * scale));
      if (x1 > x0) this.line.fill(this.palette.ghost[this.model.colour(spans, level ? level.longest[node] : node)], x0, x1);
    }
  }

  // Stripes over what is drawn: idle time must not look like work.
  private hatch(top: number, bottom: number): void {
    const { width, buffer, palette } = this;
    for (let y = top; y < bottom; ++y) {
      const at = y * width;
      for (let x = 0; x < width; ++x) {
        const colour = buffer[at + x];
        if (colour !== palette.background && ((x + y) & 7) < 3) buffer[at + x] = blend(colour, palette.background, 0.62);
      }
    }
  }
}

// The first node that ends after `time`.
function firstNode(spans: Spans, level: Level | null, low: number, high: number, time: number): number {
  if (!level) return firstEndingAfter(spans, low, high, time);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const last = level.first[middle + 1] - 1;
    if (spans.start[last] + spans.dur[last] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
