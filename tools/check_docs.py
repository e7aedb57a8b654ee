#!/usr/bin/env python3
"""Every document and tool that a file of the tree names exists: links in Markdown, docs/ and tools/ paths in comments."""
import pathlib
import re
import sys

import check_style

ROOT = check_style.ROOT
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MENTION = re.compile(r"(?<![\w/.-])((?:docs|tools|bench|tests)/[\w./-]*\w\.(?:md|py|txt|json|def))(?![\w.]*\w)")


def named_in(path, text):
    """Yields (line number, what is named, where it would lie)."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith("```")
        if path.suffix == ".md" and not fenced:
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if "://" not in target:
                    yield number, target, path.parent / target
        for target in MENTION.findall(line):
            yield number, target, ROOT / target


def exit_codes(name):
    """Rows of the table of exit codes; docs/commands.md has those of the program."""
    return re.findall(r"^\| \d+ \|.*$", (ROOT / name).read_text(encoding="utf-8"), re.M)


def main():
    problems, count = [], 0
    for path in check_style.tracked_files():
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".md", ".h", ".cc", ".py", ".txt", ".def", "") or name.startswith("tests/data/kineto/"):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, target, place in named_in(path, text):
            count += 1
            if "NAME" not in target and not place.exists() and not (path.parent / target).exists():
                problems.append(f"{name}:{number}: there is no {target}")
    if exit_codes("README.md") != exit_codes("docs/commands.md"):
        problems.append("README.md: its table of exit codes is not that of docs/commands.md")
    for problem in problems:
        print(problem)
    print(f"docs: {count} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
