#!/usr/bin/env python3
"""Checks what the program prints against what the documents promise.

- docs/commands.md, docs/queries.md and docs/schema/sql.md are what `warpscope docs PAGE` writes (`--update` rewrites them).
- every named query runs on recordings, in JSON that fits the schema, within 100 columns.
- `analyze --json` and every table command, with each of its `--by` values, give JSON that fits docs/schema/*.json, on
  real recordings of tests/data; CSV has the same columns and rows; no terminal line is wider than 100 columns.
- Baselines and gates likewise; JUnit files are well-formed.
- Two runs give the same bytes.
- The completion script of bash is valid, and the manual page has no roff warnings (where man's groff is installed).

Exit status: 0 all passed. Needs python3-jsonschema.
"""
import argparse
import csv
import difflib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from xml.etree import ElementTree

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "commands.md"
PAGES = {"commands": PAGE, "queries": ROOT / "docs" / "queries.md", "views": ROOT / "docs" / "schema" / "sql.md"}
SCHEMAS = ROOT / "docs" / "schema"
RECORDINGS = ["kineto/tiny.pt.trace.json.gz", "kineto/slowloader.pt.trace.json.gz", "kineto/graph.pt.trace.json.gz",
              "smi/h200.q.txt", "smi/h200.q.xml"]
COLUMNS = 100
# Commands that read a file; `### \`warpscope NAME FILE...\`` in the page, and the values of their --by.
SECTION = re.compile(r"^### `warpscope (\S+) \[?FILE\.\.\.\]?`$(.*?)(?=^##|\Z)", re.M | re.S)
BY = re.compile(r"^\| `--by ([^`]*)`", re.M)


class Checks:
    def __init__(self, binary):
        self.binary, self.passed, self.problems = binary, 0, []

    def run(self, *words, stdin=None):
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        return subprocess.run([self.binary, *words], cwd=ROOT, env=env, input=stdin, capture_output=True, timeout=300)

    def check(self, what, problem):
        """`problem`: text, or None where there is none."""
        if problem:
            self.problems.append(f"{what}: {problem}")
        else:
            self.passed += 1


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def schema_problem(output, schema):
    try:
        document = json.loads(output)
    except ValueError as error:
        return f"not JSON: {error}"
    errors = sorted(jsonschema.Draft7Validator(schema).iter_errors(document), key=lambda error: list(error.path))
    if errors:
        return f"{'/'.join(map(str, errors[0].path))}: {errors[0].message[:200]}"
    if "columns" not in document:
        return None  # a verdict: its rows are counts by table
    lengths = {len(row) for row in document["rows"]} - {len(document["columns"])}
    return f"rows of {lengths} cells" if lengths else None


def page_problem(checks, word, path, update):
    written = checks.run("docs", word).stdout.decode("utf-8")
    present = path.read_text(encoding="utf-8") if path.exists() else ""
    if written == present:
        return None
    if update:
        path.write_text(written, encoding="utf-8")
        return None
    diff = difflib.unified_diff(present.splitlines(), written.splitlines(), str(path.relative_to(ROOT)), f"warpscope docs {word}", lineterm="")
    return "differs; run tools/check_outputs.py --update\n" + "\n".join(list(diff)[:40])


def check_queries(checks, schema):
    """Every named query on a recording with operators and annotations: JSON that fits, text within the width."""
    path = "tests/data/kineto/tf.pt.trace.json.gz"
    if b"DuckDB" in checks.run("query", path, "SELECT 1").stderr:
        print("check_outputs: named queries left out, DuckDB is not there (./dev duckdb)")
        return
    for row in json.loads(checks.run("query", "--list", "--json").stdout)["rows"]:
        what = f"query {row[0]}"
        result = checks.run("query", path, row[0], "--json", "--limit", "50")
        checks.check(what, result.stderr.decode("utf-8", "replace") or schema_problem(result.stdout, schema))
        wide = [line for line in checks.run("query", path, row[0]).stdout.decode("utf-8").split("\n") if width(line) > COLUMNS]
        checks.check(what, f"wider than {COLUMNS}: {wide[0]}" if wide else None)


