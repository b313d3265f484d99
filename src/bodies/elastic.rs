//! A body of small strain that is held at some nodes and factored once: its compliance at the nodes that may be loaded, and its
//! displacements under any load.
//!
//! The nodes that may be loaded are eliminated last. Of `K = L Lᵀ` only the last block then belongs to them, and their compliance is
//! the inverse of that block alone: `G = L_kk⁻ᵀ L_kk⁻¹`, without a single pass through the rest of the factor.

use faer::linalg::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::deformable::{BodyError, scatter};
use super::numbering::Numbering;
use crate::elements::{ElementGroup, ForceRule, Formulation, Groups, Section, groups};
use crate::linalg::factorization::Reach;
use crate::linalg::ordering::order_with_last;
use crate::linalg::sparse::{NodeGraph, SymmetricMatrix};
use crate::linalg::symmetric::von_mises;
use crate::linalg::{Factorization, FactorizationError};
use crate::materials::Material;
use crate::mesh::{Mesh, NodeId};
use crate::parallel;

/// Columns of the compliance that a thread takes at a time: always the same, so that results are.
const STRETCH: usize = 48;

/// A factored body of small strain.
pub struct Elastic {
    /// Mesh with its sets.
    pub mesh: Mesh,
    dim: usize,
    groups: Vec<Box<dyn ElementGroup>>,
    numbering: Numbering,
    matrix: SymmetricMatrix,
    factor: Factorization,
    kept: Vec<NodeId>,
}

/// Displacements of kept unknowns under unit forces on them. Unknown `dim·k + axis` belongs to kept node `k`.
#[derive(Debug, Clone)]
pub struct Compliance {
    size: usize,
    values: Vec<f64>,
}

impl Compliance {
    /// Unknowns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Displacements under a unit force on unknown `k`.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.values[k * self.size..(k + 1) * self.size]
    }

    /// `uᵢ` under a unit force on unknown `j`.
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.size + i]
    }
}

impl std::fmt::Debug for Elastic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Elastic({} nodes, {} kept)", self.mesh.node_count(), self.kept.len())
    }
}

/// What an elastic body is made from.
#[derive(Debug, Clone)]
pub struct ElasticSpec {
    /// Name, for messages.
    pub name: String,
    /// Mesh with its sets.
    pub mesh: Mesh,
    /// Its law at rest counts.
    pub material: Material,
    /// What the mesh stands for.
    pub section: Section,
    /// Nodes that are held.
    pub held: Vec<NodeId>,
    /// Nodes that may be loaded; none of them is held.
    pub kept: Vec<NodeId>,
}

impl Elastic {
    /// Assembles the stiffness at rest and analyses it.
    pub fn new(spec: ElasticSpec) -> Result<Self, BodyError> {
        let ElasticSpec { name, mesh, material, section, held, kept } = spec;
        let dim = mesh.dim();
        let made =
            Groups { materials: &[material], of_cell: &[], section, formulation: Formulation::Standard, batches: None };
        let groups = groups(&mesh, &made).map_err(|source| BodyError::Element { body: name.clone(), source })?;
        let failed = |source: FactorizationError| BodyError::Factorization { body: name.clone(), source };
        let lists: Vec<&[u32]> = groups.iter().flat_map(|g| (0..g.cells().len()).map(move |e| g.nodes(e))).collect();
        let graph = NodeGraph::new(mesh.node_count(), lists.into_iter());
        let mut is_held = vec![false; mesh.node_count() * dim];
        held.iter().for_each(|n| is_held[n.index() * dim..(n.index() + 1) * dim].fill(true));
        let last: Vec<u32> = kept.iter().map(|n| n.0).collect();
        let sequence = order_with_last(&graph, &mesh.nodes, &last).map_err(failed)?;
        let numbering = Numbering::in_sequence(&sequence, dim, &is_held);
        let mut matrix = SymmetricMatrix::over_graph(&graph, numbering.equation_count(), |n| numbering.of_node(n));
        let rest = vec![0.0; mesh.node_count() * dim];
        let mut force = rest.clone();
        for group in &groups {
            let places = scatter(group.as_ref(), &matrix, &numbering, dim);
            group
                .internal(ForceRule::End, &rest, &rest, &mut force, Some((&places, 1.0, matrix.values_mut())))
                .map_err(|source| BodyError::Element { body: name.clone(), source })?;
        }
        let factor = Factorization::analyse(&matrix).map_err(failed)?;
        Ok(Elastic { mesh, dim, groups, numbering, matrix, factor, kept })
    }

    /// Factors the stiffness.
    pub fn factor(&mut self) -> Result<(), FactorizationError> {
        self.factor.refactor(&self.matrix)
    }

    /// Unknowns that are solved for.
    pub fn unknowns(&self) -> usize {
        self.numbering.equation_count()
    }

    /// Nodes that may be loaded.
    pub fn kept(&self) -> &[NodeId] {
        &self.kept
    }

    /// The stiffness, for comparison with other solvers.
    pub fn stiffness(&self) -> &SymmetricMatrix {
        &self.matrix
    }

    /// Equation of an unknown of a kept node.
    pub fn equation(&self, kept: usize, axis: usize) -> usize {
        self.numbering.of_node(self.kept[kept].index())[axis] as usize
    }

