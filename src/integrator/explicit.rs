//! The explicit scheme: leapfrog with lumped mass, `v₊ = v₋ + Δt M⁻¹(F(u₀) + Hᵀr)`, `u₁ = u₀ + Δt v₊`.
//!
//! Velocities belong to the middles of the steps. `F` acts over half of the step before and half of the one to come, so that the
//! first step, and steps of unequal length, keep second order; `r` is the mean contact force over the step, found from
//! `W = Δt² H M⁻¹ Hᵀ` by the same detection and solvers as in the implicit schemes. Contact does not shorten the
//! stable step.
//!
//! Energies are booked at the middle of the step, where the velocity is known: `½ v₊ᵀM v₊` and the mean of the stored
//! energies at its two ends. With `f̄ = κ F(u₀)`, `κ` the share above, the balance
//! `Δ(T+U) = W_ext + W_n − D_fr − D_damp − D_num`, `D_num = ½ΔvᵀMΔv + [Δuᵀf̄ − ΔU]`, is an identity.

mod memory;

use rayon::prelude::*;

use super::newton::{Converged, StepError};
use super::system::System;
use super::{ForceWeights, Integrator, Linearised, Reactions, SchemeInfo, Verdict};
use crate::bodies::{Body, BodyError, BodyState, OuterForces, Span};
use crate::elements::{ForceRule, Sums};

/// The linear maps of the scheme: θ = 1, ξ = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leapfrog;

impl Integrator for Leapfrog {
    fn info(&self) -> SchemeInfo {
        SchemeInfo { name: "explicit", order: 2 }
    }

    fn mass_coefficient(&self, dt: f64) -> f64 {
        1.0 / (dt * dt)
    }

    fn force(&self) -> ForceWeights {
        ForceWeights { rule: ForceRule::End, old: 1.0, new: 0.0, tangent: 0.0 }
    }

    fn predict(&self, old: &BodyState, dt: f64, u: &mut [f64]) {
        for ((u, u0), v0) in u.iter_mut().zip(&old.u).zip(&old.v) {
            *u = u0 + dt * v0;
        }
    }

    fn acceleration(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for (((a, u), u0), v0) in out.iter_mut().zip(u).zip(&old.u).zip(&old.v) {
            *a = ((u - u0) - dt * v0) / (dt * dt);
        }
    }

    fn velocity(&self, old: &BodyState, u: &[f64], dt: f64, out: &mut [f64]) {
        for ((v, u), u0) in out.iter_mut().zip(u).zip(&old.u) {
            *v = (u - u0) / dt;
        }
    }

    fn velocity_coefficient(&self, dt: f64) -> f64 {
        1.0 / dt
    }

    fn end_weight(&self) -> f64 {
        0.0
    }

    fn inertia_dissipation(&self) -> Option<f64> {
        Some(0.5)
    }
}

/// Works and energies of a step, contact excepted; see [`super::Ledger::book_explicit`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepWorks {
    /// `½ v₊ᵀM v₊`.
    pub kinetic: f64,
    /// `½ ΔvᵀMΔv`.
    pub inertia: f64,
    /// `Δuᵀf̄` of elements and springs.
    pub internal: f64,
    /// `Δuᵀf̄_ext` of loads and moved supports.
    pub external: f64,
    /// Work of damping.
    pub damping: f64,
    /// Means over the step of the energies stored in elements, hourglass control and springs.
    pub strain: f64,
    /// See `strain`.
    pub hourglass: f64,
    /// See `strain`.
    pub spring: f64,
    /// Energy that plastic flow turned into heat.
    pub plastic: f64,
}

/// One body between two steps.
#[derive(Debug)]
struct Stepped {
    /// Mass of each node.
    mass: Vec<f64>,
    /// `1/m` of each nodal unknown, zero where it is held.
    inverse: Vec<f64>,
    /// `Δt²/m`, for contact; empty while nothing is near.
    compliance: Vec<f64>,
    /// Internal force at the start of the step, and at its end.
    force: Vec<f64>,
    next_force: Vec<f64>,
    outer: OuterForces,
    /// Whether anything acts from outside.
    loaded: bool,
    reaction: Vec<f64>,
    /// Mass of each node over the claims of its elements.
    share: Vec<f64>,
    stored: Sums,
    next_stored: Sums,
    spring: f64,
    next_spring: f64,
    /// Held unknowns with the force of their support over the last step.
    held: Vec<(u32, f64)>,
    moved: Vec<u32>,
    blocks: Vec<StepWorks>,
}

