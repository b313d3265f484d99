//! Solvers of the condensed problem: one file each, seeing only [`Problem`].

mod alart_curnier;
pub(super) mod anderson;
mod bipotential_uzawa;
mod coloured;
mod gauss_seidel;
mod hybrid;
mod jacobi;
mod krylov;
mod least_work;
mod local;
mod local_choice;
mod natural;
mod newton;
mod prepared;
mod products;
mod projected_gradient;
mod repeated;
mod semismooth;
mod states;
mod sweep;

pub use bipotential_uzawa::{Step, Uzawa};
pub use gauss_seidel::GaussSeidel;
pub use hybrid::Hybrid;
pub use jacobi::Jacobi;
pub(super) use least_work::LeastWork;
pub use local_choice::LocalSolver;
pub use newton::Newton;
pub use projected_gradient::ProjectedGradient;

use super::problem::Problem;
use crate::memory::NoRoom;

/// What a solver did. The residual is the judge's, not the solver's own.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolverReport {
    /// Sweeps or iterations.
    pub iterations: usize,
    /// [`super::problem::residual`] of the result.
    pub residual: f64,
    /// Whether the tolerance was not reached; see [`GoOn`].
    pub unsolved: bool,
}

impl SolverReport {
    fn solved(iterations: usize, residual: f64) -> Self {
        SolverReport { iterations, residual, unsolved: false }
    }
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
    /// The iterates left the range of numbers.
    #[error("{solver} diverged after {iterations} iterations ({points} points): {cause}")]
    Diverged {
        /// Name of the solver.
        solver: &'static str,
        /// Iterations done.
        iterations: usize,
        /// Size of the problem.
        points: usize,
        /// What is known of the reason.
        cause: String,
    },
    /// The solver reads rows of `W`, and the problem has products alone.
    #[error("{solver} needs W as a matrix")]
    NoRows {
        /// Name of the solver.
        solver: &'static str,
    },
    /// The system has no room for a matrix of the solver's.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}

impl SolverError {
    fn exhausted(
        solver: &'static str,
        problem: &dyn Problem,
        iterations: usize,
        residual: f64,
        tolerance: f64,
    ) -> Self {
        let points = problem.points();
        if residual.is_finite() {
            return SolverError::NotConverged { solver, iterations, residual, tolerance, points };
        }
        // a push that opens no gap
        let yielding = (0..points).find(|&i| problem.own_block(i)[0] <= 0.0);
        let cause = match yielding {
            Some(i) => format!(
                "point {i} gives way against a push (W_nn = {:.3e}): the bodies are unstable there or lack supports",
                problem.own_block(i)[0]
            ),
            None if problem.q().iter().any(|q| !q.is_finite()) => "the free displacement is not finite".to_owned(),
            None => {
                "W is not positive definite, or friction wedges the points: reactions grow without bound".to_owned()
            }
        };
        SolverError::Diverged { solver, iterations, points, cause }
    }

    /// Iterations done in vain.
    fn iterations(&self) -> usize {
        match self {
            SolverError::NotConverged { iterations, .. } | SolverError::Diverged { iterations, .. } => *iterations,
            SolverError::NoRows { .. } | SolverError::NoRoom(_) => 0,
        }
    }
}

/// A solver of `u = W r + q` with Signorini and Coulomb; `r` holds a guess and receives the result.
pub trait ContactSolver: Send + Sync {
    /// Name in a case file.
    fn name(&self) -> &'static str;
    /// Whether products with `W` are all it needs.
    fn works_by_products(&self) -> bool {
        true
    }
    /// Solves to the solver's tolerance.
    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError>;
}

/// A solver that hands over what it reached where it did not converge, and counts how often: for runs that shall go on.
pub struct GoOn(pub Box<dyn ContactSolver>);

impl ContactSolver for GoOn {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn works_by_products(&self) -> bool {
        self.0.works_by_products()
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match self.0.solve(problem, r) {
            Err(SolverError::NotConverged { iterations, residual, .. })
                if residual.is_finite() && r.iter().all(|x| x.is_finite()) =>
            {
                Ok(SolverReport { iterations, residual, unsolved: true })
            }
            other => other,
        }
    }
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
pub const ALL: [Entry; 8] = [
    Entry {
        name: "gauss_seidel",
        build: |tolerance, limit| Box::new(GaussSeidel::new(tolerance, limit.unwrap_or(10_000))),
    },
    Entry { name: "uzawa", build: |tolerance, limit| Box::new(Uzawa::new(tolerance, limit.unwrap_or(100_000), 1.0)) },
    Entry {
        name: "extragradient",
        build: |tolerance, limit| Box::new(Uzawa::extragradient(tolerance, limit.unwrap_or(100_000))),
    },
    Entry {
        name: "projected_gradient",
        build: |tolerance, limit| Box::new(ProjectedGradient::new(tolerance, limit.unwrap_or(100_000))),
    },
    Entry { name: "jacobi", build: |tolerance, limit| Box::new(Jacobi::new(tolerance, limit.unwrap_or(10_000))) },
    Entry { name: "newton", build: |tolerance, limit| Box::new(Newton::new(tolerance, limit.unwrap_or(500))) },
    Entry {
        name: "bipotential_newton",
        build: |tolerance, limit| Box::new(Newton::bipotential(tolerance, limit.unwrap_or(500))),
    },
    Entry { name: "hybrid", build: |tolerance, limit| Box::new(Hybrid::new(tolerance, limit.unwrap_or(10_000))) },
];
