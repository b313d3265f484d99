//! Edges of an obstacle across edges of a surface in space: the contact normal is their common perpendicular.

use super::bulges::{Beside, Found, Surface};
use super::corners::{DOUBT, LEVEL};
use super::{Anchor, Vector};
use crate::geometry::Edge;
use crate::geometry::{Bounds, Bvh};

/// The edges of an obstacle, and which of them are near which surface edges.
#[derive(Debug, Clone)]
pub(super) struct Edges {
    all: Vec<Edge>,
    tree: Bvh,
    /// Obstacle edges and surface edges that are near each other, sorted.
    near: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
}

impl Edges {
    pub(super) fn new(all: Vec<Edge>) -> Self {
        let tree = Bvh::new(&all.iter().map(|e| Bounds::around(e.ends)).collect::<Vec<_>>());
        Edges { all, tree, near: Vec::new(), pairs: Vec::new() }
    }

    /// Notes what is within `reach`.
    pub(super) fn begin(&mut self, surface: &Surface<'_>, reach: f64) {
        let mut pairs = std::mem::take(&mut self.near);
        self.pairs_within(surface, |_| reach, &mut pairs);
        self.near = pairs;
    }

    /// Whether nothing is near.
    pub(super) fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// Obstacle edges and surface edges whose boxes come within `reach(surface edge)` of each other, sorted.
    fn pairs_within(&self, surface: &Surface<'_>, reach: impl Fn(&[u32; 2]) -> f64, out: &mut Vec<(u32, u32)>) {
        out.clear();
        if self.all.is_empty() {
            return;
        }
        for (k, (nodes, _)) in surface.edges.iter().enumerate() {
            let bounds =
                Bounds::around(nodes.iter().map(|n| surface.seen.position(*n as usize))).inflated(reach(nodes));
            self.tree.query(&bounds, |edge| {
                if bounds.meets(&Bounds::around(self.all[edge as usize].ends)) {
                    out.push((edge, k as u32));
                }
            });
        }
        out.sort_unstable();
    }

    /// Calls `each` with the crossings of the current configuration, those within `[-depth, reach]`.
    pub(super) fn each(&self, surface: &Surface<'_>, depth: f64, reach: f64, mut each: impl FnMut(&Found)) {
        for &(edge, side) in &self.near {
            let Some((anchor, normal, gap)) = across(surface, &self.all[edge as usize], side as usize) else {
                continue;
            };
            if (-depth..=reach).contains(&gap) {
                let beside = Beside::Nothing;
                each(&Found { beside, sharp: true, pass: 2, first: edge, second: side, anchor, normal, gap });
            }
        }
    }

    /// At the end of a step: how far a surface edge moved that had not been noted and that an edge of the obstacle has
    /// entered.
    pub(super) fn entered(&mut self, surface: &Surface<'_>, tolerance: f64, moved: impl Fn(&[u32]) -> f64) -> f64 {
        let mut farthest = 0.0f64;
        let mut pairs = std::mem::take(&mut self.pairs);
        self.pairs_within(surface, |nodes| moved(nodes), &mut pairs);
        for pair in &pairs {
            let (edge, side) = (pair.0 as usize, pair.1 as usize);
            let Some((_, _, gap)) = across(surface, &self.all[edge], side) else { continue };
            let distance = moved(&surface.edges[side].0);
            if self.near.binary_search(pair).is_err() && (-distance..-tolerance).contains(&gap) {
                farthest = farthest.max(distance);
            }
        }
        self.pairs = pairs;
        farthest
    }
}

/// An edge of the obstacle across an edge of the surface: the normal is their common perpendicular.
fn across(surface: &Surface<'_>, edge: &Edge, side: usize) -> Option<(Anchor, Vector, f64)> {
    let seen = &surface.seen;
    let (nodes, facets) = surface.edges[side];
    let x = nodes.map(|n| seen.position(n as usize));
    let (d1, d2) = ((edge.ends[1] - edge.ends[0]), (x[1] - x[0]));
    let perpendicular = d1.cross(&d2);
    // parallel edges meet in their ends, which the other passes see
    if perpendicular.dot(&perpendicular) < 1e-6 * d1.dot(&d1) * d2.dot(&d2) {
        return None;
    }
    let mut normal = perpendicular.try_normalize(0.0)?;
    if normal.dot(&edge.normals[0]) + normal.dot(&edge.normals[1]) < 0.0 {
        normal = -normal;
    }
    let offset = x[0] - edge.ends[0];
    let (a, b, c) = (d1.dot(&d1), d1.dot(&d2), d2.dot(&d2));
    let (e, f) = (d1.dot(&offset), d2.dot(&offset));
    let det = a * c - b * b;
    let on_obstacle = (e * c - b * f) / det;
    let on_body = (b * e - a * f) / det;
    if !(0.0..=1.0).contains(&on_obstacle) || !(0.0..=1.0).contains(&on_body) {
        return None;
    }
    if edge.normals.iter().any(|n| n.dot(&normal) < -1e-9) {
        return None;
    }
    // one side of the body's edge must face the obstacle, and the other must not turn its back on it
    let facing = facets.iter().filter_map(|&k| facet_normal(surface, k as usize)).map(|n| -n.dot(&normal));
    let (least, most) = facing.fold((1.0f64, -1.0f64), |(least, most), f| (least.min(f), most.max(f)));
    if least < -0.5 || most < 0.1 {
        return None;
    }
    let gap = normal.dot(&(offset + on_body * d2 - on_obstacle * d1));
    let size = d2.norm();
    let level = |s: f64, length: f64| {
        let margin = LEVEL + DOUBT * gap.max(0.0) / length;
        !(margin..=1.0 - margin).contains(&s)
    };
    if level(on_obstacle, d1.norm()) || level(on_body, size) {
        return None;
    }
    if gap < 0.0 {
        let deepest = |place: Vector| {
            let mut touches = Vec::with_capacity(1);
            surface.obstacle.touches(place, 0.0, size, &mut touches);
            touches.iter().map(|t| -t.gap).fold(0.0, f64::max)
        };
        // right beside an end that is inside, that node is pushed out through a face, and the edge with it
        let shares = [on_body, 1.0 - on_body];
        if x.into_iter().zip(shares).any(|(end, share)| share * size <= 2.0 * deepest(end)) {
            return None;
        }
    }
    Some((Anchor::combination(surface.number, &nodes, &[1.0 - on_body, on_body]), normal, gap))
}

fn facet_normal(surface: &Surface<'_>, facet: usize) -> Option<Vector> {
    let nodes = surface.facets[facet].nodes();
    let x = |k: usize| surface.seen.position(nodes[k].index());
    let last = nodes.len() - 1;
    // diagonals of a quad, two sides of a triangle
    let (a, b) = if last == 3 { ((x(2) - x(0)), (x(3) - x(1))) } else { ((x(1) - x(0)), (x(2) - x(0))) };
    a.cross(&b).try_normalize(0.0)
}