/// All bodies under the explicit scheme.
#[derive(Debug)]
pub struct Explicit {
    bodies: Vec<Stepped>,
    /// Share of the estimated limit that a step takes.
    courant: f64,
    /// Length of the last step, zero before the first.
    last: f64,
    touched: bool,
    estimate: Estimate,
}

/// The stable step and when to look at it again.
#[derive(Debug, Clone, Copy, Default)]
struct Estimate {
    limit: f64,
    age: u32,
    interval: u32,
}

/// Nodes of a block: sums are taken block by block, whoever computes them.
const BLOCK: usize = 4096;
/// Steps of the power method, for a first estimate and for one that follows.
const POWER: usize = 12;
/// Rounds in which elements divide the masses of their nodes.
const ROUNDS_OF_CLAIMS: usize = 6;
/// Steps between two estimates, shortest and longest.
const LOOKS: (u32, u32) = (10, 160);
/// An estimate that changed by less than this lets the next one wait twice as long.
const CALM: f64 = 0.01;
/// Iterations of contact on curved obstacles, and rounds for what entered unseen.
const ITERATIONS: usize = 30;
const ROUNDS: usize = 5;

impl Explicit {
    /// Prepares the bodies of `system` and computes their first forces.
    pub fn new(system: &mut System, courant: f64) -> Result<Self, StepError> {
        let mut bodies = Vec::with_capacity(system.bodies.len());
        for (body, state) in system.bodies.iter_mut().zip(&system.states) {
            let (n, dim) = (body.dof_count(), body.dim());
            let nodes = body.mesh.node_count();
            let mass: Vec<f64> = (0..nodes).map(|node| body.mass().row(node).map(|(_, m)| m).sum()).collect();
            let inverse = (0..n).map(|dof| if body.is_held(dof) { 0.0 } else { 1.0 / mass[dof / dim] }).collect();
            // any division of the masses gives a bound; a few rounds make the fastest elements alike, and the bound close
            let mut share = vec![0.0; nodes];
            let mut scale = None;
            for round in 0..=ROUNDS_OF_CLAIMS {
                share.fill(0.0);
                body.groups().iter().for_each(|group| group.add_weights(&mut share));
                for (share, mass) in share.iter_mut().zip(&mass) {
                    *share = if *share > 0.0 { mass / *share } else { 0.0 };
                }
                if round < ROUNDS_OF_CLAIMS {
                    let squared = body.fastest(&state.u, &share, POWER, scale.or(Some(1.0)).filter(|_| round > 0));
                    scale = (squared > 0.0).then_some(1.0 / squared);
                }
            }
            let held = (0..n).filter(|&dof| body.is_held(dof)).map(|dof| (dof as u32, 0.0)).collect();
            let mut force = vec![0.0; n];
            let stored = body.explicit_force(&state.u, &state.v, &mut force)?;
            body.commit();
            let spring = body.loads().spring_energy(&state.u);
            bodies.push(Stepped {
                mass,
                inverse,
                compliance: Vec::new(),
                next_force: force.clone(),
                force,
                outer: OuterForces::new(body),
                loaded: body.is_loaded(),
                reaction: vec![0.0; n],
                share,
                stored: Sums { dissipated: 0.0, ..stored },
                next_stored: stored,
                spring,
                next_spring: spring,
                held,
                moved: Vec::new(),
                blocks: vec![StepWorks::default(); nodes.div_ceil(BLOCK)],
            });
        }
        let estimate = Estimate { interval: LOOKS.0, ..Estimate::default() };
        Ok(Explicit { bodies, courant, last: 0.0, touched: false, estimate })
    }

