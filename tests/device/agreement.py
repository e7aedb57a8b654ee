#!/usr/bin/env python3
"""Whether `warpscope record` and torch.profiler tell the same of the same programs.

  agreement.py BIN [--rounds 2] [--seconds 300] [--only tiny,graph] [--keep FOLDER | --pairs FOLDER]

Both use CUPTI, and CUPTI has one subscriber a process: one process cannot be recorded by both. So each program runs twice
a round, in turns, and medians over the rounds are compared, over the same steps (the last ones of each run):
  - kernels a step, by name: equal
  - device time of a step: within 1 %; of each kernel that takes 2 % of it: within 3 % (single kernels vary with the clock
    and with what runs beside them) or 64 ns a run (two ticks of the device's clock)
  - the first cause of the verdict: the same; and no cause of 10 % gain that only one of them names. For that the
    program itself also runs without a recorder, and a recording in which it ran more than 5 % slower than that is not
    judged (a shared machine's processor does this): another round is run in its place, at most twice as many.
--keep: leaves the last judged round there. --pairs: compares FOLDER/NAME (a run folder) with FOLDER/NAME.json.gz, as
--keep left them, instead of running anything.
"""
import argparse
import os
import re
import shutil
import sys
import time

import runs

PROGRAMS = {
    "tiny": ["tiny.py"],
    "slowloader": ["loader.py", "slow"],
    "fastloader": ["loader.py", "fast"],
    "transformer": ["transformer.py"],
    "graph": ["graph.py"],
}
MOST_PCT = 1.0
MOST_KERNEL_PCT, TICKS_NS = 3.0, 64
TOLD_PCT = 2.0    # of the step's device time: shorter kernels are compared in their sum
MOST_SLOWER_PCT = 5
NOTABLE_PCT = 10  # a gain that both must name


def per_step(tool, path, most):
    """{kernel: (count a step, ns a step)} over the last steps but the very last, which a recording may cut."""
    steps = [row["step"] for row in tool.table("steps", path) if row["remark"] != "warm-up"]
    steps = steps[-most - 1:-1] if len(steps) > 2 else steps
    sums = {}
    for step in steps:
        for row in tool.table("kernels", path, "--step", str(step)):
            count, total = sums.get(row["kernel"], (0, 0))
            sums[row["kernel"]] = (count + row["count"], total + row["total_ns"])
    return {name: (count / len(steps), total / len(steps)) for name, (count, total) in sums.items()}


def medians(rounds):
    names = {name for one in rounds for name in one}
    return {name: tuple(runs.median([one.get(name, (0, 0))[i] for one in rounds]) for i in (0, 1)) for name in names}


def off_pct(a, b):
    return 100 * (a - b) / b if b else float("inf")


def compare(check, name, ours, torch):
    count, total = sum(v[0] for v in ours.values()), sum(v[1] for v in ours.values())
    torch_count, torch_total = sum(v[0] for v in torch.values()), sum(v[1] for v in torch.values())
    worst, worst_name, beyond = 0, "-", False
    for kernel, (times, ns) in torch.items():
        if ns * 100 < TOLD_PCT * torch_total:
            continue
        own_ns = ours.get(kernel, (0, 0))[1]
        off = off_pct(own_ns, ns)
        beyond |= abs(off) > MOST_KERNEL_PCT and abs(own_ns - ns) > TICKS_NS * times
        if abs(off) > abs(worst):
            worst, worst_name = off, kernel
    differ = [kernel for kernel in {*ours, *torch}
              if abs(ours.get(kernel, (0, 0))[0] - torch.get(kernel, (0, 0))[0]) > 0.01 * torch.get(kernel, (1, 0))[0]]
    check(f"{name}: kernels a step", abs(off_pct(count, torch_count)) <= MOST_PCT and not differ,
          f"{count:.1f} and {torch_count:.1f}" + (f"; differ: {', '.join(sorted(differ))[:200]}" if differ else ""))
    check(f"{name}: device time of a step", abs(off_pct(total, torch_total)) <= MOST_PCT,
          f"{total / 1e6:.4f} and {torch_total / 1e6:.4f} ms ({off_pct(total, torch_total):+.2f} %)")
    check(f"{name}: device time by kernel", not beyond, f"worst {worst:+.2f} %: {worst_name[:70]}")
    return [f"{count:.1f}", f"{torch_count:.1f}", f"{total / 1e6:.3f}", f"{torch_total / 1e6:.3f}",
            f"{off_pct(total, torch_total):+.2f} %", f"{worst:+.2f} %"]


