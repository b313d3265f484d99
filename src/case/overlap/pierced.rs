//! Overlaps that no node and no corner tells of: a plate or a rod right through a body, solids that cross or fill the same space.
//!
//! Distances from a solid change by no more than the way between two places. So where the middle of a piece of space is farther from
//! the solid than its corners are from the middle, no place of the piece is inside; pieces that this does not clear are halved,
//! until one has its middle inside or is too small to matter.

use crate::geometry::{Obstacle, Touch, Vector};
use crate::mesh::Mesh;

/// Size of the smallest pieces, as a share of a cell in the plane and in space, and of the smaller of two solids.
const IN_PLANE: f64 = 1.0 / 32.0;
const IN_SPACE: f64 = 1.0 / 8.0;
const OF_SOLIDS: f64 = 1.0 / 512.0;

/// Pieces that are looked at before the search is given up.
const MOST: usize = 2_000_000;

/// A triangle or a tetrahedron of space.
type Piece = ([Vector; 4], usize);

/// Signed distance from a solid, negative inside; beyond all numbers where it is farther than `reach`.
fn distance(obstacle: &Obstacle, x: Vector, reach: f64, touches: &mut Vec<Touch>) -> f64 {
    touches.clear();
    obstacle.touches(x, reach, f64::INFINITY, touches);
    touches.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min)
}

/// The first place found in a piece with `inside(x, reach) < −tolerance`, and that depth. Overlaps that nowhere have room for a piece of the
/// size `smallest` may be missed.
fn search(
    pieces: &mut Vec<Piece>,
    (smallest, left): (f64, &mut usize),
    tolerance: f64,
    mut inside: impl FnMut(Vector, f64) -> f64,
) -> Option<(Vector, f64)> {
    while *left > 0 {
        *left -= 1;
        let (corners, count) = pieces.pop()?;
        let corners = &corners[..count];
        let middle = corners.iter().sum::<Vector>() / count as f64;
        let radius = corners.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
        let gap = inside(middle, radius);
        if gap < -tolerance {
            return Some((middle, -gap));
        }
        if gap - radius >= -smallest || radius < smallest {
            continue;
        }
        let sides = (0..count).flat_map(|i| (0..i).map(move |k| (i, k)));
        let length = |(i, k): (usize, usize)| (corners[i] - corners[k]).norm_squared();
        let Some((i, k)) = sides.max_by(|a, b| length(*a).total_cmp(&length(*b))) else { continue };
        let half = 0.5 * (corners[i] + corners[k]);
        for end in [i, k] {
            let mut part = [Vector::zeros(); 4];
            part[..count].copy_from_slice(corners);
            part[end] = half;
            pieces.push((part, count));
        }
    }
    None
}

/// A place of a body inside an obstacle, and how deep.
pub(in crate::case) fn pierced(mesh: &Mesh, obstacle: &Obstacle, tolerance: f64) -> Option<(Vector, f64)> {
    if !obstacle.is_closed() {
        return None;
    }
    let (mut touches, mut pieces, mut left) = (Vec::new(), Vec::new(), MOST);
    for (_, _, nodes) in mesh.cells() {
        let x = |k: usize| Vector::from(mesh.nodes[nodes[k].index()]);
        let middle = (0..nodes.len()).map(x).sum::<Vector>() / nodes.len() as f64;
        let radius = (0..nodes.len()).map(|k| (x(k) - middle).norm()).fold(0.0, f64::max);
        if distance(obstacle, middle, radius, &mut touches) > radius {
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
        let look = |x: Vector, reach: f64| distance(obstacle, x, reach, &mut touches);
        let found = search(&mut pieces, (smallest, &mut left), tolerance, look);
        if found.is_some() {
            return found;
        }
        pieces.clear();
    }
    None
}

/// A place inside two solids in the plane, and how deep it is in both; `ball` is one around the smaller.
pub(in crate::case) fn shared(
    solids: [&Obstacle; 2],
    (centre, radius): (Vector, f64),
    tolerance: f64,
) -> Option<(Vector, f64)> {
    if !solids.iter().all(|solid| solid.is_closed()) {
        return None;
    }
    let corner = |x: f64, y: f64| centre + radius * Vector::new(x, y, 0.0);
    let around = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let triangle = |k: [usize; 3]| ([around[k[0]], around[k[1]], around[k[2]], Vector::zeros()], 3);
    let mut pieces = vec![triangle([0, 1, 2]), triangle([0, 2, 3])];
    let mut touches = Vec::new();
    search(&mut pieces, (OF_SOLIDS * radius, &mut { MOST }), tolerance, |x, reach| {
        solids.iter().map(|solid| distance(solid, x, reach, &mut touches)).fold(f64::NEG_INFINITY, f64::max)
    })
}
