//! Outer forces of a body over a step: loads, supports and damping around the mechanics of [`Deformable`].

use super::damping::{DampingMatrix, Rayleigh};
use super::deformable::{BodyError, Deformable, scatter};
use super::loads::{LoadPattern, Loads};
use super::numbering::Numbering;
use super::span::Span;
use super::state::BodyState;
use super::supports::Support;
use crate::elements::ForceRule;
use crate::linalg::sparse::SymmetricMatrix;

/// Means over a step of what acts on a body, each with one number for each nodal unknown.
#[derive(Debug, Clone, Default)]
pub struct OuterForces {
    /// Gravity, dead loads and pressure.
    pub external: Vec<f64>,
    /// Resistance of springs to ground; empty if there are none.
    pub spring: Vec<f64>,
    /// Resistance of dashpots and material damping; empty if there is none.
    pub damping: Vec<f64>,
    /// The part of `external` that does not depend on the state.
    dead: Vec<f64>,
}

impl OuterForces {
    /// Room for a body.
    pub fn new(body: &Deformable) -> Self {
        let n = body.dof_count();
        let vector = |used: bool| vec![0.0; if used { n } else { 0 }];
        OuterForces {
            external: vector(true),
            spring: vector(!body.loads.springs.is_empty()),
            damping: vector(body.resists_velocity()),
            dead: vector(!body.loads.pressures.is_empty()),
        }
    }

    /// What acts on an unknown in all.
    #[inline]
    pub fn total(&self, dof: usize) -> f64 {
        let of = |list: &[f64]| list.get(dof).copied().unwrap_or(0.0);
        of(&self.external) - of(&self.spring) - of(&self.damping)
    }

    /// Takes the outer forces from a residual.
    pub fn subtract_from(&self, residual: &mut [f64]) {
        for (r, f) in residual.iter_mut().zip(&self.external) {
            *r -= f;
        }
        for resistance in [&self.spring, &self.damping] {
            for (r, f) in residual.iter_mut().zip(resistance) {
                *r += f;
            }
        }
    }
}

impl Deformable {
    /// Says what acts on the body from outside.
    pub fn set_loads(&mut self, loads: Loads) {
        if self.matrix.size() > 0 {
            self.load_pattern = LoadPattern::new(&loads, &self.matrix, &self.numbering, self.dim);
        }
        self.loads = loads;
    }

    /// Says how the held unknowns move. Those that no support names stay where they are.
    pub fn set_supports(&mut self, supports: Vec<Support>) {
        self.moving = supports.iter().any(Support::moves);
        self.supports = supports;
    }

    /// Gives each element group its Rayleigh damping.
    pub fn set_damping(&mut self, of_group: &[Rayleigh]) -> Result<(), BodyError> {
        if of_group.iter().all(Rayleigh::is_zero) {
            self.damping = None;
            return Ok(());
        }
        if self.matrix.size() == 0 && self.dof_count() > 0 {
            self.set_lumped_damping(of_group);
            return Ok(());
        }
        let (nodes, dim) = (self.mesh.node_count(), self.dim);
        let natural = Numbering::natural(nodes, dim);
        let mut all = SymmetricMatrix::over_graph(self.mass.graph(), nodes * dim, |n| natural.of_node(n));
        let rest = vec![0.0; nodes * dim];
        let mut force = rest.clone();
        for (group, rayleigh) in self.groups.iter().zip(of_group) {
            let places = scatter(group.as_ref(), &all, &natural, dim);
            group
                .internal(
                    ForceRule::End,
                    &rest,
                    &rest,
                    &mut force,
                    Some((&places, rayleigh.stiffness, all.values_mut())),
                )
                .map_err(|source| BodyError::Element { body: self.name.clone(), source })?;
            group.mass(&self.mesh, self.lumping, &mut |a, b, m| {
                // pairs come both ways round; the lower triangle takes each once
                if a > b {
                    return;
                }
                for i in 0..dim {
                    if let Some(at) = all.position((a * dim + i) as u32, (b * dim + i) as u32) {
                        all.values_mut()[at as usize] += rayleigh.mass * m;
                    }
                }
            });
        }
        self.damping = Some(DampingMatrix::new(all, &self.matrix, &self.numbering, dim));
        Ok(())
    }

    /// What acts on the body from outside.
    pub fn loads(&self) -> &Loads {
        &self.loads
    }

    /// Supports in the order of the case.
    pub fn supports(&self) -> &[Support] {
        &self.supports
    }

    /// Whether a support moves.
    pub fn is_moved(&self) -> bool {
        self.moving
    }

    /// Whether the velocity at the end of a step enters its forces.
    pub fn resists_velocity(&self) -> bool {
        self.damping.is_some() || self.lumped_damping.is_some() || !self.loads.dashpots.is_empty()
    }

    /// Whether the tangent of the outer forces changes from step to step.
    pub fn has_varying_tangent(&self) -> bool {
        !self.loads.pressures.is_empty()
    }

    /// Prepares the outer forces of a step: what depends on time alone.
    pub fn begin_outer(&self, span: &Span, forces: &mut OuterForces) -> Result<(), BodyError> {
        let dead = if self.loads.pressures.is_empty() { &mut forces.external } else { &mut forces.dead };
        dead.copy_from_slice(self.gravity_force());
        self.loads.add_dead(span, dead);
        self.check_finite(dead)
    }

    /// Outer forces of the step `old → (u₁, v₁)`. With `tangent` their derivative is added to the effective matrix that
    /// [`Deformable::internal_force`] has just assembled.
    pub fn outer_force(
        &mut self,
        span: &Span,
        old: &BodyState,
        u1: &[f64],
        v1: &[f64],
        forces: &mut OuterForces,
        tangent: bool,
    ) -> Result<(), BodyError> {
        if !self.loads.pressures.is_empty() {
            forces.external.copy_from_slice(&forces.dead);
            let matrix = if tangent { Some((&self.load_pattern, self.matrix.values_mut())) } else { None };
            let ends = (old.u.as_slice(), u1);
            self.loads.add_pressure(&self.mesh, self.section, span, ends, &mut forces.external, matrix);
            self.check_finite(&forces.external)?;
        }
        if !forces.spring.is_empty() {
            forces.spring.fill(0.0);
            self.loads.add_springs(span, &old.u, u1, &mut forces.spring);
        }
        if !forces.damping.is_empty() {
            forces.damping.fill(0.0);
            self.loads.add_dashpots(span, old, v1, &mut forces.damping);
            if let Some(damping) = &self.damping {
                damping.add_product(span.weight, &old.v, v1, &mut forces.damping);
            }
            self.add_lumped_damping(&old.v, &mut forces.damping)?;
        }
        if tangent {
            if let Some(damping) = &self.damping {
                damping.add_to(span.weight * span.rate, self.matrix.values_mut());
            }
            self.loads.add_tangents(span, &self.load_pattern, self.matrix.values_mut());
        }
        Ok(())
    }

    fn check_finite(&self, force: &[f64]) -> Result<(), BodyError> {
        if force.iter().all(|f| f.is_finite()) {
            return Ok(());
        }
        Err(BodyError::NonFinite { body: self.name.clone(), what: "load" })
    }
}
