// Sums over a range of time: busy time of rows and of their union, time by name, idle time by cause.
import { firstEndingAfter, type Spans } from "./spans";

// Time of the row's spans inside [from, to), in ns, from the running sums: two binary searches.
export function busyInRow(spans: Spans, row: number, from: number, to: number): number {
  const low = firstEndingAfter(spans, spans.rowStart[row], spans.rowStart[row + 1], from);
  const high = firstStartingAt(spans, low, spans.rowStart[row + 1], to);
  if (low >= high) return 0;
  let sum = spans.before[high] - spans.before[low];
  sum -= Math.max(0, from - spans.start[low]);
  const last = high - 1;
  sum -= Math.max(0, spans.start[last] + spans.dur[last] - to);
  return Math.max(0, sum);
}

// First index in [low, high) whose span starts at or after `time`.
export function firstStartingAt(spans: Spans, low: number, high: number, time: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans.start[middle] >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Indices [begin, end) of the row's spans that touch [from, to).
export function touching(spans: Spans, row: number, from: number, to: number): [number, number] {
  const begin = firstEndingAfter(spans, spans.rowStart[row], spans.rowStart[row + 1], from);
  return [begin, firstStartingAt(spans, begin, spans.rowStart[row + 1], to)];
}

// Time in [from, to) that at least one of the rows covers.
export function unionBusy(spans: Spans, rows: readonly number[], from: number, to: number): number {
  let starts: number[] = [];
  let ends: number[] = [];
  for (const row of rows) {
    const [begin, end] = touching(spans, row, from, to);
    if (begin >= end) continue;
    const nextStarts: number[] = [];
    const nextEnds: number[] = [];
    let other = 0;
    let mine = begin;
    while (mine < end || other < starts.length) {
      const takeMine = mine < end && (other >= starts.length || spans.start[mine] <= starts[other]);
      const s = takeMine ? Math.max(from, spans.start[mine]) : starts[other];
      const e = takeMine ? Math.min(to, spans.start[mine] + spans.dur[mine]) : ends[other];
      if (takeMine) ++mine;
      else ++other;
      const last = nextEnds.length - 1;
      if (last >= 0 && s <= nextEnds[last]) nextEnds[last] = Math.max(nextEnds[last], e);
      else if (e > s) {
        nextStarts.push(s);
        nextEnds.push(e);
      }
    }
    starts = nextStarts;
    ends = nextEnds;
  }
  let sum = 0;
  for (let i = 0; i < starts.length; ++i) sum += ends[i] - starts[i];
  return sum;
}

export interface NameSum {
  name: number; // string id
  count: number;
  ns: number; // inside the range
  longest: number; // span index
}

// Spans of the rows by name, most time first. Spans cut by the range count with the part inside it.
export function sumByName(spans: Spans, rows: readonly number[], from: number, to: number, keep: (index: number) => boolean = () => true): NameSum[] {
  const sums = new Map<number, NameSum>();
  for (const row of rows) {
    const [begin, end] = touching(spans, row, from, to);
    for (let i = begin; i < end; ++i) {
      if (!keep(i)) continue;
      const ns = Math.min(to, spans.start[i] + spans.dur[i]) - Math.max(from, spans.start[i]);
      const sum = sums.get(spans.name[i]);
      if (!sum) {
        sums.set(spans.name[i], { name: spans.name[i], count: 1, ns, longest: i });
        continue;
      }
      ++sum.count;
      sum.ns += ns;
      if (spans.dur[i] > spans.dur[sum.longest]) sum.longest = i;
    }
  }
  return [...sums.values()].sort((a, b) => b.ns - a.ns || a.name - b.name);
}
