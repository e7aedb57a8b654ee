// The search of the timeline: its box, the matches, and the walk from one to the next.
import { matchFrom, type Matches, search } from "../data/search";
import { el } from "../ui/dom";
import { t } from "../ui/i18n";
import type { Model } from "./model";
import type { Scale } from "./scale";

export interface FinderActions {
  searched(query: string, matches: Matches | null): void; // by the reader
  researched(matches: Matches | null): void; // `view`: the same query over other spans
  reached(index: number, at: number): void; // a match was walked to
  escaped(): boolean; // Esc in the box; true: something else took it
  left(): void; // the box gives up the keyboard
}

export class Finder {
  readonly box: HTMLInputElement;
  readonly status = el("span", { class: "muted toolbar-status", role: "status" });
  matches: Matches | null = null;
  private at = -1;
  private timer = 0;

  constructor(
    private readonly model: Model,
    private readonly scale: Scale,
    private readonly actions: FinderActions,
  ) {
    this.box = el("input", { type: "search", class: "search", placeholder: t("searchPlaceholder"), "aria-label": t("search"), spellcheck: "false" });
    this.box.addEventListener("input", () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.run(), 120);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        window.clearTimeout(this.timer);
        if (this.matches?.query !== this.box.value.trim()) this.run();
        this.next(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        if (this.actions.escaped()) return event.preventDefault();
        if (this.box.value) this.set("");
        this.actions.left();
      } else return;
      event.preventDefault();
    });
  }

  focus(): void {
    this.box.focus();
    this.box.select();
  }

  set(query: string): void {
    this.box.value = query;
    this.run();
  }

  // The panel's page stays open.
  again(): void {
    if (!this.matches) return;
    this.find();
    this.actions.researched(this.matches);
  }

  next(direction: number): void {
    const list = this.matches?.order;
    if (!list?.length) return;
    // The first jump goes to the next match from what is on the screen.
    const next = matchFrom(this.model.spans, list, direction > 0 ? this.scale.t0 : this.scale.t1) - (direction > 0 ? 0 : 1);
    this.at = ((this.at < 0 ? next : this.at + direction) + list.length) % list.length;
    this.actions.reached(list[this.at], this.at);
    this.status.textContent = t("matchOf", { n: this.at + 1, total: (this.matches?.count ?? 0).toLocaleString("en-US") });
  }

  private run(): void {
    this.find();
    this.actions.searched(this.box.value.trim(), this.matches);
  }

  private find(): void {
    this.matches = search(this.model.spans, this.model.strings, this.box.value, (row) => this.model.trackOfRowAt(row));
    this.at = -1;
    this.status.textContent = this.matches ? t("found", { n: this.matches.count.toLocaleString("en-US") }) : "";
  }
}
