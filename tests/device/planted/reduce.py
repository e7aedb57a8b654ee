#!/usr/bin/env python3
"""Makes the test data of recordings of planted kernels: reduce.py RECORDED SET... [--without PREFIX,...] [--to FOLDER] [--add].

RECORDED is what record.py filled. Writes SET.raw.csv.gz and times_SET.json to tests/data/planted. Of ncu's raw page are
kept: what names a launch (but no host), every name of src/analysis/counters.def, and the kinds of columns that a cause
may want next (sums, ratios, shares of a peak, rates a cycle); not its sampled copies and attributes of the device. --add:
kernels that were not recorded this time stay as they are.
"""
import argparse
import csv
import gzip
import io
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMED = {"ID", "Process ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"}
KINDS = re.compile(r"(launch|derived|memory|sass)_.*|[\w]+\.(sum|ratio|pct)|[\w]+\.avg\.pct_of_peak_sustained_(elapsed|active)|"
                   r"[\w]+\.(avg|sum)\.per_cycle_(elapsed|active)|sm__cycles_active\.\w+")


def read_counters():
    text = (ROOT / "src/analysis/counters.def").read_text(encoding="utf-8")
    return {name for names in re.findall(r'^WS_COUNTER\(\w+, "([^"]+)"\)', text, re.M) for name in names.split("|")}


def cut(text, without):
    """(the page, its columns, its launches)"""
    wanted = NAMED | read_counters()
    lines = [line for line in csv.reader(io.StringIO(text)) if line]
    start = next(i for i, line in enumerate(lines) if "Kernel Name" in line)
    header, units, rows = lines[start], lines[start + 1], lines[start + 2:]
    kept = [i for i, name in enumerate(header) if name in wanted or KINDS.fullmatch(name)]
    name_at = header.index("Kernel Name")
    rows = [row for row in rows if not (without and row[name_at].startswith(without))]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([line[i] for i in kept] for line in [header, units, *rows])
    return out.getvalue(), len(kept), len(rows)


PREFIXES = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "n": 1e-9, "u": 1e-6, "m": 1e-3}


def rescaled(text, unit, wanted):
    """ncu writes each column in a unit that suits its values: the number of one file in the unit of another."""
    if unit == wanted or not text:
        return text
    for stem in ("byte", "s", "hz"):
        one, other = (re.fullmatch(rf"([KMGTnum]?){stem}(/.*)?", each) for each in (unit, wanted))
        if one and other and one.group(2) == other.group(2):
            return repr(float(text.replace(",", "")) * PREFIXES[one.group(1)] / PREFIXES[other.group(1)])
    raise SystemExit(f"{unit} and {wanted} are no units of one kind")


def kept_of(old, new, names):
    """The page `new` with the launches of `old` whose kernels it lacks, under the columns of both."""
    pages = [[line for line in csv.reader(io.StringIO(page))] for page in (new, old)]
    units = dict(item for page in reversed(pages) for item in zip(page[0], page[1]))
    columns = [*pages[0][0], *(name for name in pages[1][0] if name not in pages[0][0])]
    rows = [{name: rescaled(value, unit, units[name]) for name, unit, value in zip(page[0], page[1], line)}
            for page in pages for line in page[2:]
            if page is pages[0] or not line[page[0].index("Kernel Name")].startswith(names)]
    rows.sort(key=lambda row: int(re.search(r"\d+", row["Kernel Name"]).group()))
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [columns, [units[name] for name in columns], *([row.get(name, "") for name in columns] for row in rows)])
    return out.getvalue(), len(rows) - len(pages[0]) + 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recorded", type=pathlib.Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--without", default="")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "tests" / "data" / "planted")
    args = parser.parse_args()
    without = tuple(args.without.split(",")) if args.without else ()
    args.to.mkdir(parents=True, exist_ok=True)
    for name in args.sets:
        page, columns, launches = cut(gzip.decompress((args.recorded / f"{name}.raw.csv.gz").read_bytes()).decode(), without)
        times = json.loads((args.recorded / f"times_{name}.json").read_text(encoding="utf-8"))
        if args.add:
            page, kept = kept_of(gzip.decompress((args.to / f"{name}.raw.csv.gz").read_bytes()).decode(), page, tuple(times["kernels"]))
            before = json.loads((args.to / f"times_{name}.json").read_text(encoding="utf-8"))
            times["kernels"] = dict(sorted({**before["kernels"], **times["kernels"]}.items(), key=lambda row: (int(row[0][1:-1]), row[0])))
            launches += kept
        packed = gzip.compress(page.encode(), 9, mtime=0)
        (args.to / f"{name}.raw.csv.gz").write_bytes(packed)
        times["kernels"] = {kernel: row for kernel, row in times["kernels"].items() if not (without and kernel.startswith(without))}
        (args.to / f"times_{name}.json").write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")
        print(f"set {name}: {columns} columns, {launches} launches, {len(packed)} bytes")


main()
