#!/usr/bin/env python3
"""Features that meet exactly: a node on a ridge, tip on tip, edge along edge, where several conditions hold the same place.

    scripts/tied_features.py                     all scenes; results/tied_features/outcomes.json
    scripts/tied_features.py --sample 20         some of every kind
    scripts/tied_features.py node_on_ridge       only scenes with this in their name
    scripts/tied_features.py --list              the scenes

Each scene is run as it is and with the upper body 1 um aside, with friction from 0 to 1. Judged:

    puts in    steps in which normal reactions or friction put energy in while the features stay on each other (to 10 um), summed: on a
               rigid surface by more than 1e-9 of the energy at the start, between bodies also by a tenth more than in the scene
               1 um aside
    later      the same over the whole run, by more than twice that of the scene 1 um aside
    wedges     at a node the magnitudes of its reactions add up to more than twice that of their sum, where they are not all rounding
    stops      the command fails
    idle       nothing touched

Which points of a contact problem (`--dump-contact`, FCLIB) sit at one node is read off its matrix: W_ij = W_ii Q with Q the rotation from
one frame to the other, so that W_ij has the singular values of W_ii; Q brings the reactions into one frame. Needs h5py, numpy and libigl
(`pip install h5py numpy libigl`) and the binary (`cargo build --release`).
"""

import collections
import concurrent.futures
import json
import shutil

import h5py
import numpy as np

from contact_scenes import GAP, MIRRORS, SPEED, body, case_of, cube, obstacle, quarter, shifted, spike, standing_on, tip_down, turned, wedge
from plane_scenes import block, drop
from result_file import Frames
from scene_runs import Scene, chosen, command, options, prepare, reason

FRICTION = [0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0]
ASIDE = 1e-6
PUT_IN, TIED, WEDGED, SAME_NODE = 1e-9, 1e-5, 2.0, 1e-7


def on_edge(mesh):
    """A cube turned to stand on an edge along y."""
    c = np.sqrt(0.5)
    nodes, cells = turned(mesh, [[c, 0, c], [0, 1, 0], [-c, 0, c]])
    lowest = nodes[nodes[:, 2].argmin()]
    return nodes - [lowest[0], 0.0, 0.0], cells


# what falls and on what: exactly over each other
SOLID = {
    "node_on_ridge": (lambda: cube(2, None), lambda: wedge(2, MIRRORS[0])),
    "node_on_long_ridge": (lambda: cube(2, None), lambda: wedge(1, MIRRORS[0])),
    "edge_on_long_ridge": (lambda: cube(3, None), lambda: wedge(1, MIRRORS[0])),
    "node_on_tip": (lambda: cube(2, None), lambda: spike(2, MIRRORS[0])),
    "tip_on_tip": (lambda: tip_down(spike(2, MIRRORS[0])), lambda: spike(2, MIRRORS[0])),
    "tip_on_ridge": (lambda: tip_down(spike(2, MIRRORS[0])), lambda: wedge(2, MIRRORS[0])),
    "ridge_on_tip": (lambda: tip_down(wedge(2, MIRRORS[0])), lambda: spike(2, MIRRORS[0])),
    "ridge_along_ridge": (lambda: tip_down(wedge(2, MIRRORS[0])), lambda: wedge(2, MIRRORS[0])),
    "ridge_across_ridge": (lambda: tip_down(quarter(wedge(2, MIRRORS[0]))), lambda: wedge(2, MIRRORS[0])),
    "edge_along_ridge": (lambda: on_edge(cube(2, None)), lambda: wedge(2, MIRRORS[0])),
    "edge_across_ridge": (lambda: quarter(on_edge(cube(2, None))), lambda: wedge(2, MIRRORS[0])),
}


def solid(kind, lower_is, mu, aside):
    name = f"{kind}_{lower_is}_{mu}{'_aside' if aside else ''}"
    upper, lower = (make() for make in SOLID[kind])
    upper = shifted(standing_on(upper, lower[0][:, 2].max() + GAP), [aside, 0.6 * aside, 0.0])
    files = {}
    bodies = {"up": body(name, "up", upper, files, [0.0, 0.0, -SPEED])}
    if lower_is == "rigid":
        shape, _ = obstacle(name, "low", lower, files, 0)
        case = case_of(bodies, [{"between": ["up.surface", "low"], "friction": mu}], 0.08, {"low": shape})
    else:
        bodies["low"] = body(name, "low", lower, files)
        contacts = [{"between": ["up.surface", "low.surface"], "friction": mu, "passes": lower_is}]
        case = case_of(bodies, contacts, 0.08, None, [{"fixed": {"on": "low.base"}}])
    return Scene(name, f"{kind} {lower_is}", case, 0.7, files, {"rigid": lower_is == "rigid", "pair": name.removesuffix("_aside")})


