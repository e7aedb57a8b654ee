#!/usr/bin/env python3
"""Golden cases: runs the program on small inputs and compares what it says with what a case file expects.

A case is a folder under tests/golden/ with a `case.test`; tests/golden/README.md describes the format. Cases are found
by walking. `--update` rewrites the `stdout` and `stderr` blocks of the cases that differ and prints the change.

Exit status: 0 all passed, 1 some failed, 2 a case file or the command line is wrong.
"""
import argparse
import concurrent.futures
import difflib
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile

import kineto_maker

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "golden"
DATA = ROOT / "tests" / "data"
END = "----"
COLUMNS = 100  # of the terminal that the program is told of
BLOCKS = {"input", "bytes", "kineto", "python", "stdout", "stderr"}
TIMEOUT_S = 120


class CaseError(Exception):
    """The case file itself is wrong."""


class Directive:
    def __init__(self, line_number, word, rest):
        self.line_number, self.word, self.rest = line_number, word, rest
        self.block = None       # text, for words in BLOCKS
        self.block_lines = None  # (first, end) line indexes of the block in the file


def parse(path):
    """Returns the directives of a case file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    directives, at = [], 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        directive = Directive(at, word, rest.strip())
        if word in BLOCKS:
            begin = at
            while at < len(lines) and lines[at] != END:
                at += 1
            if at == len(lines):
                raise CaseError(f"line {directive.line_number}: the block of '{word}' has no end line '{END}'")
            directive.block_lines = (begin, at)
            directive.block = "".join(text + "\n" for text in lines[begin:at])
            at += 1
        directives.append(directive)
    if not directives or directives[0].word != "describe":
        raise CaseError("line 1: a case begins with 'describe'")
    return directives


# Inputs ---------------------------------------------------------------------------------------------------------

def place(folder, name):
    target = folder / name
    if not target.resolve().is_relative_to(folder.resolve()):
        raise CaseError(f"'{name}' lies outside the case's folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def unescape(text):
    """Text with \\xNN for single bytes; the last line end is not part of it."""
    raw = text.removesuffix("\n").encode("utf-8")
    return re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), raw)


def make_input(directive, folder):
    """Carries out an input directive; False if it is not one."""
    words = directive.rest.split()
    if directive.word == "input":
        place(folder, directive.rest).write_text(directive.block, encoding="utf-8")
    elif directive.word == "bytes":
        place(folder, directive.rest).write_bytes(unescape(directive.block))
    elif directive.word == "kineto":
        place(folder, directive.rest).write_text(kineto_maker.make(directive.block, directive.rest), encoding="utf-8")
    elif directive.word == "python":
        # Blocks may import the makers that lie beside this file.
        subprocess.run([sys.executable, "-c", directive.block], cwd=folder, check=True, timeout=TIMEOUT_S,
                       env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).resolve().parent)})
    elif directive.word == "data":
        source = DATA / words[0]
        if not source.exists():
            raise CaseError(f"line {directive.line_number}: no file tests/data/{words[0]}")
        place(folder, words[1] if len(words) > 1 else source.name).write_bytes(source.read_bytes())
    elif directive.word == "cut":  # NAME BYTES NEW: the first BYTES bytes; negative: all but the last
        place(folder, words[2]).write_bytes((folder / words[0]).read_bytes()[:int(words[1])])
    elif directive.word == "gzip":  # NAME NEW
        place(folder, words[1]).write_bytes(gzip.compress((folder / words[0]).read_bytes(), mtime=0))
    elif directive.word == "tar":  # NEW NAME...
        with tarfile.open(place(folder, words[0]), "w:gz") as archive:
            for name in words[1:]:
                archive.add(folder / name, arcname=name)
    elif directive.word == "replace":  # NAME OLD NEW, as shell words: exactly one place
        name, old, new = shlex.split(directive.rest)
        content = (folder / name).read_bytes()
        if content.count(old.encode()) != 1:
            raise CaseError(f"line {directive.line_number}: {content.count(old.encode())} places hold {old!r}, not 1")
        (folder / name).write_bytes(content.replace(old.encode(), unescape(new)))
    else:
        return False
    return True


# Commands and what is expected of them --------------------------------------------------------------------------

def normalise(text, version):
    """Takes out what may differ between machines: the version and measured run times."""
    text = text.replace(version, "VERSION") if version else text
    return re.sub(r"\b[0-9.]+ m?s to read\b", "TIME to read", text)


class Run:
    """One `run` with the expectations that follow it."""

    def __init__(self, directive):
        self.directive = directive
        self.checks = []
        self.env = {}
        self.exit = 0

    def start(self, binary, folder, words=None):
        """Runs the program with the words of this run, or with others in the same surroundings."""
        words = shlex.split(self.directive.rest) if words is None else words
        stdin = subprocess.DEVNULL
        if "<" in words:
            at = words.index("<")
            stdin = open(folder / words[at + 1], "rb")
            del words[at:at + 2]
        env = {key: value for key, value in os.environ.items() if key in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                                          "TSAN_OPTIONS", "LD_LIBRARY_PATH")}
        env |= {"HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": str(COLUMNS)} | self.env
        try:
            done = subprocess.run([binary, *words], cwd=folder, stdin=stdin, capture_output=True, env=env,
                                  timeout=TIMEOUT_S)
        finally:
            if stdin is not subprocess.DEVNULL:
                stdin.close()
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def pick(value, path):
    """All values at a dotted path; `*` stands for every item of a list, `name=text` for the items with that field."""
    found = [value]
    for part in path.split(".") if path else []:
        following = []
        for item in found:
            if part == "*" and isinstance(item, list):
                following += item
            elif "=" in part and isinstance(item, list):
                field, _, wanted = part.partition("=")
                following += [each for each in item if isinstance(each, dict) and str(each.get(field)) == wanted]
            elif part == "#" and isinstance(item, (list, dict)):
                following.append(len(item))
            elif isinstance(item, list) and part.lstrip("-").isdigit() and -len(item) <= int(part) < len(item):
                following.append(item[int(part)])
            elif isinstance(item, dict) and part in item:
                following.append(item[part])
        found = following
    return found


def with_named_cells(value):
    """A table's rows as objects by column name instead of lists of cells."""
    if isinstance(value, dict) and isinstance(value.get("columns"), list) and isinstance(value.get("rows"), list):
        names = [column["name"] for column in value["columns"]]
        rows = [dict(zip(names, row, strict=True)) if isinstance(row, list) else row for row in value["rows"]]
        return dict(value, rows=rows)
    return value


