//! A deformable body between two explicit steps.

use rayon::prelude::*;

use super::stable::Stable;
use super::works::StepWorks;
use crate::bodies::{BodyError, BodyState, Deformable, OuterForces, Span};
use crate::elements::Sums;
use crate::integrator::Compliance;

/// Nodes of a block: sums are taken block by block, whoever computes them; few enough for threads to share the blocks evenly.
const BLOCK: usize = 512;

/// One body between two steps.
#[derive(Debug)]
pub(super) struct Nodes {
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
    /// Unknowns with a reaction when nodes were pushed last.
    pub(super) pressed: Vec<u32>,
    pub(super) stable: Stable,
    pub(super) stored: Sums,
    pub(super) next_stored: Sums,
    pub(super) spring: f64,
    pub(super) next_spring: f64,
    /// Held unknowns with the force of their support over the last step.
    pub(super) held: Vec<(u32, f64)>,
    pub(super) moved: Vec<u32>,
    /// Works of each block of nodes, and whether something moved a node there since.
    pub(super) blocks: Vec<StepWorks>,
    pub(super) stale: Vec<bool>,
}

impl Nodes {
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
        Ok(Nodes {
            stable: Stable::new(body, state, &mass),
            mass,
            inverse,
            next_force: force.clone(),
            force,
            outer: OuterForces::new(body),
            loaded: body.is_loaded(),
            reaction: vec![0.0; n],
            pressed: Vec::new(),
            stored: Sums { dissipated: 0.0, ..stored },
            next_stored: stored,
            spring,
            next_spring: spring,
            held,
            moved: Vec::new(),
            blocks: vec![StepWorks::default(); nodes.div_ceil(BLOCK)],
            stale: vec![false; nodes.div_ceil(BLOCK)],
        })
    }

    /// Forces from outside, where they lead with those of the elements, and where supports go.
    pub(super) fn begin(
        &mut self,
        body: &mut Deformable,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
        share: f64,
    ) -> Result<(), BodyError> {
        if self.loaded {
            body.begin_outer(span, &mut self.outer)?;
            body.outer_force(span, old, &old.u, &old.v, &mut self.outer, false)?;
        }
        self.kick(body.dim(), old, next, span.dt, share);
        self.moved.clear();
        for support in body.supports() {
            support.advance(&body.mesh, body.dim(), old, span, |dof, place, _| {
                next.u[dof] = place;
                next.v[dof] = (place - old.u[dof]) / span.dt;
                self.moved.push(dof as u32);
            });
        }
        Ok(())
    }

    /// Forces at the end of the step, and its works.
    pub(super) fn end(
        &mut self,
        body: &mut Deformable,
        old: &BodyState,
        next: &BodyState,
        dt: f64,
        share: f64,
    ) -> Result<StepWorks, BodyError> {
        self.next_stored = body.explicit_force(&next.u, &next.v, &mut self.next_force)?;
        self.next_spring = body.loads().spring_energy(&next.u);
        let works = self.works(body.dim(), old, next, dt, share);
        if !works.kinetic.is_finite() || !works.internal.is_finite() {
            return Err(BodyError::NonFinite { body: body.name.clone(), what: "force or velocity" });
        }
        Ok(works)
    }

    /// The end of the step is the start of the next.
    pub(super) fn accept(&mut self, body: &mut Deformable) {
        std::mem::swap(&mut self.force, &mut self.next_force);
        self.stored = self.next_stored;
        self.spring = self.next_spring;
        body.commit();
    }

    /// What contact sees of it.
    pub(super) fn parts(&mut self, squared_step: f64) -> (Compliance<'_>, &mut Vec<f64>) {
        (Compliance { squared_step, inverse_mass: &self.inverse, turns: None }, &mut self.reaction)
    }

    /// Forgets the reactions of the step before.
    pub(super) fn clear(&mut self) {
        self.reaction.fill(0.0);
        self.pressed.clear();
    }

    /// Moves the nodes where the reactions at hand take them; returns the largest way that one goes. Where there is no reaction and
    /// was none before, a node is where the free step leads.
    pub(super) fn push(&mut self, old: &BodyState, next: &mut BodyState, dt: f64) -> f64 {
        let (inverse, reaction) = (&self.inverse, &self.reaction);
        let mut farthest = 0.0f64;
        let mut place = |dof: usize| {
            // a held unknown has no compliance and stays where its support put it
            if inverse[dof] > 0.0 {
                let place = old.u[dof] + dt * next.v[dof] + dt * dt * inverse[dof] * reaction[dof];
                farthest = farthest.max((place - next.u[dof]).abs());
                next.u[dof] = place;
            }
        };
        self.pressed.iter().for_each(|&dof| place(dof as usize));
        self.pressed.clear();
        for dof in (0..reaction.len()).filter(|&dof| reaction[dof] != 0.0) {
            place(dof);
            self.pressed.push(dof as u32);
        }
        farthest
    }

    /// `v₊ = v₋ + κΔt M⁻¹F`, `u₁ = u₀ + Δt v₊`, and the works of that, as long as nothing else moves a node.
    fn kick(&mut self, dim: usize, old: &BodyState, next: &mut BodyState, dt: f64, share: f64) {
        match (dim, self.loaded) {
            (2, false) => self.kick_nodes::<2, false>(old, next, dt, share),
            (2, true) => self.kick_nodes::<2, true>(old, next, dt, share),
            (_, false) => self.kick_nodes::<3, false>(old, next, dt, share),
            (_, true) => self.kick_nodes::<3, true>(old, next, dt, share),
        }
        for &(dof, _) in &self.held {
            let dof = dof as usize;
            next.v[dof] = old.v[dof];
            next.u[dof] = old.u[dof] + dt * old.v[dof];
            self.stale[dof / dim / BLOCK] = true;
        }
    }

    fn kick_nodes<const D: usize, const LOADED: bool>(
        &mut self,
        old: &BodyState,
        next: &mut BodyState,
        dt: f64,
        share: f64,
    ) {
        let (mass, force, outer) = (&self.mass, nodal::<D>(&self.force), &self.outer);
        let (u0, v0) = (nodal::<D>(&old.u), nodal::<D>(&old.v));
        let (u, v) = (next.u.as_chunks_mut::<D>().0, next.v.as_chunks_mut::<D>().0);
        let nodes = u.par_chunks_mut(BLOCK).zip(v.par_chunks_mut(BLOCK));
        let blocks = self.blocks.par_iter_mut().zip(self.stale.par_iter_mut());
        nodes.zip(blocks).enumerate().for_each(|(block, ((u, v), (works, stale)))| {
            let range = block * BLOCK..block * BLOCK + u.len();
            let (mass, force) = (&mass[range.clone()], &force[range.clone()]);
            let (u0, v0) = (&u0[range.clone()], &v0[range.clone()]);
            let mut sum = StepWorks::default();
            for k in 0..u.len() {
                let scale = share * dt / mass[k];
                for i in 0..D {
                    let outside = if LOADED { outer.total((range.start + k) * D + i) } else { 0.0 };
                    v[k][i] = v0[k][i] + scale * (outside - force[k][i]);
                    u[k][i] = u0[k][i] + dt * v[k][i];
                }
                book(&mut sum, mass[k], [&u0[k], &u[k]], [&v0[k], &v[k]], &force[k]);
                if LOADED {
                    book_outer(&mut sum, range.start + k, [&u0[k], &u[k]], outer);
                }
            }
            *works = sum.over(share);
            *stale = false;
        });
    }

    /// Adds the reactions to the velocities; places follow.
    pub(super) fn apply(&mut self, dim: usize, old: &BodyState, next: &mut BodyState, dt: f64) {
        for &dof in &self.pressed {
            let dof = dof as usize;
            if self.inverse[dof] > 0.0 {
                next.v[dof] += dt * self.inverse[dof] * self.reaction[dof];
                next.u[dof] = old.u[dof] + dt * next.v[dof];
                self.stale[dof / dim / BLOCK] = true;
            }
        }
    }

    /// The works of blocks in which something else moved a node.
    fn renew<const D: usize>(&mut self, old: &BodyState, next: &BodyState, share: f64) {
        if !self.stale.contains(&true) {
            return;
        }
        let (mass, force, outer, loaded) = (&self.mass, nodal::<D>(&self.force), &self.outer, self.loaded);
        let [u0, u, v0, v] = [&old.u, &next.u, &old.v, &next.v].map(|list| nodal::<D>(list));
        let blocks = self.blocks.par_iter_mut().zip(self.stale.par_iter()).enumerate();
        blocks.filter(|(_, (_, stale))| **stale).for_each(|(block, (works, _))| {
            let mut sum = StepWorks::default();
            for k in block * BLOCK..(block * BLOCK + BLOCK).min(mass.len()) {
                book(&mut sum, mass[k], [&u0[k], &u[k]], [&v0[k], &v[k]], &force[k]);
                if loaded {
                    book_outer(&mut sum, k, [&u0[k], &u[k]], outer);
                }
            }
            *works = sum.over(share);
        });
    }

    /// Works of the step, and the forces of supports.
    fn works(&mut self, dim: usize, old: &BodyState, next: &BodyState, dt: f64, share: f64) -> StepWorks {
        if dim == 2 {
            self.renew::<2>(old, next, share);
        } else {
            self.renew::<3>(old, next, share);
        }
        let (mass, force, outer, loaded) = (&self.mass, &self.force, &self.outer, self.loaded);
        let mut works = StepWorks::default();
        self.blocks.iter().for_each(|block| works.add(block));
        for (dof, support) in &mut self.held {
            let dof = *dof as usize;
            let outside = if loaded { outer.total(dof) } else { 0.0 };
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

/// A nodal field, node by node.
fn nodal<const D: usize>(field: &[f64]) -> &[[f64; D]] {
    field.as_chunks().0
}

/// Adds the works of a node but for the factors that all nodes share, see [`StepWorks::over`].
#[inline(always)]
fn book<const D: usize>(sum: &mut StepWorks, mass: f64, u: [&[f64; D]; 2], v: [&[f64; D]; 2], force: &[f64; D]) {
    let (mut squares, mut changes, mut work) = (0.0, 0.0, 0.0);
    for i in 0..D {
        let change = v[1][i] - v[0][i];
        squares += v[1][i] * v[1][i];
        changes += change * change;
        work += (u[1][i] - u[0][i]) * force[i];
    }
    sum.kinetic += mass * squares;
    sum.inertia += mass * changes;
    sum.internal += work;
}

/// Adds the works of outer forces on a node.
#[inline(always)]
fn book_outer<const D: usize>(sum: &mut StepWorks, node: usize, u: [&[f64; D]; 2], outer: &OuterForces) {
    for i in 0..D {
        let (moved, dof) = (u[1][i] - u[0][i], node * D + i);
        let of = |list: &[f64]| list.get(dof).copied().unwrap_or(0.0);
        sum.internal += moved * of(&outer.spring);
        sum.external += moved * of(&outer.external);
        sum.damping += moved * of(&outer.damping);
    }
}
