// The first screen: the answer, where a step's time goes, what to change, what to do next, how far to trust it.
import type { Finding, Prediction, TimePart, Verdict } from "../data/types";
import { isIdlePart, partColour } from "../timeline/colours";
import { clean, copyText, el } from "../ui/dom";
import { change, milliseconds, percent } from "../ui/format";
import { hasText, t } from "../ui/i18n";
import { headline, prose, remark } from "../ui/prose";
import { availablePages, type Context, tableNames } from "./pages";
import { tableTitle } from "./tables";

export function verdictPage(page: HTMLElement, context: Context): void {
  const { head } = context;
  const { verdict } = head;
  if (!verdict) {
    page.append(el("section", { class: "hero" }, el("h1", {}, t("noVerdict")), el("p", { class: "lead" }, remark(head.verdict_error ?? ""))), trust(context, null), footer(context));
    return;
  }
  const parts = breakdown(verdict);
  page.append(hero(verdict), ...(parts ? [parts] : []), el("div", { class: "verdict-columns" }, findings(verdict, context), el("aside", { class: "verdict-side" }, next(verdict, context), trust(context, verdict))), footer(context));
}

function hero(verdict: Verdict): HTMLElement {
  const { steps, device, together } = verdict;
  const facts: string[] = [];
  if (steps.count > 0) facts.push(steps.count === 1 ? t("stepCounted") : t("stepsCounted", { n: steps.count }));
  if (steps.median_ms !== null) facts.push(t("median", { time: milliseconds(steps.median_ms) }));
  if (steps.p90_ms !== null) facts.push(t("ninety", { time: milliseconds(steps.p90_ms) }));
  if (steps.warmup_excluded > 0) facts.push(t("warmupLeft", { n: steps.warmup_excluded }));
  const names = [...new Set(verdict.devices.map((one) => one.name).filter(Boolean))];
  const about = [verdict.source.producer || verdict.source.format, ...names].map(clean).filter(Boolean).join(" · ");
  const cards = el("div", { class: "cards" });
  if (device.busy_pct !== null) cards.append(card(t("gpuBusy"), percent(device.busy_pct), meter(device.busy_pct)));
  const base = together?.step_ms_before ?? steps.base_step_ms ?? steps.median_ms;
  if (base !== null) cards.append(card(`${t("stepTime")}, ${t("now")}`, milliseconds(base), null));
  const causes = verdict.findings.filter((finding) => !finding.caused_by);
  const first = causes[0]?.predicted ?? null;
  if (together && together.gain_pct > 0) {
    const all = card(causes.length > 1 ? t("afterAll") : `${t("stepTime")}, ${t("predicted")}`, milliseconds(together.step_ms_after), el("span", { class: "gain" }, change(together.gain_pct)), true);
    if (causes.length > 1 && first && first.gain_pct > 0) all.append(el("div", { class: "muted card-note" }, t("firstAlone", { time: milliseconds(first.step_ms_after), change: change(first.gain_pct) })));
    cards.append(all);
  }
  return el("section", { class: "hero" }, el("div", { class: "hero-text" }, el("h1", {}, ...headline(verdict.answer)), el("p", { class: "muted" }, facts.join(" · ")), el("p", { class: "muted" }, about)), cards);
}

function card(label: string, value: string, extra: HTMLElement | null, strong = false): HTMLElement {
  return el("div", { class: strong ? "card is-strong" : "card" }, el("div", { class: "card-label" }, label), el("div", { class: "card-value" }, value, extra));
}

function meter(pct: number): HTMLElement {
  return el("span", { class: "meter", "aria-hidden": "true" }, el("span", { style: `width:${Math.max(0, Math.min(100, pct))}%` }));
}

