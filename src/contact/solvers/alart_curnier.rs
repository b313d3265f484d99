//! Alart and Curnier's form of the law at one point (AlartCurnier1991), on round and elliptic cones:
//! `P_n = max(y, 0)` and `P_t` the projection of `x` on the disc (ellipse) that the cone cuts out at `P_n`.

use crate::contact::friction::Friction;

/// `ρ_n = 1/W_nn` and `ρ_t` the inverse of the size of `W_tt`; on an elliptic cone in the scales that make it round, where
/// `ρ_k = ρ̃ s_k c_k` in those of `u`.
#[inline(always)]
pub(super) fn step_lengths<const D: usize>(
    w: &[[f64; D]; D],
    friction: &Friction,
    floor: impl Fn(f64) -> f64,
) -> [f64; 3] {
    let normal = 1.0 / floor(w[0][0]);
    if D == 2 || friction.is_round() {
        let tangential = (1..D).map(|a| (1..D).map(|b| w[a][b].abs()).sum::<f64>()).fold(0.0, f64::max);
        let tangential = 1.0 / floor(tangential);
        return [normal, tangential, tangential];
    }
    let (s, c) = friction.scales();
    let row = |a: usize| (0..2).map(|b| (c[a] * w[a + 1][b + 1] * s[b]).abs()).sum::<f64>();
    let rough = (s[0] * c[0]).max(s[1] * c[1]).max(f64::MIN_POSITIVE);
    // `floor` speaks of W itself
    let rho = 1.0 / (rough * floor(row(0).max(row(1)) / rough));
    [normal, rho * s[0] * c[0], rho * s[1] * c[1]]
}

/// A reaction, its slope `dP/dτ` and what multiplies `du` in it, with a minus sign.
pub(super) type Linear<const D: usize> = ([f64; D], [[f64; D]; D], [[f64; D]; D]);

/// `P`, its slope `G` and `G R` at one point.
#[inline(always)]
pub(super) fn projected<const D: usize>(r: &[f64; D], u: &[f64; D], rho: &[f64; 3], friction: &Friction) -> Linear<D> {
    let (p, slope) = value(r, u, rho, friction);
    (p, slope, slope.map(|row| std::array::from_fn(|c| row[c] * rho[c])))
}

#[inline(always)]
fn value<const D: usize>(r: &[f64; D], u: &[f64; D], rho: &[f64; 3], friction: &Friction) -> ([f64; D], [[f64; D]; D]) {
    let (mut p, mut slope) = ([0.0; D], [[0.0; D]; D]);
    let y = r[0] - rho[0] * u[0];
    if y <= 0.0 {
        return (p, slope);
    }
    p[0] = y;
    slope[0][0] = 1.0;
    if friction.largest() == 0.0 {
        return (p, slope);
    }
    let mut x = [0.0; D];
    for a in 1..D {
        x[a] = r[a] - rho[a] * u[a];
    }
    if D == 3 && !friction.is_round() {
        elliptic(y, &x, friction, &mut p, &mut slope);
        return (p, slope);
    }
    let friction = friction.along[0];
    let length = x[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    let radius = friction * y;
    if length <= radius {
        for a in 1..D {
            p[a] = x[a];
            slope[a][a] = 1.0;
        }
        return (p, slope);
    }
    for a in 1..D {
        let direction = x[a] / length;
        p[a] = radius * direction;
        slope[a][0] = friction * direction;
        if D == 3 {
            for b in 1..D {
                let across = f64::from(u8::from(a == b)) - direction * x[b] / length;
                slope[a][b] = radius / length * across;
            }
        }
    }
    (p, slope)
}

/// Tangential part of `P` and `G` on an elliptic cone: in the scales that make it round, `x̃ = x/s`, the disc has radius `y`.
fn elliptic<const D: usize>(y: f64, x: &[f64; D], friction: &Friction, p: &mut [f64; D], slope: &mut [[f64; D]; D]) {
    let (s, _) = friction.scales();
    let scaled: [f64; 2] = std::array::from_fn(|k| if s[k] > 0.0 { x[k + 1] / s[k] } else { 0.0 });
    let length = scaled[0].hypot(scaled[1]);
    for a in 0..2 {
        if s[a] == 0.0 {
            continue; // a direction without friction carries no force
        }
        if length <= y {
            p[a + 1] = x[a + 1];
            slope[a + 1][a + 1] = 1.0;
            continue;
        }
        let direction = scaled[a] / length;
        p[a + 1] = s[a] * y * direction;
        slope[a + 1][0] = s[a] * direction;
        for b in (0..2).filter(|&b| s[b] > 0.0) {
            let across = f64::from(u8::from(a == b)) - direction * scaled[b] / length;
            slope[a + 1][b + 1] = s[a] * y / length * across / s[b];
        }
    }
}
