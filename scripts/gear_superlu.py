"""The gear pair with SuperLU on one thread, for comparison: what `cargo bench --bench gears` runs beside impakt.

    python scripts/gear_superlu.py FOLDER

FOLDER holds the stiffness of one gear and its flanks, as the bench writes them. Factors it, solves for the compliance of the flanks, and
goes through 50 positions for two torques and two coefficients of friction: assembly of the candidates and two-stage pivoting with numpy.
Prints seconds. Needs scipy.
"""

import math
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from scipy.sparse import csc_matrix, tril  # noqa: E402
from scipy.sparse.linalg import splu  # noqa: E402

PITCH, TEETH, ALPHA = 25.4e-3, 20, math.radians(20.0)
BASE = PITCH * math.cos(ALPHA)
TANGENT = PITCH * math.sin(ALPHA)
BASE_PITCH = 2 * math.pi * BASE / TEETH
ANGLE = math.pi / (2 * TEETH) + math.tan(ALPHA) - ALPHA


def bodies(folder):
    """The compliance of the kept unknowns and the seconds it took."""
    read = lambda name, kind: np.fromfile(folder / name, dtype=kind)
    pointers, rows, values = read("pointers.bin", "<i8"), read("rows.bin", "<i8"), read("values.bin", "<f8")
    kept = read("kept.bin", "<i8")
    n = len(pointers) - 1
    lower = csc_matrix((values, rows, pointers), shape=(n, n))
    matrix = (lower + tril(lower, -1).T).tocsc()
    start = time.perf_counter()
    factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}, diag_pivot_thresh=0.0)
    factored = time.perf_counter()
    loads = np.zeros((n, len(kept)))
    loads[kept, np.arange(len(kept))] = 1.0
    compliance = factor.solve(loads)[kept]
    print(f"SuperLU: {n} unknowns, {len(kept)} right-hand sides: factor {factored - start:.3f} s, solutions {time.perf_counter() - factored:.3f} s")
    return compliance, time.perf_counter() - start


def seen(contact, roll):
    eta = (roll - contact) / BASE
    return roll * np.sin(eta) - 2 * BASE * np.sin(eta / 2) ** 2, roll * np.cos(eta) - BASE * np.sin(eta) - contact


def turned(vector, angle):
    sin, cos = math.sin(angle), math.cos(angle)
    return np.array([cos * vector[0] - sin * vector[1], sin * vector[0] + cos * vector[1]])


def candidates(zeta, places, sides):
    """Kept nodes, weights, directions and gaps at the nodes of the driver near contact."""
    found = []
    for pair in range(-2, 3):
        z = zeta + pair * BASE_PITCH
        if pair not in sides or -pair not in sides:
            continue
        first, end = sides[pair]
        rolls = np.sqrt(np.maximum((places[first:end] ** 2).sum(1) - BASE * BASE, 0.0))
        across, height = seen(TANGENT + z, rolls)
        contact = TANGENT - z
        mate = np.sqrt(np.maximum(contact * contact - 2 * BASE * across, 0.0))
        other, last = sides[-pair]
        mate_rolls = np.sqrt(np.maximum((places[other:last] ** 2).sum(1) - BASE * BASE, 0.0))
        gap = -(height + seen(contact, mate)[1])
        inside = np.flatnonzero((gap < 24e-6) & (np.abs(across) < 2.6e-4) & (mate < mate_rolls[-1]) & (mate > mate_rolls[0]))
        for i in inside:
            k = min(max(np.searchsorted(mate_rolls, mate[i]) - 1, 0), len(mate_rolls) - 2)
            part = (mate[i] - mate_rolls[k]) / (mate_rolls[k + 1] - mate_rolls[k])
            found.append((first + i, other + k, part, gap[i], z))
    return found


