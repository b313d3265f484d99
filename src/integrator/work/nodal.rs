//! A deformable body within a step: `M a + f̄ − f̄_ext − Hᵀr = 0` at its nodes.

use super::{Measures, Progress, Trial};
use crate::bodies::{BodyError, BodyState, Deformable, OuterForces};
use crate::elements::ForceRule;

/// The memory that the iterations work in.
pub(in crate::integrator) struct NodalWork {
    pub(in crate::integrator) old: BodyState,
    pub(in crate::integrator) u: Vec<f64>,
    /// Internal force at the start of the step, where the scheme weighs it.
    force_old: Vec<f64>,
    /// Evaluated internal force of the current iterate.
    force: Vec<f64>,
    /// `old f(u₀) + new f̄`.
    pub(in crate::integrator) mean: Vec<f64>,
    pub(in crate::integrator) acceleration: Vec<f64>,
    pub(in crate::integrator) inertia: Vec<f64>,
    pub(in crate::integrator) reaction: Vec<f64>,
    /// Residual without reactions, on the unknowns that are solved for.
    residual: Vec<f64>,
    /// Means of what acts from outside.
    pub(in crate::integrator) outer: OuterForces,
    /// Moved unknowns with their velocity at the end of the step.
    pub(in crate::integrator) moved: Vec<(u32, f64)>,
    /// Velocities at the current iterate, where forces depend on them.
    velocity: Vec<f64>,
    pub(in crate::integrator) equations: Vec<f64>,
    increment: Vec<f64>,
    saved: Vec<f64>,
    /// Energy of the state the force was evaluated at.
    pub(in crate::integrator) energy: f64,
    /// Coefficients of the effective matrix at hand, if it was assembled at the iterate `u`.
    assembled: Option<(f64, f64)>,
    /// Coefficients of the factor at hand, wherever its matrix was assembled.
    pub(in crate::integrator) factored: Option<(f64, f64)>,
    /// Whether the force at hand is that of the end of the last step.
    pub(in crate::integrator) evaluated: bool,
    momentum: f64,
    pub(in crate::integrator) progress: Progress,
}

/// Share of positions that a solution with the factor rounds away, in units of `ε`.
const ROUNDING: f64 = 256.0;

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

impl NodalWork {
    pub(super) fn new(body: &Deformable) -> Self {
        let n = body.dof_count();
        let vector = || vec![0.0; n];
        let equations = vec![0.0; body.numbering().equation_count()];
        NodalWork {
            old: BodyState::zero(n),
            u: vector(),
            force_old: vector(),
            force: vector(),
            mean: vector(),
            acceleration: vector(),
            inertia: vector(),
            reaction: vector(),
            residual: vector(),
            outer: OuterForces::new(body),
            moved: Vec::new(),
            velocity: vector(),
            increment: equations.clone(),
            equations,
            saved: vector(),
            energy: 0.0,
            assembled: None,
            factored: None,
            evaluated: false,
            momentum: 0.0,
            progress: Progress { size: body.size(), ..Progress::default() },
        }
    }

