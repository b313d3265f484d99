#!/usr/bin/env python3
"""The unit scenes by which contact methods are compared [Erleben 2018; Li et al., IPC, 2020], in space.

    scripts/contact_scenes.py                        all scenes; the table goes to results/contact_scenes/table.md
    scripts/contact_scenes.py --sample 40            some of every kind
    scripts/contact_scenes.py --list                 the scenes, without running them
    scripts/contact_scenes.py spike_on_wedge_few     only scenes with this in their name
    scripts/contact_scenes.py NAME --again           judges a result that is there
    scripts/contact_scenes.py --turned 1             each scene turned at random, every other one mirrored too: other draws by number

Spikes, wedges and cubes of half a metre fall at 1 m/s on a lower body that is deformable (one pass, two passes) or rigid (a surface of
triangles); coarse and finer, aligned and shifted by 1 % of the size, friction 0, 0.3 and 0.5, four orientations of the diagonals.
Needs h5py, numpy and libigl (`pip install h5py numpy libigl`); the binary must be built (`cargo build --release`). How scenes are judged
is told in scripts/scene_runs.py and scripts/space_judge.py.
"""

import itertools
import math

import numpy as np

from scene_runs import Scene, options, play
from scene_shapes import grid, merged, msh, outside, stl, triangles
from space_judge import Surface, depth, in_itself, surface_of

SOFT = {"density": 1000, "law": {"neo_hooke": {"young": 1.0e5, "poisson": 0.4}}}
STEP, GAP, SPEED = 1.0e-3, 0.01, 1.0
# share of the smaller body's size by which a straight way may cut a corner
CORNER = 0.02
MIRRORS = [(False, False, False), (True, False, False), (False, True, False), (True, True, False)]
FRICTION = [0.0, 0.3, 0.5]


def spike(n, mirror, half=0.25, height=0.5):
    """A pyramid on a square, its tip up."""
    place = lambda x, y, z: [half * (2 * x - 1) * (1 - z), half * (2 * y - 1) * (1 - z), height * z]
    return grid((n, n, n), place, "tets", None, mirror)


def wedge(n, mirror, half=0.25, height=0.5):
    """A prism whose ridge is along y."""
    place = lambda x, y, z: [half * (2 * x - 1) * (1 - z), half * (2 * y - 1), height * z]
    return grid((n, n, n), place, "tets", None, mirror)


def cube(n, mirror, half=0.2):
    return grid((n, n, n), lambda x, y, z: [half * (2 * x - 1), half * (2 * y - 1), 2 * half * z], "hexes")


def plate(n, mirror):
    """A flat block whose top has many edges level with each other."""
    return grid((2 * n, 2 * n, n), lambda x, y, z: [2 * x - 1, 2 * y - 1, 0.4 * z - 0.4], "tets" if n > 2 else "hexes", None, mirror)


def cliff(n, mirror):
    """A block whose edge is under the middle of what falls."""
    return grid((n, n, n), lambda x, y, z: [x - 1.0, 2 * y - 1, 0.5 * z - 0.5], "tets" if n > 2 else "hexes", None, mirror)


def hole(n, mirror):
    """A block with a square blind hole of 0.3 m."""
    ticks = np.unique(np.concatenate([np.linspace(-0.6, -0.15, n), np.linspace(-0.15, 0.15, n), np.linspace(0.15, 0.6, n)]))
    m, deep = len(ticks) - 1, max(2, n)
    place = lambda x, y, z: [ticks[round(x * m)], ticks[round(y * m)], 0.6 * z - 0.6]
    within = lambda c: n - 1 <= c < 2 * n - 2
    return grid((m, m, deep), place, "hexes", lambda i, j, k: not (within(i) and within(j) and k > 0))


