"""What the device scripts share: running programs with a time limit, warpscope's answers as data, tables, checks.

BIN: the folder that holds warpscope and libwarpscope_agent.so (or bin/ of an installation). Python's standard library only.
"""
import contextlib
import glob
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
NSYS = ["/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys", "/opt/nvidia/nsight-systems*/*/bin/nsys",
        "/opt/nvidia/nsight-systems*/*/target-linux-x64/nsys", "/usr/local/cuda*/bin/nsys"]


class Result:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def text(self):
        return self.out + self.err


def run(words, seconds=120, env=None, cwd=None):
    """Runs to the end, or kills the whole group after `seconds` (then code is None)."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env={**os.environ, **(env or {})}, cwd=cwd, start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Result(None, out, err, time.monotonic() - start)
    return Result(process.returncode, out, err, time.monotonic() - start)


class Tool:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.path = os.path.join(self.folder, "warpscope")
        if not os.access(self.path, os.X_OK):
            sys.exit(f"{self.path} is not there: give the folder that holds warpscope and libwarpscope_agent.so")
        self.scratch = tempfile.mkdtemp(prefix="warpscope-device-")
        self.number = 0
        self.agent = next((path for path in (os.path.join(self.folder, name) for name in
                          ("libwarpscope_agent.so", "../lib/libwarpscope_agent.so",
                           "../lib/warpscope/libwarpscope_agent.so")) if os.path.exists(path)), None)

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def new(self, name):
        self.number += 1
        return os.path.join(self.scratch, f"{self.number}-{name}")

    def record(self, words, options=(), seconds=120, env=None, name="run"):
        """(result, run folder)"""
        folder = self.new(name)
        result = run([self.path, "record", "--no-analyze", "-o", folder, *options, "--", *words], seconds, env)
        return result, folder

    def json(self, command, *words, seconds=120):
        result = run([self.path, command, *words, "--json"], seconds)
        if result.code != 0:
            raise RuntimeError(f"warpscope {command} {' '.join(words)}: exit {result.code}: {result.err.strip()}")
        return json.loads(result.out)

    def table(self, command, *words):
        """Rows as dictionaries."""
        table = self.json(command, *words, "--limit", "0")
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def verdict(self, path):
        return self.json("analyze", path)

    def kernels(self, path):
        return sum(row["count"] for row in self.table("kernels", path))

    def ledger(self, path):
        return {row["name"]: row["count"] for row in self.table("ledger", path)}


def streams(folder):
    """The streams of processes in a run folder."""
    return sorted(path for path in glob.glob(os.path.join(folder, "*.capture"))
                  if os.path.basename(path).split(".")[0].isdigit())


def find_nsys(given=None):
    if given:
        return given
    found = shutil.which("nsys")
    for pattern in [] if found else NSYS:
        found = found or next(iter(sorted(glob.glob(pattern), reverse=True)), None)
    return found


def build_programs(names, arch=None):
    """Paths of the compiled programs/NAME.cu: as they lie in programs/build, or compiled now where nvcc is."""
    folder = os.path.join(PROGRAMS, "build")
    paths = {}
    for name in names:
        paths[name] = os.path.join(folder, name)
        if not os.path.exists(paths[name]):
            result = run([sys.executable, os.path.join(PROGRAMS, "build.py"), name], 300)
            if result.code != 0:
                sys.exit(f"{name} is not compiled: {result.text.strip()[-400:]}")
    return paths


def median(values):
    return statistics.median(values) if values else float("nan")


def show(header, rows):
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print(flush=True)


class Checks:
    """Named checks; a failed one is printed at once and makes the script end with 1."""

    def __init__(self):
        self.rows, self.failed, self.skipped = [], 0, 0

    def __call__(self, name, good, detail=""):
        self.rows.append((name, "ok" if good else "FAILED", detail))
        self.failed += not good
        print(f"{'ok    ' if good else 'FAILED'}  {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
        return good

    def skip(self, name, reason):
        self.skipped += 1
        print(f"skip    {name}: {reason}", flush=True)

    @contextlib.contextmanager
    def part(self, name):
        """A part whose own failure is one failed check and does not stop the others."""
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            self(name, False, f"{type(error).__name__}: {error}")

    def end(self):
        passed = len(self.rows) - self.failed
        print(f"{passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed else 0)
