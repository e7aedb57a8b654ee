// Search over span names. A query is words that all must occur (any case), or /a regular expression/.
import { boundedRegex } from "./pattern";
import type { Spans } from "./spans";

export interface Matches {
  query: string;
  count: number;
  ns: number; // their durations together
  names: number; // different names
  before: Uint32Array; // spans + 1: matches before this index; so a range of spans is tested by two look-ups
  first: Uint32Array; // indices of the first matches in time order, at most `LISTED`
}

export const LISTED = 5000;

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
export function search(spans: Spans, strings: readonly string[], query: string): Matches | null {
  const trimmed = query.trim();
  if (!trimmed) return null;
  const matches = matcher(trimmed);
  const hit = new Uint8Array(strings.length);
  for (let i = 0; i < strings.length; ++i) hit[i] = strings[i] && matches(strings[i]) ? 1 : 0;
  const used = new Uint8Array(strings.length);
  const before = new Uint32Array(spans.count + 1);
  let ns = 0;
  for (let i = 0; i < spans.count; ++i) {
    const name = spans.name[i];
    const is = hit[name] ?? 0;
    before[i + 1] = before[i] + is;
    if (is) {
      ns += spans.dur[i];
      used[name] = 1;
    }
  }
  const count = before[spans.count];
  return { query: trimmed, count, ns, names: used.reduce((sum, one) => sum + one, 0), before, first: earliest(spans, before, count) };
}

function earliest(spans: Spans, before: Uint32Array, count: number): Uint32Array {
  const all = new Uint32Array(count);
  for (let i = 0, n = 0; i < spans.count; ++i) if (before[i + 1] > before[i]) all[n++] = i;
  all.sort((a, b) => spans.start[a] - spans.start[b] || a - b);
  return all.slice(0, LISTED);
}
