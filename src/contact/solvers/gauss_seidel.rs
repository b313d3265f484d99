//! Non-linear Gauss–Seidel: sweeps over the points, each solved exactly with the others held. The order is fixed, so the
//! result does not depend on threads.

use super::local;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, attainable, residual};

/// Sweeps with the exact local solution; robust, the default.
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
            2 => self.sweep::<2>(problem, r),
            _ => self.sweep::<3>(problem, r),
        }
    }
}

impl GaussSeidel {
    fn sweep<const D: usize>(&self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
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
            let (mut change, mut norm) = (0.0, 0.0);
            for i in 0..problem.len() {
                let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
                let w = problem.diagonal::<D>(i);
                let mut q = problem.displacement::<D>(r, i);
                for a in 0..D {
                    for b in 0..D {
                        q[a] -= w[a][b] * own[b];
                    }
                }
                let new = local::solve(&w, &q, problem.friction[i]);
                for a in 0..D {
                    change += (new[a] - own[a]).powi(2);
                    norm += new[a] * new[a];
                    r[i * D + a] = new[a];
                }
            }
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
