//! From obstacles with mass to rigid bodies.

use nalgebra::{Matrix3, Unit};

use super::boundary::constant_gravity;
use super::data::{self, Case, Inertial, Mass, Push, RigidBody, Scheme};
use super::diagnostic::Diagnostic;
use super::loads::{Boundary, Turn};
use super::overlap::shared;
use crate::bodies::{self, BodyState, DeadLoad, Guide, Path, Rigid, RigidSpec, Span, Turning};
use crate::contact::detection::bvh::Bounds;
use crate::contact::detection::shapes::{Core, Solid, enclosing_ball};
use crate::contact::detection::{
    Coordinate, Family, Level, Moment, Obstacle, Pose, RigidPair, RigidPairs, RigidPlace, RigidTerms, Shape, Vector,
};
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
    for (number, (item, shift)) in case.rigid.iter().zip(shifts).enumerate() {
        let name = &item.name.value;
        if !matches!(case.time.scheme, Scheme::Jean { .. } | Scheme::Explicit { .. }) {
            let message = format!("rigid body `{name}` has mass, and only the schemes `jean` and `explicit` move it");
            let expected = "`scheme: jean`, `scheme: explicit`, or a `motion` instead of mass";
            problems.push(item.inertial.mass.problem(message).expecting(expected));
            continue;
        }
        let carried = case.obstacles.iter().zip(&*obstacles).filter(|(shape, _)| shape.carrier == Some(number));
        let shapes: Vec<&Obstacle> = carried.map(|(_, shape)| shape).collect();
        match body(case, item, shift, &shapes) {
            Ok((body, state)) => {
                made.bodies.push(body);
                made.states.push(state);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    made.carriers = case.obstacles.iter().map(|shape| shape.carrier.map(|k| case.bodies.len() + k)).collect();
    made
}

/// Mass, centre and inertia of a body.
struct Inertia {
    mass: f64,
    centre: Vector,
    tensor: Matrix3<f64>,
}

/// Those that are given, and for the rest those of the shapes, all of one density.
fn inertia(
    case: &Case,
    item: &RigidBody,
    (pose, shift): (&Pose, Vector),
    shapes: &[&Obstacle],
) -> Result<Inertia, Box<Diagnostic>> {
    let dim = case.dimension();
    let (inertial, name) = (&item.inertial, &item.name.value);
    let solids: Option<Vec<Solid>> = shapes.iter().map(|shape| Solid::of(shape)).collect();
    let solids = solids.filter(|solids| !solids.is_empty());
    let whose = if shapes.len() == 1 { "the shape" } else { "not every shape" };
    let has = if shapes.len() == 1 { "has no volume" } else { "has a volume" };
    let lacks =
        if shapes.is_empty() { format!("`{name}` has no shapes") } else { format!("{whose} of `{name}` {has}") };
    let volume: f64 = solids.iter().flatten().map(|solid| solid.volume).sum();
    let thickness = if dim == 2 { case.thickness } else { 1.0 };
    let mass = match (inertial.mass.value, &solids) {
        (Mass::Total(mass), _) => mass,
        (Mass::Density(density), Some(_)) => density * volume * thickness,
        (Mass::Density(_), None) => {
            let message = format!("{lacks}: a density says nothing of its mass");
            return Err(Box::new(inertial.mass.problem(message).expecting("`mass` instead")));
        }
    };
    let centre = match (inertial.centre, &solids, shapes) {
        (Some(centre), ..) => pose.place(Vector::from(centre)) + shift,
        (None, Some(solids), [_]) => solids[0].centre,
        (None, Some(solids), _) => solids.iter().map(|solid| solid.volume * solid.centre).sum::<Vector>() / volume,
        (None, None, [shape]) => match &shape.shape {
            Shape::HalfSpace { point, .. } => shape.pose.place(*point),
            _ => Vector::zeros(),
        },
        (None, None, _) => pose.place(Vector::zeros()) + shift,
    };
    let turns = inertial.free[dim..].iter().any(|free| *free);
    let tensor = match (inertial.inertia, &solids) {
        (Some(rows), _) => {
            let axes = Matrix3::from_columns(&[Vector::x(), Vector::y(), Vector::z()].map(|axis| pose.turn(axis)));
            axes * Matrix3::from_fn(|i, j| rows[i][j]) * axes.transpose()
        }
        (None, Some(solids)) => {
            // Steiner: the mass of each shape about a centre that is not its own
            let about = |solid: &Solid| {
                let d = centre - solid.centre;
                let share = mass * (solid.volume / volume);
                (solid.inertia / solid.volume + Matrix3::identity() * d.norm_squared() - d * d.transpose()) * share
            };
            solids.iter().map(about).sum()
        }
        (None, None) if turns => {
            let message = match shapes.len() {
                0 => format!("{lacks} to compute its inertia from"),
                1 => format!("the shape of `{name}` has no volume to compute its inertia from"),
                _ => format!("{lacks} to compute its inertia from"),
            };
            return Err(Box::new(inertial.mass.problem(message).expecting("`inertia`, or `free` without rotation")));
        }
        (None, None) => Matrix3::identity() * mass,
    };
    Ok(Inertia { mass, centre, tensor })
}

fn body(
    case: &Case,
    item: &RigidBody,
    shift: Vector,
    shapes: &[&Obstacle],
) -> Result<(Rigid, BodyState), Box<Diagnostic>> {
    let dim = case.dimension();
    let inertial = &item.inertial;
    let pose = Pose::new(item.place.turn.into(), item.place.about.into(), item.place.shift.into());
    let Inertia { mass, centre, tensor } = inertia(case, item, (&pose, shift), shapes)?;
    let arms: Vec<Vector> = item.points.iter().map(|(_, at)| pose.place((*at).into()) + shift - centre).collect();
    let reach =
        shapes.iter().map(|shape| reach(shape, centre)).chain(arms.iter().map(Vector::norm)).fold(0.0, f64::max);
    // without any place of its own a body is as large as a ring of its mass and inertia
    let gyration = (tensor.diagonal().max() / mass).sqrt();
    let size = match reach {
        0.0 if shapes.is_empty() && gyration.is_finite() => 2.0 * gyration,
        0.0 => 1.0,
        reach => 2.0 * reach,
    };
    let free = inertial.free.clone();
    let spec = RigidSpec { name: item.name.value.clone(), dim, mass, centre, inertia: tensor, free, size };
    let mut body = Rigid::new(spec).map_err(|error| Box::new(item.name.problem(error.to_string())))?;
    body.points = item.points.iter().map(|(name, _)| name.clone()).zip(arms.iter().copied()).collect();
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
    for push in &inertial.pushes {
        let Push { at: None, turns: false, force, torque } = push else { continue };
        let forces = force[..dim].iter().enumerate();
        let about = if dim == 2 { &torque[2..] } else { &torque[..] };
        let torques = about.iter().enumerate().map(|(k, torque)| (dim + k, torque));
        for (dof, load) in forces.chain(torques).filter(|(_, load)| !load.is_zero()) {
            act(load.clone(), vec![(dof as u32, 1.0)]);
        }
    }
    for push in inertial.pushes.iter().filter(|push| push.at.is_some() || push.turns) {
        let arm = push.at.map_or_else(Vector::zeros, |k| arms[k]);
        let (force, torque) = (push.force.clone(), push.torque.clone());
        body.pushes.push(bodies::Push { arm, turns: push.turns, force, torque });
    }
    let bedding = |values: &[f64; 3]| (0..dim).filter(|&i| values[i] != 0.0).map(|i| (i as u32, values[i])).collect();
    body.loads.springs = bedding(&inertial.springs);
    body.loads.dashpots = bedding(&inertial.dashpots);
    if let Some(motion) = &item.motion {
        guide(&mut body, motion, &inertial.free);
    }
    let state = body.initial_state(inertial.velocity.into(), inertial.angular_velocity.into());
    Ok((body, state))
}

/// Moves a body along the axes that are not free, and turns it where no rotation is.
fn guide(body: &mut Rigid, motion: &data::Motion, free: &[bool]) {
    for (axis, path) in motion.shift[..body.dim()].iter().enumerate().filter(|(axis, _)| !free[*axis]) {
        let path = match path {
            Coordinate::Place(place) if place.is_zero() => continue,
            Coordinate::Place(place) => Path::Place(place.clone()),
            Coordinate::Rate(rate) => Path::Rate(rate.clone()),
        };
        body.guides.push(Guide { axis, path });
    }
    if let Some((_, axis, turn)) = &motion.rotation {
        let path = match turn {
            Turn::Angle(degrees) => Path::Place(degrees.times(1f64.to_radians())),
            Turn::Rate(rate) => Path::Rate(rate.clone()),
        };
        body.turning = Some(Turning { axis: Unit::new_normalize((*axis).into()), path });
    }
}

/// The largest distance of a shape's places from a centre; zero for what has no end.
fn reach(shape: &Obstacle, centre: Vector) -> f64 {
    let corners = shape.corners().into_iter().map(|c| (c.point - centre).norm());
    // all of them, whichever way they face
    let ends = (0..shape.support_count()).filter_map(|k| shape.rolling_support(k, Vector::x()));
    corners.chain(ends.map(|s| (s.core - centre).norm() + s.radius)).fold(0.0, f64::max)
}

/// Moves rigid bodies that start inside something out of it, where a contact asks for it, along the shortest way: each of two bodies
/// with mass by half of it, along the directions in which it is free. Returns by how much each body was moved.
fn push_out(case: &Case, obstacles: &mut [Obstacle]) -> Vec<Vector> {
    const ROUNDS: usize = 50;
    let mut shifts = vec![Vector::zeros(); case.rigid.len()];
    for _ in 0..ROUNDS {
        let mut moved = false;
        for contact in case.rigid_contacts.iter().map(|contact| &contact.value).filter(|contact| contact.push_out) {
            let [first, second] = contact.between.each_ref().map(|list| list.iter().map(|&k| k as u32).collect());
            let balls: Vec<_> = obstacles.iter().map(enclosing_ball).collect();
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
    let inertial = |k: usize| case.obstacles[k].carrier.map(|body| &case.rigid[body].inertial);
    if case.obstacles[a].carrier == case.obstacles[b].carrier {
        return false;
    }
    if inertial(a).is_none() {
        (a, b) = (b, a);
    }
    let Some(heavy) = inertial(a) else { return false };
    let size = match reach(&obstacles[a], Vector::zeros()) {
        0.0 => 1.0,
        reach => 2.0 * reach,
    };
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
        let Some(body) = case.obstacles[k].carrier else { continue };
        shifts[body] += shift;
        for (shape, _) in obstacles.iter_mut().zip(&case.obstacles).filter(|(_, item)| item.carrier == Some(body)) {
            shape.pose = shape.pose.shifted(shift);
        }
    }
    true
}

/// Two of the named shapes whose contact the program does not know, and why: what has no end fills the space wherever it is, and of an
/// endless cylinder only balls and capsules see the side.
fn never_meeting(case: &Case, obstacles: &[Obstacle], between: &[Vec<usize>; 2]) -> Option<String> {
    let endless = |k: usize| match &obstacles[k].shape {
        Shape::HalfSpace { .. } => true,
        Shape::Block(block) => block.inside,
        Shape::Round(round) => round.inside || matches!(round.core, Core::Line(..)),
        Shape::Revolved(solid) => solid.inside,
        Shape::Chain(_) | Shape::Surface(_) => false,
    };
    let rod =
        |k: usize| matches!(&obstacles[k].shape, Shape::Round(r) if !r.inside && matches!(r.core, Core::Line(..)));
    let round =
        |k: usize| matches!(&obstacles[k].shape, Shape::Round(r) if !r.inside && !matches!(r.core, Core::Line(..)));
    for (own, other) in [(0, 1), (1, 0)] {
        for &a in between[own].iter().filter(|a| endless(**a)) {
            let carrier = |k: usize| case.obstacles[k].carrier;
            for &b in between[other].iter().filter(|b| carrier(a) != carrier(**b)) {
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
            let balls = solids.iter().filter_map(|solid| enclosing_ball(solid));
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
