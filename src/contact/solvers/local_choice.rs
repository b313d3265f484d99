//! Ways to solve a single point inside a sweep. They find the same reaction; they differ in what they cost and where they are
//! robust.

use super::alart_curnier::{projected, step_lengths};
use super::local;
use crate::contact::cone::{project, shifted};
use crate::contact::friction::Friction;
use crate::contact::problem::block_bound;

/// The solver of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalSolver {
    /// Closed form in the plane, one scalar root in space.
    #[default]
    Exact,
    /// The bi-potential's predictor and corrector, repeated.
    Projection,
    /// Newton's method on Alart and Curnier's form; the exact way where it does not converge.
    Newton,
    /// Open, stick, and every root of the quartic of slip, of which the one that obeys the law is taken.
    Enumerative,
}

impl LocalSolver {
    /// Reaction of one point, `u = W r + q`; `r` is the last one.
    #[inline]
    pub(super) fn solve<const D: usize>(
        self,
        w: &[[f64; D]; D],
        q: &[f64; D],
        friction: &Friction,
        r: &[f64; D],
    ) -> [f64; D] {
        match self {
            LocalSolver::Exact => local::solve(w, q, friction),
            LocalSolver::Projection => projections(w, q, friction, r),
            LocalSolver::Newton => newton(w, q, friction, r).unwrap_or_else(|| local::solve(w, q, friction)),
            // in the plane and without symmetry the exact way tries all cases too
            LocalSolver::Enumerative if D == 3 && friction.is_round() && friction.along[0] > 0.0 => {
                enumerate(w, q, friction.along[0]).unwrap_or_else(|| local::solve(w, q, friction))
            }
            LocalSolver::Enumerative => local::solve(w, q, friction),
        }
    }
}

/// `W r + q`.
fn motion<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], r: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|a| q[a] + (0..D).map(|b| w[a][b] * r[b]).sum::<f64>())
}

/// At most 100 corrections, to 1e-14 of the force.
fn projections<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: &Friction, r: &[f64; D]) -> [f64; D] {
    let bound = block_bound(w);
    if bound <= 0.0 {
        return [0.0; D];
    }
    let mut r = *r;
    for _ in 0..100 {
        let hat = shifted(&motion(w, q, &r), friction);
        let next = project(&std::array::from_fn(|a| r[a] - hat[a] / bound), friction);
        let change: f64 = (0..D).map(|a| (next[a] - r[a]).powi(2)).sum();
        let size: f64 = next.iter().map(|x| x * x).sum();
        r = next;
        if change <= 1e-28 * size {
            break;
        }
    }
    r
}

/// At most 20 steps, to 1e-14 of the force.
fn newton<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: &Friction, start: &[f64; D]) -> Option<[f64; D]> {
    let size = block_bound(w);
    let rho = step_lengths(w, friction, |x| x.max(1e-12 * size).max(f64::MIN_POSITIVE));
    let mut r = *start;
    for _ in 0..20 {
        let (p, slope, lever) = projected(&r, &motion(w, q, &r), &rho, friction);
        let phi: [f64; D] = std::array::from_fn(|a| r[a] - p[a]);
        let error: f64 = phi.iter().map(|x| x * x).sum();
        if error <= 1e-28 * r.iter().map(|x| x * x).sum::<f64>() {
            // on the cone to the last digit
            return Some(project(&r, friction));
        }
        let matrix: [[f64; D]; D] = std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                f64::from(u8::from(a == b)) - slope[a][b] + (0..D).map(|c| lever[a][c] * w[c][b]).sum::<f64>()
            })
        });
        let step = small_solve(matrix, phi)?;
        r = std::array::from_fn(|a| r[a] - step[a]);
    }
    None
}

