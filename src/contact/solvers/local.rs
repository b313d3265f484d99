//! The exact solution of a single contact point, `u = W r + q` with a 2×2 or 3×3 `W`.
//!
//! Open: `q_n ≥ 0` gives `r = 0`. Stick: `r = −W⁻¹q` inside the cone. Slip: `u_n = 0` and `u_t = −α r_t` with `α > 0`;
//! eliminating `r_n` leaves `r_t(α) = −(A + α)⁻¹ b`, `A = W_tt − W_tn W_nt/W_nn`, `b = q_t − W_tn q_n/W_nn`, and one scalar
//! equation `‖r_t(α)‖ = μ r_n(α)`. At `α = 0` (the stick solution) the left side is larger, for `α → ∞` the right one,
//! so a root exists for any μ.

use crate::contact::friction::Friction;

/// Reaction of one point.
#[inline(always)]
pub(super) fn solve<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: &Friction) -> [f64; D] {
    if D == 2 || friction.is_round() { solve_round(w, q, friction.along[0]) } else { elliptic(w, q, friction) }
}

/// Reaction of one point with an elliptic cone: the isotropic problem in the scales that make the cone round.
#[inline(never)]
fn elliptic<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: &Friction) -> [f64; D] {
    let (s, c) = friction.scales();
    // rows of W and q by `c`, columns by `s`
    let row = |a: usize| if a == 0 { 1.0 } else { c[a - 1] };
    let column = |b: usize| if b == 0 { 1.0 } else { s[b - 1] };
    if let Some(free) = (1..3).find(|&k| s[k - 1] == 0.0) {
        // no friction along one axis, and no force: a plane problem along the other
        let k = 3 - free;
        let plane = solve_round(&[[w[0][0], w[0][k]], [w[k][0], w[k][k]]], &[q[0], q[k]], s[k - 1]);
        return std::array::from_fn(|a| if a == 0 { plane[0] } else { f64::from(u8::from(a == k)) * plane[1] });
    }
    let scaled: [[f64; D]; D] = std::array::from_fn(|a| std::array::from_fn(|b| row(a) * w[a][b] * column(b)));
    let load: [f64; D] = std::array::from_fn(|a| row(a) * q[a]);
    let r = if friction.is_associated() { solve_round(&scaled, &load, 1.0) } else { skew(&scaled, &load) };
    std::array::from_fn(|a| column(a) * r[a])
}

/// Reaction of one point with the coefficient 1 and a `W` without symmetry.
fn skew<const D: usize>(w: &[[f64; D]; D], q: &[f64; D]) -> [f64; D] {
    let w_nn = w[0][0];
    if q[0] >= 0.0 || w_nn <= 0.0 {
        return [0.0; D];
    }
    let a: [[f64; 2]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| w[i + 1][j + 1] - w[i + 1][0] * w[0][j + 1] / w_nn));
    let b: [f64; 2] = std::array::from_fn(|i| q[i + 1] - w[i + 1][0] * q[0] / w_nn);
    let at = |alpha: f64| {
        let (d1, d2) = (a[0][0] + alpha, a[1][1] + alpha);
        let det = d1 * d2 - a[0][1] * a[1][0];
        let (t1, t2) = ((a[0][1] * b[1] - d2 * b[0]) / det, (a[1][0] * b[0] - d1 * b[1]) / det);
        (-(q[0] + w[0][1] * t1 + w[0][2] * t2) / w_nn, t1, t2)
    };
    let size = a[0][0].abs().max(a[1][1].abs());
    let regular = a[0][0] * a[1][1] - a[0][1] * a[1][0] > 1e-14 * size * size;
    slide(at, 1.0, regular, size)
}