    /// The largest step that the case's safety factor allows, `2/ω` of the fastest element with the mass of its nodes
    /// shared among elements by their stiffness (any share gives a bound of the fastest mode of the whole, this one a
    /// close one), at the current shape and stress. Looked at every few steps.
    pub fn stable_step(&mut self, system: &mut System) -> f64 {
        if self.estimate.limit > 0.0 && self.estimate.age < self.estimate.interval {
            return self.estimate.limit;
        }
        let mut squared = 0.0f64;
        let mut damping = 0.0f64;
        for (own, (body, state)) in self.bodies.iter().zip(system.bodies.iter_mut().zip(&system.states)) {
            squared = squared.max(body.fastest(&state.u, &own.share, POWER, None));
            let mut springs = 0.0f64;
            for &(dof, stiffness) in &body.loads().springs {
                springs = springs.max(stiffness * own.inverse[dof as usize]);
            }
            squared += springs;
            for &(dof, coefficient) in &body.loads().dashpots {
                damping = damping.max(coefficient * own.inverse[dof as usize]);
            }
            damping = damping.max(body.lumped_damping_rate(squared));
        }
        let omega = squared.sqrt();
        // ζ = c/(2mω): Δt ≤ 2/ω (√(1+ζ²) − ζ)
        let zeta = 0.5 * damping / omega;
        let limit = self.courant * 2.0 / omega * ((1.0 + zeta * zeta).sqrt() - zeta);
        let before = self.estimate.limit;
        let calm = (limit - before).abs() <= CALM * before;
        let interval = if calm { (2 * self.estimate.interval).min(LOOKS.1) } else { LOOKS.0 };
        self.estimate = Estimate { limit, age: 0, interval };
        limit
    }

    /// The last estimate of [`Explicit::stable_step`].
    pub fn last_limit(&self) -> f64 {
        self.estimate.limit
    }

    /// Contact force on the nodes of a body over the last step.
    pub fn reaction(&self, body: usize) -> &[f64] {
        &self.bodies[body].reaction
    }

    /// Whether the last step or the one before had reactions.
    pub fn touched(&self) -> bool {
        self.touched
    }

