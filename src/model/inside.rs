//! Whether places lie inside the cells of a mesh. Many are asked for, one for each facet and each support of an obstacle, so
//! the cells stand in a tree of boxes.

use crate::geometry::{Bounds, Bvh, Vector};
use crate::mesh::{CellId, CellKind, Mesh, NodeId};

/// The cells of a mesh, to be found by place.
pub(super) struct Cells<'a> {
    pub(super) mesh: &'a Mesh,
    cells: Vec<(CellId, CellKind, &'a [NodeId])>,
    tree: Bvh,
}

impl<'a> Cells<'a> {
    /// Puts them into a tree.
    pub(super) fn of(mesh: &'a Mesh) -> Self {
        let cells: Vec<_> = mesh.cells().collect();
        let place = |node: &NodeId| Vector::from(mesh.nodes[node.index()]);
        let boxes: Vec<Bounds> = cells.iter().map(|cell| Bounds::around(cell.2.iter().map(place))).collect();
        Cells { mesh, tree: Bvh::new(&boxes), cells }
    }

    /// Whether a point lies inside a cell by more than `tolerance` (exact for cells with plane faces).
    pub(super) fn contain(&self, p: Vector, tolerance: f64) -> bool {
        let mut found = false;
        // where faces meet at a sharp angle a tolerance reaches further than itself
        self.tree.query(&Bounds::around([p]).inflated(4.0 * tolerance.abs()), |k| {
            let (_, kind, nodes) = self.cells[k as usize];
            found |= within(self.mesh, kind, nodes, p, tolerance);
        });
        found
    }
}

/// Whether a point lies inside any cell of a mesh by more than `tolerance`, for those who ask once.
pub(super) fn contains(mesh: &Mesh, p: Vector, tolerance: f64) -> bool {
    mesh.cells().any(|(_, kind, nodes)| within(mesh, kind, nodes, p, tolerance))
}

fn within(mesh: &Mesh, kind: CellKind, nodes: &[NodeId], p: Vector, tolerance: f64) -> bool {
    kind.faces().iter().all(|face| {
        let x = |k: usize| Vector::from(mesh.nodes[nodes[face[k]].index()]);
        let first = x(1) - x(0);
        let normal = if face.len() == 2 {
            Vector::new(first[1], -first[0], 0.0)
        } else {
            first.cross(&(x(face.len() - 1) - x(0)))
        };
        (p - x(0)).dot(&normal) < -tolerance * normal.norm()
    })
}
