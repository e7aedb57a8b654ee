// Memory over time, and every other series of the recording.
import type { Allocations } from "../data/allocations";
import type { Series } from "../data/series";
import type { Table } from "../data/types";
import type { Model } from "../timeline/model";
import { type TimeChart, timeChart } from "../charts/time_chart";
import { varies } from "../charts/value_range";
import { clean, el, replace } from "../ui/dom";
import { withUnit } from "../ui/format";
import { t } from "../ui/i18n";
import { Holders } from "./holders";
import type { Context } from "./pages";
import { tableBody } from "./tables";

const SHOWN = 40;

// Series of one value: a line each says all.
function constants(model: Model, indices: number[]): HTMLElement | null {
  if (!indices.length) return null;
  const lines = indices.map((i) => {
    const track = model.tracks[i];
    const value = model.series(i)?.min ?? NaN;
    return el("div", { class: "fact" }, el("dt", {}, `${clean(track.group)} · ${clean(track.name)}`), el("dd", {}, Number.isFinite(value) ? withUnit(value, track.unit ?? "") : "–"));
  });
  return el("section", { class: "block" }, el("h3", {}, t("constantSeries")), el("dl", { class: "facts is-wide" }, ...lines));
}

function peakOf(series: Series): number {
  let best = 0;
  for (let i = 1; i < series.value.length; ++i) if (series.value[i] > series.value[best]) best = i;
  return series.time[best] ?? 0;
}

// A line with the allocations behind it: a click on it asks who holds memory then.
function heldChart(model: Model, all: Allocations, track: number, context: Context, later: (() => void)[]): HTMLElement {
  const series = model.series(track);
  const { group, name, unit } = model.tracks[track];
  const room = el("div", { class: "chart-room is-pickable" });
  if (!series) return room;
  let line: TimeChart | null = null;
  const chosen = context.state.value.moment;
  const holders = new Holders({ all, strings: model.strings, track, name: group, begin: Math.max(model.begin, series.time[0] ?? 0), end: model.end, peak: peakOf(series) }, chosen, (time) => {
    line?.mark(time);
    context.state.set({ moment: Math.round(time) });
  });
  later.push(() => {
    line = timeChart(room, { label: name, unit: unit ?? "", colour: "--series-memory", time: series.time, value: series.value, begin: model.begin, end: model.end }, 240, true, (time) => holders.choose(time));
    line.mark(chosen ?? peakOf(series));
    holders.draw();
  });
  return el("div", {}, el("section", { class: "block" }, el("h3", {}, `${clean(group)} · ${clean(name)}`), room), holders.element);
}

export async function memoryPage(page: HTMLElement, context: Context): Promise<void> {
  const model = await context.model();
  const table = context.source.has("table:memory") ? await context.source.json<Table>("table:memory") : null;
  const all = model.tracks.map((_, i) => i).filter((i) => (model.series(i)?.time.length ?? 0) > 0);
  const indices = all.filter((i) => { const series = model.series(i); return series !== null && varies(series); });
  if (!all.length && !table) {
    replace(page, el("p", {}, t("noSeries")));
    return;
  }
  const memory = indices.filter((i) => model.tracks[i].kind === "memory");
  const others = indices.filter((i) => model.tracks[i].kind !== "memory");
  const charts: (() => void)[] = [];
  const allocations = context.source.has("allocations") ? await context.source.allocations() : null;
  const held = new Set(allocations?.track ?? []);
  const chart = (i: number, height: number): HTMLElement => {
    const track = model.tracks[i];
    const series = model.series(i);
    const room = el("div", { class: "chart-room" });
    if (series) charts.push(() => timeChart(room, { label: track.name, unit: track.unit ?? "", colour: track.kind === "memory" ? "--series-memory" : track.kind === "readings" ? "--series-readings" : "--series-counter", time: series.time, value: series.value, begin: model.begin, end: model.end }, height, track.kind === "memory"));
    return el("section", { class: "block" }, el("h3", {}, `${clean(track.group)} · ${clean(track.name)}`), room);
  };
  replace(
    page, memory.length ? el("h2", {}, t("memoryTitle")) : null, indices.length ? el("p", { class: "muted" }, t("memoryHint")) : null, ...memory.slice(0, SHOWN).map((i) => (allocations && held.has(i) ? heldChart(model, allocations, i, context, charts) : chart(i, 240))), table ? tableBody(table, "memory", context) : null,
    constants(model, all.filter((i) => !indices.includes(i))), others.length ? el("h2", {}, t("countersTitle")) : null, el("div", { class: "chart-grid" }, ...others.slice(0, SHOWN).map((i) => chart(i, 150))),
  );
  for (const draw of charts) draw();
}
