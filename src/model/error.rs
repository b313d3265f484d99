//! What can be wrong with a model: each flaw with its names and numbers, and the part it is found at.

use std::fmt;

use super::Model;
use crate::bodies::BodyError;
use crate::integrator::StepError;
use crate::memory::{Free, amount};

/// The part of a model that a flaw is found at: a number in the list of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The model as a whole.
    Model,
    /// A material.
    Material(usize),
    /// A deformable body.
    Body(usize),
    /// A rigid shape.
    Obstacle(usize),
    /// A rigid body.
    Rigid(usize),
    /// A support or load.
    Boundary(usize),
    /// A contact.
    Contact(usize),
    /// A probe.
    Probe(usize),
}

/// A flaw and where it is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where.
    pub at: Place,
    /// The name of that part; empty where it has none.
    pub name: String,
    /// What.
    pub flaw: Flaw,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = (self.at.kind(), &self.name);
        match self.at {
            Place::Model => {}
            Place::Boundary(number) => write!(f, "{kind} {number}: ")?,
            _ => write!(f, "{kind} `{name}`: ")?,
        }
        write!(f, "{}", self.flaw)?;
        match &self.flaw {
            Flaw::UnknownSet { known, .. } => write!(f, ": one of {}", known.join(", ")),
            _ => Ok(()),
        }
    }
}

impl Place {
    fn kind(self) -> &'static str {
        match self {
            Place::Model => "model",
            Place::Material(_) => "material",
            Place::Body(_) => "body",
            Place::Obstacle(_) => "obstacle",
            Place::Rigid(_) => "rigid body",
            Place::Boundary(_) => "boundary",
            Place::Contact(_) => "contact",
            Place::Probe(_) => "probe",
        }
    }
}

/// Everything that is wrong with a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelError {
    /// Name of the model.
    pub model: String,
    /// The problems; at least one.
    pub problems: Vec<Problem>,
}

impl std::error::Error for ModelError {}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, problem) in self.problems.iter().enumerate() {
            let end = if k > 0 { "\n" } else { "" };
            write!(f, "{end}model `{}`: {problem}", self.model)?;
        }
        Ok(())
    }
}