function breakdown(verdict: Verdict): HTMLElement | null {
  const parts = verdict.breakdown.filter((part) => part.ms > 0);
  if (!parts.length) return null;
  const total = parts.reduce((sum, part) => sum + part.ms, 0);
  const base = verdict.steps.base_step_ms;
  const slowed = base !== null && base < total * 0.97 ? ` (${t("recorderSlows", { time: milliseconds(base) })})` : "";
  const bar = el("div", { class: "step-bar", role: "img", "aria-label": parts.map((part) => `${prose(part.label)} ${percent(part.pct)}`).join(", ") });
  for (const part of parts) bar.append(el("span", { class: isIdlePart(part.name) ? "part is-idle" : "part", style: `flex-grow:${part.ms / total};--swatch:${partColour(part.name)}`, title: `${prose(part.label)}: ${milliseconds(part.ms)}, ${percent(part.pct)}` }, part.pct >= 7 ? el("span", {}, percent(part.pct)) : null));
  return el("section", { class: "block breakdown" }, el("h2", {}, t("whereStepGoes", { time: milliseconds(total) }), el("span", { class: "muted" }, slowed)), bar, el("ul", { class: "parts" }, ...parts.map(partLine)));
}

function partLine(part: TimePart): HTMLElement {
  return el("li", {}, el("span", { class: isIdlePart(part.name) ? "swatch is-hatched" : "swatch", style: `--swatch:${partColour(part.name)}` }), el("span", { class: "part-name" }, prose(part.label)), el("span", { class: "num" }, milliseconds(part.ms)), el("span", { class: "num muted" }, percent(part.pct)));
}

function findings(verdict: Verdict, context: Context): HTMLElement {
  const causes = verdict.findings.filter((finding) => !finding.caused_by);
  const section = el("section", { class: "block findings" }, el("h2", {}, t(causes.length > 1 ? "whatToChange" : "whatToChangeOne")));
  if (!causes.length) section.append(el("p", { class: "muted" }, t(judged(verdict, context) ? "nothingToChange" : "nothingJudged")));
  const longest = Math.max(1e-9, ...causes.map((finding) => finding.predicted?.step_ms_before ?? 0));
  causes.forEach((finding, i) => {
    const symptoms = verdict.findings.filter((other) => other.caused_by === finding.id);
    section.append(findingCard(finding, verdict.findings.indexOf(finding), symptoms, i === 0, longest, context));
  });
  const { together } = verdict;
  if (together && causes.length > 1) section.append(el("div", { class: "together" }, el("b", {}, `${t("allTogether")}: `), stepBars(together, together.step_ms_before), range(together)));
  return section;
}

// Causes are looked for in a timeline or in counters; a monitor's log and sums hold neither.
function judged(verdict: Verdict, context: Context): boolean {
  return verdict.steps.count > 0 || tableNames(context.source, context.head).some((name) => name.split(":")[0] === "counters");
}

function range(prediction: Prediction): HTMLElement {
  return el("span", { class: "muted" }, t("between", { low: change(prediction.low_pct), high: change(prediction.high_pct) }));
}

// Two bars on one scale: the step now, and after the change with its uncertainty.
function stepBars(prediction: Prediction, longest: number): HTMLElement {
  const width = (ms: number): string => `${Math.max(0, (ms / longest) * 100)}%`;
  const best = prediction.step_ms_before * (1 - prediction.high_pct / 100);
  const worst = prediction.step_ms_before * (1 - prediction.low_pct / 100);
  return el(
    "div", { class: "step-bars" },
    el("span", { class: "bar-label" }, t("now")), el("span", { class: "bar-room" }, el("span", { class: "bar is-now", style: `width:${width(prediction.step_ms_before)}` })), el("span", { class: "num" }, milliseconds(prediction.step_ms_before)),
    el("span", { class: "bar-label" }, t("predicted")),
    el("span", { class: "bar-room" }, el("span", { class: "bar is-after", style: `width:${width(prediction.step_ms_after)}` }), el("span", { class: "bar-range", style: `left:${width(Math.max(0, best))};width:calc(${width(worst)} - ${width(Math.max(0, best))})` })),
    el("span", { class: "num" }, milliseconds(prediction.step_ms_after)),
  );
}

