#!/usr/bin/env python3
"""Contact in the plane where things line up: a spike under a block, square blocks of every kind, rollers and pins named by sets.

    scripts/plane_scenes.py                      all scenes; the table goes to results/plane_scenes/table.md
    scripts/plane_scenes.py --sample 120         some of every kind
    scripts/plane_scenes.py --list               the scenes, without running them
    scripts/plane_scenes.py spike_6_ --again     judges results that are there
    scripts/plane_scenes.py --turned 1           blocks and spikes, each scene turned at random: other draws by number

Needs h5py, numpy and shapely (`pip install h5py numpy shapely`); the binary must be built (`cargo build --release`). How scenes are
judged is told in scripts/scene_runs.py and scripts/plane_judge.py.
"""

import math
import random

import numpy as np

from plane_judge import CORNER, Outline, depth, on_the_way, outer_edges
from scene_runs import Scene, options, play
from scene_shapes import msh, sector

SOFT = {"density": 1000, "law": {"neo_hooke": {"young": 1.0e5, "poisson": 0.4}}}
STEP = 1.0e-3


def block(low, size, divisions, place=None):
    """A rectangle with its low corner and size."""
    high = [a + b for a, b in zip(low, size)]
    mesh = {"rectangle": {"min": list(low), "max": high, "divisions": list(divisions)}}
    return mesh | ({"place": place} if place else {})


def drop(bodies, contacts, end, obstacles=None, boundary=None, step=STEP, scheme=None):
    case = {
        "geometry": "plane_strain",
        "time": {"end": end, "step": step} | ({"scheme": scheme} if scheme else {}),
        "materials": {"soft": SOFT},
        "bodies": {name: {"material": "soft"} | keys for name, keys in bodies.items()},
        "contacts": contacts,
        "output": {"every": step, "fields": ["body"]},
    }
    return case | ({"obstacles": obstacles} if obstacles else {}) | ({"boundary": boundary} if boundary else {})


