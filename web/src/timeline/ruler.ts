// The strip above the tracks: an overview of the whole recording with the window that is on the screen, the time
// axis, and the steps.
import { busyInRow } from "../data/sums";
import type { Step } from "../data/types";
import { clean, el } from "../ui/dom";
import { axisTime } from "../ui/format";
import { t } from "../ui/i18n";
import { cssColour } from "../ui/theme";
import type { Model } from "./model";
import type { Scale } from "./scale";

export const OVERVIEW_HEIGHT = 34;
const AXIS_HEIGHT = 20;
const STEPS_HEIGHT = 17;
export const RULER_HEIGHT = AXIS_HEIGHT + STEPS_HEIGHT;

export class Ruler {
  readonly element: HTMLElement;
  readonly overview: HTMLCanvasElement;
  readonly axis: HTMLCanvasElement;
  private shape: Float32Array | null = null; // busy share of the devices for each CSS pixel of the overview

  constructor(
    private readonly model: Model,
    private readonly scale: Scale,
  ) {
    this.overview = el("canvas", { class: "overview", role: "img", "aria-label": t("overviewLabel"), title: t("overviewHint") });
    this.axis = el("canvas", { class: "axis", role: "img", "aria-label": t("axisLabel"), title: t("axisHint") });
    this.element = el("div", { class: "ruler" }, this.overview, this.axis);
  }

  overviewTime(x: number): number {
    const { begin, end } = this.model;
    return begin + (x / this.scale.width) * (end - begin);
  }

  draw(range: readonly [number, number] | null): void {
    this.drawOverview();
    this.drawAxis(range);
  }

  private prepare(canvas: HTMLCanvasElement, height: number): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(this.scale.width * ratio));
    const h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${this.scale.width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser draws no canvas");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = cssColour("--panel");
    context.fillRect(0, 0, this.scale.width, height);
    return context;
  }

  private busyShape(): Float32Array {
    const width = Math.max(1, Math.floor(this.scale.width));
    if (this.shape && (this.shape.length === width || this.model.head.mode === "view")) return this.shape;
    if (this.model.head.mode === "view" && this.model.spans.count === 0) return new Float32Array(width);
    const { begin, end, tracks, spans } = this.model;
    const shape = new Float32Array(width);
    const step = (end - begin) / width;
    const streams = tracks.map((track, i) => (track.kind === "stream" || track.kind === "nccl" ? i : -1)).filter((i) => i >= 0);
    const devices = new Set(streams.map((i) => tracks[i].group)).size;
    const rows = streams.flatMap((i) => this.model.rowsOf(i)).slice(0, 256);
    for (let x = 0; x < width; ++x) {
      let busy = 0;
      for (const row of rows) busy += busyInRow(spans, row, begin + x * step, begin + (x + 1) * step);
      shape[x] = Math.min(1, busy / step / Math.max(1, devices));
    }
    return (this.shape = shape);
  }

  private drawOverview(): void {
    const context = this.prepare(this.overview, OVERVIEW_HEIGHT);
    const shape = this.busyShape();
    const { begin, end } = this.model;
    const toX = (time: number): number => ((time - begin) / (end - begin)) * this.scale.width;
    for (const step of this.model.head.steps) {
      if (step.warmup) context.fillStyle = cssColour("--step-warmup");
      else if (step.outlier) context.fillStyle = cssColour("--step-outlier");
      else continue;
      context.fillRect(toX(step.begin_ns), 0, toX(step.end_ns) - toX(step.begin_ns), OVERVIEW_HEIGHT);
    }
    context.fillStyle = cssColour("--busy");
    const room = OVERVIEW_HEIGHT - 6;
    for (let x = 0; x < shape.length; ++x) {
      const h = shape[x] > 0 ? Math.max(1, shape[x] * room) : 0;
      context.fillRect((x * this.scale.width) / shape.length, OVERVIEW_HEIGHT - 2 - h, this.scale.width / shape.length, h);
    }
    const x0 = Math.max(0, toX(this.scale.t0));
    const x1 = Math.min(this.scale.width, toX(this.scale.t1));
    context.fillStyle = cssColour("--veil");
    context.fillRect(0, 0, x0, OVERVIEW_HEIGHT);
    context.fillRect(x1, 0, this.scale.width - x1, OVERVIEW_HEIGHT);
    context.strokeStyle = cssColour("--accent");
    context.lineWidth = 1.5;
    context.strokeRect(x0 + 0.75, 0.75, Math.max(2, x1 - x0 - 1.5), OVERVIEW_HEIGHT - 1.5);
  }

  private drawAxis(range: readonly [number, number] | null): void {
    const context = this.prepare(this.axis, RULER_HEIGHT);
    const { scale } = this;
    const tick = scale.tick(96);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let time = Math.ceil(scale.t0 / tick) * tick; time < scale.t1; time += tick) {
      const x = Math.round(scale.x(time));
      context.fillStyle = cssColour("--line");
      context.fillRect(x, AXIS_HEIGHT - 6, 1, 6);
      context.fillStyle = cssColour("--muted");
      context.fillText(axisTime(time, tick), x + 4, AXIS_HEIGHT / 2);
    }
    this.drawSteps(context);
    if (!range) return;
    const x0 = scale.x(range[0]);
    const x1 = scale.x(range[1]);
    context.globalAlpha = 0.25;
    context.fillStyle = cssColour("--accent");
    context.fillRect(x0, 0, x1 - x0, AXIS_HEIGHT);
    context.globalAlpha = 1;
  }

  private drawSteps(context: CanvasRenderingContext2D): void {
    const { scale } = this;
    let lastX = -Infinity;
    for (const step of this.model.head.steps) {
      if (step.end_ns < scale.t0 || step.begin_ns > scale.t1) continue;
      const x0 = Math.max(0, scale.x(step.begin_ns));
      const x1 = Math.min(scale.width, scale.x(step.end_ns));
      // Many steps a pixel: one bar for all of them.
      if (x1 - lastX < 1) continue;
      lastX = x1;
      context.fillStyle = cssColour(step.outlier ? "--step-outlier" : step.warmup ? "--step-warmup" : "--step");
      context.fillRect(x0, AXIS_HEIGHT + 1, Math.max(1, x1 - x0 - 1), STEPS_HEIGHT - 3);
      this.stepLabel(context, step, x0, x1);
    }
  }

  private stepLabel(context: CanvasRenderingContext2D, step: Step, x0: number, x1: number): void {
    if (x1 - x0 < 40) return;
    context.save();
    context.beginPath();
    context.rect(x0, AXIS_HEIGHT, x1 - x0 - 3, STEPS_HEIGHT);
    context.clip();
    context.fillStyle = cssColour("--text");
    const remark = step.warmup ? ` (${t("warmup")})` : step.outlier ? ` (${t("outlier")})` : "";
    context.fillText(clean(step.label) + remark, x0 + 4, AXIS_HEIGHT + STEPS_HEIGHT / 2 - 0.5);
    context.restore();
  }

  forget(): void {
    this.shape = null;
  }
}
