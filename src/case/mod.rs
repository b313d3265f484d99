//! The case file: from YAML text to checked data.
//!
//! A case is read in three steps. `yaml` turns the text into a tree whose every value knows its line and column; `set`
//! applies the `--set` arguments to that tree; `decode` and `validate` read the tree into [`Case`], in which ranges are
//! checked, defaults filled in and names resolved to indices. All problems of a file are reported together, each with
//! its place, its key path, what was expected and the nearest valid name ([`CaseError`]).
//!
//! From there on a case is a model ([`model()`]), which checks what needs the mesh (does this node set exist? does this probe lie in
//! its body?); the items concerned are [`Located`], so that such problems are reported in the same form ([`Case::problem`]).

mod asked;
mod build;
mod cells;
pub mod data;
pub mod decode;
pub mod diagnostic;
pub mod expect;
mod file;
mod input;
pub mod loads;
mod locate;
pub mod mesh;
mod nearest;
mod obstacle;
pub mod results;
mod rigid;
mod same;
pub mod schema;
mod set;
pub mod tree;
mod validate;
mod write;
pub mod yaml;

pub use build::{build, model, simulation};
pub use data::{
    Adaptive, Body, BodyMaterial, Boundary, Case, CellBox, Contact, ContactLevel, ContactMethod, ContactOperator,
    ContactSolver, Counterpart, Geometry, Law, MassMatrix, Material, Newton, Obstacle, PlaneCells, Rayleigh, Scheme,
    Shape, SolidCells, StepForce, Task, Time,
};
pub use decode::Located;
pub use diagnostic::{CaseError, Diagnostic};
pub use file::{parse, read};
pub use mesh::{Mesh, Source};
pub use results::{Expect, ExpectAt, Field, Output, Probe, Tolerance};
pub use same::same_model;
pub use write::to_yaml;
