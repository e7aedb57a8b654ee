"""Many tiny operators: 200 rounds of sin, mul, add, relu, sub on 256 floats, then a synchronisation. The host is the limit."""
import torch
from common import arguments, run

args = arguments(steps=6)
x = torch.randn(256, device="cuda")


def step(_):
    y = x
    for _ in range(200):
        y = torch.sub(torch.relu(torch.add(torch.mul(torch.sin(y), 1.01), 0.1)), 0.05)
    torch.cuda.synchronize()


run("tiny", step, args)
