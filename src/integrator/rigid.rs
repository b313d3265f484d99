//! Rigid bodies on their way through a step: the same balance `M a − f̄_ext − Hᵀr = 0` as for deformable ones, with
//! [`crate::bodies::rigid`]'s inertia.

use super::Linearised;
use super::residual::largest;
use crate::bodies::{Body, BodyError, BodyState, Rigid, Span};

/// A rigid body within a step.
pub(super) struct RigidWork {
    pub(super) old: BodyState,
    /// Displacements at the current iterate, with how the body is turned there behind the unknowns.
    pub(super) u: Vec<f64>,
    /// Velocities at the current iterate, those of rotation in the axes of the start.
    pub(super) carried: Vec<f64>,
    pub(super) inertia: Vec<f64>,
    /// Means of loads, and of the resistance of springs and dashpots.
    pub(super) external: Vec<f64>,
    pub(super) spring: Vec<f64>,
    pub(super) damping: Vec<f64>,
    pub(super) reaction: Vec<f64>,
    /// Residual without reactions.
    pub(super) residual: Vec<f64>,
    pub(super) equations: Vec<f64>,
    pub(super) increment: Vec<f64>,
    saved: Vec<f64>,
    /// One over the arm by which moments count as forces, for each unknown; lengths count times it.
    scale: Vec<f64>,
    momentum: f64,
    /// Kinetic energy at the start of the step.
    pub(super) kinetic: f64,
    pub(super) span: Span,
    /// Squared norm of the residual before the last increment, with the reactions found for it.
    pub(super) before: f64,
    /// Why the body refused the last increment.
    pub(super) refused: Option<BodyError>,
}

impl RigidWork {
    pub(super) fn new(body: &Rigid, state: &BodyState) -> Self {
        let n = body.dof_count();
        let vector = || vec![0.0; n];
        let equations = vec![0.0; body.numbering().equation_count()];
        let scale = (0..n).map(|dof| if dof < body.dim() { 1.0 } else { 1.0 / body.size() }).collect();
        RigidWork {
            old: state.clone(),
            u: state.u.clone(),
            carried: vector(),
            inertia: vector(),
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
            kinetic: 0.0,
            span: Span::default(),
            before: 0.0,
            refused: None,
        }
    }

    /// The body as contact sees it.
    pub(super) fn linearised<'a>(&'a mut self, body: &'a Rigid) -> Linearised<'a> {
        Linearised {
            body: Body::Rigid(body),
            old: &self.old,
            u: &self.u,
            forward: &mut self.equations,
            reaction: &mut self.reaction,
            lumped: None,
        }
    }

    /// First guess and its residual; with contact `near` the body is left where it was.
    pub(super) fn start(
        &mut self,
        body: &mut Rigid,
        state: &BodyState,
        span: &Span,
        near: bool,
    ) -> Result<(), BodyError> {
        self.span = *span;
        self.old.copy_from(state);
        self.kinetic = body.kinetic_energy(&state.u, &state.v);
        let (p, l) = body.momentum(&state.u, &state.v);
        self.momentum = p.amax().max(l.amax() / body.size());
        self.reaction.fill(0.0);
        self.external.fill(0.0);
        body.loads.add_dead(span, &mut self.external);
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

    /// Residual of the current iterate.
    fn evaluate(&mut self, body: &Rigid) -> Result<(), BodyError> {
        let span = self.span;
        body.check_turn(&self.old, &self.u)?;
        body.carried(&span, &self.old, &self.u, &mut self.carried);
        body.inertia_force(&self.old, &self.u, &self.carried, span.dt, &mut self.inertia);
        self.spring.fill(0.0);
        body.loads.add_springs(&span, &self.old.u, &self.u, &mut self.spring);
        self.damping.fill(0.0);
        body.loads.add_dashpots(&span, &self.old, &self.carried, &mut self.damping);
        for dof in 0..self.residual.len() {
            let outer = self.external[dof] - self.spring[dof] - self.damping[dof];
            self.residual[dof] = if body.is_free(dof) { self.inertia[dof] - outer } else { 0.0 };
        }
        Ok(())
    }

    /// Factors the effective matrix and puts `L⁻¹` of minus the residual into `equations`.
    pub(super) fn linearise(&mut self, body: &mut Rigid) -> Result<(), BodyError> {
        body.factor(&self.span, &self.old, &self.u, &self.carried)?;
        body.numbering().gather(&self.residual, &mut self.equations);
        self.equations.iter_mut().for_each(|x| *x = -*x);
        body.factorization().forward(&mut self.equations);
        Ok(())
    }

    /// The increment, from what contact has added to `equations`.
    pub(super) fn solve(&mut self, body: &Rigid) {
        body.factorization().backward(&mut self.equations);
        self.increment.copy_from_slice(&self.equations);
        self.saved.copy_from_slice(&self.u);
    }

    /// Moves the body by `factor` times the increment.
    pub(super) fn try_increment(&mut self, body: &Rigid, factor: f64) {
        self.u.copy_from_slice(&self.saved);
        body.numbering().scatter_add(&self.increment, factor, &mut self.u);
        body.orient(&self.old.u, &mut self.u);
        self.refused = self.evaluate(body).err();
    }

    /// Mean of all forces on the body.
    pub(super) fn total_force(&self, dof: usize) -> f64 {
        self.external[dof] - self.spring[dof] - self.damping[dof] + self.reaction[dof]
    }

    /// Mean force with which a guide acts along its axis.
    pub(super) fn guide_force(&self, axis: usize) -> f64 {
        self.inertia[axis] - self.total_force(axis)
    }

    fn missing<'a>(&'a self, body: &'a Rigid) -> impl Iterator<Item = (usize, f64)> + 'a {
        let unknowns = body.numbering().unknowns().iter().map(|&dof| dof as usize);
        unknowns.map(|dof| (dof, self.residual[dof] - self.reaction[dof]))
    }

    /// Largest residual force; a moment counts as a force at the end of the body.
    pub(super) fn worst(&self, body: &Rigid) -> f64 {
        self.missing(body).fold(0.0, |m, (dof, r)| f64::max(m, (self.scale[dof] * r).abs()))
    }

    pub(super) fn merit(&self, body: &Rigid) -> f64 {
        self.missing(body).map(|(dof, r)| (self.scale[dof] * r).powi(2)).sum()
    }

    /// Work of the residual over the step.
    pub(super) fn residual_work(&self, body: &Rigid) -> f64 {
        self.missing(body).map(|(dof, r)| r * (self.u[dof] - self.old.u[dof])).sum()
    }

    /// What residuals are measured by.
    pub(super) fn largest_force(&self) -> f64 {
        let lists = [&self.external, &self.spring, &self.damping, &self.reaction];
        let of = |list: &Vec<f64>| list.iter().zip(&self.scale).fold(0.0, |m, (f, s)| f64::max(m, (f * s).abs()));
        lists.into_iter().map(of).fold(self.momentum / self.span.dt, f64::max)
    }

    /// Largest way that the last increment moves a place of the body.
    pub(super) fn largest_increment(&self, body: &Rigid) -> f64 {
        let ways = body.numbering().unknowns().iter().zip(&self.increment);
        ways.fold(0.0, |m, (&dof, x)| f64::max(m, (x / self.scale[dof as usize]).abs()))
    }

    /// Whether the last increment was below the rounding of positions.
    pub(super) fn is_exhausted(&self, body: &Rigid) -> bool {
        let far = body.size() + largest(&self.u[..body.dim()]);
        self.largest_increment(body) <= 64.0 * f64::EPSILON * far
    }
}
