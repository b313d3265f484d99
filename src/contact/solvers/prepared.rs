//! What the exact solution of a point needs of its `W_ii` alone, worked out once for many sweeps: the inverse that gives the
//! sticking reaction, the eigenvectors of `A = W_tt − W_tn W_nt/W_nn` in which a slipping one is a scalar equation, and the
//! last root of it, which is the first guess for the next.

use super::local;
use super::repeated::Repeated;
use crate::contact::friction::Friction;
use crate::contact::problem::LocalProblem;

/// One point in space with a round cone.
#[derive(Debug, Clone, Copy, Default)]
struct Point {
    inverse: [[f64; 3]; 3],
    regular: bool,
    w_nn: f64,
    /// `W_nt/W_nn` and `W_tn/W_nn`.
    row: [f64; 2],
    column: [f64; 2],
    values: [f64; 2],
    cos: f64,
    sin: f64,
    /// The last root, 0 if there was none.
    alpha: f64,
}

/// The points of a problem. Points in the plane and with orthotropic friction need no preparation or allow none.
#[derive(Debug, Clone, Default)]
pub(super) struct Prepared {
    points: Vec<Point>,
    /// The forces as the products of a sweep read them.
    pub(super) repeated: Repeated,
}

impl Prepared {
    /// Takes up a problem.
    pub(super) fn begin(&mut self, problem: &LocalProblem) {
        self.begin_regular(problem, |_| 0.0);
    }

    /// The same with `W_ii` made regular by a weight on its diagonal.
    pub(super) fn begin_regular(&mut self, problem: &LocalProblem, weight: impl Fn(usize) -> f64) {
        self.points.clear();
        if problem.dim == 3 {
            self.points.extend((0..problem.len()).map(|i| {
                let mut w = problem.diagonal::<3>(i);
                (0..3).for_each(|a| w[a][a] += weight(i));
                Point::new(&w)
            }));
        }
    }

    /// The points at some places of a problem, in that order.
    pub(super) fn of(problem: &LocalProblem, places: &[u32]) -> Self {
        let own = if problem.dim == 3 { places } else { &[] };
        let points = own.iter().map(|&i| Point::new(&problem.diagonal::<3>(i as usize))).collect();
        Prepared { points, ..Prepared::default() }
    }

    /// Reaction of point `i` with the displacement `q` that it has without one.
    #[inline(always)]
    pub(super) fn solve<const D: usize>(
        &mut self,
        i: usize,
        w: &[[f64; D]; D],
        q: &[f64; D],
        friction: &Friction,
    ) -> [f64; D] {
        if D == 2 || !friction.is_round() || friction.along[0] == 0.0 {
            return local::solve(w, q, friction);
        }
        let r = self.points[i].solve([q[0], q[1], q[2]], friction.along[0]);
        match r {
            Some(r) => std::array::from_fn(|a| r[a]),
            None => local::solve(w, q, friction),
        }
    }
}

impl Point {
    fn new(w: &[[f64; 3]; 3]) -> Self {
        let w_nn = w[0][0];
        if w_nn <= 0.0 {
            return Point::default();
        }
        let row = [w[0][1] / w_nn, w[0][2] / w_nn];
        let column = [w[1][0] / w_nn, w[2][0] / w_nn];
        let a11 = w[1][1] - w[1][0] * row[0];
        let a22 = w[2][2] - w[2][0] * row[1];
        let a12 = 0.5 * (w[1][2] + w[2][1]) - w[1][0] * row[1];
        let (mean, half) = (0.5 * (a11 + a22), 0.5 * (a11 - a22));
        let radius = half.hypot(a12);
        let (sin, cos) = (0.5 * a12.atan2(half)).sin_cos();
        let (l1, l2) = (mean + radius, (mean - radius).max(0.0));
        let regular = l2 > 1e-14 * l1;
        let mut inverse = [[0.0; 3]; 3];
        if regular {
            // the sticking tangential force is −A⁻¹(q_t − W_tn q_n/W_nn), the normal one follows from u_n = 0
            let (i1, i2) = (1.0 / l1, 1.0 / l2);
            let b = [
                [cos * cos * i1 + sin * sin * i2, cos * sin * (i1 - i2)],
                [cos * sin * (i1 - i2), sin * sin * i1 + cos * cos * i2],
            ];
            for k in 0..2 {
                inverse[k + 1] = [-(b[k][0] * column[0] + b[k][1] * column[1]), b[k][0], b[k][1]];
            }
            for c in 0..3 {
                let own = if c == 0 { 1.0 / w_nn } else { 0.0 };
                inverse[0][c] = own - row[0] * inverse[1][c] - row[1] * inverse[2][c];
            }
        }
        Point { inverse, regular, w_nn, row, column, values: [l1, l2], cos, sin, alpha: 0.0 }
    }

