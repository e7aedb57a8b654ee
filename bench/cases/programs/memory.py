"""Device memory: leaks, allocator traffic, fragmentation, needless clearing and recomputation."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from harness import Timing, case
from models import DEVICE, Block, Transformer, bf16, mlp, random_ids, token_loss, update

FEW = Timing(warmup=3, blocks=4, max_steps=12, block_seconds=0.06)


@case("memory_leak_losses", "memory_leak", "keep loss.detach()", accept=["allocator_churn"],
      must_not_claim=["data_loading", "pageable_copy"], memory=True, steps=6, timing=FEW,
      note="memory grows with each step; the time hardly changes")
def memory_leak_losses(fixed):
    """Adds up losses that still hold their graphs."""
    torch.set_float32_matmul_precision("high")
    model = mlp(1024, 12).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    x = torch.randn(8192, 1024, device=DEVICE)
    history = []

    def step(i):
        loss = model(x).square().mean()
        probe = model(x[:2048]).mean()
        history.append(probe.detach() if fixed else probe)
        update(optimizer, loss)

    return step


@case("memory_leak_outputs", "memory_leak", "keep the pooled outputs", accept=["allocator_churn", "launch_bound"],
      must_not_claim=["data_loading", "pageable_copy"], memory=True, shapes=True, stacks=True, steps=4, timing=FEW,
      note="an evaluation loop that keeps all logits on the device")
def memory_leak_outputs(fixed):
    model = bf16(Transformer(width=512, depth=3)).eval()
    ids = random_ids(4, 512)
    kept = []

    @torch.inference_mode()
    def step(i):
        logits = model(ids)
        kept.append(logits.argmax(-1) if fixed else logits.float())

    return step


@case("allocator_churn_empty_cache", "allocator_churn", "no torch.cuda.empty_cache() in the loop",
      accept=["host_sync"], must_not_claim=["data_loading", "launch_bound", "memory_leak"], shapes=True)
def allocator_churn_empty_cache(fixed):
    model = bf16(Transformer(width=768, depth=3, heads=12))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = random_ids(8, 512)

    def step(i):
        update(optimizer, token_loss(model(ids), ids))
        if not fixed:
            torch.cuda.empty_cache()

    return step


@case("allocator_churn_per_layer", "allocator_churn", "no torch.cuda.empty_cache() in the loop",
      accept=["host_sync"], must_not_claim=["data_loading", "launch_bound", "memory_leak"], stacks=True, memory=True,
      steps=4, note="inference that empties the cache after every layer")
def allocator_churn_per_layer(fixed):
    layers = bf16(mlp(2048, 12)).eval()
    x = torch.randn(8192, 2048, device=DEVICE, dtype=torch.bfloat16)

    @torch.inference_mode()
    def step(i):
        h = x
        for layer in layers:
            h = layer(h)
            if not fixed:
                torch.cuda.empty_cache()
        return h

    return step


@case("fragmentation_growing_cache", "fragmentation", "allocate the cache once at its full length",
      accept=["allocator_churn", "redundant_copy"], must_not_claim=["data_loading", "launch_bound"], memory=True,
      steps=4, timing=Timing(warmup=2, blocks=3, max_steps=8),
      note="a key-value cache grown by cat: no freed block fits the next size, reserved memory runs away")
def fragmentation_growing_cache(fixed):
    layers, batch, width, piece, longest = 16, 16, 2048, 16, 2048
    new = torch.randn(batch, piece, width, device=DEVICE, dtype=torch.bfloat16)
    if fixed:
        caches = [torch.empty(batch, longest, width, device=DEVICE, dtype=torch.bfloat16) for _ in range(layers)]
    else:
        caches = [torch.randn(batch, 1024, width, device=DEVICE, dtype=torch.bfloat16) for _ in range(layers)]

    @torch.inference_mode()
    def step(i):
        length = min(1024 + piece * (i + 1), longest)
        for n in range(layers):
            if fixed:
                caches[n][:, length - piece : length].copy_(new)
                cache = caches[n][:, :length]
            else:
                cache = caches[n] = torch.cat([caches[n], new], 1)
            torch.bmm(new, cache.transpose(1, 2))

    return step


@case("activation_recompute_all", "activation_recompute", "no checkpointing: memory is plentiful",
      must_not_claim=["launch_bound", "data_loading", "host_sync"], shapes=True, memory=True, steps=3)
def activation_recompute_all(fixed):
    blocks = bf16(nn.ModuleList(Block(1024, 16) for _ in range(6)))
    optimizer = torch.optim.AdamW(blocks.parameters(), fused=True)
    x = torch.randn(32, 512, 1024, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        h = x
        for block in blocks:
            h = block(h) if fixed else checkpoint(block, h, use_reentrant=False)
        update(optimizer, h.float().square().mean())

    return step


@case("activation_recompute_plain", "activation_recompute", "no checkpointing: memory is plentiful",
      must_not_claim=["launch_bound", "data_loading", "host_sync"], steps=3,
      note="the same cause without shapes, with the older re-entrant form")
def activation_recompute_plain(fixed):
    layers = bf16(nn.ModuleList(mlp(4096, 3, nn.GELU) for _ in range(4)))
    optimizer = torch.optim.SGD(layers.parameters(), lr=1e-4, fused=True)
    x = torch.randn(8192, 4096, device=DEVICE, dtype=torch.bfloat16, requires_grad=True)

    def step(i):
        h = x
        for layer in layers:
            h = layer(h) if fixed else checkpoint(layer, h, use_reentrant=True)
        update(optimizer, h.float().square().mean())

    return step


@case("memset_storm_gradients", "memset_storm", "zero_grad(set_to_none=True)", accept=["dram_bound"],
      must_not_claim=["data_loading", "host_sync"], shapes=True, steps=4,
      note="zeroing runs as multi_tensor_apply kernels, not as memset rows")
def memset_storm_gradients(fixed):
    model = bf16(mlp(8192, 12, bias=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(128, 8192, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        optimizer.zero_grad(set_to_none=fixed)
        model(x).float().square().mean().backward()
        optimizer.step()

    return step


@case("memset_storm_buffers", "memset_storm", "torch.empty: the buffers are overwritten anyway",
      accept=["dram_bound"], must_not_claim=["data_loading", "host_sync", "launch_bound"])
def memset_storm_buffers(fixed):
    weights = [torch.randn(1024, 1024, device=DEVICE, dtype=torch.bfloat16) * 0.03 for _ in range(16)]
    x = torch.randn(65536, 1024, device=DEVICE, dtype=torch.bfloat16)
    make = torch.empty if fixed else torch.zeros

    @torch.inference_mode()
    def step(i):
        h = x
        for weight in weights:
            products = make(x.shape, device=DEVICE, dtype=torch.bfloat16)
            activations = make(x.shape, device=DEVICE, dtype=torch.bfloat16)
            torch.mm(h, weight, out=products)
            h = torch.clamp(products, min=0, out=activations)
        return h

    return step
