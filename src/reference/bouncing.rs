//! A point that falls on the ground and leaves it with `e` times the speed of its arrival (Newton's restitution).

/// Data of the fall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bouncing {
    /// Height from which it starts at rest.
    pub height: f64,
    /// Acceleration of gravity.
    pub gravity: f64,
    /// Coefficient of restitution, in (0, 1).
    pub restitution: f64,
}

impl Bouncing {
    fn fall(&self) -> f64 {
        (2.0 * self.height / self.gravity).sqrt()
    }

    /// Time of impact `n`, counted from 0: `t₀ (1 + 2 (e + … + eⁿ))`.
    pub fn impact(&self, n: i32) -> f64 {
        let e = self.restitution;
        self.fall() * (1.0 + 2.0 * e * (1.0 - e.powi(n)) / (1.0 - e))
    }

    /// Height between the impacts `n` and `n + 1`: `h e^(2 n + 2)`.
    pub fn peak(&self, n: i32) -> f64 {
        self.height * self.restitution.powi(2 * n + 2)
    }

    /// Time at which all impacts are over: `t₀ (1 + e)/(1 − e)`.
    pub fn rest(&self) -> f64 {
        self.fall() * (1.0 + self.restitution) / (1.0 - self.restitution)
    }
}
