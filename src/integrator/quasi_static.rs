//! Load steps without inertia: `f(u₁) − f_ext(t₁) − Hᵀr = 0`, the limit of slow motion. Time only orders the loads.

use super::{ForceWeights, Integrator, SchemeInfo};
use crate::bodies::BodyState;
use crate::elements::ForceRule;

/// Equilibrium at the end of every step. Velocities are zero; friction acts on the displacement over the step. A body must be
/// held by supports or springs in every rigid motion: contact alone does not make its matrix regular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuasiStatic;

impl Integrator for QuasiStatic {
    fn info(&self) -> SchemeInfo {
        SchemeInfo { name: "quasi_static", order: 1 }
    }

    fn mass_coefficient(&self, _: f64) -> f64 {
        0.0
    }

    fn force(&self) -> ForceWeights {
        ForceWeights { rule: ForceRule::End, old: 0.0, new: 1.0, tangent: 1.0 }
    }

    fn predict(&self, old: &BodyState, _: f64, u: &mut [f64]) {
        u.copy_from_slice(&old.u);
    }

    fn acceleration(&self, _: &BodyState, _: &[f64], _: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn velocity(&self, _: &BodyState, _: &[f64], _: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn velocity_coefficient(&self, dt: f64) -> f64 {
        1.0 / dt
    }

    fn end_weight(&self) -> f64 {
        1.0
    }

    fn is_dynamic(&self) -> bool {
        false
    }

    fn inertia_dissipation(&self) -> Option<f64> {
        Some(0.0)
    }
}
