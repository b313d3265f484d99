//! Bending vibration of a cantilever with shear deformation and rotatory inertia, Timoshenko's beam.

/// A uniform beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Length.
    pub length: f64,
    /// Area of the section.
    pub area: f64,
    /// Second moment of the section.
    pub inertia: f64,
    /// Young's modulus.
    pub young: f64,
    /// Shear modulus times the shear coefficient of the section, 5/6 for a rectangle.
    pub shear: f64,
    /// Mass per volume.
    pub density: f64,
}

impl Beam {
    /// Circular frequency of mode `mode` (from 0) of the slender cantilever, Euler and Bernoulli's beam: `x² √(EI/(ρAL⁴))` with
    /// the roots of `cos x cosh x = −1`, which lie within 0.31 of `(mode + ½)π`.
    pub fn slender_frequency(&self, mode: usize) -> f64 {
        let middle = (mode as f64 + 0.5) * std::f64::consts::PI;
        let x = root(middle - 0.4, middle + 0.4, |x| x.cos() + 1.0 / x.cosh());
        x * x * (self.young * self.inertia / (self.density * self.area)).sqrt() / (self.length * self.length)
    }

    /// Circular frequency of the cantilever between two others, by shooting; the two must enclose exactly one.
    ///
    /// `w' = θ + Q/(κGA)`, `θ' = M/(EI)`, `M' = −Q − ρIω²θ`, `Q' = −ρAω²w` from the clamped end (`w = θ = 0`) with (Q, M) = (1, 0)
    /// and (0, 1); at the free end Q and M of a combination vanish where their determinant does.
    pub fn frequency_between(&self, low: f64, high: f64) -> f64 {
        root(low, high, |omega| self.determinant(omega))
    }

    fn determinant(&self, omega: f64) -> f64 {
        let w2 = omega * omega * self.density;
        let slope = |[w, turn, q, m]: [f64; 4]| {
            let (shear, bending) = (self.shear * self.area, self.young * self.inertia);
            [turn + q / shear, m / bending, -w2 * self.area * w, -q - w2 * self.inertia * turn]
        };
        // Runge and Kutta's rule of fourth order
        let shoot = |mut y: [f64; 4]| {
            let steps = 1000;
            let h = self.length / f64::from(steps);
            let moved = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
            for _ in 0..steps {
                let k1 = slope(y);
                let k2 = slope(moved(y, k1, 0.5 * h));
                let k3 = slope(moved(y, k2, 0.5 * h));
                let k4 = slope(moved(y, k3, h));
                y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
            }
            y
        };
        let (a, b) = (shoot([0.0, 0.0, 1.0, 0.0]), shoot([0.0, 0.0, 0.0, 1.0]));
        a[2] * b[3] - a[3] * b[2]
    }
}

/// Root of `f` by bisection; not a number if the ends do not enclose one.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let at_low = f(low);
    if at_low * f(high) >= 0.0 {
        return f64::NAN;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_low * f(middle) <= 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLENDER: Beam = Beam { length: 1.0, area: 1e-3, inertia: 1e-9 / 12.0, young: 1.0, shear: 0.4, density: 1.0 };

    #[test]
    fn roots_of_the_slender_cantilever() {
        let scale = (SLENDER.young * SLENDER.inertia / SLENDER.area).sqrt();
        for (mode, known) in [1.875_104_069, 4.694_091_133, 7.854_757_438, 10.995_540_735f64].into_iter().enumerate() {
            assert!((SLENDER.slender_frequency(mode) / scale - known * known).abs() < 1e-7, "{mode}");
        }
    }

    #[test]
    fn a_slender_beam_is_eulers() {
        for mode in 0..3 {
            let slender = SLENDER.slender_frequency(mode);
            let found = SLENDER.frequency_between(0.9 * slender, 1.1 * slender);
            assert!((found / slender - 1.0).abs() < 1e-4 && found < slender, "{mode}: {found} {slender}");
        }
    }

    #[test]
    fn an_interval_without_a_frequency_is_noticed() {
        let first = SLENDER.slender_frequency(0);
        assert!(SLENDER.frequency_between(1.5 * first, 2.0 * first).is_nan());
    }
}
