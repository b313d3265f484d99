//! Compressible neo-Hooke, `W = μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J`.

use super::constants::{Constant, FromConstants, Given, HOOKEAN};
use super::hooke::lame_from_young;
use super::volumetric::Volumetric;
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{IDENTITY, INDEX, Sym, circle_dot, inverse, right_cauchy_green, trace, volume_excess};

/// Rubber-like law with two constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeoHooke {
    lambda: f64,
    mu: f64,
}

impl NeoHooke {
    /// From Young's modulus and Poisson's ratio at small strain.
    pub fn new(young: f64, poisson: f64) -> Self {
        let (lambda, mu) = lame_from_young(young, poisson);
        NeoHooke { lambda, mu }
    }

    /// The law without its volumetric part, and that part, `λ/2 ln²J`.
    pub fn split(&self) -> (Self, Volumetric) {
        (NeoHooke { lambda: 0.0, mu: self.mu }, Volumetric::Logarithmic(self.lambda))
    }

    /// `ln J = ½ ln det(I + 2E)` through `log1p`, exact at small strain.
    #[inline(always)]
    fn log_j<T: Real>(e: &Sym<T>) -> T {
        volume_excess(e).ln_1p() * 0.5
    }

    #[inline(always)]
    fn inverse_c<T: Real>(e: &Sym<T>) -> Sym<T> {
        inverse(&right_cauchy_green(e))
    }

    #[inline(always)]
    fn energy_from<T: Real>(&self, e: &Sym<T>, log_j: T) -> T {
        (trace(e) - log_j) * self.mu + log_j * (0.5 * self.lambda) * log_j
    }

    #[inline(always)]
    fn stress_from<T: Real>(&self, ci: &Sym<T>, log_j: T) -> Sym<T> {
        // S = μ(I − C⁻¹) + λ ln J C⁻¹
        let pull = log_j * self.lambda;
        let mut s = *ci;
        for k in 0..6 {
            s[k] = (-ci[k] + IDENTITY[k]) * self.mu + pull * ci[k];
        }
        s
    }
}

impl FromConstants for NeoHooke {
    const CONSTANTS: &'static [Constant] = &HOOKEAN;

    fn from_constants(given: &Given) -> Result<Self, String> {
        Ok(NeoHooke::new(given.numbers[0], given.numbers[1]))
    }
}

impl Hyperelastic for NeoHooke {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.energy_from(e, Self::log_j(e))
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        self.stress_from(&Self::inverse_c(e), Self::log_j(e))
    }

    #[inline(always)]
    fn stored<T: Real>(&self, e: &Sym<T>) -> (T, Sym<T>) {
        let log_j = Self::log_j(e);
        (self.energy_from(e, log_j), self.stress_from(&Self::inverse_c(e), log_j))
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let log_j = Self::log_j(e);
        let ci = Self::inverse_c(e);
        // ℂ = λ C⁻¹⊗C⁻¹ + 2(μ − λ ln J) C⁻¹⊙C⁻¹
        let shear = 2.0 * (self.mu - self.lambda * log_j);
        let tangent = fourth_order!(V, i j k l => {
            self.lambda * ci[INDEX[i][j]] * ci[INDEX[k][l]] + shear * circle_dot(&ci, &ci, i, j, k, l)
        });
        Response { energy: self.energy_from(e, log_j), stress: self.stress_from(&ci, log_j), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        (self.lambda, self.mu)
    }
}
