// The timeline page: panes, ruler and panel around one range of time.
import { matchFrom, type Matches, search } from "../data/search";
import { rowOf } from "../data/spans";
import { touching } from "../data/sums";
import type { Source } from "../data/source";
import { isGap, type Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { duration, withUnit } from "../ui/format";
import { t } from "../ui/i18n";
import type { StateStore } from "../ui/state";
import { cssColour, onTheme, theme } from "../ui/theme";
import { pointAt } from "../data/series";
import { makePalette } from "./colours";
import { decorate, type Marks } from "./decorations";
import { listenKeys, listenPane, listenRuler, Motion, type Moves } from "./input";
import { displayOrder } from "./layout";
import { legend, shortcuts } from "./help";
import type { Model } from "./model";
import { Pane, type PaneActions } from "./pane";
import { Pager } from "./pager";
import { Panel } from "./panel";
import { Ruler } from "./ruler";
import { Scale } from "./scale";

const ARROWS = 300;

export class Timeline implements Moves, PaneActions {
  readonly element: HTMLElement;
  readonly scale: Scale;
  private readonly ruler: Ruler;
  private readonly main: Pane;
  private readonly pinned: Pane;
  private readonly panel: Panel;
  private readonly motion: Motion;
  private readonly tooltip = el("div", { class: "tooltip", role: "status" });
  private readonly searchBox: HTMLInputElement;
  private readonly popover = el("div", { class: "popover", hidden: true });
  private readonly status = el("span", { class: "muted toolbar-status", "aria-live": "polite" });
  private readonly marks: Marks = { selected: null, hovered: null, range: null, proof: null, arrows: [] };
  private readonly foldedGroups = new Set<string>();
  private readonly order: ReturnType<typeof displayOrder>;
  private matches: Matches | null = null;
  private matchAt = -1;
  private frame = 0;
  private ready = false;
  private searchTimer = 0;
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
    this.searchBox = el("input", { type: "search", class: "search", placeholder: t("searchPlaceholder"), "aria-label": t("search"), spellcheck: "false" });
    this.element = el(
      "section", { class: "timeline", "aria-label": t("timeline") }, this.toolbar(),
      el("div", { class: "ruler-row" }, el("div", { class: "ruler-side" }, el("span", { class: "muted" }, t("wholeRun"))), this.ruler.element),
      this.pinned.element, this.main.element, this.panel.element, this.tooltip,
    );
    this.listen();
    this.applyState();
  }

  private palette(): ReturnType<typeof makePalette> {
    return makePalette(cssColour("--canvas"), theme() === "dark");
  }

  private toolbar(): HTMLElement {
    const button = (label: string, title: string, action: () => void): HTMLElement => el("button", { class: "small", title, onclick: action }, label);
    const aside = this.popover;
    const toggle = (content: () => HTMLElement) => (): void => {
      const same = !aside.hidden && aside.dataset["page"] === content.name;
      aside.hidden = same;
      aside.dataset["page"] = content.name;
      replace(aside, content());
    };
    return el(
      "div", { class: "toolbar" }, this.searchBox, button("‹", t("previousMatch"), () => this.nextMatch(-1)), button("›", t("nextMatch"), () => this.nextMatch(1)), this.status,
      el("span", { class: "spring" }), button("−", t("zoomOut"), () => this.zoomBy(1.6)), button("+", t("zoomIn"), () => this.zoomBy(1 / 1.6)), button(t("wholeRun"), t("wholeRunHint"), () => this.fitAll()),
      button(t("foldAll"), t("foldAllHint"), () => this.foldAll()), button(t("legend"), t("legend"), toggle(legend)), button(t("keys"), t("keys"), toggle(shortcuts)), aside,
    );
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
    this.searchBox.addEventListener("input", () => {
      window.clearTimeout(this.searchTimer);
      this.searchTimer = window.setTimeout(() => this.runSearch(this.searchBox.value), 120);
    });
    this.searchBox.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        window.clearTimeout(this.searchTimer);
        if (this.matches?.query !== this.searchBox.value.trim()) this.runSearch(this.searchBox.value);
        this.nextMatch(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        if (this.closePopover()) return event.preventDefault();
        if (this.searchBox.value) this.setSearch("");
        this.main.canvas.focus();
      } else return;
      event.preventDefault();
    });
  }

  // ---- state

  applyState(): void {
    const { t0, t1, span, mark, search: query } = this.state.value;
    if (t0 !== null && t1 !== null && t1 > t0) this.scale.show(t0, t1);
    this.layOut();
    if (query !== (this.matches?.query ?? "")) this.setSearch(query);
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
    if (index >= 0) requestAnimationFrame(() => this.main.reveal(index));
    this.wanted = index >= 0 ? { track: index, from, to } : null;
    this.select(null);
    this.chooseWanted();
    this.panel.showProof(proves);
    this.changed();
  }

  // The span of the wanted place: the one that fills most of it, the outermost of equal ones.
  private chooseWanted(): void {
    if (!this.wanted) return;
    const { track, from, to } = this.wanted;
    const { spans } = this.model;
    let best = -1;
    let most = 0;
    for (const row of this.model.rowsOf(track)) {
      const [begin, end] = touching(spans, row, from, to);
      for (let i = begin; i < end; ++i) {
        const inside = Math.min(to, spans.start[i] + spans.dur[i]) - Math.max(from, spans.start[i]);
        const outside = spans.dur[i] - inside;
        if (inside - outside > most) {
          most = inside - outside;
          best = i;
        }
      }
    }
    if (best < 0) return;
    this.select(best);
    // Joined spans of `view` come apart as the place is loaded more closely.
    if (!this.pager || (spans.merged?.[best] ?? 1) === 1) this.wanted = null;
  }

  private closePopover(): boolean {
    const open = !this.popover.hidden;
    this.popover.hidden = true;
    return open;
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
    this.main.draw(this.matches);
    decorate(this.main, this.model, this.scale, this.marks);
    if (!this.pinned.element.hidden) {
      this.pinned.draw(this.matches);
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

  private fitAll(): void {
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
      this.marks.arrows = chosen >= 0 ? this.arrowsOf(chosen) : [];
      this.panel.showSpan(this.marks.selected);
    }
    if (this.wanted) this.chooseWanted();
    if (this.matches) this.searchAgain();
    this.panel.refresh();
    this.draw();
  }

  // ---- choosing

  select(index: number | null, reveal = false): void {
    this.marks.selected = index;
    if (this.pager) this.pager.choose(index);
    this.marks.arrows = index === null ? [] : this.arrowsOf(index);
    this.panel.showSpan(index);
    if (!this.pager) this.state.set({ span: index });
    if (index !== null && reveal) this.revealSpan(index);
    this.draw();
  }

  private arrowsOf(index: number): [number, number][] {
    const call = this.model.spans.link[index];
    if (call >= 0 && !isGap(this.model.spans.kind[index])) return [[call, index]];
    return this.model.workOf(index, ARROWS).map((work) => [this.model.spans.link[work] >= 0 ? this.model.spans.link[work] : index, work]);
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
      const group = this.order.find((one) => one.track === track)?.group;
      if (group !== undefined && this.foldedGroups.delete(group)) this.layOut();
      this.main.reveal(track, rowOf(this.model.spans, index));
    }
    this.changed();
  }

  hover(pane: Pane, x: number, y: number): void {
    const hit = pane.hit(x, y);
    const index = hit && hit.index >= 0 ? hit.index : null;
    const text = hit ? this.hoverText(hit.item.track, index, x) : "";
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

  private hoverText(track: number, index: number | null, x: number): string {
    const { model } = this;
    if (index !== null) {
      const label = `${isGap(model.spans.kind[index]) ? `${t("idle")}: ` : ""}${model.label(model.spans, index)}`;
      return `${label.slice(0, 300)}\n${duration(model.spans.dur[index])}`;
    }
    const series = model.series(track);
    if (!series) return "";
    const at = pointAt(series, this.scale.time(x));
    if (at < 0 || Number.isNaN(series.value[at])) return "";
    return `${clean(model.tracks[track].name)}\n${withUnit(series.value[at], model.tracks[track].unit ?? "")}`;
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
    this.searchBox.value = query;
    this.runSearch(query);
  }

  // `view`: the same query over other spans; the panel's page stays open.
  private searchAgain(): void {
    this.matches = this.searched(this.searchBox.value);
    this.matchAt = -1;
    this.status.textContent = this.matches ? t("found", { n: this.matches.count.toLocaleString("en-US") }) : "";
    this.panel.replaceMatches(this.matches);
  }

  private searched(query: string): Matches | null {
    return search(this.model.spans, this.model.strings, query, (row) => this.model.trackOfRowAt(row));
  }

  private runSearch(query: string): void {
    this.matches = this.searched(query);
    this.matchAt = -1;
    this.status.textContent = this.matches ? t("found", { n: this.matches.count.toLocaleString("en-US") }) : "";
    this.panel.showMatches(this.matches, -1);
    this.state.set({ search: query.trim() });
    this.draw();
  }

  private nextMatch(direction: number): void {
    const list = this.matches?.order;
    if (!list?.length) return;
    // The first jump goes to the next match from what is on the screen.
    const next = matchFrom(this.model.spans, list, direction > 0 ? this.scale.t0 : this.scale.t1) - (direction > 0 ? 0 : 1);
    this.matchAt = ((this.matchAt < 0 ? next : this.matchAt + direction) + list.length) % list.length;
    const index = list[this.matchAt];
    this.marks.selected = index;
    this.marks.arrows = this.arrowsOf(index);
    this.state.set({ span: index });
    this.revealSpan(index);
    this.panel.showMatches(this.matches, this.matchAt);
    this.status.textContent = t("matchOf", { n: this.matchAt + 1, total: (this.matches?.count ?? 0).toLocaleString("en-US") });
  }

  // ---- tracks

  fold(track: number): void {
    const { id } = this.model.tracks[track];
    const folds = new Set(this.state.value.folds);
    if (!folds.delete(id)) folds.add(id);
    this.state.set({ folds: [...folds] });
    this.layOut();
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
    const { selected } = this.marks;
    switch (event.key) {
      case "/":
        this.searchBox.focus();
        this.searchBox.select();
        return true;
      case "f":
        if (selected !== null) this.zoomTo(this.model.spans.start[selected], this.model.spans.start[selected] + this.model.spans.dur[selected]);
        else if (this.marks.range) this.zoomTo(this.marks.range[0], this.marks.range[1]);
        else this.fitAll();
        return true;
      case "m":
        if (selected !== null) this.mark(this.model.spans.start[selected], this.model.spans.start[selected] + this.model.spans.dur[selected], true);
        else this.mark(Math.max(this.scale.t0, this.model.begin), Math.min(this.scale.t1, this.model.end), true);
        return true;
      case "n":
      case "p":
        this.nextMatch(event.key === "n" ? 1 : -1);
        return true;
      case "0":
      case "Home":
        this.fitAll();
        return true;
      case "Escape":
        if (this.closePopover()) return true;
        this.wanted = null;
        this.select(null);
        this.panel.showProof("");
        this.marks.proof = null;
        this.mark(0, 0, true);
        return true;
      case "Enter":
        return document.activeElement === this.main.canvas && selected === null && this.chooseVisible();
      case "ArrowLeft":
      case "ArrowRight":
        if (selected === null) this.scale.pan((event.key === "ArrowLeft" ? -1 : 1) * this.scale.width * 0.15);
        else return this.neighbour(selected, event.key === "ArrowLeft" ? -1 : 1);
        this.changed();
        return true;
      case "ArrowUp":
      case "ArrowDown":
        if (selected === null) this.main.element.scrollTop += event.key === "ArrowUp" ? -60 : 60;
        else return this.relative(selected, event.key === "ArrowUp");
        return true;
      default:
        return false;
    }
  }

  // From the keyboard: the longest device span in sight, else the longest of all.
  private chooseVisible(): boolean {
    const { spans, tracks } = this.model;
    let best = -1;
    for (const stream of [true, false]) {
      for (let track = 0; track < tracks.length; ++track) {
        if (stream !== (tracks[track].kind === "stream" || tracks[track].kind === "nccl")) continue;
        for (const row of this.model.rowsOf(track)) {
          const [from, to] = touching(spans, row, this.scale.t0, this.scale.t1);
          for (let i = from; i < to; ++i) if (best < 0 || spans.dur[i] > spans.dur[best]) best = i;
        }
      }
      if (best >= 0) break;
    }
    if (best >= 0) this.select(best, true);
    return best >= 0;
  }

  private neighbour(selected: number, direction: number): boolean {
    const row = rowOf(this.model.spans, selected);
    const next = selected + direction;
    if (next >= this.model.spans.rowStart[row] && next < this.model.spans.rowStart[row + 1]) this.select(next, true);
    return true;
  }

  // Up: the span around this one, or the call that launched it. Down: the first span inside, or the work launched.
  private relative(selected: number, up: boolean): boolean {
    if (up) {
      const outer = this.model.enclosing(selected);
      const target = outer.length ? outer[outer.length - 1] : this.model.spans.link[selected];
      if (target >= 0) this.select(target, true);
      return true;
    }
    const inner = this.model.firstInside(selected);
    if (inner >= 0) this.select(inner, true);
    else {
      const work = this.model.workOf(selected, 1);
      if (work.length) this.select(work[0], true);
    }
    return true;
  }
}
