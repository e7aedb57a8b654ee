import { describe, expect, it } from "vitest";
import { matcher, matchFrom, search } from "../../src/data/search";
import { spansOf } from "./build";

const strings = ["", "aten::mm", "aten::add_", "void gemm<Float>(int)"];
const spans = spansOf([[[50, 5, 1], [60, 5, 2]], [[0, 7, 3], [40, 5, 1]]]);

describe("search", () => {
  it("needs all words, in any case, and lists matches in time order", () => {
    const found = search(spans, strings, " ATEN mm ");
    expect(found?.count).toBe(2);
    expect([...(found?.first ?? [])].map((i) => spans.start[i])).toEqual([40, 50]);
    expect(found?.ns).toBe(10);
    expect(found?.names).toBe(1);
  });
  it("counts matches before an index, so that a range is two look-ups", () => {
    const found = search(spans, strings, "gemm");
    expect([...(found?.before ?? [])]).toEqual([0, 0, 0, 1, 1]);
  });
  it("takes /a regular expression/ and survives a broken one", () => {
    expect(search(spans, strings, "/^aten::(mm|add_)$/")?.count).toBe(3);
    expect(search(spans, strings, "/GEMM/i")?.count).toBe(1);
    expect(search(spans, strings, "/(/")?.count).toBe(0);
  });
  it("counts nested matches once on their track, and each track for itself", () => {
    const nested = spansOf([[[0, 100, 1]], [[10, 20, 1], [40, 80, 1]], [[0, 30, 1]]]);
    expect(search(nested, strings, "mm", (row) => (row < 2 ? 0 : 1))?.ns).toBe(120 + 30);
  });
  it("jumps to the next match from a time, and around at the end", () => {
    const order = search(spans, strings, "aten")?.order ?? new Uint32Array(0);
    expect([0, 45, 60, 61].map((time) => spans.start[order[matchFrom(spans, order, time)]])).toEqual([40, 50, 60, 40]);
  });
  it("is off without a query", () => expect(search(spans, strings, "  ")).toBe(null));
  it("finds text with markup as text", () => expect(matcher('"><script>')('x"><script>alert(1)')).toBe(true));
});
