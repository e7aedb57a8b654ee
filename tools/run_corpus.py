#!/usr/bin/env python3
"""Runs the program on every file of a folder of samples, of whatever kind, and prints what came out.

For each file: format and version as the program names them, rows by table (host spans, device work, profiles of kernels,
summaries, readings, counters), ledger entries, the answer or the reason of the refusal, seconds, peak memory. An
independent look at the file (sample_kinds.py) says whether it must give a result, and of which kind, or a refusal. Fails
on a crash, a hang, output that is not JSON, a refusal without a reason, or the wrong one of the two.

The samples are not part of this repository: without them (default ../shared) the script says so and exits 77.
"""
import argparse
import json
import multiprocessing
import pathlib
import sys

import measured_run
import sample_kinds

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["corpus", "traces", "cases"]
NOT_SAMPLES = {"INDEX.tsv", "ORIGIN.md", "truth.json", "crosscheck.json"}
# Every table must work on every input that gives a verdict.
TABLES = ["kernels", "ops", "gaps", "copies", "syncs", "launches", "steps", "streams", "devices", "memory", "collectives",
          "readings", "ledger", "env"]
MAY_REFUSE = ["critical-path"]
SKIPPED = 77
SHORT = {"host": "host", "gpu": "gpu", "counters": "count", "profiles": "prof", "summaries": "sum", "readings": "read"}


def sample_files(root, only):
    files = []
    for folder in FOLDERS:
        files += [path for path in sorted((root / folder).rglob("*")) if path.is_file() and path.name not in NOT_SAMPLES]
    return [path for path in files if not only or any(words in str(path) for words in only)]


def expectation_apart(path):
    """In a process of its own: what this process holds would count as the program's peak memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(sample_kinds.expectation, (path,))


def judge(result, expected, table):
    """(what it was, problem or None, verdict or reason)."""
    if result.timed_out:
        return "HANG", "did not end in time", ""
    if result.status < 0:
        return "CRASH", f"killed by signal {-result.status}", ""
    if result.status == 0:
        try:
            verdict = json.loads(result.stdout)
            rows, source = verdict["rows"], verdict["source"]
        except (ValueError, KeyError, TypeError) as error:
            return "BAD", f"output is no verdict: {error!r}", ""
        if expected == sample_kinds.REFUSAL:
            return "result", "a result, but the file holds none", verdict
        if sum(rows.values()) == 0 or not source["format"] or not verdict["answer"]:
            return "result", "a result without rows, format or answer", verdict
        held = rows["host"] + rows["gpu"] if table == "timeline" else rows.get(table, 1) if table else 1
        return "result", None if held else f"a result without {table}", verdict
    reason = result.stderr.strip()
    first_line = reason.split("\n")[0]
    if not reason or "terminate called" in reason or "Sanitizer" in reason:
        return "BAD", f"exit status {result.status} without a reason: {first_line}", first_line
    return "refusal", f"refused, but the file holds {table}" if expected == sample_kinds.RESULT else None, first_line


def words_of(verdict):
    """Columns of the printed line: format, version, rows, ledger entries, answer."""
    if not isinstance(verdict, dict):
        return "-", "-", "-", "-", verdict
    rows = " ".join(f"{SHORT[name]}:{count}" for name, count in verdict["rows"].items() if count and name in SHORT)
    findings = verdict.get("findings", [])
    first = f"{findings[0]['id']}: " if findings else ""
    source = verdict["source"]
    return source["format"], (source["version"] or "-")[:12], rows, str(len(verdict["ledger"])), first + verdict["answer"]


def table_problems(args, path):
    for table in [] if args.no_tables else TABLES + MAY_REFUSE:
        result = measured_run.run([args.binary, table, "--json", str(path)], args.timeout)
        try:
            ok = result.status == 0 and not result.timed_out and "rows" in json.loads(result.stdout)
        except ValueError:
            ok = False
        refused = table in MAY_REFUSE and result.status > 0 and result.stderr.strip()
        if not ok and not refused:
            yield (f"{path.name}: {table}: exit status {result.status}, "
                   f"{(result.stderr.strip() or 'output is not a table').splitlines()[0][:150]}")


def main():
    parser = argparse.ArgumentParser(description="runs the program on every sample")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--no-tables", action="store_true", help="only analyze")
    parser.add_argument("--samples", default=str(ROOT.parent / "shared"))
    parser.add_argument("only", nargs="*", help="only files whose path holds one of these")
    args = parser.parse_args()
    root = pathlib.Path(args.samples)
    files = sample_files(root, args.only)
    if not files:
        print(f"no samples at {args.samples}: skipped")
        return SKIPPED
    problems = []
    counts = {}
    print(f"{'file':58} {'what':8} {'format':14} {'version':12} {'rows':34} {'led':>3} {'s':>6} {'MB':>5}  verdict or reason")
    for path in files:
        expected, table = expectation_apart(path)
        result = measured_run.run([args.binary, "analyze", "--json", str(path)], args.timeout)
        what, problem, verdict = judge(result, expected, table)
        counts[what] = counts.get(what, 0) + 1
        name = str(path.relative_to(root))
        kind, version, rows, ledger, words = words_of(verdict)
        words = words.replace(str(path) + ": ", "")
        print(f"{name[-58:]:58} {what:8} {kind:14} {version:12} {rows:34} {ledger:>3} {result.seconds:6.2f} "
              f"{result.peak_mb:5.0f}  {words[:120]}", flush=True)
        if problem:
            problems.append(f"{name}: analyze: {problem}: {words[:150]}")
        if what == "result":
            problems += table_problems(args, path)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files: {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
