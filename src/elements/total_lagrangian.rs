//! The total-Lagrangian kernel: internal force, tangent and mass, once, for every shape and law.
//!
//! With `H_iJ = Σ_a u_ai N_a,J`, `F = I + H`, `E = ½(H + Hᵀ + HᵀH)`:
//!
//! - force `f_ai = ∫ B_aᵀ S dV`, where row `IJ` of column `(a, i)` is `F_iI N_a,J + F_iJ N_a,I` (once if `I = J`);
//! - tangent `K_ab = ∫ B_aᵀ D B_b dV + ∫ (N_a,I S_IJ N_b,J) dV · 1`, material and geometric part.
//!
//! Reference gradients never change: they are stored.

use std::marker::PhantomData;

use super::Shape;
use crate::linalg::Sym;
use crate::linalg::symmetric::{INDEX, dot, pair};
use crate::materials::{Hyperelastic, Kinematics, Material};
use crate::mesh::{CellId, Mesh, NodeId};
use crate::with_law;

/// What can go wrong in an element.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// A trial state turned an element inside out; the step has to be shorter.
    #[error("element {} is inverted: det F = {det:.3e} at integration point {point}", cell.0)]
    Inverted {
        /// The cell, numbered as in its mesh.
        cell: CellId,
        /// The integration point.
        point: usize,
        /// Its volume ratio.
        det: f64,
    },
    /// A mesh cell with no or negative volume.
    #[error("cell {} has no positive volume: det = {det:.3e}", cell.0)]
    Degenerate {
        /// The cell, numbered as in its mesh.
        cell: CellId,
        /// The determinant of the map from the parent element.
        det: f64,
    },
}

/// Which mean of the internal force over a step is wanted, as a function of the displacements at its two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForceRule {
    /// `f(u₁)`; the caller averages it with `f(u₀)`.
    End,
    /// `f((1−w)u₀ + w u₁)`.
    Intermediate(f64),
    /// Gonzalez' discrete gradient: `Δu·f̄ = ΔU` exactly.
    DiscreteGradient,
}

/// How mass is spread over the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lumping {
    /// `∫ρ N_a N_b`.
    Consistent,
    /// Row sums on the diagonal.
    Lumped,
}

/// Where an element's tangent goes: for each element the positions, in the value array of the assembled
/// matrix, of the upper triangle of its stiffness (blocks `a ≤ b`, within the diagonal blocks `i ≤ j`).
/// [`Scatter::NOWHERE`] marks entries that belong to a held unknown.
#[derive(Debug, Default)]
pub struct Scatter(pub Vec<u32>);

impl Scatter {
    /// The position of an entry that is not assembled.
    pub const NOWHERE: u32 = u32::MAX;
}

/// Elements of one shape and one material, with their reference geometry.
pub struct Elements<S, const D: usize, const V: usize, const N: usize> {
    pub(super) material: Material,
    pub(super) cells: Vec<CellId>,
    pub(super) nodes: Vec<[u32; N]>,
    /// `N_a,J` at each integration point of each element.
    pub(super) gradients: Vec<[[f64; D]; N]>,
    /// Reference volume (times thickness) of each integration point of each element.
    pub(super) volumes: Vec<f64>,
    pub(super) shape: PhantomData<S>,
}

pub(super) type Vectors<const D: usize, const N: usize> = [[f64; D]; N];

impl<S: Shape<D, N>, const D: usize, const V: usize, const N: usize> Elements<S, D, V, N> {
    /// Prepares `cells` of `mesh`; `thickness` is 1 in space.
    pub fn new(mesh: &Mesh, cells: Vec<CellId>, material: Material, thickness: f64) -> Result<Self, ElementError> {
        let points = S::RULE.len();
        let mut nodes = Vec::with_capacity(cells.len());
        let mut gradients = Vec::with_capacity(cells.len() * points);
        let mut volumes = Vec::with_capacity(cells.len() * points);
        for &cell in &cells {
            let ids = mesh.cell_nodes(cell);
            let corners: [NodeId; N] = std::array::from_fn(|a| ids[a]);
            let x: Vectors<D, N> = corners.map(|n| std::array::from_fn(|i| mesh.nodes[n.index()][i]));
            for (xi, weight) in S::RULE {
                let parent = S::gradients(xi);
                let map = map_jacobian(&x, &parent);
                let (inverse, det) = invert(&map);
                if det.is_nan() || det <= 0.0 {
                    return Err(ElementError::Degenerate { cell, det });
                }
                // N_a,J = N_a,ξk ∂ξ_k/∂X_J
                gradients.push(parent.map(|g| std::array::from_fn(|j| (0..D).map(|k| g[k] * inverse[k][j]).sum())));
                volumes.push(weight * det * thickness);
            }
            nodes.push(corners.map(|n| n.0));
        }
        Ok(Elements { material, cells, nodes, gradients, volumes, shape: PhantomData })
    }

