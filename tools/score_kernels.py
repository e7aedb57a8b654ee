#!/usr/bin/env python3
"""Scores verdicts on single kernels against kernels whose flaw and speed-up are known.

    score_kernels.py                             the recorded sets of tests/data/planted and ../shared/cases (what is there)
    score_kernels.py RAW.csv[.gz] TRUTH TIMES    one recording: ncu's raw page, truth.json, times_SET.json of record.py

Each kernel is judged from its own rows alone, so how long the others run does not matter. "first" is right if it is the
planted cause or one that truth.json accepts. A control is clean if nothing but its roof is named. "fixed" kernels must not
be blamed for the flaw that was taken out. The speed-up that the tool predicts for the planted cause is compared with the
time without the flaw, measured by CUDA events: right if neither is more than 25 % over the other. The interval around a
predicted speed-up (kernel_speedup_low to kernel_speedup_high) covers its case if the measured one lies within.

--markdown prints the tables for documents; --document FILE compares them with those between the marks "<!-- kernels -->" and
"<!-- end of kernels -->" of a document, --update writes them there. Without any recording it says so and exits 77. Exits 1 if fewer than
--min-first of the flaws are first, or --min-gain of the speed-ups right, or more than --max-alarms controls get advice.
"""
import argparse
import csv
import gzip
import io
import json
import pathlib
import re
import sys
import tempfile
from dataclasses import dataclass, field

import marked_text
import measured_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLANTED = ROOT / "tests" / "data" / "planted"
TRUTH = ROOT / "tests" / "device" / "planted" / "truth.json"
SHARED = ROOT.parent / "shared" / "cases"
SKIPPED = 77
ROOFS = {"dram_bound", "cache_bound", "compute_bound"}
CLOSE = 1.25
IN_TEXT = re.compile(r"\(([0-9.]+)x as fast\)")


@dataclass
class Pair:
    name: str
    truth: dict
    before: str            # the kernel's rows as a CSV page of their own
    after: str = ""
    measured: float = 0.0  # time before / time after; 0: unknown
    spread: float = 0.0    # of the measured times, largest over smallest round


@dataclass
class Row:
    pair: Pair
    ids: list = field(default_factory=list)
    after_ids: list = field(default_factory=list)
    after_predicted: float = 0.0  # of the first cause
    predicted: float = 0.0  # 0: nothing promised
    interval: tuple = ()    # (low, high) of the predicted speed-up; empty if none is told

    @property
    def control(self):
        return self.pair.truth.get("control") or "none" in self.pair.truth.get("accept", [])

    @property
    def first(self):
        return self.ids[0] if self.ids else "none"

    @property
    def right(self):
        return self.first in {self.pair.truth["cause"], *self.pair.truth.get("accept", [])}

    @property
    def clean(self):
        return all(each in ROOFS for each in self.ids)

    @property
    def close(self):
        if not self.predicted or not self.pair.measured:
            return False
        ratio = self.predicted / self.pair.measured
        return 1 / CLOSE <= ratio <= CLOSE

    @property
    def covered(self):
        return bool(self.interval) and self.interval[0] <= self.pair.measured <= self.interval[1]


def text_of(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")


def pages(text):
    """{kernel: a CSV page of its rows}; the name is what stands before the parameters."""
    lines = [line for line in csv.reader(io.StringIO(text)) if line]
    start = next(i for i, line in enumerate(lines) if "Kernel Name" in line)
    header, units, rows = lines[start], lines[start + 1], lines[start + 2:]
    column = header.index("Kernel Name")
    by_kernel = {}
    for row in rows:
        if len(row) == len(header):
            by_kernel.setdefault(re.split(r"[(<]", row[column])[0].strip(), []).append(row)
    result = {}
    for name, found in by_kernel.items():
        out = io.StringIO()
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, units, *found])
        result[name] = out.getvalue()
    return result


