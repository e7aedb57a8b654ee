"""Many short launches, repeated compilation and tuning, optimizers and pointwise chains left unfused."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from harness import Timing, case
from models import DEVICE, Transformer, bf16, capture, mlp, random_ids, token_loss, update

NOT_INPUT = ["data_loading", "pageable_copy", "host_sync"]
COMPILING = Timing(warmup=1, blocks=3, max_steps=1)


@case("launch_bound_inference", "launch_bound", "capture the network in a CUDA graph", must_not_claim=NOT_INPUT)
def launch_bound_inference(fixed):
    model = bf16(nn.Sequential(*(nn.Sequential(nn.Linear(256, 256), nn.LayerNorm(256), nn.SiLU()) for _ in range(40))))
    x = torch.randn(32, 256, device=DEVICE, dtype=torch.bfloat16)
    with torch.no_grad():
        replay = capture(lambda: model(x)) if fixed else None

    @torch.no_grad()
    def step(i):
        return replay() if fixed else model(x)

    return step


class Decoder:
    """A language model that generates one token at a time with a static key-value cache."""

    def __init__(self, width=768, depth=12, heads=12, batch=1, longest=512):
        self.heads, self.width = heads, width
        self.model = bf16(Transformer(width=width, depth=depth, heads=heads)).eval()
        shape = (2, depth, batch, heads, longest, width // heads)
        self.cache = torch.zeros(shape, device=DEVICE, dtype=torch.bfloat16)
        self.token = torch.zeros(batch, 1, dtype=torch.long, device=DEVICE)
        self.position = torch.full((1,), 100, dtype=torch.long, device=DEVICE)
        self.columns = torch.arange(longest, device=DEVICE)

    @torch.no_grad()
    def next_token(self):
        model, batch = self.model, self.token.shape[0]
        x = model.tokens(self.token) + model.positions(self.position)
        mask = (self.columns <= self.position)[None, None, None]
        for n, block in enumerate(model.blocks):
            qkv = block.attention.qkv(block.norm1(x)).view(batch, 1, 3, self.heads, -1)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            self.cache[0, n].index_copy_(2, self.position, k)
            self.cache[1, n].index_copy_(2, self.position, v)
            y = F.scaled_dot_product_attention(q, self.cache[0, n], self.cache[1, n], attn_mask=mask)
            x = x + block.attention.proj(y.transpose(1, 2).reshape(batch, 1, self.width))
            x = x + block.mlp(block.norm2(x))
        self.token.copy_(model.head(model.norm(x)).argmax(-1))


@case("launch_bound_decode", "launch_bound", "capture the decoding step in a CUDA graph",
      accept=["small_batch"], must_not_claim=NOT_INPUT, shapes=True, steps=4,
      note="batch 1, one token a step")
def launch_bound_decode(fixed):
    decoder = Decoder()
    replay = capture(decoder.next_token) if fixed else None

    def step(i):
        return replay() if fixed else decoder.next_token()

    return step


@case("launch_bound_cell", "launch_bound", "nn.LSTM in place of a loop over nn.LSTMCell", must_not_claim=NOT_INPUT,
      stacks=True, steps=3)
def launch_bound_cell(fixed):
    x = torch.randn(64, 32, 256, device=DEVICE)
    cell, layer = nn.LSTMCell(256, 256).to(DEVICE), nn.LSTM(256, 256).to(DEVICE)
    optimizer = torch.optim.SGD((layer if fixed else cell).parameters(), lr=1e-3, fused=True)

    def step(i):
        if fixed:
            output = layer(x)[0]
        else:
            h = c = torch.zeros(32, 256, device=DEVICE)
            outputs = []
            for row in x:
                h, c = cell(row, (h, c))
                outputs.append(h)
            output = torch.stack(outputs)
        update(optimizer, output.square().mean())

    return step


@case("launch_bound_loop", "launch_bound", "one bmm in place of a loop over the samples", accept=["small_grid"],
      must_not_claim=NOT_INPUT, shapes=True, annotate=False, steps=3)
def launch_bound_loop(fixed):
    left, right = (torch.randn(256, 64, 64, device=DEVICE) for _ in range(2))

    @torch.inference_mode()
    def step(i):
        if fixed:
            return torch.bmm(left, right).relu_().sum((1, 2))
        return torch.stack([(left[n] @ right[n]).relu_().sum() for n in range(256)])

    return step


@case("launch_bound_training", "launch_bound", "capture the whole training step in a CUDA graph",
      accept=["small_batch"], must_not_claim=NOT_INPUT, memory=True, sync_events=True, steps=4)
def launch_bound_training(fixed):
    model = mlp(256, 24).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, capturable=True)
    x = torch.randn(64, 256, device=DEVICE)

    def train():
        update(optimizer, model(x).square().mean())

    replay = capture(train) if fixed else None

    def step(i):
        return replay() if fixed else train()

    return step


def allow_recompilation():
    """Lets every step compile anew, as a program with a raised limit would."""
    import torch._dynamo

    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit", "accumulated_cache_size_limit"):
        if hasattr(torch._dynamo.config, name):
            setattr(torch._dynamo.config, name, 1_000_000)


@case("recompilation_number", "recompilation", "pass the number as a tensor", accept=["cpu_bound_host"],
      must_not_claim=NOT_INPUT + ["launch_bound"], timing=COMPILING, steps=3,
      note="a Python number that differs in each step is burnt into the compiled code (eager backend)")
def recompilation_number(fixed):
    allow_recompilation()
    model = bf16(mlp(512, 12))
    x = torch.randn(1024, 512, device=DEVICE, dtype=torch.bfloat16)

    @torch.compile(backend="eager", dynamic=False)
    def network(x, scale):
        return (model(x) * scale).sum()

    def step(i):
        scale = 1 + i * 0.01
        network(x, torch.tensor(scale, device=DEVICE) if fixed else scale)

    return step


@case("recompilation_shapes", "recompilation", "torch.compile(dynamic=True)", accept=["cpu_bound_host"],
      must_not_claim=NOT_INPUT + ["launch_bound"], timing=COMPILING, steps=2, shapes=True,
      note="a new length in each step, compiled for fixed shapes (inductor)")
def recompilation_shapes(fixed):
    allow_recompilation()

    @torch.compile(dynamic=bool(fixed))
    def activation(x):
        return F.gelu(x * 1.5 + 0.5).sum(-1)

    def step(i):
        return activation(torch.randn(1000 + 17 * i, 1024, device=DEVICE))

    return step


@case("autotune_churn_sizes", "autotune_churn", "cudnn.benchmark = False while sizes vary",
      accept=["recompilation", "cpu_bound_host", "host_sync"], must_not_claim=["data_loading", "pageable_copy"],
      timing=Timing(warmup=2, blocks=3, max_steps=4), steps=2)
def autotune_churn_sizes(fixed):
    """Images of ever new sizes with cudnn.benchmark on: each convolution is tuned in each step."""
    torch.backends.cudnn.benchmark = not fixed
    convolutions = nn.Sequential(*(nn.Conv2d(64, 64, 3, padding=1) for _ in range(4)))
    convolutions = convolutions.to(DEVICE, torch.bfloat16, memory_format=torch.channels_last)

    @torch.inference_mode()
    def step(i):
        x = torch.randn(16, 64, 64 + i, 64 + 3 * i, device=DEVICE, dtype=torch.bfloat16)
        return convolutions(x.to(memory_format=torch.channels_last))

    return step


@case("unfused_optimizer_adam", "unfused_optimizer", "AdamW(fused=True)", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, steps=3)
def unfused_optimizer_adam(fixed):
    model = bf16(Transformer(width=512, depth=8, vocab=8000))
    optimizer = torch.optim.AdamW(model.parameters(), **({"fused": True} if fixed else {"foreach": False}))
    ids = random_ids(16, 256, 8000)

    def step(i):
        update(optimizer, token_loss(model(ids), ids))

    return step


@case("unfused_optimizer_by_hand", "unfused_optimizer", "torch.optim.SGD(fused=True)", accept=["launch_bound"],
      must_not_claim=NOT_INPUT, stacks=True, annotate=False, steps=2,
      note="momentum and an average of the weights written as a loop over the parameters")
def unfused_optimizer_by_hand(fixed):
    model = mlp(1024, 32).to(DEVICE)
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=1e-4, momentum=0.9, weight_decay=1e-4, fused=True)
    momenta = [torch.zeros_like(p) for p in parameters]
    averages = [p.detach().clone() for p in parameters]
    x = torch.randn(256, 1024, device=DEVICE)

    @torch.no_grad()
    def by_hand():
        for p, momentum, average in zip(parameters, momenta, averages):
            gradient = p.grad + 1e-4 * p
            momentum.mul_(0.9).add_(gradient)
            p.sub_(1e-4 * momentum)
            average.mul_(0.999).add_(0.001 * p)

    @torch.no_grad()
    def fused():
        optimizer.step()
        torch._foreach_lerp_(averages, parameters, 0.001)

    def step(i):
        model.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        fused() if fixed else by_hand()

    return step


@case("unfused_elementwise_gelu", "unfused_elementwise", "F.gelu(approximate='tanh')", accept=["dram_bound"],
      must_not_claim=NOT_INPUT + ["launch_bound"], shapes=True)
def unfused_elementwise_gelu(fixed):
    weight = torch.randn(2048, 8192, device=DEVICE, dtype=torch.bfloat16) * 0.02
    back = torch.randn(8192, 2048, device=DEVICE, dtype=torch.bfloat16) * 0.02
    x = torch.randn(16384, 2048, device=DEVICE, dtype=torch.bfloat16)

    def gelu(h):
        if fixed:
            return F.gelu(h, approximate="tanh")
        return 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h * h * h)))

    @torch.inference_mode()
    def step(i):
        return gelu(x @ weight) @ back

    return step


@case("unfused_elementwise_norm", "unfused_elementwise", "F.rms_norm and F.silu", accept=["dram_bound"],
      must_not_claim=NOT_INPUT + ["launch_bound"])
def unfused_elementwise_norm(fixed):
    """RMSNorm and SwiGLU written out in float32."""
    gain = torch.ones(4096, device=DEVICE, dtype=torch.bfloat16)
    gate, up = (torch.randn(4096, 4096, device=DEVICE, dtype=torch.bfloat16) * 0.02 for _ in range(2))
    x = torch.randn(16384, 4096, device=DEVICE, dtype=torch.bfloat16)

    def norm(h):
        if fixed:
            return F.rms_norm(h, (4096,), gain, 1e-6)
        wide = h.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(h.dtype) * gain

    def silu(h):
        return F.silu(h) if fixed else (h.float() / (1 + torch.exp(-h.float()))).to(h.dtype)

    @torch.inference_mode()
    def step(i):
        h = norm(x)
        return norm(silu(h @ gate) * (h @ up))

    return step


@case("unfused_elementwise_loss", "unfused_elementwise", "torch.compile the loss", accept=["dram_bound"],
      must_not_claim=NOT_INPUT + ["launch_bound"], stacks=True, steps=4, timing=Timing(warmup=2))
def unfused_elementwise_loss(fixed):
    prediction = torch.randn(64 << 20, device=DEVICE)
    target = torch.randn(64 << 20, device=DEVICE)

    def loss(a, b):
        difference = (a - b).abs()
        smooth = torch.where(difference < 1, 0.5 * difference * difference, difference - 0.5)
        weight = torch.sigmoid(b * 2 + 0.1) * torch.exp(-difference)
        return (smooth * weight).mean()

    function = torch.compile(loss) if fixed else loss

    @torch.no_grad()
    def step(i):
        return function(prediction, target)

    return step


def experts_on_streams(fixed, rows, width, depth=6, count=8):
    """Independent experts whose products fill a small part of the device each."""
    torch.set_float32_matmul_precision("highest")
    experts = [[torch.randn(width, width, device=DEVICE) * 0.03 for _ in range(depth)] for _ in range(count)]
    x = torch.randn(count, rows, width, device=DEVICE)
    streams = [torch.cuda.Stream() for _ in experts]

    def run(expert, h):
        for weight in expert:
            h = torch.tanh(h @ weight)
        return h

    @torch.inference_mode()
    def step(i):
        if not fixed:
            return [run(expert, h) for expert, h in zip(experts, x)]
        main = torch.cuda.current_stream()
        outputs = []
        for expert, h, stream in zip(experts, x, streams):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                outputs.append(run(expert, h))
        for stream in streams:
            main.wait_stream(stream)
        return outputs

    return step


@case("serialized_streams_short", "launch_bound", "one stream per expert, or one bmm", must_not_claim=NOT_INPUT,
      accept=["serialized_streams", "small_grid"], shapes=True,
      note="independent work, but the kernels are so short that launches are the limit")
def serialized_streams_short(fixed):
    return experts_on_streams(fixed, rows=256, width=1024)


@case("serialized_streams_experts", "serialized_streams", "one stream per expert", must_not_claim=NOT_INPUT,
      accept=["small_grid", "fp32_no_tensor_core"], shapes=True)
def serialized_streams_experts(fixed):
    return experts_on_streams(fixed, rows=256, width=3072, depth=4)
