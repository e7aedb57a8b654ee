"""Loops that make the host wait for the device, or bring results back too often."""

import io

import torch
import torch.nn.functional as F
from torch import nn

from harness import case
from models import DEVICE, Transformer, bf16, mlp, random_ids, token_loss, update

NOT_INPUT = ["data_loading", "pageable_copy"]


@case("host_sync_item_per_layer", "host_sync", "stack the statistics and read them once", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, shapes=True)
def host_sync_item_per_layer(fixed):
    """Logs the activation scale of every layer with .item()."""
    layers = [nn.Linear(768, 768, device=DEVICE, dtype=torch.bfloat16) for _ in range(32)]
    x = torch.randn(1024, 768, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        h, scales = x, []
        with torch.no_grad():
            for layer in layers:
                h = F.gelu(layer(h))
                scale = h.abs().mean()
                scales.append(scale if fixed else scale.item())
            return torch.stack(scales).tolist() if fixed else scales

    return step


@case("host_sync_print_loss", "host_sync", "print every 50 steps", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, steps=6)
def host_sync_print_loss(fixed):
    """Prints loss, accuracy and gradient norm of a small model after each step."""
    model = mlp(1024, 6).to(DEVICE)
    head = nn.Linear(1024, 100).to(DEVICE)
    parameters = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, fused=True)
    x, y = torch.randn(512, 1024, device=DEVICE), torch.randint(0, 100, (512,), device=DEVICE)
    sink = io.StringIO()

    def step(i):
        logits = head(model(x))
        loss = F.cross_entropy(logits, y)
        if not fixed:
            print(loss.item(), (logits.argmax(1) == y).float().mean().item(), file=sink)
        update(optimizer, loss)
        if not fixed:
            norms = torch.stack([p.grad.norm() for p in parameters])
            print("gradient", norms.norm().item(), file=sink)

    return step


@case("host_sync_boolean_mask", "host_sync", "torch.where in place of boolean indexing", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, stacks=True, steps=4)
def host_sync_boolean_mask(fixed):
    """Selects tokens by a boolean mask in every layer: nonzero() must know its size on the host."""
    layers = [nn.Linear(512, 512, device=DEVICE, dtype=torch.bfloat16) for _ in range(24)]
    gates = [nn.Linear(512, 1, device=DEVICE, dtype=torch.bfloat16) for _ in range(24)]
    x = torch.randn(2048, 512, device=DEVICE, dtype=torch.bfloat16)

    @torch.no_grad()
    def step(i):
        h = x.clone()
        for layer, gate in zip(layers, gates):
            active = gate(h).squeeze(-1) > 0
            if fixed:
                h = torch.where(active[:, None], h + layer(h), h)
            else:
                h[active] = h[active] + layer(h[active])
        return h

    return step


@case("host_sync_per_layer", "host_sync", "no torch.cuda.synchronize() between layers", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, sync_events=True)
def host_sync_per_layer(fixed):
    model = bf16(Transformer(width=512, depth=8)).eval()
    ids = random_ids(8, 256)
    if not fixed:
        for block in model.blocks:
            block.attention.register_forward_hook(lambda *_: torch.cuda.synchronize())
            block.mlp.register_forward_hook(lambda *_: torch.cuda.synchronize())

    @torch.inference_mode()
    def step(i):
        return model(ids)

    return step


@case("host_sync_clip", "host_sync", "torch.nn.utils.clip_grad_norm_ over all gradients", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, stacks=True, shapes=True, memory=True, steps=3)
def host_sync_clip(fixed):
    """Clips gradients one by one: each `if` reads a value from the device."""
    model = bf16(Transformer(width=512, depth=6, vocab=8000))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = random_ids(16, 256, 8000)

    def step(i):
        optimizer.zero_grad(set_to_none=True)
        token_loss(model(ids), ids).backward()
        if fixed:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        else:
            for parameter in model.parameters():
                norm = parameter.grad.norm()
                if norm > 1.0:
                    parameter.grad.mul_(1.0 / norm)
        optimizer.step()

    return step


@case("d2h_copy_features", "d2h_copy", "pool on the device, copy the pooled features", accept=["host_sync"],
      must_not_claim=["data_loading", "launch_bound"])
def d2h_copy_features(fixed):
    model = bf16(mlp(4096, 6)).eval()
    x = torch.randn(8192, 4096, device=DEVICE, dtype=torch.bfloat16)

    @torch.inference_mode()
    def step(i):
        features = model(x)
        return (features.view(64, 128, 4096).mean(1) if fixed else features).cpu()

    return step


@case("d2h_copy_hidden_states", "d2h_copy", "collect on the device, copy into pinned memory without waiting",
      accept=["host_sync"], must_not_claim=["data_loading", "launch_bound"], stacks=True, steps=4)
def d2h_copy_hidden_states(fixed):
    """Keeps every layer's hidden state as a numpy array."""
    model = bf16(Transformer(width=1024, depth=6, heads=16, vocab=8000)).eval()
    ids = random_ids(8, 512, 8000)
    buffers = [torch.empty(8, 512, 1024, dtype=torch.float32, pin_memory=True) for _ in model.blocks] if fixed else []

    @torch.inference_mode()
    def step(i):
        kept = []
        h = model.tokens(ids) + model.positions.weight[: ids.shape[1]]
        for n, block in enumerate(model.blocks):
            h = block(h)
            if fixed:
                buffers[n].copy_(h.float(), non_blocking=True)
            else:
                kept.append(h.float().cpu().numpy())
        return kept

    return step
