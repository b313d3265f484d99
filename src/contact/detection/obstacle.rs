//! Rigid obstacles: half-spaces, polygons and chains in the plane, boxes in space.

use super::Vector;
use super::chain::Chain;

/// Where a point is near an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Unit normal out of the obstacle.
    pub normal: Vector,
    /// Signed distance, positive outside.
    pub gap: f64,
    /// Number of the face, edge or corner.
    pub feature: u32,
    /// Whether the nearest place is an edge or corner rather than a face. Such a point is near, but its distance says
    /// nothing about where it may go: it may pass on either side of the edge.
    pub sharp: bool,
}

/// A corner of an obstacle that can dent a body, with the outward normals of the faces that meet there.
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// Its place.
    pub point: Vector,
    /// Normals of its faces.
    pub normals: Vec<Vector>,
}

/// An edge of a solid obstacle, with the outward normals of its two faces.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Its ends.
    pub ends: [Vector; 2],
    /// Normals of its faces.
    pub normals: [Vector; 2],
}

/// The shapes an obstacle can have.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Everything behind a plane (a line in the plane).
    HalfSpace {
        /// A point of the plane.
        point: Vector,
        /// Unit normal out of the obstacle.
        normal: Vector,
    },
    /// Polygon or open chain of segments, in the plane.
    Chain(Chain),
    /// Axis-aligned box in space.
    Block {
        /// Lower corner.
        min: Vector,
        /// Upper corner.
        max: Vector,
    },
}

/// A rigid body that does not move.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Name in the case.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
}

impl Obstacle {
    /// Where `x` is within `reach` in front of the obstacle, or inside it. An open chain has no inside: there a point
    /// counts down to `depth` behind a segment.
    pub fn touches(&self, x: Vector, reach: f64, depth: f64, out: &mut Vec<Touch>) {
        match &self.shape {
            Shape::HalfSpace { point, normal } => {
                let gap = (x - point).dot(normal);
                if gap <= reach {
                    out.push(Touch { normal: *normal, gap, feature: 0, sharp: false });
                }
            }
            Shape::Chain(chain) => chain.touches(x, reach, depth, out),
            Shape::Block { min, max } => out.extend(Some(block_touch(min, max, x)).filter(|t| t.gap <= reach)),
        }
    }

    /// Corners that can dent a body.
    pub fn corners(&self) -> Vec<Corner> {
        match &self.shape {
            Shape::HalfSpace { .. } => Vec::new(),
            Shape::Chain(chain) => chain.corners(),
            Shape::Block { min, max } => (0..8)
                .map(|k| {
                    let upper = |i: usize| k >> i & 1 == 1;
                    let point = Vector::from_fn(|i, _| if upper(i) { max[i] } else { min[i] });
                    let normals = (0..3).map(|i| axis(i, upper(i))).collect();
                    Corner { point, normals }
                })
                .collect(),
        }
    }

    /// Edges that can dent a body in space.
    pub fn edges(&self) -> Vec<Edge> {
        let Shape::Block { min, max } = &self.shape else { return Vec::new() };
        let mut edges = Vec::with_capacity(12);
        for along in 0..3 {
            let (p, q) = ((along + 1) % 3, (along + 2) % 3);
            for k in 0..4 {
                let (up, uq) = (k & 1 == 1, k & 2 == 2);
                let mut low = *min;
                low[p] = if up { max[p] } else { min[p] };
                low[q] = if uq { max[q] } else { min[q] };
                let mut high = low;
                high[along] = max[along];
                edges.push(Edge { ends: [low, high], normals: [axis(p, up), axis(q, uq)] });
            }
        }
        edges
    }
}

fn axis(i: usize, upper: bool) -> Vector {
    let mut n = Vector::zeros();
    n[i] = if upper { 1.0 } else { -1.0 };
    n
}

/// Distance to a box: outside to the nearest face, edge or corner, inside to the nearest face.
fn block_touch(min: &Vector, max: &Vector, x: Vector) -> Touch {
    let outside = Vector::from_fn(|i, _| if x[i] > max[i] { x[i] - max[i] } else { (x[i] - min[i]).min(0.0) });
    let code: u32 =
        (0..3).map(|i| 3u32.pow(i as u32) * if outside[i] > 0.0 { 2 } else { u32::from(outside[i] < 0.0) }).sum();
    let beyond = outside.iter().filter(|d| **d != 0.0).count();
    if beyond == 0 {
        // the nearest of the six faces
        let (gap, i, upper) = (0..3)
            .flat_map(|i| [(x[i] - max[i], i, true), (min[i] - x[i], i, false)])
            .fold((f64::NEG_INFINITY, 0, true), |best, next| if next.0 > best.0 { next } else { best });
        let code = 3u32.pow(i as u32) * if upper { 2 } else { 1 };
        Touch { normal: axis(i, upper), gap, feature: code, sharp: false }
    } else if beyond == 1 {
        let i = (0..3).find(|&i| outside[i] != 0.0).unwrap_or(0);
        // level with an edge: not about to hit this face (see `Chain::is_level`)
        let level = |j: usize| {
            let margin = 1e-9 * (max[j] - min[j]);
            x[j] < min[j] + margin || x[j] > max[j] - margin
        };
        let sharp = (0..3).any(|j| j != i && level(j));
        Touch { normal: axis(i, outside[i] > 0.0), gap: outside[i].abs(), feature: code, sharp }
    } else {
        let gap = outside.norm();
        Touch { normal: outside / gap, gap, feature: code, sharp: true }
    }
}
