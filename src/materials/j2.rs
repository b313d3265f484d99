//! J2 plasticity with linear isotropic hardening at large strain (Simo1988; SimoHughes1998, box 9.1).
//!
//! `F = Fᵉ Fᵖ`; the elastic part stores `W = κ/2 (½(J²−1) − ln J) + μ/2 (tr b̄ᵉ − 3)`, `b̄ᵉ = J^{-2/3} F C_p⁻¹ Fᵀ`, and the
//! Kirchhoff stress `τ = κ/2 (J²−1) I + μ dev b̄ᵉ` stays within `‖dev τ‖ ≤ √⅔ (σ_y + H α)`. A step that leaves the surface is
//! returned to it along the radius: `s = s_tr − 2μ̄Δγ n`, `μ̄ = μ tr b̄ᵉ/3`, `α += √⅔ Δγ`, and `tr b̄ᵉ` follows from
//! `det b̄ᵉ = 1`: plastic flow keeps the volume.
//!
//! All of it is written with `C` and the memory `C_p⁻¹`, pulled back to the reference state:
//! `S = κ/2 (J²−1) C⁻¹ + μ J^{-2/3}(C_p⁻¹ − ⅓(C:C_p⁻¹) C⁻¹)`, so that neither `F` nor a principal axis is needed.

use super::constants::{Allowed, Constant, FromConstants, Given, HOOKEAN};
use super::hooke::lame_from_young;
use super::mooney_rivlin::MooneyRivlin;
use super::{Hyperelastic, Response};
use crate::fourth_order;
use crate::linalg::Real;
use crate::linalg::symmetric::{INDEX, Sym, circle_dot, dot, inverse, right_cauchy_green, volume_excess};

/// Elastic-plastic metal. As a [`Hyperelastic`] law it is the metal before its first yield.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct J2 {
    bulk: f64,
    mu: f64,
    yield_stress: f64,
    hardening: f64,
}

impl FromConstants for J2 {
    const CONSTANTS: &'static [Constant] = &[
        HOOKEAN[0],
        HOOKEAN[1],
        Constant::Number("yield_stress", Allowed::Positive),
        Constant::Optional("hardening", Allowed::NonNegative, 0.0),
    ];

    fn from_constants(given: &Given) -> Result<Self, String> {
        let [young, poisson, yield_stress, hardening] = [0, 1, 2, 3].map(|k| given.numbers[k]);
        Ok(J2::new(young, poisson, yield_stress, hardening))
    }
}

impl J2 {
    /// From Young's modulus, Poisson's ratio, the yield stress and the slope of stress over plastic strain.
    pub fn new(young: f64, poisson: f64, yield_stress: f64, hardening: f64) -> Self {
        let (lambda, mu) = lame_from_young(young, poisson);
        J2 { bulk: lambda + 2.0 / 3.0 * mu, mu, yield_stress, hardening }
    }

    /// Stored energy, energy turned into heat (work of hardening included) and stress at the end of a step, from its strain
    /// and the memory `(C_p⁻¹, α)` at its start, which becomes that of its end.
    #[inline(always)]
    pub fn flow<T: Real>(&self, e: &Sym<T>, memory: &mut [T; 7]) -> (T, T, Sym<T>) {
        let c = right_cauchy_green(e);
        let ci = inverse(&c);
        let log_i3 = volume_excess(e).ln_1p();
        let shrink = (log_i3 * (-1.0 / 3.0)).exp();
        // isochoric C_p⁻¹, and a third of the trace of b̄ᵉ
        let mut plastic = ci;
        for k in 0..6 {
            plastic[k] = memory[k] * shrink;
        }
        let third = dot(&c, &plastic) * (1.0 / 3.0);
        let mut trial = plastic;
        for k in 0..6 {
            trial[k] = plastic[k] - third * ci[k];
        }
        // ‖dev b̄ᵉ‖² = tr (C·trial)²
        let mut mixed = [[third; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                mixed[i][j] = c[INDEX[i][0]] * trial[INDEX[0][j]]
                    + c[INDEX[i][1]] * trial[INDEX[1][j]]
                    + c[INDEX[i][2]] * trial[INDEX[2][j]];
            }
        }
        let mut square = mixed[0][0] * mixed[0][0] + mixed[1][1] * mixed[1][1] + mixed[2][2] * mixed[2][2];
        square = square + (mixed[0][1] * mixed[1][0] + mixed[1][2] * mixed[2][1] + mixed[2][0] * mixed[0][2]) * 2.0;
        let zero = third.of(0.0);
        let norm = square.if_positive(square, zero).sqrt() * self.mu;
        let root = (2.0f64 / 3.0).sqrt();
        let limit = (memory[6] * self.hardening + self.yield_stress) * root;
        let beyond = norm - limit;
        // 2μ̄Δγ + ⅔HΔγ = ‖s_tr‖ − limit
        let stiffness = third * (2.0 * self.mu);
        let multiplier = beyond.if_positive(beyond / (stiffness + 2.0 / 3.0 * self.hardening), zero);
        let kept = beyond.if_positive(-(stiffness * multiplier / norm) + 1.0, zero + 1.0);
        memory[6] = memory[6] + multiplier * root;
        let dissipated = (memory[6] * self.hardening + self.yield_stress) * root * multiplier;
        // the returned b̄ᵉ = d + Ī I keeps its determinant: Ī³ − ½‖d‖² Ī + det d = 1, by Newton's method from close by
        let half = square * kept * kept * 0.5;
        let m = &mixed;
        let volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        let rest = volume * kept * kept * kept - 1.0;
        let mut mean = half * (1.0 / 3.0) + 1.0;
        for _ in 0..3 {
            mean = mean - (mean * (mean * mean - half) + rest) / (mean * mean * 3.0 - half);
        }
        let mean = beyond.if_positive(mean, third);
        let grow = (log_i3 * (1.0 / 3.0)).exp();
        let excess = log_i3.exp_m1();
        let pressure = excess * (0.5 * self.bulk);
        let mut stress = ci;
        for k in 0..6 {
            stress[k] = trial[k] * kept * self.mu + pressure * ci[k];
        }
        for k in 0..6 {
            let changed = (trial[k] * kept + mean * ci[k]) * grow;
            memory[k] = beyond.if_positive(changed, memory[k]);
        }
        // κ/2 (½(J²−1) − ln J) + μ/2 (tr b̄ᵉ − 3)
        let energy = (excess - log_i3) * (0.25 * self.bulk) + (mean - 1.0) * (1.5 * self.mu);
        (energy, dissipated, stress)
    }

