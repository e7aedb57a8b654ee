#!/usr/bin/env python3
"""What recording costs, against the bare program, Nsight Systems and CUPTI alone, on one machine in one go.

  overhead.py BIN [--nsys PATH] [--floor libcapture_floor.so] [--seconds 200] [--only storm,paced,tiny,transformer]
              [--recorders bare,warpscope,nsys,floor,launches,no-host-samples] [--option=--counters] [--strict]

Rounds: each program runs once under every recorder, in turns, until the time is spent; medians over rounds, and the
median of the differences within a round, since machines drift more than recorders cost. Storm and paced in ns a launch,
tiny and transformer in ms a step. Of the recorders, floor is CUPTI's kernel records alone and launches these with its
records of launch calls (the least that tells kernels and launch times), no-host-samples is `record` with
that option.
Must reach: storm and tiny at most 0.65 of what nsys adds, transformer at most 0.5 of it, at most 12 bytes an event, the
agent at most 3 % of a core at 200,000 events a second. A figure that is missed fails only with --strict: within a few rounds
the noise of a shared machine is as large as the difference. Failed runs and lost records always fail.
"""
import argparse
import glob
import os
import re
import sys
import threading
import time

import runs

PROGRAMS = ["storm", "paced", "tiny", "transformer"]
MOST_RATIO = {"storm": 0.65, "tiny": 0.65, "transformer": 0.5}
FLOORS = {"floor": "10", "launches": "10,runtime=LaunchKernel"}
UNIT = {"storm": "ns/launch", "paced": "ns/launch", "tiny": "us/step", "transformer": "us/step"}
MOST_BYTES, MOST_CPU_PCT, EVENTS_OF_CPU = 12.0, 3.0, 200_000


def command(name, storm):
    script = os.path.join(runs.PROGRAMS, name + ".py")
    return {"storm": [storm, "15", "20000"], "paced": [storm, "15", "4000", "5000"],
            "tiny": [sys.executable, script, "--steps", "60"],
            "transformer": [sys.executable, script, "--steps", "40"]}[name]


def figure(name, result):
    """ns a launch, us a step; None if the run failed."""
    if result.code != 0:
        return None
    if name in ("storm", "paced"):
        lines = [line for line in result.out.splitlines() if re.fullmatch(r"\d+", line.strip())]
        return float(lines[-1]) if lines else None
    found = re.findall(r"([\d.]+) ms/step, median ([\d.]+)", result.text)
    return 1e3 * float(found[-1][0]) if found else None


def name_of(comm):
    with open(comm, encoding="utf-8") as file:
        return file.read().strip()


class AgentCpu(threading.Thread):
    """CPU time of the agent's thread ("warpscope") in the processes that run `program`, read while they run."""

    def __init__(self, program):
        super().__init__(daemon=True)
        self.program, self.seconds, self.stop = os.path.basename(program)[:15], {}, threading.Event()

    def run(self):
        tick = os.sysconf("SC_CLK_TCK")
        while not self.stop.wait(0.02):
            for path in glob.glob("/proc/[0-9]*/task/[0-9]*/comm"):
                try:
                    if name_of(path) != "warpscope" or name_of(f"/proc/{path.split('/')[2]}/comm") != self.program:
                        continue
                    with open(path[:-4] + "stat", encoding="utf-8") as file:
                        fields = file.read().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                self.seconds[path] = (int(fields[11]) + int(fields[12])) / tick

    def end(self):
        self.stop.set()
        self.join()
        return sum(self.seconds.values())


