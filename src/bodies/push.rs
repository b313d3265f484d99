//! Forces and torques on a rigid body that act at one of its points or turn with it.
//!
//! A place with arm `a₀` at the start of a step and `a₁` at its end goes by exactly `Δu + ϑ × ā`, `ā = ½(a₀ + a₁)` (see
//! [`super::rigid`]): the mean force with the moment `ā × f` does exactly its work on that way. Explicit steps take the arm of the
//! start, as they take all forces. The derivative of the moment is left out of the effective matrix: it is `Δt² |f||a|/J` beside
//! one.

use nalgebra::{Matrix3, Vector3};

use super::rigid::Rigid;
use super::span::Span;
use crate::time::TimeFunction;

/// A force and a torque in time.
#[derive(Debug, Clone, PartialEq)]
pub struct Push {
    /// Where the force acts: from the centre of mass, along the axes of space at rest.
    pub arm: Vector3<f64>,
    /// Whether force and torque turn with the body; else they keep their directions in space.
    pub turns: bool,
    /// Force along each axis.
    pub force: [TimeFunction; 3],
    /// Torque about each axis.
    pub torque: [TimeFunction; 3],
}

impl Push {
    fn at(&self, time: f64, rotation: &Matrix3<f64>) -> [Vector3<f64>; 2] {
        let value = |functions: &[TimeFunction; 3]| {
            let own = Vector3::from_fn(|k, _| functions[k].value(time));
            if self.turns { rotation * own } else { own }
        };
        [value(&self.force), value(&self.torque)]
    }
}

impl Rigid {
    /// Adds the mean forces of all pushes over a step from `u0` to `u1`.
    pub fn add_pushes(&self, span: &Span, u0: &[f64], u1: &[f64], out: &mut [f64]) {
        if self.pushes.is_empty() {
            return;
        }
        let rotations = [u0, u1].map(|u| self.rotation(u));
        let arm_share = if span.is_explicit() { 0.0 } else { 0.5 };
        for push in &self.pushes {
            let [start, end] = [push.at(span.start, &rotations[0]), push.at(span.end(), &rotations[1])];
            let mean = |k: usize| (1.0 - span.weight) * start[k] + span.weight * end[k];
            let arm = (1.0 - arm_share) * (rotations[0] * push.arm) + arm_share * (rotations[1] * push.arm);
            let (force, moment) = (mean(0), mean(1) + arm.cross(&mean(0)));
            self.add(force, moment, out);
        }
    }
}
