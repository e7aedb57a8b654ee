#!/usr/bin/env python3
"""Runs everything that ctest knows in a build folder, counts the single tests, and ends with one plain line.

ctest counts a test program as one; this reads the number of cases from each: Google Test programs through their XML
report, others through a last line 'N passed, N failed[, N skipped]', the rest by exit status (77 = skipped).
Exit status: 0 if something ran and nothing failed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

SKIPPED_STATUS = 77
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def known_tests(build):
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True,
                          check=True).stdout
    for test in json.loads(text)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if "command" in test:
            yield test["name"], test["command"], properties


def gtest_counts(report):
    """(passed, failed, skipped) of a Google Test XML report; None if there is none."""
    try:
        root = xml.parse(report).getroot()
    except (OSError, xml.ParseError):
        return None
    cases = [case for case in root.iter("testcase") if case.get("status") == "run"]
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def run_one(name, command, properties, folder):
    report = os.path.join(folder, name + ".xml")
    env = dict(os.environ, GTEST_OUTPUT=f"xml:{report}")
    timeout = float(properties.get("TIMEOUT", 900))
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=properties.get("WORKING_DIRECTORY"), env=env, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        status, output = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        status, output = -1, (error.stdout or b"").decode("utf-8", "replace") + f"\nno end after {timeout:.0f} s\n"
    seconds = time.monotonic() - begin
    counts = gtest_counts(report)
    if counts is None:
        last = SUMMARY.findall(output)
        if last:
            counts = tuple(int(number or 0) for number in last[-1])
        else:
            counts = (0, 0, 1) if status == SKIPPED_STATUS else (int(status == 0), int(status != 0), 0)
    if status not in (0, SKIPPED_STATUS) and counts[1] == 0:
        counts = (counts[0], 1, counts[2])  # it died after its last report
    return status, output, counts, seconds


def main():
    parser = argparse.ArgumentParser(description="runs the tests of a build folder")
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("filter", nargs="*", help="only tests whose name holds one of these")
    args = parser.parse_args()
    tests = [test for test in known_tests(args.build)
             if not args.filter or any(part in test[0] for part in args.filter)]
    total = [0, 0, 0]
    with tempfile.TemporaryDirectory(prefix="warpscope-tests-") as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [(name, pool.submit(run_one, name, command, properties, folder))
                   for name, command, properties in tests]
        for name, future in futures:
            status, output, counts, seconds = future.result()
            total = [sum(pair) for pair in zip(total, counts)]
            failed = counts[1] > 0
            if failed:
                print(f"---- output of {name} (exit status {status})\n{output.rstrip()}\n----")
            skipped = f", {counts[2]} skipped" if counts[2] else ""
            print(f"{'FAILED' if failed else 'ok':6} {name}: {counts[0]} passed, {counts[1]} failed{skipped}"
                  f" ({seconds:.1f} s)", flush=True)
    print(f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 0 if total[1] == 0 and total[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
