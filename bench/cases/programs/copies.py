"""Transfers between host and device, and copies that need not be."""

import os
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import record_function

from harness import Timing, case
from models import DEVICE, ConvNet, Prefetcher, bf16, image_step, mlp, update

NOT_HOST = ["data_loading", "launch_bound", "cpu_bound_host"]


@case("pageable_copy_images", "pageable_copy", "pin_memory and a prefetch on a side stream",
      accept=["serial_copy"], must_not_claim=NOT_HOST + ["small_copies"], shapes=True)
def pageable_copy_images(fixed):
    model = ConvNet(channels=64, depth=2).to(DEVICE, memory_format=torch.channels_last)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    labels = torch.randint(0, 100, (192,), device=DEVICE)
    batches = [torch.randn(192, 3, 224, 224).to(memory_format=torch.channels_last) for _ in range(2)]
    source = Prefetcher([b.pin_memory() for b in batches]) if fixed else None

    def step(i):
        images = source.take(i) if fixed else batches[i % 2].to(DEVICE)
        train(images, labels)

    return step


@case("pageable_copy_numpy", "pageable_copy", "pinned buffers and a prefetch on a side stream",
      accept=["serial_copy"], must_not_claim=NOT_HOST + ["small_copies"], stacks=True, memory=True,
      note="frames come as numpy arrays")
def pageable_copy_numpy(fixed):
    model = bf16(mlp(1024, 4)).eval()
    frames = [np.random.default_rng(n).integers(0, 255, (65536, 1024), dtype=np.uint8) for n in range(2)]
    source = Prefetcher([torch.from_numpy(f).pin_memory() for f in frames]) if fixed else None

    @torch.inference_mode()
    def step(i):
        pixels = source.take(i) if fixed else torch.from_numpy(frames[i % 2]).to(DEVICE)
        return model(pixels.to(torch.bfloat16) / 255).mean(1)

    return step


@case("serial_copy_batch", "serial_copy", "upload the next batch on a side stream",
      must_not_claim=NOT_HOST + ["pageable_copy", "host_sync"],
      note="pinned and non_blocking, but on the stream that computes")
