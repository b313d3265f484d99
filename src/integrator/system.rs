//! All bodies on their way through a step, with the memory every iteration works in.

use super::residual::Measures;
use super::rigid::RigidWork;
use super::{Integrator, Linearised};
use crate::bodies::{Bodies, Body, BodyError, BodyState, Deformable, OuterForces, Rigid, Span};
use crate::elements::ForceRule;
use crate::parallel::Order;

/// A body on its way through a step.
pub(super) struct Work {
    pub(super) old: BodyState,
    pub(super) u: Vec<f64>,
    /// Internal force at the start of the step, where the scheme weighs it.
    pub(super) force_old: Vec<f64>,
    /// Evaluated internal force of the current iterate.
    pub(super) force: Vec<f64>,
    /// `old f(u₀) + new f̄`.
    pub(super) mean: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    pub(super) inertia: Vec<f64>,
    pub(super) reaction: Vec<f64>,
    /// Residual without reactions, on the unknowns that are solved for.
    pub(super) residual: Vec<f64>,
    /// Means of what acts from outside.
    pub(super) outer: OuterForces,
    /// Moved unknowns with their velocity at the end of the step.
    pub(super) moved: Vec<(u32, f64)>,
    /// Velocities at the current iterate, where forces depend on them.
    pub(super) velocity: Vec<f64>,
    pub(super) equations: Vec<f64>,
    pub(super) increment: Vec<f64>,
    pub(super) saved: Vec<f64>,
    /// Energy of the state the force was evaluated at.
    pub(super) energy: f64,
    /// Coefficients of the effective matrix at hand, if it was assembled at the iterate `u`.
    pub(super) assembled: Option<(f64, f64)>,
    /// Coefficients of the factor at hand, wherever its matrix was assembled.
    pub(super) factored: Option<(f64, f64)>,
    /// Whether the force at hand is that of the end of the last step.
    pub(super) evaluated: bool,
    /// What the iterations ask of the body at the current iterate.
    pub(super) measures: Measures,
    /// Squared norm of the residual before the last increment, with the reactions found for it.
    pub(super) before: f64,
    /// Why the body refused the last increment.
    pub(super) refused: Option<BodyError>,
    /// Whether the body has found its place in this step: nothing is near it, and further iterations pass it by.
    pub(super) settled: bool,
    pub(super) size: f64,
    pub(super) largest_momentum: f64,
    /// Kinetic energy at the start of the step.
    pub(super) kinetic: f64,
    /// Seconds that the iterations of the step have spent on the body.
    pub(super) spent: f64,
}

impl Work {
    /// The step as the body's outer forces see it.
    pub(super) fn span(scheme: &dyn Integrator, time: f64, dt: f64) -> Span {
        Span {
            start: time,
            dt,
            weight: scheme.end_weight(),
            rate: scheme.velocity_coefficient(dt),
            moves: scheme.is_dynamic(),
        }
    }

    /// Internal force at the iterate `u`, and with `coefficients` the effective matrix.
    pub(super) fn evaluate(
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

    /// The body as contact sees it.
    pub(super) fn linearised<'a>(&'a mut self, body: &'a Deformable) -> Linearised<'a> {
        Linearised {
            body: Body::Deformable(body),
            old: &self.old,
            u: &self.u,
            forward: &mut self.equations,
            reaction: &mut self.reaction,
            lumped: None,
        }
    }

    /// Overwrites the velocities of moved unknowns with those of their supports.
    pub(super) fn impose_velocity(&self, v: &mut [f64]) {
        for &(dof, velocity) in &self.moved {
            v[dof as usize] = velocity;
        }
    }
}

/// All bodies and their work space.
pub struct System {
    /// The deformable bodies.
    pub bodies: Vec<Deformable>,
    /// The rigid bodies; their numbers follow those of the deformable ones.
    pub rigid: Vec<Rigid>,
    /// States of all bodies at the start of the next step.
    pub states: Vec<BodyState>,
    /// Time at the start of the next step.
    pub time: f64,
    /// Largest kinetic and stored energy met so far.
    pub(super) largest_energy: f64,
    pub(super) work: Vec<Work>,
    pub(super) rigid_work: Vec<RigidWork>,
    /// In which order threads take the deformable bodies.
    pub(super) order: Order,
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "System({} bodies)", self.states.len())
    }
}

