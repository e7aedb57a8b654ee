// Legend of colours and list of keys.
import { el } from "../ui/dom";
import { causeName } from "../ui/causes";
import { hasText, t, type TextKey } from "../ui/i18n";
import { CATEGORIES, GAP_CAUSES } from "./colours";

export function legend(): HTMLElement {
  const entry = (colour: string, text: string, hatched: boolean): HTMLElement => el("div", { class: "legend-entry" }, el("span", { class: hatched ? "swatch is-hatched" : "swatch", style: `--swatch:${colour}` }), text);
  return el(
    "div", { class: "legend" }, el("h2", { class: "minor" }, t("legendWork")),
    el("div", { class: "legend-grid" }, ...CATEGORIES.map(([name, colour]) => {
      const key = `category_${name}`;
      return entry(colour, hasText(key) ? t(key) : name, false);
    })),
    el("h2", { class: "minor" }, t("legendIdle")), el("div", { class: "legend-grid" }, ...GAP_CAUSES.map(([name, colour]) => entry(colour, causeName(name), true))),
  );
}

const KEYS: [string, TextKey][] = [
  ["w s", "keyZoom"], ["a d", "keyPan"], ["Enter", "keyChoose"], ["← →", "keyNeighbour"], ["↑ ↓", "keyRelative"], ["/", "keySearch"], ["n p", "keyMatch"], ["f", "keyFit"], ["m", "keyMark"], ["0", "keyWhole"], ["Esc", "keyClear"],
];
const MOUSE: [TextKey, TextKey][] = [
  ["mouseDrag", "mouseDragDoes"], ["mouseShiftDrag", "mouseShiftDragDoes"], ["mouseCtrlWheel", "mouseCtrlWheelDoes"], ["mouseShiftWheel", "mouseShiftWheelDoes"], ["mouseOverview", "mouseOverviewDoes"],
];

export function shortcuts(): HTMLElement {
  return el(
    "div", { class: "legend" },
    ...KEYS.map(([keys, text]) => el("div", { class: "shortcut" }, el("span", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))), el("span", {}, t(text)))),
    ...MOUSE.map(([what, does]) => el("div", { class: "shortcut" }, el("span", {}, t(what)), el("span", {}, t(does)))),
  );
}
