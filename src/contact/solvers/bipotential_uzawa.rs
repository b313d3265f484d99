//! The bi-potential Uzawa algorithm (deSaxceFeng1998; FengEtAl2006): predict `τ = r − ρ û`, correct `r = Proj_K(τ)`, for all
//! points at once.

use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::{project, shifted};
use crate::contact::problem::{LocalProblem, residual};

/// Predictor–corrector with one ρ for all points.
#[derive(Debug, Clone)]
pub struct Uzawa {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: usize,
    /// ρ in units of `1/λ_max(W)`, in (0, 2). The step shrinks by itself where friction makes it oscillate.
    pub rho: f64,
    work: Vec<f64>,
}

impl Uzawa {
    /// With a tolerance, a limit and the relative step.
    pub fn new(tolerance: f64, max_iterations: usize, rho: f64) -> Self {
        Uzawa { tolerance, max_iterations, rho, work: Vec::new() }
    }

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let n = problem.len();
        let mut judged = residual(problem, r);
        if judged <= self.tolerance {
            return Ok(SolverReport { iterations: 0, residual: judged });
        }
        self.work.resize(n * D, 0.0);
        let mut rho = self.rho / largest_eigenvalue::<D>(problem, &mut self.work);
        let mut previous = f64::INFINITY;
        let mut iteration = 0;
        while iteration < self.max_iterations {
            // the residual costs one more product with W; ten corrections share it
            for _ in 0..10 {
                for i in 0..n {
                    let hat = shifted(&problem.displacement::<D>(r, i), problem.friction[i]);
                    let tau = std::array::from_fn(|a| r[i * D + a] - rho * hat[a]);
                    self.work[i * D..(i + 1) * D].copy_from_slice(&project::<D>(&tau, problem.friction[i]));
                }
                r.copy_from_slice(&self.work);
                iteration += 1;
            }
            judged = residual(problem, r);
            if judged <= self.tolerance {
                return Ok(SolverReport { iterations: iteration, residual: judged });
            }
            // with friction the map is not a gradient: a step that lets the error grow is too long
            if judged > 1.5 * previous {
                rho *= 2.0 / 3.0;
            }
            previous = judged;
        }
        Err(SolverError::NotConverged {
            solver: self.name(),
            iterations: iteration,
            residual: judged,
            tolerance: self.tolerance,
            points: n,
        })
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
fn largest_eigenvalue<const D: usize>(problem: &LocalProblem, x: &mut [f64]) -> f64 {
    let n = problem.len();
    let mut y = vec![0.0; n * D];
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
        let next = x.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>();
        x.copy_from_slice(&y);
        if (next - eigenvalue).abs() <= 1e-3 * next {
            eigenvalue = next;
            break;
        }
        eigenvalue = next;
    }
    1.05 * eigenvalue
}
