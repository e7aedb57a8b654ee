// The bottom panel's page about one span: what it is, how it was launched, what caused it, what it caused.
import { type Detail, isCall, isDevice, isGap, Kind } from "../data/types";
import { clean, copyText, el } from "../ui/dom";
import { count, duration, scaled, shortName, withUnit } from "../ui/format";
import { causeName } from "../ui/causes";
import { hasText, t } from "../ui/i18n";
import { GAP_CAUSES } from "./colours";
import { sumChain } from "./flow";
import type { Model } from "./model";

export interface DetailActions {
  select(index: number): void;
  searchFor(name: string): void;
}

const UNITS: Record<string, string> = { bytes: "bytes", shared_bytes: "bytes", registers: "", recorded_occupancy_pct: "%" };

export function kindName(kind: number): string {
  const names: Partial<Record<number, Parameters<typeof t>[0]>> = {
    [Kind.annotation]: "kindAnnotation", [Kind.python]: "kindPython", [Kind.operator]: "kindOperator", [Kind.runtimeCall]: "kindCall", [Kind.driverCall]: "kindCall", [Kind.osCall]: "kindOs",
    [Kind.streamAnnotation]: "kindAnnotation", [Kind.overhead]: "kindOverhead", [Kind.kernel]: "kindKernel", [Kind.copy]: "kindCopy", [Kind.memset]: "kindMemset", [Kind.graphLaunch]: "kindGraph",
  };
  return t(isGap(kind) ? "kindGap" : (names[kind] ?? "kindOther"));
}

function valueText(key: string, value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(" × ");
  if (typeof value === "number") return key in UNITS && UNITS[key] ? withUnit(value, UNITS[key]) : count(value);
  return clean(String(value)).slice(0, 4000);
}

function row(label: string, ...content: (Node | string | null)[]): HTMLElement {
  return el("div", { class: "fact" }, el("dt", {}, label), el("dd", {}, ...content));
}

function spanLink(model: Model, index: number, actions: DetailActions): HTMLElement {
  return el("button", { class: "link", onclick: () => actions.select(index), title: clean(model.name(model.spans, index)).slice(0, 600) }, clean(shortName(model.name(model.spans, index))) || t("noName"));
}

export function spanDetails(model: Model, index: number, actions: DetailActions): HTMLElement {
  const { spans } = model;
  const kind = spans.kind[index];
  const name = isGap(kind) ? `${t("idle")}: ${model.label(spans, index)}` : model.name(spans, index);
  const track = model.tracks[model.trackOf(index)];
  const start = spans.start[index];
  const facts = el("dl", { class: "facts" });
  facts.append(row(t("kind"), kindName(kind)));
  facts.append(row(t("duration"), el("b", {}, duration(spans.dur[index]))));
  facts.append(row(t("start"), `${(start / 1e6).toFixed(6)} ms`));
  const merged = spans.merged?.[index] ?? 1;
  if (merged > 1) facts.append(row("", t("mergedSpans", { n: count(merged) })));
  if (track) facts.append(row(t("track"), `${clean(track.group)} · ${clean(track.name)}`));
  // Device work belongs to the step that launched it, however late it runs.
  const asked = isDevice(kind) && spans.link[index] >= 0 ? spans.start[spans.link[index]] : start;
  const step = model.head.steps.find((one) => asked >= one.begin_ns && asked < one.end_ns);
  if (step) facts.append(row(t("step"), clean(step.label)));
  const detail = model.detail(index);
  if (isGap(kind)) gapParts(model, detail, facts);
  for (const [key, value] of Object.entries(detail ?? {})) {
    if (key === "parts" || value === null || value === undefined || value === "") continue;
    const labelKey = `field_${key}`;
    facts.append(row(hasText(labelKey) ? t(labelKey) : key.replace(/_/g, " "), valueText(key, value)));
  }
  const size = detail?.["bytes"];
  if (typeof size === "number" && spans.dur[index] > 0) facts.append(row(t("rate"), scaled((size / spans.dur[index]) * 1e9, "B/s")));
  return el(
    "div", { class: "details" },
    el("div", { class: "details-head" }, el("h3", { class: "mono" }, clean(shortName(name)) || t("noName")), el("button", { class: "small", onclick: () => void copyText(name) }, t("copyName")), el("button", { class: "small", onclick: () => actions.searchFor(name) }, t("findAll"))),
    name !== shortName(name) ? el("p", { class: "full-name mono" }, clean(name).slice(0, 3000)) : null,
    // Of joined spans nothing is known but the longest's name.
    el("div", { class: "details-columns" }, facts, merged > 1 ? null : relations(model, index, actions), merged > 1 ? null : stack(model, index, actions)),
  );
}

