//! Non-linear Jacobi: all points at once, each solved exactly with the others as they were, so that threads can share the work
//! and any number of them gives the same bits. The diagonal blocks are raised by the coupling to the others, without which
//! the iteration does not contract, and Anderson's acceleration makes up for that.

use super::anderson::Anderson;
use super::local;
use super::products::coupling;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, attainable, block_bound, residual};
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
    /// Places of the points of each share and what the sweep made of them.
    shares: Vec<Vec<f64>>,
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

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        // short steps: what is left is more than the last one
        let wanted = (0.5 * self.tolerance).max(attainable(problem));
        let mut judged = residual(problem, r);
        self.raised.clear();
        self.raised.extend((0..problem.len()).map(|i| {
            let own = block_bound(&problem.diagonal::<D>(i));
            if own > 0.0 { 0.5 * (1.0 + coupling::<D>(problem, i) / own) } else { 1.0 }
        }));
        self.shares.resize_with(problem.len().div_ceil(SHARE), Vec::new);
        self.memory.begin(r.len());
        self.made.resize(r.len(), 0.0);
        for iteration in 0..=self.max_iterations {
            if judged <= wanted || iteration == 0 && judged <= tolerance {
                return Ok(SolverReport::solved(iteration, judged));
            }
            if iteration == self.max_iterations {
                break;
            }
            let (raised, place) = (&self.raised, &*r);
            parallel::each(&mut self.shares, |share, made| {
                made.clear();
                for i in share * SHARE..((share + 1) * SHARE).min(problem.len()) {
                    made.extend(solved::<D>(problem, place, i, raised[i]));
                }
            });
            for (share, made) in self.shares.iter().zip(self.made.chunks_mut(SHARE * D)) {
                made.copy_from_slice(share);
            }
            judged = residual(problem, &self.made);
            if judged <= wanted {
                r.copy_from_slice(&self.made);
                return Ok(SolverReport::solved(iteration + 1, judged));
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
fn solved<const D: usize>(problem: &LocalProblem, r: &[f64], i: usize, raised: f64) -> [f64; D] {
    let w = problem.diagonal::<D>(i).map(|row| row.map(|x| raised * x));
    let mut q = problem.displacement::<D>(r, i);
    for a in 0..D {
        q[a] -= (0..D).map(|b| w[a][b] * r[i * D + b]).sum::<f64>();
    }
    local::solve(&w, &q, &problem.friction[i])
}

impl ContactSolver for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn solve(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}
