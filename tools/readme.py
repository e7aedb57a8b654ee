#!/usr/bin/env python3
"""Keeps the command outputs in README.md and docs/ true.

In a fenced block that begins with ```console, each line `$ COMMAND` is run by bash in the repository's folder with the
built `warpscope` on the path, and the lines up to the next `$` or the end of the block are its output.
`--check` (default) compares and prints the differences, `--update` rewrites. A block whose fence says
```console no-run is left alone.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def output_of(command, binary):
    env = dict(os.environ, PATH=f"{binary.parent}:{os.environ['PATH']}", COLUMNS="100", NO_COLOR="1", LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return "\n".join(line.rstrip() for line in done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")) + "\n"


def renew(text, binary):
    """The text with every output made anew."""

    def block(match):
        commands = [line for line in match[1].split("\n") if line.startswith("$ ")]
        parts = [f"{command}\n{output_of(command[2:], binary)}" for command in commands]
        return "```console\n" + "\n".join(parts) + "```"

    return FENCE.sub(block, text)


def main():
    parser = argparse.ArgumentParser(description="checks the command outputs in documents")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true")
    group.add_argument("--update", action="store_true")
    args = parser.parse_args()
    binary = pathlib.Path(args.binary).resolve()
    passed = failed = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        before = path.read_text(encoding="utf-8")
        if not FENCE.search(before):
            continue
        after = renew(before, binary)
        if after == before:
            passed += 1
        elif args.update:
            path.write_text(after, encoding="utf-8")
            print(f"updated {path.relative_to(ROOT)}")
            passed += 1
        else:
            failed += 1
            print(f"{path.relative_to(ROOT)} differs from what the program prints (tools/readme.py --update):")
            print("\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), "document", "program",
                                                 lineterm="", n=1)))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
