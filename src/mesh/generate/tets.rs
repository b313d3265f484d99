//! Hexahedra and prisms cut into tetrahedra so that neighbours agree on the diagonal of a shared face.

use super::super::{CellKind, Mesh, NodeId};

/// Faces of a prism with the triangle 012 below the triangle 345, outward-ordered.
pub(super) const PRISM_FACES: &[&[usize]] = &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];

/// Appends the tetrahedra of a convex cell with these outward-ordered faces: six of a hexahedron, three of a prism.
///
/// Every quadrilateral is cut through its smallest node, which is the same seen from both of its sides (DompierreEtAl1999).
/// The smallest node of the cell is then a corner of all its tetrahedra: they are the pyramids it forms with the
/// triangles of the faces it does not lie on.
pub(super) fn push_tets(mesh: &mut Mesh, nodes: &[NodeId], faces: &[&[usize]]) {
    let Some(&apex) = nodes.iter().min() else { return };
    for face in faces.iter().filter(|face| face.iter().all(|&i| nodes[i] != apex)) {
        let first = (0..face.len()).min_by_key(|&k| nodes[face[k]]).unwrap_or(0);
        let corner = |k: usize| nodes[face[(first + k) % face.len()]];
        for k in 1..face.len() - 1 {
            // The face is counter-clockwise from outside; the base of a tetrahedron is so from its fourth node.
            mesh.push_cell(CellKind::Tet4, &[corner(0), corner(k + 1), corner(k), apex]);
        }
    }
}
