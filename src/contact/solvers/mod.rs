//! Solvers of the condensed problem: one file each, seeing only [`LocalProblem`].

mod bipotential_uzawa;
mod gauss_seidel;
mod local;

pub use bipotential_uzawa::Uzawa;
pub use gauss_seidel::GaussSeidel;

use super::problem::LocalProblem;

/// What a solver did. The residual is the judge's, not the solver's own.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolverReport {
    /// Sweeps or iterations.
    pub iterations: usize,
    /// [`super::problem::residual`] of the result.
    pub residual: f64,
}

/// Why a problem was not solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolverError {
    /// The tolerance was not reached.
    #[error(
        "{solver} stopped after {iterations} iterations at a residual of {residual:.3e} > {tolerance:.1e} ({points} points)"
    )]
    NotConverged {
        /// Name of the solver.
        solver: &'static str,
        /// Iterations done.
        iterations: usize,
        /// What was reached.
        residual: f64,
        /// What was wanted.
        tolerance: f64,
        /// Size of the problem.
        points: usize,
    },
}

/// Decides what an exhausted solver returns. Nearly dependent points (an obstacle's corner right at a node) leave directions
/// in which `W` is singular to rounding: the split of the force between them is hardly determined, and the residual stops
/// falling although forces and motion are settled. Such a stall is accepted up to [`STALLED`]; the residual reached is in
/// the history. Anything else has not converged.
fn exhausted(
    solver: &'static str,
    problem: &LocalProblem,
    iterations: usize,
    (half_way, residual): (f64, f64),
    tolerance: f64,
) -> Result<SolverReport, SolverError> {
    let stalls = iterations >= 1000 && residual > 0.1 * half_way;
    if stalls && residual <= STALLED {
        log::debug!("{solver} stalls at a residual of {residual:.1e} ({} points)", problem.len());
        return Ok(SolverReport { iterations, residual });
    }
    Err(SolverError::NotConverged { solver, iterations, residual, tolerance, points: problem.len() })
}

/// Largest residual at which a stalled solver is believed: a hundred-thousandth of the contact forces.
pub const STALLED: f64 = 1e-5;

/// A solver of `u = W r + q` with Signorini and Coulomb; `r` holds a guess and receives the result.
pub trait ContactSolver: Send + Sync {
    /// Name in a case file.
    fn name(&self) -> &'static str;
    /// Solves to the solver's tolerance.
    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError>;
}
