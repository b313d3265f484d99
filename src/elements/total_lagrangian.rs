//! The total-Lagrangian kernel: internal force, tangent and mass, once, for every shape and law.
//!
//! With `H_iJ = Σ_a u_ai N_a,J`, `F = I + H`, `E = ½(H + Hᵀ + HᵀH)`:
//!
//! - force `f_ai = ∫ B_aᵀ S dV`, where row `IJ` of column `(a, i)` is `F_iI N_a,J + F_iJ N_a,I` (once if `I = J`);
//! - tangent `K_ab = ∫ B_aᵀ D B_b dV + ∫ (N_a,I S_IJ N_b,J) dV · 1`, material and geometric part.
//!
//! Reference gradients never change: they are stored. In axisymmetry the strain has the row `33` besides, `E₃₃ = H₃₃ + ½H₃₃²`
//! with `H₃₃ = u_r/R`, and the geometric part the entry `S₃₃ N_a N_b/R²`; in plane stress the law itself is condensed.

use std::marker::PhantomData;

use super::Shape;
use super::assembly::{Blocks, Scatter, Vectors, add_point, add_tangent};
use super::error::ElementError;
use super::kinematics::{Gradient, PointShape, invert, map_jacobian};
use super::mass::element_masses;
use super::section::{Faces, Formulation, Section};
use crate::linalg::Sym;
use crate::linalg::symmetric::dot;
use crate::materials::{Hyperelastic, Material};
use crate::mesh::{CellId, Mesh, NodeId};
use crate::with_law;

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

/// Elements of one shape and one material, with their reference geometry. `F` says whether the faces of a sheet are free;
/// `V` is 3 in the plane, 4 in axisymmetry, 6 in space.
pub struct Elements<S, F, const D: usize, const V: usize, const N: usize> {
    pub(super) material: Material,
    pub(super) formulation: Formulation,
    section: Section,
    pub(super) cells: Vec<CellId>,
    pub(super) nodes: Vec<[u32; N]>,
    /// `N_a,J` at each integration point of each element.
    gradients: Vec<[[f64; D]; N]>,
    /// `N_a/R` at each integration point of each element; empty but in axisymmetry.
    hoops: Vec<[f64; N]>,
    /// Reference volume (times thickness, or around the axis) of each integration point of each element.
    pub(super) volumes: Vec<f64>,
    /// Largest `Σ_a |b_a|² V/V_a` of an integration point, `V_a` the share of node `a` in the volume of its element.
    stiffest: f64,
    pub(super) shape: PhantomData<(S, F)>,
}

impl<S: Shape<D, N>, F: Faces, const D: usize, const V: usize, const N: usize> Elements<S, F, D, V, N> {
    /// Prepares `cells` of `mesh`.
    pub fn new(
        mesh: &Mesh,
        cells: Vec<CellId>,
        material: Material,
        section: Section,
        formulation: Formulation,
    ) -> Result<Self, ElementError> {
        let points = S::RULE.len();
        let mut nodes = Vec::with_capacity(cells.len());
        let mut gradients = Vec::with_capacity(cells.len() * points);
        let mut hoops = Vec::with_capacity(if V == 4 { cells.len() * points } else { 0 });
        let mut volumes = Vec::with_capacity(cells.len() * points);
        let mut stiffest = 0.0;
        for &cell in &cells {
            let ids = mesh.cell_nodes(cell);
            let corners: [NodeId; N] = std::array::from_fn(|a| ids[a]);
            let x: Vectors<D, N> = corners.map(|n| std::array::from_fn(|i| mesh.nodes[n.index()][i]));
            let (mut shares, mut strongest) = ([0.0; N], 0.0f64);
            for (xi, weight) in S::RULE {
                let (parent, values) = (S::gradients(xi), S::values(xi));
                let map = map_jacobian(&x, &parent);
                let (inverse, det) = invert(&map);
                let radius: f64 = (0..N).map(|a| values[a] * x[a][0]).sum();
                let volume = weight * det * section.measure(radius);
                if det.is_nan() || det <= 0.0 || volume.is_nan() || volume <= 0.0 {
                    return Err(ElementError::Degenerate { cell, det: if det > 0.0 { volume } else { det } });
                }
                // N_a,J = N_a,ξk ∂ξ_k/∂X_J
                let g: Vectors<D, N> =
                    parent.map(|g| std::array::from_fn(|j| (0..D).map(|k| g[k] * inverse[k][j]).sum()));
                let mut squares: f64 = g.iter().flatten().map(|x| x * x).sum();
                if V == 4 {
                    let hoop = values.map(|n| n / radius);
                    squares += hoop.iter().map(|x| x * x).sum::<f64>();
                    hoops.push(hoop);
                }
                strongest = strongest.max(squares);
                for a in 0..N {
                    shares[a] += volume * values[a];
                }
                gradients.push(g);
                volumes.push(volume);
            }
            // nodes near the axis have less than their share of the mass; elsewhere it is a matter of the shape
            let poorest = shares.iter().copied().fold(f64::INFINITY, f64::min) / shares.iter().sum::<f64>();
            let count = if V == 4 { 1.0 / poorest } else { N as f64 };
            stiffest = f64::max(stiffest, count * strongest);
            nodes.push(corners.map(|n| n.0));
        }
        let shape = PhantomData;
        Ok(Elements { material, formulation, section, cells, nodes, gradients, hoops, volumes, stiffest, shape })
    }

