#!/usr/bin/env python3
"""Windows, the ring, the budget and kills on a machine with a GPU, with what must come out.

usage: windows.py WARPSCOPE [KILLS]        about 90 s with 6 kills
One line a check; exit status 1 if one failed.
"""
import csv
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

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = [sys.executable, str(HERE / "programs/windowed.py")]
TOGGLED = [sys.executable, str(HERE / "programs/toggled.py")]
failed = 0


def check(what, good, said):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}: {said}", flush=True)


class Bench:
    def __init__(self, warpscope, folder):
        self.warpscope, self.folder = warpscope, folder

    def words(self, run, *flags):
        return [self.warpscope, "record", "--no-analyze", "-o", f"{self.folder}/{run}", *flags, "--"]

    def record(self, run, flags, program, limit_s=60):
        try:
            return subprocess.run([*self.words(run, *flags), *program], capture_output=True, text=True, timeout=limit_s)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess([], 124, "", "timed out")

    def table(self, run, name="gpu"):
        out = f"{self.folder}/{run}.out"
        if not os.path.isdir(out):
            subprocess.run([self.warpscope, "convert", f"{self.folder}/{run}", "--to", "csv", "-o", out], capture_output=True)
        try:
            with open(f"{out}/{name}.csv") as file:
                return list(csv.DictReader(file))
        except OSError:
            return None

    def ledger(self, run):
        rows = self.table(run, "ledger") or []
        return {row["name"]: (int(row["count"]), row["message"]) for row in rows}


def windows(bench):
    done = bench.record("windows", ["--profiler-api"], [*PROGRAM, "windows"])
    check("windows: the program ends well", done.returncode == 0, done.stdout.strip() or done.stderr[-300:])
    kernels = [row for row in bench.table("windows") or [] if row["kind"] == "kernel"]
    in_windows = sum("mul" in row["name"].lower() for row in kernels)
    check("windows: the 50 kernels of each of six windows", in_windows == 6 * 50, f"{in_windows} of {len(kernels)} kernels")
    ledger = bench.ledger("windows")
    # The last window, with the timed loop, follows the sixth at once. The second between two windows is no time of the run.
    span = (max(int(row["start_ns"]) for row in kernels) - min(int(row["start_ns"]) for row in kernels)) / 1e9 if kernels else 0
    breaks = ledger.get("unrecorded_break", (0, ""))
    check("windows: what lies between them is cut out", breaks[0] in (5, 6) and span < 1, f"{breaks}, {span:.3f} s are left")
    check("windows: no record is outside or before its launch", not {"out_of_range", "kernel_before_launch", "untimed_record"} & set(ledger),
          {name: row[0] for name, row in ledger.items()})
    if done.returncode == 0:
        numbers = [float(word.strip(",")) for word in done.stdout.split() if word.strip(",").replace(".", "").isdigit()]
        before, _, after = numbers[-3:]
        check("windows: afterwards as before, within 5 %", after < before * 1.05, f"{before} -> {after} us a launch")


def ring_and_times(bench):  # what CUPTI hands over late belongs to an older part of the ring: 2.1 s were seen
    for run, flags, low, high in (("ring", ["--ring", "1s"], 0.9, 2.5), ("slot", ["--delay", "2s", "--duration", "1s"], 0.5, 1.6)):
        done = bench.record(run, flags, [*TOGGLED, "5"])
        starts = [int(row["start_ns"]) for row in bench.table(run) or [] if row["kind"] == "kernel"]
        span = (max(starts) - min(starts)) / 1e9 if starts else 0
        check(f"{run}: {' '.join(flags)}", done.returncode == 0 and low < span < high, f"{len(starts)} kernels in {span:.2f} s")


def budget(bench):
    done = bench.record("budget", ["--max-overhead", "2%"], [*TOGGLED, "6"])
    ledger = bench.ledger("budget")
    check("budget: cost is measured", done.returncode == 0 and "us a launch" in ledger.get("recording_cost", (0, ""))[1],
          ledger.get("recording_cost"))
    print("     ", ledger.get("recorder_note"), ledger.get("partly_recorded"))


def own_profiler(bench):
    done = bench.record("own", [], [*PROGRAM, "profiled"])
    check("a program with a profiler of its own ends well", done.returncode == 0, (done.stdout + done.stderr[-200:]).strip())
    print("     ", {name: row[1] for name, row in bench.ledger("own").items()})


def kills(bench, count):
    rng = random.Random(5)
    losses = []
    for number in range(count):
        page_path = pathlib.Path(bench.folder) / f"page{number}"
        page_path.write_bytes(bytes(4096))
        with open(page_path, "r+b") as file:
            page = mmap.mmap(file.fileno(), 4096)
        process = subprocess.Popen([*bench.words(f"kill{number}"), *PROGRAM, "endless", str(page_path)], start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 25
        while struct.unpack("q", page[:8])[0] == 0 and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.2, 0.8))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        starts = [int(row["start_ns"]) for row in bench.table(f"kill{number}") or []]
        losses.append((struct.unpack("q", page[:8])[0] - max(starts)) / 1e6 if starts else None)
    good = all(loss is not None and loss <= 100 for loss in losses)
    check(f"{count} kills: readable, at most 100 ms lost", good, [loss if loss is None else round(loss, 1) for loss in losses])


def main():
    with tempfile.TemporaryDirectory(prefix="warpscope_windows_") as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        windows(bench)
        ring_and_times(bench)
        budget(bench)
        own_profiler(bench)
        kills(bench, int(sys.argv[2]) if len(sys.argv) > 2 else 6)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
