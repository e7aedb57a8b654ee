// The panel below the tracks: details of the chosen span, sums of the marked range, matches of the search.
import { type Matches, LISTED } from "../data/search";
import type { NameSum } from "../data/sums";
import { clean, el, replace } from "../ui/dom";
import { axisTime, bytes, count, duration, percent, shortName } from "../ui/format";
import { t } from "../ui/i18n";
import { VirtualList } from "../ui/virtual_list";
import { type DetailActions, spanDetails } from "./details";
import type { Model } from "./model";
import { sumRange } from "./selection";

export type PanelPage = "details" | "range" | "search";

export interface PanelActions extends DetailActions {
  zoomTo(from: number, to: number): void;
  clearRange(): void;
  lacks(from: number, to: number): boolean; // `view`: not all of it is loaded
}

export class Panel {
  readonly element: HTMLElement;
  private readonly tabs: HTMLElement;
  private readonly body: HTMLElement;
  private page: PanelPage = "details";
  private selected: number | null = null;
  private range: readonly [number, number] | null = null;
  private matches: Matches | null = null;
  private current = -1;
  private proves = ""; // which finding the place on the screen proves
  private list: VirtualList | null = null;

  constructor(
    private readonly model: Model,
    private readonly actions: PanelActions,
  ) {
    this.tabs = el("div", { class: "panel-tabs", role: "tablist", "aria-label": t("panelLabel") });
    this.body = el("div", { class: "panel-body", role: "tabpanel", tabindex: 0, "aria-label": t("panelLabel") });
    const grip = el("div", { class: "panel-grip", title: t("resize") });
    this.element = el("section", { class: "panel", "aria-label": t("panelLabel") }, grip, this.tabs, this.body);
    grip.addEventListener("pointerdown", (event) => this.resize(event));
    this.render();
  }

  showSpan(index: number | null): void {
    this.selected = index;
    if (index !== null) this.page = "details";
    this.render();
  }

  // Chosen without leaving the page that is open.
  rememberSpan(index: number): void {
    this.selected = index;
    if (this.page === "details") this.render();
  }

  showRange(range: readonly [number, number] | null, final: boolean): void {
    this.range = range;
    if (range) this.page = "range";
    if (final || !range) this.render();
  }

  // "": none any more.
  showProof(proves: string): void {
    this.proves = proves;
    if (proves) this.page = "details";
    this.render();
  }

  // `view`: other spans are loaded.
  refresh(): void {
    if (this.page === "range") this.render();
  }

  showMatches(matches: Matches | null, current: number): void {
    const fresh = matches !== this.matches;
    this.matches = matches;
    this.current = current;
    if (fresh) {
      if (matches) this.page = "search";
      else if (this.page === "search") this.page = "details";
      this.render();
    } else if (this.page === "search") {
      this.list?.refresh();
      if (current >= 0 && current < LISTED) this.list?.reveal(current);
    }
  }

  // The same search over other spans.
  replaceMatches(matches: Matches | null): void {
    this.matches = matches;
    this.current = -1;
    this.render();
  }

  private resize(event: PointerEvent): void {
    const from = event.clientY;
    const height = this.element.offsetHeight;
    const move = (next: PointerEvent): void => {
      this.element.style.height = `${Math.max(60, Math.min(window.innerHeight * 0.7, height + from - next.clientY))}px`;
      window.dispatchEvent(new Event("resize"));
    };
    const end = (): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    event.preventDefault();
  }

  private render(): void {
    const empty = this.page === "details" ? this.selected === null : this.page === "range" ? !this.range : !this.matches;
    this.element.classList.toggle("is-empty", empty);
    const pages: [PanelPage, string][] = [
      ["details", t("details")],
      ["range", t("range")],
      ["search", this.matches ? `${t("matches")} (${count(this.matches.count)})` : t("matches")],
    ];
    const open = (page: PanelPage): void => {
      this.page = page;
      this.render();
    };
    replace(this.tabs, ...pages.map(([page, name]) => el("button", { role: "tab", "aria-selected": String(page === this.page), class: page === this.page ? "tab is-on" : "tab", onclick: () => open(page) }, name)));
    this.list = null;
    if (this.page === "details") replace(this.body, this.proves ? el("p", { class: "proof-note" }, this.proves) : null, this.selected === null ? hint(t("detailsHint")) : spanDetails(this.model, this.selected, this.actions));
    else if (this.page === "range") replace(this.body, this.range ? this.rangeSums(this.range[0], this.range[1]) : hint(t("rangeHint")));
    else this.renderMatches();
  }

