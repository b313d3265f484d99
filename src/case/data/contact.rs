//! What may touch what, under which laws, and how contact problems are solved.

use crate::case::decode::Located;
pub use crate::contact::condensation::Operator as ContactOperator;
pub use crate::contact::detection::Carrier;
pub use crate::contact::detection::Level as ContactLevel;
pub use crate::contact::friction::{Friction, SlipRule};
pub use crate::contact::solvers::{LocalSolver, Step as UzawaStep};

/// What a body may touch.
#[derive(Debug, Clone, PartialEq)]
pub enum Counterpart {
    /// Index into [`Case::obstacles`](super::Case::obstacles).
    Obstacle(usize),
    /// A surface of another body, or of the same.
    Body {
        /// Index into [`Case::bodies`](super::Case::bodies).
        body: usize,
        /// Its face set.
        set: Located<String>,
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

/// A zone in which a body may touch something.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Index into [`Case::bodies`](super::Case::bodies).
    pub body: usize,
    /// Face set of the body. Not checked yet: the mesh decides. Its place is that of the text `body.set`.
    pub set: Located<String>,
    /// What it may touch.
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

/// Two obstacles that may touch, one of them at least with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidContact {
    /// Indices into [`Case::obstacles`](super::Case::obstacles), first one with mass.
    pub between: [usize; 2],
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

/// How contact problems are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSolver {
    /// The method.
    pub method: ContactMethod,
    /// Tolerance on the common error measure, in (0, 1e-2]. Default 1e-10.
    pub tolerance: f64,
    /// Most sweeps, corrections or Newton steps. Default 10 000; 100 000 for first-order methods, 500 for Newton's.
    pub max_iterations: u32,
    /// Whether a run goes on with what the solver reached where it does not converge, instead of cutting the step.
    pub go_on: bool,
    /// How the contact operator is handed to the solver. Default auto.
    pub operator: ContactOperator,
}

/// Contact solvers with the options of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContactMethod {
    /// Contact by contact.
    GaussSeidel(LocalSolver),
    /// Predictor-corrector on the bipotential.
    Uzawa {
        /// Factor on the projection step that the solver derives from the problem, in (0, 2]. Default 1.
        rho: f64,
        /// How that step is derived.
        step: UzawaStep,
    },
    /// Predictor and two corrections, with adaptive steps.
    Extragradient,
    /// Accelerated projected gradient inside De Saxce's loop.
    ProjectedGradient,
    /// All points at once, shared among threads.
    Jacobi,
    /// Semismooth Newton on Alart and Curnier's form, with a proximal term.
    Newton,
    /// The same on the natural map of the bi-potential.
    BipotentialNewton,
    /// Gauss-Seidel that hands over to Newton where it contracts too slowly.
    Hybrid,
}
