#!/usr/bin/env python3
"""On a machine with NVIDIA GPUs: `warpscope doctor` against nvidia-smi and PyTorch, and the same answer from files.

usage: doctor.py BIN (the folder that holds warpscope)

Checks that the chain works, that devices, driver and CUDA version are those that nvidia-smi tells, that compute capability and
architectures are those that PyTorch tells (where it is installed), that a link is judged under load, that files taken here give the
same chain and devices, and that a broken library path is named. Prints one line a check; exit status 1 if one fails.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import runs

LOAD = """
import torch, time
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
end = time.time() + 12
while time.time() < end:
    a @ a
    torch.cuda.synchronize()
"""


def run(*words):
    result = runs.run(words)
    return result.code, result.out


def doctor(binary, *words, **env):
    result = runs.run([binary, "doctor", *words, "--json"], env=env)
    if not result.out:
        sys.exit(f"warpscope doctor {' '.join(words)}: exit {result.code}, nothing printed: {result.err.strip()[-400:]}")
    return result.code, json.loads(result.out)


def before_libraries(folder):
    """LD_LIBRARY_PATH with `folder` first: what warpscope itself needs is still found behind it."""
    return ":".join([folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])


def step(report, name):
    return next((one for one in report["steps"] if one["id"] == name), None)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tool = runs.Tool(sys.argv[1])
    tool.close()
    binary = tool.path
    problems = 0

    def check(what, ok, seen=""):
        nonlocal problems
        problems += not ok
        print(f"{'ok  ' if ok else 'FAIL'} {what}{'' if ok else ': ' + str(seen)}")

    code, live = doctor(binary)
    print(live["answer"])
    check("nothing in the chain is broken", live["root"] is None or step(live, live["root"])["part"] != "chain", live["root"])
    _, names = run("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    rows = [[field.strip() for field in row.split(",")] for row in names.strip().splitlines()]
    check("as many devices as nvidia-smi", len(rows) == len(live["devices"]), len(live["devices"]))
    check("names", [row[0] for row in rows] == [one["name"] for one in live["devices"]], [one["name"] for one in live["devices"]])
    check("driver", live["driver"]["version"] == rows[0][1], live["driver"])
    for name in ("gpu", "kernel_module", "device_nodes", "driver_library", "management", "cuda_start"):
        one = step(live, name)
        check(f"step {name}", one is not None and one["state"] == "ok", one)
    try:
        import torch
        major, minor = torch.cuda.get_device_capability(0)
        check("compute capability", live["devices"][0]["compute_capability"] == f"{major}.{minor}", live["devices"][0])
        one = step(live, "framework_torch")
        check("PyTorch is found", one is not None and one["state"] == "ok" and torch.__version__ in one["evidence"], one)
        listed = torch.cuda.get_arch_list()
        check("its architectures", one is not None and all(arch in one["evidence"] for arch in listed), (listed, one))
        load = subprocess.Popen([sys.executable, "-c", LOAD])
        subprocess.run(["sleep", "6"], check=True)
        _, busy = doctor(binary)
        load.wait()
        link = step(busy, "pcie_link")
        check("the link under load", link is None or "idle" not in link["evidence"], link)
        check("who holds memory", "python" in json.dumps(step(busy, "memory_use")), step(busy, "memory_use"))
        print("under load:", json.dumps([one["evidence"] for one in busy["steps"] if one["part"] == "health"])[:600])
    except ImportError:
        print("no PyTorch here")
    with tempfile.TemporaryDirectory() as folder:
        smi = pathlib.Path(folder, "smi.xml")
        smi.write_text(run("nvidia-smi", "-q", "-x")[1], encoding="utf-8")
        facts = pathlib.Path(folder, "facts.txt")
        facts.write_text(run("bash", "-c", "ls -l /dev/nvidia*; cat /proc/driver/nvidia/version; lsmod; cat /proc/modules; ldconfig -p")[1], encoding="utf-8")
        _, files = doctor(binary, "--from", str(smi), "--from", str(facts))
        check("files: the same root", files["root"] == live["root"], (files["root"], live["root"]))
        check("files: the same devices", [one["name"] for one in files["devices"]] == [one["name"] for one in live["devices"]], files["devices"])
        for name in ("kernel_module", "device_nodes", "driver_library", "management"):
            one, other = step(files, name), step(live, name)
            check(f"files: step {name}", one is None or one["state"] == other["state"], (one, other))
        pathlib.Path(folder, "libcuda.so.1").write_text("no library", encoding="utf-8")
        code, broken = doctor(binary, LD_LIBRARY_PATH=before_libraries(folder))
        check("a broken library path is the first broken layer", broken["root"] == "driver_library" and code == 11, (code, broken["answer"]))
    code, hidden = doctor(binary, CUDA_VISIBLE_DEVICES="")
    check("hidden devices are told", hidden["root"] in ("cuda_start", "chosen_device"), hidden["answer"])
    return problems > 0


if __name__ == "__main__":
    sys.exit(main())
