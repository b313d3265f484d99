//! One Newton step on Alart and Curnier's form of the law (AlartCurnier1991), for a problem made regular by a proximal term.
//!
//! With `y = r_n − ρ_n u_n` and `x = r_t − ρ_t u_t` the law is `Φ = r − P(y, x) = 0`, `P_n = max(y, 0)`, `P_t` the projection of
//! `x` on the disc of radius `μ P_n`. Unlike the natural map it has no kink where a point stops sliding.
//! With `G = dP/d(y, x)` and `R = diag(ρ)`, `Φ' = I − G + G R W`. The natural map of the bi-potential method fits the same frame
//! with another matrix before `W`. An open point (`G = 0`) keeps `r = 0` and leaves the system.
//!
//! The proximal term: `u = (W + αD) r + q − αD c` with a centre `c` and `D_i` the size of `W_ii`. `W + αD` is regular for any
//! semi-definite `W`, and a solution that is its own centre solves the problem itself.

use super::alart_curnier::{projected, step_lengths};
use super::krylov::Krylov;
use super::local_choice::small_solve;
use super::natural::natural;
use crate::contact::friction::Friction;
use crate::contact::problem::{LocalProblem, Problem, block_bound};
use crate::linalg::{Blocks, Multifrontal, Unsymmetric};
use crate::memory::room;
use pulp::{Arch, Simd, WithSimd};

/// Unknowns up to which a system is solved as a full matrix, whatever its zeros.
const DENSE: usize = 120;

/// Share of non-zero blocks above which larger systems are solved as full matrices too.
const CROWDED: f64 = 0.4;

/// The equation that Newton's method is applied to; the zeros are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Form {
    /// Normal and tangential projections, one after the other.
    #[default]
    AlartCurnier,
    /// The projection of the bi-potential method.
    NaturalMap,
}

/// What the proximal term of a point is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scales {
    /// A bound of the largest eigenvalue of its block: the fastest.
    #[default]
    Bounds,
    /// The mean of the eigenvalues, which does not depend on the axes of the point: where the term decides between solutions.
    Means,
}

/// The mean of the eigenvalues of a symmetric block, from its diagonal.
pub(super) fn mean_eigenvalue<'a>(diagonal: impl Iterator<Item = &'a f64>, dim: usize) -> f64 {
    diagonal.sum::<f64>() / dim as f64
}

/// The proximal term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proximal<'a> {
    /// Its weight, in units of the diagonal blocks.
    pub(super) alpha: f64,
    /// Its centre.
    pub(super) centre: &'a [f64],
}

/// Work space of the steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Semismooth {
    /// Displacements of the last evaluation.
    u: Vec<f64>,
    /// `Φ` of the last evaluation.
    pub(super) phi: Vec<f64>,
    /// `G`, row by row, `dim²` numbers a point.
    slope: Vec<f64>,
    /// What multiplies `W` in the rows of a point, `−dΦ/du`, as `slope` is stored.
    lever: Vec<f64>,
    /// `ρ` of each point along n, t1 and t2.
    rho: Vec<[f64; 3]>,
    form: Form,
    /// Sizes of the diagonal blocks.
    scale: Vec<f64>,
    scales: Scales,
    /// Points that take part in the linear system.
    active: Vec<u32>,
    /// Place of each point in it; `u32::MAX` for open ones.
    place: Vec<u32>,
    matrix: Vec<f64>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    pub(super) step: Vec<f64>,
    rhs: Vec<f64>,
    solver: Unsymmetric,
    sparse: Multifrontal,
    krylov: Krylov,
    /// Numbers of the last system that found no room.
    wanted: Option<usize>,
}

impl Semismooth {
    /// For a form of the law.
    pub(super) fn new(form: Form) -> Self {
        Semismooth { form, ..Semismooth::default() }
    }

    /// With other scales of the proximal term.
    pub(super) fn scaled_by(self, scales: Scales) -> Self {
        Semismooth { scales, ..self }
    }

