"""The host itself is the bottleneck: Python work, CPU operators, locks, pauses, files."""

import gc
import os
import queue
import random
import tempfile
import threading
import time

import torch
import torch.nn.functional as F
from torch.profiler import record_function

from harness import Timing, case, samples
from models import DEVICE, ConvNet, Transformer, bf16, image_step, mlp, random_ids, token_loss, update

HOST_SIDE = ["launch_bound", "host_sync", "pageable_copy"]


def language_step(width=512, depth=3, batch=32, length=256):
    """A small language model's training step; returns (step, ids)."""
    model = bf16(Transformer(width=width, depth=depth, vocab=4000))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = random_ids(batch, length, 4000)

    def train(tokens):
        update(optimizer, token_loss(model(tokens), tokens))

    return train, ids


@case("cpu_bound_host_masking", "cpu_bound_host", "draw the mask on the device",
      accept=["data_loading"], must_not_claim=HOST_SIDE, steps=4)
def cpu_bound_host_masking(fixed):
    """Masks tokens one by one in Python before each step."""
    train, ids = language_step(batch=64, length=512)
    rows = ids.tolist()

    def step(i):
        with record_function("prepare"):
            if fixed:
                tokens = ids.masked_fill(torch.rand(ids.shape, device=DEVICE) < 0.15, 3)
            else:
                masked = [[3 if random.random() < 0.15 else token for token in row] for row in rows]
                tokens = torch.tensor(masked).to(DEVICE)
        with record_function("train"):
            train(tokens)

    return step


@case("cpu_bound_host_metric", "cpu_bound_host", "compute the metric every 50 steps",
      must_not_claim=HOST_SIDE + ["data_loading"], timing=Timing(period=50, block_seconds=0.02), stacks=True)
def cpu_bound_host_metric(fixed):
    """Counts n-grams of reference texts in Python after each step."""
    train, ids = language_step(depth=2)
    references = [[random.randrange(200) for _ in range(400)] for _ in range(40)]

    def ngram_overlap():
        total = 0
        for left, right in zip(references, references[1:]):
            seen = set(zip(left, left[1:]))
            total += sum(1 for pair in zip(right, right[1:]) if pair in seen)
        return total

    def step(i):
        train(ids)
        if not fixed or i % 50 == 49:
            ngram_overlap()

    return step


@case("cpu_op_noise", "cpu_op", "draw the noise on the device", accept=["cpu_bound_host"],
      must_not_claim=["launch_bound", "host_sync", "data_loading"], shapes=True)
def cpu_op_noise(fixed):
    """Draws diffusion noise with a CPU operator and uploads it."""
    model = ConvNet(channels=64, depth=3).to(DEVICE, memory_format=torch.channels_last)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    images = torch.randn(32, 3, 128, 128, device=DEVICE)
    labels = torch.randint(0, 100, (32,), device=DEVICE)

    def step(i):
        noise = torch.randn(images.shape, device=DEVICE if fixed else "cpu").to(DEVICE)
        train(images + 0.1 * noise, labels)

    return step


@case("cpu_op_sort", "cpu_op", "keep the scores on the device", accept=["cpu_bound_host"],
      must_not_claim=["launch_bound", "host_sync", "data_loading", "pageable_copy"], annotate=False)
