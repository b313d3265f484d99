//! Loads and supports as meant: the entries of `boundary`.

use super::decode::Located;
use crate::time::TimeFunction;

/// A named part of a body. Whether the mesh has it shows when the model is built.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index into [`Case::bodies`](super::Case::bodies).
    pub body: usize,
    /// Set of the body; its place is that of the text `body.set`.
    pub set: Located<String>,
}

/// How a force is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// On each node.
    Each,
    /// Of all nodes together, in equal parts.
    Total,
}

/// What the coefficient of a bedding refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Each node.
    Node,
    /// Undeformed area of the faces, lumped to their nodes by `∫ N dA`.
    Area,
    /// All nodes together, in equal parts.
    Total,
}

/// What a body force refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Density {
    /// Mass: an acceleration.
    Mass,
    /// Undeformed volume.
    Volume,
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
