//! Edges of two deforming surfaces in space that cross between their nodes: no node is near a facet there. They are held apart
//! along their common perpendicular, by the points of either that come nearest to the other.
//!
//! Only sharp convex edges that stand on each other count: their perpendicular leans to neither side of them. Where a body lies flat on
//! another it lies along a face of either, and the part of an edge that hangs over begins to bend down there. Where a surface is
//! smooth its edges are those of the mesh. Edges that were inside each other when the step began did not meet in it: they turned to
//! face each other, and pushing them out would throw the bodies apart.
//!
//! Halfway through a step the two places are apart by the mean of the gaps, and the reaction there has a moment on the master about
//! its own edge, which the two nodes of a segment cannot take: a facet beside the edge carries the place along, see [`Anchor`].

use super::super::skin::{SMOOTH, Skin};
use super::super::source::Placed;
use super::super::zone::Level;
use super::super::{Anchor, ContactPoint, Identity, Vector};
use super::Pass;
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

/// Sine of the angle by which the perpendicular must lean away from the faces of both edges: none but for rounding. At rate level,
/// where nothing tells edges that met from others that pass behind each other, they must clearly stand on each other.
const LEANING: f64 = -1e-9;
const LEANING_AT_RATE: f64 = 0.05;

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

    /// A place on an edge as a combination of the nodes of the first of its facets.
    fn on_edge(&self, number: u32, share: f64) -> Anchor {
        let (ends, [facet, _]) = self.edges[number as usize];
        let nodes = self.facets[facet as usize].nodes();
        let ids: [u32; 4] = std::array::from_fn(|k| nodes[k.min(nodes.len() - 1)].0);
        let weights =
            ids.map(|id| if id == ends[0] { 1.0 - share } else { f64::from(u8::from(id == ends[1])) * share });
        Anchor::combination(self.body, &ids[..nodes.len()], &weights[..nodes.len()])
    }
}

/// Where two edges cross that stand on each other.
fn crossing(slave: &Ridge, master: &Ridge, level: Level) -> Option<Crossing> {
    let leaning = if level == Level::Rate { LEANING_AT_RATE } else { LEANING };
    nearest(slave, master).filter(|found| {
        let pushes = master.normals.iter().all(|n| n.dot(&found.normal) > leaning);
        pushes && slave.normals.iter().all(|n| n.dot(&found.normal) < -leaning)
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
    /// `found` is memory for the edges beside one.
    fn beside(
        &self,
        skins: &[Skin],
        at: &impl Placed,
        reach: f64,
        found: &mut Vec<u32>,
        mut visit: impl FnMut((u32, u32), &Ridge, &Ridge),
    ) {
        if !self.crosses(skins) {
            return;
        }
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let around = master.bounds.inflated(reach);
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
            for &other in found.iter() {
                if let Some(ridge) = master.ridge(other, at) {
                    visit((k as u32, other), &own, &ridge);
                }
            }
        }
    }

    /// Looks up the edges within reach.
    pub(super) fn look_for_edges(&mut self, skins: &[Skin], at: &impl Placed) {
        let mut near = std::mem::take(&mut self.near_edges);
        let mut facets = std::mem::take(&mut self.facets);
        near.clear();
        self.beside(skins, at, self.reach, &mut facets, |pair, _, _| near.push(pair));
        (self.near_edges, self.facets) = (near, facets);
    }

    /// Adds the crossings of some pairs of edges.
    pub(super) fn find_edges(
        &self,
        skins: &[Skin],
        at: &impl Placed,
        pairs: &[(u32, u32)],
        out: &mut Vec<ContactPoint>,
    ) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        for &(k, other) in pairs {
            let (Some(own), Some(ridge)) = (slave.ridge(k, at), master.ridge(other, at)) else { continue };
            let Some(found) = crossing(&own, &ridge, self.terms.level) else { continue };
            let is_true = || found.gap >= 0.0 || self.can_cross(skins, at, (k, other), -found.gap);
            if !(-self.depth..=self.reach).contains(&found.gap) || !is_true() {
                continue;
            }
            let (ends, [share, others]) = (slave.edges[k as usize].0, found.shares);
            let own = Anchor::combination(slave.body, &ends, &[1.0 - share, share]);
            let others = master.on_edge(other, others);
            out.push(ContactPoint {
                identity: Identity { zone: self.terms.number, pass: Self::CROSSED, first: k, second: other },
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
    pub(super) fn entered_edges(&mut self, skins: &[Skin], at: &impl Placed, way: f64, tolerance: f64) -> (f64, bool) {
        let (mut deepest, mut unseen) = (0.0f64, false);
        let near = std::mem::take(&mut self.near_edges);
        let mut facets = std::mem::take(&mut self.facets);
        self.beside(skins, at, way, &mut facets, |pair, own, ridge| {
            let gap = crossing(own, ridge, self.terms.level).map_or(0.0, |found| found.gap);
            if (-way..-tolerance).contains(&gap) && self.can_cross(skins, at, pair, -gap) {
                match near.binary_search(&pair) {
                    Ok(_) => deepest = deepest.max(-gap),
                    Err(_) => unseen = true,
                }
            }
        });
        (self.near_edges, self.facets) = (near, facets);
        (deepest, unseen)
    }
}
