//! Principal values and directions of a symmetric 3×3 tensor by cyclic Jacobi rotations.
//!
//! Jacobi keeps the directions orthonormal to round-off also where principal values meet, and finds small values to the
//! accuracy of the largest entry: both are what laws in principal stretches live on.

use super::symmetric::{INDEX, Sym};

/// Sweeps before giving up; convergence is quadratic and takes three or four.
const SWEEPS: usize = 30;

/// Principal values and, in the same order, unit directions (row `k` belongs to value `k`).
#[inline]
pub fn principal(a: &Sym) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut m: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| a[INDEX[i][j]]));
    let mut n = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        if m[0][1] == 0.0 && m[1][2] == 0.0 && m[0][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (1, 2), (0, 2)] {
            rotate(&mut m, &mut n, p, q);
        }
    }
    ([m[0][0], m[1][1], m[2][2]], n)
}

/// One rotation that makes `m[p][q]` vanish, with the smaller of the two angles.
#[inline(always)]
fn rotate(m: &mut [[f64; 3]; 3], n: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let off = m[p][q];
    // below the rounding of the diagonal an entry changes nothing
    if off.abs() <= 1e-3 * f64::EPSILON * (m[p][p].abs().min(m[q][q].abs())) {
        (m[p][q], m[q][p]) = (0.0, 0.0);
        return;
    }
    if off == 0.0 {
        return;
    }
    let theta = 0.5 * (m[q][q] - m[p][p]) / off;
    let t = if theta.is_finite() { theta.signum() / (theta.abs() + theta.hypot(1.0)) } else { 0.0 };
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    m[p][p] -= t * off;
    m[q][q] += t * off;
    (m[p][q], m[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (x, y) = (m[r][p], m[r][q]);
    (m[r][p], m[r][q]) = (c * x - s * y, s * x + c * y);
    (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
    for i in 0..3 {
        let (x, y) = (n[p][i], n[q][i]);
        (n[p][i], n[q][i]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::super::symmetric::{det, second_invariant, trace};
    use super::*;

    fn check(a: &Sym) {
        let size = a.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let (value, n) = principal(a);
        for i in 0..3 {
            for j in 0..3 {
                let unit: f64 = (0..3).map(|k| n[i][k] * n[j][k]).sum();
                assert!((unit - f64::from(i == j)).abs() < 1e-15, "{a:?}: directions {i}, {j}: {unit}");
                let back: f64 = (0..3).map(|k| value[k] * n[k][i] * n[k][j]).sum();
                let error = (back - a[INDEX[i][j]]).abs();
                assert!(error <= 4e-15 * size, "{a:?}: entry {i}{j} comes back off by {error:e}");
            }
        }
        let [x, y, z] = value;
        assert!((x + y + z - trace(a)).abs() <= 4e-15 * size);
        assert!((x * y + y * z + z * x - second_invariant(a)).abs() <= 1e-14 * size * size);
        assert!((x * y * z - det(a)).abs() <= 1e-14 * size * size * size);
    }

    #[test]
    fn tensors_are_rebuilt_from_their_principal_values() {
        check(&[2.0, 3.0, 4.0, 0.3, -0.5, 0.7]);
        check(&[1e-9, -2e-9, 3e-9, 0.3e-9, -0.5e-9, 0.7e-9]);
        check(&[0.0; 6]);
        check(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        check(&[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        check(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        check(&[1e8, 1.0, 1e-8, 1e-3, 1e-9, 10.0]);
    }

    #[test]
    fn nearly_equal_values_keep_orthonormal_directions() {
        // a turned diag(1, 1 + gap, 1 − gap): the directions may be any, the tensor must come back
        for exponent in 0..17 {
            let gap = 10f64.powi(-exponent);
            let values = [1.0, 1.0 + gap, 1.0 - gap];
            let (s, c) = 0.7f64.sin_cos();
            let n = [[c, s, 0.0], [-s * c, c * c, s], [s * s, -s * c, c]];
            let entry = |i: usize, j: usize| (0..3).map(|k| values[k] * n[k][i] * n[k][j]).sum::<f64>();
            check(&[entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(2, 0)]);
        }
    }
}
