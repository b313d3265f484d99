//! Hooke's law `S = λ tr(E) I + 2μE`. Fed with the small strain it is the linear law, fed with the
//! Green–Lagrange strain it is Saint-Venant–Kirchhoff, which softens in compression (limit point at a
//! uniaxial stretch of `1/√3`): use it for large rotation and small strain.

use super::constants::{Constant, FromConstants, Given, HOOKEAN};
use super::volumetric::Volumetric;
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{IDENTITY, INDEX, Sym, circle_dot, dot, trace};

/// Isotropic elasticity with two constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hooke {
    lambda: f64,
    mu: f64,
}

impl Hooke {
    /// From Young's modulus and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Self {
        let (lambda, mu) = lame_from_young(young, poisson);
        Hooke { lambda, mu }
    }

    /// The deviatoric law `2μ dev E` and the volumetric part `κ/2 θ²`; it belongs to the small strain, where `θ = tr ε`.
    pub fn split(&self) -> (Self, Volumetric) {
        let bulk = self.lambda + 2.0 / 3.0 * self.mu;
        (Hooke { lambda: -2.0 / 3.0 * self.mu, mu: self.mu }, Volumetric::Quadratic(bulk))
    }

    #[inline(always)]
    fn energy_of<T: Real>(&self, e: &Sym<T>) -> T {
        let trace = trace(e);
        trace * trace * (0.5 * self.lambda) + dot(e, e) * self.mu
    }

    #[inline(always)]
    fn stress_of<T: Real>(&self, e: &Sym<T>) -> Sym<T> {
        let pressure = trace(e) * self.lambda;
        let twice = 2.0 * self.mu;
        let [xx, yy, zz, xy, yz, zx] = *e;
        [xx * twice + pressure, yy * twice + pressure, zz * twice + pressure, xy * twice, yz * twice, zx * twice]
    }
}

/// `λ = Eν/((1+ν)(1−2ν))`, `μ = E/(2(1+ν))`.
pub(super) fn lame_from_young(young: f64, poisson: f64) -> (f64, f64) {
    (young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), young / (2.0 * (1.0 + poisson)))
}

impl FromConstants for Hooke {
    const CONSTANTS: &'static [Constant] = &HOOKEAN;

    fn from_constants(given: &Given) -> Result<Self, String> {
        Ok(Hooke::new(given.numbers[0], given.numbers[1]))
    }
}

impl Hyperelastic for Hooke {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.energy_of(e)
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        self.stress_of(e)
    }

    #[inline(always)]
    fn stored<T: Real>(&self, e: &Sym<T>) -> (T, Sym<T>) {
        (self.energy_of(e), self.stress_of(e))
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        // D = λ I⊗I + 2μ I⊙I
        let tangent = fourth_order!(V, i j k l => {
            self.lambda * IDENTITY[INDEX[i][j]] * IDENTITY[INDEX[k][l]]
                + 2.0 * self.mu * circle_dot(&IDENTITY, &IDENTITY, i, j, k, l)
        });
        Response { energy: self.energy(e), stress: self.stress(e), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        (self.lambda, self.mu)
    }

    #[inline(always)]
    fn thickness_strain(&self, plane: &Sym) -> f64 {
        -self.lambda / (self.lambda + 2.0 * self.mu) * (plane[0] + plane[1])
    }
}
