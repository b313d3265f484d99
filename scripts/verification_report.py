#!/usr/bin/env python3
"""Verification report from what the tests wrote down while they ran (target/tmp/verification/*.jsonl).

Each row is a claim of a test or a promise of a case: what was asserted, against which source, measured, expected, tolerance
and run time. Nothing is typed by hand; a claim that was not run is not in the report.

    scripts/verification_report.py [FOLDER] [-o results/verification.md]
"""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


# claims of one line beyond this are a sweep over a catalogue, of which the worst stands for all (`SINGLE` in tests/claims)
SINGLE = 8


def claims(folder):
    """For every place that asserts something its claims, or if they are many the one that came nearest to its limit."""
    places = collections.defaultdict(dict)
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                claim = json.loads(line)
            except json.JSONDecodeError as error:
                sys.exit(f"{path}:{number}: {error}")
            group = places[claim["file"], claim["test"], claim["line"]]
            used = claim["used"] if claim["used"] is not None else math.inf
            if claim["what"] not in group or used > group[claim["what"]][0]:
                group[claim["what"]] = (used, claim)
    found = []
    for (_, _, line), group in places.items():
        worst = sorted(group.values(), key=lambda pair: pair[0], reverse=True)
        found += [claim for _, claim in (worst if line == 0 or len(worst) <= SINGLE else worst[:1])]
    return found


def number(value):
    if value is None:
        return "not finite"
    if value == 0:
        return "0"
    return f"{value:.6g}" if 1e-3 <= abs(value) < 1e6 else f"{value:.4e}"


def holds(claim):
    """Whether a claim was met; one that is not a number was not."""
    if claim["measured"] is None:
        return False
    if claim["relation"] == "=":
        return abs(claim["measured"] - claim["expected"]) <= claim["tolerance"]
    sign = 1 if claim["relation"] == "<=" else -1
    return sign * claim["measured"] <= sign * claim["expected"]


def share(used):
    """A share of a tolerance; below a hundredth the digits say nothing."""
    if used is None:
        return "–"
    return "< 1 %" if used < 0.01 else f"{100 * used:.0f} %"


def used_of(claim):
    """Share of the tolerance that was needed; limits from below and exact claims have none."""
    exact = claim["relation"] == "=" and not claim["tolerance"]
    return None if exact or claim["relation"] == ">=" else claim["used"]


def row(claim):
    limit = number(claim["expected"])
    if claim["relation"] == "=":
        wanted = f"{limit} ± {claim['tolerance']:.2g}" if claim["tolerance"] else f"{limit} exactly"
    else:
        wanted = f"{'≤' if claim['relation'] == '<=' else '≥'} {limit}"
    # random data in a description: four digits tell which it was
    what = re.sub(r"(\d\.\d{4})\d+", r"\1", claim["what"].replace("|", "¦"))
    mark = "" if holds(claim) else "**fails** "
    return f"| {mark}{what} | {number(claim['measured'])} | {wanted} | {share(used_of(claim))} |"


def place(name):
    """What the overview gathers in one row: a file of tests, or a folder of cases."""
    return name.rsplit("/", 1)[0] + "/" if name.startswith("cases/") else name


def overview(found):
    """A row for every file of tests and every folder of cases."""
    places = collections.defaultdict(list)
    for claim in found:
        places[place(claim["file"])].append(claim)
    lines = ["| where | tests or cases | claims | failed | most of a tolerance used | run time |", "|---|---|---|---|---|---|"]
    for name in sorted(places):
        group = places[name]
        # a claim says how long its test had run by then: the last one tells the time of the test
        times = collections.defaultdict(float)
        for claim in group:
            key = (claim["file"], claim["test"]) if claim["line"] else claim["file"]
            times[key] = max(times[key], claim["seconds"])
        most = max((used_of(claim) for claim in group if used_of(claim) is not None), default=None)
        failed = sum(not holds(claim) for claim in group)
        lines.append(
            f"| `{name}` | {len(times)} | {len(group)} | {failed} | {share(most)} | {sum(times.values()):.1f} s |"
        )
    return lines


def report(found):
    revision = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    failed = sum(not holds(claim) for claim in found)
    bare = sum(not claim["source"] for claim in found)
    lines = [
        "# Verification report",
        "",
        f"Written by `scripts/verification_report.py` from a run of the tests at revision {revision or 'unknown'}: "
        f"{len(found)} claims, {failed} of them failed, {bare} without a source. Of a claim that is checked for many laws, "
        f"elements or steps (more than {SINGLE}), the one that came nearest to its limit is shown. *Used* is the share of the tolerance that was "
        "needed. Quantities are in SI units. Keys in square brackets are those of `src/docs/references.md`.",
        "",
        *overview(found),
        "",
    ]
    files = collections.defaultdict(lambda: collections.defaultdict(list))
    for claim in found:
        group = (claim["test"], claim["source"]) if claim["line"] else ("", claim["source"])
        files[claim["file"]][group].append(claim)
    for name in sorted(files):
        lines += [f"## `{name}`", ""]
        for (test, source), group in sorted(files[name].items()):
            if test:
                lines += [f"### {test.replace('_', ' ')}", ""]
            seconds = max(claim["seconds"] for claim in group)
            lines += [f"Source: {source or 'none named'} ({seconds:.2f} s)", ""]
            lines += ["| what | measured | expected | used |", "|---|---|---|---|"]
            lines += [row(claim) for claim in sorted(group, key=lambda c: (c["line"], c["what"]))]
            lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "target/tmp/verification")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "results/verification.md")
    arguments = parser.parse_args()
    found = claims(arguments.folder)
    if not found:
        sys.exit(f"{arguments.folder}: no claims; run `cargo test --release` first")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(report(found), encoding="utf-8")
    print(f"{arguments.output}: {len(found)} claims")


if __name__ == "__main__":
    main()
