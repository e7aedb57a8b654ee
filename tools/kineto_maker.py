"""Writes small Kineto traces for golden cases, so that a case shows its timeline in a few lines.

A case's `kineto NAME` block is Python that runs with the methods of Maker as plain functions; times are microseconds.
Numbers are written with three decimals, as the recorder does, so they are whole nanoseconds.
"""
import json
import re


class Maker:
    def __init__(self):
        self.head = {
            "schemaVersion": 1,
            "deviceProperties": [{
                "id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9, "computeMinor": 0,
                "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
                "warpSize": 32, "sharedMemPerBlock": 49152, "numSms": 132, "regsPerMultiprocessor": 65536,
                "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472,
            }],
            "cuda_runtime_version": 13000,
            "cuda_driver_version": 13000,
            "baseTimeNanoseconds": 1767189312000000000,
        }
        self.events = []
        self.pid = 100
        self.next_correlation = 1

    def names(self):
        """What a block may call."""
        return {name: getattr(self, name) for name in
                ("meta", "no_meta", "event", "op", "annotation", "python", "call", "kernel", "copy", "memset",
                 "launch", "launch_copy", "sync", "flow", "correlation")}

    def meta(self, **fields):
        """Sets top-level fields of the file."""
        self.head.update(fields)

    def no_meta(self, *fields):
        for field in fields:
            self.head.pop(field, None)

    def correlation(self):
        """A fresh correlation id."""
        self.next_correlation += 1
        return self.next_correlation - 1

    def event(self, **fields):
        """Any event, as is."""
        self.events.append(fields)

    def _span(self, cat, name, ts, dur, tid, pid=None, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": self.pid if pid is None else pid, "tid": tid,
                            "ts": _us(ts), "dur": _us(dur), "args": args})

    def op(self, name, ts, dur, tid=1, **args):
        self._span("cpu_op", name, ts, dur, tid, **args)

    def annotation(self, name, ts, dur, tid=1):
        self._span("user_annotation", name, ts, dur, tid)

    def python(self, name, ts, dur, tid=1, **args):
        self._span("python_function", name, ts, dur, tid, **args)

    def call(self, name, ts, dur, correlation=None, tid=1, **args):
        """A CUDA runtime call; returns its correlation id."""
        correlation = self.correlation() if correlation is None else correlation
        self._span("cuda_runtime", name, ts, dur, tid, cbid=211, correlation=correlation, **args)
        return correlation

    def kernel(self, name, ts, dur, correlation, stream=7, device=0, grid=(132, 1, 1), block=(256, 1, 1), regs=32,
               smem=0, **args):
        self._span("kernel", name, ts, dur, stream, pid=device, **{
            "device": device, "context": 1, "stream": stream, "correlation": correlation,
            "grid": list(grid), "block": list(block), "registers per thread": regs, "shared memory": smem, **args})

    def copy(self, name, ts, dur, correlation, size, stream=7, device=0, **args):
        self._span("gpu_memcpy", name, ts, dur, stream, pid=device, **{
            "device": device, "context": 1, "stream": stream, "correlation": correlation, "bytes": size, **args})

    def memset(self, ts, dur, correlation, size, stream=7, device=0):
        self._span("gpu_memset", "Memset (Device)", ts, dur, stream, pid=device, **{
            "device": device, "context": 1, "stream": stream, "correlation": correlation, "bytes": size})

    def launch(self, name, at, start, dur, host_us=4, tid=1, **kernel):
        """A kernel and the call that launches it at `at`."""
        correlation = self.call("cudaLaunchKernel", at, host_us, tid=tid)
        self.kernel(name, start, dur, correlation, **kernel)

    def launch_copy(self, name, at, start, dur, size, host_us=8, tid=1, **copy):
        """A copy and its cudaMemcpyAsync call."""
        correlation = self.call("cudaMemcpyAsync", at, host_us, tid=tid)
        self.copy(name, start, dur, correlation, size, **copy)

    def sync(self, ts, dur, tid=1, name="cudaDeviceSynchronize"):
        self.call(name, ts, dur, tid=tid)

    def flow(self, phase, ts, correlation, pid, tid):
        self.events.append({"ph": phase, "id": correlation, "pid": pid, "tid": tid, "ts": _us(ts), "cat": "ac2g",
                            "name": "ac2g", **({"bp": "e"} if phase == "f" else {})})

    def text(self):
        lines = [f'  {json.dumps(key)}: {json.dumps(value)},' for key, value in self.head.items()]
        events = ",\n".join("    " + json.dumps(event) for event in self.events)
        text = ("{\n" + "\n".join(lines) + '\n  "traceEvents": [\n' + events +
                '\n  ],\n  "traceName": "trace.json"\n}\n')
        return re.sub(r'"@us:(-?[0-9.]+)"', r"\1", text)


def _us(value):
    # Marked so that the text keeps exactly three decimals instead of a float's repr.
    return f"@us:{value:.3f}"


def make(block, name):
    """Runs the Python text of a `kineto` block; returns the trace as text."""
    maker = Maker()
    exec(compile(block, name, "exec"), maker.names())  # the block is part of this repository
    return maker.text()
