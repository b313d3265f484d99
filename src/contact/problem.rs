//! The condensed contact problem as data, and the one judge of all solvers.
//!
//! `u = W r + q` with Signorini and Coulomb at every point; `u` is the local displacement over the step (its normal part
//! including the gap), `r` the mean force over the step, both ordered (n, t1, t2).

use super::cone::{excess, project, shifted};
use super::friction::Friction;
use crate::parallel;
use pulp::{Arch, Simd, WithSimd};

/// A matrix of `dim`×`dim` blocks in compressed rows. Each row holds its diagonal block.
#[derive(Debug, Clone, Default)]
pub struct BlockMatrix {
    /// Start of each block row.
    pub offsets: Vec<usize>,
    /// Block columns, sorted within a row.
    pub columns: Vec<u32>,
    /// Blocks, row-major, `dim²` numbers each.
    pub blocks: Vec<f64>,
    /// Position of the diagonal block of each row.
    pub diagonal: Vec<usize>,
}

/// The condensed problem.
#[derive(Debug, Clone, Default)]
pub struct LocalProblem {
    /// Components per point: 2 or 3.
    pub dim: usize,
    /// `W`, symmetric up to round-off.
    pub w: BlockMatrix,
    /// `q`, point by point.
    pub q: Vec<f64>,
    /// Friction of each point.
    pub friction: Vec<Friction>,
    /// Length below which displacements are rounding: `q` is a difference of places, and knows no more digits than those have.
    pub rounding: f64,
}

/// A contact problem as solvers see it: `W` by its diagonal blocks and by its products. Solvers that need its rows ask for the
/// problem that stores them.
pub trait Problem: Sync {
    /// Components per point: 2 or 3.
    fn dim(&self) -> usize;
    /// `q`, point by point.
    fn q(&self) -> &[f64];
    /// Friction of each point.
    fn friction(&self) -> &[Friction];
    /// Length below which displacements are rounding.
    fn rounding(&self) -> f64;
    /// Diagonal block of point `i`, row by row.
    fn own_block(&self, i: usize) -> &[f64];
    /// `W r`.
    fn product(&self, r: &[f64], out: &mut [f64]);
    /// The problem with its rows, where they are stored.
    fn stored(&self) -> Option<&LocalProblem>;
}

impl dyn Problem + '_ {
    /// Contact points.
    pub fn points(&self) -> usize {
        self.friction().len()
    }

    /// `u = W r + q` of all points.
    pub fn displacements(&self, r: &[f64], u: &mut [f64]) {
        self.product(r, u);
        u.iter_mut().zip(self.q()).for_each(|(u, q)| *u += q);
    }

    /// Diagonal block of point `i`.
    pub fn diagonal<const D: usize>(&self, i: usize) -> [[f64; D]; D] {
        let block = self.own_block(i);
        std::array::from_fn(|a| std::array::from_fn(|b| block[a * D + b]))
    }

    /// The largest friction coefficient of any point.
    pub fn roughest(&self) -> f64 {
        self.friction().iter().map(Friction::largest).fold(0.0, f64::max)
    }
}

impl Problem for LocalProblem {
    fn dim(&self) -> usize {
        self.dim
    }

    fn q(&self) -> &[f64] {
        &self.q
    }

    fn friction(&self) -> &[Friction] {
        &self.friction
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    fn own_block(&self, i: usize) -> &[f64] {
        let size = self.dim * self.dim;
        &self.w.blocks[self.w.diagonal[i] * size..][..size]
    }

    fn product(&self, r: &[f64], out: &mut [f64]) {
        // rows that together hold so many blocks that handing them to a thread pays
        let rows = (SHARED * self.len()).div_ceil(self.w.columns.len().max(1)).max(1);
        parallel::stretches(out, rows * self.dim, |first, out| match self.dim {
            2 => Arch::new().dispatch(Product::<2> { w: &self.w, first: first / 2, r, out }),
            _ => Arch::new().dispatch(Product::<3> { w: &self.w, first: first / 3, r, out }),
        });
    }

    fn stored(&self) -> Option<&LocalProblem> {
        Some(self)
    }
}

/// Blocks of `W` that a thread takes at a time.
const SHARED: usize = 8192;

/// Rows of `W r` from `first` on, compiled for the vector instructions of the machine.
struct Product<'a, const D: usize> {
    w: &'a BlockMatrix,
    first: usize,
    r: &'a [f64],
    out: &'a mut [f64],
}

impl<const D: usize> WithSimd for Product<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (i, out) in self.out.chunks_exact_mut(D).enumerate() {
            out.copy_from_slice(&self.w.row_times::<D>(self.r, self.first + i));
        }
    }
}

