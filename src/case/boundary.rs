//! From the entries of `boundary` to supports and loads of the bodies. Entries that contradict each other are refused.

use std::collections::BTreeMap;

use nalgebra::{Unit, Vector3};

use super::build::unknown_set;
use super::data::{Case, Geometry};
use super::decode::Located;
use super::diagnostic::Diagnostic;
use super::loads::{self, Boundary, Density, Part, Per, Share};
use crate::bodies::facets::nodal_areas;
use crate::bodies::{DeadLoad, Deformable, FollowingPressure, Loads, Motion, Support, Turn, nodes_on_axis};
use crate::elements::Lumping;
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
pub(super) fn supports(case: &Case, meshes: &[Mesh], problems: &mut Vec<Diagnostic>) -> Held {
    let dim = case.dimension();
    let mut owners: Vec<Vec<Option<usize>>> = meshes.iter().map(|m| vec![None; m.node_count() * dim]).collect();
    let mut supports: Vec<Vec<Support>> = vec![Vec::new(); meshes.len()];
    for (entry, item) in case.boundary.iter().enumerate() {
        let Some(part) = part(&item.value) else { continue };
        let mesh = &meshes[part.body];
        let missing = if needs_faces(&item.value) {
            (!mesh.face_sets.contains_key(&part.set.value)).then(|| ("face", mesh.face_sets.keys().collect::<Vec<_>>()))
        } else {
            (!mesh.node_sets.contains_key(&part.set.value)).then(|| ("node", mesh.node_sets.keys().collect()))
        };
        if let Some((kind, names)) = missing {
            problems.push(unknown_set(&case.bodies[part.body].name.value, &part.set, kind, names.into_iter()));
            continue;
        }
        if nodes(mesh, part).is_empty() && facets(mesh, part).is_empty() {
            problems.push(part.set.problem(format!("set `{}` is empty: there is nothing to act on", part.set.value)));
            continue;
        }
        let Some((axes, motion)) = motion(&item.value) else { continue };
        if case.geometry == Geometry::Axisymmetric && axes[0] && !still(&item.value, 0) {
            let on_axis: Vec<usize> = nodes_on_axis(mesh).collect();
            if let Some(node) = nodes(mesh, part).iter().find(|n| on_axis.binary_search(&n.index()).is_ok()) {
                problems.push(item.problem(format!("moves node {} off the axis of the body", node.0)));
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
                    Some(first) if agree(&case.boundary[first], item, axis) => {}
                    Some(first) => {
                        clash.get_or_insert((first, dof));
                    }
                }
            }
        }
        if let Some((first, dof)) = clash {
            let (body, axis) = (&case.bodies[part.body].name.value, ["x", "y", "z"][dof % dim]);
            let first = &case.boundary[first].path;
            problems.push(item.problem(format!(
                "node {} of body `{body}` is already moved along {axis} by {first}, and differently",
                dof / dim
            )));
        }
        supports[part.body].push(Support { entry, dofs, motion });
    }
    let held = owners.iter().map(|list| list.iter().map(Option::is_some).collect()).collect();
    Held { held, supports }
}

/// The part an entry speaks of, if it does.
fn part(entry: &Boundary) -> Option<&Part> {
    match entry {
        Boundary::Gravity { .. } | Boundary::BodyForce { .. } => None,
        Boundary::Fixed { on, .. }
        | Boundary::Displacement { on, .. }
        | Boundary::Velocity { on, .. }
        | Boundary::Rotation { on, .. }
        | Boundary::Force { on, .. }
        | Boundary::Traction { on, .. }
        | Boundary::Pressure { on, .. }
        | Boundary::Spring { on, .. }
        | Boundary::Dashpot { on, .. } => Some(on),
    }
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

/// Held axes and how they move, of an entry that is a support.
fn motion(entry: &Boundary) -> Option<([bool; 3], Motion)> {
    let filled = |along: &[Option<TimeFunction>; 3]| along.clone().map(|f| f.unwrap_or(TimeFunction::ZERO));
    match entry {
        Boundary::Fixed { axes, .. } => Some((*axes, Motion::Fixed)),
        Boundary::Displacement { along, .. } => {
            Some((along.each_ref().map(Option::is_some), Motion::Displacement(filled(along))))
        }
        Boundary::Velocity { along, .. } => {
            Some((along.each_ref().map(Option::is_some), Motion::Velocity(filled(along))))
        }
        Boundary::Rotation { centre, axis, turn, .. } => {
            let turn = match turn {
                loads::Turn::Angle(degrees) => Turn::Angle(degrees.times(1f64.to_radians())),
                loads::Turn::Rate(rate) => Turn::Rate(rate.clone()),
            };
            let axis = Unit::new_normalize(Vector3::from(*axis));
            Some(([true; 3], Motion::Rotation { centre: Vector3::from(*centre), axis, turn }))
        }
        _ => None,
    }
}

/// Whether a support keeps its nodes in place along an axis.
fn still(entry: &Boundary, axis: usize) -> bool {
    match entry {
        Boundary::Fixed { .. } => true,
        Boundary::Displacement { along, .. } | Boundary::Velocity { along, .. } => {
            along[axis].as_ref().is_some_and(TimeFunction::is_zero)
        }
        _ => false,
    }
}

/// Whether two supports move their nodes alike along an axis, as far as their description tells.
fn agree(a: &Located<Boundary>, b: &Located<Boundary>, axis: usize) -> bool {
    if still(&a.value, axis) && still(&b.value, axis) {
        return true;
    }
    match (&a.value, &b.value) {
        (Boundary::Displacement { along: a, .. }, Boundary::Displacement { along: b, .. })
        | (Boundary::Velocity { along: a, .. }, Boundary::Velocity { along: b, .. }) => a[axis] == b[axis],
        (
            Boundary::Rotation { centre: c, axis: a, turn: t, .. },
            Boundary::Rotation { centre: d, axis: b, turn: s, .. },
        ) => (c, a, t) == (d, b, s),
        _ => false,
    }
}

fn nodes<'m>(mesh: &'m Mesh, part: &Part) -> &'m [NodeId] {
    mesh.node_sets.get(&part.set.value).map_or(&[], Vec::as_slice)
}

fn facets<'m>(mesh: &'m Mesh, part: &Part) -> &'m [Facet] {
    mesh.face_sets.get(&part.set.value).map_or(&[], Vec::as_slice)
}

/// Constant gravity: what needs no function of time.
pub(super) fn constant_gravity(case: &Case) -> [f64; 3] {
    let constant = |entry: &Located<Boundary>| match &entry.value {
        Boundary::Gravity { value, time: TimeFunction::Constant(factor) } => Some(value.map(|x| x * factor)),
        _ => None,
    };
    case.boundary.iter().find_map(constant).unwrap_or_default()
}

/// The loads of a body, constant gravity excepted. Sets exist: [`supports`] has looked.
pub(super) fn loads(case: &Case, number: usize, body: &Deformable) -> Loads {
    let (dim, mesh, section) = (case.dimension(), &body.mesh, body.section());
    let mut loads = Loads::default();
    let here = |part: &Part| part.body == number;
    for item in &case.boundary {
        let mut dead = Gather { dim, forces: BTreeMap::new() };
        let time = match &item.value {
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
