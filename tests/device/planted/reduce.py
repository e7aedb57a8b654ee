#!/usr/bin/env python3
"""Cuts ncu's raw page to the columns that the rules read: reduce.py IN.raw.csv[.gz] OUT.raw.csv.gz.

Kept are what names a launch (but no host), launch__*, the stall ratios and every name of src/analysis/counters.def. So a rule that
reads another counter needs the page cut again from the whole recording.
"""
import csv
import gzip
import io
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMED = {"ID", "Process ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"}
STALL = re.compile(r"smsp__average_warps?_.*issue_stalled_.*")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:])
    data = source.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    counters = (ROOT / "src/analysis/counters.def").read_text(encoding="utf-8")
    read = {name for names in re.findall(r'^WS_COUNTER\(\w+, "([^"]+)"\)', counters, re.M) for name in names.split("|")}
    lines = [line for line in csv.reader(io.StringIO(text)) if line]
    start = next(i for i, line in enumerate(lines) if "Kernel Name" in line)
    kept = [i for i, name in enumerate(lines[start])
            if name in NAMED or name in read or name.startswith("launch__") or STALL.fullmatch(name)]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([line[i] for i in kept] for line in lines[start:])
    target.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(out.getvalue().encode(), 9, mtime=0)
    target.write_bytes(packed)
    print(f"{target}: {len(kept)} of {len(lines[start])} columns, {len(lines) - start - 2} launches, {len(packed)} bytes")


main()
