//! Overlaps that no node and no corner tells of: a plate or a rod right through a body, solids that cross or fill the same space.
//!
//! Distances from a solid change by no more than the way between two places. So where the middle of a piece of space is farther from
//! the solid than its corners are from the middle, no place of the piece is inside; pieces that this does not clear are halved,
//! until one has its middle inside or is too small to matter.

use super::{Obstacle, Touch, Vector};

/// Size of the smallest pieces, as a share of the smaller of two solids.
const OF_SOLIDS: f64 = 1.0 / 512.0;

/// Pieces that are looked at before the search is given up.
const MOST: usize = 2_000_000;

/// A triangle or a tetrahedron of space.
pub(crate) type Piece = ([Vector; 4], usize);

/// What is looked for: places inside all of some solids.
pub(crate) struct Overlap<'a> {
    solids: &'a [&'a Obstacle],
    touches: Vec<Touch>,
    /// Pieces that may still be looked at.
    left: usize,
}

impl<'a> Overlap<'a> {
    /// Of these; none if one of them has no inside.
    pub fn of(solids: &'a [&'a Obstacle]) -> Option<Self> {
        let closed = solids.iter().all(|solid| solid.is_closed());
        closed.then(|| Overlap { solids, touches: Vec::new(), left: MOST })
    }

    /// Signed distance from what they share, negative inside; beyond all numbers where it is farther than `reach`.
    pub fn distance(&mut self, x: Vector, reach: f64) -> f64 {
        let touches = &mut self.touches;
        let mut distance = |solid: &Obstacle| {
            touches.clear();
            solid.touches(x, reach, f64::INFINITY, touches);
            touches.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min)
        };
        self.solids.iter().map(|solid| distance(solid)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The first place found in some pieces that is deeper inside than `tolerance`, and how deep. Overlaps that nowhere have room for a
    /// piece of the size `smallest` may be missed.
    pub fn search(&mut self, pieces: &mut Vec<Piece>, smallest: f64, tolerance: f64) -> Option<(Vector, f64)> {
        while self.left > 0 {
            self.left -= 1;
            let (corners, count) = pieces.pop()?;
            let corners = &corners[..count];
            let middle = corners.iter().sum::<Vector>() / count as f64;
            let radius = corners.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
            let gap = self.distance(middle, radius);
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
}

/// A place inside two solids in the plane, and how deep it is in both; `ball` is one around the smaller.
pub(crate) fn shared(solids: [&Obstacle; 2], (centre, radius): (Vector, f64), tolerance: f64) -> Option<(Vector, f64)> {
    let mut overlap = Overlap::of(&solids)?;
    let corner = |x: f64, y: f64| centre + radius * Vector::new(x, y, 0.0);
    let around = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let triangle = |k: [usize; 3]| ([around[k[0]], around[k[1]], around[k[2]], Vector::zeros()], 3);
    let mut pieces = vec![triangle([0, 1, 2]), triangle([0, 2, 3])];
    overlap.search(&mut pieces, OF_SOLIDS * radius, tolerance)
}
