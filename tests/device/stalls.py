#!/usr/bin/env python3
"""Sampled stall reasons on a machine with a GPU: right reason, right line, every kernel traced, what it costs.

usage: stalls.py BIN [--only stalled,triton,transformer,cost] [--rounds 1]        about 80 s
"""
import argparse
import os
import re
import sys

from runs import PROGRAMS, Checks, Tool, build_programs, median, run, show

# What each kernel of stalled.cu waits for.
EXPECTED = {"alpha": {"long_scoreboard"}, "beta": {"short_scoreboard", "mio_throttle"}, "gamma_": {"barrier"},
            "delta": {"math_pipe_throttle"}}


def marked_lines(path, mark):
    """Numbers of the lines with that mark, by the word behind it."""
    with open(path, encoding="utf-8") as file:
        found = [(match.group(1), number) for number, line in enumerate(file, 1)
                 for match in re.finditer(mark + r": (\w+)", line)]
    lines = {}
    for word, number in found:
        lines.setdefault(word, set()).add(number)
    return lines


def stalled(tool, check, program):
    result, folder = tool.record([program, "2"], ["--stalls"], name="stalled")
    check("stalled: the program ends well", result.code == 0, result.text.strip()[-200:])
    launched = int(re.search(r"launches (\d+)", result.out).group(1))
    check("stalled: every kernel is traced", tool.kernels(folder) == launched, f"{tool.kernels(folder)} of {launched}")
    lines = marked_lines(os.path.join(PROGRAMS, "stalled.cu"), "hot")
    rows = {re.sub(r"\(.*", "", row["kernel"]): row for row in tool.table("stalls", folder)}
    show(["kernel", "samples", "of samples %", "of time %", "reason", "%", "second", "%", "at", "there %", "instruction"],
         [[name, row["samples"], *(f"{row[key]:.1f}" for key in ("share_of_samples_pct", "share_of_kernels_pct")),
           row["top_stall"], f"{row['top_stall_pct']:.1f}", row["second_stall"], f"{row['second_stall_pct'] or 0:.1f}",
           row["hottest_place"], f"{row['hottest_place_pct']:.1f}", row["hottest_sass"] or "-"]
          for name, row in rows.items()])
    for name, reasons in EXPECTED.items():
        row = rows.get(name)
        if not check(f"stalled: {name} has samples", row is not None):
            continue
        check(f"stalled: {name} waits for {' or '.join(sorted(reasons))}", row["top_stall"] in reasons,
              f"{row['top_stall']} {row['top_stall_pct']:.0f} %")
        check(f"stalled: {name} at its line", row["hottest_line"] in lines[name],
              f"{row['hottest_place']}, expected {sorted(lines[name])}")
        check(f"stalled: {name}: share of samples is the share of time, within 5 points",
              abs(row["share_of_samples_pct"] - row["share_of_kernels_pct"]) <= 5,
              f"{row['share_of_samples_pct']:.1f} / {row['share_of_kernels_pct']:.1f}")
    instructions = tool.table("stalls", folder, "--by", "instruction", "--kernel", "alpha")
    if any(row["sass"] for row in instructions):
        check("stalled: the instruction that alpha waits at is shown", bool(instructions[0]["sass"]), instructions[0]["sass"])
    else:
        check.skip("stalled: text of instructions", "no nvdisasm here")
    print({name: count for name, count in tool.ledger(folder).items()})


def triton(tool, check):
    path = os.path.join(PROGRAMS, "triton_norm.py")
    result, folder = tool.record([sys.executable, path, "2"], ["--stalls"], name="triton")
    if "No module named" in result.text:
        return check.skip("triton", "it is not installed")
    check("triton: the program ends well", result.code == 0, result.text.strip()[-200:])
    row = next((row for row in tool.table("stalls", folder) if "scale_rows" in row["name"]), None)
    if not check("triton: the kernel has samples", row is not None):
        return None
    top = tool.table("stalls", folder, "--by", "line", "--kernel", "scale_rows")
    show(["at", "samples", "of kernel %", "reason", "%"],
         [[row["place"], row["samples"], f"{row['share_of_kernel_pct']:.1f}", row["top_stall"],
           f"{row['top_stall_pct'] or 0:.1f}"] for row in top[:6]])
    # Triton's own functions (sums) are inlined, and its code does not say from where.
    check("triton: lines are those of the Python file, or of Triton's language",
          any(row["file"].endswith("triton_norm.py") for row in top[:3]), top and [row["place"] for row in top[:3]])
    lines = marked_lines(path, "hot").get("scale_rows", set()) | marked_lines(path, "waits").get("scale_rows", set())
    waits = [row for row in top if row["top_stall"] == "long_scoreboard"]
    check("triton: the wait for memory is at the load or the line that uses it first",
          bool(waits) and waits[0]["line"] in lines, f"{waits and waits[0]['place']}, expected {sorted(lines)}")
    return None


