//! All bodies on their way through a step, with the memory every iteration works in.

use crate::bodies::{BodyState, Deformable};
use crate::elements::ForceRule;

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
    pub(super) equations: Vec<f64>,
    pub(super) increment: Vec<f64>,
    pub(super) saved: Vec<f64>,
    /// Energy of the state the force was evaluated at.
    pub(super) energy: f64,
    /// Coefficients and step start for which the effective matrix was last assembled at the end of a step.
    pub(super) assembled: Option<(f64, f64)>,
    pub(super) size: f64,
    pub(super) largest_momentum: f64,
    /// Kinetic energy at the start of the step.
    pub(super) kinetic: f64,
}

/// All bodies and their work space.
pub struct System {
    /// The bodies.
    pub bodies: Vec<Deformable>,
    /// Their states at the start of the next step.
    pub states: Vec<BodyState>,
    /// Largest kinetic and stored energy met so far.
    pub(super) largest_energy: f64,
    pub(super) work: Vec<Work>,
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "System({} bodies)", self.bodies.len())
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
                    increment: equations.clone(),
                    equations,
                    saved: vector(),
                    energy: 0.0,
                    assembled: None,
                    size: body.size(),
                    largest_momentum: 0.0,
                    kinetic: 0.0,
                }
            })
            .collect();
        System { bodies, states, work, largest_energy: 0.0 }
    }

    /// Displacements at the end of the last step that was tried.
    pub fn trial(&self, body: usize) -> &[f64] {
        &self.work[body].u
    }

    /// Mean internal force of the last step.
    pub fn mean_force(&self, body: usize) -> &[f64] {
        &self.work[body].mean
    }

    /// Reaction `Hᵀr` of the last step, node by node.
    pub fn reaction(&self, body: usize) -> &[f64] {
        &self.work[body].reaction
    }

    /// Stored energy at the end of the last step, if the scheme evaluated its force there.
    pub fn energy_at_end(&self, body: usize, rule: ForceRule) -> Option<f64> {
        (rule == ForceRule::End).then(|| self.work[body].energy)
    }
}
