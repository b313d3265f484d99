//! What an iteration does with the bodies: all of a body's part between two joint decisions in one go, bodies side by side.

use std::time::Instant;

use super::super::system::System;
use super::super::work::{Moving, Trial};
use super::super::{ReactionReport, Reactions};
use super::{Newton, StepError};
use crate::parallel;

impl Newton {
    /// Linearises the bodies, with the factors at hand where they are `kept`, and finds the reactions of the linearised step.
    /// Every body is factored and reduced to its contact points in one go, while its numbers are in the caches.
    pub(super) fn react(
        &self,
        trial: &Trial<'_>,
        system: &mut System,
        contact: &mut dyn Reactions,
        kept: bool,
    ) -> Result<ReactionReport, StepError> {
        contact.find(&system.linearised());
        let System { bodies, work, order, .. } = &mut *system;
        let reactions = &*contact;
        parallel::try_pairs(bodies, work, order, |b, body, work| {
            if work.progress().settled {
                return Ok(());
            }
            let begun = Instant::now();
            Moving::new(body, work).linearise(trial, kept)?;
            reactions.condense(b, &work.linearised(body));
            work.progress_mut().spent += begun.elapsed().as_secs_f64();
            Ok::<(), StepError>(())
        })?;
        contact.solve(&system.linearised()).map_err(StepError::Contact)
    }

    /// Puts the reactions on the bodies, finds the increment and moves every body by it, in one go again. Returns the squared norm of
    /// the residual there.
    pub(super) fn advance(
        &self,
        trial: &Trial<'_>,
        system: &mut System,
        contact: &dyn Reactions,
        coefficients: Option<(f64, f64)>,
    ) -> Result<f64, StepError> {
        let System { bodies, work, order, .. } = &mut *system;
        parallel::pairs(bodies, work, order, |b, body, work| {
            if work.progress().settled {
                let progress = work.progress_mut();
                progress.before = progress.measures.merit;
                return;
            }
            let begun = Instant::now();
            contact.push(b, &mut work.linearised(body));
            Moving::new(body, work).solve();
            Moving::new(body, work).try_increment(trial, 1.0, coefficients);
            work.progress_mut().spent += begun.elapsed().as_secs_f64();
        });
        self.tried(system)
    }

    /// Moves every body by `factor` times its increment and returns the squared norm of the residual there.
    pub(super) fn try_increment(
        &self,
        trial: &Trial<'_>,
        system: &mut System,
        factor: f64,
        coefficients: Option<(f64, f64)>,
    ) -> Result<f64, StepError> {
        let System { bodies, work, order, .. } = &mut *system;
        parallel::pairs(bodies, work, order, |_, body, work| {
            if !work.progress().settled {
                Moving::new(body, work).try_increment(trial, factor, coefficients);
            }
        });
        self.tried(system)
    }

    /// The squared norm of the residual where the bodies have been moved, or why the first of those that refused did.
    fn tried(&self, system: &mut System) -> Result<f64, StepError> {
        // none of them may wait for the next try
        let refused =
            system.work.iter_mut().filter_map(|work| work.progress_mut().refused.take()).reduce(|first, _| first);
        match refused {
            Some(error) => Err(error.into()),
            None => Ok(system.progress().map(|body| body.measures.merit).sum()),
        }
    }
}
