//! From a checked case to a model. Meshes and surfaces are made or read here; what a model says is wrong is told here with the place in
//! the file.

use std::path::Path;
use std::time::Instant;

use nalgebra::{Rotation3, Unit, Vector3};

use super::cells::{material_of_cells, name_cell_sets};
use super::data::{self, Case, Counterpart, Geometry};
use super::diagnostic::{CaseError, Diagnostic};
use super::{locate, obstacle, rigid, same};
use crate::elements::{Formulation, Groups, Lumping, Section, groups};
use crate::materials::{BlatzKo, Hooke, Hyperfoam, J2, Law, Material, MooneyRivlin, NeoHooke, Ogden};
use crate::mesh::Mesh;
use crate::model::{self, Assembly, Between, Body, Contact, Model, Source};
use crate::simulation::Simulation;

/// A case ready to run.
///
/// # Errors
/// Every problem, with its place in the file.
pub fn simulation(case: &Case) -> Result<Simulation, CaseError> {
    build(case).map(Simulation::of)
}

/// The model of a case, put together.
///
/// # Errors
/// Every problem, with its place in the file.
pub fn build(case: &Case) -> Result<Assembly, CaseError> {
    let begun = Instant::now();
    let mut assembly = model(case)?.assemble().map_err(|error| locate::error(case, error))?;
    assembly.plan.begun = begun;
    Ok(assembly)
}

/// The model that a case describes.
///
/// # Errors
/// Every problem, with its place in the file.
pub fn model(case: &Case) -> Result<Model, CaseError> {
    if let Some(task) = &case.task {
        return Err(case.problem(task, "a case with a `task` has no run in time"));
    }
    let mut problems = Vec::new();
    let bodies = case.bodies.iter().filter_map(|body| placed_body(case, body, &mut problems));
    let bodies: Vec<Body> = bodies.collect();
    if !problems.is_empty() {
        return Err(case.problems(problems));
    }
    let made = case.materials.iter().map(|entry| model::Material {
        name: entry.name.value.clone(),
        material: material(entry),
        damping: entry.damping,
    });
    let mut model = Model {
        title: case.title.clone(),
        materials: made.collect(),
        bodies,
        rigid: case.rigid.iter().map(|item| rigid::build(item, case.dimension())).collect(),
        boundary: case.boundary.iter().map(|entry| entry.value.build()).collect(),
        contact_solver: case.contact_solver,
        output: model::Output {
            every: case.output.every,
            fields: case.output.fields.clone(),
            compression: case.output.compression,
            checkpoint: case.output.checkpoint,
        },
        source: Some(Source {
            file_name: case.file_name.clone(),
            text: case.text_as_run.clone(),
            same: same::same_model,
        }),
        ..Model::new(&case.name, section(case), case.time)
    };
    for item in &case.obstacles {
        match obstacle::build(case, item) {
            Ok(shape) => model.obstacles.push(model::Obstacle { shape, carrier: item.carrier }),
            Err(problem) => problems.push(*problem),
        }
    }
    if !problems.is_empty() {
        if let Err(error) = model.check_bodies() {
            problems.extend(locate::diagnostics(case, error));
        }
        return Err(case.problems(problems));
    }
    model.probes = case.output.probes.iter().map(|probe| probe.value.clone()).collect();
    let deformable = case.contacts.iter().map(|contact| against(&contact.path, &contact.value));
    let rigid = case.rigid_contacts.iter().map(|contact| between_rigid(&contact.path, &contact.value));
    model.contacts = deformable.chain(rigid).collect();
    Ok(model)
}

/// A contact of deformable bodies.
fn against(name: &str, contact: &data::Contact) -> Contact {
    let set = contact.set.value.clone();
    let between = match &contact.with {
        Counterpart::Obstacles(pairs) => Between::Obstacles { set, pairs: pairs.clone() },
        Counterpart::Bodies { between, set: other, itself, slave, two_passes } => Between::Bodies {
            bodies: between.clone(),
            sets: [set, other.value.clone()],
            itself: *itself,
            slave: slave.side(),
            two_passes: *two_passes,
        },
    };
    Contact {
        friction: contact.friction,
        grain: contact.grain,
        level: contact.level,
        restitution: contact.restitution,
        search: contact.search,
        push_out: contact.push_out,
        ..Contact::new(name, between)
    }
}

/// A contact between rigid bodies.
fn between_rigid(name: &str, contact: &data::RigidContact) -> Contact {
    Contact {
        friction: contact.friction,
        grain: contact.grain,
        level: contact.level,
        restitution: contact.restitution,
        search: contact.search,
        push_out: contact.push_out,
        ..Contact::new(name, Between::Rigid { obstacles: contact.between.clone() })
    }
}

/// A body with its mesh, turned as asked, and the material of each cell. Cell sets are those of the mesh before it is turned.
fn placed_body(case: &Case, body: &data::Body, problems: &mut Vec<Diagnostic>) -> Option<Body> {
    let folder = Path::new(&case.sources.file).parent().unwrap_or(Path::new(""));
    let made = body.mesh.value.build(case.dimension(), folder);
    let (mut mesh, notes) = made.map_err(|reason| problems.push(body.mesh.problem(reason))).ok()?;
    notes.iter().for_each(|note| log::warn!("body {}: {note}", body.name.value));
    name_cell_sets(body, &mut mesh, problems);
    let of_cell = material_of_cells(body, &mesh, problems);
    if let Some((axis, angle)) = body.rotation {
        let centre = centre_of_mass(case, body, &mesh, &of_cell, problems)?;
        let rotation = Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), angle);
        for x in &mut mesh.nodes {
            *x = (centre + rotation * (Vector3::from(*x) - centre)).into();
        }
    }
    Some(Body {
        material_of_cell: of_cell,
        formulation: body.formulation.value,
        hourglass: body.hourglass,
        lumping: body.mass,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        damping: body.damping,
        ..Body::new(&body.name.value, mesh)
    })
}

/// Centre of mass of a body that is not made yet.
fn centre_of_mass(
    case: &Case,
    body: &data::Body,
    mesh: &Mesh,
    of_cell: &[u32],
    problems: &mut Vec<Diagnostic>,
) -> Option<Vector3<f64>> {
    let materials: Vec<Material> = case.materials.iter().map(material).collect();
    let made = Groups {
        materials: &materials,
        of_cell,
        section: section(case),
        formulation: Formulation::Standard,
        batches: None,
    };
    let (mut centre, mut mass) = (Vector3::zeros(), 0.0);
    let groups = groups(mesh, &made).map_err(|e| problems.push(body.mesh.problem(e.to_string()))).ok()?;
    for group in groups {
        group.mass(mesh, Lumping::Consistent, &mut |a, _, m| {
            centre += m * Vector3::from(mesh.nodes[a]);
            mass += m;
        });
    }
    Some(centre / mass)
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
