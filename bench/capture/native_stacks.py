#!/usr/bin/env python3
"""What sampling C and C++ stacks costs, and how many of them are whole.

Records a program of N busy threads in turns with and without host samples. Usage:
native_stacks.py [--build build/release] [--threads 8] [--rounds 5] [--hz 100]
Prints the processor time of the program with and without, the sampler's share of a core, the share of stacks that reach
the begin of their thread, and the launcher's largest memory. Needs no GPU.
"""
import argparse
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def record(build, folder, threads, count, flags):
    """(processor ms of the program's threads, what the recording says of its samples)."""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    done = subprocess.run([build / "bin/warpscope", "record", "-o", run, "--no-analyze", *flags, "--", build / "bin/native_calls",
                           "work", str(threads), str(count)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    host = run / "host.capture"
    said = re.search(rb"every [0-9.]+ ms[ -~]*whole", host.read_bytes()) if host.exists() else None
    return int(done.stdout.split()[-1]), said[0].decode() if said else "", sum(f.stat().st_size for f in run.iterdir())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=30000, help="pieces of work a thread")
    parser.add_argument("--hz", type=int, default=100)
    args = parser.parse_args()
    without, with_samples, said = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(args.rounds):  # in turns: the machine's mood hits both
            without.append(record(args.build, folder, args.threads, args.count, ["--no-host-samples"])[0])
            ms, text, size = record(args.build, folder, args.threads, args.count, ["--host-hz", str(args.hz)])
            with_samples.append(ms)
            said.append(text)
    for text in said:
        print(text)
    a, b = statistics.median(without), statistics.median(with_samples)
    print(f"processor time of the program: {a:.0f} ms without, {b:.0f} ms with host samples ({100 * (b - a) / a:+.2f} %)")
    print(f"recording: {size} bytes; largest process started here: "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
