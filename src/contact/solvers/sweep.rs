//! One sweep of non-linear Gauss–Seidel over the points, each solved exactly with the others held.

use super::local_choice::LocalSolver;
use super::prepared::Prepared;
use super::repeated::Repeated;
use super::semismooth::Proximal;
use crate::contact::problem::LocalProblem;
use crate::linalg::lanes::{available, dispatch};
use pulp::{Arch, Simd, WithSimd};

/// What a sweep changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Change {
    /// `‖Δr‖²`.
    pub(super) change: f64,
    /// `‖r‖²`.
    pub(super) norm: f64,
}

impl Change {
    /// `‖Δr‖/‖r‖`.
    pub(super) fn relative(&self) -> f64 {
        (self.change / self.norm.max(f64::MIN_POSITIVE)).sqrt()
    }
}

/// Sweeps once, in order, over points that have been prepared.
pub(super) fn sweep<const D: usize>(problem: &LocalProblem, points: &mut Prepared, r: &mut [f64]) -> Change {
    if available() {
        dispatch(InOrder::<D> { problem, points, r }).unwrap_or_default()
    } else {
        sweep_with::<D>(problem, LocalSolver::Exact, r)
    }
}

/// The sweep, compiled for the vector instructions of the machine.
struct InOrder<'a, const D: usize> {
    problem: &'a LocalProblem,
    points: &'a mut Prepared,
    r: &'a mut [f64],
}

impl<const D: usize> WithSimd for InOrder<'_, D> {
    type Output = Change;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Change {
        let InOrder { problem, points, r } = self;
        let mut total = Change::default();
        let mut repeated = std::mem::take(&mut points.repeated);
        repeated.begin::<D>(r);
        for i in 0..problem.len() {
            let (own, new) = solved_point::<D, S>(simd, problem, &repeated, r, i, points, i);
            repeated.set(i, &new);
            take(&mut total, r, i, &own, new);
        }
        points.repeated = repeated;
        total
    }
}

/// The reaction that point `i` had, and the one that it needs with the others as they are; `place` is its place among the
/// prepared points.
#[inline(always)]
pub(super) fn solved_point<const D: usize, S: Simd>(
    simd: S,
    problem: &LocalProblem,
    lanes: &Repeated,
    r: &[f64],
    i: usize,
    points: &mut Prepared,
    place: usize,
) -> ([f64; D], [f64; D]) {
    let (mut own, mut w) = ([0.0; D], [[0.0; D]; D]);
    let block = &problem.w.blocks[problem.w.diagonal[i] * D * D..][..D * D];
    for a in 0..D {
        own[a] = r[i * D + a];
        for b in 0..D {
            w[a][b] = block[a * D + b];
        }
    }
    let mut q = lanes.displacement::<D, S>(simd, problem, i);
    for a in 0..D {
        for b in 0..D {
            q[a] -= w[a][b] * own[b];
        }
    }
    (own, points.solve(place, &w, &q, &problem.friction[i]))
}

/// Sweeps once, in order, with another solver of the points.
pub(super) fn sweep_with<const D: usize>(problem: &LocalProblem, local: LocalSolver, r: &mut [f64]) -> Change {
    let mut total = Change::default();
    for i in 0..problem.len() {
        let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
        let w = problem.diagonal::<D>(i);
        let mut q = problem.displacement::<D>(r, i);
        for a in 0..D {
            q[a] -= (0..D).map(|b| w[a][b] * own[b]).sum::<f64>();
        }
        take(&mut total, r, i, &own, local.solve(&w, &q, &problem.friction[i], &own));
    }
    total
}

/// Sweeps some times over the problem with a proximal term; `scale` holds the sizes of the diagonal blocks.
pub(super) fn sweep_regular<const D: usize>(
    problem: &LocalProblem,
    term: Proximal<'_>,
    scale: &[f64],
    points: &mut Prepared,
    (times, r): (usize, &mut [f64]),
) {
    points.begin_regular(problem, |i| term.alpha * scale[i]);
    for _ in 0..times {
        Arch::new().dispatch(InOrderRegular::<D> { problem, term, scale, points, r });
    }
}

/// The sweep with the proximal term, compiled for the vector instructions of the machine.
struct InOrderRegular<'a, const D: usize> {
    problem: &'a LocalProblem,
    term: Proximal<'a>,
    scale: &'a [f64],
    points: &'a mut Prepared,
    r: &'a mut [f64],
}

impl<const D: usize> WithSimd for InOrderRegular<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let InOrderRegular { problem, term, scale, points, r } = self;
        for i in 0..problem.len() {
            let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
            let mut w = problem.diagonal::<D>(i);
            let mut q = problem.displacement::<D>(r, i);
            let weight = term.alpha * scale[i];
            for a in 0..D {
                q[a] -= (0..D).map(|b| w[a][b] * own[b]).sum::<f64>() + weight * term.centre[i * D + a];
                w[a][a] += weight;
            }
            r[i * D..(i + 1) * D].copy_from_slice(&points.solve(i, &w, &q, &problem.friction[i]));
        }
    }
}

#[inline(always)]
fn take<const D: usize>(total: &mut Change, r: &mut [f64], i: usize, own: &[f64; D], new: [f64; D]) {
    for a in 0..D {
        total.change += (new[a] - own[a]).powi(2);
        total.norm += new[a] * new[a];
        r[i * D + a] = new[a];
    }
}
