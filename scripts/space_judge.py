"""How far bodies in space are inside each other, by libigl's winding numbers and distances: shares nothing with the program under test.

A surface is triangles; a quad of hexahedra counts as four about the mean of its corners, and its warp (the most of the facets that meet
there) is taken off a depth: for a node what the four differ by from the bilinear facet, for an edge what that sags by between two of its
corners. Nodes inside the other surface count, and parts of edges, cut exactly at the other's triangles; their depth is the distance to
the other surface.
"""

import igl
import numpy as np

from scene_shapes import HEX_FACES, TET_FACES, outside

SAMPLES = np.linspace(0.0, 1.0, 9)
# shares of the corners' distance from the mean plane that are allowed: for nodes the four triangles against the bilinear facet, for
# edges, which touch a facet at two of its corners, the sag of the bilinear facet between these
WARP_AT_NODES, WARP_AT_EDGES = 0.25, 1.0


class Surface:
    """Facets of three or four nodes of one body, or of an obstacle."""

    def __init__(self, facets):
        self.quads = [f for f in facets if len(f) == 4]
        self.flat = [f for f in facets if len(f) == 3]
        self.edges = np.array(sorted({tuple(sorted(e)) for f in facets for e in zip(f, f[1:] + f[:1])}))
        self.nodes = np.unique(self.edges)
        self.fan = [(f[k], f[(k + 1) % 4], ~q) for q, f in enumerate(self.quads) for k in range(4)]
        self.owner = np.array([-1] * len(self.flat) + [q for q in range(len(self.quads)) for _ in range(4)])

    def triangles(self, x):
        """Points, triangles by index, and the largest warp of the facets at each."""
        corners = x[np.array(self.quads, int).reshape(-1, 4)]
        points = np.vstack([x, corners.mean(1)])
        fan = [(a, b, len(x) + ~q) for a, b, q in self.fan]
        faces = np.array(self.flat + fan, dtype=np.int64)
        twist = corners[:, 0] - corners[:, 1] + corners[:, 2] - corners[:, 3]
        own = np.append(np.linalg.norm(twist, axis=1) / 4, 0.0)[self.owner]
        # where facets meet, the nearest need not be the one that holds
        at_node = np.zeros(len(points))
        np.maximum.at(at_node, faces.ravel(), np.repeat(own, 3))
        return points, faces, at_node[faces].max(1)


def surface_of(cells):
    return Surface(outside(cells))


def box(points):
    return points.min(0), points.max(0)


def boxes_meet(a, b):
    return not ((a[0] > b[1]).any() or (b[0] > a[1]).any())


def cuts(p, q, corners):
    """Where edges from p to q meet triangles (n, 3, 3): numbers of edges and shares along them, borders included."""
    low, high = np.minimum(p, q), np.maximum(p, q)
    tlow, thigh = corners.min(1), corners.max(1)
    i, j = np.nonzero(((low[:, None] <= thigh[None]) & (high[:, None] >= tlow[None])).all(2))
    a, u, v = corners[j, 0], corners[j, 1] - corners[j, 0], corners[j, 2] - corners[j, 0]
    d = q[i] - p[i]
    h = np.cross(d, v)
    det = np.einsum("nk,nk->n", u, h)
    size = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1) * np.linalg.norm(d, axis=1)
    good = abs(det) > 1e-14 * size
    safe = np.where(good, det, 1.0)
    s = p[i] - a
    b1 = np.einsum("nk,nk->n", s, h) / safe
    w = np.cross(s, u)
    b2 = np.einsum("nk,nk->n", d, w) / safe
    t = np.einsum("nk,nk->n", v, w) / safe
    e = 1e-9
    good &= (b1 >= -e) & (b2 >= -e) & (b1 + b2 <= 1 + e) & (t > 0) & (t < 1)
    return i[good], t[good]


