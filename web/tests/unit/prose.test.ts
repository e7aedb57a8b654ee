import { describe, expect, it } from "vitest";
import { foldAddresses, hasPython } from "../../src/data/flame_names";
import type { FlameNode } from "../../src/data/types";
import { duration, scaled, withUnit } from "../../src/ui/format";
import { prose, remark, tableNote } from "../../src/ui/prose";

describe("sentences of the report", () => {
  it("have one spelling of units, minus and arrow", () => {
    expect(prose("4.76 ms -> 428 us a step (-84 %), from -3.5 ms")).toBe("4.76 ms → 428 µs a step (−84 %), from −3.5 ms");
    expect([duration(-1500), withUnit(-5, "count"), scaled(-2, "B/s")]).toEqual(["−1.50 µs", "−5", "−2 B/s"]);
  });
  it("leave code, flags, names and plain words alone", () => {
    for (const text of ["`nvidia-smi -lms 200 us -> x`", "nsys profile -t cuda", "head -5 x", "tells us -1", "a->b", "3 usb"]) expect(prose(text)).toBe(text);
  });
  it("do not name flags as if they worked in the page", () => {
    expect(remark("Left out (--from 0 shows all).")).toBe("Left out.");
    expect(remark("give the real one with --step-ms.")).toBe("give the real one with warpscope … --step-ms.");
    expect(remark("record with ncu --set full")).toBe("record with ncu --set full");
    expect(tableNote("More: --by subject, --list.", "gaps", true)).toBe(null);
    expect(tableNote("More: --by time. Nothing in between is known.", "readings", false)).toBe("More on the command line: warpscope readings --by time. Nothing in between is known.");
  });
});

describe("frames with addresses", () => {
  const leaf = (name: string, ns: number, children: FlameNode[] = []): FlameNode => ({ name, value_ns: ns, self_ns: 0, count: 1, children });
  const nameOf = (node: FlameNode): string => String(node.name);
  it("are one frame when they differ by the address alone, with their children joined", () => {
    const root = foldAddresses(leaf("", 60, [leaf("<built-in method of X at 0x7f9ef0001000>", 20, [leaf("a", 5)]), leaf("b", 10), leaf("<built-in method of X at 0x7f9ef0002000>", 30, [leaf("a", 7), leaf("c", 1)])]), nameOf);
    expect(root.children?.map((one) => [one.name, one.value_ns])).toEqual([["<built-in method of X at 0x…>", 50], ["b", 10]]);
    expect(root.children?.[0].children?.map((one) => [one.name, one.value_ns])).toEqual([["a", 12], ["c", 1]]);
  });
  it("tell whether a run has Python stacks", () => {
    expect(hasPython(leaf("", 1, [leaf("train.py(3): run", 1)]), nameOf)).toBe(true);
    expect(hasPython(leaf("", 1, [leaf("aten::mm", 1)]), nameOf)).toBe(false);
  });
});