def check_json(rest, stdout):
    """`PATH OPERATOR VALUE`; returns what is wrong, or None."""
    match = re.fullmatch(r"(\S+)\s+(=|!=|~|<=|>=|<|>|has|lacks|absent|one_of|any)\s*(.*)", rest)
    if not match:
        raise CaseError(f"'json {rest}' is not 'json PATH OPERATOR VALUE'")
    path, operator, expected = match.groups()
    try:
        found = pick(with_named_cells(json.loads(stdout)), path)
    except json.JSONDecodeError as error:
        return f"standard output is not JSON: {error}"
    shown = json.dumps(found if len(found) != 1 else found[0])
    if operator == "absent":
        return None if not found or found == [None] else f"{path} is {shown}, expected nothing"
    if operator == "any":
        return None if json.loads(expected) in found else f"{path} is {shown}, none equals {expected}"
    if operator == "lacks":
        return f"{path} holds {expected}: {shown}" if any(expected in str(item) for item in found) else None
    if not found:
        every = "*" in path and operator in ("<", ">", "<=", ">=")  # true of nothing
        return None if every else f"there is no {path}"
    if operator == "has":
        return None if any(expected in str(item) for item in found) else f"{path} lacks {expected}: {shown}"
    if operator == "one_of":
        return None if found[0] in json.loads(expected) else f"{path} is {shown}, not one of {expected}"
    if operator == "~":  # VALUE +- TOLERANCE
        value, tolerance = (float(number) for number in expected.split("+-"))
        ok = isinstance(found[0], (int, float)) and abs(found[0] - value) <= tolerance
        return None if ok else f"{path} is {shown}, expected {value} +- {tolerance}"
    wanted = json.loads(expected)
    actual = found[0] if len(found) == 1 else found
    try:
        ok = {"=": lambda: actual == wanted, "!=": lambda: actual != wanted,
              "<": lambda: all(each < wanted for each in found), ">": lambda: all(each > wanted for each in found),
              "<=": lambda: all(each <= wanted for each in found),
              ">=": lambda: all(each >= wanted for each in found)}[operator]()
    except TypeError:
        ok = False
    return None if ok else f"{path} is {shown}, expected {operator} {expected}"


