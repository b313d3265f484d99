//! From obstacles with mass to rigid bodies.

use nalgebra::Matrix3;

use super::boundary::constant_gravity;
use super::error::{Flaw, Place, Problems};
use super::{Between, Boundary, Inertial, Mass, Model, Push, RigidBody, Scheme};
use crate::bodies::{self, BodyState, DeadLoad, Rigid, RigidSpec, Span};
use crate::contact::detection::{Family, Level, Moment, RigidPair, RigidPairs, RigidPlace, RigidTerms};
use crate::geometry::{Bounds, Obstacle, Solid, Vector, shared};
use crate::time::TimeFunction;

/// The rigid bodies of a model.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) bodies: Vec<Rigid>,
    pub(super) states: Vec<BodyState>,
    /// Number of the body that carries each obstacle; none for one that has no mass.
    pub(super) carriers: Vec<Option<usize>>,
}

/// Builds them; their numbers follow those of the deformable bodies.
pub(super) fn bodies(model: &Model, obstacles: &mut [Obstacle], problems: &mut Problems) -> Made {
    let shifts = push_out(model, obstacles);
    let mut made = Made::default();
    for (number, (item, shift)) in model.rigid.iter().zip(shifts).enumerate() {
        if !matches!(model.time.scheme, Scheme::Jean { .. } | Scheme::Explicit { .. }) {
            problems.add(Place::Rigid(number), Flaw::NoRigidScheme { body: item.name.clone() });
            continue;
        }
        let carried = model.obstacles.iter().zip(&*obstacles).filter(|(shape, _)| shape.carrier == Some(number));
        let shapes: Vec<&Obstacle> = carried.map(|(_, shape)| shape).collect();
        match body(model, item, shift, &shapes) {
            Ok((body, state)) => {
                made.bodies.push(body);
                made.states.push(state);
            }
            Err(flaw) => problems.add(Place::Rigid(number), flaw),
        }
    }
    made.carriers = model.obstacles.iter().map(|shape| shape.carrier.map(|k| model.bodies.len() + k)).collect();
    made
}

/// Mass, centre and inertia of a body.
struct Inertia {
    mass: f64,
    centre: Vector,
    tensor: Matrix3<f64>,
}

/// Those that are given, and for the rest those of the shapes, all of one density.
fn inertia(model: &Model, item: &RigidBody, shift: Vector, shapes: &[&Obstacle]) -> Result<Inertia, Flaw> {
    let RigidBody { name, inertial, pose, .. } = item;
    let lacks = || (name.clone(), shapes.len());
    let solids: Option<Vec<Solid>> = shapes.iter().map(|shape| shape.solid()).collect();
    let solids = solids.filter(|solids| !solids.is_empty());
    let volume: f64 = solids.iter().flatten().map(|solid| solid.volume).sum();
    let mass = match (inertial.mass, &solids) {
        (Mass::Total(mass), _) => mass,
        (Mass::Density(density), Some(_)) => density * volume * model.section.thickness(),
        (Mass::Density(_), None) => {
            let (body, shapes) = lacks();
            return Err(Flaw::NoVolume { body, shapes });
        }
    };
    let centre = match (inertial.centre, &solids, shapes) {
        (Some(centre), ..) => pose.place(Vector::from(centre)) + shift,
        (None, Some(solids), [_]) => solids[0].centre,
        (None, Some(solids), _) => solids.iter().map(|solid| solid.volume * solid.centre).sum::<Vector>() / volume,
        (None, None, [shape]) => shape.endless().unwrap_or_else(Vector::zeros),
        (None, None, _) => pose.place(Vector::zeros()) + shift,
    };
    let turns = inertial.free[model.dim()..].iter().any(|free| *free);
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
            let (body, shapes) = lacks();
            return Err(Flaw::NoInertia { body, shapes });
        }
        (None, None) => Matrix3::identity() * mass,
    };
    Ok(Inertia { mass, centre, tensor })
}

