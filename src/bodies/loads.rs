//! Loads on a body: dead forces, pressure that follows the surface, springs and dashpots to ground.
//!
//! All enter the step by their mean over it. That of a dead force is `(1−ξ)F(t₀) + ξF(t₁)`. A following pressure is taken on
//! the surface at `(1−ξ)u₀ + ξu₁` with the mean of its value; with ξ = ½ its work on a plane body is then exactly pressure times
//! the change of area. Its tangent is symmetric only over a closed surface: Newton's matrix takes the symmetric part and
//! the residual is exact.

use nalgebra::Vector3;

use super::facets::{rule, tangents};
use super::numbering::Numbering;
use super::span::Span;
use super::state::BodyState;
use crate::elements::Section;
use crate::linalg::sparse::SymmetricMatrix;
use crate::mesh::{Facet, Mesh};
use crate::time::TimeFunction;

/// Forces of fixed direction that vary together.
#[derive(Debug, Clone)]
pub struct DeadLoad {
    /// Factor.
    pub time: TimeFunction,
    /// Nodal unknown and force on it where the factor is one.
    pub forces: Vec<(u32, f64)>,
}

/// Pressure on the current surface, positive into the body.
#[derive(Debug, Clone)]
pub struct FollowingPressure {
    /// Force per current area.
    pub pressure: TimeFunction,
    /// Where it acts.
    pub facets: Vec<Facet>,
}

/// Everything that acts on a body from outside, supports and contact excepted.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Dead forces.
    pub dead: Vec<DeadLoad>,
    /// Following pressures.
    pub pressures: Vec<FollowingPressure>,
    /// Springs to ground, relaxed in the reference position: nodal unknown and stiffness.
    pub springs: Vec<(u32, f64)>,
    /// Dashpots to ground: nodal unknown and force per velocity.
    pub dashpots: Vec<(u32, f64)>,
}

/// Where the tangents of loads go in the effective matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadPattern {
    springs: Vec<Option<u32>>,
    dashpots: Vec<Option<u32>>,
    /// For each facet under pressure its pairs of unknowns `p ≤ q` in the order of [`pairs`].
    facets: Vec<Option<u32>>,
}

impl LoadPattern {
    pub(super) fn new(loads: &Loads, matrix: &SymmetricMatrix, numbering: &Numbering, dim: usize) -> Self {
        let position = |a: usize, b: usize| {
            let equation = |dof: usize| numbering.of_node(dof / dim)[dof % dim];
            let (a, b) = (equation(a), equation(b));
            if a == Numbering::HELD || b == Numbering::HELD { None } else { matrix.position(a, b) }
        };
        let diagonal =
            |list: &[(u32, f64)]| list.iter().map(|&(dof, _)| position(dof as usize, dof as usize)).collect();
        let mut facets = Vec::new();
        for facet in loads.pressures.iter().flat_map(|p| &p.facets) {
            let dof = |k: usize| facet.nodes()[k / dim].index() * dim + k % dim;
            facets.extend(pairs(facet.nodes().len() * dim).map(|(p, q)| position(dof(p), dof(q))));
        }
        LoadPattern { springs: diagonal(&loads.springs), dashpots: diagonal(&loads.dashpots), facets }
    }
}

/// The pairs `p ≤ q` below `n`.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |q| (0..=q).map(move |p| (p, q)))
}

impl Loads {
    /// Adds the mean of the dead forces over a step.
    pub(crate) fn add_dead(&self, span: &Span, force: &mut [f64]) {
        for load in &self.dead {
            let factor = span.mean(load.time.value(span.start), load.time.value(span.end()));
            for &(dof, unit) in &load.forces {
                force[dof as usize] += factor * unit;
            }
        }
    }

