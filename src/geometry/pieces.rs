//! Newton's method for the plane that separates two convex cores best.
//!
//! A core is the hull of pieces, corners, rims or ellipsoids, each with a support function `h(d) = max d·x` that is smooth in `d`. For the
//! pairs of pieces that touch, `f_k(n) = −h_i(−n) − h_j(n)` are equal there, and none of them can be raised without another falling:
//!
//! ```text
//! Σ λ_k ∇f_k(n) = μ n,   f_k(n) = τ,   Σ λ_k = 1,   n·n = 1
//! ```

use nalgebra::{Matrix3, SMatrix, SVector};

use super::apart::{Apart, Known, along};
use super::shape::Shape;
use super::{Vector, across};

/// Unknowns: `n`, three `λ`, `μ`, `τ`.
const UNKNOWNS: usize = 8;

const ITERATIONS: usize = 12;

/// Change of the normal that is rounding.
const STILL: f64 = 1e-15;

/// Change of the normal in the last iteration of one that arrived: the next one would be its square.
const ARRIVED: f64 = 1e-8;

/// Shares of the size: what a plane may separate worse by for rounding, how firmly it must be held to be found to round-off, and how
/// far cores are moved off each other where it is not.
const WORSE: f64 = 1e-14;
const FIRM: f64 = 1e-5;
const LEAN: f64 = 1e-3;

/// A plane taken to round-off, from the pieces that touch there and their weights; the plane as it was where that fails.
///
/// Where a corner touches a corner or a rim, any plane between their faces separates them equally well, and rounding would choose. Of those
/// the one nearest to the plane as it was is taken: the first core is moved off a little along that, see [`LEAN`].
pub(super) fn polished<A: Shape, B: Shape>(
    a: &Known<'_, A>,
    b: &Known<'_, B>,
    rough: Apart,
    found: &[([u32; 2], f64); 3],
    size: f64,
) -> Apart {
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
    let pairs = &pairs[..count];
    let lower = rough.gap - WORSE * size;
    let exact = newton(a, b, &rough, pairs, 0.0).filter(|(_, firmness)| *firmness > FIRM * size);
    let better = exact.or_else(|| newton(a, b, &rough, pairs, LEAN * size));
    better.map(|(plane, _)| plane).filter(|plane| plane.gap >= lower).unwrap_or(rough)
}

/// The plane, and how firmly it is held: the least `κ` of `s ≈ s₀ − ½κ|δn|²` over all ways to turn it. The first core is moved off by
/// `lean` along the normal of the rough plane.
fn newton<A: Shape, B: Shape>(
    a: &Known<'_, A>,
    b: &Known<'_, B>,
    rough: &Apart,
    pairs: &[([u32; 2], f64)],
    lean: f64,
) -> Option<(Apart, f64)> {
    let mut n = rough.normal;
    let mut weights = [0.0; 3];
    weights.iter_mut().zip(pairs).for_each(|(weight, pair)| *weight = pair.1);
    let (mut multiplier, mut level) = (rough.gap + lean, rough.gap + lean);
    let mut slopes = [Vector::zeros(); 3];
    let mut bend = Matrix3::zeros();
    let mut turned = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let mut matrix = SMatrix::<f64, UNKNOWNS, UNKNOWNS>::identity();
        let mut right = SVector::<f64, UNKNOWNS>::zeros();
        matrix[(6, 6)] = 0.0;
        matrix[(7, 7)] = 0.0;
        bend = Matrix3::from_diagonal_element(-multiplier);
        let mut pull = -multiplier * n;
        for (k, ([p, q], _)) in pairs.iter().enumerate() {
            let ((x, own), (y, other)) = a.piece(*p, &-n).zip(b.piece(*q, &n))?;
            let slope = x - y + lean * rough.normal;
            bend -= weights[k] * (own + other);
            pull += weights[k] * slope;
            matrix.fixed_view_mut::<3, 1>(0, 3 + k).copy_from(&slope);
            matrix.fixed_view_mut::<1, 3>(3 + k, 0).copy_from(&slope.transpose());
            matrix[(3 + k, 3 + k)] = 0.0;
            matrix[(3 + k, 7)] = -1.0;
            matrix[(6, 3 + k)] = 1.0;
            right[3 + k] = level - slope.dot(&n);
            slopes[k] = slope;
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
        turned = change.fixed_rows::<3>(0).norm();
        if turned <= STILL {
            break;
        }
    }
    if turned > ARRIVED {
        return None;
    }
    let normal = n.try_normalize(0.5)?;
    let mut place = Vector::zeros();
    for (k, ([p, _], _)) in pairs.iter().enumerate() {
        if weights[k] < -1e-6 {
            return None;
        }
        place += weights[k] * a.piece(*p, &-normal)?.0;
    }
    Some((Apart { gap: along(a, b, &normal), normal, place }, firmness(&normal, &bend, &slopes[..pairs.len()])))
}

/// The least resistance to turning: pairs that keep their distances equal leave two ways to turn, one or none.
fn firmness(normal: &Vector, bend: &Matrix3<f64>, slopes: &[Vector]) -> f64 {
    let along = |d: &Vector, e: &Vector| -d.dot(&(bend * e));
    match slopes {
        [_] => {
            let e = across(normal);
            let f = normal.cross(&e);
            let (mean, half) = (0.5 * (along(&e, &e) + along(&f, &f)), 0.5 * (along(&e, &e) - along(&f, &f)));
            mean - half.hypot(along(&e, &f))
        }
        [one, other] => normal.cross(&(other - one)).try_normalize(0.0).map_or(0.0, |way| along(&way, &way)),
        _ => f64::INFINITY,
    }
}
