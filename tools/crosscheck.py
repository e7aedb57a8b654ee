#!/usr/bin/env python3
"""Compares the program's tables of the bundled recordings with sums that an independent program computed.

tests/data/kineto/crosscheck.json holds exact values (microseconds with three decimals, that is whole nanoseconds);
every comparison is to the nanosecond.
"""
import argparse
import json
import pathlib
import subprocess
import sys
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data" / "kineto"


def table(binary, name, path):
    done = subprocess.run([binary, name, "--json", str(path)], capture_output=True, check=True, text=True)
    value = json.loads(done.stdout)
    names = [column["name"] for column in value["columns"]]
    return [dict(zip(names, row, strict=True)) for row in value["rows"]]


def ns(microseconds):
    return int((Decimal(str(microseconds)) * 1000).to_integral_exact())


def comparisons(binary, path, expected):
    """Yields (what, expected, actual)."""
    devices = table(binary, "devices", path)
    yield "busy", ns(expected["gpu_busy_us"]), sum(device["busy_ns"] for device in devices)
    yield "idle", ns(expected["gpu_idle_us"]), sum(device["idle_ns"] for device in devices)
    yield "copy and compute overlap", ns(expected["memcpy_compute_overlap_us"]), \
        sum(device["kernel_copy_overlap_ns"] for device in devices)
    copies = [copy for copy in table(binary, "copies", path) if copy["kind"] != "memset"]
    yield "copies", ns(expected["memcpy_us"]), sum(copy["total_ns"] for copy in copies)
    kernels = table(binary, "kernels", path)
    yield "kernel count", expected["kernels"], sum(kernel["count"] for kernel in kernels)
    for wanted in expected["top5_kernels"]:
        found = [(kernel["count"], kernel["total_ns"]) for kernel in kernels if kernel["name"] == wanted["name"]]
        yield wanted["name"][:60], [(wanted["count"], ns(wanted["total_us"]))], found


def main():
    parser = argparse.ArgumentParser(description="compares tables with exact sums")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    args = parser.parse_args()
    passed = failed = 0
    for name, expected in json.loads((DATA / "crosscheck.json").read_text(encoding="utf-8")).items():
        if name.startswith("_"):
            continue
        for what, wanted, actual in comparisons(args.binary, DATA / name, expected):
            if wanted == actual:
                passed += 1
            else:
                failed += 1
                print(f"{name}: {what}: {actual}, expected {wanted}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
