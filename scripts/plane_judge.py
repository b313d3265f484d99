"""How far plane bodies are inside each other, by intersection of polygons (shapely): shares nothing with the program under test.

A body's outline is made of the cells' outer edges, an obstacle's of its points. Nodes inside the other's polygon and parts of edges
inside it count; their depth is the distance to the other's outline. Between two output steps points go straight: where a node crosses an
edge of the other, how deep it was between coming in and leaving again is looked at too. A finding is *declared* if the node or edge
belongs to a set that a contact names and the nearest edge of the other does too.
"""

import numpy as np
import shapely

SAMPLES = 17
# a straight way round a blunt corner cuts it by less than this share of the smaller body
CORNER = 0.02


class Outline:
    """Directed edges with the solid on their left, between numbered points."""

    def __init__(self, edges, declared):
        self.edges = np.array(edges)
        self.declared = np.array(declared)
        self.nodes = np.unique(self.edges)
        marked = self.edges[self.declared]
        self.declared_nodes = np.isin(self.nodes, marked)
        self.loops = loops([tuple(e) for e in self.edges])

    def polygon(self, x):
        """The area inside, also if the outline crosses itself."""
        rings = [shapely.Polygon(x[loop]) for loop in self.loops]
        outer = [ring for ring, loop in zip(rings, self.loops) if area(x[loop]) > 0]
        holes = [ring for ring, loop in zip(rings, self.loops) if area(x[loop]) <= 0]
        whole = shapely.union_all([ring if ring.is_valid else shapely.make_valid(ring) for ring in outer])
        for hole in holes:
            whole = whole.difference(hole if hole.is_valid else shapely.make_valid(hole))
        shapely.prepare(whole)
        return whole


def area(points):
    x, y = points.T
    return 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))


def loops(edges):
    """The closed chains that directed edges make."""
    after = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    found = []
    while after:
        start = next(iter(after))
        loop, at = [], start
        while at in after:
            loop.append(at)
            following = after[at]
            step = following.pop()
            if not following:
                del after[at]
            at = step
        found.append(loop)
    return found


def outer_edges(cells):
    """Edges that belong to one cell only, in the cell's sense."""
    seen = {}
    for cell in cells:
        for a, b in zip(cell, cell[1:] + cell[:1]):
            key = (min(a, b), max(a, b))
            seen[key] = None if key in seen else (a, b)
    return [edge for edge in seen.values() if edge]


def to_edges(points, a, b):
    """Distances of points from edges, (points, edges)."""
    along = b - a
    share = np.einsum("ped,ed->pe", points[:, None] - a[None], along) / np.maximum((along**2).sum(1), 1e-300)
    foot = a[None] + np.clip(share, 0, 1)[..., None] * along[None]
    return np.linalg.norm(points[:, None] - foot, axis=2)


