//! Four-node tetrahedron: constant strain, one point. Seen from node 3 the nodes 0, 1, 2 run
//! counter-clockwise, so that the volume is positive.

use super::{QuadraturePoint, Shape};

/// Linear tetrahedron. It locks for nearly incompressible laws.
#[derive(Debug)]
pub struct Tet4;

/// `(5 − √5)/20` and `(5 + 3√5)/20`: the four-point rule that is exact for quadratics.
const A: f64 = 0.138_196_601_125_010_5;
const B: f64 = 0.585_410_196_624_968_5;

impl Shape<3, 4> for Tet4 {
    const NODES: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const RULE: &'static [QuadraturePoint<3>] = &[([0.25, 0.25, 0.25], 1.0 / 6.0)];
    const MASS_RULE: &'static [QuadraturePoint<3>] =
        &[([A, A, A], 1.0 / 24.0), ([B, A, A], 1.0 / 24.0), ([A, B, A], 1.0 / 24.0), ([A, A, B], 1.0 / 24.0)];

    fn values(xi: &[f64; 3]) -> [f64; 4] {
        [1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]]
    }

    fn gradients(_: &[f64; 3]) -> [[f64; 3]; 4] {
        [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    }
}
