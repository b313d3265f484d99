//! Newton's method for one time step of all bodies together.
//!
//! Each iteration linearises every body, lets contact find the reactions of the linearised step, and updates. `r` is the
//! total reaction of the step, not an increment, so the converged step satisfies the contact law of its last
//! linearisation to the tolerance of the contact solver.

mod stages;

use super::residual::{Measures, exhausted, is_exhausted, largest, outer, residual};
use super::system::{System, Work};
use super::{Integrator, Reactions, Verdict};
use crate::bodies::BodyError;
use crate::elements::ForceRule;
use crate::parallel;

/// When Newton's method stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOptions {
    /// `‖R‖∞ ≤ residual · max(‖f̄‖∞, ‖Hᵀr‖∞, ‖M v₀‖∞/Δt)`.
    pub residual: f64,
    /// The correction still to come, estimated from the last one and the fall of the residual, is at most
    /// `increment · size of the body`.
    pub increment: f64,
    /// Iterations before the step is given up.
    pub max_iterations: usize,
    /// When a factor is kept as long as it contracts fast enough (modified Newton).
    pub reuse: Reuse,
}

/// When factors of the effective matrix are kept over iterations and steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Never: every iteration makes its own.
    Never,
    /// In steps in which nothing is near a contact. Where contacts begin and end the iterates decide which points are found, and
    /// those of Newton's own method find them best.
    WithoutContact,
    /// In all steps: the fastest.
    Always,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions { residual: 1e-10, increment: 1e-10, max_iterations: 30, reuse: Reuse::Always }
    }
}

/// Why a step was not accepted; a shorter one may be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Too many iterations.
    #[error(
        "Newton did not converge in {iteration} iterations: |R| = {residual:.3e} (tolerance {tolerance:.1e}), |du| = {increment:.3e}"
    )]
    NotConverged {
        /// Iterations done.
        iteration: usize,
        /// Largest residual force.
        residual: f64,
        /// What it should have come to.
        tolerance: f64,
        /// Largest last correction.
        increment: f64,
    },
    /// The line search found no decrease.
    #[error("line search found no decrease from |R| = {residual:.3e} at iteration {iteration}")]
    NoDescent {
        /// Iteration.
        iteration: usize,
        /// Norm of the residual.
        residual: f64,
    },
    /// Velocities or energies are beyond what numbers hold.
    #[error("the energies of the bodies are beyond all numbers: velocities or displacements have run away")]
    Unbounded,
    /// A body refused the trial state.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The contact solver gave up.
    #[error("contact: {0}")]
    Contact(String),
}

/// What a converged step reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Converged {
    /// Newton iterations; in explicit steps how often the contact points were found and solved.
    pub iterations: usize,
    /// Effective matrices that were assembled and factored for them.
    pub linearisations: usize,
    /// Largest residual force at the end.
    pub residual: f64,
    /// Contact solver iterations over all Newton iterations.
    pub contact_iterations: usize,
    /// Contact residual of the last iteration.
    pub contact_residual: f64,
    /// Contact problems of the step that were not solved to the tolerance.
    pub contact_unsolved: usize,
}

/// The solver of a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Newton {
    /// When to stop.
    pub options: NewtonOptions,
}

impl Newton {
    /// Times that a converged step may turn out to have missed contacts.
    const ROUNDS: usize = 5;
    /// Halvings of a correction before the line search gives up.
    const HALVINGS: usize = 10;
    /// The ledger is kept a thousand times tighter than the forces: its errors add up over a run.
    const LEDGER: f64 = 1e-3;
    /// What a last iteration with a kept factor should leave in the ledger.
    const POLISHED: f64 = 1e-5;
    /// Further iterations with a kept factor that are worth it even where a new factor costs nothing: it needs one or two itself.
    const CHEAP: f64 = 2.0;
    /// Where they should lead, as a share of the tolerance.
    const AIM: f64 = 0.1;
    /// Armijo's share of the linear decrease.
    const ARMIJO: f64 = 1e-4;