def check_queries(stdout, run_words):
    """Every command that a verdict gives as evidence must run; returns what is wrong, or None."""
    queries = {evidence["query"] for finding in json.loads(stdout)["findings"] for evidence in finding["evidence"]
               if (evidence.get("query") or "").startswith("warpscope ")
               and " -- <program>" not in evidence["query"]}  # the user's own program is not here
    for query in sorted(queries):
        code, out, error = run_words(shlex.split(query)[1:])
        if code != 0 or not out:
            return f"'{query}' ends with exit status {code}: {error.strip()[:200]}"
    return None


def unwrapped(text):
    """Messages as they were before they were laid out in lines; a hanging indent marks what belongs together."""
    return re.sub(r"\n +(?=\S)", " ", text)


def too_wide(stderr):
    """The first message that does not fit; a path of its own line may be longer."""
    return next((line for line in stderr.splitlines() if len(line) > COLUMNS and " " in line.strip()), None)


def check_run(run, result, version, previous, run_words):
    """Returns (problems, [(directive, actual text)] for blocks that differ)."""
    code, stdout, stderr = result
    stdout, stderr = normalise(stdout, version), normalise(stderr, version)
    problems, changed = [], []
    if line := too_wide(stderr):
        problems.append(f"a line on standard error is wider than {COLUMNS} columns: {line}")
    if code != run.exit:
        last = stderr.strip().split("\n")[-1]
        problems.append(f"exit status {code}, expected {run.exit}" + (f"; stderr ends: {last}" if last else ""))
        if run.exit == 0:
            return problems, changed  # what else it says would only repeat this
    for check in run.checks:
        word, rest = check.word, check.rest
        text = stderr if word.startswith("stderr") else stdout
        problem = None
        if word in ("stdout", "stderr"):
            if text != check.block:
                diff = difflib.unified_diff(check.block.splitlines(), text.splitlines(), "expected", "actual",
                                            lineterm="")
                problem = f"{word} differs\n" + "\n".join("      " + line for line in diff)
                changed.append((check, text))
        elif word.endswith("_has"):
            problem = None if rest in text or rest in unwrapped(text) else f"{word[:6]} lacks '{rest}'"
        elif word.endswith("_lacks"):
            problem = f"{word[:6]} holds '{rest}'" if rest in text or rest in unwrapped(text) else None
        elif word.endswith("_like"):
            found = re.search(rest, text, re.M) or re.search(rest, unwrapped(text), re.M)
            problem = None if found else f"{word[:6]} does not match '{rest}'"
        elif word == "stdout_same":
            problem = None if stdout == previous else "stdout differs from that of the run before"
        elif word.endswith("_empty"):
            problem = f"{word[:6]} is not empty: {text.strip()[:200]}" if text else None
        elif word == "queries_work":
            problem = check_queries(stdout, run_words)
        elif word == "json":
            try:
                problem = check_json(rest, stdout)
            except ValueError as error:
                raise CaseError(f"line {check.line_number}: {error}") from error
        if problem:
            problems.append(f"line {check.line_number}: {problem}")
    return problems, changed