    pub(super) fn start(
        &mut self,
        body: &mut Deformable,
        trial: &Trial<'_>,
        state: &BodyState,
        near: bool,
        reuse: bool,
    ) -> Result<(), BodyError> {
        let Trial { scheme, span, weights, coefficients } = trial;
        // what the last iterate of the previous step left is what this one starts from
        let here = self.evaluated && self.u == state.u;
        self.old.copy_from(state);
        body.mass().multiply(body.dim(), &state.v, &mut self.inertia);
        self.momentum = largest(&self.inertia);
        let kinetic = 0.5 * self.inertia.iter().zip(&state.v).map(|(p, v)| p * v).sum::<f64>();
        self.reaction.fill(0.0);
        if weights.old != 0.0 {
            if !here {
                body.internal_force(ForceRule::End, &state.u, &state.u, &mut self.force, None)?;
            }
            self.force_old.copy_from_slice(&self.force);
        }
        body.begin_outer(span, &mut self.outer)?;
        // beside moved nodes the others are better off where they were going
        if near && !body.is_moved() {
            self.u.copy_from_slice(&state.u);
        } else {
            scheme.predict(&self.old, span.dt, &mut self.u);
            for (dof, u) in self.u.iter_mut().enumerate() {
                if body.is_held(dof) {
                    *u = state.u[dof];
                }
            }
        }
        let NodalWork { u, moved, old, .. } = self;
        moved.clear();
        for support in body.supports() {
            support.advance(&body.mesh, body.dim(), old, span, |dof, place, velocity| {
                u[dof] = place;
                moved.push((dof as u32, velocity));
            });
        }
        let keep = reuse && self.factored == Some(*coefficients);
        let known = here && self.u == state.u && weights.rule == ForceRule::End;
        let stays = known && !body.has_varying_tangent();
        if !stays || !(keep || self.assembled == Some(*coefficients)) {
            self.evaluate(body, weights.rule, (!keep).then_some(*coefficients))?;
            self.outer(body, trial, !keep)?;
        } else {
            self.outer(body, trial, false)?;
        }
        self.evaluated = false;
        self.progress.measures = Measures::default();
        self.progress.energy = kinetic + self.energy.abs();
        self.balance(body, trial);
        Ok(())
    }

    /// Internal force at the iterate, and with `coefficients` the effective matrix.
    fn evaluate(
        &mut self,
        body: &mut Deformable,
        rule: ForceRule,
        coefficients: Option<(f64, f64)>,
    ) -> Result<(), BodyError> {
        self.assembled = None;
        self.energy = body.internal_force(rule, &self.old.u, &self.u, &mut self.force, coefficients)?;
        self.assembled = coefficients;
        Ok(())
    }

    /// Outer forces at the current iterate; with `tangent` their part of the effective matrix.
    fn outer(&mut self, body: &mut Deformable, trial: &Trial<'_>, tangent: bool) -> Result<(), BodyError> {
        if body.resists_velocity() {
            let mut velocity = std::mem::take(&mut self.velocity);
            trial.scheme.velocity(&self.old, &self.u, trial.span.dt, &mut velocity);
            self.impose_velocity(&mut velocity);
            self.velocity = velocity;
        }
        body.outer_force(&trial.span, &self.old, &self.u, &self.velocity, &mut self.outer, tangent)
    }

    /// Overwrites the velocities of moved unknowns with those of their supports.
    pub(in crate::integrator) fn impose_velocity(&self, v: &mut [f64]) {
        for &(dof, velocity) in &self.moved {
            v[dof as usize] = velocity;
        }
    }

    /// The residual without reactions, `M a + f̄ − f̄_ext`, zero on held unknowns, and the measures of the one with them.
    pub(in crate::integrator) fn balance(&mut self, body: &Deformable, trial: &Trial<'_>) {
        let Trial { scheme, span, weights, .. } = trial;
        scheme.acceleration(&self.old, &self.u, span.dt, &mut self.acceleration);
        for &(dof, velocity) in self.moved.iter().filter(|_| span.moves) {
            self.acceleration[dof as usize] = (velocity - self.old.v[dof as usize]) / span.dt;
        }
        body.mass().multiply(body.dim(), &self.acceleration, &mut self.inertia);
        for dof in 0..self.mean.len() {
            self.mean[dof] = weights.old * self.force_old[dof] + weights.new * self.force[dof];
            self.residual[dof] = self.inertia[dof] + self.mean[dof];
        }
        self.outer.subtract_from(&mut self.residual);
        for dof in 0..self.residual.len() {
            if body.is_held(dof) {
                self.residual[dof] = 0.0;
            }
        }
        self.progress.measures = self.measure(body, span.dt);
    }

