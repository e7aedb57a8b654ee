"""Parts of documents that a program writes: between <!-- NAME --> and <!-- end of NAME -->."""


def holds(path, name, text, update):
    """Whether the document holds the text between the marks (after `update`: always)."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, mark, rest = path.read_text(encoding="utf-8").partition(begin)
    held, closing, after = rest.partition(end)
    if not mark or not closing:
        print(f"{path}: no {begin} ... {end}")
        return False
    if held.strip() == text.strip():
        return True
    if update:
        path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
        return True
    print(f"{path} does not hold what came out between {begin} and {end}: run it again with --update")
    return False