    /// Prepares for a problem and a weight of the proximal term.
    pub(super) fn prepare<const D: usize>(&mut self, problem: &dyn Problem, alpha: f64) {
        let n = problem.points();
        self.u.resize(n * D, 0.0);
        self.phi.resize(n * D, 0.0);
        self.slope.resize(n * D * D, 0.0);
        self.lever.resize(n * D * D, 0.0);
        self.step.resize(n * D, 0.0);
        self.place.resize(n, u32::MAX);
        self.scale.clear();
        self.rho.clear();
        for i in 0..n {
            let w = problem.diagonal::<D>(i);
            let size = block_bound(&w);
            // a point that yields in no direction keeps a finite step
            let floor = |x: f64| x.max(1e-12 * size).max(f64::MIN_POSITIVE) + alpha * size;
            self.scale.push(match self.scales {
                Scales::Bounds => size,
                Scales::Means => mean_eigenvalue(w.iter().flatten().step_by(D + 1), D),
            });
            self.rho.push(step_lengths(&w, &problem.friction()[i], floor));
        }
    }

    /// Numbers of the last system, where there was no room for them.
    pub(super) fn wanted(&self) -> Option<usize> {
        self.wanted
    }

    /// Size of the diagonal block of a point.
    pub(super) fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Fills `Φ` (and the slopes `G`) at `r`; returns `‖Φ‖²`.
    pub(super) fn evaluate<const D: usize>(&mut self, problem: &dyn Problem, term: Proximal<'_>, r: &[f64]) -> f64 {
        problem.displacements(r, &mut self.u);
        Arch::new().dispatch(Evaluate::<D> { work: self, friction: problem.friction(), term, r })
    }

    #[inline(always)]
    fn evaluate_all<const D: usize>(&mut self, friction: &[Friction], term: Proximal<'_>, r: &[f64]) -> f64 {
        let mut merit = 0.0;
        for i in 0..friction.len() {
            let mut u: [f64; D] = std::array::from_fn(|a| self.u[i * D + a]);
            let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
            let weight = term.alpha * self.scale[i];
            for a in 0..D {
                u[a] += weight * (own[a] - term.centre[i * D + a]);
            }
            let (p, slope, lever) = match self.form {
                Form::AlartCurnier => projected(&own, &u, &self.rho[i], &friction[i]),
                Form::NaturalMap => natural(&own, &u, &self.rho[i], &friction[i]),
            };
            for a in 0..D {
                let phi = own[a] - p[a];
                self.phi[i * D + a] = phi;
                merit += phi * phi;
                self.slope[(i * D + a) * D..][..D].copy_from_slice(&slope[a]);
                self.lever[(i * D + a) * D..][..D].copy_from_slice(&lever[a]);
            }
        }
        merit
    }

    /// Solves `Φ' dr = −Φ` into `step`, by a factorisation where `W` has rows and by Krylov's method where it has products. False
    /// where the system is singular.
    pub(super) fn newton_step<const D: usize>(&mut self, problem: &dyn Problem, alpha: f64) -> bool {
        self.wanted = None;
        match problem.stored() {
            Some(rows) => self.direct_step::<D>(rows, alpha),
            None => self.krylov_step::<D>(problem, alpha),
        }
    }

    fn direct_step<const D: usize>(&mut self, problem: &LocalProblem, alpha: f64) -> bool {
        let n = problem.len();
        self.active.clear();
        for i in 0..n {
            let open = self.slope[i * D * D..(i + 1) * D * D].iter().all(|g| *g == 0.0);
            self.place[i] = if open { u32::MAX } else { self.active.len() as u32 };
            if open {
                for a in 0..D {
                    self.step[i * D + a] = -self.phi[i * D + a];
                }
            } else {
                self.active.push(i as u32);
            }
        }
        let size = self.active.len() * D;
        if size == 0 {
            return true;
        }
        self.right_side::<D>(problem);
        let mut blocks = 0;
        for &i in &self.active {
            let range = problem.w.offsets[i as usize]..problem.w.offsets[i as usize + 1];
            blocks += problem.w.columns[range].iter().filter(|&&j| self.place[j as usize] != u32::MAX).count();
        }
        let crowded = blocks as f64 > CROWDED * (self.active.len() as f64).powi(2);
        let solved = if size <= DENSE || crowded {
            if !room(&mut self.matrix, size * size) {
                self.wanted = Some(size * size);
                return false;
            }
            self.matrix.resize(size * size, 0.0);
            for (k, &i) in self.active.iter().enumerate() {
                let i = i as usize;
                for e in problem.w.offsets[i]..problem.w.offsets[i + 1] {
                    let j = problem.w.columns[e] as usize;
                    if self.place[j] == u32::MAX {
                        continue;
                    }
                    let block = self.block::<D>(problem, i, e, alpha);
                    let column = self.place[j] as usize * D;
                    for a in 0..D {
                        for b in 0..D {
                            self.matrix[(column + b) * size + k * D + a] = block[a][b];
                        }
                    }
                }
            }
            self.solver.solve_dense(&mut self.matrix, &mut self.rhs)
        } else {
            if !(room(&mut self.columns, blocks) && room(&mut self.matrix, blocks * D * D)) {
                self.wanted = Some(blocks * D * D);
                return false;
            }
            self.assemble_rows::<D>(problem, alpha);
            let (offsets, columns, values) = (&self.offsets, &self.columns, &self.matrix);
            let solved = self.sparse.solve(Blocks { dim: D, offsets, columns, values }, &mut self.rhs);
            self.wanted = self.sparse.wanted();
            solved
        };
        if solved {
            for (k, &i) in self.active.iter().enumerate() {
                self.step[i as usize * D..][..D].copy_from_slice(&self.rhs[k * D..][..D]);
            }
        }
        solved
    }

