//! Stresses for output: at the integration points, and carried from there to the nodes.

use super::Shape;
use super::kinematics::Gradient;
use super::section::{Faces, Formulation};
use super::total_lagrangian::Elements;
use crate::linalg::Sym;
use crate::linalg::symmetric::INDEX;
use crate::materials::Hyperelastic;
use crate::mesh::CellId;
use crate::with_law;

/// Stress and energy at one integration point.
#[derive(Debug, Clone, Copy, Default)]
pub struct PointStress {
    /// Second Piola–Kirchhoff stress.
    pub pk2: Sym,
    /// Cauchy stress `J⁻¹ F S Fᵀ` (equal to `pk2` for the linear law).
    pub cauchy: Sym,
    /// Stored energy per reference volume.
    pub energy: f64,
    /// Reference volume of the point.
    pub volume: f64,
}

/// The von Mises measures a result offers, each by the stress and the recovery it uses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StressMeasures {
    /// Cauchy stress, largest integration-point value.
    pub cauchy_points: f64,
    /// Cauchy stress, nodal: nearest integration point, components averaged over the elements at the node.
    pub cauchy_nodal: f64,
    /// PK2 stress, nodal, same recovery.
    pub pk2_nodal: f64,
    /// PK2 stress, nodal: extrapolated from the points, components averaged; in plane strain with `S₃₃ = ν(S₁₁+S₂₂)`, as a
    /// plane code that stores only in-plane components would rebuild it.
    pub pk2_inplane: f64,
}

impl<S: Shape<D, N>, F: Faces, const D: usize, const V: usize, const N: usize> Elements<S, F, D, V, N> {
    /// Integration points per element.
    pub fn points() -> usize {
        S::RULE.len()
    }

    /// Calls `visit(element, nodes, points)` with the stresses at the integration points of each element.
    pub fn stresses(&self, u: &[f64], mut visit: impl FnMut(usize, &[u32], &[PointStress])) {
        let points = S::RULE.len();
        if self.formulation == Formulation::MeanDilatation {
            return self.mean_dilatation_stresses(u, visit);
        }
        let mut values = [PointStress::default(); 8];
        with_law!(&self.material.law, law, SMALL => {
            let wrapped = F::wrap(law);
            for e in 0..self.nodes.len() {
                let local = self.gather(e, u);
                for (p, value) in values[..points].iter_mut().enumerate() {
                    let h = Gradient::new::<V, N>(self.point(e, p), &local);
                    let strain = h.strain::<V, SMALL>();
                    let pk2 = wrapped.stress(&strain);
                    let across = if SMALL { 1.0 } else { (1.0 + 2.0 * F::thickness_strain(law, &strain)).sqrt() };
                    *value = PointStress {
                        pk2,
                        cauchy: if SMALL { pk2 } else { push_forward(&h, across, &pk2) },
                        energy: wrapped.energy(&strain),
                        volume: self.volumes[e * points + p],
                    };
                }
                visit(e, &self.nodes[e], &values[..points]);
            }
        });
    }

    /// Calls `visit(cell, density)` with the kinetic energy of each element per reference volume. In axisymmetry triangles
    /// take all of their area as equally far from the axis.
    pub fn kinetic_densities(&self, v: &[f64], mut visit: impl FnMut(CellId, f64)) {
        let points = S::RULE.len();
        let square = |x: &[f64; D]| x.iter().map(|x| x * x).sum::<f64>();
        for e in 0..self.nodes.len() {
            let local = self.gather(e, v);
            let mean = if points == 1 {
                // ∫ N_a N_b / V = (1 + δ_ab) / (N (N + 1)) on a simplex
                let sum = std::array::from_fn(|i| local.iter().map(|v| v[i]).sum());
                (square(&sum) + local.iter().map(square).sum::<f64>()) / (N * (N + 1)) as f64
            } else {
                let volumes = &self.volumes[e * points..(e + 1) * points];
                let energy = S::RULE.iter().zip(volumes).map(|((xi, _), volume)| {
                    let n = S::values(xi);
                    let here: [f64; D] = std::array::from_fn(|i| (0..N).map(|a| n[a] * local[a][i]).sum());
                    volume * square(&here)
                });
                energy.sum::<f64>() / volumes.iter().sum::<f64>()
            };
            visit(self.cells[e], 0.5 * self.material.density * mean);
        }
    }

    /// Row `a` holds the weights that carry integration-point values to local node `a`: recovery (b), the element's own
    /// shape functions through its points, evaluated at the node. A single point is carried as it is.
    pub fn extrapolation() -> [[f64; 8]; 8] {
        let mut weights = [[0.0; 8]; 8];
        for (row, node) in weights.iter_mut().zip(&S::NODES) {
            if S::RULE.len() == N {
                // the points are the nodes of a parent element shrunk by 1/√3
                row[..N].copy_from_slice(&S::values(&node.map(|x| x * 3f64.sqrt())));
            } else {
                row[0] = 1.0;
            }
        }
        weights
    }
}

/// `σ = J⁻¹ F S Fᵀ`; a plane gradient is completed by the stretch across it.
pub(super) fn push_forward<const D: usize>(gradient: &Gradient<D>, across: f64, s: &Sym) -> Sym {
    let mut f = [[0.0; 3]; 3];
    f[2][2] = across;
    for i in 0..D {
        for j in 0..D {
            f[i][j] = gradient.h[i][j] + f64::from(u8::from(i == j));
        }
    }
    let det = f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) - f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0])
        + f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
    let mut sigma = [0.0; 6];
    for i in 0..3 {
        for j in i..3 {
            let mut sum = 0.0;
            for k in 0..3 {
                for l in 0..3 {
                    sum += f[i][k] * s[INDEX[k][l]] * f[j][l];
                }
            }
            sigma[INDEX[i][j]] = sum / det;
        }
    }
    sigma
}