CHECKS = {"stdout", "stderr", "json", "stdout_same", "queries_work"} | {f"{stream}_{how}" for stream in ("stdout", "stderr")
                                          for how in ("has", "lacks", "like", "empty")}


def run_case(path, binary, version):
    """Returns (problems, changed blocks)."""
    problems, changed = [], []
    with tempfile.TemporaryDirectory(prefix="warpscope-golden-") as name:
        folder = pathlib.Path(name)
        runs = []
        for directive in parse(path):
            if directive.word in ("describe", "needs") or make_input(directive, folder):
                continue
            if directive.word == "run":
                runs.append(Run(directive))
                continue
            if not runs:
                raise CaseError(f"line {directive.line_number}: '{directive.word}' before the first 'run'")
            if directive.word == "exit":
                runs[-1].exit = int(directive.rest)
            elif directive.word == "env":
                key, _, value = directive.rest.partition("=")
                runs[-1].env[key] = value
            elif directive.word in CHECKS:
                runs[-1].checks.append(directive)
            else:
                raise CaseError(f"line {directive.line_number}: unknown word '{directive.word}'")
        if not runs:
            raise CaseError("there is no 'run'")
        previous = None
        for run in runs:
            try:
                result = run.start(binary, folder)
            except subprocess.TimeoutExpired:
                problems.append(f"line {run.directive.line_number}: no end after {TIMEOUT_S} s")
                continue
            found, blocks = check_run(run, result, version, previous,
                                      lambda words, run=run: run.start(binary, folder, words))
            previous = normalise(result[1], version)
            problems += [f"run {run.directive.rest}: {problem}" for problem in found]
            changed += blocks
    return problems, changed


def needs(path):
    """What a case needs beside the program: {"duckdb"} or nothing."""
    return {directive.rest for directive in parse(path) if directive.word == "needs"}


def has_duckdb(binary):
    """Whether the program finds DuckDB's library: without it cases that need it are left out, and counted as such."""
    data = ROOT / "tests/data/kineto/tiny.pt.trace.json.gz"
    done = subprocess.run([binary, "query", data, "SELECT 1"], capture_output=True, timeout=TIMEOUT_S, check=False)
    return b"DuckDB" not in done.stderr


def rewrite(path, changed):
    lines = path.read_text(encoding="utf-8").split("\n")
    for directive, text in sorted(changed, key=lambda pair: -pair[0].block_lines[0]):
        begin, end = directive.block_lines
        lines[begin:end] = text.removesuffix("\n").split("\n") if text else []
    path.write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="runs the golden cases")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--update", action="store_true", help="rewrite differing stdout and stderr blocks")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("filter", nargs="*", help="only cases whose path holds one of these")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    if not os.access(binary, os.X_OK):
        print(f"golden: no program at {binary}", file=sys.stderr)
        return 2
    version_text = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout
    version = next(iter(re.findall(r"\d+\.\d+\.\d+\S*", version_text)), "")

    paths = sorted(CASES.rglob("case.test"))
    if args.filter:
        paths = [path for path in paths if any(part in str(path.relative_to(CASES)) for part in args.filter)]
    skipped = [path for path in paths if needs(path)]
    if not skipped or has_duckdb(binary):
        skipped = []
    paths = [path for path in paths if path not in skipped]
    failed = broken = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [(path, pool.submit(run_case, path, binary, version)) for path in paths]
        for path, future in futures:
            name = path.parent.relative_to(CASES)
            try:
                problems, changed = future.result()
            except CaseError as error:
                print(f"BROKEN {name}: {error}")
                broken += 1
                continue
            if args.update and changed:
                rewrite(path, changed)
                print(f"UPDATED {name}")
            if problems:
                failed += 1
                print(f"FAILED {name}")
                for problem in problems:
                    print("    " + problem)
    print(f"{len(paths) - failed - broken} passed, {failed + broken} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 2 if broken else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
