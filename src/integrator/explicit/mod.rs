//! The explicit scheme: leapfrog with lumped mass, `v₊ = v₋ + Δt M⁻¹(F(u₀) + Hᵀr)`, `u₁ = u₀ + Δt v₊`.
//!
//! Velocities belong to the middles of the steps. `F` acts over half of the step before and half of the one to come, so that the
//! first step, and steps of unequal length, keep second order; `r` is the mean contact force over the step, found from
//! `W = Δt² H M⁻¹ Hᵀ` by the same detection and solvers as in the implicit schemes. Contact does not shorten the
//! stable step.
//!
//! A rigid body gets its momentum in the same way and then moves freely.
//!
//! Energies are booked at the middle of the step, where the velocity is known: `½ v₊ᵀM v₊` and the mean of the stored
//! energies at its two ends. With `f̄ = κ F(u₀)`, `κ` the share above, the balance
//! `Δ(T+U) = W_ext + W_n − D_fr − D_damp − D_num`, `D_num = ½ΔvᵀMΔv + [Δuᵀf̄ − ΔU]`, is an identity.

mod body;
mod lanczos;
mod memory;
mod nodes;
mod rigid;
mod stable;
mod works;

use body::Stepped;
use stable::Estimate;
pub use works::StepWorks;

use super::newton::{Converged, StepError};
use super::system::System;
use super::{ForceWeights, Integrator, Linearised, Reactions, SchemeInfo, Verdict};
use crate::bodies::{Body, BodyState, Span};
use crate::elements::ForceRule;

/// The linear maps of the scheme: θ = 1, ξ = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leapfrog;

impl Integrator for Leapfrog {
    fn info(&self) -> SchemeInfo {
        SchemeInfo { name: "explicit", order: 2 }
    }

    fn mass_coefficient(&self, dt: f64) -> f64 {
        1.0 / (dt * dt)
    }

    fn force(&self) -> ForceWeights {
        ForceWeights { rule: ForceRule::End, old: 1.0, new: 0.0, tangent: 0.0 }
    }

    fn predict(&self, old: &BodyState, dt: f64, u: &mut [f64]) {
        for ((u, u0), v0) in u.iter_mut().zip(&old.u).zip(&old.v) {
            *u = u0 + dt * v0;
        }
    }

    fn acceleration(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for (((a, u), u0), v0) in out.iter_mut().zip(u).zip(&old.u).zip(&old.v) {
            *a = ((u - u0) - dt * v0) / (dt * dt);
        }
    }

    fn velocity(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for ((v, u), u0) in out.iter_mut().zip(u).zip(&old.u) {
            *v = (u - u0) / dt;
        }
    }

    fn velocity_coefficient(&self, dt: f64) -> f64 {
        1.0 / dt
    }

    fn end_weight(&self) -> f64 {
        0.0
    }

    fn inertia_dissipation(&self) -> Option<f64> {
        Some(0.5)
    }
}

/// All bodies under the explicit scheme.
#[derive(Debug)]
pub struct Explicit {
    bodies: Vec<Stepped>,
    /// Share of the estimated limit that a step takes.
    courant: f64,
    /// Length of the last step, zero before the first.
    last: f64,
    touched: bool,
    estimate: Estimate,
}

/// Iterations of contact on curved obstacles, and rounds for what entered unseen.
const ITERATIONS: usize = 30;
const ROUNDS: usize = 5;
/// Share of the largest body's size below which ends of a step do not differ, and below which iterations stop once they do not
/// come closer: the contact solver has a tolerance of its own.
const SETTLED: f64 = 1e-13;
const STALLED: f64 = 1e-10;

impl Explicit {
    /// Prepares the bodies of `system` and computes their first forces.
    pub fn new(system: &mut System, courant: f64) -> Result<Self, StepError> {
        let bodies = system.bodies.iter_mut().zip(&system.states).map(|(body, state)| Stepped::new(body, state));
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        Ok(Explicit { bodies, courant, last: 0.0, touched: false, estimate: Estimate::default() })
    }

    /// The last estimate of [`Explicit::stable_step`].
    pub fn last_limit(&self) -> f64 {
        self.estimate.limit
    }

    /// Contact force on the nodes of a body over the last step.
    pub fn reaction(&self, body: usize) -> &[f64] {
        self.bodies[body].reaction()
    }

    /// Whether the last step or the one before had reactions.
    pub fn touched(&self) -> bool {
        self.touched
    }

