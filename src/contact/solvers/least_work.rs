//! Which of many reactions: those that would do the least work on the points if these yielded a little (Menabrea).
//!
//! A rigid body on more than three points, or held by friction between two, has many reactions that obey the laws, and where it
//! slides they lead to motions of their own: friction turns it as the load is shared. Which of them a solver arrives at hangs on its
//! guess, on the order of the points and on rounding. So it begins where equal small springs at the points lead to: first the problem
//! with `W + αD` is solved, which has one solution as long as friction does not wedge. From there proximal terms, whose centre
//! follows the solution, lead to the problem itself; of what `W` does not see nothing changes any more on this way.

use super::hybrid::Hybrid;
use super::newton::Newton;
use super::semismooth::mean_eigenvalue;
use super::{ContactSolver, SolverError, SolverReport};
use crate::contact::cone::project;
use crate::contact::problem::{LocalProblem, residual};

/// Finds them; keeps its memory between problems.
#[derive(Debug, Clone)]
pub(in crate::contact) struct LeastWork {
    newton: Newton,
    hybrid: Hybrid,
    springs: LocalProblem,
    begun: Vec<f64>,
}

impl Default for LeastWork {
    fn default() -> Self {
        LeastWork {
            newton: Newton::impartial(),
            hybrid: Hybrid::brief(Self::SWEPT, Self::SWEEPS),
            springs: LocalProblem::default(),
            begun: Vec::new(),
        }
    }
}

impl LeastWork {
    /// Compliance of the springs as a share of that of the bodies, by what the weights of the proximal terms fall from one to the next
    /// or rise again where that was too far, and down to where: digits of what `W` does not see are lost by their inverse.
    const SPRINGS: f64 = 1e-3;
    const FALL: f64 = 0.1;
    const RISE: f64 = 4.0;
    const LEAST: f64 = 1e-6;
    /// Down to where they fall while the residual is not yet this small: a solver that has to go on from there loses more.
    const LAST: f64 = 1e-10;
    const ENOUGH: f64 = 1e-11;
    /// Proximal terms at most, and by how much at least the residual falls with each: what they do not reach is left to the solver.
    const ROUNDS: usize = 12;
    const FALLS: f64 = 0.95;
    /// Newton steps for each, and for the springs: where the guess is good they need few.
    const STEPS: usize = 25;
    const FEW: usize = 10;
    /// Iterations for the springs where they need more, and how far these lead.
    const SWEEPS: usize = 200;
    const SWEPT: f64 = 1e-8;
    /// Where forces of an inner problem are exact but for rounding.
    const EXACT: f64 = 1e-13;
    /// A residual that needs no further term.
    const GOOD: f64 = 1e-13;

    /// Solves a problem by `solver`, from the reactions of least work where they are found.
    pub(in crate::contact) fn solve(
        &mut self,
        solver: &mut dyn ContactSolver,
        problem: &LocalProblem,
        r: &mut [f64],
    ) -> Result<SolverReport, SolverError> {
        self.begun.clear();
        self.begun.extend_from_slice(r);
        let (mut iterations, mut found) = self.approach(problem, r);
        if !found {
            // from this guess Newton's method does not find even the springs' solution: sweeps may
            r.copy_from_slice(&self.begun);
            self.put_springs(problem);
            if let Ok(report) = self.hybrid.solve(&self.springs, r) {
                let approached = self.approach(problem, r);
                iterations += report.iterations + approached.0;
                found = approached.1;
            }
        }
        if !found {
            r.copy_from_slice(&self.begun);
        }
        let report = solver.solve(problem, r)?;
        Ok(SolverReport { iterations: iterations + report.iterations, ..report })
    }

    fn put_springs(&mut self, problem: &LocalProblem) {
        self.springs.clone_from(problem);
        let dim = problem.dim;
        for &at in &problem.w.diagonal {
            let block = &mut self.springs.w.blocks[at * dim * dim..][..dim * dim];
            let yields = Self::SPRINGS * mean_eigenvalue(block.iter().step_by(dim + 1), dim);
            (0..dim).for_each(|a| block[a * (dim + 1)] += yields);
        }
    }

    /// To the solution with springs, and from there to one of the problem itself. Newton steps, and whether springs were found.
    fn approach(&mut self, problem: &LocalProblem, r: &mut [f64]) -> (usize, bool) {
        match problem.dim {
            2 => self.approach_in::<2>(problem, r),
            _ => self.approach_in::<3>(problem, r),
        }
    }

