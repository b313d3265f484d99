#!/usr/bin/env python3
"""What `impakt sweep` costs beside its runs: a thousand runs of some 20 ms, as one study and one by one, in turns.

    scripts/sweep_overhead.py [--runs 1000] [--parts 2] [--program target/release/impakt]

Both ways run one at a time, the same commands with their output in files; tables and charts of the study count as its own. Prints
milliseconds of wall clock and of processor a run of each, and of a study called again, which finds all of its runs done. On a machine
that does other things at the same time the processor's are to be believed."""

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASE = "cases/vgroove/b_friction_02.yaml"
SHORT = ["time.end=1.2e-4", "output.every=1.2e-4", "expect=[]"]


def words(sets):
    return [word for value in sets for word in ("--set", value)]


def clocks():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def seconds(work):
    """Of wall clock, and of processor."""
    start = clocks()
    work()
    return [end - begin for begin, end in zip(start, clocks())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--program", default=str(ROOT / "target/release/impakt"))
    options = parser.parse_args()
    count = options.runs // options.parts
    totals = [[0.0, 0.0] for _ in range(3)]
    with tempfile.TemporaryDirectory() as scratch:
        for part in range(options.parts):
            folder = Path(scratch) / str(part)
            values = [f"{(part * count + k) * 5e-4:.4f}" for k in range(count)]
            axis = [f"contacts.*.friction={','.join(values)}", *SHORT]
            study = [options.program, "sweep", CASE, *words(axis), "-o", str(folder), "--jobs", "1", "--threads", "1"]

            def sweep():
                subprocess.run([*study, "--quiet"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

            def one_by_one():
                for value in values:
                    result = Path(scratch) / f"alone_{value}"
                    sets = words([f"contacts.*.friction={value}", *SHORT])
                    run = [options.program, "run", CASE, "-o", f"{result}.vtkhdf", "--threads", "1", *sets]
                    with open(f"{result}.log", "w") as log:
                        subprocess.run(run, cwd=ROOT, check=True, stdout=log, stderr=log)

            for k, work in enumerate((one_by_one, sweep, sweep)):
                totals[k] = [total + more for total, more in zip(totals[k], seconds(work))]
    for clock, name in enumerate(("wall clock", "processor")):
        alone, study, again = (1e3 * total[clock] / (count * options.parts) for total in totals)
        print(f"{name}: one by one {alone:.2f} ms a run, as a study {study:.2f} ms ({study - alone:+.2f}), called again {again:.2f} ms")


if __name__ == "__main__":
    main()
