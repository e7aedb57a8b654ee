// A chart of series over time on uPlot, coloured by the page's theme.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { duration, withUnit } from "../ui/format";
import { cssColour, onTheme } from "../ui/theme";
import { valueRange } from "./value_range";

export interface ChartSeries {
  label: string;
  unit: string;
  colour: string; // a CSS variable
  time: Float64Array; // ns
  value: Float32Array;
  begin: number; // the axis covers [begin, end] in ns, as in the charts beside it
  end: number;
}

export interface TimeChart {
  mark(time: number): void; // a line at that moment, ns
}

// Distances of marks on an axis of bytes: powers of two read well as KiB and MiB.
const BINARY = Array.from({ length: 50 }, (_, i) => 2 ** i);

// More points than this are drawn as extremes of equal stretches.
const MAX_POINTS = 20_000;

// The series with the ends of the axis: nothing is known before the first point, the last one holds to the end.
function points(series: ChartSeries): [number[], (number | null)[]] {
  const [xs, ys] = reduced(series);
  if (xs.length && series.begin / 1e6 < xs[0]) {
    xs.unshift(series.begin / 1e6);
    ys.unshift(null);
  }
  if (xs.length && series.end / 1e6 > xs[xs.length - 1]) {
    xs.push(series.end / 1e6);
    ys.push(ys[ys.length - 1]);
  }
  return [xs, ys];
}

function reduced(series: ChartSeries): [number[], (number | null)[]] {
  const { time, value } = series;
  const xs: number[] = [];
  const ys: (number | null)[] = [];
  const put = (i: number): void => {
    xs.push(time[i] / 1e6);
    ys.push(Number.isFinite(value[i]) ? value[i] : null);
  };
  if (time.length <= MAX_POINTS) {
    for (let i = 0; i < time.length; ++i) put(i);
    return [xs, ys];
  }
  const stretch = Math.ceil((time.length * 2) / MAX_POINTS);
  for (let from = 0; from < time.length; from += stretch) {
    let low = from;
    let high = from;
    for (let i = from; i < Math.min(time.length, from + stretch); ++i) {
      if (value[i] < value[low]) low = i;
      if (value[i] > value[high]) high = i;
    }
    put(Math.min(low, high));
    if (low !== high) put(Math.max(low, high));
  }
  return [xs, ys];
}

// `pick`: a click at a moment, ns; a drag looks closer and picks nothing.
export function timeChart(room: HTMLElement, series: ChartSeries, height: number, zeroBased: boolean, pick: ((time: number) => void) | null = null): TimeChart {
  const [xs, ys] = points(series);
  let plot: uPlot | null = null;
  let marked: number | null = null;
  const drawMark = (one: uPlot): void => {
    if (marked === null) return;
    const x = Math.round(one.valToPos(marked / 1e6, "x", true));
    if (x < one.bbox.left || x > one.bbox.left + one.bbox.width) return;
    one.ctx.fillStyle = cssColour("--text");
    one.ctx.fillRect(x, one.bbox.top, Math.max(1, Math.round(window.devicePixelRatio || 1)), one.bbox.height);
  };
  const make = (): void => {
    plot?.destroy();
    const axis = { stroke: cssColour("--muted"), grid: { stroke: cssColour("--line-soft"), width: 1 }, ticks: { stroke: cssColour("--line-soft"), width: 1 }, font: "11px system-ui" };
    const colour = cssColour(series.colour);
    plot = new uPlot(
      {
        width: Math.max(200, room.clientWidth),
        height,
        legend: { show: false },
        cursor: { points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_plot, low, high) => valueRange(low, high, series.unit, zeroBased) } },
        axes: [
          { ...axis, size: 32, values: (_plot, ticks) => ticks.map((tick) => duration(tick * 1e6).replace(/\.00 /, " ")) },
          { ...axis, size: 78, ...(series.unit === "bytes" ? { incrs: BINARY } : {}), values: (_plot, ticks) => ticks.map((tick) => withUnit(tick, series.unit)) },
        ],
        series: [{}, { label: series.label, stroke: colour, width: 1.4, fill: `${colour}33`, ...(uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}), points: { show: false } }],
        hooks: {
          draw: [drawMark],
          setCursor: [
            (one) => {
              const index = one.cursor.idx;
              const value = index === null || index === undefined ? null : ys[index];
              room.title = value === null || value === undefined || index === null || index === undefined ? "" : `${duration(xs[index] * 1e6)}: ${withUnit(value, series.unit)}`;
            },
          ],
        },
      },
      [xs, ys],
      room,
    );
    if (pick) pickOn(plot, pick);
  };
  make();
  new ResizeObserver(() => {
    if (room.clientWidth > 0 && plot && plot.width !== room.clientWidth) plot.setSize({ width: room.clientWidth, height });
  }).observe(room);
  onTheme(make);
  return {
    mark: (time) => {
      marked = time;
      plot?.redraw(false);
    },
  };
}

function pickOn(plot: uPlot, pick: (time: number) => void): void {
  let from = 0;
  plot.over.addEventListener("pointerdown", (event) => (from = event.clientX));
  plot.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - from) < 4) pick(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x") * 1e6);
  });
}
