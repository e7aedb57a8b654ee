#!/usr/bin/env python3
"""Runs each fuzz target of a build folder for a while and prints executions, speed and faults.

A target is a program build/bin/fuzz_NAME; its seeds are tests/fuzz/corpus/NAME/ where that folder exists, and what it
finds is kept under the build folder. Exit status 1 if a target found a fault.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description="runs the fuzz targets")
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("seconds", nargs="?", type=int, default=60)
    parser.add_argument("target", nargs="?", help="only this one")
    args = parser.parse_args()
    targets = sorted(path for path in pathlib.Path(args.build, "bin").glob("fuzz_*") if os.access(path, os.X_OK))
    if args.target:
        targets = [path for path in targets if path.name.removeprefix("fuzz_") == args.target.removeprefix("fuzz_")]
    if not targets:
        print("fuzz: no such target", file=sys.stderr)
        return 2
    faults = 0
    for path in targets:
        name = path.name.removeprefix("fuzz_")
        found = pathlib.Path(args.build, "found", name).resolve()
        found.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "tests/fuzz/corpus" / name
        command = [str(path.resolve()), f"-max_total_time={args.seconds}", "-print_final_stats=1", "-rss_limit_mb=4096",
                   "-timeout=20", f"-fork={args.jobs}", str(found)] + ([str(seeds)] if seeds.is_dir() else [])
        done = subprocess.run(command, cwd=found, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        runs = re.findall(r"^#(\d+): cov", done.stdout, re.M)
        print(f"{name}: {int(runs[-1]) if runs else 0:,} executions, exit status {done.returncode}")
        if done.returncode != 0:
            faults += 1
            print(done.stdout[-6000:])
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
