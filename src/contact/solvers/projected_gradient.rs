//! Accelerated projected gradient (Nesterov1983; MazharEtAl2015) inside De Saxcé's loop (AcaryCadoux2013). With the shift
//! `s = û − u` held, the law is the minimum of `½ rᵀWr + rᵀ(q + s)` over the product of the cones; the outer loop brings the shift up
//! to date until it no longer changes. Without that loop sliding points would lift off by `μ‖u_t‖`.

use super::products::largest_eigenvalue;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::{project, shifted};
use crate::contact::problem::{Problem, attainable, residual};

/// Accelerated projected gradient.
#[derive(Debug, Clone, Default)]
pub struct ProjectedGradient {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Gradient steps before giving up.
    pub max_iterations: usize,
    shift: Vec<f64>,
    ahead: Vec<f64>,
    next: Vec<f64>,
    gradient: Vec<f64>,
}

impl ProjectedGradient {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        ProjectedGradient { tolerance, max_iterations, ..ProjectedGradient::default() }
    }

    /// Share of the change of the first step that ends an inner loop, and its most steps.
    const INNER: f64 = 0.05;
    const STEPS: usize = 200;

    fn iterate<const D: usize>(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let size = problem.q().len();
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        for work in [&mut self.shift, &mut self.ahead, &mut self.next, &mut self.gradient] {
            work.resize(size, 0.0);
        }
        let length = if judged > tolerance {
            1.0 / largest_eigenvalue::<D>(problem, |_| 1.0, 1e-3, &mut self.next, &mut self.gradient)
        } else {
            0.0
        };
        let mut iterations = 0;
        while judged > tolerance && iterations < self.max_iterations {
            problem.displacements(r, &mut self.shift);
            for (shift, friction) in self.shift.chunks_exact_mut(D).zip(problem.friction()) {
                let hat = shifted::<D>(&std::array::from_fn(|a| shift[a]), friction);
                (0..D).for_each(|a| shift[a] = hat[a] - shift[a]);
            }
            let most = Self::STEPS.min(self.max_iterations - iterations);
            iterations += self.descend::<D>(problem, r, length, most);
            judged = residual(problem, r);
            if !judged.is_finite() {
                break;
            }
        }
        if judged <= tolerance {
            return Ok(SolverReport::solved(iterations, judged));
        }
        Err(SolverError::exhausted(self.name(), problem, iterations, judged, tolerance))
    }

    /// Minimises with the shift held; returns the steps.
    fn descend<const D: usize>(&mut self, problem: &dyn Problem, r: &mut [f64], length: f64, most: usize) -> usize {
        self.ahead.copy_from_slice(r);
        let (mut theta, mut first) = (1.0f64, None);
        for step in 1..=most {
            problem.displacements(&self.ahead, &mut self.gradient);
            self.gradient.iter_mut().zip(&self.shift).for_each(|(gradient, shift)| *gradient += shift);
            for (i, friction) in problem.friction().iter().enumerate() {
                let tau = std::array::from_fn(|a| self.ahead[i * D + a] - length * self.gradient[i * D + a]);
                self.next[i * D..(i + 1) * D].copy_from_slice(&project::<D>(&tau, friction));
            }
            let (mut change, mut uphill) = (0.0, 0.0);
            for k in 0..r.len() {
                change += (self.next[k] - r[k]).powi(2);
                uphill += self.gradient[k] * (self.next[k] - r[k]);
            }
            let later = 0.5 * (theta * (theta * theta + 4.0).sqrt() - theta * theta);
            let mut beta = theta * (1.0 - theta) / (theta * theta + later);
            theta = later;
            // the path turns uphill: start anew from here
            if uphill > 0.0 {
                (beta, theta) = (0.0, 1.0);
            }
            for k in 0..r.len() {
                self.ahead[k] = self.next[k] + beta * (self.next[k] - r[k]);
            }
            r.copy_from_slice(&self.next);
            let start = *first.get_or_insert(change);
            if step > 1 && change <= Self::INNER * Self::INNER * start || change == 0.0 {
                return step;
            }
        }
        most
    }
}

impl ContactSolver for ProjectedGradient {
    fn name(&self) -> &'static str {
        "projected_gradient"
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim() {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}
