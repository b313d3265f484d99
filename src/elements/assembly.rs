//! From integration points to the element, and from the element to the body's matrix.

use super::kinematics::{Gradient, PointShape};
use crate::linalg::symmetric::{INDEX, pair};
use crate::materials::Response;

pub(super) type Vectors<const D: usize, const N: usize> = [[f64; D]; N];

/// The element's matrix by blocks of nodes; filled for `a ≤ b`.
pub(super) type Blocks<const D: usize, const N: usize> = [[[[f64; D]; D]; N]; N];

/// Where an element's tangent goes: for each element the positions, in the value array of the assembled
/// matrix, of the upper triangle of its stiffness (blocks `a ≤ b`, within the diagonal blocks `i ≤ j`).
/// [`Scatter::NOWHERE`] marks entries that belong to a held unknown.
#[derive(Debug, Default)]
pub struct Scatter(pub Vec<u32>);

impl Scatter {
    /// The position of an entry that is not assembled.
    pub const NOWHERE: u32 = u32::MAX;
}

/// Adds the force and the matrix of one integration point.
#[inline(always)]
pub(super) fn add_point<const D: usize, const V: usize, const N: usize, const SMALL: bool, const TANGENT: bool>(
    at: PointShape<'_, D, N>,
    h: &Gradient<D>,
    volume: f64,
    response: &Response<V>,
    f: &mut Vectors<D, N>,
    k: &mut Blocks<D, N>,
) {
    let b = h.strain_displacement::<V, N, SMALL>(at);
    let g = at.gradients;
    let stress: [f64; V] = std::array::from_fn(|q| response.stress[INDEX[pair::<V>(q).0][pair::<V>(q).1]]);
    for a in 0..N {
        for q in 0..V {
            for i in 0..D {
                f[a][i] += volume * b[a][q][i] * stress[q];
            }
        }
    }
    if !TANGENT {
        return;
    }
    // strains in the tangent carry 2E_ij, which is what B gives
    for c in 0..N {
        let mut db = [[0.0; D]; V];
        for q in 0..V {
            for s in 0..V {
                let d = volume * response.tangent[q][s];
                for i in 0..D {
                    db[q][i] += d * b[c][s][i];
                }
            }
        }
        let mut sg = [0.0; D];
        if !SMALL {
            for i in 0..D {
                for j in 0..D {
                    sg[i] += volume * response.stress[INDEX[i][j]] * g[c][j];
                }
            }
        }
        for a in 0..=c {
            let block = &mut k[a][c];
            for q in 0..V {
                for i in 0..D {
                    for j in 0..D {
                        block[i][j] += b[a][q][i] * db[q][j];
                    }
                }
            }
            if !SMALL {
                let geometric: f64 = (0..D).map(|i| g[a][i] * sg[i]).sum();
                for i in 0..D {
                    block[i][i] += geometric;
                }
                if V == 4 {
                    block[0][0] += volume * response.stress[2] * at.hoops[a] * at.hoops[c];
                }
            }
        }
    }
}

/// Adds an element's matrix, times `scale`, to the values of the assembled one.
#[inline(always)]
pub(super) fn add_tangent<const D: usize, const N: usize>(
    k: &[[[[f64; D]; D]; N]; N],
    scale: f64,
    scatter: &[u32],
    values: &mut [f64],
) {
    let mut position = scatter.iter();
    for a in 0..N {
        for b in a..N {
            for i in 0..D {
                for j in (if a == b { i } else { 0 })..D {
                    if let Some(&at) = position.next()
                        && at != Scatter::NOWHERE
                    {
                        values[at as usize] += scale * k[a][b][i][j];
                    }
                }
            }
        }
    }
}