    fn elastic(&self, e: &Sym) -> (f64, Sym) {
        let rigid = J2 { yield_stress: f64::INFINITY, ..*self };
        let (energy, _, stress) = rigid.flow(e, &mut [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        (energy, stress)
    }
}

impl Hyperelastic for J2 {
    fn energy(&self, e: &Sym) -> f64 {
        self.elastic(e).0
    }

    fn stress(&self, e: &Sym) -> Sym {
        self.elastic(e).1
    }

    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let shape = MooneyRivlin::new(0.5 * self.mu, 0.0, 0.0).response::<V>(e);
        let ci = inverse(&right_cauchy_green(e));
        // ∂(κ/2 (J²−1) C⁻¹)/∂E = κ J² C⁻¹⊗C⁻¹ − κ(J²−1) C⁻¹⊙C⁻¹
        let excess = volume_excess(e);
        let mut tangent = fourth_order!(V, i j k l => {
            self.bulk * (1.0 + excess) * ci[INDEX[i][j]] * ci[INDEX[k][l]]
                - self.bulk * excess * circle_dot(&ci, &ci, i, j, k, l)
        });
        for p in 0..V {
            for q in 0..V {
                tangent[p][q] += shape.tangent[p][q];
            }
        }
        Response { energy: self.energy(e), stress: self.stress(e), tangent }
    }

    fn lame(&self) -> (f64, f64) {
        (self.bulk - 2.0 / 3.0 * self.mu, self.mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume-preserving stretch in small steps: the true stress of a bar that flows is `σ_y + H ε_p` with
    /// `ε_p = ln λ − σ/E_iso`, `E_iso = 3μ` as the volume does not change, plus the share of the elastic strain in the flow rule.
    #[test]
    fn a_bar_pulled_beyond_yield_carries_the_hardened_stress() {
        let law = J2::new(200e9, 0.3, 400e6, 1e9);
        let mut memory = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let (mut heat, mut stored, mut work, steps, end) = (0.0, 0.0, 0.0, 2000, 0.5f64);
        let mut mises = 0.0;
        for n in 1..=steps {
            let stretch = (end * f64::from(n) / f64::from(steps)).exp();
            let across = 0.5 * (1.0 / stretch - 1.0);
            let e = [0.5 * (stretch * stretch - 1.0), across, across, 0.0, 0.0, 0.0];
            let (energy, lost, s) = law.flow(&e, &mut memory);
            heat += lost;
            stored = energy;
            // σ = F S Fᵀ, J = 1; the deviator of a state with equal lateral stress
            let now = stretch * stretch * s[0] - s[1] / stretch;
            work += 0.5 * (mises + now) * end / f64::from(steps);
            mises = now;
        }
        // the flow rule's dev of (2/3) tr(b̄ᵉ) d gives α̇ = (1 + εᵉ) ε̇ while b̄ᵉ stays: more than ln λ by the mean elastic strain
        let elastic = |stress: f64| stress / (3.0 * law.mu);
        let plastic = end - elastic(mises) + end * elastic(0.5 * (400e6 + mises));
        assert!((memory[6] / plastic - 1.0).abs() < 1e-3, "{} {plastic}", memory[6]);
        assert!((mises / (400e6 + 1e9 * plastic) - 1.0).abs() < 1e-3, "{mises}");
        // what the stress did and is not stored is heat, to the elastic strain by which α exceeds the plastic stretch
        assert!((heat / (work - stored) - 1.0).abs() < elastic(mises), "{heat} {work} {stored}");
    }

    /// Before yield, four points side by side, and one alone: the same law.
    #[test]
    fn below_yield_nothing_is_remembered() {
        let law = J2::new(200e9, 0.3, 400e6, 1e9);
        let e = [1e-4, -2e-4, 3e-4, 1e-4, -1e-4, 2e-4];
        let virgin = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let mut memory = virgin;
        let (energy, heat, stress) = law.flow(&e, &mut memory);
        assert_eq!((memory, heat), (virgin, 0.0));
        assert_eq!((energy, stress), (law.energy(&e), law.stress(&e)));
    }
}