def on_shape(kind, mu, aside):
    """A cube over the edge or the tip of a shape that is no mesh."""
    name = f"{kind}_rigid_{mu}{'_aside' if aside else ''}"
    upper = shifted(cube(2, None), [aside, 0.6 * aside, 0.5 + GAP])
    shapes = {
        "node_on_edge_of_box": {"shape": {"box": {"min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5]}},
                                "place": {"rotate": {"angle": 45, "axis": [0, 1, 0]}, "translate": [0, 0, 0.5 - np.sqrt(0.5)]}},
        "node_on_tip_of_cone": {"shape": {"cone": {"point": [0, 0, 0], "direction": [0, 0, 1], "radius": 0.3, "length": 0.5}}},
    }
    files = {}
    bodies = {"up": body(name, "up", upper, files, [0.0, 0.0, -SPEED])}
    case = case_of(bodies, [{"between": ["up.surface", "low"], "friction": mu}], 0.08, {"low": shapes[kind]})
    return Scene(name, f"{kind} rigid", case, 0.7, files, {"rigid": True, "pair": name.removesuffix("_aside")})


def plane(kind, lower_is, mu, aside):
    """A node on a polygon's tip, a corner on a corner, a corner on a tip."""
    name = f"plane_{kind}_{lower_is}_{mu}{'_aside' if aside else ''}"
    turn = {"rotate": 45, "translate": [aside, 0.3 + GAP + 0.2 * np.sqrt(2)]}
    square = block([-0.2, -0.2], [0.4, 0.4], [2, 2], turn)
    obstacles, boundary, bodies = None, None, {}
    if kind.startswith("node_on_tip"):
        half = float(kind.split("_")[-1]) / 100
        square = block([-0.2 + aside, 0.3 + GAP], [0.4, 0.4], [2, 2])
    else:
        half = 0.15
    bodies["up"] = {"mesh": square, "velocity": [0, -1]}
    law, between = {"friction": mu}, ["up.surface", "low"]
    if lower_is == "rigid":
        obstacles = {"low": {"shape": {"polygon": [[-half, 0.0], [half, 0.0], [0.0, 0.3]]}}}
    else:
        place = {"rotate": 45, "translate": [0.0, 0.3 - 0.2 * np.sqrt(2)]}
        bodies["low"] = {"mesh": block([-0.2, -0.2], [0.4, 0.4], [2, 2], place)}
        law["passes"], between = lower_is, ["up.surface", "low.surface"]
        boundary = [{"fixed": {"on": "low.bottom_left"}}]
    case = drop(bodies, [{"between": between} | law], 0.08, obstacles, boundary)
    return Scene(name, f"plane {kind} {lower_is}", case, 0.5, {}, {"rigid": lower_is == "rigid", "pair": name.removesuffix("_aside")})


def pairs_of_scenes():
    """Each scene with the one 1 um aside."""
    makers = [lambda mu, a, k=k, l=l: solid(k, l, mu, a) for k in SOLID for l in ("rigid", "two", "one")]
    makers += [lambda mu, a, k=k: on_shape(k, mu, a) for k in ("node_on_edge_of_box", "node_on_tip_of_cone")]
    kinds = [("node_on_tip_5", "rigid"), ("node_on_tip_15", "rigid"), ("node_on_tip_30", "rigid"), ("corner_on_tip", "rigid"),
             ("corner_on_corner", "one"), ("corner_on_corner", "two")]
    makers += [lambda mu, a, k=k, l=l: plane(k, l, mu, a) for k, l in kinds]
    return [(make(mu, 0.0), make(mu, ASIDE)) for make in makers for mu in FRICTION]


def matrix(group):
    """A matrix of an FCLIB file: triplets, or compressed columns or rows."""
    m, n, nz = (int(group[key][0]) for key in ("m", "n", "nz"))
    p, i, x = group["p"][:], group["i"][:], group["x"][:]
    full = np.zeros((m, n))
    if nz >= 0:
        np.add.at(full, (i[:nz], p[:nz]), x[:nz])
        return full
    for k in range(len(p) - 1):
        own = slice(p[k], p[k + 1])
        if nz == -1:
            full[i[own], k] = x[own]
        else:
            full[k, i[own]] = x[own]
    return full


def wedging(folder):
    """Largest sum of the magnitudes of reactions at one node over the magnitude of their sum, over stored problems."""
    worst = 1.0
    for path in sorted(folder.glob("*.hdf5")):
        with h5py.File(path) as file:
            dim, r = int(file["fclib_local/spacedim"][0]), file["solution/r"][:]
            W = matrix(file["fclib_local/W"])
        r = r.reshape(-1, dim)
        n = len(r)
        blocks = W.reshape(n, dim, n, dim).transpose(0, 2, 1, 3)
        scale = np.abs(r).max(initial=0.0)
        for i in range(n):
            own = np.linalg.svd(blocks[i, i], compute_uv=False)
            magnitudes, total = 0.0, np.zeros(dim)
            for j in range(n):
                other = np.linalg.svd(blocks[i, j], compute_uv=False)
                if np.abs(other - own).max() < SAME_NODE * own[0]:
                    magnitudes += np.linalg.norm(r[j])
                    total += np.linalg.solve(blocks[i, i], blocks[i, j] @ r[j])
            # two that only cancel to rounding push nothing
            if magnitudes > 1e-6 * scale:
                worst = max(worst, float(magnitudes / max(np.linalg.norm(total), 1e-300)))
    return worst


def tie_lasts(frames):
    """How long the lowest nodes that begin over x = 0, of those the ones nearest to the middle, stay where they are across; all the time
    where there are none."""
    nodes = np.unique(np.concatenate([np.array(cell) for cell in frames.cells["up"]]))
    start = frames.points[0][nodes]
    up = 2 if np.ptp(start[:, 2]) > 0 else 1
    across = [0] if up == 1 else [0, 1]
    tied = nodes[(start[:, up] < start[:, up].min() + 1e-9) & (np.abs(start[:, across]) < 2 * ASIDE).all(1)]
    for time, x in zip(frames.times, frames.points):
        if len(tied) and np.abs(x[tied][:, across] - frames.points[0][tied][:, across]).max() > TIED:
            return time
    return frames.times[-1]


def measured(scene, args):
    """Runs one scene: energy put in, wedging at nodes, and why it stopped if it did."""
    prepare(scene, args.folder)
    path, result, problems = (args.folder / f"{scene.name}{end}" for end in (".yaml", ".vtkhdf", "-contact"))
    shutil.rmtree(problems, ignore_errors=True)
    run = command(args, path, result, "--dump-contact", "every=1")
    if run is None:
        return {"stop": "slow", "put_in": 0.0, "tied": 0.0, "until": 0.0, "wedged": 1.0}
    stop = reason(run.stderr.strip().splitlines()) if run.returncode else ""
    if run.returncode == 2:
        return {"stop": "refused: " + stop, "put_in": 0.0, "tied": 0.0, "until": 0.0, "wedged": 1.0}
    with h5py.File(result) as file:
        until = tie_lasts(Frames(file))
        h = {key: file["history"][key][:] for key in ("contact_work", "friction_dissipation", "total_energy", "time", "contact_force")}
    energy = h["total_energy"][0]
    gain = np.maximum(np.diff(h["contact_work"]), 0) + np.maximum(-np.diff(h["friction_dissipation"]), 0)
    k = int(gain.argmax())
    wedged = wedging(problems)
    shutil.rmtree(problems, ignore_errors=True)
    tied = gain[h["time"][1:] <= until + 1e-12].sum() / energy
    return {"stop": stop, "tied": float(tied), "until": float(until), "put_in": float(gain.sum() / energy),
            "worst_step": float(h["time"][k + 1]), "wedged": wedged, "touched": bool(h["contact_force"].any())}


def verdict(scene, here, aside):
    found = []
    if here["tied"] > (PUT_IN if scene.known["rigid"] else max(PUT_IN, 1.1 * aside["tied"])):
        found.append(f"puts in {here['tied']:.1e} (aside {aside['tied']:.1e}) of the energy while tied, to {here['until']:.3f} s")
    elif here["put_in"] > max(PUT_IN, 2 * aside["put_in"]):
        found.append(f"later: puts in {here['put_in']:.1e} (aside {aside['put_in']:.1e}), most at {here['worst_step']:.3f} s")
    if here["wedged"] > WEDGED:
        found.append(f"wedges {here['wedged']:.3g} (aside {aside['wedged']:.3g})")
    if not here.get("touched", True):
        found.append("idle: nothing touched")
    if here["stop"]:
        found.append(f"stops: {here['stop'][:110]}" + (" (aside too)" if aside["stop"] else ""))
    return found


def main():
    args = options(__doc__, "tied_features").parse_args()
    couples = {scene.name: (scene, aside) for scene, aside in pairs_of_scenes()}
    scenes = chosen([scene for scene, _ in couples.values()], args)
    if args.list:
        print("\n".join(scene.name for scene in scenes) + f"\n{len(scenes)} scenes")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    rows, count = [], collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        waiting = [[pool.submit(measured, scene, args) for scene in couples[s.name]] for s in scenes]
        for scene, both in zip(scenes, waiting):
            here, aside = (done.result() for done in both)
            wrong = verdict(scene, here, aside)
            rows.append({"name": scene.name, "here": here, "aside": aside, "wrong": wrong})
            count.update({word.split()[0].strip(":") for word in wrong} or ["right"])
            print(f"{scene.name}: {'; '.join(wrong) or 'right'} [tied to {here['until']:.3f} s {here['tied']:.1e}, aside {aside['tied']:.1e}, "
                  f"whole {here['put_in']:.1e}, aside {aside['put_in']:.1e}, wedged {here['wedged']:.3g}]", flush=True)
    (args.folder / "outcomes.json").write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} scenes: " + ", ".join(f"{word} {n}" for word, n in count.most_common()))


if __name__ == "__main__":
    main()
