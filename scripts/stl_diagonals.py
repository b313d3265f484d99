#!/usr/bin/env python3
"""What must not matter: how the flat faces of a rigid surface are cut into triangles.

    scripts/stl_diagonals.py                     fifty surfaces and the smallest case; results/stl_diagonals/outcomes.json
    scripts/stl_diagonals.py --sample 10         some of every kind
    scripts/stl_diagonals.py cut_17              one surface
    scripts/stl_diagonals.py --list              the surfaces

A block falls on a box, a prism or a box with pieces cut off, whose faces are cut into triangles in three ways at random. The
runs must be one motion up to the first rebound, to 1e-8 of the block's size (impacts of nodes make rounding grow afterwards), and then
step by step: each of ten steps with contact is done from the state of the first run (`--restart`) on every surface. Nothing may sink in by
the judge of scripts/space_judge.py, and nothing may stop. The smallest case, one hexahedron on a box of twelve triangles, is compared
with the same on a `box` obstacle, to 1e-9. Needs h5py, numpy and libigl (`pip install h5py numpy libigl`) and the binary
(`cargo build --release`).
"""

import concurrent.futures
import json
import math
import random
import shutil

import h5py
import numpy as np

from result_file import Frames
from scene_runs import BOUND, EXACT, command, options, reason
from scene_shapes import merged, stl
from space_judge import Surface, depth, surface_of

SOFT = {"density": 1000, "law": {"neo_hooke": {"young": 1.0e5, "poisson": 0.4}}}
STEP, END, WAYS = 1.0e-3, 0.16, 3
SAME, SAME_AS_BOX = 1e-8, 1e-9
LATER = 10


def box_faces(low, high, squares=1):
    """A box as polygons seen from outside; its top in squares."""
    (a, b, c), (d, e, f) = low, high
    faces = [[(a, b, c), (a, e, c), (d, e, c), (d, b, c)]]
    xs, ys = np.linspace(a, d, squares + 1), np.linspace(b, e, squares + 1)
    faces += [[(xs[i], ys[j], f), (xs[i + 1], ys[j], f), (xs[i + 1], ys[j + 1], f), (xs[i], ys[j + 1], f)]
              for i in range(squares) for j in range(squares)]
    for k in range(squares):
        faces += [[(xs[k], b, c), (xs[k + 1], b, c), (xs[k + 1], b, f), (xs[k], b, f)],
                  [(xs[k + 1], e, c), (xs[k], e, c), (xs[k], e, f), (xs[k + 1], e, f)],
                  [(a, ys[k + 1], c), (a, ys[k], c), (a, ys[k], f), (a, ys[k + 1], f)],
                  [(d, ys[k], c), (d, ys[k + 1], c), (d, ys[k + 1], f), (d, ys[k], f)]]
    if squares > 1:
        # the floor has the sides' corners
        rim = [(x, b, c) for x in xs[:-1]] + [(d, y, c) for y in ys[:-1]] + [(x, e, c) for x in xs[:0:-1]] + [(a, y, c) for y in ys[:0:-1]]
        faces[0] = rim[::-1]
    return [[tuple(map(float, p)) for p in face] for face in faces]


