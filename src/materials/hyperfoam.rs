//! Compressible foam after Hill and Storåkers (Storakers1986): `W = Σ_p (2μ_p/α_p²)[Σ_i λ_i^{α_p} − 3 + (1/β_p)(J^{-α_pβ_p} − 1)]`.
//!
//! One term with `α = −2`, `β = ½` is the Blatz–Ko foam.

use std::sync::Arc;

use super::constants::{Allowed, Constant, FromConstants, Given};
use super::spectral::{Principal, PrincipalLaw, hyperelastic};

/// One term of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FoamTerm {
    /// Shear modulus `μ_p` of the term.
    pub mu: f64,
    /// Exponent `α_p`, not zero.
    pub alpha: f64,
    /// `β_p = ν_p/(1 − 2ν_p)`, above −1/3; 0 leaves lateral directions alone.
    pub beta: f64,
}

/// Foam with a sum of powers of the stretches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperfoam {
    terms: Arc<[FoamTerm]>,
}

impl Hyperfoam {
    /// From its terms.
    pub fn new(terms: &[FoamTerm]) -> Self {
        Hyperfoam { terms: terms.into() }
    }
}

impl FromConstants for Hyperfoam {
    const CONSTANTS: &'static [Constant] = &[Constant::Terms(
        "terms",
        &[
            Constant::Number("mu", Allowed::Any),
            Constant::Number("alpha", Allowed::Exponent),
            Constant::Either(
                [("beta", Allowed::Open(-1.0 / 3.0, 1e6)), ("poisson", Allowed::Open(-1.0, 0.5))],
                |poisson| poisson / (1.0 - 2.0 * poisson),
            ),
        ],
    )];

    fn from_constants(given: &Given) -> Result<Self, String> {
        let term = |t: &Vec<f64>| FoamTerm { mu: t[0], alpha: t[1], beta: t[2] };
        let terms: Vec<FoamTerm> = given.terms.iter().map(term).collect();
        let shear: f64 = terms.iter().map(|term| term.mu).sum();
        let bulk: f64 = terms.iter().map(|term| 2.0 * term.mu * (term.beta + 1.0 / 3.0)).sum();
        if shear <= 0.0 {
            return Err(format!("the shear modulus at rest, the sum of mu, must be > 0, got {shear:?}"));
        }
        if bulk <= 0.0 {
            return Err(format!("the bulk modulus at rest, the sum of 2 mu (beta + 1/3), must be > 0, got {bulk:?}"));
        }
        Ok(Hyperfoam::new(&terms))
    }
}

impl PrincipalLaw for Hyperfoam {
    fn energy(&self, l: &[f64; 3]) -> f64 {
        let log_j = l[0] + l[1] + l[2];
        let mut sum = 0.0;
        for &FoamTerm { mu, alpha, beta } in &*self.terms {
            // (J^{-αβ} − 1)/β tends to −α ln J as β vanishes
            let volume = if beta == 0.0 { -alpha * log_j } else { (-alpha * beta * log_j).exp_m1() / beta };
            let powers: f64 = l.iter().map(|l| (alpha * l).exp_m1()).sum();
            sum += 2.0 * mu / (alpha * alpha) * (powers + volume);
        }
        sum
    }

    fn principal(&self, l: &[f64; 3]) -> Principal {
        let log_j = l[0] + l[1] + l[2];
        let mut out = Principal { common: 0.0, tau: [0.0; 3], slope: [[0.0; 3]; 3] };
        for &FoamTerm { mu, alpha, beta } in &*self.terms {
            let volume = (-alpha * beta * log_j).exp();
            out.common -= 2.0 * mu / alpha * volume;
            for i in 0..3 {
                let power = (alpha * l[i]).exp();
                out.tau[i] += 2.0 * mu / alpha * (power - volume);
                for j in 0..3 {
                    out.slope[i][j] += 2.0 * mu * (beta * volume + if i == j { power } else { 0.0 });
                }
            }
        }
        out
    }

    #[inline(always)]
    fn powers(&self, _: &[f64; 3], mut each: impl FnMut(f64, f64)) {
        for &FoamTerm { mu, alpha, .. } in &*self.terms {
            each(2.0 * mu / alpha, alpha);
        }
    }

    fn lame(&self) -> (f64, f64) {
        let mu: f64 = self.terms.iter().map(|t| t.mu).sum();
        (self.terms.iter().map(|t| 2.0 * t.mu * t.beta).sum(), mu)
    }
}

hyperelastic!(Hyperfoam);
