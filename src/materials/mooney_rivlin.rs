//! Mooney–Rivlin rubber, decoupled: `W = c₁(J^{-2/3}I₁ − 3) + c₂(J^{-4/3}I₂ − 3) + κ/2 (J−1)²`.

use super::constants::{Allowed, Constant, FromConstants, Given};
use super::volumetric::Volumetric;
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{
    IDENTITY, INDEX, Sym, circle_dot, inverse, right_cauchy_green, second_invariant, trace, volume_excess,
};

/// Rubber with two shape constants and a bulk modulus. `c₂ = 0` is the decoupled neo-Hooke law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MooneyRivlin {
    c1: f64,
    c2: f64,
    bulk: f64,
}

/// What the energy, the stress and the tangent have in common.
struct State<T> {
    c: Sym<T>,
    ci: Sym<T>,
    /// Invariants `I₁` and `I₂` of `C`.
    i1: T,
    i2: T,
    /// `c₁J^{-2/3}` and `c₂J^{-4/3}`.
    first: T,
    second: T,
    /// `J` and `J p`, `p = κ(J − 1)`.
    jac: T,
    jp: T,
}

impl MooneyRivlin {
    /// From `c₁`, `c₂` and the bulk modulus; the shear modulus at rest is `2(c₁ + c₂)`.
    pub fn new(c1: f64, c2: f64, bulk: f64) -> Self {
        MooneyRivlin { c1, c2, bulk }
    }

    /// The law without its volumetric part, and that part.
    pub fn split(&self) -> (Self, Volumetric) {
        (MooneyRivlin { bulk: 0.0, ..*self }, Volumetric::Quadratic(self.bulk))
    }

    #[inline(always)]
    fn state<T: Real>(&self, e: &Sym<T>) -> State<T> {
        let log_i3 = volume_excess(e).ln_1p();
        let theta = (log_i3 * 0.5).exp_m1();
        let c = right_cauchy_green(e);
        State {
            c,
            ci: inverse(&c),
            i1: trace(e) * 2.0 + 3.0,
            i2: trace(e) * 4.0 + 3.0 + second_invariant(e) * 4.0,
            first: (log_i3 * (-1.0 / 3.0)).exp() * self.c1,
            second: (log_i3 * (-2.0 / 3.0)).exp() * self.c2,
            jac: theta + 1.0,
            jp: (theta + 1.0) * self.bulk * theta,
        }
    }

    #[inline(always)]
    fn stress_from<T: Real>(&self, s: &State<T>) -> Sym<T> {
        // S = 2c₁J^{-2/3}(I − ⅓I₁C⁻¹) + 2c₂J^{-4/3}(I₁I − C − ⅔I₂C⁻¹) + Jp C⁻¹
        let mut out = s.ci;
        for k in 0..6 {
            out[k] = s.first * 2.0 * (-(s.i1 * (1.0 / 3.0) * s.ci[k]) + IDENTITY[k])
                + s.second * 2.0 * (s.i1 * IDENTITY[k] - s.c[k] - s.i2 * (2.0 / 3.0) * s.ci[k])
                + s.jp * s.ci[k];
        }
        out
    }

    #[inline(always)]
    fn energy_of<T: Real>(&self, e: &Sym<T>) -> T {
        // With a_k the invariants of 2E and L = ln I₃: J^{-2/3}I₁ − 3 = 3 expm1(−L/3) + a₁e^{−L/3}, and
        // J^{-4/3}I₂ − 3 = 3 expm1(−2L/3) + (2a₁ + a₂)e^{−2L/3}. No difference of large numbers.
        let (a1, a2) = (trace(e) * 2.0, second_invariant(e) * 4.0);
        let log_i3 = volume_excess(e).ln_1p();
        let (x, y) = ((log_i3 * (-1.0 / 3.0)).exp_m1(), (log_i3 * (-2.0 / 3.0)).exp_m1());
        let theta = (log_i3 * 0.5).exp_m1();
        (x * 3.0 + a1 * (x + 1.0)) * self.c1
            + (y * 3.0 + (a1 * 2.0 + a2) * (y + 1.0)) * self.c2
            + theta * (0.5 * self.bulk) * theta
    }
}

impl FromConstants for MooneyRivlin {
    const CONSTANTS: &'static [Constant] = &[
        Constant::Number("c1", Allowed::Any),
        Constant::Number("c2", Allowed::Any),
        Constant::Number("bulk_modulus", Allowed::Positive),
    ];

    fn from_constants(given: &Given) -> Result<Self, String> {
        let [c1, c2, bulk] = [0, 1, 2].map(|k| given.numbers[k]);
        match c1 + c2 > 0.0 {
            true => Ok(MooneyRivlin::new(c1, c2, bulk)),
            false => Err(format!("the shear modulus at rest, 2 (c1 + c2), must be > 0, got {:?}", 2.0 * (c1 + c2))),
        }
    }
}

impl Hyperelastic for MooneyRivlin {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.energy_of(e)
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        self.stress_from(&self.state(e))
    }

    #[inline(always)]
    fn stored<T: Real>(&self, e: &Sym<T>) -> (T, Sym<T>) {
        (self.energy_of(e), self.stress_from(&self.state(e)))
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let s = self.state(e);
        let a: Sym = std::array::from_fn(|k| s.i1 * IDENTITY[k] - s.c[k]);
        let ci = &s.ci;
        let tangent = fourth_order!(V, i j k l => {
            let (p, q) = (INDEX[i][j], INDEX[k][l]);
            let (outer, round) = (ci[p] * ci[q], circle_dot(ci, ci, i, j, k, l));
            4.0 * s.first
                * (-(IDENTITY[p] * ci[q] + ci[p] * IDENTITY[q]) / 3.0 + s.i1 / 9.0 * outer + s.i1 / 3.0 * round)
                + 4.0 * s.second
                    * (IDENTITY[p] * IDENTITY[q] - circle_dot(&IDENTITY, &IDENTITY, i, j, k, l)
                        - 2.0 / 3.0 * (a[p] * ci[q] + ci[p] * a[q])
                        + 4.0 / 9.0 * s.i2 * outer
                        + 2.0 / 3.0 * s.i2 * round)
                + (s.jp + self.bulk * s.jac * s.jac) * outer
                - 2.0 * s.jp * round
        });
        Response { energy: self.energy(e), stress: self.stress_from(&s), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        let mu = 2.0 * (self.c1 + self.c2);
        (self.bulk - 2.0 / 3.0 * mu, mu)
    }
}