    /// Tries a step of length `dt` from `system.states`; the result is in `system.trial`.
    pub fn step(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        contact: &mut dyn Reactions,
        dt: f64,
    ) -> Result<Converged, StepError> {
        let mut report = Converged::default();
        system.prepare(scheme)?;
        contact.begin(system.all(), &system.states, &Work::span(scheme, system.time, dt));
        let reuse = match self.options.reuse {
            Reuse::Never => false,
            Reuse::WithoutContact => !(0..system.states.len()).any(|b| contact.is_near(b)),
            Reuse::Always => true,
        };
        self.start(scheme, system, contact, dt, reuse)?;
        // each round adds what entered unnoticed; a few are always enough unless the step is far too long
        let mut rounds = 0;
        while rounds < Self::ROUNDS {
            self.iterate(scheme, system, contact, dt, reuse, &mut report)?;
            let ends: Vec<&[f64]> = (0..system.states.len()).map(|b| system.trial(b)).collect();
            match contact.verify(system.all(), &system.states, &ends).map_err(StepError::Contact)? {
                Verdict::Holds => {
                    let share = scheme.reaction_share();
                    if share != 1.0 {
                        contact.rescale(share);
                        system.work.iter_mut().flat_map(|w| &mut w.reaction).for_each(|r| *r *= share);
                    }
                    return Ok(report);
                }
                Verdict::Iterate => {
                    let System { bodies, work, order, .. } = &mut *system;
                    parallel::pairs(bodies, work, order, |_, body, work| residual(scheme, body, work, dt));
                }
                Verdict::Again => {
                    rounds += 1;
                    self.start(scheme, system, contact, dt, reuse)?;
                }
            }
        }
        Err(StepError::Contact("new contacts keep appearing within the step".into()))
    }

    fn start(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        contact: &dyn Reactions,
        dt: f64,
        reuse: bool,
    ) -> Result<(), StepError> {
        let weights = scheme.force();
        let coefficients = (scheme.mass_coefficient(dt), weights.tangent);
        let span = Work::span(scheme, system.time, dt);
        let System { bodies, states, work, order, .. } = system;
        parallel::try_pairs(bodies, work, order, |b, body, work| {
            let state = &states[b];
            // what the last iterate of the previous step left is what this one starts from
            let here = work.evaluated && work.u == state.u;
            work.old.copy_from(state);
            body.mass().multiply(body.dim(), &state.v, &mut work.inertia);
            work.largest_momentum = largest(&work.inertia);
            work.kinetic = 0.5 * work.inertia.iter().zip(&state.v).map(|(p, v)| p * v).sum::<f64>();
            work.reaction.fill(0.0);
            if weights.old != 0.0 {
                if !here {
                    body.internal_force(ForceRule::End, &state.u, &state.u, &mut work.force, None)?;
                }
                work.force_old.copy_from_slice(&work.force);
            }
            body.begin_outer(&span, &mut work.outer)?;
            // beside moved nodes the others are better off where they were going
            if contact.is_near(b) && !body.is_moved() {
                work.u.copy_from_slice(&state.u);
            } else {
                scheme.predict(&work.old, dt, &mut work.u);
                for (dof, u) in work.u.iter_mut().enumerate() {
                    if body.is_held(dof) {
                        *u = state.u[dof];
                    }
                }
            }
            let Work { u, moved, old, .. } = work;
            moved.clear();
            for support in body.supports() {
                support.advance(&body.mesh, body.dim(), old, &span, |dof, place, velocity| {
                    u[dof] = place;
                    moved.push((dof as u32, velocity));
                });
            }
            let keep = reuse && work.factored == Some(coefficients);
            let known = here && work.u == state.u && weights.rule == ForceRule::End;
            let stays = known && !body.has_varying_tangent();
            if !stays || !(keep || work.assembled == Some(coefficients)) {
                work.evaluate(body, weights.rule, (!keep).then_some(coefficients))?;
                outer(scheme, body, work, &span, !keep)?;
            } else {
                outer(scheme, body, work, &span, false)?;
            }
            work.evaluated = false;
            work.measures = Measures::default();
            residual(scheme, body, work, dt);
            Ok::<(), StepError>(())
        })?;
        let first = system.bodies.len();
        for (k, (body, work)) in system.rigid.iter_mut().zip(&mut system.rigid_work).enumerate() {
            work.start(body, &system.states[first + k], &span, contact.is_near(first + k))?;
        }
        let energy: f64 = system.work.iter().map(|w| w.kinetic + w.energy.abs()).sum();
        let energy = energy + system.rigid_work.iter().map(|w| w.kinetic).sum::<f64>();
        system.largest_energy = system.largest_energy.max(energy);
        Ok(())
    }

