//! The case as meant: checked, complete with defaults, references resolved to indices. SI units throughout.

mod body;
mod contact;
mod obstacle;
mod rigid;

use std::path::Path;
use std::sync::Arc;

pub use crate::model::{Adaptive, ContactShare, Newton, Reuse, Scheme, StepForce, Time};
pub use body::*;
pub use contact::*;
pub use obstacle::*;
pub use rigid::*;

use super::decode::Located;
use super::diagnostic::{CaseError, Diagnostic, Sources};
pub use super::loads::Boundary;
use super::results::{Expect, Output};
use crate::transmission::Study;
use crate::transmission::record::Picture;

/// A case that passed every check that needs no mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Stem of the file name; names the result file.
    pub name: String,
    /// File name without folders.
    pub file_name: String,
    /// The case as run: the text of the file, or the changed tree written out if there were `--set` arguments.
    pub text_as_run: String,
    /// The texts the case was read from, for problems found later.
    pub sources: Arc<Sources>,
    /// What the case is called; by default [`Case::name`].
    pub title: String,
    /// Where the case comes from (a paper, a report).
    pub source: Option<String>,
    /// Plane or three-dimensional.
    pub geometry: Geometry,
    /// Thickness of a plane case in metres. Default 1: energies and forces per metre. Always 1 in a solid case.
    pub thickness: f64,
    /// Time interval and scheme; without meaning where there is a task.
    pub time: Time,
    /// What is done in place of a run in time.
    pub task: Option<Located<Task>>,
    /// Materials in the order of the file.
    pub materials: Vec<Material>,
    /// Deformable bodies in the order of the file.
    pub bodies: Vec<Body>,
    /// Rigid bodies: obstacles with mass, then those of `bodies`, each in the order of the file.
    pub rigid: Vec<RigidBody>,
    /// Rigid shapes: obstacles in the order of the file, then the shapes of the other rigid bodies as `body.shape`.
    pub obstacles: Vec<Obstacle>,
    /// Loads and supports in the order of the file.
    pub boundary: Vec<Located<Boundary>>,
    /// Zones that may touch, in the order of the file.
    pub contacts: Vec<Located<Contact>>,
    /// Contacts between obstacles of which one at least has mass.
    pub rigid_contacts: Vec<Located<RigidContact>>,
    /// How contact problems are solved.
    pub contact_solver: ContactSolver,
    /// What is written to the result file.
    pub output: Output,
    /// Values the results must have.
    pub expect: Vec<Located<Expect>>,
}

impl Case {
    /// A problem found after reading, in the format of all others.
    pub fn problem<T>(&self, item: &Located<T>, message: impl Into<String>) -> CaseError {
        self.problems(vec![item.problem(message)])
    }

    /// Several problems found after reading. [`Located::problem`] makes the diagnostics.
    pub fn problems(&self, diagnostics: Vec<Diagnostic>) -> CaseError {
        CaseError::new(Arc::clone(&self.sources), diagnostics)
    }

    /// Number of space dimensions, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.geometry.dimension()
    }

    /// What the number of a contact with a deformable body belongs to.
    pub fn contact(&self, number: u32) -> Option<&Located<Contact>> {
        let mut end = 0;
        self.contacts.iter().find(|contact| {
            end += contact.value.numbers();
            (number as usize) < end
        })
    }
}

/// A study of gears in place of a run in time.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// What is asked for.
    pub study: Study,
    /// How it is drawn.
    pub picture: Picture,
}

impl<T> Located<T> {
    /// A diagnostic at the place of this item; `expecting` and `suggesting` add to it.
    pub fn problem(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.place, self.path.clone(), message)
    }
}

/// The stem of a file name, the name of a case.
pub fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Space of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// Plane, no strain across.
    PlaneStrain,
    /// Plane, no stress across.
    PlaneStress,
    /// Revolved about the axis `x = 0`: `r = x`, `z = y`. Masses, forces and energies are those of the whole ring.
    Axisymmetric,
    /// Three-dimensional.
    Solid,
}

impl Geometry {
    /// Number of space dimensions.
    pub fn dimension(self) -> usize {
        match self {
            Geometry::PlaneStrain | Geometry::PlaneStress | Geometry::Axisymmetric => 2,
            Geometry::Solid => 3,
        }
    }
}
