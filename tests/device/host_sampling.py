#!/usr/bin/env python3
"""Records the slow loader with host samples and checks that the frames of PyTorch's DataLoader are seen, and a C++ CUDA
program whose idle time one of its functions explains.

Needs a CUDA device, PyTorch and nvcc. Usage: host_sampling.py [--binary build/release/bin/warpscope] [--out FOLDER]
Prints what the recording says, the sampler's share, and the time of a step with and without samples.
"""
import argparse
import csv
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


def record(binary, run, program, *flags):
    """The median step in ms, from the program's own line: "NAME ms/step, median MS"."""
    shutil.rmtree(run, ignore_errors=True)
    done = subprocess.run([binary, "record", "-o", run, "--no-analyze", *flags, "--", sys.executable, *program], cwd=PROGRAMS,
                          capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit(f"the program ended with {done.returncode}")
    found = re.search(r"median ([0-9.]+)", done.stderr + done.stdout)
    if not found:
        sys.exit("the program printed no step time")
    return float(found[1])


def python_frames(binary, run):
    """Names of the Python frames of a run."""
    folder = f"{run}.csv"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([binary, "convert", str(run), "--to", "csv", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/host.csv", encoding="utf-8", newline="") as file:
        return {row["name"] for row in csv.DictReader(file) if row["kind"] in ("python", "native")}


def native_program(binary, out):
    """What is wrong with a recording of a C++ program without Python."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    failures, server = [], out / "native_server"
    # The runtime as most programs have it (linked in), and as a library; with lines and without frame pointers.
    for name, flags in (("static", ["-cudart", "static"]), ("shared", ["-cudart", "shared"])):
        subprocess.run([nvcc, "-O2", "-g", "-Xcompiler", "-fomit-frame-pointer", *flags, "-o", server, PROGRAMS / "native_server.cu"],
                       check=True)
        run = out / f"native-{name}"
        shutil.rmtree(run, ignore_errors=True)
        done = subprocess.run([binary, "record", "-o", run, "--no-analyze", "--", server], capture_output=True, text=True, check=False)
        print(done.stdout + done.stderr, end="")
        verdict = subprocess.run([binary, "analyze", str(run)], capture_output=True, text=True, check=False).stdout
        print(verdict)
        print(subprocess.run([binary, "gaps", str(run)], capture_output=True, text=True, check=False).stdout)
        print(subprocess.run([binary, "env", str(run), "--limit", "0"], capture_output=True, text=True, check=False).stdout)
        if "Tokenizer::Sort" not in verdict:
            failures.append(f"{name}: the verdict does not name Tokenizer::Sort, where the time goes")
        if "Python" in verdict.split("\n")[0]:
            failures.append(f"{name}: the verdict speaks of Python")
        frames = python_frames(binary, run)
        for wanted in ("main", "Tokenizer::Encode"):
            if not any(frame.endswith(f"): {wanted}") for frame in frames):
                failures.append(f"{name}: no frame of {wanted} with its line; seen: {sorted(frames)[:20]}")
        inside = [frame for frame in frames if re.search(r"libcuda\.so|libcudart|libcupti|^cuda[A-Z]", frame)]
        if inside:
            failures.append(f"{name}: frames of the driver's inside: {inside[:5]}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(HERE.parent.parent / "build/release/bin/warpscope"))
    parser.add_argument("--out", default="host-sampling")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="python,native")
    args = parser.parse_args()
    binary, out = str(pathlib.Path(args.binary).resolve()), pathlib.Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    failures = []
    if "python" in args.only:
        failures += python_programs(binary, out, args.repeats)
    if "native" in args.only:
        failures += native_program(binary, out)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


def python_programs(binary, out, repeats):
    failures = []
    times = {}
    for program in (["loader.py", "slow"], ["loader.py", "fast"], ["tiny.py"]):
        name = "-".join(program)
        without, with_samples = [], []
        for _ in range(repeats):  # in turns: the machine's mood hits both
            without.append(record(binary, out / f"{name}-bare", program, "--no-host-samples"))
            with_samples.append(record(binary, out / name, program))
        times[name] = (statistics.median(without), statistics.median(with_samples))
    for name, (without, with_samples) in times.items():
        print(f"{name}: median step {without:.3f} ms without host samples, {with_samples:.3f} ms with")

    run = out / "loader.py-slow"
    frames = python_frames(binary, run)
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
    return failures


if __name__ == "__main__":
    sys.exit(main())
