#!/usr/bin/env python3
"""Time schemes side by side on the V-groove (case B) and on a bar thrown against a wall: two studies with `impakt sweep`, one table.

    scripts/schemes.py [--program target/release/impakt] [--output results/schemes] [--guide src/docs/contact.md]

Each run is the case as it is with another `time`; explicit steps have the length that is stable. Columns for each case: energy at the end and
the most there ever was, in per cent of that at the start; mean change of the contact force from step to step as a share of its
mean; steps; seconds. With `--guide` the table goes into that file, between its two marks."""

import argparse
import csv
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- schemes: made by scripts/schemes.py -->\n", "<!-- end of schemes -->\n"
SCHEMES = [
    ("Jean, θ = ξ = ½", "{jean: {theta: 0.5, xi: 0.5}}"),
    ("Jean, ½, discrete gradient", "{jean: {theta: 0.5, xi: 0.5, force: discrete_gradient}}"),
    ("Jean, θ = ξ = 0.6", "{jean: {theta: 0.6, xi: 0.6}}"),
    ("Jean, θ = ξ = 1", "{jean: {theta: 1.0, xi: 1.0}}"),
    ("Newmark ¼, ½, impulse", "{newmark: {}}"),
    ("Newmark ¼, ½, in acceleration", "{newmark: {contact: acceleration}}"),
    ("Newmark 0.36, 0.6, recomputed", "{newmark: {beta: 0.36, gamma: 0.6, contact: recomputed}}"),
    ("HHT 0.1, impulse", "{hht: {alpha: 0.1}}"),
    ("HHT 0.3, in acceleration", "{hht: {alpha: 0.3, contact: acceleration}}"),
    ("generalised α 0.8, impulse", "{generalized_alpha: {spectral_radius: 0.8}}"),
    ("generalised α 0.5, in acceleration", "{generalized_alpha: {spectral_radius: 0.5, contact: acceleration}}"),
    ("explicit", "explicit"),
]
CASES = [("V-groove", "cases/vgroove/b_friction_02.yaml"), ("bar", "cases/bar_on_wall/quads.yaml")]
SHOWN = ["total_energy", "total_energy:max", "contact_force:jump"]


def time_of(case):
    """End and step of a case, as its file has them."""
    text = (ROOT / case).read_text()
    return [re.search(rf"^\s+{key}:\s*([0-9.eE+-]+)", text, re.MULTILINE).group(1) for key in ("end", "step")]


def study(program, case, folder):
    """The rows of a study over all schemes, in their order."""
    end, step = time_of(case)
    values = [
        f"{{end: {end}, step: {'auto' if scheme == 'explicit' else step}, scheme: {scheme}}}" for _, scheme in SCHEMES
    ]
    command = [program, "sweep", case, "--set", "time=" + ",".join(values), "--set", "expect=[]", "--jobs", "1"]
    command += [word for shown in SHOWN for word in ("--show", shown)] + ["-o", str(folder), "--fresh", "--quiet"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    # a scheme that stops is part of the table
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    tables = []
    for name in ("table.csv", "costs.csv"):
        with (folder / name).open(newline="") as file:
            tables.append(list(csv.DictReader(file)))
    return [result | cost for result, cost in zip(*tables)]


def cells(row):
    if row["outcome"] != "done":
        return ["stops", "", "", row["steps"], ""]
    kept, most = (100 * float(row[key]) / float(row["initial_energy"]) for key in SHOWN[:2])
    jump, seconds = float(row[SHOWN[2]]), float(row["seconds"])
    return [f"{kept:.2f}", f"{most:.2f}", f"{jump:.3f}", row["steps"], f"{seconds:.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/impakt"))
    parser.add_argument("--output", type=Path, default=ROOT / "results/schemes")
    parser.add_argument("--guide", type=Path)
    options = parser.parse_args()
    studies = [study(options.program, case, options.output / name) for name, case in CASES]
    heads = [head for name, _ in CASES for head in (f"{name}: kept %", "most %", "jump", "steps", "s")]
    table = "| scheme | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads) + "\n"
    for (name, _), *rows in zip(SCHEMES, *studies):
        table += f"| {name} | " + " | ".join(cell for row in rows for cell in cells(row)) + " |\n"
    print(table, end="")
    if options.guide:
        guide = options.guide.read_text()
        if guide.count(START) != 1 or guide.count(END) != 1:
            sys.exit(f"{options.guide}: the marks of the table are missing")
        before, rest = guide.split(START)
        options.guide.write_text(before + START + table + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
