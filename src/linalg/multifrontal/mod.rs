//! Linear systems of small square blocks whose pattern is symmetric and whose values are not, by multifrontal elimination
//! (DuffReid1983): fronts are dense, and pivots are sought among the unknowns of a front. What that leaves of an error is seen and
//! mended by iterative refinement; a system that resists is reported.

mod fronts;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

use pulp::{Arch, Simd, WithSimd};

use crate::memory::room;
use fronts::{Front, Fronts, fronts};

/// Multiplications that solving with such a matrix takes, from its pattern alone.
pub fn operations(offsets: &[usize], columns: &[u32], dim: usize) -> f64 {
    fronts::operations(offsets, columns, dim)
}

/// Columns that are eliminated one by one before the rest of a front is updated at once.
const PANEL: usize = 24;

/// Numbers of an update from which the library's product is faster than a plain loop.
const LARGE: usize = 4096;

/// Relative residual that is good enough, and the one that refinement must reach.
const GOOD: f64 = 1e-13;
const ENOUGH: f64 = 1e-9;

/// A matrix of square blocks in compressed rows: pattern symmetric, columns sorted, diagonal present.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'a> {
    /// Rows and columns of a block.
    pub dim: usize,
    /// Start of each block row.
    pub offsets: &'a [usize],
    /// Block columns.
    pub columns: &'a [u32],
    /// Values, block by block, each by rows.
    pub values: &'a [f64],
}

/// Factors and solves; memory, the analysis of a pattern and the factors of the last system are kept.
#[derive(Debug, Clone, Default)]
pub struct Multifrontal {
    dim: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    fronts: Fronts,
    /// Values of the system that the factors belong to.
    values: Vec<f64>,
    /// Of each front the columns of `L` and `U` down to its end, then the rows of `U` beside them.
    factors: Vec<f64>,
    starts: Vec<usize>,
    swaps: Vec<u32>,
    front: Vec<f64>,
    /// Last squares of fronts whose parents are still to come, and who they are.
    pending: Vec<f64>,
    waiting: Vec<u32>,
    own: Vec<f64>,
    right: Vec<f64>,
    rest: Vec<f64>,
    no_room: bool,
}

impl Multifrontal {
    /// Numbers that the last system would have taken, where there was no room for them.
    pub fn wanted(&self) -> Option<usize> {
        self.no_room.then(|| self.fronts.room.iter().sum::<usize>() * self.dim * self.dim)
    }

    /// Solves `A x = b`; `x` holds `b` and receives the solution. False where the system is singular or resists pivoting within
    /// fronts; `x` is then as it was.
    #[must_use]
    pub fn solve(&mut self, a: Blocks<'_>, x: &mut [f64]) -> bool {
        let same = self.dim == a.dim && self.offsets == a.offsets && self.columns == a.columns;
        if !same {
            self.dim = a.dim;
            a.offsets.clone_into(&mut self.offsets);
            a.columns.clone_into(&mut self.columns);
            self.fronts = fronts(a.offsets, a.columns);
            self.values.clear();
        }
        if self.values != a.values {
            self.values.clear();
            if !self.factor(a) {
                return false;
            }
            self.values.extend_from_slice(a.values);
        }
        x.clone_into(&mut self.right);
        self.substitute(x);
        let size = self.right.iter().map(|b| b * b).sum::<f64>();
        for round in 0..3 {
            let error = self.residual(a, x);
            if error <= GOOD * GOOD * size {
                return true;
            }
            if !error.is_finite() || round == 2 {
                let enough = error <= ENOUGH * ENOUGH * size;
                if !enough {
                    x.copy_from_slice(&self.right);
                }
                return enough;
            }
            let mut correction = std::mem::take(&mut self.rest);
            self.substitute(&mut correction);
            x.iter_mut().zip(&correction).for_each(|(x, c)| *x += c);
            self.rest = correction;
        }
        true
    }

