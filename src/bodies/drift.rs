//! A rigid body in explicit steps: its momentum is changed at once, then it moves freely.
//!
//! Free motion over a step is that of the midpoint rule (SimoWong1991), `ϑ = ½Δt(Ω₀ + Ω₁)` in the axes of the start with
//! `J₁ω₁ = J₀ω₀ = L`. With `R₁ = cay(ϑ)R₀` and `J` the inertia at the start the two conditions are one,
//!
//! `Jϑ + ½ ϑ × Jϑ = Δt L`,
//!
//! and keep angular momentum and energy exactly: a free body turns as in the implicit scheme with θ = ½.

use nalgebra::{Matrix3, Vector3};

use super::rigid::{Rigid, cross_matrix};

impl Rigid {
    /// Iterations for `ϑ`; they converge quadratically.
    const DRIFT_ITERATIONS: usize = 20;

    /// The free step of length `dt` from `u0` with these momenta: writes where it ends to `u1`. Unknowns that are not free
    /// keep what `u1` has.
    pub fn drift(&self, u0: &[f64], (p, l): (&Vector3<f64>, &Vector3<f64>), dt: f64, u1: &mut [f64]) {
        let dim = self.dim();
        for axis in (0..dim).filter(|&axis| self.is_free(axis)) {
            u1[axis] = u0[axis] + dt * p[axis] / self.mass();
        }
        let turn = self.free_turn(u0, l, dt);
        for dof in (dim..self.dof_count()).filter(|&dof| self.is_free(dof)) {
            u1[dof] = u0[dof] + turn[if dim == 2 { 2 } else { dof - 3 }];
        }
        self.orient(u0, u1);
    }

    fn free_turn(&self, u0: &[f64], l: &Vector3<f64>, dt: f64) -> Vector3<f64> {
        let inertia = self.inertia_in_space(u0);
        if !self.turns_freely() {
            return Vector3::from_fn(|k, _| if inertia[(k, k)] > 0.0 { dt * l[k] / inertia[(k, k)] } else { 0.0 });
        }
        let mut turn = inertia.try_inverse().map_or_else(Vector3::zeros, |inverse| dt * (inverse * l));
        for _ in 0..Self::DRIFT_ITERATIONS {
            let spin = inertia * turn;
            let missing = dt * l - spin - 0.5 * turn.cross(&spin);
            let Some(inverse) = drift_tangent(&inertia, &turn).try_inverse() else { break };
            let change = inverse * missing;
            turn += change;
            if change.norm() <= 1e-15 * turn.norm() {
                break;
            }
        }
        turn
    }

    /// How a mean force over a step of length `dt` to `u1` moves the body: `1/m` of each unknown into `inverse`, zero where it is
    /// not free, and in space a root `G` of the symmetric part of `∂ϑ/∂m̄ = GGᵀ`.
    pub fn compliance(&self, u0: &[f64], u1: &[f64], dt: f64, inverse: &mut [f64]) -> Option<Matrix3<f64>> {
        let dim = self.dim();
        let inertia = self.inertia_in_space(u0);
        for (dof, inverse) in inverse.iter_mut().enumerate() {
            let resistance = match dof {
                _ if dof < dim => self.mass(),
                _ if dim == 2 => inertia[(2, 2)],
                _ => inertia[(dof - 3, dof - 3)],
            };
            *inverse = if self.is_free(dof) { 1.0 / resistance } else { 0.0 };
        }
        if dim == 2 {
            return None;
        }
        let lone = || Matrix3::from_diagonal(&Vector3::from_fn(|k, _| dt * inverse[3 + k].sqrt()));
        if !self.turns_freely() {
            return Some(lone());
        }
        let tangent = drift_tangent(&inertia, &self.turn(u0, u1));
        let symmetric = tangent.try_inverse().map(|inverse| 0.5 * (inverse + inverse.transpose()));
        Some(symmetric.and_then(|c| c.cholesky()).map_or_else(lone, |root| dt * root.l()))
    }
}

/// `∂(Jϑ + ½ϑ × Jϑ)/∂ϑ`.
fn drift_tangent(inertia: &Matrix3<f64>, turn: &Vector3<f64>) -> Matrix3<f64> {
    inertia + 0.5 * (cross_matrix(turn) * inertia - cross_matrix(&(inertia * turn)))
}
