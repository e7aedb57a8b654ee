import { describe, expect, it } from "vitest";
import { busyInRow, sumByName, unionBusy } from "../../src/data/sums";
import { randomRow, spansOf } from "./build";

const spans = spansOf([randomRow(800, 3), randomRow(600, 5)]);
const end = spans.start[799] + spans.dur[799];
const ranges: [number, number][] = [[0, end], [1000, 5000], [end / 3, end / 2], [end + 10, end + 20], [777, 778]];

function plainBusy(row: number, from: number, to: number): number {
  let sum = 0;
  for (let i = spans.rowStart[row]; i < spans.rowStart[row + 1]; ++i) sum += Math.max(0, Math.min(to, spans.start[i] + spans.dur[i]) - Math.max(from, spans.start[i]));
  return sum;
}

// Marks every nanosecond that some span covers: slow, but obviously right.
function plainUnion(from: number, to: number): number {
  const events: [number, number][] = [];
  for (let i = 0; i < spans.count; ++i) {
    const s = Math.max(from, spans.start[i]);
    const e = Math.min(to, spans.start[i] + spans.dur[i]);
    if (e > s) events.push([s, 1], [e, -1]);
  }
  events.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let depth = 0;
  let last = 0;
  let sum = 0;
  for (const [time, step] of events) {
    if (depth > 0) sum += time - last;
    depth += step;
    last = time;
  }
  return sum;
}

describe("sums of a range", () => {
  it("agree with adding up every span", () => {
    for (const [from, to] of ranges) for (const row of [0, 1]) expect(busyInRow(spans, row, from, to)).toBeCloseTo(plainBusy(row, from, to), 6);
  });
  it("count time once where rows overlap", () => {
    for (const [from, to] of ranges) expect(unionBusy(spans, [0, 1], from, to)).toBeCloseTo(plainUnion(from, to), 6);
  });
  it("by name add up to the rows, most time first, cut at the range's ends", () => {
    for (const [from, to] of ranges) {
      const sums = sumByName(spans, [0, 1], from, to);
      expect(sums.reduce((sum, one) => sum + one.ns, 0)).toBeCloseTo(plainBusy(0, from, to) + plainBusy(1, from, to), 6);
      for (let i = 1; i < sums.length; ++i) expect(sums[i].ns).toBeLessThanOrEqual(sums[i - 1].ns);
    }
  });
});
