//! Prescribed motion: a rotation about a fixed axis, then a shift, both functions of time.

use nalgebra::Unit;

use super::{Pose, Vector};
use crate::time::{Side, TimeFunction};

/// A coordinate as a function of time, zero at the start.
#[derive(Debug, Clone, PartialEq)]
pub enum Coordinate {
    /// Given itself.
    Place(TimeFunction),
    /// Given by its rate.
    Rate(TimeFunction),
}

impl Coordinate {
    fn value(&self, t: f64) -> f64 {
        match self {
            Coordinate::Place(place) => place.value(t),
            Coordinate::Rate(rate) => rate.integral(0.0, t),
        }
    }

    fn rate(&self, t: f64, side: Side) -> f64 {
        match self {
            Coordinate::Place(place) => place.rate(t, side),
            Coordinate::Rate(rate) => rate.value(t),
        }
    }
}

/// How an obstacle moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Shift along each axis.
    pub shift: [Coordinate; 3],
    /// A point of the axis of rotation, at the start; the shift carries it along.
    pub centre: Vector,
    /// Direction of the axis.
    pub axis: Unit<Vector>,
    /// Angle about it, in radians.
    pub angle: Coordinate,
}

impl Motion {
    /// Where the obstacle is at a time.
    pub fn pose(&self, t: f64) -> Pose {
        let shift = Vector::from_fn(|i, _| self.shift[i].value(t));
        Pose::new(self.angle.value(t) * self.axis.into_inner(), self.centre, shift)
    }

    /// Velocity at a time of the place of the obstacle that is at `x` then.
    pub fn velocity(&self, t: f64, side: Side, x: Vector) -> Vector {
        let along = |i: usize| self.shift[i].rate(t, side);
        let shift = Vector::from_fn(|i, _| self.shift[i].value(t));
        let spin = self.angle.rate(t, side) * self.axis.into_inner();
        Vector::new(along(0), along(1), along(2)) + spin.cross(&(x - self.centre - shift))
    }
}
