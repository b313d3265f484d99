//! What a picture shows: the meshes of all bodies and the outlines of all obstacles, with their fields.

use super::Simulation;
use crate::bodies::Deformable;
use crate::case::{Case, Field};
use crate::elements::Section;
use crate::geometry::{Outline, Pose, Vector};
use crate::output::{At, FieldKind, FieldSpec, Grid};

/// Bodies and obstacles as one grid. Parts are numbered bodies first, in the order of the case.
pub struct Scene {
    /// The grid.
    pub grid: Grid,
    fields: Vec<Field>,
    materials: Vec<Vec<u32>>,
    /// What the in-plane measure rebuilds.
    section: Option<Section>,
    body_of_cell: Vec<f64>,
    /// Points of each obstacle.
    obstacle_points: Vec<std::ops::Range<usize>>,
    values: Vec<Vec<f64>>,
    points: Vec<[f64; 3]>,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scene({} points, {} cells)", self.grid.points.len(), self.grid.cell_types.len())
    }
}

impl Scene {
    /// The scene of a simulation, with the fields its case chooses; `materials` has the material of each cell of each body.
    pub fn new(simulation: &Simulation, case: &Case, materials: &[Vec<u32>]) -> Self {
        let fields = &case.output.fields;
        let names = case.materials.iter().map(|m| m.name.value.clone()).collect();
        let mut grid = Grid { offsets: vec![0], materials: names, ..Grid::default() };
        let mut body_of_cell = Vec::new();
        let mut obstacle_points = Vec::new();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (b, body) in simulation.system.bodies.iter().enumerate() {
            let first = grid.points.len() as i64;
            for x in &body.mesh.nodes {
                for i in 0..3 {
                    low[i] = low[i].min(x[i]);
                    high[i] = high[i].max(x[i]);
                }
                grid.points.push(*x);
            }
            for (_, kind, nodes) in body.mesh.cells() {
                grid.cell_types.push(kind.vtk_type());
                grid.connectivity.extend(nodes.iter().map(|n| first + i64::from(n.0)));
                grid.offsets.push(grid.connectivity.len() as i64);
                body_of_cell.push(b as f64);
            }
            grid.parts.push((body.name.clone(), "body".to_owned()));
        }
        let dim = simulation.system.dim();
        // rigid bodies belong to the scene; walls without end reach as far as it does
        for (obstacle, _) in simulation.obstacles.iter().zip(&simulation.carriers).filter(|(_, body)| body.is_some()) {
            if obstacle.endless().is_none() {
                for x in Outline::of(obstacle, dim, [0.0; 3], [0.0; 3]).points {
                    for i in 0..3 {
                        low[i] = low[i].min(x[i]);
                        high[i] = high[i].max(x[i]);
                    }
                }
            }
        }
        if low[0] > high[0] {
            (low, high) = ([-1.0; 3], [1.0; 3]);
        }
        for (k, obstacle) in simulation.obstacles.iter().enumerate() {
            let outline = Outline::among(simulation.obstacles.len(), obstacle, dim, low, high);
            let first = grid.points.len() as i64;
            // pictures are drawn at rest and carried along
            grid.points.extend(&outline.points);
            obstacle_points.push(first as usize..grid.points.len());
            for (kind, corners) in outline.cells {
                grid.connectivity.extend(corners.iter().map(|&c| first + c as i64));
                grid.cell_types.push(kind);
                grid.offsets.push(grid.connectivity.len() as i64);
                body_of_cell.push((simulation.system.bodies.len() + k) as f64);
            }
            let kind = if simulation.carriers[k].is_some() { "rigid body" } else { "obstacle" };
            grid.parts.push((obstacle.name.clone(), kind.to_owned()));
        }
        let points = grid.points.clone();
        let values = vec![Vec::new(); fields.len()];
        let section = simulation.system.bodies.first().map(Deformable::section);
        let (fields, materials) = (fields.to_vec(), materials.to_vec());
        Scene { grid, fields, materials, section, body_of_cell, obstacle_points, values, points }
    }

