#!/usr/bin/env python3
"""Whether exact counters are those of Nsight Compute on the same kernels.

  counters_exact.py BIN [--seconds 115] [--only values,program,torch] [--ncu PATH] [--keep FOLDER]
  counters_exact.py BIN --compare RUN FIRST.ncu-rep SECOND.ncu-rep      what was kept, without a GPU

values: programs/counter_kernels.cu under `warpscope counters --set full` and twice under ncu with `--clock-control none
--cache-control none`: CUPTI's replay has no flush of the caches, which ncu makes before each pass unless told otherwise
(--flush: let it). A metric of a kernel agrees if it lies within 2 % of one of ncu's two values, or no farther away than
these two are from each other. Printed as Markdown, by metric and by kernel.
program: that the program's output and exit code are its own, what its cooperative and cluster launches give, that its
graph launches are named, and both sorts of replay.
torch: the transformer of programs/, recorded first, then measured with --from.
--keep: puts the run folders and reports there.
"""
import argparse
import collections
import glob
import os
import shutil
import time

import runs

NCU = ["/usr/local/cuda*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu"]
KERNELS = ["add", "gather", "transpose", "multiply", "doubles", "sines", "histogram", "branches", "reduce", "tensor",
           "arrays", "chase"]
METRICS = """
gpu__time_duration.sum
sm__throughput.avg.pct_of_peak_sustained_elapsed
gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
dram__throughput.avg.pct_of_peak_sustained_elapsed
lts__throughput.avg.pct_of_peak_sustained_elapsed
l1tex__throughput.avg.pct_of_peak_sustained_active
dram__bytes_read.sum
dram__bytes_write.sum
dram__bytes.sum.per_second
l1tex__t_sector_hit_rate.pct
lts__t_sector_hit_rate.pct
sm__cycles_active.avg
sm__cycles_elapsed.max
smsp__inst_executed.sum
smsp__inst_issued.sum
sm__inst_executed.avg.per_cycle_active
smsp__issue_active.avg.per_cycle_active
smsp__warps_active.avg.per_cycle_active
smsp__warps_eligible.avg.per_cycle_active
sm__warps_active.avg.pct_of_peak_sustained_active
smsp__average_warp_latency_per_inst_issued.ratio
smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio
smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio
smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio
smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio
smsp__average_warps_issue_stalled_wait_per_issue_active.ratio
smsp__thread_inst_executed_per_inst_executed.ratio
smsp__thread_inst_executed_pred_on_per_inst_executed.ratio
sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active
sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active
sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active
sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active
sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
lts__t_sectors.avg.pct_of_peak_sustained_elapsed
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed
smsp__sass_average_branch_targets_threads_uniform.pct
""".split()
# What follows from where the data lay when the kernel began: bytes moved, hits, and the time that waiting for them takes.
OF_CACHES = ("time", "dram__", "hit_rate", "cycles", "per_cycle", "stalled", "latency", "eligible", "lts__", "pct_of_peak")
MOST_PCT = 2.0
LEAST = {"%": 0.1}  # points: a share of nearly nothing is not compared by its own size


def values(tool, path):
    """{(kernel, metric): (value, unit)} of the first launch of each kernel."""
    found = {}
    for row in tool.table("counters", path, "--by", "metric"):
        if row["value"] is not None:
            found.setdefault((row["kernel"], row["metric"]), (float(row["value"]), row["unit"] or ""))
    return found


def distance(ours, theirs, unit):
    """In percent of theirs; 0 where both are next to nothing."""
    gap = abs(ours - theirs)
    if gap <= LEAST.get(unit, 0):
        return 0.0
    return 100 * gap / abs(theirs) if theirs else 100.0


def depends_on_caches(metric):
    return any(word in metric for word in OF_CACHES) and "sass" not in metric


