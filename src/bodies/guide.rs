//! Directions of a rigid body that are moved as a function of time while others are free, and its rotation where none of it is.

use nalgebra::{Unit, Vector3};

use super::span::Span;
use super::state::BodyState;
use crate::time::{Side, TimeFunction};

/// How the centre of a rigid body is moved along an axis that is not free.
#[derive(Debug, Clone, PartialEq)]
pub struct Guide {
    /// The axis.
    pub axis: usize,
    /// Displacement from rest, zero at time 0, or velocity.
    pub path: Path,
}

/// A displacement or a velocity in time.
#[derive(Debug, Clone, PartialEq)]
pub enum Path {
    /// Displacement.
    Place(TimeFunction),
    /// Velocity.
    Rate(TimeFunction),
}

impl Guide {
    /// Displacement and velocity at the end of a step from `old`.
    pub fn advance(&self, span: &Span, old: &BodyState) -> (f64, f64) {
        let (start, end) = (span.start, span.end());
        match &self.path {
            Path::Place(place) => (place.value(end), place.rate(end, Side::Before)),
            Path::Rate(rate) => (old.u[self.axis] + rate.integral(start, end), rate.value(end)),
        }
    }

    /// Velocity at time 0.
    pub fn initial_velocity(&self) -> f64 {
        match &self.path {
            Path::Place(place) => place.rate(0.0, Side::After),
            Path::Rate(rate) => rate.value(0.0),
        }
    }
}

/// How a rigid body is turned about an axis through its centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Turning {
    /// The axis in space.
    pub axis: Unit<Vector3<f64>>,
    /// Angle, zero at time 0, or angular velocity [rad, rad/s].
    pub path: Path,
}

impl Turning {
    /// `ϑ` of a step, whose Cayley map turns by `2 atan(|ϑ|/2)`, and the angular velocity at its end.
    pub fn advance(&self, span: &Span) -> (Vector3<f64>, Vector3<f64>) {
        let (start, end) = (span.start, span.end());
        let (angle, rate) = match &self.path {
            Path::Place(angle) => (angle.value(end) - angle.value(start), angle.rate(end, Side::Before)),
            Path::Rate(rate) => (rate.integral(start, end), rate.value(end)),
        };
        (2.0 * (0.5 * angle).tan() * self.axis.into_inner(), rate * self.axis.into_inner())
    }

    /// Angular velocity at time 0.
    pub fn initial_velocity(&self) -> Vector3<f64> {
        let rate = match &self.path {
            Path::Place(angle) => angle.rate(0.0, Side::After),
            Path::Rate(rate) => rate.value(0.0),
        };
        rate * self.axis.into_inner()
    }
}
