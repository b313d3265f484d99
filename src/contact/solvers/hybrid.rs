//! Accelerated Gauss–Seidel while it contracts fast enough, Newton where it does not, Gauss–Seidel again where Newton fails.
//! Small plane problems, which impact produces by the thousand, are first tried by the states once a sweep leaves them as they are.
//!
//! Where all of that fails, Newton's method has the whole problem from the guess on: what it solves alone is solved here. Where a
//! point gives way against a push it has the problem at once. The states of a few points in the plane are all tried in the end.
//!
//! After every few sweeps the contraction is measured and the sweeps still missing are forecast. When they would take longer
//! than the Newton steps that usually suffice, Newton takes over from where the sweeps arrived.

use super::anderson::Anderson;
use super::coloured::Sweeps;
use super::jacobi::Jacobi;
use super::newton::{Newton, Pace};
use super::states::States;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::problem::{LocalProblem, Problem, attainable, residual};
use crate::linalg::multifrontal::operations;

/// Picks the method by the contraction it sees.
#[derive(Debug, Clone)]
pub struct Hybrid {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Sweeps and Newton steps before giving up.
    pub max_iterations: usize,
    newton: Newton,
    sweeps: Sweeps,
    memory: Anderson,
    states: States,
    place: Vec<f64>,
    /// The guess, and whether Newton's method is to begin again from it at the end.
    guess: Vec<f64>,
    hands_over: bool,
}

impl Hybrid {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Hybrid {
            tolerance,
            max_iterations,
            newton: Newton::new(tolerance, max_iterations.min(Self::ALONE)),
            sweeps: Sweeps::default(),
            memory: Anderson::default(),
            states: States::default(),
            place: Vec::new(),
            guess: Vec::new(),
            hands_over: true,
        }
    }

    /// One that says soon what it cannot solve.
    pub(super) fn brief(tolerance: f64, max_iterations: usize) -> Self {
        Hybrid { hands_over: false, ..Self::new(tolerance, max_iterations) }
    }

    /// Newton steps from the guess where all else failed.
    const ALONE: usize = 500;
    /// Sweeps in which the states of a small plane problem are expected to settle.
    const SETTLING: usize = 8;
    /// Points so few that one sweep tells their states.
    const FEW: usize = 4;
    /// Sweeps between two looks at the contraction.
    const LOOK: usize = 8;
    /// Newton steps that a problem usually needs after some sweeps.
    const USUAL: f64 = 6.0;
    /// Newton steps granted to the first, eager try, and the sweeps at least before the next where they did not suffice.
    const GRANTED: usize = 100;
    const PAUSE: usize = 40;
    /// Share of the time of a careful try that the sweeps after it may take: one of the two is right for the problem.
    const SHARE: f64 = 0.3;

    fn iterate<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut target = tolerance;
        let limit = self.max_iterations;
        let mut exchange = None;
        // tries of Newton's method that did not suffice
        let mut failed = 0;
        let mut started = 0;
        let (mut iterations, mut before) = (0, f64::INFINITY);
        // sweeps at which the next look is due
        let mut next = Self::LOOK;
        if judged > tolerance {
            self.sweeps.begin::<D>(problem);
            self.memory.begin(r.len());
            self.place.clear();
            self.place.extend_from_slice(r);
        }
        if D == 2 {
            self.states.begin(problem, r);
        }
        while D == 2 && judged > tolerance && iterations < limit.min(Self::SETTLING) {
            self.sweeps.sweep::<D>(problem, r);
            iterations += 1;
            let due = self.states.are_settled(problem, r) || problem.len() <= Self::FEW;
            if due && self.states.solve(problem, r, &mut self.place) {
                let reached = residual(problem, &self.place);
                if reached <= tolerance {
                    r.copy_from_slice(&self.place);
                    judged = reached;
                }
            }
        }
        if judged > tolerance {
            self.place.copy_from_slice(r);
        }
        while judged > tolerance && iterations < limit {
            // the sweep starts from the accelerated place and leaves forces that lie in their cones
            r.copy_from_slice(&self.place);
            let change = self.sweeps.sweep::<D>(problem, r);
            if failed == 0 {
                self.memory.advance(&mut self.place, r);
            } else {
                // what Newton's method could not solve, acceleration leads astray as well
                self.place.copy_from_slice(r);
            }
            iterations += 1;
            let relative = change.relative();
            if !relative.is_finite() {
                judged = f64::INFINITY;
                break;
            }
            // the judge costs as much as a sweep: ask only when the last change was small
            if relative <= target || change.change == 0.0 {
                judged = residual(problem, r);
                target = target.min(relative) * 0.5;
                continue;
            }
            if iterations < next {
                continue;
            }
            let rate = (relative / before).powf(1.0 / Self::LOOK as f64);
            let missing = if rate < 1.0 { (tolerance / relative).ln() / rate.ln() } else { f64::INFINITY };
            next = iterations + Self::LOOK;
            let spent = (iterations - started) as f64;
            // a forecast from few sweeps is vague: Newton may start when they have taken half its time, so that little is lost
            // either way
            let worth = |exchange: f64| {
                let slow = missing > exchange || spent > exchange && missing > 0.5 * exchange;
                before.is_finite() && spent >= 0.5 * exchange && slow
            };
            if worth(CHEAPEST) && worth(*exchange.get_or_insert_with(|| exchange_rate::<D>(problem))) {
                let left = limit - iterations;
                let (steps, reached) = match failed {
                    0 => self.newton.run::<D>(problem, r, Self::GRANTED.min(left), Pace::Eager),
                    _ => self.newton.run::<D>(problem, r, left, Pace::Careful),
                };
                iterations += steps;
                judged = reached;
                let fair = Self::SHARE * steps as f64 * exchange.unwrap_or(0.0) / Self::USUAL;
                next = iterations + Self::PAUSE.max(if failed == 0 { 0 } else { fair as usize });
                failed += 1;
                started = iterations;
                before = f64::INFINITY;
                self.memory.begin(r.len());
                self.place.copy_from_slice(r);
            } else {
                before = relative;
            }
        }
        if judged <= tolerance {
            return Ok(SolverReport::solved(iterations, judged));
        }
        let judged = residual(problem, r);
        if judged <= tolerance {
            return Ok(SolverReport::solved(iterations, judged));
        }
        self.place.resize(r.len(), 0.0);
        // where `W` is not positive definite iterations may miss what there is
        if D == 2
            && problem.len() <= Self::FEW
            && let Some(judged) = self.states.search(problem, tolerance, &mut self.place)
        {
            r.copy_from_slice(&self.place);
            return Ok(SolverReport::solved(iterations, judged));
        }
        Err(SolverError::exhausted(self.name(), problem, iterations, judged, tolerance))
    }

    /// Newton's method alone, from the guess.
    fn begin_again(
        &mut self,
        problem: &dyn Problem,
        r: &mut [f64],
        failed: SolverError,
    ) -> Result<SolverReport, SolverError> {
        let mut reached = self.guess.clone();
        let report = self.newton.solve(problem, &mut reached).map_err(|why| match why {
            SolverError::NoRoom(_) => why,
            _ => failed.clone(),
        })?;
        r.copy_from_slice(&reached);
        Ok(SolverReport { iterations: failed.iterations() + report.iterations, ..report })
    }
}