    /// `b − A x` into `rest`; returns its squared length.
    fn residual(&mut self, a: Blocks<'_>, x: &[f64]) -> f64 {
        let d = a.dim;
        self.rest.clear();
        self.rest.extend_from_slice(&self.right);
        for i in 0..a.offsets.len() - 1 {
            for e in a.offsets[i]..a.offsets[i + 1] {
                let block = &a.values[e * d * d..(e + 1) * d * d];
                let xj = &x[a.columns[e] as usize * d..][..d];
                for r in 0..d {
                    self.rest[i * d + r] -= block[r * d..(r + 1) * d].iter().zip(xj).map(|(a, x)| a * x).sum::<f64>();
                }
            }
        }
        self.rest.iter().map(|r| r * r).sum()
    }

    fn factor(&mut self, a: Blocks<'_>) -> bool {
        let d = self.dim;
        self.starts.clear();
        self.swaps.clear();
        self.waiting.clear();
        // counted before it is filled: what finds no room is not begun
        let [factors, front, pending] = self.fronts.room.map(|blocks| blocks * d * d);
        self.no_room = !(room(&mut self.factors, factors)
            && room(&mut self.front, front)
            && room(&mut self.pending, pending)
            && room(&mut self.values, a.values.len()));
        if self.no_room {
            return false;
        }
        for f in 0..self.fronts.fronts.len() {
            let Front { pivots, rest, children, entries, .. } = self.fronts.fronts[f];
            let (np, size) = (pivots * d, (pivots + rest) * d);
            self.front.clear();
            self.front.resize(size * size, 0.0);
            for &[e, row, column] in &self.fronts.entries[entries[0]..entries[1]] {
                let block = &a.values[e as usize * d * d..][..d * d];
                for c in 0..d {
                    for r in 0..d {
                        self.front[(column as usize * d + c) * size + row as usize * d + r] = block[r * d + c];
                    }
                }
            }
            for _ in 0..children {
                self.take_up(size);
            }
            if !Arch::new().dispatch(Eliminate { front: &mut self.front, size, pivots: np, swaps: &mut self.swaps }) {
                return false;
            }
            self.starts.push(self.factors.len());
            self.factors.extend_from_slice(&self.front[..size * np]);
            for column in self.front[size * np..].chunks_exact(size.max(1)) {
                self.factors.extend_from_slice(&column[..np]);
            }
            for column in self.front[size * np..].chunks_exact(size.max(1)) {
                self.pending.extend_from_slice(&column[np..]);
            }
            self.waiting.push(f as u32);
        }
        true
    }

    /// Adds what the last waiting front left to the present one.
    fn take_up(&mut self, size: usize) {
        let Some(child) = self.waiting.pop() else { return };
        let Front { rest, relative, .. } = self.fronts.fronts[child as usize];
        let (d, n) = (self.dim, rest * self.dim);
        let left = self.pending.len() - n * n;
        let places = &self.fronts.relative[relative..relative + rest];
        for (k, &column) in places.iter().enumerate() {
            for c in 0..d {
                let from = &self.pending[left + (k * d + c) * n..][..n];
                let to = &mut self.front[(column as usize * d + c) * size..][..size];
                for (from, &row) in from.chunks_exact(d).zip(places) {
                    let to = &mut to[row as usize * d..][..d];
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                }
            }
        }
        self.pending.truncate(left);
    }

    /// `x ← A⁻¹ x` with the factors.
    fn substitute(&mut self, x: &mut [f64]) {
        Arch::new().dispatch(Substitute { work: self, x });
    }

