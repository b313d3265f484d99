//! The same candidates under Signorini's and Coulomb's laws, for the general contact solvers: whether a pair sticks or slips, and which
//! way, is computed and not imposed.
//!
//! An unknown `θ` of a frame moves freely under its load. It is given a spring `κ` to its last value, `θ ← θ + (λ − B r)/κ`, which makes
//! it a part of `W`: `W = W₀ + Σ c cᵀ/κ` with `c = (C, C_f)`. Repeated with the new value the spring's force fades by `κ/(κ + k)` each
//! time, `k` the stiffness of the contact: this is the proximal point method (Rockafellar 1976).

use super::{Coupling, LinearisedError, Solution};
use crate::contact::problem::LocalProblem;
use crate::contact::solvers::ContactSolver;

/// Spring of a frame in units of the contact's stiffness.
const SPRING: f64 = 0.05;
/// The iteration ends when an unknown changes by less than this share of itself: the spring then carries a twentieth of it. Forces that are
/// right to 1e-13 leave changes of some 1e-12.
const TOLERANCE: f64 = 1e-11;
/// Largest residual of a solver that was told to go on.
const WORST: f64 = 1e-10;
/// Most rounds; each takes away all but a twentieth of what is left.
const ROUNDS: usize = 60;

/// Candidates with their friction and the motion along `drag` that the kinematics or the history gives.
#[derive(Debug, Clone, Copy)]
pub struct Cone<'a> {
    /// The candidates, with their tangential block.
    pub coupling: &'a Coupling,
    /// Coefficient of friction of each pair.
    pub friction: &'a [f64],
    /// Motion of each pair along `drag` without deformation.
    pub slips: &'a [f64],
    /// Loads of the frames.
    pub loads: &'a [f64],
}

/// What a contact solver made of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rolled {
    /// Normal forces and the frames' unknowns.
    pub solution: Solution,
    /// Friction along `drag`.
    pub drags: Vec<f64>,
}

impl Cone<'_> {
    /// Solves with one of the general solvers, from the forces and unknowns in `start`.
    pub fn solve(&self, solver: &mut dyn ContactSolver, start: &Rolled) -> Result<Rolled, LinearisedError> {
        let (m, l) = (self.coupling.candidates(), self.coupling.frames());
        let springs = self.springs().ok_or(LinearisedError::Unstable { smallest: f64::INFINITY })?;
        let mut problem = self.problem(&springs);
        let mut r: Vec<f64> = (0..m)
            .flat_map(|i| [start.solution.forces.get(i), start.drags.get(i)].map(|x| x.copied().unwrap_or(0.0)))
            .collect();
        let mut frames = if start.solution.frames.len() == l { start.solution.frames.clone() } else { vec![0.0; l] };
        let (mut steps, mut change) = (0, f64::INFINITY);
        for _ in 0..ROUNDS {
            self.shift(&frames, &springs, &mut problem.q);
            let report =
                solver.solve(&problem, &mut r).map_err(|_| LinearisedError::Exhausted { steps, residual: change })?;
            steps += report.iterations;
            // a solver that goes on may stop at the rounding of its residual, but not far from it
            if report.residual > WORST {
                return Err(LinearisedError::Exhausted { steps, residual: report.residual });
            }
            change = 0.0;
            for j in 0..l {
                let carried: f64 = (0..m).map(|i| -self.row(i, j, &r[2 * i..2 * i + 2])).sum();
                let moved = (self.loads[j] - carried) / springs[j];
                frames[j] += moved;
                change = change.max(moved.abs() / frames[j].abs().max(f64::MIN_POSITIVE));
            }
            if change < TOLERANCE {
                let forces = r.iter().step_by(2).copied().collect();
                let drags = r.iter().skip(1).step_by(2).copied().collect();
                return Ok(Rolled { solution: Solution { forces, frames, steps }, drags });
            }
        }
        Err(LinearisedError::Exhausted { steps, residual: change })
    }

    /// Power of local forces on a unit of unknown `j`.
    fn row(&self, i: usize, j: usize, r: &[f64]) -> f64 {
        let k = i * self.coupling.frames() + j;
        self.coupling.opening[k] * r[0] + self.coupling.sliding[k] * r[1]
    }

    /// A share of the stiffness that the softest candidate puts against each unknown.
    fn springs(&self) -> Option<Vec<f64>> {
        let (m, l) = (self.coupling.candidates(), self.coupling.frames());
        let softest = (0..m).map(|i| self.coupling.normal[i * m + i]).fold(0.0, f64::max);
        let arm = |j: usize| (0..m).map(|i| self.coupling.opening[i * l + j].abs()).fold(0.0, f64::max);
        (0..l).map(|j| Some(SPRING * arm(j).powi(2) / softest).filter(|k| k.is_finite() && *k > 0.0)).collect()
    }

    /// `W` with the frames' springs in it; `q` is still to come.
    fn problem(&self, springs: &[f64]) -> LocalProblem {
        let (m, c) = (self.coupling.candidates(), self.coupling);
        let mut w = vec![0.0; 4 * m * m];
        for i in 0..m {
            for j in 0..m {
                let (a, b) = (i * m + j, j * m + i);
                // what friction at j does to the opening of i is what a push at i does to the sliding of j
                let mut block = [[c.normal[a], c.mixed[a]], [c.mixed[b], c.tangential[a]]];
                for (k, spring) in springs.iter().enumerate() {
                    let rows = [i, j].map(|p| [c.opening[p * springs.len() + k], c.sliding[p * springs.len() + k]]);
                    for (x, line) in block.iter_mut().enumerate() {
                        for (y, value) in line.iter_mut().enumerate() {
                            *value += rows[0][x] * rows[1][y] / spring;
                        }
                    }
                }
                for x in 0..2 {
                    for y in 0..2 {
                        w[(2 * i + x) * 2 * m + 2 * j + y] = block[x][y];
                    }
                }
            }
        }
        LocalProblem::dense(2, &w, &vec![0.0; 2 * m], self.friction)
    }

    /// `q`: separations and slips with the frames where they are, moved by their loads against their springs.
    fn shift(&self, frames: &[f64], springs: &[f64], q: &mut [f64]) {
        for i in 0..self.coupling.candidates() {
            let (mut normal, mut tangential) = (self.coupling.gaps[i], self.slips[i]);
            for (j, spring) in springs.iter().enumerate() {
                let moved = frames[j] + self.loads[j] / spring;
                normal += self.coupling.opening[i * springs.len() + j] * moved;
                tangential += self.coupling.sliding[i * springs.len() + j] * moved;
            }
            q[2 * i] = normal;
            q[2 * i + 1] = tangential;
        }
    }
}