def assemble(found, compliance, travel, friction):
    """A, C and B of the candidates with sliding imposed."""
    m = len(found)
    normal, tangent = np.array([math.sin(ALPHA), math.cos(ALPHA)]), np.array([math.cos(ALPHA), -math.sin(ALPHA)])
    stances = [travel / BASE + TANGENT / BASE - ALPHA - ANGLE, -travel / BASE + TANGENT / BASE - ALPHA - ANGLE]
    matrix = np.zeros((m, m))
    sign = np.array([np.sign(f[4]) if abs(f[4]) > 1e-12 else 0.0 for f in found])
    for wheel, half in ((0, 1.0), (1, -1.0)):
        push, drag = turned(half * normal, -stances[wheel]), turned(half * tangent, -stances[wheel])
        push, drag = (-push, drag) if wheel == 0 else (-push, drag)
        rows, loads = np.zeros((m, len(compliance))), np.zeros((len(compliance), m))
        for i, (a, b, part, _, _) in enumerate(found):
            nodes = ((a, 1.0),) if wheel == 0 else ((b, 1.0 - part), (b + 1, part))
            for node, weight in nodes:
                rows[i, 2 * node : 2 * node + 2] += weight * push
                loads[2 * node : 2 * node + 2, i] += weight * (push + friction * sign[i] * drag)
        used = np.flatnonzero(np.abs(rows).sum(0))
        matrix += rows[:, used] @ compliance[np.ix_(used, used)] @ loads[used]
    arms = np.array([BASE + friction * s * (TANGENT - f[4]) for s, f in zip(sign, found)])
    return matrix, np.full(m, -BASE), arms, np.array([f[3] for f in found])


def pivot(matrix, opening, arms, gaps, load):
    """Two-stage pivoting: the rotation and the number of pivots."""
    m = len(gaps)
    force, gap = load / BASE, np.abs(np.diag(matrix)).max() * load / BASE
    table = np.zeros((m + 1, m + 1))
    table[0, 1:], table[1:, 0], table[1:, 1:] = -arms / BASE, opening / BASE, matrix * force / gap
    rhs = np.concatenate(([1.0], gaps / gap))
    rows, columns = [("z", 0)] + [("d", i) for i in range(m)], [("t", 0)] + [("p", i) for i in range(m)]

    def exchange(r, c):
        inverse = 1.0 / table[r, c]
        table[r] *= -inverse
        table[r, c] = inverse
        rhs[r] *= -inverse
        factor = table[:, c].copy()
        factor[r] = 0.0
        others = np.arange(m + 1) != r
        table[others, c] = 0.0
        table[others] += np.outer(factor[others], table[r])
        rhs[others] += factor[others] * rhs[r]
        rows[r], columns[c] = columns[c], rows[r]

    start = int(np.argmin(gaps))
    exchange(0, 1 + start)
    exchange(1 + start, 0)
    count = 2
    while count < 400:
        values = [rhs[r] if rows[r][0] in "dp" else 0.0 for r in range(m + 1)]
        worst = int(np.argmin(values))
        if values[worst] > -1e-11:
            break
        kind, number = rows[worst]
        exchange(worst, columns.index(("p" if kind == "d" else "d", number)))
        count += 1
    return rhs[rows.index(("t", 0))] * gap / BASE, count


def main():
    folder = Path(sys.argv[1])
    compliance, seconds = bodies(folder)
    places = np.fromfile(folder / "places.bin", dtype="<f8").reshape(-1, 2)
    sides = {int(a): (int(b), int(c)) for a, b, c in (line.split() for line in open(folder / "sides.txt"))}
    start, assembly, pivots = time.perf_counter(), 0.0, 0
    errors = []
    for load in (112.98483, 11.298483):
        for friction in (0.0, 0.3):
            for i in range(50):
                travel = (i - 25) / 50 * BASE_PITCH
                begun = time.perf_counter()
                problem = assemble(candidates(travel, places, sides), compliance, travel, friction)
                assembly += time.perf_counter() - begun
                error, count = pivot(*problem, load)
                errors.append(error)
                pivots += count
    total = time.perf_counter() - start
    print(f"200 positions: {total:.3f} s (assembly {assembly:.3f} s), {pivots} pivots; error at the pitch point {1e6 * errors[25]:.2f} urad")
    print(f"bodies {seconds:.3f} s, positions {total:.3f} s")


if __name__ == "__main__":
    main()
