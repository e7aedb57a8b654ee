"""Writes protobuf messages for golden cases and fuzz seeds: message((1, 5), (2, "text"), (3, message(...))).

Values: int (varint; negative as 64 bits), bool, float (64-bit), str and bytes (length-delimited), Fixed64(n).
"""
import struct


class Fixed64(int):
    """A number that is written with 8 bytes."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields):
    """One message; fields are (number, value) in the order in which they are written. None is left out."""
    out = bytearray()
    for number, value in fields:
        if value is None:
            continue
        if isinstance(value, Fixed64):
            out += varint(number << 3 | 1) + struct.pack("<Q", value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else bytes(value)
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return bytes(out)


class Names:
    """Numbers for names, as XSpace's metadata tables and interned strings need them."""

    def __init__(self):
        self.ids = {}

    def __call__(self, name):
        return self.ids.setdefault(name, len(self.ids) + 1)


class XPlane:
    """A plane of an XSpace file: line() with its events, then bytes()."""

    def __init__(self, name, **stats):
        self.name, self.events, self.stat_names, self.lines = name, Names(), Names(), []
        self.stats = [(6, self.stat(key, value)) for key, value in stats.items()]

    def stat(self, name, value):
        field = 2 if isinstance(value, float) else 4 if isinstance(value, int) else 5
        return message((1, self.stat_names(name)), (field, value))

    def event(self, name, start_us, dur_us, **stats):
        return message((1, self.events(name)), (2, int(start_us * 1_000_000)),
                       (3, None if dur_us is None else int(dur_us * 1_000_000)),
                       *((4, self.stat(key, value)) for key, value in stats.items()))

    def line(self, number, name, *events, timestamp_ns=0):
        self.lines.append((3, message((1, number), (2, name), (3, timestamp_ns), *((4, event) for event in events))))

    def bytes(self):
        entry = lambda number, name: message((1, number), (2, message((1, number), (2, name))))
        return message((2, self.name), *self.lines, *((4, entry(i, n)) for n, i in self.events.ids.items()),
                       *((5, entry(i, n)) for n, i in self.stat_names.ids.items()), *self.stats)


def xspace(*planes):
    return message(*((1, plane.bytes()) for plane in planes))
