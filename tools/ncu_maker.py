"""Makes Nsight Compute reports: container and messages as docs/formats/ncu.md describes them. For tests, seeds and benchmarks.

    report([kernel("gemm(float *)", {"gpu__time_duration.sum": 2048.0, "launch__grid_size": 4})])
"""
import struct


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field of a message: int, float (as double), str or bytes (also: messages)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def framed(data):
    return struct.pack("<I", len(data)) + data


def value_message(value):
    if value is None:
        return b""
    return field(1, value) if isinstance(value, str) else field(3, value) if isinstance(value, float) else field(5, value)


def extent(size):
    return b"".join(field(axis + 1, count) for axis, count in enumerate(size))


def advice(rule, section, text, kind=4, title="", speedup=None, is_global=True):
    item = field(1, field(1, text) + field(2, kind) + field(4, title))
    if speedup is not None:
        item += field(10, field(1, 2 if is_global else 1) + field(2, float(speedup)))
    return field(1, rule) + field(2, rule) + field(3, field(1, item)) + field(4, section)


def kernel(name, metrics, grid=(132, 1, 1), block=(256, 1, 1), rules=(), stream=7):
    return {"name": name, "metrics": metrics, "grid": grid, "block": block, "rules": rules, "stream": stream}


def result(item, names):
    out = field(6, item["name"].partition("(")[0]) + field(7, item["name"])
    out += field(10, extent(item["grid"])) + field(11, extent(item["block"]))
    for name, value in item["metrics"].items():
        index = names.setdefault(name, len(names))
        out += field(13, (field(1, index) if index else b"") + field(2, value_message(value)))
    for rule in item["rules"]:
        out += field(19, rule)
    return out + field(22, 1) + field(23, item["stream"])


def block(header, results=(), sources=()):
    payload = b"".join(framed(data) for data in (*sources, *results))
    header += field(1, len(sources)) + field(2, len(results)) + field(5, len(payload))
    return framed(header) + payload


def report(kernels, attributes=(("device__attribute_multiprocessor_count", 132),), device="NVIDIA H200",
           version="2025.3.1.0 (build 1)", pid=743, process="app"):
    names = {}
    results = [result(item, names) for item in kernels]
    device_message = field(1, 0) + field(2, device)
    for name, value in attributes:
        device_message += field(3, field(1, name) + field(2, value_message(value)))
    session = field(6, device_message) + field(8, field(1, "Nsight Compute Target") + field(2, version))
    header = field(3, session) + field(4, b"".join(field(1, name) for name in names))
    header += field(6, field(1, pid) + field(3, process))
    return b"NVR\0" + framed(field(1, 7)) + block(header, results)
