//! What was behind what at the start of a step.
//!
//! A node and a facet, or two edges, that did not face each other before may do so now, far behind each other: a fold has become
//! sharp, or they have slid over the end of another. Nothing entered there within the step, and pushing it out would throw the
//! bodies away; such a pair is left alone until it has come apart.

use super::super::Identity;
use super::super::onset::FALL;
use super::super::skin::Skin;
use super::super::source::Placed;
use super::Pass;

/// Share of a body's size by which nodes and edges may lie inside from before: what a step may leave (`Contact::LEFT`), twice. Shorter
/// steps push the same depth out faster, so that it must be small against any way.
const BEFORE: f64 = 2e-6;

/// A point at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Onset {
    identity: Identity,
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
        self.onset.extend(self.found.iter().map(|p| Onset { identity: p.identity, gap: p.gap }));
        self.onset.sort_unstable_by_key(|start| start.identity);
        self.starts = true;
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
}
