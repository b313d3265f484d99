//! Rigid bodies: mass, shapes, named points, and what acts on them.

use super::{Motion, Placement};
use crate::case::decode::Located;
pub use crate::model::{Mass, Push};

/// A rigid body. Its shapes are among the obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Its name in the file.
    pub name: Located<String>,
    /// Its mass and what acts on it.
    pub inertial: Inertial,
    /// Where it is put, shapes, points and inertia with it.
    pub place: Placement,
    /// How it moves in directions that are not free.
    pub motion: Option<Motion>,
    /// Its named points, before it is put in its place.
    pub points: Vec<(String, [f64; 3])>,
}

/// Mass and what acts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Its mass.
    pub mass: Located<Mass>,
    /// Centre of mass at rest. Default that of the shapes, or the point of a half space.
    pub centre: Option<[f64; 3]>,
    /// Inertia about the centre along the axes of space at rest, of which the plane has the last entry. Default that of the shapes.
    pub inertia: Option<[[f64; 3]; 3]>,
    /// Which unknowns are free: along the axes, then about them. Default all.
    pub free: Vec<bool>,
    /// Initial velocity of the centre.
    pub velocity: [f64; 3],
    /// Initial spin.
    pub angular_velocity: [f64; 3],
    /// Forces and torques.
    pub pushes: Vec<Push>,
    /// Springs to ground along each axis.
    pub springs: [f64; 3],
    /// Dashpots to ground along each axis.
    pub dashpots: [f64; 3],
}