function words(prefix: string, word: string): string {
  const key = `${prefix}_${word}`;
  return hasText(key) ? t(key) : clean(word);
}

function findingCard(finding: Finding, index: number, symptoms: Finding[], open: boolean, longest: number, context: Context): HTMLElement {
  const { predicted } = finding;
  const places = context.head.findings_at.filter((place) => place.finding === index);
  const gain = predicted ? el("span", { class: "gain" }, change(predicted.gain_pct)) : finding.kernel_speedup !== null ? el("span", { class: "gain" }, `${finding.kernel_speedup.toFixed(1)}×`) : el("span", { class: "muted" }, "–");
  const summary = el("summary", {}, el("span", { class: "finding-rank" }, String(finding.rank)), el("span", { class: "finding-title" }, prose(finding.title)), gain);
  const links = places.slice(0, 3).map((place, i) => el("button", { class: i === 0 ? "primary" : "small", onclick: () => context.showPlace(place.begin_ns, place.end_ns, place.track, t("proves", { n: finding.rank, title: prose(finding.title) })) }, i === 0 ? t("showInTimeline") : t("place", { n: i + 1 })));
  const body = el(
    "div", { class: "finding-body" },
    predicted ? el("div", { class: "finding-gain" }, stepBars(predicted, longest), range(predicted)) : finding.kernel_speedup !== null ? el("p", {}, t("faster", { x: finding.kernel_speedup.toFixed(1) })) : null,
    el("p", { class: "tags" }, tag(`${t("confidence")}: ${words("confidence", finding.confidence)}`, `confidence-${/^\w+$/.test(finding.confidence) ? finding.confidence : "other"}`), tag(words("layer", finding.layer)), tag(words("dimension", finding.dimension)), finding.share_pct !== null ? tag(`${percent(finding.share_pct)} ${t("ofStep")}`) : null, tag(clean(finding.id), "mono")),
    finding.subject ? el("p", { class: "subject" }, el("span", { class: "muted" }, `${t("about")} `), el("span", { class: "mono" }, clean(finding.subject))) : null,
    el("h3", { class: "minor" }, t("evidence")), el("ul", { class: "evidence" }, ...finding.evidence.map((one, i) => el("li", {}, prose(one.text), finding.evidence[i + 1]?.query === one.query ? null : evidenceLink(one.query, context)))),
    el("h3", { class: "minor" }, t("change")), ...finding.actions.map(action),
    el("p", { class: "muted check" }, `${t("check")}: `, prose(finding.verify)),
    finding.concept ? el("details", { class: "concept" }, el("summary", {}, t("whyThis")), el("p", {}, prose(finding.concept))) : null,
    symptoms.length ? el("p", { class: "muted" }, `${t("andSymptoms")}: ${symptoms.map((one) => prose(one.title)).join("; ")}`) : null,
    links.length ? el("p", { class: "links" }, ...links) : null,
  );
  return el("details", { class: "finding", open }, summary, body);
}

// "warpscope gaps FILE": the table that the command prints is in this report.
function evidenceLink(query: string, context: Context): HTMLElement | null {
  const name = /^warpscope ([a-z-]+)/.exec(query)?.[1];
  if (!name || !tableNames(context.source, context.head).includes(name)) return null;
  return el("button", { class: "link query", title: clean(query), onclick: () => context.openTable(name) }, `→ ${tableTitle(name)}`);
}

function tag(text: string, extra = ""): HTMLElement {
  return el("span", { class: `tag ${extra}` }, text);
}

function action(one: { text: string; code: string }): HTMLElement {
  return el("div", { class: "action" }, el("p", {}, prose(one.text)), one.code ? code(one.code) : null);
}

export function code(text: string): HTMLElement {
  const button: HTMLButtonElement = el("button", { class: "small copy", onclick: () => void copyText(text).then((done) => { if (done) button.textContent = t("copied"); setTimeout(() => (button.textContent = t("copy")), 1500); }) }, t("copy"));
  const lines = text.split("\n").map(clean).join("\n");
  return el("div", { class: "code" }, el("pre", { tabindex: 0 }, lines), button);
}

