#!/usr/bin/env python3
"""Sampled counters (`record --counters`) on a GPU: what they cost, what they cover, and how far they are from ncu.

  counters_sampled.py BIN [--ncu PATH] [--only cost,transformer,tiny,ncu,ncu-transformer] [--keep FOLDER] [--rounds 3]

cost, transformer, tiny: each program runs with and without --counters in turns; medians of its own step times, and the
median of the differences within a round. ncu: the same kernels replayed with the equivalent metrics, compared by name and
geometry; Markdown for docs/accuracy.md. ncu replays the application: to replay a kernel it puts back all that the kernel could
write (4 GB in character), which empties the L2, so that data that lie there in the program are read from DRAM under ncu. Without a part that records nothing can be compared: ncu needs cost.
--keep copies the recorded runs and ncu's pages there; --pairs FOLDER compares those again, without a device. Every part
stays below 90 s. Shares of a peak are over the kernel's time, and ncu's time of a kernel is about 1 us longer than the
timeline's, which is more than half of a short one: kernels under 10 us are compared as shares of ncu's time, and how many
values of all agree so is told besides.
"""
import argparse
import csv
import glob
import io
import json
import os
import re
import shutil
import statistics
import sys

import runs

MOST_COST_PCT, MOST_POINTS, MOST_POINTS_SHORT, SHORT_US = 2.0, 5.0, 10.0, 10.0
STEPS = {"transformer": 120, "tiny": 150}
# Column of `warpscope counters RUN` -> metric of ncu.
PCT = ".avg.pct_of_peak_sustained_elapsed"
EQUIVALENT = {
    "sm_active_pct": "sm__cycles_active" + PCT,
    "issue_pct": "sm__inst_executed" + PCT,
    "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "fma_pct": "sm__inst_executed_pipe_fma" + PCT,
    "alu_pct": "sm__inst_executed_pipe_alu" + PCT,
    "tensor_pct": "sm__pipe_tensor_cycles_active" + PCT,
    "fp64_pct": "sm__pipe_fp64_cycles_active" + PCT,
    "xu_pct": "sm__inst_executed_pipe_xu" + PCT,
    "dram_read_pct": "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
    "dram_write_pct": "dram__bytes_write.sum.pct_of_peak_sustained_elapsed",
    "l2_pct": "lts__t_sectors" + PCT,
    "l2_hit_pct": "lts__t_sector_hit_rate.pct",
    "l1_data_pct": "l1tex__data_pipe_lsu_wavefronts" + PCT,
    "shared_pct": "l1tex__data_pipe_lsu_wavefronts_mem_shared" + PCT,
}


def extent(text):
    """"(64, 1, 1)", "64x1x1" and "64" are the same."""
    sizes = re.findall(r"\d+", text or "")
    while sizes and sizes[-1] == "1":
        sizes.pop()
    return tuple(sizes)


