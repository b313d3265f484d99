//! Coulomb's law of one point: a round cone, or an elliptic one with its slip rule (MichalowskiMroz1978; HjiajEtAl2004).
//!
//! Orthotropic: `√((r_1/μ_1)² + (r_2/μ_2)²) ≤ r_n` in the axes t1, t2 of the point. The slip rule `−u_t ∝ (r_1/q_1², r_2/q_2²)`
//! is the associated one of the cone in `w_t = ((q_1/μ_1)² u_1, (q_2/μ_2)² u_2)`; `q = μ` is the associated rule itself,
//! `q_1 = q_2` slips against the force of friction. Only the ratio of the two `q` matters; they are scaled such that no
//! weight is above 1.

/// Where a point slips to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SlipRule {
    /// Normal to the ellipse of friction.
    #[default]
    Associated,
    /// Against the force of friction.
    Collinear,
    /// Normal to another ellipse, with these half axes along t1 and t2.
    Ellipse([f64; 2]),
}

/// Coefficients and slip rule of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// Coefficients along t1 and t2; in the plane the first one counts.
    pub along: [f64; 2],
    /// `(q/μ)²` along t1 and t2, the larger one 1.
    slip: [f64; 2],
}

impl Default for Friction {
    fn default() -> Self {
        Friction::from(0.0)
    }
}

impl From<f64> for Friction {
    /// The same in all directions.
    fn from(friction: f64) -> Self {
        Friction { along: [friction; 2], slip: [1.0; 2] }
    }
}

impl From<&f64> for Friction {
    fn from(friction: &f64) -> Self {
        Friction::from(*friction)
    }
}

impl std::fmt::Display for Friction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [along, across] = self.along;
        if self.is_round() { write!(f, "{along}") } else { write!(f, "{along} along and {across} across its axis") }
    }
}

impl Friction {
    /// Coefficients along the two axes of a point and a slip rule. A rule that is not associated needs both above zero.
    pub fn orthotropic(along: [f64; 2], rule: SlipRule) -> Self {
        let half_axes = match rule {
            SlipRule::Associated => along,
            SlipRule::Collinear => [1.0; 2],
            SlipRule::Ellipse(half_axes) => half_axes,
        };
        let weights: [f64; 2] =
            std::array::from_fn(|k| if along[k] > 0.0 { (half_axes[k] / along[k]).powi(2) } else { 0.0 });
        let largest = weights[0].max(weights[1]);
        // a direction without friction has no force that could choose a slip
        let weight = |k: usize| if along[k] > 0.0 { weights[k] / largest } else { 1.0 };
        Friction { along, slip: [weight(0), weight(1)] }
    }

    /// Whether all directions are alike.
    #[inline(always)]
    pub fn is_round(&self) -> bool {
        self.along[0] == self.along[1] && self.slip[0] == self.slip[1]
    }

    /// Whether slip is normal to the ellipse of friction, so that the law has a symmetric form.
    pub fn is_associated(&self) -> bool {
        self.slip[0] == self.slip[1]
    }

    /// The larger coefficient.
    #[inline(always)]
    pub fn largest(&self) -> f64 {
        self.along[0].max(self.along[1])
    }

    /// Scales that make the cone round with the coefficient 1: `r_t = s r̃_t` and `ũ_t = c u_t`, `s = μ`, `c = μ (q/μ)²`. With
    /// them the law is the isotropic one for `r̃`, `ũ`.
    #[inline(always)]
    pub fn scales(&self) -> ([f64; 2], [f64; 2]) {
        (self.along, std::array::from_fn(|k| self.along[k] * self.slip[k]))
    }

    /// `(‖w_t‖_*, w_t)`: what friction can dissipate per normal force, and the displacement as the slip rule sees it.
    #[inline(always)]
    pub(super) fn seen(&self, u_t: [f64; 2]) -> (f64, [f64; 2]) {
        let w: [f64; 2] = std::array::from_fn(|k| self.slip[k] * u_t[k]);
        ((self.along[0] * w[0]).hypot(self.along[1] * w[1]), w)
    }

    /// The normal force at which `r_t` would lie on the cone.
    #[inline(always)]
    pub(super) fn gauge(&self, r_t: [f64; 2]) -> f64 {
        let part = |k: usize| if r_t[k] == 0.0 { 0.0 } else { r_t[k] / self.along[k] };
        part(0).hypot(part(1))
    }

