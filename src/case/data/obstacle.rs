//! Rigid obstacles: shapes, places, prescribed motion, and what makes one a body with mass.

use crate::case::decode::Located;
use crate::case::loads::Turn;
use crate::geometry::{AnyShape, Coordinate};

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
    /// The rigid body that carries it, an index into [`Case::rigid`](super::Case::rigid); none if it has no mass.
    pub carrier: Option<usize>,
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
