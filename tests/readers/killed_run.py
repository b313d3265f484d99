#!/usr/bin/env python3
"""Kills a writing run again and again and shows that what it leaves opens in h5py and VTK.

    killed_run.py [--kills N] [--between LOW HIGH] [--aim MS] [--seed S] RESULT.vtkhdf -- COMMAND ...

COMMAND must write RESULT.vtkhdf. Each time it is started, killed (SIGKILL) after a random time between LOW and HIGH
seconds after the file appeared, and the file is read whole: all frames and fields, and the last frame through VTK.
`--aim MS` waits for the next change of the file then, and kills within that many milliseconds: in the midst of a flush.
The exit status is the number of files that could not be read (at most 100).
"""

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from read_result import frame, same


def problems(path):
    """Reads everything the file says it has. Returns the frames, the history rows and what is wrong with them."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    bad = []
    with h5py.File(path, "r", locking=False) as h5:
        root = h5["VTKHDF"]
        steps, rows = int(root["Steps"].attrs["NSteps"]), int(h5["history"].attrs["rows"])
        n, m = int(root["NumberOfPoints"][0]), int(root["NumberOfCells"][0])
        times = root["Steps/Values"][:steps]
        if steps < 1 or len(times) != steps or not np.all(np.diff(times) > 0):
            bad.append(f"{steps} steps announced, times {times}")
        initial = h5["parts/initial_points"][:]
        for step in range(steps):
            points = frame(h5, step, None, "Points", n)
            for home, count in (("PointData", n), ("CellData", m)):
                short = [k for k in root[home] if len(frame(h5, step, home, k, count)) != count]
                bad += [f"step {step}: {k} is cut off" for k in short]
            # A chunk that got lost reads as zeros: the moved points would not fit the displacement.
            if "displacement" in root["PointData"] and len(points) == n:
                moved = initial + frame(h5, step, "PointData", "displacement", n)
                still = np.all(points == initial, axis=1)
                gap = np.abs(points - moved)[~still].max(initial=0.0)
                if gap > 1e-9 * np.ptp(initial):
                    bad.append(f"step {step}: points and displacement differ by {gap:.1e} m")
        short = []
        h5["history"].visititems(lambda k, d: short.append(k) if isinstance(d, h5py.Dataset) and len(d) < rows else None)
        bad += [f"history {k} is cut off" for k in short]
        if "time" in h5["history"] and not np.all(np.diff(h5["history/time"][:rows]) > 0):
            bad.append("history times do not rise")
        if steps:
            reader = vtkHDFReader()
            reader.SetFileName(str(path))
            reader.UpdateTimeStep(float(times[-1]))
            grid = reader.GetOutputAsDataSet()
            if grid is None or grid.GetNumberOfCells() != m:
                bad.append("VTK does not read the last step")
            elif not same(vtk_to_numpy(grid.GetPoints().GetData()), frame(h5, steps - 1, None, "Points", n)):
                bad.append("VTK reads other points in the last step")
    return steps, rows, bad


def aim(path, after):
    """Returns some time after the next change of a file: the seconds that took, at most one."""
    start, before = time.perf_counter(), path.stat()
    while time.perf_counter() < start + 1:
        now = path.stat()
        if (now.st_mtime_ns, now.st_size) != (before.st_mtime_ns, before.st_size):
            break
    end = time.perf_counter() + after
    # a sleep would take longer
    while time.perf_counter() < end:
        pass
    return time.perf_counter() - start


def main():
    """Runs the kills."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--between", type=float, nargs=2, default=(0.0, 0.5))
    parser.add_argument("--aim", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep files that could not be read")
    parser.add_argument("--check", action="store_true", help="only read RESULT.vtkhdf as it is")
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    random.seed(args.seed)
    path, failed = args.result.resolve(), 0
    if args.check:
        steps, rows, bad = problems(path)
        print("; ".join(bad[:3]) or f"{steps} frames, {rows} history rows")
        return min(len(bad), 100)
    for kill in range(args.kills):
        path.unlink(missing_ok=True)
        child = subprocess.Popen(args.command, stdout=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while not path.exists() and child.poll() is None and time.monotonic() < limit:
            time.sleep(0.0005)
        delay = random.uniform(*args.between)
        time.sleep(delay)
        if args.aim > 0:
            delay += aim(path, random.uniform(0.0, args.aim) / 1000)
        child.send_signal(signal.SIGKILL)
        code = child.wait()
        (path.parent / f".{path.name}.part").unlink(missing_ok=True)
        if not path.exists():
            print(f"FAIL kill {kill}: the command ended with {code} and wrote no {path}")
            failed += 1
            continue
        # In a process of its own: a damaged file may take the reader down.
        check = subprocess.run([sys.executable, __file__, "--check", str(path), "-"], capture_output=True, text=True)
        bad = [] if check.returncode == 0 else [f"status {check.returncode}: {(check.stdout + check.stderr).strip()[-400:]}"]
        note = "" if code == -signal.SIGKILL else " (it had already ended)"
        print(f"{'FAIL' if bad else 'ok  '} kill {kill} after {delay:.3f} s{note}: {bad[0] if bad else check.stdout.strip()}")
        failed += bool(bad)
        if bad and args.keep:
            path.rename(path.with_suffix(f".{kill}.broken"))
    print(f"{args.kills - failed} of {args.kills} killed runs left a whole file")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