def cpu_op_sort(fixed):
    """Chooses training samples by sorting their scores with a CPU operator."""
    where = DEVICE if fixed else "cpu"
    scores = torch.rand(400_000, device=where)
    features = torch.randn(400_000, 256, device=DEVICE, dtype=torch.bfloat16)
    model = bf16(mlp(256, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)

    def step(i):
        chosen = scores.sort(descending=True).indices[:8192].to(DEVICE)
        update(optimizer, model(features[chosen]).float().square().mean())

    return step


def count_words(stop, with_operators):
    """A background thread in Python; with operators it also rests now and then."""
    counts = {}
    while not stop.is_set():
        for i in range(20_000):
            counts[i % 97] = counts.get(i % 97, 0) + 1
        if with_operators:
            torch.ones(8).add_(1)
            time.sleep(0.002)


def contended(fixed, with_operators):
    model = mlp(512, 16).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    x = torch.randn(64, 512, device=DEVICE)
    if not fixed:
        threading.Thread(target=count_words, args=(threading.Event(), with_operators), daemon=True).start()

    def step(i):
        update(optimizer, model(x).square().mean())

    return step


@case("gil_contention_silent", "gil_contention", "do the counting in another process",
      accept=["cpu_bound_host", "host_wait"], must_not_claim=["data_loading", "host_sync"],
      note="the other thread runs plain Python and leaves no rows; the main thread stops for 5 ms at a time")
def gil_contention_silent(fixed):
    return contended(fixed, with_operators=False)


@case("gil_contention_visible", "gil_contention", "do the counting in another process",
      accept=["cpu_bound_host", "host_wait"], must_not_claim=["data_loading", "host_sync"],
      note="the other thread also calls small CPU operators, so it has rows", stacks=True, steps=3)
def gil_contention_visible(fixed):
    return contended(fixed, with_operators=True)


def collected(fixed, every, objects):
    """Training beside a large heap of Python objects, with gc.collect() in the loop."""
    train, ids = language_step(depth=2, batch=16)
    heap = [{"id": i, "tags": [i, i + 1]} for i in range(objects)]
    if fixed:
        gc.freeze()

    def step(i):
        train(ids)
        if i % every == 0 and not fixed:
            gc.collect()
        return heap

    return step


@case("gc_pause_each_step", "gc_pause", "gc.freeze() after start-up, no gc.collect() in the loop",
      accept=["cpu_bound_host"], must_not_claim=HOST_SIDE + ["data_loading"],
      note="no row marks the pause unless stacks are on")
def gc_pause_each_step(fixed):
    return collected(fixed, every=1, objects=200_000)


@case("gc_pause_third_step", "gc_pause", "gc.freeze() after start-up, no gc.collect() in the loop",
      accept=["cpu_bound_host", "step_imbalance"], must_not_claim=HOST_SIDE + ["data_loading"],
      timing=Timing(period=3), stacks=True, steps=6)
def gc_pause_third_step(fixed):
    return collected(fixed, every=3, objects=30_000)


@case("host_wait_sleep", "host_wait", "wake by an event, do not poll with sleep",
      accept=["cpu_bound_host"], must_not_claim=HOST_SIDE, shapes=True)
def host_wait_sleep(fixed):
    train, ids = language_step(depth=2)

    def step(i):
        if not fixed:
            time.sleep(0.012)
        train(ids)

    return step


@case("host_wait_queue", "host_wait", "a producer that runs ahead", accept=["data_loading"],
      must_not_claim=HOST_SIDE + ["cpu_bound_host"], stacks=True,
      note="the loop waits in queue.get for a slow producer thread (a remote source)")
def host_wait_queue(fixed):
    train, ids = language_step(depth=2)
    batches = queue.Queue(maxsize=4)

    def produce():
        while True:
            if not fixed:
                time.sleep(0.015)
            batches.put(ids)

    threading.Thread(target=produce, daemon=True).start()

    def step(i):
        train(batches.get())

    return step


@case("host_wait_lock", "host_wait", "hold the lock only to swap the buffer", accept=["cpu_bound_host"],
      must_not_claim=HOST_SIDE + ["data_loading"], annotate=False,
      note="a reporting thread holds a lock that each step needs")
def host_wait_lock(fixed):
    train, ids = language_step(depth=2)
    lock = threading.Lock()

    def report():
        while True:
            with lock:
                if not fixed:
                    time.sleep(0.010)
            time.sleep(0.002)

    threading.Thread(target=report, daemon=True).start()

    def step(i):
        with lock:
            pass
        train(ids)

    return step


@case("checkpoint_io_save", "checkpoint_io", "save every 50 steps", accept=["d2h_copy"],
      must_not_claim=["launch_bound", "data_loading"], timing=Timing(period=50, blocks=3, block_seconds=0.02), steps=4)
def checkpoint_io_save(fixed):
    """torch.save of the whole model after each step."""
    model = bf16(Transformer(width=512, depth=3, vocab=8000))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    ids = random_ids(16, 256, 8000)
    path = os.path.join(tempfile.mkdtemp(), "model.pt")

    def step(i):
        update(optimizer, token_loss(model(ids), ids))
        if not fixed or i % 50 == 49:
            torch.save(model.state_dict(), path)

    return step


@case("checkpoint_io_journal", "checkpoint_io", "write the journal in a background thread, without fsync",
      accept=["cpu_bound_host", "host_wait"], must_not_claim=HOST_SIDE + ["data_loading"],
      note="writes 16 MiB and calls fsync each step; no device data involved", stacks=True, steps=4)
def checkpoint_io_journal(fixed):
    train, ids = language_step(depth=2, batch=16)
    payload = os.urandom(16 << 20)
    path = os.path.join(tempfile.mkdtemp(), "journal.bin")

    def step(i):
        train(ids)
        if not fixed:
            with open(path, "wb") as file:
                file.write(payload)
                os.fsync(file.fileno())

    return step


@case("step_imbalance_eval", "step_imbalance", "evaluate every 200 steps", must_not_claim=HOST_SIDE + ["data_loading"],
      timing=Timing(period=4), steps=8, note="every fourth step runs an evaluation pass on the device")
def step_imbalance_eval(fixed):
    model = bf16(Transformer(width=512, depth=2, vocab=4000))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids, held_out = random_ids(32, 256, 4000), random_ids(256, 512, 4000)

    def step(i):
        update(optimizer, token_loss(model(ids), ids))
        if i % 4 == 3 and not fixed:
            with torch.no_grad():
                token_loss(model(held_out), held_out)

    return step


@case("step_imbalance_lengths", "step_imbalance", "cut long documents into pieces, do not pad the batch",
      must_not_claim=HOST_SIDE + ["data_loading"], timing=Timing(period=4), shapes=True, steps=8,
      note="every fourth batch holds one long document, to which all others are padded")
def step_imbalance_lengths(fixed):
    model = bf16(Transformer(width=768, depth=3, heads=12, vocab=4000))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    short = random_ids(16, 256, 4000)
    long = random_ids(15 + 8, 256, 4000) if fixed else random_ids(16, 2048, 4000)

    def step(i):
        ids = long if i % 4 == 3 else short
        update(optimizer, token_loss(model(ids), ids))

    return step


@case("small_batch_images", "small_batch", "batch 256 in place of 4", accept=["launch_bound"],
      must_not_claim=["data_loading", "host_sync"], shapes=True, note="times are per 4 images")
def small_batch_images(fixed):
    batch = 256 if fixed else 4
    model = ConvNet(channels=64, depth=6).to(DEVICE, memory_format=torch.channels_last)
    train = image_step(model, torch.optim.AdamW(model.parameters(), fused=True))
    images = torch.randn(batch, 3, 64, 64, device=DEVICE).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 100, (batch,), device=DEVICE)

    @samples(batch)
    def step(i):
        train(images, labels)

    return step


@case("small_batch_inference", "small_batch", "batch 64 in place of 1", accept=["launch_bound"],
      must_not_claim=["data_loading", "host_sync"], annotate=False, note="times are per request")
def small_batch_inference(fixed):
    batch = 64 if fixed else 1
    model = bf16(Transformer(width=768, depth=6, heads=12)).eval()
    ids = random_ids(batch, 64)

    @samples(batch)
    def step(i):
        with torch.inference_mode():
            return F.log_softmax(model(ids)[:, -1].float(), -1)

    return step
