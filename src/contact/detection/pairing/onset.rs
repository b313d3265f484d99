//! Where the points of a pass were at the start of a step.
//!
//! Normals turn within a step, and a node slides over the facet that holds it. A reaction along the normal of the end, at the place of
//! the end, would do work wherever that happens, in every step and always of the same sign, see `detection::onset`. Along the
//! mean of both normals and at the mean of both places it does `r (g₁ − g₀)` up to third order; what is left of that is taken off
//! by [`ContactPoint::conserve`], for which the gap at the start is kept here.
//!
//! A node and a facet, or two edges, that did not face each other before may do so now, far behind each other: a fold has become
//! sharp, or they have slid over the end of another. Nothing entered there within the step, and pushing it out would throw the
//! bodies away; such a pair is left alone until it has come apart.

use super::super::onset::FALL;
use super::super::skin::Skin;
use super::super::source::Placed;
use super::super::{Anchor, ContactPoint, Identity, SMOOTH_TURN, Vector};
use super::Pass;

/// Share of a body's size by which nodes and edges may lie inside from before: what a step may leave (`Contact::LEFT`), twice. Shorter
/// steps push the same depth out faster, so that it must be small against any way.
const BEFORE: f64 = 2e-6;

/// A point at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Onset {
    identity: Identity,
    sides: [Anchor; 2],
    normal: Vector,
    gap: f64,
}

impl Pass {
    /// Notes the points where the bodies are; `moves` unless in load steps, whose balance is that of the end.
    pub(in crate::contact) fn note_start(&mut self, skins: &[Skin], at: &impl Placed, moves: bool) {
        self.onset.clear();
        self.starts = false;
        if !moves {
            return;
        }
        self.find(skins, at, false);
        let points = self.found.iter().filter_map(|p| {
            let sides = [p.anchor, p.other?];
            Some(Onset { identity: p.identity, sides, normal: p.frame[0], gap: p.gap })
        });
        self.onset.extend(points);
        self.onset.sort_unstable_by_key(|start| start.identity);
        self.starts = true;
    }

    /// The same pair at the start of the step, if its normal has not turned round an edge since. A node may have come from another
    /// facet: the one whose normal is nearest.
    fn start_of(&self, point: &ContactPoint) -> Option<&Onset> {
        let Identity { zone, pass, first, .. } = point.identity;
        let crossed = pass == Self::CROSSED;
        let low = if crossed { point.identity } else { Identity { zone, pass, first, second: 0 } };
        let from = self.onset.partition_point(|start| start.identity < low);
        let same = |i: &Identity| i.pass == pass && i.first == first && (!crossed || *i == point.identity);
        let group = self.onset[from..].iter().take_while(|start| same(&start.identity));
        let towards = |start: &Onset| start.normal.dot(&point.frame[0]);
        let nearest = group.reduce(|best, next| if towards(next) > towards(best) { next } else { best })?;
        (towards(nearest) >= SMOOTH_TURN).then_some(nearest)
    }

    /// Whether edges that cross this deep can have come there within the step.
    pub(super) fn can_cross(&self, skins: &[Skin], at: &impl Placed, (k, other): (u32, u32), depth: f64) -> bool {
        let (own, others) = (skins[self.slave].edges[k as usize].0, skins[self.master].edges[other as usize].0);
        let identity = Identity { zone: self.terms.number, pass: Self::CROSSED, first: k, second: other };
        self.can_meet(skins, at, identity, depth, &own, others.into_iter())
    }

    /// Whether a node this deep behind a facet can have come there within the step.
    pub(super) fn can_enter(&self, skins: &[Skin], at: &impl Placed, (k, facet): (u32, u32), depth: f64) -> bool {
        let node = skins[self.slave].nodes[k as usize];
        let others = skins[self.master].facets[facet as usize].nodes().iter().map(|n| n.0);
        self.can_meet(skins, at, self.identity(node, facet), depth, &[node], others)
    }

    /// All that touched before was held: a pair that lay deeper at the start never met, and a gap falls by no more than what the nodes
    /// of the two sides go past each other.
    fn can_meet(
        &self,
        skins: &[Skin],
        at: &impl Placed,
        identity: Identity,
        depth: f64,
        own: &[u32],
        others: impl Iterator<Item = u32>,
    ) -> bool {
        let before = BEFORE * self.size;
        if !self.starts || depth <= before {
            return true;
        }
        let known = self.onset.binary_search_by_key(&identity, |start| start.identity);
        if known.is_ok_and(|place| self.onset[place].gap < -before) {
            return false;
        }
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let past = |other: u32| {
            let way = master.way(other, at);
            own.iter().map(|&node| (slave.way(node, at) - way).norm()).fold(0.0, f64::max)
        };
        depth <= FALL * others.map(past).fold(0.0, f64::max) + before
    }

    /// The gap of the same pair at the start of the step.
    pub(in crate::contact) fn gap_before(&self, point: &ContactPoint) -> Option<f64> {
        self.start_of(point).map(|start| start.gap)
    }

    /// A point at the end of the step with the means over it; places only where the facet is the same.
    pub(in crate::contact) fn mean(&self, point: &mut ContactPoint) {
        let Some(start) = self.start_of(point) else { return };
        if start.identity == point.identity {
            point.anchor = point.anchor.towards(&start.sides[0], 0.5);
            point.other = point.other.map(|other| other.towards(&start.sides[1], 0.5));
        }
        if point.frame[0] != start.normal {
            point.turn(point.frame[0] + start.normal);
        }
    }
}
