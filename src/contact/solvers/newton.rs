//! Semismooth Newton inside a proximal-point iteration (Rockafellar1976; AcaryBremondHuber2018).
//!
//! Outer: the centre `c` moves to the solution of the problem with the term `αD (r − c)`; `α` falls while that goes well and
//! rises when the inner problem resists. Inner: Newton steps ([`super::semismooth`]). The first ones are taken at full length,
//! because the number of points that change their state matters and not the residual on the way; later ones by a
//! non-monotone line search; and where that fails, Gauss–Seidel sweeps, which contract fast on the regular problem, move to
//! another place. More contacts than unknowns (`W` singular) are no obstacle.
//!
//! Limit: where points wedge (`μ‖W_nt‖ ≫ W_nn`, μ of hundreds), the inner problem is far from monotone and the method may stall;
//! it says so, and Gauss–Seidel solves many such problems.

use super::prepared::Prepared;
use super::semismooth::{Form, Proximal, Scales, Semismooth};
use super::sweep::sweep_regular;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::project;
use crate::contact::problem::{Problem, attainable, residual};
use crate::memory::NoRoom;

/// How the weight of the proximal term falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// Fast: where the states of the points are soon found, most weights are passed by.
    Eager,
    /// Slowly, and hardly below where an inner problem resisted: many easy inner problems instead of few that fail.
    Careful,
}

impl Pace {
    /// What the weight is multiplied by after an easy inner problem and after another one, and what is left each time of the
    /// weight below which one resisted.
    fn falls(self) -> [f64; 3] {
        match self {
            Pace::Eager => [0.03, 0.3, 0.5],
            Pace::Careful => [0.3, 0.5, 0.97],
        }
    }
}

/// Newton with proximal regularisation.
#[derive(Debug, Clone)]
pub struct Newton {
    /// Wanted [`residual`].
    pub tolerance: f64,
    /// Newton steps before giving up.
    pub max_iterations: usize,
    name: &'static str,
    work: Semismooth,
    swept: Prepared,
    centre: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

impl Newton {
    /// With a tolerance and a limit.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Self::of("newton", Form::AlartCurnier, tolerance, max_iterations)
    }

    /// The same on the natural map of the bi-potential method (JoliFeng2008).
    pub fn bipotential(tolerance: f64, max_iterations: usize) -> Self {
        Self::of("bipotential_newton", Form::NaturalMap, tolerance, max_iterations)
    }

    /// One whose proximal terms do not depend on the axes of the points, for [`Newton::inner`] alone.
    pub(super) fn impartial() -> Self {
        let newton = Self::new(0.0, 0);
        Newton { work: newton.work.scaled_by(Scales::Means), ..newton }
    }

