#!/usr/bin/env python3
"""Random piles: rigid boxes, spheres, capsules, cylinders, cones and convex surfaces dropped into a box.

    scripts/random_piles.py 1-20                     seeds 1 to 20; a line each, and what they came to
    scripts/random_piles.py 7 9 --keep DIR           leaves cases and results of seeds 7 and 9 in DIR
    scripts/random_piles.py 1-20 --level velocity    only this level
    scripts/random_piles.py 1-20 --shape cone        only this shape; may be repeated
    scripts/random_piles.py 1-20 --count 2           as many bodies

A seed makes the same case on every machine: 4 to 24 bodies of random sizes, turned at random, friction 0 to 0.6, position level or
velocity level with restitution 0 or 0.3. Each run is judged from outside, by what the command returns, by the history in the
result file, and by the places of the bodies there, of which an oracle of its own says how deep any two overlap: support functions
and a search over the directions of separating planes, nothing that the program knows of; it is exact where bodies touch.

    stops      the command fails, with the reason it gives
    ledger     the energy balance is off by more than 1e-10 of the reference energy
    gains      contact made more than 1e-3 of the reference energy
    overlaps   at position level two bodies are inside each other by more than 1e-8 m at one of the times looked at, at velocity level
               by more than what they move in five steps
    escapes    a body is outside the container, as far as that
    moves      the pile is not at rest at the end: kinetic energy above 1e-2 of the reference energy (with friction above 0.1; what is
               round rolls on for long, and nothing resists rolling)
    slow       not done after --limit seconds

The reference energy is the largest kinetic energy or external work of the run. The binary must be built (`cargo build --release`).
"""

import argparse
import collections
import itertools
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

import h5py
import numpy as np

from random_impacts import direction, write_stl

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ["box", "sphere", "capsule", "cylinder", "cone", "tetrahedron"]
WIDTH = 0.22


def body(rng, name, at):
    """A shape of about 0.1 m in its own frame, z its axis; its places, or circles, by which it is known: centre, radius of the circle
    across z, and a radius around all of it."""
    a = lambda low, high: rng.uniform(low, high)
    z = lambda h: [at[0], at[1], at[2] + h]
    if name == "box":
        half = [a(0.03, 0.07) for _ in range(3)]
        low, high = [c - h for c, h in zip(at, half)], [c + h for c, h in zip(at, half)]
        return {"box": {"min": low, "max": high}}, [(list(c), 0.0) for c in itertools.product(*zip(low, high))], 0.0, None
    if name == "sphere":
        r = a(0.03, 0.07)
        return {"sphere": {"centre": at, "radius": r}}, [(at, 0.0)], r, None
    if name == "capsule":
        r, h = a(0.02, 0.04), a(0.01, 0.06)
        return {"capsule": {"from": z(-h), "to": z(h), "radius": r}}, [(z(-h), 0.0), (z(h), 0.0)], r, None
    if name == "tetrahedron":
        s = a(0.05, 0.08)
        corners = [[c + s * x * a(0.7, 1.0) for c, x in zip(at, q)] for q in [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]]
        # as the file will hold them
        corners = [[float(np.float32(x)) for x in p] for p in corners]
        triangles = [[corners[k] for k in f] for f in [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]]
        return {"surface": {"stl": None}}, [(p, 0.0) for p in corners], 0.0, triangles
    r, h = a(0.03, 0.07), a(0.02, 0.07)
    tip = r if name == "cylinder" else rng.choice([0.0, 0.3 * r])
    keys = {"point": z(-h), "direction": [0.0, 0.0, 1.0], "radius": r, "length": 2 * h}
    return {name: keys if name == "cylinder" else keys | {"tip_radius": tip}}, [(z(-h), r), (z(h), tip)], 0.0, None


