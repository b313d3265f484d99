//! Loads and supports: what a model says of them, and what becomes of it at the nodes of the bodies. Entries that contradict each
//! other are refused.

use std::collections::BTreeMap;

use super::error::{Flaw, Place, Problems};
use super::{Boundary, Density, Model, Part, Per, Share};
use crate::bodies::facets::nodal_areas;
use crate::bodies::{DeadLoad, Deformable, FollowingPressure, Loads, Motion, Support, nodes_on_axis};
use crate::elements::{Lumping, Section};
use crate::mesh::{Facet, Mesh, NodeId};
use crate::time::TimeFunction;

/// What holds the bodies, one item for each.
pub(super) struct Held {
    /// For each nodal unknown, whether a support holds it.
    pub(super) held: Vec<Vec<bool>>,
    /// The supports.
    pub(super) supports: Vec<Vec<Support>>,
}

/// Finds what holds the bodies, and reports sets that do not exist and entries that contradict each other.
pub(super) fn supports(model: &Model, meshes: &[Mesh], problems: &mut Problems) -> Held {
    let dim = model.dim();
    let mut owners: Vec<Vec<Option<usize>>> = meshes.iter().map(|m| vec![None; m.node_count() * dim]).collect();
    let mut supports: Vec<Vec<Support>> = vec![Vec::new(); meshes.len()];
    for (entry, item) in model.boundary.iter().enumerate() {
        let Some(part) = item.part() else { continue };
        let (mesh, at) = (&meshes[part.body], Place::Boundary(entry));
        let missing = if needs_faces(item) {
            (!mesh.face_sets.contains_key(&part.set)).then(|| ("face", mesh.face_sets.keys().collect::<Vec<_>>()))
        } else {
            (!mesh.node_sets.contains_key(&part.set)).then(|| ("node", mesh.node_sets.keys().collect()))
        };
        if let Some((kind, names)) = missing {
            problems.add(at, unknown_set(model, part.body, &part.set, kind, names.into_iter()));
            continue;
        }
        if nodes(mesh, part).is_empty() && facets(mesh, part).is_empty() {
            problems.add(at, Flaw::EmptySet { set: part.set.clone() });
            continue;
        }
        let Boundary::Support { axes, motion, .. } = item else { continue };
        if model.section == Section::Axisymmetric && axes[0] && !still(motion, 0) {
            let on_axis: Vec<usize> = nodes_on_axis(mesh).collect();
            if let Some(node) = nodes(mesh, part).iter().find(|n| on_axis.binary_search(&n.index()).is_ok()) {
                problems.add(at, Flaw::OffAxis { node: node.0 });
            }
        }
        let mut dofs = Vec::new();
        let mut clash: Option<(usize, usize)> = None;
        for node in nodes(mesh, part) {
            for axis in (0..dim).filter(|axis| axes[*axis]) {
                let dof = node.index() * dim + axis;
                match owners[part.body][dof] {
                    None => {
                        owners[part.body][dof] = Some(entry);
                        dofs.push(dof as u32);
                    }
                    Some(first) if agree(&model.boundary[first], motion, axis) => {}
                    Some(first) => {
                        clash.get_or_insert((first, dof));
                    }
                }
            }
        }
        if let Some((first, dof)) = clash {
            let (body, axis) = (model.bodies[part.body].name.clone(), ["x", "y", "z"][dof % dim]);
            problems.add(at, Flaw::MovedTwice { node: dof / dim, body, axis, first });
        }
        supports[part.body].push(Support { entry, dofs, motion: motion.clone() });
    }
    let held = owners.iter().map(|list| list.iter().map(Option::is_some).collect()).collect();
    Held { held, supports }
}

fn needs_faces(entry: &Boundary) -> bool {
    matches!(
        entry,
        Boundary::Traction { .. }
            | Boundary::Pressure { .. }
            | Boundary::Spring { per: Per::Area, .. }
            | Boundary::Dashpot { per: Per::Area, .. }
    )
}

/// Whether a support keeps its nodes in place along an axis that it holds.
fn still(motion: &Motion, axis: usize) -> bool {
    match motion {
        Motion::Fixed => true,
        Motion::Displacement(along) | Motion::Velocity(along) => along[axis].is_zero(),
        Motion::Rotation { .. } => false,
    }
}

/// Whether two supports move their nodes alike along an axis, as far as their description tells.
fn agree(first: &Boundary, motion: &Motion, axis: usize) -> bool {
    let Boundary::Support { motion: before, .. } = first else { return false };
    if still(before, axis) && still(motion, axis) {
        return true;
    }
    match (before, motion) {
        (Motion::Displacement(a), Motion::Displacement(b)) | (Motion::Velocity(a), Motion::Velocity(b)) => {
            a[axis] == b[axis]
        }
        (Motion::Rotation { centre: c, axis: a, turn: t }, Motion::Rotation { centre: d, axis: b, turn: s }) => {
            (c, a, t) == (d, b, s)
        }
        _ => false,
    }
}

