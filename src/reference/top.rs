//! The free top: a rigid body that no torque acts on (Euler's equations, closed form by Jacobi's elliptic functions; LandauLifshitz1976,
//! §37).

/// An asymmetric top that starts with no spin about its middle axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Top {
    /// Moments of inertia, ascending.
    pub inertia: [f64; 3],
    /// Spin about the axes of least and of largest inertia at time 0, with `M² > 2 E I₂`.
    pub spin: [f64; 2],
}

impl Top {
    /// `2E` and `M²`.
    fn invariants(&self) -> (f64, f64) {
        let ([i1, _, i3], [a, c]) = (self.inertia, self.spin);
        (i1 * a * a + i3 * c * c, (i1 * a).powi(2) + (i3 * c).powi(2))
    }

    /// Scale of time and modulus `k`.
    fn scale(&self) -> (f64, f64) {
        let ([i1, i2, i3], (e, m)) = (self.inertia, self.invariants());
        let rate = ((i3 - i2) * (m - e * i1) / (i1 * i2 * i3)).sqrt();
        (rate, ((i2 - i1) * (e * i3 - m) / ((i3 - i2) * (m - e * i1))).sqrt())
    }

    /// Spin in the body's axes at a time. Euler's equations fix the sign of the middle component.
    pub fn spin(&self, t: f64) -> [f64; 3] {
        let ([i1, i2, i3], (e, m)) = (self.inertia, self.invariants());
        let (rate, k) = self.scale();
        let [sn, cn, dn] = jacobi(rate * t, k);
        let middle = ((e * i3 - m) / (i2 * (i3 - i2))).sqrt();
        let [a, c] = self.spin;
        [
            a.abs() * cn * a.signum(),
            middle * sn * (a * c).signum(),
            ((m - e * i1) / (i3 * (i3 - i1))).sqrt() * dn * c.signum(),
        ]
    }

    /// Time after which the spin repeats: four quarter periods.
    pub fn period(&self) -> f64 {
        let (rate, k) = self.scale();
        let mut means = (1.0, (1.0 - k * k).sqrt());
        for _ in 0..40 {
            means = (0.5 * (means.0 + means.1), (means.0 * means.1).sqrt());
        }
        2.0 * std::f64::consts::PI / means.0 / rate
    }
}

/// `sn`, `cn`, `dn` of modulus `k` by descending Gauss transformation (arithmetic–geometric mean).
fn jacobi(u: f64, k: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (vec![1.0], (1.0 - k * k).sqrt(), vec![k]);
    while c[c.len() - 1].abs() > 1e-16 && a.len() < 40 {
        let last = a[a.len() - 1];
        c.push(0.5 * (last - b));
        a.push(0.5 * (last + b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = (1u64 << n) as f64 * a[n] * u;
    for j in (1..=n).rev() {
        phi = 0.5 * (phi + (c[j] / a[j] * phi.sin()).clamp(-1.0, 1.0).asin());
    }
    let (sn, cn) = phi.sin_cos();
    [sn, cn, (1.0 - k * k * sn * sn).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_form_satisfies_eulers_equations() {
        let top = Top { inertia: [1.0, 2.0, 3.5], spin: [0.9, 0.7] };
        let [i1, i2, i3] = top.inertia;
        for k in 0..20 {
            let (t, h) = (0.37 * f64::from(k), 1e-5);
            let (w, plus, minus) = (top.spin(t), top.spin(t + h), top.spin(t - h));
            let rate = [0, 1, 2].map(|j| (plus[j] - minus[j]) / (2.0 * h));
            let euler = [(i2 - i3) / i1 * w[1] * w[2], (i3 - i1) / i2 * w[2] * w[0], (i1 - i2) / i3 * w[0] * w[1]];
            for j in 0..3 {
                assert!((rate[j] - euler[j]).abs() < 1e-8, "t = {t}, axis {j}: {} {}", rate[j], euler[j]);
            }
        }
        let (start, later) = (top.spin(0.0), top.spin(top.period()));
        assert!((0..3).all(|j| (start[j] - later[j]).abs() < 1e-12), "{start:?} {later:?}");
    }
}
