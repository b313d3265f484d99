//! Newmark's family: Newmark (1959), HHT (HilberHughesTaylor1977) and the generalised-α scheme (ChungHulbert1993).
//!
//! `u₁ = u₀ + Δt v₀ + Δt²[(½−β)a₀ + βa₁]`, `v₁ = v₀ + Δt[(1−γ)a₀ + γa₁]`, and balance between the ends of the step,
//! `M[(1−α_m)a₁ + α_m a₀] + f(u_{1−α_f}) = f_ext + Hᵀr`, with `u_{1−α_f} = (1−α_f)u₁ + α_f u₀`.
//!
//! Unlike Jean's scheme these carry an acceleration from step to step, and an impact makes it jump. What they do with a
//! reaction is a choice, [`ContactShare`].

use super::{ForceWeights, Integrator, SchemeInfo};
use crate::bodies::BodyState;
use crate::elements::ForceRule;

/// What becomes of a reaction after the step that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactShare {
    /// It is a force like any other and part of the acceleration that the next step starts from. An impact then goes on
    /// pushing: reactions alternate and energy appears.
    Acceleration,
    /// The next step starts from the acceleration without it.
    Recomputed,
    /// It is an impulse beside the accelerations: `½Δt²M⁻¹Hᵀr` in the displacement, `ΔtM⁻¹Hᵀr` in the velocity, nothing in
    /// the acceleration. The same as `Recomputed` where `γ = 2β`.
    Impulse,
}

/// A member of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralizedAlpha {
    name: &'static str,
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    contact: ContactShare,
}

impl GeneralizedAlpha {
    /// Newmark's scheme: second order for `γ = ½`, unconditionally stable on linear bodies for `2β ≥ γ ≥ ½`.
    pub fn newmark(beta: f64, gamma: f64, contact: ContactShare) -> Self {
        GeneralizedAlpha { name: "newmark", alpha_m: 0.0, alpha_f: 0.0, beta, gamma, contact }
    }

    /// Hilber, Hughes and Taylor's scheme with `α` in [0, ⅓]: damps high frequencies, second order.
    pub fn hht(alpha: f64, contact: ContactShare) -> Self {
        let (beta, gamma) = (0.25 * (1.0 + alpha).powi(2), 0.5 + alpha);
        GeneralizedAlpha { name: "hht", alpha_m: 0.0, alpha_f: alpha, beta, gamma, contact }
    }

    /// Chung and Hulbert's scheme with the spectral radius `ρ∞` in [0, 1] at high frequency: the least damping of low
    /// frequencies for that.
    pub fn chung_hulbert(radius: f64, contact: ContactShare) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0));
        let shift = alpha_f - alpha_m;
        let (beta, gamma) = (0.25 * (1.0 + shift).powi(2), 0.5 + shift);
        GeneralizedAlpha { name: "generalized_alpha", alpha_m, alpha_f, beta, gamma, contact }
    }

    /// `(α_m, α_f, β, γ)`.
    pub fn parameters(&self) -> [f64; 4] {
        [self.alpha_m, self.alpha_f, self.beta, self.gamma]
    }

    /// `a₁` of an end displacement: what the displacement rule says, reactions included.
    #[inline]
    fn end(&self, dt: f64, u: f64, u0: f64, v0: f64, a0: f64) -> f64 {
        ((u - u0) - dt * v0) / (self.beta * dt * dt) - (0.5 - self.beta) / self.beta * a0
    }
}

/// The acceleration a state carries; zero before the first step has prepared it.
#[inline]
fn carried(state: &BodyState, dof: usize) -> f64 {
    state.a.get(dof).copied().unwrap_or(0.0)
}

impl Integrator for GeneralizedAlpha {
    fn info(&self) -> SchemeInfo {
        // second order where γ = ½ − α_m + α_f (ChungHulbert1993)
        let second = (self.gamma - 0.5 + self.alpha_m - self.alpha_f).abs() < 1e-12;
        SchemeInfo { name: self.name, order: if second { 2 } else { 1 } }
    }

    fn mass_coefficient(&self, dt: f64) -> f64 {
        (1.0 - self.alpha_m) / (self.beta * dt * dt)
    }

    fn force(&self) -> ForceWeights {
        let weight = 1.0 - self.alpha_f;
        let rule = if self.alpha_f == 0.0 { ForceRule::End } else { ForceRule::Intermediate(weight) };
        ForceWeights { rule, old: 0.0, new: 1.0, tangent: weight }
    }

    fn predict(&self, old: &BodyState, dt: f64, u: &mut [f64]) {
        for (dof, u) in u.iter_mut().enumerate() {
            *u = old.u[dof] + dt * (old.v[dof] + 0.5 * dt * carried(old, dof));
        }
    }

    fn acceleration(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for (dof, a) in out.iter_mut().enumerate() {
            let a0 = carried(old, dof);
            let a1 = self.end(dt, u[dof], old.u[dof], old.v[dof], a0);
            *a = (1.0 - self.alpha_m) * a1 + self.alpha_m * a0;
        }
    }

    fn velocity(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for (dof, v) in out.iter_mut().enumerate() {
            let a0 = carried(old, dof);
            let a1 = self.end(dt, u[dof], old.u[dof], old.v[dof], a0);
            *v = old.v[dof] + dt * ((1.0 - self.gamma) * a0 + self.gamma * a1);
        }
    }

    fn velocity_coefficient(&self, dt: f64) -> f64 {
        self.gamma / (self.beta * dt)
    }

    fn end_weight(&self) -> f64 {
        1.0 - self.alpha_f
    }

    fn inertia_dissipation(&self) -> Option<f64> {
        None
    }

    fn carries_acceleration(&self) -> bool {
        true
    }

    fn reaction_share(&self) -> f64 {
        // the reaction of the balance makes γ/(1−α_m) of itself in the velocity; an impulse is scaled to make the whole
        match self.contact {
            ContactShare::Acceleration => 1.0,
            ContactShare::Recomputed => self.gamma / (1.0 - self.alpha_m),
            ContactShare::Impulse => 2.0 * self.beta / (1.0 - self.alpha_m),
        }
    }

    fn finish(&self, old: &BodyState, pushed: &[f64], dt: f64, next: &mut BodyState) {
        next.a.resize(next.u.len(), 0.0);
        for dof in 0..next.u.len() {
            let all = self.end(dt, next.u[dof], old.u[dof], old.v[dof], carried(old, dof));
            let (without, beside) = match self.contact {
                ContactShare::Acceleration => (0.0, 0.0),
                ContactShare::Recomputed => (1.0 / self.gamma, 0.0),
                ContactShare::Impulse => (0.5 / self.beta, 1.0 - 0.5 * self.gamma / self.beta),
            };
            next.a[dof] = all - without * pushed[dof];
            next.v[dof] += dt * beside * pushed[dof];
        }
    }
}
