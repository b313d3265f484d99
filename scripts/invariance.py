#!/usr/bin/env python3
"""What must not matter: runs cases again with their bodies written backwards, shifted, and turned as a whole, and compares.

    scripts/invariance.py                              the cases of pairs, rigid, friction and solid
    scripts/invariance.py cases/rigid/pile.yaml        this one
    scripts/invariance.py --share 0.4 cases/pairs      only the first 40 % of their time

A line says by how much trajectories and velocities of bodies and the energies differ at most, as shares of the size of the smallest
body, of the largest velocity and of the largest energy. Cases are turned by 37 degrees, in space by 40 about (1, 2, 3); those that name axes of space (supports,
driven walls) by a right angle, so that axes become axes. What cannot be turned that way is said. The binary must be built
(`cargo build --release`).
"""

import argparse
import copy
import json
import math
import os
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np
from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parent.parent
AXES = "xyz"
SAME = 1e-8


def turned_by(axis, angle):
    """The matrix of a rotation in space, by Rodrigues' formula."""
    k = np.cross(np.eye(3), np.array(axis) / np.linalg.norm(axis))
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def axis_of(turn):
    """The axis of a rotation in a case file: a name, or a direction."""
    axis = turn.get("axis", "z")
    return np.eye(3)[AXES.index(axis)] if isinstance(axis, str) else axis


def as_rotation(matrix, solid):
    """A rotation about the origin as a case file has it."""
    doubled = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine = np.linalg.norm(doubled) / 2
    angle = math.atan2(sine, (np.trace(matrix) - 1) / 2)
    if not solid:
        return {"angle": math.degrees(math.copysign(angle, doubled[2])), "about": [0.0, 0.0]}
    axis = doubled / (2 * sine) if sine > 1e-9 else np.array([0.0, 0.0, 1.0])
    return {"angle": math.degrees(angle), "axis": axis.tolist(), "about": [0.0, 0.0, 0.0]}


def names_axes(case):
    """Whether directions of the case are given by the names of axes."""
    held = any(key in entry for entry in case.get("boundary", []) for key in ("fixed", "displacement", "velocity", "rotation"))
    driven = any(key in o for o in case.get("obstacles", {}).values() for key in ("free", "motion", "force", "spring", "dashpot"))
    return held or driven


class Turn:
    """A rotation about the origin and a shift of everything in a case."""

    def __init__(self, case, shift=None, sense=1):
        self.solid = case["geometry"] == "solid"
        self.shift = np.zeros(3) if shift is None else np.array(shift)
        right = names_axes(case)
        self.axis = [0, 0, 1] if not self.solid else [1, 1, 1] if right else [1, 2, 3]
        self.angle = sense * ((120.0 if self.solid else 90.0) if right else (40.0 if self.solid else 37.0))
        if shift is not None:
            self.angle = 0.0
        self.matrix = turned_by(self.axis, math.radians(self.angle))
        if right:
            self.matrix = np.round(self.matrix)

    def vector(self, v):
        return (self.matrix @ [*v, *[0.0] * (3 - len(v))])[: len(v)].tolist()

    def place(self, old):
        """What `place` becomes: first what it was, then the turn, together one rotation about the origin and a shift."""
        old = dict(old or {})
        dim = 3 if self.solid else 2
        matrix, moved = np.eye(3), np.zeros(3)
        given = old.get("rotate", [])
        for turn in given if isinstance(given, list) else [given]:
            turn = turn if isinstance(turn, dict) else {"angle": turn}
            about = np.array([*turn.get("about", [0.0] * dim), 0.0][:3])
            own = turned_by(axis_of(turn), math.radians(turn["angle"]))
            matrix, moved = own @ matrix, own @ (moved - about) + about
        moved = moved + np.array([*old.get("translate", [0.0] * dim), 0.0][:3])
        matrix, moved = self.matrix @ matrix, self.matrix @ moved + self.shift
        return old | {"rotate": as_rotation(matrix, self.solid), "translate": moved[:dim].tolist()}

    def along(self, values):
        """Values that belong to axes, by name."""
        turned = {key: value for key, value in values.items() if key not in AXES}
        for key in set(values) & set(AXES):
            column = self.matrix[:, AXES.index(key)]
            to = int(np.argmax(abs(column)))
            if column[to] < 0 and not isinstance(values[key], (int, float)):
                raise ValueError("a function of time changes its sign")
            turned[AXES[to]] = values[key] if column[to] > 0 else -values[key]
        return turned

    def names(self, axes):
        return [AXES[int(np.argmax(abs(self.matrix[:, AXES.index(a)])))] if a in AXES else a for a in axes]

    def apply(self, case):
        case = copy.deepcopy(case)
        for body in case.get("bodies", {}).values():
            body["mesh"]["place"] = self.place(body["mesh"].get("place"))
            if "rotation" in body:
                raise ValueError("its body is turned already")
            self.velocities(body)
        for obstacle in case.get("obstacles", {}).values():
            obstacle["place"] = self.place(obstacle.get("place"))
            if "centre" in obstacle or ("inertia" in obstacle and self.solid):
                raise ValueError("inertia is given in its own axes")
            self.velocities(obstacle)
            if "free" in obstacle:
                obstacle["free"] = self.names(obstacle["free"])
            for key in {"force", "spring", "dashpot"} & set(obstacle):
                obstacle[key] = self.along(obstacle[key])
            for key, values in obstacle.get("motion", {}).items():
                if key == "rotation" and self.angle != 0.0:
                    raise ValueError("an obstacle is turned about a place")
                obstacle["motion"][key] = self.along(values) if key in ("velocity", "displacement") else values
        for entry in case.get("boundary", []):
            if "gravity" in entry:
                entry["gravity"] = self.vector(entry["gravity"])
            if "axes" in entry.get("fixed", {}):
                entry["fixed"]["axes"] = self.names(entry["fixed"]["axes"])
            for key in {"displacement", "velocity"} & set(entry):
                entry[key] = self.along(entry[key])
        for contact in case["contacts"]:
            if isinstance(contact.get("friction"), dict):
                contact["friction"]["axis"] = self.vector(contact["friction"]["axis"])
        return case

    def velocities(self, body):
        if "velocity" in body:
            body["velocity"] = self.vector(body["velocity"])
        if self.solid and "angular_velocity" in body:
            body["angular_velocity"] = self.vector(body["angular_velocity"])


