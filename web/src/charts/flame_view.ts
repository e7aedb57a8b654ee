// An icicle of a tree on a canvas: the root on top, width is value. Frames below half a pixel are not visited.
import type { FlameNode } from "../data/types";
import { clean, el } from "../ui/dom";
import { shortName } from "../ui/format";
import { t } from "../ui/i18n";
import { matcher } from "../data/search";
import { cssColour, onTheme, theme } from "../ui/theme";
import { TextFit } from "../timeline/text_fit";

const ROW = 19;
const MAX_DEPTH = 400;

export interface FrameDetails {
  node: FlameNode;
  name: string;
  share: number; // of the root
}

interface Box {
  node: FlameNode;
  x: number;
  width: number;
  depth: number;
  path: FlameNode[];
}

// Hue by what the frame is: Python file, C++ name, operator, call; a shade by its name.
function frameColour(name: string, dark: boolean): string {
  let hash = 0;
  for (let i = 0; i < Math.min(name.length, 60); ++i) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  const hue = /\.py\(|\.py:|^<built-in|^nn\.Module/.test(name) ? 44 : /^aten::|^at::_ops|^torch::autograd|^autograd|Backward|^c10/.test(name) ? 168 : /^(cuda|hip|cu)[A-Z]|Memcpy|Memset/.test(name) ? 22 : 212;
  const light = dark ? 40 + (hash % 7) : 66 + (hash % 9);
  return `hsl(${hue + (hash % 12) - 6} ${dark ? 38 : 52}% ${light}%)`;
}

export class FlameView {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { class: "flame-canvas", tabindex: 0, role: "application" });
  private readonly context: CanvasRenderingContext2D;
  private path: FlameNode[]; // from the root to the frame that is looked into
  private boxes: Box[] = [];
  private matches: ((text: string) => boolean) | null = null;
  private hovered: Box | null = null;

  constructor(
    private readonly root: FlameNode,
    private readonly nameOf: (node: FlameNode) => string,
    private readonly describe: (frame: FrameDetails | null) => void,
    private readonly tint: ((node: FlameNode) => string) | null, // difference: colour by change
    label: string,
  ) {
    this.canvas.setAttribute("aria-label", `${label}. ${t("flameKeys")}`);
    this.path = [root];
    this.element = el("div", { class: "flame" }, this.canvas);
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser draws no canvas");
    this.context = context;
    new ResizeObserver(() => this.draw()).observe(this.element);
    onTheme(() => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => this.open(this.at(event)));
    this.canvas.addEventListener("keydown", (event) => {
      if (this.key(event.key)) event.preventDefault();
    });
  }

  find(query: string): void {
    this.matches = query.trim() ? matcher(query.trim()) : null;
    this.draw();
  }

  private at(event: MouseEvent): Box | null {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const depth = Math.floor((event.clientY - box.top) / ROW);
    return this.boxes.find((one) => one.depth === depth && x >= one.x && x < one.x + one.width) ?? null;
  }

  private hover(box: Box | null): void {
    if (box === this.hovered) return;
    this.hovered = box;
    this.describe(box ? { node: box.node, name: this.nameOf(box.node), share: box.node.value_ns / Math.max(1, this.root.value_ns) } : null);
    this.paint();
  }

  private open(box: Box | null): void {
    if (!box) return;
    this.path = box.path;
    this.draw();
    this.canvas.focus({ preventScroll: true });
  }

  // Arrows walk from frame to frame, Enter looks into one, Esc leads back.
  private key(key: string): boolean {
    if (key === "Escape") {
      if (this.path.length < 2) return false;
      this.path = this.path.slice(0, -1);
      this.draw();
      return true;
    }
    if (key === "Enter") {
      this.open(this.hovered);
      return this.hovered !== null;
    }
    if (!key.startsWith("Arrow")) return false;
    const at = this.hovered && this.boxes.includes(this.hovered) ? this.hovered : null;
    this.hover(at ? this.beside(at, key) : (this.boxes[this.path.length - 1] ?? null));
    return true;
  }

  private beside(at: Box, key: string): Box {
    const row = (depth: number): Box[] => this.boxes.filter((one) => one.depth === depth).sort((a, b) => a.x - b.x);
    const middle = at.x + at.width / 2;
    if (key === "ArrowUp") return row(at.depth - 1).find((one) => one.x <= middle && middle < one.x + one.width) ?? at;
    if (key === "ArrowDown") return row(at.depth + 1).find((one) => one.x >= at.x - 0.01 && one.x < at.x + at.width) ?? at;
    const own = row(at.depth);
    return own[own.indexOf(at) + (key === "ArrowRight" ? 1 : -1)] ?? at;
  }

  draw(): void {
    const width = this.element.clientWidth;
    if (!width) return;
    this.boxes = [];
    // The frames above the one looked into fill the width.
    this.path.forEach((node, depth) => this.boxes.push({ node, x: 0, width, depth, path: this.path.slice(0, depth + 1) }));
    const top = this.path[this.path.length - 1];
    this.place(top, 0, width / Math.max(1, top.value_ns), this.path.length, this.path);
    const depth = this.boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0) + 1;
    const ratio = window.devicePixelRatio || 1;
    const height = Math.max(depth * ROW + 4, 60);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.paint();
  }

  private place(node: FlameNode, x: number, scale: number, depth: number, path: FlameNode[]): void {
    if (depth > MAX_DEPTH) return;
    for (const child of node.children ?? []) {
      const width = child.value_ns * scale;
      if (width >= 0.5) {
        const own = [...path, child];
        this.boxes.push({ node: child, x, width, depth, path: own });
        this.place(child, x, scale, depth + 1, own);
      }
      x += width;
    }
  }

  private paint(): void {
    const ratio = window.devicePixelRatio || 1;
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = cssColour("--canvas");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const font = '11.5px system-ui, "Segoe UI", sans-serif';
    const fit = new TextFit(context, font);
    const dark = theme() === "dark";
    context.textBaseline = "middle";
    for (const box of this.boxes) {
      const name = this.nameOf(box.node);
      const known = this.matches === null || this.matches(name);
      context.globalAlpha = known ? 1 : 0.25;
      context.fillStyle = this.tint ? this.tint(box.node) : frameColour(name, dark);
      context.fillRect(box.x, box.depth * ROW, Math.max(0.6, box.width - (box.width > 3 ? 1 : 0)), ROW - 1);
      if (box === this.hovered) {
        context.strokeStyle = cssColour("--text");
        context.strokeRect(box.x + 0.5, box.depth * ROW + 0.5, Math.max(1, box.width - 2), ROW - 2);
      }
      if (box.width < 28) continue;
      const text = fit.cut(clean(shortName(name)) || (box.depth === 0 ? "∑" : ""), box.width - 8);
      context.font = font;
      context.fillStyle = dark ? "#f2f2ee" : "#1b1d22";
      context.fillText(text, box.x + 4, box.depth * ROW + ROW / 2);
    }
    context.globalAlpha = 1;
  }
}
