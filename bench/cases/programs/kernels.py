"""Single kernels that use the device badly: few blocks, a short last wave, low occupancy, contended atomics."""

import torch
import torch.nn.functional as F

from harness import case
from models import DEVICE

NOT_HOST = ["launch_bound", "host_sync", "data_loading", "pageable_copy"]


def build_kernel(source, name):
    return torch.cuda._compile_kernel('extern "C" ' + source, name)


def multiprocessors():
    return torch.cuda.get_device_properties(0).multi_processor_count


@case("small_grid_softmax", "small_grid", "normalise in two stages over many blocks", must_not_claim=NOT_HOST, shapes=True,
      note="softmax over four very long rows runs in four blocks")
def small_grid_softmax(fixed):
    logits = torch.randn(4, 8 << 20, device=DEVICE)

    @torch.inference_mode()
    def step(i):
        if not fixed:
            return logits.softmax(-1)
        pieces = logits.view(4, 512, -1)
        top = pieces.amax(-1).amax(-1)[:, None, None]
        weights = torch.exp(pieces - top)
        return weights / weights.sum(-1).sum(-1)[:, None, None]

    return step


NORM = """__global__ void row_norm(const float* x, float* partial, int n) {
    float sum = 0.f;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        float v = x[i];
        sum += v * v;
    }
    for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(partial, sum);
}"""


@case("small_grid_reduction", "small_grid", "a grid that fills the device", must_not_claim=NOT_HOST)
def small_grid_reduction(fixed):
    kernel = build_kernel(NORM, "row_norm")
    x = torch.randn(128 << 20, device=DEVICE)
    total = torch.zeros(1, device=DEVICE)
    blocks = 8 * multiprocessors() if fixed else 16

    def step(i):
        kernel(grid=(blocks, 1, 1), block=(256, 1, 1), args=[x, total, x.numel()])

    return step


ITERATE = """__global__ void iterate(float* x, int pieces, int rounds) {
    extern __shared__ float tile[];
    for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        float v = x[piece * blockDim.x + threadIdx.x];
        for (int i = 0; i < rounds; ++i) v = v * 0.999f + 0.001f;
        tile[threadIdx.x] = v;
        x[piece * blockDim.x + threadIdx.x] = tile[threadIdx.x];
    }
}"""


@case("tail_wave_one_block", "tail_wave", "smaller pieces of work, so that the last wave is full",
      must_not_claim=NOT_HOST, note="one block more than fits: the second wave runs one block on an idle device")
def tail_wave_one_block(fixed):
    kernel = build_kernel(ITERATE, "iterate")
    shared = 160 << 10  # one block a multiprocessor
    kernel.set_shared_memory_config(shared)
    blocks, threads = multiprocessors() + 1, 512
    x = torch.randn(8 * blocks * threads, device=DEVICE)
    rounds = 200_000
    split = 8 if fixed else 1

    def step(i):
        if split == 1:
            kernel(grid=(blocks, 1, 1), block=(threads, 1, 1), args=[x, blocks, rounds], shared_mem=shared)
        else:
            kernel(grid=(blocks - 1, 1, 1), block=(threads, 1, 1), args=[x, blocks * split, rounds // split],
                   shared_mem=shared)

    return step


GATHER = """__global__ void LAUNCH gather(const float* table, const int* start, float* out, int hops, int n) {
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = start[i];
    float sum = 0.f;
    for (int hop = 0; hop < hops; ++hop) {
        float v = table[at];
        sum += v;
        at = (at * 1664525 + 1013904223 + (int)v) & (n - 1);
    }
    tile[threadIdx.x] = sum;
    out[i] = tile[threadIdx.x];
}"""


@case("occupancy_shared_gather", "occupancy_shared", "ask for the shared memory that is used: 0.5 KiB",
      must_not_claim=NOT_HOST, accept=["occupancy"],
      note="200 KiB of dynamic shared memory allow one block of 128 threads a multiprocessor")
def occupancy_shared_gather(fixed):
    kernel = build_kernel(GATHER.replace("LAUNCH", ""), "gather")
    shared = 512 if fixed else 200 << 10
    kernel.set_shared_memory_config(shared)
    n = 1 << 24
    table, out = torch.rand(n, device=DEVICE) * 0.5, torch.empty(n, device=DEVICE)
    start = torch.randint(0, n, (n,), device=DEVICE, dtype=torch.int32)

    def step(i):
        kernel(grid=(n // 128, 1, 1), block=(128, 1, 1), args=[table, start, out, 4, n], shared_mem=shared)

    return step


WINDOW = """__global__ void __launch_bounds__(256) window(const float* x, float* out, int n, int rows) {
    long long column = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    float kept[WIDTH];
    #pragma unroll
    for (int k = 0; k < WIDTH; ++k) kept[k] = 0.f;
    for (int row = 0; row < rows; row += WIDTH) {
        #pragma unroll
        for (int k = 0; k < WIDTH; ++k) kept[k] = kept[k] * 0.5f + x[(long long)(row + k) * n + column];
    }
    float sum = 0.f;
    #pragma unroll
    for (int k = 0; k < WIDTH; ++k) sum += kept[k] * (k + 1);
    out[column] = sum;
}"""


@case("occupancy_registers_window", "occupancy_registers", "a shorter window in registers", accept=["occupancy"],
      must_not_claim=NOT_HOST, note="a long window held in registers; see registers per thread")
def occupancy_registers_window(fixed):
    kernel = build_kernel(WINDOW.replace("WIDTH", "16" if fixed else "192"), "window")
    rows, n = 192 * 2, 1 << 20
    x, out = torch.randn(rows, n, device=DEVICE), torch.empty(n, device=DEVICE)

    def step(i):
        kernel(grid=(n // 256, 1, 1), block=(256, 1, 1), args=[x, out, n, rows])

    return step


@case("atomic_contention_index_add", "atomic_contention", "a product with the one-hot matrix",
      must_not_claim=NOT_HOST, shapes=True)
def atomic_contention_index_add(fixed):
    """Sums rows into four groups with index_add_."""
    source = torch.randn(1 << 20, 64, device=DEVICE)
    groups = torch.randint(0, 4, (1 << 20,), device=DEVICE)
    one_hot = F.one_hot(groups, 4).float().t().contiguous()

    @torch.inference_mode()
    def step(i):
        if fixed:
            return one_hot @ source
        return torch.zeros(4, 64, device=DEVICE).index_add_(0, groups, source)

    return step


@case("atomic_contention_scatter", "atomic_contention", "torch.histc, which counts in shared memory first",
      must_not_claim=NOT_HOST)
def atomic_contention_scatter(fixed):
    """A histogram of eight bins with scatter_add_."""
    bins = torch.randint(0, 8, (16 << 20,), device=DEVICE)
    ones = torch.ones(16 << 20, device=DEVICE)

    @torch.inference_mode()
    def step(i):
        if fixed:
            return torch.histc(bins.float(), 8, 0, 7)
        return torch.zeros(8, device=DEVICE).scatter_add_(0, bins, ones)

    return step


@case("atomic_contention_select", "atomic_contention", "a product with the one-hot matrix",
      must_not_claim=NOT_HOST, stacks=True, steps=4,
      note="the backward of index_select on a small table: many samples share few rows")
def atomic_contention_select(fixed):
    table = torch.randn(16, 128, device=DEVICE, requires_grad=True)
    ids = torch.randint(0, 16, (1 << 19,), device=DEVICE)
    one_hot = F.one_hot(ids, 16).float()

    def step(i):
        table.grad = None
        rows = one_hot @ table if fixed else table.index_select(0, ids)
        rows.square().mean().backward()

    return step