impl BlockMatrix {
    /// Block row `i` times `r`.
    #[inline(always)]
    fn row_times<const D: usize>(&self, r: &[f64], i: usize) -> [f64; D] {
        // a sum for each entry of a block: none waits for another, and together they fill the lanes of the machine
        let mut sums = [[0.0; D]; D];
        let range = self.offsets[i]..self.offsets[i + 1];
        let blocks = self.blocks[range.start * D * D..range.end * D * D].chunks_exact(D * D);
        for (block, &j) in blocks.zip(&self.columns[range]) {
            let rj: [f64; D] = std::array::from_fn(|b| r[j as usize * D..][..D][b]);
            for a in 0..D {
                for b in 0..D {
                    sums[a][b] += block[a * D + b] * rj[b];
                }
            }
        }
        std::array::from_fn(|a| sums[a].iter().sum::<f64>())
    }
}

impl LocalProblem {
    /// Contact points.
    pub fn len(&self) -> usize {
        self.friction.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.friction.is_empty()
    }

    /// A problem with a dense `W`, given row by row.
    pub fn dense<F: Copy + Into<Friction>>(dim: usize, w: &[f64], q: &[f64], friction: &[F]) -> Self {
        let n = friction.len();
        let size = n * dim;
        let mut matrix = BlockMatrix { offsets: vec![0], ..BlockMatrix::default() };
        for i in 0..n {
            for j in 0..n {
                if i == j {
                    matrix.diagonal.push(matrix.columns.len());
                }
                matrix.columns.push(j as u32);
                for a in 0..dim {
                    matrix.blocks.extend_from_slice(&w[(i * dim + a) * size + j * dim..][..dim]);
                }
            }
            matrix.offsets.push(matrix.columns.len());
        }
        let friction = friction.iter().map(|f| (*f).into()).collect();
        LocalProblem { dim, w: matrix, q: q.to_vec(), friction, rounding: 0.0 }
    }

    /// Local displacement of point `i` under reactions `r`.
    #[inline(always)]
    pub fn displacement<const D: usize>(&self, r: &[f64], i: usize) -> [f64; D] {
        let product = self.w.row_times::<D>(r, i);
        std::array::from_fn(|a| self.q[i * D + a] + product[a])
    }

    /// Diagonal block of point `i`.
    #[inline(always)]
    pub fn diagonal<const D: usize>(&self, i: usize) -> [[f64; D]; D] {
        let block = &self.w.blocks[self.w.diagonal[i] * D * D..];
        std::array::from_fn(|a| std::array::from_fn(|b| block[a * D + b]))
    }
}

/// An upper bound of the largest eigenvalue of a symmetric block (its largest absolute row sum).
pub(super) fn block_bound<const D: usize>(w: &[[f64; D]; D]) -> f64 {
    w.iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// The judge: the natural map `‖r − Proj_K(r − ρ û)‖ / ‖r‖` with `ρ_i = 1/‖W_ii‖` at each point. It is a relative force:
/// 1e-10 means that every reaction satisfies the law to ten digits of the whole. Zero reactions that satisfy the law give 0.
///
/// Where no solution exists reactions can grow without bound (two walls that close on a body, a lever that wedges), and beside
/// them any violation looks small: forces count up to [`LARGEST`] times those that would stop each point on its own, `‖ρq‖`.
pub fn residual(problem: &dyn Problem, r: &[f64]) -> f64 {
    match (problem.stored(), problem.dim()) {
        (Some(problem), 2) => Arch::new().dispatch(Residual::<2> { problem, r }),
        (Some(problem), _) => Arch::new().dispatch(Residual::<3> { problem, r }),
        (None, 2) => residual_by_product::<2>(problem, r),
        (None, _) => residual_by_product::<3>(problem, r),
    }
}

/// The judge where `W` is known by its products alone.
fn residual_by_product<const D: usize>(problem: &dyn Problem, r: &[f64]) -> f64 {
    let mut u = vec![0.0; r.len()];
    problem.displacements(r, &mut u);
    let mut sums = Sums { rounding: problem.rounding(), ..Sums::default() };
    for (i, (u, friction)) in u.chunks_exact(D).zip(problem.friction()).enumerate() {
        let u = std::array::from_fn(|a| u[a]);
        sums.add::<D>(&problem.diagonal::<D>(i), &u, &r[i * D..], &problem.q()[i * D..], friction);
    }
    sums.residual()
}

/// Largest forces that a violation is measured by, in units of those that would stop each point on its own.
pub const LARGEST: f64 = 1e4;

/// Forces, in the same units, of which the digits that are left say nothing about `q`.
const SWALLOWED: f64 = 1e13;

/// The judge, compiled for the vector instructions of the machine.
struct Residual<'a, const D: usize> {
    problem: &'a LocalProblem,
    r: &'a [f64],
}

impl<const D: usize> WithSimd for Residual<'_, D> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Residual { problem, r } = self;
        let mut sums = Sums { rounding: problem.rounding, ..Sums::default() };
        for i in 0..problem.len() {
            let u = problem.displacement::<D>(r, i);
            sums.add::<D>(&problem.diagonal::<D>(i), &u, &r[i * D..], &problem.q[i * D..], &problem.friction[i]);
        }
        sums.residual()
    }
}

