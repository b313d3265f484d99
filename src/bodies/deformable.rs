//! A deformable body: mesh, law, mass, and the effective matrix of its time step.

use nalgebra::Vector3;

use super::damping::{DampingMatrix, LumpedDamping};
use super::loads::{LoadPattern, Loads};
use super::numbering::Numbering;
use super::supports::Support;
use crate::elements::{
    ElementError, ElementGroup, ForceRule, Formulation, Groups, Hourglass, Lumping, Scatter, Section, groups,
};
use crate::linalg::sparse::{NodalMatrix, NodeGraph, SymmetricMatrix};
use crate::linalg::{Factorization, FactorizationError};
use crate::materials::Material;
use crate::mesh::{CellKind, Mesh};

/// Poisson's ratio from which standard elements are called locking.
const LOCKING: f64 = 0.45;

/// Bytes for each cell and each node in the plane and in space, with matrices and without: measured on regular meshes.
const BYTES: [[[u64; 2]; 2]; 2] = [[[900, 1300], [500, 600]], [[4000, 4200], [1200, 700]]];

/// What can go wrong in a body.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// An element is inverted or degenerate.
    #[error("body {body}: {source}")]
    Element {
        /// Name of the body.
        body: String,
        /// What happened.
        source: ElementError,
    },
    /// The effective matrix could not be factored.
    #[error("body {body}: {source}")]
    Factorization {
        /// Name of the body.
        body: String,
        /// What happened.
        source: FactorizationError,
    },
    /// A rigid body turns too far within a step.
    #[error("body {body}: turns by {degrees:.0} degrees within the step")]
    Turn {
        /// Name of the body.
        body: String,
        /// How far.
        degrees: f64,
    },
    /// A displacement or force is not a number any more.
    #[error("body {body}: non-finite {what}")]
    NonFinite {
        /// Name of the body.
        body: String,
        /// Which quantity.
        what: &'static str,
    },
}

/// What a deformable body is made from.
#[derive(Debug, Clone)]
pub struct DeformableSpec {
    /// Name in the case.
    pub name: String,
    /// Mesh with its sets.
    pub mesh: Mesh,
    /// The materials that occur in it.
    pub materials: Vec<Material>,
    /// Number in `materials` for each cell; empty if all cells are of the first.
    pub material_of_cell: Vec<u32>,
    /// What the mesh stands for in space.
    pub section: Section,
    /// How elements take the change of volume.
    pub formulation: Formulation,
    /// Consistent or lumped mass.
    pub lumping: Lumping,
    /// For each nodal unknown, whether a support holds it.
    pub held: Vec<bool>,
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// Forces only, for explicit steps, with this hourglass control; else an effective matrix too.
    pub batches: Option<Hourglass>,
}

impl DeformableSpec {
    /// A free body of one material: standard elements with consistent mass, in plane strain (1 m thick) or space, no gravity.
    pub fn new(name: impl Into<String>, mesh: Mesh, material: Material) -> Self {
        DeformableSpec {
            name: name.into(),
            held: vec![false; mesh.node_count() * mesh.dim()],
            section: if mesh.dim() == 2 { Section::PlaneStrain(1.0) } else { Section::Solid },
            mesh,
            materials: vec![material],
            material_of_cell: Vec::new(),
            formulation: Formulation::Standard,
            lumping: Lumping::Consistent,
            gravity: [0.0; 3],
            batches: None,
        }
    }
}

/// The work done for a body since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Internal forces.
    pub forces: u64,
    /// Effective matrices, each along with a force.
    pub tangents: u64,
    /// Factors.
    pub factors: u64,
}

/// A body with elastic unknowns at its nodes.
pub struct Deformable {
    /// Name in the case.
    pub name: String,
    /// Mesh with its sets.
    pub mesh: Mesh,
    pub(super) dim: usize,
    size: f64,
    pub(super) section: Section,
    pub(super) lumping: Lumping,
    pub(super) groups: Vec<Box<dyn ElementGroup>>,
    scatter: Vec<Scatter>,
    pub(super) mass: NodalMatrix,
    /// The mass on the pattern of the effective matrix.
    mass_values: Vec<f64>,
    pub(super) numbering: Numbering,
    held: Vec<bool>,
    pub(super) matrix: SymmetricMatrix,
    factor: Factorization,
    /// Values of the matrix that was factored last.
    factored: Vec<f64>,
    tally: Tally,
    /// Factor of the mass on the unknowns that are solved for, once it was asked for.
    mass_factor: Option<Factorization>,
    gravity: Vec<f64>,
    pub(super) loads: Loads,
    pub(super) load_pattern: LoadPattern,
    pub(super) supports: Vec<Support>,
    /// Whether a support moves.
    pub(super) moving: bool,
    pub(super) damping: Option<DampingMatrix>,
    /// The same for explicit steps.
    pub(super) lumped_damping: Option<LumpedDamping>,
}

