//! What may touch what, under which laws, and how contact problems are solved.

use crate::case::decode::Located;
pub use crate::contact::condensation::Operator as ContactOperator;
pub use crate::contact::detection::Carrier;
pub use crate::contact::detection::Level as ContactLevel;
pub use crate::contact::friction::{Friction, SlipRule};
pub use crate::contact::solvers::{LocalSolver, Step as UzawaStep};
pub use crate::model::{ContactMethod, ContactSolver};

/// What surfaces may touch.
#[derive(Debug, Clone, PartialEq)]
pub enum Counterpart {
    /// Obstacles: an index into [`Case::bodies`](super::Case::bodies) and one into [`Case::obstacles`](super::Case::obstacles) for
    /// each two.
    Obstacles(Vec<[usize; 2]>),
    /// Surfaces of other bodies, or of the same.
    Bodies {
        /// Indices into [`Case::bodies`](super::Case::bodies) of those that may touch: each of the first list each of the second.
        between: [Vec<usize>; 2],
        /// Face set of the second.
        set: Located<String>,
        /// Whether it is one body against itself.
        itself: bool,
        /// Whose nodes are held by the other's facets.
        slave: Slave,
        /// Whether the nodes of either side are held by the facets of the other.
        two_passes: bool,
    },
}

/// Whose nodes are held, where two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slave {
    /// Those of the finer surface; of two alike, of the one whose name comes first.
    Auto,
    /// Those of the first body of the pair.
    First,
    /// Those of the second.
    Second,
}

impl Slave {
    /// The side whose nodes are held, if that is said.
    pub fn side(self) -> Option<Carrier> {
        match self {
            Slave::Auto => None,
            Slave::First => Some(Carrier::First),
            Slave::Second => Some(Carrier::Second),
        }
    }
}

/// Zones in which bodies may touch something, all under one law.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Face set of the bodies. Not checked yet: the mesh decides. Its place is that of the text `body.set`.
    pub set: Located<String>,
    /// Which bodies, and what they may touch.
    pub with: Counterpart,
    /// Coulomb's law. Default no friction.
    pub friction: Friction,
    /// First axis of orthotropic friction, as things stand at the start, and what carries it.
    pub grain: Option<([f64; 3], Carrier)>,
    /// On what the contact condition is imposed. Default position: no penetration.
    pub level: ContactLevel,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Distance within which contacts are looked for, in metres.
    pub search: Option<f64>,
    /// Whether nodes that start inside are moved out before the start.
    pub push_out: bool,
}

impl Contact {
    /// Numbers that its pairs need.
    pub fn numbers(&self) -> usize {
        match &self.with {
            Counterpart::Obstacles(pairs) => pairs.len(),
            Counterpart::Bodies { between: [first, second], .. } => first.len() * second.len(),
        }
    }
}

impl RigidContact {
    /// Numbers that its pairs need.
    pub fn numbers(&self) -> usize {
        self.between[0].len() * self.between[1].len()
    }
}

/// Obstacles that may touch, of every two one at least with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidContact {
    /// Indices into [`Case::obstacles`](super::Case::obstacles): each of the first list may touch each of the second.
    pub between: [Vec<usize>; 2],
    /// Coulomb's law. Default no friction.
    pub friction: Friction,
    /// First axis of orthotropic friction, as things stand at the start, and what carries it.
    pub grain: Option<([f64; 3], Carrier)>,
    /// On what the contact condition is imposed. Default position: no penetration.
    pub level: ContactLevel,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Distance within which contacts are looked for, in metres.
    pub search: Option<f64>,
    /// Whether a rigid body that starts inside is moved out before the start.
    pub push_out: bool,
}
