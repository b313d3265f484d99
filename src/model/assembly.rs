//! A model put together: what it says becomes bodies, contacts and schemes as the steps take them. What only the meshes can tell is
//! checked here: sets that do not exist, probes outside their body, bodies that start inside an obstacle.

use std::time::Instant;

use super::boundary::{self, Held};
use super::error::{Flaw, ModelError, Place, Problems};
use super::{Entries, Model, Output, Scheme, Source, Time, Watched, rigid, zones};
use crate::bodies::{Body, BodyState, Deformable, DeformableSpec, Rigid, nodes_on_axis};
use crate::contact::Contact;
use crate::contact::detection::Level;
use crate::elements::Section;
use crate::geometry::{Obstacle, Vector};
use crate::integrator::{Explicit, Integrator, Newton, System};
use crate::materials::Material;
use crate::memory;
use crate::mesh::{CellId, Mesh};

/// A point of a body that is watched in every step.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbePoint {
    /// Name of the probe.
    pub name: String,
    /// Number of the body.
    pub body: usize,
    /// Where on it.
    pub spot: Spot,
}

/// A place of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spot {
    /// A node.
    Node(usize),
    /// A place of a rigid body, from its centre of mass along the axes of space at rest.
    Arm(Vector),
}

/// Everything a run needs.
#[derive(Debug)]
pub struct Assembly {
    /// Bodies and their initial states.
    pub system: System,
    /// Zones and solver.
    pub contact: Contact,
    /// All obstacles, for pictures too.
    pub obstacles: Vec<Obstacle>,
    /// Number of the rigid body that carries each of them, if one does.
    pub carriers: Vec<Option<usize>>,
    /// Time scheme.
    pub scheme: Box<dyn Integrator>,
    /// Step solver.
    pub newton: Newton,
    /// In place of it, for explicit steps.
    pub explicit: Option<Explicit>,
    /// What a run is asked for.
    pub plan: Plan,
}

/// What a run is asked for, and what its results are called.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Name of the model; names its files.
    pub name: String,
    /// What the model is called.
    pub title: String,
    /// What the model was made from.
    pub source: Source,
    /// Time interval and length of the steps.
    pub time: Time,
    /// Settings of the solvers as (name, value).
    pub settings: Vec<(String, String)>,
    /// What is written.
    pub output: Output,
    /// Watched nodes.
    pub probes: Vec<ProbePoint>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Number of the material of each cell of each body.
    pub material_of_cell: Vec<Vec<u32>>,
    /// The contacts as results name them.
    pub entries: Entries,
    /// When the work on the run began.
    pub begun: Instant,
}

