#!/usr/bin/env python3
"""Runs the program on every JSON recording of a folder of samples and prints what came out.

For each file: a result or a refusal, exit status, seconds, peak memory, the first finding. A file must give a result
if an independent look at it (Python's own JSON reader) finds timeline events, and a refusal with a reason if it does
not. Fails on a crash, a hang, output that is not JSON, a refusal without a reason, or the wrong one of the two.

The samples are not part of this repository: without them (default ../shared) the script says so and exits 77.
"""
import argparse
import gzip
import io
import json
import multiprocessing
import pathlib
import sys
import tarfile

import measured_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ["kernels", "ops", "gaps", "copies", "syncs", "launches", "steps", "streams"]
SKIPPED = 77


def sample_files(root):
    folders = [root / "corpus" / "kineto", root / "traces", root / "traces" / "ranks", root / "cases"]
    files = []
    for folder in folders:
        if folder.is_dir():
            files += [path for path in sorted(folder.iterdir())
                      if path.name.endswith((".json", ".json.gz", ".raw.gz", ".tar.gz"))
                      and path.name not in ("truth.json", "crosscheck.json")]
    return files


def holds_timeline(path):
    """True, False, or None if Python cannot read the file as JSON."""
    raw = path.read_bytes()
    try:
        if path.name.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
                members = [archive.extractfile(member).read() for member in archive if member.isfile()]
        else:
            members = [gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw]
        values = [json.loads(member) for member in members]
    except (ValueError, OSError, tarfile.TarError):
        return None
    for value in values:
        events = value.get("traceEvents") if isinstance(value, dict) else value
        if isinstance(events, list) and any(isinstance(event, dict) and event.get("ph") == "X" for event in events):
            return True
    return False


def holds_timeline_apart(path):
    """The same in a process of its own: what this process holds would count as the program's peak memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(holds_timeline, (path,))


def judge(result, expected):
    """(what it was, problem or None, first finding)."""
    if result.timed_out:
        return "HANG", "did not end in time", ""
    if result.status < 0:
        return "CRASH", f"killed by signal {-result.status}", ""
    if result.status == 0:
        try:
            verdict = json.loads(result.stdout)
        except ValueError as error:
            return "BAD", f"output is not JSON: {error}", ""
        findings = verdict.get("findings", [])
        first = findings[0]["id"] if findings else "-"
        problem = "a result, but the file holds no timeline" if expected is False else None
        return "result", problem, f"{first}: {verdict.get('answer', '')}"
    reason = result.stderr.strip()
    first_line = reason.split("\n")[0]
    if not reason or "terminate called" in reason or "Sanitizer" in reason:
        return "BAD", f"exit status {result.status} without a reason: {first_line}", first_line
    return "refusal", "refused, but the file holds a timeline" if expected else None, first_line


def main():
    parser = argparse.ArgumentParser(description="runs the program on every sample recording")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--no-tables", action="store_true", help="only analyze")
    parser.add_argument("samples", nargs="?", default=str(ROOT.parent / "shared"))
    args = parser.parse_args()
    files = sample_files(pathlib.Path(args.samples))
    if not files:
        print(f"no samples at {args.samples}: skipped")
        return SKIPPED
    problems = []
    print(f"{'file':52} {'kB':>7} {'what':8} {'exit':>4} {'s':>6} {'MB':>6}  first finding or reason")
    for path in files:
        result = measured_run.run([args.binary, "analyze", "--json", str(path)], args.timeout)
        what, problem, first = judge(result, holds_timeline_apart(path))
        print(f"{path.name[:52]:52} {path.stat().st_size // 1024:7} {what:8} {result.status:4} {result.seconds:6.2f} "
              f"{result.peak_mb:6.0f}  {first[:110]}", flush=True)
        if problem:
            problems.append(f"{path.name}: analyze: {problem}")
        for table in [] if args.no_tables or what != "result" else TABLES:
            result = measured_run.run([args.binary, table, "--json", str(path)], args.timeout)
            try:
                ok = result.status == 0 and not result.timed_out and "rows" in json.loads(result.stdout)
            except ValueError:
                ok = False
            if not ok:
                problems.append(f"{path.name}: {table}: exit status {result.status}, "
                                f"{(result.stderr.strip() or 'output is not a table').splitlines()[0][:150]}")
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
