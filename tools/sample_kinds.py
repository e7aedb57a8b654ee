"""What a sample file should give, judged without the program: by its own look at the bytes (JSON, SQLite, CSV, XML, text).

expectation(path) -> (kind, table): kind "result" with the table of the verdict's `rows` that must not be empty, "refusal",
or None where either is right. Used by run_corpus.py.
"""
import csv
import gzip
import io
import json
import re
import sqlite3
import tarfile
import xml.etree.ElementTree as xml

RESULT, REFUSAL, EITHER = "result", "refusal", None
# Tables of SQLite recordings whose rows are events, by what they become.
EVENT_TABLES = re.compile(
    r"^(CUPTI_ACTIVITY_KIND_(KERNEL|MEMCPY|MEMSET|RUNTIME|GRAPH_TRACE|SYNCHRONIZATION)|NVTX_EVENTS|OSRT_API|"
    r"rocpd_kernel_dispatch.*|rocpd_region.*|rocpd_op|rocpd_api|KERN|HIP|OPS|TASK|COMPUTE_TASK_INFO|COMMUNICATION_OP|CANN_API|PYTORCH_API)$")
KERNEL_LOG = re.compile(r"^(<\d+>)?\[ *\d+\.\d{6}\]|^kern +:|^\d+,\d+,\d+,-;|NVRM: Xid|SXid \(PCI|\[tid \d+\]|^\[\w{3} \w{3} +\d+ [\d:]{8} \d{4}\]", re.M)
MONITOR_LINE = re.compile(r"=NVSMI LOG=|<nvidia_smi_log|\| NVIDIA-SMI |^#\s*gpu\s|^\t\x1b?.*GPU0\t|^(DCGM_FI_|nvidia_smi_)\w+\{", re.M)
# Headers of CSV tables of single events, of counters and of totals.
CSV_KINDS = [
    ("profiles", re.compile(r'^"ID","Process ID".*Kernel Name', re.M)),
    # rocprof-compute replays the program for its counters: its times are those of single kernels.
    ("profiles", re.compile(r"^(?=.*Start_Timestamp)(?=.*SQ_\w+)(?=.*TCC_)", re.M)),
    ("timeline", re.compile(r"Start_Timestamp|Start Time\(us\)|\bBeginNs\b", re.I)),
    ("readings", re.compile(r"utilization\.gpu|GPU Utilization \(%\)", re.I)),
]


def unpacked(raw):
    for _ in range(3):
        if raw[:2] != b"\x1f\x8b":
            break
        raw = gzip.decompress(raw)
    return raw


def of_json(value):
    """Timeline events, rocm-smi cards, or nothing that is known to be a result."""
    if isinstance(value, dict) and any(re.fullmatch(r"card\d+", key) for key in value):
        return RESULT, "readings"
    events = value.get("traceEvents") if isinstance(value, dict) else value
    if isinstance(events, list) and any(isinstance(event, dict) and event.get("ph") == "X" for event in events):
        return RESULT, "timeline"
    if isinstance(value, dict) and "nodes" in value and "schema" in value:
        return REFUSAL, None  # execution trace
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return REFUSAL, None  # memory timeline
    return EITHER, None


def of_sqlite(path):
    try:
        with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
            names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
            rows = sum(database.execute(f'select count(*) from (select 1 from "{name}" limit 1)').fetchone()[0]
                       for name in names if EVENT_TABLES.match(name))
    except sqlite3.Error:
        return EITHER, None
    return (RESULT, "timeline") if rows else (EITHER, None)


def of_text(text):
    if not text.strip():
        return REFUSAL, None
    if MONITOR_LINE.search(text) and "NVIDIA bug report" not in text[:4096]:
        return RESULT, "readings"
    first = text.split("\n", 1)[0]
    if "," in first:
        for kind, pattern in CSV_KINDS:
            if pattern.search(first):
                rows = list(csv.reader(io.StringIO(text[:1 << 20])))
                return (RESULT, kind) if len(rows) > 1 else (EITHER, None)
    if KERNEL_LOG.search(text[:1 << 16]) or re.match(r"CA '|[0-9a-f:.]+ .*\[[0-9a-f]{4}\]|# Format\n", text):
        return REFUSAL, None
    return EITHER, None


def of_members(raw):
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        found = [of_bytes(archive.extractfile(member).read(), None) for member in archive if member.isfile()]
    return next((one for one in found if one[0] == RESULT), (EITHER, None))


def of_bytes(raw, path):
    if raw[:15] == b"SQLite format 3" and path is not None:
        return of_sqlite(path)
    if raw[:4] == b"NVR\0":
        return RESULT, "profiles"
    if raw[257:262] == b"ustar":
        return of_members(raw)
    if raw[:1] == b"\x80":
        return REFUSAL, None  # pickle
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return EITHER, None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return of_json(json.loads(text))
        except ValueError:
            return EITHER, None
    if text.lstrip()[:1] == "<":
        try:
            root = xml.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text))
            return (RESULT, "readings") if root.tag == "nvidia_smi_log" and root.find("gpu") is not None else (EITHER, None)
        except xml.ParseError:
            return EITHER, None
    return of_text(text)


def expectation(path):
    try:
        return of_bytes(unpacked(path.read_bytes()), path)
    except (OSError, EOFError, gzip.BadGzipFile, tarfile.TarError):
        return EITHER, None
