//! Corners of an obstacle against facets of a body: each corner above a facet, or just inside it. The contact normal is that
//! of the facet, reversed.

use super::bulges::{Beside, Found, Surface, beside};
use super::bvh::{Bounds, Bvh};
use super::obstacle::Corner;
use super::projection::{on_quad, on_triangle};
use super::slight::blend;
use super::{Anchor, Vector};
use crate::mesh::Facet;

/// Share of a facet or edge within which a corner or edge counts as level with its end.
pub(super) const LEVEL: f64 = 1e-9;

/// The same as a share of the distance that is still to go, see [`super::obstacle::DOUBT`].
pub(super) const DOUBT: f64 = super::obstacle::DOUBT;

/// Share of the height of a slight fold by which its corners may lie inside at the end of a step. The condition of a place
/// is exact where the iterations settle; where the lowest corner changes until the geometry is frozen, this much is left. It is
/// a hundredth of what the triangles miss of the smooth surface they stand for.
const LEFT_OVER: f64 = 3e-3;

/// The corners of an obstacle, and which of them are near which facets.
#[derive(Debug, Clone)]
pub(super) struct Corners {
    all: Vec<Corner>,
    tree: Bvh,
    /// Corners and facets that are near each other, sorted.
    near: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
}

/// A corner of the obstacle beside a facet.
struct OnFacet {
    anchor: Anchor,
    normal: Vector,
    gap: f64,
    /// Whether the corner can push along the normal; if not, the nodes of the facet touch first.
    pushes: bool,
    /// Gap within which others of a slight fold take part with it.
    blend: Option<f64>,
    beside: Beside,
}

impl Corners {
    pub(super) fn new(all: Vec<Corner>) -> Self {
        let point = |c: &Corner| Bounds { low: c.point, high: c.point };
        let tree = Bvh::new(&all.iter().map(point).collect::<Vec<_>>());
        Corners { all, tree, near: Vec::new(), pairs: Vec::new() }
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

    /// Corners and facets whose boxes come within `reach(facet)` of each other, sorted.
    fn pairs_within(&self, surface: &Surface<'_>, reach: impl Fn(&Facet) -> f64, out: &mut Vec<(u32, u32)>) {
        out.clear();
        if self.all.is_empty() {
            return;
        }
        for (k, facet) in surface.facets.iter().enumerate() {
            let bounds = Bounds::around(facet.nodes().iter().map(|n| surface.seen.position(n.index())));
            let bounds = bounds.inflated(reach(facet));
            self.tree.query(&bounds, |corner| {
                let p = self.all[corner as usize].point;
                if bounds.meets(&Bounds { low: p, high: p }) {
                    out.push((corner, k as u32));
                }
            });
        }
        out.sort_unstable();
    }

    /// Calls `each` with the corners that can push in the current configuration, those within `[-depth, reach]`; a corner of
    /// a slight fold comes with its blend. A corner that has entered is pushed out through the facet it is nearest to, or by
    /// the nodes of that facet.
    pub(super) fn each(&self, surface: &Surface<'_>, depth: f64, reach: f64, mut each: impl FnMut(Found, Option<f64>)) {
        let mut inside: Option<(OnFacet, u32, u32)> = None;
        let mut push = |(found, corner, facet): (OnFacet, u32, u32)| {
            if found.pushes {
                let OnFacet { anchor, normal, gap, blend, beside, .. } = found;
                let place = Found { beside, sharp: true, pass: 1, first: corner, second: facet, anchor, normal, gap };
                each(place, blend);
            }
        };
        for &(corner, facet) in &self.near {
            let place = &self.all[corner as usize];
            let Some(found) = on_facet(surface, place, &surface.facets[facet as usize]) else { continue };
            if !(-depth..=reach).contains(&found.gap) {
                continue;
            }
            if found.gap >= 0.0 {
                push((found, corner, facet));
                continue;
            }
            match &mut inside {
                Some((best, owner, through)) if *owner == corner => {
                    if found.gap > best.gap {
                        (*best, *through) = (found, facet);
                    }
                }
                _ => {
                    inside.take().into_iter().for_each(&mut push);
                    inside = Some((found, corner, facet));
                }
            }
        }
        inside.into_iter().for_each(push);
    }

    /// At the end of a step: how deep a corner lies inside, and how far a facet moved that had not been noted and that a
    /// corner has entered.
    pub(super) fn entered(
        &mut self,
        surface: &Surface<'_>,
        tolerance: f64,
        moved: impl Fn(&[u32]) -> f64,
    ) -> (f64, f64) {
        let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
        let facet_moved = |facet: &Facet| facet.nodes().iter().map(|n| moved(&[n.0])).fold(0.0, f64::max);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.pairs_within(surface, facet_moved, &mut pairs);
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            // a corner is inside only if it is behind every facet it faces
            let mut best = f64::NEG_INFINITY;
            let mut allowed = tolerance;
            for pair in group {
                let (corner, facet) = (&self.all[pair.0 as usize], &surface.facets[pair.1 as usize]);
                let Some(found) = on_facet(surface, corner, facet) else { continue };
                let distance = facet_moved(facet);
                let known = self.near.binary_search(pair).is_ok();
                if !known && (-distance..-tolerance).contains(&found.gap) {
                    farthest = farthest.max(distance);
                }
                if found.gap > best {
                    best = found.gap;
                    allowed = found.blend.map_or(tolerance, |blend| tolerance.max(LEFT_OVER * blend));
                }
            }
            if best.is_finite() && best < -allowed {
                deepest = deepest.max(-best);
            }
        }
        self.pairs = pairs;
        (deepest, farthest)
    }
}