/// The residual that rounding leaves: the shift `μ‖u_t‖` carries the rounding of `u_t` times μ.
pub fn attainable(problem: &dyn Problem) -> f64 {
    4.0 * f64::EPSILON * (1.0 + problem.roughest())
}

/// Over all points the squares of the natural map, of the forces it is measured by, and of `ρq`.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Length below which displacements are rounding, whatever `q`.
    rounding: f64,
    error: f64,
    norm: f64,
    alone: f64,
}

impl Sums {
    /// Adds a point with its block `w`, its displacement, reaction and `q`.
    #[inline(always)]
    fn add<const D: usize>(&mut self, w: &[[f64; D]; D], u: &[f64; D], r: &[f64], q: &[f64], friction: &Friction) {
        let bound = block_bound(w);
        if bound <= 0.0 {
            // held in every direction: the law holds by itself or not at all
            self.error += if u[0] >= 0.0 { 0.0 } else { f64::INFINITY };
            return;
        }
        let rho = 1.0 / bound;
        let own: [f64; D] = std::array::from_fn(|a| r[a]);
        let hat = shifted(u, friction);
        let tau: [f64; D] = std::array::from_fn(|a| own[a] - rho * hat[a]);
        let projected = project(&tau, friction);
        let error: f64 = (0..D).map(|a| (own[a] - projected[a]).powi(2)).sum();
        // a violation below the rounding of the displacements it is computed from is none: a point that slides far and just
        // touches has reactions of that size
        let q = &q[..D];
        let digits = 8.0 * f64::EPSILON * q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let rounding = rho * (1.0 + friction.largest()) * digits.max(self.rounding);
        self.error += if error <= rounding * rounding { 0.0 } else { error };
        self.norm += (0..D).map(|a| own[a].powi(2).max(projected[a].powi(2))).sum::<f64>();
        self.alone += q.iter().map(|x| (rho * x).powi(2)).sum::<f64>();
    }

    fn residual(self) -> f64 {
        let Sums { error, mut norm, alone, .. } = self;
        if !norm.is_finite() || alone > 0.0 && norm > SWALLOWED * SWALLOWED * alone {
            // reactions that overflow, or beside which q is lost in rounding, solve nothing
            return f64::INFINITY;
        }
        if alone > 0.0 {
            norm = norm.min(LARGEST * LARGEST * alone);
        }
        if error == 0.0 { 0.0 } else { (error / norm.max(f64::MIN_POSITIVE)).sqrt() }
    }
}

/// Largest violation of Coulomb's cone, relative to the normal force.
pub fn cone_violation(problem: &LocalProblem, r: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for (point, friction) in r.chunks_exact(problem.dim).zip(&problem.friction) {
        worst = worst.max(excess(point, friction) / point[0].abs().max(f64::MIN_POSITIVE));
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    /// A plate of 1 kg lies on its four corners for a step of 10 µs. Gaps are differences of places of the size of a metre, so that
    /// those of the corners do not agree in their last digit; a quarter of the weight on each corner solves the problem as far as
    /// that digit says, and a force more than it allows does not.
    #[test]
    fn digits_that_gaps_do_not_have_are_no_violation() {
        let (dt, g) = (1e-5, 9.81);
        let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| Vector3::new(x, y, -0.1) * 0.1);
        let mut w = vec![0.0; 144];
        for (i, x) in corners.iter().enumerate() {
            for (j, y) in corners.iter().enumerate() {
                // mass 1, inertia 0.01; axes n = z, t1 = x, t2 = y
                let turn: Matrix3<f64> = x.cross_matrix() * y.cross_matrix();
                let block = Matrix3::identity() - turn * 100.0;
                for a in 0..3 {
                    for b in 0..3 {
                        w[(3 * i + a) * 12 + 3 * j + b] = dt * dt * block[((a + 2) % 3, (b + 2) % 3)];
                    }
                }
            }
        }
        let noise = [1.0, -1.0, 1.0, -1.0].map(|sign| sign * 0.5 * f64::EPSILON);
        let q: Vec<f64> = noise.iter().flat_map(|noise| [noise - g * dt * dt, 0.0, 0.0]).collect();
        let mut problem = LocalProblem::dense(3, &w, &q, &[0.3; 4]);
        let quarter = |scale: f64| -> Vec<f64> { (0..4).flat_map(|_| [0.25 * scale * g, 0.0, 0.0]).collect() };
        assert!(residual(&problem, &quarter(1.0)) > 1e-8);
        problem.rounding = 4.0 * f64::EPSILON;
        assert_eq!(residual(&problem, &quarter(1.0)), 0.0);
        assert!(residual(&problem, &quarter(1.0 + 1e-5)) > 1e-6);
    }
}