/// Reaction of one point with a round cone.
#[inline(always)]
fn solve_round<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: f64) -> [f64; D] {
    let mut r = [0.0; D];
    let w_nn = w[0][0];
    if q[0] >= 0.0 || w_nn <= 0.0 {
        return r;
    }
    if friction == 0.0 {
        r[0] = -q[0] / w_nn;
        return r;
    }
    if D == 2 {
        let a = w[1][1] - w[1][0] * w[0][1] / w_nn;
        let b = q[1] - w[1][0] * q[0] / w_nn;
        let stick_t = if a > 0.0 { -b / a } else { 0.0 };
        let stick_n = -(q[0] + w[0][1] * stick_t) / w_nn;
        if a > 0.0 && stick_t.abs() <= friction * stick_n {
            r[0] = stick_n;
            r[1] = stick_t;
            return r;
        }
        // a point that cannot slide and does not needs no friction
        let sign = if b > 0.0 { -1.0 } else { f64::from(u8::from(a > 0.0 || b < 0.0)) };
        let denominator = w_nn + sign * friction * w[0][1];
        if denominator > 0.0 {
            r[0] = -q[0] / denominator;
            r[1] = sign * friction * r[0];
        }
        return r;
    }
    // eigenvectors of the symmetric 2×2 matrix A
    let a11 = w[1][1] - w[1][0] * w[0][1] / w_nn;
    let a22 = w[2][2] - w[2][0] * w[0][2] / w_nn;
    let a12 = 0.5 * (w[1][2] + w[2][1]) - w[1][0] * w[0][2] / w_nn;
    let b1 = q[1] - w[1][0] * q[0] / w_nn;
    let b2 = q[2] - w[2][0] * q[0] / w_nn;
    let mean = 0.5 * (a11 + a22);
    let half = 0.5 * (a11 - a22);
    let radius = half.hypot(a12);
    let angle = 0.5 * a12.atan2(half);
    let (sin, cos) = angle.sin_cos();
    let (l1, l2) = (mean + radius, (mean - radius).max(0.0));
    if l1 <= 1e-14 * w_nn {
        // forces do not move the point along the surface: friction opposes what it does by itself
        let slip = b1.hypot(b2).max(f64::MIN_POSITIVE);
        let (t1, t2) = (-friction * b1 / slip, -friction * b2 / slip);
        let denominator = w_nn + w[0][1] * t1 + w[0][2] * t2;
        let n = if denominator > 0.0 { -q[0] / denominator } else { 0.0 };
        return std::array::from_fn(|i| [n, n * t1, n * t2][i]);
    }
    let (c1, c2) = (cos * b1 + sin * b2, cos * b2 - sin * b1);
    let at = |alpha: f64| {
        let (s1, s2) = (-c1 / (l1 + alpha), -c2 / (l2 + alpha));
        let (t1, t2) = (cos * s1 - sin * s2, sin * s1 + cos * s2);
        (-(q[0] + w[0][1] * t1 + w[0][2] * t2) / w_nn, t1, t2)
    };
    slide(at, friction, l2 > 1e-14 * l1, l1)
}

/// The reaction `at(α)` that sticks (`α = 0`, if `A` is regular) or lies on the cone; `size` is that of `A`.
#[inline(always)]
fn slide<const D: usize>(at: impl Fn(f64) -> (f64, f64, f64), friction: f64, regular: bool, size: f64) -> [f64; D] {
    let excess = |(n, t1, t2): (f64, f64, f64)| t1.hypot(t2) - friction * n;
    if regular {
        let stick = at(0.0);
        if excess(stick) <= 0.0 {
            let (n, t1, t2) = stick;
            return std::array::from_fn(|i| [n, t1, t2][i]);
        }
    }
    let mut low = if regular { 0.0 } else { 1e-14 * size };
    let mut high = size.max(f64::MIN_POSITIVE);
    while excess(at(high)) > 0.0 && high < 1e300 * size {
        low = high;
        high *= 8.0;
    }
    // Brent would save a few evaluations; safeguarded secant (Illinois) is enough and cannot leave the bracket
    let (mut f_low, mut f_high) = (excess(at(low)), excess(at(high)));
    let mut root = high;
    for _ in 0..200 {
        let width = high - low;
        if width <= 4.0 * f64::EPSILON * high || f_high == 0.0 {
            root = high;
            break;
        }
        let mut middle = (low * f_high - high * f_low) / (f_high - f_low);
        if !(middle > low && middle < high) {
            middle = 0.5 * (low + high);
        }
        let f = excess(at(middle));
        root = middle;
        if f > 0.0 {
            low = middle;
            f_low = f;
            f_high *= 0.5;
        } else if f < 0.0 {
            high = middle;
            f_high = f;
            f_low *= 0.5;
        } else {
            break;
        }
    }
    let (n, t1, t2) = at(root);
    // on the cone to the last digit
    let scale = friction * n / t1.hypot(t2).max(f64::MIN_POSITIVE);
    std::array::from_fn(|i| [n, scale * t1, scale * t2][i])
}
