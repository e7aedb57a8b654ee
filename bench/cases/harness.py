"""Registry, timing and recording shared by all lab cases.

A case is a function `build(fixed)` that returns a step function `step(i)`. With `fixed=False` the program
has the cause under test, with `fixed=True` the remedy. Both variants are timed without a profiler first and
recorded with torch.profiler afterwards, each in a process of its own.
"""

import gzip
import math
import os
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable

import torch
from torch.profiler import ProfilerActivity, profile, schedule

Step = Callable[[int], object]


@dataclass(frozen=True)
class Recording:
    """Options of the recorded trace, as a user might choose them."""

    shapes: bool = False
    stacks: bool = False
    memory: bool = False
    sync_events: bool = False
    annotate: bool = True  # ProfilerStep ranges through a schedule
    drained: bool = True  # the device is idle at both ends; else work of the step before reaches in
    steps: int = 5


@dataclass(frozen=True)
class Timing:
    """How the step time without a profiler is measured."""

    warmup: int = 3
    blocks: int = 5
    period: int = 1  # steps per block are a multiple of this
    max_steps: int = 200  # per block
    block_seconds: float = 0.08


@dataclass(frozen=True)
class Case:
    name: str
    cause: str
    fix: str
    build: Callable[[bool], Step]
    accept: tuple = ()
    must_not_claim: tuple = ()
    note: str = ""
    recording: Recording = field(default_factory=Recording)
    timing: Timing = field(default_factory=Timing)


REGISTRY: dict[str, Case] = {}


def case(name, cause, fix, accept=(), must_not_claim=(), note="", timing=None, **recording):
    """Registers a build function; keyword arguments left over are fields of Recording."""

    def register(build):
        if name in REGISTRY:
            raise ValueError(f"two cases are named {name}")
        REGISTRY[name] = Case(
            name, cause, fix, build, tuple(accept), tuple(must_not_claim), note,
            Recording(**recording), timing or Timing(),
        )
        return build

    return register


def samples(count):
    """Marks a step function that handles `count` samples; times are then compared per sample."""

    def mark(step):
        step.samples = count
        return step

    return mark


def _timed_block(step, first, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for i in range(first, first + count):
        step(i)
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count


def warm_up(step, timing):
    """First steps, while other processes may use the device; returns the index of the next step."""
    _timed_block(step, 0, timing.warmup)
    return timing.warmup


def measure(step, first, timing):
    """Median milliseconds per step over several blocks, and the index of the next step."""
    done = math.ceil(first / timing.period) * timing.period
    probe = timing.period * min(3, max(1, timing.max_steps // timing.period))
    per_step = min(_timed_block(step, done + n * probe, probe) for n in range(2))
    done += 2 * probe
    count = max(1, min(timing.max_steps, int(timing.block_seconds / max(per_step, 1e-6))))
    count = timing.period * math.ceil(count / timing.period)
    blocks = []
    for _ in range(timing.blocks):
        blocks.append(_timed_block(step, done, count))
        done += count
    return statistics.median(blocks) * 1e3, done


def load_profiler():
    """Loads the tracing libraries once; not before the plain times are measured, which they would slow."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        torch.ones(1, device="cuda")
        torch.cuda.synchronize()


def _settle(step, first, timing, seconds=0.2):
    """Runs plain steps until queues and prefetched batches are as in the middle of a long run."""
    done, end = first, time.perf_counter() + seconds
    while done - first < timing.max_steps and time.perf_counter() < end:
        step(done)
        done += 1
    torch.cuda.synchronize()
    return math.ceil(done / timing.period) * timing.period


def record(step, first, case):
    """Runs `recording.steps` steps under torch.profiler and returns the profiler."""
    recording = case.recording
    options = {
        "activities": [ProfilerActivity.CPU, ProfilerActivity.CUDA],
        "record_shapes": recording.shapes,
        "with_stack": recording.stacks,
        "profile_memory": recording.memory,
    }
    if recording.sync_events:
        from torch._C._profiler import _ExperimentalConfig

        options["experimental_config"] = _ExperimentalConfig(enable_cuda_sync_events=True)
    first = _settle(step, first, case.timing)
    if not recording.annotate:
        with profile(**options) as profiler:
            for i in range(first, first + recording.steps):
                step(i)
            torch.cuda.synchronize()
        return profiler
    last = first + recording.steps
    options["schedule"] = schedule(wait=0, warmup=1, active=recording.steps, repeat=1)
    with profile(**options) as profiler:
        for i in range(first, last + 1):
            step(i)
            if recording.drained and i in (first, last):
                torch.cuda.synchronize()
            profiler.step()
    return profiler


def export(profiler, path):
    """Writes the Chrome trace, gzipped."""
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(plain)
        with open(plain, "rb") as source, gzip.open(path, "wb", compresslevel=6) as target:
            target.write(source.read())
