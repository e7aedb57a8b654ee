"""Makes capture streams of one process: header and blocks as src/wire/format.h describes them. For tests and seeds.

    stream = Stream(pid=7)
    stream.kernel("k", start_ns=1000, dur_ns=500)
    stream.stalls("k", 0x40, {"long_scoreboard": 10}, code=0x1f)
    open("7.capture", "wb").write(stream.bytes())
"""
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK_MAGIC = 0x4B4C4257
STALL = "smsp__pcsamp_warps_issue_stalled_"


def read_tags():
    """Number of each record, from the header itself."""
    text = (ROOT / "src/wire/format.h").read_text()
    body = re.search(r"enum Tag : uint8_t \{(.*?)\n\};", text, re.S).group(1)
    names = re.findall(r"\bk\w+", re.sub(r"//.*", "", body))
    return {name: number for number, name in enumerate(names, 1)}


TAGS = read_tags()


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return (value << 1) ^ (value >> 63)


def checksum(payload):
    a, b = 1, 0
    at = 0
    while at + 4 <= len(payload):
        a += struct.unpack_from("<I", payload, at)[0]
        b += a
        at += 4
    for byte in payload[at:]:
        a += byte
        b += a
    mask = (1 << 64) - 1
    a, b = a & mask, b & mask
    return (a ^ (a >> 32) ^ (b << 7 & mask) ^ (b >> 25)) & 0xFFFFFFFF


class Stream:
    """One block, which starts at `start_ns`. Definitions are written before their first use."""

    def __init__(self, pid=1, start_ns=1_700_000_000_000_000_000):
        self.pid, self.start_ns, self.last_ns, self.last_correlation = pid, start_ns, start_ns, 0
        self.payload, self.records, self.refs = bytearray(), 0, {}

    def put(self, tag, *values):
        self.records += 1
        self.payload += varint(TAGS[tag])
        for value in values:
            self.payload += value if isinstance(value, bytes) else varint(value)

    def time(self, ns):
        """Of a moment, in ns since the start of the stream."""
        delta = self.start_ns + ns - self.last_ns
        self.last_ns = self.start_ns + ns
        return varint(zigzag(delta))

    def correlation(self, number):
        delta = number - self.last_correlation
        self.last_correlation = number
        return varint(zigzag(delta))

    def ref(self, tag, *key):
        """(number, is new) of a definition."""
        known = self.refs.setdefault(tag, {})
        is_new = key not in known
        return known.setdefault(key, len(known) + 1), is_new

    def text(self, words):
        if words is None:
            return 0
        number, is_new = self.ref("kText", words)
        if is_new:
            data = words.encode()
            self.put("kText", number, len(data), data)
        return number

    def device(self, name="NVIDIA H200", cc=(9, 0), sm_count=132):
        fields = (*cc, sm_count, 32, 150 << 30, 1024, 64, 65536, 65536, 49152, 233472)  # wire::DeviceField
        self.put("kDevice", 0, self.text(name), len(fields), *fields)

    def stream(self, number=7, device=0, context=1):
        ref, is_new = self.ref("kStream", device, context, number)
        if is_new:
            self.put("kStream", ref, device, context, number)
        return ref

    def kernel(self, name, start_ns, dur_ns, grid=(132, 1, 1), block=(256, 1, 1), registers=32, shared=0, stream=7):
        name_ref, stream_ref = self.text(name), self.stream(stream)
        shape, is_new = self.ref("kLaunchShape", grid, block, registers, shared)
        if is_new:
            self.put("kLaunchShape", shape, *grid, *block, registers, shared, 0, 0, 0)
        key, is_new = self.ref("kLaunchKey", name_ref, stream_ref, shape)
        if is_new:
            self.put("kLaunchKey", key, name_ref, stream_ref, shape, 0, 0)
        self.put("kKeyed", key, self.time(start_ns), dur_ns, self.correlation(self.last_correlation + 1))

    def stalls(self, function, offset, counts, code=0, file=None):
        """`counts`: samples by reason ("barrier"); `file`: of the code in the run folder."""
        code_ref = 0
        if code:
            file_ref = self.text(file)
            code_ref, is_new = self.ref("kCode", code, file_ref)
            if is_new:
                self.put("kCode", code_ref, code, 1, file_ref)
        name_ref = self.text(function)
        function_ref, is_new = self.ref("kCodeFunction", code_ref, name_ref)
        if is_new:
            self.put("kCodeFunction", function_ref, code_ref, name_ref)
        pairs = []
        for reason, samples in counts.items():
            reason_text = self.text(STALL + reason)
            reason_ref, is_new = self.ref("kStallReason", reason_text)
            if is_new:
                self.put("kStallReason", reason_ref, reason_text)
            pairs += [reason_ref, samples]
        self.put("kPcSamples", function_ref, offset, len(pairs) // 2, *pairs)

    def stall_window(self, start_ns, dur_ns, samples, dropped=0, other=0, full=0, period=18, device=0):
        self.put("kPcWindow", device, period, self.time(start_ns), dur_ns, samples, dropped, other, full)

    def end(self, ns):
        self.put("kEnd", self.time(ns), self.records, 0)

    def bytes(self):
        payload = bytes(self.payload)
        header = b"WSCAPT\r\n" + struct.pack("<IIIIq", 1, self.pid, 1, 130001, self.start_ns) + bytes(32)
        return header + struct.pack("<IIIIq", BLOCK_MAGIC, len(payload), checksum(payload), self.records,
                                    self.start_ns) + payload
