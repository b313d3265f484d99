//! How nodal values become parent gradients at the points of an element, and stresses become nodal forces.
//!
//! In the parent element these maps have constant coefficients, and of a trilinear field `∂u/∂ξ` does not depend on `ξ`:
//! it is interpolated between the differences along the four edges in that direction. That takes 180 operations for all points of a
//! hexahedron, where stored gradients would take 576 and six times the memory.

use crate::elements::{Hex8, Quad4, QuadraturePoint, Shape, Tet4, Tri3};
use crate::linalg::Real;

/// An element with `P` integration points whose parent map is written out.
pub trait Parent<const D: usize, const N: usize, const P: usize>: Send + Sync + 'static {
    /// The geometry.
    type Shape: Shape<D, N>;
    /// The rule.
    const POINTS: [QuadraturePoint<D>; P];
    /// Patterns of nodal values that the points do not see, beside the constant and linear ones.
    const HOURGLASS: &'static [[f64; N]];
    /// `∂u_i/∂ξ_k` at each point, `[point][i][k]`.
    fn gradients<T: Real>(u: &[[T; D]; N]) -> [[[T; D]; D]; P];
    /// The transposed map: `f_ai = Σ_p Σ_k N_a,ξk(p) q[p][i][k]`.
    fn forces<T: Real>(q: &[[[T; D]; D]; P]) -> [[T; D]; N];
    /// `Σ_a h_a u_ai` of each hourglass pattern, zero where there are fewer.
    #[inline(always)]
    fn patterns<T: Real>(u: &[[T; D]; N]) -> [[T; D]; 4] {
        [[u[0][0].of(0.0); D]; 4]
    }
    /// The transposed map: adds `Σ_m h_ma g_mi` to the forces.
    #[inline(always)]
    fn hold<T: Real>(_g: &[[T; D]; 4], _f: &mut [[T; D]; N]) {}
}

/// One point at the centre of a quad or hex; the modes it misses are held by hourglass control.
#[derive(Debug)]
pub struct OnePoint<S>(std::marker::PhantomData<S>);

macro_rules! simplex {
    ($shape:ty, $d:literal, $n:literal) => {
        impl Parent<$d, $n, 1> for $shape {
            type Shape = $shape;
            const POINTS: [QuadraturePoint<$d>; 1] = [<$shape as Shape<$d, $n>>::RULE[0]];
            const HOURGLASS: &'static [[f64; $n]] = &[];

            #[inline(always)]
            fn gradients<T: Real>(u: &[[T; $d]; $n]) -> [[[T; $d]; $d]; 1] {
                // N_0 = 1 − Σ ξ_k, N_k = ξ_k
                let mut out = [[[u[0][0]; $d]; $d]; 1];
                for i in 0..$d {
                    for k in 0..$d {
                        out[0][i][k] = u[k + 1][i] - u[0][i];
                    }
                }
                out
            }

            #[inline(always)]
            fn forces<T: Real>(q: &[[[T; $d]; $d]; 1]) -> [[T; $d]; $n] {
                let mut f = [[q[0][0][0]; $d]; $n];
                for i in 0..$d {
                    f[0][i] = -sum(&q[0][i]);
                    for k in 0..$d {
                        f[k + 1][i] = q[0][i][k];
                    }
                }
                f
            }
        }
    };
}

simplex!(Tri3, 2, 3);
simplex!(Tet4, 3, 4);

#[inline(always)]
fn sum<T: Real, const N: usize>(x: &[T; N]) -> T {
    let mut total = x[0];
    for k in 1..N {
        total = total + x[k];
    }
    total
}

/// Half the weights of the near and of the far edge at a Gauss point, `¼(1 ± 1/√3)`: the half belongs to the difference.
const NEAR: f64 = 0.25 * (1.0 + super::super::GAUSS);
const FAR: f64 = 0.25 * (1.0 - super::super::GAUSS);
/// The same with the whole weights, for the second direction.
const NEAR2: f64 = 2.0 * NEAR;
const FAR2: f64 = 2.0 * FAR;

/// `(near x + far y, far x + near y)`: from two edges to the two points between them, and back.
#[inline(always)]
fn blend<T: Real>(near: f64, far: f64, x: T, y: T) -> [T; 2] {
    let (n, f) = (x.of(near), x.of(far));
    [x.fma(n, y * f), x.fma(f, y * n)]
}

