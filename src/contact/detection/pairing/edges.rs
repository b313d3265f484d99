//! Edges of two deforming surfaces in space that cross between their nodes: no node is near a facet there. They are held apart
//! along their common perpendicular, by the points of either that come nearest to the other.
//!
//! Only sharp convex edges that stand on each other count: their perpendicular leans to neither side of them. Where a body lies flat on
//! another it lies along a face of either, and the part of an edge that hangs over begins to bend down there. Where a surface is
//! smooth its edges are those of the mesh. Edges that were inside each other when the step began did not meet in it: they turned to
//! face each other, and pushing them out would throw the bodies apart.
//!
//! Limits: at rate level they are not held. A segment has no moment about itself, so angular momentum is kept to the size of the
//! gap at the middle of a step.

use super::super::skin::{SMOOTH, Skin};
use super::super::source::Placed;
use super::super::{Anchor, ContactPoint, Identity, Vector};
use super::{EDGES, Pass};
use crate::contact::detection::bvh::Bounds;

/// A sharp edge where it is.
struct Ridge {
    ends: [Vector; 2],
    /// Outward normals of its facets.
    normals: [Vector; 2],
}

/// Where two edges come nearest to each other.
struct Crossing {
    /// Places along the edges of slave and master.
    shares: [f64; 2],
    /// From the master to the slave.
    normal: Vector,
    gap: f64,
}

/// Sine of the angle by which the perpendicular may lean over a face of an edge: rounding.
const LEANING: f64 = -1e-9;

/// Square of the sine of the angle below which edges count as parallel.
const PARALLEL: f64 = 1e-6;

impl Skin {
    /// An edge, if its facets meet at a sharp convex angle.
    fn ridge(&self, number: u32, at: &impl Placed) -> Option<Ridge> {
        let (nodes, facets) = self.edges[number as usize];
        if facets[0] == facets[1] {
            return None;
        }
        let normals = facets.map(|facet| self.normal(facet, at));
        if normals[0].dot(&normals[1]) >= SMOOTH {
            return None;
        }
        let ends = nodes.map(|node| at.position(self.body, node as usize));
        let beside = |facet: u32| -> Vector {
            let nodes = self.facets[facet as usize].nodes();
            nodes.iter().map(|n| at.position(self.body, n.index())).sum::<Vector>() / nodes.len() as f64 - ends[0]
        };
        // convex: either facet lies behind the plane of the other
        (normals[0].dot(&beside(facets[1])) < 0.0).then_some(Ridge { ends, normals })
    }
}

/// Where two edges cross that stand on each other.
fn crossing(slave: &Ridge, master: &Ridge) -> Option<Crossing> {
    nearest(slave, master).filter(|found| {
        let pushes = master.normals.iter().all(|n| n.dot(&found.normal) > LEANING);
        pushes && slave.normals.iter().all(|n| n.dot(&found.normal) < -LEANING)
    })
}

/// Where two edges come nearest to each other between their ends.
fn nearest(slave: &Ridge, master: &Ridge) -> Option<Crossing> {
    let (d, e) = (slave.ends[1] - slave.ends[0], master.ends[1] - master.ends[0]);
    let (a, b, c) = (d.dot(&d), d.dot(&e), e.dot(&e));
    let det = a * c - b * b;
    if det <= PARALLEL * a * c {
        return None;
    }
    let mut normal = d.cross(&e).try_normalize(0.0)?;
    if normal.dot(&(master.normals[0] + master.normals[1])) < 0.0 {
        normal = -normal;
    }
    let offset = master.ends[0] - slave.ends[0];
    let (f, g) = (d.dot(&offset), e.dot(&offset));
    let shares = [(f * c - b * g) / det, (b * f - a * g) / det];
    let gap = normal.dot(&(slave.ends[0] + shares[0] * d - master.ends[0] - shares[1] * e));
    shares.iter().all(|share| (0.0..=1.0).contains(share)).then_some(Crossing { shares, normal, gap })
}