fn body(model: &Model, item: &RigidBody, shift: Vector, shapes: &[&Obstacle]) -> Result<(Rigid, BodyState), Flaw> {
    let (dim, inertial) = (model.dim(), &item.inertial);
    let Inertia { mass, centre, tensor } = inertia(model, item, shift, shapes)?;
    let arms: Vec<Vector> = item.points.iter().map(|(_, at)| item.pose.place((*at).into()) + shift - centre).collect();
    let farthest = shapes.iter().map(|shape| reach(shape, centre)).chain(arms.iter().map(Vector::norm));
    // without any place of its own a body is as large as a ring of its mass and inertia
    let gyration = (tensor.diagonal().max() / mass).sqrt();
    let size = match farthest.fold(0.0, f64::max) {
        0.0 if shapes.is_empty() && gyration.is_finite() => 2.0 * gyration,
        0.0 => 1.0,
        reach => 2.0 * reach,
    };
    let free = inertial.free.clone();
    let spec = RigidSpec { name: item.name.clone(), dim, mass, centre, inertia: tensor, free, size };
    let mut body = Rigid::new(spec)?;
    body.points = item.points.iter().map(|(name, _)| name.clone()).zip(arms.iter().copied()).collect();
    load(model, &mut body, &item.inertial.pushes, &arms);
    let bedding = |values: &[f64; 3]| (0..dim).filter(|&i| values[i] != 0.0).map(|i| (i as u32, values[i])).collect();
    body.loads.springs = bedding(&inertial.springs);
    body.loads.dashpots = bedding(&inertial.dashpots);
    body.guides.clone_from(&inertial.guides);
    body.turning.clone_from(&inertial.turning);
    let state = body.initial_state(inertial.velocity.into(), inertial.angular_velocity.into());
    Ok((body, state))
}

