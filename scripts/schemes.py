#!/usr/bin/env python3
"""Time schemes side by side on the V-groove (case B) and on a bar thrown against a wall: energy, chatter of the reaction, cost.

    scripts/schemes.py [--program target/release/impakt] [--csv FILE]

Each run is the case as it is with another `time.scheme`; explicit steps have the length that is stable. Columns: energy kept and made (largest above the start) in per cent of
the energy at the start; for the bar the mean of the force while it touches and its mean jump from step to step, in units of the
exact force; Newton iterations a step; seconds of CPU time."""

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SCHEMES = [
    ("Jean, theta = xi = 1/2", "{jean: {theta: 0.5, xi: 0.5}}"),
    ("Jean, 1/2, discrete gradient", "{jean: {theta: 0.5, xi: 0.5, force: discrete_gradient}}"),
    ("Jean, theta = xi = 0.6", "{jean: {theta: 0.6, xi: 0.6}}"),
    ("Jean, theta = xi = 1", "{jean: {theta: 1.0, xi: 1.0}}"),
    ("Newmark 1/4, 1/2, impulse", "{newmark: {}}"),
    ("Newmark 1/4, 1/2, in acceleration", "{newmark: {contact: acceleration}}"),
    ("Newmark 0.36, 0.6, recomputed", "{newmark: {beta: 0.36, gamma: 0.6, contact: recomputed}}"),
    ("HHT 0.1, impulse", "{hht: {alpha: 0.1}}"),
    ("HHT 0.3, in acceleration", "{hht: {alpha: 0.3, contact: acceleration}}"),
    ("generalised alpha 0.8, impulse", "{generalized_alpha: {spectral_radius: 0.8}}"),
    ("generalised alpha 0.5, in acceleration", "{generalized_alpha: {spectral_radius: 0.5, contact: acceleration}}"),
    ("explicit", "explicit"),
]
BAR_FORCE = 300.0  # density times wave speed times velocity times area
BAR_TOUCHES = (0.1, 0.65)  # well inside the exact contact from 0.05 to 0.717 s


def run(program, case, scheme, folder):
    """The history of a case with a scheme, and the CPU time; None if the run stops."""
    result = folder / "run.vtkhdf"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "run", case, "-o", result, "--quiet", "--threads", "1"]
    command += ["--set", f"time.scheme={scheme}", "--set", "expect=[]"]
    command += ["--set", "time.step=auto"] if scheme == "explicit" else []
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        print(f"{case} with {scheme}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None, seconds
    with h5py.File(result) as file:
        names = ["time", "total_energy", "contact_force", "newton_iterations", "friction_dissipation"]
        return {name: file["history"][name][:] for name in names}, seconds


def row(program, name, scheme, folder):
    groove, groove_seconds = run(program, "cases/vgroove/b_friction_02.yaml", scheme, folder)
    bar, bar_seconds = run(program, "cases/bar_on_wall/quads.yaml", scheme, folder)
    values = {"scheme": name}
    for case, history, seconds in (("groove", groove, groove_seconds), ("bar", bar, bar_seconds)):
        if history is not None:
            energy = history["total_energy"] / history["total_energy"][0]
            values[f"{case}_kept"] = 100 * energy[-1]
            values[f"{case}_made"] = 100 * (energy.max() - 1)
            values[f"{case}_newton"] = history["newton_iterations"][1:].mean()
        values[f"{case}_seconds"] = seconds
    if groove is not None:
        values["groove_friction"] = groove["friction_dissipation"][-1]
        force = np.linalg.norm(groove["contact_force"], axis=1)
        values["groove_jump"] = np.abs(np.diff(force)).mean() / force.mean()
    if bar is not None:
        during = (bar["time"] > BAR_TOUCHES[0]) & (bar["time"] < BAR_TOUCHES[1])
        force = bar["contact_force"][during, 0]
        values["bar_force"] = force.mean() / BAR_FORCE
        values["bar_jump"] = np.abs(np.diff(force)).mean() / BAR_FORCE
    return values


COLUMNS = [
    ("scheme", "scheme", "{:<40}"),
    ("groove_kept", "groove kept %", "{:>13.3f}"),
    ("groove_made", "made %", "{:>8.3f}"),
    ("groove_friction", "friction J/m", "{:>12.3f}"),
    ("groove_jump", "jump", "{:>7.3f}"),
    ("groove_newton", "newton", "{:>7.2f}"),
    ("groove_seconds", "s", "{:>6.2f}"),
    ("bar_kept", "bar kept %", "{:>11.3f}"),
    ("bar_made", "made %", "{:>8.3f}"),
    ("bar_force", "force", "{:>7.4f}"),
    ("bar_jump", "jump", "{:>7.4f}"),
    ("bar_seconds", "s", "{:>6.2f}"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/impakt"))
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    width = [len(form.format("" if key == "scheme" else 0.0)) for key, _, form in COLUMNS]
    print(" ".join(f"{title:<{w}}" if k == 0 else f"{title:>{w}}" for k, ((_, title, _), w) in enumerate(zip(COLUMNS, width))))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, scheme in SCHEMES:
            values = row(options.program, name, scheme, Path(folder))
            rows.append(values)
            cells = (form.format(values[key]) if key in values else f"{'stops':>{w}}" for (key, _, form), w in zip(COLUMNS, width))
            print(" ".join(cells), flush=True)
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, [key for key, _, _ in COLUMNS])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
