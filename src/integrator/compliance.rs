//! How far a mean force over an explicit step moves a body: the inverse of its effective matrix, which needs no factor.

use nalgebra::Matrix3;

/// `Δt²M⁻¹`.
#[derive(Debug, Clone, Copy)]
pub struct Compliance<'a> {
    /// `Δt²`.
    pub squared_step: f64,
    /// `1/m` of each unknown, zero where it is held.
    pub inverse_mass: &'a [f64],
    /// Of a rigid body in space: a root `G` of the compliance `GGᵀ` of its turn, which is not diagonal.
    pub turns: Option<&'a Matrix3<f64>>,
}

impl Compliance<'_> {
    /// That of one unknown.
    pub fn of(&self, dof: usize) -> f64 {
        self.squared_step * self.inverse_mass[dof]
    }
}
