//! Loads and supports as a model names them.

use crate::bodies::Motion;
use crate::time::TimeFunction;

/// A named part of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Number of the body.
    pub body: usize,
    /// Set of the body.
    pub set: String,
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
    /// Nodes held in place or moved.
    Support {
        /// Node set.
        on: Part,
        /// Held axes; at least one. The third is false in the plane.
        axes: [bool; 3],
        /// How they move.
        motion: Motion,
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
        /// Number of the body.
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

impl Boundary {
    /// The part an entry speaks of, if it does.
    pub fn part(&self) -> Option<&Part> {
        match self {
            Boundary::Gravity { .. } | Boundary::BodyForce { .. } => None,
            Boundary::Support { on, .. }
            | Boundary::Force { on, .. }
            | Boundary::Traction { on, .. }
            | Boundary::Pressure { on, .. }
            | Boundary::Spring { on, .. }
            | Boundary::Dashpot { on, .. } => Some(on),
        }
    }
}
