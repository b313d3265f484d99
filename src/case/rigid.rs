//! From an obstacle with mass to what makes it a rigid body.

use super::data::{Inertial, Obstacle};
use crate::bodies::{Guide, Path};
use crate::contact::detection::Coordinate;
use crate::model;

/// What makes an obstacle a body with mass, in `dim` dimensions. Its motion is that of axes that are not free.
pub(super) fn inertial(item: &Obstacle, inertial: &Inertial, dim: usize) -> model::Inertial {
    let shift = item.motion.iter().flat_map(|motion| motion.shift[..dim].iter().enumerate());
    let guide = |(axis, path): (usize, &Coordinate)| match path {
        Coordinate::Place(place) if place.is_zero() => None,
        Coordinate::Place(place) => Some(Guide { axis, path: Path::Place(place.clone()) }),
        Coordinate::Rate(rate) => Some(Guide { axis, path: Path::Rate(rate.clone()) }),
    };
    let inertial = inertial.clone();
    model::Inertial {
        mass: inertial.mass.value,
        centre: inertial.centre,
        inertia: inertial.inertia,
        guides: shift.filter(|(axis, _)| !inertial.free[*axis]).filter_map(guide).collect(),
        free: inertial.free,
        velocity: inertial.velocity,
        angular_velocity: inertial.angular_velocity,
        force: inertial.force,
        torque: inertial.torque,
        springs: inertial.springs,
        dashpots: inertial.dashpots,
    }
}
