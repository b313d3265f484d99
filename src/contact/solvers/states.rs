//! In the plane the law is linear once the state of every point is known: open, stick, or slip to one side. A few sweeps tell the
//! states, and one linear system the forces. Whether the guess was right the judge sees.

use crate::contact::cone::project;
use crate::contact::problem::{LocalProblem, residual};

/// Unknowns up to which the system costs no more than some sweeps.
const MOST: usize = 32;

/// Share of Coulomb's limit from which a point counts as slipping.
const LIMIT: f64 = 1.0 - 1e-12;

/// Work space.
#[derive(Debug, Clone, Default)]
pub(super) struct States {
    /// Of each unknown its point, and the forces (n, t) per unit of it.
    unknowns: Vec<(u32, [f64; 2])>,
    /// The system with its right-hand side, row by row.
    rows: Vec<f64>,
    /// Marks of the states seen last, and of those that were tried in vain.
    seen: u64,
    tried: u64,
}

impl States {
    /// Takes up a problem with the states of a guess.
    pub(super) fn begin(&mut self, problem: &LocalProblem, r: &[f64]) {
        (self.seen, self.tried) = (mark(problem, r), 0);
    }

    /// Whether the last sweep, which led to `r`, left all states as they were, and they have not been tried.
    pub(super) fn are_settled(&mut self, problem: &LocalProblem, r: &[f64]) -> bool {
        let now = mark(problem, r);
        let settled = now == self.seen && now != self.tried;
        self.seen = now;
        if settled {
            self.tried = now;
        }
        settled
    }

    /// Tries all states of a few points, those that stick first. The residual of the first solution, which is then in `out`.
    pub(super) fn search(&mut self, problem: &LocalProblem, tolerance: f64, out: &mut [f64]) -> Option<f64> {
        let points = problem.len();
        let mut r = vec![0.0; 2 * points];
        (0..1usize << (2 * points)).find_map(|states| {
            for (i, (point, friction)) in r.chunks_exact_mut(2).zip(&problem.friction).enumerate() {
                let limit = friction.along[0];
                point.copy_from_slice(&[[1.0, 0.0], [1.0, limit], [1.0, -limit], [0.0, 0.0]][states >> (2 * i) & 3]);
            }
            if !self.solve(problem, &r, out) {
                out.fill(0.0);
            }
            let reached = residual(problem, out);
            (reached <= tolerance).then_some(reached)
        })
    }

    /// Replaces the forces `r` of a plane problem by those that the states of `r` call for, into `out`. False where there are too
    /// many unknowns or none.
    pub(super) fn solve(&mut self, problem: &LocalProblem, r: &[f64], out: &mut [f64]) -> bool {
        self.unknowns.clear();
        for i in 0..problem.len() {
            let (n, t, friction) = (r[2 * i], r[2 * i + 1], problem.friction[i].along[0]);
            if n <= 0.0 {
                continue;
            }
            if self.unknowns.len() + 2 > MOST {
                return false;
            }
            if t.abs() >= friction * n * LIMIT {
                self.unknowns.push((i as u32, [1.0, friction.copysign(t)]));
            } else {
                self.unknowns.extend([(i as u32, [1.0, 0.0]), (i as u32, [0.0, 1.0])]);
            }
        }
        let size = self.unknowns.len();
        if size == 0 {
            return false;
        }
        let width = size + 1;
        self.rows.clear();
        self.rows.resize(size * width, 0.0);
        for (row, &(i, own)) in self.unknowns.iter().enumerate() {
            // a normal unknown asks for u_n = 0, a tangential one for u_t = 0
            let (i, a) = (i as usize, usize::from(own[0] == 0.0));
            let numbers = &mut self.rows[row * width..(row + 1) * width];
            numbers[size] = -problem.q[2 * i + a];
            let mut e = problem.w.offsets[i];
            for (k, &(j, way)) in self.unknowns.iter().enumerate() {
                // both lists rise
                while e < problem.w.offsets[i + 1] && problem.w.columns[e] < j {
                    e += 1;
                }
                if e < problem.w.offsets[i + 1] && problem.w.columns[e] == j {
                    let block = &problem.w.blocks[4 * e + 2 * a..][..2];
                    numbers[k] = block[0] * way[0] + block[1] * way[1];
                }
            }
        }
        if !eliminate(&mut self.rows, size) {
            return false;
        }
        out.fill(0.0);
        for (row, &(i, way)) in self.unknowns.iter().enumerate() {
            let value = self.rows[row * width + size];
            out[2 * i as usize] += value * way[0];
            out[2 * i as usize + 1] += value * way[1];
        }
        for (i, point) in out.chunks_exact_mut(2).enumerate() {
            point.copy_from_slice(&project(&[point[0], point[1]], &problem.friction[i]));
        }
        true
    }
}

