//! Time integration. A scheme states its linear maps ([`Integrator`]); Newton's method solves the step of any scheme
//! ([`newton`]) and asks for contact through [`Reactions`].

mod compliance;
pub mod explicit;
pub mod generalized_alpha;
pub mod jean;
pub mod ledger;
pub mod newton;
pub mod quasi_static;
pub mod system;
mod work;

pub use compliance::Compliance;
pub use explicit::{Explicit, Leapfrog, StepWorks};
pub use generalized_alpha::{ContactShare, GeneralizedAlpha};
pub use jean::{Force, Jean};
pub use ledger::{ContactWork, Ledger, LedgerEntry};
pub use newton::{Converged, Newton, NewtonOptions, Reuse, StepError};
pub use quasi_static::QuasiStatic;
pub use system::System;

use crate::bodies::{Bodies, Body, BodyState, Span};
use crate::elements::ForceRule;

/// Name and order of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemeInfo {
    /// Name in a case file.
    pub name: &'static str,
    /// Order of accuracy in smooth motion.
    pub order: usize,
}

/// How the mean force of a step is formed: `old · f(u₀) + new · f̄(u₀, u₁)` with `f̄` by `rule`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceWeights {
    /// Which force is evaluated during the step.
    pub rule: ForceRule,
    /// Weight of the force at the start.
    pub old: f64,
    /// Weight of the evaluated force.
    pub new: f64,
    /// `∂(new · f̄)/∂u₁` in units of the assembled stiffness.
    pub tangent: f64,
}

/// A one-step scheme in displacements: `M a(u₁) + f̄ − f̄_ext − Hᵀr = 0`.
pub trait Integrator: std::fmt::Debug + Send + Sync {
    /// Name and order.
    fn info(&self) -> SchemeInfo;
    /// Coefficient `m` of `a(u₁) = m u₁ + …`, the weight of the mass in the effective matrix.
    fn mass_coefficient(&self, dt: f64) -> f64;
    /// The mean of the internal force.
    fn force(&self) -> ForceWeights;
    /// First guess of the displacements at the end of a step without contact.
    fn predict(&self, old: &BodyState, dt: f64, u: &mut [f64]);
    /// The acceleration `a(u₁)` that the mass multiplies.
    fn acceleration(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]);
    /// Velocities at the end of the step.
    fn velocity(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]);
    /// `∂v₁/∂u₁`.
    fn velocity_coefficient(&self, dt: f64) -> f64;
    /// Weight of a step's end in the means of outer forces and damping.
    fn end_weight(&self) -> f64;
    /// Whether velocities mean anything: not in load steps.
    fn is_dynamic(&self) -> bool {
        true
    }
    /// Numerical dissipation of the inertia term, `½(v₀+v₁)ᵀ…`: the factor of `ΔvᵀMΔv`. `None` where it has no such form:
    /// what the scheme loses is then the rest of the balance of energies.
    fn inertia_dissipation(&self) -> Option<f64>;
    /// Whether states carry an acceleration.
    fn carries_acceleration(&self) -> bool {
        false
    }
    /// Mean force over the step, impulse by `Δt`, that a unit reaction of the balance stands for.
    fn reaction_share(&self) -> f64 {
        1.0
    }
    /// Completes an end state whose displacements and velocities are set, for schemes that carry an acceleration. `pushed` is
    /// `M⁻¹Hᵀr` with the mean reactions `r`.
    fn finish(&self, _old: &BodyState, _pushed: &[f64], _dt: f64, _next: &mut BodyState) {}
}

/// What contact says about one iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReactionReport {
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// Scaled natural-map residual of its result.
    pub residual: f64,
    /// Points considered.
    pub points: usize,
    /// 1 if the reactions were taken although they do not solve the problem to the tolerance.
    pub unsolved: usize,
}

/// One body between factorisation and back-substitution, as contact sees it.
pub struct Linearised<'a> {
    /// Body with a factored effective matrix.
    pub body: &'a Body,
    /// State at the start of the step.
    pub old: &'a BodyState,
    /// Displacements at the current iterate.
    pub u: &'a [f64],
    /// `L⁻¹` of the right-hand side, in equation order; contact adds `L⁻¹Hᵀr`.
    pub forward: &'a mut [f64],
    /// Receives `Hᵀr`, node by node.
    pub reaction: &'a mut [f64],
    /// Inverse of the effective matrix where it needs no factor. The iterate `u` then holds the effect of `reaction`, and
    /// `forward` is empty.
    pub lumped: Option<Compliance<'a>>,
}

/// Where the reactions of a step come from.
pub trait Reactions: Send + Sync {
    /// Prepares a step from `old`: finds what may touch.
    fn begin(&mut self, bodies: Bodies<'_>, old: &[BodyState], span: &Span);
    /// Whether body `b` is near anything.
    fn is_near(&self, body: usize) -> bool;
    /// Finds the contact points of the current iterate; `forward` is not asked for yet.
    fn find(&mut self, system: &[Linearised<'_>]);
    /// Reduces body `b` to its points. Bodies are independent of each other: they may be reduced side by side.
    fn condense(&self, b: usize, body: &Linearised<'_>);
    /// Reactions of the bodies as they were reduced.
    fn solve(&mut self, system: &[Linearised<'_>]) -> Result<ReactionReport, String>;
    /// Puts the reactions on body `b`: into `reaction`, and their effect into `forward`. Independent of the other bodies.
    fn push(&self, b: usize, body: &mut Linearised<'_>);
    /// All of it: reactions for the current linearisation; `forward` and `reaction` of each body are updated.
    fn react(&mut self, system: &mut [Linearised<'_>]) -> Result<ReactionReport, String> {
        self.find(system);
        for (b, body) in system.iter().enumerate() {
            self.condense(b, body);
        }
        let report = self.solve(system)?;
        for (b, body) in system.iter_mut().enumerate() {
            self.push(b, body);
        }
        Ok(report)
    }
    /// Multiplies the reactions of the converged step, so that they are means over it.
    fn rescale(&mut self, share: f64);
    /// Called with the converged displacements: looks for anything that entered unnoticed. An error says that the contact
    /// law is broken.
    fn verify(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> Result<Verdict, String>;
}

/// What contact says of a converged step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The contact law holds.
    Holds,
    /// Something entered in the last iteration, where it was not yet a contact: iterate on.
    Iterate,
    /// Something entered that had not been looked up: do the step again with what was found included.
    Again,
}

/// No contact at all.
#[derive(Debug, Default)]
pub struct NoReactions;

impl Reactions for NoReactions {
    fn begin(&mut self, _: Bodies<'_>, _: &[BodyState], _: &Span) {}

    fn is_near(&self, _: usize) -> bool {
        false
    }

    fn find(&mut self, _: &[Linearised<'_>]) {}

    fn condense(&self, _: usize, _: &Linearised<'_>) {}

    fn solve(&mut self, _: &[Linearised<'_>]) -> Result<ReactionReport, String> {
        Ok(ReactionReport::default())
    }

    fn push(&self, _: usize, body: &mut Linearised<'_>) {
        body.reaction.fill(0.0);
    }

    fn rescale(&mut self, _: f64) {}

    fn verify(&mut self, _: Bodies<'_>, _: &[BodyState], _: &[&[f64]]) -> Result<Verdict, String> {
        Ok(Verdict::Holds)
    }
}
