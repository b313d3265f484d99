#!/usr/bin/env python3
"""Puts the table of `cargo bench --bench explicit` into the guide, between its two marks.

    scripts/explicit_table.py [--summary target/bench/explicit.json] [--guide src/docs/explicit.md]"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- explicit table: made by scripts/explicit_table.py -->\n", "<!-- end of explicit table -->\n"
LAWS = {
    "linear": "linear",
    "saint_venant_kirchhoff": "SVK",
    "blatz_ko": "Blatz–Ko",
    "neo_hooke": "neo-Hooke",
    "mooney_rivlin": "Mooney–Rivlin",
    "j2": "J2",
}


def rate(value):
    return f"{value / 1e6:.3g}"


def rates(row):
    """One and two threads."""
    one, two = row["one_thread"], row["two_threads"]
    return f"{rate(one)} / {rate(two) if two > one else '–'}"


def table(summary):
    rows = {(row["element"], row["law"], row["size"]): row for row in summary["steps"]}
    elements = list(dict.fromkeys(row["element"] for row in summary["steps"]))
    sizes = sorted({row["size"] for row in summary["steps"]})
    bandwidth = summary["copy_bytes_per_second"] / 1e9
    text = "Million element updates a second with one / two threads (– where two are no faster: a step is too short to share);\n"
    text += f"a copy of memory moved {bandwidth:.1f} GB/s here.\n\n"
    text += "| element | elements | " + " | ".join(LAWS.values()) + " | bound | B per element | step length |\n"
    text += "|---|---|" + "---|" * (len(LAWS) + 3) + "\n"
    for element in elements:
        for size in sizes:
            here = {law: rows.get((element, law, size)) for law in LAWS}
            known = [row for row in here.values() if row]
            if not known:
                continue
            cells = [rates(row) if row else "–" for row in here.values()]
            usual = here["neo_hooke"] or known[0]
            looks = f"{usual['look_in_steps']:.1f}"
            text += f"| {element} | {usual['elements']} | " + " | ".join(cells)
            bound = summary["copy_bytes_per_second"] / usual["bytes_moved"]
            text += f" | {rate(bound)} | {usual['bytes_per_element']:.0f} | {looks} |\n"
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--summary", type=Path, default=ROOT / "target/bench/explicit.json")
    options.add_argument("--guide", type=Path, default=ROOT / "src/docs/explicit.md")
    options = options.parse_args()
    guide = options.guide.read_text()
    if guide.count(START) != 1 or guide.count(END) != 1:
        sys.exit(f"{options.guide}: the marks of the table are missing")
    before, rest = guide.split(START)
    after = rest.split(END)[1]
    made = table(json.loads(options.summary.read_text()))
    options.guide.write_text(before + START + made + END + after)


if __name__ == "__main__":
    main()
