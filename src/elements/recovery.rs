//! Stresses for output: at the integration points, and carried from there to the nodes.

use super::Shape;
use super::total_lagrangian::{Elements, det_f, displacement_gradient, strain};
use crate::linalg::Sym;
use crate::linalg::symmetric::{INDEX, von_mises};
use crate::materials::{Hyperelastic, Kinematics};
use crate::with_law;

/// Stress and energy at one integration point.
#[derive(Debug, Clone, Copy)]
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
    /// PK2 stress with `S₃₃ = ν(S₁₁+S₂₂)`, nodal: extrapolated from the points, components averaged.
    pub pk2_inplane: f64,
}

impl<S: Shape<D, N>, const D: usize, const V: usize, const N: usize> Elements<S, D, V, N> {
    /// Integration points per element.
    pub fn points() -> usize {
        S::RULE.len()
    }

    /// Calls `visit(element, nodes, points)` with the stresses at the integration points of each element.
    pub fn stresses(&self, u: &[f64], mut visit: impl FnMut(usize, &[u32], &[PointStress])) {
        let points = S::RULE.len();
        let small = self.material.law.kinematics() == Kinematics::Small;
        let empty = PointStress { pk2: [0.0; 6], cauchy: [0.0; 6], energy: 0.0, volume: 0.0 };
        let mut values = [empty; 8];
        with_law!(&self.material.law, law => for e in 0..self.nodes.len() {
            let local = self.gather(e, u);
            for (p, value) in values[..points].iter_mut().enumerate() {
                let h = displacement_gradient(&self.gradients[e * points + p], &local);
                let strain = if small { strain::<D, true>(&h) } else { strain::<D, false>(&h) };
                let pk2 = law.stress(&strain);
                let cauchy = if small { pk2 } else { push_forward(&h, &pk2) };
                *value = PointStress { pk2, cauchy, energy: law.energy(&strain), volume: self.volumes[e * points + p] };
            }
            visit(e, &self.nodes[e], &values[..points]);
        });
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

/// `σ = J⁻¹ F S Fᵀ`; in the plane `F₃₃ = 1`.
fn push_forward<const D: usize>(h: &[[f64; D]; D], s: &Sym) -> Sym {
    let mut f = [[0.0; 3]; 3];
    for i in 0..3 {
        f[i][i] = 1.0;
        for j in 0..3 {
            if i < D && j < D {
                f[i][j] += h[i][j];
            }
        }
    }
    let det = det_f(h);
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

/// Von Mises of a PK2 stress whose out-of-plane component is rebuilt as `ν(S₁₁+S₂₂)`, as a plane code that
/// stores only in-plane components would do. In space the stress is taken as it is.
pub fn von_mises_inplane(s: &Sym, poisson: f64, dim: usize) -> f64 {
    if dim == 3 { von_mises(s) } else { von_mises(&[s[0], s[1], poisson * (s[0] + s[1]), s[3], 0.0, 0.0]) }
}
