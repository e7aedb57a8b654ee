// The bar above the timeline: search, zoom, folding, and what the colours and keys mean.
import { el, replace } from "../ui/dom";
import { t } from "../ui/i18n";
import type { Finder } from "./finder";
import { legend, shortcuts } from "./help";

export interface ToolbarActions {
  zoomBy(factor: number): void;
  fitAll(): void;
  foldAll(): void;
}

export class Toolbar {
  readonly element: HTMLElement;
  private readonly popover = el("div", { class: "popover", hidden: true });

  constructor(finder: Finder, actions: ToolbarActions) {
    const button = (label: string, title: string, action: () => void): HTMLElement => el("button", { class: "small", title, "aria-label": label.length < 2 ? title : null, onclick: action }, label);
    const toggle = (content: () => HTMLElement) => (): void => {
      const same = !this.popover.hidden && this.popover.dataset["page"] === content.name;
      this.popover.hidden = same;
      this.popover.dataset["page"] = content.name;
      replace(this.popover, content());
    };
    this.element = el(
      "div", { class: "toolbar" }, finder.box, button("‹", t("previousMatch"), () => finder.next(-1)), button("›", t("nextMatch"), () => finder.next(1)), finder.status,
      el("span", { class: "spring" }), button("−", t("zoomOut"), () => actions.zoomBy(1.6)), button("+", t("zoomIn"), () => actions.zoomBy(1 / 1.6)), button(t("wholeRun"), t("wholeRunHint"), () => actions.fitAll()),
      button(t("foldAll"), t("foldAllHint"), () => actions.foldAll()), button(t("legend"), t("legend"), toggle(legend)), button(t("keys"), t("keys"), toggle(shortcuts)), this.popover,
    );
  }

  // Whether there was something to close.
  close(): boolean {
    const open = !this.popover.hidden;
    this.popover.hidden = true;
    return open;
  }
}