/// For each direction the edges of a quad along it, from node to node, in the order of the other coordinate; points have the
/// order of the nodes.
const QUAD_EDGES: [[[usize; 2]; 2]; 2] = [[[0, 1], [3, 2]], [[0, 3], [1, 2]]];

impl Parent<2, 4, 4> for Quad4 {
    type Shape = Quad4;
    const POINTS: [QuadraturePoint<2>; 4] = [Quad4::RULE[0], Quad4::RULE[1], Quad4::RULE[2], Quad4::RULE[3]];
    const HOURGLASS: &'static [[f64; 4]] = &[];

    #[inline(always)]
    fn gradients<T: Real>(u: &[[T; 2]; 4]) -> [[[T; 2]; 2]; 4] {
        let mut out = [[[u[0][0]; 2]; 2]; 4];
        for i in 0..2 {
            for k in 0..2 {
                let edges = &QUAD_EDGES[k];
                let [[a, b], [c, d]] = *edges;
                let values = blend(NEAR, FAR, u[b][i] - u[a][i], u[d][i] - u[c][i]);
                out[a][i][k] = values[0];
                out[b][i][k] = values[0];
                out[c][i][k] = values[1];
                out[d][i][k] = values[1];
            }
        }
        out
    }

    #[inline(always)]
    fn forces<T: Real>(q: &[[[T; 2]; 2]; 4]) -> [[T; 2]; 4] {
        let mut f = [[q[0][0][0].of(0.0); 2]; 4];
        for i in 0..2 {
            for k in 0..2 {
                let edges = &QUAD_EDGES[k];
                let [[a, b], [c, d]] = *edges;
                let values = blend(NEAR, FAR, q[a][i][k] + q[b][i][k], q[c][i][k] + q[d][i][k]);
                f[a][i] = f[a][i] - values[0];
                f[b][i] = f[b][i] + values[0];
                f[c][i] = f[c][i] - values[1];
                f[d][i] = f[d][i] + values[1];
            }
        }
        f
    }
}

/// For each direction the edges of a hex along it: those at the low and high end of the next but one coordinate, each in
/// the order of the next.
const HEX_EDGES: [[[[usize; 2]; 2]; 2]; 3] =
    [[[[0, 1], [3, 2]], [[4, 5], [7, 6]]], [[[0, 3], [4, 7]], [[1, 2], [5, 6]]], [[[0, 4], [1, 5]], [[3, 7], [2, 6]]]];

impl Parent<3, 8, 8> for Hex8 {
    type Shape = Hex8;
    const POINTS: [QuadraturePoint<3>; 8] = [
        Hex8::RULE[0],
        Hex8::RULE[1],
        Hex8::RULE[2],
        Hex8::RULE[3],
        Hex8::RULE[4],
        Hex8::RULE[5],
        Hex8::RULE[6],
        Hex8::RULE[7],
    ];
    const HOURGLASS: &'static [[f64; 8]] = &[];

    #[inline(always)]
    fn gradients<T: Real>(u: &[[T; 3]; 8]) -> [[[T; 3]; 3]; 8] {
        let mut out = [[[u[0][0]; 3]; 3]; 8];
        for i in 0..3 {
            for k in 0..3 {
                let edges = &HEX_EDGES[k];
                let mut rows = [[u[0][0]; 2]; 2];
                for first in 0..2 {
                    let [[a, b], [c, d]] = edges[first];
                    rows[first] = blend(NEAR, FAR, u[b][i] - u[a][i], u[d][i] - u[c][i]);
                }
                for second in 0..2 {
                    let values = blend(NEAR2, FAR2, rows[0][second], rows[1][second]);
                    for first in 0..2 {
                        let [a, b] = edges[first][second];
                        out[a][i][k] = values[first];
                        out[b][i][k] = values[first];
                    }
                }
            }
        }
        out
    }

    #[inline(always)]
    fn forces<T: Real>(q: &[[[T; 3]; 3]; 8]) -> [[T; 3]; 8] {
        let mut f = [[q[0][0][0].of(0.0); 3]; 8];
        for i in 0..3 {
            for k in 0..3 {
                let edges = &HEX_EDGES[k];
                let mut rows = [[q[0][0][0]; 2]; 2];
                for first in 0..2 {
                    let [[a, b], [c, d]] = edges[first];
                    rows[first] = blend(NEAR, FAR, q[a][i][k] + q[b][i][k], q[c][i][k] + q[d][i][k]);
                }
                for second in 0..2 {
                    let values = blend(NEAR2, FAR2, rows[0][second], rows[1][second]);
                    for first in 0..2 {
                        let [a, b] = edges[first][second];
                        f[a][i] = f[a][i] - values[first];
                        f[b][i] = f[b][i] + values[first];
                    }
                }
            }
        }
        f
    }
}

