#!/usr/bin/env python3
"""Compares what the program reads from an Nsight Compute report with the raw page that the tool printed of the same report.

Every metric of every kernel: the value to the last printed digit, the unit after the raw page's scaling is undone (the
page scales units by column). The raw page's CSV itself, read as input, must give the same. Rule messages and their
estimates are looked for in the printed details page. Skips where the recordings are not there.
"""
import argparse
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
DATA = SHARED / "traces" / "ncu"
# What each kernel of the recorded program was written to show.
CAUSES = {"bank": {"bank_conflict"}, "strided": {"uncoalesced"}, "diverge": {"divergence"}, "vecadd": {"dram_bound"},
          "fma_k": {"compute_bound", "small_grid"}}
PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
NO_VALUE = {"", "nan", "no data", "n/a"}


def base_word(word):
    """("Mbyte") -> ("byte", 1e6)"""
    if word in TIMES:
        return "ns", TIMES[word]
    if word[:1] in PREFIXES and word[1:] in ("byte", "hz"):
        return word[1:], PREFIXES[word[0]]
    return word, 1


def base_unit(printed):
    above, _, below = printed.partition("/")
    unit, factor = base_word(above)
    if not below:
        return unit, factor
    if below in TIMES:
        return f"{unit}/s", factor * 1e9 / TIMES[below]
    below, divisor = base_word(below)
    return f"{unit}/{below}", factor * divisor  # the tool divides "%/Kbyte" too


def metrics(binary, path):
    """({(id, name): (value, unit)}, {name of an attribute: (value, unit)})"""
    done = subprocess.run([binary, "counters", "--by", "metric", "--json", str(path)], capture_output=True, check=True,
                          text=True)
    table = json.loads(done.stdout)
    names = [column["name"] for column in table["columns"]]
    launches, attributes = {}, {}
    for cells in table["rows"]:
        row = dict(zip(names, cells, strict=True))
        value = row["text"] if row["value"] is None else row["value"]
        where = attributes if row["id"] is None else launches
        where[row["metric"] if row["id"] is None else (row["id"], row["metric"])] = (value, row["unit"] or "")
    return launches, attributes


def same(printed, scale, value):
    """Whether a printed number is the value, to its last digit."""
    if printed in NO_VALUE:
        return value is None or value == printed
    try:
        number = float(printed.replace(",", ""))
    except ValueError:
        return value == printed
    if not isinstance(value, (int, float)):
        return value == printed
    decimals = len(printed.partition(".")[2])
    return abs(value - number * scale) <= 0.5000001 * 10 ** -decimals * scale + 1e-12 * abs(value)


def raw_page():
    text = gzip.open(DATA / "kernels.raw.csv.gz", "rt", encoding="utf-8").read()
    return list(csv.reader(io.StringIO(text)))


def compare_metrics(binary, path, problems):
    header, units, *kernels = raw_page()
    launches, attributes = metrics(binary, path)
    count = 0
    expected = set()
    for kernel in kernels:
        launch = int(kernel[0])
        for name, printed_unit, printed in zip(header[11:], units[11:], kernel[11:], strict=True):
            is_attribute = name.startswith("device__attribute_")
            found = attributes.get(name) if is_attribute else launches.get((launch, name))
            expected.add((launch, name))
            unit, scale = base_unit(printed_unit)
            if found is None:
                problems.append(f"{path.name}: {launch} {name}: missing")
            elif found[1] != unit:
                problems.append(f"{path.name}: {launch} {name}: unit {found[1]!r}, expected {unit!r}")
            elif not same(printed, scale, found[0]):
                problems.append(f"{path.name}: {launch} {name}: {found[0]!r}, printed {printed} {printed_unit}")
            else:
                count += 1
    for extra in sorted(set(launches) - expected):
        problems.append(f"{path.name}: {extra}: not on the raw page")
    return count


def compare_messages(binary, path, problems):
    """Each message of a rule stands on the details page, behind its estimate."""
    done = subprocess.run([binary, "counters", "--by", "advice", "--json", str(path)], capture_output=True, check=True,
                          text=True)
    table = json.loads(done.stdout)
    names = [column["name"] for column in table["columns"]]
    details = re.sub(r"\s+", "", (DATA / "kernels.details.txt").read_text(encoding="utf-8"))
    count = 0
    for cells in table["rows"]:
        row = dict(zip(names, cells, strict=True))
        wanted = row["text"]
        if row["estimated_speedup_pct"] is not None:
            local = "Local " if row["speedup_of"] == "part" else ""
            wanted = f"Est. {local}Speedup: {row['estimated_speedup_pct']:.4g}% {wanted}"
        if re.sub(r"\s+", "", wanted) in details:  # the page wraps its lines
            count += 1
        else:
            problems.append(f"{row['id']} {row['rule']}: not on the details page: {wanted[:100]}")
    return count


def findings(binary, path):
    done = subprocess.run([binary, "analyze", "--json", "--all", str(path)], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)["findings"]


def compare_causes(binary, problems):
    """Each kernel's cause is named, and no other; the kernels of known cause lead their reports."""
    count = 0
    found = {}
    for finding in findings(binary, DATA / "kernels.ncu-rep.gz"):
        found.setdefault(finding["subject"].partition("(")[0], set()).add(finding["id"])
    for kernel, causes in CAUSES.items():
        if found.get(kernel) == causes:
            count += 1
        else:
            problems.append(f"{kernel}: {sorted(found.get(kernel, set()))}, expected {sorted(causes)}")
    for name, case in json.loads((SHARED / "cases" / "truth.json").read_text(encoding="utf-8"))["cases"].items():
        path = SHARED / "cases" / f"{name}.raw.csv"
        if not path.exists():
            continue
        first = next(iter(findings(binary, path)), None)
        if first and first["subject"].partition("(")[0].startswith(case["before"][:3]) and first["id"] in [case["cause"], *case["accept"]]:
            count += 1
        else:
            problems.append(f"{name}: {first and (first['subject'], first['id'])}, expected {case['cause']}")
    return count


def main():
    parser = argparse.ArgumentParser(description="compares an Nsight Compute report with the tool's own raw page")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    args = parser.parse_args()
    if not (DATA / "kernels.ncu-rep.gz").exists():
        print("skipped: no recordings")
        return 0
    problems = []
    count = compare_metrics(args.binary, DATA / "kernels.ncu-rep.gz", problems)
    count += compare_metrics(args.binary, DATA / "kernels.raw.csv.gz", problems)
    count += compare_messages(args.binary, DATA / "kernels.ncu-rep.gz", problems)
    count += compare_causes(args.binary, problems)
    for problem in problems[:40]:
        print(problem)
    print(f"{count} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
