// The timeline page: panes, ruler and panel around one range of time.
import type { Matches } from "../data/search";
import { rowOf } from "../data/spans";
import type { Source } from "../data/source";
import type { Table } from "../data/types";
import { el } from "../ui/dom";
import { t } from "../ui/i18n";
import type { StateStore } from "../ui/state";
import { cssColour, onTheme, theme } from "../ui/theme";
import { longestVisible, neighbourOf, relativeOf, spanOfPlace } from "./chooser";
import { makePalette } from "./colours";
import { decorate, type Marks } from "./decorations";
import { Finder } from "./finder";
import { flowOf, NO_FLOW } from "./flow";
import { listenKeys, listenPane, listenRuler, Motion, type Moves } from "./input";
import { actOnKey, type KeyActions } from "./keys";
import { displayOrder } from "./layout";
import type { Model } from "./model";
import { Pane, type PaneActions } from "./pane";
import { Pager } from "./pager";
import { Panel } from "./panel";
import { Ruler } from "./ruler";
import { Scale } from "./scale";
import { Toolbar } from "./toolbar";
import { hoverText, spokenSpan } from "./words";

export class Timeline implements Moves, PaneActions, KeyActions {
  readonly element: HTMLElement;
  readonly scale: Scale;
  private readonly ruler: Ruler;
  private readonly main: Pane;
  private readonly pinned: Pane;
  private readonly panel: Panel;
  private readonly motion: Motion;
  private readonly finder: Finder;
  private readonly toolbar: Toolbar;
  private readonly tooltip = el("div", { class: "tooltip", hidden: true, "aria-hidden": "true" });
  private readonly spoken = el("div", { class: "offscreen", role: "status", "aria-live": "polite" }); // the chosen span, for screen readers
  private readonly marks: Marks = { selected: null, hovered: null, range: null, proof: null, flow: NO_FLOW };
  private readonly foldedGroups = new Set<string>();
  private readonly order: ReturnType<typeof displayOrder>;
  private frame = 0;
  private ready = false;
  private pager: Pager | null = null; // `view` only
  private wanted: { track: number; from: number; to: number } | null = null; // place whose span is chosen once it is loaded

  constructor(
    readonly model: Model,
    private readonly state: StateStore,
  ) {
    this.scale = new Scale(model.begin, model.end);
    this.order = displayOrder(model);
    const palette = this.palette();
    this.main = new Pane(model, this.scale, this, true, palette, t("tracks"));
    this.pinned = new Pane(model, this.scale, this, false, palette, t("pinnedTracks"));
    this.pinned.element.classList.add("pane-pinned");
    this.main.element.classList.add("pane-main");
    this.ruler = new Ruler(model, this.scale);
    this.motion = new Motion(this.scale, () => this.changed());
    this.panel = new Panel(model, {
      select: (index) => this.select(index, true),
      searchFor: (name) => this.setSearch(name),
      zoomTo: (from, to) => this.zoomTo(from, to),
      clearRange: () => this.mark(0, 0, true),
      lacks: (from, to) => this.pager?.lacks(from, to) ?? false,
    });
    this.finder = new Finder(model, this.scale, {
      searched: (query, matches) => this.searched(query, matches),
      researched: (matches) => this.panel.replaceMatches(matches),
      reached: (index, at) => this.reachMatch(index, at),
      escaped: () => this.toolbar.close(),
      left: () => this.main.canvas.focus(),
    });
    this.toolbar = new Toolbar(this.finder, { zoomBy: (factor) => this.zoomBy(factor), fitAll: () => this.fitAll(), foldAll: () => this.foldAll() });
    this.element = el(
      "section", { class: "timeline", "aria-label": t("timeline") }, this.toolbar.element,
      el("div", { class: "ruler-row" }, el("div", { class: "ruler-side" }, el("span", { class: "muted" }, t("wholeRun"))), this.ruler.element),
      this.pinned.element, this.main.element, this.panel.element, this.tooltip, this.spoken,
    );
    this.listen();
    this.applyState();
  }

