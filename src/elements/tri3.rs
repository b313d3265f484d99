//! Three-node triangle: constant strain, one point.
//!
//! ```text
//! 2
//! | \
//! 0--1     ξ to the right, η upwards
//! ```

use super::{QuadraturePoint, Shape};

/// Linear triangle. It locks for nearly incompressible laws.
#[derive(Debug)]
pub struct Tri3;

impl Shape<2, 3> for Tri3 {
    const NODES: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    const RULE: &'static [QuadraturePoint<2>] = &[([1.0 / 3.0, 1.0 / 3.0], 0.5)];
    // edge midpoints: exact for quadratics
    const MASS_RULE: &'static [QuadraturePoint<2>] =
        &[([0.5, 0.0], 1.0 / 6.0), ([0.5, 0.5], 1.0 / 6.0), ([0.0, 0.5], 1.0 / 6.0)];

    fn values(xi: &[f64; 2]) -> [f64; 3] {
        [1.0 - xi[0] - xi[1], xi[0], xi[1]]
    }

    fn gradients(_: &[f64; 2]) -> [[f64; 2]; 3] {
        [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]
    }
}