impl Parent<2, 4, 1> for OnePoint<Quad4> {
    type Shape = Quad4;
    const POINTS: [QuadraturePoint<2>; 1] = [([0.0; 2], 4.0)];
    const HOURGLASS: &'static [[f64; 4]] = &[[1.0, -1.0, 1.0, -1.0]];

    #[inline(always)]
    fn gradients<T: Real>(u: &[[T; 2]; 4]) -> [[[T; 2]; 2]; 1] {
        let mut out = [[[u[0][0]; 2]; 2]; 1];
        for i in 0..2 {
            // the diagonals carry both derivatives
            let (rise, fall) = (u[2][i] - u[0][i], u[1][i] - u[3][i]);
            out[0][i] = [(rise + fall) * 0.25, (rise - fall) * 0.25];
        }
        out
    }

    #[inline(always)]
    fn forces<T: Real>(q: &[[[T; 2]; 2]; 1]) -> [[T; 2]; 4] {
        let mut f = [[q[0][0][0]; 2]; 4];
        for i in 0..2 {
            let rise = (q[0][i][0] + q[0][i][1]) * 0.25;
            let fall = (q[0][i][0] - q[0][i][1]) * 0.25;
            (f[0][i], f[1][i], f[2][i], f[3][i]) = (-rise, fall, rise, -fall);
        }
        f
    }

    #[inline(always)]
    fn patterns<T: Real>(u: &[[T; 2]; 4]) -> [[T; 2]; 4] {
        let mut out = [[u[0][0].of(0.0); 2]; 4];
        for i in 0..2 {
            out[0][i] = (u[0][i] + u[2][i]) - (u[1][i] + u[3][i]);
        }
        out
    }

    #[inline(always)]
    fn hold<T: Real>(g: &[[T; 2]; 4], f: &mut [[T; 2]; 4]) {
        for i in 0..2 {
            f[0][i] = f[0][i] + g[0][i];
            f[1][i] = f[1][i] - g[0][i];
            f[2][i] = f[2][i] + g[0][i];
            f[3][i] = f[3][i] - g[0][i];
        }
    }
}

impl Parent<3, 8, 1> for OnePoint<Hex8> {
    type Shape = Hex8;
    const POINTS: [QuadraturePoint<3>; 1] = [([0.0; 3], 8.0)];
    /// The products `ηζ`, `ζξ`, `ξη` and `ξηζ` at the nodes.
    const HOURGLASS: &'static [[f64; 8]] = &[
        [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
    ];

    #[inline(always)]
    fn gradients<T: Real>(u: &[[T; 3]; 8]) -> [[[T; 3]; 3]; 1] {
        let mut out = [[[u[0][0]; 3]; 3]; 1];
        for i in 0..3 {
            let (s, d) = layers(u, i);
            let (rise, fall) = (s[2] - s[0], s[1] - s[3]);
            out[0][i] = [(rise + fall) * 0.125, (rise - fall) * 0.125, ((d[0] + d[2]) + (d[1] + d[3])) * 0.125];
        }
        out
    }

    #[inline(always)]
    fn forces<T: Real>(q: &[[[T; 3]; 3]; 1]) -> [[T; 3]; 8] {
        let mut f = [[q[0][0][0]; 3]; 8];
        for i in 0..3 {
            let (x, y, z) = (q[0][i][0] * 0.125, q[0][i][1] * 0.125, q[0][i][2] * 0.125);
            let (rise, fall) = (x + y, x - y);
            (f[4][i], f[5][i], f[6][i], f[7][i]) = (z - rise, z + fall, z + rise, z - fall);
            (f[0][i], f[1][i], f[2][i], f[3][i]) = (-f[6][i], -f[7][i], -f[4][i], -f[5][i]);
        }
        f
    }