def over_the_spike():
    """A block of 0.4 m dropped on a polygonal spike, at 20 places under each of 10 meshes."""
    scenes = []
    spike = {"polygon": [[-0.05, 0.0], [0.05, 0.0], [0.0, 0.3]]}
    shares = [0.0, 1e-13, 1e-10, 1e-8, 1e-6, 1e-4, 0.01, 0.05, 0.1, 0.25, 0.5, -1e-12, -1e-9, -1e-7, -1e-5, -1e-3, -0.03, -0.2, -0.4, 0.75]
    for n in range(2, 12):
        for k, share in enumerate(shares):
            # the node next to the middle stands over the tip, or a share of an element aside
            aside = -0.2 + 0.4 * (n // 2) / n + share * 0.4 / n
            body = {"mesh": block([-0.2 - aside, 0.305], [0.4, 0.4], [n, n]), "velocity": [0, -1]}
            case = drop({"block": body}, [{"between": ["block.surface", "spike"]}], 0.08, {"spike": {"shape": spike}})
            known = {"pairs": [("block", "spike", "all", "all")], "polygons": {"spike": spike["polygon"]}}
            scenes.append(Scene(f"spike_{n}_{k}", "block over spike", case, math.hypot(0.1, 0.3), known=known))
    return scenes


def aligned(rng, width):
    """How far something is set aside: mostly a place where things line up."""
    return rng.choice([0.0, 0.0, 0.5 * width, 0.25 * width, 0.01 * width, rng.uniform(-0.5, 0.5) * width])


def random_blocks(number):
    """One of the random scenes of square blocks."""
    rng = random.Random(number)
    kind = ["on a block", "corner first", "stacked", "by sets", "on a spike", "on a notch"][number % 6]
    level, passes = rng.choice(["position"] * 7 + ["rate"] * 3), rng.choice(["one", "two"])
    size = rng.choice([0.4, 0.4, 0.2, rng.uniform(0.15, 0.5)])
    n, m = rng.randint(1, 6), rng.randint(1, 8)
    law = {"friction": rng.choice([0.0, 0.0, 0.3, 0.5]), "level": level}
    between_bodies = kind in ("on a block", "corner first", "stacked", "by sets")
    speed = rng.choice([0.5, 1.0, 1.0])
    aside, gap = aligned(rng, size), rng.choice([0.0, 0.002, 0.005])
    wide = rng.choice([1.0, 1.0, size])
    group = kind + (f", {passes} pass{'es' if passes == 'two' else ''}" if between_bodies else "") + f", {level}"
    low = {"mesh": block([-wide / 2, 0.0], [wide, 0.4], [m, max(1, round(m * 0.4 / wide))])}
    bodies, pairs, boundary, obstacles, polygons = {}, [], None, None, {}
    if between_bodies:
        boundary = [{"fixed": {"on": "low.bottom"}}]
        law["passes"] = passes
    if kind == "on a block" or kind == "by sets":
        up = {"mesh": block([aside - size / 2, 0.4 + gap], [size, size], [n, n]), "velocity": [rng.choice([0, 0, 0.3]), -speed]}
        bodies = {"low": low, "up": up}
        sets = ["up.surface", "low.surface"] if kind == "on a block" else ["up.bottom", "low.top"]
        contacts = [{"between": sets} | law]
        named = ("all", "all") if kind == "on a block" else (("side", 1, -1), ("side", 1, 1))
        pairs = [("up", "low", *named)]
    elif kind == "corner first":
        angle = rng.choice([45.0, 45.0, 30.0, rng.uniform(5, 85)])
        reach = size / 2 * (math.cos(math.radians(angle)) + math.sin(math.radians(angle)))
        place = {"rotate": angle, "translate": [aside, 0.4 + gap + reach]}
        bodies = {"low": low, "up": {"mesh": block([-size / 2] * 2, [size, size], [n, n], place), "velocity": [0, -speed]}}
        contacts, pairs = [{"between": ["up.surface", "low.surface"]} | law], [("up", "low", "all", "all")]
    elif kind == "stacked":
        bodies = {"low": low}
        for k in range(2):
            at = [aligned(rng, size) * rng.choice([0, 1]) - size / 2, 0.4 + gap + k * (size + gap)]
            bodies[f"up{k}"] = {"mesh": block(at, [size, size], [rng.randint(1, 6)] * 2), "velocity": [0, -speed]}
        couples = [("up0", "low"), ("up1", "up0"), ("up1", "low")]
        contacts = [{"between": [f"{a}.surface", f"{b}.surface"]} | law for a, b in couples]
        pairs = [(a, b, "all", "all") for a, b in couples]
    else:
        half, height = rng.choice([0.02, 0.05, 0.1]), rng.choice([0.1, 0.2, 0.3])
        if kind == "on a spike":
            points = [[-0.6, 0.0], [0.6, 0.0], [0.6, 0.1], [half, 0.1], [0.0, 0.1 + height], [-half, 0.1], [-0.6, 0.1]]
            start = 0.1 + height
        else:
            points = [[-0.6, 0.0], [0.6, 0.0], [0.6, 0.4], [half, 0.4], [0.0, 0.4 - height], [-half, 0.4], [-0.6, 0.4]]
            start = 0.4
        angle = rng.choice([0.0, 0.0, 45.0])
        reach = size / 2 * (math.cos(math.radians(angle)) + math.sin(math.radians(angle)))
        place = {"rotate": angle, "translate": [aside, start + gap + reach]}
        bodies = {"up": {"mesh": block([-size / 2] * 2, [size, size], [n, n], place), "velocity": [0, -speed]}}
        obstacles, polygons = {"floor": {"shape": {"polygon": points}}}, {"floor": points}
        contacts, pairs = [{"between": ["up.surface", "floor"]} | law], [("up", "floor", "all", "all")]
    case = drop(bodies, contacts, 0.15 * max(size / 0.4, 0.5), obstacles, boundary)
    smaller = min(size * math.sqrt(2), math.hypot(wide, 0.4)) if between_bodies else size * math.sqrt(2)
    return Scene(f"blocks_{number}", group, case, smaller, known={"pairs": pairs, "polygons": polygons})


def ring(half, inner, outer, around, layers):
    """A whole ring by the program's generator, or half of one (x >= 0) as a file: mesh, its file, its sets."""
    if not half:
        return {"ring": {"inner": inner, "outer": outer, "around": 2 * around, "layers": layers}}, None, ("inner", "outer", [])
    return None, msh(*sector(inner, outer, around, layers, -90, 90)[:2], 2, sector(inner, outer, around, layers, -90, 90)[2]), \
        ("bore", "arc", ["start", "end"])


def pressed(number):
    """A roller on a block or a pin in a hole, whole or half on a symmetry line, named by sets, pressed by a force with a soft spring."""
    rng = random.Random(10_000 + number)
    kind, half, in_steps = ["roller", "pin"][number % 2], number // 2 % 2 == 1, number // 4 % 5 < 3
    r, around, passes = 0.05, rng.choice([8, 12, 16]), rng.choice(["one", "two"])
    by_sets = number // 20 % 4 != 3
    gap, stiffness, load = rng.choice([0.0, 1e-6, 1e-4, 0.05]), rng.choice([1e2, 1e3, 1e4, 1e6]), -rng.choice([1e3, 2e3, 5e3])
    name = f"{'half ' if half else ''}{kind}"
    files, bodies, boundary = {}, {}, []

    def add(body, mesh, file, place=None):
        if file:
            files[f"{name.replace(' ', '_')}_{number}_{body}.msh"] = file
            mesh = {"gmsh": f"{name.replace(' ', '_')}_{number}_{body}.msh"}
        bodies[body] = {"mesh": mesh | ({"place": {"translate": place}} if place else {})}

    clear, about = rng.choice([6e-4, 1e-3, 2e-3]), rng.choice([12, 16, 20])
    # the hole's facets are nearer to its middle than its nodes
    lowest = (r + clear) * math.cos(math.pi / (2 * about)) - r
    mesh, file, (bore, arc, cuts) = ring(half, 0.02, r, around, rng.choice([1, 2]))
    lift = r + gap if kind == "roller" else rng.choice([0.0, -lowest, -0.9 * lowest])
    add("up", mesh, file, [0.0, lift])
    boundary += [{"fixed": {"on": f"up.{cut}", "axes": ["x"]}} for cut in cuts]
    if kind == "roller":
        low = {"mesh": block([0.0 if half else -0.15, -0.2], [0.15 if half else 0.3, 0.2], [rng.choice([4, 6, 8]), rng.choice([2, 4])])}
        bodies["low"] = low
        boundary.append({"fixed": {"on": "low.bottom"}})
        boundary += [{"fixed": {"on": "low.left", "axes": ["x"]}}] if half else []
        sets, named = ["up." + arc, "low.top"], (("circle", 0.0, lift, r), ("side", 1, 1))
    else:
        mesh, file, (hole, outside, cuts) = ring(half, r + clear, 0.12, about, 2)
        add("low", mesh, file)
        boundary.append({"fixed": {"on": f"low.{outside}"}})
        boundary += [{"fixed": {"on": f"low.{cut}", "axes": ["x"]}} for cut in cuts]
        sets, named = ["up." + arc, "low." + hole], (("circle", 0.0, lift, r), ("circle", 0.0, 0.0, r + clear))
    if not by_sets:
        sets, named = ["up.surface", "low.surface"], ("all", "all")
    boundary.append({"force": {"on": f"up.{bore}", "total": [0, load], "time": {"ramp": {"to": 1.0, "rise": 1.0}}}})
    boundary.append({"spring": {"on": "up.all", "stiffness": stiffness, "per": "total"}})
    step = rng.choice([0.1, 0.1, 0.05])
    scheme = "quasi_static" if in_steps else None
    law = {"passes": passes, "friction": rng.choice([0.0, 0.3])}
    case = drop(bodies, [{"between": sets} | law], 1.0, None, boundary, step, scheme)
    case["materials"] = {"soft": {"density": 1000, "law": {"neo_hooke": {"young": 1.0e6, "poisson": 0.3}}}}
    group = f"{kind}, {'half' if half else 'whole'}, {'load steps' if in_steps else 'dynamics'}"
    known = {"pairs": [("up", "low", *named)]}
    return Scene(f"{name.replace(' ', '_')}_{number}", group, case, math.hypot(r if half else 2 * r, 2 * r), files, known)


def turned(scene, draw):
    """A scene turned about the origin by an angle of its own."""
    angle = random.Random(f"{scene.name} {draw}").uniform(-180, 180)
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    turn = lambda v: [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    for body in scene.case["bodies"].values():
        place = body["mesh"].get("place", {})
        body["mesh"]["place"] = {"rotate": place.get("rotate", 0.0) + angle, "translate": turn(place.get("translate", [0.0, 0.0]))}
        if "velocity" in body:
            body["velocity"] = turn(body["velocity"])
    for name, points in scene.known.get("polygons", {}).items():
        scene.known["polygons"][name] = [turn(p) for p in points]
        scene.case["obstacles"][name]["shape"] = {"polygon": scene.known["polygons"][name]}
    scene.known["turn"] = [[c, -s], [s, c]]
    return scene


def declared(edges, x, named):
    """Which edges belong to the set: all of them, those on a side of the bounding box, or those with both ends on a circle."""
    ends = x[np.array(edges)]
    if named == "all":
        return np.ones(len(edges), bool)
    if named[0] == "side":
        _, axis, sign = named
        level = (x[np.unique(edges), axis] * sign).max() * sign
        return (abs(ends[:, :, axis] - level) < 1e-9).all(1)
    _, cx, cy, radius = named
    return (abs(np.hypot(ends[..., 0] - cx, ends[..., 1] - cy) - radius) < 1e-9).all(1)


def outline(scene, frames, name, named):
    """A body's outline as the result file has it, or an obstacle's as the scene has it; with its places in each frame."""
    polygon = scene.known.get("polygons", {}).get(name)
    if polygon:
        n = len(polygon)
        edges, fixed = [(k, (k + 1) % n) for k in range(n)], np.array(polygon, float)
        return Outline(edges, np.ones(n, bool)), [fixed] * len(frames.points)
    edges = outer_edges(frames.cells[name])
    places = [x[:, :2] for x in frames.points]
    # sets are told by how the scene stood before it was turned
    return Outline(edges, declared(edges, places[0] @ np.array(scene.known.get("turn", np.eye(2))), named)), places


def judge(scene, frames, _):
    """Deepest places at the ends of steps and on the ways between."""
    found = {"depth": 0.0, "undeclared": 0.0, "path": 0.0, "when": 0.0, "who": ""}
    for first, second, *named in scene.known["pairs"]:
        a, x = outline(scene, frames, first, named[0])
        b, y = outline(scene, frames, second, named[1])
        for k, time in enumerate(frames.times):
            deep, other = depth(a, b, x[k], y[k])
            if deep > found["depth"]:
                found |= {"depth": float(deep), "when": float(time), "who": f"{first}, {second}"}
            found["undeclared"] = max(found["undeclared"], float(other))
            if k > 0:
                way = on_the_way(a, b, x[k - 1:k + 1], y[k - 1:k + 1])
                if way > max(found["path"], CORNER * scene.size):
                    found |= {"path": float(way), "passes_at": float(time)}
    return found


def main():
    parser = options(__doc__, "plane_scenes")
    parser.add_argument("--turned", type=int, help="number of a draw of turned scenes")
    args = parser.parse_args()
    scenes = over_the_spike() + [random_blocks(k) for k in range(500)]
    if args.turned is None:
        scenes += [pressed(k) for k in range(100)]
    else:
        args.folder = args.folder.with_name(f"{args.folder.name}_turned_{args.turned}")
        scenes = [turned(scene, args.turned) for scene in scenes]
    held = lambda row: ", position" in row["group"] and "one pass" not in row["group"] or "spike" in row["name"]
    play(scenes, judge, args, "in the plane", {"position level, two passes or an obstacle": held})


if __name__ == "__main__":
    main()