  private palette(): ReturnType<typeof makePalette> {
    return makePalette(cssColour("--canvas"), theme() === "dark");
  }

  private listen(): void {
    for (const pane of [this.main, this.pinned]) {
      listenPane(pane, this.scale, this, this.motion);
      pane.element.addEventListener("scroll", () => this.draw());
    }
    listenRuler(this.ruler, this.scale, this);
    listenKeys(this.element, this.motion, this);
    new ResizeObserver(() => this.resized()).observe(this.element);
    window.addEventListener("resize", () => this.resized());
    onTheme(() => {
      const palette = this.palette();
      this.main.setPalette(palette);
      this.pinned.setPalette(palette);
      this.draw();
    });
  }

  // ---- state

  applyState(): void {
    const { t0, t1, span, mark, search: query } = this.state.value;
    if (t0 !== null && t1 !== null && t1 > t0) this.scale.show(t0, t1);
    this.layOut();
    if (query !== (this.finder.matches?.query ?? "")) this.setSearch(query);
    this.marks.range = mark;
    this.panel.showRange(mark, true);
    this.pager?.look();
    if (!this.pager && span !== null && Number.isInteger(span) && span >= 0 && span < this.model.spans.count) this.select(span, t0 === null);
    this.draw();
  }

  // A finding's place: zooms there, tints it, says what it proves and chooses the span that it is about.
  showPlace(from: number, to: number, track: string | null, proves = ""): void {
    const margin = Math.max((to - from) * 0.15, 100);
    this.marks.proof = [from, to];
    this.scale.show(from - margin, to + margin);
    const index = this.model.tracks.findIndex((one) => one.id === track);
    if (index >= 0) {
      this.unfold(index);
      requestAnimationFrame(() => this.main.reveal(index));
    }
    this.wanted = index >= 0 ? { track: index, from, to } : null;
    this.select(null);
    this.chooseWanted();
    this.panel.showProof(proves);
    this.changed();
  }

  private chooseWanted(): void {
    if (!this.wanted) return;
    const best = spanOfPlace(this.model, this.wanted.track, this.wanted.from, this.wanted.to);
    if (best < 0) return;
    this.select(best);
    // Joined spans of `view` come apart as the place is loaded more closely.
    if (!this.pager || (this.model.spans.merged?.[best] ?? 1) === 1) this.wanted = null;
  }

  learnKernels(table: Table): void {
    this.model.learnKernels(table);
    this.draw();
  }

  private layOut(): void {
    const { pins, folds } = this.state.value;
    const folding = { tracks: new Set(folds), groups: this.foldedGroups };
    const pinnedIds = new Set(pins);
    this.main.setTracks(this.order, folding, pinnedIds);
    const pinnedTracks = pins.map((id) => this.model.tracks.findIndex((track) => track.id === id)).filter((i) => i >= 0);
    this.pinned.setTracks(pinnedTracks.map((track) => ({ track, group: this.model.tracks[track].group })), folding, pinnedIds);
    this.pinned.element.style.height = `${Math.min(this.pinned.height, window.innerHeight * 0.35)}px`;
    this.pinned.element.hidden = pinnedTracks.length === 0;
    this.resized();
  }

  private resized(): void {
    const width = this.main.measure();
    if (width !== this.scale.width) {
      this.scale.width = width;
      if (!this.pager) this.ruler.forget();
    }
    this.draw();
  }

  // ---- drawing