def causes(verdict):
    """[(id, gain)] of those that stand alone."""
    return [(finding["id"], (finding.get("predicted") or {}).get("gain_pct") or 0) for finding in verdict["findings"]
            if not finding.get("caused_by")]


def compare_verdicts(check, name, ours, torch):
    a, b = causes(ours), causes(torch)
    check(f"{name}: first cause", [cause for cause, _ in a[:1]] == [cause for cause, _ in b[:1]],
          f"{a[0][0] if a else 'none'} and {b[0][0] if b else 'none'}")
    notable = [{cause for cause, gain in side if gain >= NOTABLE_PCT} for side in (a, b)]
    named = [{cause for cause, _ in side} for side in (a, b)]
    alone = (notable[0] - named[1]) | (notable[1] - named[0])
    check(f"{name}: causes of {NOTABLE_PCT} % or more", not alone, f"only one names {', '.join(sorted(alone))}" if alone else "")
    return [" ".join(cause for cause, _ in a[:3]), " ".join(cause for cause, _ in b[:3])]


def step_ms(result):
    """Mean and median step that the program itself printed."""
    found = re.findall(r"([\d.]+) ms/step, median ([\d.]+)", result.text)
    return (float(found[-1][0]), float(found[-1][1])) if found else (0.0, 0.0)


def measure(tool, words, options, name, seconds):
    """(run folder, trace, mean ms a step alone, mean ms under record) of one round."""
    program = [sys.executable, os.path.join(runs.PROGRAMS, words[0]), *words[1:]]
    alone = step_ms(runs.run(program, seconds))
    result, folder = tool.record(program, options, seconds, name=name)
    if result.code != 0:
        raise RuntimeError(f"record: exit {result.code}: {result.err.strip()[-300:]}")
    recorded = step_ms(result)
    trace = tool.new(name) + ".json.gz"
    result = runs.run([*program, "--profile", trace], seconds)
    if result.code != 0:
        raise RuntimeError(f"torch.profiler: exit {result.code}: {result.err.strip()[-300:]}")
    print(f"{name}: {alone[0]:.2f} ms a step alone (median {alone[1]:.2f}), {recorded[0]:.2f} ({recorded[1]:.2f}) under record, "
          f"{step_ms(result)[0]:.2f} ({step_ms(result)[1]:.2f}) under torch.profiler", flush=True)
    return folder, trace, alone[0], recorded[0]


def steady(pairs):
    fastest = min(alone for _, _, alone, _ in pairs)
    return [pair for pair in pairs if pair[3] <= fastest * (1 + MOST_SLOWER_PCT / 100)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--keep")
    parser.add_argument("--pairs")
    parser.add_argument("--option", action="append", default=[], help="one more option of record, may be repeated")
    args = parser.parse_args()
    tool, check = runs.Tool(args.bin), runs.Checks()
    end = time.monotonic() + args.seconds
    rows = []
    for name in args.only.split(","):
        with check.part(name):
            if args.pairs:
                pairs = [(os.path.join(args.pairs, name), os.path.join(args.pairs, name + ".json.gz"), 0, 0)]
            else:
                pairs = []
                while (len(pairs) < args.rounds or not steady(pairs) and len(pairs) < 2 * args.rounds) and (
                        not pairs or time.monotonic() < end):
                    pairs.append(measure(tool, PROGRAMS[name], args.option, name, 120))
            most = min(sum(row["remark"] != "warm-up" for row in tool.table("steps", path)) for path in pairs[0]) - 1
            ours, torch = (medians([per_step(tool, pair[side], max(1, most)) for pair in pairs]) for side in (0, 1))
            row = [name, len(pairs), *compare(check, name, ours, torch)]
            judged = steady(pairs)
            if judged:
                row += compare_verdicts(check, name, tool.verdict(judged[-1][0]), tool.verdict(judged[-1][1]))
            else:
                check.skip(f"{name}: first cause", "in no round did the program keep its own pace under the recorder")
                row += ["-", "-"]
            rows.append(row)
            if args.keep:
                last = (judged or pairs)[-1]
                shutil.copytree(last[0], os.path.join(args.keep, name), dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
                shutil.copy(last[1], os.path.join(args.keep, name + ".json.gz"))
    print()
    runs.show(["program", "rounds", "kernels", "torch", "ms", "torch ms", "off", "worst kernel", "causes", "torch's causes"], rows)
    tool.close()
    check.end()


main()