    /// Measures of the residual with reactions on the unknowns that are solved for: a reaction on a held one is the support's
    /// business. The increment stays.
    fn measure(&self, body: &Deformable, dt: f64) -> Measures {
        let (mut merit, mut worst, mut work) = (0.0, 0.0f64, 0.0);
        for dof in body.numbering().unknowns().iter().map(|&dof| dof as usize) {
            let missing = self.residual[dof] - self.reaction[dof];
            merit += missing * missing;
            worst = worst.max(missing.abs());
            work += missing * (self.u[dof] - self.old.u[dof]);
        }
        let lists = [&self.mean, &self.reaction, &self.outer.external, &self.outer.spring, &self.outer.damping];
        let force = lists.into_iter().map(|list| largest(list)).fold(0.0, f64::max).max(self.momentum / dt);
        let rounding = ROUNDING * f64::EPSILON * (self.progress.size + largest(&self.u));
        Measures { merit, worst, work, force, rounding, increment: self.progress.measures.increment }
    }

    pub(super) fn linearise(&mut self, body: &mut Deformable, trial: &Trial<'_>, kept: bool) -> Result<(), BodyError> {
        if !kept {
            if self.assembled != Some(trial.coefficients) {
                self.evaluate(body, trial.weights.rule, Some(trial.coefficients))?;
                self.outer(body, trial, true)?;
            }
            self.factored = None;
            body.factor()?;
            self.factored = Some(trial.coefficients);
        }
        body.numbering().gather(&self.residual, &mut self.equations);
        self.equations.iter_mut().for_each(|x| *x = -*x);
        body.factorization().forward(&mut self.equations);
        Ok(())
    }

    pub(super) fn solve(&mut self, body: &Deformable) {
        self.progress.before = self.merit(body);
        body.factorization().backward(&mut self.equations);
        self.increment.copy_from_slice(&self.equations);
        self.saved.copy_from_slice(&self.u);
        self.progress.measures.increment = largest(&self.increment);
    }

    /// Squared norm of the residual with the reactions at hand.
    fn merit(&self, body: &Deformable) -> f64 {
        let unknowns = body.numbering().unknowns().iter().map(|&dof| dof as usize);
        unknowns.fold(0.0, |sum, dof| sum + (self.residual[dof] - self.reaction[dof]).powi(2))
    }

    pub(super) fn try_increment(
        &mut self,
        body: &mut Deformable,
        trial: &Trial<'_>,
        factor: f64,
        coefficients: Option<(f64, f64)>,
    ) {
        self.u.copy_from_slice(&self.saved);
        body.numbering().scatter_add(&self.increment, factor, &mut self.u);
        let evaluated = self.evaluate(body, trial.weights.rule, coefficients);
        let evaluated = evaluated.and_then(|()| self.outer(body, trial, coefficients.is_some()));
        self.progress.refused = evaluated.err();
        if self.progress.refused.is_none() {
            self.balance(body, trial);
        }
    }

    /// Leaves the body out of the iterations to come.
    pub(in crate::integrator) fn rest(&mut self) {
        self.progress.settled = true;
        self.increment.fill(0.0);
        self.progress.measures.increment = 0.0;
    }

    /// The acceleration that a state begins with, `M a = f_ext − f(u)`.
    pub(in crate::integrator) fn first_acceleration(
        &mut self,
        body: &mut Deformable,
        state: &mut BodyState,
        time: f64,
    ) -> Result<(), BodyError> {
        let span = crate::bodies::Span { start: time, ..Default::default() };
        body.internal_force(ForceRule::End, &state.u, &state.u, &mut self.residual, None)?;
        body.begin_outer(&span, &mut self.outer)?;
        body.outer_force(&span, state, &state.u, &state.v, &mut self.outer, false)?;
        self.outer.subtract_from(&mut self.residual);
        self.residual.iter_mut().for_each(|r| *r = -*r);
        body.solve_mass(&self.residual, &mut self.equations, &mut self.acceleration)?;
        state.a.clone_from(&self.acceleration);
        Ok(())
    }

    /// Mean force over the step with which a support acts on a held unknown: what is missing in the balance
    /// `M a + f̄ − f̄_ext − Hᵀr = 0`.
    pub(in crate::integrator) fn support_force(&self, dof: usize) -> f64 {
        let of = |list: &Vec<f64>| list.get(dof).copied().unwrap_or(0.0);
        let outer = of(&self.outer.spring) + of(&self.outer.damping) - of(&self.outer.external);
        self.inertia[dof] + self.mean[dof] + outer - self.reaction[dof]
    }
}
