//! Whether what a model says makes sense, before any mesh is looked at closely: names, references, and numbers in their ranges.

use std::collections::HashSet;

use super::error::{Flaw, Place, Problems};
use super::{Between, Boundary, Mass, Model, Scheme, Watched};

/// A number, what it is called, whether it may be there, and what it may be.
type Range = (f64, &'static str, bool, &'static str);

impl Model {
    /// Reports what makes no sense.
    pub(super) fn check_data(&self, problems: &mut Problems) {
        self.check_names(problems);
        self.check_time(problems);
        self.check_materials(problems);
        self.check_bodies_and_obstacles(problems);
        self.check_boundary(problems);
        self.check_contacts(problems);
        for (number, probe) in self.probes.iter().enumerate() {
            let (kind, body, count) = match &probe.on {
                Watched::Node { body, .. } => ("body", *body, self.bodies.len()),
                Watched::Place { body, .. } | Watched::Point { body, .. } => ("rigid body", *body, self.rigid.len()),
            };
            refer(Place::Probe(number), kind, body, count, problems);
        }
    }

    fn check_names(&self, problems: &mut Problems) {
        let mut known = HashSet::new();
        let materials = self.materials.iter().map(|m| ("material", &m.name)).enumerate();
        let bodies = self.bodies.iter().map(|body| ("body", &body.name)).enumerate();
        // bodies and obstacles are named side by side in the results
        let own = |shape: &super::Obstacle| if shape.carrier.is_none() { "body" } else { "shape" };
        let obstacles = self.obstacles.iter().map(|obstacle| (own(obstacle), &obstacle.shape.name)).enumerate();
        let rigid = self.rigid.iter().map(|body| ("body", &body.name)).enumerate();
        let probes = self.probes.iter().map(|probe| ("probe", &probe.name)).enumerate();
        let named = (materials.map(|(k, named)| (Place::Material(k), named)))
            .chain(bodies.map(|(k, named)| (Place::Body(k), named)))
            .chain(obstacles.map(|(k, named)| (Place::Obstacle(k), named)))
            .chain(rigid.map(|(k, named)| (Place::Rigid(k), named)))
            .chain(probes.map(|(k, named)| (Place::Probe(k), named)));
        for (at, (kind, name)) in named {
            if name.is_empty() || name.contains('/') {
                problems.add(at, Flaw::Name(name.clone()));
            } else if !known.insert((kind, name)) {
                problems.add(at, Flaw::Taken(name.clone()));
            }
        }
    }

    fn check_time(&self, problems: &mut Problems) {
        let time = &self.time;
        within(
            Place::Model,
            &[
                (time.end, "the end", time.end > 0.0, "greater than zero"),
                (time.step, "the step", time.step > 0.0 && time.step <= time.end, "greater than zero, up to the end"),
                (self.output.every, "the time between frames", self.output.every > 0.0, "greater than zero"),
                (time.newton.residual, "Newton's residual", fraction(time.newton.residual), "in (0, 1]"),
                (time.newton.increment, "Newton's increment", fraction(time.newton.increment), "in (0, 1]"),
                (self.contact_solver.tolerance, "the tolerance", fraction(self.contact_solver.tolerance), "in (0, 1]"),
                (f64::from(time.max_halvings), "halvings", time.max_halvings <= 30, "at most 30"),
            ],
            problems,
        );
        let scheme: &[Range] = match time.scheme {
            Scheme::QuasiStatic => &[],
            Scheme::Explicit { courant } => &[(courant, "courant", fraction(courant), "in (0, 1]")],
            Scheme::Jean { theta, xi, .. } => {
                &[(theta, "theta", fraction(theta), "in (0, 1]"), (xi, "xi", fraction(xi), "in (0, 1]")]
            }
            Scheme::Newmark { beta, gamma, .. } => &[
                (beta, "beta", fraction(beta), "in (0, 1]"),
                (gamma, "gamma", (0.5..=1.0).contains(&gamma), "in [1/2, 1]"),
            ],
            Scheme::Hht { alpha, .. } => &[(alpha, "alpha", (0.0..=1.0 / 3.0).contains(&alpha), "in [0, 1/3]")],
            Scheme::GeneralizedAlpha { spectral_radius, .. } => {
                &[(spectral_radius, "the spectral radius", (0.0..=1.0).contains(&spectral_radius), "in [0, 1]")]
            }
        };
        within(Place::Model, scheme, problems);
        if let Some(adaptive) = time.adaptive {
            let ordered = 0.0 < adaptive.min && adaptive.min <= time.step && time.step <= adaptive.max;
            within(
                Place::Model,
                &[(time.step, "the first step", ordered, "between the shortest and longest")],
                problems,
            );
        }
        if time.auto && time.scheme.courant().is_none() {
            problems.add(Place::Model, Flaw::NoStableStep);
        }
    }

