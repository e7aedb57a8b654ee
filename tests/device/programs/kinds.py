"""Everything that the agent records beside kernels, on purpose and in known numbers: for tests/device/check_kinds.py.

Prints one JSON line with the numbers that the recording must show."""
import ctypes
import json

import torch

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry compiled_at_run_time(.param .u64 p) { ret; }
"""
REPLAYS, NODES, WAITS, RANGES = 10, 6, 5, 7


def compile_at_run_time():
    """One module from PTX: the driver compiles it."""
    driver = ctypes.CDLL("libcuda.so.1")
    module = ctypes.c_void_p()
    return driver.cuModuleLoadData(ctypes.byref(module), PTX)


def managed_memory():
    """A MiB of unified memory, touched here, then there, then here again."""
    runtime = ctypes.CDLL("libcudart.so.13")
    pointer, size = ctypes.c_void_p(), 1 << 20
    runtime.cudaMallocManaged.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    runtime.cudaMemset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    if runtime.cudaMallocManaged(ctypes.byref(pointer), size, 1) != 0:
        return False
    ctypes.memset(pointer, 1, size)
    runtime.cudaMemset(pointer, 2, size)
    torch.cuda.synchronize()
    ctypes.memset(pointer, 3, size)
    return True


def graphs(x):
    """A graph of NODES kernels, replayed REPLAYS times."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.nvtx.range_push("capture")
    with torch.cuda.graph(graph):
        y = x
        for _ in range(NODES):
            y = y + 1
    torch.cuda.nvtx.range_pop()
    for _ in range(REPLAYS):
        graph.replay()
    torch.cuda.synchronize()
    return y


def waits(x):
    """A second stream waits for the first one's events."""
    other = torch.cuda.Stream()
    for _ in range(WAITS):
        event = torch.cuda.Event()
        x = x * 1.5
        event.record()
        other.wait_event(event)
        with torch.cuda.stream(other):
            x + 1
    torch.cuda.synchronize()


def main():
    x = torch.ones(1 << 16, device="cuda")
    for i in range(RANGES):
        torch.cuda.nvtx.range_push(f"step {i}")
        x + i
        torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.mark("half time")
    with torch.autograd.profiler.emit_nvtx():
        x + 1
    compiled = compile_at_run_time()
    graphs(x)
    waits(x)
    large = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    del large
    torch.cuda.empty_cache()
    unified = managed_memory()
    torch.cuda.nvtx.range_push("never closed")
    print(json.dumps({"ranges": RANGES, "replays": REPLAYS, "nodes": NODES, "waits": WAITS, "compiled": compiled == 0,
                      "unified": unified}), flush=True)


main()
