#!/usr/bin/env python3
"""Scores verdicts against recordings whose cause and gain are known.

A folder of cases holds NAME.before.json.gz (and, for most, NAME.after.json.gz) and truth.json: {"cases": {NAME:
{"cause": id or "none", "accept": [ids], "must_not_claim": [ids or words], "before_ms", "after_ms"}}}, step times
measured without a profiler. Each case is analysed as it is and with --step-ms before_ms. "first" is right if it is the
cause or accepted; a control (cause none) is clean if its first finding is device_saturated or none, or claims under
3 %. The gain error compares predicted and measured speed-up of the finding of the cause's own id; "in" says whether the
measured step after the fix lies in the predicted interval. With --document the table of that file is compared with what
comes out (--update: written): the gain is the share of the step's time that is saved, its error a share of it.

Without cases (default ../shared/cases) it says so and exits 77.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

import marked_text
import measured_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
NOTHING = ("device_saturated", "none")
SMALL_GAIN_PCT = 3.0


def analyse(binary, path, step_ms=None):
    words = [binary, "analyze", "--json", "--all", str(path)]
    if step_ms is not None:
        words[3:3] = ["--step-ms", str(step_ms)]
    result = measured_run.run(words, 300)
    if result.status != 0 or result.timed_out:
        return None, f"exit status {result.status}: {result.stderr.strip()[:200]}"
    return json.loads(result.stdout), ""


def standing(verdict):
    """Findings that stand for themselves, in the order shown."""
    return [finding for finding in verdict["findings"] if not finding.get("caused_by")]


def score_prediction(finding, truth):
    """(predicted speed-up, measured speed-up, interval hit, interval width as a factor, (low, high) gain) or None."""
    predicted = finding.get("predicted") if finding else None
    if not predicted or not predicted.get("step_ms_after") or not truth.get("after_ms"):
        return None
    measured = truth["before_ms"] / truth["after_ms"]
    measured_pct = 100 * (1 - truth["after_ms"] / truth["before_ms"])
    speedup = predicted["step_ms_before"] / predicted["step_ms_after"]
    low, high = predicted["low_pct"], predicted["high_pct"]
    width = (100 - low) / max(100 - high, 0.01)
    return speedup, measured, low <= measured_pct <= high, width, (low, high)


class Score:
    def __init__(self):
        self.first = self.top3 = self.causes = self.controls = self.clean = self.forbidden = self.failed = 0
        self.gains = {"plain": [], "step-ms": []}
        self.rows = []  # Markdown's cells of each case
        self.gain_errors = []  # of the gain, shares of the measured one


def score_case(name, truth, path, binary, score):
    verdict, problem = analyse(binary, path)
    if verdict is None:
        score.failed += 1
        print(f"{name:28} FAILED {problem}")
        return
    found = standing(verdict)
    ids = [finding["id"] for finding in found]
    right = {truth["cause"], *truth.get("accept", [])}
    first = ids[0] if ids else "none"
    words = f"{name:28} {truth['cause']:20} "
    forbidden = first in truth.get("must_not_claim", []) and first not in right
    if truth["cause"] == "none":
        gain = (found[0].get("predicted") or {}).get("gain_pct", 0) if found else 0
        clean = not forbidden and (first in NOTHING or first in right or gain < SMALL_GAIN_PCT)
        score.controls += 1
        score.clean += clean
        words += f"{'clean' if clean else 'ALARM':6} first {first} ({gain:.1f} %)"
        score.rows.append([name, "none", "clean" if clean else "false alarm", first, "-", "-", "-"])
    else:
        place = next((index for index, each in enumerate(ids) if each in right), None)
        # The measured gain is that of the cause's own fix: an accepted answer may be worth something else.
        exact = next((finding for finding in verdict["findings"] if finding["id"] == truth["cause"]), None)
        score.causes += 1
        score.first += place == 0
        score.top3 += place is not None and place < 3
        words += f"{'ok' if place == 0 else '#' + str(place + 1) if place is not None else 'MISS':6} "
        words += f"first {first:20} "
        row = [name, truth["cause"], str(place + 1) if place is not None else "not named", first, "none", "-", "-"]
        if truth.get("after_ms"):
            row[5] = f"{100 * (1 - truth['after_ms'] / truth['before_ms']):.1f} %"
        with_step, _ = analyse(binary, path, truth["before_ms"])
        exact_step = next((each for each in with_step["findings"] if each["id"] == truth["cause"]), None) \
            if with_step else None
        for label, finding in (("plain", exact), ("step-ms", exact_step)):
            scored = score_prediction(finding, truth)
            if scored is None:
                words += f"| {label}: no prediction "
                continue
            speedup, measured, hit, width, (low, high) = scored
            if label == "plain":
                gain, saved = 1 - 1 / speedup, 1 - 1 / measured
                score.gain_errors.append(abs(gain - saved) / abs(saved) if saved else 0)
                row[4], row[6] = f"{100 * gain:.1f} % ({low:.0f} to {high:.0f})", "yes" if hit else "no"
            score.gains[label].append((abs(math.log(speedup / measured)), hit, width))
            words += f"| {label}: x{speedup:.2f} of x{measured:.2f} {'in' if hit else 'OUT'} (width {width:.2f}) "
        score.rows.append(row)
    if forbidden:
        score.forbidden += 1
        words += " FORBIDDEN"
    print(words, flush=True)


def share_of(values, share):
    """The value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def markdown(score):
    head = ["case", "planted", "place of the cause", "first finding", "predicted gain (between)", "measured gain", "inside"]
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *score.rows]]
    text = "\n".join(lines) + f"\n\nFirst finding right: {score.first} of {score.causes}; in the first three: {score.top3}. " \
        f"Healthy controls without a false finding: {score.clean} of {score.controls}."
    if score.gain_errors:
        hits = sum(hit for _, hit, _ in score.gains["plain"])
        text += f" Error of the gain, as a share of the measured one: median {100 * statistics.median(score.gain_errors):.1f} %, " \
            f"nine of ten within {100 * share_of(score.gain_errors, 0.9):.0f} % ({len(score.gain_errors)} predictions; the " \
            f"interval holds the measured gain in {hits})."
    return text