def prism_faces(corners, radius, height, turn):
    angles = [turn + 2 * math.pi * k / corners for k in range(corners)]
    around = [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
    low, high = [(x, y, 0.0) for x, y in around], [(x, y, height) for x, y in around]
    sides = [[low[k], low[(k + 1) % corners], high[(k + 1) % corners], high[k]] for k in range(corners)]
    return [low[::-1], high] + sides


def cut(faces, normal, level):
    """A convex polyhedron without what lies beyond the plane n x = level."""
    normal, kept, rim = np.array(normal, float), [], []
    for face in faces:
        part = []
        for p, q in zip(face, face[1:] + face[:1]):
            a, b = np.dot(normal, p) - level, np.dot(normal, q) - level
            if a <= 0:
                part.append(p)
            if a * b < 0:
                # the same place from either side
                (p0, a0), (q0, b0) = sorted([(p, a), (q, b)])
                x = tuple((np.array(p0) * b0 - np.array(q0) * a0) / (b0 - a0))
                part.append(x)
                rim.append(x)
        if len(part) > 2:
            kept.append(part)
    rim = sorted(set(rim))
    if len(rim) < 3:
        return faces
    middle = np.mean(rim, axis=0)
    u = np.array(rim[0]) - middle
    v = np.cross(normal, u)
    kept.append(sorted(rim, key=lambda p: math.atan2(np.dot(p - middle, v) / np.linalg.norm(normal), np.dot(p - middle, u))))
    return kept


def triangulated(faces, rng):
    """Every polygon cut along random diagonals; corners in a straight line with their neighbours are never cut off."""
    found = []
    for face in faces:
        loop = list(face)
        while len(loop) > 3:
            sizes = [np.linalg.norm(np.cross(np.subtract(loop[k], loop[k - 1]), np.subtract(loop[(k + 1) % len(loop)], loop[k])))
                     for k in range(len(loop))]
            ears = [k for k, size in enumerate(sizes) if size > 1e-9 and rest_is_wide(loop, k)]
            k = rng.choice(ears)
            found.append([loop[k - 1], loop[k], loop[(k + 1) % len(loop)]])
            del loop[k]
        found.append(loop)
    return found


def rest_is_wide(loop, k):
    """Whether what is left without corner k is no line."""
    rest = np.array(loop[:k] + loop[k + 1:])
    return np.linalg.norm(np.cross(rest[1:-1] - rest[0], rest[2:] - rest[0]).sum(0)) > 1e-9


def surface(number):
    """The polygons of a surface, and a case of a block over it."""
    rng = random.Random(number)
    kind = ["box", "prism", "cut"][number % 3]
    if kind == "box":
        squares = rng.randint(1, 9)
        faces = box_faces((-0.5, -0.5, 0.0), (0.5, 0.5, 0.5), squares)
        place = [rng.choice([0.0, 0.0, 0.5 / squares, rng.uniform(-0.1, 0.1)]) for _ in range(2)]
    elif kind == "prism":
        faces = prism_faces(rng.randint(3, 8), rng.uniform(0.5, 0.7), 0.5, rng.choice([0.0, math.pi / 4, rng.uniform(0, 1)]))
        place = [rng.choice([0.0, 0.0, rng.uniform(-0.1, 0.1)]) for _ in range(2)]
    else:
        faces = box_faces((-0.5, -0.5, 0.0), (0.5, 0.5, 0.5))
        for _ in range(rng.randint(1, 3)):
            n = [rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1), rng.choice([0.0, rng.uniform(-1, 1)]), rng.uniform(0.3, 1)]
            corner = np.dot(np.abs(n[:2]), [0.5, 0.5]) + n[2] * 0.5
            faces = cut(faces, n, corner - rng.uniform(0.1, 0.35))
        place = [rng.choice([0.0, rng.uniform(-0.15, 0.15)]) for _ in range(2)]
    n, half = rng.randint(1, 4), rng.choice([0.2, 0.15])
    top = max(p[2] for face in faces for p in face)
    cells = rng.choice(["hexes", "hexes", "tets"])
    mesh = {"box": {"min": [-half] * 3, "max": [half] * 3, "divisions": [n] * 3, "cells": cells}}
    askew = {"angle": rng.uniform(5, 60), "axis": [rng.uniform(-1, 1), 1, rng.uniform(-1, 1)]}
    # on boxes nodes mostly stand over edges and diagonals: symmetric set-ups are what people draw first
    turn = None if kind == "box" else rng.choice([None, None, {"angle": 45, "axis": [0, 1, 0]}, askew])
    reach = half * (1.0 if turn is None else math.sqrt(3) if turn["angle"] != 45 else math.sqrt(2))
    mesh["place"] = ({"rotate": turn} if turn else {}) | {"translate": [*place, top + reach + 0.002]}
    body = {"mesh": mesh, "material": "soft", "velocity": [rng.choice([0, 0, 0.3]), 0, -1]}
    return kind, faces, case_of(body, rng.choice([0.0, 0.0, 0.3])), 2 * half * math.sqrt(3)


def case_of(body, mu):
    return {
        "geometry": "solid", "time": {"end": END, "step": STEP}, "materials": {"soft": SOFT}, "bodies": {"b": body},
        "obstacles": {"o": {"shape": {"surface": {"stl": "surface.stl"}}}}, "contacts": [{"between": ["b.surface", "o"], "friction": mu}],
        "output": {"every": STEP, "fields": ["body"]},
    }


def run(args, case, result, *more):
    """Why a run stopped, or nothing."""
    done = command(args, case, result, *more)
    return "slow" if done is None else reason(done.stderr.strip().splitlines()) if done.returncode else ""


