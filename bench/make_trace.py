#!/usr/bin/env python3
"""Writes a large trace by repeating a recorded one: fresh times, correlation ids, External ids and Python ids each round.

    bench/make_trace.py RECORDED.json[.gz] OUT.json [--bytes 1600000000] [--gzip OUT.json.gz]

Everything else - layout, key order, names, shapes - stays as the recorder wrote it. The same input gives the same bytes.
"""
import argparse
import gzip
import pathlib
import re
import subprocess
import sys

TIME = re.compile(rb'("ts": |"ts":)(\d+)(\.\d+)?')
IDS = re.compile(rb'("(?:correlation|External id|external id|Python id|Python parent id|Ev Idx|id)": ?)(\d+)')


def split(text):
    """The text before the first event, the events, and the text behind the last."""
    begin = text.index(b'"traceEvents"')
    begin = text.index(b"{", begin)
    end = text.rindex(b'"traceName"') if b'"traceName"' in text[begin:] else len(text) - 1
    end = text.rindex(b"]", begin, end)
    return text[:begin], text[begin:end].rstrip(), text[end:]


def template(events):
    """Literal pieces with, between them, (kind, value) to be shifted: the text is cut up once, rounds only join."""
    pieces, holes, last = [], [], 0
    found = sorted([(m.start(2), m.end(2), "t", int(m.group(2))) for m in TIME.finditer(events)] +
                   [(m.start(2), m.end(2), "i", int(m.group(2))) for m in IDS.finditer(events)])
    for start, end, kind, value in found:
        pieces.append(events[last:start])
        holes.append((kind, value))
        last = end
    pieces.append(events[last:])
    return pieces, holes


def main():
    parser = argparse.ArgumentParser(description="makes a large trace of a small one")
    parser.add_argument("recorded", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=1_600_000_000)
    parser.add_argument("--gzip", type=pathlib.Path, help="also compressed, at the recorder's level")
    args = parser.parse_args()
    text = args.recorded.read_bytes()
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    head, events, tail = split(text)
    pieces, holes = template(events)
    times = [value for kind, value in holes if kind == "t"]
    low = min(value for value in times if value > 0)
    length = max(times) - low + 1000
    ids = max([value for kind, value in holes if kind == "i" and value < 2**31] or [0]) + 1
    written, round_number = 0, 0
    with args.out.open("wb") as out:
        out.write(head)
        while written < args.bytes:
            if round_number:
                out.write(b",\n  ")
            parts = []
            for piece, (kind, value) in zip(pieces, holes):
                shift = length if kind == "t" else ids
                parts.append(piece)
                parts.append(b"%d" % (value + shift * round_number if value else 0))
            parts.append(pieces[-1])
            written += out.write(b"".join(parts))
            round_number += 1
        out.write(b"\n  ")
        out.write(tail)
    print(f"{args.out}: {round_number} rounds, {args.out.stat().st_size:,} bytes")
    if args.gzip:
        with args.gzip.open("wb") as out:
            subprocess.run(["gzip", "-6", "-n", "-c", str(args.out)], stdout=out, check=True)
        print(f"{args.gzip}: {args.gzip.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
