//! The shapes, one file each.

mod block;
mod chain;
mod ellipsoid;
mod half_space;
mod revolved;
mod round;
mod surface;

pub use block::Block;
pub use chain::{Chain, Line};
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use revolved::Revolved;
pub use round::{Core, Round};
pub use surface::{Surface, SurfaceError};
