//! Contact of bodies that move close to a path which kinematics gives in advance. Normals and sliding directions are then known, and
//! contact with friction is a small mixed linear complementarity problem:
//!
//! ```text
//! d = ε + A p + C θ ≥ 0,   p ≥ 0,   pᵢ dᵢ = 0,   B p = λ
//! ```
//!
//! for the forces `p` on candidate pairs of points, their separations `d`, and the free unknowns `θ` of the bodies' frames under the
//! loads `λ`. `A = A_p + μ A_f` comes from the factored bodies, `C` from the kinematics, and `B = −(C + μ C_f)ᵀ` by virtual work.
//!
//! Vijayakar, Busby and Houser, Finite element analysis of quasi-prismatic bodies using Chebyshev polynomials and Linearization of
//! multibody frictional contact problems (1986–88).

mod active_set;
mod candidates;
mod cone;
mod pivoting;
mod simplex;
mod tableau;

pub use active_set::ActiveSet;
pub use candidates::{Candidate, Coupling, Side, couple};
pub use cone::{Cone, Rolled};
pub use pivoting::{Pivoting, Rule};
pub use simplex::Simplex;

/// A linearised contact problem. Matrices are dense, row by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Linearised {
    /// `ε`: separations before anything deforms.
    pub gaps: Vec<f64>,
    /// `λ`: loads of the frames' unknowns.
    pub loads: Vec<f64>,
    /// `A`, a row for each candidate.
    pub compliance: Vec<f64>,
    /// `C`, a row for each candidate.
    pub opening: Vec<f64>,
    /// `B`, a row for each unknown.
    pub arms: Vec<f64>,
}

/// Forces on the candidates and the unknowns of the frames.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// `p`.
    pub forces: Vec<f64>,
    /// `θ`.
    pub frames: Vec<f64>,
    /// Pivots, iterations or sweeps it took.
    pub steps: usize,
}

/// Why a linearised problem was not solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LinearisedError {
    /// No set of candidates can carry the load.
    #[error("statically unstable: no candidate pair can carry the load; the smallest separation is {smallest:.3e} m")]
    Unstable {
        /// The smallest separation of any candidate; infinite where there is none.
        smallest: f64,
    },
    /// The restricted entry into the basis leaves no way on.
    #[error("deadlock after {pivots} pivots: no variable may enter the basis")]
    Deadlock {
        /// Pivots until then.
        pivots: usize,
    },
    /// The limit of steps was reached.
    #[error("no solution after {steps} steps (residual {residual:.3e})")]
    Exhausted {
        /// Steps that were taken.
        steps: usize,
        /// [`Linearised::residual`] of what was reached.
        residual: f64,
    },
    /// A number of the problem is not finite.
    #[error("a number of the problem is not finite")]
    NonFinite,
}

/// A solver of linearised contact problems.
pub trait LinearisedSolver: Send + Sync {
    /// Name in a case file.
    fn name(&self) -> &'static str;
    /// Solves a problem.
    fn solve(&self, problem: &Linearised) -> Result<Solution, LinearisedError>;
}

/// A solver by its name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name, as a case file writes it.
    pub name: &'static str,
    /// Makes one.
    pub build: fn() -> Box<dyn LinearisedSolver>,
}

/// The solvers of problems with sliding imposed; [`Cone`] hands the same candidates to the general contact solvers.
pub const ALL: [Entry; 3] = [
    Entry { name: "pivoting", build: || Box::new(Pivoting::default()) },
    Entry { name: "simplex", build: || Box::new(Simplex) },
    Entry { name: "active_set", build: || Box::new(ActiveSet) },
];

impl Linearised {
    /// Candidate pairs, `M`.
    pub fn candidates(&self) -> usize {
        self.gaps.len()
    }

    /// Unknowns of the frames, `L`.
    pub fn frames(&self) -> usize {
        self.loads.len()
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let lists = [&self.gaps, &self.loads, &self.compliance, &self.opening, &self.arms];
        lists.iter().all(|list| list.iter().all(|x| x.is_finite()))
    }

    /// `d = ε + A p + C θ` of candidate `i`.
    pub fn separation(&self, i: usize, forces: &[f64], frames: &[f64]) -> f64 {
        let (m, l) = (self.candidates(), self.frames());
        let elastic: f64 = self.compliance[i * m..(i + 1) * m].iter().zip(forces).map(|(a, p)| a * p).sum();
        let rigid: f64 = self.opening[i * l..(i + 1) * l].iter().zip(frames).map(|(c, t)| c * t).sum();
        self.gaps[i] + elastic + rigid
    }

    /// The one judge of all solvers: the largest of `|min(pᵢ/P, dᵢ/D)|` and of `|Bp − λ|ⱼ` over what loads row `j`. `P` is the largest
    /// force and `D` the largest change of a separation that the forces cause.
    pub fn residual(&self, solution: &Solution) -> f64 {
        let (m, l) = (self.candidates(), self.frames());
        let p = &solution.forces;
        let most = p.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let (mut worst, mut change) = (0.0f64, 0.0f64);
        for i in 0..m {
            let elastic: f64 = self.compliance[i * m..(i + 1) * m].iter().zip(p).map(|(a, p)| (a * p).abs()).sum();
            change = change.max(elastic).max(self.gaps[i].abs());
        }
        if change == 0.0 || most == 0.0 {
            return if self.loads.iter().all(|x| *x == 0.0) { 0.0 } else { f64::INFINITY };
        }
        for i in 0..m {
            let d = self.separation(i, p, &solution.frames);
            worst = worst.max((p[i] / most).min(d / change).abs());
        }
        for j in 0..l {
            let terms = self.arms[j * m..(j + 1) * m].iter().zip(p).map(|(b, p)| b * p);
            let (sum, size) = terms.fold((0.0, self.loads[j].abs()), |(s, t), x| (s + x, f64::max(t, x.abs())));
            worst = worst.max((sum - self.loads[j]).abs() / size.max(f64::MIN_POSITIVE));
        }
        if worst.is_finite() { worst } else { f64::INFINITY }
    }

    /// The smallest separation of any candidate.
    pub fn smallest_gap(&self) -> f64 {
        self.gaps.iter().fold(f64::INFINITY, |a, x| a.min(*x))
    }

    /// What the unknowns change by for a change of the loads while the loaded candidates stay the same: `dθ` of `dλ`.
    pub fn response(&self, solution: &Solution, change: &[f64]) -> Option<Vec<f64>> {
        let loaded: Vec<usize> = (0..self.candidates()).filter(|&i| solution.forces[i] > 0.0).collect();
        let zero = vec![0.0; loaded.len()];
        active_set::closed(self, &loaded, &zero, change).map(|x| x[loaded.len()..].to_vec())
    }
}
