import { describe, expect, it } from "vitest";
import { boundedRegex, repeatsOf } from "../../src/data/pattern";
import { matcher } from "../../src/data/search";

describe("regular expressions of the search box", () => {
  it("takes ordinary ones", () => {
    for (const source of ["gemm", "^void .*kernel<\\d+", "(add|mul)_kernel", "[(*+]", "sm\\d+_.*", "a?b?", "\\(\\+\\)"]) {
      expect(repeatsOf(source), source).not.toBeNull();
    }
    expect(matcher("/(add|mul)_kernel/")("void mul_kernel<4>")).toBe(true);
    expect(matcher("/GEMM/i")("sm90_gemm")).toBe(true);
  });
  it("refuses those that may not end", () => {
    for (const source of ["(a+)+b", "(.*)*q$", "(a|a)*b", "(a|b){2,}", "(a)\\1", ".*.*.*.*x"]) {
      expect(repeatsOf(source), source).toBeNull();
      expect(boundedRegex(source, "")).toBeNull();
    }
    expect(boundedRegex("(", "")).toBeNull();
  });
  it("ends on long names", () => {
    const found = matcher("/a*a*a*b/");
    // A search that is not bounded takes hours for one of these names: the limit of the test is what would tell.
    for (let i = 0; i < 100; ++i) expect(found("a".repeat(100000))).toBe(false);
  }, 60_000);
});
