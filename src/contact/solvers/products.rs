//! Products with `W` that first-order methods share, and the sizes of `W` that their steps depend on.

use crate::contact::cone::shifted;
use crate::contact::problem::{LocalProblem, Problem, block_bound};

/// `û` of all points.
pub(super) fn all_shifted<const D: usize>(problem: &dyn Problem, r: &[f64], out: &mut [f64]) {
    problem.displacements(r, out);
    for (u, friction) in out.chunks_exact_mut(D).zip(problem.friction()) {
        let hat = shifted::<D>(&std::array::from_fn(|a| u[a]), friction);
        u.copy_from_slice(&hat);
    }
}

/// A size for each block row such that `W` is at most the diagonal of them: where rows are stored the sum of the sizes of their
/// blocks; otherwise the size of the diagonal block, all raised by one factor.
pub(super) fn couplings<const D: usize>(problem: &dyn Problem, out: &mut Vec<f64>) {
    out.clear();
    if let Some(stored) = problem.stored() {
        out.extend((0..stored.len()).map(|i| coupling::<D>(stored, i)));
        return;
    }
    let own = |i: usize| block_bound(&problem.diagonal::<D>(i));
    let (mut x, mut y) = (vec![0.0; problem.q().len()], vec![0.0; problem.q().len()]);
    // roughly, because each product counts, and rather too much than too little
    let weight = |i: usize| 1.0 / own(i).max(f64::MIN_POSITIVE);
    let raised = 1.1 * largest_eigenvalue::<D>(problem, weight, 0.03, &mut x, &mut y);
    out.extend((0..problem.points()).map(|i| raised * own(i)));
}

/// Sum of the sizes of the blocks of a row: no eigenvalue of `W` is larger than the largest of them.
fn coupling<const D: usize>(problem: &LocalProblem, i: usize) -> f64 {
    let blocks = &problem.w.blocks[problem.w.offsets[i] * D * D..problem.w.offsets[i + 1] * D * D];
    let size = |block: &[f64]| block_bound::<D>(&std::array::from_fn(|a| std::array::from_fn(|b| block[a * D + b])));
    blocks.chunks_exact(D * D).map(size).sum()
}

/// `λ_max` of `W` with each block row times its `weight`, by power iteration in `x` and `y` until it changes by less than
/// `share`, raised by 5 % because it comes from below.
pub(super) fn largest_eigenvalue<const D: usize>(
    problem: &dyn Problem,
    weight: impl Fn(usize) -> f64,
    share: f64,
    x: &mut [f64],
    y: &mut [f64],
) -> f64 {
    // a start without symmetry, so that no mode is missed
    for (k, value) in x.iter_mut().enumerate() {
        *value = 1.0 + 0.37 * ((k as f64) * 1.7).sin();
    }
    let mut eigenvalue = 0.0;
    for _ in 0..60 {
        // the length in which the product is symmetric
        let length = x.iter().enumerate().map(|(k, v)| v * v / weight(k / D)).sum::<f64>().sqrt();
        x.iter_mut().for_each(|v| *v /= length);
        problem.product(x, y);
        let mut next = 0.0;
        for (k, y) in y.iter_mut().enumerate() {
            next += x[k] * *y;
            *y *= weight(k / D);
        }
        x.copy_from_slice(y);
        if (next - eigenvalue).abs() <= share * next {
            eigenvalue = next;
            break;
        }
        eigenvalue = next;
    }
    1.05 * eigenvalue
}
