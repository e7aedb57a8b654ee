#!/usr/bin/env python3
"""Builds and tests the report's browser part (web/), as far as node and npm are there.

  web.py --build    npm ci where needed, then web/ into build/web/report.html, unless it is newer than its sources
  web.py --test     build, unit tests (Vitest), and the reports opened in a headless Chromium; last line 'N passed, N failed'
Exit status 77 when npm, the packages or (with --test) a Chromium are missing: nothing else of the tree needs them.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "build" / "web" / "report.html"
MISSING = 77


def say(text):
    print(f"web: {text}", flush=True)


def run(*command):
    return subprocess.run(command, cwd=WEB, stdin=subprocess.DEVNULL).returncode


def packages():
    """Installs what the lock file names, once for each state of it."""
    installed = WEB / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (WEB / "package-lock.json").stat().st_mtime:
        return True
    if shutil.which("npm") is None:
        say("npm is not installed; ./dev web installs it")
        return False
    say("npm ci")
    if run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error") != 0:
        say("the packages could not be fetched")
        return False
    os.utime(installed)
    return True


def sources():
    for folder in ("src", "."):
        pattern = "**/*" if folder == "src" else "*"
        for path in (WEB / folder).glob(pattern):
            if path.is_file():
                yield path


def build():
    if PAGE.exists() and all(path.stat().st_mtime <= PAGE.stat().st_mtime for path in sources()):
        return 0
    if not packages():
        return MISSING
    if run("npm", "run", "--silent", "build") != 0:
        return 1
    say(f"{PAGE.relative_to(ROOT)}: {PAGE.stat().st_size / 1000:.0f} kB")
    return 0


def unit_tests():
    """(passed, failed) of Vitest's own report."""
    with tempfile.TemporaryDirectory(prefix="warpscope-web-") as folder:
        report = pathlib.Path(folder) / "report.json"
        status = run("npx", "--no-install", "vitest", "run", "--reporter=default", "--reporter=json", f"--outputFile.json={report}")
        try:
            counts = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return 0, 1
    failed = counts["numFailedTests"] + counts["numFailedTestSuites"]
    return counts["numPassedTests"], failed or int(status != 0)


def browser_tests():
    """(passed, failed, skipped) of tests/browser."""
    done = subprocess.run(["node", "tests/browser/run.mjs", str(PAGE)], cwd=WEB, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode == MISSING:
        return 0, 0, 1
    counts = [line.split() for line in done.stdout.splitlines() if " passed, " in line]
    if not counts:
        return 0, 1, 0
    return int(counts[-1][0]), max(int(counts[-1][2]), int(done.returncode != 0)), 0


def test():
    if not packages():
        return MISSING
    if build() != 0:
        print("0 passed, 1 failed")
        return 1
    unit = unit_tests()
    browser = browser_tests()
    passed, failed = unit[0] + browser[0], unit[1] + browser[1]
    print(f"{passed} passed, {failed} failed" + (f", {browser[2]} skipped" if browser[2] else ""))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="builds and tests the report's browser part")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--build", action="store_true")
    what.add_argument("--test", action="store_true")
    args = parser.parse_args()
    return build() if args.build else test()


if __name__ == "__main__":
    sys.exit(main())
