#!/usr/bin/env python3
"""How much of what `analyze` says is translated, over every recording that lies at hand.

Runs `analyze --json` with and without --lang zh on the recordings of tests/data, of the golden cases and of
../shared/cases (where it is; with --everything also its traces and corpus), and compares text by text: one that is the
same in both, though it holds prose, has no translation. Ids, names, numbers and every other field must be equal. Prints the share; fails below --least.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROSE = re.compile(r"(?:\b[A-Za-z][a-z']+[,;]? ){2}[a-z]{2,}")
CODE = re.compile(r"`[^`]*`|nsys profile .*?\.py|First: .*|首例.*|\S+ at \S+: \w+|\"[^\"]*\"|<[^>]*>")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
TEXTS = {"answer", "label", "title", "text", "verify", "concept", "reason", "record_instead", "message", "notes"}


def texts(document, other, path, found):
    """Pairs of texts that may be translated; anything else that differs is reported as a pair with path '!'."""
    if isinstance(document, dict):
        if not isinstance(other, dict) or document.keys() != other.keys():
            found.append(("!" + path, str(document), str(other)))
            return
        for key in document:
            texts(document[key], other[key], key, found)
    elif isinstance(document, list):
        if not isinstance(other, list) or len(document) != len(other):
            found.append(("!" + path, str(document), str(other)))
            return
        for a, b in zip(document, other):
            texts(a, b, path, found)
    elif path in TEXTS and isinstance(document, str):
        found.append((path, document, other))
    elif document != other:
        found.append(("!" + path, str(document), str(other)))


def is_prose(text):
    return bool(PROSE.search(CODE.sub("", text)))


def recordings(everything):
    for path in sorted((ROOT / "tests" / "data").glob("*/*")):
        if path.suffix in (".gz", ".csv", ".txt", ".xml") and not path.name.endswith(".table.txt"):
            yield path
    for case in sorted((ROOT / "tests" / "golden").glob("*/*")):
        for path in sorted(case.rglob("*")):
            if path.is_file() and path.name != "case.test" and path.stat().st_size < 1 << 20:
                yield path
    shared = ROOT.parent / "shared"
    for folder in ("cases", "traces", "corpus") if everything else ("cases",):
        for path in sorted((shared / folder).glob("**/*")):
            if path.is_file() and path.stat().st_size < 4 << 20 and not path.name.endswith((".md", ".py")):
                yield path


def compare(binary, path):
    documents = []
    for language in ("en", "zh"):
        try:
            done = subprocess.run([binary, "analyze", str(path), "--json", "--lang", language], capture_output=True,
                                  timeout=60)
            documents.append(json.loads(done.stdout))
        except (ValueError, subprocess.TimeoutExpired):
            return []
    found = []
    texts(documents[0], documents[1], "", found)
    return found


def main():
    parser = argparse.ArgumentParser(description="share of translated texts of verdicts")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--least", type=float, default=0, help="fail below this share, in percent")
    parser.add_argument("--list", action="store_true", help="print each text without a translation, most frequent first")
    parser.add_argument("--everything", action="store_true")
    parser.add_argument("filter", nargs="*")
    args = parser.parse_args()
    paths = [p for p in recordings(args.everything) if not args.filter or any(word in str(p) for word in args.filter)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: compare(args.binary, path), paths))
    total, missing, files, failed = 0, {}, 0, 0
    for path, found in zip(paths, results):
        files += bool(found)
        for name, english, chinese in found:
            if name.startswith("!"):
                print(f"{path}: {name[1:]} differs: {english[:80]} / {chinese[:80]}")
                failed += 1
                continue
            if english == chinese and not is_prose(english):
                continue
            total += 1
            # Half a translation is none.
            if english == chinese or not CHINESE.search(chinese) or is_prose(chinese):
                if english == chinese or is_prose(chinese):
                    missing[(name, english, chinese)] = missing.get((name, english, chinese), 0) + 1
    left = sum(missing.values())
    if args.list:
        for (name, english, chinese), count in sorted(missing.items(), key=lambda item: -item[1]):
            print(f"{count:5} {name}: {english}" + ("" if english == chinese else f"\n      -> {chinese}"))
    share = 100 * (total - left) / total if total else 100.0
    print(f"{files} recordings, {total} texts, {left} without a translation: {share:.2f} % translated")
    if share < args.least:
        print(f"less than {args.least} %: tools/lang_coverage.py --list names them")
        failed += 1
    passed = int(failed == 0)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
