// What lies over the spans: step lines, the marked range, outlines of the chosen span, arrows from calls to their work.
import { rowOf } from "../data/spans";
import type { Step } from "../data/types";
import { cssColour } from "../ui/theme";
import type { Flow } from "./flow";
import type { Model } from "./model";
import type { Pane } from "./pane";
import type { Scale } from "./scale";

export interface Marks {
  selected: number | null;
  hovered: number | null;
  range: readonly [number, number] | null;
  proof: readonly [number, number] | null; // the place that a finding names
  flow: Flow; // from calls to their device work
}

export function drawStepLines(context: CanvasRenderingContext2D, steps: readonly Step[], scale: Scale, height: number): void {
  // Where steps are close together, lines would be a grey wash.
  if (!steps.length || (steps[0].end_ns - steps[0].begin_ns) / scale.nsPerPx < 14) return;
  context.fillStyle = cssColour("--step-line");
  for (const step of steps) {
    if (step.begin_ns < scale.t0 || step.begin_ns > scale.t1) continue;
    context.fillRect(Math.round(scale.x(step.begin_ns)), 0, 1, height);
  }
}

export function drawRange(context: CanvasRenderingContext2D, range: readonly [number, number] | null, scale: Scale, height: number, colour: string): void {
  if (!range) return;
  const x0 = Math.max(-2, scale.x(range[0]));
  const x1 = Math.min(scale.width + 2, scale.x(range[1]));
  if (x1 <= x0) return;
  const tint = cssColour(colour);
  context.globalAlpha = 0.13;
  context.fillStyle = tint;
  context.fillRect(x0, 0, x1 - x0, height);
  context.globalAlpha = 0.9;
  context.fillRect(Math.round(x0), 0, 1, height);
  context.fillRect(Math.round(x1) - 1, 0, 1, height);
  context.globalAlpha = 1;
}

const MOST_HOPS = 2000;

function outline(context: CanvasRenderingContext2D, model: Model, pane: Pane, scale: Scale, index: number, width: number): void {
  const track = model.trackOf(index);
  const y = pane.rowY(track, rowOf(model.spans, index));
  const item = pane.items.find((one) => one.track === track && one.kind === "track");
  if (y === null || !item) return;
  const x0 = Math.max(-4, scale.x(model.spans.start[index]));
  const x1 = Math.min(scale.width + 4, scale.x(model.spans.start[index] + model.spans.dur[index]));
  if (x1 < -3 || x0 > scale.width + 3) return;
  const h = Math.max(3, item.rowHeight - 1);
  context.strokeStyle = cssColour("--text");
  context.lineWidth = width;
  context.strokeRect(x0 + 0.5, y - item.rowHeight / 2 + 0.5, Math.max(2, x1 - x0 - 1), h - 1);
}

function arrow(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  const bend = Math.max(18, Math.min(120, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 3.5);
  context.lineTo(x1 - 7, y1 + 3.5);
  context.closePath();
  context.fill();
}

export function drawArrows(context: CanvasRenderingContext2D, model: Model, pane: Pane, scale: Scale, arrows: readonly [number, number][], height: number): void {
  const colour = cssColour("--arrow");
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = arrows.length > 40 ? 0.7 : 1.4;
  for (const [from, to] of arrows) {
    const y0 = pane.rowY(model.trackOf(from), rowOf(model.spans, from));
    const y1 = pane.rowY(model.trackOf(to), rowOf(model.spans, to));
    if (y0 === null || y1 === null || (y0 < 0 && y1 < 0) || (y0 > height && y1 > height)) continue;
    const x0 = scale.x(model.spans.start[from] + model.spans.dur[from]);
    const x1 = scale.x(model.spans.start[to]);
    if ((x0 < -200 && x1 < -200) || (x0 > scale.width + 200 && x1 > scale.width + 200)) continue;
    arrow(context, x0, y0, x1, y1);
  }
}

// Of the nodes of one launch: a bracket over those of each stream, and dotted lines where the next one to start lies on
// another stream.
function drawChain(context: CanvasRenderingContext2D, model: Model, pane: Pane, scale: Scale, chain: readonly number[], height: number): void {
  const { start, dur } = model.spans;
  const ends = new Map<number, [number, number]>(); // by row's middle
  const halves = new Map<number, number>();
  let before: [number, number] | null = null;
  context.strokeStyle = cssColour("--arrow");
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  let hops = 0;
  for (const node of chain) {
    const track = model.trackOf(node);
    const y = pane.rowY(track, rowOf(model.spans, node));
    if (y === null) continue;
    if (!halves.has(y)) halves.set(y, (pane.items.find((one) => one.track === track && one.kind === "track")?.rowHeight ?? 8) / 2);
    const x0 = scale.x(start[node]);
    const x1 = scale.x(start[node] + dur[node]);
    const end = ends.get(y);
    ends.set(y, end ? [end[0], Math.max(end[1], x1)] : [x0, x1]);
    if (before && before[1] !== y && x0 > -50 && before[0] < scale.width + 50 && hops < MOST_HOPS) {
      ++hops;
      context.beginPath();
      context.moveTo(before[0], before[1]);
      context.lineTo(x0, y);
      context.stroke();
    }
    before = [x0, y];
  }
  context.setLineDash([]);
  context.lineWidth = 2;
  for (const [y, [x0, x1]] of ends) {
    const top = y - (halves.get(y) ?? 4) + 1;
    if (top < -4 || top > height || x1 < 0 || x0 > scale.width) continue;
    const left = Math.max(-4, x0);
    const right = Math.max(left + 2, Math.min(scale.width + 4, x1));
    context.beginPath();
    context.moveTo(left, top + 6);
    context.lineTo(left, top);
    context.lineTo(right, top);
    context.lineTo(right, top + 6);
    context.stroke();
  }
}

export function decorate(pane: Pane, model: Model, scale: Scale, marks: Marks): void {
  const context = pane.canvasContext;
  const height = pane.element.clientHeight;
  drawStepLines(context, model.head.steps, scale, height);
  drawRange(context, marks.proof, scale, height, "--proof");
  drawRange(context, marks.range, scale, height, "--accent");
  for (const chain of marks.flow.chains) drawChain(context, model, pane, scale, chain, height);
  drawArrows(context, model, pane, scale, marks.flow.arrows, height);
  if (marks.hovered !== null && marks.hovered !== marks.selected) outline(context, model, pane, scale, marks.hovered, 1);
  if (marks.selected !== null) outline(context, model, pane, scale, marks.selected, 2);
}
