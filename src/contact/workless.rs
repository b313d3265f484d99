//! Reactions between bodies that put energy in, and normals along which they do not.
//!
//! Facets that meet at slight angles stand for a smooth surface: the normal turns over a facet, from that of one end to that of the
//! other, while the gap is that to the facet. A node that slides over a coarse facet is so pushed along its way, by up to the sine of half
//! the angle between facets, and turning facets and curved ways add their own. Nothing was inside at the start of the step, `g₀ ≥ 0`, so a
//! reaction works no more than `r g₁`. Where they put in what counts, all together, the step goes on along normals that are turned a
//! little against the ways `d` it has found, `n − (n·d − g₁) d/d²` (Gonzalez' discrete gradient). The turn is not followed any
//! farther: where a point hardly moves, a way that changes with every iteration would keep it from settling.

use super::Contact;
use super::detection::{ContactPoint, Identity, Level, Vector};
use crate::bodies::{Bodies, BodyState};

/// Share of the energy that reactions between bodies may put in within a step.
const PUT_IN: f64 = 5e-4;

/// Share of it that one of them may.
const ONE: f64 = 1e-3;

/// Sine of the largest angle by which a normal is turned.
const TURNED: f64 = 0.5;

/// Normals that are turned in a step; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Workless {
    /// Energy that works are small against.
    energy: f64,
    /// Whether the step goes on along turned normals.
    pub(super) turned: bool,
    /// Whether it did in the last attempt, which failed.
    failed: bool,
    /// What is added to the normals, sorted.
    turns: Vec<(Identity, Vector)>,
}

impl Workless {
    /// A step is tried.
    pub(super) fn begin(&mut self) {
        self.failed = self.turned;
        self.turned = false;
    }

    /// Turns the normals of points.
    pub(super) fn turn(&self, points: &mut [ContactPoint]) {
        if !self.turned {
            return;
        }
        for point in points {
            if let Ok(k) = self.turns.binary_search_by_key(&point.identity, |(identity, _)| *identity) {
                point.turn(point.frame[0] + self.turns[k].1);
            }
        }
    }

    /// Notes how the normal of a point is to be turned whose reaction is `r` and that went `way`, and returns what it put in.
    fn note(&mut self, point: &ContactPoint, r: f64, way: Vector) -> f64 {
        let (excess, length) = (point.frame[0].dot(&way) - point.gap, way.norm());
        if r * excess > ONE * PUT_IN * self.energy {
            self.turns.push((point.identity, -way * (excess.min(TURNED * length) / (length * length))));
        }
        r * excess
    }
}

impl Contact {
    /// Says what energy the works of the next step are small against.
    pub fn weigh(&mut self, energy: f64) {
        self.workless.energy = energy;
    }

    /// Whether the converged step goes on along normals that put no energy in: once, and where it counts.
    pub(super) fn gives_energy(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> bool {
        let done = std::mem::take(&mut self.workless.turned) || self.workless.failed;
        if done || !self.span.moves || !self.pairs.has_level(Level::Position) {
            return false;
        }
        self.workless.turns.clear();
        let (dim, mut put_in) = (self.problem.dim.max(1), 0.0);
        for (point, r) in self.points.iter().zip(self.r.chunks_exact(dim)) {
            if point.level != Level::Position || point.is_on_rigid() || r[0] <= 0.0 {
                continue;
            }
            let mut way = Vector::zeros();
            for (anchor, sign) in point.sides() {
                let (start, end) = (&old[anchor.body].u, u[anchor.body]);
                let dofs = anchor.unknowns(bodies.get(anchor.body).dim());
                way += dofs.map(|(dof, unit)| sign * (end[dof] - start[dof]) * unit).sum::<Vector>();
            }
            put_in += self.workless.note(point, r[0], way);
        }
        self.workless.turns.sort_unstable_by_key(|(identity, _)| *identity);
        self.workless.turned = put_in > PUT_IN * self.workless.energy;
        if self.workless.turned {
            log::debug!(
                "reactions between bodies put {put_in:.3e} J in: {} normals are turned",
                self.workless.turns.len()
            );
        }
        self.workless.turned
    }
}