    /// The cells of this group, in the order of all per-element results.
    pub fn cells(&self) -> &[CellId] {
        &self.cells
    }

    /// The material of this group.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Node numbers of element `e`.
    pub fn nodes(&self, e: usize) -> &[u32] {
        &self.nodes[e]
    }

    /// Entries of the upper triangle of one element matrix.
    pub const fn scatter_len() -> usize {
        D * N * (D * N + 1) / 2
    }

    /// Adds the mean internal force of the step `u₀ → u₁` to `force` and returns the energy of the state the
    /// force was taken at. With `tangent`, adds `∂f̄/∂u₁` times `scale` (of the discrete gradient its symmetric
    /// part at mid-step).
    pub fn internal(
        &self,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError> {
        let small = self.material.law.kinematics() == Kinematics::Small;
        with_law!(&self.material.law, law => {
            if small { self.run::<_, true>(law, rule, u0, u1, force, tangent) }
            else { self.run::<_, false>(law, rule, u0, u1, force, tangent) }
        })
    }

    fn run<L: Hyperelastic, const SMALL: bool>(
        &self,
        law: &L,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError> {
        let mut total = 0.0;
        match tangent {
            None => {
                for e in 0..self.nodes.len() {
                    let (energy, f) =
                        self.element::<L, SMALL, false>(law, rule, e, u0, u1, &mut [[[[0.0; D]; D]; N]; N])?;
                    total += energy;
                    self.add_force(e, &f, force);
                }
            }
            Some((scatter, scale, values)) => {
                let len = Self::scatter_len();
                for e in 0..self.nodes.len() {
                    let mut k = [[[[0.0; D]; D]; N]; N];
                    let (energy, f) = self.element::<L, SMALL, true>(law, rule, e, u0, u1, &mut k)?;
                    total += energy;
                    self.add_force(e, &f, force);
                    add_tangent(&k, scale, &scatter.0[e * len..(e + 1) * len], values);
                }
            }
        }
        Ok(total)
    }

    #[inline(always)]
    fn add_force(&self, e: usize, f: &Vectors<D, N>, force: &mut [f64]) {
        for (a, &node) in self.nodes[e].iter().enumerate() {
            for i in 0..D {
                force[node as usize * D + i] += f[a][i];
            }
        }
    }

    #[inline(always)]
    pub(super) fn gather(&self, e: usize, u: &[f64]) -> Vectors<D, N> {
        self.nodes[e].map(|node| std::array::from_fn(|i| u[node as usize * D + i]))
    }

    #[inline(always)]
    fn element<L: Hyperelastic, const SMALL: bool, const TANGENT: bool>(
        &self,
        law: &L,
        rule: ForceRule,
        e: usize,
        u0: &[f64],
        u1: &[f64],
        k: &mut [[[[f64; D]; D]; N]; N],
    ) -> Result<(f64, Vectors<D, N>), ElementError> {
        let points = S::RULE.len();
        let mut f = [[0.0; D]; N];
        let mut energy = 0.0;
        let end = self.gather(e, u1);
        let (start, u) = match rule {
            ForceRule::End => (end, end),
            ForceRule::Intermediate(w) => {
                let start = self.gather(e, u0);
                (start, std::array::from_fn(|a| std::array::from_fn(|i| start[a][i] + w * (end[a][i] - start[a][i]))))
            }
            ForceRule::DiscreteGradient => (self.gather(e, u0), end),
        };
        for p in 0..points {
            let g = &self.gradients[e * points + p];
            let volume = self.volumes[e * points + p];
            let h = displacement_gradient(g, &u);
            if !SMALL {
                // the end of the step must be a state even where the force is taken before it
                let intermediate = matches!(rule, ForceRule::Intermediate(_));
                let det = if intermediate { det_f(&h).min(det_f(&displacement_gradient(g, &end))) } else { det_f(&h) };
                if det.is_nan() || det <= 0.0 {
                    return Err(ElementError::Inverted { cell: self.cells[e], point: p, det });
                }
            }
            let (h, response) = if rule == ForceRule::DiscreteGradient {
                let h0 = displacement_gradient(g, &start);
                let mean = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (h0[i][j] + h[i][j])));
                let (e0, e1) = (strain::<D, SMALL>(&h0), strain::<D, SMALL>(&h));
                let mut response = law.response::<V>(&std::array::from_fn(|q| 0.5 * (e0[q] + e1[q])));
                let correction = gonzalez(law, &e0, &e1, &response.stress);
                for q in 0..6 {
                    response.stress[q] += correction * (e1[q] - e0[q]);
                }
                (mean, response)
            } else {
                (h, law.response::<V>(&strain::<D, SMALL>(&h)))
            };
            energy += volume * response.energy;
            let b = strain_displacement::<D, V, N, SMALL>(g, &h);
            let stress: [f64; V] = std::array::from_fn(|q| response.stress[INDEX[pair::<V>(q).0][pair::<V>(q).1]]);
            for a in 0..N {
                for q in 0..V {
                    for i in 0..D {
                        f[a][i] += volume * b[a][q][i] * stress[q];
                    }
                }
            }
            if TANGENT {
                // strains in the tangent carry 2E_ij, which is what B gives
                for c in 0..N {
                    let mut db = [[0.0; D]; V];
                    for q in 0..V {
                        for s in 0..V {
                            let d = volume * response.tangent[q][s];
                            for i in 0..D {
                                db[q][i] += d * b[c][s][i];
                            }
                        }
                    }
                    let mut sg = [0.0; D];
                    if !SMALL {
                        for i in 0..D {
                            for j in 0..D {
                                sg[i] += volume * response.stress[INDEX[i][j]] * g[c][j];
                            }
                        }
                    }
                    for a in 0..=c {
                        let block = &mut k[a][c];
                        for q in 0..V {
                            for i in 0..D {
                                for j in 0..D {
                                    block[i][j] += b[a][q][i] * db[q][j];
                                }
                            }
                        }
                        if !SMALL {
                            let geometric: f64 = (0..D).map(|i| g[a][i] * sg[i]).sum();
                            for i in 0..D {
                                block[i][i] += geometric;
                            }
                        }
                    }
                }
            }
        }
        Ok((energy, f))
    }

