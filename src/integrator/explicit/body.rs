//! A body of any kind between two explicit steps.

use super::nodes::Nodes;
use super::rigid::Carried;
use super::works::StepWorks;
use crate::bodies::{Body, BodyError, BodyState, Deformable, Rigid, Span};
use crate::integrator::Compliance;

/// What a body takes from one step to the next.
#[derive(Debug)]
pub(super) enum Stepped {
    Nodal(Box<Nodes>),
    Rigid(Box<Carried>),
}

/// A body with that.
enum Own<'a> {
    Nodal(&'a mut Deformable, &'a mut Nodes),
    Rigid(&'a Rigid, &'a mut Carried),
}

impl Stepped {
    /// A body at the start of a run, with its first forces.
    pub(super) fn new(body: &mut Body, state: &BodyState) -> Result<Self, BodyError> {
        Ok(match body {
            Body::Deformable(body) => Stepped::Nodal(Box::new(Nodes::new(body, state)?)),
            Body::Rigid(body) => Stepped::Rigid(Box::new(Carried::new(body, state))),
        })
    }

    fn with<'a>(&'a mut self, body: &'a mut Body) -> Own<'a> {
        match (body, self) {
            (Body::Deformable(body), Stepped::Nodal(own)) => Own::Nodal(body, own),
            (Body::Rigid(body), Stepped::Rigid(own)) => Own::Rigid(body, own),
            // [`Stepped::new`] made it for this body
            _ => unreachable!("the memory of another kind of body"),
        }
    }

    /// Forces of the start of the step, of which the share `share` acts over it, and where they lead without contact.
    pub(super) fn kick(
        &mut self,
        body: &mut Body,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
        share: f64,
    ) -> Result<(), BodyError> {
        match self.with(body) {
            Own::Nodal(body, own) => own.begin(body, old, next, span, share),
            Own::Rigid(body, own) => own.kick(body, old, next, span, share),
        }
    }

    /// Where the body goes with the reactions at hand; returns the largest way from where it was.
    pub(super) fn drift(
        &mut self,
        body: &Body,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
    ) -> Result<f64, BodyError> {
        match (self, body) {
            (Stepped::Rigid(own), Body::Rigid(body)) => own.drift(body, old, next, span),
            (Stepped::Nodal(own), _) => Ok(own.push(old, next, span.dt)),
            _ => Ok(0.0),
        }
    }

    /// Brings the compliance of a body that turns up to date with the iterate.
    pub(super) fn soften(&mut self, body: &Body, old: &BodyState, next: &BodyState, dt: f64) {
        if let (Stepped::Rigid(own), Body::Rigid(body)) = (self, body) {
            own.soften(body, old, next, dt);
        }
    }

    /// What contact sees of it.
    pub(super) fn parts(&mut self, squared_step: f64) -> (Compliance<'_>, &mut Vec<f64>) {
        match self {
            Stepped::Nodal(own) => own.parts(squared_step),
            Stepped::Rigid(own) => own.parts(squared_step),
        }
    }

    pub(super) fn reaction(&self) -> &[f64] {
        match self {
            Stepped::Nodal(own) => &own.reaction,
            Stepped::Rigid(own) => &own.reaction,
        }
    }

    /// Back to no reactions.
    pub(super) fn release(&mut self) {
        match self {
            Stepped::Nodal(own) => own.reaction.fill(0.0),
            Stepped::Rigid(own) => own.reaction.fill(0.0),
        }
    }

    /// Forgets the reactions of the step before; a rigid body does so when it is kicked.
    pub(super) fn clear(&mut self) {
        if let Stepped::Nodal(own) = self {
            own.clear();
        }
    }

    /// Adds the reactions to nodal velocities; those of a rigid body come from its momentum when the step is booked.
    pub(super) fn apply(&mut self, body: &Body, old: &BodyState, next: &mut BodyState, dt: f64) {
        if let Stepped::Nodal(own) = self {
            own.apply(body.dim(), old, next, dt);
        }
    }

    /// Completes the end state with its forces, and the works of the step.
    pub(super) fn works(
        &mut self,
        body: &mut Body,
        old: &BodyState,
        next: &mut BodyState,
        span: &Span,
        share: f64,
    ) -> Result<StepWorks, BodyError> {
        match self.with(body) {
            Own::Nodal(body, own) => own.end(body, old, next, span.dt, share),
            Own::Rigid(body, own) => Ok(own.works(body, old, next, span, share)),
        }
    }

    /// The step counts.
    pub(super) fn accept(&mut self, body: &mut Body) {
        match self.with(body) {
            Own::Nodal(body, own) => own.accept(body),
            Own::Rigid(_, own) => own.accept(),
        }
    }
}
