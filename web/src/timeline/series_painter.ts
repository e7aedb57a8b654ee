// Draws a series as a filled step line: for each pixel column the extremes of the points in it. Where nothing is known
// (before the first point, after a NaN) nothing is drawn.
import { extremes, pointAt, type Series } from "../data/series";
import type { Scale } from "./scale";

export interface SeriesBox {
  y: number; // CSS pixels
  h: number;
}

// Upper bound of the axis: a value that reads well, at or above the maximum.
export function niceTop(max: number): number {
  if (!(max > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (power * factor >= max) return power * factor;
  return max;
}

export function seriesRange(series: Series, unit: string | undefined): [number, number] {
  if (unit === "%") return [0, 100];
  const low = Math.min(0, series.min);
  // Levels that hardly move, such as clocks or memory at its plateau, are shown from near their minimum.
  if (series.min > 0 && series.max > 0 && (series.max - series.min) / series.max < 0.2 && series.max > series.min) return [series.min - (series.max - series.min) * 0.5, series.max];
  return [low, niceTop(series.max)];
}

export function drawSeries(context: CanvasRenderingContext2D, series: Series, unit: string | undefined, scale: Scale, box: SeriesBox, colour: string): void {
  const [low, high] = seriesRange(series, unit);
  const toY = (value: number): number => box.y + box.h - 2 - ((value - low) / Math.max(high - low, 1e-12)) * (box.h - 6);
  const base = box.y + box.h - 1;
  context.beginPath();
  const tops: [number, number][][] = []; // stretches that are known, a column each
  let known = false;
  const add = (x: number, y: number | undefined): void => {
    if (y !== undefined) {
      if (known) tops[tops.length - 1].push([x, y]);
      else tops.push([[x, y]]);
    }
    known = y !== undefined;
  };
  let at = Math.max(0, pointAt(series, scale.t0));
  for (let x = 0; x < scale.width; ++x) {
    const until = scale.time(x + 1);
    const begin = at;
    while (at < series.time.length && series.time[at] < until && at - begin < 64) ++at;
    if (at - begin >= 64) at = pointAt(series, until) + 1;
    // The value that held when the column began counts as well.
    const [min, max] = extremes(series, Math.max(0, begin - 1), Math.max(at, begin));
    const current = begin > 0 ? series.value[begin - 1] : NaN;
    if (at === begin) add(x, Number.isNaN(current) || series.time.length === 0 ? undefined : toY(current));
    else add(x, Number.isFinite(max) ? toY(max) : undefined);
    if (at > begin && max > min) context.rect(x, toY(max), 1, Math.max(1, toY(min) - toY(max)));
  }
  context.globalAlpha = 0.85;
  context.fillStyle = colour;
  context.fill();
  context.beginPath();
  for (const top of tops) {
    context.moveTo(top[0][0], base);
    for (const [x, y] of top) {
      context.lineTo(x, y);
      context.lineTo(x + 1, y);
    }
    context.lineTo(top[top.length - 1][0] + 1, base);
    context.closePath();
  }
  context.globalAlpha = 0.28;
  context.fill();
  context.globalAlpha = 1;
  context.beginPath();
  for (const top of tops) {
    top.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    if (top.length === 1) context.lineTo(top[0][0] + 1, top[0][1]);
  }
  context.strokeStyle = colour;
  context.lineWidth = 1.2;
  context.stroke();
}
