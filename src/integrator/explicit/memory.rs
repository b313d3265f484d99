//! What explicit steps take from one to the next beside displacements and velocities, as plain numbers: forces, energies and
//! the memory of material points, the length of the last step, and how old the estimate of the stable one is. Reactions belong
//! to the step that found them.

use super::Explicit;
use super::body::Stepped;
use super::stable::Estimate;
use crate::bodies::Body;
use crate::elements::Sums;
use crate::integrator::System;

impl Explicit {
    /// Of the scheme as a whole.
    pub fn memory(&self) -> Vec<f64> {
        let Estimate { limit, age, interval } = self.estimate;
        vec![self.last, limit, f64::from(age), f64::from(interval)]
    }

    /// Of one body: its stored energies, its internal force, and what its points remember; of a rigid one the energy of its springs.
    pub fn body_memory(&self, system: &System, body: usize) -> Vec<f64> {
        let own = match &self.bodies[body] {
            Stepped::Nodal(own) => own,
            Stepped::Rigid(own) => return vec![own.stored],
        };
        let Sums { energy, dissipated, hourglass, viscous } = own.stored;
        let mut out = vec![energy, dissipated, hourglass, viscous, own.spring];
        out.extend(own.stable.memory());
        out.extend_from_slice(&own.force);
        if let Some(body) = system.bodies[body].deformable() {
            body.memory(&mut out);
        }
        out
    }

    /// Takes over what [`Explicit::memory`] gave; `None` if it does not fit.
    pub fn recall(&mut self, memory: &[f64]) -> Option<()> {
        let [last, limit, age, interval] = memory else { return None };
        self.last = *last;
        // whole numbers, exact
        self.estimate = Estimate { limit: *limit, age: *age as u32, interval: *interval as u32 };
        Some(())
    }

    /// Takes over what [`Explicit::body_memory`] gave; `None` if it does not fit.
    pub fn recall_body(&mut self, system: &mut System, body: usize, memory: &[f64]) -> Option<()> {
        let (body, own) = match (&mut system.bodies[body], &mut self.bodies[body]) {
            (Body::Deformable(body), Stepped::Nodal(own)) => (body, own),
            (_, Stepped::Rigid(own)) => {
                let [stored] = memory else { return None };
                own.stored = *stored;
                return Some(());
            }
            _ => return None,
        };
        let [energy, dissipated, hourglass, viscous, spring, ratio, found_at, looks, rest @ ..] = memory else {
            return None;
        };
        own.stable.recall([*ratio, *found_at, *looks]);
        let (force, rest) = rest.split_at_checked(own.force.len())?;
        own.stored = Sums { energy: *energy, dissipated: *dissipated, hourglass: *hourglass, viscous: *viscous };
        own.spring = *spring;
        own.force.copy_from_slice(force);
        body.recall(rest)?.is_empty().then_some(())
    }
}
