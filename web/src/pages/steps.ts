// The time of each step as bars; a click leads to the step in the timeline.
import { type StepBar, stepBars } from "../data/steps";
import type { Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { milliseconds, percent } from "../ui/format";
import { t } from "../ui/i18n";
import { niceTop } from "../timeline/series_painter";
import type { Context } from "./pages";
import { tableBody } from "./tables";

const DRAWN = 1000;

function bar({ step, from, to, share }: StepBar, index: number, top: number, median: number | null, context: Context): HTMLElement {
  const ms = (to - from) / 1e6;
  const kind = step.warmup ? "is-warmup" : step.outlier ? "is-outlier" : "";
  const text = `${index} · ${clean(step.label)}: ${milliseconds(ms)}${share !== null ? `, ${t("stepsBusy")} ${percent(share * 100)}` : ""}${median !== null ? ` (${t("median", { time: milliseconds(median) })})` : ""}`;
  return el("button", { class: `bar-slot ${kind}`, title: text, "aria-label": text, onclick: () => context.showPlace(from, to, null) }, el("span", { class: "bar-fill", style: `height:${(ms / top) * 100}%` }, share !== null ? el("span", { class: "bar-busy", style: `height:${share * 100}%` }) : null));
}

export async function stepsPage(page: HTMLElement, context: Context): Promise<void> {
  const { head } = context;
  const steps = head.steps.slice(0, DRAWN);
  const median = head.verdict?.steps.median_ms ?? null;
  const table = context.source.has("table:steps") ? await context.source.json<Table>("table:steps") : null;
  const bars = stepBars(steps, table);
  const longest = bars.reduce((most, one) => Math.max(most, (one.to - one.from) / 1e6), 0);
  const top = niceTop(longest);
  const chart = el(
    "div", { class: "bars-chart" }, el("div", { class: "bars-axis muted" }, el("span", {}, milliseconds(top)), el("span", {}, milliseconds(top / 2)), el("span", {}, "0")),
    el("div", { class: "bars-room" }, ...bars.map((one, i) => bar(one, i, top, median, context)), median !== null && median <= top ? el("div", { class: "bars-median", style: `bottom:${(median / top) * 100}%` }, el("span", {}, t("median", { time: milliseconds(median) }))) : null),
  );
  const legend = el("p", { class: "muted" }, table ? el("span", { class: "swatch", style: "--swatch:var(--busy)" }) : null, table ? ` ${t("stepsBusy")}  ` : null, el("span", { class: "swatch", style: "--swatch:var(--bar-warmup)" }), ` ${t("stepsWarmup")}  `, el("span", { class: "swatch", style: "--swatch:var(--bar-outlier)" }), ` ${t("stepsOutlier")}  · ${t("stepsHint")}`);
  replace(page, el("h2", {}, t("stepsTitle")), el("p", { class: "muted" }, t("stepsTime")), legend, steps.length ? el("section", { class: "block" }, chart) : null, head.steps.length > DRAWN ? el("p", { class: "muted" }, t("moreSteps", { n: DRAWN })) : null, table ? tableBody(table, "steps", context) : null);
}