def summary(score):
    if score.gain_errors:
        print(f"gain off by (median) {100 * statistics.median(score.gain_errors):.1f} % of it, nine of ten within "
              f"{100 * share_of(score.gain_errors, 0.9):.0f} %")
    if score.causes:
        print(f"first right: {score.first}/{score.causes}; in the first three: {score.top3}/{score.causes}; "
              f"forbidden claims: {score.forbidden}; failed: {score.failed}")
    if score.controls:
        print(f"controls clean: {score.clean}/{score.controls}")
    for label, gains in score.gains.items():
        if gains:
            errors = [100 * (math.exp(error) - 1) for error, _, _ in gains]
            print(f"{label:8} speed-up off by (median) {statistics.median(errors):.0f} %, worst {max(errors):.0f} %; "
                  f"interval holds the truth {sum(hit for _, hit, _ in gains)}/{len(gains)}; "
                  f"its width (median, slowest/fastest) {statistics.median(width for _, _, width in gains):.2f}")


def main():
    parser = argparse.ArgumentParser(description="scores verdicts against known causes and gains")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/warpscope"))
    parser.add_argument("--min-first", type=float, default=0, help="fail if fewer first findings (0..1) are right")
    parser.add_argument("--max-alarms", type=int, help="controls that may get a false finding")
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("folder", nargs="?", default=str(ROOT.parent / "shared" / "cases"))
    parser.add_argument("filter", nargs="*", help="only cases whose name holds one of these")
    args = parser.parse_args()
    folder = pathlib.Path(args.folder)
    if not (folder / "truth.json").exists():
        print(f"no cases at {folder}: skipped")
        return SKIPPED
    score = Score()
    for name, truth in sorted(json.loads((folder / "truth.json").read_text(encoding="utf-8"))["cases"].items()):
        if args.filter and not any(part in name for part in args.filter):
            continue
        before = next((path for path in sorted(folder.glob(f"{name}.before.*json*"))), None) or \
            next((path for path in sorted(folder.glob(f"{name}.json*"))), None)
        if before is None:
            continue
        score_case(name, truth, before, args.binary, score)
        after = next((path for path in sorted(folder.glob(f"{name}.after.*json*"))), None)
        if after is not None:
            verdict, problem = analyse(args.binary, after)
            found = standing(verdict) if verdict else []
            again = any(finding["id"] == truth["cause"] for finding in found[:1])
            words = problem if verdict is None else f"first {found[0]['id'] if found else 'none'}"
            print(f"{name + ' (fixed)':28} {'':20} {'STILL' if again else '':6} {words}", flush=True)
    summary(score)
    bad = score.failed > 0 or score.first < args.min_first * score.causes
    bad |= args.max_alarms is not None and score.controls - score.clean > args.max_alarms
    if args.document:
        bad |= not marked_text.holds(args.document, "cases", markdown(score), args.update)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
