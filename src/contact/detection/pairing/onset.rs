//! Where the points of a pass were at the start of a step.
//!
//! Normals turn within a step, and a node slides over the facet that holds it. A reaction along the normal of the end, at the place of
//! the end, would do work wherever that happens, in every step and always of the same sign, see `detection::onset`. Along the
//! mean of both normals and at the mean of both places it does `r (g₁ − g₀)` up to third order; what is left of that is taken off
//! by [`ContactPoint::conserve`], for which the gap at the start is kept here.

use super::super::skin::Skin;
use super::super::source::Placed;
use super::super::{Anchor, ContactPoint, Identity, SMOOTH_TURN, Vector};
use super::Pass;

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

    /// The gap of the same pair at the start of the step.
    pub(in crate::contact) fn gap_before(&self, point: &ContactPoint) -> Option<f64> {
        self.start_of(point).map(|start| start.gap)
    }

    /// A point at the end of the step with the means over it; places only where the facet is the same.
    pub(in crate::contact) fn mean(&self, mut point: ContactPoint) -> ContactPoint {
        let Some(start) = self.start_of(&point) else { return point };
        if start.identity == point.identity {
            point.anchor = point.anchor.towards(&start.sides[0], 0.5);
            point.other = point.other.map(|other| other.towards(&start.sides[1], 0.5));
        }
        if point.frame[0] != start.normal {
            point.turn(point.frame[0] + start.normal);
        }
        point
    }
}