    /// The fields, as the file describes them.
    pub fn specs(&self) -> Vec<FieldSpec> {
        let spec = |field: &Field| {
            let (components, at, unit, kind, description) = match field {
                Field::Displacement => (3, At::Points, "m", FieldKind::Float, "from the reference position"),
                Field::Velocity => {
                    (3, At::Points, "m/s", FieldKind::Float, "at the end of the step; of moved obstacles mean over it")
                }
                Field::ContactForce if self.section == Some(Section::Axisymmetric) => {
                    (3, At::Points, "N", FieldKind::Float, "on the whole ring of the node, mean over the step")
                }
                Field::ContactForce => (3, At::Points, "N", FieldKind::Float, "on the node, mean over the step"),
                Field::ContactStatus => (1, At::Points, "1", FieldKind::Int32, "0 open, 1 stick, 2 slip"),
                Field::Slip => (1, At::Points, "m", FieldKind::Float, "distance slid in contact so far"),
                Field::FrictionEnergy => (1, At::Points, "J", FieldKind::Float, "lost to friction at the node so far"),
                Field::ContactPressure => {
                    (1, At::Points, "Pa", FieldKind::Float, "normal contact force per current area facing the obstacle")
                }
                Field::ContactTraction => {
                    (3, At::Points, "Pa", FieldKind::Float, "contact force per current area facing the obstacle")
                }
                Field::FrictionEnergyDensity => {
                    (1, At::Points, "J/m^2", FieldKind::Float, "lost to friction so far, per undeformed area")
                }
                Field::FrictionPowerDensity => (
                    1,
                    At::Points,
                    "W/m^2",
                    FieldKind::Float,
                    "lost to friction, per undeformed area, mean over the step",
                ),
                Field::Body => (1, At::Cells, "1", FieldKind::Int32, "number in /parts"),
                Field::Material => (1, At::Cells, "1", FieldKind::Int32, "number in the case, -1 for obstacles"),
                Field::VonMises => {
                    (1, At::Cells, "Pa", FieldKind::Float, "of the Cauchy stress, volume mean over Gauss points")
                }
                Field::VonMisesPk2 => {
                    (1, At::Cells, "Pa", FieldKind::Float, "of the PK2 stress, volume mean over Gauss points")
                }
                Field::VonMisesPk2Inplane => (
                    1,
                    At::Points,
                    "Pa",
                    FieldKind::Float,
                    if matches!(self.section, Some(Section::PlaneStrain(_))) {
                        "of the PK2 stress with S33 = nu (S11 + S22), extrapolated from Gauss points, components averaged"
                    } else {
                        "of the PK2 stress, extrapolated from Gauss points, components averaged"
                    },
                ),
                Field::StrainEnergyDensity => {
                    (1, At::Cells, "J/m^3", FieldKind::Float, "per reference volume, volume mean over Gauss points")
                }
                Field::KineticEnergyDensity => {
                    (1, At::Cells, "J/m^3", FieldKind::Float, "per reference volume, cell mean")
                }
                Field::Pressure => {
                    (1, At::Cells, "Pa", FieldKind::Float, "minus a third of the trace of the Cauchy stress, mean")
                }
            };
            let (name, unit, description) = (field.name().to_owned(), unit.to_owned(), description.to_owned());
            FieldSpec { name, components, at, unit, description, kind, sparse: touches(*field) }
        };
        self.fields.iter().map(spec).collect()
    }

