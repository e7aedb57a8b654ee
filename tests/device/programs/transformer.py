"""A 12-layer transformer encoder, d 1024, batch 16 x 512, bf16 autocast, AdamW. The device is the limit, the host only just ahead."""
import torch
from common import arguments, run
from torch import nn

args = arguments(steps=20)
layer = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0)
net = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
x = torch.randn(16, 512, 1024, device="cuda")


def step(_):
    with torch.profiler.record_function("forward"), torch.autocast("cuda", dtype=torch.bfloat16):
        loss = net(x).float().pow(2).mean()
    with torch.profiler.record_function("backward"):
        loss.backward()
    with torch.profiler.record_function("optimizer"):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


run("transformer", step, args, record_shapes=True, profile_memory=True, with_stack=True)
