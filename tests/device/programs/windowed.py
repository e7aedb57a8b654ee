"""What windows.py records.

windowed.py windows      6 windows between cudaProfilerStart and Stop, 50 synchronised kernels in each, 1 s idle before each; times of
                         a loop of launches before the first, inside, and after the last, in us a launch
windowed.py endless PAGE launches until it is killed; the moment of the last launch lies in the file PAGE
windowed.py profiled     uses torch.profiler itself
"""
import mmap
import statistics
import struct
import sys
import time

import torch

x = torch.zeros(256, device="cuda")
torch.cuda.synchronize()


def us_a_launch(rounds=15, launches=2000):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(launches):
            x.add_(1)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / launches * 1e6)
    return statistics.median(times)


mode = sys.argv[1]
if mode == "windows":
    before, inside = us_a_launch(), None
    for window in range(6):
        time.sleep(1)
        torch.cuda.profiler.start()
        for _ in range(50):
            x.mul_(2)
            torch.cuda.synchronize()
        torch.cuda.profiler.stop()
    torch.cuda.profiler.start()
    inside = us_a_launch(5)
    torch.cuda.profiler.stop()
    after = us_a_launch()
    print(f"us a launch: before {before:.2f}, inside {inside:.2f}, after {after:.2f}", flush=True)
elif mode == "endless":
    with open(sys.argv[2], "r+b") as file:
        page = mmap.mmap(file.fileno(), 4096)
    while True:
        x.add_(1)
        page[0:8] = struct.pack("q", time.time_ns())
else:
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        for _ in range(100):
            x.add_(1)
        torch.cuda.synchronize()
    kernels = sum(event.device_type == torch.autograd.DeviceType.CUDA for event in prof.events())
    print("device events that torch.profiler saw:", kernels, flush=True)
