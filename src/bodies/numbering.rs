//! Which unknowns are solved for, and in which order.

use crate::linalg::FactorizationError;
use crate::linalg::ordering::order;
use crate::linalg::sparse::NodeGraph;

/// Equation numbers of nodal unknowns. Unknowns held by a support have none.
#[derive(Debug, Clone)]
pub struct Numbering {
    dim: usize,
    /// Equation of each nodal unknown, or [`Numbering::HELD`].
    equation: Vec<u32>,
    /// Nodal unknown of each equation.
    unknown: Vec<u32>,
}

impl Numbering {
    /// In place of an equation number: the unknown is prescribed.
    pub const HELD: u32 = u32::MAX;

    /// Numbers the unknowns of `graph`'s nodes, which lie at `places`, for little fill.
    pub fn new(graph: &NodeGraph, places: &[[f64; 3]], dim: usize, held: &[bool]) -> Result<Self, FactorizationError> {
        Ok(Self::in_sequence(&order(graph, places)?, dim, held))
    }

    /// The unknowns that are not held, with the nodes in this sequence.
    pub fn in_sequence(sequence: &[u32], dim: usize, held: &[bool]) -> Self {
        let mut equation = vec![Self::HELD; sequence.len() * dim];
        let mut unknown = Vec::with_capacity(equation.len());
        for &node in sequence {
            for axis in 0..dim {
                let dof = node as usize * dim + axis;
                if !held[dof] {
                    equation[dof] = unknown.len() as u32;
                    unknown.push(dof as u32);
                }
            }
        }
        Numbering { dim, equation, unknown }
    }

    /// The unknowns that are not held, in the order of the nodes.
    pub fn in_order(nodes: usize, dim: usize, held: &[bool]) -> Self {
        let mut unknown = Vec::with_capacity(nodes * dim);
        let mut equation = vec![Self::HELD; nodes * dim];
        for dof in (0..nodes * dim).filter(|&dof| !held[dof]) {
            equation[dof] = unknown.len() as u32;
            unknown.push(dof as u32);
        }
        Numbering { dim, equation, unknown }
    }

    /// All unknowns in the order of the nodes, none held.
    pub fn natural(nodes: usize, dim: usize) -> Self {
        let equation: Vec<u32> = (0..(nodes * dim) as u32).collect();
        Numbering { dim, unknown: equation.clone(), equation }
    }

    /// Unknowns that are solved for.
    pub fn equation_count(&self) -> usize {
        self.unknown.len()
    }

    /// Equations of a node, one for each axis.
    pub fn of_node(&self, node: usize) -> &[u32] {
        &self.equation[node * self.dim..(node + 1) * self.dim]
    }

    /// Equation of an unknown, if it is solved for.
    pub fn of(&self, dof: usize) -> Option<usize> {
        let equation = self.equation[dof];
        (equation != Self::HELD).then_some(equation as usize)
    }

    /// Copies a nodal vector into equation order.
    pub fn gather(&self, nodal: &[f64], out: &mut [f64]) {
        for (x, &dof) in out.iter_mut().zip(&self.unknown) {
            *x = nodal[dof as usize];
        }
    }

    /// Adds a vector in equation order, times `scale`, to a nodal one.
    pub fn scatter_add(&self, equations: &[f64], scale: f64, nodal: &mut [f64]) {
        for (x, &dof) in equations.iter().zip(&self.unknown) {
            nodal[dof as usize] += scale * x;
        }
    }

    /// Nodal unknown of each equation.
    pub fn unknowns(&self) -> &[u32] {
        &self.unknown
    }
}
