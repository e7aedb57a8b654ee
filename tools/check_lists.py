#!/usr/bin/env python3
"""Compares each explicit list with the files that it lists, so that neither can be forgotten.

Rules, importers and commands register themselves in one sorted .def file each (no static constructors). This fails if
an entry has no file, a file has no entry, or the entries are not sorted.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# list file, what its names stand for, function that yields the names that exist
LISTS = [
    ("src/import/importers.def", "a folder src/import/NAME/ whose header declares kImporter",
     lambda: (path.name for path in (ROOT / "src/import").iterdir() if path.is_dir() and any(
         re.search(r"^extern const Importer k", header.read_text(encoding="utf-8"), re.M)
         for header in path.glob("*.h")))),
    ("src/rules/rules.def", "a file src/rules/LAYER/NAME.cc that defines a Rule",
     lambda: (path.stem for path in (ROOT / "src/rules").glob("*/*.cc")
              if re.search(r"^(?:extern )?const Rule k", path.read_text(encoding="utf-8"), re.M))),
    ("src/rules/measurements/kernel/causes.def", "a file src/rules/measurements/kernel/NAME.cc that defines a KernelCause",
     lambda: (path.stem for path in (ROOT / "src/rules/measurements/kernel").glob("*.cc")
              if re.search(r"^const KernelCause k", path.read_text(encoding="utf-8"), re.M))),
    ("src/cli/commands.def", "a file src/cli/commands/NAME.cc",
     lambda: (path.stem for path in (ROOT / "src/cli/commands").glob("*.cc") if not path.name.endswith("_test.cc"))),
    ("src/doctor/chain.def", "a file src/doctor/chain/NAME.cc (the order is that of the chain)",
     lambda: (path.stem for path in (ROOT / "src/doctor/chain").glob("*.cc"))),
    ("src/doctor/health.def", "a file src/doctor/health/NAME.cc (what loses work first)",
     lambda: (path.stem for path in (ROOT / "src/doctor/health").glob("*.cc") if path.stem != "looks")),
    ("src/explain/families.def", "a file src/explain/entries/NAME.cc that defines entries",
     lambda: (path.stem for path in (ROOT / "src/explain/entries").glob("*.cc"))),
    ("src/export/exporters.def", "a file src/export/NAME.cc that defines an Exporter",
     lambda: (path.stem for path in (ROOT / "src/export").glob("*.cc") if not path.name.endswith("_test.cc")
              if re.search(r"^(?:extern )?const Exporter k", path.read_text(encoding="utf-8"), re.M))),
    ("src/rules/rules.def", "a page docs/rules/NAME.md",
     lambda: (path.stem for path in (ROOT / "docs/rules").glob("*.md") if path.stem != "README")),
]
ORDERED = {"src/doctor/chain.def", "src/doctor/health.def"}  # whose order means something else
ROW = re.compile(r"^\s*[A-Z_]+\(\s*\"?(\w+)\"?", re.M)


def main():
    problems, count = [], 0
    for name, meaning, existing in LISTS:
        path = ROOT / name
        if not path.exists():
            continue
        count += 1
        listed = ROW.findall(re.sub(r"//.*", "", path.read_text(encoding="utf-8")))
        files = set(existing())
        problems += [f"{name}: {entry} stands for no file ({meaning})" for entry in listed if entry not in files]
        problems += [f"{name}: no line for {entry} ({meaning})" for entry in sorted(files - set(listed))]
        if name not in ORDERED and listed != sorted(listed):
            problems.append(f"{name}: not sorted")
    for problem in problems:
        print(problem)
    print(f"lists: {count} lists, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