def check_diffs(checks):
    """Each recording against the next one: JSON that fits, whose causes add up, and text within the width."""
    schema = json.loads((SCHEMAS / "diff.schema.json").read_text(encoding="utf-8"))
    for before, after in zip(RECORDINGS, RECORDINGS[1:] + RECORDINGS[:1]):
        words = ["diff", f"tests/data/{before}", f"tests/data/{after}", "--force"]
        what = " ".join(words)
        output = checks.run(*words, "--json").stdout
        checks.check(what, schema_problem(output, schema))
        diff = json.loads(output)
        if diff["step"] is not None:
            total = sum(cause["diff_ms"] for cause in diff["causes"]) + diff["residual_ms"]
            checks.check(what, None if abs(total - diff["step"]["diff_ms"]) < 1e-4 else f"causes add up to {total}")
        wide = [line for line in checks.run(*words, "--all").stdout.decode("utf-8").split("\n") if width(line) > COLUMNS]
        checks.check(what, f"wider than {COLUMNS}: {wide[0]}" if wide else None)


def check_gates(checks):
    """Each recording with steps as a baseline, against itself and the next: files and JSON that fit, text within the width."""
    schemas = {name: json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("gate", "baseline")}
    traces = [f"tests/data/{name}" for name in RECORDINGS if name.startswith("kineto/")]
    with tempfile.TemporaryDirectory() as folder:
        for before, after in zip(traces, traces[1:] + traces[:1]):
            kept, junit = pathlib.Path(folder) / "main.json", pathlib.Path(folder) / "gate.xml"
            result = checks.run("baseline", "save", "main", before, before, "--replace", "--dir", folder)
            checks.check(f"baseline save {before}", None if result.returncode == 0 else result.stderr.decode())
            checks.check(f"baseline save {before}", schema_problem(kept.read_bytes(), schemas["baseline"]))
            for runs in ([before], [after, after]):
                words = ["gate", "--baseline", "main", "--dir", folder, "--force", *runs]
                result = checks.run(*words, "--json", "--junit", str(junit))
                checks.check(" ".join(words), schema_problem(result.stdout, schemas["gate"]))
                suite = ElementTree.parse(junit).getroot().find("testsuite")
                checks.check(" ".join(words), None if len(suite.findall("testcase")) == int(suite.get("tests")) else "JUnit counts wrongly")
                wide = [line for line in checks.run(*words, "--all").stdout.decode("utf-8").split("\n") if width(line) > COLUMNS]
                checks.check(" ".join(words), f"wider than {COLUMNS}: {wide[0]}" if wide else None)
            # One judgement: the gate and the diff of the same runs have the same word.
            gate = json.loads(checks.run("gate", "--baseline", "main", "--dir", folder, "--force", after, "--json").stdout)
            diff = json.loads(checks.run("diff", "main", after, "--dir", folder, "--force", "--json").stdout)
            checks.check(f"gate and diff {before} {after}", None if (gate["change"] or "not_comparable") == diff["outcome"] else
                         f"{gate['change']} and {diff['outcome']}")


KERNEL_LOG = b"""[    0.5] pci 0000:3b:00.0: [10de:2330] type 00 class 0x030200 PCIe Endpoint
[ 2001.2] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.
[ 2001.3] NVRM: Xid (PCI:0000:3b:00): 45, pid=4711, name=python, Ch 00000008
"""


def check_machine(checks):
    """doctor, of files and of this machine, and faults: JSON that fits, text within the width."""
    for words, stdin in [(["doctor"], None), (["doctor", "--from", "tests/data/smi/h200.q.xml"], None),
                         (["doctor", "--log", "-"], KERNEL_LOG), (["faults", "-"], KERNEL_LOG)]:
        what = " ".join(words)
        schema = json.loads((SCHEMAS / f"{words[0]}.schema.json").read_text(encoding="utf-8"))
        checks.check(what, schema_problem(checks.run(*words, "--json", stdin=stdin).stdout, schema))
        text = checks.run(*words, "--all", stdin=stdin).stdout.decode("utf-8").split("\n")
        wide = [line for line in text if width(line) > COLUMNS]
        checks.check(what, f"wider than {COLUMNS}: {wide[0]}" if wide else None)


