#!/usr/bin/env python3
"""Makes a large Nsight Compute report by repeating the blocks of another one.

    bench/make_ncu_report.py REPORT.ncu-rep[.gz] BIG.ncu-rep [--bytes 100000000]

The string table is kept once (indices stay right); every further copy holds the blocks with their strings left out.
"""
import argparse
import gzip
import pathlib
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Yields (number, encoded field, value)."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if key & 7 == 1 else 4
            value, at = data[at:at + size], at + size
        yield key >> 3, data[begin:at], value


def blocks(data):
    """Yields (header, payload) behind the file's header."""
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        header = data[at + 4:at + 4 + size]
        payload_bytes = next((value for number, _, value in fields(header) if number == 5), 0)
        at += 4 + size
        yield header, data[at:at + payload_bytes]
        at += payload_bytes


def main():
    parser = argparse.ArgumentParser(description="repeats the blocks of a report")
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=100_000_000)
    args = parser.parse_args()
    data = args.report.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    repeated = []
    for header, payload in blocks(data):
        if payload:
            stripped = b"".join(encoded for number, encoded, _ in fields(header) if number != 4)
            repeated.append(struct.pack("<I", len(stripped)) + stripped + payload)
    once = b"".join(repeated)
    with args.output.open("wb") as file:
        file.write(data)
        size = len(data)
        while size < args.bytes and once:
            file.write(once)
            size += len(once)
    print(f"{args.output}: {size:,} bytes")


if __name__ == "__main__":
    main()
