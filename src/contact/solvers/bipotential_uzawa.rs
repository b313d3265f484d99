//! The bi-potential Uzawa algorithm (deSaxceFeng1998; FengEtAl2006): predict `τ = r − ρ û`, correct `r = Proj_K(τ)`, for all
//! points at once; and Korpelevich's extragradient, which corrects again with the `û` of the first correction.
//!
//! Limit: where friction is so strong that points can wedge (`μ‖W_nt‖` near `W_nn`), or where one node is held by two normals
//! (the tip of an obstacle right at a node), the map does not contract for any ρ or hardly does, and the solver reports that
//! it did not converge.

use super::products::{all_shifted, couplings, largest_eigenvalue};
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::project;
use crate::contact::problem::{Problem, attainable, residual};

/// How ρ is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Step {
    /// One for all points, `1/λ_max(W)`.
    #[default]
    Fixed,
    /// One for each point, the inverse of the size of its block row.
    PerPoint,
    /// As [`Step::PerPoint`], and all of them longer or shorter as `û` follows (Khobotov1987, with the constants of Han and Sun).
    Adaptive,
}

/// Predictor–corrector.
#[derive(Debug, Clone)]
pub struct Uzawa {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: usize,
    /// ρ in units of what `step` derives from the problem, in (0, 2). The step shrinks by itself where friction makes it too
    /// long.
    pub rho: f64,
    step: Step,
    extragradient: bool,
    next: Vec<f64>,
    hat: Vec<f64>,
    later: Vec<f64>,
    /// `ρ` of each point, without the common factor.
    lengths: Vec<f64>,
}

impl Uzawa {
    /// With a tolerance, a limit and the relative step, one for all points.
    pub fn new(tolerance: f64, max_iterations: usize, rho: f64) -> Self {
        Self::with_step(tolerance, max_iterations, rho, Step::Fixed)
    }

    /// With a choice of the step.
    pub fn with_step(tolerance: f64, max_iterations: usize, rho: f64, step: Step) -> Self {
        let (next, hat, later, lengths) = Default::default();
        Uzawa { tolerance, max_iterations, rho, step, extragradient: false, next, hat, later, lengths }
    }

    /// The extragradient method, with adaptive steps.
    pub fn extragradient(tolerance: f64, max_iterations: usize) -> Self {
        Uzawa { extragradient: true, ..Self::with_step(tolerance, max_iterations, 1.0, Step::Adaptive) }
    }

    /// Tens of iterations without a fall of the residual by a tenth before the step is cut.
    const PATIENCE: usize = 30;
    /// Largest ratio of `ρ‖Δû‖` to `‖Δr‖`, the one below which ρ grows, and by how much it changes.
    const RATIOS: [f64; 2] = [0.9, 0.3];
    const CHANGE: [f64; 2] = [2.0 / 3.0, 1.5];

    fn iterate<const D: usize>(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let size = problem.q().len();
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport::solved(0, judged));
        }
        self.next.resize(size, 0.0);
        self.hat.resize(size, 0.0);
        self.later.resize(size, 0.0);
        if self.step == Step::Fixed {
            let length = 1.0 / largest_eigenvalue::<D>(problem, |_| 1.0, 1e-3, &mut self.next, &mut self.hat);
            self.lengths.clear();
            self.lengths.resize(problem.points(), length);
        } else {
            couplings::<D>(problem, &mut self.lengths);
            self.lengths.iter_mut().for_each(|length| *length = 1.0 / length.max(f64::MIN_POSITIVE));
        }
        let mut rho = self.rho;
        let (mut best, mut since_best, mut cut) = (judged, 0, false);
        let mut known = false;
        for iteration in 1..=self.max_iterations {
            if !known {
                all_shifted::<D>(problem, r, &mut self.hat);
            }
            self.correct::<D>(problem, r, rho);
            if self.step == Step::Adaptive {
                rho = self.adapt::<D>(problem, r, rho);
            }
            if self.extragradient {
                std::mem::swap(&mut self.hat, &mut self.later);
                self.correct::<D>(problem, r, rho);
            }
            r.copy_from_slice(&self.next);
            // without the second correction the û of this one is that of the next prediction
            known = self.step == Step::Adaptive && !self.extragradient;
            if known {
                std::mem::swap(&mut self.hat, &mut self.later);
            }
            // the judge costs another product with W: ten corrections share it
            if iteration % 10 != 0 && iteration != self.max_iterations {
                continue;
            }
            judged = residual(problem, r);
            if judged <= tolerance {
                return Ok(SolverReport::solved(iteration, judged));
            }
            since_best += 1;
            if judged < 0.9 * best {
                (best, since_best) = (judged, 0);
            }
            if since_best >= Self::PATIENCE && !cut {
                // the shift makes û change up to 1 + μ times faster than W says
                rho /= 1.0 + problem.roughest();
                cut = true;
            }
        }
        Err(SolverError::exhausted(self.name(), problem, self.max_iterations, judged, tolerance))
    }

    /// `next = Proj(r − ρ hat)`.
    fn correct<const D: usize>(&mut self, problem: &dyn Problem, r: &[f64], rho: f64) {
        for (i, friction) in problem.friction().iter().enumerate() {
            let length = rho * self.lengths[i];
            let tau = std::array::from_fn(|a| r[i * D + a] - length * self.hat[i * D + a]);
            self.next[i * D..(i + 1) * D].copy_from_slice(&project::<D>(&tau, friction));
        }
    }

    /// Shortens ρ until `û` follows the correction slowly enough and leaves the `û` of the correction in `later`; returns the ρ
    /// to go on with.
    fn adapt<const D: usize>(&mut self, problem: &dyn Problem, r: &[f64], rho: f64) -> f64 {
        let mut rho = rho;
        for _ in 0..40 {
            all_shifted::<D>(problem, &self.next, &mut self.later);
            let (mut moved, mut followed) = (0.0, 0.0);
            for k in 0..r.len() {
                let length = self.lengths[k / D];
                moved += (self.next[k] - r[k]).powi(2) / length;
                followed += (self.later[k] - self.hat[k]).powi(2) * length;
            }
            let ratio = rho * (followed / moved.max(f64::MIN_POSITIVE)).sqrt();
            if ratio <= Self::RATIOS[0] || moved == 0.0 {
                return if ratio < Self::RATIOS[1] && moved > 0.0 { Self::CHANGE[1] * rho } else { rho };
            }
            rho *= Self::CHANGE[0] * (1.0f64).min(1.0 / ratio);
            self.correct::<D>(problem, r, rho);
        }
        rho
    }
}

impl ContactSolver for Uzawa {
    fn name(&self) -> &'static str {
        if self.extragradient { "extragradient" } else { "uzawa" }
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim() {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}
