// Level-of-detail pyramid over spans. Level k joins neighbours of a row while the joined stretch is at most ns[k]
// long; longer spans stay alone. A node is the index of its first span (the next node's first ends it) and of its
// longest span, so 8 bytes. A level is kept only when it is clearly smaller than the one below; all levels together
// then take at most about 3 nodes a span. At a zoom where a pixel lasts p ns, the level with ns <= p has about two
// nodes a pixel at most, whatever the number of events.
import type { Spans } from "./spans";

export interface Level {
  ns: number;
  first: Uint32Array; // nodes + 1; the last is the number of spans
  longest: Uint32Array;
  rowStart: Uint32Array; // rows + 1, in nodes
}

const SHRINK = 0.7;
const FIRST_NS = 128;

export function buildPyramid(spans: Spans): Level[] {
  const rows = spans.rowStart.length - 1;
  const levels: Level[] = [];
  let extent = 0;
  for (let row = 0; row < rows; ++row) {
    if (spans.rowStart[row] === spans.rowStart[row + 1]) continue;
    const last = spans.rowStart[row + 1] - 1;
    extent = Math.max(extent, spans.start[last] + spans.dur[last] - spans.start[spans.rowStart[row]]);
  }
  let below = identity(spans);
  for (let ns = FIRST_NS; ns < extent; ns *= 2) {
    if (countNodes(spans, below, ns) > SHRINK * below.longest.length) continue;
    below = join(spans, below, ns);
    levels.push(below);
    if (below.longest.length <= rows * 2) break;
  }
  return levels;
}

function identity(spans: Spans): Level {
  const first = new Uint32Array(spans.count + 1);
  for (let i = 0; i <= spans.count; ++i) first[i] = i;
  return { ns: 0, first, longest: first.subarray(0, spans.count), rowStart: spans.rowStart };
}

function endOf(spans: Spans, level: Level, node: number): number {
  const last = level.first[node + 1] - 1;
  return spans.start[last] + spans.dur[last];
}

function countNodes(spans: Spans, below: Level, ns: number): number {
  let nodes = 0;
  for (let row = 0; row + 1 < below.rowStart.length; ++row) {
    let begin = -Infinity;
    for (let node = below.rowStart[row]; node < below.rowStart[row + 1]; ++node) {
      if (endOf(spans, below, node) - begin <= ns) continue;
      begin = spans.start[below.first[node]];
      ++nodes;
    }
  }
  return nodes;
}

function join(spans: Spans, below: Level, ns: number): Level {
  const rows = below.rowStart.length - 1;
  const count = countNodes(spans, below, ns);
  const first = new Uint32Array(count + 1);
  const longest = new Uint32Array(count);
  const rowStart = new Uint32Array(rows + 1);
  let nodes = 0;
  for (let row = 0; row < rows; ++row) {
    let begin = -Infinity;
    for (let node = below.rowStart[row]; node < below.rowStart[row + 1]; ++node) {
      const candidate = below.longest[node];
      if (endOf(spans, below, node) - begin <= ns) {
        if (spans.dur[candidate] > spans.dur[longest[nodes - 1]]) longest[nodes - 1] = candidate;
        continue;
      }
      begin = spans.start[below.first[node]];
      first[nodes] = below.first[node];
      longest[nodes] = candidate;
      ++nodes;
    }
    rowStart[row + 1] = nodes;
  }
  first[count] = spans.count;
  return { ns, first, longest, rowStart };
}

// The coarsest level that a pixel of `ns` still resolves; null: draw the spans themselves.
export function levelFor(levels: readonly Level[], ns: number): Level | null {
  let chosen: Level | null = null;
  for (const level of levels) {
    if (level.ns > ns) break;
    chosen = level;
  }
  return chosen;
}
