//! What explicit steps ask of a body: forces, the memory of its points, and how fast its fastest element is.

use super::damping::{LumpedDamping, Rayleigh};
use super::deformable::{BodyError, Deformable};
use crate::elements::Sums;

/// Displacement, as a share of the distance of nodes, by which stiffness-proportional damping feels `K₀`.
const PUSH: f64 = 1e-6;

impl Deformable {
    /// Internal force at a state into `force`, with its energies. Points with a memory get a new one, which
    /// [`Deformable::commit`] makes theirs.
    pub fn explicit_force(&mut self, u: &[f64], v: &[f64], force: &mut [f64]) -> Result<Sums, BodyError> {
        let mut sums = Sums::default();
        for (k, group) in self.groups.iter_mut().enumerate() {
            let own = group
                .advance(u, v, force, k > 0)
                .map_err(|source| BodyError::Element { body: self.name.clone(), source })?;
            sums.add(&own);
        }
        Ok(sums)
    }

    /// Accepts the memory of the last state.
    pub fn commit(&mut self) {
        self.groups.iter_mut().for_each(|group| group.commit());
    }

    /// Appends the accepted memory of all points.
    pub fn memory(&self, out: &mut Vec<f64>) {
        self.groups.iter().for_each(|group| group.memory(out));
    }

    /// Takes over what [`Deformable::memory`] gave and returns what follows it; `None` if it does not fit.
    pub fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        self.groups.iter_mut().try_fold(memory, |rest, group| group.recall(rest))
    }

    /// Whether anything but contact acts from outside.
    pub fn is_loaded(&self) -> bool {
        let loads = &self.loads;
        let bare = loads.dead.is_empty() && loads.pressures.is_empty() && loads.springs.is_empty();
        !bare || self.resists_velocity() || self.gravity_force().iter().any(|g| *g != 0.0)
    }

    /// Largest `ω²` of an element at a state; `share` is the mass of each node over the claims of its elements. Groups that
    /// know their reference state only stand for themselves. With `adapt`, elements change their claims by `ω` times its root.
    pub fn fastest(&mut self, u: &[f64], share: &[f64], steps: usize, adapt: Option<f64>) -> f64 {
        if self.knows_frequencies() {
            return self.groups.iter_mut().map(|group| group.fastest(u, share, steps, adapt)).fold(0.0, f64::max);
        }
        (2.0 / self.critical_step()).powi(2)
    }

    /// Whether [`Deformable::fastest`] knows the current state.
    pub fn knows_frequencies(&self) -> bool {
        self.groups.iter().all(|group| group.knows_frequencies())
    }

    /// Whether points remember what happened to them.
    pub fn has_memory(&self) -> bool {
        self.groups.iter().any(|group| group.material().law.has_memory())
    }

    /// Distance of nodes in the smallest element, roughly.
    pub fn spacing(&self) -> f64 {
        let own = self.groups.iter().map(|g| g.critical_step() * g.material().wave_speed());
        own.fold(f64::INFINITY, f64::min)
    }

    /// Damping per mass of a mode with this `ω²`.
    pub fn lumped_damping_rate(&self, squared: f64) -> f64 {
        self.lumped_damping.as_ref().map_or(0.0, |c| c.largest.mass + c.largest.stiffness * squared)
    }

    /// Gives each element group its Rayleigh damping in the form for explicit steps.
    pub(super) fn set_lumped_damping(&mut self, of_group: &[Rayleigh]) {
        let n = self.dof_count();
        let mut nodal = vec![0.0; self.mesh.node_count()];
        for (group, rayleigh) in self.groups.iter().zip(of_group) {
            group.mass(&self.mesh, self.lumping, &mut |a, _, m| nodal[a] += rayleigh.mass * m);
        }
        let stiffness: Vec<f64> = of_group.iter().map(|r| r.stiffness).collect();
        let largest = Rayleigh {
            mass: of_group.iter().map(|r| r.mass).fold(0.0, f64::max),
            stiffness: stiffness.iter().copied().fold(0.0, f64::max),
        };
        let room = if largest.stiffness > 0.0 { n } else { 0 };
        let (push, force) = (vec![0.0; room], vec![0.0; room]);
        let spacing = self.spacing();
        self.lumped_damping = Some(LumpedDamping { nodal, stiffness, largest, spacing, push, force });
    }

    /// Adds the resistance of damping to velocities `v`.
    pub(super) fn add_lumped_damping(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), BodyError> {
        let Some(damping) = &mut self.lumped_damping else { return Ok(()) };
        for (dof, out) in out.iter_mut().enumerate() {
            *out += damping.nodal[dof / self.dim] * v[dof];
        }
        let fastest = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if damping.largest.stiffness == 0.0 || fastest == 0.0 {
            return Ok(());
        }
        let scale = PUSH * damping.spacing / fastest;
        for (push, v) in damping.push.iter_mut().zip(v) {
            *push = scale * v;
        }
        for (group, beta) in self.groups.iter_mut().zip(&damping.stiffness).filter(|(_, beta)| **beta > 0.0) {
            group
                .advance(&damping.push, v, &mut damping.force, false)
                .map_err(|source| BodyError::Element { body: self.name.clone(), source })?;
            for (out, force) in out.iter_mut().zip(&damping.force) {
                *out += beta / scale * force;
            }
        }
        Ok(())
    }
}
