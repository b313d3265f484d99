//! What a body carries from step to step.

/// Displacements and velocities, node by node (`dim` numbers each).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyState {
    /// Displacement from the reference position.
    pub u: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
}

impl BodyState {
    /// At rest in the reference position.
    pub fn zero(dofs: usize) -> Self {
        BodyState { u: vec![0.0; dofs], v: vec![0.0; dofs] }
    }

    /// Takes over another state without allocating.
    pub fn copy_from(&mut self, other: &BodyState) {
        self.u.copy_from_slice(&other.u);
        self.v.copy_from_slice(&other.v);
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.u.iter().chain(&self.v).all(|x| x.is_finite())
    }
}
