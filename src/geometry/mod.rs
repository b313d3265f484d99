//! Shapes: where a place is near them, what of them can dent a body, how far two of them are apart. Below bodies and steps: what
//! touches, moves, draws or checks shapes asks here.

pub mod apart;
pub mod bvh;
pub mod features;
pub mod given;
mod gjk;
mod motion;
mod obstacle;
mod outline;
mod overlap;
mod passage;
mod pieces;
mod pose;
mod registry;
mod sections;
mod shape;
mod shapes;
mod solid;

pub use bvh::{Bounds, Bvh};
pub use features::{Corner, Crossing, Edge, Faces, Near, Patch, Piece, Support, Touch};
pub use motion::{Coordinate, Motion};
pub use obstacle::Obstacle;
pub use outline::Outline;
pub(crate) use overlap::{Overlap, shared};
pub(crate) use passage::Passage;
pub use pose::Pose;
pub use registry::{AnyShape, words};
pub(crate) use sections::nearest_on;
pub use shape::Shape;
pub use shapes::{Block, Chain, Core, Ellipsoid, HalfSpace, Line, Revolved, Round, Surface, SurfaceError};
pub use solid::Solid;

/// A place or direction in space; plane cases have `z = 0`.
pub type Vector = nalgebra::Vector3<f64>;

/// An orthonormal frame (n, t1, t2) about a unit normal. In the plane `t1 = (−n_y, n_x)`.
pub fn frame(n: Vector, dim: usize) -> [Vector; 3] {
    if dim == 2 {
        return [n, Vector::new(-n[1], n[0], 0.0), Vector::z()];
    }
    // the axis least aligned with n gives a well-conditioned cross product
    let mut e = Vector::zeros();
    e[n.abs().imin()] = 1.0;
    let t1 = n.cross(&e).normalize();
    [n, t1, n.cross(&t1)]
}

/// A unit vector across `axis`.
pub(crate) fn across(axis: &Vector) -> Vector {
    let mut e = Vector::zeros();
    e[axis.abs().imin()] = 1.0;
    (e - axis * e.dot(axis)).normalize()
}
