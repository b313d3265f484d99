//! Shapes: where a place is near them, what of them can dent a body, how far two of them are apart. Below bodies and steps: what
//! touches, moves, draws or checks shapes asks here.

pub mod apart;
pub mod bvh;
mod gjk;
pub mod motion;
pub mod obstacle;
pub mod outline;
mod pieces;
pub mod pose;
pub mod separation;
pub mod shapes;

pub use bvh::{Bounds, Bvh};
pub use motion::{Coordinate, Motion};
pub use obstacle::{Corner, Edge, Obstacle, Shape, Touch};
pub use outline::Outline;
pub use pose::Pose;
pub use shapes::{
    Block, Chain, Core, Crossing, Line, Patch, Revolved, Round, Solid, Support, Surface, SurfaceError, enclosing_ball,
    half_width,
};

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