impl Model {
    /// Whether the model can run.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(&self) -> Result<(), ModelError> {
        self.clone().assemble().map(drop)
    }

    /// Looks at the bodies and what holds them alone.
    pub(crate) fn check_bodies(mut self) -> Result<(), ModelError> {
        let mut problems = Problems::of(&self);
        let meshes = self.take_meshes();
        self.supports(&meshes, &mut problems);
        problems.none()
    }

    /// Puts the model together.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn assemble(mut self) -> Result<Assembly, ModelError> {
        let begun = Instant::now();
        let mut problems = Problems::of(&self);
        self.check_data(&mut problems);
        problems.none()?;
        let mut plan = self.plan(begun);
        let mut meshes = self.take_meshes();
        let mut obstacles: Vec<Obstacle> = self.obstacles.iter().map(|obstacle| obstacle.shape.clone()).collect();
        let Held { held, supports } = self.supports(&meshes, &mut problems);
        let rigid = rigid::bodies(&self, &mut obstacles, &mut problems);
        let (zones, pairs) = zones::zones(&self, &mut meshes, &obstacles, &rigid.carriers, &mut problems);
        let rigid_pairs = rigid::pairs(&self, &obstacles, &rigid, &mut problems);
        plan.probes = self.probe_points(&meshes, &rigid.bodies, &mut problems);
        problems.none()?;
        self.room(&meshes, &mut problems);
        problems.none()?;
        let materials: Vec<Material> = self.materials.iter().map(|m| m.material.clone()).collect();
        let (mut bodies, mut states) = (Vec::with_capacity(meshes.len()), Vec::with_capacity(meshes.len()));
        for (number, ((mesh, held), supports)) in meshes.into_iter().zip(held).zip(supports).enumerate() {
            let spec = DeformableSpec {
                name: self.bodies[number].name.clone(),
                mesh,
                materials: materials.clone(),
                material_of_cell: plan.material_of_cell[number].clone(),
                section: self.section,
                formulation: self.bodies[number].formulation,
                lumping: self.bodies[number].lumping,
                held,
                gravity: boundary::constant_gravity(&self),
                batches: self.time.scheme.courant().map(|_| self.bodies[number].hourglass),
            };
            let of_cell = &plan.material_of_cell[number];
            let finished = Deformable::new(spec).and_then(|mut deformable| {
                let own = |cell: CellId| self.materials[of_cell[cell.index()] as usize].damping;
                let given = self.bodies[number].damping;
                let damping: Vec<_> = deformable.groups().iter().map(|g| given.unwrap_or(own(g.cells()[0]))).collect();
                deformable.set_damping(&damping)?;
                deformable.set_loads(boundary::loads(&self, number, &deformable));
                deformable.set_supports(supports);
                Ok(deformable)
            });
            match finished {
                Ok(deformable) => {
                    states.push(self.initial_state(number, &deformable, &mut problems));
                    bodies.push(Body::from(deformable));
                }
                Err(error) => problems.add(Place::Body(number), error),
            }
        }
        self.check_levels(&mut problems);
        problems.none()?;
        let courant = self.time.scheme.courant();
        bodies.extend(rigid.bodies.into_iter().map(Body::from));
        states.extend(rigid.states);
        let mut system = if courant.is_some() { System::lean(bodies, states) } else { System::new(bodies, states) };
        let explicit = courant.map(|courant| Explicit::new(&mut system, courant)).transpose();
        let explicit = explicit.map_err(|error| problems.add(Place::Model, error)).unwrap_or_default();
        problems.none()?;
        Ok(Assembly {
            system,
            contact: Contact::new(zones, pairs, self.contact_solver.build())
                .with_rigid(rigid_pairs)
                .handing_over(self.contact_solver.operator),
            obstacles,
            carriers: rigid.carriers,
            scheme: self.time.scheme.build(),
            newton: Newton { options: self.time.newton.into() },
            explicit,
            plan,
        })
    }

    fn take_meshes(&mut self) -> Vec<Mesh> {
        self.bodies.iter_mut().map(|body| std::mem::take(&mut body.mesh)).collect()
    }

    /// What the run is asked for; the watched nodes are found later.
    fn plan(&self, begun: Instant) -> Plan {
        let settings = [
            ("scheme", format!("{:?}", self.time.scheme)),
            ("newton", format!("{:?}", self.time.newton)),
            ("contact_solver", format!("{:?}", self.contact_solver)),
        ];
        Plan {
            name: self.name.clone(),
            title: self.title.clone(),
            source: self.source.clone().unwrap_or_else(|| Source::of(self)),
            time: self.time,
            settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
            output: self.output.clone(),
            probes: Vec::new(),
            materials: self.materials.iter().map(|material| material.name.clone()).collect(),
            material_of_cell: self.bodies.iter().map(|body| body.materials_of_cells()).collect(),
            entries: Entries::of(self),
            begun,
        }
    }

    /// What holds the bodies, once they are where they may be.
    fn supports(&self, meshes: &[Mesh], problems: &mut Problems) -> Held {
        for (number, mesh) in meshes.iter().enumerate() {
            if let Some(flaw) = self.axis_flaw(number, mesh) {
                problems.add(Place::Body(number), flaw);
            }
        }
        boundary::supports(self, meshes, problems)
    }

    /// A body of revolution lies on the side `x >= 0` of the axis and, if it touches the axis, starts without radial velocity.
    fn axis_flaw(&self, number: usize, mesh: &Mesh) -> Option<Flaw> {
        if self.section != Section::Axisymmetric {
            return None;
        }
        let on_axis: Vec<usize> = nodes_on_axis(mesh).collect();
        let beyond = (0..mesh.node_count()).find(|n| mesh.nodes[*n][0] < 0.0 && on_axis.binary_search(n).is_err());
        if let Some(node) = beyond {
            let [x, y, _] = mesh.nodes[node];
            return Some(Flaw::BeyondAxis { node, at: [x, y] });
        }
        let velocity = self.bodies[number].velocity[0];
        (velocity != 0.0 && !on_axis.is_empty()).then_some(Flaw::TornAtAxis { velocity })
    }

    fn probe_points(&self, meshes: &[Mesh], rigid: &[Rigid], problems: &mut Problems) -> Vec<ProbePoint> {
        let mut found = Vec::new();
        for (number, probe) in self.probes.iter().enumerate() {
            let spot = match &probe.on {
                &Watched::Node { body, at } => match nearest_node(&meshes[body], at) {
                    Some(node) => Ok((body, Spot::Node(node))),
                    None => Err(Flaw::ProbeOutside { at, body: self.bodies[body].name.clone() }),
                },
                // a body that could not be made has been reported
                &Watched::Place { body, at } => {
                    let centre = rigid.get(body).map_or_else(Vector::zeros, Rigid::rest_centre);
                    Ok((self.bodies.len() + body, Spot::Arm(Vector::from(at) - centre)))
                }
                Watched::Point { body, point } => {
                    let known = || self.rigid[*body].points.iter().map(|(name, _)| name);
                    let place = known().position(|name| name == point);
                    let arm = |k: usize| rigid.get(*body).map_or_else(Vector::zeros, |body| body.points[k].1);
                    let flaw = || {
                        let (name, known) = (point.clone(), known().cloned().collect());
                        Flaw::Unknown { kind: "point", name, known }
                    };
                    place.map(|k| (self.bodies.len() + body, Spot::Arm(arm(k)))).ok_or_else(flaw)
                }
            };
            match spot {
                Ok((body, spot)) => found.push(ProbePoint { name: probe.name.clone(), body, spot }),
                Err(flaw) => problems.add(Place::Probe(number), flaw),
            }
        }
        found
    }

    /// Refuses meshes whose elements and matrices would not fit into the memory there is.
    fn room(&self, meshes: &[Mesh], problems: &mut Problems) {
        let explicit = self.time.scheme.courant().is_some();
        let needed: u64 = meshes.iter().map(|mesh| Deformable::bytes(mesh, explicit)).sum();
        if let Some(free) = memory::free().filter(|free| free.bytes < needed) {
            let cells = meshes.iter().map(Mesh::cell_count).sum();
            problems.add(Place::Model, Flaw::TooLarge { cells, needed, free });
        }
    }

    /// A body as it starts; what has no place in a quasi-static model is reported.
    fn initial_state(&self, number: usize, built: &Deformable, problems: &mut Problems) -> BodyState {
        let body = &self.bodies[number];
        if self.time.scheme != Scheme::QuasiStatic {
            return initial_state(built, body.velocity, body.angular_velocity);
        }
        let name = || body.name.clone();
        let free = built.numbering().equation_count() == built.dof_count() && built.loads().springs.is_empty();
        let flaw = if body.velocity != [0.0; 3] || body.angular_velocity != [0.0; 3] {
            Some(Flaw::StaticVelocity { body: name() })
        } else if built.resists_velocity() {
            Some(Flaw::StaticDamping { body: name() })
        } else {
            free.then(|| Flaw::HeldByNothing { body: name() })
        };
        if let Some(flaw) = flaw {
            problems.add(Place::Body(number), flaw);
        }
        BodyState::zero(built.dof_count())
    }

    fn check_levels(&self, problems: &mut Problems) {
        let carries_acceleration =
            matches!(self.time.scheme, Scheme::Newmark { .. } | Scheme::Hht { .. } | Scheme::GeneralizedAlpha { .. });
        for (place, contact) in self.contacts.iter().enumerate().filter(|_| carries_acceleration) {
            if contact.level == Level::Velocity && !contact.is_rigid() {
                problems.add(Place::Contact(place), Flaw::VelocityLevel);
            }
        }
    }
}