    #[inline(always)]
    fn substitute_all(&mut self, x: &mut [f64]) {
        let d = self.dim;
        let mut swapped = 0;
        for (front, &start) in self.fronts.fronts.iter().zip(&self.starts) {
            let (np, size) = (front.pivots * d, (front.pivots + front.rest) * d);
            let nodes = &self.fronts.nodes[front.start..front.start + front.pivots + front.rest];
            self.own.clear();
            nodes.iter().for_each(|&node| self.own.extend_from_slice(&x[node as usize * d..][..d]));
            for (k, &swap) in self.swaps[swapped..swapped + np].iter().enumerate() {
                self.own.swap(k, swap as usize);
            }
            swapped += np;
            for k in 0..np {
                let column = &self.factors[start + k * size..][..size];
                let value = self.own[k];
                self.own[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(x, l)| *x -= l * value);
            }
            for (node, own) in nodes.iter().zip(self.own.chunks_exact(d)) {
                x[*node as usize * d..][..d].copy_from_slice(own);
            }
        }
        for (front, &start) in self.fronts.fronts.iter().zip(&self.starts).rev() {
            let (np, size) = (front.pivots * d, (front.pivots + front.rest) * d);
            let nodes = &self.fronts.nodes[front.start..front.start + front.pivots + front.rest];
            self.own.clear();
            nodes.iter().for_each(|&node| self.own.extend_from_slice(&x[node as usize * d..][..d]));
            let (own, later) = self.own.split_at_mut(np);
            let beside = &self.factors[start + size * np..][..np * later.len()];
            for (column, value) in beside.chunks_exact(np.max(1)).zip(later.iter()) {
                own.iter_mut().zip(column).for_each(|(x, u)| *x -= u * value);
            }
            for k in (0..np).rev() {
                let column = &self.factors[start + k * size..][..size];
                own[k] /= column[k];
                let value = own[k];
                own[..k].iter_mut().zip(column).for_each(|(x, u)| *x -= u * value);
            }
            for (node, own) in nodes.iter().zip(own.chunks_exact(d)) {
                x[*node as usize * d..][..d].copy_from_slice(own);
            }
        }
    }
}

/// Eliminates the first `pivots` unknowns of a dense front, column by column in memory, with row swaps among them. False where no
/// pivot is left.
#[inline(always)]
fn eliminate(front: &mut [f64], size: usize, pivots: usize, swaps: &mut Vec<u32>) -> bool {
    let mut first = 0;
    while first < pivots {
        let end = (first + PANEL).min(pivots);
        for k in first..end {
            let column = &front[k * size..(k + 1) * size];
            let mut best = k;
            for row in k + 1..pivots {
                if column[row].abs() > column[best].abs() {
                    best = row;
                }
            }
            let pivot = column[best];
            if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
                return false;
            }
            swaps.push(best as u32);
            if best != k {
                for c in 0..size {
                    front.swap(c * size + k, c * size + best);
                }
            }
            let (before, after) = front.split_at_mut((k + 1) * size);
            let own = &mut before[k * size..];
            own[k + 1..].iter_mut().for_each(|l| *l /= pivot);
            for other in after.chunks_exact_mut(size).take(end - k - 1) {
                let value = other[k];
                if value != 0.0 {
                    other[k + 1..].iter_mut().zip(&own[k + 1..]).for_each(|(x, l)| *x -= l * value);
                }
            }
        }
        let (panel, after) = front.split_at_mut(end * size);
        for other in after.chunks_exact_mut(size) {
            for k in first..end {
                let value = other[k];
                let column = &panel[k * size..(k + 1) * size];
                other[k + 1..end].iter_mut().zip(&column[k + 1..end]).for_each(|(x, l)| *x -= l * value);
            }
        }
        let (width, left) = (end - first, size - end);
        if left * left * width >= LARGE {
            let whole = MatMut::from_column_major_slice_mut(front, size, size);
            let (_, upper, lower, corner) =
                whole.submatrix_mut(first, first, size - first, size - first).split_at_mut(width, width);
            matmul(corner, Accum::Add, lower.as_ref(), upper.as_ref(), -1.0, Par::Seq);
        } else {
            let (panel, after) = front.split_at_mut(end * size);
            for other in after.chunks_exact_mut(size) {
                let (top, bottom) = other.split_at_mut(end);
                for k in first..end {
                    let (value, column) = (top[k], &panel[k * size + end..(k + 1) * size]);
                    bottom.iter_mut().zip(column).for_each(|(x, l)| *x -= l * value);
                }
            }
        }
        first = end;
    }
    true
}

/// [`eliminate`], compiled for the vector instructions of the machine.
struct Eliminate<'a> {
    front: &'a mut [f64],
    size: usize,
    pivots: usize,
    swaps: &'a mut Vec<u32>,
}

