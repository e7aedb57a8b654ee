"""Arithmetic done the slow way: precision, alignment, layout, attention, gradients."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from harness import case
from models import DEVICE, Attention, Block, ConvNet, Transformer, bf16, image_step, mlp, random_ids, token_loss, update

NOT_HOST = ["launch_bound", "host_sync", "data_loading"]


@case("fp32_no_tensor_core_matmul", "fp32_no_tensor_core", "torch.set_float32_matmul_precision('high')",
      must_not_claim=NOT_HOST + ["dram_bound"], shapes=True, steps=4)
def fp32_no_tensor_core_matmul(fixed):
    torch.set_float32_matmul_precision("high" if fixed else "highest")
    model = Transformer(width=1024, depth=4, heads=16, vocab=8000).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = random_ids(16, 512, 8000)

    def step(i):
        update(optimizer, token_loss(model(ids), ids))

    return step


@case("fp32_no_tensor_core_conv", "fp32_no_tensor_core", "torch.backends.cudnn.allow_tf32 = True",
      must_not_claim=NOT_HOST + ["dram_bound"], steps=4)
def fp32_no_tensor_core_conv(fixed):
    torch.backends.cudnn.allow_tf32 = fixed
    model = ConvNet(channels=128, depth=3).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, fused=True)
    images = torch.randn(64, 3, 112, 112, device=DEVICE)
    labels = torch.randint(0, 100, (64,), device=DEVICE)

    def step(i):
        update(optimizer, F.cross_entropy(model(images), labels))

    return step


@case("fp32_no_tensor_core_autocast", "fp32_no_tensor_core", "autocast(bfloat16)",
      must_not_claim=NOT_HOST + ["dram_bound"], memory=True, annotate=False, steps=3)
def fp32_no_tensor_core_autocast(fixed):
    model = mlp(4096, 6, nn.GELU).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    x = torch.randn(4096, 4096, device=DEVICE)

    def step(i):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=fixed):
            loss = model(x).float().square().mean()
        update(optimizer, loss)

    return step


@case("fp64_promotion_model", "fp64_promotion", "keep float32 (TF32 products)", must_not_claim=NOT_HOST, shapes=True,
      steps=4, note="numpy inputs are double, so the model was made double")
def fp64_promotion_model(fixed):
    torch.set_float32_matmul_precision("high")
    kind = torch.float32 if fixed else torch.float64
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((4096, 2048))).to(DEVICE, kind)
    model = mlp(2048, 6, nn.Tanh).to(DEVICE, kind)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step(i):
        update(optimizer, model(x).square().mean())

    return step


@case("fp64_promotion_pointwise", "fp64_promotion", "make the constants float32", must_not_claim=NOT_HOST,
      accept=["unfused_elementwise", "dram_bound"],
      note="a double mean and deviation from numpy promote every later pointwise operation")
def fp64_promotion_pointwise(fixed):
    mean, deviation = np.zeros(4096), np.ones(4096)
    kind = np.float32 if fixed else np.float64
    mean, deviation = (torch.from_numpy(a.astype(kind)).to(DEVICE) for a in (mean, deviation))
    x = torch.randn(16384, 4096, device=DEVICE)

    @torch.inference_mode()
    def step(i):
        h = (x - mean) / deviation
        return torch.sigmoid(h * 1.7) * h + torch.exp(-h * h)

    return step


@case("gemm_misaligned_vocabulary", "gemm_misaligned", "pad the vocabulary to 50304", must_not_claim=NOT_HOST,
      shapes=True, steps=4)
def gemm_misaligned_vocabulary(fixed):
    vocab = 50304 if fixed else 50257
    model = bf16(Transformer(vocab=vocab, width=1024, depth=1, heads=16))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    ids = random_ids(16, 512, 50257)

    def step(i):
        update(optimizer, token_loss(model(ids), ids))

    return step


@case("gemm_misaligned_width", "gemm_misaligned", "width 4096 in place of 4095", must_not_claim=NOT_HOST, shapes=True,
      note="both dimensions are odd, so no operand is aligned to 16 bytes")
def gemm_misaligned_width(fixed):
    width = 4096 if fixed else 4095
    model = bf16(mlp(width, 6)).eval()
    x = torch.randn(8192, width, device=DEVICE, dtype=torch.bfloat16)

    @torch.inference_mode()
    def step(i):
        return model(x)

    return step


@case("layout_transform_resnet", "layout_transform", "memory_format=torch.channels_last",
      must_not_claim=NOT_HOST + ["fp32_no_tensor_core"], shapes=True, steps=3)
def layout_transform_resnet(fixed):
    layout = torch.channels_last if fixed else torch.contiguous_format
    model = ConvNet(channels=128, depth=4).to(DEVICE, memory_format=layout)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    images = torch.randn(64, 3, 160, 160, device=DEVICE).to(memory_format=layout)
    labels = torch.randint(0, 100, (64,), device=DEVICE)

    def step(i):
        train(images, labels)

    return step


@case("layout_transform_permute", "layout_transform", "channels_last, so that permute() is free",
      accept=["redundant_copy"], must_not_claim=NOT_HOST + ["fp32_no_tensor_core"], memory=True, steps=4,
      note="permute().contiguous() around each layer norm of a ConvNeXt-like network")
def layout_transform_permute(fixed):
    convolutions = [nn.Conv2d(128, 128, 3, padding=1).to(DEVICE, torch.bfloat16) for _ in range(6)]
    norms = [nn.LayerNorm(128).to(DEVICE, torch.bfloat16) for _ in range(6)]
    x = torch.randn(64, 128, 96, 96, device=DEVICE, dtype=torch.bfloat16)
    if fixed:
        convolutions = [c.to(memory_format=torch.channels_last) for c in convolutions]
        x = x.to(memory_format=torch.channels_last)

    @torch.inference_mode()
    def step(i):
        h = x
        for convolution, norm in zip(convolutions, norms):
            h = convolution(h).permute(0, 2, 3, 1)
            h = norm(h if fixed else h.contiguous()).permute(0, 3, 1, 2)
            h = F.gelu(h if fixed else h.contiguous())
        return h

    return step


@case("attention_materialised_inference", "attention_materialised", "F.scaled_dot_product_attention",
      accept=["dram_bound", "unfused_elementwise"], must_not_claim=NOT_HOST)
def attention_materialised_inference(fixed):
    layers = [bf16(Attention(1024, 16, causal=False, materialised=not fixed)).eval() for _ in range(2)]
    x = torch.randn(4, 4096, 1024, device=DEVICE, dtype=torch.bfloat16)

    @torch.inference_mode()
    def step(i):
        h = x
        for layer in layers:
            h = h + layer(h)
        return h

    return step


@case("attention_materialised_training", "attention_materialised", "F.scaled_dot_product_attention(is_causal=True)",
      accept=["dram_bound", "unfused_elementwise"], must_not_claim=NOT_HOST, shapes=True, memory=True, steps=3)
def attention_materialised_training(fixed):
    blocks = bf16(nn.ModuleList(Block(768, 12, materialised=not fixed) for _ in range(3)))
    optimizer = torch.optim.AdamW(blocks.parameters(), fused=True)
    x = torch.randn(8, 2048, 768, device=DEVICE, dtype=torch.bfloat16)

    def step(i):
        h = x
        for block in blocks:
            h = block(h)
        update(optimizer, h.float().square().mean())

    return step


@case("dense_embedding_grad_sgd", "dense_embedding_grad", "nn.Embedding(sparse=True)",
      accept=["memset_storm", "dram_bound"], must_not_claim=NOT_HOST, shapes=True)
def dense_embedding_grad_sgd(fixed):
    table = nn.Embedding(4_000_000, 64, sparse=fixed).to(DEVICE)
    tower = mlp(64, 3).to(DEVICE)
    optimizer = torch.optim.SGD([*table.parameters(), *tower.parameters()], lr=1e-2)
    ids = [torch.randint(0, 4_000_000, (16384,), device=DEVICE) for _ in range(4)]

    def step(i):
        update(optimizer, tower(table(ids[i % 4])).square().mean())

    return step


@case("dense_embedding_grad_adam", "dense_embedding_grad", "sparse gradients with SparseAdam",
      accept=["unfused_optimizer", "memset_storm", "dram_bound"], must_not_claim=NOT_HOST, steps=4)
def dense_embedding_grad_adam(fixed):
    table = nn.EmbeddingBag(2_000_000, 64, mode="sum", sparse=fixed).to(DEVICE)
    kind = torch.optim.SparseAdam if fixed else torch.optim.Adam
    optimizer = kind(table.parameters(), lr=1e-3)
    ids = torch.randint(0, 2_000_000, (2048, 20), device=DEVICE)

    def step(i):
        update(optimizer, table(ids).square().mean())

    return step
