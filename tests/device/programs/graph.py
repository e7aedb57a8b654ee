"""30 Linear+ReLU of 256 captured in a CUDA graph, 20 replays a step."""
import torch
from common import arguments, run
from torch import nn

args = arguments(steps=6)
net = nn.Sequential(*[layer for _ in range(30) for layer in (nn.Linear(256, 256), nn.ReLU())]).cuda()
x = torch.randn(256, 256, device="cuda")
with torch.no_grad():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            net(x)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)


def step(_):
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()


run("graph", step, args)