def backwards(case):
    """Bodies and obstacles written in the other order."""
    swapped = {key: dict(reversed(case[key].items())) for key in ("bodies", "obstacles") if key in case}
    return case | swapped


def size_of(grid):
    """Size of the smallest body of a scene."""
    points, body = grid["Points"][: grid["NumberOfPoints"][0]], grid["CellData/body"][: grid["NumberOfCells"][0]]
    nodes, ends = grid["Connectivity"][: grid["NumberOfConnectivityIds"][0]], grid["Offsets"][: grid["NumberOfCells"][0] + 1]
    sizes = []
    for number in np.unique(body[body >= 0]):
        own = np.concatenate([nodes[ends[k] : ends[k + 1]] for k in np.flatnonzero(body == number)])
        sizes.append(np.ptp(points[own], axis=0).max())
    return min(sizes)


def history(binary, case, folder):
    """Runs a case; its histories by name, or why there are none."""
    path, out = folder / "case.yaml", folder / "case.vtkhdf"
    path.write_text(json.dumps(case))
    done = subprocess.run([binary, "run", path, "-o", out, "--quiet"], capture_output=True, text=True, env=os.environ)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    columns = {}
    with h5py.File(out) as file:
        columns["size"] = size_of(file["VTKHDF"])
        file["history"].visititems(lambda name, d: columns.update({name: d[:]}) if isinstance(d, h5py.Dataset) else None)
    return columns


def difference(a, b, turn):
    """The largest difference of two runs; the second one has been turned."""
    if len(a["time"]) != len(b["time"]):
        return math.inf
    energies = ["kinetic_energy", "strain_energy", "friction_dissipation", "contact_work"]
    energy = max(np.abs(a["total_energy"]).max(), np.abs(a["external_work"]).max(), 1e-300)
    worst = max(np.abs(a[k] - b[k]).max() / energy for k in energies)
    bodies = [k.removesuffix("/velocity") for k in a if k.startswith("bodies/") and k.endswith("/velocity")]
    size = a["size"]
    fastest = max(max(np.abs(a[k + "/velocity"]).max() for k in bodies), size / a["time"][-1])
    for kind, scale, shift in (("/centre_of_mass", size, turn.shift), ("/velocity", fastest, np.zeros(3))):
        for body in bodies:
            dim = a[body + kind].shape[1]
            expected = a[body + kind] @ turn.matrix[:dim, :dim].T + shift[:dim]
            worst = max(worst, np.abs(expected - b[body + kind]).max() / scale)
    return worst


def applies(turn, case):
    """Whether a case can be turned that way."""
    try:
        turn.apply(case)
    except ValueError:
        return False
    return True


def compare(path, binary, share):
    """The three differences of a case; a reason in the place of one that cannot be had."""
    case = json.loads(json.dumps(YAML(typ="safe", pure=True).load(path.read_text())))
    case = {key: value for key, value in case.items() if key not in ("expect", "title", "source")}
    if "quasi_static" not in case["time"].get("scheme", {}):
        case["time"]["end"] *= share
    case["output"] = {"every": case["time"]["end"]}
    for body in case.get("bodies", {}).values():
        if "gmsh" in body["mesh"]:
            body["mesh"]["gmsh"] = str(path.parent.resolve() / body["mesh"]["gmsh"])
    still = Turn(case, shift=[0.0, 0.0, 0.0])
    shifted, turned = Turn(case, shift=[0.03, -0.02, 0.01]), Turn(case)
    if not applies(turned, case):
        turned = Turn(case, sense=-1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain = history(binary, case, folder)
        changes = [("order", still, backwards), ("shift", shifted, shifted.apply), ("turn", turned, turned.apply)]
        for name, turn, change in changes:
            try:
                yield name, difference(plain, history(binary, change(case), folder), turn)
            except ValueError as reason:
                yield name, str(reason)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", type=pathlib.Path, help="case files, or folders of them")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/impakt")
    parser.add_argument("--share", type=float, default=1.0, help="share of their time that is run")
    options = parser.parse_args()
    given = options.cases or [ROOT / "cases" / name for name in ("pairs", "rigid", "friction", "solid")]
    paths = [path for item in given for path in (sorted(item.glob("*.yaml")) if item.is_dir() else [item])]
    same = True
    for path in paths:
        found = list(compare(path, options.binary.resolve(), options.share))
        texts = [f"{name} {value:.1e}" if isinstance(value, float) else f"{name}: {value}" for name, value in found]
        differs = any(isinstance(value, float) and value > SAME for _, value in found)
        same &= not differs
        print(f"{path.stem:26} {', '.join(texts)}{'   differs' if differs else ''}", flush=True)
    raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