    /// `Φ'` is applied through products with `W`; the block of each point on its diagonal is the preconditioner.
    fn krylov_step<const D: usize>(&mut self, problem: &dyn Problem, alpha: f64) -> bool {
        let n = problem.points();
        let mut inverse = Vec::with_capacity(n);
        for i in 0..n {
            let block = self.scaled_block::<D>(i, true, problem.own_block(i), alpha);
            let Some(block) = invert(block) else { return false };
            inverse.push(block);
        }
        let Semismooth { slope, lever, scale, phi, u, step, krylov, .. } = self;
        let condition = |x: &[f64], out: &mut [f64]| {
            for (i, m) in inverse.iter().enumerate() {
                for a in 0..D {
                    out[i * D + a] = (0..D).map(|b| m[a][b] * x[i * D + b]).sum();
                }
            }
        };
        let apply = |x: &[f64], out: &mut [f64]| {
            problem.product(x, u);
            for i in 0..n {
                let moved: [f64; D] = std::array::from_fn(|b| u[i * D + b] + alpha * scale[i] * x[i * D + b]);
                for a in 0..D {
                    let row = (i * D + a) * D..(i * D + a + 1) * D;
                    let (slope, lever) = (&slope[row.clone()], &lever[row]);
                    let change: f64 = (0..D).map(|b| lever[b] * moved[b] - slope[b] * x[i * D + b]).sum();
                    out[i * D + a] = x[i * D + a] + change;
                }
            }
        };
        phi.iter_mut().for_each(|phi| *phi = -*phi);
        krylov.solve(apply, condition, phi, step);
        phi.iter_mut().for_each(|phi| *phi = -*phi);
        step.iter().all(|x| x.is_finite())
    }

    /// `−Φ` of the active points less what the known steps of open points contribute.
    fn right_side<const D: usize>(&mut self, problem: &LocalProblem) {
        self.rhs.clear();
        for &i in &self.active {
            let i = i as usize;
            let mut moved = [0.0; D];
            for e in problem.w.offsets[i]..problem.w.offsets[i + 1] {
                let j = problem.w.columns[e] as usize;
                if self.place[j] == u32::MAX {
                    let block = &problem.w.blocks[e * D * D..(e + 1) * D * D];
                    for a in 0..D {
                        for b in 0..D {
                            moved[a] += block[a * D + b] * self.step[j * D + b];
                        }
                    }
                }
            }
            for a in 0..D {
                let mut value = -self.phi[i * D + a];
                for c in 0..D {
                    value -= self.lever[(i * D + a) * D + c] * moved[c];
                }
                self.rhs.push(value);
            }
        }
    }

    /// `δ_ij (I − G_i) + G_i R_i (W + αD)_ij` for the stored block `e` of row `i`.
    #[inline(always)]
    fn block<const D: usize>(&self, problem: &LocalProblem, i: usize, e: usize, alpha: f64) -> [[f64; D]; D] {
        let w = &problem.w.blocks[e * D * D..(e + 1) * D * D];
        self.scaled_block::<D>(i, e == problem.w.diagonal[i], w, alpha)
    }

    /// The same for a block `w` of row `i`, which is the diagonal one or not.
    #[inline(always)]
    fn scaled_block<const D: usize>(&self, i: usize, own: bool, w: &[f64], alpha: f64) -> [[f64; D]; D] {
        let mut out = [[0.0; D]; D];
        for a in 0..D {
            let slope = &self.slope[(i * D + a) * D..][..D];
            for c in 0..D {
                let weight = self.lever[(i * D + a) * D + c];
                for b in 0..D {
                    let regular = if own && b == c { alpha * self.scale[i] } else { 0.0 };
                    out[a][b] += weight * (w[c * D + b] + regular);
                }
                if own {
                    out[a][c] += f64::from(u8::from(a == c)) - slope[c];
                }
            }
        }
        out
    }

