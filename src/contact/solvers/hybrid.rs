//! Gauss–Seidel while it contracts fast enough, Newton where it does not, Gauss–Seidel again where Newton fails.
//!
//! After every few sweeps the contraction is measured and the sweeps still missing are forecast. When they would cost more
//! operations than the Newton steps that usually suffice, Newton takes over from where the sweeps arrived and, if that
//! fails, from where they started: sweeps may grow apart. A body pressed hard is stable only through its contacts, and `W` is then not definite.

use super::newton::Newton;
use super::sweep::sweep;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, attainable, residual};

/// Picks the method by the contraction it sees.
#[derive(Debug, Clone)]
pub struct Hybrid {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Sweeps and Newton steps before giving up.
    pub max_iterations: usize,
    newton: Newton,
    /// The guess.
    start: Vec<f64>,
}

impl Hybrid {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Hybrid { tolerance, max_iterations, newton: Newton::new(tolerance, max_iterations), start: Vec::new() }
    }

    /// Sweeps between two looks at the contraction.
    const LOOK: usize = 8;
    /// Newton steps that a problem usually needs after some sweeps.
    const USUAL: f64 = 10.0;
    /// Newton steps granted at once.
    const GRANTED: usize = 200;
    /// Share of a sweep's operations per point that is not products with `W`: the local solution.
    const LOCAL: f64 = 120.0;
    /// Operations of a sparse factorisation per stored number of `W`, and of setting up any step per unknown.
    const FILL: f64 = 40.0;

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut target = tolerance;
        let limit = self.max_iterations;
        let exchange = exchange_rate::<D>(problem);
        let (mut iterations, mut before) = (0, f64::INFINITY);
        let mut tried = false;
        self.start.clear();
        self.start.extend_from_slice(r);
        while judged > tolerance && iterations < limit {
            let change = sweep::<D>(problem, r);
            iterations += 1;
            let relative = change.relative();
            // the judge costs as much as a sweep: ask only when the last change was small
            if relative <= target || change.change == 0.0 {
                judged = residual(problem, r);
                target = target.min(relative) * 0.5;
                continue;
            }
            if tried || iterations % Self::LOOK != 0 {
                continue;
            }
            let rate = (relative / before).powf(1.0 / Self::LOOK as f64);
            let missing = if rate < 1.0 { (tolerance / relative).ln() / rate.ln() } else { f64::INFINITY };
            if before.is_finite() && missing > exchange {
                let granted = Self::GRANTED.min(limit - iterations);
                let (mut steps, mut reached) = self.newton.run::<D>(problem, r, granted);
                if !reached.is_finite() || reached > tolerance {
                    r.copy_from_slice(&self.start);
                    let (more, again) = self.newton.run::<D>(problem, r, granted);
                    (steps, reached) = (steps + more, again);
                }
                iterations += steps;
                judged = reached;
                tried = true;
            }
            before = relative;
        }
        if judged <= tolerance {
            return Ok(SolverReport { iterations, residual: judged });
        }
        let judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport { iterations, residual: judged });
        }
        Err(SolverError::exhausted(self.name(), problem, iterations, judged, tolerance))
    }
}

/// Sweeps that cost as much as the usual Newton steps.
fn exchange_rate<const D: usize>(problem: &LocalProblem) -> f64 {
    let size = (problem.len() * D) as f64;
    let stored = problem.w.blocks.len() as f64;
    let full = size.powi(3) / 1.5;
    let factor = if stored > 0.4 * size * size { full } else { full.min(Hybrid::FILL * stored * D as f64) };
    let step = factor + Hybrid::FILL * size + 4.0 * stored;
    let sweep = 2.0 * stored + Hybrid::LOCAL * problem.len() as f64;
    Hybrid::USUAL * step / sweep
}

impl ContactSolver for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}
