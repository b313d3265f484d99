//! Bodies: what moves. A body knows its mass, its forces and its effective matrix; it does not know time schemes
//! or contact.

pub mod deformable;
pub mod numbering;
pub mod state;
pub mod stress;

pub use deformable::{BodyError, Deformable, DeformableSpec};
pub use numbering::Numbering;
pub use state::BodyState;
pub use stress::StressField;
