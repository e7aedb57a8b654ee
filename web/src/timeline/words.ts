// The timeline in words: what the pointer is over, and the chosen span for those who do not see the canvas.
import { pointAt } from "../data/series";
import { isGap } from "../data/types";
import { clean } from "../ui/dom";
import { duration, withUnit } from "../ui/format";
import { t } from "../ui/i18n";
import { kindName } from "./details";
import type { Model } from "./model";

const nameOf = (model: Model, index: number): string => `${isGap(model.spans.kind[index]) ? `${t("idle")}: ` : ""}${model.label(model.spans, index)}`.slice(0, 300);

export function hoverText(model: Model, track: number, index: number | null, time: number): string {
  if (index !== null) return `${nameOf(model, index)}\n${duration(model.spans.dur[index])}`;
  const series = model.series(track);
  if (!series) return "";
  const at = pointAt(series, time);
  if (at < 0 || Number.isNaN(series.value[at])) return "";
  return `${clean(model.tracks[track].name)}\n${withUnit(series.value[at], model.tracks[track].unit ?? "")}`;
}

// "aten::linear, operator, 12.3 µs, at 4.56 ms, python 4000 (main)".
export function spokenSpan(model: Model, index: number): string {
  const { spans } = model;
  const track = model.tracks[model.trackOf(index)];
  return t("spokenSpan", { name: nameOf(model, index), kind: kindName(spans.kind[index]), time: duration(spans.dur[index]), start: duration(spans.start[index]), track: track ? `${clean(track.group)}, ${clean(track.name)}` : "" });
}
