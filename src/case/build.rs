//! From a checked case to a model that can run. What only the mesh can tell is checked here: sets that do not exist,
//! probes outside their body, bodies that start inside an obstacle.

use std::path::Path;

use nalgebra::{Rotation3, Unit};

use super::boundary::{self, Held};
use super::cells::{axis_problem, material_of_cells, name_cell_sets};
use super::contact;
use super::data::{self, Case, ContactMethod, Geometry, Scheme};
use super::decode::Located;
use super::diagnostic::{CaseError, Diagnostic};
use super::obstacle;
use super::rigid;
use crate::bodies::{BodyError, BodyState, Deformable, DeformableSpec};
use crate::contact::Contact;
use crate::contact::solvers::{self, ContactSolver, GaussSeidel, GoOn, Hybrid, Jacobi, ProjectedGradient, Uzawa};
use crate::elements::{ElementError, Formulation, Groups, Lumping, Section, groups};
use crate::geometry::{Obstacle, Vector};
use crate::integrator::{
    Explicit, GeneralizedAlpha, Integrator, Jean, Leapfrog, Newton, NewtonOptions, QuasiStatic, System,
};
use crate::materials::{BlatzKo, Hooke, Hyperfoam, J2, Law, Material, MooneyRivlin, NeoHooke, Ogden};
use crate::memory::{self, amount};
use crate::mesh::{CellId, Mesh};

/// A point of a body that is watched in every step: the node nearest to the place asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeNode {
    /// Name in the case.
    pub name: String,
    /// Number of the body.
    pub body: usize,
    /// Number of the node.
    pub node: usize,
}

/// Everything a run needs.
#[derive(Debug)]
pub struct Model {
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
    /// Watched nodes.
    pub probes: Vec<ProbeNode>,
    /// Number of the material of each cell of each body.
    pub materials: Vec<Vec<u32>>,
}

/// Refuses meshes whose elements and matrices would not fit into the memory there is.
fn room(case: &Case, meshes: &[Mesh]) -> Result<(), CaseError> {
    let explicit = matches!(case.time.scheme, Scheme::Explicit { .. });
    let needed: u64 = meshes.iter().map(|mesh| Deformable::bytes(mesh, explicit)).sum();
    match memory::free() {
        Some(free) if free.bytes < needed => {
            let cells: usize = meshes.iter().map(Mesh::cell_count).sum();
            let message = format!("{cells} elements with their matrices take about {}; {free}", amount(needed));
            Err(CaseError::of_machine(&case.sources.file, message))
        }
        _ => Ok(()),
    }
}

