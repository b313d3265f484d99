#!/usr/bin/env python3
"""How large the source is: lines of code by room, long functions, wide structs, numeric constants.

    scripts/sizes.py                of this tree
    scripts/sizes.py OTHER          of another checkout

Lines of code are those that hold more than comments and blanks outside of `#[cfg(test)]` items and files of tests; strings count.
"""

import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOOR = ("bodies", "contact", "integrator", "simulation", "geometry")
NOT_RULES = ("contact/solvers", "contact/fclib", "contact/condensation", "contact/linearised")
LONGEST, WIDEST = 80, 15


def without_comments(text):
    """The text with comments blank and with strings and characters emptied; lines stay where they are."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\\\'])\'', re.DOTALL)

    def blank(match):
        found = match.group()
        return "\n" * found.count("\n") if found.startswith("/") else '"' + "\n" * found.count("\n") + '"'

    return token.sub(blank, text)


def end_of_item(text, start):
    """Where the item that begins at `start` ends: its closing brace, or a semicolon before any."""
    depth = 0
    for k in range(start, len(text)):
        if text[k] in "{[(":
            depth += 1
        elif text[k] in "}])":
            depth -= 1
            if depth == 0 and text[k] == "}":
                return k + 1
        elif text[k] == ";" and depth == 0:
            return k + 1
    return len(text)


def without_tests(text):
    while (at := text.find("#[cfg(test)]")) >= 0:
        end = end_of_item(text, at + len("#[cfg(test)]"))
        text = text[:at] + "\n" * text.count("\n", at, end) + text[end:]
    return text


def count(text):
    return sum(bool(line.strip()) for line in text.splitlines())


def items(text, pattern):
    """Name, line, and text of each item that `pattern` finds."""
    for match in re.finditer(pattern, text):
        end = end_of_item(text, match.start())
        yield match.group(1), text.count("\n", 0, match.start()) + 1, text[match.start():end]


def fields(body):
    """How many fields a struct has."""
    inside = body[body.find("{") + 1:body.rfind("}")] if "{" in body else ""
    depth, found = 0, 0
    for line in inside.splitlines():
        found += depth == 0 and bool(re.match(r"\s*(pub(\([^)]*\))?\s+)?\w+\s*:", line))
        depth += sum(line.count(c) for c in "{[(") - sum(line.count(c) for c in "}])")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", default=ROOT, type=pathlib.Path)
    src = parser.parse_args().tree / "src"
    lines, constants, long, wide = {}, {}, [], []
    for path in sorted(src.rglob("*.rs")):
        name = str(path.relative_to(src))
        if name.endswith("tests.rs"):
            continue
        text = without_tests(without_comments(path.read_text()))
        lines[name] = count(text)
        constants[name] = len(re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?const \w+: (?:f64|usize|u32|u64|i32)\b", text, re.M))
        long += [(body.count("\n") + 1, f"{name}:{at} {f}") for f, at, body in items(text, r"\bfn (\w+)") if body.count("\n") >= LONGEST]
        if name.split("/")[0] in FLOOR:
            wide += [(n, f"{name}:{at} {s}") for s, at, body in items(text, r"\bstruct (\w+)") if (n := fields(body)) > WIDEST]

    def total(table, *rooms, but=()):
        return sum(n for name, n in table.items() if name.startswith(rooms) and not name.startswith(but))

    for room in sorted({name.split("/")[0] for name in lines if "/" in name}):
        print(f"{room:<14}{total(lines, room + '/'):>7} lines{total(constants, room + '/'):>5} constants")
    print(f"\n{', '.join(FLOOR)}: {total(lines, *(room + '/' for room in FLOOR))} lines")
    rules = [total(table, "contact/", "geometry/", but=NOT_RULES) for table in (lines, constants)]
    print(f"contact and geometry without {', '.join(n.split('/')[1] for n in NOT_RULES)}: {rules[0]} lines, {rules[1]} constants")
    print(f"\nfunctions above {LONGEST} lines: {len(long)}")
    print(*(f"  {n} {where}\n" for n, where in sorted(long, reverse=True)), sep="", end="")
    print(f"structs above {WIDEST} fields there: {len(wide)}")
    print(*(f"  {n} {where}\n" for n, where in sorted(wide, reverse=True)), sep="", end="")


if __name__ == "__main__":
    main()