def read(result, body="b"):
    """Times, places of the block's nodes, its speed of fall, the frames and what the run says of depth."""
    with h5py.File(result) as file:
        frames = Frames(file)
        nodes = np.unique(np.concatenate([np.array(c) for c in frames.cells[body]]))
        fall = file[f"history/bodies/{body}/velocity"][:, 2]
        said = file["history/max_penetration"][:].max()
        return frames.times, [x[nodes] for x in frames.points], fall, file["history/time"][:], frames, said


def rebound(result):
    """The first output step whose block goes up."""
    _, _, fall, times, _, _ = result
    up = np.nonzero(fall > 0)[0]
    return times[up[0]] if len(up) else times[-1]


def sunk(result, faces):
    """How deep anything was inside anything."""
    frames = result[4]
    points, triangles = faces
    mesh, block = Surface([tuple(t) for t in triangles]), surface_of(frames.cells["b"])
    return max(depth(block, mesh, x, points)[0] for x in frames.points)


def difference(a, b, size, until=np.inf):
    """Largest difference of two motions at the times they share, as a share of the size."""
    pairs = [(x, y) for s, x, t, y in zip(a[0], a[1], b[0], b[1]) if s <= until + 1e-12 and abs(s - t) < 1e-9]
    return max((float(np.abs(x - y).max()) for x, y in pairs), default=np.inf) / size


def case_at(args, name, way):
    return args.folder / name / str(way) / "case.yaml"


def compare(number, args):
    """One surface in several triangulations: a row of figures."""
    kind, faces, case, size = surface(number)
    name, rng = f"{kind}_{number}", random.Random(-1 - number)
    row = {"name": name, "depth": 0.0, "said": 0.0, "stops": []}
    results, shapes = [], []
    for way in range(WAYS):
        corners = triangulated(faces, rng)
        shapes.append(merged(corners))
        # the case is the same text beside another file: a restart goes on only with what it knows
        path = case_at(args, name, way)
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "surface.stl").write_text(stl(corners))
        path.write_text(json.dumps(case, indent=1))
        result = path.with_suffix(".vtkhdf")
        message = run(args, path, result)
        row["stops"] += [f"{way}: {message}"] if message else []
        results.append(read(result) if result.is_file() else None)
        if results[-1]:
            row["depth"], row["said"] = max((row["depth"], row["said"]), (sunk(results[-1], shapes[-1]) / size, results[-1][5] / size))
    first = results[0]
    until = rebound(first)
    row["until"] = float(until)
    row["before"] = max(difference(first, other, size, until) for other in results[1:])
    row["whole"] = max(difference(first, other, size) for other in results[1:])
    row["by_step"], row["at"] = by_steps(args, name, size, until, row)
    return row


