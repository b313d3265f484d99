//! What an iteration does with the bodies: all of a body's part between two joint decisions in one go, bodies side by side.

use std::time::Instant;

use super::super::residual::{largest, merit, outer, residual};
use super::super::system::{System, Work};
use super::super::{Integrator, ReactionReport, Reactions};
use super::{Newton, StepError};
use crate::bodies::{Deformable, Span};
use crate::parallel;

impl Newton {
    /// Linearises the bodies, with the factors at hand where they are `kept`, and finds the reactions of the linearised step.
    /// Every body is factored and reduced to its contact points in one go, while its numbers are in the caches.
    pub(super) fn react(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        contact: &mut dyn Reactions,
        dt: f64,
        kept: bool,
    ) -> Result<ReactionReport, StepError> {
        let weights = scheme.force();
        let coefficients = (scheme.mass_coefficient(dt), weights.tangent);
        let span = Work::span(scheme, system.time, dt);
        contact.find(&system.linearised());
        let System { bodies, work, rigid, rigid_work, order, .. } = system;
        let reactions = &*contact;
        let first = bodies.len();
        parallel::try_pairs(bodies, work, order, |b, body, work| {
            if work.settled {
                return Ok(());
            }
            let begun = Instant::now();
            if !kept {
                if work.assembled != Some(coefficients) {
                    work.evaluate(body, weights.rule, Some(coefficients))?;
                    outer(scheme, body, work, &span, true)?;
                }
                work.factored = None;
                body.factor()?;
                work.factored = Some(coefficients);
            }
            body.numbering().gather(&work.residual, &mut work.equations);
            work.equations.iter_mut().for_each(|x| *x = -*x);
            body.factorization().forward(&mut work.equations);
            reactions.condense(b, &work.linearised(body));
            work.spent += begun.elapsed().as_secs_f64();
            Ok::<(), StepError>(())
        })?;
        parallel::pairs_of_many(rigid, rigid_work, |k, body, work| {
            work.refused = work.linearise(body).err();
            if work.refused.is_none() {
                reactions.condense(first + k, &work.linearised(body));
            }
        });
        if let Some(error) = rigid_work.iter_mut().find_map(|work| work.refused.take()) {
            return Err(error.into());
        }
        contact.solve(&system.linearised()).map_err(StepError::Contact)
    }

    /// Puts the reactions on the bodies, finds the increment and moves every body by it, in one go again. Returns the squared norm of
    /// the residual there.
    pub(super) fn advance(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        contact: &dyn Reactions,
        dt: f64,
        coefficients: Option<(f64, f64)>,
    ) -> Result<f64, StepError> {
        let span = Work::span(scheme, system.time, dt);
        let System { bodies, work, rigid, rigid_work, order, .. } = system;
        let first = bodies.len();
        parallel::pairs(bodies, work, order, |b, body, work| {
            if work.settled {
                work.before = work.measures.merit;
                return;
            }
            let begun = Instant::now();
            contact.push(b, &mut work.linearised(body));
            let mut measures = work.measures;
            measures.take(body, work);
            work.before = measures.merit;
            body.factorization().backward(&mut work.equations);
            work.increment.copy_from_slice(&work.equations);
            work.saved.copy_from_slice(&work.u);
            work.measures.increment = largest(&work.increment);
            move_body(scheme, body, work, &span, 1.0, coefficients);
            work.spent += begun.elapsed().as_secs_f64();
        });
        parallel::pairs_of_many(rigid, rigid_work, |k, body, work| {
            contact.push(first + k, &mut work.linearised(body));
            work.before = work.merit(body);
            work.solve(body);
            work.try_increment(body, 1.0);
        });
        self.tried(system)
    }

    /// Moves every body by `factor` times its increment and returns the squared norm of the residual there.
    pub(super) fn try_increment(
        &self,
        scheme: &dyn Integrator,
        system: &mut System,
        dt: f64,
        factor: f64,
        coefficients: Option<(f64, f64)>,
    ) -> Result<f64, StepError> {
        let span = Work::span(scheme, system.time, dt);
        let System { bodies, work, rigid, rigid_work, order, .. } = system;
        parallel::pairs(bodies, work, order, |_, body, work| {
            if !work.settled {
                move_body(scheme, body, work, &span, factor, coefficients);
            }
        });
        parallel::pairs_of_many(rigid, rigid_work, |_, body, work| work.try_increment(body, factor));
        self.tried(system)
    }

    /// The squared norm of the residual where the bodies have been moved, or why the first of those that refused did.
    fn tried(&self, system: &mut System) -> Result<f64, StepError> {
        let deformable = system.work.iter_mut().map(|work| &mut work.refused);
        let rigid = system.rigid_work.iter_mut().map(|work| &mut work.refused);
        // none of them may wait for the next try
        let refused = deformable.chain(rigid).filter_map(Option::take).reduce(|first, _| first);
        refused.map_or_else(|| Ok(merit(system)), |error| Err(error.into()))
    }
}

/// Moves a body from where it was saved by `factor` times its increment, with the residual and its measures there.
fn move_body(
    scheme: &dyn Integrator,
    body: &mut Deformable,
    work: &mut Work,
    span: &Span,
    factor: f64,
    coefficients: Option<(f64, f64)>,
) {
    work.u.copy_from_slice(&work.saved);
    body.numbering().scatter_add(&work.increment, factor, &mut work.u);
    let evaluated = work.evaluate(body, scheme.force().rule, coefficients);
    let evaluated = evaluated.and_then(|()| outer(scheme, body, work, span, coefficients.is_some()));
    work.refused = evaluated.err();
    if work.refused.is_none() {
        residual(scheme, body, work, span.dt);
    }
}
