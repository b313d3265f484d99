//! One of two rigid shapes: where it is, and the places of it that are held outside the other.

use super::super::motion::Moment;
use super::super::{Pose, Vector};
use crate::bodies::Rigid;
use crate::geometry::{Corner, Obstacle};

/// Where a rigid body is: the pose of its shape and its centre of mass.
#[derive(Debug, Clone, Copy, Default)]
pub struct RigidPlace {
    /// From rest to the place.
    pub pose: Pose,
    /// Centre of mass.
    pub centre: Vector,
}

impl RigidPlace {
    /// Of a body with displacements `u`.
    pub fn of(body: &Rigid, u: &[f64]) -> Self {
        let centre = body.centre(u);
        RigidPlace { pose: Pose::carried(body.rotation(u), body.rest_centre(), centre), centre }
    }
}

/// One of the two.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// The body that carries it; none for an obstacle.
    pub(super) body: Option<usize>,
    pub(super) shape: Obstacle,
    pub(super) corners: Vec<Corner>,
    /// A ball around it at rest, if it has an end in every direction.
    pub(super) around: Option<(Vector, f64)>,
    /// Half its width where it is narrowest.
    pub(super) half_width: f64,
    /// Where it is at the start and the end of the step.
    pub(super) placed: [RigidPlace; 2],
}

/// A place of the slave that is held outside the master, at rest.
pub(super) struct Feature<'a> {
    pub(super) number: u32,
    pub(super) core: Vector,
    pub(super) radius: f64,
    /// Normals of the faces that meet at a corner.
    pub(super) normals: &'a [Vector],
    /// Whether it is always the same place of the body.
    pub(super) material: bool,
}

impl Side {
    pub(super) fn new((body, shape): (Option<usize>, Obstacle)) -> Self {
        let corners = shape.corners();
        let around = shape.enclosing_ball();
        let half_width = shape.half_width();
        Side { body, shape, corners, around, half_width, placed: [RigidPlace::default(); 2] }
    }

    /// Whether one feature stands for the whole surface.
    pub(super) fn is_ball(&self) -> bool {
        self.shape.ball().is_some_and(|(_, outward)| outward > 0.0)
    }

    /// Calls `visit` with every feature; of a rim with the points for the direction `towards`.
    pub(super) fn features(&self, towards: Vector, mut visit: impl FnMut(&Feature<'_>)) {
        for (k, corner) in self.corners.iter().enumerate() {
            let (number, core, normals) = (k as u32, corner.point, corner.normals.as_slice());
            visit(&Feature { number, core, radius: 0.0, normals, material: true });
        }
        let material = !self.shape.supports_move();
        for k in 0..self.shape.support_count() {
            if let Some(support) = self.shape.rolling_support(k, towards) {
                let number = (self.corners.len() + k) as u32;
                visit(&Feature { number, core: support.core, radius: support.radius, normals: &[], material });
            }
        }
    }

    pub(super) fn at(&self, moment: Moment) -> &RigidPlace {
        &self.placed[moment as usize]
    }
}
