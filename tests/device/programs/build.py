#!/usr/bin/env python3
"""Compiles the CUDA programs of this folder into build/: build.py [NAME...] [--nvcc PATH] [--arch native|sm_90|all-major].

Needs nvcc, no GPU. The runtime is linked statically, so the programs run where only a driver is.
"""
import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXTRA = {"subscriber": ["-lcupti"]}
LINES = {"stalled"}  # compiled with line tables


def compile_one(name, nvcc, arch):
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    words = [nvcc, "-O2", "-std=c++17", f"-arch={arch}", "-o", os.path.join(HERE, "build", name),
             os.path.join(HERE, name + ".cu")]
    if name in LINES:
        words.append("-lineinfo")
    if name in EXTRA:
        for folder in (os.path.join(toolkit, "extras", "CUPTI"), os.path.join(toolkit, "targets", "x86_64-linux")):
            words += ["-I", os.path.join(folder, "include"), "-L", os.path.join(folder, "lib64"),
                      "-L", os.path.join(folder, "lib"), "-Xlinker", f"-rpath={folder}/lib64:{folder}/lib"]
        words += EXTRA[name]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    return name, result.returncode, result.stderr.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90")
    args = parser.parse_args()
    if not os.access(args.nvcc, os.X_OK):
        sys.exit(f"{args.nvcc} is not there: name a compiler with --nvcc")
    os.makedirs(os.path.join(HERE, "build"), exist_ok=True)
    names = args.names or sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "*.cu")))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, code, err in pool.map(lambda name: compile_one(name, args.nvcc, args.arch), names):
            print(f"{name}: {'ok' if code == 0 else 'FAILED'}{' ' + err if err else ''}", flush=True)
            failed += code != 0
    sys.exit(1 if failed else 0)


main()
