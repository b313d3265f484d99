"""Meshes for the scene scripts that no generator of the program makes, and the files to hand them over in: Gmsh 4.1 and STL as text,
so that not a digit is lost."""

import numpy as np

GMSH = {("edge", 2): 1, ("face", 3): 2, ("face", 4): 3, ("cell", 4): 4, ("cell", 8): 5}


def msh(nodes, cells, dim, sets):
    """A Gmsh file of cells with `dim` dimensions; `sets` maps names to lists of edges or faces."""
    nodes = [list(map(float, p)) + [0.0] * (3 - len(p)) for p in nodes]
    low, high = np.min(nodes, 0), np.max(nodes, 0)
    box = " ".join(repr(float(x)) for x in (*low, *high))
    text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    text += f"$PhysicalNames\n{len(sets) + 1}\n"
    text += "".join(f'{dim - 1} {k} "{name}"\n' for k, name in enumerate(sets, 2)) + f'{dim} 1 "body"\n$EndPhysicalNames\n'
    counts = [0, 0, 0, 0]
    counts[dim - 1], counts[dim] = len(sets), 1
    text += "$Entities\n" + " ".join(map(str, counts)) + "\n"
    text += "".join(f"{k} {box} 1 {k} 0\n" for k in range(2, len(sets) + 2)) + f"1 {box} 1 1 0\n$EndEntities\n"
    n = len(nodes)
    text += f"$Nodes\n1 {n} 1 {n}\n{dim} 1 0 {n}\n" + "".join(f"{k}\n" for k in range(1, n + 1))
    text += "".join(" ".join(repr(x) for x in p) + "\n" for p in nodes) + "$EndNodes\n"
    kinds = {2: ("edge", "face"), 3: ("face", "cell")}[dim]
    blocks = [(dim - 1, k, kinds[0], part) for k, part in enumerate(sets.values(), 2)] + [(dim, 1, kinds[1], cells)]
    groups = []
    for d, tag, kind, part in blocks:
        for size in sorted({len(c) for c in part}):
            groups.append((d, tag, GMSH[kind, size], [c for c in part if len(c) == size]))
    total = sum(len(g[3]) for g in groups)
    text += f"$Elements\n{len(groups)} {total} 1 {total}\n"
    number = 0
    for d, tag, kind, part in groups:
        text += f"{d} {tag} {kind} {len(part)}\n"
        for cell in part:
            number += 1
            text += f"{number} " + " ".join(str(k + 1) for k in cell) + "\n"
    return text + "$EndElements\n"


def stl(triangles):
    """A text STL file of triangles (three points each)."""
    corner = lambda p: "vertex " + " ".join(repr(float(x)) for x in p) + "\n"
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join(map(corner, t)) + "endloop\nendfacet\n" for t in triangles)
    return "solid s\n" + facets + "endsolid s\n"


def sector(inner, outer, around, layers, low, high):
    """Quads between two radii and two angles (degrees) about the origin: nodes, cells, sets `bore`, `arc`, `start`, `end`."""
    angles = np.radians(np.linspace(low, high, around + 1))
    radii = np.linspace(inner, outer, layers + 1)
    # the ends of a half lie on the symmetry line to the last digit
    cosines = np.where(np.abs(np.cos(angles)) < 1e-12, 0.0, np.cos(angles))
    nodes = [[r * c, r * s] for c, s in zip(cosines, np.sin(angles)) for r in radii]
    at = lambda i, j: i * (layers + 1) + j
    cells = [(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)) for i in range(around) for j in range(layers)]
    sets = {
        "bore": [(at(i, 0), at(i + 1, 0)) for i in range(around)],
        "arc": [(at(i, layers), at(i + 1, layers)) for i in range(around)],
        "start": [(at(0, j), at(0, j + 1)) for j in range(layers)],
        "end": [(at(around, j), at(around, j + 1)) for j in range(layers)],
    }
    return nodes, cells, sets


# the six tetrahedra of a cube: ways from one corner to the opposite one along three edges
KUHN = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]]
HEX = [0, 1, 3, 2, 4, 5, 7, 6]
HEX_FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
TET_FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]


def grid(divisions, place, cells="tets", keep=None, mirror=(False, False, False)):
    """A mesh of a grid of cubes, whose corner (i, j, k) stands at `place(x, y, z)` with x, y, z from 0 to 1; cubes that `keep(i, j, k)`
    refuses are left out, and nodes that come to the same place are one, so that a side may shrink to an edge or a tip (tets only).
    `mirror` turns the diagonals of the tetrahedra."""
    n = divisions
    numbers, nodes = {}, []

    def node(*ijk):
        x = np.array(place(*(c / m for c, m in zip(ijk, n))), float)
        key = tuple(np.round(x, 10) + 0.0)
        if key not in numbers:
            numbers[key] = len(nodes)
            nodes.append(x)
        return numbers[key]

    found = []
    flip = sum((1 << axis) for axis in range(3) if mirror[axis])
    for i, j, k in np.ndindex(*n):
        if keep and not keep(i, j, k):
            continue
        corner = [node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)) for c in range(8)]
        if cells == "hexes":
            found.append(tuple(corner[c] for c in HEX))
            continue
        for tet in KUHN:
            tet = [corner[c ^ flip] for c in tet]
            if len(set(tet)) < 4:
                continue
            a, b, c, d = (nodes[t] for t in tet)
            if np.dot(np.cross(b - a, c - a), d - a) < 0:
                tet[2], tet[3] = tet[3], tet[2]
            found.append(tuple(tet))
    return np.array(nodes), found


def outside(cells):
    """Faces that belong to one cell only, seen from outside in the positive sense."""
    seen = {}
    for cell in cells:
        for face in HEX_FACES if len(cell) == 8 else TET_FACES:
            nodes = tuple(cell[k] for k in face)
            key = tuple(sorted(nodes))
            seen[key] = None if key in seen else nodes
    return [face for face in seen.values() if face]


def triangles(nodes, cells, turn):
    """The outside as triangles; `turn(k)` says which diagonal cuts the k-th quad."""
    found = []
    for k, face in enumerate(outside(cells)):
        if len(face) == 4 and turn(k):
            face = face[1:] + face[:1]
        found += [face] if len(face) == 3 else [(face[0], face[1], face[2]), (face[0], face[2], face[3])]
    return [[nodes[i] for i in t] for t in found]


def merged(corners):
    """Points and indices of triangles given by their points."""
    numbers, points, faces = {}, [], []
    for t in corners:
        face = []
        for p in t:
            key = tuple(float(x) for x in p)
            if key not in numbers:
                numbers[key] = len(points)
                points.append(key)
            face.append(numbers[key])
        faces.append(tuple(face))
    return np.array(points), faces