    /// The active system in compressed block rows. The pattern is that of `W` without the open points, symmetric as it is.
    fn assemble_rows<const D: usize>(&mut self, problem: &LocalProblem, alpha: f64) {
        self.offsets.clear();
        self.offsets.push(0);
        self.columns.clear();
        self.matrix.clear();
        for k in 0..self.active.len() {
            let i = self.active[k] as usize;
            for e in problem.w.offsets[i]..problem.w.offsets[i + 1] {
                let place = self.place[problem.w.columns[e] as usize];
                if place != u32::MAX {
                    self.columns.push(place);
                    let block = self.block::<D>(problem, i, e, alpha);
                    self.matrix.extend(block.iter().flatten());
                }
            }
            self.offsets.push(self.columns.len());
        }
    }
}

/// The inverse of a block, none if it is singular.
fn invert<const D: usize>(block: [[f64; D]; D]) -> Option<[[f64; D]; D]> {
    let mut inverse = [[0.0; D]; D];
    for b in 0..D {
        let column = small_solve(block, std::array::from_fn(|a| f64::from(u8::from(a == b))))?;
        (0..D).for_each(|a| inverse[a][b] = column[a]);
    }
    Some(inverse)
}

/// [`Semismooth::evaluate`], compiled for the vector instructions of the machine.
struct Evaluate<'a, const D: usize> {
    work: &'a mut Semismooth,
    friction: &'a [Friction],
    term: Proximal<'a>,
    r: &'a [f64],
}

impl<const D: usize> WithSimd for Evaluate<'_, D> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        self.work.evaluate_all::<D>(self.friction, self.term, self.r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::friction::SlipRule;

    /// `Φ(r + h d)` falls as Newton's step `d` promises, `dΦ/dh = −Φ`, for points of every kind of friction coupled to each
    /// other: this is the whole matrix against a difference quotient.
    #[test]
    fn the_newton_step_solves_the_linearised_law() {
        let kinds = [
            Friction::from(0.0),
            Friction::from(0.4),
            Friction::orthotropic([0.5, 0.1], SlipRule::Associated),
            Friction::orthotropic([0.2, 0.9], SlipRule::Collinear),
            Friction::orthotropic([0.3, 0.6], SlipRule::Ellipse([2.0, 1.0])),
            Friction::orthotropic([0.7, 0.0], SlipRule::Associated),
        ];
        let size = 3 * kinds.len();
        let mut seed = 3u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for round in 0..20 {
            let b: Vec<f64> = (0..size * size).map(|_| random()).collect();
            let dot = |i: usize, j: usize| (0..size).map(|k| b[i * size + k] * b[j * size + k]).sum::<f64>();
            let w: Vec<f64> = (0..size * size).map(|k| dot(k / size, k % size)).collect();
            let q: Vec<f64> = (0..size).map(|_| 4.0 * random()).collect();
            let problem = LocalProblem::dense(3, &w, &q, &kinds);
            let r: Vec<f64> = (0..size).map(|k| if k % 3 == 0 { 1.0 + random() } else { random() }).collect();
            let alpha = 0.01;
            let mut work = Semismooth::new(if round % 2 == 0 { Form::AlartCurnier } else { Form::NaturalMap });
            let term = Proximal { alpha, centre: &q };
            work.prepare::<3>(&problem, alpha);
            work.evaluate::<3>(&problem, term, &r);
            let (phi, h) = (work.phi.clone(), 1e-7);
            assert!(work.newton_step::<3>(&problem, alpha));
            let step = work.step.clone();
            let mut moved = |h: f64| {
                let at: Vec<f64> = r.iter().zip(&step).map(|(r, d)| r + h * d).collect();
                work.evaluate::<3>(&problem, term, &at);
                work.phi.clone()
            };
            let (ahead, behind) = (moved(h), moved(-h));
            let length = step.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            for k in 0..size {
                let slope = (ahead[k] - behind[k]) / (2.0 * h);
                let error = (slope + phi[k]).abs();
                assert!(error <= 1e-6 * length, "round {round}, component {k}: slope {slope:e}, Φ {:e}", phi[k]);
            }
        }
    }
}
