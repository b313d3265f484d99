//! How contact problems are solved.

use crate::contact::condensation::Operator;
use crate::contact::solvers::{
    self, ContactSolver as Solver, GaussSeidel, GoOn, Hybrid, Jacobi, LocalSolver, ProjectedGradient, Step, Uzawa,
};

/// How contact problems are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSolver {
    /// The method.
    pub method: ContactMethod,
    /// Tolerance on the common error measure, in (0, 1e-2]. Default 1e-10.
    pub tolerance: f64,
    /// Most sweeps, corrections or Newton steps. Default 10 000; 100 000 for first-order methods, 500 for Newton's.
    pub max_iterations: u32,
    /// Whether a run goes on with what the solver reached where it does not converge, instead of cutting the step.
    pub go_on: bool,
    /// How the contact operator is handed to the solver. Default auto.
    pub operator: Operator,
}

/// Contact solvers with the options of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContactMethod {
    /// Contact by contact.
    GaussSeidel(LocalSolver),
    /// Predictor-corrector on the bipotential.
    Uzawa {
        /// Factor on the projection step that the solver derives from the problem, in (0, 2]. Default 1.
        rho: f64,
        /// How that step is derived.
        step: Step,
    },
    /// Predictor and two corrections, with adaptive steps.
    Extragradient,
    /// Accelerated projected gradient inside De Saxce's loop.
    ProjectedGradient,
    /// All points at once, shared among threads.
    Jacobi,
    /// Semismooth Newton on Alart and Curnier's form, with a proximal term.
    Newton,
    /// The same on the natural map of the bi-potential.
    BipotentialNewton,
    /// Gauss-Seidel that hands over to Newton where it contracts too slowly.
    Hybrid,
}

impl ContactSolver {
    /// Gauss–Seidel as long as that is the fastest way.
    pub const DEFAULT: ContactSolver = ContactSolver {
        method: ContactMethod::Hybrid,
        tolerance: 1e-10,
        max_iterations: 10_000,
        go_on: false,
        operator: Operator::Auto,
    };

    pub(super) fn build(&self) -> Box<dyn Solver> {
        let (tolerance, limit) = (self.tolerance, self.max_iterations as usize);
        let built: Box<dyn Solver> = match self.method {
            ContactMethod::GaussSeidel(local) => Box::new(GaussSeidel::with_local(tolerance, limit, local)),
            ContactMethod::Uzawa { rho, step } => Box::new(Uzawa::with_step(tolerance, limit, rho, step)),
            ContactMethod::Extragradient => Box::new(Uzawa::extragradient(tolerance, limit)),
            ContactMethod::ProjectedGradient => Box::new(ProjectedGradient::new(tolerance, limit)),
            ContactMethod::Jacobi => Box::new(Jacobi::new(tolerance, limit)),
            ContactMethod::Newton => Box::new(solvers::Newton::new(tolerance, limit)),
            ContactMethod::BipotentialNewton => Box::new(solvers::Newton::bipotential(tolerance, limit)),
            ContactMethod::Hybrid => Box::new(Hybrid::new(tolerance, limit)),
        };
        if self.go_on { Box::new(GoOn(built)) } else { built }
    }
}

impl Default for ContactSolver {
    fn default() -> Self {
        Self::DEFAULT
    }
}