    /// Force of a support on an unknown over the last step.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        let held = &self.bodies[body].held;
        held.binary_search_by_key(&(dof as u32), |h| h.0).map_or(0.0, |k| held[k].1)
    }

    /// Stored energy of a body at the end of the last accepted step, and what its hourglass control holds.
    pub fn energies(&self, body: usize) -> (f64, f64) {
        let stored = &self.bodies[body].stored;
        (stored.energy, stored.hourglass)
    }

    /// Tries a step of length `dt` from `system.states` to `next`. Nothing is accepted yet.
    pub fn step(
        &mut self,
        system: &mut System,
        contact: &mut dyn Reactions,
        dt: f64,
        next: &mut [BodyState],
    ) -> Result<(Converged, StepWorks), StepError> {
        let share = 0.5 * (self.last + dt) / dt;
        let span = Span { start: system.time, dt, weight: 0.0, rate: 1.0 / dt, moves: true };
        for (b, own) in self.bodies.iter_mut().enumerate() {
            let (body, old) = (&mut system.bodies[b], &system.states[b]);
            if own.loaded {
                body.begin_outer(&span, &mut own.outer)?;
                body.outer_force(&span, old, &old.u, &old.v, &mut own.outer, false)?;
            }
            own.kick(body.dim(), old, &mut next[b], dt, share);
            own.moved.clear();
            let (moved, next) = (&mut own.moved, &mut next[b]);
            for support in body.supports() {
                support.advance(&body.mesh, body.dim(), old, &span, |dof, place, _| {
                    next.u[dof] = place;
                    next.v[dof] = (place - old.u[dof]) / dt;
                    moved.push(dof as u32);
                });
            }
        }
        contact.begin(system.all(), &system.states, &span);
        let report = self.touch(system, contact, dt, next)?;
        let mut works = StepWorks::default();
        for (b, own) in self.bodies.iter_mut().enumerate() {
            let (body, old, next) = (&mut system.bodies[b], &system.states[b], &next[b]);
            own.next_stored = body.explicit_force(&next.u, &next.v, &mut own.next_force)?;
            own.next_spring = body.loads().spring_energy(&next.u);
            let here = own.works(body.dim(), old, next, dt, share);
            if !here.kinetic.is_finite() || !here.internal.is_finite() {
                return Err(BodyError::NonFinite { body: body.name.clone(), what: "force or velocity" }.into());
            }
            works.add(&here);
        }
        Ok((report, works))
    }

    /// Reactions of the step, on top of the free step in `next`.
    fn touch(
        &mut self,
        system: &System,
        contact: &mut dyn Reactions,
        dt: f64,
        next: &mut [BodyState],
    ) -> Result<Converged, StepError> {
        let mut report = Converged { iterations: 1, ..Converged::default() };
        let cleared = self.touched;
        self.touched = false;
        if cleared {
            self.bodies.iter_mut().for_each(|own| own.reaction.fill(0.0));
        }
        for _ in 0..ROUNDS {
            if (0..self.bodies.len()).any(|b| contact.is_near(b)) {
                self.iterate(system, contact, dt, next, &mut report)?;
            }
            let ends: Vec<&[f64]> = next.iter().map(|s| s.u.as_slice()).collect();
            match contact.verify(system.all(), &system.states, &ends).map_err(StepError::Contact)? {
                Verdict::Holds => {
                    if self.touched {
                        for (own, (old, next)) in self.bodies.iter().zip(system.states.iter().zip(next)) {
                            own.apply(old, next, dt);
                        }
                    }
                    return Ok(report);
                }
                Verdict::Iterate | Verdict::Again => {}
            }
        }
        Err(StepError::Contact("new contacts keep appearing within the step".into()))
    }

    /// Contact points follow the geometry until the end of the step stays where it is.
    fn iterate(
        &mut self,
        system: &System,
        contact: &mut dyn Reactions,
        dt: f64,
        next: &mut [BodyState],
        report: &mut Converged,
    ) -> Result<(), StepError> {
        for own in &mut self.bodies {
            own.compliance.resize(own.inverse.len(), 0.0);
            for (c, inverse) in own.compliance.iter_mut().zip(&own.inverse) {
                *c = dt * dt * inverse;
            }
        }
        for _ in 0..ITERATIONS {
            let mut views: Vec<Linearised<'_>> = self
                .bodies
                .iter_mut()
                .enumerate()
                .map(|(b, own)| Linearised {
                    body: Body::Deformable(&system.bodies[b]),
                    old: &system.states[b],
                    u: &next[b].u,
                    forward: &mut [],
                    reaction: &mut own.reaction,
                    lumped: Some(&own.compliance),
                })
                .collect();
            let reactions = contact.react(&mut views).map_err(StepError::Contact)?;
            report.contact_iterations += reactions.iterations;
            report.contact_residual = reactions.residual;
            self.touched |= reactions.points > 0;
            let mut farthest = 0.0f64;
            for (own, (old, next)) in self.bodies.iter().zip(system.states.iter().zip(next.iter_mut())) {
                for dof in 0..next.u.len() {
                    // a held unknown has no compliance and stays where its support put it
                    if own.compliance[dof] > 0.0 {
                        let place = old.u[dof] + dt * next.v[dof] + own.compliance[dof] * own.reaction[dof];
                        farthest = farthest.max((place - next.u[dof]).abs());
                        next.u[dof] = place;
                    }
                }
            }
            report.iterations += 1;
            let size = system.bodies.iter().map(|body| body.size()).fold(0.0, f64::max);
            if farthest <= 1e-13 * size {
                break;
            }
        }
        Ok(())
    }

    /// Accepts the step of length `dt` that was tried last.
    pub fn accept(&mut self, system: &mut System, dt: f64) {
        for (own, body) in self.bodies.iter_mut().zip(&mut system.bodies) {
            std::mem::swap(&mut own.force, &mut own.next_force);
            own.stored = own.next_stored;
            own.spring = own.next_spring;
            body.commit();
        }
        self.last = dt;
        self.estimate.age += 1;
    }
}

impl StepWorks {
    fn add(&mut self, other: &StepWorks) {
        self.kinetic += other.kinetic;
        self.inertia += other.inertia;
        self.internal += other.internal;
        self.external += other.external;
        self.damping += other.damping;
        self.strain += other.strain;
        self.hourglass += other.hourglass;
        self.spring += other.spring;
        self.plastic += other.plastic;
    }
}

