"""Small models and loop helpers that the cases are put together from."""

import math

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"


class Attention(nn.Module):
    """Self-attention, fused (SDPA) or with the score matrix written out."""

    def __init__(self, width, heads, causal=True, materialised=False):
        super().__init__()
        self.heads, self.causal, self.materialised = heads, causal, materialised
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        if self.materialised:
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
            if self.causal:
                future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
                scores = scores.masked_fill(future, float("-inf"))
            y = scores.softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, **attention):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, **attention)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    """Token ids to logits."""

    def __init__(self, vocab=32000, width=512, depth=4, heads=8, longest=2048, **attention):
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.positions = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads, **attention) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(x + self.bn2(self.conv2(y)))


class ConvNet(nn.Module):
    def __init__(self, channels=64, depth=4, classes=100, stride=2):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, stride=stride, padding=3)
        self.body = nn.Sequential(*(Residual(channels) for _ in range(depth)))
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean((2, 3)))


def mlp(width, depth, activation=nn.ReLU, bias=True):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width, bias=bias), activation()]
    return nn.Sequential(*layers)


def bf16(module):
    return module.to(DEVICE, torch.bfloat16)


def token_loss(logits, ids):
    """Next-token cross entropy."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), ids[:, 1:].flatten())


def random_ids(batch, length, vocab=32000):
    return torch.randint(0, vocab, (batch, length), device=DEVICE)


def update(optimizer, loss):
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


def image_step(model, optimizer):
    """One training step of a classifier on (images, labels) that are already on the device."""

    def step(images, labels):
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = F.cross_entropy(model(images), labels)
        update(optimizer, loss)
        return loss

    return step


def capture(function):
    """The function as a CUDA graph; returns its replay."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph.replay


class Prefetcher:
    """Uploads the next pinned batch on a side stream while the current one is used."""

    def __init__(self, batches):
        self.batches = batches
        self.stream = torch.cuda.Stream()
        self.ready = self._upload(0)

    def _upload(self, i):
        with torch.cuda.stream(self.stream):
            return self.batches[i % len(self.batches)].to(DEVICE, non_blocking=True)

    def take(self, i):
        current = torch.cuda.current_stream()
        current.wait_stream(self.stream)
        batch = self.ready
        batch.record_stream(current)
        self.ready = self._upload(i + 1)
        return batch
