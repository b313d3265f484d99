//! Four-node quadrilateral, `N_a = ¼(1+ξξ_a)(1+ηη_a)`, 2×2 points.
//!
//! ```text
//! 3--2
//! |  |     ξ to the right, η upwards
//! 0--1
//! ```

use super::{GAUSS, QuadraturePoint, Shape};

/// Bilinear quadrilateral.
#[derive(Debug)]
pub struct Quad4;

impl Shape<2, 4> for Quad4 {
    const NODES: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    const RULE: &'static [QuadraturePoint<2>] =
        &[([-GAUSS, -GAUSS], 1.0), ([GAUSS, -GAUSS], 1.0), ([GAUSS, GAUSS], 1.0), ([-GAUSS, GAUSS], 1.0)];
    const MASS_RULE: &'static [QuadraturePoint<2>] = Self::RULE;

    fn values(xi: &[f64; 2]) -> [f64; 4] {
        Self::NODES.map(|n| 0.25 * (1.0 + xi[0] * n[0]) * (1.0 + xi[1] * n[1]))
    }

    fn gradients(xi: &[f64; 2]) -> [[f64; 2]; 4] {
        Self::NODES.map(|n| [0.25 * n[0] * (1.0 + xi[1] * n[1]), 0.25 * n[1] * (1.0 + xi[0] * n[0])])
    }
}
