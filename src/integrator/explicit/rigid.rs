//! A rigid body between two explicit steps: `p₊ = p₋ + Δt(κF + r)` for its momenta, then the free motion of
//! [`crate::bodies::drift`] with them.
//!
//! Its velocities are those that its momenta mean at the end of the step. `D_num = Δuᵀ(p₊ − p₋)/Δt − ΔT` is `½ΔvᵀMΔv` where
//! the inertia does not turn, and zero in free motion.

use nalgebra::Matrix3;

use super::works::StepWorks;
use crate::bodies::{BodyError, BodyState, Rigid, Span};
use crate::integrator::Compliance;

/// One rigid body.
#[derive(Debug)]
pub(super) struct Carried {
    external: Vec<f64>,
    spring: Vec<f64>,
    damping: Vec<f64>,
    /// Mean force of the step without contact.
    force: Vec<f64>,
    total: Vec<f64>,
    pub(super) reaction: Vec<f64>,
    inverse: Vec<f64>,
    turns: Option<Matrix3<f64>>,
    before: Vec<f64>,
    /// Energy of its springs.
    pub(super) stored: f64,
    next_stored: f64,
}

impl Carried {
    pub(super) fn new(body: &Rigid, state: &BodyState) -> Self {
        let vector = || vec![0.0; body.dof_count()];
        let stored = body.loads.spring_energy(&state.u);
        Carried {
            external: vector(),
            spring: vector(),
            damping: vector(),
            force: vector(),
            total: vector(),
            reaction: vector(),
            inverse: vector(),
            turns: None,
            before: state.u.clone(),
            stored,
            next_stored: stored,
        }
    }

    /// Forces of the start of the step, of which the share `share` acts over it, and where they lead without contact.
    pub(super) fn kick(
        &mut self,
        body: &Rigid,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
        share: f64,
    ) -> Result<(), BodyError> {
        for list in [&mut self.external, &mut self.spring, &mut self.damping, &mut self.reaction] {
            list.fill(0.0);
        }
        body.loads.add_dead(span, &mut self.external);
        body.add_pushes(span, &old.u, &old.u, &mut self.external);
        body.loads.add_springs(span, &old.u, &old.u, &mut self.spring);
        body.loads.add_dashpots(span, old, &old.v, &mut self.damping);
        for dof in 0..self.force.len() {
            self.force[dof] = share * (self.external[dof] - self.spring[dof] - self.damping[dof]);
        }
        if !self.force.iter().all(|f| f.is_finite()) {
            return Err(BodyError::NonFinite { body: body.name.clone(), what: "load" });
        }
        next.u.copy_from_slice(&old.u);
        body.guide(span, old, &mut next.u);
        self.drift(body, old, next, span)?;
        Ok(())
    }

    /// Where the body goes with the reactions at hand; returns how far that is from where it was before, turns times its size.
    pub(super) fn drift(
        &mut self,
        body: &Rigid,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
    ) -> Result<f64, BodyError> {
        self.before.copy_from_slice(&next.u);
        for (total, (force, reaction)) in self.total.iter_mut().zip(self.force.iter().zip(&self.reaction)) {
            *total = force + reaction;
        }
        let ((p, l), (f, m)) = (body.momentum(&old.u, &old.v), body.parts(&self.total));
        body.drift(&old.u, (&(p + span.dt * f), &(l + span.dt * m)), span.dt, &mut next.u);
        body.check_turn(old, &next.u)?;
        let moved = |dof: usize| (next.u[dof] - self.before[dof]).abs();
        let shift = (0..body.dim()).map(moved).fold(0.0, f64::max);
        let turn = (body.dim()..body.dof_count()).map(moved).fold(0.0, f64::max);
        Ok(shift.max(body.size() * turn))
    }

    /// Brings the compliance up to date with the iterate.
    pub(super) fn soften(&mut self, body: &Rigid, old: &BodyState, next: &BodyState, dt: f64) {
        self.turns = body.compliance(&old.u, &next.u, dt, &mut self.inverse);
    }

    /// What contact sees of it.
    pub(super) fn parts(&mut self, squared_step: f64) -> (Compliance<'_>, &mut Vec<f64>) {
        (Compliance { squared_step, inverse_mass: &self.inverse, turns: self.turns.as_ref() }, &mut self.reaction)
    }

    /// Completes the end state and books the step.
    pub(super) fn works(
        &mut self,
        body: &Rigid,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
        share: f64,
    ) -> StepWorks {
        body.end_velocity(span, old, &next.u, &self.total, &mut next.v);
        for axis in body.guided() {
            next.v[axis] = (next.u[axis] - old.u[axis]) / span.dt;
        }
        let moved = |dof: usize| next.u[dof] - old.u[dof];
        let work = |force: &[f64]| force.iter().enumerate().map(|(dof, f)| moved(dof) * f).sum::<f64>();
        self.next_stored = body.loads.spring_energy(&next.u);
        let ((p0, l0), (p1, l1)) = (body.momentum(&old.u, &old.v), body.momentum(&next.u, &next.v));
        let (shift, turn) = body.parts(&next.u);
        let (shift, turn) = (shift - body.parts(&old.u).0, turn - body.parts(&old.u).1);
        let (change, turned) = ((p1 - p0) / span.dt, (l1 - l0) / span.dt);
        let mut external = share * work(&self.external);
        for dof in body.guided() {
            let change = if dof < body.dim() { change[dof] } else { turned[if body.dim() == 2 { 2 } else { dof - 3 }] };
            external += moved(dof) * (change - self.total[dof]);
        }
        let kinetic = body.kinetic_energy(&next.u, &next.v);
        let gained = kinetic - body.kinetic_energy(&old.u, &old.v);
        StepWorks {
            kinetic,
            inertia: shift.dot(&change) + turn.dot(&(l1 - l0)) / span.dt - gained,
            internal: share * work(&self.spring),
            external,
            damping: share * work(&self.damping),
            spring: 0.5 * (self.stored + self.next_stored),
            ..StepWorks::default()
        }
    }

    pub(super) fn accept(&mut self) {
        self.stored = self.next_stored;
    }

    /// Largest `ω²` of its springs and largest damping by mass of its dashpots.
    pub(super) fn rates(body: &Rigid) -> (f64, f64) {
        let largest =
            |list: &[(u32, f64)]| list.iter().map(|&(_, coefficient)| coefficient / body.mass()).fold(0.0, f64::max);
        (largest(&body.loads.springs), largest(&body.loads.dashpots))
    }
}
