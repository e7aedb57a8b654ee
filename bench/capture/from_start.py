#!/usr/bin/env python3
"""Where a whole recording slows a training program: its steps under CUPTI's kinds, one set a process, on from the start.

  from_start.py LIBFLOOR [--warpscope PATH] [--nsys PATH] [--rounds 2] [--steps 40] [--seconds 200]

A median over all steps hides that the first ones may be fast: the first ten and the rest are shown apart. Sets are compared over
interleaved rounds (bench/capture/floor.cc); bench/capture/ab.py compares within one process, but in windows of some steps.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = '''
import sys, time, torch
layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0)
net = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
x = torch.randn(16, 512, 1024, device="cuda")
times = []
for step in range(int(sys.argv[1]) + 5):
    if step == 5:
        torch.cuda.synchronize()
    start = time.perf_counter()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = net(x).float().pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if step >= 5:
        times.append((time.perf_counter() - start) * 1e3)
torch.cuda.synchronize()
print("TIMES", " ".join(f"{t:.3f}" for t in times))
'''
SETS = {
    "bare": None,
    "kernels": "10",
    "kernels with latency times": "10,latency",
    "+ launches": "10,runtime=LaunchKernel,driver=LaunchKernel",
    "+ copies, waits, overhead": "10,runtime=LaunchKernel,driver=LaunchKernel,1,2,22,38,17",
    "+ light calls": "10,runtime=LaunchKernel,driver=LaunchKernel,1,2,22,38,17,runtime=Synchronize,runtime=Memcpy,"
                     "runtime=Memset,runtime=Malloc",
    "+ flush": "10,runtime=LaunchKernel,driver=LaunchKernel,1,2,22,38,17,flush",
    "kernels + launch callbacks": "10,call=LaunchKernel",
}


def run(words, environment):
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=90, check=False)
    line = next((line for line in done.stdout.splitlines() if line.startswith("TIMES")), None)
    return [float(word) for word in line.split()[1:]] if line else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("floor")
    parser.add_argument("--warpscope")
    parser.add_argument("--nsys", help="Nsight Systems, to compare with")
    parser.add_argument("--only", default="", help="sets whose names hold one of these words, with commas between")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=200)
    args = parser.parse_args()
    program = [sys.executable, "-c", PROGRAM, str(args.steps)]
    ways = {name: (program, {} if kinds is None else {"FLOOR": kinds, "CUDA_INJECTION64_PATH": os.path.abspath(args.floor)})
            for name, kinds in SETS.items()}
    with tempfile.TemporaryDirectory() as folder:
        if args.warpscope:
            for name, flags in {"record": [], "record, no host samples": ["--no-host-samples"]}.items():
                ways[name] = ([args.warpscope, "record", "--no-analyze", "-o", f"{folder}/{name}", *flags, "--", *program], {})
        if args.nsys:
            ways["nsys"] = ([args.nsys, "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "-o", f"{folder}/nsys", *program], {})
        if args.only:
            ways = {name: way for name, way in ways.items() if any(word in name for word in args.only.split(","))}
        end = time.monotonic() + args.seconds
        times = {name: [] for name in ways}
        for number in range(args.rounds):
            for name, (words, environment) in ways.items():
                if time.monotonic() > end:
                    break
                words = [f"{word}-{number}" if word.startswith(folder) else word for word in words]
                got = run(words, environment)
                if got:
                    times[name].append(got)
    for name, rounds in times.items():
        if rounds:
            first = statistics.median(t for one in rounds for t in one[:10])
            rest = statistics.median(t for one in rounds for t in one[10:])
            print(f"{name:28} first ten {first:7.2f} ms  then {rest:7.2f} ms  rounds {len(rounds)}")


main()
