#!/usr/bin/env python3
"""What each kind of CUPTI's records costs a training step, within one process: a transformer whose host is only just
ahead of the device, so that what the host pays shows.

  CUDA_INJECTION64_PATH=libcapture_floor.so FLOOR="0;10;10,runtime=LaunchKernel;..." python3 kinds.py [--seconds 60]

FLOOR: sets of kinds, as bench/capture/floor.cc takes them; 0 is none. The sets take turns, forth and back, 8 steps each
after 2 that do not count. One line a set: median, smallest, largest ms a step, blocks.
"""
import argparse
import ctypes
import os
import statistics
import time

import torch

STEPS, PASSED_OVER = 8, 2


def make_step():
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
    return step


def block_ms(step, steps):
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3 / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    floor, sets = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]), os.environ["FLOOR"].split(";")
    step = make_step()
    block_ms(step, 5)
    times = [[] for _ in sets]
    end, order = time.monotonic() + args.seconds, list(range(len(sets)))
    while time.monotonic() < end:
        for i in order:
            floor.FloorSet(i)
            block_ms(step, PASSED_OVER)
            times[i].append(block_ms(step, STEPS))
        order.reverse()
    floor.FloorSet(0)
    for name, ms in zip(sets, times):
        print(f"{name:44} median {statistics.median(ms):6.2f} ms  {min(ms):6.2f} to {max(ms):6.2f}  {len(ms)} blocks")


main()