/// What starts inside something else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Inside {
    /// A node, and how deep.
    Node(u32, [f64; 3], f64),
    /// A place of an edge of the body, and how deep.
    Edge([f64; 3], f64),
    /// The middle of a cell, and how deep.
    Cell(u32, [f64; 3], f64),
    /// A corner of the obstacle.
    Corner([f64; 3]),
    /// A place of the obstacle's surface.
    Surface([f64; 3]),
    /// A place of an edge that a curved obstacle crosses, and how deep.
    Ridge([f64; 3], f64),
    /// A place of the body, and how deep.
    Body([f64; 3], f64),
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |[x, y, z]: &[f64; 3]| format!("[{x}, {y}, {z}]");
        match self {
            Inside::Node(node, at, depth) => write!(f, "node {node} at {} is {depth:.3e} m deep", place(at)),
            Inside::Edge(at, depth) => write!(f, "an edge, at {} is {depth:.3e} m deep", place(at)),
            Inside::Cell(cell, at, depth) => {
                write!(f, "the middle of cell {cell} at {} is {depth:.3e} m deep", place(at))
            }
            Inside::Corner(at) => write!(f, "the obstacle's corner {} is inside the body", place(at)),
            Inside::Surface(at) => write!(f, "{} of the obstacle is inside the body", place(at)),
            Inside::Ridge(at, depth) => write!(f, "{} of an edge is {depth:.3e} m deep", place(at)),
            Inside::Body(at, depth) => write!(f, "{} of the body is {depth:.3e} m deep", place(at)),
        }
    }
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Flaw {
    /// A name that cannot name a group of the result file.
    #[error("`{0}` cannot be a name: it is empty or has a `/`")]
    Name(String),
    /// Two things of one kind share a name.
    #[error("the name `{0}` is taken")]
    Taken(String),
    /// Something is asked for by a name that nothing has.
    #[error("there is no {kind} `{name}`: one of {}", known.join(", "))]
    Unknown {
        /// `body`, `obstacle`.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Something is spoken of by a number that nothing has.
    #[error("there is no {kind} {number}: there are {count}")]
    Missing {
        /// `body`, `obstacle`, `material`.
        kind: &'static str,
        /// The number.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    Number {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A list of the wrong length.
    #[error("{what} has {got} items; it must have {expected}")]
    Length {
        /// Which one.
        what: &'static str,
        /// Its length.
        got: usize,
        /// What it must be.
        expected: usize,
    },
    /// Nothing can move.
    #[error("there is no body")]
    Empty,
    /// A mesh of the other space.
    #[error("the mesh of body `{body}` has {mesh} dimensions, the model {model}")]
    Dimension {
        /// Name of the body.
        body: String,
        /// Dimensions of its mesh.
        mesh: usize,
        /// Those of the model.
        model: usize,
    },
    /// Steps that follow the stable one, of a scheme that has none.
    #[error("steps follow the stable one in explicit schemes only")]
    NoStableStep,
    /// A set that the mesh does not have.
    #[error("body `{body}` has no {kind} set `{set}`")]
    UnknownSet {
        /// Name of the body.
        body: String,
        /// `node` or `face`.
        kind: &'static str,
        /// Name of the set.
        set: String,
        /// The sets there are.
        known: Vec<String>,
        /// Of a contact: whether it is the set of its second side.
        second: bool,
    },
    /// A set without anything in it.
    #[error("set `{set}` is empty: there is nothing to act on")]
    EmptySet {
        /// Name of the set.
        set: String,
    },
    /// A support that would move a place of a body of revolution off its axis.
    #[error("moves node {node} off the axis of the body")]
    OffAxis {
        /// The node.
        node: u32,
    },
    /// Two supports that move a node differently.
    #[error("node {node} of body `{body}` is already moved along {axis} by boundary {first}, and differently")]
    MovedTwice {
        /// The node.
        node: usize,
        /// Name of the body.
        body: String,
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// Number of the support that came first.
        first: usize,
    },
    /// A body of revolution beyond its axis.
    #[error("node {node} at [{}, {}] lies beyond the axis x = 0", at[0], at[1])]
    BeyondAxis {
        /// The node.
        node: usize,
        /// Where it is.
        at: [f64; 2],
    },
    /// A body of revolution that starts to leave its axis.
    #[error("the body touches the axis: a radial velocity of {velocity} would tear it")]
    TornAtAxis {
        /// The radial velocity.
        velocity: f64,
    },
    /// A scheme that knows no rigid bodies.
    #[error("rigid body `{body}` has mass, and only the schemes `jean` and `explicit` move it")]
    NoRigidScheme {
        /// Name of the body.
        body: String,
    },
    /// A density of something without volume.
    #[error("{}: a density says nothing of its mass", lacks(body, *shapes))]
    NoVolume {
        /// Name of the body.
        body: String,
        /// How many shapes it has.
        shapes: usize,
    },
    /// Something that turns and has no inertia.
    #[error("{} to compute its inertia from", lacks(body, *shapes))]
    NoInertia {
        /// Name of the body.
        body: String,
        /// How many shapes it has.
        shapes: usize,
    },
    /// A body that starts inside an obstacle.
    #[error("body `{body}` starts inside obstacle `{obstacle}`: {inside}")]
    InObstacle {
        /// Name of the body.
        body: String,
        /// Name of the obstacle.
        obstacle: String,
        /// What of it.
        inside: Inside,
        /// Whether it was tried to push it out.
        pushed: bool,
    },
    /// A body that starts inside another.
    #[error("body `{body}` starts inside body `{other}`: {inside}")]
    InBody {
        /// Name of the body.
        body: String,
        /// Name of the other.
        other: String,
        /// What of it.
        inside: Inside,
        /// Whether it was tried to push it out.
        pushed: bool,
    },
    /// A body that pushing out has crushed.
    #[error("body `{body}` lies too deep inside to be pushed out: {defect}")]
    TooDeep {
        /// Name of the body.
        body: String,
        /// What is wrong with its mesh then.
        defect: String,
    },
    /// A rigid body that starts inside another or an obstacle.
    #[error("`{body}` starts {depth:.3e} m inside `{other}`, at [{}, {}, {}]", at[0], at[1], at[2])]
    RigidOverlap {
        /// Name of the first.
        body: String,
        /// Name of the second.
        other: String,
        /// How deep.
        depth: f64,
        /// Where.
        at: [f64; 3],
        /// Whether it was tried to push it out.
        pushed: bool,
    },
    /// Two shapes that fill the space wherever they are.
    #[error(
        "`{first}` and `{second}` have no end and cannot meet from outside: make one of them a box or another solid"
    )]
    Endless {
        /// Name of the first.
        first: String,
        /// Name of the second.
        second: String,
    },
    /// A shape that others do not see.
    #[error(
        "`{rod}` is a cylinder without end, which rigid bodies other than balls and capsules do not see: give it a `length`"
    )]
    EndlessCylinder {
        /// Name of the cylinder.
        rod: String,
    },
    /// Contact at velocity level under a scheme that has no velocity of an impact.
    #[error("contact at velocity level needs the scheme `jean`")]
    VelocityLevel,
    /// A probe off its body.
    #[error("[{}, {}, {}] lies outside body `{body}`", at[0], at[1], at[2])]
    ProbeOutside {
        /// Where it is.
        at: [f64; 3],
        /// Name of the body.
        body: String,
    },
    /// A velocity where time does not count.
    #[error("body `{body}` has a velocity, which a quasi_static case ignores: leave it out")]
    StaticVelocity {
        /// Name of the body.
        body: String,
    },
    /// Damping where time does not count.
    #[error("body `{body}` has damping or dashpots, which do nothing without velocities: leave them out")]
    StaticDamping {
        /// Name of the body.
        body: String,
    },
    /// A body without equilibrium.
    #[error("body `{body}` is held by nothing: a quasi_static case needs supports or springs to ground")]
    HeldByNothing {
        /// Name of the body.
        body: String,
    },
    /// A body that cannot be made.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// Explicit steps that cannot be made.
    #[error(transparent)]
    Step(#[from] StepError),
    /// More than the machine has room for: the model itself may be right.
    #[error("{cells} elements with their matrices take about {}; {free}", amount(*.needed))]
    TooLarge {
        /// Elements.
        cells: usize,
        /// Bytes.
        needed: u64,
        /// What there is.
        free: Free,
    },
}

