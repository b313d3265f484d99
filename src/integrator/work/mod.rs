//! A body on its way through an implicit step: what every kind of body can do there.

mod nodal;
mod rigid;

pub(super) use nodal::NodalWork;
pub(super) use rigid::RigidWork;

use super::{ForceWeights, Integrator, Linearised};
use crate::bodies::{Body, BodyError, BodyState, Deformable, Rigid, Span};

/// The step that is tried.
pub(super) struct Trial<'a> {
    pub(super) scheme: &'a dyn Integrator,
    pub(super) span: Span,
    pub(super) weights: ForceWeights,
    /// Weights of mass and stiffness in the effective matrix.
    pub(super) coefficients: (f64, f64),
}

impl<'a> Trial<'a> {
    pub(super) fn new(scheme: &'a dyn Integrator, time: f64, dt: f64) -> Self {
        let span = Span {
            start: time,
            dt,
            weight: scheme.end_weight(),
            rate: scheme.velocity_coefficient(dt),
            moves: scheme.is_dynamic(),
        };
        let weights = scheme.force();
        Trial { scheme, span, weights, coefficients: (scheme.mass_coefficient(dt), weights.tangent) }
    }
}

/// What the iterations ask of a body at its current iterate. Taken down where the body's vectors are at hand anyway, so that
/// the decisions over all bodies, which one thread takes, read a few numbers of each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measures {
    /// Squared norm of the residual.
    pub(super) merit: f64,
    /// Largest residual force.
    pub(super) worst: f64,
    /// Work of the residual over the step.
    pub(super) work: f64,
    /// Largest force, or momentum over the step, which residuals are measured by.
    pub(super) force: f64,
    /// Largest way of the last increment, whole.
    pub(super) increment: f64,
    /// The way below which an increment is lost in the rounding of positions.
    pub(super) rounding: f64,
}

impl Measures {
    /// Whether the last correction was below the rounding of positions: no further one can change the state, whatever the
    /// residual says (a stiff body far from its reference place has a residual of `ε K u`).
    pub(super) fn is_exhausted(&self) -> bool {
        self.increment <= self.rounding
    }
}

/// How far a body has come in the iterations of a step.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) measures: Measures,
    /// Squared norm of the residual before the last increment, with the reactions found for it.
    pub(super) before: f64,
    /// Why the body refused the last increment.
    pub(super) refused: Option<BodyError>,
    /// Whether the body has found its place in this step: nothing is near it, and further iterations pass it by.
    pub(super) settled: bool,
    /// The length displacements are measured by.
    pub(super) size: f64,
    /// Kinetic and stored energy that the step began with.
    pub(super) energy: f64,
    /// Seconds that the iterations of the step have spent on the body.
    pub(super) spent: f64,
}

/// The memory that the iterations on a body work in.
pub(super) enum Work {
    Nodal(Box<NodalWork>),
    Rigid(Box<RigidWork>),
}

impl Work {
    pub(super) fn new(body: &Body, state: &BodyState) -> Self {
        match body {
            Body::Deformable(body) => Work::Nodal(Box::new(NodalWork::new(body))),
            Body::Rigid(body) => Work::Rigid(Box::new(RigidWork::new(body, state))),
        }
    }

    pub(super) fn progress(&self) -> &Progress {
        match self {
            Work::Nodal(work) => &work.progress,
            Work::Rigid(work) => &work.progress,
        }
    }

    pub(super) fn progress_mut(&mut self) -> &mut Progress {
        match self {
            Work::Nodal(work) => &mut work.progress,
            Work::Rigid(work) => &mut work.progress,
        }
    }

    pub(super) fn nodal(&self) -> Option<&NodalWork> {
        match self {
            Work::Nodal(work) => Some(work),
            Work::Rigid(_) => None,
        }
    }

    /// Displacements at the current iterate.
    pub(super) fn u(&self) -> &[f64] {
        match self {
            Work::Nodal(work) => &work.u,
            Work::Rigid(work) => &work.u,
        }
    }

    /// `Hᵀr` of the current iterate.
    pub(super) fn reaction(&self) -> &[f64] {
        match self {
            Work::Nodal(work) => &work.reaction,
            Work::Rigid(work) => &work.reaction,
        }
    }

    pub(super) fn reaction_mut(&mut self) -> &mut [f64] {
        match self {
            Work::Nodal(work) => &mut work.reaction,
            Work::Rigid(work) => &mut work.reaction,
        }
    }

    /// The body as contact sees it.
    pub(super) fn linearised<'a>(&'a mut self, body: &'a Body) -> Linearised<'a> {
        let (old, u, forward, reaction) = match self {
            Work::Nodal(work) => (&work.old, &work.u, &mut work.equations, &mut work.reaction),
            Work::Rigid(work) => (&work.old, &work.u, &mut work.equations, &mut work.reaction),
        };
        Linearised { body, old, u, forward, reaction, lumped: None }
    }
}

/// A body with its memory.
pub(super) enum Moving<'a> {
    Nodal(&'a mut Deformable, &'a mut NodalWork),
    Rigid(&'a mut Rigid, &'a mut RigidWork),
}

impl<'a> Moving<'a> {
    pub(super) fn new(body: &'a mut Body, work: &'a mut Work) -> Self {
        match (body, work) {
            (Body::Deformable(body), Work::Nodal(work)) => Moving::Nodal(body, work),
            (Body::Rigid(body), Work::Rigid(work)) => Moving::Rigid(body, work),
            // [`Work::new`] made it for this body
            _ => unreachable!("the memory of another kind of body"),
        }
    }

    /// First guess and its residual. With contact `near` it is the start of the step. A factor may be kept for `reuse`.
    pub(super) fn start(self, trial: &Trial<'_>, state: &BodyState, near: bool, reuse: bool) -> Result<(), BodyError> {
        match self {
            Moving::Nodal(body, work) => work.start(body, trial, state, near, reuse),
            Moving::Rigid(body, work) => work.start(body, state, &trial.span, near),
        }
    }

    /// Factors the effective matrix, unless that at hand is `kept`, and puts `L⁻¹` of minus the residual into the equations.
    pub(super) fn linearise(self, trial: &Trial<'_>, kept: bool) -> Result<(), BodyError> {
        match self {
            Moving::Nodal(body, work) => work.linearise(body, trial, kept),
            Moving::Rigid(body, work) => work.linearise(body),
        }
    }

    /// The increment, from what contact has added to the equations; the body is where it was.
    pub(super) fn solve(self) {
        match self {
            Moving::Nodal(body, work) => work.solve(body),
            Moving::Rigid(body, work) => work.solve(body),
        }
    }

    /// Moves the body by `factor` times the increment; with `coefficients` its effective matrix is assembled there.
    pub(super) fn try_increment(self, trial: &Trial<'_>, factor: f64, coefficients: Option<(f64, f64)>) {
        match self {
            Moving::Nodal(body, work) => work.try_increment(body, trial, factor, coefficients),
            Moving::Rigid(body, work) => work.try_increment(body, factor),
        }
    }
}
