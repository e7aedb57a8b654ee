#!/usr/bin/env python3
"""What a recorded program must not notice, and what a recording must not lose: programs of known truth on a GPU.

  behaviour.py BIN [--kills 100] [--seconds 400] [--only fork,threads] [--launches 2000000]

Ends with 1 where a check failed. Parts in ONLY's words: plain fork forkafter threads graph two subscriber nocuda exit
small windows kill.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import signal
import subprocess
import time

import runs

LOSSES = ("lost_record", "unknown_loss", "untimed_record")


def seen(tool, folder):
    """(kernels, launch calls, kernels told twice), as events of a chrome trace."""
    chrome = os.path.join(tool.scratch, "seen.json")
    result = runs.run([tool.path, "convert", folder, "--to", "chrome", "-o", chrome], 300)
    if result.code != 0:
        raise RuntimeError(f"convert: {result.err.strip()[-200:]}")
    with open(chrome, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    os.remove(chrome)
    kernels = [event for event in events if event.get("cat") == "kernel"]
    launches = [event for event in events
                if str(event.get("cat", "")).startswith("cuda_") and "Launch" in event.get("name", "")]
    keys = {(event["pid"], event["args"].get("correlation"), event["ts"], event["name"], event.get("tid"))
            for event in kernels}
    return kernels, launches, len(kernels) - len(keys)


def count(tool, folder, **match):
    return sum(row["count"] for row in tool.table("kernels", folder) if match.get("name", "") in row["name"])


def lost(tool, folder):
    ledger = tool.ledger(folder)
    return {name: ledger[name] for name in LOSSES if name in ledger}


def good_run(check, name, result, code):
    return check(f"{name}: ends as without us", result.code == code,
                 f"exit {result.code}, expected {code}" + ("" if result.code == code else ": " + result.err[-300:]))


class Parts:
    """One method a part; programs and truth are told at the head of programs/kernels.cu."""

    def __init__(self, tool, check, args, programs):
        self.tool, self.check, self.args = tool, check, args
        self.kernels_program, self.subscriber_program = programs["kernels"], programs["subscriber"]
        self.end = time.monotonic() + args.seconds

    def left(self, most):
        return max(5.0, min(most, self.end - time.monotonic()))

    def record(self, *words, options=(), seconds=60, env=None):
        return self.tool.record([self.kernels_program, *map(str, words)], options, self.left(seconds), env, words[0])

    def plain(self):
        result, folder = self.record("launches", 5000)
        good_run(self.check, "plain", result, 0)
        self.check("plain: every kernel", count(self.tool, folder) == 5000, count(self.tool, folder))
        self.check("plain: nothing lost", not lost(self.tool, folder), lost(self.tool, folder))
        _, launches, _ = seen(self.tool, folder)
        self.check("plain: every launch", len(launches) == 5000, len(launches))

    def fork(self):
        result, folder = self.record("fork", 100)
        good_run(self.check, "fork and exec", result, 0)
        kernels, _, _ = seen(self.tool, folder)
        self.check("fork and exec: 200 kernels", len(kernels) == 200, len(kernels))
        self.check("fork and exec: in two processes", len(runs.streams(folder)) == 2, len(runs.streams(folder)))

    def forkafter(self):
        result, folder = self.record("forkafter", 10, seconds=30)
        good_run(self.check, "fork after use", result, 0)
        self.check("fork after use: the parent's 20 kernels", count(self.tool, folder) == 20, count(self.tool, folder))

    def threads(self):
        result, folder = self.record("threads", 8, 10000)
        good_run(self.check, "8 threads", result, 0)
        kernels, launches, repeated = seen(self.tool, folder)
        self.check("8 threads: 80,000 kernels", len(kernels) == 80000, len(kernels))
        self.check("8 threads: none twice", repeated == 0, repeated)
        self.check("8 threads: a launch for each", len(launches) == 80000, len(launches))
        # Known to be weak: launches carry a thread only where the agent records their calls.
        tids = {event["tid"] for event in launches}
        self.check("8 threads: launches lie on 8 threads", len(tids) == 8, len(tids))

    def graph(self):
        result, folder = self.record("graph", 24, 7, 3)
        good_run(self.check, "graph", result, 0)
        nodes = count(self.tool, folder, name="node")
        self.check("graph: 72 kernels", nodes == 72, nodes)
        copies = sum(row.get("count", 0) for row in self.tool.table("copies", folder))
        self.check("graph: 21 copies", copies == 21, copies)
        _, launches, _ = seen(self.tool, folder)
        graphs = [event for event in launches if "GraphLaunch" in event["name"]]
        self.check("graph: 3 launches", len(graphs) == 3, len(graphs))

    def two(self):
        folders = [self.tool.new("two") for _ in range(2)]
        jobs = [subprocess.Popen([self.tool.path, "record", "--no-analyze", "-o", folder, "--", self.kernels_program,
                                  "launches", "20000"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for folder in folders]
        codes = [job.wait(self.left(60)) for job in jobs]
        self.check("two at once: both end well", codes == [0, 0], codes)
        counts = [count(self.tool, folder) for folder in folders]
        self.check("two at once: each its own kernels", counts == [20000, 20000], counts)

    def subscriber(self):
        bare = runs.run([self.subscriber_program, "never", "100"], 30)
        if bare.code != 7:
            self.check.skip("a program with CUPTI", f"it does not run here: {bare.text.strip()[-200:]}")
            return
        for when in ("early", "late"):
            alone = runs.run([self.subscriber_program, when, "100"], 30)
            result, folder = self.tool.record([self.subscriber_program, when, "100"], seconds=self.left(30))
            good_run(self.check, f"CUPTI in the program ({when})", result, alone.code)
            self.check(f"CUPTI in the program ({when}): runs to its end", "launched 200" in result.out,
                       result.out.strip().replace("\n", "; "))
            told = count(self.tool, folder) if runs.streams(folder) else 0
            explained = any(word in json.dumps(self.tool.table("ledger", folder)) for word in ("CUPTI", "subscri")) \
                if runs.streams(folder) else False
            self.check(f"CUPTI in the program ({when}): recorded, or said why not", told > 0 or explained,
                       f"{told} kernels recorded; alone: {alone.out.strip().splitlines()[-1]}")

    def nocuda(self):
        result, _ = self.record("nocuda", 5)
        good_run(self.check, "no CUDA", result, 5)
        self.check("no CUDA: output kept", result.out == "text on standard output\n"
                   and result.err.startswith("text on standard error\n"), repr(result.out))

    def exit(self):
        for code in (0, 1, 42, 255):
            result, _ = self.record("exit", code)
            good_run(self.check, f"exit {code}", result, code)
        self.check("exit: output kept", "text on standard output\n" in result.out
                   and "text on standard error\n" in result.err)

    def small(self):
        """Far more kernels than a small memory limit holds: launches minus kernels is what was lost."""
        launches, text = self.args.launches, runs.run([self.tool.path, "record", "--help"], 20).text
        flag = next((flag for flag in ("--memory-limit", "--max-memory", "--buffer-memory") if flag in text), None)
        if flag is None:
            print("        little memory: this build has no option for it; its default is taken", flush=True)
        result, folder = self.record("launches", launches, options=[flag, "2"] if flag else [], seconds=120)
        good_run(self.check, "little memory", result, 0)
        rows, losses = self.tool.json("analyze", folder)["rows"], lost(self.tool, folder)
        # A launch has two records: its call and its kernel. Few others are there: the program's own, and three of each
        # synchronisation, one after 1,000 launches.
        missing = 2 * launches - rows["host"] - rows["gpu"]
        told = losses.get("lost_record", 0)
        self.check("little memory: what is missing is told", missing <= told <= missing + 2000 + 4 * launches // 1000,
                   f"of {2 * launches:,} records {missing:,} are missing, ledger {losses}")

    def windows(self):
        if "start|stop" not in runs.run([self.tool.path, "ctl", "--help"], 20).text:
            self.check.skip("windows", "this build has no warpscope ctl")
            return
        folder, mark = self.tool.new("windows"), os.path.join(self.tool.scratch, "mark")
        job = subprocess.Popen([self.tool.path, "record", "--wait", "--no-analyze", "-o", folder, "--",
                                self.kernels_program, "windows", "6", "50", "200", mark],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.wait_for(mark + ".ready", job)
            for window in range(6):
                runs.run([self.tool.path, "ctl", folder, "start"], 20)
                time.sleep(0.3)
                with open(f"{mark}.go{window}", "w", encoding="utf-8"):
                    pass
                self.wait_for(f"{mark}.done{window}", job)
                time.sleep(0.1)
                runs.run([self.tool.path, "ctl", folder, "stop"], 20)
                time.sleep(0.2)
            code = job.wait(30)
        finally:
            job.kill()
        self.check("windows: ends well", code == 0, code)
        found = count(self.tool, folder, name="in_window")
        self.check("windows: 6 x 50 kernels", found == 300, found)
        self.check("windows: nothing lost", not lost(self.tool, folder), lost(self.tool, folder))
        kernels, launches, _ = seen(self.tool, folder)
        starts = {event["args"].get("correlation"): float(event["ts"]) for event in launches}
        early = sum(1 for event in kernels if float(event["ts"]) < starts.get(event["args"].get("correlation"), 0))
        self.check("windows: no kernel before its launch", early == 0, early)

    def wait_for(self, path, job):
        end = time.monotonic() + 30
        while not os.path.exists(path):
            if job.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{os.path.basename(path)} did not appear; exit {job.poll()}")
            time.sleep(0.005)

    def kill(self):
        """kill -9 at random times: a readable run, of which at most 100 ms are missing."""
        random.seed(7)
        waits = [random.uniform(0, 0.6) for _ in range(self.args.kills)]
        with concurrent.futures.ThreadPoolExecutor(self.args.kill_jobs) as pool:
            results = [result for result in pool.map(self.kill_once, range(len(waits)), waits) if result]
        failed = [problem for problem, _ in results if problem]
        lost_ms = sorted(ms for _, ms in results if ms is not None)
        self.check(f"kill -9, {len(results)} times: readable, exit code 137", not failed and results, failed[:3])
        at = {pct: lost_ms[min(len(lost_ms) - 1, len(lost_ms) * pct // 100)] for pct in (50, 90, 99, 100)} if lost_ms else {}
        self.check("kill -9: at most 100 ms lost", bool(at) and at[100] <= 100,
                   f"{', '.join(f'{pct} %: {ms:.0f} ms' for pct, ms in at.items())}; "
                   f"of {len(lost_ms)} looked at")
        if len(results) < self.args.kills:
            print(f"        only {len(results)} of {self.args.kills} kills: out of time", flush=True)

    def kill_once(self, number, wait):
        """(problem or "", ms between the last kernel told and the kill, or None without kernels); None: out of time"""
        if time.monotonic() >= self.end:
            return None
        folder = self.tool.new("kill")
        job = subprocess.Popen([self.tool.path, "record", "--no-analyze", "-o", folder, "--", self.kernels_program,
                                "forever"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        job.stdout.readline()
        time.sleep(wait)
        pids = [int(os.path.basename(path).split(".")[0]) for path in runs.streams(folder)] or children(job.pid)
        killed = time.time()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        code = job.wait(20)
        try:
            streams = runs.streams(folder)
            if not streams:
                return "no stream was written", None
            kernels = sum(row["kernels"] for row in self.tool.table("streams", streams[0]))
            problem = "" if code == 128 + signal.SIGKILL else f"exit {code}"
            # Reading every kernel takes time: of every fifth run.
            return problem, (killed - self.last_kernel_end(streams[0])) * 1e3 if kernels and number % 5 == 0 else None
        except RuntimeError as error:
            return str(error), None
        finally:
            subprocess.run(["rm", "-rf", folder], check=False)

    def last_kernel_end(self, stream):
        """Epoch seconds."""
        chrome = stream + ".json"
        result = runs.run([self.tool.path, "convert", stream, "--to", "chrome", "-o", chrome], 60)
        if result.code != 0:
            raise RuntimeError(result.err.strip())
        with open(chrome, encoding="utf-8") as file:
            trace = json.load(file)
        ends = [float(event["ts"]) + float(event["dur"]) for event in trace["traceEvents"] if event.get("cat") == "kernel"]
        return trace["baseTimeNanoseconds"] / 1e9 + max(ends) / 1e6


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path, encoding="utf-8") as file:
            found += [int(word) for word in file.read().split()]
    return found


def main():
    names = "plain fork forkafter threads graph two subscriber nocuda exit small windows kill".split()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--kill-jobs", type=int, default=8, help="that run side by side")
    parser.add_argument("--launches", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--only", default=",".join(names))
    args = parser.parse_args()
    tool, check = runs.Tool(args.bin), runs.Checks()
    parts = Parts(tool, check, args, runs.build_programs(["kernels", "subscriber"]))
    for name in args.only.split(","):
        with check.part(name):
            getattr(parts, name)()
    tool.close()
    check.end()


main()
