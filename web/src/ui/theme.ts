// Light or dark: the system's wish, or the reader's choice for this page. Colours live in CSS variables; the canvas
// reads them from there, so there is one list.

export type Theme = "light" | "dark";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = null;
let printing = false;
const listeners: (() => void)[] = [];

export function theme(): Theme {
  if (printing) return "light"; // paper is white whatever the screen is
  return chosen ?? (dark.matches ? "dark" : "light");
}

export function setTheme(next: Theme): void {
  chosen = next;
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const listener of listeners) listener();
}

export function startTheme(): void {
  document.documentElement.dataset["theme"] = theme();
  dark.addEventListener("change", apply);
  // Paper cannot be clicked: what is folded is printed. Charts are drawn anew in the colours of paper.
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    printing = true;
    apply();
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    apply();
    for (const one of opened) one.open = false;
  });
}

export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