class Bench:
    def __init__(self, args, tool, check):
        self.args, self.tool, self.check = args, tool, check
        self.nsys, self.storm = runs.find_nsys(args.nsys), runs.build_programs(["storm"])["storm"]
        self.floor = args.floor or next(iter(glob.glob(os.path.join(tool.folder, "*capture_floor.so"))), None)
        lacking = ([] if self.nsys else ["nsys"]) + ([] if self.floor else list(FLOORS))
        self.recorders = [name for name in args.recorders.split(",") if name not in lacking]
        self.values = {}   # (program, recorder) -> [figure of each round]
        self.sizes = {}    # program -> [(bytes, events)]
        self.cpu = []      # (CPU seconds, events, seconds)

    def one(self, name, recorder):
        words = command(name, self.storm)
        if recorder in ("warpscope", "no-host-samples"):
            cpu = AgentCpu(words[0])
            if name == "storm":
                cpu.start()
            options = self.args.option + (["--no-host-samples"] if recorder == "no-host-samples" else [])
            result, folder = self.tool.record(words, options, 120, name=name)
            if result.code == 0:
                self.weigh(name, folder, cpu.end() if name == "storm" else None, result.seconds)
            runs.shutil.rmtree(folder, ignore_errors=True)
            return result
        if recorder == "nsys":
            out = self.tool.new("nsys")
            result = runs.run([self.nsys, "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "-o", out, *words], 120)
            for path in glob.glob(out + "*"):
                os.remove(path)
            # It runs the program and then may fail to make a report of what it has.
            return result if figure(name, result) is None else runs.Result(0, result.out, result.err, result.seconds)
        env = {"CUDA_INJECTION64_PATH": self.floor, "FLOOR": FLOORS[recorder]} if recorder in FLOORS else None
        return runs.run(words, 120, env)

    def weigh(self, name, folder, cpu_seconds, seconds):
        """An event is a row of the timeline: a kernel, copy or fill, a call, a range. Of the agent's own streams."""
        own = runs.streams(folder)
        if not own:
            self.check(f"{name}: a stream was written", False)
            return
        streams = self.tool.table("streams", *own)
        rows = self.tool.json("analyze", *own)["rows"]
        events = rows["host"] + rows["gpu"]
        size = sum(os.path.getsize(path) for path in own)
        self.sizes.setdefault(name, []).append((size, events))
        losses = {key: value for key, value in self.tool.ledger(folder).items() if key in ("lost_record", "unknown_loss")}
        if losses:
            self.check(f"{name}: nothing lost", False, losses)
        if cpu_seconds is not None:
            span_s = max(1e-9, max(row["last_end_ns"] for row in streams) - min(row["first_start_ns"] for row in streams)) / 1e9
            self.cpu.append((cpu_seconds, events, span_s))

    def rounds(self, names):
        end = time.monotonic() + self.args.seconds
        for number in range(self.args.rounds):
            for name in names:
                took = time.monotonic()
                order = self.recorders if number % 2 == 0 else self.recorders[::-1]
                one = {}
                for recorder in order:
                    result = self.one(name, recorder)
                    one[recorder] = figure(name, result)
                    if one[recorder] is None:
                        self.check(f"{name} under {recorder}", False, f"exit {result.code}: {result.text.strip()[-200:]}")
                print(f"round {number + 1} {name}: " + ", ".join(
                    f"{recorder} {value:,.0f}" for recorder, value in one.items() if value is not None), flush=True)
                for recorder, value in one.items():
                    self.values.setdefault((name, recorder), []).append(value)
                took = time.monotonic() - took
                if number > 0 and time.monotonic() + took > end:
                    return

    def added(self, name, recorder):
        """Median of the differences within rounds; None without any."""
        pairs = [(value, bare) for value, bare in zip(self.values.get((name, recorder), []),
                                                      self.values.get((name, "bare"), []))
                 if value is not None and bare is not None]
        return runs.median([value - bare for value, bare in pairs]) if pairs else None

    def report(self, names):
        rows = []
        for name in names:
            nsys = self.added(name, "nsys")
            for recorder in self.recorders:
                values = [value for value in self.values.get((name, recorder), []) if value is not None]
                if not values:
                    continue
                more, bare = self.added(name, recorder), runs.median([v for v in self.values[(name, "bare")] if v is not None])
                ratio = f"{more / nsys:.2f}" if recorder != "bare" and more is not None and nsys and nsys > 0 else "-"
                rows.append([name, recorder, len(values), f"{runs.median(values):,.0f}", UNIT[name],
                             f"{min(values):,.0f}-{max(values):,.0f}", "-" if recorder == "bare" else f"{more:+,.0f}",
                             "-" if recorder == "bare" else f"{100 * more / bare:+.1f} %", ratio])
        print()
        runs.show(["program", "recorder", "rounds", "median", "unit", "range", "added", "of bare", "of nsys's"], rows)

    def judge(self, names):
        def must(text, good, detail):
            if self.args.strict or good:
                self.check(text, good, detail)
            else:
                self.check.skip(text, f"missed: {detail}")
        for name in names:
            ours, nsys = self.added(name, "warpscope"), self.added(name, "nsys")
            most = MOST_RATIO.get(name)
            if most and ours is not None and nsys is not None:
                must(f"{name}: at most {most} of what nsys adds", ours <= most * max(nsys, 0), f"{ours:,.0f} and {nsys:,.0f} {UNIT[name]}")
        for name, sizes in self.sizes.items():
            size, events = runs.median([s for s, _ in sizes]), runs.median([e for _, e in sizes])
            if events:
                must(f"{name}: at most {MOST_BYTES:.0f} bytes an event", size / events <= MOST_BYTES,
                     f"{size / events:.1f} ({size:,.0f} bytes, {events:,.0f} events)")
        if self.cpu:
            cpu, events, span = (runs.median([row[i] for row in self.cpu]) for i in range(3))
            rate, share = events / span, 100 * cpu / span
            scaled = share * EVENTS_OF_CPU / rate
            must(f"agent: at most {MOST_CPU_PCT:.0f} % of a core at {EVENTS_OF_CPU:,} events/s", scaled <= MOST_CPU_PCT,
                 f"{share:.1f} % at {rate:,.0f} events/s, {1e9 * cpu / events:.0f} ns an event, so {scaled:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--nsys")
    parser.add_argument("--floor")
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--recorders", default="bare,warpscope,nsys,floor")
    parser.add_argument("--option", action="append", default=[], help="one more option of record, may be repeated")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    tool, check = runs.Tool(args.bin), runs.Checks()
    bench, names = Bench(args, tool, check), args.only.split(",")
    print(f"nsys: {bench.nsys or 'not found'}; CUPTI alone: {bench.floor or 'not found'}", flush=True)
    bench.rounds(names)
    bench.report(names)
    bench.judge(names)
    tool.close()
    check.end()


main()