impl std::fmt::Debug for Deformable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deformable({}, {} nodes)", self.name, self.mesh.node_count())
    }
}

impl Deformable {
    /// Builds mass, numbering, pattern and symbolic factorisation.
    pub fn new(spec: DeformableSpec) -> Result<Self, BodyError> {
        let DeformableSpec {
            name,
            mesh,
            materials,
            material_of_cell,
            section,
            formulation,
            lumping,
            mut held,
            gravity,
            batches,
        } = spec;
        let lumping = if batches.is_some() { Lumping::Lumped } else { lumping };
        let dim = mesh.dim();
        let made = Groups { materials: &materials, of_cell: &material_of_cell, section, formulation, batches };
        let groups = groups(&mesh, &made).map_err(|source| BodyError::Element { body: name.clone(), source })?;
        if section == Section::Axisymmetric {
            for node in nodes_on_axis(&mesh) {
                held[node * dim] = true;
            }
        }
        let lists = || groups.iter().flat_map(|g| (0..g.cells().len()).map(move |e| g.nodes(e)));
        let factorization = |source| BodyError::Factorization { body: name.clone(), source };
        let explicit = batches.is_some();
        // explicit steps solve nothing: nodes have their own mass only, and there is no matrix
        let graph = match explicit {
            true => NodeGraph::diagonal(mesh.node_count()),
            false => NodeGraph::new(mesh.node_count(), lists().collect::<Vec<_>>().into_iter()),
        };
        let numbering = match explicit {
            true => Numbering::in_order(mesh.node_count(), dim, &held),
            false => Numbering::new(&graph, &mesh.nodes, dim, &held).map_err(factorization)?,
        };
        let equations = if explicit { 0 } else { numbering.equation_count() };
        let matrix = SymmetricMatrix::over_graph(&graph, equations, |n| numbering.of_node(n));
        let scatter = match explicit {
            true => Vec::new(),
            false => groups.iter().map(|g| scatter(g.as_ref(), &matrix, &numbering, dim)).collect(),
        };
        let mut mass = NodalMatrix::zero(graph);
        for group in &groups {
            group.mass(&mesh, lumping, &mut |a, b, m| mass.add(a, b, m));
        }
        let mut mass_values = vec![0.0; matrix.lower().nnz()];
        for node in (0..mesh.node_count()).filter(|_| !explicit) {
            for (other, value) in mass.row(node).filter(|(other, _)| *other >= node) {
                for axis in 0..dim {
                    let (a, b) = (numbering.of_node(node)[axis], numbering.of_node(other)[axis]);
                    if a != Numbering::HELD
                        && b != Numbering::HELD
                        && let Some(at) = matrix.position(a, b)
                    {
                        mass_values[at as usize] += value;
                    }
                }
            }
        }
        let mut gravity_force = vec![0.0; mesh.node_count() * dim];
        for node in 0..mesh.node_count() {
            let weight: f64 = mass.row(node).map(|(_, m)| m).sum();
            for axis in 0..dim {
                gravity_force[node * dim + axis] = weight * gravity[axis];
            }
        }
        let factor = Factorization::analyse(&matrix).map_err(factorization)?;
        Ok(Deformable {
            name,
            size: diagonal(&mesh),
            mesh,
            dim,
            section,
            lumping,
            groups,
            scatter,
            mass,
            mass_values,
            numbering,
            held,
            matrix,
            factor,
            factored: Vec::new(),
            tally: Tally::default(),
            mass_factor: None,
            gravity: gravity_force,
            loads: Loads::default(),
            load_pattern: LoadPattern::default(),
            supports: Vec::new(),
            moving: false,
            damping: None,
            lumped_damping: None,
        })
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// What the mesh stands for in space.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Elements that lock, if there are any: their law is nearly incompressible (Poisson's ratio at rest above 0.45) and they
    /// take the change of volume point by point.
    pub fn locking(&self) -> Option<String> {
        let group = self.groups.iter().find(|g| g.locks() && g.material().law.poisson() > LOCKING)?;
        let (shape, law) = (self.mesh.kind(group.cells()[0]), &group.material().law);
        let simplex = matches!(shape, CellKind::Tri3 | CellKind::Tet4);
        let remedy = match (simplex, law.has_volumetric_part()) {
            (false, true) => "`formulation: mean_dilatation` helps",
            (true, true) => "quads or hexes with `formulation: mean_dilatation` help",
            (_, false) => "a law with a volumetric part and `formulation: mean_dilatation` help",
        };
        Some(format!(
            "body {}: {} of law {} with Poisson's ratio {:.4} at rest are too stiff (volumetric locking above {LOCKING}); {remedy}",
            self.name,
            shape.name(),
            law.name(),
            law.poisson()
        ))
    }

    /// About how many bytes a body of a mesh takes: its elements, and for implicit steps its matrices without the factor.
    pub fn bytes(mesh: &Mesh, explicit: bool) -> u64 {
        let [cell, node] = BYTES[usize::from(mesh.dim() == 3)][usize::from(explicit)];
        cell * mesh.cell_count() as u64 + node * mesh.node_count() as u64
    }

    /// Nodal unknowns, held ones included.
    pub fn dof_count(&self) -> usize {
        self.mesh.node_count() * self.dim
    }

    /// Equation numbers.
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// Whether a support holds this nodal unknown.
    pub fn is_held(&self, dof: usize) -> bool {
        self.held[dof]
    }

    /// The last factor of the effective matrix.
    pub fn factorization(&self) -> &Factorization {
        &self.factor
    }

    /// What has been done so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Element groups.
    pub fn groups(&self) -> &[Box<dyn ElementGroup>] {
        &self.groups
    }

    /// Nodal mass matrix.
    pub fn mass(&self) -> &NodalMatrix {
        &self.mass
    }

    /// Constant weight of the nodes.
    pub fn gravity_force(&self) -> &[f64] {
        &self.gravity
    }

    /// Current position of a node.
    #[inline]
    pub fn position(&self, u: &[f64], node: usize) -> Vector3<f64> {
        let mut x = Vector3::from(self.mesh.nodes[node]);
        for axis in 0..self.dim {
            x[axis] += u[node * self.dim + axis];
        }
        x
    }

    /// Mean internal force of the step `u₀ → u₁` into `force`, and the energy of the state it was taken at. With
    /// `coefficients = (m, k)` also assembles the effective matrix `m M + k ∂f̄`.
    pub fn internal_force(
        &mut self,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        coefficients: Option<(f64, f64)>,
    ) -> Result<f64, BodyError> {
        self.tally.forces += 1;
        self.tally.tangents += u64::from(coefficients.is_some());
        force.fill(0.0);
        if let Some((m, _)) = coefficients {
            for (value, mass) in self.matrix.values_mut().iter_mut().zip(&self.mass_values) {
                *value = m * mass;
            }
        }
        let mut energy = 0.0;
        for (group, scatter) in self.groups.iter().zip(&self.scatter) {
            let tangent = coefficients.map(|(_, k)| (scatter, k, self.matrix.values_mut()));
            energy += group
                .internal(rule, u0, u1, force, tangent)
                .map_err(|source| BodyError::Element { body: self.name.clone(), source })?;
        }
        if !energy.is_finite() || !force.iter().all(|x| x.is_finite()) {
            return Err(BodyError::NonFinite { body: self.name.clone(), what: "internal force" });
        }
        Ok(energy)
    }

    /// Factors the effective matrix assembled last.
    pub fn factor(&mut self) -> Result<(), BodyError> {
        // a linear body assembles the same numbers over and over: one factor lasts for the whole run
        if !self.factored.is_empty() && self.factored == self.matrix.lower().data() {
            return Ok(());
        }
        self.factored.clear();
        self.tally.factors += 1;
        self.factor
            .refactor(&self.matrix)
            .map_err(|source| BodyError::Factorization { body: self.name.clone(), source })?;
        self.factored.extend_from_slice(self.matrix.lower().data());
        Ok(())
    }

    /// Values of the matrix that was factored last; none if there is no factor.
    pub fn factored(&self) -> &[f64] {
        &self.factored
    }

    /// Factors a matrix by its values. `None` if they do not fit or it has no factor.
    pub fn factor_again(&mut self, values: &[f64]) -> Option<()> {
        let own = self.matrix.values_mut();
        if own.len() != values.len() {
            return None;
        }
        own.copy_from_slice(values);
        self.factor().ok()
    }

    /// `out = M⁻¹ force` on the unknowns that are solved for, zero on held ones; `equations` is work space.
    pub fn solve_mass(&mut self, force: &[f64], equations: &mut [f64], out: &mut [f64]) -> Result<(), BodyError> {
        if self.mass_factor.is_none() {
            let mut matrix = self.matrix.clone();
            matrix.values_mut().copy_from_slice(&self.mass_values);
            let failed = |source| BodyError::Factorization { body: self.name.clone(), source };
            let mut factor = Factorization::analyse(&matrix).map_err(failed)?;
            factor.refactor(&matrix).map_err(failed)?;
            self.mass_factor = Some(factor);
        }
        out.fill(0.0);
        if let Some(factor) = &self.mass_factor {
            self.numbering.gather(force, equations);
            factor.solve(equations);
            self.numbering.scatter_add(equations, 1.0, out);
        }
        Ok(())
    }

    /// The effective matrix assembled last.
    pub fn effective_matrix(&self) -> &SymmetricMatrix {
        &self.matrix
    }

    /// Stored energy.
    pub fn strain_energy(&self, u: &[f64]) -> f64 {
        self.groups.iter().map(|g| g.energy(u)).sum()
    }

    /// `½ vᵀ M v`; `scratch` has one number for each nodal unknown.
    pub fn kinetic_energy(&self, v: &[f64], scratch: &mut [f64]) -> f64 {
        self.mass.multiply(self.dim, v, scratch);
        0.5 * v.iter().zip(scratch.iter()).map(|(a, b)| a * b).sum::<f64>()
    }

    /// Mass of the whole body.
    pub fn total_mass(&self) -> f64 {
        (0..self.mesh.node_count()).flat_map(|n| self.mass.row(n)).map(|(_, m)| m).sum()
    }

    /// Centre of mass in a state.
    pub fn centre_of_mass(&self, u: &[f64]) -> Vector3<f64> {
        let (mut sum, mut mass) = (Vector3::zeros(), 0.0);
        for node in 0..self.mesh.node_count() {
            let share: f64 = self.mass.row(node).map(|(_, m)| m).sum();
            sum += share * self.position(u, node);
            mass += share;
        }
        sum / mass
    }

    /// Largest stable explicit step at the reference state.
    pub fn critical_step(&self) -> f64 {
        self.groups.iter().map(|g| g.critical_step()).fold(f64::INFINITY, f64::min)
    }

    /// Diagonal of the body's bounding box in the reference state: the length displacements are measured by.
    pub fn size(&self) -> f64 {
        self.size
    }
}

/// Diagonal of the bounding box of a mesh.
fn diagonal(mesh: &Mesh) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in &mesh.nodes {
        for i in 0..3 {
            low[i] = low[i].min(x[i]);
            high[i] = high[i].max(x[i]);
        }
    }
    (0..3).map(|i| (high[i] - low[i]).powi(2)).sum::<f64>().sqrt()
}

