"""A small CNN that a slow DataLoader starves: python3 loader.py slow (no workers) or fast (8 workers, pinned memory)."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = torch.rand(3, 64, 64, generator=generator)
        for _ in range(4):  # a transform that costs the CPU something
            image = (image - image.mean()) / (image.std() + 1e-6)
            image = torch.nn.functional.avg_pool2d(image[None], 3, 1, 1)[0]
        return image, index % 10


def main():
    from common import arguments, run
    kind = sys.argv.pop(1)
    args = arguments(steps=6)
    workers = 8 if kind == "fast" else 0
    torch.set_num_threads(1 if kind == "slow" else torch.get_num_threads())
    batches = iter(DataLoader(Images(), batch_size=64, num_workers=workers, pin_memory=kind == "fast"))
    net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(_):
        images, labels = next(batches)
        loss = nn.functional.cross_entropy(net(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if kind == "slow":
            loss.item()

    options = {"record_shapes": True, "profile_memory": True, "with_stack": True} if kind == "slow" else {}
    run(kind + "loader", step, args, **options)


if __name__ == "__main__":
    main()