def apart(x, first, second):
    a, b = x[0][first.nodes], x[1][second.nodes]
    return (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any()


def cuts(p, q, a, b):
    """Where edges from p to q meet edges from a to b: numbers of the former and shares along them."""
    d, e = q - p, b - a
    cross = lambda u, v: u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    det = cross(d[:, None], e[None])
    safe = np.where(det == 0, 1.0, det)
    r = a[None] - p[:, None]
    t, s = cross(r, e[None]) / safe, cross(r, d[:, None]) / safe
    i, j = np.nonzero((det != 0) & (t > 0) & (t < 1) & (s >= -1e-9) & (s <= 1 + 1e-9))
    return i, t[i, j]


def places_inside(own, other, x, y, area_of_other):
    """Places of nodes and of parts of edges inside the other polygon, and whether each belongs to a declared set."""
    nodes = x[own.nodes]
    inside = shapely.contains_xy(area_of_other, nodes)
    places, declared = [nodes[inside]], [own.declared_nodes[inside]]
    p, q = x[own.edges[:, 0]], x[own.edges[:, 1]]
    i, t = cuts(p, q, y[other.edges[:, 0]], y[other.edges[:, 1]])
    for k, (start, end) in enumerate(zip(p, q)):
        at = np.unique(np.concatenate([[0.0, 1.0], t[i == k]]))
        middles = start + (0.5 * (at[1:] + at[:-1]))[:, None] * (end - start)
        for m in np.nonzero(shapely.contains_xy(area_of_other, middles))[0]:
            # an edge along one of the other's is not cut where that ends: each place is asked again
            part = start + np.linspace(at[m], at[m + 1], SAMPLES)[:, None] * (end - start)
            places.append(part[shapely.contains_xy(area_of_other, part)])
            declared.append(np.full(len(places[-1]), own.declared[k]))
    return np.concatenate(places), np.concatenate(declared)


def depth(first, second, x, y):
    """Deepest declared and deepest other place of either outline inside the other, whose points are at x and y."""
    deepest = np.zeros(2)
    if apart((x, y), first, second):
        return deepest
    polygons = first.polygon(x), second.polygon(y)
    for own, other, p, q, area_of_other in ((first, second, x, y, polygons[1]), (second, first, y, x, polygons[0])):
        places, declared = places_inside(own, other, p, q, area_of_other)
        if len(places) == 0:
            continue
        distance = to_edges(places, q[other.edges[:, 0]], q[other.edges[:, 1]])
        nearest = distance.argmin(1)
        distance = distance.min(1)
        known = declared & other.declared[nearest]
        deepest[0] = max(deepest[0], distance[known].max(initial=0.0))
        deepest[1] = max(deepest[1], distance[~known].max(initial=0.0))
    return deepest


def crossing_times(p, a, b):
    """When points that go straight lie on edges whose ends do: (share of the way, point, edge, whether it comes in). Each of p, a, b is
    (before, after)."""
    lows = [np.minimum(z[0], z[1]) for z in (p, a, b)]
    highs = [np.maximum(z[0], z[1]) for z in (p, a, b)]
    low, high = np.minimum(lows[1], lows[2]), np.maximum(highs[1], highs[2])
    i, j = np.nonzero(((lows[0][:, None] <= high[None]) & (highs[0][:, None] >= low[None])).all(2))
    r0, r1 = p[0][i] - a[0][j], p[1][i] - a[1][j]
    s0, s1 = b[0][j] - a[0][j], b[1][j] - a[1][j]
    cross = lambda u, v: u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    # outside is on the right of an edge: negative
    c0, c2 = cross(s0, r0), cross(s1 - s0, r1 - r0)
    c1 = cross(s1 - s0, r0) + cross(s0, r1 - r0)
    found = []
    root = np.sqrt(np.maximum(c1**2 - 4 * c2 * c0, 0.0))
    half = -0.5 * (c1 + np.where(c1 >= 0, root, -root))
    for t in (half / np.where(c2 == 0, np.nan, c2), c0 / np.where(half == 0, np.nan, half)):
        good = (t > 0) & (t < 1) & (c1**2 - 4 * c2 * c0 >= 0)
        t, k = t[good], np.nonzero(good)[0]
        r, s = r0[k] + t[:, None] * (r1 - r0)[k], s0[k] + t[:, None] * (s1 - s0)[k]
        share = (r * s).sum(1) / np.maximum((s * s).sum(1), 1e-300)
        on = (share >= 0) & (share <= 1)
        rate = c1[k] + 2 * c2[k] * t
        found += [(float(t[m]), int(i[k[m]]), int(j[k[m]]), bool(rate[m] > 0)) for m in np.nonzero(on)[0]]
    return found


def on_the_way(first, second, x, y):
    """How deep a declared node of either was inside the other on its straight way, between coming in and leaving; x and y are
    (before, after)."""
    worst = 0.0
    for own, other, p, q in ((first, second, x, y), (second, first, y, x)):
        nodes = own.nodes[own.declared_nodes]
        ends = [[z[other.edges[:, k]] for z in q] for k in (0, 1)]
        ways = {}
        for t, i, j, comes in crossing_times([z[nodes] for z in p], *ends):
            ways.setdefault(i, []).append((t, j, comes))
        for i, events in ways.items():
            events.sort()
            for (t0, j0, comes), (t1, j1, stays) in zip(events, events[1:]):
                if not comes or stays or not other.declared[j0]:
                    continue
                t = 0.5 * (t0 + t1)
                z = (1 - t) * q[0] + t * q[1]
                place = (1 - t) * p[0][nodes[i]] + t * p[1][nodes[i]]
                worst = max(worst, to_edges(place[None], z[other.edges[:, 0]], z[other.edges[:, 1]]).min())
    return worst
