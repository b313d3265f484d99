//! `W` by its products: `W r = Σ H K̄⁻¹ Hᵀ r`, a substitution forward and back with the factor of each body that has many contact
//! displacements, and the dense part of `W` of each other body. Nothing grows with the square of their number.

use std::sync::Mutex;

use super::condensation::{Condensed, own};
use super::friction::Friction;
use super::problem::{LocalProblem, Problem};
use crate::linalg::Factorization;
use crate::linalg::factorization::Reach;
use crate::parallel;

/// Points whose columns are substituted at once for the diagonal blocks.
const BATCH: usize = 16;

/// What a body whose products go through its factor keeps.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    /// Diagonal blocks of the body's points, row by row.
    pub(super) blocks: Vec<f64>,
    work: Vec<f64>,
}

impl Substituted {
    /// `W_ii = Y_iᵀ D⁻¹ Y_i` from the entries of `Hᵀ` (column, equation, value), some points at a time.
    pub(super) fn fill_blocks(
        &mut self,
        factor: &Factorization,
        entries: &[(u32, u32, f64)],
        points: usize,
        dim: usize,
    ) {
        let size = dim * dim;
        self.blocks.clear();
        self.blocks.resize(points * size, 0.0);
        parallel::stretches(&mut self.blocks, BATCH * size, |first, blocks| {
            let (first, count) = (first / size * dim, blocks.len() / dim);
            let range = |column: usize| entries.partition_point(|entry| (entry.0 as usize) < column);
            let own = &entries[range(first)..range(first + count)];
            let mut reach = Reach::default();
            reach.clear(factor);
            for &(column, equation, _) in own {
                reach.add(factor, column - first as u32, equation as usize);
            }
            reach.close(factor);
            let rows = reach.rows();
            let mut y = vec![0.0; rows * count];
            for &(column, equation, value) in own {
                y[(column as usize - first) * rows + reach.row(equation as usize)] += value;
            }
            factor.forward_many(&reach, &mut y, &mut Vec::new());
            let mut scaled = y.clone();
            factor.scale_many(&reach, &mut scaled);
            for (a, block) in blocks.chunks_exact_mut(size).enumerate() {
                for (k, value) in block.iter_mut().enumerate() {
                    let (left, right) =
                        (&y[(a * dim + k / dim) * rows..][..rows], &scaled[(a * dim + k % dim) * rows..]);
                    *value = left.iter().zip(right).map(|(y, z)| y * z).sum();
                }
            }
        });
    }
}

impl Condensed {
    /// `Hᵀr` of the body on the unknowns of its reach, into the work space.
    fn load(&mut self, factor: &Factorization, r: &[f64], dim: usize) {
        let Condensed { points, entries, reach, substituted, .. } = self;
        let x = &mut substituted.work;
        x.resize(factor.size(), 0.0);
        factor.unknowns(reach).for_each(|unknown| x[unknown] = 0.0);
        for &(column, equation, value) in entries.iter() {
            x[equation as usize] += value * r[place(points, column, dim)];
        }
    }

    /// Adds `L⁻¹Hᵀr` to a right-hand side.
    pub(super) fn forward(&mut self, factor: &Factorization, r: &[f64], dim: usize, out: &mut [f64]) {
        self.load(factor, r, dim);
        let x = &mut self.substituted.work;
        factor.forward_within(&self.reach, x);
        factor.unknowns(&self.reach).for_each(|unknown| out[unknown] += x[unknown]);
    }

    /// The body's share in `W r` at its own displacements.
    fn product(&mut self, factor: &Factorization, r: &[f64], dim: usize, u: &mut Vec<f64>) {
        u.clear();
        u.resize(self.points.len() * dim, 0.0);
        if u.is_empty() {
            return;
        }
        if self.by_factor {
            self.load(factor, r, dim);
            let x = &mut self.substituted.work;
            factor.forward_within(&self.reach, x);
            factor.backward_within(&self.reach, x);
            for &(column, equation, value) in &self.entries {
                u[column as usize] += value * x[equation as usize];
            }
            return;
        }
        for (column, w) in self.w.chunks_exact(u.len()).enumerate() {
            let force = r[place(&self.points, column as u32, dim)];
            if force != 0.0 {
                u.iter_mut().zip(w).for_each(|(u, w)| *u += force * w);
            }
        }
    }
}

/// Place among all contact displacements of one of a body's own with the given points.
fn place(points: &[u32], column: u32, dim: usize) -> usize {
    points[column as usize / dim] as usize * dim + column as usize % dim
}

/// A condensed problem with `W` by products.
#[derive(Debug)]
pub struct ByProducts<'a> {
    /// All but `W`.
    frame: &'a LocalProblem,
    bodies: &'a [Mutex<Condensed>],
    factors: Vec<&'a Factorization>,
    blocks: &'a [f64],
    /// Displacements that each body contributes.
    shares: Mutex<Vec<Vec<f64>>>,
}

impl<'a> ByProducts<'a> {
    pub(super) fn new(
        frame: &'a LocalProblem,
        bodies: &'a [Mutex<Condensed>],
        factors: Vec<&'a Factorization>,
        blocks: &'a [f64],
    ) -> Self {
        ByProducts { frame, bodies, factors, blocks, shares: Mutex::new(vec![Vec::new(); bodies.len()]) }
    }
}

impl Problem for ByProducts<'_> {
    fn dim(&self) -> usize {
        self.frame.dim
    }

    fn q(&self) -> &[f64] {
        &self.frame.q
    }

    fn friction(&self) -> &[Friction] {
        &self.frame.friction
    }

    fn rounding(&self) -> f64 {
        self.frame.rounding
    }

    fn own_block(&self, i: usize) -> &[f64] {
        let size = self.frame.dim * self.frame.dim;
        &self.blocks[i * size..][..size]
    }

    fn product(&self, r: &[f64], out: &mut [f64]) {
        let dim = self.frame.dim;
        let mut shares = own(&self.shares);
        parallel::each(&mut shares, |b, share| own(&self.bodies[b]).product(self.factors[b], r, dim, share));
        out.fill(0.0);
        // body after body, so that the sum does not depend on threads
        for (body, share) in self.bodies.iter().zip(shares.iter()) {
            for (&i, share) in own(body).points.iter().zip(share.chunks_exact(dim)) {
                out[i as usize * dim..].iter_mut().zip(share).for_each(|(out, share)| *out += share);
            }
        }
    }

    fn stored(&self) -> Option<&LocalProblem> {
        None
    }
}
