//! One sweep of non-linear Gauss–Seidel over the points, each solved exactly with the others held.

use super::local;
use super::local_choice::LocalSolver;
use super::prepared::Prepared;
use super::semismooth::Proximal;
use crate::contact::problem::LocalProblem;

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
#[inline(always)]
pub(super) fn sweep<const D: usize>(problem: &LocalProblem, points: &mut Prepared, r: &mut [f64]) -> Change {
    let mut total = Change::default();
    for i in 0..problem.len() {
        let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
        let w = problem.diagonal::<D>(i);
        let mut q = problem.displacement::<D>(r, i);
        for a in 0..D {
            for b in 0..D {
                q[a] -= w[a][b] * own[b];
            }
        }
        let new = points.solve(i, &w, &q, &problem.friction[i]);
        take(&mut total, r, i, &own, new);
    }
    total
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

/// Sweeps once over the problem with a proximal term; `scale` holds the sizes of the diagonal blocks.
pub(super) fn sweep_regular<const D: usize>(
    problem: &LocalProblem,
    term: Proximal<'_>,
    scale: &[f64],
    r: &mut [f64],
) -> Change {
    let mut total = Change::default();
    for i in 0..problem.len() {
        let own: [f64; D] = std::array::from_fn(|a| r[i * D + a]);
        let mut w = problem.diagonal::<D>(i);
        let mut q = problem.displacement::<D>(r, i);
        let weight = term.alpha * scale[i];
        for a in 0..D {
            q[a] -= (0..D).map(|b| w[a][b] * own[b]).sum::<f64>() + weight * term.centre[i * D + a];
            w[a][a] += weight;
        }
        take(&mut total, r, i, &own, local::solve(&w, &q, &problem.friction[i]));
    }
    total
}

#[inline(always)]
fn take<const D: usize>(total: &mut Change, r: &mut [f64], i: usize, own: &[f64; D], new: [f64; D]) {
    for a in 0..D {
        total.change += (new[a] - own[a]).powi(2);
        total.norm += new[a] * new[a];
        r[i * D + a] = new[a];
    }
}
