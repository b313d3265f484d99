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

mod lanczos;
mod memory;
mod nodes;
mod rigid;
mod stable;
mod works;

use nodes::Stepped;
use rigid::Carried;
use stable::Estimate;
pub use works::StepWorks;

use super::newton::{Converged, StepError};
use super::system::System;
use super::{ForceWeights, Integrator, Linearised, Reactions, SchemeInfo, Verdict};
use crate::bodies::{BodyError, BodyState, Span};
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
    rigid: Vec<Carried>,
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
        let states = &system.states[system.bodies.len()..];
        let rigid = system.rigid.iter().zip(states).map(|(body, state)| Carried::new(body, state)).collect();
        Ok(Explicit { bodies, rigid, courant, last: 0.0, touched: false, estimate: Estimate::default() })
    }

    /// The last estimate of [`Explicit::stable_step`].
    pub fn last_limit(&self) -> f64 {
        self.estimate.limit
    }

    /// Contact force on the nodes of a body over the last step.
    pub fn reaction(&self, body: usize) -> &[f64] {
        match self.bodies.get(body) {
            Some(own) => &own.reaction,
            None => &self.rigid[body - self.bodies.len()].reaction,
        }
    }

    /// Whether the last step or the one before had reactions.
    pub fn touched(&self) -> bool {
        self.touched
    }

    /// Force of a support on an unknown over the last step.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        let held = &self.bodies[body].held;
        held.binary_search_by_key(&(dof as u32), |h| h.0).map_or(0.0, |k| held[k].1)
    }

    /// Stored energy of a body at the end of the last accepted step, and what its hourglass control holds.
    pub fn energies(&self, body: usize) -> (f64, f64) {
        let stored = &self.bodies[body].stored;
        (stored.energy, stored.hourglass)
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
            let (body, old) = (&mut system.bodies[b], &system.states[b]);
            if own.loaded {
                body.begin_outer(&span, &mut own.outer)?;
                body.outer_force(&span, old, &old.u, &old.v, &mut own.outer, false)?;
            }
            own.kick(body.dim(), old, &mut next[b], dt, share);
            own.moved.clear();
            let (moved, next) = (&mut own.moved, &mut next[b]);
            for support in body.supports() {
                support.advance(&body.mesh, body.dim(), old, &span, |dof, place, _| {
                    next.u[dof] = place;
                    next.v[dof] = (place - old.u[dof]) / dt;
                    moved.push(dof as u32);
                });
            }
        }
        let first = self.bodies.len();
        for (k, own) in self.rigid.iter_mut().enumerate() {
            own.kick(&system.rigid[k], &system.states[first + k], &mut next[first + k], &span, share)?;
        }
        contact.begin(system.all(), &system.states, &span);
        let report = self.touch(system, contact, &span, next)?;
        let mut works = StepWorks::default();
        for (b, own) in self.bodies.iter_mut().enumerate() {
            let (body, old, next) = (&mut system.bodies[b], &system.states[b], &next[b]);
            own.next_stored = body.explicit_force(&next.u, &next.v, &mut own.next_force)?;
            own.next_spring = body.loads().spring_energy(&next.u);
            let here = own.works(body.dim(), old, next, dt, share);
            if !here.kinetic.is_finite() || !here.internal.is_finite() {
                return Err(BodyError::NonFinite { body: body.name.clone(), what: "force or velocity" }.into());
            }
            works.add(&here);
        }
        for (k, own) in self.rigid.iter_mut().enumerate() {
            let (body, old) = (&system.rigid[k], &system.states[first + k]);
            works.add(&own.works(body, old, &mut next[first + k], &span, share));
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
                            own.apply(system.bodies[b].dim(), &system.states[b], &mut next[b], span.dt);
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
        let first = self.bodies.len();
        for (own, (old, next)) in self.bodies.iter_mut().zip(system.states.iter().zip(next.iter_mut())) {
            own.reaction.fill(0.0);
            own.push(old, next, span.dt);
        }
        for (k, own) in self.rigid.iter_mut().enumerate() {
            own.reaction.fill(0.0);
            own.drift(&system.rigid[k], &system.states[first + k], &mut next[first + k], span)?;
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
        let (first, squared) = (self.bodies.len(), span.dt * span.dt);
        let size = (0..next.len()).map(|b| system.all().get(b).size()).fold(0.0, f64::max);
        let mut before = f64::INFINITY;
        for _ in 0..ITERATIONS {
            for (k, own) in self.rigid.iter_mut().enumerate() {
                own.soften(&system.rigid[k], &system.states[first + k], &next[first + k], span.dt);
            }
            let nodal = self.bodies.iter_mut().map(|own| own.parts(squared));
            let views = nodal.chain(self.rigid.iter_mut().map(|own| own.parts(squared))).enumerate();
            let mut views: Vec<Linearised<'_>> = views
                .map(|(b, (compliance, reaction))| Linearised {
                    body: system.all().get(b),
                    old: &system.states[b],
                    u: &next[b].u,
                    forward: &mut [],
                    reaction,
                    lumped: Some(compliance),
                })
                .collect();
            let reactions = contact.react(&mut views).map_err(StepError::Contact)?;
            report.contact_iterations += reactions.iterations;
            report.contact_residual = reactions.residual;
            report.contact_unsolved += reactions.unsolved;
            self.touched |= reactions.points > 0;
            let mut farthest = 0.0f64;
            for (own, (old, next)) in self.bodies.iter_mut().zip(system.states.iter().zip(next.iter_mut())) {
                farthest = farthest.max(own.push(old, next, span.dt));
            }
            for (k, own) in self.rigid.iter_mut().enumerate() {
                let (old, next) = (&system.states[first + k], &mut next[first + k]);
                farthest = farthest.max(own.drift(&system.rigid[k], old, next, span)?);
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
            std::mem::swap(&mut own.force, &mut own.next_force);
            own.stored = own.next_stored;
            own.spring = own.next_spring;
            body.commit();
        }
        self.rigid.iter_mut().for_each(Carried::accept);
        self.last = dt;
        self.estimate.age += 1;
    }
}
