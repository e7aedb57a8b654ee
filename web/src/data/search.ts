// Search over span names. A query is words that all must occur (any case), or /a regular expression/.
import { boundedRegex } from "./pattern";
import type { Spans } from "./spans";

export interface Matches {
  query: string;
  count: number;
  ns: number; // time that they cover, nested ones once, summed over the tracks
  names: number; // different names
  before: Uint32Array; // spans + 1: matches before this index; so a range of spans is tested by two look-ups
  order: Uint32Array; // indices of all matches in time order
  first: Uint32Array; // the first `LISTED` of them
}

export const LISTED = 500_000; // rows of a list that browsers still lay out

export function matcher(query: string): (text: string) => boolean {
  const pattern = /^\/(.+)\/(i?)$/.exec(query);
  if (pattern) return boundedRegex(pattern[1], pattern[2]) ?? (() => false);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

// null: the query is empty.
// `trackOf`: of a row; without it each row counts as a track.
export function search(spans: Spans, strings: readonly string[], query: string, trackOf: (row: number) => number = (row) => row): Matches | null {
  const trimmed = query.trim();
  if (!trimmed) return null;
  const matches = matcher(trimmed);
  const hit = new Uint8Array(strings.length);
  for (let i = 0; i < strings.length; ++i) hit[i] = strings[i] && matches(strings[i]) ? 1 : 0;
  const used = new Uint8Array(strings.length);
  const before = new Uint32Array(spans.count + 1);
  for (let i = 0; i < spans.count; ++i) {
    const name = spans.name[i];
    const is = hit[name] ?? 0;
    before[i + 1] = before[i] + is;
    if (is) used[name] = 1;
  }
  const count = before[spans.count];
  const order = inTime(spans, before, count);
  return { query: trimmed, count, ns: covered(spans, before, trackOf), names: used.reduce((sum, one) => sum + one, 0), before, order, first: order.subarray(0, LISTED) };
}

// Time that matches cover on each track, together: the union of its rows, of which each is sorted already.
function covered(spans: Spans, before: Uint32Array, trackOf: (row: number) => number): number {
  const rowsOfTrack = new Map<number, number[]>();
  for (let row = 0; row + 1 < spans.rowStart.length; ++row) {
    if (before[spans.rowStart[row + 1]] === before[spans.rowStart[row]]) continue;
    const track = trackOf(row);
    rowsOfTrack.set(track, [...(rowsOfTrack.get(track) ?? []), row]);
  }
  let ns = 0;
  for (const rows of rowsOfTrack.values()) {
    const hits = new Uint32Array(rows.reduce((sum, row) => sum + before[spans.rowStart[row + 1]] - before[spans.rowStart[row]], 0));
    let n = 0;
    for (const row of rows) for (let i = spans.rowStart[row]; i < spans.rowStart[row + 1]; ++i) if (before[i + 1] > before[i]) hits[n++] = i;
    if (rows.length > 1) hits.sort((a, b) => spans.start[a] - spans.start[b]);
    let end = -Infinity;
    for (const i of hits) {
      const to = spans.start[i] + spans.dur[i];
      if (to > end) ns += to - Math.max(end, spans.start[i]);
      end = Math.max(end, to);
    }
  }
  return ns;
}

// Place in `order` of the first match that begins at or after `time`; the first of all if there is none.
export function matchFrom(spans: Spans, order: Uint32Array, time: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans.start[order[middle]] >= time) high = middle;
    else low = middle + 1;
  }
  return low < order.length ? low : 0;
}

function inTime(spans: Spans, before: Uint32Array, count: number): Uint32Array {
  const all = new Uint32Array(count);
  for (let i = 0, n = 0; i < spans.count; ++i) if (before[i + 1] > before[i]) all[n++] = i;
  all.sort((a, b) => spans.start[a] - spans.start[b] || a - b);
  return all;
}
