//! Symmetric second-order tensors as six numbers, in the Voigt order 11, 22, 33, 12, 23, 31.
//!
//! The entries are tensor components: a strain holds `E_12`, not `2 E_12`. The factor two enters where a
//! strain-displacement matrix is written (see `elements::total_lagrangian`).

use super::real::Real;

/// A symmetric 3×3 tensor.
pub type Sym<T = f64> = [T; 6];

/// Position of component `(i, j)` among the six.
pub const INDEX: [[usize; 3]; 3] = [[0, 3, 5], [3, 1, 4], [5, 4, 2]];

/// The unit tensor.
pub const IDENTITY: Sym = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

/// Index pair of Voigt row `p`: in the plane (`V = 3`) 11, 22, 12; with the hoop or thickness direction (`V = 4`) 11, 22,
/// 33, 12; in space (`V = 6`) 11, 22, 33, 12, 23, 31.
#[inline(always)]
pub const fn pair<const V: usize>(p: usize) -> (usize, usize) {
    if V == 3 { [(0, 0), (1, 1), (0, 1)][p] } else { [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)][p] }
}

/// Trace.
#[inline(always)]
pub fn trace<T: Real>(a: &Sym<T>) -> T {
    a[0] + a[1] + a[2]
}

/// Double contraction `a : b`.
#[inline(always)]
pub fn dot<T: Real>(a: &Sym<T>, b: &Sym<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]) * 2.0
}

/// Determinant.
#[inline(always)]
pub fn det<T: Real>(a: &Sym<T>) -> T {
    let [xx, yy, zz, xy, yz, zx] = *a;
    xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx)
}

/// Second invariant `½((tr a)² − tr a²)`.
#[inline(always)]
pub fn second_invariant<T: Real>(a: &Sym<T>) -> T {
    let [xx, yy, zz, xy, yz, zx] = *a;
    xx * yy + yy * zz + zz * xx - xy * xy - yz * yz - zx * zx
}

/// Inverse; the caller knows the determinant is not zero.
#[inline(always)]
pub fn inverse<T: Real>(a: &Sym<T>) -> Sym<T> {
    let [xx, yy, zz, xy, yz, zx] = *a;
    let c = [
        yy * zz - yz * yz,
        zz * xx - zx * zx,
        xx * yy - xy * xy,
        yz * zx - xy * zz,
        zx * xy - yz * xx,
        xy * yz - zx * yy,
    ];
    let scale = xx.of(1.0) / (xx * c[0] + xy * c[3] + zx * c[5]);
    [c[0] * scale, c[1] * scale, c[2] * scale, c[3] * scale, c[4] * scale, c[5] * scale]
}

/// Square `a a`, symmetric again.
#[inline(always)]
pub fn square<T: Real>(a: &Sym<T>) -> Sym<T> {
    let [xx, yy, zz, xy, yz, zx] = *a;
    [
        xx * xx + xy * xy + zx * zx,
        xy * xy + yy * yy + yz * yz,
        zx * zx + yz * yz + zz * zz,
        xx * xy + xy * yy + zx * yz,
        xy * zx + yy * yz + yz * zz,
        xx * zx + xy * yz + zx * zz,
    ]
}

/// Von Mises equivalent `√(½[(s₁₁−s₂₂)²+…]+3(s₁₂²+…))` of any symmetric stress.
#[inline]
pub fn von_mises(s: &Sym) -> f64 {
    let [xx, yy, zz, xy, yz, zx] = *s;
    let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (0.5 * normal + 3.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
}

/// `I + 2E`.
#[inline(always)]
pub fn right_cauchy_green<T: Real>(e: &Sym<T>) -> Sym<T> {
    [e[0] * 2.0 + 1.0, e[1] * 2.0 + 1.0, e[2] * 2.0 + 1.0, e[3] * 2.0, e[4] * 2.0, e[5] * 2.0]
}

/// `det(I + 2E) − 1`, the sum of the invariants of `2E`: keeps its digits at small strain.
#[inline(always)]
pub fn volume_excess<T: Real>(e: &Sym<T>) -> T {
    trace(e) * 2.0 + second_invariant(e) * 4.0 + det(e) * 8.0
}

/// A fourth-order tensor with minor symmetries as a `V`×`V` matrix, filled from its components:
/// `fourth_order!(V, i j k l => expression)`. The major symmetry of hyperelasticity saves half the work. A macro, because a
/// closure is not always inlined and its call would cost more than the component.
#[macro_export]
#[doc(hidden)]
macro_rules! fourth_order {
    ($v:ident, $i:ident $j:ident $k:ident $l:ident => $component:expr) => {{
        let mut d = [[0.0; $v]; $v];
        for p in 0..$v {
            let ($i, $j) = $crate::linalg::symmetric::pair::<$v>(p);
            for q in p..$v {
                let ($k, $l) = $crate::linalg::symmetric::pair::<$v>(q);
                let value = $component;
                d[p][q] = value;
                d[q][p] = value;
            }
        }
        d
    }};
}

/// Component `ijkl` of `A⊙B = ½(A_ik B_jl + A_il B_jk)`.
#[inline(always)]
pub fn circle_dot(a: &Sym, b: &Sym, i: usize, j: usize, k: usize, l: usize) -> f64 {
    0.5 * (a[INDEX[i][k]] * b[INDEX[j][l]] + a[INDEX[i][l]] * b[INDEX[j][k]])
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Sym = [2.0, 3.0, 4.0, 0.3, -0.5, 0.7];

    #[test]
    fn inverse_times_itself_is_the_unit_tensor() {
        let b = inverse(&A);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| A[INDEX[i][k]] * b[INDEX[k][j]]).sum();
                assert!((product - f64::from(i == j)).abs() < 1e-14);
            }
        }
        assert!((det(&A) * det(&b) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn invariants_obey_cayley_hamilton() {
        // a³ − I₁a² + I₂a − I₃ = 0, traced: tr a³ = I₁³ − 3I₁I₂ + 3I₃
        let a2 = square(&A);
        let (i1, i2, i3) = (trace(&A), second_invariant(&A), det(&A));
        assert!((dot(&A, &a2) - (i1.powi(3) - 3.0 * i1 * i2 + 3.0 * i3)).abs() < 1e-12);
        assert!((trace(&a2) - (i1 * i1 - 2.0 * i2)).abs() < 1e-13);
    }

    #[test]
    fn von_mises_of_uniaxial_and_pure_shear() {
        assert!((von_mises(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0]) - 5.0).abs() < 1e-15);
        assert!((von_mises(&[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]) - 2.0 * 3.0f64.sqrt()).abs() < 1e-15);
        assert!(von_mises(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]).abs() < 1e-15);
    }
}
