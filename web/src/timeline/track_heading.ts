// The heading of a track or of a group of tracks.
import { clean, el } from "../ui/dom";
import { count, withUnit } from "../ui/format";
import { t } from "../ui/i18n";
import { type Item, MAX_ROWS } from "./layout";
import type { Model } from "./model";
import type { PaneActions } from "./pane";
import { seriesRange } from "./series_painter";

export function trackHeading(model: Model, item: Item, actions: PaneActions, pinned: ReadonlySet<string>): HTMLElement {
  return item.kind === "group" ? groupHeading(item, actions) : ownHeading(model, item, actions, pinned);
}

function place(item: Item): string {
  return `top:${item.y}px;height:${item.h}px`;
}

function groupHeading(item: Item, actions: PaneActions): HTMLElement {
  const name = clean(item.group);
  const toggle = el("button", { class: "fold", "aria-expanded": String(!item.folded), title: t(item.folded ? "unfold" : "fold"), onclick: () => actions.foldGroup(item.group) }, el("span", { class: "fold-mark" }, item.folded ? "▸" : "▾"), el("span", { class: "group-name" }, name));
  return el("div", { class: "group-heading", style: place(item), role: "listitem" }, toggle);
}

function ownHeading(model: Model, item: Item, actions: PaneActions, pinned: ReadonlySet<string>): HTMLElement {
  const track = model.tracks[item.track];
  const name = clean(track.name);
  const isPinned = pinned.has(track.id);
  const mark = item.foldable
    ? el("button", { class: "fold", "aria-expanded": String(!item.folded), "aria-label": `${t(item.folded ? "unfold" : "fold")}: ${name}`, title: t(item.folded ? "unfold" : "fold"), onclick: () => actions.fold(item.track) }, el("span", { class: "fold-mark" }, item.folded ? "▸" : "▾"))
    : el("span", { class: "fold-space" });
  const pin = el("button", { class: isPinned ? "pin is-on" : "pin", "aria-pressed": String(isPinned), "aria-label": `${t(isPinned ? "unpin" : "pin")}: ${name}`, title: t(isPinned ? "unpin" : "pin"), onclick: () => actions.pin(item.track) }, "⊤");
  const series = model.series(item.track);
  const [low, high] = series && series.time.length ? seriesRange(series, track.unit) : [0, 0];
  const note = series
    ? el("span", { class: "track-note" }, series.min >= series.max ? (Number.isFinite(series.min) ? `= ${withUnit(series.min, track.unit ?? "")}` : "–") : `${withUnit(low, track.unit ?? "")} – ${withUnit(high, track.unit ?? "")}`)
    : el("span", { class: "track-note", title: t("spansOfTrack", { n: count(track.spans) }) }, track.depths > MAX_ROWS && !item.folded ? t("levelsOf", { n: MAX_ROWS, total: track.depths }) : count(track.spans));
  return el("div", { class: `track-heading kind-${/^[a-z]+$/.test(track.kind) ? track.kind : "other"}`, style: place(item), role: "listitem", title: `${clean(track.group)} · ${name}` }, mark, el("span", { class: "track-name" }, name), note, pin);
}
