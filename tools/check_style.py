#!/usr/bin/env python3
"""Rules of style that the compiler does not check; each banned thing with its reason.

Exceptions stand in tools/style_exceptions.txt, one a line: PATH RULE REASON. The list may only shrink: an exception
that is not needed any more is itself a failure.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "tools" / "style_exceptions.txt"
MAX_LINES = 500
THREAD_TAG = re.compile(r"\[(MT|one thread|signal-safe)\]")

# (rule, pattern, files, reason)
BANNED = [
    ("std-sto", re.compile(r"\bstd::sto[a-z]+\s*\("), "all", "throws and obeys the locale: use std::from_chars"),
    ("atoi", re.compile(r"\b(?:std::)?(?:ato[ifl]+|strto(?:l|ul|ll|ull|d|f))\s*\("), "outside the agent",
     "cannot tell an error from 0, or obeys the locale: use std::from_chars"),
    ("printf", re.compile(r"(?<![\w:])(?:std::)?(?:v?s?n?printf|fprintf)\s*\("), "outside the agent",
     "unchecked types: use fmt::format, and write through the renderer"),
    ("iostream", re.compile(r"\bstd::(?:cout|cerr|clog)\b"), "library",
     "a library says nothing by itself: return a Status or a document"),
    ("using-namespace", re.compile(r"^\s*using\s+namespace\b"), "headers", "leaks into every includer"),
    ("raw-new", re.compile(r"(?<![\w_])new\s+[A-Za-z_][\w:<>]*\s*[\[({;]"), "all", "use make_unique or a container"),
    ("delete", re.compile(r"^\s*delete\b(?!\s*;)"), "all", "owners are unique_ptr or containers"),
    ("throw", re.compile(r"^\s*throw\b"), "all", "no exceptions across borders: return a Status"),
    ("rand", re.compile(r"(?<![\w_.>])s?rand\s*\("), "all", "same input, same bytes: use a seeded <random> engine"),
    ("todo", re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "all", "finish it, or file an issue"),
    ("machine-path", re.compile(r"(?<![\w.])/(?:work|root)/"), "any", "a path of one machine"),
]
AGENT_SIDE = ("src/agent", "src/wire", "tests/capture", "bench/capture")  # run inside recorded programs: the C library only
CODE = (".h", ".cc", ".def")
TEXT = (".h", ".cc", ".def", ".py", ".md", ".txt", ".cmake", ".json", ".sh", ".test", "")


def tracked_files():
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True)
        if listed.returncode == 0:
            return [ROOT / name for name in sorted(listed.stdout.splitlines()) if (ROOT / name).is_file()]
    skip = {"build", ".git", "__pycache__"}  # without git, such as an unpacked archive
    return sorted(path for path in ROOT.rglob("*") if path.is_file() and not skip & set(path.relative_to(ROOT).parts))


def without_comments_and_strings(line):
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    return re.sub(r"//.*", "", line)


def applies(files, path):
    if files == "any":
        return True
    if path.suffix not in CODE:
        return False
    if files == "headers":
        return path.suffix == ".h"
    if files == "outside the agent":  # it links no C++ library: see src/agent/CMakeLists.txt
        return not any(path.is_relative_to(ROOT / folder) for folder in AGENT_SIDE)
    if files == "library":
        return path.is_relative_to(ROOT / "src") and not path.is_relative_to(ROOT / "src/cli") \
            and not path.name.endswith("_test.cc")
    return True


def check_file(path, text):
    """Yields (rule, line number, words)."""
    lines = text.split("\n")
    is_code = path.suffix in CODE
    if is_code:
        if len(lines) > MAX_LINES:
            yield "file-size", len(lines), f"{len(lines)} lines, more than {MAX_LINES}: split by idea"
    if path.suffix == ".h" and path.is_relative_to(ROOT / "src"):
        head = re.match(r"(?://[^\n]*\n)+", text)
        if not head:
            yield "header-comment", 1, "a header begins with a comment: what it owns, thread rule, invariants"
        elif not THREAD_TAG.search(head[0]):
            yield "thread-tag", 1, "the header comment names the thread rule: [MT], [one thread] or [signal-safe]"
        if "#pragma once" not in text:
            yield "pragma-once", 1, "no #pragma once"
    if path.suffix == ".cc" and path.is_relative_to(ROOT / "src") and not text.startswith("//") \
            and not path.with_suffix(".h").exists() and not path.name.endswith("_test.cc"):
        yield "file-comment", 1, "a file without a header of its name begins with a comment: what it owns"
    for rule, pattern, files, reason in BANNED:
        if not applies(files, path):
            continue
        for number, line in enumerate(lines, 1):
            code = line if rule in ("machine-path", "todo") else without_comments_and_strings(line)
            if rule == "raw-new" and "unique_ptr<" in code:
                continue  # a private constructor: owned at once
            if pattern.search(code):
                yield rule, number, reason


def read_exceptions():
    exceptions = {}
    if EXCEPTIONS.exists():
        for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                path, rule, reason = line.split(maxsplit=2)
                exceptions[(path, rule)] = reason
    return exceptions


def main():
    exceptions, used, problems = read_exceptions(), set(), []
    count = 0
    for path in tracked_files():
        name = str(path.relative_to(ROOT))
        if path.suffix not in TEXT or name.startswith("tests/data/") or path == pathlib.Path(__file__).resolve():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        for rule, number, words in check_file(path, text):
            if (name, rule) in exceptions:
                used.add((name, rule))
            else:
                problems.append(f"{name}:{number}: {rule}: {words}")
    for name, rule in sorted(exceptions.keys() - used):
        problems.append(f"tools/style_exceptions.txt: {name} {rule} is not needed any more")
    for problem in problems:
        print(problem)
    print(f"style: {count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