def compare(tool, ours, first, second, check):
    ours, first, second = (values(tool, path) for path in (ours, first, second))
    by_metric, by_kernel = collections.defaultdict(list), collections.defaultdict(list)
    worst, missing = [], []
    for metric in METRICS:
        for kernel in KERNELS:
            key = (kernel, metric)
            if key not in ours or key not in first or key not in second:
                if key in first or key in ours:
                    missing.append(f"{kernel} {metric} ({'ours' if key not in ours else 'ncu'})")
                continue
            (mine, unit), one, two = ours[key], first[key][0], second[key][0]
            off = min(distance(mine, one, unit), distance(mine, two, unit))
            spread = distance(one, two, unit)
            good = off <= max(MOST_PCT, spread)
            for group in (by_metric[metric], by_kernel[kernel]):
                group.append((off, spread, good))
            if not good:
                worst.append((off, kernel, metric, mine, one, two))

    def rows(groups, names):
        for name in names:
            pairs = groups.get(name, [])
            if pairs:
                yield (f"`{name}`", len(pairs), f"{runs.median([p[0] for p in pairs]):.2f}",
                       f"{max(p[0] for p in pairs):.2f}", f"{max(p[1] for p in pairs):.2f}",
                       f"{sum(p[2] for p in pairs)}/{len(pairs)}")

    for title, groups, names in (("metric", by_metric, METRICS), ("kernel", by_kernel, KERNELS)):
        print(f"| {title} | compared | median difference % | largest % | ncu's own spread, largest % | agree |")
        print("|---|---|---|---|---|---|")
        for row in rows(groups, names):
            print("| " + " | ".join(str(cell) for cell in row) + " |")
        print()
    for off, kernel, metric, mine, one, two in sorted(worst, reverse=True)[:25]:
        print(f"differs: {kernel} {metric}: {mine:.6g}, ncu {one:.6g} and {two:.6g} ({off:.2f} %)")
    for text in missing[:20]:
        print("missing:", text)
    pairs = [pair for group in by_metric.values() for pair in group]
    agree = sum(pair[2] for pair in pairs)
    check("metrics compared >= 30", len(by_metric) >= 30, len(by_metric))
    check("kernels compared = 12", len(by_kernel) == len(KERNELS), len(by_kernel))
    counts = [pair for metric, group in by_metric.items() if not depends_on_caches(metric) for pair in group]
    check("counts that no cache changes: within 2 % or ncu's spread", counts and all(pair[2] for pair in counts),
          f"{sum(pair[2] for pair in counts)} of {len(counts)}")
    check("all values within 2 % or ncu's spread", pairs and agree == len(pairs), f"{agree} of {len(pairs)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--seconds", type=int, default=115)
    parser.add_argument("--compare", nargs=3)
    parser.add_argument("--flush", action="store_true")
    parser.add_argument("--only", default="values,program,torch")
    parser.add_argument("--ncu")
    parser.add_argument("--keep")
    args = parser.parse_args()
    parts, check, tool = args.only.split(","), runs.Checks(), runs.Tool(args.bin)
    if args.compare:
        compare(tool, *args.compare, check)
        tool.close()
        check.end()
    end = time.monotonic() + args.seconds
    ncu = args.ncu or shutil.which("ncu") or next((path for pattern in NCU for path in sorted(glob.glob(pattern))), None)
    program = runs.build_programs(["counter_kernels"])["counter_kernels"]
    plain = runs.run([program, "1"])

    def left(most):
        return max(5, min(most, end - time.monotonic()))

    def measure(words, *options, seconds=60):
        folder = tool.new("counters")
        result = runs.run([tool.path, "counters", "-o", folder, *options, "--", *words], left(seconds))
        if args.keep and os.path.isdir(folder):
            shutil.copytree(folder, os.path.join(args.keep, os.path.basename(folder)), dirs_exist_ok=True)
        return result, folder

    if "values" in parts or "program" in parts:
        with check.part("counters of a program"):
            result, folder = measure([program, "1"], "--set", "full", "--per-kernel", "1")
            print(result.err[-6000:])
            print(f"plain {plain.seconds:.2f} s, measured {result.seconds:.2f} s", flush=True)
            check("output is the program's own", result.out == plain.out, repr(result.out[-200:]))
            check("exit code is the program's own", result.code == plain.code, result.code)
            told = runs.run([tool.path, "ledger", folder]).out
            print(told)
            check("graph launches are named", "CUDA graph" in told)
    if "program" in parts:
        with check.part("selection"):
            result, one = measure([program, "3"], "--set", "basic", "-k", "^_Z.*add|multiply", "--launch-skip", "1",
                                  "--launch-count", "3", seconds=30)
            profiles = tool.table("counters", one, "--by", "launch")
            check("--launch-count 3", len(profiles) == 3, [row.get("kernel") for row in profiles])
            result, one = measure([program, "1"], "--metrics", "sm__no_such.avg,gpu__time_duration.sum", "-k", "sines",
                                  seconds=30)
            check("an unknown metric is told", "sm__no_such" in runs.run([tool.path, "ledger", one]).out)
        with check.part("application replay"):
            words = ["--metrics", "gpu__time_duration.sum,smsp__inst_executed.sum,dram__bytes_write.sum,"
                     "sm__throughput.avg.pct_of_peak_sustained_elapsed", "-k", "sines|doubles"]
            result, once = measure([program, "1"], "--replay", "application", *words, seconds=40)
            print(result.err[-1500:])
            check("application replay measures both", len(tool.table("counters", once, "--by", "launch")) == 2)
            again, kernel = measure([program, "1"], *words, seconds=20)
            one, two = values(tool, once), values(tool, kernel)
            key = ("sines", "smsp__inst_executed.sum")
            check("both sorts of replay count the same", one.get(key) == two.get(key), (one.get(key), two.get(key)))
        with check.part("a graph as one range"):
            words = ["--metrics", "smsp__inst_executed.sum,gpu__time_duration.sum"]
            result, once = measure([program, "1"], "--replay", "application", *words, "-k", "CUDA graph", "--launch-count", "1",
                                   seconds=40)
            print(result.err[-1500:])
            again, kernel = measure([program, "1"], *words, "-k", "^_Z.*add", "--launch-count", "1", seconds=20)
            graph, add = values(tool, once), values(tool, kernel)
            print(graph, add)
            # Three times add on 1,024 blocks; alone it runs on 65,536.
            counted, alone = (of.get((name, "smsp__inst_executed.sum"), (0,))[0]
                              for of, name in ((graph, "(CUDA graph)"), (add, "add")))
            check("it counts what its kernels do", counted > 0 and counted * 65536 == alone * 3072, (counted, alone))
            check("the graph ran", result.out == plain.out, repr(result.out[-200:]))
    if "values" in parts:
        if not ncu:
            check.skip("values", "no ncu")
        else:
            with check.part("values"):
                reports = []
                for _ in range(2):
                    reports.append(tool.new("ncu") + ".ncu-rep")
                    caches = "all" if args.flush else "none"
                    result = runs.run([ncu, "--metrics", ",".join(METRICS), "--clock-control", "none", "--cache-control",
                                       caches, "-f", "-o", reports[-1], program, "1"], left(40))
                    print(f"ncu {result.seconds:.2f} s, exit {result.code}", flush=True)
                    if args.keep and os.path.exists(reports[-1]):
                        shutil.copy(reports[-1], args.keep)
                compare(tool, folder, *reports, check)
    if "torch" in parts:
        with check.part("torch"):
            script = os.path.join(runs.PROGRAMS, "transformer.py")
            result, run = tool.record(["python3", script], seconds=left(60))
            if result.code != 0:
                check.skip("torch", result.err[-200:] or "no time was left")
            else:
                result, folder = measure(["python3", script], "--from", run, "--per-kernel", "1", seconds=60)
                print(result.err[-5000:], f"{result.seconds:.1f} s", flush=True)
                check("torch is measured", result.code == 0 and bool(tool.table("counters", folder)), result.code)
    tool.close()
    check.end()


if __name__ == "__main__":
    main()
