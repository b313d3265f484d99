"""What the linearised gear pair is held to that would cost a test too much: convergence, scatter, rolled friction, energy.

    python scripts/gear_study.py [--impakt target/release/impakt] [--picture FILE] [NAME...]

Runs cases/gears/reference.yaml with other settings, reads the tables it writes and prints a line for each claim. NAME chooses among
convergence, double, own, scatter, rolled, whole. Needs matplotlib for the picture of convergence, else no package.
"""

import argparse
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

CASE = Path(__file__).resolve().parent.parent / "cases/gears/reference.yaml"
TASK = "task.transmission_error"
SPUR = f"{TASK}.gears.*.mesh.spur_gear"


class Study:
    """Runs of the reference case in a folder of their own."""

    def __init__(self, program, folder, picture=None):
        self.program, self.folder, self.picture = program, Path(folder), picture

    def run(self, **changes):
        """The rows of positions.csv as numbers by column."""
        settings = {"torque": "112.98483", "friction": "0.0", "flank": "192", "across": "20", "rim": "10", "fillet": "20", "frames": 1, **changes}
        gear = {"flank", "across", "rim", "fillet", "modelled", "hub"}
        command = [self.program, "run", str(CASE), "--quiet", "-o", str(self.folder / "run.vtkhdf")]
        for key, value in settings.items():
            command += ["--set", f"{SPUR if key in gear else TASK}.{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(done.stderr)
        with open(self.folder / "run/positions.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def error(row):
    return 1e6 * row["transmission_error [rad]"]


def rms(values):
    return math.sqrt(sum(v * v for v in values) / len(values))


MEASURES = ("pitch point", "middle of double contact", "peak-to-peak", "mean", "fillet stress", "pressure")


def convergence(study):
    print("segments  pitch point  middle  peak-to-peak  mean  jump (0.3)  fillet MPa  pressure MPa")
    found = {}
    for flank in (24, 48, 96, 192, 288):
        across = max(12, 2 * round(5 * math.log10(flank)))
        rows = study.run(flank=flank, friction="[0.0, 0.3]", across=across, rim=across // 2, fillet=max(12, flank // 8))
        smooth, rough = rows[:50], rows[50:]
        values = [error(r) for r in smooth]
        fillet = 1e-6 * max(r["driver.fillet_stress [Pa]"] for r in smooth)
        pressure = 1e-6 * smooth[25]["pressure [Pa]"]
        found[flank] = (values[25], values[0], max(values) - min(values), sum(values) / 50, fillet, pressure)
        print(
            f"{flank:8} {values[25]:12.2f} {values[0]:7.2f} {found[flank][2]:13.2f} {found[flank][3]:6.2f}"
            f" {error(rough[26]) - error(rough[24]):10.2f} {fillet:11.2f} {pressure:13.1f}"
        )
    if study.picture:
        draw_convergence(found, study.picture)


def draw_convergence(found, path):
    """How far each measure is from that of the finest mesh, over the segments of a flank."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    *coarse, finest = sorted(found)
    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    for k, (name, marker) in enumerate(zip(MEASURES, "os^Dvx")):
        off = [100 * abs(found[flank][k] / found[finest][k] - 1) for flank in coarse]
        axis.loglog(coarse, off, marker=marker, label=name)
    axis.set_xticks(coarse, [str(flank) for flank in coarse])
    axis.minorticks_off()
    axis.set_xlabel("segments a flank")
    axis.set_ylabel(f"off the run with {finest} [%]")
    axis.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(path, dpi=110)


def double(study):
    for corners in ("true", "false"):
        rows = study.run(positions=800, flank=128, candidates=f"{{corners: {corners}}}")
        share = sum(r["pairs []"] >= 2 for r in rows) / len(rows)
        print(f"double contact, corners {corners}: {100 * share:.2f} % of the cycle")


def own(study):
    rows = study.run(positions=160, range="[-0.42, -0.28]", candidates="{arms: own}")
    angles = [r["driver_angle [rad]"] for r in rows]
    left, right = [], []
    for k in range(1, len(rows) - 1):
        step = angles[k + 1] - angles[k - 1]
        change = lambda column: (rows[k + 1][column] - rows[k - 1][column]) / step
        left.append(rows[k]["input_torque [N m]"] - rows[k]["torque [N m]"])
        right.append(-rows[k]["torque [N m]"] * change("transmission_error [rad]") + change("strain_energy [J]"))
    difference = rms([a - b for a, b in zip(left, right)])
    print(f"energy balance, own normals: RMS {difference:.4f} N m of a peak of {max(map(abs, left)):.4f} N m"
          f" ({100 * difference / max(map(abs, left)):.1f} %)")


def scatter(study):
    common = dict(positions=200, range="[-0.25, 0.25]")
    exact = [error(r) for r in study.run(**common)]
    for flank in (12, 24, 48, 96, 192):
        rows = study.run(flank=flank, candidates="{at: driver_nodes, surface: straight}", **common)
        off = [error(r) - e for r, e in zip(rows, exact)]
        mean = sum(off) / len(off)
        share = rms([x - mean for x in off]) / (sum(exact) / len(exact))
        print(f"straight edges, nodes of the driver, {flank} segments: scatter {100 * share:.3f} % of the error, shift {mean:.2f} urad")


def stretch(rows, exact):
    base = 23.868193e-3
    zeta = [r["driver_angle [rad]"] * base * 1e3 for r in rows]
    off = [(z, error(a) - error(b), a["input_torque [N m]"] - b["input_torque [N m]"]) for z, a, b in zip(zeta, rows, exact)]
    beyond = [z for z, e, _ in off if abs(e) > 1e-7 * 500]
    return off, beyond


def rolled(study):
    for torque, friction in ((112.98483, 0.3), (112.98483, 0.15), (56.4924, 0.3), (28.2462, 0.3)):
        common = dict(torque=torque, friction=friction, positions=400, range="[-0.1, 0.1]", flank=192)
        rows, exact = study.run(sliding="rolled", **common), study.run(**common)
        off, beyond = stretch(rows, exact)
        outside = max((abs(e) for z, e, _ in off if not beyond or z < min(beyond) or z > max(beyond)), default=0.0)
        print(
            f"rolled, {torque:.2f} N m, friction {friction}: stretch {min(beyond, default=0):.4f} to {max(beyond, default=0):.4f} mm,"
            f" largest difference {max(abs(e) for _, e, _ in off):.3f} urad and {max(abs(m) for _, _, m in off):.4f} N m,"
            f" outside {outside / 500:.1e}"
        )


def whole(study):
    for modelled in (3, 5, 7, 20):
        rows = study.run(modelled=modelled, flank=96)
        values = [error(r) for r in rows]
        print(f"{modelled} teeth: pitch point {values[25]:.3f}, peak-to-peak {max(values) - min(values):.3f} urad")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--impakt", default="target/release/impakt")
    parser.add_argument("--picture", metavar="FILE", help="draws what convergence finds")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    parts = {f.__name__: f for f in (convergence, double, own, scatter, rolled, whole)}
    unknown = [name for name in arguments.names if name not in parts]
    if unknown:
        parser.error(f"{unknown[0]!r} is none of {', '.join(parts)}")
    with tempfile.TemporaryDirectory() as folder:
        study = Study(arguments.impakt, folder, arguments.picture)
        for name in arguments.names or parts:
            parts[name](study)


if __name__ == "__main__":
    main()
