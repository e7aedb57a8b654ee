"""What toggle.py switches beside: operators that are new all the time (so that modules are loaded lazily), forward and backward
(two launching threads), for SECONDS. Last line: steps, switches."""
import ctypes
import os
import sys
import time

import torch

seconds = float(sys.argv[1])
begin = time.monotonic()
names = ["sin", "cos", "tanh", "exp", "log1p", "sqrt", "relu", "sigmoid", "floor", "erf", "asinh", "lgamma", "expm1", "sinh", "trunc",
         "cumsum", "sort", "argmax", "std", "prod", "digamma", "atan", "cosh", "log2", "rsqrt", "square", "sign", "isnan", "logsumexp"]
types = [torch.float32, torch.float16, torch.float64, torch.bfloat16]
net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 256)).cuda()
mode = os.environ.get("TOGGLED", "")
steps = 0
last = begin
while time.monotonic() - begin < seconds:
    if mode == "profiler" and steps % 20 in (5, 15):
        (torch.cuda.profiler.start if steps % 20 == 5 else torch.cuda.profiler.stop)()
    torch.cuda.nvtx.range_push("step")
    name, dtype = names[steps % len(names)], types[steps // len(names) % len(types)]
    x = torch.rand(64 + steps % 7, 256, device="cuda").to(dtype)
    try:
        function = getattr(torch, name)
        function(x, 1) if name in ("cumsum", "logsumexp") else function(x)
    except (RuntimeError, TypeError):
        pass
    for _ in range(10):
        net(torch.rand(32 + steps % 5, 256, device="cuda")).square().mean().backward()
    torch.cuda.nvtx.range_pop()
    steps += 1
    if steps % 10 == 0:
        torch.cuda.synchronize()
    if time.monotonic() - last > 1:
        last = time.monotonic()
        print(f"{last - begin:.1f} s: {steps} steps", flush=True)
torch.cuda.synchronize()
probe = os.environ.get("CUDA_INJECTION64_PATH", "")
count = ""
if "toggle_probe" in probe:
    library = ctypes.CDLL(probe)
    library.ToggleCount.restype = ctypes.c_uint64
    count = library.ToggleCount()
print("done", steps, count, flush=True)
