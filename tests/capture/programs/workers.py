"""A loader that feeds a loop from two forked workers, and one command that is started anew."""
import multiprocessing
import subprocess
import sys
import time


class Dataset:
    def __getitem__(self, index):
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            pass
        return index


def worker_loop(dataset, queue, number):
    for index in range(6):
        queue.put(dataset[index * 2 + number])


def main():
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    workers = [context.Process(target=worker_loop, args=(Dataset(), queue, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(12):
        queue.get()
    for worker in workers:
        worker.join()
    subprocess.run([sys.executable, "-c", "import time; time.sleep(0.3)", "--token", "hunter2"], check=True)


if __name__ == "__main__":
    main()
