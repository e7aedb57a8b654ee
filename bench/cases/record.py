#!/usr/bin/env python3
"""Records labelled before/after traces of small PyTorch programs on the GPU at hand.

  record.py --out DIR [--only NAME ...] [--list]

writes DIR/NAME.before.json.gz, DIR/NAME.after.json.gz and DIR/truth.json. Every variant runs in a process
of its own, with a time limit; a failure is printed and costs only its own case. truth.json is rewritten
after each group of cases.
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
import warnings

import torch

import programs  # noqa: F401  (fills the registry)
from harness import REGISTRY, export, load_profiler, measure, record, warm_up

ABOUT = (
    "Recorded with torch.profiler by bench/cases. before/after: the program with the cause and with the fix. "
    "ms: per step, measured WITHOUT a profiler; where batch sizes differ, after_ms is scaled to the samples of one "
    "before step. cause: the first finding expected for before; accept: other first answers that are not wrong; "
    "must_not_claim: must not come first."
)


# The life of a variant. Preparing is done by a whole group at once; whatever is timed runs alone on the device.
PHASES = (("prepare", True), ("measure", False), ("load_profiler", True), ("record", False), ("export", True))


class Child:
    """Runs one variant phase by phase, on request through a pipe."""

    def __init__(self, name, fixed, path):
        self.case, self.fixed, self.path = REGISTRY[name], fixed, path

    def prepare(self):
        torch.manual_seed(0)
        self.step = self.case.build(self.fixed)
        self.done = warm_up(self.step, self.case.timing)
        return {"samples": getattr(self.step, "samples", 1)}

    def measure(self):
        step_ms, self.done = measure(self.step, self.done, self.case.timing)
        return {"ms": step_ms}

    def load_profiler(self):
        load_profiler()
        gc.collect()
        return {}

    def record(self):
        self.profiler = record(self.step, self.done, self.case)
        return {"peak_mib": torch.cuda.max_memory_allocated() >> 20}

    def export(self):
        export(self.profiler, self.path)
        return {}


def serve(name, fixed, path, pipe):
    """Child process: answers each phase with its results or with an error."""
    warnings.filterwarnings("ignore", message=".*Profiler clears events.*")
    child = Child(name, fixed, path)
    while True:
        try:
            phase = pipe.recv()
        except EOFError:
            os._exit(0)  # background threads and loader workers must not delay the end
        try:
            answer = getattr(child, phase)()
        except BaseException:
            answer = {"error": traceback.format_exc(limit=-6)}
        sys.stdout.flush()
        pipe.send(answer)


class Variant:
    """The parent's side of one child."""

    def __init__(self, context, case, fixed, folder):
        self.case, self.fixed, self.result, self.error = case, fixed, {}, None
        path = os.path.join(folder, f"{case.name}.{'after' if fixed else 'before'}.json.gz")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(case.name, fixed, path, theirs))
        self.process.start()
        theirs.close()

    def ask(self, phase):
        try:
            self.pipe.send(phase)
        except OSError:
            self.error = "died"

    def answer(self, phase, limit):
        if self.error:
            return
        try:
            if not self.pipe.poll(limit):
                raise TimeoutError(f"no result within {limit} s")
            self.result.update(self.pipe.recv())
            self.error = self.result.get("error")
        except (EOFError, OSError, TimeoutError) as problem:
            self.error = f"{phase}: {problem!r}"
        if self.error:
            self.process.kill()

    def end(self):
        self.pipe.close()
        self.process.kill()
        self.process.join(10)


def run_group(variants, limit):
    for phase, together in PHASES:
        alive = [v for v in variants if not v.error]
        for batch in [alive] if together else [[v] for v in alive]:
            for variant in batch:
                variant.ask(phase)
            for variant in batch:
                variant.answer(phase, limit)
    for variant in variants:
        variant.end()


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
    parser.add_argument("--out", default="recorded")
    parser.add_argument("--only", nargs="*", help="case names, or beginnings of them")
    parser.add_argument("--limit", type=float, default=40, help="seconds a phase may take")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which no group is started")
    parser.add_argument("--group", type=int, default=6, help="cases prepared at once")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    chosen = [c for c in REGISTRY.values() if not options.only or c.name.startswith(tuple(options.only))]
    chosen = one_of_each_first(chosen)
    if options.list:
        for case in chosen:
            print(f"{case.name:32} {case.cause}")
        return 0

    os.makedirs(options.out, exist_ok=True)
    context = multiprocessing.get_context("fork")
    truth, failed = {}, []
    began = time.monotonic()
    for first in range(0, len(chosen), options.group):
        group = chosen[first : first + options.group]
        if time.monotonic() - began > options.budget:
            print("not run, the time budget is spent:", *(c.name for c in chosen[first:]), flush=True)
            break
        group_began = time.monotonic()
        variants = [Variant(context, case, fixed, options.out) for case in group for fixed in (False, True)]
        run_group(variants, options.limit)
        for before, after in zip(variants[::2], variants[1::2]):
            case = before.case
            errors = [v.error for v in (before, after) if v.error]
            if errors:
                print(f"{case.name} FAILED: {errors[0]}", flush=True)
                failed.append(case.name)
                continue
            truth[case.name] = entry = truth_of(case, before.result, after.result)
            print(
                f"{case.name:32} {entry['before_ms']:9.3f} -> {entry['after_ms']:9.3f} ms  x{entry['speedup']:<7}"
                f" peak {before.result['peak_mib']}/{after.result['peak_mib']} MiB",
                flush=True,
            )
        write_truth(os.path.join(options.out, "truth.json"), truth)
        print(f"group of {len(group)}: {time.monotonic() - group_began:.1f} s", flush=True)
    print(f"{len(truth)} cases recorded, {len(failed)} failed: {' '.join(failed)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
