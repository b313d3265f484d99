//! The time step as loads, supports and damping see it.

/// A step of the time scheme. Means of outer forces over it are `(1−ξ)·start + ξ·end`, like the scheme's own force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Span {
    /// Time at its start.
    pub start: f64,
    /// Its length.
    pub dt: f64,
    /// Weight `ξ` of its end in a mean.
    pub weight: f64,
    /// `∂v₁/∂u₁`, the velocity that a unit displacement at its end means.
    pub rate: f64,
    /// Whether the bodies move: in load steps all forces are those of the end.
    pub moves: bool,
}

impl Span {
    /// Time at its end.
    pub fn end(&self) -> f64 {
        self.start + self.dt
    }

    /// Whether only the start of the step counts, so that it is known where it leads without contact.
    pub fn is_explicit(&self) -> bool {
        self.weight == 0.0
    }

    /// The mean of two values.
    #[inline]
    pub fn mean(&self, start: f64, end: f64) -> f64 {
        (1.0 - self.weight) * start + self.weight * end
    }
}