def step_ms(result):
    found = re.search(r"median ([\d.]+)", result.text)
    return float(found.group(1)) if found else None


def transformer(tool, check, rounds):
    words = [sys.executable, os.path.join(PROGRAMS, "transformer.py")]
    times, kernels, folder = {"record": [], "--stalls": []}, {}, None
    for _ in range(rounds):
        for name, options in (("record", ["--no-host-samples"]), ("--stalls", ["--no-host-samples", "--stalls"])):
            result, folder = tool.record(words, options, name="transformer")
            if "No module named" in result.text:
                return check.skip("transformer", "PyTorch is not installed")
            check(f"transformer: {name} ends well", result.code == 0, result.text.strip()[-200:])
            times[name].append(step_ms(result))
            kernels[name] = tool.kernels(folder)
    print({name: f"{median(values):.2f} ms a step ({', '.join(f'{v:.1f}' for v in values)})" for name, values in times.items()})
    check("transformer: as many kernels as without samples", kernels["record"] == kernels["--stalls"], kernels)
    rows = tool.table("stalls", folder)
    show(["kernel", "samples", "of samples %", "of time %", "reason", "%"],
         [[row["kernel"][:50], row["samples"], f"{row['share_of_samples_pct'] or 0:.1f}", f"{row['share_of_kernels_pct'] or 0:.1f}",
           row["top_stall"], f"{row['top_stall_pct'] or 0:.1f}"] for row in rows[:12]])
    large = [row for row in tool.table("kernels", folder) if (row["share_of_kernels_pct"] or 0) >= 2]
    sampled = {row["name"]: row for row in rows}
    missing = [row["kernel"] for row in large if row["name"] not in sampled]
    check("transformer: every kernel of 2 % and more has samples", not missing, missing or f"{len(large)} kernels")
    apart = [abs(row["share_of_kernels_pct"] - sampled[row["name"]]["share_of_samples_pct"]) for row in large
             if row["name"] in sampled]
    check("transformer: shares of samples and of time differ by at most 8 points", bool(apart) and max(apart) <= 8,
          f"{max(apart):.1f}" if apart else "")
    size = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)
    check("transformer: the run is smaller than 64 MB", size < 64e6, f"{size / 1e6:.1f} MB")
    return None


def cost(tool, check, program, rounds):
    """Rounds a second once all runs: from two lengths of the same program."""
    ways = {"record": [], "--stalls": [], "--stall-period 20": []}
    for _ in range(rounds):
        for name in ways:
            options = [] if name == "record" else ["--stalls", *(name.split() if name != "--stalls" else [])]
            done = [int(re.search(r"rounds (\d+)", tool.record([program, str(seconds)], options)[0].out).group(1))
                    for seconds in (1, 2)]
            ways[name].append(done[1] - done[0])
    bare = median(ways["record"])
    show(["recorded with", "rounds a second", "slower %"],
         [[name, f"{median(values):.1f}", f"{100 * (bare / median(values) - 1):.1f}"] for name, values in ways.items()])
    slower = 100 * (bare / median(ways["--stalls"]) - 1)
    check("cost: the default slows kernels by at most 3 %", slower <= 3, f"{slower:.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--only", default="stalled,triton,transformer,cost")
    parser.add_argument("--rounds", type=int, default=1, help="of the transformer; twice as many of the cost")
    args = parser.parse_args()
    parts = args.only.split(",")
    program = build_programs(["stalled"])["stalled"]
    tool, check = Tool(args.bin), Checks()
    try:
        for name, words in (("stalled", (tool, check, program)), ("triton", (tool, check)),
                            ("cost", (tool, check, program, 2 * args.rounds)), ("transformer", (tool, check, args.rounds))):
            if name in parts:
                with check.part(name):
                    globals()[name](*words)
    finally:
        tool.close()
    check.end()


main()
