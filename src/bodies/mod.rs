//! Bodies: what moves. A body knows its mass, its forces and its effective matrix; it does not know time schemes
//! or contact.

pub mod body;
pub mod damping;
pub mod deformable;
pub mod drift;
pub mod elastic;
mod explicit;
pub mod facets;
pub mod guide;
mod kinetic;
pub mod loads;
pub mod numbering;
pub mod outer;
pub mod push;
pub mod rigid;
pub mod span;
pub mod state;
pub mod stress;
pub mod supports;
pub mod tributary;

pub use body::{Bodies, Body};
pub use damping::Rayleigh;
pub use deformable::{BodyError, Deformable, DeformableSpec, Tally, nodes_on_axis};
pub use elastic::{Compliance, Elastic, ElasticSpec};
pub use guide::{Guide, Path, Turning};
pub use loads::{DeadLoad, FollowingPressure, Loads};
pub use numbering::Numbering;
pub use outer::OuterForces;
pub use push::Push;
pub use rigid::{Rigid, RigidSpec};
pub use span::Span;
pub use state::BodyState;
pub use stress::StressField;
pub use supports::{Motion, Support, Turn};
pub use tributary::{NodalArea, Tributary};
