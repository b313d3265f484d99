//! Overlaps that no node and no corner tells of, see [`crate::geometry::Overlap`]: the cells of a body are the pieces.

use crate::geometry::{Obstacle, Overlap, Vector};
use crate::mesh::Mesh;

/// Size of the smallest pieces, as a share of a cell in the plane and in space.
const IN_PLANE: f64 = 1.0 / 32.0;
const IN_SPACE: f64 = 1.0 / 8.0;

/// A place of a body inside an obstacle, and how deep.
pub(in crate::model) fn pierced(mesh: &Mesh, obstacle: &Obstacle, tolerance: f64) -> Option<(Vector, f64)> {
    let solids = [obstacle];
    let (mut overlap, mut pieces) = (Overlap::of(&solids)?, Vec::new());
    for (_, _, nodes) in mesh.cells() {
        let x = |k: usize| Vector::from(mesh.nodes[nodes[k].index()]);
        let middle = (0..nodes.len()).map(x).sum::<Vector>() / nodes.len() as f64;
        let radius = (0..nodes.len()).map(|k| (x(k) - middle).norm()).fold(0.0, f64::max);
        if overlap.distance(middle, radius) > radius {
            continue;
        }
        let parts: &[&[usize]] = match (nodes.len(), mesh.dim()) {
            (3, _) => &[&[0, 1, 2]],
            (4, 2) => &[&[0, 1, 2], &[0, 2, 3]],
            (4, _) => &[&[0, 1, 2, 3]],
            _ => &[&[0, 1, 2, 6], &[0, 2, 3, 6], &[0, 3, 7, 6], &[0, 7, 4, 6], &[0, 4, 5, 6], &[0, 5, 1, 6]],
        };
        pieces.extend(parts.iter().map(|part| {
            let mut corners = [Vector::zeros(); 4];
            corners.iter_mut().zip(*part).for_each(|(corner, &k)| *corner = x(k));
            (corners, part.len())
        }));
        let smallest = radius * if mesh.dim() == 2 { IN_PLANE } else { IN_SPACE };
        let found = overlap.search(&mut pieces, smallest, tolerance);
        if found.is_some() {
            return found;
        }
        pieces.clear();
    }
    None
}
