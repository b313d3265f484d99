#!/usr/bin/env python3
"""The peak of memory that `impakt check` forecasts, beside what the runs hold: unlike cases, one line each.

    scripts/memory.py [--impakt PROGRAM] [--slabs]

Each case runs for a few steps by itself. `forecast` is what `check` says, `held` the largest resident set of the run. With
`--slabs` the two slabs of thin cells are added, with the seconds of their analysis and of one step. The exit status is the
number of cases that are off by more than 30 %.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = "bodies.block.mesh.box.divisions"
CASES = [
    ("pairs/two_rings.yaml", ["time.end=2e-3"]),
    ("vgroove/b_friction_02.yaml", []),
    ("vgroove/b_friction_02.yaml", ["bodies.cylinder.mesh.disc.core=64", "bodies.cylinder.mesh.disc.layers=32", "time.end=5e-5"]),
    ("obstacles/sphere.yaml", ["time.end=4e-5"]),
    ("obstacles/sphere.yaml", [f"{BLOCK}=[16,16,12]", "time.end=4e-5"]),
    ("obstacles/sphere.yaml", [f"{BLOCK}=[30,30,20]", "time.end=4e-5"]),
    ("obstacles/sphere.yaml", [f"{BLOCK}=[100,100,2]", "time.end=4e-5"]),
    ("solid/block_on_box_corner.yaml", []),
    ("explicit/cube_on_floor.yaml", ["bodies.cube.mesh.box.divisions=[40,40,40]", "time.end=1e-5"]),
    ("rigid/mixed_pile.yaml", ["time.end=0.05"]),
    ("pairs/hopper.yaml", ["time.end=1e-3"]),
    ("schemes/generalized_alpha.yaml", []),
]
SLABS = [
    ("obstacles/sphere.yaml", [f"{BLOCK}=[3,3000,2]", "time.end=2e-5"]),
    ("obstacles/sphere.yaml", [f"{BLOCK}=[3,10000,2]", "time.end=2e-5"]),
]


def call(command):
    """Runs a command; what it said, its status, the seconds it took and the bytes it held."""
    begun = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    return said, status, time.monotonic() - begun, usage.ru_maxrss * 1024


def main():
    """Forecasts and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--impakt", type=pathlib.Path, default=ROOT / "target/release/impakt")
    parser.add_argument("--slabs", action="store_true")
    args = parser.parse_args()
    off = 0
    print(f"{'forecast':>10} {'held':>10} {'ratio':>6} {'check':>8} {'run':>8}  case")
    for name, sets in CASES + (SLABS if args.slabs else []):
        changes = [word for pair in sets for word in ("--set", pair)]
        case = ROOT / "cases" / name
        said, status, checked, _ = call([args.impakt, "check", case, *changes])
        found = re.search(r"memory about ([\d.]+) (MB|GB)", said)
        if not found:
            sys.exit(f"{name}: {said}")
        forecast = float(found[1]) * {"MB": 1e6, "GB": 1e9}[found[2]]
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "a.vtkhdf"
            said, status, seconds, held = call([args.impakt, "run", case, "-o", output, "--quiet", *changes])
        ratio = forecast / held
        off += not 0.7 <= ratio <= 1.3
        note = "" if status == 0 else f"  status {status}: {said.strip()[-200:]}"
        print(
            f"{forecast / 1e6:>7.0f} MB {held / 1e6:>7.0f} MB {ratio:>6.2f} {checked:>6.2f} s {seconds:>6.2f} s"
            f"  {name} {' '.join(sets)}{note}",
            flush=True,
        )
    print(f"{off} off by more than 30 %")
    return off


if __name__ == "__main__":
    sys.exit(main())
