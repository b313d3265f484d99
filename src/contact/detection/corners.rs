//! Corners of an obstacle against facets of a body: each corner above a facet, or just inside it. The contact normal is that
//! of the facet, reversed.

use super::bulges::{Beside, Found, Surface};
use super::projection::{on_quad, on_triangle};
use super::{Anchor, Vector};
use crate::geometry::Corner;
use crate::geometry::{Bounds, Bvh};
use crate::mesh::Facet;

/// Share of a facet or edge within which a corner or edge counts as level with its end.
pub(super) const LEVEL: f64 = 1e-9;

/// The same as a share of the distance that is still to go, see [`crate::geometry::features::DOUBT`].
pub(super) const DOUBT: f64 = crate::geometry::features::DOUBT;

/// The corners of an obstacle, and which of them are near which facets.
#[derive(Debug, Clone)]
pub(super) struct Corners {
    all: Vec<Corner>,
    tree: Bvh,
    /// Corners and facets that are near each other, sorted.
    near: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
}

/// Cosine of the angle between the normal of a facet and the nearest direction a corner can push in, above which the corner
/// pushes the facet. A warped facet turns its normal a little away from what a corner can push where an edge of the obstacle
/// lies across it; a facet that is turned farther belongs to another side of the body. The force is along the facet's normal all
/// the same: any other would do work where the corner slides.
const PUSHES: f64 = 0.8;

/// A corner of the obstacle beside a facet.
struct OnFacet {
    anchor: Anchor,
    normal: Vector,
    foot: Vector,
    size: f64,
    gap: f64,
    /// Whether the corner can push about along the normal of the facet; if not, other parts of the body touch first.
    pushes: bool,
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

    /// Calls `each` with the corners that can push in the current configuration, those within `[-depth, reach]`. A corner that
    /// has entered is pushed out through the facet it is nearest to of those it can push, and through the others that meet that
    /// one in a valley. One that can push none of them is left to what else touches, unless the zone `insists`.
    pub(super) fn each(
        &self,
        surface: &Surface<'_>,
        (depth, reach): (f64, f64),
        insists: bool,
        mut each: impl FnMut(&Found),
    ) {
        for group in self.near.chunk_by(|a, b| a.0 == b.0) {
            let corner = &self.all[group[0].0 as usize];
            let within = |&(_, facet): &(u32, u32)| {
                let found = on_facet(surface, corner, &surface.facets[facet as usize])?;
                (-depth..=reach).contains(&found.gap).then_some((found, facet))
            };
            let mut push = |found: &OnFacet, facet: u32| {
                let &OnFacet { anchor, normal, gap, .. } = found;
                let (beside, first) = (Beside::Nothing, group[0].0);
                each(&Found { beside, sharp: true, pass: 1, first, second: facet, anchor, normal, gap });
            };
            let mut nearest: Option<(OnFacet, u32)> = None;
            for (found, facet) in group.iter().filter_map(within).filter(|(found, _)| found.pushes) {
                if found.gap >= 0.0 {
                    push(&found, facet);
                } else if nearest.as_ref().is_none_or(|(best, _)| found.gap > best.gap) {
                    nearest = Some((found, facet));
                }
            }
            if nearest.is_none() && insists {
                let entered = group.iter().filter_map(within).filter(|(found, _)| found.gap < 0.0);
                nearest = entered.reduce(|best, next| if next.0.gap > best.0.gap { next } else { best });
            }
            let Some((nearest, through)) = nearest else { continue };
            // in front of one side of a ridge it is outside, however far behind the other side
            let is_outside = |(found, _): (OnFacet, u32)| found.gap >= 0.0 && !found.meets_in_valley(surface, through);
            if group.iter().filter_map(within).any(is_outside) {
                continue;
            }
            push(&nearest, through);
            for (found, facet) in group.iter().filter_map(within) {
                let other = facet != through && found.pushes && found.gap < 0.0;
                if other && nearest.meets_in_valley(surface, facet) {
                    push(&found, facet);
                }
            }
        }
    }

    /// At the end of a step: how deep a corner lies inside, and how far a facet moved that had not been noted and that a
    /// corner has entered. `can_enter` says whether a corner and a facet that moved this far can have come where they are.
    pub(super) fn entered(
        &mut self,
        surface: &Surface<'_>,
        tolerance: f64,
        moved: impl Fn(&[u32]) -> f64,
        can_enter: impl Fn((u32, u32), f64, f64) -> bool,
    ) -> (f64, f64) {
        let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
        let facet_moved = |facet: &Facet| facet.nodes().iter().map(|n| moved(&[n.0])).fold(0.0, f64::max);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.pairs_within(surface, facet_moved, &mut pairs);
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            // a corner is inside only if it is behind every facet it faces
            let mut best = f64::NEG_INFINITY;
            let (mut travelled, mut through) = (0.0, group[0]);
            for pair in group {
                let (corner, facet) = (&self.all[pair.0 as usize], &surface.facets[pair.1 as usize]);
                let Some(found) = on_facet(surface, corner, facet) else { continue };
                let distance = facet_moved(facet);
                let known = self.near.binary_search(pair).is_ok();
                if !known && (-distance..-tolerance).contains(&found.gap) {
                    farthest = farthest.max(distance);
                }
                if found.gap > best {
                    (best, travelled, through) = (found.gap, distance, *pair);
                }
            }
            let entered = best.is_finite() && best < -tolerance && can_enter(through, -best, travelled);
            if entered && !self.is_outside(surface, through) {
                deepest = deepest.max(-best);
            }
        }
        self.pairs = pairs;
        (deepest, farthest)
    }

    /// Whether a corner behind a facet lies in front of another one that was near, see [`Corners::each`].
    fn is_outside(&self, surface: &Surface<'_>, (corner, through): (u32, u32)) -> bool {
        let first = self.near.partition_point(|near| near.0 < corner);
        let mut near = self.near[first..].iter().take_while(|near| near.0 == corner);
        near.any(|&(_, facet)| {
            let found = on_facet(surface, &self.all[corner as usize], &surface.facets[facet as usize]);
            found.is_some_and(|found| found.gap >= 0.0 && !found.meets_in_valley(surface, through))
        })
    }
}

impl OnFacet {
    /// Whether another facet stands up in front of this one, so that what lies behind either of them is inside.
    fn meets_in_valley(&self, surface: &Surface<'_>, facet: u32) -> bool {
        let nodes = surface.facets[facet as usize].nodes();
        let middle = nodes.iter().map(|n| surface.seen.position(n.index())).sum::<Vector>() / nodes.len() as f64;
        (middle - self.foot).dot(&self.normal) < -VALLEY * self.size
    }
}

/// Share of a facet's size by which the middle of another must lie in front of it to form a valley with it.
const VALLEY: f64 = 1e-6;

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
    let pushes = corner.pushing(normal).is_some_and(|n| n.dot(&normal) > PUSHES);
    let anchor = Anchor::combination(surface.number, &ids[..nodes.len()], &weights[..nodes.len()]);
    Some(OnFacet { anchor, normal, foot, size, gap, pushes })
}
