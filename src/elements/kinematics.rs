//! Point by point: from nodal displacements to the displacement gradient, the strain and its derivative.
//!
//! `V` tells the geometry: 3 for plane strain and plane stress, 4 for axisymmetry, 6 for space. In axisymmetry (`r = x`,
//! `z = y`, third direction around the axis) the gradient has one more entry, `H₃₃ = u_r/R = Σ_a u_ar N_a/R`.

use super::assembly::Vectors;
use crate::linalg::Sym;
use crate::linalg::symmetric::{INDEX, pair};

/// The displacement gradient at a point: in the plane or space, and around the axis (zero but in axisymmetry).
#[derive(Debug, Clone, Copy)]
pub(super) struct Gradient<const D: usize> {
    pub h: [[f64; D]; D],
    pub hoop: f64,
}

/// Reference data of an integration point: `N_a,J` and, in axisymmetry, `N_a/R`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointShape<'a, const D: usize, const N: usize> {
    pub gradients: &'a Vectors<D, N>,
    pub hoops: &'a [f64; N],
}

impl<const D: usize> Gradient<D> {
    /// `H` of nodal displacements.
    #[inline(always)]
    pub fn new<const V: usize, const N: usize>(at: PointShape<'_, D, N>, u: &Vectors<D, N>) -> Self {
        let mut h = [[0.0; D]; D];
        for a in 0..N {
            for i in 0..D {
                for j in 0..D {
                    h[i][j] += u[a][i] * at.gradients[a][j];
                }
            }
        }
        let mut hoop = 0.0;
        if V == 4 {
            for a in 0..N {
                hoop += u[a][0] * at.hoops[a];
            }
        }
        Gradient { h, hoop }
    }

    /// The mean of two gradients.
    #[inline(always)]
    pub fn mean(&self, other: &Self) -> Self {
        let h = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (self.h[i][j] + other.h[i][j])));
        Gradient { h, hoop: 0.5 * (self.hoop + other.hoop) }
    }

    /// The least of the determinants that must be positive: `det F` and, in axisymmetry, the hoop stretch. (A point
    /// mirrored in the plane *and* across the axis would have a positive product.)
    #[inline(always)]
    pub fn det<const V: usize>(&self) -> f64 {
        let f = |i: usize, j: usize| self.h[i][j] + f64::from(u8::from(i == j));
        let plane = if D == 2 {
            f(0, 0) * f(1, 1) - f(0, 1) * f(1, 0)
        } else {
            f(0, 0) * (f(1, 1) * f(2, 2) - f(1, 2) * f(2, 1)) - f(0, 1) * (f(1, 0) * f(2, 2) - f(1, 2) * f(2, 0))
                + f(0, 2) * (f(1, 0) * f(2, 1) - f(1, 1) * f(2, 0))
        };
        if V == 4 && self.hoop <= -1.0 {
            return (1.0 + self.hoop) * plane.abs();
        }
        if V == 4 { plane * (1.0 + self.hoop) } else { plane }
    }

    /// Green–Lagrange strain, or its linear part; zero out of the plane but in axisymmetry.
    #[inline(always)]
    pub fn strain<const V: usize, const SMALL: bool>(&self) -> Sym {
        let mut e = [0.0; 6];
        for i in 0..D {
            for j in i..D {
                let mut twice = self.h[i][j] + self.h[j][i];
                if !SMALL {
                    for k in 0..D {
                        twice += self.h[k][i] * self.h[k][j];
                    }
                }
                e[INDEX[i][j]] = 0.5 * twice;
            }
        }
        if V == 4 {
            e[2] = self.hoop + if SMALL { 0.0 } else { 0.5 * self.hoop * self.hoop };
        }
        e
    }

    /// Row `q` of column `(a, i)`: the derivative of strain component `q` (twice it off the diagonal) by `u_ai`.
    #[inline(always)]
    pub fn strain_displacement<const V: usize, const N: usize, const SMALL: bool>(
        &self,
        at: PointShape<'_, D, N>,
    ) -> [[[f64; D]; V]; N] {
        let f = |i: usize, j: usize| f64::from(u8::from(i == j)) + if SMALL { 0.0 } else { self.h[i][j] };
        let g = at.gradients;
        let mut b = [[[0.0; D]; V]; N];
        for a in 0..N {
            for q in 0..V {
                let (row, column) = pair::<V>(q);
                if V == 4 && row == 2 {
                    b[a][q][0] = (1.0 + if SMALL { 0.0 } else { self.hoop }) * at.hoops[a];
                    continue;
                }
                for i in 0..D {
                    b[a][q][i] = if row == column {
                        f(i, row) * g[a][row]
                    } else {
                        f(i, row) * g[a][column] + f(i, column) * g[a][row]
                    };
                }
            }
        }
        b
    }
}

/// `∂X_i/∂ξ_k`.
pub(super) fn map_jacobian<const D: usize, const N: usize>(x: &Vectors<D, N>, parent: &Vectors<D, N>) -> [[f64; D]; D] {
    std::array::from_fn(|i| std::array::from_fn(|k| (0..N).map(|a| x[a][i] * parent[a][k]).sum()))
}

/// Inverse and determinant.
pub(super) fn invert<const D: usize>(m: &[[f64; D]; D]) -> ([[f64; D]; D], f64) {
    let mut inverse = [[0.0; D]; D];
    let det;
    if D == 2 {
        det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        inverse[0] = std::array::from_fn(|j| if j == 0 { m[1][1] / det } else { -m[0][1] / det });
        inverse[1] = std::array::from_fn(|j| if j == 0 { -m[1][0] / det } else { m[0][0] / det });
    } else {
        let cofactor = |i: usize, j: usize| {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]
        };
        det = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
        for i in 0..3 {
            for j in 0..3 {
                inverse[i][j] = cofactor(j, i) / det;
            }
        }
    }
    (inverse, det)
}
