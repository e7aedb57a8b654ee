"""A Triton kernel that waits for memory: a row-wise norm over rows that do not fit the caches, for so many seconds."""
import sys
import time

import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows(source, target, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(source + row * columns + at, mask=at < columns, other=0.0)  # hot: scale_rows
    total = tl.sum(values * values, axis=0)  # waits: scale_rows
    tl.store(target + row * columns + at, values / tl.sqrt(total + 1e-6), mask=at < columns)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    source = torch.randn(65536, 4096, device="cuda")
    target = torch.empty_like(source)
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            scale_rows[(source.shape[0],)](source, target, source.shape[1], BLOCK=4096)
            count += 1
        torch.cuda.synchronize()
    print(f"launches {count}")


main()
