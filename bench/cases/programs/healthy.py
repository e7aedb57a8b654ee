"""Controls: programs with nothing to gain. Before and after are the same program."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import record_function
from torch.utils.data import DataLoader, TensorDataset

from programs.launches import Decoder
from harness import case
from models import DEVICE, ConvNet, Transformer, bf16, capture, image_step, mlp, random_ids, token_loss, update

QUIET = ["launch_bound", "host_sync", "data_loading", "pageable_copy", "any gain above 1.1 from host-side changes"]
FINE = ["device_saturated", "compute_bound"]


@case("healthy_gemm", "none", "-", accept=FINE, must_not_claim=QUIET, shapes=True, drained=False)
def healthy_gemm(fixed):
    left, right = (torch.randn(8192, 8192, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))

    @torch.inference_mode()
    def step(i):
        for _ in range(4):
            left @ right

    return step


@case("healthy_transformer", "none", "-", accept=FINE, must_not_claim=QUIET, stacks=True, shapes=True, memory=True,
      steps=3, note="bf16, SDPA, fused AdamW, loader workers, pinned and asynchronous uploads, user ranges")
def healthy_transformer(fixed):
    data = TensorDataset(torch.randint(0, 8192, (65536, 512)))
    batches = iter(DataLoader(data, batch_size=32, shuffle=True, num_workers=4, pin_memory=True, drop_last=True))
    model = bf16(Transformer(vocab=8192, width=2048, depth=4, heads=16))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step(i):
        (ids,) = next(batches)
        ids = ids.to(DEVICE, non_blocking=True)
        with record_function("forward"):
            loss = token_loss(model(ids), ids)
        with record_function("backward"):
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
        with record_function("optimizer"):
            optimizer.step()

    return step


@case("healthy_printed_loss", "none", "-", accept=FINE, must_not_claim=QUIET, steps=4,
      note="reads the loss after each step, but the device has work for far longer than the host needs")
def healthy_printed_loss(fixed):
    model = bf16(Transformer(vocab=8192, width=2048, depth=3, heads=16))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = random_ids(32, 512, 8192)
    losses = []

    def step(i):
        loss = token_loss(model(ids), ids)
        update(optimizer, loss)
        losses.append(loss.item())

    return step


@case("healthy_convnet", "none", "-", accept=FINE + ["dram_bound"], must_not_claim=QUIET, steps=4,
      note="channels_last, bf16 autocast, fused optimizer")
def healthy_convnet(fixed):
    model = ConvNet(channels=128, depth=4).to(DEVICE, memory_format=torch.channels_last)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    images = torch.randn(128, 3, 160, 160, device=DEVICE).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 100, (128,), device=DEVICE)

    def step(i):
        train(images, labels)

    return step


@case("healthy_graph_decode", "none", "-", accept=FINE + ["dram_bound"], must_not_claim=QUIET, steps=4,
      note="batch 64 decoding in a CUDA graph: weights and cache are streamed from memory")
def healthy_graph_decode(fixed):
    decoder = Decoder(width=2048, depth=8, heads=16, batch=64, longest=1024)
    replay = capture(decoder.next_token)

    def step(i):
        for _ in range(2):
            replay()

    return step


@case("healthy_stream_copy", "none", "-", accept=FINE + ["dram_bound"], must_not_claim=QUIET, annotate=False,
      note="one fused pointwise operation over a large tensor at memory speed")
def healthy_stream_copy(fixed):
    x, y = (torch.randn(256 << 20, device=DEVICE) for _ in range(2))

    @torch.inference_mode()
    def step(i):
        for _ in range(4):
            torch.add(x, y, alpha=0.5, out=y)

    return step


@case("healthy_in_process_loader", "none", "-", accept=FINE, must_not_claim=QUIET, shapes=True, steps=4,
      note="num_workers=0 and pageable batches, but both are hidden behind the device's work")
def healthy_in_process_loader(fixed):
    data = TensorDataset(torch.randn(4096, 4096))
    model = bf16(mlp(4096, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)
    sampler = [list(range(n, n + 64)) for n in range(0, 4096, 64)] * 100
    batches = iter(DataLoader(data, batch_sampler=sampler))

    def step(i):
        (rows,) = next(batches)
        x = rows.to(DEVICE, torch.bfloat16).repeat(128, 1)
        update(optimizer, model(x).float().square().mean())

    return step


@case("healthy_tf32", "none", "-", accept=FINE + ["fp32_no_tensor_core"], must_not_claim=QUIET, memory=True, steps=4,
      note="float32 with TF32 products; bf16 would still help, so precision advice is no error")
def healthy_tf32(fixed):
    torch.set_float32_matmul_precision("high")
    model = mlp(4096, 6, nn.GELU).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    x = torch.randn(8192, 4096, device=DEVICE)

    def step(i):
        update(optimizer, model(x).square().mean())

    return step


@case("healthy_attention_serving", "none", "-", accept=FINE, must_not_claim=QUIET, sync_events=True, steps=4,
      note="batched prefill, SDPA, the token ids copied back once a step")
def healthy_attention_serving(fixed):
    model = bf16(Transformer(width=2048, depth=4, heads=16, vocab=8192, longest=2048)).eval()
    ids = random_ids(16, 2048, 8192)

    @torch.inference_mode()
    def step(i):
        return F.log_softmax(model(ids)[:, -1].float(), -1).argmax(-1).cpu()

    return step