impl Pass {
    /// Whether edges are looked at: once for two passes, and between two bodies.
    fn crosses(&self, skins: &[Skin]) -> bool {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        !self.second && slave.body != master.body && !slave.edges.is_empty() && !master.edges.is_empty()
    }

    /// Calls `visit` with every pair of edges that come within `reach` of each other, as slave and master.
    fn beside(&self, skins: &[Skin], at: &impl Placed, reach: f64, mut visit: impl FnMut((u32, u32), &Ridge, &Ridge)) {
        if !self.crosses(skins) {
            return;
        }
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let around = master.bounds.inflated(reach);
        let mut found: Vec<u32> = Vec::new();
        for (k, (nodes, _)) in slave.edges.iter().enumerate() {
            let bounds = Bounds::around(nodes.map(|node| at.position(slave.body, node as usize))).inflated(reach);
            if !bounds.meets(&around) {
                continue;
            }
            let Some(own) = slave.ridge(k as u32, at) else { continue };
            found.clear();
            master.meeting(&bounds, |facet| found.extend(master.edges_of(facet)));
            found.sort_unstable();
            found.dedup();
            for &other in &found {
                if let Some(ridge) = master.ridge(other, at) {
                    visit((k as u32, other), &own, &ridge);
                }
            }
        }
    }

    /// Looks up the edges within reach.
    pub(super) fn look_for_edges(&mut self, skins: &[Skin], at: &impl Placed) {
        let mut near = std::mem::take(&mut self.near_edges);
        near.clear();
        let mut behind = std::mem::take(&mut self.edges_behind);
        behind.clear();
        self.beside(skins, at, self.reach, |pair, own, ridge| {
            near.push(pair);
            if nearest(own, ridge).is_some_and(|found| found.gap < -self.slack) {
                behind.push(pair);
            }
        });
        (self.near_edges, self.edges_behind) = (near, behind);
    }

    /// Adds the crossings of edges that are near.
    pub(super) fn find_edges(&self, skins: &[Skin], at: &impl Placed, out: &mut Vec<ContactPoint>) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        for &(k, other) in &self.near_edges {
            let (Some(own), Some(ridge)) = (slave.ridge(k, at), master.ridge(other, at)) else { continue };
            let Some(found) = crossing(&own, &ridge) else { continue };
            let turned = found.gap < 0.0 && self.edges_behind.binary_search(&(k, other)).is_ok();
            if turned || !(-self.depth..=self.reach).contains(&found.gap) {
                continue;
            }
            let anchor = |skin: &Skin, edge: u32, share: f64| {
                Anchor::combination(skin.body, &skin.edges[edge as usize].0, &[1.0 - share, share])
            };
            let [own, others] = [anchor(slave, k, found.shares[0]), anchor(master, other, found.shares[1])];
            out.push(ContactPoint {
                identity: Identity { zone: self.terms.number, pass: EDGES, first: k, second: other },
                anchor: own,
                other: Some(others),
                frame: self.frame(found.normal, [&own, &others], at, 3),
                gap: found.gap,
                friction: self.terms.friction,
                level: self.terms.level,
                wall: Vector::zeros(),
                start: [0.0; 3],
            });
        }
    }

    /// How deep edges are inside each other by more than `tolerance` where the bodies are at the end of a step: those that had been
    /// looked up, and whether others are. What crossed within the step is no deeper than things moved past each other.
    pub(super) fn entered_edges(&self, skins: &[Skin], at: &impl Placed, way: f64, tolerance: f64) -> (f64, bool) {
        let (mut deepest, mut unseen) = (0.0f64, false);
        self.beside(skins, at, way, |pair, own, ridge| {
            let gap = crossing(own, ridge).map_or(0.0, |found| found.gap);
            let turned = self.edges_behind.binary_search(&pair).is_ok();
            if !turned && (-way..-tolerance).contains(&gap) {
                match self.near_edges.binary_search(&pair) {
                    Ok(_) => deepest = deepest.max(-gap),
                    Err(_) => unseen = true,
                }
            }
        });
        (deepest, unseen)
    }
}