/// Elimination with pivoting.
pub(super) fn small_solve<const D: usize>(mut a: [[f64; D]; D], mut b: [f64; D]) -> Option<[f64; D]> {
    for k in 0..D {
        let pivot = (k..D).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k] == 0.0 || !a[k][k].is_finite() {
            return None;
        }
        for i in k + 1..D {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..D).rev() {
        b[k] = (b[k] - (k + 1..D).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    Some(b)
}

/// Open; stick; or slip, `‖adj(A + α) b‖² = μ² (det(A + α) r_n)²`, a quartic in `α` (BonnefonDaviet2011).
fn enumerate<const D: usize>(w: &[[f64; D]; D], q: &[f64; D], friction: f64) -> Option<[f64; D]> {
    if q[0] >= 0.0 {
        return Some([0.0; D]);
    }
    let stick = small_solve(*w, q.map(|x| -x))?;
    if stick[0] >= 0.0 && stick[1].hypot(stick[2]) <= friction * stick[0] {
        return Some(stick);
    }
    let w_nn = w[0][0];
    let a: [[f64; 2]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| w[i + 1][j + 1] - w[i + 1][0] * w[0][j + 1] / w_nn));
    let b: [f64; 2] = std::array::from_fn(|i| q[i + 1] - w[i + 1][0] * q[0] / w_nn);
    // det r_t = −adj(A + α) b = t0 + t1 α, det = d0 + d1 α + α², det r_n = −(q_n det + W_nt (det r_t))/W_nn
    let t0 = [a[0][1] * b[1] - a[1][1] * b[0], a[1][0] * b[0] - a[0][0] * b[1]];
    let t1 = [-b[0], -b[1]];
    let (d0, d1) = (a[0][0] * a[1][1] - a[0][1] * a[1][0], a[0][0] + a[1][1]);
    let n0 = -(q[0] * d0 + w[0][1] * t0[0] + w[0][2] * t0[1]) / w_nn;
    let n1 = -(q[0] * d1 + w[0][1] * t1[0] + w[0][2] * t1[1]) / w_nn;
    let n2 = -q[0] / w_nn;
    let m = friction * friction;
    let quartic = [
        t0[0] * t0[0] + t0[1] * t0[1] - m * n0 * n0,
        2.0 * (t0[0] * t1[0] + t0[1] * t1[1]) - 2.0 * m * n0 * n1,
        t1[0] * t1[0] + t1[1] * t1[1] - m * (n1 * n1 + 2.0 * n0 * n2),
        -2.0 * m * n1 * n2,
        -m * n2 * n2,
    ];
    let mut found: Option<[f64; D]> = None;
    for alpha in positive_roots(&quartic, d1) {
        let det = d0 + d1 * alpha + alpha * alpha;
        let t: [f64; 2] = std::array::from_fn(|k| (t0[k] + t1[k] * alpha) / det);
        let normal = -(q[0] + w[0][1] * t[0] + w[0][2] * t[1]) / w_nn;
        if normal > 0.0 && det > 0.0 && found.is_none() {
            let scale = friction * normal / t[0].hypot(t[1]).max(f64::MIN_POSITIVE);
            found = Some(std::array::from_fn(|k| if k == 0 { normal } else { scale * t[k - 1] }));
        }
    }
    found
}

/// Positive roots of a polynomial (lowest coefficient first) in rising order: between two roots of its derivative there is at
/// most one. `unit` is the scale of the roots.
fn positive_roots(coefficients: &[f64], unit: f64) -> Vec<f64> {
    let value = |x: f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let Some(leading) = coefficients.iter().rposition(|c| *c != 0.0) else { return Vec::new() };
    if leading == 0 {
        return Vec::new();
    }
    let derivative: Vec<f64> = (1..=leading).map(|k| k as f64 * coefficients[k]).collect();
    let mut ends = vec![0.0];
    ends.extend(positive_roots(&derivative, unit));
    let mut far = 2.0 * ends[ends.len() - 1].max(unit.abs()).max(f64::MIN_POSITIVE);
    while value(far).signum() != coefficients[leading].signum() && far < 1e250 {
        far *= 8.0;
    }
    ends.push(far);
    let mut roots = Vec::new();
    for pair in ends.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let rising = value(low) <= 0.0;
        if (value(high) > 0.0) != rising {
            continue;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if (value(middle) > 0.0) == rising { high = middle } else { low = middle }
        }
        roots.push(high);
    }
    roots
}