    /// Stored energy of a state.
    pub fn energy(&self, u: &[f64]) -> f64 {
        let points = S::RULE.len();
        let small = self.material.law.kinematics() == Kinematics::Small;
        let mut total = 0.0;
        with_law!(&self.material.law, law => for e in 0..self.nodes.len() {
            let local = self.gather(e, u);
            for p in 0..points {
                let h = displacement_gradient(&self.gradients[e * points + p], &local);
                let strain = if small { strain::<D, true>(&h) } else { strain::<D, false>(&h) };
                total += self.volumes[e * points + p] * law.energy(&strain);
            }
        });
        total
    }

    /// Calls `add(a, b, m)` with the node numbers and the mass `∫ρ N_a N_b` of every pair of nodes of every element.
    pub fn mass(&self, mesh: &Mesh, thickness: f64, lumping: Lumping, mut add: impl FnMut(usize, usize, f64)) {
        for (e, nodes) in self.nodes.iter().enumerate() {
            debug_assert_eq!(mesh.cell_nodes(self.cells[e]).len(), N);
            let x: Vectors<D, N> = nodes.map(|n| std::array::from_fn(|i| mesh.nodes[n as usize][i]));
            let mut m = [[0.0; N]; N];
            for (xi, weight) in S::MASS_RULE {
                let n = S::values(xi);
                let (_, det) = invert(&map_jacobian(&x, &S::gradients(xi)));
                for a in 0..N {
                    for b in 0..N {
                        m[a][b] += self.material.density * thickness * weight * det * n[a] * n[b];
                    }
                }
            }
            for a in 0..N {
                for b in 0..N {
                    match lumping {
                        Lumping::Consistent => add(nodes[a] as usize, nodes[b] as usize, m[a][b]),
                        Lumping::Lumped => add(nodes[a] as usize, nodes[a] as usize, m[a][b]),
                    }
                }
            }
        }
    }

    /// Largest stable explicit step of the group, `Δt = 2/(c √(n Σ b·b))` at the reference state
    /// (FlanaganBelytschko1981), taken at every integration point.
    pub fn critical_step(&self) -> f64 {
        let speed = self.material.wave_speed();
        let largest = self.gradients.iter().map(|g| g.iter().flatten().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max);
        2.0 / (speed * (N as f64 * largest).sqrt())
    }
}

