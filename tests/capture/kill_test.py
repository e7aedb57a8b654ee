#!/usr/bin/env python3
"""kill -9 at a random moment leaves a readable run that lost at most 100 ms, proven over many kills.

usage: kill_test.py --warpscope W --host HOST --agent AGENT --fake FAKE [--count 300] [--jobs 2] [--seed 1] [--ring]

Each round starts a program that launches without end under the agent with the fake CUPTI, which hands its buffers over every 40 ms
as the real one does, kills it (every third time also with the launcher, all at once), reads what is left with `warpscope`, and
compares its last record with the last launch, which the program keeps in a shared page. A writer that gets no CPU cannot write, so on
a busy machine single kills may lose more: the test fails if a run cannot be read, if more than 1 in 20 lost more than 100 ms,
or if one lost more than 400 ms. The figures are printed.
"""
import argparse
import concurrent.futures
import csv
import io
import mmap
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

LIMIT_MS = 100


def one(args, number):
    """Loss in ms, or a message."""
    rng = random.Random(args.seed * 1000003 + number)
    with tempfile.TemporaryDirectory(prefix="warpscope_kill_") as folder:
        page_path = pathlib.Path(folder) / "page"
        page_path.write_bytes(bytes(4096))
        run = f"{folder}/run"
        environment = {**os.environ, "WARPSCOPE_CUPTI": args.fake, "FAKE_FLUSHES": "1", "WARPSCOPE_AGENT": args.agent,
                       "KILL_PAGE": str(page_path)}
        flags = ["--ring", "200ms"] if args.ring else []
        words = [args.warpscope, "record", "--no-analyze", "-o", run, *flags, "--", args.host, args.agent, args.fake, "storm"]
        process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        with open(page_path, "r+b") as file:
            page = mmap.mmap(file.fileno(), 4096)
        child, began = 0, time.monotonic()
        while child == 0 and time.monotonic() - began < 20:
            child = struct.unpack("q", page[8:16])[0]
            time.sleep(0.002)
        if child == 0:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "the program did not start"
        time.sleep(rng.uniform(0.0, 0.5))
        if number % 3 == 0:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(child, signal.SIGKILL)
        process.wait()
        launched_ns, started_ns = (struct.unpack("q", page[at:at + 8])[0] for at in (0, 16))
        page.close()
        read = subprocess.run([args.warpscope, "convert", run, "--to", "csv", "-o", f"{folder}/out"], capture_output=True, text=True)
        if read.returncode != 0:
            return f"not readable: {read.stderr.strip()[:200]}"
        last_ns = last_start(pathlib.Path(f"{folder}/out/gpu.csv"))
        if last_ns is None:
            last_ns = started_ns  # killed before the first block: all of the launches so far are the loss
        return max(0.0, (launched_ns - last_ns) / 1e6)


def last_start(out):
    """Start of the last kernel: the fake's kernels start 1 us after their launch. None: there is none."""
    rows = csv.DictReader(io.StringIO(out.read_text(errors="replace")))
    return max((int(row["start_ns"]) for row in rows if row["name"] == "storm"), default=None)


def main():
    parser = argparse.ArgumentParser()
    for name in ("warpscope", "host", "agent", "fake"):
        parser.add_argument(f"--{name}", required=True, type=os.path.abspath)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ring", action="store_true")
    args = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda number: one(args, number), range(args.count)))
    bad = [result for result in results if isinstance(result, str)]
    losses = sorted(result for result in results if not isinstance(result, str))
    for message in sorted(set(bad)):
        print(f"FAIL {bad.count(message)} times: {message}")
    if not losses:
        return 1
    beyond = sum(loss > LIMIT_MS for loss in losses)
    print(f"{args.count} kills, {len(losses)} readable; lost before the kill: median {losses[len(losses) // 2]:.1f} ms, "
          f"99 % {losses[int(len(losses) * 0.99)]:.1f} ms, most {losses[-1]:.1f} ms; {beyond} beyond {LIMIT_MS} ms")
    return 1 if bad or beyond > max(1, len(losses) // 20) or losses[-1] > 4 * LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