    /// Projection on the elliptic cone. Outside it `r_k = μ_k² τ_k/(μ_k² + z)` and `r_n = g(z)` with `z > 0` the only root of
    /// `(1 − z) g(z) = τ_n`, `g(z)² = Σ (μ_k τ_k/(μ_k² + z))²`; the left side falls for all `z ≥ 0`.
    pub(super) fn project(&self, normal: f64, tau: [f64; 2]) -> (f64, [f64; 2]) {
        let [a, b] = self.along;
        // a direction without friction carries no force: what is left is a plane cone
        if a == 0.0 || b == 0.0 {
            let [r_n, r_t] = super::cone::project_round(&[normal, if a == 0.0 { tau[1] } else { tau[0] }], a.max(b));
            return (r_n, if a == 0.0 { [0.0, r_t] } else { [r_t, 0.0] });
        }
        let (dual, gauge) = ((a * tau[0]).hypot(b * tau[1]), (tau[0] / a).hypot(tau[1] / b));
        if dual <= -normal {
            return (0.0, [0.0; 2]);
        }
        if gauge <= normal {
            return (normal, tau);
        }
        let (x, y) = ((a * tau[0]).powi(2), (b * tau[1]).powi(2));
        let at = |z: f64| {
            let (p, q) = (a * a + z, b * b + z);
            let g = (x / (p * p) + y / (q * q)).sqrt();
            let slope = -(x / (p * p * p) + y / (q * q * q)) / g;
            (g, (1.0 - z) * g - normal, (1.0 - z) * slope - g)
        };
        let (mut low, mut high) = (0.0, 1.0);
        while at(high).1 > 0.0 && high < 1e300 {
            low = high;
            high *= 2.0;
        }
        let mut z = 0.5 * (low + high);
        for _ in 0..200 {
            let (_, value, slope) = at(z);
            if value > 0.0 {
                low = z
            } else {
                high = z
            }
            let newton = z - value / slope;
            // the last steps land on an end of the bracket, which is the root to the last digit
            let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
            let done = (next - z).abs() <= 2.0 * f64::EPSILON * next;
            z = next;
            if done {
                break;
            }
        }
        let r_t = [a * a * tau[0] / (a * a + z), b * b * tau[1] / (b * b + z)];
        (self.gauge(r_t), r_t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn randoms() -> impl FnMut() -> f64 {
        let mut seed = 11u64;
        move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0
        }
    }

    /// Moreau's decomposition: the projection lies in the cone, the rest in the polar cone, and they are orthogonal.
    #[test]
    fn elliptic_projection_is_the_nearest_point_of_the_cone() {
        let mut random = randoms();
        for along in [[0.3, 0.1], [0.05, 2.0], [1.0, 1.0], [0.4, 0.0], [0.0, 0.7], [1e-3, 1.5]] {
            let friction = Friction::orthotropic(along, SlipRule::Associated);
            for _ in 0..2000 {
                let (n, t) = (random(), [random(), random()]);
                let (r_n, r_t) = friction.project(n, t);
                assert!(r_n >= 0.0 && friction.gauge(r_t) <= r_n * (1.0 + 1e-14) + 1e-300, "{along:?}");
                let (rest_n, rest) = (n - r_n, [t[0] - r_t[0], t[1] - r_t[1]]);
                let product = rest_n * r_n + rest[0] * r_t[0] + rest[1] * r_t[1];
                assert!(product.abs() < 1e-12, "{along:?}: rest not orthogonal: {product:e}");
                let polar = (along[0] * rest[0]).hypot(along[1] * rest[1]);
                assert!(polar <= -rest_n + 1e-12, "{along:?}: rest not in the polar cone");
            }
        }
    }

    /// Equal coefficients reproduce the closed form of the round cone.
    #[test]
    fn equal_coefficients_give_the_round_cone() {
        let mut random = randoms();
        for mu in [0.1, 0.7, 2.0] {
            for _ in 0..500 {
                let tau = [random(), random(), random()];
                let round = super::super::cone::project_round(&tau, mu);
                let (n, t) = Friction::from(mu).project(tau[0], [tau[1], tau[2]]);
                for (a, b) in round.iter().zip([n, t[0], t[1]]) {
                    assert!((a - b).abs() < 1e-13, "{round:?} and {n}, {t:?}");
                }
            }
        }
    }
}
