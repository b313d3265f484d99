//! Where the points of a zone were at the start of a step: what tells how their normals turned and whether their gaps can be true.
//!
//! Normals. Where a place slides over a curved obstacle, or a corner over a facet that turns, the normal turns within the step.
//! The reaction of a step is one vector; along the normal of the end it would do work wherever the place has slid,
//! `r κ s²/2` for a way `s` over the curvature `κ`, in every step and always of the same sign. Along the mean of the
//! normals at both ends (and at the mean of both places on the facet) it does `r (g₁ − g₀)` up to third order, as on a
//! plane: nothing while contact lasts. What is left of third order, or where a place has gone on to another facet, is taken off
//! by turning the normal `n` a little towards the way `d` of the place (Gonzalez' discrete gradient):
//! `n + (g₁ − g₀ − n·d) d/d²`. In load steps the balance is that of the end, and so are its normals.
//!
//! Gaps. A gap is a distance: within a step it falls by no more than what its nodes travel, and at its start nothing was inside.
//! Facets and edges turn, and a pair that did not face each other before may do so now, far behind each other; nothing
//! entered there, and pushing it out would throw the body away. Such a pair is left alone until it has come apart: the places that did meet
//! hold the body.

use super::motion::Seen;
use super::{Anchor, ContactPoint, Identity, Vector};

/// Points and nodes of a zone at the start of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Onset {
    /// Sorted by identity; several of one node on several faces.
    points: Vec<(Identity, Anchor, Vector, f64)>,
    /// Places of the nodes of the surface as the obstacle sees them, by number.
    nodes: Vec<Vector>,
    /// Whether they are those of this step.
    known: bool,
    /// Whether the body moves, other than in load steps.
    moves: bool,
}

/// Cosine of the largest angle by which a normal turns within a step and is still that of the same smooth surface. Beyond an
/// edge of the obstacle it is another face that pushes.
const SMOOTH: f64 = 0.866;

/// Sine of the largest angle by which a normal is turned so that its reaction does the right work.
const TURNED: f64 = 0.3;

/// Share of a body's size below which gaps do not differ.
const ROUNDING: f64 = 1e-13;

/// How many times the way of its nodes a gap may fall: a warped facet also turns beside them.
const FALL: f64 = 1.2;

/// Share of a body's size by which corners and edges may lie inside from before, see `Contact::DEEPEST`, and once more for what
/// passes from one facet to the next.
const BEFORE: f64 = 2e-5;

impl Onset {
    /// Forgets the last step.
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.known = false;
    }

    /// Notes the points at the start of a step.
    pub(super) fn note(&mut self, seen: &Seen<'_>, surface: &[u32], points: &[ContactPoint], moves: bool) {
        (self.known, self.moves) = (true, moves);
        self.points.clear();
        self.points.extend(points.iter().map(|p| (p.identity, p.anchor, p.frame[0], p.gap)));
        self.points.sort_unstable_by_key(|(identity, ..)| *identity);
        self.nodes.resize(seen.body.mesh.nodes.len(), Vector::zeros());
        for &node in surface {
            self.nodes[node as usize] = seen.position(node as usize);
        }
    }

    /// The same pair at the start of the step, if it was one; of a node the face whose normal is nearest.
    fn of(&self, point: &ContactPoint) -> Option<&(Identity, Anchor, Vector, f64)> {
        let Identity { zone, pass, first, .. } = point.identity;
        // a node may have gone on to the next face
        let low = if pass == 0 { Identity { zone, pass, first, second: 0 } } else { point.identity };
        let from = self.points.partition_point(|(identity, ..)| *identity < low);
        let same = |i: &Identity| i.pass == pass && i.first == first && (pass == 0 || *i == point.identity);
        let group = self.points[from..].iter().take_while(|(identity, ..)| same(identity));
        let towards = |n: &Vector| n.dot(&point.frame[0]);
        group.reduce(|best, next| if towards(&next.2) > towards(&best.2) { next } else { best })
    }

    /// Whether a point at the end of the step can have come there within it.
    pub(super) fn is_true(&self, seen: &Seen<'_>, point: &ContactPoint) -> bool {
        if point.gap >= 0.0 || point.identity.pass == 0 {
            return true;
        }
        let travel = |(node, _): (usize, f64)| (seen.position(node) - self.nodes[node]).norm();
        let travelled = || point.anchor.parts().map(travel).fold(0.0, f64::max);
        !self.known || self.can_enter(&point.identity, -point.gap, travelled(), seen.body.size())
    }

    /// Whether a pair whose nodes travelled this far can have entered this deep within the step, in a body of this size. All that
    /// touched before was held: a pair that lay deeper at the start never met.
    pub(super) fn can_enter(&self, pair: &Identity, depth: f64, travelled: f64, size: f64) -> bool {
        let known = self.points.binary_search_by_key(pair, |(identity, ..)| *identity);
        let behind = known.is_ok_and(|k| self.points[k].3 < -BEFORE * size);
        !behind && depth <= FALL * travelled + BEFORE * size
    }

    /// Turns the normal of a point at the end of the step so that its reaction does the work `r (g₁ − g₀)`. Where the pair was none
    /// at the start, its gap was none below zero.
    pub(super) fn conserve(&self, seen: &Seen<'_>, point: &mut ContactPoint) {
        if !self.moves || !self.known {
            return;
        }
        let way = |(node, weight): (usize, f64)| weight * (seen.position(node) - self.nodes[node]);
        let way = seen.pose.turn(point.anchor.parts().map(way).sum());
        let (n, squared) = (point.frame[0], way.norm_squared());
        let closed = n.dot(&way);
        let start = self.of(point).filter(|(_, _, normal, _)| normal.dot(&n) >= SMOOTH);
        let before = start.map_or_else(|| (point.gap - closed).max(0.0), |(.., gap)| *gap);
        let missing = point.gap - before - closed;
        let wrong = missing.abs() > ROUNDING * seen.body.size();
        if wrong && missing.abs() <= TURNED * squared.sqrt() {
            point.turn(n + way * (missing / squared));
        }
    }

    /// Gives a point at the end of the step the means over it.
    pub(super) fn mean(&self, point: &mut ContactPoint) {
        if !self.moves {
            return;
        }
        let start = self.of(point).filter(|(_, _, normal, _)| normal.dot(&point.frame[0]) >= SMOOTH);
        if let Some((_, anchor, normal, _)) = start {
            if point.identity.pass != 0 {
                point.anchor = point.anchor.towards(anchor, 0.5);
            }
            if point.frame[0] != *normal {
                point.turn(point.frame[0] + normal);
            }
        }
    }
}