impl Hybrid {
    /// Sweeps of Jacobi's method between two tries of Newton's where `W` has no rows: the first ones tell the states of most points.
    const PRODUCTS: usize = 20;

    /// Accelerated Jacobi instead of Gauss–Seidel, and Newton's steps by Krylov's method, in turn.
    fn by_products<const D: usize>(
        &mut self,
        problem: &dyn Problem,
        r: &mut [f64],
    ) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let (mut iterations, mut granted, mut pace) = (0, Self::PRODUCTS, Pace::Eager);
        loop {
            let mut jacobi = Jacobi::new(self.tolerance, granted.min(self.max_iterations - iterations));
            let (steps, reached) = match jacobi.solve(problem, r) {
                Ok(report) => return Ok(SolverReport::solved(iterations + report.iterations, report.residual)),
                Err(SolverError::NotConverged { iterations, residual, .. }) => (iterations, residual),
                Err(other) => return Err(other),
            };
            iterations += steps;
            let (steps, reached) = match self.max_iterations - iterations {
                0 => (0, reached),
                left => self.newton.run::<D>(problem, r, Self::GRANTED.min(left), pace),
            };
            iterations += steps;
            if reached <= tolerance {
                return Ok(SolverReport::solved(iterations, reached));
            }
            if iterations >= self.max_iterations || !reached.is_finite() {
                return Err(SolverError::exhausted(self.name(), problem, iterations, reached, tolerance));
            }
            granted *= 4;
            pace = Pace::Careful;
        }
    }
}

/// Whether a point gives way against a push: sweeps, which move one point at a time, lead nowhere then.
fn yields(problem: &dyn Problem) -> bool {
    let dim = problem.dim();
    (0..problem.points()).any(|i| problem.own_block(i).iter().step_by(dim + 1).any(|w| *w < 0.0))
}

