//! Non-linear Jacobi: all points at once, each solved exactly with the others as they were, so that threads can share the work
//! and any number of them gives the same bits. The diagonal blocks are raised by the coupling to the others, without which
//! the iteration does not contract, and Anderson's acceleration makes up for that.

use super::anderson::Anderson;
use super::local;
use super::products::couplings;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{Problem, attainable, block_bound, residual};
use crate::parallel;

/// Points that a thread takes at a time.
const SHARE: usize = 64;

/// Accelerated Jacobi.
#[derive(Debug, Clone, Default)]
pub struct Jacobi {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Sweeps before giving up.
    pub max_iterations: usize,
    /// What the sweep made of the points of each share.
    shares: Vec<Vec<f64>>,
    /// Displacements of all points.
    u: Vec<f64>,
    /// What the diagonal block of each point is multiplied by.
    raised: Vec<f64>,
    made: Vec<f64>,
    memory: Anderson,
}

impl Jacobi {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Jacobi { tolerance, max_iterations, ..Jacobi::default() }
    }

    fn iterate<const D: usize>(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        // short steps: what is left is more than the last one
        let wanted = (0.5 * self.tolerance).max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut target = wanted;
        couplings::<D>(problem, &mut self.raised);
        for (i, raised) in self.raised.iter_mut().enumerate() {
            let own = block_bound(&problem.diagonal::<D>(i));
            *raised = if own > 0.0 { 0.5 * (1.0 + *raised / own) } else { 1.0 };
        }
        self.u.resize(r.len(), 0.0);
        self.shares.resize_with(problem.points().div_ceil(SHARE), Vec::new);
        self.memory.begin(r.len());
        self.made.resize(r.len(), 0.0);
        for iteration in 0..=self.max_iterations {
            if judged <= wanted || iteration == 0 && judged <= tolerance {
                return Ok(SolverReport::solved(iteration, judged));
            }
            if iteration == self.max_iterations {
                break;
            }
            problem.displacements(r, &mut self.u);
            let (raised, place, u) = (&self.raised, &*r, &self.u);
            parallel::each(&mut self.shares, |share, made| {
                made.clear();
                for i in share * SHARE..((share + 1) * SHARE).min(problem.points()) {
                    made.extend(solved::<D>(problem, place, u, i, raised[i]));
                }
            });
            for (share, made) in self.shares.iter().zip(self.made.chunks_mut(SHARE * D)) {
                made.copy_from_slice(share);
            }
            let (mut change, mut norm) = (0.0, 0.0);
            for (made, place) in self.made.iter().zip(&*r) {
                change += (made - place).powi(2);
                norm += made * made;
            }
            // the judge costs as much as a sweep: ask only when the last change was small
            if change <= target * target * norm || change == 0.0 {
                judged = residual(problem, &self.made);
                target = target.min((change / norm.max(f64::MIN_POSITIVE)).sqrt()) * 0.5;
                if judged <= wanted {
                    r.copy_from_slice(&self.made);
                    return Ok(SolverReport::solved(iteration + 1, judged));
                }
            }
            self.memory.advance(r, &self.made);
        }
        r.copy_from_slice(&self.made);
        let judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport::solved(self.max_iterations, judged));
        }
        Err(SolverError::exhausted(self.name(), problem, self.max_iterations, judged, tolerance))
    }
}

/// The reaction of a point whose block is raised, with the others as they are.
#[inline(always)]
fn solved<const D: usize>(problem: &dyn Problem, r: &[f64], u: &[f64], i: usize, raised: f64) -> [f64; D] {
    let w = problem.diagonal::<D>(i).map(|row| row.map(|x| raised * x));
    let mut q: [f64; D] = std::array::from_fn(|a| u[i * D + a]);
    for a in 0..D {
        q[a] -= (0..D).map(|b| w[a][b] * r[i * D + b]).sum::<f64>();
    }
    local::solve(&w, &q, &problem.friction()[i])
}

impl ContactSolver for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim() {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}
