//! Isotropic laws in principal stretches, from their energy as a function of the logarithmic stretches.
//!
//! With `E = Σ E_i n_i⊗n_i`, `l_i = ½ ln(1 + 2E_i)` and `τ_i = ∂W/∂l_i`:
//!
//! - `S = Σ S_i n_i⊗n_i`, `S_i = τ_i/λ_i²`;
//! - `∂S/∂E = Σ A_ij n_i⊗n_i⊗n_j⊗n_j + Σ_{i<j} 4 q_ij g_ij⊗g_ij`, `A_ij = (∂τ_i/∂l_j − 2δ_ij τ_i)/(λ_i²λ_j²)`,
//!   `g_ij = ½(n_i⊗n_j + n_j⊗n_i)`, `q_ij = (S_j − S_i)/(λ_j² − λ_i²)`.
//!
//! The quotient is where such laws lose their digits. Both laws here have `τ_i = Σ_p a_p λ_i^{α_p} + q` with coefficients
//! common to the three directions, so that `λ_j^β − λ_i^β = λ_i^β expm1(β(l_j − l_i))` gives the quotient to round-off at any
//! distance of the stretches, equal ones included.

use super::Response;
use crate::linalg::eigen::principal;
use crate::linalg::symmetric::{INDEX, Sym, pair};

/// `τ_i = Σ_p a_p λ_i^{α_p} + q`, and `∂τ_i/∂l_j`.
pub struct Principal {
    /// `q`.
    pub common: f64,
    /// `τ_i`.
    pub tau: [f64; 3],
    /// `∂τ_i/∂l_j`.
    pub slope: [[f64; 3]; 3],
}

/// A law in principal stretches.
pub trait PrincipalLaw: Send + Sync {
    /// Energy at logarithmic stretches.
    fn energy(&self, l: &[f64; 3]) -> f64;
    /// Forces and stiffness there.
    fn principal(&self, l: &[f64; 3]) -> Principal;
    /// Calls `each` with `a_p` and `α_p` of every term.
    fn powers(&self, l: &[f64; 3], each: impl FnMut(f64, f64));
    /// Lamé's constants at rest.
    fn lame(&self) -> (f64, f64);
}

/// The pairs of different directions.
const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

#[inline(always)]
fn logarithmic(values: &[f64; 3]) -> [f64; 3] {
    values.map(|e| 0.5 * (2.0 * e).ln_1p())
}

/// `n_i⊗n_j`, symmetric part.
#[inline(always)]
fn dyad(a: &[f64; 3], b: &[f64; 3]) -> Sym {
    let entry = |i: usize, j: usize| 0.5 * (a[i] * b[j] + a[j] * b[i]);
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(2, 0)]
}

/// `(λ_j^β − λ_i^β)/(λ_j² − λ_i²)` with `gap = l_j − l_i`.
#[inline(always)]
fn quotient(l: f64, gap: f64, beta: f64) -> f64 {
    let ratio = if gap == 0.0 { 0.5 * beta } else { (beta * gap).exp_m1() / (2.0 * gap).exp_m1() };
    ((beta - 2.0) * l).exp() * ratio
}

fn assemble(tau: &[f64; 3], l: &[f64; 3], n: &[[f64; 3]; 3]) -> Sym {
    let mut s = [0.0; 6];
    for i in 0..3 {
        let (value, base) = (tau[i] * (-2.0 * l[i]).exp(), dyad(&n[i], &n[i]));
        for k in 0..6 {
            s[k] += value * base[k];
        }
    }
    s
}

#[inline]
pub(super) fn energy(law: &impl PrincipalLaw, e: &Sym) -> f64 {
    law.energy(&logarithmic(&principal(e).0))
}

#[inline]
pub(super) fn stress(law: &impl PrincipalLaw, e: &Sym) -> Sym {
    let (values, n) = principal(e);
    let l = logarithmic(&values);
    assemble(&law.principal(&l).tau, &l, &n)
}

#[inline]
pub(super) fn response<const V: usize>(law: &impl PrincipalLaw, e: &Sym) -> Response<V> {
    let (values, n) = principal(e);
    let l = logarithmic(&values);
    let at = law.principal(&l);
    let inverse = l.map(|l| (-2.0 * l).exp());
    let mut tangent = [[0.0; V]; V];
    let mut add = |scale: f64, a: &Sym, b: &Sym| {
        for p in 0..V {
            for q in 0..V {
                let (row, column) = (pair::<V>(p), pair::<V>(q));
                tangent[p][q] += scale * a[INDEX[row.0][row.1]] * b[INDEX[column.0][column.1]];
            }
        }
    };
    let base: [Sym; 3] = std::array::from_fn(|i| dyad(&n[i], &n[i]));
    // l_j − l_i from the difference of the strains, not of the logarithms
    let gaps = PAIRS.map(|[i, j]| 0.5 * (2.0 * (values[j] - values[i]) * inverse[i]).ln_1p());
    let mut shear = [0, 1, 2].map(|k: usize| at.common * quotient(l[PAIRS[k][0]], gaps[k], -2.0));
    law.powers(&l, |factor, exponent| {
        for k in 0..3 {
            shear[k] += factor * quotient(l[PAIRS[k][0]], gaps[k], exponent - 2.0);
        }
    });
    for i in 0..3 {
        add((at.slope[i][i] - 2.0 * at.tau[i]) * inverse[i] * inverse[i], &base[i], &base[i]);
    }
    for (k, [i, j]) in PAIRS.into_iter().enumerate() {
        let coupling = at.slope[i][j] * inverse[i] * inverse[j];
        add(coupling, &base[i], &base[j]);
        add(coupling, &base[j], &base[i]);
        let g = dyad(&n[i], &n[j]);
        add(4.0 * shear[k], &g, &g);
    }
    Response { energy: law.energy(&l), stress: assemble(&at.tau, &l, &n), tangent }
}

/// Makes a law in principal stretches a [`Hyperelastic`](super::Hyperelastic) one. A blanket implementation would forbid that of references.
macro_rules! hyperelastic {
    ($law:ty) => {
        impl $crate::materials::Hyperelastic for $law {
            #[inline]
            fn energy(&self, e: &$crate::linalg::Sym) -> f64 {
                $crate::materials::spectral::energy(self, e)
            }

            #[inline]
            fn stress(&self, e: &$crate::linalg::Sym) -> $crate::linalg::Sym {
                $crate::materials::spectral::stress(self, e)
            }

            #[inline]
            fn response<const V: usize>(&self, e: &$crate::linalg::Sym) -> $crate::materials::Response<V> {
                $crate::materials::spectral::response(self, e)
            }

            fn lame(&self) -> (f64, f64) {
                PrincipalLaw::lame(self)
            }
        }
    };
}
pub(super) use hyperelastic;
