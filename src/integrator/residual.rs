//! Residuals of a step and their measures, over all bodies.

use super::Integrator;
use super::system::{System, Work};
use crate::bodies::{BodyError, Deformable, Span};
use crate::parallel;

/// Whether the last correction was below the rounding of positions: no further one can change the state, whatever the
/// residual says (a stiff body far from its reference place has a residual of `ε K u`). The factor 256 covers what a solution
/// with the factor adds to that rounding.
pub(super) fn exhausted(system: &System) -> bool {
    system.work.iter().all(is_exhausted)
        && system.rigid.iter().zip(&system.rigid_work).all(|(body, work)| work.is_exhausted(body))
}

/// The same for one body.
pub(super) fn is_exhausted(work: &Work) -> bool {
    largest(&work.increment) <= 256.0 * f64::EPSILON * (work.size + largest(&work.u))
}

pub(super) fn residual_work(body: &Deformable, work: &Work) -> f64 {
    let moved = |dof: u32| work.u[dof as usize] - work.old.u[dof as usize];
    with_reactions(body, work).zip(body.numbering().unknowns()).map(|(r, &dof)| r * moved(dof)).sum()
}

pub(super) fn worst(body: &Deformable, work: &Work) -> f64 {
    with_reactions(body, work).fold(0.0, |m, r| f64::max(m, r.abs()))
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

/// Residual without reactions, `M a + f̄ − f̄_ext`, zero on held unknowns.
pub(super) fn residuals(scheme: &dyn Integrator, system: &mut System, dt: f64) {
    let weights = scheme.force();
    let System { bodies, work, .. } = system;
    parallel::each(work, |b, work| {
        if work.settled {
            return;
        }
        let body = &bodies[b];
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
    });
}

/// Residual with reactions on the unknowns that are solved for; a reaction on a held one is the support's business.
pub(super) fn with_reactions<'a>(body: &'a Deformable, work: &'a Work) -> impl Iterator<Item = f64> + 'a {
    body.numbering().unknowns().iter().map(|&dof| work.residual[dof as usize] - work.reaction[dof as usize])
}

/// Squared norm of the residual over all bodies.
pub(super) fn merit(system: &System) -> f64 {
    let bodies = system.bodies.iter().zip(&system.work);
    let deformable: f64 = bodies.map(|(body, work)| with_reactions(body, work).map(|r| r * r).sum::<f64>()).sum();
    deformable + system.rigid.iter().zip(&system.rigid_work).map(|(body, work)| work.merit(body)).sum::<f64>()
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}
