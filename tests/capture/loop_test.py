#!/usr/bin/env python3
"""`warpscope loop`, `compare --explain` and `try` with a recorded program, without a GPU: the fake CUPTI stands for the real one.

usage: loop_test.py --warpscope W --host HOST --agent AGENT --fake FAKE
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

failed = 0
SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"


def check(what, good, said=""):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {what} {said if not good else ''}")


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, pathlib.Path(folder)
        self.environment = {**os.environ, "WARPSCOPE_CUPTI": args.fake, "FAKE_FLUSHES": "1", "WARPSCOPE_AGENT": args.agent}
        script = self.folder / "program.sh"
        # The host's own exit status is its own affair; it tells five steps of $1 ms where somebody wants to know.
        script.write_text(f'"{args.host}" "{args.agent}" "{args.fake}" kernels 200\n'
                          'if [ -n "$WARPSCOPE_STEP_TIMES" ]; then for i in 1 2 3 4 5; do echo "$1.$i" >> "$WARPSCOPE_STEP_TIMES"; done; fi\n'
                          'exit ${2:-0}\n')
        self.program = ["sh", str(script)]

    def run(self, *words, environment=None):
        return subprocess.run([self.args.warpscope, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**self.environment, **(environment or {})})

    def loop(self, *words, program=(), environment=None):
        done = self.run("loop", "--repeat", "2", "--warmup", "0", "--dir", "kept", "-o", "runs", "-n", "p", *words, "--json", "--",
                        *self.program, *program, environment=environment)
        return done, json.loads(done.stdout) if done.stdout else None


def stage(document, name):
    return next(one for one in document["stages"] if one["name"] == name)


def fits(document):
    try:
        import jsonschema
    except ImportError:
        return True
    schema = json.loads((SCHEMAS / "loop.schema.json").read_text(encoding="utf-8"))
    return not list(jsonschema.Draft7Validator(schema).iter_errors(document))


def first_and_second(bench):
    done, first = bench.loop("-t", "batch=64", program=["10"])
    check("the loop runs", done.returncode == 0, done.stderr)
    check("its JSON fits the schema", fits(first))
    check("the true step time is what the program tells", abs(first["unprofiled"]["ms"] - 10.3) < 0.01, first["unprofiled"])
    check("two runs are recorded", len([run for run in first["runs"] if "p-run-" in run]) == 2, first["runs"])
    check("a step that is another one is not used", "not the 10.3 ms" in stage(first, "record")["detail"], stage(first, "record"))
    check("a verdict is given", stage(first, "verdict")["state"] == "done" and first["verdict"])
    check("the baseline is saved", first["baseline"]["saved"] and (bench.folder / "kept/p.json").exists(), first["baseline"])
    kept = json.loads((bench.folder / "kept/p.json").read_text())
    check("with its tags and true times", kept["tags"] == {"batch": "64"} and len(kept["unprofiled"]["values_ms"]) == 2, kept["tags"])
    done, second = bench.loop(program=["8"])
    check("the second time it compares", second["baseline"]["saved"] is False and fits(second), done.stderr)
    check("and says what became of it", second["answer"].startswith("Faster than the baseline, unprofiled: 10.3 ms -> 8.30 ms"),
          second["answer"])
    check("by the gate too", second["baseline"]["comparison"]["gate_outcome"] is not None)
    done, third = bench.loop("--accept", program=["8"])
    check("--accept replaces the baseline", third["baseline"]["saved"], done.stderr)
    text = bench.run("loop", "--repeat", "2", "--warmup", "0", "--dir", "kept", "-n", "p", "--recordings", "0", "--no-counters", "--",
                     *bench.program, "8").stdout
    check("stages that are left out say so", "--recordings 0" in text and "No difference to the baseline" in text, text)


def hindrances(bench):
    done, document = bench.loop("-n", "q", environment={"WARPSCOPE_AGENT": "/nonexistent.so"}, program=["8"])
    check("without the agent the loop still times", done.returncode == 0 and document["unprofiled"] is not None, done.stderr)
    check("and says why it does not record", stage(document, "record")["state"] == "skipped", document)
    check("and why the rest is left out", stage(document, "verdict")["state"] == "skipped" and document["baseline"] is None)
    done, document = bench.loop("-n", "r", program=["8", "7"])
    check("a program that fails ends it", done.returncode == 1 and "exit status 7" in done.stderr, done.stderr)
    plain = bench.run("loop", "--repeat", "2", "--warmup", "0", "--dir", "kept", "-n", "s", "-o", "plain", "--json", "--", "true")
    document = json.loads(plain.stdout)
    check("a program without GPU work is timed", document["unprofiled"]["measure"] == "process", document)
    check("and leaves no runs behind", not list((bench.folder / "plain").glob("*")), list((bench.folder / "plain").glob("*")))


def explained(bench):
    done = bench.run("compare", "--explain", "--repeat", "2", "--warmup", "0", "--", *bench.program, "8", "--vs", *bench.program, "9")
    check("compare --explain records both", "B is 12.0 % slower than A" in done.stdout and "One recorded run of each" in done.stdout,
          done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser()
    for name in ("warpscope", "host", "agent", "fake"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    for case in (first_and_second, hindrances, explained):
        with tempfile.TemporaryDirectory() as folder:
            case(Bench(args, folder))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
