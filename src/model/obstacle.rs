//! Rigid shapes: fixed, moved as prescribed, or bodies with mass.

use crate::bodies::Guide;
use crate::contact::detection::{self, Motion, Pose, Shape, Vector};
use crate::time::TimeFunction;

/// A rigid shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// The shape with its name, where it is placed, and how it moves from there; without a motion where it has mass.
    pub shape: detection::Obstacle,
    /// What makes it a body with mass. Default nothing.
    pub inertial: Option<Inertial>,
}

impl Obstacle {
    /// One that stands still.
    pub fn fixed(name: &str, shape: Shape) -> Self {
        let pose = Pose::new(Vector::zeros(), Vector::zeros(), Vector::zeros());
        Obstacle { shape: detection::Obstacle { name: name.to_owned(), shape, pose, motion: None }, inertial: None }
    }

    /// One that moves as prescribed.
    pub fn moved(name: &str, shape: Shape, motion: Motion) -> Self {
        let mut obstacle = Obstacle::fixed(name, shape);
        obstacle.shape.motion = Some(motion);
        obstacle
    }

    /// One that is a body with mass.
    pub fn rigid(name: &str, shape: Shape, inertial: Inertial) -> Self {
        Obstacle { inertial: Some(inertial), ..Obstacle::fixed(name, shape) }
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

/// What makes a rigid shape a body with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Its mass.
    pub mass: Mass,
    /// Centre of mass at rest. Default that of the shape, or the point of a half space.
    pub centre: Option<[f64; 3]>,
    /// Moments of inertia about the centre along the axes of space at rest; in the plane the last. Default those of the shape.
    pub inertia: Option<[f64; 3]>,
    /// Which unknowns are free: along the axes, then about them. Default all.
    pub free: Vec<bool>,
    /// How the centre moves along axes that are not free. Default not at all.
    pub guides: Vec<Guide>,
    /// Initial velocity of the centre.
    pub velocity: [f64; 3],
    /// Initial spin.
    pub angular_velocity: [f64; 3],
    /// Force at the centre along each axis.
    pub force: [TimeFunction; 3],
    /// Torque about each axis of space; in the plane the first.
    pub torque: [TimeFunction; 3],
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
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            force: [TimeFunction::ZERO; 3],
            torque: [TimeFunction::ZERO; 3],
            springs: [0.0; 3],
            dashpots: [0.0; 3],
        }
    }
}