/// Velocity of a rigid motion about the centre of mass; held unknowns move as their supports do.
fn initial_state(body: &Deformable, velocity: [f64; 3], spin: [f64; 3]) -> BodyState {
    let dim = body.dim();
    let mut state = BodyState::zero(body.dof_count());
    let centre = body.centre_of_mass(&state.u);
    for (node, x) in body.mesh.nodes.iter().enumerate() {
        let turn = Vector::from(spin).cross(&(Vector::from(*x) - centre));
        for axis in 0..dim {
            let dof = node * dim + axis;
            state.v[dof] = if body.is_held(dof) { 0.0 } else { velocity[axis] + turn[axis] };
        }
    }
    for support in body.supports() {
        support.initial_velocity(&body.mesh, dim, |dof, v| state.v[dof] = v);
    }
    state
}

/// The node nearest to a place, if the place lies in the bounding box of the mesh.
fn nearest_node(mesh: &Mesh, at: [f64; 3]) -> Option<usize> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in &mesh.nodes {
        for i in 0..3 {
            low[i] = low[i].min(x[i]);
            high[i] = high[i].max(x[i]);
        }
    }
    let size = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    if (0..3).any(|i| at[i] < low[i] - 1e-6 * size || at[i] > high[i] + 1e-6 * size) {
        return None;
    }
    let distance = |x: &[f64; 3]| (0..3).map(|i| (x[i] - at[i]).powi(2)).sum::<f64>();
    (0..mesh.node_count()).min_by(|&a, &b| distance(&mesh.nodes[a]).total_cmp(&distance(&mesh.nodes[b])))
}
