//! An obstacle over a step: where it is at the two ends, and how a body looks from there.
//!
//! The surface of a body is looked at from the moving obstacle, where the shape stands still: positions are taken into its
//! frame, normals come back from it.

use super::{Pose, Vector};
use crate::bodies::{Deformable, Span};
use crate::geometry::Motion;
use crate::time::Side;

/// Where an obstacle is at the two ends of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Course {
    motion: Option<Motion>,
    span: Span,
    start: Pose,
    end: Pose,
}

/// One of the two ends of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Its start.
    Start,
    /// Its end.
    End,
}

impl Course {
    pub(super) fn new(motion: Option<Motion>) -> Self {
        let rest = motion.as_ref().map_or_else(Pose::default, |m| m.pose(0.0));
        Course { motion, span: Span::default(), start: rest, end: rest }
    }

    /// Takes up a step.
    pub(super) fn begin(&mut self, span: &Span) {
        self.span = *span;
        if let Some(motion) = &self.motion {
            self.start = motion.pose(span.start);
            self.end = motion.pose(span.end());
        }
    }

    /// Puts an obstacle that a body carries where that body is.
    pub(super) fn carry(&mut self, moment: Moment, pose: Pose) {
        match moment {
            Moment::Start => self.start = pose,
            Moment::End => self.end = pose,
        }
    }

    /// The obstacle's frame.
    pub(super) fn pose(&self, moment: Moment) -> Pose {
        match moment {
            Moment::Start => self.start,
            Moment::End => self.end,
        }
    }

    /// Displacement over the step of the place of the obstacle that is at `x` at the given moment.
    pub(super) fn displacement(&self, moment: Moment, x: Vector) -> Vector {
        if self.motion.is_none() {
            return Vector::zeros();
        }
        let own = self.pose(moment).own(x);
        self.end.place(own) - self.start.place(own)
    }

    /// Velocities at the start and the end of the step of the place that is at `x` at its start.
    pub(super) fn velocities(&self, x: Vector) -> [Vector; 2] {
        let Some(motion) = &self.motion else { return [Vector::zeros(); 2] };
        let later = self.end.place(self.start.own(x));
        let (start, end) = (self.span.start, self.span.end());
        [motion.velocity(start, Side::After, x), motion.velocity(end, Side::Before, later)]
    }
}

/// A body as the obstacle sees it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) body: &'a Deformable,
    pub(super) u: &'a [f64],
    pub(super) pose: Pose,
    pub(super) moment: Moment,
}

impl Seen<'_> {
    /// Place of a node in the obstacle's frame.
    pub(super) fn position(&self, node: usize) -> Vector {
        self.pose.own(self.body.position(self.u, node))
    }
}
