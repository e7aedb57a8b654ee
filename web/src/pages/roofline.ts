// The roofline: both axes logarithmic, one mark a kernel, roofs from the rows' own peaks.
import type { Cell, Table } from "../data/types";
import { clean, el, replace, svg } from "../ui/dom";
import { duration, percent, scaled } from "../ui/format";
import { t } from "../ui/i18n";
import type { Context } from "./pages";
import { tableBody } from "./tables";

interface Point {
  mark: string;
  name: string;
  x: number; // FLOP/byte
  y: number; // FLOP/s
  share: number;
  ns: number;
  roofPct: number | null;
  bound: string;
  peak: number | null;
  bandwidth: number | null;
  precision: string;
}

const W = 980;
const H = 460;
const M = { left: 82, right: 24, top: 16, bottom: 44 };

export function rooflinePoints(table: Table): Point[] {
  const at = (row: Cell[], name: string): Cell => row[table.columns.findIndex((column) => column.name === name)] ?? null;
  const number = (row: Cell[], name: string): number | null => {
    const value = at(row, name);
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  };
  const points: Point[] = [];
  for (const row of table.rows) {
    const x = number(row, "intensity_flop_per_byte");
    const y = number(row, "flop_per_s");
    if (x === null || y === null || x <= 0 || y <= 0) continue;
    points.push({
      mark: String(at(row, "mark") ?? ""), name: String(at(row, "kernel") ?? at(row, "name") ?? ""), x, y, share: number(row, "share_pct") ?? 0, ns: number(row, "total_ns") ?? 0, roofPct: number(row, "roof_pct"),
      bound: String(at(row, "bound") ?? ""), peak: number(row, "peak_flop_per_s"), bandwidth: number(row, "peak_bytes_per_s"), precision: String(at(row, "precision") ?? ""),
    });
  }
  return points;
}

function decades(low: number, high: number): number[] {
  const result: number[] = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.floor(Math.log10(high)); ++power) result.push(10 ** power);
  return result;
}

interface Place {
  x: number;
  y: number;
}

// Of the places where a label may stand, the one farthest from all marks.
function freest(places: Place[], marks: Place[]): Place {
  const room = (place: Place): number => Math.min(Infinity, ...marks.map((mark) => Math.hypot((mark.x - place.x) * 0.6, mark.y - place.y)));
  return places.reduce((best, place) => (room(place) > room(best) + 1 ? place : best));
}

const SIDES: Record<string, string> = { compute: "is-compute", memory: "is-memory" };

function sides(points: Point[]): HTMLElement {
  const entry = (kind: string, text: string): HTMLElement => el("span", { class: "legend-entry" }, el("span", { class: `swatch ${kind}` }), text);
  return el("div", { class: "roofline-legend" }, entry("is-compute", t("boundCompute")), entry("is-memory", t("boundMemory")), points.some((point) => !SIDES[point.bound]) ? entry("is-unknown", t("boundUnknown")) : null);
}

