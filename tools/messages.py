#!/usr/bin/env python3
"""The sentences that the program can print, as templates, and how much of them src/lang/zh/ translates.

A sentence is built in C++ from literals and values: "the GPU is busy " + Pct(x) + " of the step". This script reads the
sources and writes such a chain as one template: the GPU is busy {n} of the step. Holes: {n} a quantity with its unit,
{n:copy} "1 copy" or "3 copies" (rules::Plural), {} anything. What stands in ?: or comes from another function is a
template of its own.

src/lang/zh/joined.tsv holds what is put together at run time from several such pieces; there each piece must still
stand in a source.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "src" / "lang" / "zh"
# Folders and files whose literals reach the user in sentences.
SOURCES = ["src/rules", "src/view", "src/report", "src/analysis", "src/model", "src/import", "src/record", "src/faults",
           "src/explain", "src/device", "src/doctor", "src/baseline", "src/cli", "src/query"]
QUANTITIES = {"Ms", "Ns", "Pct", "Count", "Bytes", "Times", "Number", "to_string", "FormatMs", "FormatNs", "FormatPct",
              "FormatCount", "FormatBytes", "FormatDuration"}
# Arguments of these are compared or are keys, not printed.
SILENT = {"find", "rfind", "starts_with", "ends_with", "contains", "compare", "HasAny", "Has", "Query",
          "static_assert", "Reading", "Metric", "Find", "find_first_of", "find_last_of", "find_first_not_of"}
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\((?P<raw>.*?)\)(?P=d)"|"(?P<str>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\])+\'|'
    r'#\s*(?:include|define|undef|if|ifdef|ifndef|endif|else|pragma)\b(?:\\\n|[^\n])*|'
    r'[A-Za-z_]\w*|\d[\w.\']*|\+=|==|!=|<=|>=|<<|>>|&&|\|\||->|::|.', re.S)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'", "0": "\0", "r": "\r"}
OPEN, CLOSE = "([{", ")]}"


class Literal(str):
    """Text of a C++ string literal."""


def unescape(text):
    out, i = bytearray(), 0
    while i < len(text):
        if text[i] == "\\":
            if text[i + 1] == "x":
                m = re.match(r"[0-9a-fA-F]{1,2}", text[i + 2:])
                out.append(int(m.group(), 16))
                i += 2 + len(m.group())
                continue
            out += ESCAPES.get(text[i + 1], text[i + 1]).encode()
            i += 2
            continue
        out += text[i].encode()
        i += 1
    return out.decode("utf-8", "replace")


def tokens(text):
    """Tokens; adjacent literals are one."""
    out = []
    for m in TOKEN.finditer(text):
        token = m.group()
        if token.isspace() or token.startswith(("//", "/*", "#")):
            continue
        if m.group("raw") is not None:
            token = Literal(m.group("raw"))
        elif m.group("str") is not None:
            token = Literal(unescape(m.group("str")))
        if isinstance(token, Literal) and out and isinstance(out[-1], Literal):
            out[-1] = Literal(out[-1] + token)
        else:
            out.append(token)
    return out


def tree(stream):
    """Nested lists: a group is ["(", ...]."""
    stack = [[None]]
    for token in stream:
        if not isinstance(token, Literal) and len(token) == 1 and token in OPEN:
            stack.append([token])
        elif not isinstance(token, Literal) and len(token) == 1 and token in CLOSE:
            if len(stack) > 1:
                group = stack.pop()
                stack[-1].append(group)
        else:
            stack[-1].append(token)
    while len(stack) > 1:
        group = stack.pop()
        stack[-1].append(group)
    return stack[0]


SPLIT = {",", ";", "=", "+=", "?", ":", "return", "<<", "&&", "||", "!", "<", ">", "<=", ">=", "else", "case", "-",
         "constexpr", "const", "auto"}


def pieces(group):
    """Runs of tokens between separators; a run beside == or != is a comparison and yields nothing but its groups."""
    run, compared = [], False
    for token in group[1:]:
        is_op = not isinstance(token, (Literal, list))
        if is_op and token in SPLIT:
            if run:
                yield run, compared
            run, compared = [], False
        elif is_op and token in ("==", "!="):
            compared = True
            run.append(token)
        elif isinstance(token, list) and token[0] == "{" and run and isinstance(run[-1], list) and run[-1][0] == "(":
            yield run, compared  # if (...) {...}
            yield [token], False
            run, compared = [], False
        else:
            run.append(token)
    if run:
        yield run, compared


def operands(run):
    out = [[]]
    for token in run:
        if not isinstance(token, (Literal, list)) and token == "+":
            out.append([])
        else:
            out[-1].append(token)
    return [operand for operand in out if operand]


def name_of(operand):
    """The function called, for f(...) and a::f(...)."""
    if len(operand) >= 2 and isinstance(operand[-1], list) and operand[-1][0] == "(":
        if not isinstance(operand[-2], (Literal, list)) and re.match(r"[A-Za-z_]\w*$", operand[-2]):
            return operand[-2]
    return ""


def arguments(group):
    out = [[]]
    for token in group[1:]:
        if not isinstance(token, (Literal, list)) and token == ",":
            out.append([])
        else:
            out[-1].append(token)
    return out


def hole(operand):
    name = name_of(operand)
    if name == "Plural":
        last = arguments(operand[-1])[-1]
        if len(last) == 1 and isinstance(last[0], Literal):
            return "{n:%s}" % last[0]
        return "{}"
    return "{n}" if name in QUANTITIES else "{}"


def brace(text):
    return text.replace("{", "{{").replace("}", "}}")


def format_templates(args):
    """fmt::format("a {:.1f} b", x): holes typed by their arguments, or spelled where an argument is one of two texts."""
    text, holes = args[0][0], []
    for arg in args[1:]:
        options = ["{}"]
        if len(operands(arg)) == 1:
            sides = branches([None] + arg)
            texts = [t for side in sides for t in texts_of(side)] if sides else []
            literal = any(re.sub(r"\{[^}]*\}", "", t).strip() for t in texts)
            options = texts if literal else [hole(arg)]
        holes.append(options)
    forms, at, index = [""], 0, 0
    for m in re.finditer(r"\{\{|\}\}|\{([^{}]*(?:\{\}[^{}]*)?)\}", text):
        before = text[at:m.start()]
        at = m.end()
        if m.group() in ("{{", "}}"):
            forms = [form + before + m.group() for form in forms]
            continue
        spec = m.group(1)
        number = re.match(r"\d+", spec)
        which = int(number.group()) if number else index
        options = holes[which] if which < len(holes) else ["{}"]
        if re.search(r":[^}]*[fgd]$", spec):
            options = ["{n}"]
        if len(options) * len(forms) > MOST_FORMS:
            options = ["{}"]
        forms = [form + before + option for form in forms for option in options]
        index += 1 + spec.count("{}")
    return [form + text[at:] for form in forms]


def branches(group):
    """The two sides of (condition ? a : b), or None."""
    marks = [i for i, t in enumerate(group) if not isinstance(t, (Literal, list)) and t in ("?", ":", ",", ";")]
    if not marks or group[marks[0]] != "?":
        return None
    depth = 0
    for i in marks:
        depth += {"?": 1, ":": -1}.get(group[i], 0)
        if group[i] in (",", ";"):
            return None
        if depth == 0:
            return [[None] + group[marks[0] + 1:i], [None] + group[i + 1:]]
    return None


def texts_of(group):
    """What a branch can be: texts of its chain, or of its own branches."""
    inner = branches(group)
    if inner:
        return [text for side in inner for text in texts_of(side)]
    return spell(operands(group[1:]), [])[0]


MOST_FORMS = 12


def spell(ops, found):
    """Every text that the chain can be, and whether it holds a literal; templates inside its holes go to found."""
    forms, literal = [""], False
    for operand in ops:
        options, is_literal = one_operand(operand, found)
        literal = literal or is_literal
        if len(options) * len(forms) > MOST_FORMS:
            options = ["{}"]
        forms = [form + option for form in forms for option in options]
    return forms, literal


def one_operand(operand, found):
    if len(operand) == 1 and isinstance(operand[0], Literal):
        return [brace(operand[0])], True
    name = name_of(operand)
    inner = operand[-1] if isinstance(operand[-1], list) else None
    wrapped = inner and (len(operand) == 1 or name in ("string", "string_view")) and inner[0] == "("
    if wrapped:
        if len(inner) == 2 and isinstance(inner[1], Literal):
            return [brace(inner[1])], True
        sides = branches(inner)
        if sides:
            texts = [text for side in sides for text in texts_of(side)]
            if any(re.sub(r"\{[^}]*\}", "", text).strip() for text in texts):
                templates(inner, found)
                return texts, True
    if name == "format" and inner:
        args = arguments(inner)
        if len(args[0]) == 1 and isinstance(args[0][0], Literal):
            for arg in args[1:]:
                templates([None] + arg, found)
            return format_templates(args), True
    for i, token in enumerate(operand):
        if isinstance(token, list):
            before = operand[i - 1] if i else ""
            if isinstance(before, str) and before in SILENT:
                continue
            templates(token, found)
    return [hole(operand)], False


def templates(group, found):
    for run, compared in pieces(group):
        forms, literal = spell(operands(run), found)
        for text in forms:
            if literal and not compared and text not in found:
                found.append(text)


WORD = re.compile(r"[A-Za-z][a-z]+")
PROSE = re.compile(r"[a-z]{2,}[,;:]? [a-z(]|\b[A-Z][a-z]+ [a-z]|[a-z]{2,} \{|\} [a-z]{2,}")
HOLE = re.compile(r"\{n?(?::[^}]*)?\}")
# Code and commands: kept as they are wherever they stand.
CODE = re.compile(r"^(#|//|[A-Z_]{6,}=|[a-z_]+(\.[a-z_]+)* = |from |@|if step|float\d? |int |for \(|kernel<<<|expert<<<|"
                  r"\w+\(.*\)?;|cudnn|cuda\w+\(|constexpr|__global__|[A-Za-z]+\.\w+[(.]|DistributedDataParallel\(|"
                  r"nvidia-smi |nsys |ncu |\w*prof\w* |unitrace |warpscope (?!record without))")


def is_prose(text):
    plain = HOLE.sub("{}", text)
    return "\n" not in plain and bool(WORD.search(plain)) and bool(PROSE.search(plain)) and not CODE.match(plain)


def source_files():
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".def", ".inc") and not path.name.endswith("_test.cc") and \
                    "testing" not in path.parts:
                yield path


def table_texts(text):
    """Arguments of the rows of a catalogue (src/faults/*.def), macros for whole classes of rows included: literals side
    by side are one text, a macro's parameter between them is {}. Lists ("a|b") are texts of their own each."""
    text = re.sub(r"//[^\n]*", "", text.replace("\\\n", " "))
    text = re.sub(r"#\s*define\s+\w+\([^)]*\)", "", text)
    for row in re.findall(r'WS_\w+\(((?:"(?:\\.|[^"\\])*"|[^()"])*)\)', text):
        for argument in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^,"])+', row):
            pieces = re.findall(r'"((?:\\.|[^"\\])*)"|([A-Za-z_]\w*)', argument)
            if any(literal for literal, _ in pieces):
                yield from "".join(unescape(literal) if literal else "{}" for literal, _ in pieces).split("|")


def extract(path):
    if path.suffix == ".def" and path.parent.name == "faults":
        return list(table_texts(path.read_text("utf-8")))
    if path.name == "ledger.def":  # a table: the sentence is the last literal of a row, {} its count
        rows = re.findall(r'WS_LEDGER\([^\n]*"((?:\\.|[^"\\])*)"\)', path.read_text("utf-8"))
        return [unescape(row).replace("{}", "{n}", 1) for row in rows]
    found = []
    templates(tree(tokens(path.read_text("utf-8"))), found)
    if path.parent.name == "entries":  # src/explain: lists of one item a line, a check's command behind " $ "
        found = [line.split(" $ ")[0] for text in found for line in text.split("\n") if not line.startswith(("$ ", "> "))]
    return found


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def catalogue():
    """(file, line number, English) of every entry."""
    for path in sorted(CATALOGUE.glob("*.tsv")):
        if path.stem == "vendors":
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                yield path, number, line.split("\t")[0]


LEAST_PIECE = 6


class Literals:
    """All literals of the sources, to ask whether a text could be put together from them."""

    def __init__(self, texts):
        self.corpus = "\0".join(HOLE.sub("\0", text) for text in texts)

    def builds(self, english):
        for piece in HOLE.split(english):
            at = 0
            while at < len(piece):
                low, high = 0, len(piece) - at
                while low < high:  # longest beginning that is in the corpus: each shorter one is too
                    middle = (low + high + 1) // 2
                    if piece[at:at + middle] in self.corpus:
                        low = middle
                    else:
                        high = middle - 1
                if low < min(LEAST_PIECE, len(piece) - at):
                    return False
                at += low
        return True


def stale(entries, known):
    literals = None
    for path, number, english in entries:
        # The catalogue may know better than the source's text that a hole is a quantity.
        if english.replace("{n}", "{}") in known:
            continue
        # What rules put together at run time: built of literals, but no single expression.
        if path.stem in ("faults_joined", "explain_joined"):  # src/report/catalogue_language_test.cc prints them
            continue
        if path.stem == "joined":
            literals = literals or Literals(known)
            if literals.builds(english):
                continue
        yield path, number, english


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="every template")
    parser.add_argument("--missing", action="store_true", help="those without a translation")
    parser.add_argument("--check", action="store_true", help="fail on entries that no source builds")
    parser.add_argument("--prune", action="store_true", help="remove those")
    parser.add_argument("--under", default="", help="only sources below this folder")
    args = parser.parse_args()
    by_file = {str(path.relative_to(ROOT)): [escape(text) for text in extract(path)] for path in source_files()}
    entries = list(catalogue())
    if args.list or args.missing:
        have = {english.replace("{n}", "{}") for _, _, english in entries} if args.missing else set()
        for file, found in by_file.items():
            for text in found:
                if file.startswith(args.under) and is_prose(text) and text.replace("{n}", "{}") not in have:
                    print(f"{file}\t{text}")
                    have.add(text.replace("{n}", "{}"))
        return 0
    known = {text.replace("{n}", "{}") for found in by_file.values() for text in found}
    old = list(stale(entries, known))
    if args.prune:
        for path in sorted({path for path, _, _ in old}):
            gone = {number for where, number, _ in old if where == path}
            lines = path.read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(line for number, line in enumerate(lines, 1) if number not in gone), "utf-8")
        print(f"messages: {len(old)} entries removed")
        return 0
    for path, number, english in old:
        print(f"{path.relative_to(ROOT)}:{number}: no source builds this any more: {english[:90]}")
    if old:
        print("adapt the entry to the changed sentence, or remove it: tools/messages.py --prune")
    print(f"messages: {len(entries)} entries, {len(old)} problems")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main())
