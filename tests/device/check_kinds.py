"""Records tests/device/programs/kinds.py on a machine with a GPU and compares what was recorded with what the program did.

usage: check_kinds.py WARPSCOPE [FLAGS of record ...]; without flags: --memory --unified-memory --graph-nodes.
One line a check; exit status 1 if one failed. Then `--calls all` of the same, and how many calls of each API it has: driver
calls inside runtime calls tell whether the light set may include the driver's.
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
failed = 0


def check(what, good, said):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}: {said}")


def record(warpscope, flags, folder):
    """The program's own account, and the recording's events."""
    program = [sys.executable, str(HERE / "programs/kinds.py")]
    done = subprocess.run([warpscope, "record", "--no-analyze", "-o", str(folder / "run"), *flags, "--", *program],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"record ended with {done.returncode}: {done.stderr[-2000:]}")
    subprocess.run([warpscope, "convert", str(folder / "run"), "--to", "chrome", "-o", str(folder / "t.json.gz")], check=True,
                   capture_output=True)
    with gzip.open(folder / "t.json.gz") as file:
        events = json.load(file)["traceEvents"]
    account = json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])
    ledger = subprocess.run([warpscope, "ledger", str(folder / "run")], capture_output=True, text=True).stdout
    return account, events, ledger


def main():
    warpscope, flags = sys.argv[1], sys.argv[2:] or ["--memory", "--unified-memory", "--graph-nodes"]
    with tempfile.TemporaryDirectory() as name:
        told, events, ledger = record(warpscope, flags, pathlib.Path(name))
    names = collections.Counter(event.get("name", "") for event in events)
    of = lambda category: [event for event in events if event.get("cat") == category]
    steps = sum(count for text, count in names.items() if text.startswith("step "))
    check("NVTX ranges", steps == told["ranges"], steps)
    check("mark", names["half time"] == 1, names["half time"])
    check("range without an end", names["never closed"] == 1, names["never closed"])
    check("emit_nvtx gives operators", names["aten::add"] >= 1, names["aten::add"])
    launches = [event for event in events if event.get("name") == "cudaGraphLaunch"]
    check("graph launches", len(launches) == told["replays"], len(launches))
    nodes = [event for event in of("kernel") if "graph node id" in event["args"]]
    check("kernels in graphs", len(nodes) == told["replays"] * told["nodes"], len(nodes))
    ids = {event["args"].get("correlation") for event in nodes}
    check("they carry their launches' correlation ids", len(ids) == told["replays"], len(ids))
    capture = [event for event in events if "CUDA graph capture" in json.dumps(event.get("args", {}))]
    check("capture marks (only with --graph-nodes)", len(capture) == (told["nodes"] if "--graph-nodes" in flags else 0),
          collections.Counter(event["name"] for event in capture))
    syncs = [event for event in of("cuda_sync") if "Stream Wait Event" in event["name"]]
    check("waits for events", len(syncs) >= told["waits"], len(syncs))
    check("they know the record", any("wait" in key.lower() or "event" in key.lower() for e in syncs for key in e["args"]),
          syncs[0]["args"] if syncs else None)
    jit = [text for text in names if text.startswith("JIT ")]
    check("compilation at run time", bool(jit) or not told["compiled"], jit)
    moved = sum(event["args"].get("bytes", 0) for event in of("gpu_memcpy") if "Managed" in event["name"])
    refused = [line for line in ledger.splitlines() if "nvidia-uvm-tools" in line]
    check("unified memory moved (only with --unified-memory), or the ledger says that this machine has no device for it",
          moved > 0 or bool(refused) or "--unified-memory" not in flags, moved or refused)
    print(ledger)

    with tempfile.TemporaryDirectory() as name:
        _, events, _ = record(warpscope, ["--calls", "all"], pathlib.Path(name))
    calls = {kind: collections.Counter(e["name"] for e in events if e.get("cat") == kind)
             for kind in ("cuda_runtime", "cuda_driver")}
    for kind, counts in calls.items():
        print(kind, sum(counts.values()), counts.most_common(12))
    shared = collections.Counter(e["args"]["correlation"] for e in events
                                 if e.get("cat") in calls and "correlation" in e.get("args", {}))
    print("correlation ids that two calls carry:", sum(count > 1 for count in shared.values()), "of", len(shared))
    return 1 if failed else 0


sys.exit(main())
