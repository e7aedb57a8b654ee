"""Input pipelines that keep the device waiting."""

import random

import numpy as np
import torch
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset

from harness import Timing, case
from models import DEVICE, ConvNet, Transformer, bf16, image_step, token_loss, update

SLOW = Timing(warmup=2, blocks=4, max_steps=20, block_seconds=0.25)


class NoisyImages(Dataset):
    """Images with a slow augmentation in numpy."""

    def __init__(self, size=96, rounds=1):
        self.size, self.rounds = size, rounds

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        generator = np.random.default_rng(index)
        image = generator.standard_normal((3, self.size, self.size), dtype=np.float32)
        for _ in range(self.rounds):
            image = np.clip(image * 1.1 + generator.standard_normal(image.shape, dtype=np.float32), -2, 2)
            image = image[:, :, ::-1].copy()
        return torch.from_numpy(image), index % 100


class Sentences(Dataset):
    """Lines of text, tokenised word by word when they are asked for."""

    words = ["alpha", "beta", "gamma", "delta", "run", "time", "trace", "kernel", "memory", "stream"]

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        chooser = random.Random(index)
        return " ".join(chooser.choices(self.words, k=256))

    @staticmethod
    def collate(lines):
        rows = []
        for line in lines:
            row, code = [], 7
            for letter in line.encode() + b" ":
                if letter == 32:
                    row.append(code)
                    code = 7
                else:
                    code = (code * 31 + letter) % 32000
            rows.append(row)
        return torch.tensor(rows)


def image_loop(loader, annotate=False):
    model = ConvNet(channels=64, depth=3).to(DEVICE, memory_format=torch.channels_last)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    batches = iter(loader)

    def step(i):
        images, labels = next(batches)
        if annotate:
            with record_function("upload"):
                images, labels = images.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True)
            with record_function("train"):
                return train(images, labels)
        return train(images.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True))

    return step


@case("data_loading_images", "data_loading", "DataLoader(num_workers=12, persistent_workers=True, pin_memory=True)",
      accept=["cpu_bound_host"], must_not_claim=["launch_bound", "pageable_copy", "host_sync"],
      timing=SLOW, shapes=True, steps=4)
def data_loading_images(fixed):
    workers = {"num_workers": 12, "persistent_workers": True, "pin_memory": True} if fixed else {}
    return image_loop(DataLoader(NoisyImages(rounds=1), batch_size=64, **workers))


@case("data_loading_one_worker", "data_loading", "12 workers in place of one",
      must_not_claim=["launch_bound", "pageable_copy", "host_sync", "cpu_bound_host"],
      note="a worker process starves the loop: next() waits, the main thread is idle", timing=SLOW, steps=5)
def data_loading_one_worker(fixed):
    loader = DataLoader(NoisyImages(rounds=1), batch_size=64, pin_memory=True, persistent_workers=True,
                        num_workers=12 if fixed else 1)
    return image_loop(loader, annotate=True)


@case("data_loading_text", "data_loading", "tokenise in 8 loader workers",
      accept=["cpu_bound_host"], must_not_claim=["launch_bound", "host_sync", "pageable_copy"],
      note="the time is in collate_fn, in pure Python", timing=SLOW, stacks=True, steps=4)
def data_loading_text(fixed):
    workers = {"num_workers": 8, "persistent_workers": True, "pin_memory": True} if fixed else {}
    batches = iter(DataLoader(Sentences(), batch_size=64, collate_fn=Sentences.collate, **workers))
    model = bf16(Transformer(width=512, depth=3))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step(i):
        ids = next(batches).to(DEVICE, non_blocking=True)
        update(optimizer, token_loss(model(ids), ids))

    return step
