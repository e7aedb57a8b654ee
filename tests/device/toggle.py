#!/usr/bin/env python3
"""Which ways of switching CUPTI's kinds while a PyTorch program runs hang it.

usage: toggle.py PROBE WARPSCOPE [WAY ...]      PROBE: libtoggle_probe.so of the build; at most LIMIT_S a way, several at a time

One line a way: what happened, steps done, switches made; of a hung one, where its threads wait. Exit status 1 if one of the agent's
own ways hung.
"""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RUN_S, LIMIT_S, AT_ONCE = 4, 12, 4
PROBES = {
    "nothing": "switching thread that does nothing",
    "kernels": "kernel records on and off from another thread",
    "always calls": "kernels stay on, records of launch calls switched from another thread",
    "always flush0 period": "kernels stay on, default flush from another thread",
    "always flush1": "kernels stay on, forced flush from another thread",
    "many period": "all of the agent's kinds from another thread",
    "kernels callback": "kernels, in the exit of a launch, in the application's thread",
    "many callback period": "all kinds, in the exit of a launch, in the application's thread",
}
AGENT = {
    "agent ctl": (["--wait"], {}, "warpscope ctl start and stop"),
    "agent profiler": (["--profiler-api"], {"TOGGLED": "profiler"}, "cudaProfilerStart and Stop"),
    "agent range": (["--range", "step", "--skip", "20", "--steps", "20"], {}, "an NVTX range"),
    "agent ring": (["--ring", "1s"], {}, "ring"),
    "agent budget": (["--max-overhead", "1%"], {}, "budget: measured, then a duty cycle"),
}


def threads_of(pid):
    """Where the threads of a process and its children wait."""
    text = []
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        try:
            comm, wchan = (task / "comm").read_text().strip(), (task / "wchan").read_text().strip()
            call = (task / "syscall").read_text().split()[0]
            text.append(f"{comm}:{wchan}:{call}")
            for child in (task / "children").read_text().split():
                text += threads_of(child)
        except OSError:
            pass
    return text


def try_way(way, words, environment, beside=None):
    begin = time.monotonic()
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(words, env={**os.environ, **environment}, stdout=log, stderr=subprocess.STDOUT,
                               start_new_session=True)
    hung, where = False, []
    while process.poll() is None:
        if time.monotonic() - begin > LIMIT_S:
            hung, where = True, threads_of(process.pid)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            break
        if beside is not None:
            beside()
        time.sleep(0.1)
    log.seek(0)
    lines = log.read().splitlines()
    done = [line for line in lines if line.startswith("done")]
    if hung:
        state = "HUNG" if not done else "HUNG at its end"
    else:
        state = "ok" if process.returncode == 0 and done else f"failed {process.returncode}"
    said = done[-1] if done else (lines[-1] if lines else "")
    return way, state, f"{said} ({time.monotonic() - begin:.1f} s)", where


def main():
    probe, warpscope, only = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    program = [sys.executable, str(HERE / "programs/toggled.py"), str(RUN_S)]
    folder = tempfile.mkdtemp()
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for way, meaning in PROBES.items():
            if not only or way in only:
                jobs.append((meaning, pool.submit(try_way, way, program, {"CUDA_INJECTION64_PATH": os.path.abspath(probe), "TOGGLE": way})))
        for way, (flags, environment, meaning) in AGENT.items():
            if only and way not in only:
                continue
            run = f"{folder}/{way.replace(' ', '_')}"
            state = {"on": False, "at": 0.0}

            def ctl(run=run, state=state):
                if time.monotonic() - state["at"] < 0.15 or not os.path.exists(run + "/control"):
                    return
                state["at"], state["on"] = time.monotonic(), not state["on"]
                subprocess.run([warpscope, "ctl", run, "start" if state["on"] else "stop"], check=False, capture_output=True)

            words = [warpscope, "record", "--no-analyze", "-o", run, *flags, "--", *program]
            jobs.append((meaning, pool.submit(try_way, way, words, environment, ctl if way == "agent ctl" else None)))
    bad = False
    for meaning, job in jobs:
        way, state, said, where = job.result()
        bad = bad or (state != "ok" and way in AGENT)
        print(f"{state:16} {way:36} {meaning}: {said}")
        if where:
            print("                 waits: " + " ".join(sorted(set(where)))[:600])
    for way in AGENT:
        run = f"{folder}/{way.replace(' ', '_')}"
        if os.path.isdir(run):
            ledger = subprocess.run([warpscope, "ledger", run, "--wide"], capture_output=True, text=True).stdout
            print(f"--- {way}: files {len(list(pathlib.Path(run).glob('*.capture')))}")
            print("\n".join(line[:220] for line in ledger.splitlines() if "part" in line or "cost" in line or "out_of" in line
                            or "before_launch" in line or "without_kernel" in line))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
