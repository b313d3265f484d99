//! The bi-potential Uzawa algorithm (deSaxceFeng1998; FengEtAl2006): predict `τ = r − ρ û`, correct `r = Proj_K(τ)`, for all
//! points at once.
//!
//! Limit: where friction is so strong that points can wedge (`μ‖W_nt‖` near `W_nn`), or where one node is held by two normals
//! (the tip of an obstacle right at a node), the map does not contract for any ρ or hardly does, and the solver reports that
//! it did not converge.

use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::{project, shifted};
use crate::contact::problem::{LocalProblem, attainable, residual};

/// Predictor–corrector with one ρ for all points.
#[derive(Debug, Clone)]
pub struct Uzawa {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: usize,
    /// ρ in units of `1/λ_max(W)`, in (0, 2). The step shrinks by itself where friction makes it too long.
    pub rho: f64,
    next: Vec<f64>,
    product: Vec<f64>,
}

impl Uzawa {
    /// With a tolerance, a limit and the relative step.
    pub fn new(tolerance: f64, max_iterations: usize, rho: f64) -> Self {
        Uzawa { tolerance, max_iterations, rho, next: Vec::new(), product: Vec::new() }
    }

    /// Tens of iterations without a fall of the residual by a tenth before the step is cut.
    const PATIENCE: usize = 30;

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let size = problem.len() * D;
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport { iterations: 0, residual: judged });
        }
        self.next.resize(size, 0.0);
        self.product.resize(size, 0.0);
        let mut rho = self.rho / largest_eigenvalue::<D>(problem, &mut self.next, &mut self.product);
        let (mut best, mut since_best, mut cut) = (judged, 0, false);
        for iteration in 1..=self.max_iterations {
            for i in 0..problem.len() {
                let hat = shifted(&problem.displacement::<D>(r, i), &problem.friction[i]);
                let tau = std::array::from_fn(|a| r[i * D + a] - rho * hat[a]);
                self.next[i * D..(i + 1) * D].copy_from_slice(&project::<D>(&tau, &problem.friction[i]));
            }
            r.copy_from_slice(&self.next);
            // the judge costs another product with W: ten corrections share it
            if iteration % 10 != 0 && iteration != self.max_iterations {
                continue;
            }
            judged = residual(problem, r);
            if judged <= tolerance {
                return Ok(SolverReport { iterations: iteration, residual: judged });
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
}

impl ContactSolver for Uzawa {
    fn name(&self) -> &'static str {
        "uzawa"
    }

    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}

/// `λ_max(W)` by power iteration, raised by 5 % because it comes from below.
fn largest_eigenvalue<const D: usize>(problem: &LocalProblem, x: &mut [f64], y: &mut [f64]) -> f64 {
    let n = problem.len();
    // a start without symmetry, so that no mode is missed
    for (k, value) in x.iter_mut().enumerate() {
        *value = 1.0 + 0.37 * ((k as f64) * 1.7).sin();
    }
    let mut eigenvalue = 0.0;
    for _ in 0..60 {
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter_mut().for_each(|v| *v /= length);
        for i in 0..n {
            let u: [f64; D] = problem.displacement::<D>(x, i);
            for a in 0..D {
                y[i * D + a] = u[a] - problem.q[i * D + a];
            }
        }
        let next = x.iter().zip(y.iter()).map(|(a, b)| a * b).sum::<f64>();
        x.copy_from_slice(y);
        if (next - eigenvalue).abs() <= 1e-3 * next {
            eigenvalue = next;
            break;
        }
        eigenvalue = next;
    }
    1.05 * eigenvalue
}