/// Builds the model, reporting every problem in one go.
pub fn build(case: &Case) -> Result<Model, CaseError> {
    if let Some(task) = &case.task {
        return Err(case.problem(task, "a case with a `task` has no run in time"));
    }
    let mut problems = Vec::new();
    let placed: Vec<(Mesh, Vec<u32>)> =
        case.bodies.iter().map(|body| placed_mesh(case, body, &mut problems).unwrap_or_default()).collect();
    if !problems.is_empty() {
        return Err(case.problems(problems));
    }
    let (mut meshes, of_cells): (Vec<Mesh>, Vec<Vec<u32>>) = placed.into_iter().unzip();
    for (body, mesh) in case.bodies.iter().zip(&meshes) {
        problems.extend(axis_problem(case, body, mesh));
    }
    let Held { held, supports } = boundary::supports(case, &meshes, &mut problems);
    let mut obstacles: Vec<Obstacle> = Vec::with_capacity(case.obstacles.len());
    for item in &case.obstacles {
        match obstacle::build(case, item) {
            Ok(obstacle) => obstacles.push(obstacle),
            Err(problem) => problems.push(*problem),
        }
    }
    if obstacles.len() < case.obstacles.len() {
        return Err(case.problems(problems));
    }
    let rigid = rigid::bodies(case, &mut obstacles, &mut problems);
    let (zones, pairs) = contact::zones(case, &mut meshes, &obstacles, &rigid.carriers, &mut problems);
    let rigid_pairs = rigid::pairs(case, &obstacles, &rigid, &mut problems);
    let probes = case.output.probes.iter().filter_map(|probe| {
        let at = probe.value.at;
        match nearest_node(&meshes[probe.value.body], at) {
            Some(node) => Some(ProbeNode { name: probe.value.name.clone(), body: probe.value.body, node }),
            None => {
                let name = &case.bodies[probe.value.body].name.value;
                problems.push(probe.problem(format!("[{}, {}, {}] lies outside body `{name}`", at[0], at[1], at[2])));
                None
            }
        }
    });
    let probes: Vec<ProbeNode> = probes.collect();
    if !problems.is_empty() {
        return Err(case.problems(problems));
    }
    room(case, &meshes)?;
    let mut bodies = Vec::with_capacity(meshes.len());
    let mut states = Vec::with_capacity(meshes.len());
    let materials: Vec<Material> = case.materials.iter().map(material).collect();
    let section = section(case);
    let courant = match case.time.scheme {
        Scheme::Explicit { courant } => Some(courant),
        _ => None,
    };
    for (number, (((body, mesh), held), supports)) in case.bodies.iter().zip(meshes).zip(held).zip(supports).enumerate()
    {
        let of_cell = &of_cells[number];
        let spec = DeformableSpec {
            name: body.name.value.clone(),
            mesh,
            materials: materials.clone(),
            material_of_cell: of_cell.clone(),
            section,
            formulation: body.formulation.value,
            lumping: body.mass,
            held,
            gravity: boundary::constant_gravity(case),
            batches: courant.map(|_| body.hourglass),
        };
        let finished = Deformable::new(spec).and_then(|mut deformable| {
            let own = |cell: CellId| case.materials[of_cell[cell.index()] as usize].damping;
            let damping: Vec<_> =
                deformable.groups().iter().map(|g| body.damping.unwrap_or(own(g.cells()[0]))).collect();
            deformable.set_damping(&damping)?;
            deformable.set_loads(boundary::loads(case, number, &deformable));
            deformable.set_supports(supports);
            Ok(deformable)
        });
        match finished {
            Ok(deformable) => {
                if case.time.scheme == Scheme::QuasiStatic
                    && let Some(why) = not_static(body, &deformable)
                {
                    problems.push(body.name.problem(why));
                }
                states.push(match case.time.scheme {
                    Scheme::QuasiStatic => BodyState::zero(deformable.dof_count()),
                    _ => initial_state(&deformable, body.velocity, body.angular_velocity),
                });
                bodies.push(deformable);
            }
            Err(BodyError::Element { source: ElementError::NoMeanDilatation { shape, law, .. }, .. }) => {
                let message = format!("mean dilatation is not available for {shape} cells of law `{law}`");
                let laws = "`linear`, `neo_hooke`, `mooney_rivlin`, `ogden`";
                problems.push(body.formulation.problem(message).expecting(format!("quads or hexes of {laws}")));
            }
            Err(error) => problems.push(body.mesh.problem(error.to_string())),
        }
    }
    if matches!(case.time.scheme, Scheme::Newmark { .. } | Scheme::Hht { .. } | Scheme::GeneralizedAlpha { .. }) {
        for contact in case.contacts.iter().filter(|c| c.value.level == data::ContactLevel::Velocity) {
            problems.push(contact.problem("contact at velocity level needs the scheme `jean`"));
        }
    }
    if !problems.is_empty() {
        return Err(case.problems(problems));
    }
    let scheme: Box<dyn Integrator> = match case.time.scheme {
        Scheme::Jean { theta, xi, force } => Box::new(Jean { theta, xi, force }),
        Scheme::QuasiStatic => Box::new(QuasiStatic),
        Scheme::Explicit { .. } => Box::new(Leapfrog),
        Scheme::Newmark { beta, gamma, contact } => Box::new(GeneralizedAlpha::newmark(beta, gamma, contact)),
        Scheme::Hht { alpha, contact } => Box::new(GeneralizedAlpha::hht(alpha, contact)),
        Scheme::GeneralizedAlpha { spectral_radius, contact } => {
            Box::new(GeneralizedAlpha::chung_hulbert(spectral_radius, contact))
        }
    };
    let newton = case.time.newton;
    let options = NewtonOptions {
        residual: newton.residual,
        increment: newton.increment,
        max_iterations: newton.max_iterations as usize,
        reuse: newton.reuse,
    };
    let system = if courant.is_some() { System::lean(bodies, states) } else { System::new(bodies, states) };
    let mut system = system.with_rigid(rigid.bodies, rigid.states);
    let explicit = match courant.map(|courant| Explicit::new(&mut system, courant)).transpose() {
        Ok(explicit) => explicit,
        Err(error) => return Err(case.problems(vec![case.bodies[0].mesh.problem(error.to_string())])),
    };
    Ok(Model {
        system,
        contact: Contact::new(zones, pairs, solver(&case.contact_solver))
            .with_rigid(rigid_pairs)
            .handing_over(case.contact_solver.operator),
        obstacles,
        carriers: rigid.carriers,
        scheme,
        newton: Newton { options },
        explicit,
        probes,
        materials: of_cells,
    })
}

