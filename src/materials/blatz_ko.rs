//! Blatz–Ko foam, `W = G/2 (I₂/I₃ + 2√I₃ − 5)`: Poisson's ratio 1/4 at small strain, `σ = G(I − b⁻¹/J)`.
//!
//! In plane strain it loses ellipticity when the stretches differ by more than `2+√3` (KnowlesSternberg1975);
//! the stiffness may then be indefinite while the effective matrix of a time step usually is not.

use super::constants::{Allowed, Constant, FromConstants, Given};
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{
    INDEX, Sym, circle_dot, det, inverse, right_cauchy_green, second_invariant, square, trace,
};

/// The foam law and its one constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlatzKo {
    shear_modulus: f64,
}

impl BlatzKo {
    /// From the shear modulus at small strain.
    pub fn new(shear_modulus: f64) -> Self {
        BlatzKo { shear_modulus }
    }

    /// `C⁻¹`, `C⁻²` and `J` of the strain.
    #[inline(always)]
    fn inverses<T: Real>(e: &Sym<T>) -> (Sym<T>, Sym<T>, T) {
        let c = right_cauchy_green(e);
        let ci = inverse(&c);
        let ci2 = square(&ci);
        (ci, ci2, det(&c).sqrt())
    }

    #[inline(always)]
    fn stress_from<T: Real>(&self, ci: &Sym<T>, ci2: &Sym<T>, j: T) -> Sym<T> {
        // S = G (J C⁻¹ − C⁻²)
        let mut s = *ci;
        for k in 0..6 {
            s[k] = (j * ci[k] - ci2[k]) * self.shear_modulus;
        }
        s
    }

    #[inline(always)]
    fn energy_of<T: Real>(&self, e: &Sym<T>) -> T {
        // With a_k the invariants of 2E: I₂/I₃ − 3 = −(a₁ + 2a₂ + 3a₃)/I₃ and 2(J − 1) = 2d/(J + 1), d = I₃ − 1.
        // Written so, the first-order terms cancel without losing the second-order ones.
        let (a1, a2, a3) = (trace(e) * 2.0, second_invariant(e) * 4.0, det(e) * 8.0);
        let d = a1 + a2 + a3;
        let i3 = d + 1.0;
        let j = i3.sqrt();
        (d * 2.0 / (j + 1.0) - (a1 + a2 * 2.0 + a3 * 3.0) / i3) * (0.5 * self.shear_modulus)
    }
}

impl FromConstants for BlatzKo {
    const CONSTANTS: &'static [Constant] = &[Constant::Number("shear_modulus", Allowed::Positive)];

    fn from_constants(given: &Given) -> Result<Self, String> {
        Ok(BlatzKo::new(given.numbers[0]))
    }
}

impl Hyperelastic for BlatzKo {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.energy_of(e)
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        let (ci, ci2, j) = Self::inverses(e);
        self.stress_from(&ci, &ci2, j)
    }

    #[inline(always)]
    fn stored<T: Real>(&self, e: &Sym<T>) -> (T, Sym<T>) {
        let (ci, ci2, j) = Self::inverses(e);
        (self.energy_of(e), self.stress_from(&ci, &ci2, j))
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let g = self.shear_modulus;
        let (ci, ci2, jac) = Self::inverses(e);
        // ℂ = G [J C⁻¹⊗C⁻¹ − 2J C⁻¹⊙C⁻¹ + 2(C⁻¹⊙C⁻² + C⁻²⊙C⁻¹)]
        let tangent = fourth_order!(V, i j k l => {
            g * (jac * ci[INDEX[i][j]] * ci[INDEX[k][l]] - 2.0 * jac * circle_dot(&ci, &ci, i, j, k, l)
                + 2.0 * (circle_dot(&ci, &ci2, i, j, k, l) + circle_dot(&ci2, &ci, i, j, k, l)))
        });
        Response { energy: self.energy(e), stress: self.stress_from(&ci, &ci2, jac), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        (self.shear_modulus, self.shear_modulus)
    }

    #[inline(always)]
    fn thickness_strain(&self, plane: &Sym) -> f64 {
        // C₃₃ = J₂^{-2/3}, with J₂² − 1 from the in-plane strain
        let excess = 2.0 * (plane[0] + plane[1]) + 4.0 * (plane[0] * plane[1] - plane[3] * plane[3]);
        0.5 * (-excess.ln_1p() / 3.0).exp_m1()
    }
}
