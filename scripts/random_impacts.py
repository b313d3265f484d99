#!/usr/bin/env python3
"""Random violent impacts: deformable bodies of every law and element thrown at every kind of obstacle.

    scripts/random_impacts.py 1-100                  seeds 1 to 100; a line each, and what they came to
    scripts/random_impacts.py 7 9 --keep DIR         leaves cases and results of seeds 7 and 9 in DIR
    scripts/random_impacts.py 1-50 --shape cone      only this obstacle, where the seed's geometry has it
    scripts/random_impacts.py 1-50 --pressings       load steps (quasi_static) of an obstacle into a block instead

A seed makes the same case on every machine. The speed is chosen so that strains come to 5 to 30 % (speed over that of waves), the
length of the run so that the body hits and leaves, in 100 to 200 steps. Each run is judged from outside, by what the command returns
and by the history in the result file:

    stops      the command fails, with the reason it gives; `inverts` if elements turned inside out
    ledger     the energy balance is off by more than 1e-10 of the reference energy
    gains      normal reactions put in more than 1e-3 of it, beyond what the scheme takes back (numerical_dissipation)
    enters     at position level something is inside by more than 1e-5 of the body's size
    misses     nothing was touched
    slow       not done after --limit seconds
    made       the time scheme made more than 1e-2 of the energy: a known limit of the trapezoidal rule, not of contact

The reference energy is the largest kinetic energy or external work of the run. The binary must be built (`cargo build --release`).
"""

import argparse
import collections
import itertools
import json
import math
import pathlib
import random
import struct
import subprocess
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLANE = ["half_space", "polygon", "chain", "box", "circle", "capsule"]
PLANE_INSIDE = ["polygon", "box", "circle", "capsule"]
SOLID = ["half_space", "box", "sphere", "capsule", "cylinder", "cone", "tetrahedron", "ball", "terrain"]
SOLID_INSIDE = ["box", "sphere", "capsule", "cylinder", "cone"]
MODULUS, DENSITY = 1.0e6, 1000.0


def law(rng):
    """A law with a Young's modulus of about MODULUS at small strains."""
    nu = rng.uniform(0.1, 0.4)
    mu, kappa = MODULUS / (2 * (1 + nu)), MODULUS / (3 * (1 - 2 * nu))
    elastic = {"young": MODULUS, "poisson": nu}
    alphas = [rng.choice([-4, -2, -1.5, 1.3, 2, 3, 5]) for _ in range(rng.randint(1, 3))]
    return rng.choice([
        {"linear": elastic},
        {"saint_venant_kirchhoff": elastic},
        {"neo_hooke": elastic},
        {"blatz_ko": {"shear_modulus": MODULUS / 2.5}},
        {"mooney_rivlin": {"c1": 0.4 * mu, "c2": 0.1 * mu, "bulk_modulus": kappa}},
        # the sum of mu alpha is twice the shear modulus, of the hyperfoam's mu the modulus itself
        {"ogden": {"terms": [{"mu": 2 * mu / a / len(alphas), "alpha": a} for a in alphas], "bulk_modulus": kappa}},
        {"hyperfoam": {"terms": [{"mu": mu / len(alphas), "alpha": a, "poisson": nu} for a in alphas]}},
    ])


def mesh(rng, solid):
    """A coarse mesh about the origin, its half extents, and a radius around it."""
    n, shape = rng.randint(2, 4), rng.random()
    if not solid:
        cells = rng.choice(["quads", "triangles"])
        if shape < 0.5:
            a, b = 0.01, 0.01 * rng.uniform(0.4, 1.0)
            box = {"min": [-a, -b], "max": [a, b], "divisions": [2 * n, n + 1], "cells": cells}
            return {"rectangle": box}, [a, b], math.hypot(a, b)
        if shape < 0.8:
            return {"disc": {"radius": 0.01, "core": 2 * rng.randint(1, 2), "layers": n, "cells": cells}}, [0.01] * 2, 0.01
        return {"ring": {"inner": 0.006, "outer": 0.01, "around": 8 * n, "layers": 2, "cells": cells}}, [0.01] * 2, 0.01
    cells = rng.choice(["hexes", "tets"])
    if shape < 0.5:
        a = [0.01 * rng.uniform(0.4, 1.0) for _ in range(3)]
        box = {"min": [-x for x in a], "max": a, "divisions": [rng.randint(2, 4) for _ in a], "cells": cells}
        return {"box": box}, a, math.hypot(*a)
    if shape < 0.7:
        length = 0.01 * rng.uniform(0.6, 2.0)
        rod = {"radius": 0.008, "length": length, "core": 2, "layers": 1, "slices": n, "cells": cells}
        return {"cylinder": rod}, [0.008, 0.008, length / 2], math.hypot(0.008, length / 2)
    if shape < 0.85:
        return {"sphere": {"radius": 0.01, "core": 2, "layers": rng.randint(1, 2), "cells": cells}}, [0.01] * 3, 0.01
    tube = {"inner": 0.005, "outer": 0.009, "length": 0.012, "around": 8, "layers": 1, "slices": n, "cells": cells}
    return {"tube": tube}, [0.009, 0.009, 0.006], math.hypot(0.009, 0.006)


