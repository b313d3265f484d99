//! Kinetic energy cell by cell, for output.

use super::deformable::Deformable;

impl Deformable {
    /// Appends, for each cell, the kinetic energy per reference volume of the velocity field that its shape functions span.
    pub fn kinetic_densities(&self, v: &[f64], out: &mut Vec<f64>) {
        let first = out.len();
        out.resize(first + self.mesh.cell_count(), 0.0);
        for group in self.groups() {
            group.kinetic_densities(v, &mut |cell, density| out[first + cell.index()] = density);
        }
    }
}
