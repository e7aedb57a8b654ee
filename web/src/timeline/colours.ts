// Colours of spans: a category decides the hue, the name a shade of it. Hues follow the sets of Okabe and Ito and of
// Paul Tol, so that neighbours differ for colour-blind readers too; idle time is hatched besides.

export const SHADES = 5;

// Order is the category's number. Gap causes follow from GAP_BASE in the order of analysis::GapCause.
export const CATEGORIES = [
  ["annotation", "#8e7cc3"],
  ["python", "#b9a45a"],
  ["operator", "#4a9c8c"],
  ["call", "#7d92a8"],
  ["wait", "#c8694a"],
  ["os", "#9c8470"],
  ["overhead", "#a89aa6"],
  ["kernel", "#3f7fc9"],
  ["gemm", "#3a6fc0"],
  ["attention", "#2f5596"],
  ["elementwise", "#5aa9dd"],
  ["reduction", "#7d78cf"],
  ["layout", "#c9a13b"],
  ["optimizer", "#4fa5a5"],
  ["communication", "#c274a0"],
  ["copy", "#e08f2c"],
  ["memset", "#b98d45"],
  ["graph", "#22689c"],
] as const;

export type Category = (typeof CATEGORIES)[number][0];

// In the order of analysis::GapCause; the stable word is that of verdict.breakdown.
export const GAP_CAUSES = [
  ["data_loading", "#cf4f5f"],
  ["python", "#d9ae3f"],
  ["cpu_operator", "#86a95c"],
  ["waking_from_a_wait", "#9a85b5"],
  ["copy_call", "#e08f2c"],
  ["launch_call", "#5c9aa8"],
  ["dispatch", "#6f95c4"],
  ["allocation", "#9c5596"],
  ["compilation", "#876050"],
  ["file_access", "#b5655a"],
  ["garbage_collection", "#b58a8a"],
  ["host_wait", "#7f7fa5"],
  ["communication", "#c274a0"],
  ["profiler", "#9a9a9a"],
  ["launch_latency", "#a3b0b8"],
  ["device_dependency", "#5f5f94"],
  ["nothing_recorded", "#b4b4ac"],
] as const;

// Parts of verdict.breakdown that are not causes of gaps.
const BUSY_PARTS: Record<string, string> = {
  device_compute: "#3f7fc9",
  device_communication: "#c274a0",
  device_copy: "#e08f2c",
  device_other: "#77889a",
  other_idle: "#b4b4ac",
  not_recorded: "#b4b4ac",
};

export const GAP_BASE: number = CATEGORIES.length;
export const CATEGORY_COUNT: number = GAP_BASE + GAP_CAUSES.length;

export function partColour(name: string): string {
  return BUSY_PARTS[name] ?? GAP_CAUSES.find(([word]) => word === name)?.[1] ?? "#8f8f8f";
}

export const isIdlePart = (name: string): boolean => !name.startsWith("device_") || name === "device_dependency";

export function categoryNumber(category: Category): number {
  return CATEGORIES.findIndex(([name]) => name === category);
}

// Words of warpscope kernels' column `category` to a category here.
export function kernelCategory(word: string): Category {
  if (/gemm|conv|matmul|linear/.test(word)) return "gemm";
  if (/attention|sdpa/.test(word)) return "attention";
  if (/elementwise|activation|fused|dropout/.test(word)) return "elementwise";
  if (/reduc|norm|softmax|loss|scan|sort/.test(word)) return "reduction";
  if (/layout|copy|transpose|gather|scatter|index|embedding|memory|fill/.test(word)) return "layout";
  if (/optim/.test(word)) return "optimizer";
  if (/comm|nccl|collective/.test(word)) return "communication";
  return "kernel";
}

export function parseColour(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

// As canvas pixels lie in memory on little endian machines.
export const pixel = (r: number, g: number, b: number): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

// a: share of `over`, 0 to 1.
export function blend(over: number, under: number, a: number): number {
  const weight = (a * 256) | 0;
  const rest = 256 - weight;
  const r = ((over & 255) * weight + (under & 255) * rest) >> 8;
  const g = (((over >> 8) & 255) * weight + ((under >> 8) & 255) * rest) >> 8;
  const b = (((over >> 16) & 255) * weight + ((under >> 16) & 255) * rest) >> 8;
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export interface Palette {
  background: number;
  fill: Uint32Array; // category * SHADES + shade
  edge: Uint32Array; // left border of a span
  ghost: Uint32Array; // behind the streams of a device: why it is idle
  dim: Uint32Array; // when a search is on and this does not match
  lightText: Uint8Array; // 1: white text reads better
  match: number;
  matchText: "dark" | "light";
}

export function makePalette(background: string, dark: boolean): Palette {
  const bg = pixel(...parseColour(background));
  const size = CATEGORY_COUNT * SHADES;
  const palette: Palette = { background: bg, fill: new Uint32Array(size), edge: new Uint32Array(size), dim: new Uint32Array(size), ghost: new Uint32Array(size), lightText: new Uint8Array(size), match: pixel(...parseColour(dark ? "#f5d547" : "#d42a72")), matchText: dark ? "dark" : "light" };
  const bases = [...CATEGORIES, ...GAP_CAUSES].map(([, hex]) => parseColour(hex));
  bases.forEach(([r, g, b], category) => {
    for (let shade = 0; shade < SHADES; ++shade) {
      const factor = (dark ? 0.86 : 1) * (1 + (shade - 2) * 0.055);
      const [sr, sg, sb] = [r, g, b].map((part) => Math.min(255, Math.round(part * factor )));
      const at = category * SHADES + shade;
      palette.fill[at] = pixel(sr, sg, sb);
      palette.edge[at] = blend(palette.fill[at], dark ? pixel(0, 0, 0) : pixel(255, 255, 255), 0.62);
      palette.dim[at] = blend(palette.fill[at], bg, 0.22);
      palette.ghost[at] = blend(palette.fill[at], bg, dark ? 0.2 : 0.15);
      palette.lightText[at] = 0.299 * sr + 0.587 * sg + 0.114 * sb < 142 ? 1 : 0;
    }
  });
  return palette;
}