    /// The compliance at the kept nodes.
    pub fn compliance(&self) -> Compliance {
        let n = self.kept.len() * self.dim;
        // columns in the order of their equations, as the reach wants them
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by_key(|&k| self.equation(k / self.dim, k % self.dim));
        let mut halves = self.halves(&order);
        let mut values = vec![0.0; n * n];
        let mut blocks = vec![Vec::new(); halves.len()];
        parallel::each(&mut blocks, |b, out: &mut Vec<f64>| *out = products(&halves, b));
        let starts: Vec<usize> = (0..halves.len()).map(|b| b * STRETCH).collect();
        for (b, block) in blocks.iter().enumerate() {
            let rows = n - starts[b];
            for (c, column) in block.chunks_exact(rows).enumerate() {
                let j = order[starts[b] + c];
                for (i, value) in order[starts[b]..].iter().zip(column) {
                    values[j * n + i] = *value;
                    values[i * n + j] = *value;
                }
            }
        }
        halves.clear();
        Compliance { size: n, values }
    }

    /// `L⁻¹` of the kept unknowns in this order, a stretch of columns at a time.
    fn halves(&self, order: &[usize]) -> Vec<Half> {
        let mut halves: Vec<Half> =
            order.chunks(STRETCH).map(|columns| Half { columns: columns.to_vec(), ..Half::default() }).collect();
        parallel::each(&mut halves, |b, half| {
            half.reach.clear(&self.factor);
            let equations: Vec<usize> =
                half.columns.iter().map(|k| self.equation(k / self.dim, k % self.dim)).collect();
            for (c, &equation) in equations.iter().enumerate() {
                half.reach.add(&self.factor, c as u32, equation);
            }
            // and all blocks of later columns: what a later stretch reaches is then the end of what this one does
            for k in &order[order.len().min((b + 1) * STRETCH)..] {
                half.reach.add(&self.factor, half.columns.len() as u32 - 1, self.equation(k / self.dim, k % self.dim));
            }
            half.reach.close(&self.factor);
            let rows = half.reach.rows();
            half.values = vec![0.0; rows * equations.len()];
            for (c, &equation) in equations.iter().enumerate() {
                half.values[c * rows + half.reach.row(equation)] = 1.0;
            }
            self.factor.forward_many(&half.reach, &mut half.values, &mut Vec::new());
        });
        halves
    }

    /// Nodal displacements under nodal forces.
    pub fn displacements(&self, forces: &[f64]) -> Vec<f64> {
        let mut equations = vec![0.0; self.numbering.equation_count()];
        self.numbering.gather(forces, &mut equations);
        self.factor.solve(&mut equations);
        let mut u = vec![0.0; forces.len()];
        self.numbering.scatter_add(&equations, 1.0, &mut u);
        u
    }

    /// Von Mises stress of each cell: the mean over its points.
    pub fn von_mises(&self, u: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.mesh.cell_count()];
        for group in &self.groups {
            group.stresses(u, &mut |e, _, points| {
                let volume: f64 = points.iter().map(|p| p.volume).sum();
                let sum: f64 = points.iter().map(|p| p.volume * von_mises(&p.cauchy)).sum();
                values[group.cells()[e].index()] = sum / volume;
            });
        }
        values
    }
}

/// A stretch of columns of `L⁻¹` over the rows they reach.
#[derive(Debug, Default)]
struct Half {
    columns: Vec<usize>,
    reach: Reach,
    values: Vec<f64>,
}

/// Columns `b` of `Yᵀ Y` from the diagonal block on, column by column.
fn products(halves: &[Half], b: usize) -> Vec<f64> {
    let own = &halves[b];
    let below: usize = halves[b..].iter().map(|half| half.columns.len()).sum();
    let mut out = vec![0.0; below * own.columns.len()];
    let mut first = 0;
    for half in &halves[b..] {
        let (rows, own_rows) = (half.reach.rows(), own.reach.rows());
        let y = MatRef::from_column_major_slice(&half.values, rows, half.columns.len());
        let x = MatRef::from_column_major_slice(&own.values, own_rows, own.columns.len());
        let mut all = MatMut::from_column_major_slice_mut(&mut out, below, own.columns.len());
        let block = all.as_mut().subrows_mut(first, half.columns.len());
        matmul::matmul(block, Accum::Replace, y.transpose(), x.subrows(own_rows - rows, rows), 1.0, Par::Seq);
        first += half.columns.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::materials::{Hooke, Law};
    use crate::mesh::generate::{PlaneCells, Rectangle, rectangle};

    /// The compliance is symmetric, and its columns are the displacements that a full solution gives.
    #[test]
    fn the_compliance_is_that_of_full_solutions() {
        let plate = Rectangle { min: [0.0, 0.0], max: [2.0, 1.0], divisions: [16, 8], cells: PlaneCells::Quads };
        let mesh = rectangle(&plate).unwrap();
        let (held, kept) = (mesh.node_sets["left"].clone(), mesh.node_sets["top"][3..].to_vec());
        let material = Material { density: 1.0, law: Law::Linear(Hooke::new(1.0, 0.3)) };
        let section = Section::PlaneStrain(0.5);
        let mut body = Elastic::new(ElasticSpec { name: "plate".into(), mesh, material, section, held, kept }).unwrap();
        body.factor().unwrap();
        let compliance = body.compliance();
        for j in 0..compliance.size() {
            let mut force = vec![0.0; 2 * body.mesh.node_count()];
            force[2 * body.kept()[j / 2].index() + j % 2] = 1.0;
            let u = body.displacements(&force);
            for i in 0..compliance.size() {
                let full = u[2 * body.kept()[i / 2].index() + i % 2];
                assert!((compliance.at(i, j) - full).abs() < 1e-11 * compliance.at(j, j), "{i} {j}");
                assert_eq!(compliance.at(i, j), compliance.at(j, i));
            }
        }
    }
}