// What the host did while the device was idle, most time first.
function gapParts(model: Model, detail: Detail | null, facts: HTMLElement): void {
  const parts = detail?.["parts"];
  if (!Array.isArray(parts)) return;
  for (const part of parts.slice(0, 8) as Record<string, unknown>[]) {
    const cause = typeof part["cause"] === "number" ? (GAP_CAUSES[part["cause"]]?.[0] ?? "") : "";
    const subject = typeof part["subject"] === "number" ? (model.strings[part["subject"]] ?? "") : "";
    const time = typeof part["dur_ns"] === "number" ? duration(part["dur_ns"]) : "";
    facts.append(row(causeName(cause), time, subject ? el("div", { class: "muted mono" }, clean(subject).slice(0, 300)) : null));
  }
}

function relations(model: Model, index: number, actions: DetailActions): HTMLElement {
  const { spans } = model;
  const kind = spans.kind[index];
  const list = el("dl", { class: "facts" });
  const call = spans.link[index];
  if (call >= 0) {
    list.append(row(t(isGap(kind) ? "endedBy" : "launchedBy"), spanLink(model, call, actions)));
    if (isDevice(kind)) {
      const delay = spans.start[index] - spans.start[call];
      list.append(row(t("launchDelay"), duration(delay)));
      const siblings = model.workOf(call, 100_000);
      if (siblings.length > 1) {
        const at = siblings.indexOf(index);
        list.append(row(t("graphNode"), t("nodeOf", { n: at + 1, total: count(siblings.length) })));
        if (at > 0) list.append(row(t("previousNode"), spanLink(model, siblings[at - 1], actions)));
        if (at + 1 < siblings.length) list.append(row(t("nextNode"), spanLink(model, siblings[at + 1], actions)));
        list.append(...graphFacts(model, call, siblings));
      }
    }
  } else if (isDevice(kind)) list.append(row(t("launchedBy"), t("notRecorded")));
  const work = model.workOf(index, 100_000);
  if (work.length) {
    let ns = 0;
    for (const one of work) ns += spans.dur[one];
    list.append(row(t("causedWork"), t("workSum", { n: count(work.length), time: duration(ns) })));
    for (const one of work.slice(0, 6)) list.append(row(duration(spans.dur[one]), spanLink(model, one, actions)));
    if (work.length > 1 && isCall(kind)) list.append(...graphFacts(model, index, work));
    if (work.length > 6) list.append(row("", t("andMore", { n: count(work.length - 6) })));
  }
  return list;
}

// Of a launch of several nodes: how long it took on the device, and what of that time no node ran.
function graphFacts(model: Model, call: number, nodes: readonly number[]): HTMLElement[] {
  const sums = sumChain(model, nodes);
  const length = sums.to - sums.from;
  return [
    row(t("graphRun"), t("graphRunIs", { n: count(sums.nodes), streams: count(sums.streams), time: duration(length), idle: duration(length - sums.busy) })),
    row(t("graphBegins"), duration(sums.from - model.spans.start[call])),
    row("", el("span", { class: "muted" }, t("graphOrder"))),
  ];
}

// The stack around a host span, or around the call that launched a device span.
function stack(model: Model, index: number, actions: DetailActions): HTMLElement {
  const from = isDevice(model.spans.kind[index]) || isGap(model.spans.kind[index]) ? model.spans.link[index] : index;
  const outer = from >= 0 ? model.enclosing(from) : [];
  const frames = from >= 0 && (outer.length || from !== index) ? [...outer, from] : [];
  const element = el("div", { class: "stack" }, el("div", { class: "stack-title" }, t("stack")));
  if (!frames.length) element.append(el("div", { class: "muted" }, t("noStack")));
  frames.reverse().slice(0, 80).forEach((frame) => element.append(el("div", { class: "frame" }, spanLink(model, frame, actions), el("span", { class: "muted" }, ` ${duration(model.spans.dur[frame])}`))));
  return element;
}
