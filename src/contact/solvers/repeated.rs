//! Forces laid out for products with blocks stored by rows: each repeated as often as the lanes of a block need it, so that the
//! product reads both side by side. A block of three is nine numbers, two lanes of four and one; the ninth meets the third force.

use pulp::Simd;

use crate::contact::problem::LocalProblem;
use crate::linalg::lanes::Lane;

/// Lanes of a point: `r0 r1 r0 r1` in the plane, `r0 r1 r2 r0 r1 r2 r0 r1` in space.
#[derive(Debug, Clone, Default)]
pub(super) struct Repeated {
    lanes: Vec<f64>,
}

impl Repeated {
    const fn lanes<const D: usize>() -> usize {
        if D == 2 { 4 } else { 8 }
    }

    /// Takes up all forces.
    #[inline(always)]
    pub(super) fn begin<const D: usize>(&mut self, r: &[f64]) {
        self.lanes.resize(r.len() / D * Self::lanes::<D>(), 0.0);
        for (lanes, r) in self.lanes.chunks_exact_mut(Self::lanes::<D>()).zip(r.chunks_exact(D)) {
            for k in 0..Self::lanes::<D>() {
                lanes[k] = r[k % D];
            }
        }
    }

    /// Replaces the force of a point.
    #[inline(always)]
    pub(super) fn set<const D: usize>(&mut self, i: usize, r: &[f64; D]) {
        let lanes = &mut self.lanes[i * Self::lanes::<D>()..][..Self::lanes::<D>()];
        for k in 0..Self::lanes::<D>() {
            lanes[k] = r[k % D];
        }
    }

    /// [`LocalProblem::displacement`] of point `i`, up to the order of the sum: two sums in turn, so that neither waits.
    #[inline(always)]
    pub(super) fn displacement<const D: usize, S: Simd>(&self, simd: S, problem: &LocalProblem, i: usize) -> [f64; D] {
        let (first, end) = (problem.w.offsets[i], problem.w.offsets[i + 1]);
        let columns = &problem.w.columns[first..end];
        let blocks = &problem.w.blocks[first * D * D..end * D * D];
        let zero = Lane::splat(simd, 0.0);
        let (mut even, mut odd) = ((zero, zero, 0.0), (zero, zero, 0.0));
        let count = end - first;
        let mut e = 0;
        while e + 1 < count {
            even = self.add::<D, S>(simd, even, &blocks[e * D * D..][..D * D], columns[e]);
            odd = self.add::<D, S>(simd, odd, &blocks[(e + 1) * D * D..][..D * D], columns[e + 1]);
            e += 2;
        }
        if e < count {
            even = self.add::<D, S>(simd, even, &blocks[e * D * D..][..D * D], columns[e]);
        }
        let quads = [(even.0 + odd.0).store(), (even.1 + odd.1).store()];
        let last = even.2 + odd.2;
        let mut u = [0.0; D];
        for a in 0..D {
            u[a] = problem.q[i * D + a];
            for b in 0..D {
                // entry k of a block belongs to row k/D
                let k = a * D + b;
                u[a] += if k == 8 { last } else { quads[k / 4][k % 4] };
            }
        }
        u
    }

    /// Adds the products of a block, entry by entry.
    #[inline(always)]
    fn add<const D: usize, S: Simd>(
        &self,
        simd: S,
        sums: (Lane<S>, Lane<S>, f64),
        block: &[f64],
        column: u32,
    ) -> (Lane<S>, Lane<S>, f64) {
        let lanes = &self.lanes[column as usize * Self::lanes::<D>()..][..Self::lanes::<D>()];
        let at = |x: &[f64], k: usize| Lane::load(simd, &[x[k], x[k + 1], x[k + 2], x[k + 3]]);
        let first = sums.0 + at(block, 0) * at(lanes, 0);
        if D == 2 {
            return (first, sums.1, sums.2);
        }
        (first, sums.1 + at(block, 4) * at(lanes, 4), sums.2 + block[8] * lanes[2])
    }
}
