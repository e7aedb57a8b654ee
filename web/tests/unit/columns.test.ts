import { describe, expect, it } from "vitest";
import { readContainer, VarintReader } from "../../src/data/columns";
import { decodeSeries, extremes, pointAt } from "../../src/data/series";
import { firstRows, rowOf, spanAt } from "../../src/data/spans";
import { encodeSeries, encodeSpans } from "./fixtures";
import { spansOf } from "./build";

describe("varints", () => {
  it("reads values up to 2^53 exactly", () => {
    // 2^53 - 1 in LEB128: seven full bytes and four bits
    const bytes = Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x05]);
    const reader = new VarintReader(bytes, "x");
    expect(reader.unsigned()).toBe(Number.MAX_SAFE_INTEGER);
    expect(reader.signed()).toBe(-3);
  });
  it("names the column that ends early, and refuses endless numbers", () => {
    expect(() => new VarintReader(Uint8Array.from([0x80]), "dur").unsigned()).toThrow("column dur ends early");
    expect(() => new VarintReader(new Uint8Array(20).fill(0xff), "dur").unsigned()).toThrow("longer than 10 bytes");
  });
});

describe("container", () => {
  it("refuses a column that claims more bytes than there are", () => {
    const data = encodeSpans([[{ start: 0, dur: 1, name: 1, kind: 16 }]]);
    expect(() => readContainer(data.subarray(0, data.length - 2))).toThrow("columns end at byte");
    expect(() => readContainer(new Uint8Array(2))).toThrow("columns end");
  });
});

describe("spans", () => {
  const spans = spansOf([[[10, 5], [20, 5]], [], [[-3, 10, 2, 3], [100, 1, 3, 16, 0]]]);
  it("restores starts, links and row bounds", () => {
    expect([...spans.start]).toEqual([10, 20, -3, 100]);
    expect([...spans.link]).toEqual([-1, -1, -1, 0]);
    expect([...spans.rowStart]).toEqual([0, 2, 2, 4]);
    expect([...spans.before]).toEqual([0, 5, 10, 20, 21]);
  });
  it("finds the span at a time, and the row of a span over empty rows", () => {
    expect(spanAt(spans, 0, 12)).toBe(0);
    expect(spanAt(spans, 0, 15)).toBe(-1); // the end is outside
    expect(spanAt(spans, 2, 0)).toBe(2);
    expect([0, 1, 2, 3].map((i) => rowOf(spans, i))).toEqual([0, 0, 2, 2]);
  });
  it("gives tracks their rows and never more than there are", () => {
    const track = { id: "a", kind: "host", group: "g", name: "n", spans: 1 };
    expect([...firstRows([{ ...track, depths: 2 }, { ...track, depths: 0 }, { ...track, depths: 9 }], 3)]).toEqual([0, 2, 2, 3]);
  });
  it("takes a link outside the spans as none", () => {
    expect(spansOf([[[0, 1, 1, 16, 77]]]).link[0]).toBe(-1);
  });
});

describe("series", () => {
  it("restores times and finds extremes over any range", () => {
    const value = Array.from({ length: 1000 }, (_, i) => Math.fround(Math.sin(i * 12.9898) * 1000));
    const time = value.map((_, i) => i * 10 + 5);
    const [first, second] = decodeSeries(encodeSeries([{ time, value }, { time: [3, 9], value: [1, NaN] }]));
    expect(first.time[999]).toBe(9995);
    for (const [from, to] of [[0, 1000], [3, 17], [15, 500], [999, 1000], [16, 32]]) {
      const part = value.slice(from, to);
      expect(extremes(first, from, to)).toEqual([Math.min(...part), Math.max(...part)]);
    }
    expect(pointAt(second, 2)).toBe(-1);
    expect(pointAt(second, 100)).toBe(1);
    expect(second.max).toBe(1);
  });
});