    /// Reference data of integration point `p` of element `e`.
    #[inline(always)]
    pub(super) fn point(&self, e: usize, p: usize) -> PointShape<'_, D, N> {
        let at = e * S::RULE.len() + p;
        PointShape { gradients: &self.gradients[at], hoops: if V == 4 { &self.hoops[at] } else { &[0.0; N] } }
    }

    /// The cells of this group, in the order of all per-element results.
    pub fn cells(&self) -> &[CellId] {
        &self.cells
    }

    /// The material of this group.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Whether these elements lock as the law becomes incompressible: all but those of mean dilatation, and but sheets,
    /// whose thickness gives way.
    pub fn locks(&self) -> bool {
        self.formulation == Formulation::Standard && !F::FREE
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
        if self.formulation == Formulation::MeanDilatation {
            return self.mean_dilatation_internal(rule, u0, u1, force, tangent);
        }
        with_law!(&self.material.law, law, SMALL => {
            let law = F::wrap(law);
            match tangent {
                None => self.assemble(force, None, |e, k| self.element::<_, SMALL, false>(&law, rule, e, u0, u1, k)),
                some => self.assemble(force, some, |e, k| self.element::<_, SMALL, true>(&law, rule, e, u0, u1, k)),
            }
        })
    }

    /// Calls `element` for each element in turn, adds its force and its matrix, and returns the sum of the energies.
    #[inline(always)]
    pub(super) fn assemble(
        &self,
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
        element: impl Fn(usize, &mut Blocks<D, N>) -> Result<(f64, Vectors<D, N>), ElementError>,
    ) -> Result<f64, ElementError> {
        let mut total = 0.0;
        match tangent {
            None => {
                for e in 0..self.nodes.len() {
                    let (energy, f) = element(e, &mut [[[[0.0; D]; D]; N]; N])?;
                    total += energy;
                    self.add_force(e, &f, force);
                }
            }
            Some((scatter, scale, values)) => {
                let len = Self::scatter_len();
                for e in 0..self.nodes.len() {
                    let mut k = [[[[0.0; D]; D]; N]; N];
                    let (energy, f) = element(e, &mut k)?;
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

    /// Displacements of element `e` at the start of the step (where the rule asks for them) and where the force is taken,
    /// and at the end of the step.
    #[inline(always)]
    pub(super) fn states(&self, rule: ForceRule, e: usize, u0: &[f64], u1: &[f64]) -> [Vectors<D, N>; 3] {
        let end = self.gather(e, u1);
        match rule {
            ForceRule::End => [end, end, end],
            ForceRule::Intermediate(w) => {
                let start = self.gather(e, u0);
                let at = std::array::from_fn(|a| std::array::from_fn(|i| start[a][i] + w * (end[a][i] - start[a][i])));
                [start, at, end]
            }
            ForceRule::DiscreteGradient => [self.gather(e, u0), end, end],
        }
    }

    /// Refuses a state that turns a point inside out: where the force is taken, and at the end of the step, which must be a
    /// state even where the force is taken before it.
    #[inline(always)]
    pub(super) fn check(
        &self,
        rule: ForceRule,
        e: usize,
        p: usize,
        at: &Gradient<D>,
        end: &Vectors<D, N>,
    ) -> Result<(), ElementError> {
        let mut det = at.det::<V>();
        if matches!(rule, ForceRule::Intermediate(_)) {
            det = det.min(Gradient::new::<V, N>(self.point(e, p), end).det::<V>());
        }
        if det.is_nan() || det <= 0.0 {
            return Err(ElementError::Inverted { cell: self.cells[e], point: p, det });
        }
        Ok(())
    }

    #[inline(always)]
    fn element<L: Hyperelastic, const SMALL: bool, const TANGENT: bool>(
        &self,
        law: &L,
        rule: ForceRule,
        e: usize,
        u0: &[f64],
        u1: &[f64],
        k: &mut Blocks<D, N>,
    ) -> Result<(f64, Vectors<D, N>), ElementError> {
        let points = S::RULE.len();
        let mut f = [[0.0; D]; N];
        let mut energy = 0.0;
        let [start, u, end] = self.states(rule, e, u0, u1);
        for p in 0..points {
            let at = self.point(e, p);
            let volume = self.volumes[e * points + p];
            let h = Gradient::new::<V, N>(at, &u);
            if !SMALL {
                self.check(rule, e, p, &h, &end)?;
            }
            let (h, response) = if rule == ForceRule::DiscreteGradient {
                let h0 = Gradient::new::<V, N>(at, &start);
                let (e0, e1) = (h0.strain::<V, SMALL>(), h.strain::<V, SMALL>());
                let mut response = law.response::<V>(&std::array::from_fn(|q| 0.5 * (e0[q] + e1[q])));
                let correction = gonzalez(law, &e0, &e1, &response.stress);
                for q in 0..6 {
                    response.stress[q] += correction * (e1[q] - e0[q]);
                }
                (h0.mean(&h), response)
            } else {
                (h, law.response::<V>(&h.strain::<V, SMALL>()))
            };
            if F::FREE && response.energy.is_nan() {
                return Err(ElementError::NoThickness { cell: self.cells[e], point: p });
            }
            energy += volume * response.energy;
            add_point::<D, V, N, SMALL, TANGENT>(at, &h, volume, &response, &mut f, k);
        }
        Ok((energy, f))
    }

    /// Stored energy of a state.
    pub fn energy(&self, u: &[f64]) -> f64 {
        if self.formulation == Formulation::MeanDilatation {
            return self.mean_dilatation_energy(u);
        }
        let points = S::RULE.len();
        let mut total = 0.0;
        with_law!(&self.material.law, law, SMALL => {
            let law = F::wrap(law);
            for e in 0..self.nodes.len() {
                let local = self.gather(e, u);
                for p in 0..points {
                    let strain = Gradient::new::<V, N>(self.point(e, p), &local).strain::<V, SMALL>();
                    total += self.volumes[e * points + p] * law.energy(&strain);
                }
            }
        });
        total
    }

    /// Calls `add(a, b, m)` with the node numbers and the mass `∫ρ N_a N_b` of every pair of nodes of every element.
    pub fn mass(&self, mesh: &Mesh, lumping: Lumping, mut add: impl FnMut(usize, usize, f64)) {
        element_masses::<S, D, N>(mesh, &self.nodes, self.material.density, self.section, lumping, &mut add);
    }

    /// Largest stable explicit step of the group, `Δt = 2/(c √(n Σ b·b))` at the reference state
    /// (FlanaganBelytschko1981), taken at every integration point. In axisymmetry the hoop strain joins the sum, and the
    /// node with the least mass stands for `n`.
    pub fn critical_step(&self) -> f64 {
        2.0 / (self.material.wave_speed() * self.stiffest.sqrt())
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