impl Stepped {
    /// `v₊ = v₋ + κΔt M⁻¹F`, `u₁ = u₀ + Δt v₊`.
    fn kick(&self, dim: usize, old: &BodyState, next: &mut BodyState, dt: f64, share: f64) {
        let len = BLOCK * dim;
        let outer = |dof: usize| {
            let of = |list: &[f64]| list.get(dof).copied().unwrap_or(0.0);
            of(&self.outer.external) - of(&self.outer.spring) - of(&self.outer.damping)
        };
        let BodyState { u, v, .. } = next;
        u.par_chunks_mut(len).zip(v.par_chunks_mut(len)).enumerate().for_each(|(block, (u, v))| {
            let range = block * len..block * len + u.len();
            let (u0, v0) = (&old.u[range.clone()], &old.v[range.clone()]);
            let (force, inverse) = (&self.force[range.clone()], &self.inverse[range.clone()]);
            for k in 0..u.len() {
                let total = if self.loaded { outer(range.start + k) - force[k] } else { -force[k] };
                v[k] = v0[k] + share * dt * inverse[k] * total;
                u[k] = u0[k] + dt * v[k];
            }
        });
    }

    /// Adds the reactions to the velocities; places follow.
    fn apply(&self, old: &BodyState, next: &mut BodyState, dt: f64) {
        for dof in 0..next.u.len() {
            if self.inverse[dof] > 0.0 && self.reaction[dof] != 0.0 {
                next.v[dof] += dt * self.inverse[dof] * self.reaction[dof];
                next.u[dof] = old.u[dof] + dt * next.v[dof];
            }
        }
    }

    /// Works of the step, and the forces of supports.
    fn works(&mut self, dim: usize, old: &BodyState, next: &BodyState, dt: f64, share: f64) -> StepWorks {
        let (mass, force, outer, loaded) = (&self.mass, &self.force, &self.outer, self.loaded);
        self.blocks.par_iter_mut().enumerate().for_each(|(block, works)| {
            let mut sum = StepWorks::default();
            for node in block * BLOCK..(block * BLOCK + BLOCK).min(mass.len()) {
                for dof in node * dim..(node + 1) * dim {
                    let (moved, v) = (next.u[dof] - old.u[dof], next.v[dof]);
                    let change = v - old.v[dof];
                    sum.kinetic += 0.5 * mass[node] * v * v;
                    sum.inertia += 0.5 * mass[node] * change * change;
                    sum.internal += share * moved * force[dof];
                    if loaded {
                        let of = |list: &[f64]| list.get(dof).copied().unwrap_or(0.0);
                        sum.internal += share * moved * of(&outer.spring);
                        sum.external += share * moved * of(&outer.external);
                        sum.damping += share * moved * of(&outer.damping);
                    }
                }
            }
            *works = sum;
        });
        let mut works = StepWorks::default();
        self.blocks.iter().for_each(|block| works.add(block));
        for (dof, support) in &mut self.held {
            let dof = *dof as usize;
            let of = |list: &[f64]| list.get(dof).copied().unwrap_or(0.0);
            let outside = if loaded { of(&outer.external) - of(&outer.spring) - of(&outer.damping) } else { 0.0 };
            *support =
                mass[dof / dim] * (next.v[dof] - old.v[dof]) / dt + share * (force[dof] - outside) - self.reaction[dof];
        }
        for &dof in &self.moved {
            if let Ok(k) = self.held.binary_search_by_key(&dof, |h| h.0) {
                works.external += (next.u[dof as usize] - old.u[dof as usize]) * self.held[k].1;
            }
        }
        works.strain = 0.5 * (self.stored.energy + self.next_stored.energy);
        works.hourglass = 0.5 * (self.stored.hourglass + self.next_stored.hourglass);
        works.spring = 0.5 * (self.spring + self.next_spring);
        works.plastic = self.next_stored.dissipated;
        // the viscous force of the start acts over the step; what it takes beyond its power there is numerical
        works.damping += share * dt * self.stored.viscous;
        works.internal -= share * dt * self.stored.viscous;
        works
    }
}
