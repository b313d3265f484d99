//! Non-linear Gauss–Seidel: sweeps over the points, each solved exactly with the others held. The order is fixed, so the
//! result does not depend on threads.

use super::sweep::{Change, sweep};
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, attainable, residual};

/// Sweeps with the exact local solution; robust, and fast where points are coupled weakly.
#[derive(Debug, Clone)]
pub struct GaussSeidel {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Sweeps before giving up.
    pub max_iterations: usize,
}

impl ContactSolver for GaussSeidel {
    fn name(&self) -> &'static str {
        "gauss_seidel"
    }

    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}

impl GaussSeidel {
    fn iterate<const D: usize>(&self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut target = tolerance;
        for iteration in 0..=self.max_iterations {
            if judged <= tolerance {
                return Ok(SolverReport { iterations: iteration, residual: judged });
            }
            if iteration == self.max_iterations {
                break;
            }
            let Change { change, norm } = sweep::<D>(problem, r);
            // the judge costs as much as a sweep: ask only when the last change was small
            if change <= target * target * norm || change == 0.0 {
                judged = residual(problem, r);
                target = target.min((change / norm.max(f64::MIN_POSITIVE)).sqrt()) * 0.5;
            }
        }
        let judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport { iterations: self.max_iterations, residual: judged });
        }
        Err(SolverError::exhausted(self.name(), problem, self.max_iterations, judged, tolerance))
    }
}
