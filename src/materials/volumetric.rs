//! The part of a law that sees only the change of volume, kept apart so that an element may take it at the mean of its
//! points (mean dilatation, Q1P0).
//!
//! The measure of volume is the dilatation `θ = J − 1`, in small strain `θ = tr ε`: it keeps its digits at small strain.

use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::symmetric::{IDENTITY, INDEX, Sym, circle_dot, inverse, right_cauchy_green, trace, volume_excess};

/// Stored energy of a change of volume, with its modulus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Volumetric {
    /// `U = κ/2 θ²`.
    Quadratic(f64),
    /// `U = λ/2 ln²(1 + θ)`.
    Logarithmic(f64),
}

impl Volumetric {
    /// `U(θ)`.
    #[inline(always)]
    pub fn energy(&self, theta: f64) -> f64 {
        match *self {
            Volumetric::Quadratic(bulk) => 0.5 * bulk * theta * theta,
            Volumetric::Logarithmic(lambda) => 0.5 * lambda * theta.ln_1p().powi(2),
        }
    }

    /// `U'(θ)`, the pressure taken positive in tension.
    #[inline(always)]
    pub fn pressure(&self, theta: f64) -> f64 {
        match *self {
            Volumetric::Quadratic(bulk) => bulk * theta,
            Volumetric::Logarithmic(lambda) => lambda * theta.ln_1p() / (1.0 + theta),
        }
    }

    /// `U''(θ)`.
    #[inline(always)]
    pub fn stiffness(&self, theta: f64) -> f64 {
        match *self {
            Volumetric::Quadratic(bulk) => bulk,
            Volumetric::Logarithmic(lambda) => lambda * (1.0 - theta.ln_1p()) / (1.0 + theta).powi(2),
        }
    }
}

/// `θ` of a strain.
#[inline(always)]
pub fn dilatation<const SMALL: bool>(e: &Sym) -> f64 {
    if SMALL {
        return trace(e);
    }
    // J − 1 = (J² − 1)/(J + 1)
    let excess = volume_excess(e);
    excess / ((1.0 + excess).sqrt() + 1.0)
}

/// `∂θ/∂E`: `J C⁻¹`, in small strain `I`.
#[inline(always)]
pub fn dilatation_gradient<const SMALL: bool>(e: &Sym) -> Sym {
    if SMALL {
        return IDENTITY;
    }
    let jac = 1.0 + dilatation::<false>(e);
    inverse(&right_cauchy_green(e)).map(|x| jac * x)
}

/// `W(E) + p θ(E)`: a law without its volumetric part, under a pressure that does not depend on the point. With `p = U'` of
/// the element's mean dilatation its stress and tangent are those of the mean-dilatation element, all but the
/// stiffness `U''` against the mean itself.
#[derive(Debug, Clone, Copy)]
pub struct Pressurised<L, const SMALL: bool> {
    /// The law without its volumetric part.
    pub law: L,
    /// The common pressure, positive in tension.
    pub pressure: f64,
}

impl<L: Hyperelastic, const SMALL: bool> Hyperelastic for Pressurised<L, SMALL> {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.law.energy(e) + self.pressure * dilatation::<SMALL>(e)
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        let (s, g) = (self.law.stress(e), dilatation_gradient::<SMALL>(e));
        std::array::from_fn(|k| s[k] + self.pressure * g[k])
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let mut r = self.law.response::<V>(e);
        r.energy += self.pressure * dilatation::<SMALL>(e);
        let g = dilatation_gradient::<SMALL>(e);
        for k in 0..6 {
            r.stress[k] += self.pressure * g[k];
        }
        if !SMALL {
            // ∂²J/∂E∂E = J (C⁻¹⊗C⁻¹ − 2 C⁻¹⊙C⁻¹), and g = J C⁻¹
            let scale = self.pressure / (1.0 + dilatation::<false>(e));
            let second = fourth_order!(V, i j k l => {
                scale * (g[INDEX[i][j]] * g[INDEX[k][l]] - 2.0 * circle_dot(&g, &g, i, j, k, l))
            });
            for p in 0..V {
                for q in 0..V {
                    r.tangent[p][q] += second[p][q];
                }
            }
        }
        r
    }

    fn lame(&self) -> (f64, f64) {
        self.law.lame()
    }
}