    #[inline(always)]
    fn patterns<T: Real>(u: &[[T; 3]; 8]) -> [[T; 3]; 4] {
        let mut out = [[u[0][0]; 3]; 4];
        for i in 0..3 {
            let (s, d) = layers(u, i);
            let (rise, fall) = (d[2] - d[0], d[1] - d[3]);
            out[0][i] = rise - fall;
            out[1][i] = rise + fall;
            out[2][i] = (s[0] + s[2]) - (s[1] + s[3]);
            out[3][i] = (d[0] + d[2]) - (d[1] + d[3]);
        }
        out
    }

    #[inline(always)]
    fn hold<T: Real>(g: &[[T; 3]; 4], f: &mut [[T; 3]; 8]) {
        for i in 0..3 {
            let (rise, fall) = (g[0][i] + g[1][i], g[0][i] - g[1][i]);
            let (even, odd) = (g[2][i], g[3][i]);
            // what changes sign from the lower layer to the upper one
            let turn = [odd - rise, -odd - fall, odd + rise, fall - odd];
            for k in 0..4 {
                let same = if k % 2 == 0 { even } else { -even };
                f[k][i] = f[k][i] + (same - turn[k]);
                f[k + 4][i] = f[k + 4][i] + (same + turn[k]);
            }
        }
    }
}

/// Sums and differences of the upper and the lower layer of a hex.
#[inline(always)]
fn layers<T: Real>(u: &[[T; 3]; 8], i: usize) -> ([T; 4], [T; 4]) {
    let (mut sum, mut difference) = ([u[0][i]; 4], [u[0][i]; 4]);
    for k in 0..4 {
        sum[k] = u[k + 4][i] + u[k][i];
        difference[k] = u[k + 4][i] - u[k][i];
    }
    (sum, difference)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The written-out maps are those of the shape functions, and forces are the transposed gradients.
    fn check<K: Parent<D, N, P>, const D: usize, const N: usize, const P: usize>() {
        let u: [[f64; D]; N] = std::array::from_fn(|a| std::array::from_fn(|i| ((a * 7 + i * 3) as f64 * 1.7).sin()));
        let q: [[[f64; D]; D]; P] = std::array::from_fn(|p| {
            std::array::from_fn(|i| std::array::from_fn(|k| ((p * 5 + i * 11 + k) as f64 * 0.9).cos()))
        });
        let (got, forces) = (K::gradients(&u), K::forces(&q));
        let mut expected = [[0.0; D]; N];
        for (p, (xi, _)) in K::POINTS.iter().enumerate() {
            let dn = K::Shape::gradients(xi);
            for i in 0..D {
                for k in 0..D {
                    let value: f64 = (0..N).map(|a| u[a][i] * dn[a][k]).sum();
                    assert!((got[p][i][k] - value).abs() < 1e-14, "point {p}, {i}{k}: {} {value}", got[p][i][k]);
                    for a in 0..N {
                        expected[a][i] += dn[a][k] * q[p][i][k];
                    }
                }
            }
        }
        for a in 0..N {
            for i in 0..D {
                assert!((forces[a][i] - expected[a][i]).abs() < 1e-14, "force on {a}, {i}");
            }
        }
        let (sums, weights) = (K::patterns(&u), std::array::from_fn(|m| [1.0 + m as f64; D]));
        let mut held = [[0.0; D]; N];
        K::hold(&weights, &mut held);
        for a in 0..N {
            let expected: f64 = K::HOURGLASS.iter().enumerate().map(|(m, h)| (1.0 + m as f64) * h[a]).sum();
            assert!((held[a][0] - expected).abs() < 1e-14, "hourglass force on {a}");
        }
        for (m, pattern) in K::HOURGLASS.iter().enumerate() {
            let seen: f64 = (0..N).map(|a| pattern[a] * u[a][0]).sum();
            assert!((sums[m][0] - seen).abs() < 1e-14, "pattern {m}");
            for i in 0..D {
                let unseen: f64 = (0..N).map(|a| pattern[a] * K::Shape::NODES[a][i]).sum();
                assert_eq!(unseen, 0.0, "an hourglass pattern is orthogonal to linear fields of the parent element");
            }
            assert_eq!(pattern.iter().sum::<f64>(), 0.0);
        }
    }

    #[test]
    fn parent_maps_are_those_of_the_shape_functions() {
        check::<Tri3, 2, 3, 1>();
        check::<Tet4, 3, 4, 1>();
        check::<Quad4, 2, 4, 4>();
        check::<Hex8, 3, 8, 8>();
        check::<OnePoint<Quad4>, 2, 4, 1>();
        check::<OnePoint<Hex8>, 3, 8, 1>();
    }
}
