//! The natural map of the bi-potential method at one point with its derivative (JoliFeng2008): `P = Proj_K(r − ρ û)`,
//! `û = u + μ‖u_t‖ n`. An elliptic cone is taken in the scales that make it round, which moves no zero.

use super::alart_curnier::Linear;
use crate::contact::cone::norm_t;
use crate::contact::friction::Friction;

/// `P`, `dP/dr` and `−dP/du`.
#[inline(always)]
pub(super) fn natural<const D: usize>(r: &[f64; D], u: &[f64; D], rho: &[f64; 3], friction: &Friction) -> Linear<D> {
    if D == 2 || friction.is_round() {
        return round(r, u, rho[0].min(rho[1]), friction.along[0]);
    }
    let (s, c) = friction.scales();
    // the tangential ρ of the scaled motion
    let scaled = (0..2).filter(|&k| s[k] > 0.0).map(|k| rho[k + 1] / (s[k] * c[k])).fold(f64::INFINITY, f64::min);
    let rho = rho[0].min(scaled);
    let column = |a: usize| if a == 0 { 1.0 } else { s[a - 1] };
    let row = |a: usize| if a == 0 { 1.0 } else { c[a - 1] };
    let own = |a: usize| if column(a) > 0.0 { 1.0 / column(a) } else { 0.0 };
    let (p, slope, lever) =
        round::<D>(&std::array::from_fn(|a| own(a) * r[a]), &std::array::from_fn(|a| row(a) * u[a]), rho, 1.0);
    (
        std::array::from_fn(|a| column(a) * p[a]),
        std::array::from_fn(|a| std::array::from_fn(|b| column(a) * slope[a][b] * own(b))),
        std::array::from_fn(|a| std::array::from_fn(|b| column(a) * lever[a][b] * row(b))),
    )
}

/// The same on a round cone.
#[inline(always)]
fn round<const D: usize>(r: &[f64; D], u: &[f64; D], rho: f64, friction: f64) -> Linear<D> {
    let sliding = norm_t(u);
    let mut tau: [f64; D] = std::array::from_fn(|a| r[a] - rho * u[a]);
    tau[0] -= rho * friction * sliding;
    let (p, slope) = projection(&tau, friction);
    // dτ = dr − ρ B du with B = I + μ n ⊗ u_t/‖u_t‖
    let mut lever = slope.map(|row| row.map(|g| rho * g));
    if sliding > 0.0 {
        for row in &mut lever {
            for a in 1..D {
                row[a] += row[0] * friction * u[a] / sliding;
            }
        }
    }
    (p, slope, lever)
}

/// The projection on a round cone and its derivative.
#[inline(always)]
fn projection<const D: usize>(tau: &[f64; D], friction: f64) -> ([f64; D], [[f64; D]; D]) {
    let (length, normal) = (norm_t(tau), tau[0]);
    let mut slope = [[0.0; D]; D];
    if friction * length <= -normal {
        return ([0.0; D], slope);
    }
    if length <= friction * normal {
        (0..D).for_each(|a| slope[a][a] = 1.0);
        return (*tau, slope);
    }
    let whole = 1.0 / (1.0 + friction * friction);
    let n = (normal + friction * length) * whole;
    let direction: [f64; D] = std::array::from_fn(|a| if a > 0 && length > 0.0 { tau[a] / length } else { 0.0 });
    slope[0][0] = whole;
    for a in 1..D {
        slope[0][a] = friction * direction[a] * whole;
        slope[a][0] = friction * direction[a] * whole;
        for b in 1..D {
            let along = direction[a] * direction[b];
            let across = f64::from(u8::from(a == b)) - along;
            slope[a][b] = friction * friction * along * whole;
            if length > 0.0 {
                slope[a][b] += friction * n / length * across;
            }
        }
    }
    (std::array::from_fn(|a| if a == 0 { n } else { friction * n * direction[a] }), slope)
}
