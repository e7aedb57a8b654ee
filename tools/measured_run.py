"""Runs a program once and measures it: exit status, output, seconds, peak memory. Used by the scripts beside it."""
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass
class Result:
    status: int          # exit status; negative: killed by that signal
    timed_out: bool
    stdout: str
    stderr: str
    seconds: float
    peak_mb: float       # largest resident memory


def run(command, timeout_s):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        late = threading.Event()

        def stop():
            late.set()
            process.kill()

        timer = threading.Timer(timeout_s, stop)
        timer.start()
        _, wait_status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        seconds = time.monotonic() - begin
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        return Result(process.returncode, late.is_set(), texts[0], texts[1], seconds, usage.ru_maxrss / 1024)
