#!/usr/bin/env python3
"""Records the lab: labelled before/after traces of small PyTorch programs on the GPU at hand.

  lab.py --out DIR [--only NAME ...] [--list]

writes DIR/NAME.before.json.gz, DIR/NAME.after.json.gz and DIR/truth.json. Every variant runs in a process
of its own, with a time limit; a failure is printed and costs only its own case. truth.json is rewritten
after each case.
"""

import argparse
import collections
import gc
import json
import multiprocessing
import os
import sys
import time
import traceback

import torch

import cases  # noqa: F401  (fills the registry)
from harness import REGISTRY, export, measure, record

ABOUT = (
    "Recorded with torch.profiler by tests/device/lab. before/after: the program with the cause and with the fix. "
    "ms: per step, measured WITHOUT a profiler; where batch sizes differ, after_ms is scaled to the samples of one "
    "before step. cause: the first finding expected for before; accept: other first answers that are not wrong; "
    "must_not_claim: must not come first."
)


def run_variant(name, fixed, path, pipe):
    """Child process: times and records one variant and reports through the pipe."""
    case = REGISTRY[name]
    try:
        torch.manual_seed(0)
        step = case.build(fixed)
        step_ms, done = measure(step, case.timing)
        gc.collect()
        profiler = record(step, done, case.recording, case.timing.period)
        peak = torch.cuda.max_memory_allocated() >> 20
        pipe.send({"ms": step_ms, "samples": getattr(step, "samples", 1), "peak_mib": peak})
        export(profiler, path)
    except BaseException:
        pipe.send({"error": traceback.format_exc(limit=-6)})
    finally:
        sys.stdout.flush()
        pipe.close()
        os._exit(0)  # background threads and loader workers must not delay the next variant


def start_variant(context, name, fixed, path, limit):
    """Starts a child and waits until its GPU work is done; the export may still be going on."""
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=run_variant, args=(name, fixed, path, theirs))
    child.start()
    theirs.close()
    result = {"error": f"no result within {limit} s"}
    if ours.poll(limit):
        try:
            result = ours.recv()
        except EOFError:
            result = {"error": f"died with exit code {child.exitcode}"}
    else:
        child.kill()
    return child, result


def truth_of(case, before, after):
    scale = before["samples"] / after["samples"]
    after_ms = after["ms"] * scale
    entry = {
        "cause": case.cause,
        "accept": list(case.accept),
        "must_not_claim": list(case.must_not_claim),
        "fix": case.fix,
        "before_ms": round(before["ms"], 5),
        "after_ms": round(after_ms, 5),
        "speedup": round(before["ms"] / after_ms, 3),
        "note": case.note,
        "recorded": vars(case.recording),
    }
    if scale != 1:
        entry["after_step_ms"] = round(after["ms"], 5)
        entry["samples"] = [before["samples"], after["samples"]]
    return entry


def write_truth(path, truth):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"about": ABOUT, "cases": truth}, file, indent=1)
    os.replace(path + ".new", path)


def one_of_each_first(chosen):
    """First one case of every cause, then the second ones, and so on: a run cut short still covers all causes."""
    seen = collections.Counter()
    ranks = {}
    for case in chosen:
        ranks[case.name] = seen[case.cause]
        seen[case.cause] += 1
    return sorted(chosen, key=lambda case: ranks[case.name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="lab-traces")
    parser.add_argument("--only", nargs="*", help="case names, or beginnings of them")
    parser.add_argument("--limit", type=float, default=40, help="seconds a variant may take")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which no case is started")
    parser.add_argument("--start-method", default="fork", choices=("fork", "spawn"))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    chosen = [c for c in REGISTRY.values() if not options.only or c.name.startswith(tuple(options.only))]
    chosen = one_of_each_first(chosen)
    if options.list:
        for case in chosen:
            print(f"{case.name:32} {case.cause}")
        return 0

    os.makedirs(options.out, exist_ok=True)
    context = multiprocessing.get_context(options.start_method)
    truth, children, failed = {}, [], []
    began = time.monotonic()
    for case in chosen:
        if time.monotonic() - began > options.budget:
            print(f"{case.name}: not run, the time budget is spent", flush=True)
            failed.append(case.name)
            continue
        results, case_began = [], time.monotonic()
        for fixed in (False, True):
            path = os.path.join(options.out, f"{case.name}.{'after' if fixed else 'before'}.json.gz")
            child, result = start_variant(context, case.name, fixed, path, options.limit)
            children.append(child)
            results.append(result)
            if "error" in result:
                print(f"{case.name} fixed={fixed} FAILED: {result['error']}", flush=True)
                break
        if "error" in results[-1]:
            failed.append(case.name)
            continue
        truth[case.name] = entry = truth_of(case, *results)
        write_truth(os.path.join(options.out, "truth.json"), truth)
        print(
            f"{case.name:32} {entry['before_ms']:9.3f} -> {entry['after_ms']:9.3f} ms  x{entry['speedup']:<7}"
            f" peak {results[0]['peak_mib']}/{results[1]['peak_mib']} MiB  {time.monotonic() - case_began:.1f} s",
            flush=True,
        )
    for child in children:
        child.join(30)
    print(f"{len(truth)} cases recorded, {len(failed)} failed: {' '.join(failed)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