/// Sweeps that any Newton steps are worth.
const CHEAPEST: f64 = 20.0;

/// Sweeps that take as long as the usual Newton steps, by the time that operations take: those of dense factors are some ten
/// times faster than those of sweeps, which wait for memory and for each other.
fn exchange_rate<const D: usize>(problem: &LocalProblem) -> f64 {
    let size = (problem.len() * D) as f64;
    let stored = problem.w.blocks.len() as f64;
    let full = size.powi(3) / 3.0;
    let dense = stored > 0.4 * size * size || size <= 120.0;
    let factor = if dense { full } else { operations(&problem.w.offsets, &problem.w.columns, D) };
    let step = 0.25 * factor + 60.0 * size + 4.0 * stored;
    let sweep = stored + 40.0 * problem.len() as f64;
    Hybrid::USUAL * step / sweep
}

impl ContactSolver for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        r.clone_into(&mut self.guess);
        let sweeps = !(self.hands_over && yields(problem));
        if !sweeps {
            if let Ok(report) = self.newton.solve(problem, r) {
                return Ok(report);
            }
            r.copy_from_slice(&self.guess);
        }
        let outcome = match (problem.stored(), problem.dim()) {
            (Some(rows), 2) => self.iterate::<2>(rows, r),
            (Some(rows), _) => self.iterate::<3>(rows, r),
            (None, 2) => self.by_products::<2>(problem, r),
            (None, _) => self.by_products::<3>(problem, r),
        };
        match outcome {
            Err(failed) if self.hands_over && sweeps => self.begin_again(problem, r, failed),
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random problems near the end of stability: a few eigenvalues of `W` are negative. What Newton's method solves alone the
    /// hybrid solves too, also where it would have given up; its sweeps say that they diverged and not "a residual of inf".
    #[test]
    fn what_newton_solves_alone_is_solved() {
        let mut seed = 9u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut solved, mut rescued) = (0, 0);
        for trial in 0..120 {
            let (n, dim) = (4 + trial % 9, 2 + trial % 2);
            let size = n * dim;
            let mut w = vec![0.0; size * size];
            for i in 0..size {
                for j in 0..i {
                    let coupling = 0.9 * random();
                    (w[i * size + j], w[j * size + i]) = (coupling, coupling);
                }
                w[i * size + i] = 1.0;
            }
            let q: Vec<f64> = (0..size).map(|k| if k % dim == 0 { -0.5 + 0.6 * random() } else { random() }).collect();
            let problem = LocalProblem::dense(dim, &w, &q, &vec![0.3; n]);
            let by = |solver: &mut dyn ContactSolver| solver.solve(&problem, &mut vec![0.0; size]);
            if by(&mut Newton::new(1e-10, Hybrid::ALONE)).is_err() {
                continue;
            }
            solved += 1;
            let report = by(&mut Hybrid::new(1e-10, 300)).expect("what newton solves");
            assert!(report.residual <= 1e-10, "trial {trial}: {:e}", report.residual);
            if let Err(failed) = by(&mut Hybrid::brief(1e-10, 300)) {
                rescued += 1;
                assert!(!failed.to_string().contains("inf"), "{failed}");
            }
        }
        assert!(solved > 10 && rescued > 0, "{solved} solved by newton, {rescued} of them by handing over");
    }

    /// A few points in the plane, held in their cones by bodies that give way (`W` has eigenvalues of both signs): what is there is
    /// found, also without Newton's method.
    #[test]
    fn few_points_of_unstable_bodies_are_solved() {
        let mut seed = 5u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for trial in 0..100 {
            let size = 2 + 2 * (trial % 3);
            let mut w = vec![0.0; size * size];
            for i in 0..size {
                for j in 0..=i {
                    let value = random();
                    (w[i * size + j], w[j * size + i]) = (value, value);
                }
            }
            let mut r = vec![0.0; size];
            for point in r.chunks_exact_mut(2) {
                point[0] = 1.5 + random();
                point[1] = 0.2 * point[0] * random();
            }
            let q: Vec<f64> = (0..size).map(|i| -(0..size).map(|j| w[i * size + j] * r[j]).sum::<f64>()).collect();
            let problem = LocalProblem::dense(2, &w, &q, &vec![0.3; size / 2]);
            for mut solver in [Hybrid::new(1e-10, 300), Hybrid::brief(1e-10, 300)] {
                let report = solver.solve(&problem, &mut vec![0.0; size]).expect("there is a solution");
                assert!(report.residual <= 1e-10, "trial {trial}: {:e}", report.residual);
            }
        }
    }
}