    /// Adds the mean of the following pressures, and to `matrix` minus the symmetric part of its derivative by `u₁`.
    pub(super) fn add_pressure(
        &self,
        mesh: &Mesh,
        section: Section,
        span: &Span,
        (u0, u1): (&[f64], &[f64]),
        force: &mut [f64],
        mut matrix: Option<(&LoadPattern, &mut [f64])>,
    ) {
        let dim = mesh.dim();
        let mut first = 0;
        for load in &self.pressures {
            let pressure = span.mean(load.pressure.value(span.start), load.pressure.value(span.end()));
            for facet in &load.facets {
                let nodes = facet.nodes();
                let mut x = [Vector3::zeros(); 4];
                for (place, node) in x.iter_mut().zip(nodes) {
                    let n = node.index();
                    *place = Vector3::from(mesh.nodes[n]);
                    for i in 0..dim {
                        place[i] += span.mean(u0[n * dim + i], u1[n * dim + i]);
                    }
                }
                let unknowns = nodes.len() * dim;
                let mut k = [[0.0; 12]; 12];
                for point in rule(nodes.len()) {
                    let (xi, eta) = tangents(point, &x, nodes.len(), section);
                    let push = -pressure * point.weight * xi.cross(&eta);
                    for (a, node) in nodes.iter().enumerate() {
                        for i in 0..dim {
                            force[node.index() * dim + i] += point.n[a] * push[i];
                        }
                    }
                    if matrix.is_none() {
                        continue;
                    }
                    for b in 0..nodes.len() {
                        for j in 0..dim {
                            let mut unit = Vector3::zeros();
                            unit[j] = 1.0;
                            // ∂(x,ξ × x,η)/∂x_bj
                            let mut turned = point.by_xi[b] * unit.cross(&eta) + point.by_eta[b] * xi.cross(&unit);
                            if j == 0 && section == Section::Axisymmetric {
                                // the ring grows with its radius: ∂x,η/∂x_b0 = 2π N_b e_z
                                turned += std::f64::consts::TAU * point.n[b] * xi.cross(&Vector3::z());
                            }
                            for a in 0..nodes.len() {
                                for i in 0..dim {
                                    k[a * dim + i][b * dim + j] -=
                                        span.weight * pressure * point.weight * point.n[a] * turned[i];
                                }
                            }
                        }
                    }
                }
                if let Some((pattern, values)) = &mut matrix {
                    for (at, (p, q)) in pattern.facets[first..].iter().zip(pairs(unknowns)) {
                        if let Some(at) = at {
                            values[*at as usize] -= 0.5 * (k[p][q] + k[q][p]);
                        }
                    }
                    first += unknowns * (unknowns + 1) / 2;
                }
            }
        }
    }

    /// Adds the mean force that the springs resist with.
    pub(crate) fn add_springs(&self, span: &Span, u0: &[f64], u1: &[f64], force: &mut [f64]) {
        for &(dof, stiffness) in &self.springs {
            force[dof as usize] += stiffness * span.mean(u0[dof as usize], u1[dof as usize]);
        }
    }

    /// Adds the mean force that the dashpots resist with.
    pub(crate) fn add_dashpots(&self, span: &Span, old: &BodyState, v1: &[f64], force: &mut [f64]) {
        for &(dof, coefficient) in &self.dashpots {
            force[dof as usize] += coefficient * span.mean(old.v[dof as usize], v1[dof as usize]);
        }
    }

    /// Adds the tangents of springs and dashpots.
    pub(super) fn add_tangents(&self, span: &Span, pattern: &LoadPattern, values: &mut [f64]) {
        let mut add = |list: &[(u32, f64)], places: &[Option<u32>], scale: f64| {
            for (&(_, coefficient), at) in list.iter().zip(places) {
                if let Some(at) = at {
                    values[*at as usize] += scale * coefficient;
                }
            }
        };
        add(&self.springs, &pattern.springs, span.weight);
        add(&self.dashpots, &pattern.dashpots, span.weight * span.rate);
    }

    /// Energy stored in the springs.
    pub fn spring_energy(&self, u: &[f64]) -> f64 {
        self.springs.iter().map(|&(dof, k)| 0.5 * k * u[dof as usize] * u[dof as usize]).sum()
    }
}
