#!/usr/bin/env python3
"""Compares `warpscope roofline` with Nsight Compute's own roofline formulas on a printed raw page.

    tools/crosscheck_roofline.py RAW.csv[.gz] [--report REPORT.ncu-rep] [--binary warpscope]

RAW.csv is `ncu -i REPORT --page raw --csv --print-units base`, or with scaled units. The formulas are those of ncu's
roofline sections: instructions a cycle x clock, derived bytes a second, peak_sustained x clock. Exit status 1 if any
value differs by more than 0.1 % beyond what its printed digits leave open.
"""
import argparse
import csv
import gzip
import io
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCE = 1e-3


def scale_of(unit):
    head = unit.split("/")[0].lower()
    for prefix, factor in (("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12), ("p", 1e15)):
        if head in (prefix + "byte", prefix + "hz", prefix + "inst", prefix + "sector"):
            return factor * (1e9 if unit.endswith("/ns") else 1)
    return {"us": 1e3, "ms": 1e6, "s": 1e9}.get(head, 1e9 if unit.endswith("/ns") else 1)


def last_digit(cell):
    """What half of the last printed digit is worth."""
    return 0.5 * 10.0 ** -len(cell.partition(".")[2])


def kernels(path):
    """Of each launch: name, values in base units, and how far each value can be off for being printed."""
    data = pathlib.Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    rows = list(csv.reader(io.StringIO(text)))
    header, units = rows[0], rows[1]
    for row in rows[2:]:
        values, rounding = {}, {}
        for name, unit, cell in zip(header, units, row):
            try:
                values[name] = float(cell.replace(",", "")) * scale_of(unit)
                rounding[name] = last_digit(cell) * scale_of(unit)
            except ValueError:
                pass
        yield row[header.index("Kernel Name")], values, rounding


def formulas(v, rounding):
    """What ncu draws: {column: value}, and how far printed digits leave each open: {column: ratio}."""
    out, open_ratio = {}, {}
    clock, peak_clock = v["smsp__cycles_elapsed.avg.per_second"], v["sm__cycles_elapsed.avg.per_second"]
    for kind, letter, packed in (("fp64", "d", 1), ("fp32", "f", 1), ("fp16", "h", 2)):
        op = "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum.per_cycle_elapsed"
        per_cycle = sum(weight * packed * v[op % (letter, name)] for name, weight in (("add", 1), ("mul", 1), ("fma", 2)))
        out[kind + "_flop_per_s"] = per_cycle * clock
        out[kind + " peak"] = v[f"derived__sm__sass_thread_inst_executed_op_{letter}fma_pred_on_x{2 * packed}"] * peak_clock
    for kind, source in (("tensor_bf16", "bf16_dst_fp32"), ("tensor_fp16", "fp16"), ("tensor_tf32", "tf32_dst_fp32")):
        out[kind + "_flop_per_s"] = v[f"sm__ops_path_tensor_src_{source}.sum.per_second"]
    for level, name in (("dram", "dram__bytes"), ("l2", "derived__lts__lts2xbar_bytes"),
                        ("l1", "derived__l1tex__lsu_writeback_bytes_mem_lgds")):
        unit = {"dram": "dram", "l2": "lts", "l1": "l1tex"}[level]
        out[level + "_bytes_per_s"] = rate = v[name + ".sum.per_second"]
        ratio = rounding[name + ".sum.per_second"] / rate if rate else 1.0
        open_ratio[level + "_bytes_per_s"] = open_ratio[level + "_roof_pct"] = ratio
        peak = v[name + ".sum.peak_sustained"] * v[unit + "__cycles_elapsed.avg.per_second"]
        out[level + "_roof_pct"] = 100 * out[level + "_bytes_per_s"] / peak
    return out, open_ratio


def main():
    parser = argparse.ArgumentParser(description="compares warpscope roofline with ncu's formulas")
    parser.add_argument("raw")
    parser.add_argument("--report", help="read this instead of the raw page itself")
    parser.add_argument("--binary", default=str(ROOT / "build" / "release" / "bin" / "warpscope"))
    args = parser.parse_args()
    done = subprocess.run([args.binary, "roofline", args.report or args.raw, "--json"], stdout=subprocess.PIPE, check=True)
    table = json.loads(done.stdout)
    names = [column["name"] for column in table["columns"]]
    ours = [dict(zip(names, row)) for row in table["rows"]]
    compared, worst, failed = 0, 0.0, 0
    for name, values, rounding in kernels(args.raw):
        duration, rounded = values["gpu__time_duration.sum"], rounding["gpu__time_duration.sum"]
        rows = [row for row in ours if row["name"] == name and abs(row["duration_ns"] - duration) <= 1 + rounded]
        if not rows:
            continue  # another launch of its group stands for it
        wanted, open_ratio = formulas(values, rounding)
        for column, expected in wanted.items():
            if column.endswith(" peak"):
                if rows[0]["precision"] != column.split()[0]:
                    continue
                found = rows[0]["peak_flop_per_s"]
            else:
                found = rows[0][column]
            compared += 1
            difference = abs((found or 0) - expected) / max(abs(expected), 1e-300) if expected else abs(found or 0)
            difference = max(0.0, difference - open_ratio.get(column, 0.0))
            worst = max(worst, difference)
            if difference > TOLERANCE:
                failed += 1
                print(f"{name[:40]}: {column}: ncu {expected:.6g}, here {found}")
    print(f"{compared} values compared, {failed} differ by more than 0.1 %, the largest difference is {100 * worst:.4f} %")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
