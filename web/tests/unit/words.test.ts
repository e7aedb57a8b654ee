import { describe, expect, it } from "vitest";
import { valueRange } from "../../src/charts/value_range";
import { compareCells, csv } from "../../src/ui/table";
import { axisTime, bytes, change, duration, percent, scaled, shortName, withUnit } from "../../src/ui/format";
import { en } from "../../src/ui/texts_en";
import { zh } from "../../src/ui/texts_zh";
import { formatHash, parseHash } from "../../src/ui/state";

describe("numbers", () => {
  it("have three digits and a unit that fits", () => {
    expect([0, 999, 1500, 61_900_000, 2.5e9].map(duration)).toEqual(["0 ns", "999 ns", "1.50 µs", "61.9 ms", "2.50 s"]);
    expect([512, 6.75 * 2 ** 20, 140 * 2 ** 30].map(bytes)).toEqual(["512 B", "6.75 MiB", "140 GiB"]);
    expect(scaled(4.8e12, "B/s")).toBe("4.80 TB/s");
    expect([0, 0.04, 87.57].map(percent)).toEqual(["0.0 %", "<0.1 %", "87.6 %"]);
    expect(change(84.3)).toBe("−84 %");
    expect(withUnit(1234, "count")).toBe("1,234");
  });
  it("on the axis follow the distance of marks, without a minus zero", () => {
    expect(axisTime(-1e-9, 1e6)).toBe("0 ms");
    expect(axisTime(1.5e6, 5e5)).toBe("1.5 ms");
    expect(axisTime(154_600_000, 200_000)).toBe("154.6 ms");
    expect(axisTime(400, 200)).toBe("400 ns");
  });
});

describe("names of kernels", () => {
  it("lose return type, parameters and namespaces", () => {
    expect(shortName("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, at::native::X)")).toBe("vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>");
    expect(shortName("sm90_xmma_gemm_f32")).toBe("sm90_xmma_gemm_f32");
    expect(shortName("torch/nn/module.py(12): forward")).toBe("torch/nn/module.py(12): forward");
  });
});

describe("texts", () => {
  it("are the same keys in both languages, with the same places to fill", () => {
    const holes = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map((match) => match[0]).sort();
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect(holes(zh[key]), key).toEqual(holes(en[key]));
    expect(Object.keys(zh).length).toBe(Object.keys(en).length);
  });
});

describe("tables", () => {
  const table = { schema: "", title: "", summary: [], columns: [{ name: "name", unit: "" }, { name: "total_ns", unit: "ns" }], rows: [['a,"b"', 1], ["=HYPERLINK(1)", null]] as (string | number | null)[][], row_count: 2, notes: [] };
  it("quote for CSV and never hand a formula to a spreadsheet", () => expect(csv(table)).toBe('name,total_ns\n"a,""b""",1\n\'=HYPERLINK(1),\n'));
  it("sort numbers as numbers and absent ones last", () => {
    expect([3, null, 12, 1].sort(compareCells)).toEqual([1, 3, 12, null]);
    expect(["k10", "k9"].sort(compareCells)).toEqual(["k9", "k10"]);
  });
});

describe("axes of charts", () => {
  it("are never empty: an empty one would never end", () => {
    for (const [low, high] of [[5, 5], [0, 0], [null, null], [NaN, NaN], [-3, -3], [1, 9]] as [number | null, number | null][]) {
      for (const zeroBased of [true, false]) {
        const [from, to] = valueRange(low, high, "MHz", zeroBased);
        expect(to).toBeGreaterThan(from);
      }
    }
  });
});

describe("state in the address", () => {
  it("comes back as it was", () => {
    const state = { page: "timeline", t0: 10, t1: 99, span: 5, mark: [20, 30] as [number, number], search: "a&b=c", table: "kernels", pins: ["s1"], moment: null, folds: ["h0", "h1"] };
    expect(parseHash(formatHash(state))).toEqual(state);
  });
  it("ignores what is no number", () => expect(parseHash("#p=timeline&t0=x&t1=&s=1e999").t0).toBe(null));
});
