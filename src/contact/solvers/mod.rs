//! Solvers of the condensed problem: one file each, seeing only [`LocalProblem`].

mod alart_curnier;
mod bipotential_uzawa;
mod gauss_seidel;
mod hybrid;
mod local;
mod newton;
mod semismooth;
mod sweep;

pub use bipotential_uzawa::Uzawa;
pub use gauss_seidel::GaussSeidel;
pub use hybrid::Hybrid;
pub use newton::Newton;

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

impl SolverError {
    fn exhausted(
        solver: &'static str,
        problem: &LocalProblem,
        iterations: usize,
        residual: f64,
        tolerance: f64,
    ) -> Self {
        SolverError::NotConverged { solver, iterations, residual, tolerance, points: problem.len() }
    }
}

/// A solver of `u = W r + q` with Signorini and Coulomb; `r` holds a guess and receives the result.
pub trait ContactSolver: Send + Sync {
    /// Name in a case file.
    fn name(&self) -> &'static str;
    /// Solves to the solver's tolerance.
    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError>;
}

/// A solver by its name, for those who try several.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name, as a case file writes it.
    pub name: &'static str,
    /// Makes one from a tolerance and a limit on iterations (none: its own default).
    pub build: fn(f64, Option<usize>) -> Box<dyn ContactSolver>,
}

/// All solvers.
pub const ALL: [Entry; 4] = [
    Entry {
        name: "gauss_seidel",
        build: |tolerance, limit| Box::new(GaussSeidel { tolerance, max_iterations: limit.unwrap_or(10_000) }),
    },
    Entry { name: "uzawa", build: |tolerance, limit| Box::new(Uzawa::new(tolerance, limit.unwrap_or(100_000), 1.0)) },
    Entry { name: "newton", build: |tolerance, limit| Box::new(Newton::new(tolerance, limit.unwrap_or(500))) },
    Entry { name: "hybrid", build: |tolerance, limit| Box::new(Hybrid::new(tolerance, limit.unwrap_or(10_000))) },
];