/// A number that differs where states differ (but for one chance in 2⁶⁴): its digits mix those of all points.
fn mark(problem: &LocalProblem, r: &[f64]) -> u64 {
    let mut mark = 0xcbf2_9ce4_8422_2325u64;
    for (point, friction) in r.chunks_exact(2).zip(&problem.friction) {
        let limit = friction.along[0] * point[0] * LIMIT;
        let slips = 2 * u64::from(point[1] >= limit) + 4 * u64::from(-point[1] >= limit);
        let state = if point[0] > 0.0 { 1 + slips } else { 0 };
        mark = (mark ^ state).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5);
    }
    mark
}

/// Gauss's elimination with row pivots; the solution replaces the last column. False where a pivot vanishes.
fn eliminate(rows: &mut [f64], size: usize) -> bool {
    let width = size + 1;
    for k in 0..size {
        let mut best = k;
        for i in k + 1..size {
            if rows[i * width + k].abs() > rows[best * width + k].abs() {
                best = i;
            }
        }
        let pivot = rows[best * width + k];
        if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
            return false;
        }
        if best != k {
            for c in k..width {
                rows.swap(k * width + c, best * width + c);
            }
        }
        let (done, rest) = rows.split_at_mut((k + 1) * width);
        let own = &done[k * width + k + 1..];
        for other in rest.chunks_exact_mut(width) {
            let factor = other[k] / pivot;
            if factor != 0.0 {
                for (x, y) in other[k + 1..].iter_mut().zip(own) {
                    *x -= factor * y;
                }
            }
        }
    }
    for k in (0..size).rev() {
        let mut value = rows[k * width + size];
        for c in k + 1..size {
            value -= rows[k * width + c] * rows[c * width + size];
        }
        rows[k * width + size] = value / rows[k * width + k];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sticking, a slipping and an open point: from forces of the right states but wrong sizes the solution follows at once.
    #[test]
    fn known_states_give_the_solution() {
        let w = [
            [3.0, 0.3, 0.4, 0.0, 0.2, 0.0],
            [0.3, 2.0, 0.0, 0.3, 0.0, 0.1],
            [0.4, 0.0, 2.5, 0.2, 0.3, 0.0],
            [0.0, 0.3, 0.2, 2.0, 0.0, 0.2],
            [0.2, 0.0, 0.3, 0.0, 3.0, 0.1],
            [0.0, 0.1, 0.0, 0.2, 0.1, 2.0],
        ];
        let (r, u) = ([1.0, 0.1, 2.0, -0.8, 0.0, 0.0], [0.0, 0.0, 0.0, 0.7, 0.5, 0.3]);
        let q: Vec<f64> = (0..6).map(|k| u[k] - (0..6).map(|j| w[k][j] * r[j]).sum::<f64>()).collect();
        let problem = LocalProblem::dense(2, &w.concat(), &q, &[0.4; 3]);
        let mut found = vec![0.0; 6];
        assert!(States::default().solve(&problem, &[2.0, 0.3, 1.0, -0.4, 0.0, 0.0], &mut found));
        assert!(residual(&problem, &found) < 1e-14, "{found:?}");
        assert!(found.iter().zip(r).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?}");
    }
}
