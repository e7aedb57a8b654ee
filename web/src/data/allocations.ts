// Allocations with the stacks that asked for them: who holds memory at a moment (docs/formats/report.md).
import { checkRows, column, readContainer, readUnsigned, VarintReader } from "./columns";
import type { FlameNode } from "./types";

export interface Allocations {
  frameName: Uint32Array; // string ids
  frameParent: Int32Array; // an earlier frame; -1: outermost
  track: Uint32Array;
  begin: Float64Array; // ns, ascending
  end: Float64Array; // Infinity: not freed in the recording
  bytes: Float64Array;
  stack: Int32Array; // innermost frame; -1: not known
  before: Uint8Array; // 1: older than the recording
}

export function decodeAllocations(data: Uint8Array): Allocations {
  const columns = readContainer(data);
  const minusOne = (values: Uint32Array, limit: (i: number) => number, name: string): Int32Array =>
    Int32Array.from(values, (value, i) => {
      if (value > limit(i)) throw new Error(`column ${name} refers to a frame that is not there`);
      return value - 1;
    });
  const frameName = readUnsigned(columns, "frame_name", Uint32Array);
  const frameParent = minusOne(readUnsigned(columns, "frame_parent", Uint32Array), (i) => i, "frame_parent");
  const source = column(columns, "begin");
  checkRows(source, "begin", 1);
  const begin = new Float64Array(source.rows);
  const reader = new VarintReader(source.bytes, "begin");
  let last = 0;
  for (let i = 0; i < begin.length; ++i) begin[i] = last += reader.signed();
  const dur = readUnsigned(columns, "dur", Float64Array);
  const bytes = readUnsigned(columns, "bytes", Float64Array);
  const track = readUnsigned(columns, "track", Uint32Array);
  const stack = minusOne(readUnsigned(columns, "stack", Uint32Array), () => frameName.length, "stack");
  const before = readUnsigned(columns, "before", Uint8Array);
  for (const values of [dur, bytes, track, stack, before]) if (values.length !== begin.length) throw new Error("columns of allocations differ in length");
  return { frameName, frameParent, track, begin, end: dur.map((value, i) => (value ? begin[i] + value - 1 : Infinity)), bytes, stack, before };
}

// What the allocations of one stack hold at a moment.
export interface Holding {
  stack: number;
  bytes: number;
  count: number;
  oldest: number; // begin of its oldest block
  before: boolean;
}

// Blocks of a track that are in use at `time` (begin <= time < end), by stack, most bytes first.
export function holdingsAt(all: Allocations, track: number, time: number): Holding[] {
  const sums = new Map<number, Holding>();
  for (let i = 0; i < all.begin.length && all.begin[i] <= time; ++i) {
    if (all.track[i] !== track || all.end[i] <= time) continue;
    const before = all.before[i] === 1;
    // What is older than the recording is told apart from what has no stack for another reason.
    const key = all.stack[i] >= 0 ? all.stack[i] : before ? -2 : -1;
    const sum = sums.get(key);
    if (!sum) sums.set(key, { stack: all.stack[i], bytes: all.bytes[i], count: 1, oldest: all.begin[i], before });
    else {
      sum.bytes += all.bytes[i];
      ++sum.count;
      sum.before ||= before;
    }
  }
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes || a.stack - b.stack);
}

// Frames of a stack, innermost first.
export function framesOf(all: Allocations, stack: number): number[] {
  const frames: number[] = [];
  for (let frame = stack; frame >= 0; frame = all.frameParent[frame]) frames.push(frame);
  return frames;
}

// The holdings as a flame graph: a node's value is bytes, its count is blocks. `unknown` names what has no stack.
export function holdingTree(all: Allocations, holdings: readonly Holding[], unknown: (holding: Holding) => string): FlameNode {
  const root: FlameNode = { name: "", value_ns: 0, self_ns: 0, count: 0, children: [] };
  const nodes = new Map<number, FlameNode>();
  const nodeOf = (frame: number): FlameNode => {
    let node = nodes.get(frame);
    if (!node) {
      node = { name: all.frameName[frame], value_ns: 0, self_ns: 0, count: 0, children: [] };
      nodes.set(frame, node);
      const parent = all.frameParent[frame];
      (parent >= 0 ? nodeOf(parent) : root).children?.push(node);
    }
    return node;
  };
  for (const holding of holdings) {
    root.value_ns += holding.bytes;
    root.count += holding.count;
    if (holding.stack < 0) {
      root.children?.push({ name: unknown(holding), value_ns: holding.bytes, self_ns: holding.bytes, count: holding.count, children: [] });
      continue;
    }
    nodeOf(holding.stack).self_ns += holding.bytes;
    for (const frame of framesOf(all, holding.stack)) {
      const node = nodeOf(frame);
      node.value_ns += holding.bytes;
      node.count += holding.count;
    }
  }
  for (const node of [root, ...nodes.values()]) node.children?.sort((a, b) => b.value_ns - a.value_ns);
  return root;
}

const PYTHON = /\.py\(\d+\): |^<[^>]*>\(\d+\): /;

// Without what all frames have in common: folders of installed packages, PyTorch's own name spaces.
export function shortFrame(name: string): string {
  return name.replace(/^.*[/\\](?:site|dist)-packages[/\\]/, "").replace(/^at::_ops::/, "aten::").replace(/^torch::autograd::generated::/, "");
}

// Where a stack allocates: its innermost Python frame, and the operator called from there; else its outermost frame.
export function placeOf(names: readonly string[]): string {
  const python = names.findIndex((name) => PYTHON.test(name));
  if (python < 0) return names[names.length - 1] ?? "";
  return python > 0 ? `${names[python]} › ${names[python - 1]}` : names[python];
}