def touching(result, until):
    """Numbers of some steps after a time, and some before it, that begin with a force between block and surface."""
    with h5py.File(result) as file:
        force, times = np.abs(file["history/contact_force"][:]).max(1), file["history/time"][:]
    # steps may have been cut: those that begin at an output time count
    whole = [int(round(t / STEP)) for t, f in zip(times, force) if f > 0 and abs(t / STEP - round(t / STEP)) < 1e-6]
    whole = [k for k in whole if k < round(END / STEP)]
    parts = [[k for k in whole if k * STEP >= until], [k for k in whole if k * STEP < until]]
    return sorted({part[int(i)] for part in parts if part for i in np.linspace(0, len(part) - 1, LATER // 2)})


def by_steps(args, name, size, until, row):
    """Some steps, each from the state of the first run, on every surface: largest difference and its time."""
    worst, at = 0.0, 0.0
    first = case_at(args, name, 0)
    begin = first.parent / "state.vtkhdf"
    begin.unlink(missing_ok=True)
    for k, step in enumerate(touching(first.with_suffix(".vtkhdf"), until)):
        message = run(args, first, begin, "--set", f"time.end={step * STEP!r}", *(["--restart"] if k else []))
        if message:
            row["stops"].append(f"on the way to {step * STEP:.3f} s: {message}")
            break
        after = []
        for way in range(WAYS):
            path = case_at(args, name, way)
            result = path.parent / "step.vtkhdf"
            shutil.copy(begin, result)
            message = run(args, path, result, "--restart", "--set", f"time.end={(step + 1) * STEP!r}")
            row["stops"] += [f"{way} at {step * STEP:.3f} s: {message}"] if message else []
            after.append(None if message else read(result)[1][-1])
            row["steps"] = row.get("steps", 0) + (way == 0)
        known = [x for x in after if x is not None]
        change = max((float(np.abs(x - known[0]).max()) / size for x in known[1:]), default=0.0)
        if change > worst:
            worst, at = change, step * STEP
    return worst, at


def smallest(args):
    """One hexahedron on a box: of twelve triangles with every choice of diagonal on top, and as a `box` obstacle."""
    rows = []
    low, high = [-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]
    for number, (divisions, aside) in enumerate([(1, 0.0), (2, 0.0), (4, 0.0), (1, 0.01), (3, 0.25), (1, 0.5)]):
        mesh = {"box": {"min": [-0.2 + aside, -0.2, 0.502], "max": [0.2 + aside, 0.2, 0.902], "divisions": [divisions] * 3}}
        case = case_of({"mesh": mesh, "material": "soft", "velocity": [0, 0, -1]}, 0.0)
        # beyond the first rebound impacts of nodes make rounding grow
        case["time"]["end"] = 0.08
        runs, stops = [], []
        for way in ("box", "stl_0", "stl_1"):
            path, result = args.folder / f"smallest_{number}_{way}.yaml", args.folder / f"smallest_{number}_{way}.vtkhdf"
            shape = {"box": {"min": low, "max": high}}
            if way != "box":
                corners = triangulated(box_faces(low, high), random.Random(int(way[-1]) + 5))
                (args.folder / f"smallest_{number}_{way}.stl").write_text(stl(corners))
                shape = {"surface": {"stl": f"smallest_{number}_{way}.stl"}}
            case["obstacles"]["o"]["shape"] = shape
            path.write_text(json.dumps(case, indent=1))
            message = run(args, path, result)
            stops += [f"{way}: {message}"] if message else []
            runs.append(read(result))
        until, size = rebound(runs[0]), 0.4 * math.sqrt(3)
        rows.append({"name": f"smallest_{number}", "until": float(until), "stops": stops, "said": 0.0, "depth": 0.0, "by_step": 0.0,
                     "before": max(difference(runs[0], other, size, until) for other in runs[1:]),
                     "whole": max(difference(runs[0], other, size) for other in runs[1:])})
    return rows


def faults(row):
    limit = SAME_AS_BOX if row["name"].startswith("smallest") else SAME
    found = [f"before {row['before']:.1e}"] if row["before"] > limit else []
    if row["by_step"] > SAME:
        found.append(f"by step {row['by_step']:.1e} at {row['at']:.3f} s")
    if row["depth"] > EXACT:
        silent = row["said"] < 0.5 * row["depth"]
        word = "silent" if silent else "sinks" if row["depth"] > BOUND else "bound"
        found.append(f"{word} {row['depth']:.1e} (says {row['said']:.1e})")
    return found + (["stops " + row["stops"][0]] if row["stops"] else [])


def main():
    args = options(__doc__, "stl_diagonals").parse_args()
    numbers = [k for k in range(50) if not args.pattern or any(p in f"{surface(k)[0]}_{k}" for p in args.pattern)]
    numbers = numbers[:args.sample] if args.sample else numbers
    if args.list:
        print("\n".join(f"{surface(k)[0]}_{k}: {len(surface(k)[1])} faces" for k in numbers))
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for row in pool.map(compare, numbers, [args] * len(numbers)):
            rows.append(row)
            print(f"{row['name']}: {'; '.join(faults(row)) or 'same'} [to {row['until']:.3f} s {row['before']:.1e}, "
                  f"{row.get('steps', 0)} steps {row['by_step']:.1e}, whole {row['whole']:.1e}]", flush=True)
    if not args.pattern or any("smallest" in p for p in args.pattern):
        for row in smallest(args):
            rows.append(row)
            print(f"{row['name']} against a box: {'; '.join(faults(row)) or 'same'} [{row['before']:.1e}, whole {row['whole']:.1e}]",
                  flush=True)
    (args.folder / "outcomes.json").write_text(json.dumps(rows, indent=1))
    wrong = [row for row in rows if faults(row)]
    words = [fault.split()[0] for row in wrong for fault in faults(row)]
    print(f"{len(rows)} surfaces, {len(rows) - len(wrong)} the same; " + ", ".join(f"{w} {words.count(w)}" for w in sorted(set(words))))


if __name__ == "__main__":
    main()