  private rangeSums(from: number, to: number): HTMLElement {
    const sums = sumRange(this.model, from, to);
    const length = to - from;
    const head = el(
      "div", { class: "details-head" }, el("h3", {}, `${duration(length)}`), el("span", { class: "muted" }, `${axisTime(from, length / 1000)} – ${axisTime(to, length / 1000)}`), this.actions.lacks(from, to) ? el("span", { class: "muted loaded-only" }, t("loadedOnly")) : null,
      el("button", { class: "small", onclick: () => this.actions.zoomTo(from, to) }, t("zoomToRange")), el("button", { class: "small", onclick: () => this.actions.clearRange() }, t("clear")),
    );
    const devices = sums.devices.slice(0, 16).map((device) =>
      el(
        "div", { class: "sums" }, el("div", { class: "stack-title" }, clean(device.group)),
        el("div", {}, el("b", {}, `${t("busy")} ${percent((device.busyNs / length) * 100)}`), ` ${duration(device.busyNs)} · ${t("idle")} ${duration(Math.max(0, length - device.busyNs))}`),
        ...device.idleByCause.slice(0, 6).map((sum) => el("div", { class: "muted" }, `${t("idle")}: ${this.model.label(this.model.spans, sum.longest)} ${duration(sum.ns)}`)),
      ),
    );
    const lists: [string, NameSum[]][] = [
      [t("kernels"), sums.kernels],
      [sums.copyBytes > 0 ? `${t("copies")} (${bytes(sums.copyBytes)})` : t("copies"), sums.copies],
      [t("calls"), sums.calls],
      [t("operators"), sums.operators],
    ];
    return el("div", { class: "range" }, head, el("div", { class: "details-columns" }, el("div", {}, ...devices), ...lists.filter(([, list]) => list.length).map(([title, list]) => this.nameList(title, list, length))));
  }

  private nameList(title: string, list: NameSum[], length: number): HTMLElement {
    const lines = list.slice(0, 40).map((sum) =>
      el(
        "tr", {}, el("td", { class: "num" }, duration(sum.ns)), el("td", { class: "num" }, percent((sum.ns / length) * 100)), el("td", { class: "num" }, `${count(sum.count)}×`),
        el("td", {}, el("button", { class: "link", title: clean(this.model.strings[sum.name] ?? "").slice(0, 600), onclick: () => this.actions.select(sum.longest) }, clean(shortName(this.model.strings[sum.name] ?? "")) || t("noName"))),
      ),
    );
    return el("div", { class: "sums" }, el("div", { class: "stack-title" }, `${title} · ${count(list.length)}`), el("table", { class: "sum-table" }, el("tbody", {}, ...lines)));
  }

  private renderMatches(): void {
    const { matches, model } = this;
    if (!matches) return replace(this.body, hint(t("searchHint")));
    const { spans } = model;
    const head = el("div", { class: "details-head" }, el("b", {}, t("matchSum", { n: count(matches.count), names: count(matches.names), time: duration(matches.ns) })), this.actions.lacks(-Infinity, Infinity) ? el("span", { class: "muted loaded-only" }, t("loadedOnly")) : null, matches.count > LISTED ? el("span", { class: "muted" }, t("listedFirst", { n: count(LISTED) })) : null, el("span", { class: "muted" }, t("matchKeys")));
    this.list = new VirtualList(matches.first.length, 20, (i) => {
      const index = matches.first[i];
      const track = model.tracks[model.trackOf(index)];
      return el(
        "button", { class: i === this.current ? "match is-on" : "match", onclick: () => this.actions.select(index) },
        el("span", { class: "num" }, `${(spans.start[index] / 1e6).toFixed(3)} ms`), el("span", { class: "num" }, duration(spans.dur[index])),
        el("span", { class: "match-track" }, track ? `${clean(track.group)} · ${clean(track.name)}` : ""), el("span", { class: "match-name" }, model.label(spans, index)),
      );
    });
    replace(this.body, head, this.list.element);
    this.list.refresh();
  }
}

function hint(text: string): HTMLElement {
  return el("p", { class: "hint" }, text);
}
