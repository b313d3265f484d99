#!/usr/bin/env python3
"""Random violent meetings of deformable bodies: two to five of every law and element thrown at each other, with nothing else around.

    scripts/random_pairs.py 1-100                    seeds 1 to 100; a line each, and what they came to
    scripts/random_pairs.py 7 9 --keep DIR           leaves cases and results of seeds 7 and 9 in DIR
    scripts/random_pairs.py 1-50 --level rate        only this level

The cases are made and judged as those of scripts/random_impacts.py; thin plates, meshes of different fineness, self contact,
orthotropic friction, one and two passes and every scheme are among them. Since no wall is there, momentum must stay. Besides what is
told there:

    momentum   it changes by more than 1e-9 of the bodies' momenta
    turns      angular momentum changes by more than 1e-8 of them times the size of the set-up, where the guide says it is kept
    friction   put energy in, by more than 1e-10 of the reference energy in any step (not judged at velocity level)
    overlaps   at position level, by brute force (scripts/overlap.py) over the stored frames: a node that is held lies inside another body
               by more than 1e-5 of its size
    through    at any level a place of an edge is inside another body by more than a quarter of that body's thickness
"""

import math
import random

import h5py
import numpy as np

from overlap import Mesh
from random_impacts import DENSITY, MODULUS, direction, judge, law, mesh, options, play, rotate

WAVE = math.sqrt(MODULUS / DENSITY)
FRAMES = 30
KEPT = 1e-8


def body(rng, solid):
    """A mesh about the origin with its half extents and its radius: one of the random impacts, or a thin plate; up to twice as fine."""
    if rng.random() < 0.2:
        thin = 0.01 * rng.uniform(0.05, 0.15)
        if solid:
            a, n = [0.01 * rng.uniform(0.6, 1.0), 0.01 * rng.uniform(0.6, 1.0), thin], rng.randint(3, 6)
            cells, name, divisions = rng.choice(["hexes", "tets"]), "box", [n, n, rng.randint(1, 2)]
        else:
            a, cells, name, divisions = [0.01, thin], rng.choice(["quads", "triangles"]), "rectangle", [rng.randint(6, 14), 1]
        block = {"min": [-x for x in a], "max": a, "divisions": divisions, "cells": cells}
        return {name: block}, a, math.hypot(*a)
    cells, extents, r = mesh(rng, solid)
    (_, keys), = cells.items()
    finer = 2 if rng.random() < (0.15 if solid else 0.4) else 1
    for key in ("core", "layers", "slices", "around"):
        if key in keys:
            keys[key] *= finer
    if "divisions" in keys:
        keys["divisions"] = [finer * n for n in keys["divisions"]]
    return cells, extents, r


def width(shape, extents, r, turn, d):
    """Half of the width of a turned body along `d`."""
    if next(iter(shape)) in ("rectangle", "box", "cylinder", "tube"):
        axes = np.eye(len(extents))
        return sum(a * abs(np.dot(rotate(list(e), *turn), d)) for a, e in zip(extents, axes))
    return r


def of_revolution(rng):
    """Rectangles beside the axis for a case of revolution."""
    n, cells = rng.randint(2, 5), rng.choice(["quads", "triangles"])
    inner, half = rng.choice([0.0, 0.0, 0.003]), 0.01 * rng.uniform(0.2, 1.0)
    block = {"min": [inner, -half], "max": [0.01 * rng.uniform(0.6, 1.0), half], "divisions": [n, n], "cells": cells}
    return {"rectangle": block}, [0.01, half], math.hypot(0.01, half)


def scheme(rng, level):
    """A scheme, and whether it keeps angular momentum and in which dimensions."""
    kind = rng.random()
    if kind < 0.5:
        force = rng.choice(["discrete_gradient", "discrete_gradient", "midpoint"])
        return {"jean": {"theta": 0.5, "xi": 0.5, "force": force}}, (2, 3)
    if kind < 0.65:
        return {"jean": {"theta": 0.55, "xi": 0.55, "force": rng.choice(["midpoint", "trapezoidal"])}}, ()
    if kind < 0.8 or level == "velocity":
        return {"explicit": {"courant": rng.uniform(0.5, 0.9)}}, (2,)
    return rng.choice([
        {"newmark": {}},
        {"hht": {"alpha": 0.1}},
        {"generalized_alpha": {"spectral_radius": rng.uniform(0.3, 0.9)}},
        {"jean": {"theta": 0.5, "xi": 0.5, "force": "trapezoidal"}},
    ]), ()


def friction(rng, dim):
    if dim == 3 and rng.random() < 0.2:
        return {"mu1": rng.uniform(0.1, 0.8), "mu2": rng.uniform(0.1, 0.8), "axis": direction(rng, 3),
                "carried_by": rng.choice(["first", "second"])}
    return rng.choice([0.0, 0.2, rng.uniform(0, 0.8)])