fn on_facet(surface: &Surface<'_>, corner: &Corner, facet: &Facet) -> Option<OnFacet> {
    let seen = &surface.seen;
    let nodes = facet.nodes();
    let x: [Vector; 4] = std::array::from_fn(|k| seen.position(nodes[k.min(nodes.len() - 1)].index()));
    let ids: [u32; 4] = std::array::from_fn(|k| nodes[k.min(nodes.len() - 1)].0);
    let (weights, outward): ([f64; 4], Vector) = match nodes.len() {
        2 => {
            let along = x[1] - x[0];
            let share = (corner.point - x[0]).dot(&along) / along.dot(&along);
            let t = along.try_normalize(0.0)?;
            ([1.0 - share, share, 0.0, 0.0], Vector::new(t[1], -t[0], 0.0))
        }
        3 => on_triangle(corner.point, &x)?,
        _ => on_quad(corner.point, &x)?,
    };
    if weights[..nodes.len()].iter().any(|w| *w < 0.0) {
        return None;
    }
    let foot: Vector = (0..nodes.len()).map(|k| weights[k] * x[k]).sum();
    let gap = (corner.point - foot).dot(&outward);
    // level with the rim of a facet in front of it: not about to hit it (see `Chain::is_level`)
    let size = (x[1] - x[0]).norm();
    let margin = LEVEL + DOUBT * gap / size;
    if gap > 0.0 && weights[..nodes.len()].iter().any(|w| *w < margin) {
        return None;
    }
    let normal = -outward;
    let pushes = corner.normals.iter().map(|n| n.dot(&normal)).fold(f64::NEG_INFINITY, f64::max);
    let within = if !corner.rays.is_empty() {
        pushes > 0.0 && corner.rays.iter().all(|ray| ray.dot(&normal) <= 1e-9)
    } else if corner.normals.len() == 2 {
        // in the plane: between the normals of the two sides
        let [a, b] = [corner.normals[0], corner.normals[1]];
        let turn = |p: Vector, q: Vector| p[0] * q[1] - p[1] * q[0];
        turn(a, normal) >= -1e-9 && turn(normal, b) >= -1e-9 && pushes > 0.0
    } else if corner.normals.len() == 1 {
        pushes > 0.0
    } else {
        corner.normals.iter().all(|n| n.dot(&normal) >= -1e-9)
    };
    let anchor = Anchor::combination(surface.number, &ids[..nodes.len()], &weights[..nodes.len()]);
    let blend = corner.fold.map(|fold| blend(&fold, size));
    let beside = beside(&ids[..nodes.len()], &weights[..nodes.len()]);
    // the corners of a slight fold stand for the smooth surface between them, whichever of them is lowest
    let pushes = within || (blend.is_some() && pushes > 0.0);
    Some(OnFacet { anchor, normal, gap, pushes, blend, beside })
}