def crack(n, mirror):
    """A block with a crack along y that is 0.1 m wide on top and closes at the bottom of its depth."""
    m, deep = 2 * n + 2, max(3, n)

    def place(x, y, z, side=0):
        open_by = 0.05 * max(0.0, (z - 1 / deep) / (1 - 1 / deep))
        u = 2 * x - 1
        return [0.6 * u + side * open_by * (1 - abs(u)), 1.2 * y - 0.6, 0.6 * z - 0.6]

    left = grid((n + 1, m, deep), lambda x, y, z: place(0.5 * x, y, z, -1), "hexes")
    right = grid((n + 1, m, deep), lambda x, y, z: place(0.5 + 0.5 * x, y, z, 1), "hexes")
    return joined([left, right])


def hollow(n, mirror, half=0.3, wall=0.05):
    """A cube with a closed cavity."""
    ticks = np.concatenate([[-half], np.linspace(-half + wall, half - wall, n + 1), [half]])
    m = n + 2
    place = lambda x, y, z: [ticks[round(x * m)], ticks[round(y * m)], ticks[round(z * m)] + half]
    return grid((m, m, m), place, "hexes", lambda *ijk: any(c in (0, m - 1) for c in ijk))


def torus(n, mirror, major=0.3, minor=0.08):
    """A ring of hexahedra about the z axis: a square section blown up to a round one."""
    around = 8 * n

    def place(x, y, z):
        u, v = 2 * y - 1, 2 * z - 1
        s = max(abs(u), abs(v)) / math.hypot(u, v) if (u or v) else 0.0
        r, a = major + minor * u * s, -2 * math.pi * x
        return [r * math.cos(a), r * math.sin(a), minor * v * s]

    return grid((around, 2, 2), place, "hexes")


def joined(meshes):
    """Meshes as one; nodes in the same place are one."""
    numbers, nodes, cells = {}, [], []
    for own, parts in meshes:
        number = {}
        for k, x in enumerate(own):
            key = tuple(np.round(x, 10) + 0.0)
            if key not in numbers:
                numbers[key] = len(nodes)
                nodes.append(x)
            number[k] = numbers[key]
        cells += [tuple(number[k] for k in c) for c in parts]
    return np.array(nodes), cells


def turned(mesh, matrix):
    """A mesh under a rotation (or a reflection, whose cells are turned inside in again)."""
    nodes, cells = mesh
    if np.linalg.det(matrix) < 0:
        cells = [tuple(c[k] for k in ([0, 2, 1, 3] if len(c) == 4 else [4, 5, 6, 7, 0, 1, 2, 3])) for c in cells]
    return nodes @ np.array(matrix, float).T, cells


def shifted(mesh, by):
    return mesh[0] + np.array(by, float), mesh[1]


def tip_down(mesh):
    """Turned by half a turn about x."""
    return turned(mesh, np.diag([1, -1, -1]))


