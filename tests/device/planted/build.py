#!/usr/bin/env python3
"""Compiles the planted kernels into build/planted_a and build/planted_b: build.py [SET...] [--nvcc PATH] [--arch sm_90] [--usage].

Needs nvcc, no GPU. The runtime is linked statically. --usage prints the registers and spills of each kernel.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / "build"


def run(words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def usage(text):
    """One line a kernel from the assembler's own report."""
    for name, rest in re.findall(r"Compiling entry function '\S*?(p\d+[a-z])\S*'(.*?)(?=Compiling entry|\Z)", text, re.S):
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", rest)
        registers = re.search(r"Used (\d+) registers", rest)
        print(f"  {name}: {registers[1]} registers, {spills[1]} B spilled, {spills[2]} B loaded back")


def compile_sets(sets, args, objects):
    """The sets that failed."""
    flags = ["-O3", "-std=c++17", f"-arch={args.arch}", "-Xptxas", "-v"]
    jobs = []
    for name in sets:
        for source in [HERE / "main.cu", *sorted((HERE / f"set_{name}").glob("*.cu"))]:
            jobs.append((name, source, objects / f"{name}_{source.stem}.o"))
    failed = set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda job: run([args.nvcc, *flags, "-c", job[1], "-o", job[2]]), jobs)
        for (name, source, _), result in zip(jobs, done):
            bad = result.returncode != 0
            warned = "\n".join(line for line in result.stderr.splitlines() if "warning" in line or "error" in line)
            print(f"{name} {source.name}: {'FAILED' if bad else 'ok'} {result.stderr if bad else warned}", flush=True)
            if args.usage:
                usage(result.stderr)
            if bad:
                failed.add(name)
    for name in sets:
        if name in failed:
            continue
        parts = [path for of, _, path in jobs if of == name]
        result = run([args.nvcc, f"-arch={args.arch}", "-o", BUILD / f"planted_{name}", *parts])
        print(f"planted_{name}: {'ok' if result.returncode == 0 else 'FAILED ' + result.stderr}")
        if result.returncode:
            failed.add(name)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--usage", action="store_true")
    args = parser.parse_args()
    if not os.access(args.nvcc, os.X_OK):
        sys.exit(f"{args.nvcc} is not there: name a compiler with --nvcc")
    BUILD.mkdir(exist_ok=True)
    sets = args.sets or sorted(path.name[4:] for path in HERE.glob("set_*") if path.is_dir())
    with tempfile.TemporaryDirectory() as objects:
        failed = compile_sets(sets, args, pathlib.Path(objects))
    sys.exit(1 if failed else 0)


main()
