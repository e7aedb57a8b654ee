#!/usr/bin/env python3
"""Measures the planted kernels on a GPU: record.py OUT [SET...] [--rounds 3] [--ncu PATH] [--only PREFIX,...] [--no-profile].

Writes to OUT, for each set: times_SET.json (ms of each kernel: the median of the rounds' medians, and their spread, by
CUDA events; GPU and driver) and, from one profiled launch of each, SET.raw.csv.gz and SET.ncu-rep.gz. Needs
build/planted_SET (build.py) and ncu. A minute and a half for 60 kernels.
"""
import argparse
import glob
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def find_ncu():
    return shutil.which("ncu") or next(iter(sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"), reverse=True)), None)


def checked(words, **more):
    done = subprocess.run([str(word) for word in words], text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in words)}: exit status {done.returncode}\n{(done.stderr or '')[-2000:]}")
    return done


def measure(binary, rounds, only):
    rows = {}
    for _ in range(rounds):
        done = checked([binary, "--time", *only], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in done.stdout.splitlines():
            name, ms = line.split()
            rows.setdefault(name, []).append(float(ms))
    return {name: {"ms": statistics.median(ms), "low": min(ms), "high": max(ms)} for name, ms in rows.items()}


def gpu():
    done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], text=True, check=False,
                          capture_output=True)
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else "unknown"


def profile(binary, ncu, out, name, only):
    report = out / f"{name}.ncu-rep"
    checked([ncu, "--set", "full", "--import-source", "no", "--clock-control", "none", "--cache-control", "none", "-k",
             "regex:^p[0-9]+[a-z]$", "-f", "-o", report, binary, "--once", *only],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with gzip.open(out / f"{name}.raw.csv.gz", "wb") as file:
        file.write(checked([ncu, "--import", report, "--page", "raw", "--csv"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE).stdout.encode())
    with open(report, "rb") as plain, gzip.open(f"{report}.gz", "wb") as file:
        shutil.copyfileobj(plain, file)
    report.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ncu", default=find_ncu())
    parser.add_argument("--only", default="")
    parser.add_argument("--no-profile", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    sets = args.sets or sorted(path.name[8:] for path in (HERE / "build").glob("planted_*"))
    if not sets:
        sys.exit("no build/planted_*: run build.py first")
    only = ["--only", args.only] if args.only else []
    for name in sets:
        binary = HERE / "build" / f"planted_{name}"
        began = time.monotonic()
        times = measure(binary, args.rounds, only)
        (args.out / f"times_{name}.json").write_text(json.dumps({"gpu": gpu(), "kernels": times}, indent=1) + "\n")
        print(f"set {name}: {len(times)} kernels timed in {time.monotonic() - began:.0f} s", flush=True)
        for kernel, row in times.items():
            print(f"  {kernel} {row['ms']:.4f} ms ({row['low']:.4f} to {row['high']:.4f})")
        if args.no_profile:
            continue
        if not args.ncu or not os.access(args.ncu, os.X_OK):
            sys.exit("ncu is not on PATH: name it with --ncu")
        began = time.monotonic()
        profile(binary, args.ncu, args.out, name, only)
        print(f"set {name}: profiled in {time.monotonic() - began:.0f} s", flush=True)


main()
