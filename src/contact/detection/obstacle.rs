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
        self.touches_through(x, reach, depth, None, out);
    }

    /// The same for a point that came `through` a face: inside, that face counts as nearest until another one is twice as
    /// near. A point that enters along a diagonal is as deep under one face as under another; without memory, rounding
    /// would send it out through either in turn.
    pub fn touches_through(&self, x: Vector, reach: f64, depth: f64, through: Option<u32>, out: &mut Vec<Touch>) {
        match &self.shape {
            Shape::HalfSpace { point, normal } => {
                let gap = (x - point).dot(normal);
                if gap <= reach {
                    out.push(Touch { normal: *normal, gap, feature: 0, sharp: false });
                }
            }
            Shape::Chain(chain) => chain.touches(x, reach, depth, through, out),
            Shape::Block { min, max } => {
                out.extend(Some(block_touch(min, max, x, through)).filter(|t| t.gap <= reach));
            }
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

/// Depth under a face as it counts in the choice of the nearest one: half for the face a point came `through`.
pub(super) fn counted_depth(depth: f64, face: u32, through: Option<u32>) -> f64 {
    if through == Some(face) { 0.5 * depth } else { depth }
}

/// Share of its distance to a face within which a point counts as level with the face's end: by the time it gets there it
/// may have moved to either side. Left out now, it is taken up in the next iteration if it does enter.
pub(super) const DOUBT: f64 = 0.1;

/// Share by which a face must be nearer than one named before it to be preferred: equal depths are equal for every node of
/// an edge, whatever rounding says of each.
pub(super) const TIE: f64 = 1e-6;

/// Distance to a box: outside to the nearest face, edge or corner, inside to the nearest face.
fn block_touch(min: &Vector, max: &Vector, x: Vector, through: Option<u32>) -> Touch {
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
                let feature = 3u32.pow(i as u32) * if upper { 2 } else { 1 };
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
