//! From obstacles with mass to rigid bodies.

use nalgebra::Matrix3;

use super::boundary::constant_gravity;
use super::data::{self, Case, Inertial, Mass, Scheme};
use super::diagnostic::Diagnostic;
use super::loads::Boundary;
use crate::bodies::{BodyState, DeadLoad, Guide, Path, Rigid, RigidSpec};
use crate::contact::detection::shapes::Solid;
use crate::contact::detection::{Coordinate, Moment, Obstacle, RigidPair, RigidPlace, Shape, Vector};
use crate::time::TimeFunction;

/// The rigid bodies of a case.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) bodies: Vec<Rigid>,
    pub(super) states: Vec<BodyState>,
    /// Number of the body that carries each obstacle; none for one that has no mass.
    pub(super) carriers: Vec<Option<usize>>,
}

/// Builds them; their numbers follow those of the deformable bodies.
pub(super) fn bodies(case: &Case, obstacles: &[Obstacle], problems: &mut Vec<Diagnostic>) -> Made {
    let mut made = Made::default();
    for (item, obstacle) in case.obstacles.iter().zip(obstacles) {
        let Some(inertial) = &item.inertial else {
            made.carriers.push(None);
            continue;
        };
        made.carriers.push(Some(case.bodies.len() + made.bodies.len()));
        let name = &item.name.value;
        if !matches!(case.time.scheme, Scheme::Jean { .. } | Scheme::Explicit { .. }) {
            let message = format!("rigid body `{name}` has mass, and only the schemes `jean` and `explicit` move it");
            let expected = "`scheme: jean`, `scheme: explicit`, or a `motion` instead of mass";
            problems.push(inertial.mass.problem(message).expecting(expected));
            continue;
        }
        match body(case, item, inertial, obstacle) {
            Ok((body, state)) => {
                made.bodies.push(body);
                made.states.push(state);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    made
}

fn body(
    case: &Case,
    item: &data::Obstacle,
    inertial: &Inertial,
    obstacle: &Obstacle,
) -> Result<(Rigid, BodyState), Box<Diagnostic>> {
    let dim = case.dimension();
    let name = &item.name.value;
    let solid = Solid::of(obstacle);
    let thickness = if dim == 2 { case.thickness } else { 1.0 };
    let mass = match (inertial.mass.value, &solid) {
        (Mass::Total(mass), _) => mass,
        (Mass::Density(density), Some(solid)) => density * solid.volume * thickness,
        (Mass::Density(_), None) => {
            let message = format!("the shape of `{name}` has no volume: a density says nothing of its mass");
            return Err(Box::new(inertial.mass.problem(message).expecting("`mass` instead")));
        }
    };
    let about = solid.map_or(Vector::zeros(), |solid| solid.centre);
    let centre = match (inertial.centre, &obstacle.shape) {
        (Some(centre), _) => Vector::from(centre),
        (None, Shape::HalfSpace { point, .. }) if solid.is_none() => obstacle.pose.place(*point),
        (None, _) => about,
    };
    let turns = inertial.free[dim..].iter().any(|free| *free);
    let inertia = match (inertial.inertia, &solid) {
        (Some(inertia), _) => Matrix3::from_diagonal(&Vector::from(inertia)),
        (None, Some(solid)) => {
            // Steiner: the mass of the shape about a centre that is not its own
            let d = centre - solid.centre;
            (solid.inertia / solid.volume + Matrix3::identity() * d.norm_squared() - d * d.transpose()) * mass
        }
        (None, None) if turns => {
            let message = format!("the shape of `{name}` has no volume to compute its inertia from");
            return Err(Box::new(inertial.mass.problem(message).expecting("`inertia`, or `free` without rotation")));
        }
        (None, None) => Matrix3::identity() * mass,
    };
    let spec = RigidSpec {
        name: name.clone(),
        dim,
        mass,
        centre,
        inertia,
        free: inertial.free.clone(),
        size: size(obstacle, centre),
    };
    let mut body = Rigid::new(spec).map_err(|error| Box::new(item.name.problem(error.to_string())))?;
    let mut act = |time: TimeFunction, forces: Vec<(u32, f64)>| {
        if !forces.is_empty() {
            body.loads.dead.push(DeadLoad { time, forces });
        }
    };
    let weight = |g: &[f64; 3]| (0..dim).filter(|&i| g[i] != 0.0).map(|i| (i as u32, mass * g[i])).collect();
    act(TimeFunction::Constant(1.0), weight(&constant_gravity(case)));
    for entry in &case.boundary {
        if let Boundary::Gravity { value, time } = &entry.value
            && !time.is_constant()
        {
            act(time.clone(), weight(value));
        }
    }
    let loads = inertial.force[..dim].iter().enumerate();
    let torques = inertial.torque.iter().enumerate().map(|(k, torque)| (dim + k, torque));
    for (dof, load) in loads.chain(torques).filter(|(_, load)| !load.is_zero()) {
        act(load.clone(), vec![(dof as u32, 1.0)]);
    }
    let bedding = |values: &[f64; 3]| (0..dim).filter(|&i| values[i] != 0.0).map(|i| (i as u32, values[i])).collect();
    body.loads.springs = bedding(&inertial.springs);
    body.loads.dashpots = bedding(&inertial.dashpots);
    if let Some(motion) = &item.motion {
        for (axis, path) in motion.shift[..dim].iter().enumerate().filter(|(axis, _)| !inertial.free[*axis]) {
            let path = match path {
                Coordinate::Place(place) if place.is_zero() => continue,
                Coordinate::Place(place) => Path::Place(place.clone()),
                Coordinate::Rate(rate) => Path::Rate(rate.clone()),
            };
            body.guides.push(Guide { axis, path });
        }
    }
    let state = body.initial_state(inertial.velocity.into(), inertial.angular_velocity.into());
    Ok((body, state))
}

/// Twice the largest distance from the centre; a metre for what has no end.
fn size(obstacle: &Obstacle, centre: Vector) -> f64 {
    let corners = obstacle.corners().into_iter().map(|c| (c.point - centre).norm());
    // all of them, whichever way they face
    let ends = (0..obstacle.support_count()).filter_map(|k| obstacle.rolling_support(k, Vector::x()));
    let farthest = corners.chain(ends.map(|s| (s.core - centre).norm() + s.radius)).fold(0.0, f64::max);
    if farthest > 0.0 { 2.0 * farthest } else { 1.0 }
}

/// The contacts between rigid bodies, and with obstacles; none may overlap at the start.
pub(super) fn pairs(
    case: &Case,
    obstacles: &[Obstacle],
    made: &Made,
    problems: &mut Vec<Diagnostic>,
) -> Vec<RigidPair> {
    let mut pairs = Vec::new();
    // numbered behind the zones and pairs of deformable bodies
    for (number, contact) in (case.contacts.len() as u32..).zip(&case.rigid_contacts) {
        let data::RigidContact { between: [first, second], friction, grain, level, restitution, search } =
            contact.value;
        let rigid = |k: usize| {
            let number = made.carriers[k]?;
            made.bodies.get(number - case.bodies.len()).map(|body| (number, body))
        };
        let Some((number_of_first, body)) = rigid(first) else { continue };
        let size = rigid(second).map_or(body.size(), |(_, other)| body.size().min(other.size()));
        let other = (made.carriers[second], obstacles[second].clone());
        let first = (number_of_first, obstacles[first].clone());
        let mut pair = RigidPair::new(number, first, other, (case.dimension(), size), level);
        (pair.friction, pair.restitution, pair.search) = (friction, restitution, search);
        pair.grain = grain.map(|(axis, carrier)| (axis.into(), carrier));
        for moment in [Moment::Start, Moment::End] {
            pair.place(moment, |_| RigidPlace::default());
        }
        let depth = pair.penetration();
        if depth > 1e-9 * size {
            let [first, second] = pair.names();
            problems.push(contact.problem(format!("`{first}` starts {depth:.3e} m inside `{second}`")));
        }
        pairs.push(pair);
    }
    pairs
}
