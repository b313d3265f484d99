//! Rigid bodies on their way through a step: the same balance `M a − f̄_ext − Hᵀr = 0` as for deformable ones, with
//! [`crate::bodies::rigid`]'s inertia.

use super::nodal::largest;
use super::{Measures, Progress};
use crate::bodies::{BodyError, BodyState, Rigid, Span};

/// Share of positions that a solution with the factor rounds away, in units of `ε`.
const ROUNDING: f64 = 64.0;

/// A rigid body within a step.
pub(in crate::integrator) struct RigidWork {
    pub(in crate::integrator) old: BodyState,
    /// Displacements at the current iterate, with how the body is turned there behind the unknowns.
    pub(in crate::integrator) u: Vec<f64>,
    /// Velocities at the current iterate, those of rotation in the axes of the start.
    pub(in crate::integrator) carried: Vec<f64>,
    pub(in crate::integrator) inertia: Vec<f64>,
    /// Mean of what does not hang on where the body is.
    dead: Vec<f64>,
    /// Means of loads, and of the resistance of springs and dashpots.
    pub(in crate::integrator) external: Vec<f64>,
    pub(in crate::integrator) spring: Vec<f64>,
    pub(in crate::integrator) damping: Vec<f64>,
    pub(in crate::integrator) reaction: Vec<f64>,
    /// Residual without reactions.
    pub(in crate::integrator) residual: Vec<f64>,
    pub(in crate::integrator) equations: Vec<f64>,
    pub(in crate::integrator) increment: Vec<f64>,
    saved: Vec<f64>,
    /// One over the arm by which moments count as forces, for each unknown; lengths count times it.
    scale: Vec<f64>,
    momentum: f64,
    pub(in crate::integrator) span: Span,
    pub(in crate::integrator) progress: Progress,
}

impl RigidWork {
    pub(in crate::integrator) fn new(body: &Rigid, state: &BodyState) -> Self {
        let n = body.dof_count();
        let vector = || vec![0.0; n];
        let equations = vec![0.0; body.numbering().equation_count()];
        let scale = (0..n).map(|dof| if dof < body.dim() { 1.0 } else { 1.0 / body.size() }).collect();
        RigidWork {
            old: state.clone(),
            u: state.u.clone(),
            carried: vector(),
            inertia: vector(),
            dead: vector(),
            external: vector(),
            spring: vector(),
            damping: vector(),
            reaction: vector(),
            residual: vector(),
            increment: equations.clone(),
            equations,
            saved: state.u.clone(),
            scale,
            momentum: 0.0,
            span: Span::default(),
            progress: Progress { size: body.size(), ..Progress::default() },
        }
    }

    /// First guess and its residual; with contact `near` the body is left where it was.
    pub(in crate::integrator) fn start(
        &mut self,
        body: &mut Rigid,
        state: &BodyState,
        span: &Span,
        near: bool,
    ) -> Result<(), BodyError> {
        self.span = *span;
        self.old.copy_from(state);
        self.progress.energy = body.kinetic_energy(&state.u, &state.v);
        self.progress.measures = Measures::default();
        let (p, l) = body.momentum(&state.u, &state.v);
        self.momentum = p.amax().max(l.amax() / body.size());
        self.reaction.fill(0.0);
        self.dead.fill(0.0);
        body.loads.add_dead(span, &mut self.dead);
        self.load(body, &state.u);
        if !self.external.iter().all(|f| f.is_finite()) {
            return Err(BodyError::NonFinite { body: body.name.clone(), what: "load" });
        }
        if near {
            self.u.copy_from_slice(&state.u);
        } else {
            body.predict(span, &self.old, &body.parts(&self.external).1, &mut self.u);
        }
        body.guide(span, &self.old, &mut self.u);
        self.evaluate(body)
    }

    /// Means of loads where the body ends at `u`.
    fn load(&mut self, body: &Rigid, u: &[f64]) {
        self.external.copy_from_slice(&self.dead);
        body.add_pushes(&self.span, &self.old.u, u, &mut self.external);
    }

