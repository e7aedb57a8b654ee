#!/usr/bin/env python3
"""Runs clang-tidy (configured by .clang-tidy) on the .cc files changed against main, or with --all on every one.

Needs a configured build folder with compile_commands.json. A changed header counts as a change of every .cc of its
folder. Exit status 1 if there is a finding.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed_files():
    base = next((name for name in ("origin/main", "main") if git("rev-parse", "--verify", "-q", name)), "HEAD")
    since = (git("merge-base", base, "HEAD") or ["HEAD"])[0]
    names = git("diff", "--name-only", since) + git("ls-files", "--others", "--exclude-standard")
    return {name for name in names if name.endswith((".cc", ".h"))}


def main():
    parser = argparse.ArgumentParser(description="clang-tidy over changed files")
    parser.add_argument("--build", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("file", nargs="*", help="only these .cc files")
    args = parser.parse_args()
    program = shutil.which("clang-tidy") or shutil.which("clang-tidy-14")
    if not program:
        print("tidy: clang-tidy is not installed (./dev lint installs it)", file=sys.stderr)
        return 2
    with open(os.path.join(args.build, "compile_commands.json"), encoding="utf-8") as stream:
        known = {str(pathlib.Path(entry["file"]).relative_to(ROOT)) for entry in json.load(stream)
                 if pathlib.Path(entry["file"]).is_relative_to(ROOT)}
    if args.file:
        chosen = {name for name in known if name in args.file}
    elif args.all:
        chosen = known
    else:
        changed = changed_files()
        header_folders = {os.path.dirname(name) for name in changed if name.endswith(".h")}
        chosen = {name for name in known if name in changed or os.path.dirname(name) in header_folders}

    def tidy(name):
        done = subprocess.run([program, "-p", args.build, "--quiet", name], cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        names = sorted(chosen)
        for name, (status, output) in zip(names, pool.map(tidy, names)):
            if status != 0 or output.strip():
                bad += 1
                print(output.strip() or f"{name}: clang-tidy failed")
    print(f"tidy: {len(chosen)} files, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