impl System {
    /// Bodies with their initial states.
    pub fn new(bodies: Vec<Deformable>, states: Vec<BodyState>) -> Self {
        let work = bodies
            .iter()
            .map(|body| {
                let n = body.dof_count();
                let vector = || vec![0.0; n];
                let equations = vec![0.0; body.numbering().equation_count()];
                Work {
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
                    measures: Measures::default(),
                    before: 0.0,
                    refused: None,
                    settled: false,
                    size: body.size(),
                    largest_momentum: 0.0,
                    kinetic: 0.0,
                    spent: 0.0,
                }
            })
            .collect();
        System { work, ..Self::lean(bodies, states) }
    }

    /// Adds rigid bodies with their initial states.
    pub fn with_rigid(mut self, bodies: Vec<Rigid>, states: Vec<BodyState>) -> Self {
        self.rigid_work.extend(bodies.iter().zip(&states).map(|(body, state)| RigidWork::new(body, state)));
        self.rigid.extend(bodies);
        self.states.extend(states);
        self
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        match self.states.is_empty() {
            true => 2,
            false => self.all().get(0).dim(),
        }
    }

    /// Bodies of both kinds.
    pub fn all(&self) -> Bodies<'_> {
        Bodies { deformable: &self.bodies, rigid: &self.rigid }
    }

    /// All bodies as contact sees them.
    pub(super) fn linearised(&mut self) -> Vec<Linearised<'_>> {
        let deformable = self.bodies.iter().zip(&mut self.work).map(|(body, work)| work.linearised(body));
        let rigid = self.rigid.iter().zip(&mut self.rigid_work).map(|(body, work)| work.linearised(body));
        deformable.chain(rigid).collect()
    }

    fn rigid_work(&self, body: usize) -> Option<&RigidWork> {
        self.rigid_work.get(body.checked_sub(self.bodies.len())?)
    }

    /// Bodies with their initial states, without the work space of iterations: for explicit steps.
    pub fn lean(bodies: Vec<Deformable>, states: Vec<BodyState>) -> Self {
        System {
            bodies,
            rigid: Vec::new(),
            states,
            time: 0.0,
            work: Vec::new(),
            rigid_work: Vec::new(),
            largest_energy: 0.0,
            order: Order::default(),
        }
    }

    /// In which order threads take the deformable bodies.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Largest kinetic and stored energy met so far.
    pub fn largest_energy(&self) -> f64 {
        self.largest_energy
    }

    /// Takes over the largest energy of a run that is taken up again.
    pub fn set_largest_energy(&mut self, energy: f64) {
        self.largest_energy = energy;
    }

    /// The matrix whose factor a deformable body takes along into the next step, headed by its coefficients; empty if it
    /// takes none.
    pub fn kept_matrix(&self, body: usize) -> Vec<f64> {
        let Some((mass, stiffness)) = self.work.get(body).and_then(|work| work.factored) else { return Vec::new() };
        [&[mass, stiffness], self.bodies[body].factored()].concat()
    }

    /// Makes that factor again. `None` if the numbers do not fit.
    pub fn recall_matrix(&mut self, body: usize, memory: &[f64]) -> Option<()> {
        if let [mass, stiffness, values @ ..] = memory {
            let work = self.work.get_mut(body)?;
            self.bodies[body].factor_again(values)?;
            work.factored = Some((*mass, *stiffness));
        }
        Some(())
    }

    /// Displacements at the end of the last step that was tried.
    pub fn trial(&self, body: usize) -> &[f64] {
        self.rigid_work(body).map_or_else(|| &self.work[body].u, |work| &work.u)
    }

    /// Velocities at the end of the last step that was tried.
    pub fn end_velocity(&self, scheme: &dyn Integrator, body: usize, dt: f64, out: &mut [f64]) {
        if let (Body::Rigid(rigid), Some(work)) = (self.all().get(body), self.rigid_work(body)) {
            let mut force = [0.0; 6];
            let unknowns = &mut force[..rigid.dof_count()];
            unknowns.iter_mut().enumerate().for_each(|(dof, f)| *f = work.total_force(dof));
            rigid.end_velocity(&work.span, &work.old, &work.u, unknowns, out);
            return;
        }
        let work = &self.work[body];
        scheme.velocity(&self.states[body], &work.u, dt, out);
        if scheme.is_dynamic() {
            work.impose_velocity(out);
        }
    }

    /// Completes the end state of the last step that was tried, for schemes that carry an acceleration; `next` has its
    /// displacements and velocities.
    pub fn finish(
        &mut self,
        scheme: &dyn Integrator,
        body: usize,
        dt: f64,
        next: &mut BodyState,
    ) -> Result<(), BodyError> {
        if scheme.carries_acceleration() && body < self.bodies.len() {
            let work = &mut self.work[body];
            self.bodies[body].solve_mass(&work.reaction, &mut work.equations, &mut work.acceleration)?;
            scheme.finish(&self.states[body], &work.acceleration, dt, next);
            work.impose_velocity(&mut next.v);
        }
        Ok(())
    }

    /// Gives states the acceleration they start with, `M a = f_ext − f(u)`, where the scheme carries one and they have none, and
    /// takes the bodies in the order that the last step advises.
    pub(super) fn prepare(&mut self, scheme: &dyn Integrator) -> Result<(), BodyError> {
        self.order.longest_first(self.work.iter().map(|work| work.spent));
        self.work.iter_mut().for_each(|work| work.spent = 0.0);
        if !scheme.carries_acceleration() {
            return Ok(());
        }
        let span = Span { start: self.time, dt: 0.0, weight: 0.0, rate: 0.0, moves: false };
        for (b, body) in self.bodies.iter_mut().enumerate() {
            let (state, work) = (&mut self.states[b], &mut self.work[b]);
            if !state.a.is_empty() {
                continue;
            }
            body.internal_force(ForceRule::End, &state.u, &state.u, &mut work.residual, None)?;
            body.begin_outer(&span, &mut work.outer)?;
            body.outer_force(&span, state, &state.u, &state.v, &mut work.outer, false)?;
            work.outer.subtract_from(&mut work.residual);
            work.residual.iter_mut().for_each(|r| *r = -*r);
            body.solve_mass(&work.residual, &mut work.equations, &mut work.acceleration)?;
            state.a.clone_from(&work.acceleration);
        }
        Ok(())
    }

    /// Unknowns that supports moved in the last step, with their velocities at its end.
    pub fn moved(&self, body: usize) -> &[(u32, f64)] {
        &self.work[body].moved
    }

    /// Means of loads, springs and damping over the last step.
    pub fn outer(&self, body: usize) -> &OuterForces {
        &self.work[body].outer
    }

    /// Mean force over the last step with which a support acted on a held unknown: what is missing in the balance
    /// `M a + f̄ − f̄_ext − Hᵀr = 0`.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        let work = &self.work[body];
        let of = |list: &Vec<f64>| list.get(dof).copied().unwrap_or(0.0);
        let outer = of(&work.outer.spring) + of(&work.outer.damping) - of(&work.outer.external);
        work.inertia[dof] + work.mean[dof] + outer - work.reaction[dof]
    }

    /// Mean internal force of the last step.
    pub fn mean_force(&self, body: usize) -> &[f64] {
        &self.work[body].mean
    }

    /// Reaction `Hᵀr` of the last step, node by node.
    pub fn reaction(&self, body: usize) -> &[f64] {
        self.rigid_work(body).map_or_else(|| &self.work[body].reaction, |work| &work.reaction)
    }

    /// Stored energy at the end of the last step, if the scheme evaluated its force there.
    pub fn energy_at_end(&self, body: usize, rule: ForceRule) -> Option<f64> {
        (rule == ForceRule::End).then(|| self.work[body].energy)
    }
}
