#!/usr/bin/env python3
"""The figures of HTML reports: size of the file, time and memory to write it, and, with a Chromium, how soon it answers.

    bench/report.py [--build build/release] [--events 300000 1000000] [--repeat 3] [TRACE...]

Makes traces of that many events (bench/make_loop.py) below the build folder, once, and reports them and every TRACE.
Nothing else should run meanwhile.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import measured_run  # noqa: E402

TIMEOUT_S = 600
HEAD = re.compile(r'"counts": \{"host": (\d+), "gpu": (\d+), "spans": (\d+)')


def made(folder, events):
    path = folder / f"loop-{events}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        subprocess.run([sys.executable, str(ROOT / "bench/make_loop.py"), str(part), str(events)], check=True)
        part.rename(path)
    return path


def report(binary, trace, out, repeat):
    runs = [measured_run.run([binary, "report", str(trace), "-o", str(out), "--force"], TIMEOUT_S) for _ in range(repeat)]
    for run in runs:
        if run.status != 0:
            sys.exit(f"{trace}: exit status {run.status}: {run.stderr[:500]}")
    best = min(runs, key=lambda run: run.seconds)
    with out.open(encoding="utf-8") as file:
        text = file.read()
    found = HEAD.search(text)
    spans = int(found[3]) if found else 0
    print(f"{trace.name:36} {spans:>10,} spans  {out.stat().st_size / 1e6:6.2f} MB  {best.seconds:6.2f} s  "
          f"{best.peak_mb:6.0f} MB memory", flush=True)


def main():
    parser = argparse.ArgumentParser(description="size, time and memory of reports")
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--events", type=int, nargs="*", default=[300_000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("traces", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    folder = pathlib.Path(args.build) / "data"
    binary = str(pathlib.Path(args.build) / "bin/warpscope")
    reports = []
    for trace in [made(folder, events) for events in args.events] + args.traces:
        out = folder / (trace.name + ".html")
        report(binary, trace, out, args.repeat)
        reports.append(str(out))
    if shutil.which("node") is None:
        print("no node: how soon the reports answer in a browser is not measured")
        return 0
    return subprocess.run(["node", str(ROOT / "bench/report_open.mjs"), *reports], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
