//! Shapes of obstacles, each in a frame of its own: where a point is near them, and which of their features can dent a
//! body between its nodes.

pub mod block;
pub mod chain;
pub mod convex;
mod extent;
pub mod revolved;
pub mod round;
pub mod solid;
pub mod surface;
mod triangles;

pub use block::Block;
pub use chain::{Chain, Line};
pub use convex::Patch;
pub use extent::{enclosing_ball, half_width};
pub use revolved::Revolved;
pub use round::{Core, Round};
pub use solid::Solid;
pub use surface::Surface;
pub use triangles::SurfaceError;

use super::Vector;

/// A point of an obstacle that can press on the inside of a facet: the end of the obstacle in the direction of the facet,
/// as a place with a ball around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// Centre of the ball.
    pub core: Vector,
    /// Its radius; 0 for a corner or a point of a rim.
    pub radius: f64,
}

/// Where a straight edge of a body is nearest to a feature of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Place along the edge, strictly between 0 and 1.
    pub share: f64,
    /// Unit normal out of the obstacle.
    pub normal: Vector,
    /// Signed distance, positive outside.
    pub gap: f64,
}

/// A unit vector across `axis`.
pub(crate) fn across(axis: &Vector) -> Vector {
    let mut e = Vector::zeros();
    e[axis.abs().imin()] = 1.0;
    (e - axis * e.dot(axis)).normalize()
}
