"""What the recorded programs share: the same steps bare, under torch.profiler, or under a recorder from outside.

Usage of every program: python3 NAME.py [--steps N] [--profile TRACE.json.gz]. Prints one line: NAME ms-per-step (median).
"""
import argparse
import statistics
import sys
import time

import torch


def arguments(steps):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--profile", help="write a torch.profiler trace of the steps there")
    parser.add_argument("--nvtx", action="store_true", help="an NVTX range around every step")
    return parser.parse_args()


def run(name, step, args, **profiler_options):
    """step(i) does one step and leaves the device in whatever state the program leaves it."""
    for i in range(args.warmup):
        step(i)
    torch.cuda.synchronize()
    times_ms = []

    def measured(after):
        for i in range(args.steps):
            if args.nvtx:
                torch.cuda.nvtx.range_push("step")
            start = time.perf_counter()
            step(args.warmup + i)
            times_ms.append((time.perf_counter() - start) * 1e3)
            if args.nvtx:
                torch.cuda.nvtx.range_pop()
            after()
        start = time.perf_counter()
        torch.cuda.synchronize()
        times_ms[-1] += (time.perf_counter() - start) * 1e3

    start = time.perf_counter()
    if args.profile:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], **profiler_options) as profiler:
            measured(profiler.step)
        profiler.export_chrome_trace(args.profile)
    else:
        measured(lambda: None)
    total_ms = sum(times_ms)
    print(f"{name} {total_ms / args.steps:.3f} ms/step, median {statistics.median(times_ms):.3f}", file=sys.stderr, flush=True)
