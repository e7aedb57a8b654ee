#!/usr/bin/env python3
"""Whether the memory of a recorded program, and of the recorder, stands still.

  soak.py BIN [--minutes 10] [--option=--no-host-samples]

A storm of small launches that ends after the time given; resident memory of the recorded process (and of the same program
without a recorder, for a minute at most) and of the launcher is read every second. After the first quarter it must not grow
by more than 4 MiB. The run must be readable at the end, with every loss told.
"""
import argparse
import os
import subprocess
import time

import runs

MOST_GROWTH_KIB = 4096


def resident_kib(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def recorded_pid(folder):
    streams = runs.streams(folder)
    return int(os.path.basename(streams[0]).split(".")[0]) if streams else None


def watch(launcher, folder, seconds):
    """[(second, KiB of the program, KiB of the launcher, bytes of the stream)]"""
    samples, start = [], time.monotonic()
    while time.monotonic() - start < seconds and launcher.poll() is None:
        pid = recorded_pid(folder) if folder else launcher.pid
        program, own = resident_kib(pid) if pid else None, resident_kib(launcher.pid)
        size = sum(os.path.getsize(path) for path in runs.streams(folder)) if folder else 0
        if program and own:
            samples.append((time.monotonic() - start, program, own, size))
        time.sleep(1)
    return samples


def growth(samples, column):
    """From the end of the first quarter to the end, medians of a tenth of the samples each: KiB."""
    later = [sample[column] for sample in samples[len(samples) // 4:]]
    part = max(1, len(later) // 10)
    return runs.median(later[-part:]) - runs.median(later[:part])


def start(words):
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop_program(pid, launcher):
    if pid:
        try:
            os.kill(pid, 15)
        except ProcessLookupError:
            pass
    try:
        launcher.wait(60)
    except subprocess.TimeoutExpired:
        launcher.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--option", action="append", default=[], help="one more option of record, may be repeated")
    args = parser.parse_args()
    tool, check = runs.Tool(args.bin), runs.Checks()
    program = [runs.build_programs(["kernels"])["kernels"], "forever"]
    bare = start(program)
    bare_samples = watch(bare, None, min(20, 15 * args.minutes))
    stop_program(bare.pid, bare)
    folder = tool.new("soak")
    launcher = start([tool.path, "record", "--no-analyze", "-o", folder, *args.option, "--", *program])
    samples = watch(launcher, folder, 60 * args.minutes)
    alive = launcher.poll() is None
    stop_program(recorded_pid(folder), launcher)
    check("the program ran all the time", alive, f"{len(samples)} samples")
    step = max(1, len(samples) // 12)
    runs.show(["second", "program MiB", "launcher MiB", "stream MiB"],
              [[f"{s[0]:.0f}", f"{s[1] / 1024:.1f}", f"{s[2] / 1024:.1f}", f"{s[3] / 2**20:.1f}"] for s in samples[::step]])
    if len(samples) >= 8:
        check("memory of the program", growth(samples, 1) <= MOST_GROWTH_KIB,
              f"{growth(samples, 1):+.0f} KiB after the first quarter; without recorder {growth(bare_samples, 1):+.0f} KiB")
        check("memory of the launcher", growth(samples, 2) <= MOST_GROWTH_KIB, f"{growth(samples, 2):+.0f} KiB")
    kernels = sum(row["kernels"] for row in tool.table("streams", folder))
    seconds = samples[-1][0] if samples else 0
    check("the run is readable", kernels > 0, f"{kernels:,} kernels, {kernels / max(1, seconds):,.0f} a second")
    bad = {key: value for key, value in tool.ledger(folder).items() if key in ("untimed_record",)}
    check("no kernel without a valid time", not bad, bad)
    print(f"        ledger: {tool.ledger(folder)}")
    tool.close()
    check.end()


main()