    /// None where the equation does not yield to Newton's method.
    #[inline(always)]
    fn solve(&mut self, q: [f64; 3], friction: f64) -> Option<[f64; 3]> {
        if q[0] >= 0.0 || self.w_nn <= 0.0 {
            return Some([0.0; 3]);
        }
        if !self.regular {
            return None;
        }
        let m = &self.inverse;
        let mut r = [0.0; 3];
        for a in 0..3 {
            r[a] = -(m[a][0] * q[0] + m[a][1] * q[1] + m[a][2] * q[2]);
        }
        if r[0] >= 0.0 && r[1] * r[1] + r[2] * r[2] <= friction * friction * r[0] * r[0] {
            return Some(r);
        }
        // in the eigenvectors: r_t(α) = −c/(λ + α), r_n(α) = −q_n/W_nn − (W_nt/W_nn) r_t
        let (b1, b2) = (q[1] - self.column[0] * q[0], q[2] - self.column[1] * q[0]);
        let (c1, c2) = (self.cos * b1 + self.sin * b2, self.cos * b2 - self.sin * b1);
        let (g1, g2) =
            (self.cos * self.row[0] + self.sin * self.row[1], self.cos * self.row[1] - self.sin * self.row[0]);
        let free = -q[0] / self.w_nn;
        let [l1, l2] = self.values;
        let at = |alpha: f64| {
            let (d1, d2) = (1.0 / (l1 + alpha), 1.0 / (l2 + alpha));
            let (s1, s2) = (-c1 * d1, -c2 * d2);
            let tangential = (s1 * s1 + s2 * s2).sqrt();
            let normal = free - g1 * s1 - g2 * s2;
            let slope = -(s1 * s1 * d1 + s2 * s2 * d2) / tangential - friction * (g1 * s1 * d1 + g2 * s2 * d2);
            (s1, s2, normal, tangential, tangential - friction * normal, slope)
        };
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = if self.alpha > 0.0 { self.alpha } else { 0.5 * (l1 + l2) };
        for _ in 0..60 {
            let (s1, s2, normal, tangential, excess, slope) = at(alpha);
            if excess > 0.0 {
                low = alpha
            } else {
                high = alpha
            }
            let newton = alpha - excess / slope;
            let next = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                8.0 * alpha
            };
            // a step that small squared is below the last digit: what follows it is the root
            let close = next == newton && (next - alpha).abs() <= 1e-3 * alpha;
            let done = excess.abs() <= 4.0 * f64::EPSILON * tangential || (next - alpha).abs() <= 1e-15 * alpha;
            if close || done {
                self.alpha = if done { alpha } else { next };
                let (s1, s2, normal, tangential) = if done {
                    (s1, s2, normal, tangential)
                } else {
                    let (s1, s2, normal, tangential, _, _) = at(next);
                    (s1, s2, normal, tangential)
                };
                // on the cone to the last digit
                let scale = friction * normal / tangential.max(f64::MIN_POSITIVE);
                let (t1, t2) = (self.cos * s1 - self.sin * s2, self.sin * s1 + self.cos * s2);
                return (normal > 0.0).then_some([normal, scale * t1, scale * t2]);
            }
            alpha = next;
        }
        None
    }
}
