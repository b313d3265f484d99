//! Residuals of a step and their measures, over all bodies.

use super::Integrator;
use super::system::{System, Work};
use crate::bodies::{BodyError, Deformable, Span};

/// What the iterations ask of a body at its current iterate. Taken down where the body's vectors are at hand anyway, so that
/// the decisions over all bodies, which one thread takes, read a few numbers of each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measures {
    /// Squared norm of the residual.
    pub(super) merit: f64,
    /// Largest residual force.
    pub(super) worst: f64,
    /// Work of the residual over the step.
    pub(super) work: f64,
    /// Largest force, which residuals are measured by.
    pub(super) force: f64,
    /// Largest displacement.
    pub(super) farthest: f64,
    /// Largest entry of the last increment, whole.
    pub(super) increment: f64,
}

impl Measures {
    /// Those of the residual with reactions; the increment stays.
    pub(super) fn take(&mut self, body: &Deformable, work: &Work) {
        (self.merit, self.worst, self.work) = (0.0, 0.0, 0.0);
        for (r, &dof) in with_reactions(body, work).zip(body.numbering().unknowns()) {
            self.merit += r * r;
            self.worst = self.worst.max(r.abs());
            self.work += r * (work.u[dof as usize] - work.old.u[dof as usize]);
        }
        let lists = [&work.mean, &work.reaction, &work.outer.external, &work.outer.spring, &work.outer.damping];
        self.force = lists.into_iter().map(|list| largest(list)).fold(0.0, f64::max);
        self.farthest = largest(&work.u);
    }
}

/// Whether the last correction was below the rounding of positions: no further one can change the state, whatever the
/// residual says (a stiff body far from its reference place has a residual of `ε K u`). The factor 256 covers what a solution
/// with the factor adds to that rounding.
pub(super) fn exhausted(system: &System) -> bool {
    system.work.iter().all(is_exhausted)
        && system.rigid.iter().zip(&system.rigid_work).all(|(body, work)| work.is_exhausted(body))
}

/// The same for one body.
pub(super) fn is_exhausted(work: &Work) -> bool {
    work.measures.increment <= 256.0 * f64::EPSILON * (work.size + work.measures.farthest)
}

/// Outer forces at the current iterate; with `tangent` their part of the effective matrix.
pub(super) fn outer(
    scheme: &dyn Integrator,
    body: &mut Deformable,
    work: &mut Work,
    span: &Span,
    tangent: bool,
) -> Result<(), BodyError> {
    if body.resists_velocity() {
        let mut velocity = std::mem::take(&mut work.velocity);
        scheme.velocity(&work.old, &work.u, span.dt, &mut velocity);
        work.impose_velocity(&mut velocity);
        work.velocity = velocity;
    }
    body.outer_force(span, &work.old, &work.u, &work.velocity, &mut work.outer, tangent)
}

/// Residual without reactions, `M a + f̄ − f̄_ext`, zero on held unknowns, and the measures of the one with them.
pub(super) fn residual(scheme: &dyn Integrator, body: &Deformable, work: &mut Work, dt: f64) {
    let weights = scheme.force();
    scheme.acceleration(&work.old, &work.u, dt, &mut work.acceleration);
    for &(dof, velocity) in work.moved.iter().filter(|_| scheme.is_dynamic()) {
        work.acceleration[dof as usize] = (velocity - work.old.v[dof as usize]) / dt;
    }
    body.mass().multiply(body.dim(), &work.acceleration, &mut work.inertia);
    for dof in 0..work.mean.len() {
        work.mean[dof] = weights.old * work.force_old[dof] + weights.new * work.force[dof];
        work.residual[dof] = work.inertia[dof] + work.mean[dof];
    }
    work.outer.subtract_from(&mut work.residual);
    for dof in 0..work.residual.len() {
        if body.is_held(dof) {
            work.residual[dof] = 0.0;
        }
    }
    let mut measures = work.measures;
    measures.take(body, work);
    work.measures = measures;
}

/// Residual with reactions on the unknowns that are solved for; a reaction on a held one is the support's business.
pub(super) fn with_reactions<'a>(body: &'a Deformable, work: &'a Work) -> impl Iterator<Item = f64> + 'a {
    body.numbering().unknowns().iter().map(|&dof| work.residual[dof as usize] - work.reaction[dof as usize])
}

/// Squared norm of the residual over all bodies.
pub(super) fn merit(system: &System) -> f64 {
    let deformable: f64 = system.work.iter().map(|work| work.measures.merit).sum();
    deformable + system.rigid.iter().zip(&system.rigid_work).map(|(body, work)| work.merit(body)).sum::<f64>()
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}
