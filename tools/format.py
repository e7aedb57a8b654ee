#!/usr/bin/env python3
"""Runs clang-format over the C++ files of the repository; --check only reports those that would change."""
import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description="formats the C++ files")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if a file would change")
    parser.add_argument("file", nargs="*", help="only these")
    args = parser.parse_args()
    program = shutil.which("clang-format") or shutil.which("clang-format-14")
    if not program:
        print("format: clang-format is not installed (./dev lint installs it)", file=sys.stderr)
        return 2
    files = args.file or subprocess.run(["git", "ls-files", "*.h", "*.cc"], cwd=ROOT, capture_output=True, text=True,
                                        check=True).stdout.split()
    if not args.check:
        return subprocess.run([program, "-i", *files], cwd=ROOT).returncode
    changed = []
    for name in files:
        before = (ROOT / name).read_bytes()
        after = subprocess.run([program, name], cwd=ROOT, capture_output=True, check=True).stdout
        if before != after:
            changed.append(name)
            print(f"{name}: not formatted (./dev format)")
    print(f"format: {len(files)} files, {len(changed)} to change")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