def serial_copy_batch(fixed):
    batches = [torch.randn(16384, 2048).pin_memory() for _ in range(2)]
    model = bf16(mlp(2048, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)
    source = Prefetcher(batches) if fixed else None

    def step(i):
        x = source.take(i) if fixed else batches[i % 2].to(DEVICE, non_blocking=True)
        update(optimizer, model(x.to(torch.bfloat16)).float().square().mean())

    return step


@case("serial_copy_offload", "serial_copy", "fetch the next layer's weights on a side stream",
      must_not_claim=NOT_HOST + ["pageable_copy", "host_sync"], shapes=True, sync_events=True, steps=4,
      note="weights live in pinned host memory and are brought layer by layer")
def serial_copy_offload(fixed):
    weights = [torch.randn(4096, 4096, dtype=torch.bfloat16).mul_(0.02).pin_memory() for _ in range(8)]
    x = torch.randn(12288, 4096, device=DEVICE, dtype=torch.bfloat16)
    source = Prefetcher(weights) if fixed else None

    @torch.inference_mode()
    def step(i):
        h = x
        for n, weight in enumerate(weights):
            w = source.take(i * len(weights) + n) if fixed else weight.to(DEVICE, non_blocking=True)
            h = F.gelu(h @ w)
        return h

    return step


@case("small_copies_lists", "small_copies", "build one array on the host and upload it once",
      accept=["cpu_bound_host"], must_not_claim=["data_loading", "launch_bound"], stacks=True, steps=4)
def small_copies_lists(fixed):
    """Makes one device tensor per sample from a Python list."""
    rows = [[float(n + k) for k in range(16)] for n in range(256)]
    model = mlp(16, 2).to(DEVICE)

    @torch.inference_mode()
    def step(i):
        if fixed:
            x = torch.tensor(rows, pin_memory=True).to(DEVICE, non_blocking=True)
        else:
            x = torch.stack([torch.tensor(row, device=DEVICE) for row in rows])
        return model(x)

    return step


@case("small_copies_features", "small_copies", "pack the features and upload them once",
      must_not_claim=["data_loading", "launch_bound"], shapes=True)
def small_copies_features(fixed):
    """A recommender's batch: 128 feature columns, each uploaded on its own."""
    columns = {f"feature_{n}": torch.rand(1024, 1) for n in range(128)}
    packed = torch.cat(list(columns.values()), 1).pin_memory()
    model = bf16(mlp(128, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)

    def step(i):
        with record_function("upload"):
            if fixed:
                x = packed.to(DEVICE, non_blocking=True)
            else:
                x = torch.cat([column.to(DEVICE) for column in columns.values()], 1)
        update(optimizer, model(x.to(torch.bfloat16)).float().square().mean())

    return step


@case("model_load_layers", "model_load", "read into one pinned buffer and upload in large pieces",
      accept=["pageable_copy", "checkpoint_io"], must_not_claim=["launch_bound", "data_loading", "host_sync"],
      annotate=False, steps=1, timing=Timing(warmup=1, blocks=3, max_steps=2, block_seconds=0.3),
      note="start-up: one step is one load of 16 layers (512 MiB) and a first forward pass")
def model_load_layers(fixed):
    """Reads and uploads a model layer by layer from pageable memory."""
    folder, layers, width = tempfile.mkdtemp(), 16, 2896
    for n in range(layers):
        torch.save({"weight": torch.full((width, width), 1e-3)}, os.path.join(folder, f"layer{n}.pt"))
    count = layers * width * width
    np.full(count, 1e-3, dtype=np.float32).tofile(os.path.join(folder, "all.bin"))
    staging = torch.empty(count, pin_memory=True) if fixed else None
    x = torch.randn(256, width, device=DEVICE)

    def load_packed():
        device = torch.empty(count, device=DEVICE)
        with open(os.path.join(folder, "all.bin"), "rb", buffering=0) as file:
            for n in range(layers):
                piece = slice(n * width * width, (n + 1) * width * width)
                file.readinto(memoryview(staging[piece].numpy()).cast("B"))
                device[piece].copy_(staging[piece], non_blocking=True)
        return device.view(layers, width, width)

    def load_layers():
        files = (os.path.join(folder, f"layer{n}.pt") for n in range(layers))
        return [torch.load(file)["weight"].to(DEVICE) for file in files]

    @torch.inference_mode()
    def step(i):
        with record_function("load"):
            weights = load_packed() if fixed else load_layers()
        h = x
        for weight in weights:
            h = F.relu(h @ weight)
        return h.sum().item()

    return step


@case("redundant_copy_casts", "redundant_copy", "keep bf16 and drop clone() and contiguous()",
      accept=["unfused_elementwise", "dram_bound"], must_not_claim=NOT_HOST + ["host_sync"], shapes=True)
def redundant_copy_casts(fixed):
    layers = [nn.Linear(1024, 1024, device=DEVICE, dtype=torch.bfloat16) for _ in range(6)]
    x = torch.randn(32768, 1024, device=DEVICE, dtype=torch.bfloat16)

    @torch.inference_mode()
    def step(i):
        h = x
        for layer in layers:
            if not fixed:
                h = h.clone().float().t().contiguous().t().contiguous().to(torch.bfloat16)
            h = F.relu(layer(h))
        return h

    return step


@case("redundant_copy_heads", "redundant_copy", "scaled_dot_product_attention(enable_gqa=True)",
      must_not_claim=NOT_HOST + ["host_sync"], annotate=False,
      note="grouped-query attention: keys and values are repeated in memory for each query head")
def redundant_copy_heads(fixed):
    q = torch.randn(64, 32, 64, 128, device=DEVICE, dtype=torch.bfloat16)
    k, v = (torch.randn(64, 4, 2048, 128, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))

    @torch.inference_mode()
    def step(i):
        for _ in range(4):
            if fixed:
                F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
            else:
                keys, values = k.repeat_interleave(8, 1), v.repeat_interleave(8, 1)
                F.scaled_dot_product_attention(q, keys, values)

    return step


@case("redundant_copy_growing", "redundant_copy", "collect in a list, one cat at the end",
      must_not_claim=NOT_HOST + ["host_sync"], memory=True,
      note="appends with cat in a loop: every round copies all earlier rows")
def redundant_copy_growing(fixed):
    pieces = [torch.randn(8192, 1024, device=DEVICE, dtype=torch.bfloat16) for _ in range(24)]

    @torch.inference_mode()
    def step(i):
        if fixed:
            return torch.cat([piece * 0.5 for piece in pieces])
        grown = pieces[0] * 0.5
        for piece in pieces[1:]:
            grown = torch.cat([grown, piece * 0.5])
        return grown

    return step