    fn approach_in<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> (usize, bool) {
        self.newton.centre_at_zero(r.len());
        let (mut steps, found) = self.newton.inner::<D>(problem, Self::SPRINGS, Self::EXACT, Self::FEW, r);
        if !found {
            return (steps, false);
        }
        let mut reached = residual(problem, r);
        let (mut alpha, mut least) = (Self::FALL * Self::SPRINGS, Self::LEAST);
        for _ in 0..Self::ROUNDS {
            if reached <= Self::GOOD {
                break;
            }
            self.newton.centre_at(r);
            let (taken, exact) = self.newton.inner::<D>(problem, alpha, Self::EXACT, Self::STEPS, r);
            steps += taken;
            if !exact {
                // back, and by shorter ways from now on
                r.copy_from_slice(self.newton.centre());
                if alpha < Self::LEAST {
                    break;
                }
                alpha *= Self::RISE;
                least = alpha;
                continue;
            }
            let now = residual(problem, r);
            if now > Self::FALLS * reached && alpha <= least {
                if now <= Self::ENOUGH || least <= Self::LAST {
                    break;
                }
                least *= Self::FALL;
            }
            reached = now;
            alpha = (alpha * Self::FALL).max(least);
        }
        for (point, friction) in r.chunks_exact_mut(D).zip(&problem.friction) {
            let own: [f64; D] = std::array::from_fn(|a| point[a]);
            point.copy_from_slice(&project(&own, friction));
        }
        (steps, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of 1 kg and inertia `j` stands on frictionless feet and is pressed with the force `f` at `(ex, ey)` for a step of 1 s.
    fn plate(feet: &[[f64; 2]], j: f64, f: f64, [ex, ey]: [f64; 2]) -> LocalProblem {
        let n = feet.len();
        let lever = |a: [f64; 2], b: [f64; 2]| 1.0 + (a[0] * b[0] + a[1] * b[1]) / j;
        let mut w = vec![0.0; 9 * n * n];
        let mut q = vec![0.0; 3 * n];
        for (i, &a) in feet.iter().enumerate() {
            for (k, &b) in feet.iter().enumerate() {
                w[3 * i * 3 * n + 3 * k] = lever(a, b);
            }
            // along the plate it gives way, but without friction nothing pushes it
            w[(3 * i + 1) * 3 * n + 3 * i + 1] = 1.0;
            w[(3 * i + 2) * 3 * n + 3 * i + 2] = 1.0;
            q[3 * i] = -f * lever(a, [ex, ey]);
        }
        LocalProblem::dense(3, &w, &q, &vec![0.0; n])
    }

    /// A rigid plate on four equal springs at `(±a, ±b)` puts `f/4 (1 + ex x/a² + ey y/b²)` on each of them, whatever the guess.
    #[test]
    fn a_table_stands_on_four_legs_as_on_springs() {
        let (a, b, f, at) = (0.3, 0.2, 8.0, [0.1, -0.05]);
        let feet = [[a, b], [-a, b], [-a, -b], [a, -b]];
        let problem = plate(&feet, 0.05, f, at);
        let (mut least, mut solver) = (LeastWork::default(), Hybrid::new(1e-10, 1000));
        for warp in [0.0, 1.0, -0.7, 30.0] {
            let mut r: Vec<f64> = [warp, -warp, warp, -warp].iter().flat_map(|w| [2.0 + w, 0.0, 0.0]).collect();
            let report = least.solve(&mut solver, &problem, &mut r).expect("a solution");
            assert!(report.residual <= 1e-10);
            for (foot, r) in feet.iter().zip(r.chunks_exact(3)) {
                let spring = 0.25 * f * (1.0 + at[0] * foot[0] / (a * a) + at[1] * foot[1] / (b * b));
                assert!((r[0] - spring).abs() <= 1e-9 * f, "{} instead of {spring} from {warp}", r[0]);
            }
        }
    }

    /// Pressed outside the middle of its sides, a table lifts a leg; what is left is determinate: moments about the others.
    #[test]
    fn a_leg_in_the_air_carries_nothing() {
        let (a, f, at) = (0.3, 8.0, [0.2, 0.2]);
        let feet = [[a, a], [-a, a], [-a, -a], [a, -a]];
        let problem = plate(&feet, 0.05, f, at);
        let mut r = vec![0.0; 12];
        LeastWork::default().solve(&mut Hybrid::new(1e-10, 1000), &problem, &mut r).expect("a solution");
        // about the diagonal, and symmetry
        let corner = f * at[0] / a;
        for (r, expected) in r.chunks_exact(3).zip([corner, 0.5 * (f - corner), 0.0, 0.5 * (f - corner)]) {
            assert!((r[0] - expected).abs() <= 1e-9 * f, "{} instead of {expected}", r[0]);
        }
    }
}
