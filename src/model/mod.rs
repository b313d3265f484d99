//! A model with names: bodies, obstacles, contacts, supports and loads, probes, scheme, time, and what is wished of the results. It
//! needs no case file: a case file is one way of many to make one.
//!
//! A block of rubber slides on a floor with friction until it rests. Energy goes nowhere but into friction and, a little, into waves
//! in the block:
//!
//! ```
//! use impakt::elements::Section;
//! use impakt::materials::{Law, NeoHooke};
//! use impakt::mesh::generate::{self, SolidCells};
//! use impakt::model::shapes::{HalfSpace, Vector};
//! use impakt::model::{Body, Boundary, Contact, Material, Model, Obstacle, Time};
//! use impakt::simulation::{RunOptions, Simulation};
//! use impakt::time::TimeFunction;
//!
//! let mesh = generate::block(&generate::Block {
//!     min: [0.0, 0.0, 0.0],
//!     max: [0.1, 0.1, 0.05],
//!     divisions: [2, 2, 1],
//!     cells: SolidCells::Hexes,
//! })?;
//! let plane = HalfSpace { point: Vector::zeros(), normal: Vector::z() };
//!
//! let mut model = Model::new("sliding_block", Section::Solid, Time::new(0.02, 2e-4));
//! model.materials.push(Material::new("rubber", 1000.0, Law::NeoHooke(NeoHooke::new(5e6, 0.3))));
//! model.bodies.push(Body { velocity: [0.5, 0.0, 0.0], ..Body::new("block", mesh) });
//! model.obstacles.push(Obstacle::fixed("floor", plane));
//! model.boundary.push(Boundary::Gravity { value: [0.0, 0.0, -9.81], time: TimeFunction::Constant(1.0) });
//! let (block, floor) = (model.body("block")?, model.obstacle("floor")?);
//! let contact = Contact::on_obstacle("sliding", (block, "z_min"), floor);
//! model.contacts.push(Contact { friction: 0.4.into(), ..contact });
//!
//! let summary = Simulation::new(model)?.run(&RunOptions::default(), &mut |_| true)?;
//! let energy = &summary.ledger;
//! println!("{:.4} J of {:.4} J went into friction", energy.friction, summary.initial_energy);
//! assert!(energy.friction > 0.0);
//! // the balance closes to rounding, and nothing is inside the floor
//! assert!(summary.largest_error < 1e-9 * summary.initial_energy);
//! assert!(summary.largest_penetration < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Model::check`] says what is wrong with a model, with names and numbers ([`ModelError`]); [`Model::assemble`] makes of it what
//! the steps work on.

mod assembly;
mod body;
mod boundary;
mod check;
mod contact;
mod entries;
mod error;
mod inside;
mod loads;
mod obstacle;
mod output;
mod overlap;
mod rigid;
mod solver;
mod source;
mod time;
mod zones;

pub use assembly::{Assembly, Plan, ProbePoint, Spot};
pub use body::{Body, Material};
pub use contact::{Between, Contact};
pub use entries::Entries;
pub use error::{Flaw, Inside, ModelError, Place, Problem};
pub use loads::{Boundary, Density, Part, Per, Share};
pub use obstacle::{Inertial, Mass, Obstacle, Push, RigidBody};
pub use output::{Field, Output, Probe, Watched};
pub use solver::{ContactMethod, ContactSolver};
pub use source::Source;
pub mod shapes {
    //! Shapes of obstacles and rigid bodies, and how they are placed and moved.

    pub use crate::geometry::{
        AnyShape, Block, Chain, Coordinate, Core, HalfSpace, Line, Motion, Pose, Revolved, Round, Surface, Vector,
    };
}
pub use time::{Adaptive, ContactShare, Newton, Reuse, Scheme, StepForce, Time};

use crate::elements::Section;

/// What is to be computed.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name; names the files of its results.
    pub name: String,
    /// What it is called in results; by default its name.
    pub title: String,
    /// Plane, of revolution, or solid.
    pub section: Section,
    /// Materials.
    pub materials: Vec<Material>,
    /// Deformable bodies.
    pub bodies: Vec<Body>,
    /// Rigid bodies.
    pub rigid: Vec<RigidBody>,
    /// Rigid shapes: obstacles, and those that rigid bodies carry.
    pub obstacles: Vec<Obstacle>,
    /// Supports and loads.
    pub boundary: Vec<Boundary>,
    /// What may touch what.
    pub contacts: Vec<Contact>,
    /// How contact problems are solved.
    pub contact_solver: ContactSolver,
    /// Time interval and scheme.
    pub time: Time,
    /// What is written.
    pub output: Output,
    /// Points whose motion is recorded.
    pub probes: Vec<Probe>,
    /// What it was made from, if it was made from a text.
    pub source: Option<Source>,
}

impl Model {
    /// Nothing yet.
    pub fn new(name: &str, section: Section, time: Time) -> Self {
        Model {
            name: name.to_owned(),
            title: name.to_owned(),
            section,
            materials: Vec::new(),
            bodies: Vec::new(),
            rigid: Vec::new(),
            obstacles: Vec::new(),
            boundary: Vec::new(),
            contacts: Vec::new(),
            contact_solver: ContactSolver::DEFAULT,
            output: Output::of(&time),
            time,
            probes: Vec::new(),
            source: None,
        }
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.section.dim()
    }

    /// Number of the deformable body with a name.
    ///
    /// # Errors
    /// There is none.
    pub fn body(&self, name: &str) -> Result<usize, Flaw> {
        numbered("body", name, self.bodies.iter().map(|body| &body.name))
    }

    /// Number of the rigid shape with a name.
    ///
    /// # Errors
    /// There is none.
    pub fn obstacle(&self, name: &str) -> Result<usize, Flaw> {
        numbered("obstacle", name, self.obstacles.iter().map(|obstacle| &obstacle.shape.name))
    }
}

fn numbered<'a>(
    kind: &'static str,
    name: &str,
    mut known: impl Iterator<Item = &'a String> + Clone,
) -> Result<usize, Flaw> {
    let all = known.clone();
    known.position(|other| other == name).ok_or_else(|| Flaw::Unknown {
        kind,
        name: name.to_owned(),
        known: all.cloned().collect(),
    })
}
