//! Time as a model gives it: interval, step, scheme, and when Newton's iterations stop.

pub use crate::integrator::{ContactShare, Force as StepForce, Reuse};
use crate::integrator::{GeneralizedAlpha, Integrator, Jean, Leapfrog, NewtonOptions, QuasiStatic};

/// Time interval, scheme and what to do when a step fails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// End of the simulated time; it starts at 0.
    pub end: f64,
    /// Step, > 0 and at most `end`; the first one if the step adapts.
    pub step: f64,
    /// How the step adapts. Default not at all.
    pub adaptive: Option<Adaptive>,
    /// Whether the step follows the limit of the explicit scheme; `step` then only says what counts as an instant.
    pub auto: bool,
    /// Time scheme.
    pub scheme: Scheme,
    /// Stopping rule of the Newton iteration.
    pub newton: Newton,
    /// How often a failing step may be halved, 0 to 30. Default 8: a step 256 times smaller that still fails does not
    /// fail for its size.
    pub max_halvings: u32,
}

impl Time {
    /// Steps of one length, halved where one fails.
    pub fn new(end: f64, step: f64) -> Self {
        Time {
            end,
            step,
            adaptive: None,
            auto: false,
            scheme: Scheme::default(),
            newton: Newton::default(),
            max_halvings: Self::HALVINGS,
        }
    }

    /// How often a failing step is halved where nothing else is said.
    pub const HALVINGS: u32 = 8;

    /// Share of a run that counts as an instant where no step is given.
    pub const INSTANT: f64 = 1e-9;
}

/// Limits of an adaptive step. After a step that took n Newton iterations the next one is `√(iterations/n)` times as long, at
/// least half and at most one and a half times; frames are met by cutting what is left before them into equal steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// Shortest step. Default a thousandth of the first one.
    pub min: f64,
    /// Longest step.
    pub max: f64,
    /// Newton iterations that keep the length. Default 8.
    pub iterations: u32,
    /// Largest energy the scheme may lose or make in one step, as a share of the largest energy of the run so far (in
    /// bodies and springs, or put in by loads). A step that exceeds it is done again shorter, down to `min`.
    pub energy: Option<f64>,
}

/// Time scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Load steps without inertia.
    QuasiStatic,
    /// Leapfrog with lumped mass.
    Explicit {
        /// Share of the stable step that a step of length `auto` takes, in (0, 1]. Default 0.9.
        courant: f64,
    },
    /// The two-parameter scheme of Jean: displacement with theta, forces with xi.
    Jean {
        /// Weight of the end velocity in the displacement, in (0, 1]. Default 1/2, second order.
        theta: f64,
        /// Weight of the end forces, in (0, 1]. Default 1/2, no algorithmic loss on linear bodies.
        xi: f64,
        /// How the internal force of a step is formed. Default trapezoidal.
        force: StepForce,
    },
    /// Newmark's scheme.
    Newmark {
        /// Weight of the end acceleration in the displacement, in (0, 1]. Default 1/4.
        beta: f64,
        /// Weight of the end acceleration in the velocity, in [1/2, 1]. Default 1/2, second order.
        gamma: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
    /// The scheme of Hilber, Hughes and Taylor.
    Hht {
        /// Numerical damping, in [0, 1/3]. Default 0.1.
        alpha: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
    /// The generalised-α scheme of Chung and Hulbert.
    GeneralizedAlpha {
        /// Spectral radius at high frequency, in [0, 1]: 1 damps nothing, 0 annihilates. Default 0.8.
        spectral_radius: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
}

impl Default for Scheme {
    /// Jean's with θ = ξ = ½.
    fn default() -> Self {
        Scheme::Jean { theta: 0.5, xi: 0.5, force: StepForce::Trapezoidal }
    }
}

impl Scheme {
    /// The scheme as the steps take it.
    pub(super) fn build(self) -> Box<dyn Integrator> {
        match self {
            Scheme::Jean { theta, xi, force } => Box::new(Jean { theta, xi, force }),
            Scheme::QuasiStatic => Box::new(QuasiStatic),
            Scheme::Explicit { .. } => Box::new(Leapfrog),
            Scheme::Newmark { beta, gamma, contact } => Box::new(GeneralizedAlpha::newmark(beta, gamma, contact)),
            Scheme::Hht { alpha, contact } => Box::new(GeneralizedAlpha::hht(alpha, contact)),
            Scheme::GeneralizedAlpha { spectral_radius, contact } => {
                Box::new(GeneralizedAlpha::chung_hulbert(spectral_radius, contact))
            }
        }
    }

    /// Share of the stable step that explicit steps take.
    pub(super) fn courant(self) -> Option<f64> {
        match self {
            Scheme::Explicit { courant } => Some(courant),
            _ => None,
        }
    }
}

/// Stopping rule of the Newton iteration; both relative measures must be met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newton {
    /// Relative residual, in (0, 1e-2]. Default 1e-10.
    pub residual: f64,
    /// Relative increment, in (0, 1e-2]. Default 1e-10.
    pub increment: f64,
    /// Most iterations of a step, 1 to 1000. Default 30.
    pub max_iterations: u32,
    /// When a factor is kept while it contracts. Default always.
    pub reuse: Reuse,
}

impl Default for Newton {
    fn default() -> Self {
        Newton { residual: 1e-10, increment: 1e-10, max_iterations: 30, reuse: Reuse::Always }
    }
}

impl From<Newton> for NewtonOptions {
    fn from(rule: Newton) -> Self {
        let Newton { residual, increment, max_iterations, reuse } = rule;
        NewtonOptions { residual, increment, max_iterations: max_iterations as usize, reuse }
    }
}
