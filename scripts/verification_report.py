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
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def claims(folder):
    """The claim that came nearest to its limit for every place that asserts something."""
    worst = {}
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                claim = json.loads(line)
            except json.JSONDecodeError as error:
                sys.exit(f"{path}:{number}: {error}")
            key = (claim["file"], claim["test"], claim["line"], claim["what"] if claim["line"] == 0 else "")
            used = claim["used"] if claim["used"] is not None else math.inf
            if key not in worst or used > worst[key][0]:
                worst[key] = (used, claim)
    return [claim for _, claim in worst.values()]


def number(value):
    if value is None:
        return "not finite"
    if value == 0:
        return "0"
    return f"{value:.6g}" if 1e-3 <= abs(value) < 1e6 else f"{value:.4e}"


def row(claim):
    limit = number(claim["expected"])
    if claim["relation"] == "=":
        wanted = f"{limit} ± {claim['tolerance']:.2g}"
    else:
        wanted = f"{'≤' if claim['relation'] == '<=' else '≥'} {limit}"
    used = claim["used"]
    share = "–" if used is None or claim["relation"] == ">=" else f"{100 * used:.2g} %"
    what = claim["what"].replace("|", "¦")
    return f"| {what} | {number(claim['measured'])} | {wanted} | {share} | {claim['seconds']:.2f} s |"


def report(found):
    revision = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    lines = [
        "# Verification report",
        "",
        f"Written by `scripts/verification_report.py` from a run of the tests at revision {revision or 'unknown'}: "
        f"{len(found)} claims. Of a claim that is checked for many laws, elements or steps, the one that came nearest to its "
        "limit is shown. *Used* is the share of the tolerance that was needed.",
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
            if source:
                lines += [f"Source: {source}", ""]
            lines += ["| what | measured | expected | used | run time |", "|---|---|---|---|---|"]
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