def rotation(vector):
    """The matrix of a rotation vector."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def pile(seed, only, level_only, count_only, friction_only):
    """The case of a seed, a name for it, and its bodies as the oracle knows them."""
    rng = random.Random(seed)
    count = rng.choice([4, 8, 12, 16, 24])
    count = count_only or count
    level = rng.choice(["position", "velocity"])
    level = level_only or level
    mu, e = rng.choice([0.0, 0.2, rng.uniform(0, 0.6)]), rng.choice([0.0, 0.3])
    mu = mu if friction_only is None else friction_only
    obstacles, solids = {}, []
    for k in range(count):
        at = [0.2 * (k % 2) - 0.1, 0.2 * (k // 2 % 2) - 0.1, 0.15 + 0.25 * (k // 4)]
        name = rng.choice(only or SHAPES)
        shape, circles, radius, triangles = body(rng, name, at)
        axis, angle = direction(rng, 3), rng.uniform(0, math.pi)
        turn = rotation([angle * x for x in axis])
        obstacles[f"b{k}"] = {
            "shape": shape, "density": 1000.0, "velocity": [rng.uniform(-0.5, 0.5) for _ in range(3)],
            "place": {"rotate": {"angle": math.degrees(angle), "axis": axis, "about": at}},
        }
        at = np.array(at)
        solids.append({
            "name": f"b{k}", "kind": name, "triangles": triangles, "radius": radius,
            "centres": np.array([at + turn @ (np.array(c) - at) for c, _ in circles]),
            "radii": np.array([r for _, r in circles]), "axis": turn @ [0.0, 0.0, 1.0],
        })
    obstacles["container"] = {"shape": {"box": {"min": [-WIDTH, -WIDTH, 0.0], "max": [WIDTH, WIDTH, 5.0], "inside": True}}}
    law = {"friction": mu, "level": level} | ({"restitution": e} if level == "velocity" else {})
    names = list(obstacles)
    case = {
        "title": f"random pile {seed}",
        "geometry": "solid",
        "time": {"end": 1.5, "step": 1e-3},
        "obstacles": obstacles,
        "boundary": [{"gravity": [0.0, 0.0, -9.81]}],
        "contacts": [{"between": [a, b]} | law for b, a in itertools.combinations(names[::-1], 2)],
        "output": {"every": 0.1},
    }
    return case, f"{count} bodies, {level}{f' e {e}' if level == 'velocity' else ''} mu {mu:.2f}", solids


def support(solid, n):
    """Largest n·x over a solid, for directions of any length in rows."""
    across = n - np.outer(n @ solid["axis"], solid["axis"])
    heights = n @ solid["centres"].T + np.outer(np.linalg.norm(across, axis=1), solid["radii"])
    return heights.max(axis=1) + solid["radius"] * np.linalg.norm(n, axis=1)


def separation(a, b, rng):
    """How far the best of many planes separates two solids: a lower bound of their distance, minus the depth where they overlap."""
    along = lambda n: -support(a, -n) - support(b, n)
    directions = [rng.normal(size=(300, 3)), a["centres"][:, None, :].mean(0) - b["centres"][:, None, :].mean(0)]
    edges = [np.vstack([np.diff(s["centres"], axis=0), s["axis"], np.eye(3)[:0]]) for s in (a, b)]
    flat = [np.cross(s["centres"][i] - s["centres"][0], s["centres"][j] - s["centres"][0])
            for s in (a, b) for i, j in itertools.combinations(range(len(s["centres"])), 2)]
    directions += [np.array([np.cross(x, y) for x in edges[0] for y in edges[1]]), np.vstack(edges)]
    directions += [np.array(flat)] if flat else []
    n = np.vstack(directions)
    n = np.vstack([n, -n])
    n = n[np.linalg.norm(n, axis=1) > 1e-12]
    n /= np.linalg.norm(n, axis=1)[:, None]
    values = along(n)
    top = values.max()
    if top > 0.0:
        return top
    # on a plane of directions around the best one the function is concave: a search by golden sections in both coordinates
    n0 = n[values.argmax()]
    e1 = np.cross(n0, np.eye(3)[abs(n0).argmin()])
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(n0, e1)
    at = lambda p, q: n0 + np.outer(p, e1) + np.outer(q, e2)
    inner = lambda p: golden(lambda q: along(at(p, q)), np.full(len(p), -3.0), np.full(len(p), 3.0))
    p = golden(lambda p: along(at(p, inner(p))), np.array([-3.0]), np.array([3.0]))
    best = at(p, inner(p))
    return float((along(best) / np.linalg.norm(best, axis=1))[0])


def golden(value, low, high):
    """Where concave functions of one variable are largest, all at once."""
    share = (math.sqrt(5) - 1) / 2
    a, b = high - share * (high - low), low + share * (high - low)
    fa, fb = value(a), value(b)
    for _ in range(56):
        right = fa < fb
        low, high = np.where(right, a, low), np.where(right, high, b)
        a, b, kept = np.where(right, b, high - share * (high - low)), np.where(right, low + share * (high - low), a), np.where(right, fb, fa)
        new = value(np.where(right, b, a))
        fa, fb = np.where(right, kept, new), np.where(right, new, kept)
    return (low + high) / 2


def placed(solid, history, row):
    """A solid where it is in a row of the history."""
    group = history["bodies"][solid["name"]]
    turn = rotation(group["rotation"][row])
    rest, now = group["centre_of_mass"][0], group["centre_of_mass"][row]
    return solid | {"centres": (solid["centres"] - rest) @ turn.T + now, "axis": turn @ solid["axis"]}


def deepest(history, solids, rows):
    """Deepest overlap of any two bodies, and how far any reaches out of the container, with who and when."""
    rng = np.random.default_rng(1)
    worst, out = (0.0, ""), (0.0, "")
    walls = np.vstack([np.eye(3), -np.eye(3)])
    levels = np.array([WIDTH, WIDTH, 5.0, WIDTH, WIDTH, 0.0])
    for row in rows:
        now = [placed(s, history, row) for s in solids]
        reach = [np.max(np.linalg.norm(s["centres"] - s["centres"].mean(0), axis=1) + s["radii"]) + s["radius"] for s in now]
        for k, s in enumerate(now):
            out = max(out, ((support(s, walls) - levels).max(), f"{s['kind']} at {history['time'][row]:.3f}"))
        for i, j in itertools.combinations(range(len(now)), 2):
            a, b = now[i], now[j]
            if np.linalg.norm(a["centres"].mean(0) - b["centres"].mean(0)) < reach[i] + reach[j]:
                depth = -separation(a, b, rng)
                worst = max(worst, (depth, f"{a['name']} {a['kind']}, {b['name']} {b['kind']} at {history['time'][row]:.3f}"))
    return worst, out


def judge(run, result, case, solids):
    """What is wrong with a finished run: a list of words with figures."""
    wrong = []
    said = run.stderr.strip().splitlines()
    if run.returncode == 2:
        return ["refused: " + " ".join(said[-3:])]
    with h5py.File(result) as file:
        h = file["history"]
        times = h["time"][:]
        if run.returncode != 0:
            reason = next((line for line in said if "no step as short" in line), " ".join(said[-2:]))
            wrong.append(f"stops: at {times[-1]:.3f} s, " + reason.split("succeeds: ")[-1])
        kinetic, work = h["kinetic_energy"][:], h["external_work"][:]
        reference = max(kinetic.max(), abs(work).max())
        error = abs(h["energy_balance_error"][:]).max() / reference
        total = h["total_energy"][:]
        made = total - work
        gain = (made - made[0]).max() / reference
        if error > 1e-10:
            wrong.append(f"ledger: {error:.1e}")
        if gain > 1e-3:
            wrong.append(f"gains: {100 * gain:.2g} %")
        rows = sorted({int(k) for k in np.linspace(0, len(times) - 1, 9)[1:]})
        worst, out = deepest(h, solids, rows)
        velocity = case["contacts"][0]["level"] == "velocity"
        speed = max(np.linalg.norm(h["bodies"][s["name"]]["velocity"][:], axis=1).max() for s in solids)
        limit = 5 * speed * case["time"]["step"] if velocity else 1e-8
        if worst[0] > limit:
            known = h["max_penetration"][:].max()
            wrong.append(f"overlaps: {worst[0]:.1e} m, {worst[1]} (max_penetration {known:.1e} m)")
        if out[0] > limit:
            wrong.append(f"escapes: {out[0]:.1e} m, {out[1]}")
        rests = case["contacts"][0]["friction"] > 0.1 and run.returncode == 0
        if rests and kinetic[-1] > 1e-2 * reference:
            wrong.append(f"moves: {kinetic[-1] / reference:.1e}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="+", help="numbers, or ranges FIRST-LAST")
    parser.add_argument("--shape", action="append", choices=SHAPES, help="only this shape; may be repeated")
    parser.add_argument("--level", choices=["position", "velocity"], help="only this level")
    parser.add_argument("--count", type=int, help="as many bodies")
    parser.add_argument("--friction", type=float, help="this coefficient")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for cases and results")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/impakt")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds a run may take")
    args = parser.parse_args()
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        ranges = [[int(n) for n in text.split("-")] for text in args.seeds]
        for seed in [seed for r in ranges for seed in range(r[0], r[-1] + 1)]:
            case, label, solids = pile(seed, args.shape, args.level, args.count, args.friction)
            count["runs"] += 1
            path, result = folder / f"pile_{seed}.yaml", folder / f"pile_{seed}.vtkhdf"
            for solid in solids:
                if solid["triangles"]:
                    stl = f"pile_{seed}_{solid['name']}.stl"
                    write_stl(folder / stl, solid["triangles"])
                    case["obstacles"][solid["name"]]["shape"]["surface"]["stl"] = stl
            path.write_text(json.dumps(case, indent=1))
            begun = time.time()
            command = [args.binary.resolve(), "run", path, "-o", result, "--quiet"]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=args.limit)
                took = time.time() - begun
                wrong = judge(run, result, case, solids)
            except subprocess.TimeoutExpired:
                took, wrong = args.limit, ["slow"]
            count.update({word.split(":")[0] for word in wrong} or ["right"])
            print(f"{seed:6} {label}, {took:.1f} s: {'; '.join(wrong) or 'right'}", flush=True)
            if not args.keep:
                for file in folder.iterdir():
                    file.unlink()
    print(", ".join(f"{word} {n}" for word, n in count.items()))


if __name__ == "__main__":
    main()