/// A set that a body does not have.
pub(super) fn unknown_set<'a>(
    model: &Model,
    body: usize,
    set: &str,
    kind: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Flaw {
    let (body, set) = (model.bodies[body].name.clone(), set.to_owned());
    Flaw::UnknownSet { body, kind, set, known: names.cloned().collect(), second: false }
}

fn nodes<'m>(mesh: &'m Mesh, part: &Part) -> &'m [NodeId] {
    mesh.node_sets.get(&part.set).map_or(&[], Vec::as_slice)
}

fn facets<'m>(mesh: &'m Mesh, part: &Part) -> &'m [Facet] {
    mesh.face_sets.get(&part.set).map_or(&[], Vec::as_slice)
}

/// Constant gravity: what needs no function of time.
pub(super) fn constant_gravity(model: &Model) -> [f64; 3] {
    let constant = |entry: &Boundary| match entry {
        Boundary::Gravity { value, time: TimeFunction::Constant(factor) } => Some(value.map(|x| x * factor)),
        _ => None,
    };
    model.boundary.iter().find_map(constant).unwrap_or_default()
}

/// The loads of a body, constant gravity excepted. Sets exist: [`supports`] has looked.
pub(super) fn loads(model: &Model, number: usize, body: &Deformable) -> Loads {
    let (dim, mesh, section) = (model.dim(), &body.mesh, body.section());
    let mut loads = Loads::default();
    let here = |part: &Part| part.body == number;
    for item in &model.boundary {
        let mut dead = Gather { dim, forces: BTreeMap::new() };
        let time = match item {
            Boundary::Gravity { value, time } if !time.is_constant() => {
                for node in 0..mesh.node_count() {
                    dead.add(node, body.mass().row(node).map(|(_, m)| m).sum::<f64>(), value);
                }
                time
            }
            Boundary::BodyForce { body: on, value, per, time } if *on == number => {
                for (node, weight) in weights(body, *per).into_iter().enumerate() {
                    dead.add(node, weight, value);
                }
                time
            }
            Boundary::Force { on, value, share, time } if here(on) => {
                let nodes = nodes(mesh, on);
                let part = if *share == Share::Each { 1.0 } else { 1.0 / nodes.len() as f64 };
                nodes.iter().for_each(|node| dead.add(node.index(), part, value));
                time
            }
            Boundary::Traction { on, value, time } if here(on) => {
                for (node, area, _) in nodal_areas(mesh, facets(mesh, on), section) {
                    dead.add(node.index(), area, value);
                }
                time
            }
            Boundary::Pressure { on, value, follows: false } if here(on) => {
                for (node, _, area) in nodal_areas(mesh, facets(mesh, on), section) {
                    dead.add(node.index(), -1.0, &area.into());
                }
                value
            }
            Boundary::Pressure { on, value, follows: true } if here(on) => {
                let facets = facets(mesh, on).to_vec();
                loads.pressures.push(FollowingPressure { pressure: value.clone(), facets });
                continue;
            }
            Boundary::Spring { on, coefficients, per } if here(on) => {
                loads.springs.extend(bedding(body, on, coefficients, *per));
                continue;
            }
            Boundary::Dashpot { on, coefficients, per } if here(on) => {
                loads.dashpots.extend(bedding(body, on, coefficients, *per));
                continue;
            }
            _ => continue,
        };
        loads.dead.push(DeadLoad { time: time.clone(), forces: dead.forces.into_iter().collect() });
    }
    loads
}

/// Nodal forces summed by unknown, in its order.
struct Gather {
    dim: usize,
    forces: BTreeMap<u32, f64>,
}

impl Gather {
    fn add(&mut self, node: usize, weight: f64, value: &[f64; 3]) {
        for (axis, component) in value[..self.dim].iter().enumerate().filter(|(_, c)| **c != 0.0) {
            *self.forces.entry((node * self.dim + axis) as u32).or_default() += weight * component;
        }
    }
}

/// `∫ρ N dV` or `∫ N dV` of each node.
fn weights(body: &Deformable, per: Density) -> Vec<f64> {
    let mut weights = vec![0.0; body.mesh.node_count()];
    for group in body.groups() {
        let scale = if per == Density::Mass { 1.0 } else { 1.0 / group.material().density };
        group.mass(&body.mesh, Lumping::Consistent, &mut |a, _, m| weights[a] += scale * m);
    }
    weights
}

/// Coefficients of springs or dashpots by nodal unknown.
fn bedding(body: &Deformable, on: &Part, coefficients: &[f64; 3], per: Per) -> Vec<(u32, f64)> {
    let mesh = &body.mesh;
    let mut gather = Gather { dim: body.dim(), forces: BTreeMap::new() };
    match per {
        Per::Area => {
            for (node, area, _) in nodal_areas(mesh, facets(mesh, on), body.section()) {
                gather.add(node.index(), area, coefficients);
            }
        }
        Per::Node | Per::Total => {
            let nodes = nodes(mesh, on);
            let part = if per == Per::Node { 1.0 } else { 1.0 / nodes.len() as f64 };
            nodes.iter().for_each(|node| gather.add(node.index(), part, coefficients));
        }
    }
    gather.forces.into_iter().collect()
}