    /// Takes the current state of a simulation; returns points and field values in the order of [`Scene::specs`].
    /// Obstacles carry no stress: their stresses are not a number, so that no colour is given to them.
    pub fn update(&mut self, simulation: &Simulation) -> (&[[f64; 3]], Vec<&[f64]>) {
        let mut at = 0;
        for (body, state) in simulation.system.bodies.iter().zip(&simulation.system.states) {
            for node in 0..body.mesh.node_count() {
                self.points[at] = body.position(&state.u, node).into();
                at += 1;
            }
        }
        for (k, range) in self.obstacle_points.iter().enumerate() {
            let Some(pose) = simulation.pose(k) else { continue };
            for (point, rest) in self.points[range.clone()].iter_mut().zip(&self.grid.points[range.clone()]) {
                *point = pose.place((*rest).into()).into();
            }
        }
        let (points, cells) = (self.grid.points.len(), self.grid.cell_types.len());
        for (field, values) in self.fields.iter().zip(&mut self.values) {
            values.clear();
            for (b, body) in simulation.system.bodies.iter().enumerate() {
                let dim = body.dim();
                let (state, contact, stress) =
                    (&simulation.system.states[b], &simulation.nodes[b], &simulation.stresses[b]);
                match field {
                    Field::Displacement => vectors(&state.u, dim, values),
                    Field::Velocity => vectors(&state.v, dim, values),
                    Field::ContactForce => vectors(&contact.force, dim, values),
                    Field::ContactStatus => values.extend_from_slice(&contact.status),
                    Field::Slip => values.extend_from_slice(&contact.slip),
                    Field::FrictionEnergy => values.extend_from_slice(&contact.energy),
                    Field::ContactPressure => values.extend_from_slice(&contact.pressure),
                    Field::ContactTraction => vectors(&contact.traction, dim, values),
                    Field::FrictionEnergyDensity => values.extend_from_slice(&contact.energy_density),
                    Field::FrictionPowerDensity => values.extend_from_slice(&contact.power_density),
                    Field::Body => {}
                    Field::Material => {
                        values.extend(self.materials[b].iter().map(|&m| f64::from(m)));
                    }
                    Field::VonMises => values.extend_from_slice(&stress.von_mises),
                    Field::VonMisesPk2 => values.extend_from_slice(&stress.von_mises_pk2),
                    Field::VonMisesPk2Inplane => values.extend_from_slice(&stress.inplane),
                    Field::StrainEnergyDensity => values.extend_from_slice(&stress.energy_density),
                    Field::KineticEnergyDensity => body.kinetic_densities(&state.v, values),
                    Field::Pressure => values.extend_from_slice(&stress.pressure),
                }
            }
            match field {
                Field::Body => values.extend_from_slice(&self.body_of_cell),
                Field::Displacement => {
                    let moved = self.points.iter().zip(&self.grid.points).skip(values.len() / 3);
                    values.extend(moved.flat_map(|(now, rest)| (0..3).map(|i| now[i] - rest[i])));
                }
                Field::Velocity => {
                    for (k, range) in self.obstacle_points.iter().enumerate() {
                        let places = self.points[range.clone()].iter().zip(&self.grid.points[range.clone()]);
                        let speed = Speed::of(simulation, k);
                        values.extend(places.flat_map(|(now, rest)| speed.at((*now).into(), (*rest).into())));
                    }
                }
                Field::ContactForce | Field::ContactTraction => values.resize(3 * points, 0.0),
                Field::ContactStatus
                | Field::Slip
                | Field::FrictionEnergy
                | Field::ContactPressure
                | Field::FrictionEnergyDensity
                | Field::FrictionPowerDensity => values.resize(points, 0.0),
                Field::Material => values.resize(cells, -1.0),
                Field::VonMisesPk2Inplane => values.resize(points, f64::NAN),
                Field::VonMises
                | Field::VonMisesPk2
                | Field::StrainEnergyDensity
                | Field::KineticEnergyDensity
                | Field::Pressure => values.resize(cells, f64::NAN),
            }
        }
        (&self.points, self.values.iter().map(Vec::as_slice).collect())
    }
}

/// How an obstacle moves.
enum Speed {
    /// It does not.
    None,
    /// As a rigid body: velocity of its centre, spin, centre.
    Rigid(Vector, Vector, Vector),
    /// As prescribed: where it was at the start of the step, and the step's length.
    Since(Pose, f64),
}

impl Speed {
    fn of(simulation: &Simulation, obstacle: usize) -> Speed {
        if let Some(body) = simulation.carriers[obstacle]
            && let Some(rigid) = simulation.system.all().rigid(body)
        {
            let state = &simulation.system.states[body];
            let (velocity, spin) = rigid.parts(&state.v);
            return Speed::Rigid(velocity, spin, rigid.centre(&state.u));
        }
        let dt = simulation.last.dt;
        match &simulation.obstacles[obstacle].motion {
            Some(motion) if dt > 0.0 => Speed::Since(motion.pose(simulation.time - dt), dt),
            _ => Speed::None,
        }
    }

    fn at(&self, now: Vector, rest: Vector) -> [f64; 3] {
        match self {
            Speed::None => [0.0; 3],
            Speed::Rigid(velocity, spin, centre) => (velocity + spin.cross(&(now - centre))).into(),
            Speed::Since(before, dt) => ((now - before.place(rest)) / *dt).into(),
        }
    }
}

/// Whether a field is zero but where there is contact.
fn touches(field: Field) -> bool {
    matches!(
        field,
        Field::ContactForce
            | Field::ContactStatus
            | Field::Slip
            | Field::FrictionEnergy
            | Field::ContactPressure
            | Field::ContactTraction
            | Field::FrictionEnergyDensity
            | Field::FrictionPowerDensity
    )
}

fn vectors(values: &[f64], dim: usize, out: &mut Vec<f64>) {
    let first = out.len();
    out.resize(first + 3 * (values.len() / dim), 0.0);
    for (three, v) in out[first..].chunks_exact_mut(3).zip(values.chunks_exact(dim)) {
        three[..dim].copy_from_slice(v);
    }
}
