#!/usr/bin/env python3
"""What `doctor capture`, `env` and the device samples say on a machine with an NVIDIA GPU, held against the machine itself.

    python3 tests/device/surroundings.py --warpscope build/release/bin/warpscope [--out FOLDER]

Checks: doctor finds nothing wrong, and finds what is put wrong; the libcupti that it predicts is the one that a PyTorch process
maps; `env` takes less than 200 ms; a recording of a busy device carries samples that agree with the load, and reading them takes
less than 1 % of a core; the rule on clocks judges them. Needs python3 with PyTorch. Exit status: 0 all passed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUSY = """
import time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
end = time.time() + 6
while time.time() < end:
    for _ in range(20):
        a @ a
    torch.cuda.synchronize()
"""
MAPS = """
import torch
torch.zeros(1, device="cuda")
for line in sorted({l.split()[-1] for l in open("/proc/self/maps") if "libcupti.so" in l}):
    print(line)
"""

problems = []


def check(what, good, seen=""):
    print(f"{'ok' if good else 'FAILED':7}{what}: {seen}")
    if not good:
        problems.append(what)


def run(*words, env=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **(env or {})})


def table(output):
    if not output:
        raise SystemExit("warpscope printed nothing on standard output")
    data = json.loads(output)
    names = [column["name"] for column in data["columns"]]
    return [dict(zip(names, row)) if isinstance(row, list) else row for row in data["rows"]]


def before_libraries(folder):
    """LD_LIBRARY_PATH with `folder` first: what warpscope itself needs is still found behind it."""
    return ":".join([str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])


def check_doctor(warpscope):
    done = run(warpscope, "doctor", "capture", "--json", "--", "python3", "-c", "pass")
    rows = table(done.stdout)
    bad = [f"{row['check']}: {row['evidence']}" for row in rows if row["state"] == "failure"]
    check("doctor finds no failure", done.returncode == 0 and not bad, "; ".join(bad))
    for row in rows:
        if row["state"] != "ok":
            print(f"       {row['state']}: {row['check']}: {row['evidence']} | {row['next']}")
    hidden = run(warpscope, "doctor", "capture", "--json", env={"CUDA_VISIBLE_DEVICES": ""})
    states = {row["check"]: row["state"] for row in table(hidden.stdout)}
    check("hidden devices are told", states.get("visible_devices") == "warning", states.get("visible_devices"))
    with tempfile.TemporaryDirectory() as folder:
        stubs = pathlib.Path(folder) / "lib64" / "stubs"
        stubs.mkdir(parents=True)
        (stubs / "libcuda.so.1").touch()
        stubbed = run(warpscope, "doctor", "capture", "--json", env={"LD_LIBRARY_PATH": before_libraries(stubs)})
        states = {row["check"]: row["state"] for row in table(stubbed.stdout)}
        check("stubs are told", states.get("stubs") == "failure" and stubbed.returncode == 1, states.get("stubs"))
    mapped = run("python3", "-c", MAPS).stdout.split()
    evidence = next((row["evidence"] for row in rows if row["check"] == "cupti"), "")
    predicted = os.path.realpath(evidence.split(" (")[0])
    check("the predicted libcupti is mapped", predicted in [os.path.realpath(path) for path in mapped],
          f"{predicted} of {mapped}")


def check_env(warpscope):
    times = []
    for _ in range(5):
        start = time.monotonic()
        done = run(warpscope, "env", "--json")
        times.append((time.monotonic() - start) * 1000)
    check("env within 200 ms", sorted(times)[2] < 200, ", ".join(f"{ms:.0f}" for ms in times) + " ms")
    facts = {(row["subject"], row["fact"]): row["value"] for row in table(done.stdout)}
    for key in [("machine", "driver_version"), ("machine", "cpu"), ("package", "torch"), ("device 0", "name"), ("device 0", "clock_max_sm"),
                ("machine", "cupti"), ("machine", "torch_cuda_version")]:
        check(f"env tells {' '.join(key)}", bool(facts.get(key)), facts.get(key))


def check_samples(warpscope, out):
    folder = pathlib.Path(out) / "busy"
    done = run(warpscope, "record", "-o", str(folder), "--no-analyze", "--", "python3", "-c", BUSY)
    check("the program ran", done.returncode == 0, done.stderr.strip()[-400:])
    rows = table(run(warpscope, "readings", str(folder), "--by", "device", "--json").stdout)
    print("       " + "\n       ".join(str({k: v for k, v in row.items() if v is not None}) for row in rows[:40]))
    values = {row.get("reading") or row.get("name"): row for row in rows}
    check("readings tell load and clock", "utilization_gpu" in values and "clock_sm" in values, ", ".join(map(str, values)))
    ledger = run(warpscope, "ledger", str(folder))
    print(ledger.stdout)
    check("reading devices took less than 1 % of a core", "reading the devices took" not in ledger.stdout)
    verdict = json.loads(run(warpscope, "analyze", str(folder), "--json").stdout)
    text = json.dumps(verdict)
    abstained = [one for one in verdict.get("abstained", []) if one.get("id") == "clock_throttled"]
    check("the rule on clocks judges the run", not abstained, str(abstained))
    check("nothing asks for nvidia-smi", "nvidia-smi --query" not in text)
    seen = {row["fact"]: row["value"] for row in table(run(warpscope, "env", str(folder), "--json").stdout)}
    print(f"       {seen.get('device_looks')} looks, {seen.get('device_looks_cpu_ms')} ms of processor time")
    env_rows = table(run(warpscope, "env", str(folder), "--json").stdout)
    check("env of the run shows its facts", any(row["fact"] == "driver_version" for row in env_rows), len(env_rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--warpscope", required=True)
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    warpscope = os.path.abspath(options.warpscope)
    check_doctor(warpscope)
    check_env(warpscope)
    with tempfile.TemporaryDirectory() as folder:
        check_samples(warpscope, options.out or folder)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
