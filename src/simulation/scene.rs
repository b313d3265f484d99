//! What a picture shows: the meshes of all bodies and the outlines of all obstacles, with their fields.

use super::Simulation;
use crate::contact::detection::RigidPlace;
use crate::elements::Section;
use crate::geometry::{Outline, Pose, Vector};
use crate::model::Field;
use crate::output::{At, FieldKind, FieldSpec, Grid};

/// Bodies and obstacles as one grid. Parts are numbered bodies first, in the order of the case.
pub struct Scene {
    /// The grid.
    pub grid: Grid,
    fields: Vec<Field>,
    /// What the in-plane measure rebuilds.
    section: Option<Section>,
    body_of_cell: Vec<f64>,
    /// Points that are carried along: of obstacles, and of rigid bodies without shapes.
    carried: Vec<(Carried, std::ops::Range<usize>)>,
    values: Vec<Vec<f64>>,
    points: Vec<[f64; 3]>,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scene({} points, {} cells)", self.grid.points.len(), self.grid.cell_types.len())
    }
}

impl Scene {
    /// The scene of a simulation, with the fields that are wished for.
    pub fn new(simulation: &Simulation) -> Self {
        let fields = simulation.plan.output.fields.clone();
        let materials = simulation.plan.materials.clone();
        let mut grid = Grid { offsets: vec![0], materials, ..Grid::default() };
        let mut body_of_cell = Vec::new();
        let mut carried = Vec::new();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, body) in simulation.system.all().deformable() {
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
                body_of_cell.push(grid.parts.len() as f64);
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
        for (_, body) in simulation.system.all().rigid().filter(|(b, _)| !simulation.carriers.contains(&Some(*b))) {
            let centre = body.rest_centre();
            for x in std::iter::once(centre).chain(body.points.iter().map(|(_, arm)| centre + arm)) {
                for i in 0..3 {
                    low[i] = low[i].min(x[i]);
                    high[i] = high[i].max(x[i]);
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
            carried.push((Carried::Obstacle(k), first as usize..grid.points.len()));
            for (kind, corners) in outline.cells {
                grid.connectivity.extend(corners.iter().map(|&c| first + c as i64));
                grid.cell_types.push(kind);
                grid.offsets.push(grid.connectivity.len() as i64);
                body_of_cell.push((grid.parts.len()) as f64);
            }
            let kind = if simulation.carriers[k].is_some() { "rigid body" } else { "obstacle" };
            grid.parts.push((obstacle.name.clone(), kind.to_owned()));
        }
        for (b, body) in simulation.system.all().rigid() {
            if simulation.carriers.contains(&Some(b)) {
                continue;
            }
            // nothing to see but its centre, with lines to its points
            let first = grid.points.len();
            grid.points.push(body.rest_centre().into());
            grid.points.extend(body.points.iter().map(|(_, arm)| <[f64; 3]>::from(body.rest_centre() + arm)));
            carried.push((Carried::Body(b), first..grid.points.len()));
            let lines = (first + 1..grid.points.len()).map(|end| (VTK_LINE, vec![first, end]));
            let vertex = body.points.is_empty().then_some((VTK_VERTEX, vec![first]));
            for (kind, ends) in lines.chain(vertex) {
                grid.connectivity.extend(ends.iter().map(|&k| k as i64));
                grid.cell_types.push(kind);
                grid.offsets.push(grid.connectivity.len() as i64);
                body_of_cell.push(grid.parts.len() as f64);
            }
            grid.parts.push((body.name.clone(), "rigid body".to_owned()));
        }
        let points = grid.points.clone();
        let values = vec![Vec::new(); fields.len()];
        let section = simulation.system.section();
        Scene { grid, fields, section, body_of_cell, carried, values, points }
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
        for (b, body) in simulation.system.all().deformable() {
            let state = &simulation.system.states[b];
            for node in 0..body.mesh.node_count() {
                self.points[at] = body.position(&state.u, node).into();
                at += 1;
            }
        }
        for (what, range) in &self.carried {
            let Some(pose) = what.pose(simulation) else { continue };
            for (point, rest) in self.points[range.clone()].iter_mut().zip(&self.grid.points[range.clone()]) {
                *point = pose.place((*rest).into()).into();
            }
        }
        let (points, cells) = (self.grid.points.len(), self.grid.cell_types.len());
        for (field, values) in self.fields.iter().zip(&mut self.values) {
            values.clear();
            for (b, body) in simulation.system.all().deformable() {
                let dim = body.dim();
                let (state, contact) = (&simulation.system.states[b], &simulation.nodes[b]);
                let Some(stress) = &simulation.stresses[b] else { continue };
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
                        values.extend(simulation.plan.material_of_cell[b].iter().map(|&m| f64::from(m)));
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
                    for (what, range) in &self.carried {
                        let places = self.points[range.clone()].iter().zip(&self.grid.points[range.clone()]);
                        let speed = Speed::of(simulation, *what);
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

/// VTK's numbers of a single point and of a line.
const VTK_VERTEX: u8 = 1;
const VTK_LINE: u8 = 3;

/// What carries points of the scene.
#[derive(Debug, Clone, Copy)]
enum Carried {
    /// An obstacle, or what moves it.
    Obstacle(usize),
    /// A rigid body, by its number among all.
    Body(usize),
}

impl Carried {
    /// The rigid body that does.
    fn body(self, simulation: &Simulation) -> Option<usize> {
        match self {
            Carried::Obstacle(k) => simulation.carriers[k],
            Carried::Body(b) => Some(b),
        }
    }

    /// Where it is, from where it rests; none if it stands still.
    fn pose(self, simulation: &Simulation) -> Option<Pose> {
        match (self.body(simulation), self) {
            (Some(b), _) => {
                let rigid = simulation.system.bodies[b].rigid()?;
                Some(RigidPlace::of(rigid, &simulation.system.states[b].u).pose)
            }
            (None, Carried::Obstacle(k)) => {
                simulation.obstacles[k].motion.as_ref().map(|motion| motion.pose(simulation.time))
            }
            (None, Carried::Body(_)) => None,
        }
    }
}

/// How it moves.
enum Speed {
    /// It does not.
    None,
    /// As a rigid body: velocity of its centre, spin, centre.
    Rigid(Vector, Vector, Vector),
    /// As prescribed: where it was at the start of the step, and the step's length.
    Since(Pose, f64),
}

impl Speed {
    fn of(simulation: &Simulation, what: Carried) -> Speed {
        if let Some(body) = what.body(simulation)
            && let Some(rigid) = simulation.system.bodies[body].rigid()
        {
            let state = &simulation.system.states[body];
            let (velocity, spin) = rigid.parts(&state.v);
            return Speed::Rigid(velocity, spin, rigid.centre(&state.u));
        }
        let Carried::Obstacle(obstacle) = what else { return Speed::None };
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