    fn of(name: &'static str, form: Form, tolerance: f64, max_iterations: usize) -> Self {
        Newton {
            tolerance,
            max_iterations,
            name,
            work: Semismooth::new(form),
            swept: Prepared::default(),
            centre: Vec::new(),
            trial: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Weights of the proximal term; the first one is the residual of the guess, within the range of the first pair.
    const FIRST: [f64; 2] = [1e-6, 0.1];
    const RANGE: [f64; 2] = [1e-12, 10.0];
    /// A weight so small that one inner problem is enough, the residual from which it is tried, and the steps it is given: where the
    /// states of the points are nearly known that is all it takes, and elsewhere little is lost.
    const BOLD: f64 = 1e-7;
    const NEAR: f64 = 1e-4;
    const BOLD_STEPS: usize = 5;
    /// Inner problems that took at most this many steps let `α` fall fast.
    const EASY: usize = 6;
    /// Newton steps of an inner problem, the first of them at full length.
    const INNER: usize = 30;
    const FULL: usize = 8;
    /// Residuals that the line search looks back on.
    const MEMORY: usize = 4;
    /// Halvings of a step.
    const HALVINGS: usize = 8;
    /// Gauss–Seidel sweeps where no step helps, and how often.
    const SWEEPS: usize = 10;
    /// Newton steps in a row, and the sweeps after them where they did not suffice.
    const GRANTED: usize = 200;
    const MOVE: usize = 50;
    const STALLS: usize = 3;
    /// Careful steps in which the residual should halve.
    const HALVES: usize = 100;

    /// Improves `r` in at most `limit` steps; returns their number and the residual reached. At a careful pace it ends where
    /// progress does.
    pub(super) fn run<const D: usize>(
        &mut self,
        problem: &dyn Problem,
        r: &mut [f64],
        limit: usize,
        pace: Pace,
    ) -> (usize, f64) {
        let [easy, hard, remembered] = pace.falls();
        let tolerance = self.tolerance.max(attainable(problem));
        let mut judged = residual(problem, r);
        let mut best = judged;
        self.best.clear();
        self.best.extend_from_slice(r);
        let cautious = judged.clamp(Self::FIRST[0], Self::FIRST[1]);
        let mut bold = judged <= Self::NEAR;
        let mut alpha = if bold { Self::BOLD } else { cautious };
        // below it an inner problem failed not long ago
        let mut resisting = 0.0f64;
        let mut steps = 0;
        // the residual at the last halving, and the step
        let mut halved = (best, 0);
        while judged.is_finite() && judged > tolerance && steps < limit {
            if best < 0.5 * halved.0 {
                halved = (best, steps);
            }
            if pace == Pace::Careful && steps > halved.1 + Self::HALVES {
                break;
            }
            self.centre_at(r);
            let target = 0.1 * if bold { tolerance } else { judged.max(tolerance) };
            let most = if bold { Self::BOLD_STEPS } else { Self::INNER };
            let (taken, converged) = self.inner::<D>(problem, alpha, target, most.min(limit - steps), r);
            // a step that moved nothing counts too, so that the loop ends
            steps += taken.max(1);
            for (i, point) in r.chunks_exact_mut(D).enumerate() {
                let own: [f64; D] = std::array::from_fn(|a| point[a]);
                point.copy_from_slice(&project(&own, &problem.friction()[i]));
            }
            judged = residual(problem, r);
            if judged < best {
                best = judged;
                self.best.copy_from_slice(r);
            }
            if bold && !converged {
                // back to where it began
                alpha = cautious;
                r.copy_from_slice(&self.centre);
                judged = residual(problem, r);
            } else if converged {
                resisting *= remembered;
                alpha = (alpha * if taken <= Self::EASY { easy } else { hard }).max(resisting);
            } else {
                resisting = alpha;
                alpha *= 10.0;
                r.copy_from_slice(&self.best);
                judged = best;
            }
            if self.work.wanted().is_some() {
                break;
            }
            bold = false;
            alpha = alpha.clamp(Self::RANGE[0], Self::RANGE[1]);
        }
        r.copy_from_slice(&self.best);
        (steps, best)
    }

    /// Puts the centre of the proximal term there.
    pub(super) fn centre_at(&mut self, r: &[f64]) {
        self.centre.clear();
        self.centre.extend_from_slice(r);
    }

    /// Puts it where nothing pushes.
    pub(super) fn centre_at_zero(&mut self, len: usize) {
        self.centre.clear();
        self.centre.resize(len, 0.0);
    }

    /// The centre of the proximal term.
    pub(super) fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// Solves the problem with the proximal term to `target`, relative to the forces. Returns the steps and whether it did.
    pub(super) fn inner<const D: usize>(
        &mut self,
        problem: &dyn Problem,
        alpha: f64,
        target: f64,
        limit: usize,
        r: &mut [f64],
    ) -> (usize, bool) {
        self.work.prepare::<D>(problem, alpha);
        self.trial.resize(r.len(), 0.0);
        let term = Proximal { alpha, centre: &self.centre };
        let mut merit = self.work.evaluate::<D>(problem, term, r);
        let mut recent = [merit; Self::MEMORY];
        let mut stalls = 0;
        for step in 0..=limit {
            if merit <= target * target * r.iter().map(|x| x * x).sum::<f64>() {
                return (step, true);
            }
            if step == limit || !merit.is_finite() {
                break;
            }
            let mut moved = false;
            if self.work.newton_step::<D>(problem, alpha) {
                let highest = recent.iter().copied().fold(0.0, f64::max);
                let mut length = 1.0;
                for halving in 0..=Self::HALVINGS {
                    for (t, (r, d)) in self.trial.iter_mut().zip(r.iter().zip(&self.work.step)) {
                        *t = r + length * d;
                    }
                    let new = self.work.evaluate::<D>(problem, term, &self.trial);
                    let whole = halving == 0 && step < Self::FULL;
                    if new.is_finite() && (whole || new <= (1.0 - 1e-4 * length) * highest) {
                        merit = new;
                        moved = true;
                        break;
                    }
                    length *= 0.5;
                }
            }
            if moved {
                r.copy_from_slice(&self.trial);
            } else if self.work.wanted().is_some() {
                return (step + 1, false);
            } else {
                stalls += 1;
                // without rows there are no sweeps
                let Some(rows) = problem.stored().filter(|_| stalls <= Self::STALLS) else {
                    return (step + 1, false);
                };
                sweep_regular::<D>(rows, term, self.work.scale(), &mut self.swept, (Self::SWEEPS, r));
                merit = self.work.evaluate::<D>(problem, term, r);
                recent = [merit; Self::MEMORY];
            }
            recent[step % Self::MEMORY] = merit;
        }
        (limit, false)
    }
}

impl ContactSolver for Newton {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        match problem.dim() {
            2 => self.iterate::<2>(problem, r),
            _ => self.iterate::<3>(problem, r),
        }
    }
}

impl Newton {
    /// Newton, and where that stalls sweeps that move to another place, in turn.
    fn iterate<const D: usize>(&mut self, problem: &dyn Problem, r: &mut [f64]) -> Result<SolverReport, SolverError> {
        let tolerance = self.tolerance.max(attainable(problem));
        let (mut iterations, limit) = (0, self.max_iterations);
        loop {
            let pace = if iterations == 0 { Pace::Eager } else { Pace::Careful };
            let (steps, reached) = self.run::<D>(problem, r, Self::GRANTED.min(limit - iterations), pace);
            iterations += steps;
            if reached <= tolerance {
                return Ok(SolverReport::solved(iterations, reached));
            }
            if let Some(entries) = self.work.wanted() {
                let what = format!("Newton's matrix of {} contact points", problem.points());
                return Err(NoRoom { what, entries }.into());
            }
            let Some(rows) = problem.stored().filter(|_| iterations < limit && reached.is_finite()) else {
                return Err(SolverError::exhausted(self.name(), problem, iterations, reached, tolerance));
            };
            self.work.prepare::<D>(problem, 0.0);
            self.centre_at(r);
            let sweeps = Self::MOVE.min(limit - iterations);
            let term = Proximal { alpha: 0.0, centre: &self.centre };
            sweep_regular::<D>(rows, term, self.work.scale(), &mut self.swept, (sweeps, r));
            iterations += sweeps;
        }
    }
}
