#!/usr/bin/env python3
"""How near `diff` comes to what was measured without a profiler, for pairs of recordings before and after a change.

A folder holds NAME.before.json.gz, NAME.after.json.gz and truth.json ("before_ms", "after_ms": steps measured without a
profiler). For each pair: the measured factor, that of diff's first line with its interval, and that of the recordings as
they are. The error is |log| of the ratio, as a percentage; "in" says whether the interval holds the measured factor,
given 3 % for each measured step (two runs of a program differ by that). Pairs whose truth counts samples and not steps
("samples") are left out.

Folders default to ../shared/cases; without any it says so and exits 77.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

import measured_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
OF_TRUTH = 0.03  # two runs of one program


def diff_of(binary, before, after):
    result = measured_run.run([binary, "diff", "--json", "--force", str(before), str(after)], 300)
    if not result.stdout.startswith("{"):
        return None
    return json.loads(result.stdout)


def error_pct(value, truth):
    return 100 * (math.exp(abs(math.log(value / truth))) - 1)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(share * len(values)) - 1)] if values else float("nan")


def pairs(folder):
    cases = json.loads((folder / "truth.json").read_text())["cases"]
    for name, case in sorted(cases.items()):
        before, after = folder / f"{name}.before.json.gz", folder / f"{name}.after.json.gz"
        if before.exists() and after.exists() and case.get("before_ms") and case.get("after_ms") and "samples" not in case:
            yield name, case, before, after


def interval_of(step):
    """Factors at the ends of the interval, or None."""
    if not step["interval"]:
        return None
    ends = [step["a_ms"] + step["interval"][end] for end in ("low_ms", "high_ms")]
    return tuple(step["a_ms"] / max(end, 1e-9) for end in reversed(ends))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    arguments = parser.parse_args()
    folders = [folder for folder in arguments.folders or [ROOT.parent / "shared" / "cases"] if folder.is_dir()]
    if not folders:
        print("no pairs of recordings: skipped")
        return SKIPPED
    told, recorded, inside, with_interval = [], [], 0, 0
    print(f"{'pair':36} {'measured':>9} {'told':>9} {'between':>19} {'recorded':>9}  error  in  basis")
    for folder in folders:
        for name, case, before, after in pairs(folder):
            diff = diff_of(arguments.binary, before, after)
            if diff is None or not diff.get("step"):
                print(f"{name:36} not compared")
                continue
            step, truth = diff["step"], case["before_ms"] / case["after_ms"]
            factor = step["a_ms"] / step["b_ms"]
            raw = step["recorded_a_ms"] / step["recorded_b_ms"]
            told.append(error_pct(factor, truth))
            recorded.append(error_pct(raw, truth))
            ends = interval_of(step)
            shown, mark = "-", "-"
            if ends:
                held = ends[0] / (1 + OF_TRUTH) <= truth <= ends[1] * (1 + OF_TRUTH)
                inside, with_interval = inside + held, with_interval + 1
                shown, mark = f"{ends[0]:.3g} to {ends[1]:.3g}", "yes" if held else "no"
            print(f"{name:36} {truth:9.3g} {factor:9.3g} {shown:>19} {raw:9.3g} {told[-1]:5.1f}% {mark:>4} "
                  f"{step['times']}")
    for words, errors in (("told", told), ("recorded", recorded)):
        print(f"{words}: {len(errors)} pairs, error of the factor: median {statistics.median(errors):.1f} %, "
              f"90th percentile {percentile(errors, 0.9):.1f} %")
    print(f"interval holds the measured factor: {inside} of {with_interval}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
