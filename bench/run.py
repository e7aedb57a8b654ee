#!/usr/bin/env python3
"""The speed and memory figures of reading and analysing a large trace, printed by one command.

Makes a trace of --bytes (default 1.6 GB) from a recorded one (bench/make_trace.py) under the build folder, plain and
gzip, once; then reads and analyses each --repeat times and prints the best. Nothing else should run meanwhile.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import measured_run  # noqa: E402

RECORDED = ROOT / "tests/data/kineto/slowloader.pt.trace.json.gz"
TIMEOUT_S = 1200


def make_data(folder, size):
    plain, packed = folder / f"large-{size}.json", folder / f"large-{size}.json.gz"
    if not (plain.exists() and packed.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, str(ROOT / "bench/make_trace.py"), str(RECORDED), str(plain), "--bytes",
                        str(size), "--gzip", str(packed)], check=True)
    return plain, packed


def bare_read(path):
    """Seconds that only reading the file takes, in blocks that are thrown away: no reader can be quicker."""
    seconds = []
    for _ in range(2):  # the first run brings it into the page cache
        begin = time.perf_counter()
        with path.open("rb", buffering=0) as file:
            while file.read(4 << 20):
                pass
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def best(command, repeat):
    """The quickest of several runs."""
    runs = [measured_run.run(command, TIMEOUT_S) for _ in range(repeat)]
    for run in runs:
        if run.status != 0:
            sys.exit(f"{' '.join(command)}: exit status {run.status}: {run.stderr[:500]}")
    return min(runs, key=lambda run: run.seconds)


def main():
    parser = argparse.ArgumentParser(description="times reading and analysing a large trace")
    parser.add_argument("--build", default=str(ROOT / "build/bench"))
    parser.add_argument("--bytes", type=int, default=1_600_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    folder = pathlib.Path(args.build)
    plain, packed = make_data(folder / "data", args.bytes)
    size = plain.stat().st_size
    print(f"{plain.name}: {size / 1e9:.2f} GB; {packed.name}: {packed.stat().st_size / 1e9:.2f} GB")
    bare_s = bare_read(plain)
    print(f"bare read      {bare_s:6.2f} s  {size / bare_s / 1e9:5.2f} GB/s")
    seconds = {}
    for name, path in (("plain", plain), ("gzip", packed)):
        run = best([str(folder / "bin/import_once"), str(path)], args.repeat)
        read = json.loads(run.stdout.split("\n")[0])
        seconds[name] = read["seconds"]
        print(f"read {name:5}    {read['seconds']:6.2f} s  {size / read['seconds'] / 1e9:5.2f} GB/s  "
              f"cpu {read['cpu_seconds']:6.2f} s  peak {read['peak_rss_bytes'] / 1e6:6.0f} MB "
              f"= {read['peak_rss_bytes'] / size:.2f} x the text; {read['host_rows']:,} host rows, "
              f"{read['gpu_rows']:,} device rows", flush=True)
        run = best([str(folder / "bin/warpscope"), "analyze", str(path)], args.repeat)
        print(f"analyze {name:5} {run.seconds:6.2f} s{'':12}{'':14}  peak {run.peak_mb * 1.048576:6.0f} MB "
              f"= {run.peak_mb * 1048576 / size:.2f} x the text", flush=True)
    print(f"gzip against plain: {100 * (seconds['gzip'] / seconds['plain'] - 1):+.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