/// Why a body has no place in a quasi-static case.
fn not_static(body: &data::Body, built: &Deformable) -> Option<String> {
    let name = &body.name.value;
    if body.velocity != [0.0; 3] || body.angular_velocity != [0.0; 3] {
        return Some(format!("body `{name}` has a velocity, which a quasi_static case ignores: leave it out"));
    }
    if built.resists_velocity() {
        return Some(format!(
            "body `{name}` has damping or dashpots, which do nothing without velocities: leave them out"
        ));
    }
    let free = built.numbering().equation_count() == built.dof_count() && built.loads().springs.is_empty();
    free.then(|| format!("body `{name}` is held by nothing: a quasi_static case needs supports or springs to ground"))
}

/// The mesh of a body with the material of each cell, turned as the body asks. Cell sets are those of the mesh before it is
/// turned.
fn placed_mesh(case: &Case, body: &data::Body, problems: &mut Vec<Diagnostic>) -> Option<(Mesh, Vec<u32>)> {
    let folder = Path::new(&case.sources.file).parent().unwrap_or(Path::new(""));
    let made = body.mesh.value.build(case.dimension(), folder);
    let (mut mesh, notes) = made.map_err(|reason| problems.push(body.mesh.problem(reason))).ok()?;
    notes.iter().for_each(|note| log::warn!("body {}: {note}", body.name.value));
    name_cell_sets(body, &mut mesh, problems);
    let of_cell = material_of_cells(body, &mesh, problems);
    if let Some((axis, angle)) = body.rotation {
        let materials: Vec<Material> = case.materials.iter().map(material).collect();
        let made = Groups {
            materials: &materials,
            of_cell: &of_cell,
            section: section(case),
            formulation: Formulation::Standard,
            batches: None,
        };
        let (mut centre, mut mass) = (Vector::zeros(), 0.0);
        let groups = groups(&mesh, &made).map_err(|e| problems.push(body.mesh.problem(e.to_string()))).ok()?;
        for group in groups {
            group.mass(&mesh, Lumping::Consistent, &mut |a, _, m| {
                centre += m * Vector::from(mesh.nodes[a]);
                mass += m;
            });
        }
        centre /= mass;
        let rotation = Rotation3::from_axis_angle(&Unit::new_normalize(Vector::from(axis)), angle);
        for x in &mut mesh.nodes {
            *x = (centre + rotation * (Vector::from(*x) - centre)).into();
        }
    }
    Some((mesh, of_cell))
}