    /// Residual of the current iterate.
    fn evaluate(&mut self, body: &Rigid) -> Result<(), BodyError> {
        let span = self.span;
        body.check_turn(&self.old, &self.u)?;
        body.carried(&span, &self.old, &self.u, &mut self.carried);
        body.inertia_force(&self.old, &self.u, &self.carried, span.dt, &mut self.inertia);
        let u = std::mem::take(&mut self.u);
        self.load(body, &u);
        self.u = u;
        self.spring.fill(0.0);
        body.loads.add_springs(&span, &self.old.u, &self.u, &mut self.spring);
        self.damping.fill(0.0);
        body.loads.add_dashpots(&span, &self.old, &self.carried, &mut self.damping);
        for dof in 0..self.residual.len() {
            let outer = self.external[dof] - self.spring[dof] - self.damping[dof];
            self.residual[dof] = if body.is_free(dof) { self.inertia[dof] - outer } else { 0.0 };
        }
        self.progress.measures = self.measure(body);
        Ok(())
    }

    /// Factors the effective matrix and puts `L⁻¹` of minus the residual into `equations`.
    pub(in crate::integrator) fn linearise(&mut self, body: &mut Rigid) -> Result<(), BodyError> {
        body.factor(&self.span, &self.old, &self.u, &self.carried)?;
        body.numbering().gather(&self.residual, &mut self.equations);
        self.equations.iter_mut().for_each(|x| *x = -*x);
        body.factorization().forward(&mut self.equations);
        Ok(())
    }

    /// The increment, from what contact has added to `equations`.
    pub(in crate::integrator) fn solve(&mut self, body: &Rigid) {
        self.progress.before = self.missing(body).map(|(dof, r)| (self.scale[dof] * r).powi(2)).sum();
        body.factorization().backward(&mut self.equations);
        self.increment.copy_from_slice(&self.equations);
        self.saved.copy_from_slice(&self.u);
        let ways = body.numbering().unknowns().iter().zip(&self.increment);
        let largest = ways.fold(0.0, |m, (&dof, x)| f64::max(m, (x / self.scale[dof as usize]).abs()));
        self.progress.measures.increment = largest;
    }

    /// Moves the body by `factor` times the increment.
    pub(in crate::integrator) fn try_increment(&mut self, body: &Rigid, factor: f64) {
        self.u.copy_from_slice(&self.saved);
        body.numbering().scatter_add(&self.increment, factor, &mut self.u);
        body.orient(&self.old.u, &mut self.u);
        self.progress.refused = self.evaluate(body).err();
    }

    /// Mean of all forces on the body.
    pub(in crate::integrator) fn total_force(&self, dof: usize) -> f64 {
        self.external[dof] - self.spring[dof] - self.damping[dof] + self.reaction[dof]
    }

    /// Mean force with which a guide acts along its axis.
    pub(in crate::integrator) fn guide_force(&self, axis: usize) -> f64 {
        self.inertia[axis] - self.total_force(axis)
    }

    fn missing<'a>(&'a self, body: &'a Rigid) -> impl Iterator<Item = (usize, f64)> + 'a {
        let unknowns = body.numbering().unknowns().iter().map(|&dof| dof as usize);
        unknowns.map(|dof| (dof, self.residual[dof] - self.reaction[dof]))
    }

    /// Measures of the residual with reactions; a moment counts as a force at the end of the body. The increment stays.
    fn measure(&self, body: &Rigid) -> Measures {
        let (mut merit, mut worst, mut work) = (0.0, 0.0f64, 0.0);
        for (dof, missing) in self.missing(body) {
            let force = self.scale[dof] * missing;
            merit += force * force;
            worst = worst.max(force.abs());
            work += missing * (self.u[dof] - self.old.u[dof]);
        }
        let lists = [&self.external, &self.spring, &self.damping, &self.reaction];
        let of = |list: &Vec<f64>| list.iter().zip(&self.scale).fold(0.0, |m, (f, s)| f64::max(m, (f * s).abs()));
        let force = lists.into_iter().map(of).fold(self.momentum / self.span.dt, f64::max);
        let rounding = ROUNDING * f64::EPSILON * (body.size() + largest(&self.u[..body.dim()]));
        Measures { merit, worst, work, force, rounding, increment: self.progress.measures.increment }
    }

    /// Velocities at the end of the step, from the momentum that all forces leave.
    pub(in crate::integrator) fn end_velocity(&self, body: &Rigid, out: &mut [f64]) {
        let mut force = [0.0; 6];
        let unknowns = &mut force[..body.dof_count()];
        unknowns.iter_mut().enumerate().for_each(|(dof, f)| *f = self.total_force(dof));
        body.end_velocity(&self.span, &self.old, &self.u, unknowns, out);
    }
}