def direction(rng, dim):
    while True:
        d = [rng.uniform(-1, 1) for _ in range(dim)]
        if 0.1 < math.hypot(*d) < 1:
            return [x / math.hypot(*d) for x in d]


def obstacle(rng, name, dim, r, inside):
    """Shape `name` about the origin with a size of about r, a radius around it (of a container: within it), triangles if any."""
    s = r * rng.uniform(0.3, 1.5)
    e = [0.0] * (dim - 1) + [1.0]
    at = lambda z: [0.0] * (dim - 1) + [z]
    if name == "half_space":
        return {"half_space": {"point": at(0.0), "normal": e}}, 0.0, None
    if inside:
        shapes = {
            "box": {"min": [-1.6 * r] * dim, "max": [1.6 * r] * dim},
            "polygon": {"outer": circle(rng.randint(3, 7), 3.3 * r)},
            "circle": {"centre": at(0.0), "radius": 1.6 * r},
            "sphere": {"centre": at(0.0), "radius": 1.6 * r},
            "capsule": {"from": at(-r), "to": at(r), "radius": 1.6 * r},
            "cylinder": {"point": at(-1.6 * r), "direction": e, "radius": 1.6 * r, "length": 3.2 * r},
            "cone": {"point": at(-1.6 * r), "direction": e, "radius": 3.2 * r, "length": 4 * r, "tip_radius": r},
        }
        return {name: shapes[name] | {"inside": True}}, 1.6 * r, None
    if name == "polygon":
        return {"polygon": circle(rng.randint(3, 7), s)}, s, None
    if name == "chain":
        # a saw, solid below: the ground lies on the left of travel
        teeth = rng.randint(2, 6)
        points = [[s * (2 * i / teeth - 1) * 3, s * 0.5 * rng.uniform(-1, 1)] for i in range(teeth + 1)]
        return {"chain": points[::-1]}, 0.5 * s, None
    if name == "box":
        a = [s * rng.uniform(0.4, 1.0) for _ in range(dim)]
        return {"box": {"min": [-x for x in a], "max": a}}, math.hypot(*a), None
    if name in ("circle", "sphere"):
        return {name: {"centre": at(0.0), "radius": s}}, s, None
    half = s * rng.uniform(0.3, 1.2)
    if name == "capsule":
        return {name: {"from": at(-half), "to": at(half), "radius": 0.5 * s}}, half + 0.5 * s, None
    if name == "cylinder":
        return {name: {"point": at(-half), "direction": e, "radius": s, "length": 2 * half}}, math.hypot(half, s), None
    if name == "cone":
        tip = rng.choice([0.0, 0.0, 0.3 * s])
        cone = {"point": at(-half), "direction": e, "radius": s, "length": 2 * half, "tip_radius": tip}
        return {name: cone}, math.hypot(half, s), None
    p, t = {"tetrahedron": tetrahedron, "ball": ball, "terrain": terrain}[name](rng, s)
    around = max(x[2] for x in p) if name == "terrain" else max(math.hypot(*x) for x in p)
    return {"surface": {"stl": "surface.stl"}}, around, [[p[k] for k in f] for f in t]


def circle(n, radius):
    return [[radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n)] for k in range(n)]


def tetrahedron(rng, s):
    p = [[s * x * rng.uniform(0.7, 1.0) for x in q] for q in [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]]
    return p, [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]


