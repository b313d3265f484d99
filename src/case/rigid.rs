//! From a rigid body of a case to that of a model.

use nalgebra::Unit;

use super::data::{Motion, RigidBody};
use super::loads::Turn;
use crate::bodies::{Guide, Path, Turning};
use crate::geometry::{Coordinate, Pose};
use crate::model;

/// The body, in `dim` dimensions. Its motion is that of axes that are not free.
pub(super) fn build(item: &RigidBody, dim: usize) -> model::RigidBody {
    let inertial = item.inertial.clone();
    let (place, motion) = (item.place, item.motion.as_ref());
    model::RigidBody {
        name: item.name.value.clone(),
        pose: Pose::new(place.turn.into(), place.about.into(), place.shift.into()),
        points: item.points.clone(),
        inertial: model::Inertial {
            mass: inertial.mass.value,
            centre: inertial.centre,
            inertia: inertial.inertia,
            guides: motion.map_or_else(Vec::new, |motion| guides(motion, &inertial.free[..dim])),
            turning: motion.and_then(turning),
            free: inertial.free,
            velocity: inertial.velocity,
            angular_velocity: inertial.angular_velocity,
            pushes: inertial.pushes,
            springs: inertial.springs,
            dashpots: inertial.dashpots,
        },
    }
}

fn guides(motion: &Motion, free: &[bool]) -> Vec<Guide> {
    let held = motion.shift.iter().zip(free).enumerate().filter(|(_, (_, free))| !**free);
    let guide = |(axis, (path, _)): (usize, (&Coordinate, &bool))| match path {
        Coordinate::Place(place) if place.is_zero() => None,
        Coordinate::Place(place) => Some(Guide { axis, path: Path::Place(place.clone()) }),
        Coordinate::Rate(rate) => Some(Guide { axis, path: Path::Rate(rate.clone()) }),
    };
    held.filter_map(guide).collect()
}

fn turning(motion: &Motion) -> Option<Turning> {
    let (_, axis, turn) = motion.rotation.as_ref()?;
    let path = match turn {
        Turn::Angle(degrees) => Path::Place(degrees.times(1f64.to_radians())),
        Turn::Rate(rate) => Path::Rate(rate.clone()),
    };
    Some(Turning { axis: Unit::new_normalize((*axis).into()), path })
}
