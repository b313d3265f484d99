//! Rayleigh damping `C = αM + βK₀` with the stiffness of the undeformed body: an eigenmode of frequency `ω` decays with the
//! ratio `ζ = α/(2ω) + βω/2`.
//!
//! Limit: `K₀` knows the undeformed body only. In a body that has turned far, `βK₀` resists further turning (and `αM` any motion);
//! for such bodies the damping of the scheme (θ > ½) is the better choice.

use super::numbering::Numbering;
use crate::linalg::sparse::SymmetricMatrix;

/// Coefficients of Rayleigh damping.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rayleigh {
    /// Coefficient `α` of the mass, 1/s.
    pub mass: f64,
    /// Coefficient `β` of the initial stiffness, s.
    pub stiffness: f64,
}

impl Rayleigh {
    /// Whether it damps anything.
    pub fn is_zero(&self) -> bool {
        *self == Rayleigh::default()
    }
}

/// `C` of explicit steps: `αM` on the diagonal, and `βK₀v` felt as the force of a small displacement along `v`.
#[derive(Debug, Clone)]
pub(super) struct LumpedDamping {
    /// Force per velocity of each node.
    pub(super) nodal: Vec<f64>,
    /// `β` of each element group.
    pub(super) stiffness: Vec<f64>,
    /// Largest `α` and `β`.
    pub(super) largest: Rayleigh,
    /// Distance of nodes, for the length of that displacement.
    pub(super) spacing: f64,
    pub(super) push: Vec<f64>,
    pub(super) force: Vec<f64>,
}

/// The matrix `C` over all nodal unknowns, held ones included: a moved support drags its neighbours.
#[derive(Debug, Clone)]
pub(super) struct DampingMatrix {
    /// In the order of the nodal unknowns.
    all: SymmetricMatrix,
    /// The same on the pattern of the effective matrix.
    solved: Vec<f64>,
}

impl DampingMatrix {
    /// From `C` over all unknowns; `numbering` and `matrix` are those of the effective matrix.
    pub(super) fn new(all: SymmetricMatrix, matrix: &SymmetricMatrix, numbering: &Numbering, dim: usize) -> Self {
        let mut solved = vec![0.0; matrix.lower().nnz()];
        for (&value, (row, column)) in all.lower() {
            let equation = |dof: usize| numbering.of_node(dof / dim)[dof % dim];
            let (a, b) = (equation(row), equation(column));
            if a != Numbering::HELD
                && b != Numbering::HELD
                && let Some(at) = matrix.position(a, b)
            {
                solved[at as usize] += value;
            }
        }
        DampingMatrix { all, solved }
    }

    /// Adds `C ((1−w) x₀ + w x₁)` to `out`.
    pub(super) fn add_product(&self, weight: f64, x0: &[f64], x1: &[f64], out: &mut [f64]) {
        let mean = |k: usize| (1.0 - weight) * x0[k] + weight * x1[k];
        for (column, entries) in self.all.lower().outer_iterator().enumerate() {
            let x = mean(column);
            for (row, &value) in entries.iter() {
                out[row] += value * x;
                if row != column {
                    out[column] += value * mean(row);
                }
            }
        }
    }

    /// Adds `scale · C` to the values of the effective matrix.
    pub(super) fn add_to(&self, scale: f64, values: &mut [f64]) {
        for (value, c) in values.iter_mut().zip(&self.solved) {
            *value += scale * c;
        }
    }
}
