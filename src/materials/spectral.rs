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

use super::{Hyperelastic, Response};
use crate::linalg::eigen::principal;
use crate::linalg::symmetric::{INDEX, Sym, pair};

/// Most terms of a law: more than measured data can tell apart, and few enough to keep a law a plain value.
pub const MOST_TERMS: usize = 8;

/// `τ_i = Σ_p factor_p λ_i^{exponent_p} + common`, and `∂τ_i/∂l_j`.
pub struct Principal {
    /// Terms in use.
    pub count: usize,
    /// `a_p`.
    pub factor: [f64; MOST_TERMS],
    /// `α_p`.
    pub exponent: [f64; MOST_TERMS],
    /// `q`.
    pub common: f64,
    /// `τ_i`.
    pub tau: [f64; 3],
    /// `∂τ_i/∂l_j`.
    pub slope: [[f64; 3]; 3],
}

/// A law in principal stretches.
pub trait PrincipalLaw: Copy + Send + Sync {
    /// Energy at logarithmic stretches.
    fn energy(&self, l: &[f64; 3]) -> f64;
    /// Forces and stiffness there.
    fn principal(&self, l: &[f64; 3]) -> Principal;
    /// Lamé's constants at rest.
    fn lame(&self) -> (f64, f64);
}

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

impl<P: PrincipalLaw> Hyperelastic for P {
    #[inline]
    fn energy(&self, e: &Sym) -> f64 {
        PrincipalLaw::energy(self, &logarithmic(&principal(e).0))
    }

    #[inline]
    fn stress(&self, e: &Sym) -> Sym {
        let (values, n) = principal(e);
        let l = logarithmic(&values);
        assemble(&self.principal(&l).tau, &l, &n)
    }

    #[inline]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let (values, n) = principal(e);
        let l = logarithmic(&values);
        let law = self.principal(&l);
        let inverse = l.map(|l| (-2.0 * l).exp());
        let mut tangent = [[0.0; V]; V];
        let mut add = |scale: f64, a: &Sym, b: &Sym| {
            for p in 0..V {
                for q in 0..V {
                    let (at, to) = (pair::<V>(p), pair::<V>(q));
                    tangent[p][q] += scale * a[INDEX[at.0][at.1]] * b[INDEX[to.0][to.1]];
                }
            }
        };
        let base: [Sym; 3] = std::array::from_fn(|i| dyad(&n[i], &n[i]));
        for i in 0..3 {
            add((law.slope[i][i] - 2.0 * law.tau[i]) * inverse[i] * inverse[i], &base[i], &base[i]);
            for j in i + 1..3 {
                let coupling = law.slope[i][j] * inverse[i] * inverse[j];
                add(coupling, &base[i], &base[j]);
                add(coupling, &base[j], &base[i]);
                // l_j − l_i from the difference of the strains, not of the logarithms
                let gap = 0.5 * (2.0 * (values[j] - values[i]) * inverse[i]).ln_1p();
                let mut shear = law.common * quotient(l[i], gap, -2.0);
                for p in 0..law.count {
                    shear += law.factor[p] * quotient(l[i], gap, law.exponent[p] - 2.0);
                }
                let g = dyad(&n[i], &n[j]);
                add(4.0 * shear, &g, &g);
            }
        }
        Response { energy: PrincipalLaw::energy(self, &l), stress: assemble(&law.tau, &l, &n), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        PrincipalLaw::lame(self)
    }
}