def pairs_of(text, cases, times=None):
    """Pairs whose kernels are in the text. times: {kernel: {"ms", "low", "high"}}; else before_ms and after_ms of a case."""
    by_kernel = pages(text)
    for name, truth in cases.items():
        before, after = truth.get("before"), truth.get("after")
        if before not in by_kernel:
            continue
        pair = Pair(name, truth, by_kernel[before], by_kernel.get(after, ""))
        if times and before in times and after in times:
            pair.measured = times[before]["ms"] / times[after]["ms"]
            pair.spread = max(times[each]["high"] / times[each]["low"] for each in (before, after))
        elif truth.get("after_ms"):
            pair.measured = truth["before_ms"] / truth["after_ms"]
        yield pair


def judge(binary, page):
    """(ids in the order shown, {id: predicted speed-up}, {id: its interval})"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.csv"
        path.write_text(page, encoding="utf-8")
        result = measured_run.run([binary, "analyze", "--json", "--all", str(path)], 120)
    if result.status != 0:
        raise RuntimeError(f"exit status {result.status}: {result.stderr.strip()[:300]}")
    findings = [each for each in json.loads(result.stdout)["findings"] if not each.get("caused_by")]
    gains, intervals = {}, {}
    for finding in findings:
        speedup = finding.get("kernel_speedup")
        if speedup is None and "kernel_speedup" not in finding:  # a binary from before the field
            told = [match for each in finding["evidence"] if (match := IN_TEXT.search(each["text"]))]
            speedup = float(told[-1][1]) if told else None
        if speedup:
            gains.setdefault(finding["id"], float(speedup))
            if finding.get("kernel_speedup_low") and finding.get("kernel_speedup_high"):
                intervals.setdefault(finding["id"], (finding["kernel_speedup_low"], finding["kernel_speedup_high"]))
    return [finding["id"] for finding in findings], gains, intervals


def score(binary, pairs):
    rows = []
    for pair in pairs:
        row = Row(pair)
        row.ids, gains, intervals = judge(binary, pair.before)
        told = next((each for each in (pair.truth["cause"], row.first if row.right else "") if each in gains), "")
        row.predicted, row.interval = gains.get(told, 0.0), intervals.get(told, ())
        if pair.after:
            row.after_ids, gains, _ = judge(binary, pair.after)
            row.after_predicted = gains.get(row.after_ids[0], 0.0) if row.after_ids else 0.0
        rows.append(row)
    return rows


def still(row):
    return not row.control and row.after_ids[:1] == [row.pair.truth["cause"]] and row.pair.truth["cause"] not in ROOFS


def number(value):
    return f"{value:.3g}x" if value else "-"


def cells(row):
    if row.control:
        verdict = "clean" if row.clean else "ALARM"
    else:
        verdict = "yes" if row.right else f"no (place {row.ids.index(row.pair.truth['cause']) + 1})" \
            if row.pair.truth["cause"] in row.ids else "NO"
    fixed = "-" if row.control or not row.pair.after else (row.after_ids or ["none"])[0]
    if row.after_predicted:
        fixed += f" {number(row.after_predicted)}"
    if still(row):
        fixed += " STILL"
    gain = "-" if row.control or not row.pair.measured else "yes" if row.close else "no" if row.predicted else "not promised"
    planted = "control" if row.control else row.pair.truth["cause"]
    measured = "-" if row.control else number(row.pair.measured)
    return [row.pair.name, planted, row.first, verdict, fixed, number(row.predicted if not row.control else 0), measured, gain]


HEAD = ["kernel", "planted", "first", "right", "first without the flaw", "predicted", "measured", "within 25 %"]


def table(rows, markdown):
    lines = [HEAD, *([cells(row) for row in rows])]
    if markdown:
        body = ["| " + " | ".join(line) + " |" for line in lines]
        return "\n".join([body[0], "|" + "---|" * len(HEAD), *body[1:]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def totals(rows):
    flaws = [row for row in rows if not row.control]
    priced = [row for row in flaws if row.pair.measured]
    return {"flaws": len(flaws), "first": sum(row.right for row in flaws), "controls": len(rows) - len(flaws),
            "clean": sum(row.clean for row in rows if row.control), "still": sum(still(row) for row in flaws),
            "measured": len(priced), "close": sum(row.close for row in priced),
            "promised": sum(bool(row.predicted) for row in priced),
            "intervals": sum(bool(row.interval) for row in priced), "covered": sum(row.covered for row in priced)}


def shown(title, rows, markdown):
    sums = totals(rows)
    return (f"### {title}\n\n" if markdown else f"{title}\n") + table(rows, markdown) + \
        f"\n\nFirst: {sums['first']} of {sums['flaws']}. Controls without advice: {sums['clean']} of {sums['controls']}. " \
        f"Blamed after the fix: {sums['still']}. Speed-up within 25 %: {sums['close']} of {sums['measured']} " \
        f"({sums['promised']} predicted); within its interval: {sums['covered']} of {sums['intervals']}.\n"


def recordings(own_only):
    """(title, pairs) of every recording that is there; own_only: those of the source tree."""
    sets = json.loads(TRUTH.read_text(encoding="utf-8"))["sets"] if TRUTH.exists() else {}
    for name, cases in sorted(sets.items()):
        page, times = PLANTED / f"{name}.raw.csv.gz", PLANTED / f"times_{name}.json"
        if page.exists() and times.exists():
            measured = json.loads(times.read_text(encoding="utf-8"))["kernels"]
            yield f"Set {name}", list(pairs_of(text_of(page), cases, measured))
    if not own_only and (SHARED / "truth.json").exists():
        cases = json.loads((SHARED / "truth.json").read_text(encoding="utf-8"))["cases"]
        found = []
        for path in sorted(SHARED.glob("kernel_*.raw.csv*")):
            name = path.name.split(".")[0]
            if name in cases:
                found += pairs_of(text_of(path), {name: cases[name]})
        if found:
            yield "Cases", found


def given(args):
    truth = json.loads(pathlib.Path(args.files[1]).read_text(encoding="utf-8"))
    times = json.loads(pathlib.Path(args.files[2]).read_text(encoding="utf-8")) if len(args.files) > 2 else {}
    cases = {name: case for of in truth["sets"].values() for name, case in of.items()} if "sets" in truth else truth["cases"]
    yield pathlib.Path(args.files[0]).name, list(pairs_of(text_of(args.files[0]), cases, times.get("kernels", times)))


def main():
    parser = argparse.ArgumentParser(description="scores verdicts on kernels with known flaws")
    parser.add_argument("files", nargs="*", metavar="RAW.csv TRUTH TIMES")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--min-first", type=float, default=0, help="share of the flaws, 0..1")
    parser.add_argument("--min-gain", type=float, default=0, help="share of the speed-ups, 0..1")
    parser.add_argument("--max-alarms", type=int, help="controls that may get advice")
    args = parser.parse_args()
    if args.files and len(args.files) < 2:
        parser.error("RAW.csv needs TRUTH")
    bad, texts = False, []
    for title, pairs in given(args) if args.files else recordings(own_only=bool(args.document)):
        rows = score(args.binary, pairs)
        print(shown(title, rows, args.markdown), flush=True)
        texts.append(shown(title, rows, True))
        sums = totals(rows)
        bad |= sums["first"] < args.min_first * sums["flaws"] or sums["close"] < args.min_gain * sums["measured"]
        bad |= args.max_alarms is not None and sums["controls"] - sums["clean"] > args.max_alarms
    if not texts:
        print("no recordings of planted kernels: skipped")
        return SKIPPED
    if args.document:
        bad |= not marked_text.holds(args.document, "kernels", "\n".join(texts), args.update)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
