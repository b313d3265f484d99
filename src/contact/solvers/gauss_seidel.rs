//! Non-linear Gauss–Seidel: sweeps over the points, each solved exactly with the others held. The order is fixed, so the
//! result does not depend on threads.

use super::coloured::Sweeps;
use super::local_choice::LocalSolver;
use super::sweep::{Change, sweep_with};
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, Problem, attainable, residual};

/// Sweeps with the exact local solution; robust, and fast where points are coupled weakly.
#[derive(Debug, Clone)]
pub struct GaussSeidel {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Sweeps before giving up.
    pub max_iterations: usize,
    local: LocalSolver,
    sweeps: Sweeps,
}

impl ContactSolver for GaussSeidel {
    fn name(&self) -> &'static str {
        "gauss_seidel"
    }

    fn works_by_products(&self) -> bool {
        false
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let problem = problem.stored().ok_or(SolverError::NoRows { solver: self.name() })?;
        match problem.dim {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}

impl GaussSeidel {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Self::with_local(tolerance, max_iterations, LocalSolver::Exact)
    }

    /// With a choice of the solver of a point.
    pub fn with_local(tolerance: f64, max_iterations: usize, local: LocalSolver) -> Self {
        GaussSeidel { tolerance, max_iterations, local, sweeps: Sweeps::default() }
    }

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut target = tolerance;
        self.sweeps.begin::<D>(problem);
        for iteration in 0..=self.max_iterations {
            if judged <= tolerance {
                return Ok(SolverReport::solved(iteration, judged));
            }
            if iteration == self.max_iterations {
                break;
            }
            let Change { change, norm } = match self.local {
                LocalSolver::Exact => self.sweeps.sweep::<D>(problem, r),
                other => sweep_with::<D>(problem, other, r),
            };
            // the judge costs as much as a sweep: ask only when the last change was small
            if change <= target * target * norm || change == 0.0 {
                judged = residual(problem, r);
                target = target.min((change / norm.max(f64::MIN_POSITIVE)).sqrt()) * 0.5;
            }
        }
        let judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport::solved(self.max_iterations, judged));
        }
        Err(SolverError::exhausted(self.name(), problem, self.max_iterations, judged, tolerance))
    }
}
