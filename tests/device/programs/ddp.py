"""DistributedDataParallel on all GPUs under torchrun; the last rank sleeps a while in every step, so that the others wait for it.

usage: torchrun --nproc-per-node N ddp.py [STEPS] [SLEEP_MS]      prints ms a step of rank 0 on standard error
"""
import os
import sys
import time

import torch
import torch.distributed as dist

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
SLEEP_MS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
net = torch.nn.Sequential(*[layer for _ in range(8) for layer in (torch.nn.Linear(2048, 2048), torch.nn.GELU())]).cuda()
net = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(2048, 2048, device="cuda")


def step():
    if SLEEP_MS and rank == ranks - 1:
        time.sleep(SLEEP_MS / 1e3)
    net(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()


for _ in range(5):
    step()
start = time.perf_counter()
for _ in range(STEPS):
    step()
if rank == 0:
    print(f"ddp {(time.perf_counter() - start) / STEPS * 1e3:.3f} ms/step", file=sys.stderr, flush=True)
dist.destroy_process_group()