def edge_parts(p, q, corners):
    """Parts of edges between two cuts in turn, as (start, end); whole edges where nothing cuts them."""
    i, t = cuts(p, q, corners)
    order = np.lexsort((t, i))
    i, t = i[order], t[order]
    starts, ends = [], []
    for k in np.unique(i):
        at = np.concatenate([[0.0], t[i == k], [1.0]])
        long = np.diff(at) > 1e-12
        starts.append(p[k] + at[:-1][long, None] * (q[k] - p[k]))
        ends.append(p[k] + at[1:][long, None] * (q[k] - p[k]))
    # an edge that nothing cuts is inside with its nodes or not at all
    rest = np.setdiff1d(np.arange(len(p)), i)
    starts.append(p[rest])
    ends.append(q[rest])
    return np.concatenate(starts), np.concatenate(ends)


def inside(places, points, faces):
    return igl.winding_number(points, faces, np.ascontiguousarray(places)) > 0.5


def deepest(places, target, share):
    """Deepest of the places that are inside, less a share of the warp where each is nearest: depth and place."""
    points, faces, warp = target
    if len(places):
        places = places[inside(places, points, faces)]
    if len(places) == 0:
        return 0.0, None
    squared, facet, _ = igl.point_mesh_squared_distance(places, points, faces)
    depths = np.sqrt(squared) - share * warp[facet]
    k = depths.argmax()
    return max(0.0, float(depths[k])), places[k]


def one_way(own, x, target):
    """Deepest place of a surface's nodes and edges inside the triangles `target`: depth and place."""
    points, faces, _ = target
    bounds = box(points[np.unique(faces)])
    nodes = x[own.nodes]
    found = [deepest(nodes[((nodes >= bounds[0]) & (nodes <= bounds[1])).all(1)], target, WARP_AT_NODES)]
    p, q = x[own.edges[:, 0]], x[own.edges[:, 1]]
    near = ((np.minimum(p, q) <= bounds[1]) & (np.maximum(p, q) >= bounds[0])).all(1)
    if near.any():
        a, b = edge_parts(p[near], q[near], points[faces])
        within = inside(0.5 * (a + b), points, faces)
        a, b = a[within], b[within]
        # an edge in the plane of a facet is not cut at its rim: each place is asked again
        found.append(deepest((a[:, None] + SAMPLES[None, :, None] * (b - a)[:, None]).reshape(-1, 3), target, WARP_AT_EDGES))
    return max(found, key=lambda f: f[0])


def depth(first, second, x, y):
    """Deepest place of either surface inside the other: depth, place, and which of the two it belongs to."""
    if not boxes_meet(box(x[first.nodes]), box(y[second.nodes])):
        return 0.0, None, 0
    own = one_way(first, x, second.triangles(y))
    other = one_way(second, y, first.triangles(x))
    return (*own, 0) if own[0] >= other[0] else (*other, 1)


def in_itself(surface, cells, x):
    """Deepest place of a body's own nodes and edges inside cells they do not belong to: depth and place. Depth counts from the faces
    outside that the place does not belong to, less a share of their warp."""
    middle = x[surface.edges].mean(1)
    places = np.concatenate([x[surface.nodes], middle])
    owners = [{int(n)} for n in surface.nodes] + [{int(a), int(b)} for a, b in surface.edges]
    corners = [x[list(cell)] for cell in cells]
    low, high = np.array([c.min(0) for c in corners]), np.array([c.max(0) for c in corners])
    i, j = np.nonzero(((places[:, None] > low[None]) & (places[:, None] < high[None])).all(2))
    points, faces, warp = surface.triangles(x)
    facets = surface.flat + [surface.quads[q] for q in surface.owner[len(surface.flat):]]
    worst, where = 0.0, None
    for p, c in zip(i, j):
        if owners[p] & set(cells[c]):
            continue
        local = {n: k for k, n in enumerate(cells[c])}
        hull = Surface([tuple(local[cells[c][k]] for k in f) for f in (HEX_FACES if len(cells[c]) == 8 else TET_FACES)])
        shell = hull.triangles(corners[c])
        if not inside(places[p:p + 1], *shell[:2])[0]:
            continue
        free = np.array([not owners[p] & set(f) for f in facets])
        squared, facet, _ = igl.point_mesh_squared_distance(places[p:p + 1], points, faces[free])
        share = WARP_AT_NODES if len(owners[p]) == 1 else WARP_AT_EDGES
        deep = float(np.sqrt(squared[0]) - share * warp[free][facet[0]])
        if deep > worst:
            worst, where = deep, places[p]
    return worst, where