/// What a body lacks whose mass or inertia cannot be computed.
fn lacks(body: &str, shapes: usize) -> String {
    match shapes {
        0 => format!("`{body}` has no shapes"),
        1 => format!("the shape of `{body}` has no volume"),
        _ => format!("a shape of `{body}` has no volume"),
    }
}

/// Problems of a model found so far.
#[derive(Debug)]
pub(super) struct Problems {
    names: Names,
    list: Vec<Problem>,
}

/// The names of a model and of its parts.
#[derive(Debug)]
struct Names {
    model: String,
    materials: Vec<String>,
    bodies: Vec<String>,
    obstacles: Vec<String>,
    rigid: Vec<String>,
    contacts: Vec<String>,
    probes: Vec<String>,
}

impl Problems {
    pub(super) fn of(model: &Model) -> Self {
        let names = Names {
            model: model.name.clone(),
            materials: model.materials.iter().map(|material| material.name.clone()).collect(),
            bodies: model.bodies.iter().map(|body| body.name.clone()).collect(),
            obstacles: model.obstacles.iter().map(|obstacle| obstacle.shape.name.clone()).collect(),
            rigid: model.rigid.iter().map(|body| body.name.clone()).collect(),
            contacts: model.contacts.iter().map(|contact| contact.name.clone()).collect(),
            probes: model.probes.iter().map(|probe| probe.name.clone()).collect(),
        };
        Problems { names, list: Vec::new() }
    }

    pub(super) fn add(&mut self, at: Place, flaw: impl Into<Flaw>) {
        let of = |names: &[String], number: usize| names.get(number).cloned().unwrap_or_default();
        let name = match at {
            Place::Model | Place::Boundary(_) => String::new(),
            Place::Material(number) => of(&self.names.materials, number),
            Place::Body(number) => of(&self.names.bodies, number),
            Place::Obstacle(number) => of(&self.names.obstacles, number),
            Place::Rigid(number) => of(&self.names.rigid, number),
            Place::Contact(number) => of(&self.names.contacts, number),
            Place::Probe(number) => of(&self.names.probes, number),
        };
        self.list.push(Problem { at, name, flaw: flaw.into() });
    }

    /// Goes on where there are none.
    pub(super) fn none(&mut self) -> Result<(), ModelError> {
        if self.list.is_empty() {
            return Ok(());
        }
        Err(ModelError { model: self.names.model.clone(), problems: std::mem::take(&mut self.list) })
    }
}
