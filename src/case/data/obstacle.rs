//! Rigid obstacles: shapes, places, prescribed motion, and what makes one a body with mass.

use crate::case::decode::Located;
use crate::case::loads::Turn;
use crate::geometry::{AnyShape, Coordinate};
use crate::time::TimeFunction;

/// A rigid obstacle, fixed or moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Its name in the file.
    pub name: Located<String>,
    /// Its shape.
    pub shape: Located<Shape>,
    /// Where the shape is put. Default where its own coordinates put it.
    pub place: Placement,
    /// How it moves from there. Default not at all.
    pub motion: Option<Motion>,
    /// What makes it a body with mass. Default nothing.
    pub inertial: Option<Inertial>,
}

/// Mass of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// All of it, in the plane that of the whole thickness.
    Total(f64),
    /// That of its volume.
    Density(f64),
}

/// What makes an obstacle a body with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Its mass.
    pub mass: Located<Mass>,
    /// Centre of mass at rest. Default that of the shape, or the place at which one without end is given.
    pub centre: Option<[f64; 3]>,
    /// Moments of inertia about the centre along the axes of space at rest; in the plane the last. Default those of the shape.
    pub inertia: Option<[f64; 3]>,
    /// Which unknowns are free: along the axes, then about them. Default all.
    pub free: Vec<bool>,
    /// Initial velocity of the centre.
    pub velocity: [f64; 3],
    /// Initial spin.
    pub angular_velocity: [f64; 3],
    /// Force at the centre along each axis.
    pub force: [TimeFunction; 3],
    /// Torque about each axis of space; in the plane the first.
    pub torque: [TimeFunction; 3],
    /// Springs to ground along each axis.
    pub springs: [f64; 3],
    /// Dashpots to ground along each axis.
    pub dashpots: [f64; 3],
}

/// Prescribed motion of an obstacle: turned about an axis, then shifted.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Shift along each axis.
    pub shift: [Coordinate; 3],
    /// A point of the axis of rotation, its direction and the turn (an angle in degrees or a rate in rad/s).
    pub rotation: Option<([f64; 3], [f64; 3], Turn)>,
}

/// Shape of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// All of it.
    Made(Box<AnyShape>),
    /// A triangulated surface from a file, which is read when the model is built.
    Triangles {
        /// The file.
        source: SurfaceSource,
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
}

/// A file of triangles; a relative path starts at the folder of the case file.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceSource {
    /// STL, text or binary.
    Stl(Located<String>),
    /// Gmsh 4.1: surface cells, or the outer faces of solid cells.
    Gmsh {
        /// The file.
        file: Located<String>,
        /// Physical group whose cells are taken.
        group: Option<String>,
    },
}

/// Where a shape is put: turned about a point, then shifted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Placement {
    /// Rotation vector: angle in radians times unit axis.
    pub turn: [f64; 3],
    /// Point that the rotation leaves where it is.
    pub about: [f64; 3],
    /// Shift after it.
    pub shift: [f64; 3],
}
