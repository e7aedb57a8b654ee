import { describe, expect, it } from "vitest";
import { buildPyramid, levelFor } from "../../src/data/pyramid";
import { randomRow, spansOf } from "./build";

const spans = spansOf([randomRow(4000, 7), [], randomRow(3000, 99)]);
const levels = buildPyramid(spans);

describe("pyramid", () => {
  it("has levels, each clearly smaller than the one below, and few nodes in all", () => {
    expect(levels.length).toBeGreaterThan(4);
    let below = spans.count;
    for (const level of levels) {
      expect(level.longest.length).toBeLessThanOrEqual(0.7 * below);
      below = level.longest.length;
    }
    expect(levels.reduce((sum, level) => sum + level.longest.length, 0)).toBeLessThan(3 * spans.count);
  });

  it("covers every span once, row by row, and names the longest of each node", () => {
    for (const level of levels) {
      for (let row = 0; row < 3; ++row) {
        expect(level.first[level.rowStart[row]] ?? spans.count).toBe(spans.rowStart[row]);
        for (let node = level.rowStart[row]; node < level.rowStart[row + 1]; ++node) {
          const members = Array.from({ length: level.first[node + 1] - level.first[node] }, (_, i) => level.first[node] + i);
          expect(members.length).toBeGreaterThan(0);
          expect(members).toContain(level.longest[node]);
          expect(spans.dur[level.longest[node]]).toBe(Math.max(...members.map((i) => spans.dur[i])));
          const last = members[members.length - 1];
          const length = spans.start[last] + spans.dur[last] - spans.start[members[0]];
          expect(members.length === 1 || length <= level.ns).toBe(true);
        }
      }
    }
  });

  it("chooses a level that a pixel still resolves", () => {
    expect(levelFor(levels, 1)).toBe(null);
    for (const ns of [500, 5000, 1e6]) expect(levelFor(levels, ns)?.ns ?? 0).toBeLessThanOrEqual(ns);
    expect(levelFor(levels, 1e12)).toBe(levels[levels.length - 1]);
  });

  it("gives about two nodes a pixel at most at any zoom", () => {
    const end = spans.start[3999] + spans.dur[3999];
    for (const pixels of [200, 1000]) {
      const ns = end / pixels;
      const level = levelFor(levels, ns);
      if (level) expect(level.rowStart[1] - level.rowStart[0]).toBeLessThan(4.5 * pixels);
    }
  });

  it("of nothing is nothing", () => expect(buildPyramid(spansOf([]))).toEqual([]));
});