def meeting(seed, level_only):
    """The case of a seed, a name for it, and what its judge wants to know."""
    rng = random.Random(seed)
    solid = rng.random() < 0.5
    dim = 3 if solid else 2
    geometry = "solid" if solid else rng.choice(["plane_strain", "plane_strain", "plane_strain", "plane_stress", "axisymmetric"])
    revolved = geometry == "axisymmetric"
    level = rng.choice(["position", "position", "rate", "velocity"])
    level = level_only or level
    the_scheme, keeps = scheme(rng, level)
    explicit = "explicit" in the_scheme
    count = rng.choice([2, 2, 2, 3] if solid else [2, 2, 2, 3, 4, 5])
    strain = rng.uniform(0.05, 0.3)
    placed, bodies, materials, about = [], {}, {}, []
    for k in range(count):
        shape, extents, r = of_revolution(rng) if revolved else body(rng, solid)
        turn = (direction(rng, 3), 0.0 if revolved or rng.random() < 0.2 else rng.uniform(-math.pi, math.pi))
        d = direction(rng, dim)
        if revolved:
            d = [0.0, 1.0]
        # beside everything that is there, seen along d
        half = width(shape, extents, r, turn, d)
        at, gap = [0.0] * dim, r * rng.uniform(0.005, 0.1)
        if k > 0:
            at = [x + 0.5 * r * rng.uniform(-1, 1) * (not revolved) for x in placed[-1][0]]
            front = max(np.dot(other, d) + width(*rest, d) for other, *rest in placed)
            at = [x + (front + half + gap - np.dot(at, d)) * y for x, y in zip(at, d)]
        placed.append((at, shape, extents, r, turn))
        speed = strain * WAVE * rng.uniform(0.5, 1.0)
        aside = [0.0] * dim if revolved else [0.4 * speed * x for x in direction(rng, dim)]
        velocity = [(-1 if k else 1 if count == 2 else 0) * speed * x + y for x, y in zip(d, aside)]
        if k == 1 and count == 2:
            first = bodies["b0"]
            first["velocity"] = [0.8 * speed * x for x in d]
        spin = 0.0 if revolved else speed / r * rng.uniform(-0.4, 0.4)
        the_law = law(rng)
        if "linear" in the_law and strain > 0.15:
            the_law = {"neo_hooke": the_law["linear"]}
        if explicit and rng.random() < 0.15 and geometry != "plane_stress":
            the_law = {"j2": {"young": MODULUS, "poisson": 0.3, "yield_stress": 0.05 * MODULUS, "hardening": 0.1 * MODULUS}}
        materials[f"m{k}"] = {"density": DENSITY * rng.choice([1.0, 1.0, rng.uniform(0.5, 2.0)]), "law": the_law}
        place = {"translate": at}
        if turn[1]:
            place["rotate"] = {"angle": math.degrees(turn[1]), "axis": turn[0]} if solid else math.degrees(turn[1])
        bodies[f"b{k}"] = {"mesh": shape | {"place": place}, "material": f"m{k}", "velocity": velocity}
        if spin:
            bodies[f"b{k}"]["angular_velocity"] = [spin * x for x in turn[0]] if solid else spin
        about.append(f"{next(iter(the_law))} {next(iter(shape))}")
    contacts = []
    mu, passes = friction(rng, dim), rng.choice(["one", "two", "two"])
    for i in range(count):
        for j in range(i + 1, count):
            contact = {"between": [f"b{i}.surface", f"b{j}.surface"], "friction": mu, "level": level, "passes": passes}
            if passes == "one" and rng.random() < 0.6:
                contact["slave"] = rng.choice([f"b{i}", f"b{j}"])
            contacts.append(contact)
    restitution = rng.choice([0.0, 0.0, 0.5])
    itself = rng.random() < 0.25
    for k in range(count):
        if itself:
            contacts.append({"between": [f"b{k}.surface", f"b{k}.surface"], "friction": mu if dim == 2 else 0.1, "level": level})
    if level == "velocity":
        for contact in contacts:
            contact["restitution"] = restitution
    r = max(p[3] for p in placed)
    end = 0.3 * r / (strain * WAVE) + rng.uniform(4, 8) * r / WAVE + (count - 2) * 0.5 * r / (strain * WAVE)
    steps = rng.randint(100, 200)
    time = {"end": end, "step": "auto" if explicit else end / steps, "scheme": the_scheme}
    # forces of the linear law act where the body was: they have a moment once it is bent
    kept = dim in keeps and not revolved and not any("linear" in m["law"] for m in materials.values())
    if kept and not explicit:
        # places halfway are those of the last iterate: as exact as Newton's method
        time["newton"] = {"residual": 1e-12, "increment": 1e-13}
    case = {
        "title": f"random pairs {seed}",
        "geometry": geometry,
        "time": time,
        "materials": materials,
        "bodies": bodies,
        "contacts": contacts,
        "output": {"every": end / FRAMES, "fields": ["body"]},
    }
    name, keys = next(iter(the_scheme.items()))
    how = f"{name} {keys.get('force', '')} {keys.get('theta', '')}".strip()
    friction_label = "ortho" if isinstance(mu, dict) else f"{mu:.2f}"
    label = f"{geometry}, {' + '.join(about)}, {level} {passes} mu {friction_label} {how}{' itself' if itself else ''}, strain {strain:.2f}"
    known = {"kept": kept, "sizes": [2 * math.hypot(*p[2]) for p in placed], "thin": [2 * min(p[2]) for p in placed],
             "masses": [DENSITY * np.prod([2 * x for x in p[2]]) for p in placed], "revolved": revolved,
             "reach": max(math.hypot(*p[0]) for p in placed) + r}
    return case, label, known


