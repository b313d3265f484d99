#!/usr/bin/env python3
"""What a change of the program does to results: every case with both programs, what differs and by how much.

    scripts/same_history.py OLD NEW                          every case below cases/
    scripts/same_history.py OLD NEW cases/pairs cases/rigid  these
    scripts/same_history.py OLD NEW --tolerance 1e-6 --jobs 2

OLD and NEW are programs (`target/release/impakt` of two commits). A line says `same bits`, or the largest difference of the histories
and of the places at the end as a share of the largest value of the same unit in the case, with the column it stands in. Where the
programs took other steps, the newer history is read at the times of the older. Exits with 1 where a case differs by more than
`--tolerance` or runs with one of the two only. Needs h5py and numpy.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent


def datasets(file, below):
    found = {}
    file[below].visititems(lambda name, item: found.update({f"{below}/{name}": item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def same_bits(old, new):
    """Names of the datasets that are not the same bits."""
    differ = []
    for below in ("history", "VTKHDF"):
        a, b = datasets(old, below), datasets(new, below)
        for name in sorted(a.keys() | b.keys()):
            same = name in a and name in b and a[name].shape == b[name].shape and a[name].tobytes() == b[name].tobytes()
            if not same and not (name in a and a[name].dtype == object):
                differ.append(name)
    return differ


def columns(file):
    """Times, and the columns of the history by name with their units."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and name != "time":
            values = np.asarray(item[()], float)
            found[name] = (item.attrs.get("unit", ""), values.reshape(len(values), -1))

    file["history"].visititems(visit)
    return file["history/time"][()], found


def difference(old, new):
    """The largest difference and where it stands."""
    (t, a), (s, b) = columns(old), columns(new)
    largest = {}
    for unit, values in a.values():
        largest[unit] = max(largest.get(unit, 0.0), np.abs(values).max(initial=0.0))
    worst = (0.0, "")
    missing = sorted(a.keys() ^ b.keys())
    for name in sorted(a.keys() & b.keys()):
        unit, values = a[name]
        other = b[name][1]
        if not np.array_equal(t, s):
            other = np.column_stack([np.interp(t, s, other[:, k]) for k in range(other.shape[1])])
        off = np.abs(values - other).max(initial=0.0) / (largest[unit] or 1.0)
        worst = max(worst, (off if np.isfinite(off) else np.inf, name))
    ends = [f["VTKHDF/Points"][f["VTKHDF/Steps/PointOffsets"][-1]:] for f in (old, new)]
    if ends[0].shape == ends[1].shape:
        size = np.ptp(ends[0], axis=0).max(initial=0.0) or 1.0
        worst = max(worst, (np.abs(ends[0] - ends[1]).max(initial=0.0) / size, "places at the end"))
    return worst, missing, (len(t), len(s))


def run(program, case, result, more, seconds):
    command = [program, "run", case, "-o", result, "--quiet", *more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None, f"still runs after {seconds} s"
    lines = [line for line in done.stderr.splitlines() if line.startswith("error")] or [""]
    return done.returncode, lines[0]


def compare(case, programs, more, tolerance, seconds):
    """Whether all is well, and a line that says so."""
    with tempfile.TemporaryDirectory() as folder:
        results = [f"{folder}/{k}.vtkhdf" for k in range(2)]
        ends = [run(program, str(case), result, more, seconds) for program, result in zip(programs, results)]
        if ends[0][0] != ends[1][0]:
            return False, f"ends with {ends[0][0]} and {ends[1][0]}: {ends[0][1] or ends[1][1]}"
        try:
            with h5py.File(results[0]) as old, h5py.File(results[1]) as new:
                if "history" not in old:
                    return True, "a task, not compared"
                differ = same_bits(old, new)
                if not differ:
                    return True, "same bits" + (f" (both end with {ends[0][0]})" if ends[0][0] else "")
                (worst, where), missing, rows = difference(old, new)
        except OSError as error:
            return False, f"no result: {ends[0][1] or error}"
    text = f"{worst:.1e} in {where or 'no column'}"
    text += f", steps {rows[0]} and {rows[1]}" if rows[0] != rows[1] else f", {len(differ)} datasets"
    text += f", in one only: {', '.join(missing[:3])}" if missing else ""
    return worst <= tolerance, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("cases", nargs="*", default=[ROOT / "cases"], type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=0.0, help="largest difference that passes; by default same bits are asked")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300.0, help="patience with one run")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed on to both")
    arguments = parser.parse_args()
    files = []
    for path in arguments.cases:
        files += sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    more = [word for setting in arguments.set for word in ("--set", setting)]
    programs = (arguments.old, arguments.new)

    def one(case):
        return case, *compare(case, programs, more, arguments.tolerance, arguments.seconds)

    bad = same = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, well, text in pool.map(one, files):
            bad += not well
            same += text.startswith("same bits")
            name = case.resolve().relative_to(ROOT) if case.resolve().is_relative_to(ROOT) else case
            print(f"{'  ' if well else '! '}{str(name):<44} {text}", flush=True)
    print(f"{len(files)} cases, {same} same bits, {bad} beyond {arguments.tolerance:g}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
