// Mouse and keys on the timeline. Moves are turned into calls of `Moves`; nothing here draws.
import type { Pane } from "./pane";
import type { Ruler } from "./ruler";
import type { Scale } from "./scale";

export interface Moves {
  changed(): void; // range on the screen moved
  hover(pane: Pane, x: number, y: number): void;
  leave(): void;
  click(pane: Pane, x: number, y: number): void;
  mark(from: number, to: number, done: boolean): void;
  key(event: KeyboardEvent): boolean; // true: taken
}

const KEYS_OF_MOTION = new Set(["w", "a", "s", "d"]);

// Held w a s d move smoothly, once a frame, faster the longer they are held.
export class Motion {
  private readonly held = new Map<string, number>();
  private frame = 0;
  private last = 0;
  cursor = 0; // x around which w and s zoom

  constructor(
    private readonly scale: Scale,
    private readonly changed: () => void,
  ) {}

  down(key: string): boolean {
    if (!KEYS_OF_MOTION.has(key)) return false;
    if (!this.held.has(key)) {
      this.held.set(key, performance.now());
      this.step(key, 1 / 30); // a single tap is visible
    }
    if (!this.frame) {
      this.last = performance.now();
      this.frame = requestAnimationFrame((now) => this.tick(now));
    }
    return true;
  }

  up(key: string): void {
    this.held.delete(key);
  }

  release(): void {
    this.held.clear();
  }

  private step(key: string, seconds: number): void {
    const ageBoost = Math.min(3, 1 + (performance.now() - (this.held.get(key) ?? 0)) / 600);
    const amount = seconds * ageBoost;
    if (key === "w") this.scale.zoom(Math.exp(-2.6 * amount), this.cursor);
    if (key === "s") this.scale.zoom(Math.exp(2.6 * amount), this.cursor);
    if (key === "a") this.scale.pan(-this.scale.width * 0.9 * amount);
    if (key === "d") this.scale.pan(this.scale.width * 0.9 * amount);
    this.changed();
  }

  private tick(now: number): void {
    this.frame = 0;
    if (!this.held.size) return;
    const seconds = Math.min(0.1, Math.max(0, now - this.last) / 1000);
    this.last = now;
    for (const key of this.held.keys()) this.step(key, seconds);
    this.frame = requestAnimationFrame((next) => this.tick(next));
  }
}

function localX(event: MouseEvent, element: Element): number {
  return event.clientX - element.getBoundingClientRect().left;
}

function drag(event: PointerEvent, onMove: (event: PointerEvent) => void, onEnd: (event: PointerEvent) => void): void {
  const move = (next: PointerEvent): void => onMove(next);
  const end = (next: PointerEvent): void => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
    onEnd(next);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
  event.preventDefault();
}

export function wheel(event: WheelEvent, scale: Scale, element: Element, moves: Moves): void {
  const lines = event.deltaMode === 1 ? 16 : 1;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    scale.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0032), localX(event, element));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    scale.pan((event.deltaX || event.deltaY) * lines);
  } else return; // the pane scrolls by itself
  event.preventDefault();
  moves.changed();
}

export function listenPane(pane: Pane, scale: Scale, moves: Moves, motion: Motion): void {
  const { canvas } = pane;
  canvas.addEventListener("wheel", (event) => wheel(event, scale, canvas, moves), { passive: false });
  canvas.addEventListener("pointermove", (event) => {
    motion.cursor = localX(event, canvas);
    if (event.buttons === 0) moves.hover(pane, motion.cursor, event.clientY - canvas.getBoundingClientRect().top);
  });
  canvas.addEventListener("pointerleave", () => moves.leave());
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 && event.button !== 1) return;
    canvas.focus({ preventScroll: true });
    const x = localX(event, canvas);
    const y = event.clientY - canvas.getBoundingClientRect().top;
    if (event.shiftKey) return markBy(event, canvas, scale, moves);
    let lastX = event.clientX;
    let lastY = event.clientY;
    let moved = 0;
    drag(
      event,
      (next) => {
        moved += Math.abs(next.clientX - lastX) + Math.abs(next.clientY - lastY);
        if (moved < 4) return;
        canvas.classList.add("is-dragging");
        scale.pan(lastX - next.clientX);
        pane.element.scrollTop += lastY - next.clientY;
        lastX = next.clientX;
        lastY = next.clientY;
        moves.changed();
      },
      () => {
        canvas.classList.remove("is-dragging");
        if (moved < 4) moves.click(pane, x, y);
      },
    );
  });
}

function markBy(event: PointerEvent, element: Element, scale: Scale, moves: Moves): void {
  const from = scale.time(localX(event, element));
  const both = (next: PointerEvent, done: boolean): void => {
    const to = scale.time(localX(next, element));
    moves.mark(Math.min(from, to), Math.max(from, to), done);
  };
  drag(event, (next) => both(next, false), (next) => both(next, true));
}

export function listenRuler(ruler: Ruler, scale: Scale, moves: Moves): void {
  ruler.axis.addEventListener("pointerdown", (event) => markBy(event, ruler.axis, scale, moves));
  for (const canvas of [ruler.axis, ruler.overview])
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.shiftKey && canvas === ruler.axis && Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
          scale.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY)) * 0.0032), localX(event, canvas));
          event.preventDefault();
          moves.changed();
        } else wheel(event, scale, canvas, moves);
      },
      { passive: false },
    );
  // On the overview: drag draws the window anew, a click centres it.
  ruler.overview.addEventListener("pointerdown", (event) => {
    const from = ruler.overviewTime(localX(event, ruler.overview));
    let moved = false;
    drag(
      event,
      (next) => {
        const to = ruler.overviewTime(localX(next, ruler.overview));
        moved ||= Math.abs(next.clientX - event.clientX) > 3;
        if (!moved) return;
        scale.show(Math.min(from, to), Math.max(from, to));
        moves.changed();
      },
      () => {
        if (moved) return;
        const half = (scale.t1 - scale.t0) / 2;
        scale.show(from - half, from + half);
        moves.changed();
      },
    );
  });
}

export function listenKeys(element: HTMLElement, motion: Motion, moves: Moves): () => void {
  const typing = (event: KeyboardEvent): boolean => event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
  const down = (event: KeyboardEvent): void => {
    if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || element.offsetParent === null) return;
    if (motion.down(event.key) || moves.key(event)) event.preventDefault();
  };
  const up = (event: KeyboardEvent): void => motion.up(event.key);
  const blur = (): void => motion.release();
  window.addEventListener("keydown", down);
  window.addEventListener("keyup", up);
  window.addEventListener("blur", blur);
  return () => {
    window.removeEventListener("keydown", down);
    window.removeEventListener("keyup", up);
    window.removeEventListener("blur", blur);
  };
}