def check_turns(checks):
    """Programs that were run in turns, and the loop where nothing can be recorded: JSON that fits."""
    for words in (["compare", "--repeat", "2", "--warmup", "0", "--json", "--", "true", "--vs", "true"],
                  ["try", "--repeat", "2", "--warmup", "0", "--set", "A=1", "--json", "--", "true"]):
        schema = json.loads((SCHEMAS / f"{words[0]}.schema.json").read_text(encoding="utf-8"))
        checks.check(" ".join(words), schema_problem(checks.run(*words).stdout, schema))
    schema = json.loads((SCHEMAS / "loop.schema.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        loop = ["loop", "--repeat", "2", "--warmup", "0", "--recordings", "0", "--dir", folder, "--json", "-n", "main", "--", "true"]
        checks.check("loop", schema_problem(checks.run(*loop).stdout, schema))
        checks.run("baseline", "save", "main", "tests/data/kineto/tiny.pt.trace.json.gz", "--dir", folder)
        checks.check("loop with a baseline", schema_problem(checks.run(*loop).stdout, schema))


def check_command(checks, words, schema):
    what = " ".join(words)
    result = checks.run(*words, "--json")
    if result.returncode != 0:
        # Not every recording carries every command; a refusal must say why.
        told = result.stderr.strip() or (result.stdout and not json.loads(result.stdout)["rows"]
                                         and json.loads(result.stdout)["summary"])
        checks.check(what, None if result.returncode == 1 and told else
                     f"exit status {result.returncode}: {result.stderr.decode('utf-8', 'replace')[:200]}")
        return
    checks.check(what, schema_problem(result.stdout, schema))
    checks.check(what, None if checks.run(*words, "--json").stdout == result.stdout else "two runs differ")
    text = checks.run(*words).stdout.decode("utf-8").split("\n")
    wide = [line for line in text if width(line) > COLUMNS and not line.lstrip().startswith("\u2502")]  # code is not wrapped
    checks.check(what, f"wider than {COLUMNS}: {wide[0]}" if wide else None)
    if words[0] == "analyze":
        answer = json.loads(result.stdout)["answer"]
        checks.check(what, None if " ".join(text).replace("  ", " ").startswith(answer[:COLUMNS // 2]) else "the answer is not first")
        return
    table = json.loads(result.stdout)
    rows = list(csv.reader(io.StringIO(checks.run(*words, "--csv").stdout.decode("utf-8"), newline="")))
    names = [column["name"] for column in table["columns"]]
    checks.check(what, None if rows[0] == names and len(rows) == len(table["rows"]) + 1 else "CSV and JSON differ")


def main():
    parser = argparse.ArgumentParser(description="checks the program's outputs against its documents")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--update", action="store_true", help="rewrite the pages")
    args = parser.parse_args()
    checks = Checks(str(pathlib.Path(args.binary).resolve()))
    for word, place in PAGES.items():
        checks.check(str(place.relative_to(ROOT)), page_problem(checks, word, place, args.update))
    page = PAGE.read_text(encoding="utf-8")
    verdict_schema = json.loads((SCHEMAS / "verdict.schema.json").read_text(encoding="utf-8"))
    table_schema = json.loads((SCHEMAS / "tables.schema.json").read_text(encoding="utf-8"))
    for name in RECORDINGS:
        path = f"tests/data/{name}"
        for command, section in SECTION.findall(page):
            if "`-o, --output" in section or command == "view":
                continue  # writes a file or serves a page; golden cases and tests/view look at it
            schema = verdict_schema if command == "analyze" else table_schema
            by = BY.search(section)
            for choice in re.split(r"\\?\|", by[1]) if by else [None]:
                check_command(checks, [command, path] + (["--by", choice] if choice else []), schema)
            if "`--list`" in section:
                check_command(checks, [command, path, "--list"], schema)
    check_command(checks, ["occupancy", "--cc", "9.0", "--block", "256", "--regs", "64"], table_schema)
    check_command(checks, ["occupancy", "--limits"], table_schema)
    check_queries(checks, table_schema)
    check_diffs(checks)
    check_gates(checks)
    check_machine(checks)
    check_turns(checks)
    script = checks.run("completion", "bash").stdout
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True)
    checks.check("completion bash", done.stderr.decode() or None)
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=checks.run("man").stdout, capture_output=True)
        checks.check("man", done.stderr.decode() or None)
    for problem in checks.problems:
        print(problem)
    print(f"{checks.passed} passed, {len(checks.problems)} failed")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