def ball(rng, s):
    """An octahedron, each triangle cut into four one to three times, on the sphere."""
    p = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    t = [(i, j, k) if (i + j + k) % 2 == 0 else (j, i, k) for i in (0, 1) for j in (2, 3) for k in (4, 5)]
    for _ in range(rng.randint(1, 3)):
        middles, cut = {}, []
        for tri in t:
            m = []
            for a, b in zip(tri, tri[1:] + tri[:1]):
                key = (min(a, b), max(a, b))
                if key not in middles:
                    x = [u + v for u, v in zip(p[a], p[b])]
                    middles[key] = len(p)
                    p.append([c / math.hypot(*x) for c in x])
                m.append(middles[key])
            a, b, c = tri
            cut += [(a, m[0], m[2]), (b, m[1], m[0]), (c, m[2], m[1]), tuple(m)]
        t = cut
    return [[s * c for c in x] for x in p], t


def terrain(rng, s):
    """A sheet of hills and valleys, 6 s wide, seen from +z."""
    n = rng.randint(3, 8)
    p = [[s * (6 * i / n - 3), s * (6 * j / n - 3), 0.25 * s * rng.uniform(-1, 1)] for i in range(n + 1) for j in range(n + 1)]
    t = []
    for a in [i * (n + 1) + j for i in range(n) for j in range(n)]:
        b, c, d = a + n + 1, a + 1, a + n + 2
        t += [(a, b, d), (a, d, c)]
    return p, t


def write_stl(path, triangles):
    with open(path, "wb") as file:
        file.write(b" " * 80 + struct.pack("<I", len(triangles)))
        for t in triangles:
            file.write(struct.pack("<12fH", 0, 0, 0, *[c for p in t for c in p], 0))


