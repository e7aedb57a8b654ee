#!/usr/bin/env python3
"""Prints the figures of importing, in one command.

    bench/import.py [--trace RECORDED.json.gz] [--bytes 1600000000] [--runs 3]

Builds the preset `bench`, makes a large trace of a recorded one (kept in --work for the next time), reads it plain and
gzipped with two threads, and prints the best of --runs: GB/s of text into the finished model, what gzip costs, peak
memory as a share of the text. The bare baseline beside it only reads the file in 4 MiB blocks and throws it away.
`cpu` is what the work cost on all cores together: on a busy machine compare that.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build(work):
    subprocess.run(["cmake", "--preset", "bench"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "bench", "--target", "import_once", "-j", "2"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    work.mkdir(parents=True, exist_ok=True)
    return ROOT / "build/bench/bin/import_once"


def recorded(named):
    """The trace to repeat: the one that was named, else the largest that lies in tests/data."""
    if named:
        return named
    found = sorted(ROOT.glob("tests/data/**/*.json.gz"), key=lambda path: path.stat().st_size)
    if not found:
        sys.exit("bench/import.py: no recorded trace in tests/data: name one with --trace")
    return found[-1]


def bare_read(path):
    before = time.perf_counter()
    size = 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(4 << 20):
            size += len(block)
    return time.perf_counter() - before, size


def best(program, path, runs, threads):
    results = []
    for _ in range(runs):
        done = subprocess.run([program, f"--threads={threads}", str(path)], stdout=subprocess.PIPE, text=True, check=True)
        results.append(json.loads(done.stdout.splitlines()[0]))
    return min(results, key=lambda result: result["seconds"])


def main():
    parser = argparse.ArgumentParser(description="figures of importing")
    parser.add_argument("--trace", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=1_600_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/warpscope_bench"))
    args = parser.parse_args()
    program = build(args.work)
    source = recorded(args.trace)
    plain = args.work / f"{source.name.split('.')[0]}_{args.bytes}.json"
    gzipped = plain.with_suffix(".json.gz")
    if not plain.exists() or not gzipped.exists():
        subprocess.run([sys.executable, str(ROOT / "bench/make_trace.py"), str(source), str(plain), f"--bytes={args.bytes}",
                        f"--gzip={gzipped}"], check=True)
    bare_read(plain)  # into the page cache
    bare_s, size = bare_read(plain)
    print(f"file            {plain} ({size:,} bytes; gzip {gzipped.stat().st_size:,}), load {os.getloadavg()[0]:.1f}")
    print(f"bare read       {bare_s:7.2f} s {size / bare_s / 1e9:6.2f} GB/s")
    rows = {}
    for name, path, threads in (("plain", plain, 2), ("gzip", gzipped, 2), ("plain, 1 thread", plain, 1)):
        result = best(program, path, args.runs, threads)
        rows[name] = result
        print(f"{name:15} {result['seconds']:7.2f} s {size / result['seconds'] / 1e9:6.2f} GB/s   cpu {result['cpu_seconds']:.2f} s   "
              f"peak memory {result['peak_rss_bytes'] / 1e6:.0f} MB = {result['peak_rss_bytes'] / size:.2f} x text   "
              f"{result['host_rows'] + result['gpu_rows']:,} rows")
    print(f"gzip costs      {100 * (rows['gzip']['seconds'] / rows['plain']['seconds'] - 1):+.0f} % time, "
          f"{100 * (rows['gzip']['cpu_seconds'] / rows['plain']['cpu_seconds'] - 1):+.0f} % cpu")
    return 0


if __name__ == "__main__":
    sys.exit(main())
