#!/usr/bin/env python3
"""What recording costs a program, on against off within one process, so that nothing else differs.

  ab.py PROGRAM SECONDS LIBSTORM          PROGRAM: storm, paced, tiny, transformer

Run it under the recorder; how to switch is found from the environment:
  warpscope record --wait --no-analyze -- python3 ab.py ...      the control page of the run (warpscope ctl start and stop)
  nsys profile -c cudaProfilerApi --capture-range-end=repeat:99 ...  python3 ab.py ...      cudaProfilerStart and Stop (AB=nsys)
  CUDA_INJECTION64_PATH=libcapture_floor.so FLOOR="0;10" python3 ab.py ...      CUPTI alone (bench/capture/floor.cc)
One line: program, recorder, median off, median on (us a launch or ms a step), the difference, rounds.
"""
import ctypes
import os
import statistics
import sys
import time


class Floor:
    name = "floor " + os.environ.get("FLOOR", "").split(";")[-1]

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])

    def set(self, on):
        self.library.FloorSet(1 if on else 0)


class Nsys:
    name = "nsys"

    def set(self, on):
        import torch
        (torch.cuda.profiler.start if on else torch.cuda.profiler.stop)()


class Warpscope:
    name = "warpscope"

    def __init__(self):
        self.program = os.environ["WARPSCOPE_PROGRAM"]

    def set(self, on):
        import subprocess
        subprocess.run([self.program, "ctl", os.environ["WARPSCOPE_RUN"], "start" if on else "stop"], check=True,
                       stdout=subprocess.DEVNULL)
        time.sleep(0.08)  # the agent looks every 20 ms


def recorder():
    if os.environ.get("AB") == "nsys":
        return Nsys()
    return Warpscope() if "WARPSCOPE_RUN" in os.environ else Floor()


def make_block(program, libstorm):
    """A function that runs one block and gives its time, in the unit returned with it."""
    import torch
    if program in ("storm", "paced"):
        library = ctypes.CDLL(libstorm)
        library.Storm.restype = library.Paced.restype = ctypes.c_double
        torch.zeros(1, device="cuda")
        if program == "storm":
            return lambda: library.Storm(20000) / 1e3, "us/launch"
        return lambda: library.Paced(4000, 5000) / 1e3, "us/launch"
    if program == "tiny":
        x = torch.randn(256, device="cuda")

        def step():
            y = x
            for _ in range(200):
                y = torch.sub(torch.relu(torch.add(torch.mul(torch.sin(y), 1.01), 0.1)), 0.05)
        steps = 5
    else:
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0)
        net = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
        x = torch.randn(16, 512, 1024, device="cuda")

        def step():
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = net(x).float().pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        steps = 6

    def block():
        start = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3 / steps
    return block, "ms/step"


def main():
    program, seconds = sys.argv[1], float(sys.argv[2])
    block, unit = make_block(program, sys.argv[3] if len(sys.argv) > 3 else "")
    block()
    switch = recorder()
    times = {False: [], True: []}
    end = time.time() + seconds
    on = False
    while time.time() < end or len(times[True]) < len(times[False]):
        block()
        times[on].append(block())
        on = not on
        switch.set(on)
    if on:
        switch.set(False)
    off, with_it = statistics.median(times[False]), statistics.median(times[True])
    added = [b - a for a, b in zip(times[False], times[True])]
    print(f"{program:12} {switch.name:40} off {off:8.3f} on {with_it:8.3f} {unit}  added {statistics.median(added):+7.3f}"
          f"  {100 * (with_it / off - 1):+6.1f} %  rounds {len(times[True])}", flush=True)


main()
