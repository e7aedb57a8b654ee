#!/usr/bin/env python3
"""A training run of several processes under record: every rank its own stream in one run, and the verdict over all of them.

  torchrun.py BIN [--ranks 2] [--keep FOLDER]        needs as many GPUs as ranks; about 40 s

Twice: as it is, and with a last rank that sleeps 10 ms in every step. Both runs end with the program's exit code, lose no record,
hold one stream with NCCL's kernels a rank; the second is found to wait for a slow rank, the first is not.
"""
import argparse
import os
import shutil
import sys

import runs

STEPS = 30


def record(tool, check, name, sleep_ms, args):
    program = os.path.join(runs.PROGRAMS, "ddp.py")
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={args.ranks}", program]
    bare = runs.run([*words, str(STEPS), str(sleep_ms)], 90)
    check(f"{name}: the bare program", bare.code == 0, (bare.err.strip().splitlines() or [""])[-1][:100])
    result, folder = tool.record([*words, str(STEPS), str(sleep_ms)], seconds=120, name=name)
    check(f"{name}: exit code under record", result.code == 0, result.code)
    print("       ", *[line for line in result.err.splitlines() if "ms/step" in line], sep=" ")
    if args.keep:
        shutil.copytree(folder, os.path.join(args.keep, name), dirs_exist_ok=True)
    with_nccl = 0
    for stream in runs.streams(folder):
        kernels = tool.table("kernels", stream)
        with_nccl += any("nccl" in row["name"].lower() for row in kernels)
    check(f"{name}: streams with NCCL's kernels", with_nccl == args.ranks, with_nccl)
    lost = {key: count for key, count in tool.ledger(folder).items() if "lost" in key}
    check(f"{name}: nothing lost", not any(lost.values()), lost)
    first = next(iter(tool.verdict(folder)["findings"]), {})
    # A rank that others wait for is a finding on exchanges between devices, about that rank.
    slow_rank = first.get("id") == "exposed_communication" and f"rank {args.ranks - 1}" in first.get("title", "")
    check(f"{name}: the last rank {'is' if sleep_ms else 'is not'} said to be waited for", slow_rank == bool(sleep_ms),
          first.get("title"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--keep")
    args = parser.parse_args()
    tool, check = runs.Tool(args.bin), runs.Checks()
    for name, sleep_ms in (("even", 0), ("slow_rank", 10)):
        with check.part(name):
            record(tool, check, name, sleep_ms, args)
    tool.close()
    check.end()


main()
