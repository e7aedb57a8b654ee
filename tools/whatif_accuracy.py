#!/usr/bin/env python3
"""How well the replay reproduces recordings, and how near its base step is to the step without a profiler.

For each recording: error of the structural replay against the recording (step, waits, 95th percentile of the device
items' start), the recorded step, the base step (corrected for what recording cost) without and with --step-ms, and the
true step where a truth.json beside the recordings tells it. Folders that are absent are left out; without any, exits 77.
"""
import argparse
import json
import pathlib
import statistics
import sys

import measured_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
FOLDERS = [SHARED / "cases", SHARED / "traces", SHARED / "traces" / "ranks", SHARED / "corpus" / "kineto"]
# Step times without a profiler of recordings that have no truth.json (traces/ORIGIN.md).
KNOWN_MS = {"tiny": 7.4, "slowloader": 36.6, "tf": 33.4, "graph": 2.30,
            "balanced.rank0": 22.4, "balanced.rank1": 22.4, "straggler.rank0": 28.1, "straggler.rank1": 28.1}
SKIPPED = 77


def recordings(folder):
    return sorted(path for path in folder.glob("*") if path.name.endswith((".json.gz", ".json", ".tar.gz"))
                  and path.name not in ("truth.json", "crosscheck.json"))


def true_steps(folder):
    truth = folder / "truth.json"
    steps = dict(KNOWN_MS)
    if truth.exists():
        for name, case in json.loads(truth.read_text())["cases"].items():
            for side in ("before", "after"):
                if f"{side}_ms" in case:
                    steps[f"{name}.{side}"] = case[f"{side}_ms"]
    return steps


def row(binary, path, true_ms):
    words = [binary, str(path)] + ([str(true_ms)] if true_ms else [])
    result = measured_run.run(words, 300)
    fields = result.stdout.strip().split("\t")
    if result.status != 0 or not fields[0]:
        return {"error": f"exit status {result.status}"}
    if fields[0] == "error":
        return {"error": fields[1]}
    keys = ("steps", "step_error", "wait_error", "start_p95_us", "recorded", "base", "given", "build_ms", "notes")
    return dict(zip(keys, fields))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/replay_accuracy"))
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    folders = [folder for folder in (args.folders or FOLDERS) if folder.is_dir()]
    if not folders:
        print("no recordings here: nothing to measure")
        return SKIPPED
    errors, replayed, refused = [], [], []
    print(f"{'recording':44} {'steps':>5} {'step%':>7} {'wait%':>7} {'p95us':>8} {'recorded':>9} {'base':>9} "
          f"{'given':>9} {'true':>9} {'base%':>7}")
    for folder in folders:
        known = true_steps(folder)
        for path in recordings(folder):
            name = path.name.split(".json")[0].split(".pt.trace")[0]
            true_ms = known.get(name)
            cells = row(args.binary, path, true_ms)
            if "error" in cells:
                refused.append((name, cells["error"]))
                continue
            replayed.append(abs(float(cells["step_error"])))
            base_error = ""
            if true_ms and not 0.75 < float(cells["recorded"]) / true_ms < 6:
                base_error = "unit"  # another unit was found to repeat than the one timed
            elif true_ms:
                error = 100 * (float(cells["base"]) / true_ms - 1)
                errors.append(abs(error))
                base_error = f"{error:+.1f}"
            print(f"{name[:44]:44} {cells['steps']:>5} {cells['step_error']:>7} {cells['wait_error']:>7} "
                  f"{cells['start_p95_us']:>8} {float(cells['recorded']):9.3f} {float(cells['base']):9.3f} "
                  f"{cells['given']:>9} {true_ms if true_ms else '':>9} {base_error:>7}")
    for name, reason in refused:
        print(f"{name[:44]:44} refused: {reason[-150:]}")
    if replayed:
        within = sum(error <= 2 for error in replayed)
        print(f"\nreplay within 2 % of the recording: {within} of {len(replayed)}; worst {max(replayed):.1f} %")
    if errors:
        errors.sort()
        print(f"base step against the true one, {len(errors)} recordings: median {statistics.median(errors):.1f} %, "
              f"p90 {errors[int(0.9 * (len(errors) - 1))]:.1f} %, worst {errors[-1]:.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
