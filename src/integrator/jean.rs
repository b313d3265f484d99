//! Jean's θ–ξ scheme in residual form (Jean1999; FengEtAl2006, eqs 2–7).
//!
//! `M(u₁−u₀−Δt v₀)/(θΔt²) + f̄ − f̄_ext − Hᵀr = 0`, `v₁ = (1−1/θ)v₀ + (u₁−u₀)/(θΔt)`. The inertia term is
//! `M(v₁−v₀)/Δt`: `r` is the mean contact force over the step and carries no ξ.

use super::{ForceWeights, Integrator, SchemeInfo};
use crate::bodies::BodyState;
use crate::elements::ForceRule;

/// How the internal force is averaged over the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// `(1−ξ)f(u₀) + ξf(u₁)`, the paper's choice.
    Trapezoidal,
    /// `f((1−ξ)u₀ + ξu₁)`.
    Midpoint,
    /// Gonzalez' discrete gradient; with θ = ξ = ½ it keeps the energy exactly.
    DiscreteGradient,
}

/// The θ–ξ scheme. θ = ξ = ½ has no algorithmic loss and second order; θ, ξ > ½ dissipate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jean {
    /// Weight of the new velocity, in (0, 1].
    pub theta: f64,
    /// Weight of the new force, in (0, 1].
    pub xi: f64,
    /// Mean of the internal force.
    pub force: Force,
}

impl Integrator for Jean {
    fn info(&self) -> SchemeInfo {
        SchemeInfo { name: "jean", order: if self.theta == 0.5 && self.xi == 0.5 { 2 } else { 1 } }
    }

    fn mass_coefficient(&self, dt: f64) -> f64 {
        1.0 / (self.theta * dt * dt)
    }

    fn force(&self) -> ForceWeights {
        match self.force {
            Force::Trapezoidal => {
                ForceWeights { rule: ForceRule::End, old: 1.0 - self.xi, new: self.xi, tangent: self.xi }
            }
            Force::Midpoint => {
                ForceWeights { rule: ForceRule::Intermediate(self.xi), old: 0.0, new: 1.0, tangent: self.xi }
            }
            Force::DiscreteGradient => {
                ForceWeights { rule: ForceRule::DiscreteGradient, old: 0.0, new: 1.0, tangent: 0.5 }
            }
        }
    }

    fn predict(&self, old: &BodyState, dt: f64, u: &mut [f64]) {
        for ((u, u0), v0) in u.iter_mut().zip(&old.u).zip(&old.v) {
            *u = u0 + dt * v0;
        }
    }

    fn acceleration(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        let m = self.mass_coefficient(dt);
        for (((a, u), u0), v0) in out.iter_mut().zip(u).zip(&old.u).zip(&old.v) {
            *a = m * ((u - u0) - dt * v0);
        }
    }

    fn velocity(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for (((v, u), u0), v0) in out.iter_mut().zip(u).zip(&old.u).zip(&old.v) {
            *v = (1.0 - 1.0 / self.theta) * v0 + (u - u0) / (self.theta * dt);
        }
    }

    fn velocity_coefficient(&self, dt: f64) -> f64 {
        1.0 / (self.theta * dt)
    }

    fn end_weight(&self) -> f64 {
        self.xi
    }

    fn inertia_dissipation(&self) -> Option<f64> {
        Some(self.theta - 0.5)
    }
}