def held(contact):
    """Numbers of the bodies whose nodes are held, with those of the bodies that hold them; two alternatives where the program chooses."""
    i, j = (int(name.split(".")[0][1:]) for name in contact["between"])
    if i == j:
        return []
    if contact["passes"] == "two":
        return [[(i, j), (j, i)]]
    if "slave" in contact:
        slave = int(contact["slave"][1:])
        return [[(slave, i + j - slave)]]
    return [[(i, j)], [(j, i)]]


def overlaps(file, case, known):
    """Deepest held node over its body's size, and deepest place of an edge over the other's thickness, in any stored frame."""
    grid = file["VTKHDF"]
    dim = 3 if case["geometry"] == "solid" else 2
    offsets, nodes, owner = grid["Offsets"][:], grid["Connectivity"][:], grid["CellData/body"][:]
    cells = [nodes[a:b] for a, b in zip(offsets, offsets[1:])]
    cells_of = [[cell for cell, of in zip(cells, owner) if of == k] for k in range(len(case["bodies"]))]
    meshes = [Mesh(own, dim) for own in cells_of]
    starts, count = grid["Steps/PointOffsets"][:], int(grid["NumberOfPoints"][0])
    frames = [grid["Points"][start:start + count] for start in starts]
    deep, through = 0.0, 0.0
    for contact in case["contacts"]:
        worst = []
        for choice in held(contact):
            worst.append(0.0)
            for slave, master in choice:
                for x in frames:
                    own, other = x[meshes[slave].nodes], x[meshes[master].nodes]
                    if (own.max(0) < other.min(0))[:dim].any() or (other.max(0) < own.min(0))[:dim].any():
                        continue
                    depth = meshes[master].depths(own, x).max(initial=0.0)
                    worst[-1] = max(worst[-1], depth / known["sizes"][master])
                    depth = max(depth, meshes[master].depths(meshes[slave].along_edges(x), x).max(initial=0.0))
                    through = max(through, depth / known["thin"][master])
        deep = max(deep, min(worst, default=0.0))
    return deep, through


def verdict(run, result, case, known):
    """What is wrong with a finished run."""
    position = case["contacts"][0]["level"] == "position"
    wrong = judge(run, result, case, min(known["sizes"]))
    if run.returncode == 2:
        return wrong
    with h5py.File(result) as file:
        h = {name: data[:] for name, data in file["history"].items() if isinstance(data, h5py.Dataset)}
        speeds = [max(np.linalg.norm(data["velocity"][:], axis=1)) for data in file["history/bodies"].values()]
        deep, through = overlaps(file, case, known)
    scale = sum(m * v for m, v in zip(known["masses"], speeds))
    momentum = h["momentum"][:, 1:] if known["revolved"] else h["momentum"]
    change = abs(momentum - momentum[0]).max() / scale
    if change > 1e-9:
        wrong.append(f"momentum: {change:.1e}")
    change = abs(h["angular_momentum"] - h["angular_momentum"][0]).max() / (scale * known["reach"])
    if known["kept"] and change > KEPT:
        wrong.append(f"turns: {change:.1e}")
    reference = max(h["kinetic_energy"].max(), h["total_energy"].max())
    given = -np.diff(h["friction_dissipation"]).min(initial=0.0) / reference
    # at velocity level friction opposes the velocity of the end, not the way
    if given > 1e-10 and case["contacts"][0]["level"] != "velocity":
        wrong.append(f"friction: {given:.1e}")
    if position and deep > 1e-5:
        wrong.append(f"overlaps: {deep:.1e}")
    if through > 0.25:
        wrong.append(f"through: {through:.2f}")
    return wrong


def main():
    args = options(__doc__).parse_args()
    play(args, "pairs", lambda seed: meeting(seed, args.level), verdict)


if __name__ == "__main__":
    main()