impl WithSimd for Eliminate<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        eliminate(self.front, self.size, self.pivots, self.swaps)
    }
}

/// [`Multifrontal::substitute`], compiled for the vector instructions of the machine.
struct Substitute<'a> {
    work: &'a mut Multifrontal,
    x: &'a mut [f64],
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.work.substitute_all(self.x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random patterns of rings, chains and cliques with values that need pivoting within a block: `x` comes back from `A x`.
    #[test]
    fn solutions_come_back() {
        let mut seed = 5u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut solver = Multifrontal::default();
        for (n, dim) in [(1, 3), (2, 2), (7, 3), (40, 2), (60, 3), (200, 3)] {
            let mut near = vec![vec![false; n]; n];
            for i in 0..n {
                near[i][i] = true;
                for j in [(i + 1) % n, (i + 7) % n, ((random().abs() * n as f64) as usize).min(n - 1)] {
                    near[i][j] = true;
                    near[j][i] = true;
                }
                // corners that share all neighbours
                if i % 4 == 0 {
                    for a in i..(i + 4).min(n) {
                        for b in i..(i + 4).min(n) {
                            near[a][b] = true;
                        }
                    }
                }
            }
            let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..n {
                for j in (0..n).filter(|&j| near[i][j]) {
                    columns.push(j as u32);
                    for r in 0..dim {
                        for c in 0..dim {
                            // the diagonal block has its large numbers beside the diagonal
                            let large = i == j && c == (r + 1) % dim;
                            values.push(random() + if large { 25.0 } else { 0.0 });
                        }
                    }
                }
                offsets.push(columns.len());
            }
            let a = Blocks { dim, offsets: &offsets, columns: &columns, values: &values };
            let x: Vec<f64> = (0..n * dim).map(|_| random()).collect();
            let mut b = vec![0.0; n * dim];
            for i in 0..n {
                for e in offsets[i]..offsets[i + 1] {
                    for r in 0..dim {
                        for c in 0..dim {
                            b[i * dim + r] += values[e * dim * dim + r * dim + c] * x[columns[e] as usize * dim + c];
                        }
                    }
                }
            }
            for round in 0..2 {
                let mut y = b.clone();
                assert!(solver.solve(a, &mut y), "{n} blocks of {dim}");
                let error = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error < 1e-11, "{n} blocks of {dim}, round {round}: {error:e}");
            }
        }
    }

    /// Room is counted before it is taken: nothing grows while fronts are eliminated, and a system that asks for more than there is
    /// is refused with its figure.
    #[test]
    fn what_finds_no_room_is_refused() {
        let n = 30;
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n as u32 {
            for j in (0..n as u32).filter(|j| i.abs_diff(*j) <= 1 || i.abs_diff(*j) == 6) {
                columns.push(j);
                values.push(if i == j { 9.0 } else { 1.0 });
            }
            offsets.push(columns.len());
        }
        let a = Blocks { dim: 1, offsets: &offsets, columns: &columns, values: &values };
        let mut solver = Multifrontal::default();
        assert!(solver.solve(a, &mut vec![1.0; n]) && solver.wanted().is_none());
        let room = solver.fronts.room;
        assert_eq!(solver.factors.len(), room[0]);
        assert!(solver.front.capacity() >= room[1] && solver.pending.capacity() >= room[2]);
        solver.fronts.room[2] = usize::MAX / 16;
        solver.values.clear();
        let mut x = vec![1.0; n];
        assert!(!solver.solve(a, &mut x) && x == vec![1.0; n]);
        assert_eq!(solver.wanted(), Some(room[0] + room[1] + usize::MAX / 16));
    }

    /// A singular matrix is refused and the right-hand side is left alone.
    #[test]
    fn a_singular_system_is_refused() {
        let (offsets, columns, values) = ([0, 1], [0], [1.0, 2.0, 2.0, 4.0]);
        let a = Blocks { dim: 2, offsets: &offsets, columns: &columns, values: &values };
        let mut x = [1.0, 0.0];
        assert!(!Multifrontal::default().solve(a, &mut x));
        assert_eq!(x, [1.0, 0.0]);
    }
}
