//! What every source of contact points is told: where the bodies are, and the law of the declared contact.

use super::Vector;
use super::zone::Level;
use crate::bodies::{Bodies, BodyState, Deformable};
use crate::contact::friction::Friction;
use crate::integrator::Linearised;

/// Deformable bodies where they are.
pub trait Placed: Sync {
    /// Where a node of a body is.
    fn position(&self, body: usize, node: usize) -> Vector;
}

/// Bodies in given states.
#[derive(Debug, Clone, Copy)]
pub struct InStates<'a>(pub Bodies<'a>, pub &'a [BodyState]);

impl Placed for InStates<'_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        self.0.with_nodes(body).position(&self.1[body].u, node)
    }
}

/// Bodies with given displacements.
#[derive(Debug, Clone, Copy)]
pub struct Displaced<'a>(pub Bodies<'a>, pub &'a [&'a [f64]]);

impl Placed for Displaced<'_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        self.0.with_nodes(body).position(self.1[body], node)
    }
}

/// Bodies at the current iterate of a step.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Iterate<'a, 'b>(pub &'a [Linearised<'b>]);

impl Placed for Iterate<'_, '_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        let Linearised { body, u, .. } = &self.0[body];
        body.deformable().map_or_else(Vector::zeros, |body| body.position(u, node))
    }
}

/// Bodies where the scheme takes the moments of forces: halfway between the start of a step and its current iterate, in explicit
/// steps at its start (`x₁ × m v₊ = x₀ × m v₊`).
#[derive(Clone, Copy)]
pub(in crate::contact) struct Halfway<'a, 'b>(pub &'a [Linearised<'b>]);

impl Placed for Halfway<'_, '_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        let Linearised { body, old, u, lumped, .. } = &self.0[body];
        let place = |body: &Deformable| match lumped {
            Some(_) => body.position(&old.u, node),
            None => 0.5 * (body.position(&old.u, node) + body.position(u, node)),
        };
        body.deformable().map_or_else(Vector::zeros, place)
    }
}

/// The law of a declared contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Terms {
    /// Number of the contact in the case.
    pub number: u32,
    /// Coulomb's law.
    pub friction: Friction,
    /// What the normal condition is imposed on.
    pub level: Level,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Search distance, if the case gives one.
    pub search: Option<f64>,
}
