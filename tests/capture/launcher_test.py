#!/usr/bin/env python3
"""The launcher beside a running program: signals, commands, status, a launcher that is killed, two recordings at once.

usage: launcher_test.py --warpscope W --host HOST --agent AGENT --fake FAKE
"""
import argparse
import csv
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

failed = 0


def check(what, good, said=""):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {what} {said if not good else ''}")


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.environment = {**os.environ, "WARPSCOPE_CUPTI": args.fake, "FAKE_FLUSHES": "1", "WARPSCOPE_AGENT": args.agent}

    def start(self, run, *flags, program=None, environment=None):
        words = program or [self.args.host, self.args.agent, self.args.fake, "lasting", "1500"]
        return subprocess.Popen([self.args.warpscope, "record", "--no-analyze", "-o", f"{self.folder}/{run}", *flags, "--", *words],
                                env={**self.environment, **(environment or {})}, stderr=subprocess.PIPE, text=True)

    def ctl(self, run, word):
        return subprocess.run([self.args.warpscope, "ctl", f"{self.folder}/{run}", word], capture_output=True, text=True)

    def kernels(self, run):
        out = f"{self.folder}/{run}.out"
        read = subprocess.run([self.args.warpscope, "convert", f"{self.folder}/{run}", "--to", "csv", "-o", out], capture_output=True,
                              text=True)
        if read.returncode != 0:
            return None
        with open(f"{out}/gpu.csv") as file:
            return [row["name"] for row in csv.DictReader(file)]

    def wait_for_state(self, run, state, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if f"  {state} " in self.ctl(run, "status").stdout:
                return True
            time.sleep(0.01)
        return False


def terminate(bench):
    program = ["sh", "-c", 'trap "exit 9" TERM; echo ready; i=0; while [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done']
    process = subprocess.Popen([bench.args.warpscope, "record", "--no-analyze", "-o", f"{bench.folder}/term", "--", *program],
                               env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    check("SIGTERM reaches the program, whose answer is the exit code", process.wait(10) == 9, process.returncode)


def interrupted_alone(bench):
    program = ["sh", "-c", 'trap "exit 8" INT; echo ready; i=0; while [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done']
    process = subprocess.Popen([bench.args.warpscope, "record", "--no-analyze", "-o", f"{bench.folder}/int", "--", *program],
                               env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a job in the background ignores it
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    check("SIGINT sent to the recorder alone reaches the program", process.wait(10) == 8, process.returncode)


def ignored_child_signal(bench):
    words = [bench.args.warpscope, "record", "--no-analyze", "-o", f"{bench.folder}/chld", "--", "false"]
    done = subprocess.run(words, env=bench.environment, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check("the exit code is known though SIGCHLD was ignored", done.returncode == 1, done.returncode)


def small_files(bench):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    words = [bench.args.warpscope, "record", "--no-analyze", "-o", f"{bench.folder}/small", "--", "sh", "-c", "exit 5"]
    done = subprocess.run(words, env=bench.environment, stderr=subprocess.DEVNULL, preexec_fn=limit)
    check("a limit on file sizes keeps no program from running", done.returncode == 5, done.returncode)


def early_and_late_signals(bench):
    codes = set()
    for number in range(20):
        process = bench.start(f"early{number}", program=["sh", "-c", "exit 3"])
        page = pathlib.Path(f"{bench.folder}/early{number}/control")
        end = time.monotonic() + 10
        while not page.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)
        while process.poll() is None:
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.0005 * (number % 4))
        process.communicate(timeout=20)
        codes.add(process.returncode)
    check("SIGUSR1 does not end the recorder, before, while and after the program runs", codes == {3}, codes)


def cut_control_page(bench):
    process = bench.start("cut")
    check("a process records", bench.wait_for_state("cut", "recording"))
    with open(f"{bench.folder}/cut/control", "w"):
        pass
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=20)
    check("a control page that is cut under it ends no program", process.returncode == 3, process.returncode)


def standard_output_is_the_programs(bench):
    words = [bench.args.warpscope, "record", "-o", f"{bench.folder}/words", "--", "echo", "mine"]
    done = subprocess.run(words, env=bench.environment, capture_output=True, text=True)
    check("standard output is the program's", done.stdout == "mine\n", done.stdout)
    check("a program without CUDA is told so", "no process of the program used CUDA" in done.stderr, done.stderr)
    check("a run that ended takes no orders", bench.ctl("words", "start").returncode == 1)


def toggle_by_signal(bench):
    process = bench.start("usr1", "--wait")
    check("a process waits", bench.wait_for_state("usr1", "waiting"))
    process.send_signal(signal.SIGUSR1)
    check("SIGUSR1 starts", bench.wait_for_state("usr1", "recording"))
    status = bench.ctl("usr1", "status").stdout
    check("the status says alive", "  yes " in status, status)
    time.sleep(0.3)
    process.send_signal(signal.SIGUSR1)
    check("SIGUSR1 stops", bench.wait_for_state("usr1", "paused"))
    check("the program's exit code", process.wait(20) == 3, process.returncode)
    kernels = bench.kernels("usr1")
    check("a part was recorded", kernels is not None and 20 < len(kernels) < 1400, kernels and len(kernels))


def freeze_by_signal(bench):
    process = bench.start("usr2", "--ring", "300ms")
    check("a ring records", bench.wait_for_state("usr2", "recording"))
    time.sleep(0.6)
    process.send_signal(signal.SIGUSR2)
    check("SIGUSR2 freezes", bench.wait_for_state("usr2", "paused"))
    before = sorted(pathlib.Path(f"{bench.folder}/usr2").glob("*.capture"))
    process.wait(20)
    check("a frozen ring stays", sorted(pathlib.Path(f"{bench.folder}/usr2").glob("*.capture")) == before)
    check("and is read", bool(bench.kernels("usr2")))


def orphan(bench):
    process = bench.start("orphan")
    bench.wait_for_state("orphan", "recording")
    process.kill()
    process.wait()
    check("the program outlives its launcher", bench.wait_for_state("orphan", "recording", 1))
    check("and obeys", bench.ctl("orphan", "stop").returncode == 0 and bench.wait_for_state("orphan", "paused"))
    check("and ends in order", bench.wait_for_state("orphan", "ended", 10))
    check("and is read", bool(bench.kernels("orphan")))


def two_at_once(bench):
    one, two = bench.start("one"), bench.start("two")
    codes = [one.wait(20), two.wait(20)]
    check("two recordings at once", codes == [3, 3], codes)
    check("each whole", [len(bench.kernels(run) or []) for run in ("one", "two")] == [1500, 1500])


def nested(bench):
    inner = [bench.args.warpscope, "record", "--no-analyze", "-o", f"{bench.folder}/inner", "--", bench.args.host, bench.args.agent,
             bench.args.fake, "kernels", "20"]
    outer = bench.start("outer", program=inner)
    said = outer.communicate(timeout=20)[1]
    check("a recording inside a recording", outer.returncode == 3, outer.returncode)
    check("is said", "inside a recording" in said, said)
    check("and goes to the inner run", len(bench.kernels("inner") or []) == 20)


def little_memory(bench):
    program = [bench.args.host, bench.args.agent, bench.args.fake, "kernels", "200000"]
    process = bench.start("little", "--memory-limit", "1", program=program, environment={"FAKE_FLUSHES": "0"})
    process.communicate(timeout=30)
    ledger = subprocess.run([bench.args.warpscope, "ledger", f"{bench.folder}/little", "--csv"], capture_output=True, text=True).stdout
    lost = sum(int(row["count"]) for row in csv.DictReader(ledger.splitlines()) if row["name"] == "lost_record")
    kernels = len(bench.kernels("little") or [])
    with open(f"{bench.folder}/little.out/host.csv") as file:
        launches = sum(row["kind"] in ("driver_call", "runtime_call") for row in csv.DictReader(file))
    # Wherever the room ended, a launch may have been kept without its kernel or the other way round.
    check("what a memory limit loses is counted once", 0 < kernels < 200000 and kernels + launches + lost == 400000,
          f"{kernels} kernels and {launches} launches kept, {lost} records lost")


def unrecorded(bench):
    process = bench.start("none", environment={"WARPSCOPE_AGENT": ""}, program=["sh", "-c", "exit 4"])
    check("an agent found beside the program", process.wait(10) == 4, process.returncode)
    process = bench.start("gone", environment={"WARPSCOPE_AGENT": "/nonexistent.so"}, program=["sh", "-c", "exit 4"])
    said = process.communicate(timeout=10)[1]
    check("an agent that is missing is no hindrance", process.returncode == 4 and "runs unrecorded" in said, said)
    process = bench.start("required", "--require", environment={"WARPSCOPE_AGENT": "/nonexistent.so"}, program=["sh", "-c", "exit 4"])
    check("unless recording is required", process.wait(10) == 125, process.returncode)
    process = bench.start("pipe", program=["sh", "-c", "yes | head -n 1 >/dev/null; kill -PIPE $$"])
    check("SIGPIPE is the program's as before", process.wait(10) == 128 + signal.SIGPIPE, process.returncode)


def application_replay(bench):
    """Three metrics take two passes; each of the four launches has its turn: eight runs, four streams with values."""
    program = [bench.args.host, bench.args.agent, bench.args.fake, "counters", "2"]
    metrics = "gpu__time_duration.sum,smsp__inst_executed.sum,fake__runs.sum"
    done = subprocess.run([bench.args.warpscope, "counters", "--replay", "application", "--metrics", metrics, "-o", f"{bench.folder}/turns",
                           "--", *program], env=bench.environment, capture_output=True, text=True, timeout=60)
    read = subprocess.run([bench.args.warpscope, "counters", f"{bench.folder}/turns", "--by", "metric", "--csv"], capture_output=True, text=True)
    times = [row for row in csv.DictReader(read.stdout.splitlines()) if row["metric"] == "gpu__time_duration.sum"]
    check("application replay runs the program for each pass of each launch", "runs 8 times" in done.stderr, done.stderr[-300:])
    check("application replay measures every launch", sorted(float(row["value"]) for row in times) == [10000, 10000, 20000, 21000], times)


def main():
    parser = argparse.ArgumentParser()
    for name in ("warpscope", "host", "agent", "fake"):
        parser.add_argument(f"--{name}", required=True, type=os.path.abspath)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpscope_launcher_") as folder:
        bench = Bench(args, folder)
        for test in (terminate, interrupted_alone, ignored_child_signal, small_files, early_and_late_signals, cut_control_page,
                     standard_output_is_the_programs, toggle_by_signal, freeze_by_signal, orphan, two_at_once, nested, little_memory, unrecorded,
                     application_replay):
            test(bench)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