function next(verdict: Verdict, context: Context): HTMLElement {
  const section = el("section", { class: "block" }, el("h2", {}, t("nextSteps")));
  const there = availablePages(context.source, context.head);
  const links = el("p", { class: "links" }, ...(["timeline", "tables"] as const).filter((name) => there.includes(name)).map((name) => el("button", { class: "small", onclick: () => context.open(name) }, t(name))));
  const gains = verdict.findings.filter((finding) => !finding.caused_by).map((finding) => finding.predicted?.gain_pct ?? 0);
  const largest = gains.length > 0 && gains[0] > 0 && gains[0] >= Math.max(...gains);
  if (!verdict.findings.length) {
    section.append(el("p", {}, t(there.includes("timeline") ? "nextNothing" : there.includes("tables") ? "nextTables" : "nextRecord")), links);
    return section;
  }
  // A stream lies in the folder of its run, which is what commands take.
  const parts = verdict.source.path.split("/");
  const path = (verdict.source.format === "capture" && parts.length > 1 ? parts[parts.length - 2] : parts[parts.length - 1]) || "RUN";
  section.append(el("ol", { class: "next" }, el("li", {}, t(largest ? (gains.length > 1 ? "next1" : "next1Only") : "next1Plain")), el("li", {}, t("next2")), el("li", {}, t("next3"), code(`warpscope verify ${path} AFTER`))), links);
  return section;
}

function trust(context: Context, verdict: Verdict | null): HTMLElement {
  const ledger = verdict?.ledger ?? [];
  const serious = ledger.filter((entry) => entry.severity !== "info");
  const section = el("section", { class: "block trust" }, el("h2", {}, t("trust")));
  section.append(el("p", { class: serious.length ? "trust-line is-doubt" : "trust-line" }, el("span", { class: "trust-mark", "aria-hidden": "true" }, serious.length ? "!" : "✓"), serious.length ? t("trustNotes", { n: serious.length }) : t("trustGood")));
  if (serious.length) section.append(el("ul", {}, ...serious.slice(0, 8).map((entry) => el("li", {}, el("span", { class: `severity severity-${/^\w+$/.test(entry.severity) ? entry.severity : "other"}` }, words("severity", entry.severity)), " ", prose(entry.message)))));
  for (const note of verdict?.notes ?? []) section.append(el("p", { class: "muted" }, remark(note)));
  if (verdict?.abstained.length) {
    section.append(el("h3", {}, t("notJudged")));
    section.append(...abstentions(verdict.abstained));
  }
  const limits = Object.values(context.head.limits).flatMap((value) => (typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []));
  if (limits.length) section.append(el("h3", {}, t("leftOut")), el("ul", {}, ...limits.map((text) => el("li", { class: "muted" }, remark(text)))));
  if (context.head.sections.includes("ledger")) section.append(el("p", {}, el("button", { class: "small", onclick: () => context.open("ledger") }, t("allRemarks"))));
  return section;
}

// Rules that abstain for the same reason are one line.
function abstentions(list: Verdict["abstained"]): HTMLElement[] {
  const groups = new Map<string, Verdict["abstained"]>();
  for (const one of list) {
    const key = `${one.reason}\u0000${one.record_instead}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const ids = el("span", { class: "mono" }, group.map((one) => clean(one.id)).join(", "));
    const summary = group.length === 1 ? el("summary", {}, ids, `: ${prose(first.reason)}`) : el("summary", {}, t("notJudgedMany", { n: group.length, reason: prose(first.reason) }));
    return el("details", { class: "abstained" }, summary, group.length > 1 ? el("p", {}, ids) : null, first.record_instead ? el("p", { class: "muted" }, t("recordInstead")) : null, first.record_instead ? code(first.record_instead) : null);
  });
}

function footer(context: Context): HTMLElement {
  const { name, version } = context.head.product;
  return el("footer", { class: "muted" }, t("madeBy", { name: clean(name), version: clean(version) }));
}
