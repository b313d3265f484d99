#!/usr/bin/env python3
"""Performance profile of the contact solvers on stored FCLIB problems.

Runs `impakt contact --solver all` at two tolerances on every .hdf5 file of a folder (default ../shared/fclib, or IMPAKT_FCLIB) and
draws, for each solver, the share of problems solved within a factor of the fastest solver's time. Nothing is typed by hand: the
table and the picture come from the runs.

    scripts/contact_profile.py [FOLDER] [-o results/contact_profile]
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

TOLERANCES = (1e-4, 1e-8)
SOLVERS = (
    "hybrid",
    "newton",
    "bipotential_newton",
    "gauss_seidel",
    "jacobi",
    "uzawa",
    "extragradient",
    "projected_gradient",
)


def measure(program, files, tolerance, limit):
    """Rows of `impakt contact`, each problem in a process of its own that may take `limit` seconds a solver."""
    rows = []
    for file in files:
        for solver in SOLVERS:
            with tempfile.TemporaryDirectory() as folder:
                table = pathlib.Path(folder) / "rows.csv"
                call = [program, "contact", str(file), "--solver", solver, "--tol", str(tolerance), "--csv", str(table)]
                try:
                    done = subprocess.run(call, capture_output=True, text=True, timeout=limit + 5)
                except subprocess.TimeoutExpired:
                    rows.append({"problem": file.stem, "solver": solver, "seconds": str(limit), "solved": "false"})
                    continue
                if done.returncode == 2:
                    sys.exit(done.stderr)
                rows += csv.DictReader(table.open())
    for row in rows:
        row["tolerance"] = tolerance
        row["ok"] = row["solved"] == "true" and float(row["seconds"]) <= limit
    return rows


def profile(rows):
    """Per solver the sorted time ratios to the best solver of each problem; unsolved problems are missing."""
    problems = sorted({row["problem"] for row in rows})
    ratios = {row["solver"]: [] for row in rows}
    for problem in problems:
        own = [row for row in rows if row["problem"] == problem and row["ok"]]
        if own:
            best = min(float(row["seconds"]) for row in own)
            for row in own:
                ratios[row["solver"]].append(float(row["seconds"]) / max(best, 1e-6))
    return {solver: sorted(values) for solver, values in ratios.items()}, len(problems)


def draw(all_rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(TOLERANCES), figsize=(11, 3.8), sharey=True, layout="constrained")
    for axis, tolerance in zip(axes, TOLERANCES):
        ratios, count = profile([row for row in all_rows if row["tolerance"] == tolerance])
        for solver, values in ratios.items():
            steps = [1.0, *values, 1e4]
            shares = [0.0, *((k + 1) / count for k in range(len(values))), len(values) / count]
            axis.step(steps, shares, where="post", label=solver)
        axis.set_xscale("log")
        axis.set_xlim(1.0, 1e4)
        axis.set_ylim(0.0, 1.05)
        axis.set_xlabel("time / time of the fastest")
        axis.set_title(f"error ≤ {tolerance:g} |q|, {count} problems")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("share of problems solved")
    figure.legend(*axes[-1].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(path, dpi=150)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=os.environ.get("IMPAKT_FCLIB", str(root / "../shared/fclib")))
    parser.add_argument("-o", "--output", default=str(root / "results/contact_profile"), help="without ending")
    parser.add_argument("--limit", type=float, default=15.0, help="seconds a solver may take for a problem")
    parser.add_argument("--program", default=str(root / "target/release/impakt"))
    arguments = parser.parse_args()
    files = sorted(pathlib.Path(arguments.folder).glob("*.hdf5"))
    if not files:
        sys.exit(f"no .hdf5 files in {arguments.folder}")
    rows = []
    for tolerance in TOLERANCES:
        rows += measure(arguments.program, files, tolerance, arguments.limit)
    output = pathlib.Path(arguments.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    keys = ["tolerance", "problem", "points", "dim", "solver", "iterations", "seconds", "error_q", "error_siconos", "ok"]
    with output.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, keys, extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, output.with_suffix(".png"))
    for row in rows:
        print(f"{row['tolerance']:g}  {row['problem']:<45} {row['solver']:<13} {float(row['seconds']):9.4f} s  {'solved' if row['ok'] else '-'}")
    print(f"{output.with_suffix('.csv')}, {output.with_suffix('.png')}")


if __name__ == "__main__":
    main()