/// Gravity, forces and torques; `arms` are those of its points.
fn load(model: &Model, body: &mut Rigid, pushes: &[Push], arms: &[Vector]) {
    let (dim, mass) = (model.dim(), body.mass());
    let mut act = |time: TimeFunction, forces: Vec<(u32, f64)>| {
        if !forces.is_empty() {
            body.loads.dead.push(DeadLoad { time, forces });
        }
    };
    let weight = |g: &[f64; 3]| (0..dim).filter(|&i| g[i] != 0.0).map(|i| (i as u32, mass * g[i])).collect();
    act(TimeFunction::Constant(1.0), weight(&constant_gravity(model)));
    for entry in &model.boundary {
        if let Boundary::Gravity { value, time } = entry
            && !time.is_constant()
        {
            act(time.clone(), weight(value));
        }
    }
    for push in pushes {
        let Push { at: None, turns: false, force, torque } = push else { continue };
        let forces = force[..dim].iter().enumerate();
        let about = if dim == 2 { &torque[2..] } else { &torque[..] };
        let torques = about.iter().enumerate().map(|(k, torque)| (dim + k, torque));
        for (dof, load) in forces.chain(torques).filter(|(_, load)| !load.is_zero()) {
            act(load.clone(), vec![(dof as u32, 1.0)]);
        }
    }
    for push in pushes.iter().filter(|push| push.at.is_some() || push.turns) {
        let arm = push.at.map_or_else(Vector::zeros, |k| arms[k]);
        let (force, torque) = (push.force.clone(), push.torque.clone());
        body.pushes.push(bodies::Push { arm, turns: push.turns, force, torque });
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
fn push_out(model: &Model, obstacles: &mut [Obstacle]) -> Vec<Vector> {
    const ROUNDS: usize = 50;
    let mut shifts = vec![Vector::zeros(); model.rigid.len()];
    for _ in 0..ROUNDS {
        let mut moved = false;
        for contact in model.contacts.iter().filter(|contact| contact.push_out) {
            let Between::Rigid { obstacles: between } = &contact.between else { continue };
            let [first, second] = between.each_ref().map(|list| list.iter().map(|&k| k as u32).collect());
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
                moved |= part(model, obstacles, &mut shifts, pair.map(|k| k as usize));
            }
        }
        if !moved {
            break;
        }
    }
    shifts
}

/// Moves two shapes off each other; whether they had to be and could be.
fn part(model: &Model, obstacles: &mut [Obstacle], shifts: &mut [Vector], [mut a, mut b]: [usize; 2]) -> bool {
    let (carrier, dim) = (|k: usize| model.obstacles[k].carrier, model.dim());
    let inertial = |k: usize| carrier(k).map(|body| &model.rigid[body].inertial);
    if carrier(a) == carrier(b) {
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
    let mut pair = RigidPair::new(0, (0, obstacles[a].clone()), second, (dim, size), Level::Position);
    for moment in [Moment::Start, Moment::End] {
        pair.place(moment, |_| RigidPlace::default());
    }
    let Some((_, normal, depth)) = pair.deepest().filter(|(_, _, depth)| *depth > 1e-10 * size) else {
        return false;
    };
    let free = |body: &Inertial| Vector::from_fn(|i, _| if i < dim && body.free[i] { normal[i] } else { 0.0 });
    let ways = [free(heavy), inertial(b).map_or_else(Vector::zeros, free)];
    let rate = normal.dot(&(ways[0] + ways[1]));
    if rate <= 1e-3 {
        return false;
    }
    for (k, shift) in [(a, depth / rate * ways[0]), (b, -depth / rate * ways[1])] {
        let Some(body) = carrier(k) else { continue };
        shifts[body] += shift;
        for (shape, _) in obstacles.iter_mut().zip(&model.obstacles).filter(|(_, item)| item.carrier == Some(body)) {
            shape.pose = shape.pose.shifted(shift);
        }
    }
    true
}

/// Two of the named shapes whose contact the program does not know, and why: what has no end fills the space wherever it is, and of an
/// endless cylinder only balls and capsules see the side.
fn never_meeting(model: &Model, obstacles: &[Obstacle], between: &[Vec<usize>; 2]) -> Option<Flaw> {
    let fills = |shape: &Obstacle| shape.endless().is_some() || shape.is_container() && shape.corners().is_empty();
    let endless = |k: usize| fills(&obstacles[k]);
    let rod = |k: usize| obstacles[k].curved_distance(Vector::zeros()).is_some() && obstacles[k].endless().is_some();
    let round = |k: usize| obstacles[k].support_count() > 0 && !obstacles[k].supports_move();
    for (own, other) in [(0, 1), (1, 0)] {
        for &a in between[own].iter().filter(|a| endless(**a)) {
            let carrier = |k: usize| model.obstacles[k].carrier;
            for &b in between[other].iter().filter(|b| carrier(a) != carrier(**b)) {
                let [first, second] = [a, b].map(|k| obstacles[k].name.clone());
                if endless(b) {
                    return Some(Flaw::Endless { first, second });
                }
                if rod(a) && !round(b) {
                    return Some(Flaw::EndlessCylinder { rod: first });
                }
            }
        }
    }
    None
}

/// The contacts between rigid bodies, and with obstacles; none may overlap at the start.
pub(super) fn pairs(model: &Model, obstacles: &[Obstacle], made: &Made, problems: &mut Problems) -> RigidPairs {
    let mut pairs = RigidPairs::new(model.dim());
    for (obstacle, carrier) in obstacles.iter().zip(&made.carriers) {
        let body = carrier.and_then(|number| Some((number, made.bodies.get(number - model.bodies.len())?.size())));
        pairs.add(obstacle.clone(), body);
    }
    let declared = || {
        model.numbered().filter_map(|(number, place, contact)| match &contact.between {
            Between::Rigid { obstacles } => Some((number, place, contact, obstacles)),
            _ => None,
        })
    };
    for (number, _, contact, between) in declared() {
        let [first, second] = between.each_ref().map(|list| list.iter().map(|&k| k as u32).collect());
        let grain = contact.grain.map(|(axis, carrier)| (axis.into(), carrier));
        let (friction, level, restitution, search) =
            (contact.friction, contact.level, contact.restitution, contact.search);
        let terms = RigidTerms { friction, grain, level, restitution, search };
        pairs.declare(Family::new(number, first, second, false), terms);
    }
    if declared().next().is_none() {
        return pairs;
    }
    for (_, place, _, between) in declared() {
        if let Some(flaw) = never_meeting(model, obstacles, between) {
            problems.add(Place::Contact(place), flaw);
        }
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
            let [body, other] = pair.names().map(str::to_owned);
            let of = |(number, _, contact, _): &(u32, usize, &super::Contact, _)| {
                (*number..*number + contact.numbers() as u32).contains(&pair.number)
            };
            if let Some((_, place, contact, _)) = declared().find(of) {
                let flaw = Flaw::RigidOverlap { body, other, depth, at: at.into(), pushed: contact.push_out };
                problems.add(Place::Contact(place), flaw);
            }
        }
    }
    pairs
}
