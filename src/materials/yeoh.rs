//! Yeoh's rubber, decoupled: `W = c₁z + c₂z² + c₃z³ + κ/2 (J−1)²`, `z = J^{-2/3}I₁ − 3` (Yeoh1993). With `c₂ < 0 < c₃` it softens
//! and then stiffens as filled rubber does.

use super::constants::{Allowed, Constant, FromConstants, Given};
use super::volumetric::Volumetric;
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{IDENTITY, INDEX, Sym, circle_dot, inverse, right_cauchy_green, trace, volume_excess};

/// Rubber with three shape constants and a bulk modulus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yeoh {
    c: [f64; 3],
    bulk: f64,
}

/// What the energy, the stress and the tangent have in common.
struct State<T> {
    ci: Sym<T>,
    /// `I₁`, and `J^{-2/3}`.
    i1: T,
    shrink: T,
    /// `dW/dz`, `d²W/dz²`.
    slope: T,
    curvature: T,
    /// `J` and `J p`, `p = κ(J − 1)`.
    jac: T,
    jp: T,
}

impl Yeoh {
    /// From `c₁`, `c₂`, `c₃` and the bulk modulus; the shear modulus at rest is `2c₁`.
    pub fn new(c: [f64; 3], bulk: f64) -> Self {
        Yeoh { c, bulk }
    }

    /// The law without its volumetric part, and that part.
    pub fn split(&self) -> (Self, Volumetric) {
        (Yeoh { bulk: 0.0, ..*self }, Volumetric::Quadratic(self.bulk))
    }

    /// `z` and `J − 1`. With `a₁ = 2 tr E` and `L = ln I₃` it is `3 expm1(−L/3) + a₁e^{−L/3}`: no difference of large numbers.
    #[inline(always)]
    fn excess<T: Real>(e: &Sym<T>) -> (T, T) {
        let log_i3 = volume_excess(e).ln_1p();
        let x = (log_i3 * (-1.0 / 3.0)).exp_m1();
        (x * 3.0 + trace(e) * 2.0 * (x + 1.0), (log_i3 * 0.5).exp_m1())
    }

    #[inline(always)]
    fn energy_of<T: Real>(&self, e: &Sym<T>) -> T {
        let ([c1, c2, c3], (z, theta)) = (self.c, Self::excess(e));
        ((z * c3 + c2) * z + c1) * z + theta * (0.5 * self.bulk) * theta
    }

    #[inline(always)]
    fn state<T: Real>(&self, e: &Sym<T>) -> State<T> {
        let ([c1, c2, c3], (z, theta)) = (self.c, Self::excess(e));
        State {
            ci: inverse(&right_cauchy_green(e)),
            i1: trace(e) * 2.0 + 3.0,
            shrink: (volume_excess(e).ln_1p() * (-1.0 / 3.0)).exp(),
            slope: (z * (3.0 * c3) + 2.0 * c2) * z + c1,
            curvature: z * (6.0 * c3) + 2.0 * c2,
            jac: theta + 1.0,
            jp: (theta + 1.0) * self.bulk * theta,
        }
    }

    /// `g = ∂z/∂C = J^{-2/3}(I − ⅓I₁C⁻¹)`.
    #[inline(always)]
    fn gradient<T: Real>(s: &State<T>) -> Sym<T> {
        let mut g = s.ci;
        for k in 0..6 {
            g[k] = s.shrink * (-(s.i1 * (1.0 / 3.0) * s.ci[k]) + IDENTITY[k]);
        }
        g
    }

    #[inline(always)]
    fn stress_from<T: Real>(&self, s: &State<T>) -> Sym<T> {
        // S = 2W'g + Jp C⁻¹
        let mut out = Self::gradient(s);
        for k in 0..6 {
            out[k] = s.slope * 2.0 * out[k] + s.jp * s.ci[k];
        }
        out
    }
}

impl FromConstants for Yeoh {
    const CONSTANTS: &'static [Constant] = &[
        Constant::Number("c1", Allowed::Positive),
        Constant::Optional("c2", Allowed::Any, 0.0),
        Constant::Optional("c3", Allowed::Any, 0.0),
        Constant::Number("bulk_modulus", Allowed::Positive),
    ];

    fn from_constants(given: &Given) -> Result<Self, String> {
        let [c1, c2, c3, bulk] = [0, 1, 2, 3].map(|k| given.numbers[k]);
        Ok(Yeoh::new([c1, c2, c3], bulk))
    }
}

impl Hyperelastic for Yeoh {
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
        let (ci, g) = (&s.ci, Self::gradient(&s));
        let tangent = fourth_order!(V, i j k l => {
            let (p, q) = (INDEX[i][j], INDEX[k][l]);
            let (outer, round) = (ci[p] * ci[q], circle_dot(ci, ci, i, j, k, l));
            4.0 * s.curvature * g[p] * g[q]
                + 4.0 * s.slope * s.shrink
                    * (-(IDENTITY[p] * ci[q] + ci[p] * IDENTITY[q]) / 3.0 + s.i1 / 9.0 * outer + s.i1 / 3.0 * round)
                + (s.jp + self.bulk * s.jac * s.jac) * outer
                - 2.0 * s.jp * round
        });
        Response { energy: self.energy(e), stress: self.stress_from(&s), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        let mu = 2.0 * self.c[0];
        (self.bulk - 2.0 / 3.0 * mu, mu)
    }
}
