//! Newton's method for the plane that separates two convex cores best.
//!
//! A core is the hull of pieces, corners and rims, each with a support function `h(d) = max d·x` that is smooth in `d`. For the
//! pairs of pieces that touch, `f_k(n) = −h_i(−n) − h_j(n)` are equal there, and none of them can be raised without another falling:
//!
//! ```text
//! Σ λ_k ∇f_k(n) = μ n,   f_k(n) = τ,   Σ λ_k = 1,   n·n = 1
//! ```

use nalgebra::{Matrix3, SMatrix, SVector};

use super::Vector;
use super::apart::{Apart, Convex, along};

/// Unknowns: `n`, three `λ`, `μ`, `τ`.
const UNKNOWNS: usize = 8;

const ITERATIONS: usize = 12;

/// Change of the normal that is rounding.
const STILL: f64 = 1e-15;

impl Convex<'_> {
    /// `∇h` and `∇∇h` of a piece: the place of it farthest along `d`, and how that place moves as `d` turns.
    fn piece(&self, number: u32, d: &Vector) -> Option<(Vector, Matrix3<f64>)> {
        let (centre, axis, radius) = self.shape.piece(number);
        let centre = self.pose.place(centre);
        if radius == 0.0 {
            return Some((centre, Matrix3::zeros()));
        }
        let axis = self.pose.turn(axis);
        let across = d - axis * d.dot(&axis);
        let length = across.norm();
        let away = across.try_normalize(1e-9)?;
        let turn = Matrix3::identity() - axis * axis.transpose() - away * away.transpose();
        Some((centre + radius * away, turn * (radius / length)))
    }
}

/// A plane taken to round-off, from the pieces that touch there and their weights; the plane as it was where that fails.
pub(super) fn polished(a: &Convex<'_>, b: &Convex<'_>, rough: Apart, found: &[([u32; 2], f64); 3]) -> Apart {
    let mut pairs = [([0; 2], 0.0); 3];
    let mut count = 0;
    for (pieces, weight) in found.iter().filter(|(_, weight)| *weight > 0.0) {
        // two places of one rim are one piece
        match pairs[..count].iter_mut().find(|(known, _)| known == pieces) {
            Some(pair) => pair.1 += weight,
            None => {
                pairs[count] = (*pieces, *weight);
                count += 1;
            }
        }
    }
    let better = newton(a, b, &rough, &pairs[..count]).filter(|plane| plane.gap >= rough.gap);
    better.unwrap_or(rough)
}

fn newton(a: &Convex<'_>, b: &Convex<'_>, rough: &Apart, pairs: &[([u32; 2], f64)]) -> Option<Apart> {
    let mut n = rough.normal;
    let mut weights = [0.0; 3];
    weights.iter_mut().zip(pairs).for_each(|(weight, pair)| *weight = pair.1);
    let (mut multiplier, mut level) = (rough.gap, rough.gap);
    for _ in 0..ITERATIONS {
        let mut matrix = SMatrix::<f64, UNKNOWNS, UNKNOWNS>::identity();
        let mut right = SVector::<f64, UNKNOWNS>::zeros();
        matrix[(6, 6)] = 0.0;
        matrix[(7, 7)] = 0.0;
        let mut bend = Matrix3::from_diagonal_element(-multiplier);
        let mut pull = -multiplier * n;
        for (k, ([p, q], _)) in pairs.iter().enumerate() {
            let ((x, own), (y, other)) = a.piece(*p, &-n).zip(b.piece(*q, &n))?;
            let slope = x - y;
            bend -= weights[k] * (own + other);
            pull += weights[k] * slope;
            matrix.fixed_view_mut::<3, 1>(0, 3 + k).copy_from(&slope);
            matrix.fixed_view_mut::<1, 3>(3 + k, 0).copy_from(&slope.transpose());
            matrix[(3 + k, 3 + k)] = 0.0;
            matrix[(3 + k, 7)] = -1.0;
            matrix[(6, 3 + k)] = 1.0;
            right[3 + k] = level - slope.dot(&n);
        }
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&bend);
        matrix.fixed_view_mut::<3, 1>(0, 6).copy_from(&-n);
        matrix.fixed_view_mut::<1, 3>(7, 0).copy_from(&n.transpose());
        right.fixed_rows_mut::<3>(0).copy_from(&-pull);
        right[6] = 1.0 - weights.iter().sum::<f64>();
        right[7] = 0.5 * (1.0 - n.norm_squared());
        let change = matrix.lu().solve(&right)?;
        n += change.fixed_rows::<3>(0);
        for k in 0..pairs.len() {
            weights[k] += change[3 + k];
        }
        multiplier += change[6];
        level += change[7];
        if !change.norm().is_finite() {
            return None;
        }
        if change.fixed_rows::<3>(0).norm() <= STILL {
            break;
        }
    }
    let normal = n.try_normalize(0.5)?;
    let mut place = Vector::zeros();
    for (k, ([p, _], _)) in pairs.iter().enumerate() {
        if weights[k] < -1e-6 {
            return None;
        }
        place += weights[k] * a.piece(*p, &-normal)?.0;
    }
    Some(Apart { gap: along(a, b, &normal), normal, place })
}