def quarter(mesh):
    """Turned by a quarter about z."""
    return turned(mesh, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def diagonal(*meshes):
    """Of the smallest mesh's bounding box: the size that depths are measured by."""
    return float(min(np.linalg.norm(np.ptp(nodes, axis=0)) for nodes, _ in meshes))


def standing_on(mesh, level):
    return shifted(mesh, [0, 0, level - mesh[0][:, 2].min()])


def hanging_from(mesh, level):
    return shifted(mesh, [0, 0, level - mesh[0][:, 2].max()])


# what falls, on what, how the upper body starts above the lower one's top, and a speed sideways
UNITS = {
    "spike_on_spike": (lambda n, m: tip_down(spike(n, m)), spike, 0.0),
    "spike_on_wedge": (lambda n, m: tip_down(spike(n, m)), wedge, 0.0),
    "wedge_on_spike": (lambda n, m: tip_down(wedge(n, m)), spike, 0.0),
    "wedge_on_wedge": (lambda n, m: tip_down(wedge(n, m)), wedge, 0.0),
    "wedge_across_wedge": (lambda n, m: tip_down(quarter(wedge(n, m))), wedge, 0.0),
    "spike_in_hole": (lambda n, m: tip_down(spike(n, m)), hole, 0.0),
    "wedge_in_hole": (lambda n, m: tip_down(wedge(n, m)), hole, 0.0),
    "spike_in_crack": (lambda n, m: tip_down(spike(n, m)), crack, 0.0),
    "wedge_in_crack": (lambda n, m: tip_down(wedge(n, m)), crack, 0.0),
    "wedge_across_crack": (lambda n, m: tip_down(quarter(wedge(n, m))), crack, 0.0),
    "cube_on_cliff": (cube, cliff, 0.0),
    "cube_on_edges": (cube, plate, 0.5),
    "cube_on_spike": (cube, spike, 0.0),
    "cube_on_wedge": (cube, wedge, 0.0),
    "hollow_on_wedge": (hollow, wedge, 0.0),
}
INSIDE = {"spike_in_hole": 0.28, "spike_in_crack": 0.09, "wedge_in_crack": 0.09}
# how all scenes stand in space: as they are, unless --turned says otherwise
FRAME = np.eye(3)
GROUPS = {"rigid": "rigid lower body", "two": "two passes", "one": "one pass"}
LOWER = list(GROUPS)


def in_frame(mesh):
    return mesh if np.array_equal(FRAME, np.eye(3)) else turned(mesh, FRAME)


def direction(v):
    """A vector as the scenes stand."""
    return [float(x) for x in FRAME @ np.array(v, float)]


def body(scene_name, name, mesh, files, velocity=None):
    """A deformable body in a Gmsh file whose lowest facets are the set `base`."""
    low = mesh[0][:, 2].min()
    at_base = np.abs(mesh[0][:, 2] - low) < 1e-9
    nodes, cells = in_frame(mesh)
    file = f"{scene_name}_{name}.msh"
    base = [face for face in outside(cells) if at_base[list(face)].all()]
    files[file] = msh(nodes, cells, 3, {"base": base} if base else {})
    moving = {"velocity": direction(velocity)} if velocity else {}
    return {"mesh": {"gmsh": file}, "material": "soft"} | moving


def obstacle(scene_name, name, mesh, files, diagonals):
    """A rigid surface of triangles, and its points and triangles for the judge."""
    turn = [lambda k: False, lambda k: True, lambda k: k % 2 == 0, lambda k: (k * 7919) % 5 < 2][diagonals]
    corners = triangles(*in_frame(mesh), turn)
    file = f"{scene_name}_{name}.stl"
    files[file] = stl(corners)
    points, faces = merged(corners)
    return {"shape": {"surface": {"stl": file}}}, (points.tolist(), [tuple(f) for f in faces])


def case_of(bodies, contacts, end, obstacles=None, boundary=None, step=STEP):
    case = {
        "geometry": "solid", "time": {"end": end, "step": step}, "materials": {"soft": SOFT}, "bodies": bodies, "contacts": contacts,
        "output": {"every": step, "fields": ["body"]},
    }
    return case | ({"obstacles": obstacles} if obstacles else {}) | ({"boundary": boundary} if boundary else {})


def unit(kind, n, shift, lower_is, mu, diagonals):
    """One of the unit scenes."""
    make_upper, make_lower, aside = UNITS[kind]
    many = "few" if n < 3 else "many"
    name = f"{kind}_{many}_{'shifted' if shift else 'aligned'}_{lower_is}"
    mirror = MIRRORS[diagonals]
    lower = make_lower(n, mirror)
    top = lower[0][:, 2].max()
    # where the middle of the lower one is open it begins in there, a little above what it will touch
    start = top + GAP - INSIDE.get(kind, 0.0)
    upper = shifted(standing_on(make_upper(n, mirror), start), [0.005 * shift, 0.003 * shift, 0.0])
    files, bodies, known = {}, {}, {"pairs": [("up", "low")], "surfaces": {}}
    bodies["up"] = body(name, "up", upper, files, [aside, 0.0, -SPEED])
    law = {"friction": mu}
    if lower_is == "rigid":
        shape, known["surfaces"]["low"] = obstacle(name, "low", lower, files, diagonals)
        case = case_of(bodies, [{"between": ["up.surface", "low"]} | law], 0.12, {"low": shape})
    else:
        bodies["low"] = body(name, "low", lower, files)
        contacts = [{"between": ["up.surface", "low.surface"], "passes": lower_is} | law]
        case = case_of(bodies, contacts, 0.12, None, [{"fixed": {"on": "low.base"}}])
    return Scene(name, GROUPS[lower_is], case, diagonal(upper, lower), files, known)


def within_hollow(n, shift, lower_is, mu, diagonals):
    """A cube flies about in the cavity of a hollow one."""
    name = f"cube_in_hollow_{'few' if n < 3 else 'many'}_{'shifted' if shift else 'aligned'}_{lower_is}"
    outer = shifted(hollow(n, None), [0, 0, 0])
    inner = shifted(cube(n, None, 0.12), [0.005 * shift, 0.003 * shift, 0.06])
    files, known = {}, {"pairs": [("in", "out")], "surfaces": {}}
    bodies = {"in": body(name, "in", inner, files, [0.6 * shift, 0.2 * shift, -SPEED])}
    law = {"friction": mu}
    if lower_is == "rigid":
        shape, known["surfaces"]["out"] = obstacle(name, "out", outer, files, diagonals)
        case = case_of(bodies, [{"between": ["in.surface", "out"]} | law], 0.12, {"out": shape})
    else:
        bodies["out"] = body(name, "out", outer, files)
        contacts = [{"between": ["in.surface", "out.surface"], "passes": lower_is} | law]
        case = case_of(bodies, contacts, 0.12, None, [{"fixed": {"on": "out.base"}}])
    return Scene(name, GROUPS[lower_is], case, diagonal(inner), files, known)


def stack(n, shift, lower_is, mu, diagonals):
    """Three cubes of one size on each other, on a plate."""
    name = f"stack_{'few' if n < 3 else 'many'}_{'shifted' if shift else 'aligned'}_{lower_is}"
    files, known, bodies, boundary = {}, {"pairs": [], "surfaces": {}}, {}, [{"gravity": direction([0.0, 0.0, -9.81])}]
    for k in range(3):
        place = [0.004 * shift * k, -0.002 * shift * k, k * (0.4 + GAP / 2) + GAP / 2]
        bodies[f"c{k}"] = body(name, f"c{k}", shifted(cube(n, None), place), files, [0.0, 0.0, -0.5])
    law = {"friction": mu} | ({} if lower_is == "rigid" else {"passes": lower_is})
    between = [(f"c{k + 1}", f"c{k}") for k in range(2)]
    contacts = [{"between": [f"{a}.surface", f"{b}.surface"]} | law for a, b in between]
    known["pairs"] = between + [("c0", "low")]
    obstacles = None
    if lower_is == "rigid":
        shape, known["surfaces"]["low"] = obstacle(name, "low", plate(n, MIRRORS[diagonals]), files, diagonals)
        obstacles = {"low": shape}
        contacts.append({"between": ["c0.surface", "low"], "friction": mu})
    else:
        bodies["low"] = body(name, "low", plate(n, MIRRORS[diagonals]), files)
        boundary.append({"fixed": {"on": "low.base"}})
        contacts.append({"between": ["c0.surface", "low.surface"]} | law)
    case = case_of(bodies, contacts, 0.1, obstacles, boundary)
    return Scene(name, GROUPS[lower_is], case, diagonal(cube(n, None)), files, known)


def tori(n, shift, lower_is, mu, diagonals):
    """Two linked rings that are pulled apart."""
    name = f"tori_{'few' if n < 2 else 'many'}_{'shifted' if shift else 'aligned'}_{lower_is}"
    first = torus(n + 1, None)
    second = turned(torus(n + 1, None), [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    second = shifted(second, [0.3 + 0.004 * shift, 0.002 * shift, 0.003 * shift])
    files, known = {}, {"pairs": [("b", "a")], "surfaces": {}}
    bodies = {"b": body(name, "b", second, files, [2.0, 0.0, 0.0])}
    if lower_is == "rigid":
        shape, known["surfaces"]["a"] = obstacle(name, "a", first, files, diagonals)
        case = case_of(bodies, [{"between": ["b.surface", "a"], "friction": mu}], 0.2, {"a": shape}, None, 2e-3)
    else:
        bodies["a"] = body(name, "a", first, files, [-2.0, 0.0, 0.0])
        contacts = [{"between": ["b.surface", "a.surface"], "friction": mu, "passes": lower_is}]
        case = case_of(bodies, contacts, 0.15, None, None, 2e-3)
    return Scene(name, GROUPS[lower_is], case, diagonal(first), files, known)


FAST = {
    "cube_at_plate": (lambda: cube(1, None, 0.015), [0.0, 0.0, -30.0]),
    "spike_at_plate": (lambda: tip_down(spike(1, MIRRORS[0], 0.02, 0.04)), [6.0, 3.0, -30.0]),
    "plate_at_plate": (lambda: slab(2, 0.15, 0.15, 0.02), [0.0, 0.0, -30.0]),
    "blade_at_plate": (lambda: turned(slab(2, 0.15, 0.05, 0.01), [[1, 0, 0], [0, 0, -1], [0, 1, 0]]), [0.0, 0.0, -30.0]),
}


def slab(n, half_x, half_y, thickness):
    return grid((n, n, 1), lambda x, y, z: [half_x * (2 * x - 1), half_y * (2 * y - 1), thickness * (z - 1)], "hexes")


def fast(kind, lower_is, mu, diagonals):
    """Something small flies farther in a step than it and the plate in its way are thick: if it jumps, it is clear at both ends."""
    name = f"fast_{kind}_{lower_is}"
    make, velocity = FAST[kind]
    lower = slab(3, 0.3, 0.3, 0.02)
    upper = shifted(standing_on(make(), 0.02), [0.013, 0.0, 0.0])
    files, bodies, known = {}, {}, {"pairs": [("up", "low")], "surfaces": {}, "thin": 0.02}
    bodies["up"] = body(name, "up", upper, files, velocity)
    if lower_is == "rigid":
        shape, known["surfaces"]["low"] = obstacle(name, "low", lower, files, diagonals)
        case = case_of(bodies, [{"between": ["up.surface", "low"], "friction": mu}], 0.016, {"low": shape}, None, 4e-3)
    else:
        bodies["low"] = body(name, "low", lower, files)
        contacts = [{"between": ["up.surface", "low.surface"], "friction": mu, "passes": lower_is}]
        case = case_of(bodies, contacts, 0.016, None, [{"fixed": {"on": "low.base"}}], 4e-3)
    case["materials"] = {"soft": {"density": 1000, "law": {"neo_hooke": {"young": 1.0e7, "poisson": 0.3}}}}
    return Scene(name, "fast and thin", case, diagonal(upper, lower), files, known)


def mat(n, mu, in_steps):
    """A mat of one layer whose ends are turned against each other by two turns in all."""
    name = f"mat_{n}_{'steps' if in_steps else 'moves'}"
    mesh = {"box": {"min": [-0.5, -0.2, -0.02], "max": [0.5, 0.2, 0.02], "divisions": [8 * n, 2 * n, 1]}}
    turn = lambda on, sign: {"rotation": {"on": f"mat.{on}", "centre": [0, 0, 0], "axis": [1, 0, 0],
                                          "angle": {"ramp": {"to": sign * 360.0, "rise": 2.0}}}}
    contacts = [{"between": ["mat.surface", "mat.surface"], "friction": mu}]
    case = case_of({"mat": {"mesh": mesh, "material": "soft"}}, contacts, 2.0, None, [turn("x_min", 1), turn("x_max", -1)], 0.02)
    if in_steps:
        case["time"]["scheme"] = "quasi_static"
    return Scene(name, "twisted mat", case, math.hypot(1.0, 0.4, 0.04), {}, {"itself": ["mat"], "surfaces": {}, "pairs": []})


def list_of(makers, draw):
    """The scenes that `makers` make, each in a frame of its own if a draw is asked for."""
    global FRAME
    scenes = []
    for k, make in enumerate(makers):
        if draw is not None:
            rng = np.random.default_rng([draw, k])
            axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            FRAME = axes * (1 if (np.linalg.det(axes) > 0) == (k % 2 == 0) else -1)
        scenes.append(make())
    FRAME = np.eye(3)
    return scenes


def all_scenes(draw=None):
    makers = []
    for k, (kind, n, shift, lower_is) in enumerate(itertools.product(UNITS, (2, 4), (0, 1), LOWER)):
        given = kind, n, shift, lower_is, FRICTION[(k // 2 + k // 12) % 3], (k // 3 + k // 12) % 4
        makers.append(lambda given=given: unit(*given))
    for k, (make, n, shift, lower_is) in enumerate(itertools.product((within_hollow, stack, tori), (1, 2), (0, 1), LOWER)):
        given = n + (make is not tori) * (n - 1), shift, lower_is, FRICTION[(k // 3) % 3], k % 4
        makers.append(lambda make=make, given=given: make(*given))
    for k, (kind, lower_is) in enumerate(itertools.product(FAST, LOWER)):
        makers.append(lambda given=(kind, lower_is, FRICTION[k % 3], k % 4): fast(*given))
    mats = [(2, 0.0, False), (3, 0.0, True), (3, 0.3, True), (4, 0.3, True)]
    return list_of(makers, draw) + ([mat(*given) for given in mats] if draw is None else [])


def between(before, after, places, thin):
    """Places on the straight ways of a step, close enough that nothing thinner is jumped over."""
    farthest = sum(np.linalg.norm(y - x, axis=1).max() for x, y in places(before, after))
    pieces = min(64, math.ceil(farthest / (0.25 * thin)))
    return [(1 - k / pieces) * before + k / pieces * after for k in range(1, pieces)]


def judge(scene, frames, history):
    found = {"depth": 0.0, "when": 0.0, "who": "", "place": None, "path": 0.0, "undeclared": 0.0}

    def note(deep, place, time, who):
        if deep > found["depth"]:
            found.update(depth=float(deep), when=float(time), who=who, place=[float(c) for c in place])

    surfaces = {name: surface_of(cells) for name, cells in frames.cells.items() if name not in scene.known["surfaces"]}
    for name, (points, faces) in scene.known["surfaces"].items():
        surfaces[name] = Surface([tuple(f) for f in faces])
    fixed = {name: np.array(points) for name, (points, _) in scene.known["surfaces"].items()}
    thin = scene.known.get("thin")
    for k, (x, time) in enumerate(zip(frames.points, frames.times)):
        for pair in scene.known["pairs"]:
            first, second = pair
            at = lambda x: [fixed.get(name, x) for name in pair]
            deep, place, whose = depth(surfaces[first], surfaces[second], *at(x))
            note(deep, place, time, f"{pair[whose]} in {pair[1 - whose]}")
            if thin and k > 0:
                ways = between(frames.points[k - 1], x, lambda a, b: zip(at(a), at(b)), thin)
                way = max((depth(surfaces[first], surfaces[second], *at(y))[0] for y in ways), default=0.0)
                # a straight way round a blunt corner cuts it
                found["path"] = max(found["path"], way if way > CORNER * scene.size else 0.0)
        for name in scene.known.get("itself", []):
            note(*in_itself(surfaces[name], frames.cells[name], x), time, f"{name} in itself")
    return found


def main():
    parser = options(__doc__, "contact_scenes")
    parser.add_argument("--turned", type=int, help="number of a draw of turned and mirrored scenes")
    args = parser.parse_args()
    if args.turned is not None:
        args.folder = args.folder.with_name(f"{args.folder.name}_turned_{args.turned}")
    play(all_scenes(args.turned), judge, args, "in space")


if __name__ == "__main__":
    main()
