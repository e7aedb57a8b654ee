"""A program whose stacks are known: main > a > b > c sleeps; a thread computes; a generator waits in another."""
import sys
import threading
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.6


def c():
    time.sleep(SECONDS)


def b():
    c()


def a():
    b()


def one(n):
    return n & 1


def compute():
    end = time.monotonic() + SECONDS
    total = 0
    while time.monotonic() < end:
        total += one(total)


def values():
    for i in range(3):
        time.sleep(SECONDS / 3)
        yield i


def consume():
    for _ in values():
        pass


def main():
    threads = [threading.Thread(target=compute), threading.Thread(target=consume)]
    for thread in threads:
        thread.start()
    a()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
