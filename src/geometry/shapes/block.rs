//! Boxes in space: solid, or the container around their hollow.

use super::super::obstacle::{Corner, DOUBT, Edge, TIE, Touch, counted_depth};
use super::Vector;

/// A box along the axes of its frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Lower corner.
    pub min: Vector,
    /// Upper corner.
    pub max: Vector,
    /// Whether bodies are within it instead of outside.
    pub inside: bool,
}

fn axis(i: usize, upper: bool) -> Vector {
    let mut n = Vector::zeros();
    n[i] = if upper { 1.0 } else { -1.0 };
    n
}

impl Block {
    /// Number of the face across axis `i`.
    pub(crate) fn face(i: usize, upper: bool) -> u32 {
        3u32.pow(i as u32) * if upper { 2 } else { 1 }
    }

    /// Where a point is near the solid box: outside the nearest face, edge or corner, inside the nearest face, where the one
    /// it came `through` is preferred (see `Obstacle::touches_through`).
    pub fn touch(&self, x: &Vector, through: Option<u32>) -> Touch {
        let (min, max) = (&self.min, &self.max);
        let outside = Vector::from_fn(|i, _| if x[i] > max[i] { x[i] - max[i] } else { (x[i] - min[i]).min(0.0) });
        let code: u32 =
            (0..3).map(|i| 3u32.pow(i as u32) * if outside[i] > 0.0 { 2 } else { u32::from(outside[i] < 0.0) }).sum();
        let beyond = outside.iter().filter(|d| **d != 0.0).count();
        // level with an edge, on either side of the face: not about to hit this face (see `Chain::is_level`)
        let level = |j: usize, gap: f64| {
            let margin = 1e-9 * (max[j] - min[j]) + DOUBT * gap;
            x[j] < min[j] + margin || x[j] > max[j] - margin
        };
        if beyond == 0 {
            // the nearest of the six faces
            let mut nearest = (f64::INFINITY, Touch { normal: Vector::zeros(), gap: 0.0, feature: 0, sharp: false });
            for i in 0..3 {
                for (depth, upper) in [(max[i] - x[i], true), (x[i] - min[i], false)] {
                    let feature = Self::face(i, upper);
                    let counted = counted_depth(depth, feature, through);
                    if counted < (1.0 - TIE) * nearest.0 {
                        nearest = (counted, Touch { normal: axis(i, upper), gap: -depth, feature, sharp: false });
                    }
                }
            }
            let mut touch = nearest.1;
            touch.sharp = (0..3).filter(|&j| level(j, 0.0)).count() > 1;
            touch
        } else if beyond == 1 {
            let i = (0..3).find(|&i| outside[i] != 0.0).unwrap_or(0);
            let gap = outside[i].abs();
            let sharp = (0..3).any(|j| j != i && level(j, gap));
            Touch { normal: axis(i, outside[i] > 0.0), gap, feature: code, sharp }
        } else {
            let gap = outside.norm();
            Touch { normal: outside / gap, gap, feature: code, sharp: true }
        }
    }

    /// Every wall of the container within `reach` of a point; in the angle between walls all of them count.
    pub fn walls(&self, x: &Vector, reach: f64, out: &mut Vec<Touch>) {
        for i in 0..3 {
            for (upper, gap) in [(false, x[i] - self.min[i]), (true, self.max[i] - x[i])] {
                if gap <= reach {
                    out.push(Touch { normal: -axis(i, upper), gap, feature: Self::face(i, upper), sharp: false });
                }
            }
        }
    }

    /// Its corners; a container has none that could dent a body.
    pub fn corners(&self) -> Vec<Corner> {
        let corner = |k: usize| {
            let upper = |i: usize| k >> i & 1 == 1;
            let point = Vector::from_fn(|i, _| if upper(i) { self.max[i] } else { self.min[i] });
            Corner { point, normals: (0..3).map(|i| axis(i, upper(i))).collect(), rays: Vec::new() }
        };
        if self.inside { Vec::new() } else { (0..8).map(corner).collect() }
    }

    /// Its edges; a container has none that could dent a body.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::with_capacity(12);
        for along in (0..3).filter(|_| !self.inside) {
            let (p, q) = ((along + 1) % 3, (along + 2) % 3);
            for k in 0..4 {
                let (up, uq) = (k & 1 == 1, k & 2 == 2);
                let mut low = self.min;
                low[p] = if up { self.max[p] } else { self.min[p] };
                low[q] = if uq { self.max[q] } else { self.min[q] };
                let mut high = low;
                high[along] = self.max[along];
                edges.push(Edge { ends: [low, high], normals: [axis(p, up), axis(q, uq)], slight: false });
            }
        }
        edges
    }
}
