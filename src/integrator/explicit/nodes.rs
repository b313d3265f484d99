//! A deformable body between two explicit steps.

use rayon::prelude::*;

use super::stable::Stable;
use super::works::StepWorks;
use crate::bodies::{BodyError, BodyState, Deformable, OuterForces};
use crate::elements::Sums;
use crate::integrator::Compliance;

/// Nodes of a block: sums are taken block by block, whoever computes them.
const BLOCK: usize = 4096;

/// One body between two steps.
#[derive(Debug)]
pub(super) struct Stepped {
    /// Mass of each node.
    pub(super) mass: Vec<f64>,
    /// `1/m` of each nodal unknown, zero where it is held.
    pub(super) inverse: Vec<f64>,
    /// Internal force at the start of the step, and at its end.
    pub(super) force: Vec<f64>,
    pub(super) next_force: Vec<f64>,
    pub(super) outer: OuterForces,
    /// Whether anything acts from outside.
    pub(super) loaded: bool,
    pub(super) reaction: Vec<f64>,
    pub(super) stable: Stable,
    pub(super) stored: Sums,
    pub(super) next_stored: Sums,
    pub(super) spring: f64,
    pub(super) next_spring: f64,
    /// Held unknowns with the force of their support over the last step.
    pub(super) held: Vec<(u32, f64)>,
    pub(super) moved: Vec<u32>,
    pub(super) blocks: Vec<StepWorks>,
}

impl Stepped {
    /// A body at the start of a run, with its first forces.
    pub(super) fn new(body: &mut Deformable, state: &BodyState) -> Result<Self, BodyError> {
        let (n, dim) = (body.dof_count(), body.dim());
        let nodes = body.mesh.node_count();
        let mass: Vec<f64> = (0..nodes).map(|node| body.mass().row(node).map(|(_, m)| m).sum()).collect();
        let inverse = (0..n).map(|dof| if body.is_held(dof) { 0.0 } else { 1.0 / mass[dof / dim] }).collect();
        let held = (0..n).filter(|&dof| body.is_held(dof)).map(|dof| (dof as u32, 0.0)).collect();
        let mut force = vec![0.0; n];
        let stored = body.explicit_force(&state.u, &state.v, &mut force)?;
        body.commit();
        let spring = body.loads().spring_energy(&state.u);
        Ok(Stepped {
            stable: Stable::new(body, state, &mass),
            mass,
            inverse,
            next_force: force.clone(),
            force,
            outer: OuterForces::new(body),
            loaded: body.is_loaded(),
            reaction: vec![0.0; n],
            stored: Sums { dissipated: 0.0, ..stored },
            next_stored: stored,
            spring,
            next_spring: spring,
            held,
            moved: Vec::new(),
            blocks: vec![StepWorks::default(); nodes.div_ceil(BLOCK)],
        })
    }

    /// What contact sees of it.
    pub(super) fn parts(&mut self, squared_step: f64) -> (Compliance<'_>, &mut [f64]) {
        (Compliance { squared_step, inverse_mass: &self.inverse, turns: None }, &mut self.reaction)
    }

    /// Moves the nodes where the reactions at hand take them; returns the largest way that one goes.
    pub(super) fn push(&self, old: &BodyState, next: &mut BodyState, dt: f64) -> f64 {
        let mut farthest = 0.0f64;
        for dof in 0..next.u.len() {
            // a held unknown has no compliance and stays where its support put it
            if self.inverse[dof] > 0.0 {
                let place = old.u[dof] + dt * next.v[dof] + dt * dt * self.inverse[dof] * self.reaction[dof];
                farthest = farthest.max((place - next.u[dof]).abs());
                next.u[dof] = place;
            }
        }
        farthest
    }

    /// `v₊ = v₋ + κΔt M⁻¹F`, `u₁ = u₀ + Δt v₊`.
    pub(super) fn kick(&self, dim: usize, old: &BodyState, next: &mut BodyState, dt: f64, share: f64) {
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
    pub(super) fn apply(&self, old: &BodyState, next: &mut BodyState, dt: f64) {
        for dof in 0..next.u.len() {
            if self.inverse[dof] > 0.0 && self.reaction[dof] != 0.0 {
                next.v[dof] += dt * self.inverse[dof] * self.reaction[dof];
                next.u[dof] = old.u[dof] + dt * next.v[dof];
            }
        }
    }

    /// Works of the step, and the forces of supports.
    pub(super) fn works(&mut self, dim: usize, old: &BodyState, next: &BodyState, dt: f64, share: f64) -> StepWorks {
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
