//! Newton's method for one time step of all bodies together.
//!
//! Each iteration linearises every body, lets contact find the reactions of the linearised step, and updates. `r` is the
//! total reaction of the step, not an increment, so the converged step satisfies the contact law of its last
//! linearisation to the tolerance of the contact solver.

mod stages;

use super::system::System;
use super::work::{Moving, Progress, Trial, Work};
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
        let trial = Trial::new(scheme, system.time, dt);
        contact.begin(system.all(), &system.states, &trial.span);
        let reuse = match self.options.reuse {
            Reuse::Never => false,
            Reuse::WithoutContact => !(0..system.states.len()).any(|b| contact.is_near(b)),
            Reuse::Always => true,
        };
        self.start(&trial, system, contact, reuse)?;
        // each round adds what entered unnoticed; a few are always enough unless the step is far too long
        let mut rounds = 0;
        while rounds < Self::ROUNDS {
            self.iterate(&trial, system, contact, reuse, &mut report)?;
            let ends: Vec<&[f64]> = (0..system.states.len()).map(|b| system.trial(b)).collect();
            match contact.verify(system.all(), &system.states, &ends).map_err(StepError::Contact)? {
                Verdict::Holds => {
                    let share = scheme.reaction_share();
                    if share != 1.0 {
                        contact.rescale(share);
                        system.work.iter_mut().flat_map(Work::reaction_mut).for_each(|r| *r *= share);
                    }
                    return Ok(report);
                }
                Verdict::Iterate => {
                    let System { bodies, work, order, .. } = &mut *system;
                    parallel::pairs(bodies, work, order, |_, body, work| {
                        if let Moving::Nodal(body, work) = Moving::new(body, work) {
                            work.balance(body, &trial);
                        }
                    });
                }
                Verdict::Again => {
                    rounds += 1;
                    self.start(&trial, system, contact, reuse)?;
                }
            }
        }
        Err(StepError::Contact("new contacts keep appearing within the step".into()))
    }

    fn start(
        &self,
        trial: &Trial<'_>,
        system: &mut System,
        contact: &dyn Reactions,
        reuse: bool,
    ) -> Result<(), StepError> {
        let System { bodies, states, work, order, .. } = system;
        parallel::try_pairs(bodies, work, order, |b, body, work| {
            Moving::new(body, work).start(trial, &states[b], contact.is_near(b), reuse)
        })?;
        let energy: f64 = system.progress().map(|body| body.energy).sum();
        system.largest_energy = system.largest_energy.max(energy);
        Ok(())
    }

    fn iterate(
        &self,
        trial: &Trial<'_>,
        system: &mut System,
        contact: &mut dyn Reactions,
        reuse: bool,
        report: &mut Converged,
    ) -> Result<(), StepError> {
        let mut largest_increment = f64::INFINITY;
        let mut keep = reuse;
        let mut polished = false;
        system.work.iter_mut().for_each(|work| work.progress_mut().settled = false);
        self.settle(system, contact, false);
        for iteration in 1..=self.options.max_iterations {
            let kept = keep && system.has_factors(trial.coefficients);
            let found = self.react(trial, system, contact, kept)?;
            report.contact_iterations += found.iterations;
            report.contact_residual = found.residual;
            report.contact_unsolved += found.unsolved;
            report.iterations += 1;
            report.linearisations += usize::from(!kept);
            // without reuse the next iteration will want the matrix, whatever comes
            let want = (!reuse).then_some(trial.coefficients);
            let mut factor = 1.0;
            let mut halvings = 0;
            // a body that refused longer increments says more than the residual of shorter ones
            let mut refused = None;
            let mut tried = self.advance(trial, system, contact, want);
            let before: f64 = system.progress().map(|body| body.before).sum();
            let after = loop {
                match tried {
                    Ok(after) => {
                        // at the tolerance or at round-off there is no descent to ask for
                        let descends = after <= before * (1.0 - 2.0 * Self::ARMIJO * factor);
                        if descends || self.small(system, 1.0) || system.is_exhausted() {
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
                tried = self.try_increment(trial, system, factor, want);
            };
            let Some(after) = after else {
                // the old factor does not serve any more: the same iteration with a new one
                self.try_increment(trial, system, 0.0, Some(trial.coefficients))?;
                keep = false;
                continue;
            };
            // The next correction would be smaller than this one by at least the factor by which the residual fell.
            let contraction = if before > 0.0 { (after / before).sqrt().min(1.0) } else { 0.0 };
            largest_increment = 0.0;
            let mut done = self.small(system, 1.0);
            for body in system.progress() {
                let increment = factor * body.measures.increment;
                largest_increment = f64::max(largest_increment, increment);
                done &= contraction * increment <= self.options.increment * body.size;
            }
            done = (done && self.accounted(system, Self::LEDGER)) || system.is_exhausted();
            // a new factor overshoots every tolerance by its square; a kept one stops just below, and what it leaves in the
            // ledger adds up: once more, which is cheap
            if done && kept && !polished && !self.accounted(system, Self::POLISHED) && !system.is_exhausted() {
                polished = true;
                done = false;
            }
            report.residual = system.progress().map(|body| body.measures.worst).fold(0.0, f64::max);
            if !largest_increment.is_finite() {
                let body = system.all().get(0).name().to_owned();
                return Err(BodyError::NonFinite { body, what: "displacement increment" }.into());
            }
            if done {
                system.note_evaluated(trial.weights.rule == ForceRule::End);
                return Ok(());
            }
            keep = reuse && (polished || self.contracts(system, contraction));
            self.settle(system, contact, true);
        }
        Err(StepError::NotConverged {
            iteration: self.options.max_iterations,
            residual: report.residual,
            tolerance: system.progress().map(|body| self.tolerance(body)).fold(0.0, f64::max),
            increment: largest_increment,
        })
    }

    /// Leaves bodies out of the iterations to come that nothing is near and that are where they belong: their residual is what the
    /// ledger asks for, or, once `moved`, their last correction was below the rounding of positions. The others go on.
    fn settle(&self, system: &mut System, contact: &dyn Reactions, moved: bool) {
        for (b, work) in system.work.iter_mut().enumerate() {
            let Work::Nodal(work) = work else { continue };
            if work.progress.settled || contact.is_near(b) {
                continue;
            }
            let exact = work.progress.measures.worst <= Self::LEDGER * self.tolerance(&work.progress);
            if exact || moved && work.progress.measures.is_exhausted() {
                work.rest();
            }
        }
    }

    /// Whether the factor at hand is worth keeping: at this contraction it needs no more further iterations than a new factor costs,
    /// and a few.
    fn contracts(&self, system: &System, contraction: f64) -> bool {
        let excess = system.progress().map(|body| body.measures.worst / self.tolerance(body)).fold(0.0, f64::max);
        let prices = system.all().deformable().map(|(_, body)| body.factorization().price());
        excess * contraction.powf(Self::CHEAP + prices.fold(0.0, f64::max)) <= Self::AIM
    }

    fn tolerance(&self, body: &Progress) -> f64 {
        self.options.residual * body.measures.force
    }

    /// Whether the residual of every body is within this share of its tolerance.
    fn small(&self, system: &System, share: f64) -> bool {
        system.progress().all(|body| body.measures.worst <= share * self.tolerance(body))
    }

    /// Whether the work of the residual over the step, which is the step's error in the energy ledger, is small against
    /// the largest energy of the run (or the residual is at round-off anyway).
    fn accounted(&self, system: &System, share: f64) -> bool {
        let work: f64 = system.progress().map(|body| body.measures.work).sum();
        work.abs() <= share * self.options.residual * system.largest_energy || self.small(system, share)
    }
}