    fn iterate(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        contact: &mut dyn Reactions,
        dt: f64,
        reuse: bool,
        report: &mut Converged,
    ) -> Result<(), StepError> {
        let weights = scheme.force();
        let coefficients = (scheme.mass_coefficient(dt), weights.tangent);
        let mut largest_increment = f64::INFINITY;
        let mut keep = reuse;
        let mut polished = false;
        system.work.iter_mut().for_each(|work| work.settled = false);
        self.settle(system, contact, dt, false);
        for iteration in 1..=self.options.max_iterations {
            let known =
                !system.work.is_empty() && system.work.iter().all(|w| w.settled || w.factored == Some(coefficients));
            let kept = keep && known;
            let found = self.react(scheme, system, contact, dt, kept)?;
            report.contact_iterations += found.iterations;
            report.contact_residual = found.residual;
            report.contact_unsolved += found.unsolved;
            report.iterations += 1;
            report.linearisations += usize::from(!kept);
            // without reuse the next iteration will want the matrix, whatever comes
            let want = (!reuse).then_some(coefficients);
            let mut factor = 1.0;
            let mut halvings = 0;
            // a body that refused longer increments says more than the residual of shorter ones
            let mut refused = None;
            let mut tried = self.advance(scheme, system, contact, dt, want);
            let before = system.work.iter().map(|work| work.before).sum::<f64>()
                + system.rigid_work.iter().map(|work| work.before).sum::<f64>();
            let after = loop {
                match tried {
                    Ok(after) => {
                        // at the tolerance or at round-off there is no descent to ask for
                        let descends = after <= before * (1.0 - 2.0 * Self::ARMIJO * factor);
                        if descends || self.small(system, dt) || exhausted(system) {
                            break Some(after);
                        }
                        if kept {
                            break None;
                        }
                        if halvings == Self::HALVINGS {
                            let stuck = StepError::NoDescent { iteration, residual: before.sqrt() };
                            return Err(refused.unwrap_or(stuck));
                        }
                    }
                    Err(_) if kept => break None,
                    Err(error) if halvings == Self::HALVINGS => return Err(error),
                    Err(error) => refused = Some(error),
                }
                halvings += 1;
                factor *= 0.5;
                tried = self.try_increment(scheme, system, dt, factor, want);
            };
            let Some(after) = after else {
                // the old factor does not serve any more: the same iteration with a new one
                self.try_increment(scheme, system, dt, 0.0, Some(coefficients))?;
                keep = false;
                continue;
            };
            // The next correction would be smaller than this one by at least the factor by which the residual fell.
            let contraction = if before > 0.0 { (after / before).sqrt().min(1.0) } else { 0.0 };
            largest_increment = 0.0;
            let mut done = self.small(system, dt);
            for work in &system.work {
                let increment = factor * work.measures.increment;
                largest_increment = f64::max(largest_increment, increment);
                done &= contraction * increment <= self.options.increment * work.size;
            }
            for (body, work) in system.rigid.iter().zip(&system.rigid_work) {
                let increment = factor * work.largest_increment(body);
                largest_increment = f64::max(largest_increment, increment);
                done &= contraction * increment <= self.options.increment * body.size();
            }
            done = (done && self.accounted(system, dt, Self::LEDGER)) || exhausted(system);
            // a new factor overshoots every tolerance by its square; a kept one stops just below, and what it leaves in the
            // ledger adds up: once more, which is cheap
            if done && kept && !polished && !self.accounted(system, dt, Self::POLISHED) && !exhausted(system) {
                polished = true;
                done = false;
            }
            report.residual = system.work.iter().map(|work| work.measures.worst).fold(0.0, f64::max);
            let rigid = system.rigid.iter().zip(&system.rigid_work);
            report.residual = rigid.map(|(b, w)| w.worst(b)).fold(report.residual, f64::max);
            if !largest_increment.is_finite() {
                let body = system.all().get(0).name().to_owned();
                return Err(BodyError::NonFinite { body, what: "displacement increment" }.into());
            }
            if done {
                for work in &mut system.work {
                    work.evaluated = weights.rule == ForceRule::End;
                }
                return Ok(());
            }
            keep = reuse && (polished || self.contracts(system, dt, contraction));
            self.settle(system, contact, dt, true);
        }
        let tolerance = system.work.iter().map(|w| self.tolerance(w, dt)).fold(0.0, f64::max);
        let rigid = system.rigid_work.iter().map(|w| self.options.residual * w.largest_force());
        let tolerance = rigid.fold(tolerance, f64::max);
        Err(StepError::NotConverged {
            iteration: self.options.max_iterations,
            residual: report.residual,
            tolerance,
            increment: largest_increment,
        })
    }