def rotate(v, axis, angle):
    """Rodrigues' formula; in the plane the axis is ignored."""
    c, s = math.cos(angle), math.sin(angle)
    if len(v) == 2:
        return [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    v, axis = np.array(v), np.array(axis)
    return list(c * v + s * np.cross(axis, v) + (1 - c) * axis.dot(v) * axis)


def impact(seed, only, level_only):
    """The case of a seed, a name for it, the size of its body, and the triangles of its obstacle if it has any."""
    rng = random.Random(seed)
    solid = rng.random() < 0.65
    dim = 3 if solid else 2
    geometry = "solid" if solid else rng.choice(["plane_strain", "plane_strain", "plane_stress"])
    cells, extents, r = mesh(rng, solid)
    the_law = law(rng)
    if "linear" in the_law:
        strain = rng.uniform(0.05, 0.15)
    else:
        strain = rng.uniform(0.05, 0.3)
    speed = strain * math.sqrt(MODULUS / DENSITY)
    inside = rng.random() < 0.2
    names = (SOLID_INSIDE if solid else PLANE_INSIDE) if inside else (SOLID if solid else PLANE)
    name = rng.choice(names)
    if only:
        name = rng.choice([n for n in only if n in names] or [name])
    shape, around, triangles = obstacle(rng, name, dim, r, inside)
    # the shape is turned, and stands where the body flies to
    axis, angle, d = direction(rng, 3), rng.uniform(-math.pi, math.pi), direction(rng, dim)
    sheet = name in ("half_space", "chain", "terrain")
    if sheet:
        d = [-x for x in rotate([0.0] * (dim - 1) + [1.0], axis, angle)]
    gap = r * rng.uniform(0.02, 0.2)
    way = gap if inside else r + around + gap
    aside = [x * r * rng.uniform(0, 0.5) for x in direction(rng, dim)]
    place = [0.0] * dim if inside else [way * a + (0 if sheet else b) for a, b in zip(d, aside)]
    if not inside:
        place = [x * max(1.0, way / math.hypot(*place)) for x in place]
    turn = {"angle": math.degrees(angle), "axis": axis} if solid else math.degrees(angle)
    velocity = [speed * x for x in d]
    if sheet:
        velocity = [v + speed * rng.uniform(0, 0.7) * x for v, x in zip(velocity, direction(rng, dim))]
    spin = speed / r * rng.uniform(-0.5, 0.5)
    flight = (1.2 * r if inside else gap + 0.6 * r + (around if sheet else 0)) / speed
    end = flight + rng.uniform(5, 9) * r / math.sqrt(MODULUS / DENSITY)
    steps = rng.randint(100, 200)
    force = rng.choice(["discrete_gradient", "discrete_gradient", "midpoint", "trapezoidal"])
    theta = 0.5 if force == "discrete_gradient" else rng.choice([0.5, 0.55])
    level = rng.choice(["position", "position", "rate", "velocity"])
    level = level_only or level
    contact = {"between": ["b.surface", "o"], "friction": rng.choice([0.0, 0.2, rng.uniform(0, 0.8)]), "level": level}
    if level == "velocity":
        contact["restitution"] = rng.choice([0.0, 0.0, 0.5])
    case = {
        "title": f"random impact {seed}",
        "geometry": geometry,
        "time": {"end": end, "step": end / steps * rng.choice([1.0, 1.0, 1 - 2e-8]),
                 "scheme": {"jean": {"theta": theta, "xi": theta, "force": force}}},
        "materials": {"m": {"density": DENSITY, "law": the_law}},
        "bodies": {"b": {"mesh": cells, "material": "m", "velocity": velocity,
                         "angular_velocity": [spin * x for x in axis] if solid else spin}},
        "obstacles": {"o": {"shape": shape, "place": {"rotate": turn, "translate": place}}},
        "contacts": [contact],
        "output": {"every": end},
    }
    where = f"{name}{' inside' if inside else ''}, {level} mu {contact['friction']:.2f}"
    label = f"{next(iter(the_law))} {next(iter(cells))} on {where} {force} {theta}, strain {strain:.2f}"
    return case, label, 2 * math.hypot(*extents), triangles


def pressing(seed, only):
    """An obstacle that comes down on a block in load steps."""
    rng = random.Random(seed)
    name = rng.choice(only or ["sphere", "capsule", "cylinder", "cone", "box", "ball"])
    n, cells = rng.randint(3, 8), rng.choice(["hexes", "tets"])
    shape, around, triangles = obstacle(rng, name, 3, rng.uniform(0.2, 0.5), False)
    depth, steps = rng.uniform(0.03, 0.15), rng.choice([5, 10, 20])
    # it starts a little above the block
    axis, angle = direction(rng, 3), rng.uniform(-math.pi, math.pi)
    low = lowest(shape, triangles, axis, angle)
    the_law = rng.choice(["linear", "neo_hooke"])
    aside = [0.1 * rng.uniform(-1, 1), 0.1 * rng.uniform(-1, 1)]
    block = {"min": [-0.5] * 3, "max": [0.5, 0.5, 0.0], "divisions": [n, n, (n + 1) // 2], "cells": cells}
    mu = rng.choice([0.0, 0.3])
    case = {
        "title": f"random pressing {seed}",
        "geometry": "solid",
        "time": {"end": 1.0, "step": 1.0 / steps, "scheme": "quasi_static"},
        "materials": {"m": {"density": DENSITY, "law": {the_law: {"young": MODULUS, "poisson": 0.3}}}},
        "bodies": {"b": {"mesh": {"box": block}, "material": "m"}},
        "obstacles": {"o": {
            "shape": shape,
            "place": {"rotate": {"angle": math.degrees(angle), "axis": axis}, "translate": aside + [1e-4 - low]},
            "motion": {"displacement": {"z": {"ramp": {"to": -depth, "rise": 1.0}}}},
        }},
        "boundary": [{"fixed": {"on": "b.z_min"}}],
        "contacts": [{"between": ["b.surface", "o"], "friction": mu}],
        "output": {"every": 1.0},
    }
    return case, f"{name} {depth:.2f} deep in {steps} steps, {n} {cells}, mu {mu}, {the_law}", 1.5, triangles


def lowest(shape, triangles, axis, angle):
    """Height of the lowest place of a turned shape."""
    (name, keys), = shape.items()
    z = lambda p: rotate(p, axis, angle)[2]
    if triangles:
        return min(z(p) for t in triangles for p in t)
    if name == "box":
        return min(z(list(corner)) for corner in itertools.product(*zip(keys["min"], keys["max"])))
    if name == "sphere":
        return -keys["radius"]
    if name == "capsule":
        return min(z(keys["from"]), z(keys["to"])) - keys["radius"]
    # the rims of a cylinder or cone, whose direction is z at rest
    up = z([0, 0, 1])
    tilt = math.sqrt(max(0.0, 1 - up * up))
    ends = [(keys["point"][2], keys["radius"]), (keys["point"][2] + keys["length"], keys.get("tip_radius", keys["radius"]))]
    return min(h * up - r * tilt for h, r in ends)


def judge(run, result, case, size):
    """What is wrong with a finished run: a list of words with figures."""
    wrong = []
    said = run.stderr.strip().splitlines()
    if run.returncode == 2:
        return ["refused: " + " ".join(said[-3:])]
    if run.returncode != 0:
        reason = next((line for line in said if "no step as short" in line), " ".join(said[-2:]))
        wrong.append(("inverts: " if "inverted" in reason else "stops: ") + reason.split("succeeds: ")[-1])
    with h5py.File(result) as file:
        h = {name: data[:] for name, data in file["history"].items() if isinstance(data, h5py.Dataset)}
    reference = max(h["kinetic_energy"].max(), abs(h["external_work"]).max(), abs(h["total_energy"]).max())
    error = abs(h["energy_balance_error"]).max() / reference
    gain = (h["contact_work"] - np.maximum(h["numerical_dissipation"], 0)).max() / reference
    made = -h["numerical_dissipation"].min() / reference
    if not h["contact_force"].any():
        wrong.append("misses")
    if error > 1e-10:
        wrong.append(f"ledger: {error:.1e}")
    # load steps have no energy to keep: what they leave is in numerical_dissipation
    moves = case["time"]["scheme"] != "quasi_static"
    if moves and gain > 1e-3:
        wrong.append(f"gains: {100 * gain:.2g} %")
    if moves and made > 1e-2:
        wrong.append(f"made: {100 * made:.2g} %")
    if case["contacts"][0].get("level", "position") == "position" and h["max_penetration"].max() > 1e-5 * size:
        wrong.append(f"enters: {h['max_penetration'].max():.1e} m")
    return wrong


def options(doc):
    """What every script that plays seeds is told on its command line."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="+", help="numbers, or ranges FIRST-LAST")
    parser.add_argument("--level", choices=["position", "rate", "velocity"], help="only this level")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for cases and results")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/impakt")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds a run may take")
    return parser


def play(args, name, make, verdict):
    """Runs the case of each seed and counts what is wrong with it. `make(seed)` gives the case, its label and what `verdict(run, result,
    case, known)` wants to know, with the triangles of its files in
    `known["surfaces"]`."""
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        ranges = [[int(n) for n in text.split("-")] for text in args.seeds]
        for seed in [seed for r in ranges for seed in range(r[0], r[-1] + 1)]:
            case, label, known = make(seed)
            count["runs"] += 1
            path, result = folder / f"{name}_{seed}.yaml", folder / f"{name}_{seed}.vtkhdf"
            for file, triangles in known.get("surfaces", {}).items():
                write_stl(folder / file, triangles)
            path.write_text(json.dumps(case, indent=1))
            command = [args.binary.resolve(), "run", path, "-o", result, "--quiet"]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=args.limit)
                wrong = verdict(run, result, case, known)
            except subprocess.TimeoutExpired:
                wrong = ["slow"]
            count.update({word.split(":")[0] for word in wrong} or ["right"])
            print(f"{seed:6} {label}: {'; '.join(wrong) or 'right'}", flush=True)
            if not args.keep:
                for file in folder.iterdir():
                    file.unlink()
    print(", ".join(f"{word} {n}" for word, n in count.items()))


def main():
    parser = options(__doc__)
    parser.add_argument("--shape", action="append", help="only obstacles of this kind; may be repeated")
    parser.add_argument("--pressings", action="store_true", help="load steps instead of impacts")
    args = parser.parse_args()

    def make(seed):
        made = pressing(seed, args.shape) if args.pressings else impact(seed, args.shape, args.level)
        case, label, size, triangles = made
        surfaces = {}
        if triangles:
            file = f"impact_{seed}.stl"
            case["obstacles"]["o"]["shape"]["surface"]["stl"] = file
            surfaces[file] = triangles
        return case, label, {"size": size, "surfaces": surfaces}

    play(args, "impact", make, lambda run, result, case, known: judge(run, result, case, known["size"]))


if __name__ == "__main__":
    main()
