//! Rigid shapes and rigid bodies: what stands still, moves as prescribed, or has mass.

use crate::bodies::{Guide, Turning};
use crate::geometry::{self, AnyShape, Motion, Pose};
use crate::time::TimeFunction;

/// A rigid shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// The shape with its name, where it is placed, and how it moves from there; without a motion where a body carries it.
    pub shape: geometry::Obstacle,
    /// The body with mass that carries it, a number in [`Model::rigid`](super::Model::rigid). Default none.
    pub carrier: Option<usize>,
}

impl Obstacle {
    /// One that stands still.
    pub fn fixed(name: &str, shape: impl Into<AnyShape>) -> Self {
        Obstacle { shape: geometry::Obstacle::new(name, shape), carrier: None }
    }

    /// One that moves as prescribed.
    pub fn moved(name: &str, shape: impl Into<AnyShape>, motion: Motion) -> Self {
        let mut obstacle = Obstacle::fixed(name, shape);
        obstacle.shape.motion = Some(motion);
        obstacle
    }

    /// A shape of a rigid body.
    pub fn carried(name: &str, shape: impl Into<AnyShape>, body: usize) -> Self {
        Obstacle { carrier: Some(body), ..Obstacle::fixed(name, shape) }
    }
}

/// A rigid body. Its shapes are those of the obstacles that it carries; it may have none.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Its name.
    pub name: String,
    /// Its mass and what acts on it.
    pub inertial: Inertial,
    /// Where centre, inertia and points are put. Its shapes have poses of their own.
    pub pose: Pose,
    /// Its named points, before it is put in its place.
    pub points: Vec<(String, [f64; 3])>,
}

impl RigidBody {
    /// Without points, in its own place.
    pub fn new(name: &str, inertial: Inertial) -> Self {
        let pose = Pose::default();
        RigidBody { name: name.to_owned(), inertial, pose, points: Vec::new() }
    }
}

/// Mass of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// All of it, in the plane that of the whole thickness.
    Total(f64),
    /// That of its volume.
    Density(f64),
}

/// Mass and what acts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Its mass.
    pub mass: Mass,
    /// Centre of mass at rest. Default that of the shapes, the point of a half space, or the origin.
    pub centre: Option<[f64; 3]>,
    /// Inertia about the centre along the axes of space at rest, of which the plane has the last entry. Default that of the shapes.
    pub inertia: Option<[[f64; 3]; 3]>,
    /// Which unknowns are free: along the axes, then about them. Default all.
    pub free: Vec<bool>,
    /// How the centre moves along axes that are not free. Default not at all.
    pub guides: Vec<Guide>,
    /// How it is turned where no rotation is free. Default not at all.
    pub turning: Option<Turning>,
    /// Initial velocity of the centre.
    pub velocity: [f64; 3],
    /// Initial spin.
    pub angular_velocity: [f64; 3],
    /// Forces and torques.
    pub pushes: Vec<Push>,
    /// Springs to ground along each axis.
    pub springs: [f64; 3],
    /// Dashpots to ground along each axis.
    pub dashpots: [f64; 3],
}

impl Inertial {
    /// Free and at rest, with the centre and inertia of its shape, in `dim` dimensions.
    pub fn new(mass: Mass, dim: usize) -> Self {
        Inertial {
            mass,
            centre: None,
            inertia: None,
            free: vec![true; if dim == 2 { 3 } else { 6 }],
            guides: Vec::new(),
            turning: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            pushes: Vec::new(),
            springs: [0.0; 3],
            dashpots: [0.0; 3],
        }
    }
}

/// A force, or a torque, in time.
#[derive(Debug, Clone, PartialEq)]
pub struct Push {
    /// Where it acts: a number in [`RigidBody::points`]; the centre of mass if none.
    pub at: Option<usize>,
    /// Whether it turns with the body.
    pub turns: bool,
    /// Force along each axis.
    pub force: [TimeFunction; 3],
    /// Torque about each axis; in the plane about the one across it, the last.
    pub torque: [TimeFunction; 3],
}