/// Nodes on the axis `x = 0` of a body of revolution, to the rounding of its coordinates.
pub fn nodes_on_axis(mesh: &Mesh) -> impl Iterator<Item = usize> + '_ {
    let size = mesh.nodes.iter().fold(0.0f64, |m, x| m.max(x[0].abs()));
    (0..mesh.node_count()).filter(move |&node| mesh.nodes[node][0].abs() <= 1e-9 * size)
}

pub(super) fn scatter(
    group: &dyn ElementGroup,
    matrix: &SymmetricMatrix,
    numbering: &Numbering,
    dim: usize,
) -> Scatter {
    let mut list = Vec::with_capacity(group.cells().len() * group.scatter_len());
    for e in 0..group.cells().len() {
        let nodes = group.nodes(e);
        for a in 0..nodes.len() {
            for b in a..nodes.len() {
                for i in 0..dim {
                    for j in (if a == b { i } else { 0 })..dim {
                        let row = numbering.of_node(nodes[a] as usize)[i];
                        let column = numbering.of_node(nodes[b] as usize)[j];
                        let held = row == Numbering::HELD || column == Numbering::HELD;
                        let at = if held { None } else { matrix.position(row, column) };
                        list.push(at.unwrap_or(Scatter::NOWHERE));
                    }
                }
            }
        }
    }
    Scatter(list)
}
