//! From obstacles with mass to rigid bodies.

use nalgebra::Matrix3;

use super::boundary::constant_gravity;
use super::data::{self, Case, Inertial, Mass, Scheme};
use super::diagnostic::Diagnostic;
use super::loads::Boundary;
use crate::bodies::{BodyState, DeadLoad, Guide, Path, Rigid, RigidSpec, Span};
use crate::contact::detection::{Family, Level, Moment, RigidPair, RigidPairs, RigidPlace, RigidTerms};
use crate::geometry::{Bounds, Coordinate, Obstacle, Vector, shared};
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
pub(super) fn bodies(case: &Case, obstacles: &mut [Obstacle], problems: &mut Vec<Diagnostic>) -> Made {
    let shifts = push_out(case, obstacles);
    let mut made = Made::default();
    for ((item, obstacle), shift) in case.obstacles.iter().zip(&*obstacles).zip(shifts) {
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
        match body(case, item, (inertial, shift), obstacle) {
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
    (inertial, shift): (&Inertial, Vector),
    obstacle: &Obstacle,
) -> Result<(Rigid, BodyState), Box<Diagnostic>> {
    let dim = case.dimension();
    let name = &item.name.value;
    let solid = obstacle.solid();
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
    let centre = match inertial.centre {
        Some(centre) => Vector::from(centre) + shift,
        None => obstacle.endless().unwrap_or(about),
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

/// Moves rigid bodies that start inside something out of it, where a contact asks for it, along the shortest way: each of two bodies
/// with mass by half of it, along the directions in which it is free. Returns by how much each was moved.
fn push_out(case: &Case, obstacles: &mut [Obstacle]) -> Vec<Vector> {
    const ROUNDS: usize = 50;
    let mut shifts = vec![Vector::zeros(); obstacles.len()];
    for _ in 0..ROUNDS {
        let mut moved = false;
        for contact in case.rigid_contacts.iter().map(|contact| &contact.value).filter(|contact| contact.push_out) {
            let [first, second] = contact.between.each_ref().map(|list| list.iter().map(|&k| k as u32).collect());
            let balls: Vec<_> = obstacles.iter().map(Obstacle::enclosing_ball).collect();
            let around = |k: u32| match balls[k as usize] {
                // each may have moved by its own size in this round
                Some((centre, radius)) => Bounds { low: centre, high: centre }.inflated(2.0 * radius),
                None => Bounds::endless(),
            };
            let mut meeting = Vec::new();
            Family::new(0, first, second, false).meeting(around, |number, pair| meeting.push((number, pair)));
            meeting.sort_unstable();
            for (_, pair) in meeting {
                moved |= part(case, obstacles, &mut shifts, pair.map(|k| k as usize));
            }
        }
        if !moved {
            break;
        }
    }
    shifts
}

/// Moves two shapes off each other; whether they had to be and could be.
fn part(case: &Case, obstacles: &mut [Obstacle], shifts: &mut [Vector], [mut a, mut b]: [usize; 2]) -> bool {
    let inertial = |k: usize| case.obstacles[k].inertial.as_ref();
    if inertial(a).is_none() {
        (a, b) = (b, a);
    }
    let Some(heavy) = inertial(a) else { return false };
    let size = size(&obstacles[a], Vector::zeros());
    // any two numbers: the bodies are not made yet
    let second = (inertial(b).map(|_| 1), obstacles[b].clone());
    let mut pair = RigidPair::new(0, (0, obstacles[a].clone()), second, (case.dimension(), size), Level::Position);
    for moment in [Moment::Start, Moment::End] {
        pair.place(moment, |_| RigidPlace::default());
    }
    let Some((_, normal, depth)) = pair.deepest().filter(|(_, _, depth)| *depth > 1e-10 * size) else {
        return false;
    };
    let free =
        |body: &Inertial| Vector::from_fn(|i, _| if i < case.dimension() && body.free[i] { normal[i] } else { 0.0 });
    let ways = [free(heavy), inertial(b).map_or_else(Vector::zeros, free)];
    let rate = normal.dot(&(ways[0] + ways[1]));
    if rate <= 1e-3 {
        return false;
    }
    for (k, shift) in [(a, depth / rate * ways[0]), (b, -depth / rate * ways[1])] {
        obstacles[k].pose = obstacles[k].pose.shifted(shift);
        shifts[k] += shift;
    }
    true
}

/// Two of the named shapes whose contact the program does not know, and why: what has no end fills the space wherever it is, and of an
/// endless cylinder only balls and capsules see the side.
fn never_meeting(case: &Case, obstacles: &[Obstacle], between: &[Vec<usize>; 2]) -> Option<String> {
    let fills = |shape: &Obstacle| shape.endless().is_some() || shape.is_container() && shape.corners().is_empty();
    let endless = |k: usize| fills(&obstacles[k]);
    let rod = |k: usize| obstacles[k].curved_distance(Vector::zeros()).is_some() && obstacles[k].endless().is_some();
    let round = |k: usize| obstacles[k].support_count() > 0 && !obstacles[k].supports_move();
    for (own, other) in [(0, 1), (1, 0)] {
        for &a in between[own].iter().filter(|a| endless(**a)) {
            let heavy = |k: usize| case.obstacles[k].inertial.is_some();
            for &b in between[other].iter().filter(|b| **b != a && (heavy(a) || heavy(**b))) {
                let [first, second] = [a, b].map(|k| &obstacles[k].name);
                if endless(b) {
                    return Some(format!(
                        "`{first}` and `{second}` have no end and cannot meet from outside: make one of them a box or another solid"
                    ));
                }
                if rod(a) && !round(b) {
                    return Some(format!(
                        "`{first}` is a cylinder without end, which rigid bodies other than balls and capsules do not see: give it a `length`"
                    ));
                }
            }
        }
    }
    None
}

/// The contacts between rigid bodies, and with obstacles; none may overlap at the start.
pub(super) fn pairs(case: &Case, obstacles: &[Obstacle], made: &Made, problems: &mut Vec<Diagnostic>) -> RigidPairs {
    let mut pairs = RigidPairs::new(case.dimension());
    for (obstacle, carrier) in obstacles.iter().zip(&made.carriers) {
        let body = carrier.and_then(|number| Some((number, made.bodies.get(number - case.bodies.len())?.size())));
        pairs.add(obstacle.clone(), body);
    }
    // numbered behind the zones and pairs of deformable bodies
    let mut number = case.contacts.iter().map(|contact| contact.value.numbers()).sum::<usize>() as u32;
    for contact in &case.rigid_contacts {
        let data::RigidContact { between, friction, grain, level, restitution, search, .. } = &contact.value;
        let [first, second] = between.each_ref().map(|list| list.iter().map(|&k| k as u32).collect());
        let grain = grain.map(|(axis, carrier)| (axis.into(), carrier));
        let (friction, level, restitution, search) = (*friction, *level, *restitution, *search);
        let terms = RigidTerms { friction, grain, level, restitution, search };
        pairs.declare(Family::new(number, first, second, false), terms);
        number += contact.value.numbers() as u32;
    }
    if case.rigid_contacts.is_empty() {
        return pairs;
    }
    for contact in &case.rigid_contacts {
        problems.extend(never_meeting(case, obstacles, &contact.value.between).map(|message| contact.problem(message)));
    }
    let rest = |_: usize| RigidPlace::default();
    pairs.begin(&Span::default(), rest, rest);
    for pair in pairs.close_mut() {
        let (mut depth, tolerance) = (pair.penetration(), 1e-9 * pair.size());
        let mut at = pair.deepest().map_or_else(Vector::zeros, |(at, _, _)| at);
        if depth <= tolerance && pair.dim() == 2 {
            // in the plane nothing tells of solids that cross without a corner in each other
            let solids = pair.shapes();
            let balls = solids.iter().filter_map(|solid| solid.enclosing_ball());
            let smaller = balls.min_by(|a, b| a.1.total_cmp(&b.1));
            (at, depth) = smaller.and_then(|ball| shared(solids, ball, tolerance)).unwrap_or((at, depth));
        }
        if depth > tolerance {
            let ([first, second], place) = (pair.names(), format!("[{}, {}, {}]", at[0], at[1], at[2]));
            let message = format!("`{first}` starts {depth:.3e} m inside `{second}`, at {place}");
            let remedy = "bodies apart or just touching, or `overlap: push_out` to move what has mass";
            problems.extend(case.rigid_contact(pair.number).map(|contact| match contact.value.push_out {
                true => contact.problem(message),
                false => contact.problem(message).expecting(remedy),
            }));
        }
    }
    pairs
}
