#!/usr/bin/env python3
"""Records the slow loader with host samples and checks that the frames of PyTorch's DataLoader are seen.

Needs a CUDA device and PyTorch. Usage: host_sampling.py [--binary build/release/bin/warpscope] [--out FOLDER]
Prints what the recording says, the sampler's share, and the time of a step with and without samples.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


def record(binary, run, program, *flags):
    """The program's own line: "NAME ms/step, median MS"; None if it has none."""
    shutil.rmtree(run, ignore_errors=True)
    done = subprocess.run([binary, "record", "-o", run, "--no-analyze", *flags, "--", sys.executable, *program], cwd=PROGRAMS,
                          capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit(f"the program ended with {done.returncode}")
    found = re.search(r"median ([0-9.]+)", done.stderr + done.stdout)
    return float(found[1]) if found else None


def rows(binary, run, sql):
    done = subprocess.run([binary, "query", run, sql, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"query failed: {done.stderr}")
    document = json.loads(done.stdout)
    return document.get("rows", document)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(HERE.parent.parent / "build/release/bin/warpscope"))
    parser.add_argument("--out", default="host-sampling")
    args = parser.parse_args()
    binary, out = str(pathlib.Path(args.binary).resolve()), pathlib.Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    failures = []

    times = {}
    for program in (["loader.py", "slow"], ["loader.py", "fast"], ["tiny.py"], ["transformer.py"]):
        name = "-".join(program)
        without = [record(binary, out / f"{name}-bare", program, "--no-host-samples") for _ in range(3)]
        with_samples = [record(binary, out / name, program) for _ in range(3)]
        times[name] = (sorted(without)[1], sorted(with_samples)[1])
    for name, (without, with_samples) in times.items():
        print(f"{name}: median step {without:.3f} ms without host samples, {with_samples:.3f} ms with")

    run = out / "loader.py-slow"
    frames = {row["name"] if isinstance(row, dict) else row[0] for row in
              rows(binary, run, "SELECT DISTINCT name FROM python_frames")}
    for wanted in ("torch/utils/data/dataloader.py", "torch/utils/data/_utils/fetch.py", "loader.py("):
        if not any(name.startswith(wanted) for name in frames):
            failures.append(f"no frame of {wanted}; seen: {sorted(frames)[:20]}")
    for table in ("env", "ledger", "gaps"):
        print(subprocess.run([binary, table, str(run)], capture_output=True, text=True, check=False).stdout)
    verdict = subprocess.run([binary, "analyze", str(run)], capture_output=True, text=True, check=False).stdout
    print(verdict)
    if "data" not in verdict.lower():
        failures.append("the verdict does not speak of data loading")
    print(subprocess.run([binary, "env", str(out / "loader.py-fast")], capture_output=True, text=True, check=False).stdout)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
