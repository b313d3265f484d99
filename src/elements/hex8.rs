//! Eight-node hexahedron, `N_a = ⅛(1+ξξ_a)(1+ηη_a)(1+ζζ_a)`, 2×2×2 points.
//!
//! ```text
//!    7--6
//!   /| /|      0-1-2-3 at ζ = -1, 4-5-6-7 above them at ζ = +1
//!  4--5 2
//!  |/ |/
//!  0--1
//! ```

use super::{GAUSS, QuadraturePoint, Shape};

/// Trilinear hexahedron.
#[derive(Debug)]
pub struct Hex8;

impl Shape<3, 8> for Hex8 {
    const NODES: [[f64; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
    ];
    const RULE: &'static [QuadraturePoint<3>] = &[
        ([-GAUSS, -GAUSS, -GAUSS], 1.0),
        ([GAUSS, -GAUSS, -GAUSS], 1.0),
        ([GAUSS, GAUSS, -GAUSS], 1.0),
        ([-GAUSS, GAUSS, -GAUSS], 1.0),
        ([-GAUSS, -GAUSS, GAUSS], 1.0),
        ([GAUSS, -GAUSS, GAUSS], 1.0),
        ([GAUSS, GAUSS, GAUSS], 1.0),
        ([-GAUSS, GAUSS, GAUSS], 1.0),
    ];
    const MASS_RULE: &'static [QuadraturePoint<3>] = Self::RULE;

    fn values(xi: &[f64; 3]) -> [f64; 8] {
        Self::NODES.map(|n| 0.125 * (1.0 + xi[0] * n[0]) * (1.0 + xi[1] * n[1]) * (1.0 + xi[2] * n[2]))
    }

    fn gradients(xi: &[f64; 3]) -> [[f64; 3]; 8] {
        Self::NODES.map(|n| {
            let [x, y, z] = [1.0 + xi[0] * n[0], 1.0 + xi[1] * n[1], 1.0 + xi[2] * n[2]];
            [0.125 * n[0] * y * z, 0.125 * n[1] * x * z, 0.125 * n[2] * x * y]
        })
    }
}