    fn check_materials(&self, problems: &mut Problems) {
        for (number, material) in self.materials.iter().enumerate() {
            let density = material.material.density;
            within(
                Place::Material(number),
                &[
                    (density, "the density", density > 0.0, "greater than zero"),
                    (material.damping.mass, "damping by mass", material.damping.mass >= 0.0, "zero or more"),
                    (
                        material.damping.stiffness,
                        "damping by stiffness",
                        material.damping.stiffness >= 0.0,
                        "zero or more",
                    ),
                ],
                problems,
            );
        }
    }

    fn check_bodies_and_obstacles(&self, problems: &mut Problems) {
        if self.bodies.is_empty() && self.rigid.is_empty() {
            problems.add(Place::Model, Flaw::Empty);
        }
        for (number, body) in self.bodies.iter().enumerate() {
            let (at, cells, got) = (Place::Body(number), body.mesh.cell_count(), body.material_of_cell.len());
            if cells > 0 && body.mesh.dim() != self.dim() {
                let (mesh, model) = (body.mesh.dim(), self.dim());
                problems.add(at, Flaw::Dimension { body: body.name.clone(), mesh, model });
            }
            if got != 0 && got != cells {
                problems.add(at, Flaw::Length { what: "the list of materials", got, expected: cells });
            }
            let last = body.material_of_cell.iter().max().map_or(0, |&material| material as usize);
            refer(at, "material", last, self.materials.len(), problems);
        }
        for (number, obstacle) in self.obstacles.iter().enumerate() {
            let carrier = obstacle.carrier.into_iter();
            carrier.for_each(|body| refer(Place::Obstacle(number), "rigid body", body, self.rigid.len(), problems));
        }
        for (number, body) in self.rigid.iter().enumerate() {
            let (at, expected) = (Place::Rigid(number), if self.dim() == 2 { 3 } else { 6 });
            let inertial = &body.inertial;
            let (Mass::Total(mass) | Mass::Density(mass)) = inertial.mass;
            within(at, &[(mass, "the mass", mass > 0.0, "greater than zero")], problems);
            if inertial.free.len() != expected {
                problems
                    .add(at, Flaw::Length { what: "the list of free unknowns", got: inertial.free.len(), expected });
            }
            for point in inertial.pushes.iter().filter_map(|push| push.at) {
                refer(at, "point", point, body.points.len(), problems);
            }
        }
    }

    fn check_boundary(&self, problems: &mut Problems) {
        for (number, entry) in self.boundary.iter().enumerate() {
            let body = match entry {
                Boundary::Gravity { .. } => continue,
                Boundary::BodyForce { body, .. } => *body,
                _ => entry.part().map_or(0, |part| part.body),
            };
            refer(Place::Boundary(number), "body", body, self.bodies.len(), problems);
        }
    }

    fn check_contacts(&self, problems: &mut Problems) {
        let (bodies, obstacles) = (self.bodies.len(), self.obstacles.len());
        for (number, contact) in self.contacts.iter().enumerate() {
            let at = Place::Contact(number);
            match &contact.between {
                Between::Obstacles { pairs, .. } => {
                    for &[body, obstacle] in pairs {
                        refer(at, "body", body, bodies, problems);
                        refer(at, "obstacle", obstacle, obstacles, problems);
                    }
                }
                Between::Bodies { bodies: lists, .. } => {
                    lists.iter().flatten().for_each(|&body| refer(at, "body", body, bodies, problems));
                }
                Between::Rigid { obstacles: lists } => {
                    lists.iter().flatten().for_each(|&shape| refer(at, "obstacle", shape, obstacles, problems));
                }
            }
            let [along, across] = contact.friction.along;
            within(
                at,
                &[
                    (along, "friction", along >= 0.0, "zero or more"),
                    (across, "friction", across >= 0.0, "zero or more"),
                    (contact.restitution, "restitution", (0.0..=1.0).contains(&contact.restitution), "in [0, 1]"),
                ],
                problems,
            );
        }
    }
}

fn fraction(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}

fn within(at: Place, ranges: &[Range], problems: &mut Problems) {
    for &(value, what, _, range) in ranges.iter().filter(|(value, _, fits, _)| !(*fits && value.is_finite())) {
        problems.add(at, Flaw::Number { what, value, range });
    }
}

fn refer(at: Place, kind: &'static str, number: usize, count: usize, problems: &mut Problems) {
    if number >= count {
        problems.add(at, Flaw::Missing { kind, number, count });
    }
}