#[inline(always)]
fn add_tangent<const D: usize, const N: usize>(
    k: &[[[[f64; D]; D]; N]; N],
    scale: f64,
    scatter: &[u32],
    values: &mut [f64],
) {
    let mut position = scatter.iter();
    for a in 0..N {
        for b in a..N {
            for i in 0..D {
                for j in (if a == b { i } else { 0 })..D {
                    if let Some(&at) = position.next()
                        && at != Scatter::NOWHERE
                    {
                        values[at as usize] += scale * k[a][b][i][j];
                    }
                }
            }
        }
    }
}

/// Correction factor of Gonzalez' stress, `(ΔW − S(Ē):ΔE)/(ΔE:ΔE)`; zero where the strain hardly changes.
#[inline(always)]
fn gonzalez<L: Hyperelastic>(law: &L, e0: &Sym, e1: &Sym, middle: &Sym) -> f64 {
    let change: Sym = std::array::from_fn(|q| e1[q] - e0[q]);
    let norm = dot(&change, &change);
    // ΔC:ΔC = 4 ΔE:ΔE < 1e-24: the difference quotient is round-off
    if 4.0 * norm < 1e-24 { 0.0 } else { (law.energy(e1) - law.energy(e0) - dot(middle, &change)) / norm }
}

fn map_jacobian<const D: usize, const N: usize>(x: &Vectors<D, N>, parent: &Vectors<D, N>) -> [[f64; D]; D] {
    // ∂X_i/∂ξ_k
    std::array::from_fn(|i| std::array::from_fn(|k| (0..N).map(|a| x[a][i] * parent[a][k]).sum()))
}

fn invert<const D: usize>(m: &[[f64; D]; D]) -> ([[f64; D]; D], f64) {
    let mut inverse = [[0.0; D]; D];
    let det;
    if D == 2 {
        det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        inverse[0] = std::array::from_fn(|j| if j == 0 { m[1][1] / det } else { -m[0][1] / det });
        inverse[1] = std::array::from_fn(|j| if j == 0 { -m[1][0] / det } else { m[0][0] / det });
    } else {
        let cofactor = |i: usize, j: usize| {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]
        };
        det = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
        for i in 0..3 {
            for j in 0..3 {
                inverse[i][j] = cofactor(j, i) / det;
            }
        }
    }
    (inverse, det)
}

#[inline(always)]
pub(super) fn displacement_gradient<const D: usize, const N: usize>(
    g: &Vectors<D, N>,
    u: &Vectors<D, N>,
) -> [[f64; D]; D] {
    let mut h = [[0.0; D]; D];
    for a in 0..N {
        for i in 0..D {
            for j in 0..D {
                h[i][j] += u[a][i] * g[a][j];
            }
        }
    }
    h
}

/// `det(I + H)`.
#[inline(always)]
pub(super) fn det_f<const D: usize>(h: &[[f64; D]; D]) -> f64 {
    let f = |i: usize, j: usize| h[i][j] + f64::from(u8::from(i == j));
    if D == 2 {
        f(0, 0) * f(1, 1) - f(0, 1) * f(1, 0)
    } else {
        f(0, 0) * (f(1, 1) * f(2, 2) - f(1, 2) * f(2, 1)) - f(0, 1) * (f(1, 0) * f(2, 2) - f(1, 2) * f(2, 0))
            + f(0, 2) * (f(1, 0) * f(2, 1) - f(1, 1) * f(2, 0))
    }
}

/// Green–Lagrange strain, or its linear part; zero out of the plane.
#[inline(always)]
pub(super) fn strain<const D: usize, const SMALL: bool>(h: &[[f64; D]; D]) -> Sym {
    let mut e = [0.0; 6];
    for i in 0..D {
        for j in i..D {
            let mut twice = h[i][j] + h[j][i];
            if !SMALL {
                for k in 0..D {
                    twice += h[k][i] * h[k][j];
                }
            }
            e[INDEX[i][j]] = 0.5 * twice;
        }
    }
    e
}

#[inline(always)]
fn strain_displacement<const D: usize, const V: usize, const N: usize, const SMALL: bool>(
    g: &Vectors<D, N>,
    h: &[[f64; D]; D],
) -> [[[f64; D]; V]; N] {
    let f = |i: usize, j: usize| f64::from(u8::from(i == j)) + if SMALL { 0.0 } else { h[i][j] };
    let mut b = [[[0.0; D]; V]; N];
    for a in 0..N {
        for q in 0..V {
            let (row, column) = pair::<V>(q);
            for i in 0..D {
                b[a][q][i] = if row == column {
                    f(i, row) * g[a][row]
                } else {
                    f(i, row) * g[a][column] + f(i, column) * g[a][row]
                };
            }
        }
    }
    b
}
