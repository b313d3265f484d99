"""How far meshes lie inside each other, by brute force: every point against every cell, with no help from the program under test.

Cells are T3, Q4, Tet4 and Hex8 as VTK numbers them. A point is inside a cell where the cell's own map says so; its depth is the
distance to the nearest place of the outer faces, bilinear ones included.
"""

import itertools

import numpy as np

SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
CUBE = np.array([[x, y, z] for z in (-1, 1) for x, y in SQUARE])
FACES = {
    ("plane", 3): [[0, 1], [1, 2], [2, 0]],
    ("plane", 4): [[0, 1], [1, 2], [2, 3], [3, 0]],
    ("solid", 4): [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    ("solid", 8): [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
}


def outer_faces(cells, dim):
    """Faces that belong to one cell only."""
    seen = {}
    for cell in cells:
        for face in FACES["plane" if dim == 2 else "solid", len(cell)]:
            nodes = tuple(cell[k] for k in face)
            key = tuple(sorted(nodes))
            seen[key] = None if key in seen else nodes
    return [nodes for nodes in seen.values() if nodes]


def edges_of(faces):
    """Pairs of nodes along the faces' sides."""
    sides = {tuple(sorted(side)) for face in faces for side in zip(face, face[1:] + face[:1])}
    return np.array(sorted(sides))


def corner_functions(corners, xi):
    """Values and derivatives of the multilinear functions of a square or cube at places `xi` (n, dim)."""
    factors = 0.5 * (1 + corners[None] * xi[:, None])
    values = factors.prod(2)
    slopes = np.stack([0.5 * corners[None, :, d] * np.delete(factors, d, 2).prod(2) for d in range(corners.shape[1])], 2)
    return values, slopes


def are_inside(points, corners):
    """Whether each point (n, dim) is inside the cell with the corners beside it (n, k, dim)."""
    n, k, dim = corners.shape
    if k == dim + 1:
        sides = np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 2)
        flat = abs(np.linalg.det(sides)) < 1e-300
        sides[flat] = np.eye(dim)
        share = np.linalg.solve(sides, (points - corners[:, 0])[..., None])[..., 0]
        return ~flat & (share >= 0).all(1) & (share.sum(1) <= 1)
    reference = SQUARE if dim == 2 else CUBE
    xi = np.zeros((n, dim))
    rest = points.copy()
    for _ in range(30):
        values, slopes = corner_functions(reference, xi)
        rest = points - np.einsum("nk,nkd->nd", values, corners)
        tangent = np.einsum("nkd,nkj->ndj", slopes, corners).transpose(0, 2, 1)
        bad = abs(np.linalg.det(tangent)) < 1e-300
        tangent[bad] = np.eye(dim)
        xi = np.clip(xi + np.linalg.solve(tangent, rest[..., None])[..., 0], -3, 3)
    size = np.ptp(corners, axis=1).max(1)
    return (abs(xi) <= 1).all(1) & (np.linalg.norm(rest, axis=1) < 1e-9 * size)


def distance(points, faces):
    """Distance of each point (n, dim) from the face beside it (n, k, dim): a segment, a triangle or a bilinear quad."""
    n, k, dim = faces.shape
    if k == 3:
        # a triangle is a quad with two corners in one place only in name: inside its plane, or on one of its sides
        normal = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
        height = np.einsum("nd,nd->n", points - faces[:, 0], normal)
        foot = points - height[:, None] * normal
        turns = [np.einsum("nd,nd->n", np.cross(faces[:, b] - faces[:, a], foot - faces[:, a]), normal)
                 for a, b in ((0, 1), (1, 2), (2, 0))]
        sides = np.min([distance(points, faces[:, [a, b]]) for a, b in ((0, 1), (1, 2), (2, 0))], axis=0)
        return np.where(np.min(turns, axis=0) >= 0, abs(height), sides)
    if k == 2:
        along = faces[:, 1] - faces[:, 0]
        share = np.einsum("nd,nd->n", points - faces[:, 0], along) / np.maximum((along**2).sum(1), 1e-300)
        return np.linalg.norm(points - faces[:, 0] - np.clip(share, 0, 1)[:, None] * along, axis=1)
    best = np.full(n, np.inf)
    for start in itertools.product((-0.5, 0.5), repeat=2):
        xi = np.tile(np.array(start), (n, 1))
        for _ in range(25):
            values, slopes = corner_functions(SQUARE, xi)
            rest = points - np.einsum("nk,nkd->nd", values, faces)
            tangent = np.einsum("nkd,nkj->njd", slopes, faces)
            square = np.einsum("njd,nje->nde", tangent, tangent) + 1e-300 * np.eye(2)
            xi = np.clip(xi + np.linalg.solve(square, np.einsum("njd,nj->nd", tangent, rest)[..., None])[..., 0], -1, 1)
            best = np.minimum(best, np.linalg.norm(rest, axis=1))
    return best


class Mesh:
    """Cells of one body with the faces and edges of its outside."""

    def __init__(self, cells, dim):
        self.dim = dim
        self.cells = [np.array(list(group)) for _, group in itertools.groupby(sorted(map(tuple, cells), key=len), key=len)]
        faces = outer_faces([tuple(cell) for cell in cells], dim)
        self.edges = edges_of(faces)
        self.faces = [np.array(list(group)) for _, group in itertools.groupby(sorted(faces, key=len), key=len)]
        self.nodes = np.unique(self.edges)

    def depths(self, points, x):
        """How deep each of the points lies inside the body whose nodes are at `x`; 0 outside."""
        points, x = points[:, :self.dim], x[:, :self.dim]
        inside = np.zeros(len(points), bool)
        for cells in self.cells:
            low, high = x[cells].min(1), x[cells].max(1)
            p, c = np.nonzero(((points[:, None] >= low[None]) & (points[:, None] <= high[None])).all(2))
            if len(p):
                inside[p[are_inside(points[p], x[cells[c]])]] = True
        depth = np.zeros(len(points))
        for k in np.nonzero(inside)[0]:
            depth[k] = min(distance(np.repeat(points[k:k + 1], len(faces), 0), x[faces]).min() for faces in self.faces)
        return depth

    def along_edges(self, x, shares=(0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)):
        """Places on the outer edges, between their nodes."""
        a, b = x[self.edges[:, 0]], x[self.edges[:, 1]]
        return np.concatenate([(1 - s) * a + s * b for s in shares])
