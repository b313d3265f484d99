//! The fastest mode of a whole body, by Lanczos' method with its own forces.
//!
//! `A = M^{-½} K M^{-½}` is never formed: a column is the change of the force by a small push. After `k` steps from a random
//! vector the largest eigenvalue of the tridiagonal matrix lies below that of `A`, and adding the norm of what is left over
//! bounds it from above (ZhouLi2011: a bound in practice, as long as the random vector is not orthogonal to the mode sought).

use crate::bodies::{BodyState, Deformable};

/// Steps: with a dozen the bound lies between one and a quarter above the truth, and a mode of one element among a million is found.
const STEPS: usize = 12;
/// Largest displacement of a push, as a share of the distance of nodes.
const PUSH: f64 = 1e-6;

/// Bound of the largest `ω²` of a body at a state; `inverse` is one over the mass of each unknown, zero where it is held. `None` if
/// the body has no force there.
pub(super) fn fastest_mode(body: &mut Deformable, state: &BodyState, inverse: &[f64]) -> Option<f64> {
    let n = inverse.len();
    let still = vec![0.0; n];
    let mut rest = vec![0.0; n];
    body.explicit_force(&state.u, &still, &mut rest).ok()?;
    let mut q: Vec<f64> =
        (0..n as u64).map(|dof| if inverse[dof as usize] > 0.0 { random(dof) } else { 0.0 }).collect();
    let norm = dot(&q, &q).sqrt();
    if norm == 0.0 {
        return Some(0.0);
    }
    q.iter_mut().for_each(|q| *q /= norm);
    let (mut before, mut push, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut alpha, mut beta) = ([0.0; STEPS], [0.0; STEPS]);
    let reach = PUSH * body.spacing();
    let mut count = 0;
    for k in 0..STEPS {
        let largest = q.iter().zip(inverse).map(|(q, inverse)| (q * inverse.sqrt()).abs()).fold(0.0, f64::max);
        let scale = reach / largest;
        for dof in 0..n {
            push[dof] = state.u[dof] + scale * q[dof] * inverse[dof].sqrt();
        }
        body.explicit_force(&push, &still, &mut next).ok()?;
        for dof in 0..n {
            next[dof] = (next[dof] - rest[dof]) / scale * inverse[dof].sqrt();
        }
        alpha[k] = dot(&q, &next);
        let last = if k > 0 { beta[k - 1] } else { 0.0 };
        for dof in 0..n {
            next[dof] -= alpha[k] * q[dof] + last * before[dof];
        }
        beta[k] = dot(&next, &next).sqrt();
        count = k + 1;
        if beta[k] <= 1e-9 * alpha[0].abs() {
            break;
        }
        std::mem::swap(&mut before, &mut q);
        for (q, next) in q.iter_mut().zip(&next) {
            *q = next / beta[k];
        }
    }
    let largest = largest_eigenvalue(&alpha[..count], &beta[..count - 1]);
    let bound = largest + beta[count - 1];
    bound.is_finite().then_some(bound)
}

/// A number in (−1, 1) that depends on `seed` alone (splitmix64).
fn random(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Largest eigenvalue of a symmetric tridiagonal matrix, by bisection with Sturm's count.
fn largest_eigenvalue(diagonal: &[f64], beside: &[f64]) -> f64 {
    let at = |k: usize| beside.get(k).copied().unwrap_or(0.0);
    let reach = |k: usize| at(k) + if k > 0 { at(k - 1) } else { 0.0 };
    let mut high = diagonal.iter().enumerate().map(|(k, d)| d + reach(k)).fold(f64::NEG_INFINITY, f64::max);
    let mut low = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // all pivots of T − x are negative where x exceeds every eigenvalue
    let exceeds = |x: f64| {
        let mut pivot = 1.0f64;
        diagonal.iter().enumerate().all(|(k, d)| {
            let coupling = if k > 0 { at(k - 1) * at(k - 1) / pivot } else { 0.0 };
            pivot = d - x - coupling;
            pivot < 0.0
        })
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if exceeds(middle) { high = middle } else { low = middle }
    }
    high
}
