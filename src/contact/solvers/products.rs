//! Products with `W` that first-order methods share, and the sizes of `W` that their steps depend on.

use crate::contact::cone::shifted;
use crate::contact::problem::{LocalProblem, block_bound};

/// `û` of all points.
pub(super) fn all_shifted<const D: usize>(problem: &LocalProblem, r: &[f64], out: &mut [f64]) {
    for (i, out) in out.chunks_exact_mut(D).enumerate() {
        out.copy_from_slice(&shifted(&problem.displacement::<D>(r, i), &problem.friction[i]));
    }
}

/// Sum of the sizes of the blocks of a row: no eigenvalue of `W` is larger than the largest of them.
pub(super) fn coupling<const D: usize>(problem: &LocalProblem, i: usize) -> f64 {
    let blocks = &problem.w.blocks[problem.w.offsets[i] * D * D..problem.w.offsets[i + 1] * D * D];
    let size = |block: &[f64]| block_bound::<D>(&std::array::from_fn(|a| std::array::from_fn(|b| block[a * D + b])));
    blocks.chunks_exact(D * D).map(size).sum()
}

/// `λ_max(W)` by power iteration, raised by 5 % because it comes from below.
pub(super) fn largest_eigenvalue<const D: usize>(problem: &LocalProblem, x: &mut [f64], y: &mut [f64]) -> f64 {
    let n = problem.len();
    // a start without symmetry, so that no mode is missed
    for (k, value) in x.iter_mut().enumerate() {
        *value = 1.0 + 0.37 * ((k as f64) * 1.7).sin();
    }
    let mut eigenvalue = 0.0;
    for _ in 0..60 {
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter_mut().for_each(|v| *v /= length);
        for i in 0..n {
            let u: [f64; D] = problem.displacement::<D>(x, i);
            for a in 0..D {
                y[i * D + a] = u[a] - problem.q[i * D + a];
            }
        }
        let next = x.iter().zip(y.iter()).map(|(a, b)| a * b).sum::<f64>();
        x.copy_from_slice(y);
        if (next - eigenvalue).abs() <= 1e-3 * next {
            eigenvalue = next;
            break;
        }
        eigenvalue = next;
    }
    1.05 * eigenvalue
}