fn section(case: &Case) -> Section {
    match case.geometry {
        Geometry::PlaneStrain => Section::PlaneStrain(case.thickness),
        Geometry::PlaneStress => Section::PlaneStress(case.thickness),
        Geometry::Axisymmetric => Section::Axisymmetric,
        Geometry::Solid => Section::Solid,
    }
}

/// The law of a material with its density.
pub(super) fn material(entry: &data::Material) -> Material {
    Material { density: entry.density, law: law(&entry.law.value) }
}

fn law(law: &data::Law) -> Law {
    match law {
        data::Law::Linear { young, poisson } => Law::Linear(Hooke::new(*young, *poisson)),
        data::Law::SaintVenantKirchhoff { young, poisson } => Law::SaintVenantKirchhoff(Hooke::new(*young, *poisson)),
        data::Law::BlatzKo { shear_modulus } => Law::BlatzKo(BlatzKo::new(*shear_modulus)),
        data::Law::NeoHooke { young, poisson } => Law::NeoHooke(NeoHooke::new(*young, *poisson)),
        data::Law::MooneyRivlin { c1, c2, bulk_modulus } => {
            Law::MooneyRivlin(MooneyRivlin::new(*c1, *c2, *bulk_modulus))
        }
        data::Law::Ogden { terms, bulk_modulus } => Law::Ogden(Ogden::new(terms, *bulk_modulus)),
        data::Law::Hyperfoam(terms) => Law::Hyperfoam(Hyperfoam::new(terms)),
        data::Law::J2 { young, poisson, yield_stress, hardening } => {
            Law::J2(J2::new(*young, *poisson, *yield_stress, *hardening))
        }
    }
}

fn solver(solver: &data::ContactSolver) -> Box<dyn ContactSolver> {
    let (tolerance, limit) = (solver.tolerance, solver.max_iterations as usize);
    let built: Box<dyn ContactSolver> = match solver.method {
        ContactMethod::GaussSeidel(local) => Box::new(GaussSeidel::with_local(tolerance, limit, local)),
        ContactMethod::Uzawa { rho, step } => Box::new(Uzawa::with_step(tolerance, limit, rho, step)),
        ContactMethod::Extragradient => Box::new(Uzawa::extragradient(tolerance, limit)),
        ContactMethod::ProjectedGradient => Box::new(ProjectedGradient::new(tolerance, limit)),
        ContactMethod::Jacobi => Box::new(Jacobi::new(tolerance, limit)),
        ContactMethod::Newton => Box::new(solvers::Newton::new(tolerance, limit)),
        ContactMethod::BipotentialNewton => Box::new(solvers::Newton::bipotential(tolerance, limit)),
        ContactMethod::Hybrid => Box::new(Hybrid::new(tolerance, limit)),
    };
    if solver.go_on { Box::new(GoOn(built)) } else { built }
}

pub(super) fn unknown_set<'a>(
    body: &str,
    set: &Located<String>,
    kind: &str,
    names: impl Iterator<Item = &'a String> + Clone,
) -> Diagnostic {
    let list: Vec<&str> = names.map(String::as_str).collect();
    set.problem(format!("body `{body}` has no {kind} set `{}`", set.value))
        .expecting(format!("one of {}", list.join(", ")))
        .suggesting(&set.value, list.iter().copied())
}

/// Velocity of a rigid motion about the centre of mass; held unknowns move as their supports do.
fn initial_state(body: &Deformable, velocity: [f64; 3], spin: [f64; 3]) -> BodyState {
    let dim = body.dim();
    let mut state = BodyState::zero(body.dof_count());
    let centre = centre_of_mass(body, &state.u);
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

/// Centre of mass of a body in a state.
pub fn centre_of_mass(body: &Deformable, u: &[f64]) -> Vector {
    let (mut sum, mut mass) = (Vector::zeros(), 0.0);
    for node in 0..body.mesh.node_count() {
        let share: f64 = body.mass().row(node).map(|(_, m)| m).sum();
        sum += share * body.position(u, node);
        mass += share;
    }
    sum / mass
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
