//! What a body carries from step to step.

/// Displacements, velocities and, for schemes that carry them, accelerations, node by node (`dim` numbers each).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyState {
    /// Displacement from the reference position.
    pub u: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Acceleration that a second-order scheme carries on; empty for the others.
    pub a: Vec<f64>,
}

impl BodyState {
    /// At rest in the reference position.
    pub fn zero(dofs: usize) -> Self {
        BodyState::moving(vec![0.0; dofs], vec![0.0; dofs])
    }

    /// With displacements and velocities.
    pub fn moving(u: Vec<f64>, v: Vec<f64>) -> Self {
        BodyState { u, v, a: Vec::new() }
    }

    /// Takes over another state without allocating.
    pub fn copy_from(&mut self, other: &BodyState) {
        self.u.copy_from_slice(&other.u);
        self.v.copy_from_slice(&other.v);
        self.a.clone_from(&other.a);
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.u.iter().chain(&self.v).chain(&self.a).all(|x| x.is_finite())
    }
}