  draw(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paint(): void {
    if (this.element.offsetParent === null) return;
    if (!this.ready) {
      this.ready = true;
      this.scale.width = this.main.measure();
    }
    this.ruler.draw(this.marks.range);
    this.main.draw(this.finder.matches);
    decorate(this.main, this.model, this.scale, this.marks);
    if (!this.pinned.element.hidden) {
      this.pinned.draw(this.finder.matches);
      decorate(this.pinned, this.model, this.scale, this.marks);
    }
  }

  changed(): void {
    this.tooltip.hidden = true;
    this.state.set({ t0: this.scale.t0, t1: this.scale.t1 });
    this.pager?.look();
    this.draw();
  }

  private zoomBy(factor: number): void {
    this.scale.zoom(factor, this.scale.width / 2);
    this.changed();
  }

  private zoomTo(from: number, to: number): void {
    const margin = Math.max((to - from) * 0.08, 20);
    this.scale.show(from - margin, to + margin);
    this.changed();
  }

  fitAll(): void {
    this.scale.fit();
    this.changed();
  }

  // `view`: spans are asked for as they come into sight.
  page(source: Source): void {
    this.pager = new Pager(this.model, this.scale, source, () => this.replaced());
    this.pager.look();
  }

  // Other spans are loaded: what was chosen is found again, or no longer chosen.
  private replaced(): void {
    const chosen = this.pager?.chosen ?? -1;
    this.marks.hovered = null;
    if (this.marks.selected !== null) {
      this.marks.selected = chosen >= 0 ? chosen : null;
      this.marks.flow = chosen >= 0 ? flowOf(this.model, chosen) : NO_FLOW;
      this.panel.showSpan(this.marks.selected);
    }
    if (this.wanted) this.chooseWanted();
    this.finder.again();
    this.panel.refresh();
    this.draw();
  }

  // ---- choosing

  select(index: number | null, reveal = false): void {
    this.marks.selected = index;
    if (this.pager) this.pager.choose(index);
    this.marks.flow = index === null ? NO_FLOW : flowOf(this.model, index);
    this.spoken.textContent = index === null ? "" : spokenSpan(this.model, index);
    this.panel.showSpan(index);
    if (!this.pager) this.state.set({ span: index });
    if (index !== null && reveal) this.revealSpan(index);
    this.draw();
  }

  private revealSpan(index: number): void {
    const { start, dur } = this.model.spans;
    const length = this.scale.t1 - this.scale.t0;
    const from = start[index];
    const to = from + dur[index];
    const px = dur[index] / this.scale.nsPerPx;
    if (px < 4 || px > this.scale.width * 3) {
      const around = Math.max(dur[index] * 12, 200);
      this.scale.show((from + to) / 2 - around, (from + to) / 2 + around);
    } else if (from < this.scale.t0 || to > this.scale.t1) this.scale.show((from + to) / 2 - length / 2, (from + to) / 2 + length / 2);
    const track = this.model.trackOf(index);
    if (track >= 0) {
      this.unfold(track);
      this.main.reveal(track, rowOf(this.model.spans, index));
    }
    this.changed();
  }

  hover(pane: Pane, x: number, y: number): void {
    const hit = pane.hit(x, y);
    const index = hit && hit.index >= 0 ? hit.index : null;
    const text = hit ? hoverText(this.model, hit.item.track, index, this.scale.time(x)) : "";
    if (index !== this.marks.hovered) {
      this.marks.hovered = index;
      this.draw();
    }
    this.tooltip.hidden = !text;
    if (!text) return;
    this.tooltip.textContent = text;
    const box = pane.canvas.getBoundingClientRect();
    const own = this.element.getBoundingClientRect();
    const left = box.left - own.left + x;
    this.tooltip.style.left = `${Math.max(4, Math.min(left + 14, own.width - this.tooltip.offsetWidth - 6))}px`;
    this.tooltip.style.top = `${box.top - own.top + y + 16}px`;
  }

  leave(): void {
    this.tooltip.hidden = true;
    if (this.marks.hovered === null) return;
    this.marks.hovered = null;
    this.draw();
  }

  click(pane: Pane, x: number, y: number): void {
    const hit = pane.hit(x, y);
    this.select(hit && hit.index >= 0 ? hit.index : null);
  }

  mark(from: number, to: number, done: boolean): void {
    const range: [number, number] | null = to - from > this.scale.nsPerPx ? [from, to] : null;
    this.marks.range = range;
    if (done) {
      this.panel.showRange(range, true);
      this.state.set({ mark: range });
    }
    this.draw();
  }

  // ---- search

  setSearch(query: string): void {
    this.finder.set(query);
  }

  private searched(query: string, matches: Matches | null): void {
    this.panel.showMatches(matches, -1);
    this.state.set({ search: query });
    this.draw();
  }

  private reachMatch(index: number, at: number): void {
    this.marks.selected = index;
    this.marks.flow = flowOf(this.model, index);
    this.spoken.textContent = spokenSpan(this.model, index);
    this.panel.rememberSpan(index);
    this.state.set({ span: index });
    this.revealSpan(index);
    this.panel.showMatches(this.finder.matches, at);
  }

  // ---- tracks

  fold(track: number): void {
    const { id } = this.model.tracks[track];
    const folds = new Set(this.state.value.folds);
    if (!folds.delete(id)) folds.add(id);
    this.state.set({ folds: [...folds] });
    this.layOut();
  }

  // What is to be shown is neither folded itself nor in a group that is.
  private unfold(track: number): void {
    const { id } = this.model.tracks[track];
    const group = this.order.find((one) => one.track === track)?.group;
    const grouped = group !== undefined && this.foldedGroups.delete(group);
    const folds = new Set(this.state.value.folds);
    const folded = folds.delete(id);
    if (folded) this.state.set({ folds: [...folds] });
    if (grouped || folded) this.layOut();
  }

  foldGroup(group: string): void {
    if (!this.foldedGroups.delete(group)) this.foldedGroups.add(group);
    this.layOut();
  }

  private foldAll(): void {
    if (this.foldedGroups.size) this.foldedGroups.clear();
    else for (const { group } of this.order) this.foldedGroups.add(group);
    this.layOut();
  }

  pin(track: number): void {
    const { id } = this.model.tracks[track];
    const pins = this.state.value.pins.includes(id) ? this.state.value.pins.filter((one) => one !== id) : [...this.state.value.pins, id];
    this.state.set({ pins });
    this.layOut();
  }

  // ---- keys

  key(event: KeyboardEvent): boolean {
    return actOnKey(event.key, this);
  }

  startSearch(): void {
    this.finder.focus();
  }

  nextMatch(direction: number): void {
    this.finder.next(direction);
  }

  fit(): void {
    const { selected, range } = this.marks;
    const { start, dur } = this.model.spans;
    if (selected !== null) this.zoomTo(start[selected], start[selected] + dur[selected]);
    else if (range) this.zoomTo(range[0], range[1]);
    else this.fitAll();
  }

  markChosen(): void {
    const { selected } = this.marks;
    const { start, dur } = this.model.spans;
    if (selected !== null) this.mark(start[selected], start[selected] + dur[selected], true);
    else this.mark(Math.max(this.scale.t0, this.model.begin), Math.min(this.scale.t1, this.model.end), true);
  }

  escape(): void {
    if (this.toolbar.close()) return;
    this.wanted = null;
    this.select(null);
    this.panel.showProof("");
    this.marks.proof = null;
    this.mark(0, 0, true);
  }

  choose(): boolean {
    if (document.activeElement !== this.main.canvas || this.marks.selected !== null) return false;
    return this.selectKnown(longestVisible(this.model, this.scale));
  }

  sideways(direction: number): void {
    if (this.marks.selected !== null) {
      this.selectKnown(neighbourOf(this.model, this.marks.selected, direction));
      return;
    }
    this.scale.pan(direction * this.scale.width * 0.15);
    this.changed();
  }

  upDown(up: boolean): void {
    if (this.marks.selected === null) this.main.element.scrollTop += up ? -60 : 60;
    else this.selectKnown(relativeOf(this.model, this.marks.selected, up));
  }

  private selectKnown(index: number): boolean {
    if (index >= 0) this.select(index, true);
    return index >= 0;
  }
}