    /// Force of a support on an unknown over the last step.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        let Stepped::Nodal(own) = &self.bodies[body] else { return 0.0 };
        own.held.binary_search_by_key(&(dof as u32), |h| h.0).map_or(0.0, |k| own.held[k].1)
    }

    /// Stored energy of a body at the end of the last accepted step, and what its hourglass control holds.
    pub fn energies(&self, body: usize) -> (f64, f64) {
        match &self.bodies[body] {
            Stepped::Nodal(own) => (own.stored.energy, own.stored.hourglass),
            Stepped::Rigid(_) => (0.0, 0.0),
        }
    }

    /// Tries a step of length `dt` from `system.states` to `next`. Nothing is accepted yet.
    pub fn step(
        &mut self,
        system: &mut System,
        contact: &mut dyn Reactions,
        dt: f64,
        next: &mut [BodyState],
    ) -> Result<(Converged, StepWorks), StepError> {
        let share = 0.5 * (self.last + dt) / dt;
        let span = Span { start: system.time, dt, weight: 0.0, rate: 1.0 / dt, moves: true };
        for (b, own) in self.bodies.iter_mut().enumerate() {
            own.kick(&mut system.bodies[b], &system.states[b], &mut next[b], &span, share)?;
        }
        contact.begin(system.all(), &system.states, &span);
        let report = self.touch(system, contact, &span, next)?;
        let mut works = StepWorks::default();
        for (b, own) in self.bodies.iter_mut().enumerate() {
            works.add(&own.works(&mut system.bodies[b], &system.states[b], &mut next[b], &span, share)?);
        }
        Ok((report, works))
    }

    /// Reactions of the step, on top of the free step in `next`.
    fn touch(
        &mut self,
        system: &System,
        contact: &mut dyn Reactions,
        span: &Span,
        next: &mut [BodyState],
    ) -> Result<Converged, StepError> {
        let mut report = Converged::default();
        if self.touched {
            self.bodies.iter_mut().for_each(Stepped::clear);
        }
        self.touched = false;
        let mut rounds = 0;
        while rounds < ROUNDS {
            if (0..next.len()).any(|b| contact.is_near(b)) {
                self.iterate(system, contact, span, next, &mut report)?;
            }
            let ends: Vec<&[f64]> = next.iter().map(|s| s.u.as_slice()).collect();
            match contact.verify(system.all(), &system.states, &ends).map_err(StepError::Contact)? {
                Verdict::Holds => {
                    if self.touched {
                        for (b, own) in self.bodies.iter_mut().enumerate() {
                            own.apply(&system.bodies[b], &system.states[b], &mut next[b], span.dt);
                        }
                    }
                    return Ok(report);
                }
                Verdict::Iterate => {}
                Verdict::Again => {
                    rounds += 1;
                    self.release(system, span, next)?;
                }
            }
        }
        Err(StepError::Contact("new contacts keep appearing within the step".into()))
    }

    /// Back to where the step leads without contact.
    fn release(&mut self, system: &System, span: &Span, next: &mut [BodyState]) -> Result<(), StepError> {
        for (b, own) in self.bodies.iter_mut().enumerate() {
            own.release();
            own.drift(&system.bodies[b], &system.states[b], &mut next[b], span)?;
        }
        Ok(())
    }

    /// Contact points follow the geometry until the end of the step stays where it is.
    fn iterate(
        &mut self,
        system: &System,
        contact: &mut dyn Reactions,
        span: &Span,
        next: &mut [BodyState],
        report: &mut Converged,
    ) -> Result<(), StepError> {
        let squared = span.dt * span.dt;
        let size = system.bodies.iter().map(Body::size).fold(0.0, f64::max);
        let mut before = f64::INFINITY;
        for _ in 0..ITERATIONS {
            for (b, own) in self.bodies.iter_mut().enumerate() {
                own.soften(&system.bodies[b], &system.states[b], &next[b], span.dt);
            }
            let views = self.bodies.iter_mut().enumerate().map(|(b, own)| {
                let (compliance, reaction) = own.parts(squared);
                Linearised {
                    body: &system.bodies[b],
                    old: &system.states[b],
                    u: &next[b].u,
                    forward: &mut [],
                    reaction,
                    lumped: Some(compliance),
                }
            });
            let mut views: Vec<Linearised<'_>> = views.collect();
            let reactions = contact.react(&mut views).map_err(StepError::Contact)?;
            report.contact_iterations += reactions.iterations;
            report.contact_residual = reactions.residual;
            report.contact_unsolved += reactions.unsolved;
            self.touched |= reactions.points > 0;
            let mut farthest = 0.0f64;
            for (b, own) in self.bodies.iter_mut().enumerate() {
                farthest = farthest.max(own.drift(&system.bodies[b], &system.states[b], &mut next[b], span)?);
            }
            report.iterations += 1;
            if farthest <= SETTLED * size || farthest <= STALLED * size && farthest > 0.5 * before {
                break;
            }
            before = farthest;
        }
        Ok(())
    }

    /// Accepts the step of length `dt` that was tried last.
    pub fn accept(&mut self, system: &mut System, dt: f64) {
        for (own, body) in self.bodies.iter_mut().zip(&mut system.bodies) {
            own.accept(body);
        }
        self.last = dt;
        self.estimate.age += 1;
    }
}
