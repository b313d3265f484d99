//! Loads and supports as meant: the entries of `boundary`.

use nalgebra::{Unit, Vector3};

use super::decode::Located;
use crate::bodies::{self, Motion};
use crate::model;
pub use crate::model::{Density, Per, Share};
use crate::time::TimeFunction;

/// A named part of a body. Whether the mesh has it shows when the model is built.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index into [`Case::bodies`](super::Case::bodies).
    pub body: usize,
    /// Set of the body; its place is that of the text `body.set`.
    pub set: Located<String>,
}

/// A rotation of a support.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Angle in degrees.
    Angle(TimeFunction),
    /// Angular velocity in radians a second.
    Rate(TimeFunction),
}

/// Loads and supports. Third components are zero in the plane.
#[derive(Debug, Clone, PartialEq)]
pub enum Boundary {
    /// Acceleration of all bodies. Occurs at most once.
    Gravity {
        /// Where the factor is one.
        value: [f64; 3],
        /// Factor.
        time: TimeFunction,
    },
    /// Nodes held in place.
    Fixed {
        /// Node set.
        on: Part,
        /// Held axes; the third is false in the plane.
        axes: [bool; 3],
    },
    /// Nodes moved by a displacement from the reference position, zero at time 0.
    Displacement {
        /// Node set.
        on: Part,
        /// Axes that are prescribed; at least one.
        along: [Option<TimeFunction>; 3],
    },
    /// Nodes moved with a velocity.
    Velocity {
        /// Node set.
        on: Part,
        /// Axes that are prescribed; at least one.
        along: [Option<TimeFunction>; 3],
    },
    /// Nodes turned about an axis.
    Rotation {
        /// Node set.
        on: Part,
        /// A point of the axis.
        centre: [f64; 3],
        /// Unit vector; `e_z` in the plane.
        axis: [f64; 3],
        /// How far or how fast.
        turn: Turn,
    },
    /// Force on nodes.
    Force {
        /// Node set.
        on: Part,
        /// Force where the factor is one.
        value: [f64; 3],
        /// On each node or on all together.
        share: Share,
        /// Factor.
        time: TimeFunction,
    },
    /// Force per undeformed area, of fixed direction.
    Traction {
        /// Face set.
        on: Part,
        /// Traction where the factor is one.
        value: [f64; 3],
        /// Factor.
        time: TimeFunction,
    },
    /// Pressure, positive into the body.
    Pressure {
        /// Face set.
        on: Part,
        /// Pressure as a function of time.
        value: TimeFunction,
        /// Whether it acts on the current surface along its current normal, or on the undeformed one. Default yes.
        follows: bool,
    },
    /// Force on the inside of one body.
    BodyForce {
        /// Index into [`Case::bodies`](super::Case::bodies).
        body: usize,
        /// Force per mass or volume where the factor is one.
        value: [f64; 3],
        /// What it refers to.
        per: Density,
        /// Factor.
        time: TimeFunction,
    },
    /// Linear springs to ground, relaxed in the reference position.
    Spring {
        /// Node set, or face set where the coefficient refers to area.
        on: Part,
        /// Stiffness along each axis, >= 0.
        coefficients: [f64; 3],
        /// What it refers to. Default each node.
        per: Per,
    },
    /// Linear dashpots to ground.
    Dashpot {
        /// Node set, or face set where the coefficient refers to area.
        on: Part,
        /// Force per velocity along each axis, >= 0.
        coefficients: [f64; 3],
        /// What it refers to. Default each node.
        per: Per,
    },
}

impl Part {
    fn build(&self) -> model::Part {
        model::Part { body: self.body, set: self.set.value.clone() }
    }
}

impl Boundary {
    /// The part an entry speaks of, if it does.
    pub(super) fn part(&self) -> Option<&Part> {
        match self {
            Boundary::Gravity { .. } | Boundary::BodyForce { .. } => None,
            Boundary::Fixed { on, .. }
            | Boundary::Displacement { on, .. }
            | Boundary::Velocity { on, .. }
            | Boundary::Rotation { on, .. }
            | Boundary::Force { on, .. }
            | Boundary::Traction { on, .. }
            | Boundary::Pressure { on, .. }
            | Boundary::Spring { on, .. }
            | Boundary::Dashpot { on, .. } => Some(on),
        }
    }

    /// The entry as a model has it.
    pub(super) fn build(&self) -> model::Boundary {
        use model::Boundary as Built;
        let filled = |along: &[Option<TimeFunction>; 3]| along.clone().map(|f| f.unwrap_or(TimeFunction::ZERO));
        let held = |along: &[Option<TimeFunction>; 3]| along.each_ref().map(Option::is_some);
        match self.clone() {
            Boundary::Gravity { value, time } => Built::Gravity { value, time },
            Boundary::Fixed { on, axes } => Built::Support { on: on.build(), axes, motion: Motion::Fixed },
            Boundary::Displacement { on, along } => {
                Built::Support { on: on.build(), axes: held(&along), motion: Motion::Displacement(filled(&along)) }
            }
            Boundary::Velocity { on, along } => {
                Built::Support { on: on.build(), axes: held(&along), motion: Motion::Velocity(filled(&along)) }
            }
            Boundary::Rotation { on, centre, axis, turn } => {
                let turn = match turn {
                    Turn::Angle(degrees) => bodies::Turn::Angle(degrees.times(1f64.to_radians())),
                    Turn::Rate(rate) => bodies::Turn::Rate(rate),
                };
                let (centre, axis) = (Vector3::from(centre), Unit::new_normalize(Vector3::from(axis)));
                Built::Support { on: on.build(), axes: [true; 3], motion: Motion::Rotation { centre, axis, turn } }
            }
            Boundary::Force { on, value, share, time } => Built::Force { on: on.build(), value, share, time },
            Boundary::Traction { on, value, time } => Built::Traction { on: on.build(), value, time },
            Boundary::Pressure { on, value, follows } => Built::Pressure { on: on.build(), value, follows },
            Boundary::BodyForce { body, value, per, time } => Built::BodyForce { body, value, per, time },
            Boundary::Spring { on, coefficients, per } => Built::Spring { on: on.build(), coefficients, per },
            Boundary::Dashpot { on, coefficients, per } => Built::Dashpot { on: on.build(), coefficients, per },
        }
    }
}