function chart(points: Point[], pick: (point: Point | null) => void): SVGElement {
  const bandwidth = Math.max(...points.map((point) => point.bandwidth ?? 0));
  const peaks = new Map<number, string>();
  for (const { peak, precision } of points) {
    // Peaks that differ by their clocks alone are one roof.
    if (peak && ![...peaks.keys()].some((known) => Math.abs(known / peak - 1) < 0.08)) peaks.set(peak, precision);
  }
  const tallest = Math.max(...points.map((point) => point.y), ...peaks.keys()) * 2;
  const lowest = Math.min(...points.map((point) => point.y)) / 3;
  const ridge = bandwidth > 0 ? Math.max(...[...peaks.keys()].map((peak) => peak / bandwidth), 1) : 10;
  const left = Math.min(0.1, ...points.map((point) => point.x)) / 1.5;
  const right = Math.max(ridge * 4, ...points.map((point) => point.x * 2));
  const X = (x: number): number => M.left + (Math.log(x / left) / Math.log(right / left)) * (W - M.left - M.right);
  const Y = (y: number): number => H - M.bottom - (Math.log(y / lowest) / Math.log(tallest / lowest)) * (H - M.top - M.bottom);
  const root = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "roofline", role: "img", "aria-label": t("rooflineTitle") });
  for (const x of decades(left, right)) root.append(svg("line", { x1: X(x), x2: X(x), y1: M.top, y2: H - M.bottom, class: "grid" }), svg("text", { x: X(x), y: H - M.bottom + 16, class: "tick", "text-anchor": "middle" }, x >= 1 ? scaled(x, "") : x.toPrecision(1)));
  for (const y of decades(lowest, tallest)) root.append(svg("line", { x1: M.left, x2: W - M.right, y1: Y(y), y2: Y(y), class: "grid" }), svg("text", { x: M.left - 8, y: Y(y) + 4, class: "tick", "text-anchor": "end" }, scaled(y, "FLOP/s")));
  root.append(svg("text", { x: (M.left + W - M.right) / 2, y: H - 6, class: "tick", "text-anchor": "middle" }, t("rooflineX")));
  const marks = points.map((point) => ({ x: X(point.x), y: Y(point.y) }));
  const labels: SVGElement[] = []; // above the marks
  for (const [peak, precision] of peaks) {
    const from = bandwidth > 0 ? peak / bandwidth : left;
    root.append(svg("line", { x1: X(Math.max(left, from)), x2: W - M.right, y1: Y(peak), y2: Y(peak), class: "roof" }));
    const [low, high] = [X(Math.max(left, from)) + 130, W - M.right];
    const at = freest([1, 0.75, 0.5, 0.25, 0].map((part) => ({ x: low < high ? low + part * (high - low) : high, y: Y(peak) - 6 })), marks.map((mark) => ({ x: mark.x + 60, y: mark.y })));
    labels.push(svg("text", { ...at, class: "roof-label", "text-anchor": "end" }, `${clean(precision)} ${scaled(peak, "FLOP/s")}`));
  }
  if (bandwidth > 0) {
    const tall = Math.max(...peaks.keys(), lowest * 10);
    const start = Math.max(left, lowest / bandwidth);
    root.append(svg("line", { x1: X(start), y1: Y(start * bandwidth), x2: X(tall / bandwidth), y2: Y(tall), class: "roof" }));
    const along = [0.5, 0.62, 0.38, 0.74, 0.26, 0.86].map((part) => start * (tall / bandwidth / start) ** part);
    const at = freest(along.map((x) => ({ x: X(x) - 10, y: Y(x * bandwidth) - 8 })), marks.map((mark) => ({ x: mark.x + 25, y: mark.y })));
    labels.push(svg("text", { ...at, class: "roof-label", "text-anchor": "end" }, scaled(bandwidth, "B/s")));
  }
  [...points].sort((a, b) => b.share - a.share).forEach((point) => {
    const r = 7 + Math.sqrt(Math.max(0, point.share)) * 2.4;
    const mark = svg(
      "g", { class: `kernel-mark ${SIDES[point.bound] ?? "is-unknown"}`, tabindex: 0, onpointerenter: () => pick(point), onfocus: () => pick(point) },
      svg("circle", { cx: X(point.x), cy: Y(point.y), r }), svg("text", { x: X(point.x), y: Y(point.y) + 4, "text-anchor": "middle", class: "mark-text" }, clean(point.mark)), svg("title", {}, clean(point.name)),
    );
    root.append(mark);
  });
  root.append(...labels);
  return root;
}

export async function rooflinePage(page: HTMLElement, context: Context): Promise<void> {
  const table = await context.source.json<Table>("table:roofline");
  const points = rooflinePoints(table);
  const info = el("p", { class: "flame-info", "aria-live": "polite" }, t("rooflineHint"));
  const pick = (point: Point | null): void => {
    if (point) replace(info, el("b", { class: "mono" }, `${clean(point.mark)} ${clean(point.name)}`), ` ${duration(point.ns)} (${percent(point.share)}) · ${point.x.toPrecision(3)} FLOP/byte · ${scaled(point.y, "FLOP/s")}${point.roofPct !== null ? ` · ${percent(point.roofPct)}` : ""}`);
  };
  replace(page, el("h2", {}, t("rooflineTitle")), info, points.length ? el("section", { class: "block" }, sides(points), chart(points, pick)) : null, tableBody(table, "roofline", context));
}
