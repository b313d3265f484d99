//! Rims of cylinders and cones on another solid.

use super::super::Vector;
use super::super::motion::Moment;
use super::{Feature, Level, RigidPair};
use crate::geometry::Touch;
use crate::geometry::apart::Apart;

/// A place of a rim that came first in an iteration of the step. On a rim that lies flat the first place is another one with the least
/// tilt: held alone, it would let the next one in. Those of all iterations together hold the rim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noted {
    slave: usize,
    core: Vector,
}

impl RigidPair {
    /// The points of a slave's rims that come first to each face of the master within reach. On a curved master they are found
    /// by turns: the point for a normal, the normal there.
    pub(super) fn rims(
        &self,
        slave: usize,
        moment: Moment,
        between: Option<&Apart>,
        (touches, noted): (&mut Vec<Touch>, &mut Vec<Noted>),
        consider: &mut dyn FnMut(&Feature<'_>, &Touch),
    ) {
        let (side, master) = (&self.sides[slave], &self.sides[1 - slave]);
        let (here, there) = (side.at(moment), master.at(moment));
        let seen = |x: Vector| there.pose.own(here.pose.place(x));
        let count = side.shape.support_count();
        let place = |k: usize, towards: Vector| {
            let direction = here.pose.own_direction(there.pose.turn(towards));
            side.shape.rolling_support(k, direction).map(|support| support.core)
        };
        // a container has up to six walls; a solid shows one face
        let mut normals = [Vector::zeros(); 6];
        let mut found = 1;
        if let Some(between) = between {
            let normal = if slave == 0 { between.normal } else { -between.normal };
            normals[0] = there.pose.own_direction(normal);
        } else {
            // the first point of each rim, or the tip
            let ends =
                [0, count / 2].map(|k| place(k, Vector::x()).or_else(|| place(k + 1, Vector::x())).unwrap_or_default());
            touches.clear();
            let middle = seen(0.5 * (ends[0] + ends[1]));
            master.shape.touches(middle, self.reach + self.size, f64::INFINITY, touches);
            found = touches.len().min(normals.len());
            normals.iter_mut().zip(touches.iter()).for_each(|(normal, touch)| *normal = touch.normal);
        }
        let known = noted.len();
        for normal in normals[..found].iter().copied() {
            for k in 0..count {
                let mut normal = normal;
                for turn in 0..=Self::TURNS {
                    let Some(core) = place(k, -normal) else { break };
                    touches.clear();
                    master.shape.touches(seen(core), f64::INFINITY, f64::INFINITY, touches);
                    let along = |touch: &Touch| touch.normal.dot(&normal);
                    let Some(touch) = touches.iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied() else {
                        break;
                    };
                    if turn == Self::TURNS || along(&touch) > 1.0 - 1e-12 {
                        let feature = Feature { number: k as u32, core, radius: 0.0, normals: &[], material: false };
                        consider(&feature, &touch);
                        if k % (count / 2).max(1) == 0 && self.is_flat(slave, moment, &touch) {
                            noted.push(Noted { slave, core });
                        }
                        break;
                    }
                    normal = touch.normal;
                }
            }
        }
        // what was noted before is fixed to the body; beside a place of this iteration it says nothing new
        let mut kept = 0;
        for k in 0..noted.len() {
            let place = noted[k];
            let beside = |new: &Noted| new.slave == slave && (new.core - place.core).norm() < Self::BESIDE * self.size;
            if k < known && place.slave == slave {
                if noted[known..].iter().any(beside) {
                    continue;
                }
                let number = (count + kept) as u32;
                let feature = Feature { number, core: place.core, radius: 0.0, normals: &[], material: true };
                touches.clear();
                master.shape.touches(seen(place.core), self.reach, self.depth, touches);
                touches.iter().for_each(|touch| consider(&feature, touch));
            }
            noted[kept] = place;
            kept += 1;
        }
        noted.truncate(kept.min(Self::MOST_NOTED));
    }

    /// Whether a rim lies almost flat on what it touches: there a small tilt takes its first place anywhere around it.
    fn is_flat(&self, slave: usize, moment: Moment, touch: &Touch) -> bool {
        let (side, master) = (&self.sides[slave], &self.sides[1 - slave]);
        let Some(axis) = side.shape.rim_axis() else { return false };
        let axis = side.at(moment).pose.turn(axis);
        self.level == Level::Position && master.at(moment).pose.turn(touch.normal).cross(&axis).norm() < Self::TILT
    }

    /// Sine of the tilt below which a rim counts as almost flat.
    const TILT: f64 = 0.1;

    /// Share of its size within which places of a rim count as one.
    pub(super) const BESIDE: f64 = 1e-2;

    const MOST_NOTED: usize = 24;

    /// Turns in which the point of a rim nearest to a curved master is found.
    const TURNS: usize = 4;
}
