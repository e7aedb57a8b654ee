import { describe, expect, it } from "vitest";
import { decodeAllocations, framesOf, holdingsAt, holdingTree, placeOf, shortFrame } from "../../src/data/allocations";
import { encodeAllocations } from "./fixtures";

const frames = [{ name: 1, parent: -1 }, { name: 2, parent: 0 }, { name: 3, parent: 0 }];
const rows = [
  { track: 4, begin: 0, end: null, bytes: 1000, stack: -1, before: true },
  { track: 4, begin: 10, end: 30, bytes: 64, stack: 1, before: false },
  { track: 5, begin: 12, end: null, bytes: 7, stack: 1, before: false },
  { track: 4, begin: 20, end: null, bytes: 100, stack: 2, before: false },
  { track: 4, begin: 25, end: 40, bytes: 50, stack: 1, before: false },
];

describe("allocations", () => {
  const all = decodeAllocations(encodeAllocations({ frames, rows }));
  it("tells who holds memory at a moment: what began and did not end yet", () => {
    expect(holdingsAt(all, 4, 9).map((one) => one.bytes)).toEqual([1000]);
    const held = holdingsAt(all, 4, 29);
    expect(held.map((one) => [one.stack, one.bytes, one.count, one.oldest])).toEqual([[-1, 1000, 1, 0], [1, 114, 2, 10], [2, 100, 1, 20]]);
    expect(holdingsAt(all, 4, 30).map((one) => one.bytes)).toEqual([1000, 100, 50]); // an end is outside
    expect(holdingsAt(all, 5, 99).map((one) => one.bytes)).toEqual([7]);
  });
  it("makes a flame graph whose values are bytes", () => {
    const root = holdingTree(all, holdingsAt(all, 4, 29), () => "older");
    expect(root.value_ns).toBe(1214);
    expect(root.children?.map((node) => [node.name, node.value_ns, node.count])).toEqual([["older", 1000, 1], [1, 214, 3]]);
    expect(root.children?.[1].children?.map((node) => [node.name, node.self_ns])).toEqual([[2, 114], [3, 100]]);
    expect(framesOf(all, 2)).toEqual([2, 0]);
  });
  it("refuses frames that are not there: a circle would never end", () => {
    expect(() => decodeAllocations(encodeAllocations({ frames: [{ name: 1, parent: 0 }], rows: [] }))).toThrow("frame_parent");
    expect(() => decodeAllocations(encodeAllocations({ frames, rows: [{ ...rows[1], stack: 9 }] }))).toThrow("stack");
  });
});

describe("the place that allocates", () => {
  it("is the innermost Python frame with the operator called from it", () => {
    expect(placeOf(["aten::empty", "aten::linear", "model.py(3): forward", "train.py(9): main"])).toBe("model.py(3): forward › aten::linear");
    expect(placeOf(["model.py(3): forward"])).toBe("model.py(3): forward");
    expect(placeOf(["at::_ops::mm", "MmBackward0"])).toBe("MmBackward0");
    expect(placeOf([])).toBe("");
    expect(shortFrame("/opt/x/lib/python3.12/site-packages/torch/nn/linear.py(3): forward")).toBe("torch/nn/linear.py(3): forward");
    expect(shortFrame("at::_ops::mm")).toBe("aten::mm");
  });
});
