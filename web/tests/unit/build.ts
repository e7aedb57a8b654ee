// Spans by hand for tests: rows of [start, duration, name?, kind?, link?].
import { decodeSpans, type Spans } from "../../src/data/spans";
import { encodeSpans, type FixtureSpan } from "./fixtures";

export function spansOf(rows: [number, number, number?, number?, number?][][]): Spans {
  const fixture: FixtureSpan[][] = rows.map((row) => row.map(([start, dur, name = 1, kind = 16, link = -1]) => ({ start, dur, name, kind, link })));
  return decodeSpans(encodeSpans(fixture));
}

// A deterministic row of spans, for comparisons of fast ways with plain ones.
export function randomRow(count: number, seed: number): [number, number, number][] {
  let state = seed >>> 0;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % limit;
  };
  const row: [number, number, number][] = [];
  let at = next(1000);
  for (let i = 0; i < count; ++i) {
    at += next(20) === 0 ? next(100_000) : next(300);
    const dur = next(50) === 0 ? next(20_000) : next(400);
    row.push([at, dur, 1 + next(5)]);
    at += dur;
  }
  return row;
}