    /// Leaves bodies out of the iterations to come that nothing is near and that are where they belong: their residual is what the
    /// ledger asks for, or, once `moved`, their last correction was below the rounding of positions. The others go on.
    fn settle(&self, system: &mut System, contact: &dyn Reactions, dt: f64, moved: bool) {
        for (b, work) in system.work.iter_mut().enumerate() {
            if work.settled || contact.is_near(b) {
                continue;
            }
            let exact = work.measures.worst <= Self::LEDGER * self.tolerance(work, dt);
            if exact || moved && is_exhausted(work) {
                work.settled = true;
                work.increment.fill(0.0);
                work.measures.increment = 0.0;
            }
        }
    }

    /// Whether the factor at hand is worth keeping: at this contraction it needs no more further iterations than a new factor costs,
    /// and a few.
    fn contracts(&self, system: &System, dt: f64, contraction: f64) -> bool {
        let excess = system.work.iter().map(|work| work.measures.worst / self.tolerance(work, dt)).fold(0.0, f64::max);
        let rigid = system.rigid.iter().zip(&system.rigid_work);
        let of_rigid = rigid.map(|(body, work)| work.worst(body) / (self.options.residual * work.largest_force()));
        let price = system.bodies.iter().map(|body| body.factorization().price()).fold(0.0, f64::max);
        of_rigid.fold(excess, f64::max) * contraction.powf(Self::CHEAP + price) <= Self::AIM
    }

    fn tolerance(&self, work: &Work, dt: f64) -> f64 {
        self.options.residual * work.measures.force.max(work.largest_momentum / dt)
    }

    /// Whether the residual of every body is within its tolerance.
    fn small(&self, system: &System, dt: f64) -> bool {
        let mut rigid = system.rigid.iter().zip(&system.rigid_work);
        system.work.iter().all(|work| work.measures.worst <= self.tolerance(work, dt))
            && rigid.all(|(body, work)| work.worst(body) <= self.options.residual * work.largest_force())
    }

    /// Whether the work of the residual over the step, which is the step's error in the energy ledger, is small against
    /// the largest energy of the run (or the residual is at round-off anyway).
    fn accounted(&self, system: &System, dt: f64, share: f64) -> bool {
        let rigid = || system.rigid.iter().zip(&system.rigid_work);
        let work: f64 = system.work.iter().map(|work| work.measures.work).sum();
        let work = work + rigid().map(|(body, work)| work.residual_work(body)).sum::<f64>();
        let tiny = share * self.options.residual;
        work.abs() <= tiny * system.largest_energy
            || system.work.iter().all(|work| work.measures.worst <= share * self.tolerance(work, dt))
                && rigid().all(|(body, work)| work.worst(body) <= tiny * work.largest_force())
    }
}
