#!/usr/bin/env python3
"""Fails when a folder of src/ includes one that it may not, or when folders depend on each other in a circle.

The one table of allowed directions is the table "Folders" of docs/architecture.md: a row per folder, its last column
names the folders that it may include. Files of tests (*_test.cc, src/*/testing/) obey it as well.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `src/(\w+)/` \|.*\| ([^|]*) \|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
DEPS = re.compile(r"ws_library\((\w+)([^)]*)\)")


def read_table():
    """{folder: set of folders it may include}."""
    table = {}
    for folder, allowed in ROW.findall(TABLE.read_text(encoding="utf-8")):
        table[folder] = set() if allowed.strip() == "nothing" else set(re.findall(r"\w+", allowed))
    return table


def find_cycle(graph):
    """A list of folders in a circle, or None."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for following in sorted(graph.get(node, ())):
            if state.get(following) == "open":
                return path[path.index(following):] + [following]
            if following not in state:
                cycle = visit(following)
                if cycle:
                    return cycle
        path.pop()
        state[node] = "done"
        return None

    for node in sorted(graph):
        if node not in state:
            cycle = visit(node)
            if cycle:
                return cycle
    return None


def check_includes(table):
    """Problems of #include lines, and the edges that really exist."""
    problems, edges = [], {}
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".h", ".cc", ".def"):
            continue
        folder = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            where = f"{path.relative_to(ROOT)}:{number}"
            target = match[1].split("/")[0]
            if not (ROOT / "src" / match[1]).is_file():
                if not (ROOT / "src" / target).is_dir():
                    continue  # a generated file or one of a library
                problems.append(f"{where}: no file src/{match[1]} (paths start at src/)")
            elif target != folder and target not in table.get(folder, set()):
                problems.append(f"{where}: {folder} may not include {target} (docs/architecture.md)")
            if target != folder:
                edges.setdefault(folder, set()).add(target)
    return problems, edges


def check_links(table):
    """The libraries that a folder's CMakeLists.txt links follow the same table."""
    problems = []
    for path in sorted((ROOT / "src").glob("*/CMakeLists.txt")):
        folder = path.parent.name
        for _, rest in DEPS.findall(path.read_text(encoding="utf-8")):
            for library in re.findall(r"\bws_(\w+)", rest):
                if library not in table.get(folder, set()):
                    problems.append(f"{path.relative_to(ROOT)}: {folder} may not link {library} (docs/architecture.md)")
    return problems


def main():
    table = read_table()
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    problems = [f"docs/architecture.md: no row for src/{folder}/" for folder in sorted(folders - table.keys())]
    problems += [f"docs/architecture.md: there is no src/{folder}/" for folder in sorted(table.keys() - folders)]
    include_problems, edges = check_includes(table)
    problems += include_problems + check_links(table)
    for name, graph in (("allowed", table), ("real", edges)):
        cycle = find_cycle(graph)
        if cycle:
            problems.append(f"circle among {name} directions: {' > '.join(cycle)}")
    for problem in problems:
        print(problem)
    print(f"layers: {len(folders)} folders, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
