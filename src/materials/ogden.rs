//! Ogden rubber, decoupled: `W = Σ_p (μ_p/α_p)(Σ_i λ̄_i^{α_p} − 3) + κ/2 (J−1)²`, `λ̄_i = J^{-1/3}λ_i`.

use std::sync::Arc;

use super::constants::{Allowed, Constant, FromConstants, Given};
use super::spectral::{Principal, PrincipalLaw, hyperelastic};
use super::volumetric::Volumetric;

/// One term of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OgdenTerm {
    /// Modulus `μ_p`; the term adds `½ μ_p α_p` to the shear modulus.
    pub mu: f64,
    /// Exponent `α_p`, not zero.
    pub alpha: f64,
}

/// Rubber with a sum of powers of the stretches.
#[derive(Debug, Clone, PartialEq)]
pub struct Ogden {
    terms: Arc<[OgdenTerm]>,
    bulk: f64,
}

impl Ogden {
    /// From its terms and the bulk modulus.
    pub fn new(terms: &[OgdenTerm], bulk: f64) -> Self {
        Ogden { terms: terms.into(), bulk }
    }

    /// The law without its volumetric part, and that part.
    pub fn split(&self) -> (Self, Volumetric) {
        (Ogden { bulk: 0.0, ..self.clone() }, Volumetric::Quadratic(self.bulk))
    }
}

impl FromConstants for Ogden {
    const CONSTANTS: &'static [Constant] = &[
        Constant::Terms("terms", &[Constant::Number("mu", Allowed::Any), Constant::Number("alpha", Allowed::Exponent)]),
        Constant::Number("bulk_modulus", Allowed::Positive),
    ];

    fn from_constants(given: &Given) -> Result<Self, String> {
        let terms: Vec<OgdenTerm> = given.terms.iter().map(|t| OgdenTerm { mu: t[0], alpha: t[1] }).collect();
        let shear: f64 = terms.iter().map(|term| 0.5 * term.mu * term.alpha).sum();
        match shear > 0.0 {
            true => Ok(Ogden::new(&terms, given.numbers[0])),
            false => Err(format!("the shear modulus at rest, half the sum of mu * alpha, must be > 0, got {shear:?}")),
        }
    }
}

impl PrincipalLaw for Ogden {
    fn energy(&self, l: &[f64; 3]) -> f64 {
        let log_j = l[0] + l[1] + l[2];
        let theta = log_j.exp_m1();
        let mut sum = 0.5 * self.bulk * theta * theta;
        for term in &*self.terms {
            // Σ(λ̄^α − 1): the first-order terms cancel because the l̄_i sum to zero
            let powers: f64 = l.iter().map(|l| (term.alpha * (l - log_j / 3.0)).exp_m1()).sum();
            sum += term.mu / term.alpha * powers;
        }
        sum
    }

    fn principal(&self, l: &[f64; 3]) -> Principal {
        let log_j = l[0] + l[1] + l[2];
        let theta = log_j.exp_m1();
        let jac = 1.0 + theta;
        let pressure = self.bulk * theta;
        // J U' and its derivative by ln J, J U' + J² U''
        let (common, slope) = (jac * pressure, jac * pressure + jac * jac * self.bulk);
        let mut out = Principal { common, tau: [common; 3], slope: [[slope; 3]; 3] };
        for &OgdenTerm { mu, alpha } in &*self.terms {
            let powers = l.map(|l| (alpha * (l - log_j / 3.0)).exp());
            let mean = (powers[0] + powers[1] + powers[2]) / 3.0;
            out.common -= mu * mean;
            for i in 0..3 {
                out.tau[i] += mu * (powers[i] - mean);
                for j in 0..3 {
                    let own = if i == j { powers[i] } else { 0.0 };
                    out.slope[i][j] += mu * alpha * (own - (powers[i] + powers[j] - mean) / 3.0);
                }
            }
        }
        out
    }

    #[inline(always)]
    fn powers(&self, l: &[f64; 3], mut each: impl FnMut(f64, f64)) {
        let log_j = l[0] + l[1] + l[2];
        for &OgdenTerm { mu, alpha } in &*self.terms {
            each(mu * (-alpha * log_j / 3.0).exp(), alpha);
        }
    }

    fn lame(&self) -> (f64, f64) {
        let mu: f64 = self.terms.iter().map(|t| 0.5 * t.mu * t.alpha).sum();
        (self.bulk - 2.0 / 3.0 * mu, mu)
    }
}

hyperelastic!(Ogden);
