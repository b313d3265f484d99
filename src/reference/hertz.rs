//! Hertz's contact of elastic bodies with curved surfaces [Johnson1985, ch. 4; impact ch. 11]: frictionless, small strain,
//! contact small against the radius. Bodies and curvatures enter only through `1/E* = Σ (1 − ν²)/E` and `1/R = Σ 1/R`.

use std::f64::consts::PI;

/// Modulus `E*` of two bodies in contact, each given by Young's modulus and Poisson's ratio.
pub fn contact_modulus(bodies: &[(f64, f64)]) -> f64 {
    1.0 / bodies.iter().map(|(young, poisson)| (1.0 - poisson * poisson) / young).sum::<f64>()
}

/// Parallel cylinders pressed together by a force per length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Half of the width of the contact.
    pub half_width: f64,
    /// Pressure in its middle.
    pub peak: f64,
}

impl Line {
    /// `a² = 4 F R / (π E*)`, `p0 = 2 F / (π a)`.
    pub fn new(force: f64, radius: f64, modulus: f64) -> Self {
        let half_width = (4.0 * force * radius / (PI * modulus)).sqrt();
        Self { half_width, peak: 2.0 * force / (PI * half_width) }
    }

    /// Pressure at a distance from the middle.
    pub fn pressure(&self, x: f64) -> f64 {
        self.peak * (1.0 - (x / self.half_width).powi(2)).max(0.0).sqrt()
    }
}

/// Spheres pressed together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Radius of the contact.
    pub radius: f64,
    /// Pressure in its middle.
    pub peak: f64,
    /// Approach of points far from the contact.
    pub approach: f64,
}

impl Point {
    /// `a³ = 3 F R / (4 E*)`, `p0 = 3 F / (2 π a²)`, `δ = a²/R`.
    pub fn new(force: f64, radius: f64, modulus: f64) -> Self {
        let a = (0.75 * force * radius / modulus).cbrt();
        Self { radius: a, peak: 1.5 * force / (PI * a * a), approach: a * a / radius }
    }

    /// Pressure at a distance from the middle.
    pub fn pressure(&self, r: f64) -> f64 {
        self.peak * (1.0 - (r / self.radius).powi(2)).max(0.0).sqrt()
    }
}

/// A sphere thrown against a rigid plane, with the force of the static contact at every moment: waves are neglected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Largest approach.
    pub approach: f64,
    /// Largest force.
    pub force: f64,
    /// From the first touch to the last.
    pub duration: f64,
}

impl Impact {
    /// `m v²/2 = (2/5) k δ^(5/2)` with `k = (4/3) E* √R`, `F = k δ^(3/2)`, and
    /// `t = (2 δ/v) ∫₀¹ dx/√(1 − x^(5/2)) = (δ/v) (4/5) √π Γ(2/5)/Γ(9/10)`.
    pub fn new(mass: f64, speed: f64, radius: f64, modulus: f64) -> Self {
        // (4/5) √π Γ(2/5)/Γ(9/10)
        const SHARE: f64 = 2.943_275_184_324_705;
        let k = 4.0 / 3.0 * modulus * radius.sqrt();
        let approach = (1.25 * mass * speed * speed / k).powf(0.4);
        Self { approach, force: k * approach.powf(1.5), duration: SHARE * approach / speed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs(), "{a:e} against {b:e}");
    }

    #[test]
    fn pressures_carry_the_force() {
        let n = 20_000;
        // midpoint rule; with x = a sin s the root becomes smooth
        let sum = |f: &dyn Fn(f64) -> f64| {
            (0..n).map(|i| f((i as f64 + 0.5) / f64::from(n) * PI / 2.0)).sum::<f64>() * PI / 2.0 / f64::from(n)
        };
        let line = Line::new(3.0, 0.2, 50.0);
        let a = line.half_width;
        near(2.0 * sum(&|s| line.pressure(a * s.sin()) * a * s.cos()), 3.0, 1e-8);
        let point = Point::new(3.0, 0.2, 50.0);
        let a = point.radius;
        near(sum(&|s| 2.0 * PI * a * s.sin() * point.pressure(a * s.sin()) * a * s.cos()), 3.0, 1e-8);
    }

    #[test]
    fn the_surface_of_a_line_contact_fits_its_obstacle() {
        // Flamant: the slope of the surface is −(2/(π E*)) ∫ p(s)/(x − s) ds, which must be −x/R within the contact.
        // ∫₋ₐᵃ √(a² − s²)/(x − s) ds = π x
        let line = Line::new(3.0, 0.2, 50.0);
        let slope = 2.0 / (PI * 50.0) * line.peak / line.half_width * PI * 0.01;
        near(slope, 0.01 / 0.2, 1e-12);
    }

    #[test]
    fn work_of_the_point_contact_is_its_energy() {
        // dU/dδ = F with U = (2/5) F δ
        let at = |force: f64| Point::new(force, 0.01, 7e10).approach;
        let energy = |force: f64| 0.4 * force * at(force);
        let (low, high) = (999.99, 1000.01);
        near((energy(high) - energy(low)) / (at(high) - at(low)), 1000.0, 1e-8);
    }

    #[test]
    fn the_duration_is_the_integral_of_the_motion() {
        // ½ m v² = ½ m δ̇² + (2/5) k δ^(5/2), integrated by leapfrog
        let (mass, radius, modulus) = (0.0113, 0.01, 7.7e10);
        let impact = Impact::new(mass, 1.0, radius, modulus);
        let (mut d, mut v, mut t, mut most) = (0.0f64, 1.0, 0.0, 0.0f64);
        let dt = impact.duration / 1e5;
        while d >= 0.0 {
            v -= dt / mass * 4.0 / 3.0 * modulus * radius.sqrt() * d.powf(1.5);
            d += dt * v;
            t += dt;
            most = most.max(d);
        }
        near(t, impact.duration, 1e-4);
        near(most, impact.approach, 1e-4);
    }
}