class Bench:
    def __init__(self, tool, args):
        self.tool, self.args, self.check = tool, args, runs.Checks()
        self.character = None if args.pairs else runs.build_programs(["character"])["character"]
        self.recorded = {}

    def words(self, name):
        if name == "character":
            return [self.character, "5"]
        return [sys.executable, os.path.join(runs.PROGRAMS, name + ".py"), "--steps", str(STEPS[name])]

    @staticmethod
    def step_us(name, result):
        if result.code != 0:
            return None
        if name == "character":
            steps = [float(line) for line in result.out.split() if re.fullmatch(r"[\d.]+", line)]
            return statistics.median(steps[3:]) if len(steps) > 5 else None
        found = re.findall(r"([\d.]+) ms/step, median ([\d.]+)", result.text)
        return 1e3 * float(found[-1][0]) if found else None

    def keep(self, path, name):
        if not self.args.keep:
            return
        to = os.path.join(self.args.keep, name)
        shutil.rmtree(to, ignore_errors=True)
        if os.path.isdir(path):
            shutil.copytree(path, to)
        else:
            os.makedirs(self.args.keep, exist_ok=True)
            shutil.copy(path, to)

    def cost(self, name, rounds):
        plain, sampled = [], []
        for number in range(rounds):
            for options, times in (((), plain), (("--counters",), sampled)):
                result, folder = self.tool.record(self.words(name), ("--no-host-samples", *options), 80, name=name)
                if options and number == 0:
                    self.recorded[name] = folder
                    self.keep(folder, name)
                us = self.step_us(name, result)
                if us is None:
                    self.check(f"{name}: runs", False, f"exit {result.code}: {result.text[-300:]}")
                    self.keep(folder, f"{name}-failed")
                    return
                times.append(us)
        costs = [100 * (b - a) / a for a, b in zip(plain, sampled)]
        runs.show(["program", "us a step", "with counters", "added %"],
                  [[name, f"{runs.median(plain):.1f}", f"{runs.median(sampled):.1f}", f"{runs.median(costs):+.2f}"]])
        self.check(f"{name}: counters cost at most {MOST_COST_PCT} %", runs.median(costs) <= MOST_COST_PCT,
                   " ".join(f"{cost:+.2f}" for cost in costs))
        self.ledger(name)

    def ledger(self, name):
        rows = self.tool.table("ledger", self.recorded[name])
        told = [row for row in rows if "counter" in json.dumps(row)]
        for row in told:
            print("   ", row.get("name"), "|", row.get("detail") or row.get("text") or row)
        names = {row["name"] for row in told}
        self.check(f"{name}: there are samples", "sampled_counters" in names)
        self.check(f"{name}: nothing overflowed", not any("overflow" in json.dumps(row) for row in told))

    def ncu(self, name, words, options, seconds):
        path = os.path.join(self.tool.scratch, f"ncu-{name}.csv")
        metrics = ",".join([*EQUIVALENT.values(), "gpu__time_duration.sum"])
        result = runs.run([self.args.ncu, "--clock-control", "none", "--cache-control", "none", "--metrics", metrics,
                           "--csv", "--page", "raw", "--print-kernel-base", "mangled", "--print-units", "base", "--replay-mode",
                           "application", "--app-replay-match", "grid", *options, *words], seconds)
        start = result.out.find('"ID"')
        if start < 0:
            self.check(f"{name}: ncu runs", False, result.text[-400:])
            return
        with open(path, "w", encoding="utf-8") as file:
            file.write(result.out[start:])
        self.keep(path, f"ncu-{name}.csv")
        print(f"ncu took {result.seconds:.0f} s")
        self.compare(name, result.out[start:])

    def pairs(self, folder):
        """FOLDER/NAME is a recorded run, FOLDER/ncu-NAME.csv what ncu printed."""
        for path in sorted(glob.glob(os.path.join(folder, "ncu-*.csv"))):
            name = os.path.basename(path)[4:-4]
            self.recorded[name] = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            print(f"\n{name}")
            self.compare(name, text[max(text.find('"ID"'), 0):])

    @staticmethod
    def replayed(text):
        """(mangled name, grid, block) -> {metric: [values]}"""
        kernels = {}
        for row in csv.DictReader(io.StringIO(text)):
            if not (row.get("ID") or "").isdigit():
                continue
            key = (row["Kernel Name"], extent(row["Grid Size"]), extent(row["Block Size"]))
            values = kernels.setdefault(key, {})
            for metric in [*EQUIVALENT.values(), "gpu__time_duration.sum"]:
                number = (row.get(metric) or "").replace(",", "")
                if re.fullmatch(r"[\d.eE+-]+", number):
                    values.setdefault(metric, []).append(float(number))
        return kernels

    def compare(self, name, text):
        if name not in self.recorded:
            self.check.skip(f"{name}: against ncu", "it was not recorded (part cost or transformer)")
            return
        rows = self.tool.table("counters", self.recorded[name])
        replayed = self.replayed(text)
        by_key = {(row["name"], extent(row["grid"]), extent(row["block"])): row for row in rows}
        table, long_misses, short_misses, differences, of_its_time = [], [], [], [], []
        for (kernel, grid, block), metrics in replayed.items():
            row = by_key.get((kernel, grid, block))
            if row is None or row["share_of_kernels_pct"] < 1 and row["mean_ns"] >= 1000 * SHORT_US:
                continue
            worst = None
            short = row["mean_ns"] < 1000 * SHORT_US
            replayed_ns = statistics.mean(metrics["gpu__time_duration.sum"])
            for column, metric in EQUIVALENT.items():
                if metric not in metrics or row.get(column) is None:
                    continue
                # Occupancy is over the active cycles alone, hits are a share of the traffic.
                longer = 1 if column in ("occupancy_pct", "l2_hit_pct") else min(1, row["mean_ns"] / replayed_ns)
                differences.append(abs(row[column] - statistics.mean(metrics[metric])))
                of_its_time.append(abs(row[column] * longer - statistics.mean(metrics[metric])))
                sampled = row[column] * longer if short else row[column]
                points = sampled - statistics.mean(metrics[metric])
                if worst is None or abs(points) > abs(worst[1]):
                    worst = (column, points, sampled, statistics.mean(metrics[metric]))
            if worst is None:
                continue
            (short_misses if short else long_misses).append(abs(worst[1]))
            table.append([row["kernel"][:44], f"{row['share_of_kernels_pct']:.1f}", f"{row['mean_ns'] / 1000:.1f}", row["attributed"],
                          worst[0], f"{worst[2]:.1f}", f"{worst[3]:.1f}", f"{worst[1]:+.1f}"])
        print("\n| kernel | % of time | us | how | largest difference | sampled | replayed | points |")
        print("|---|---|---|---|---|---|---|---|")
        for cells in table:
            print("| " + " | ".join(cells) + " |")
        if differences:
            near = [sum(d <= MOST_POINTS for d in values) for values in (differences, of_its_time)]
            print(f"\n{len(differences)} values: median difference {runs.median(differences):.2f} points, {near[0]} within "
                  f"{MOST_POINTS:.0f}; as shares of ncu's time {near[1]}", flush=True)
        if long_misses:
            self.check(f"{name}: within {MOST_POINTS} points of ncu", max(long_misses) <= MOST_POINTS, f"{max(long_misses):.1f}")
        if short_misses:
            self.check(f"{name}: short kernels within {MOST_POINTS_SHORT} points", max(short_misses) <= MOST_POINTS_SHORT,
                       f"{max(short_misses):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--ncu", default=shutil.which("ncu") or next(iter(sorted(glob.glob(
        "/opt/nvidia/nsight-compute/*/ncu") + glob.glob("/usr/local/cuda*/bin/ncu"), reverse=True)), None))
    parser.add_argument("--only", default="cost,transformer,tiny,ncu,ncu-transformer")
    parser.add_argument("--keep")
    parser.add_argument("--pairs")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    only = args.only.split(",")
    tool = runs.Tool(args.bin)
    bench = Bench(tool, args)
    if args.pairs:
        bench.pairs(args.pairs)
        tool.close()
        bench.check.end()
    try:
        for part, name, rounds in (("cost", "character", args.rounds), ("transformer", "transformer", args.rounds), ("tiny", "tiny", 2)):
            if part in only:
                with bench.check.part(part):
                    bench.cost(name, rounds)
        if "ncu" in only:
            with bench.check.part("ncu"):
                bench.ncu("character", [bench.character, "60", "2"], [], 85)
        if "ncu-transformer" in only:
            with bench.check.part("ncu-transformer"):
                words = [sys.executable, os.path.join(runs.PROGRAMS, "transformer.py"), "--steps", "1", "--warmup", "2"]
                bench.ncu("transformer", words, ["--launch-skip", "1500", "--launch-count", "500"], 85)
    finally:
        tool.close()
    bench.check.end()


main()
