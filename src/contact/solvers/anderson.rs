//! Anderson's acceleration of a fixed-point iteration `r ← G(r)` (Anderson1965; WalkerNi2011): from the last few steps the
//! combination is sought whose change `f = G(r) − r` would have been smallest, and taken as the next place. Where the states of
//! the points no longer change `G` is linear, and this is as good as a Krylov method preconditioned by the sweep.

use pulp::{Arch, Simd, WithSimd};

/// Steps that are looked back on.
pub(in crate::contact) const MEMORY: usize = 6;

/// Growth of the change beyond which the memory is given up.
const GROWTH: f64 = 2.0;

/// The memory of an iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct Anderson {
    /// Differences of `f` and of `G(r)` from step to step, a ring of columns.
    df: Vec<f64>,
    dg: Vec<f64>,
    /// The last `f` and `G(r)`.
    f: Vec<f64>,
    g: Vec<f64>,
    /// Products of the columns of `df`.
    gram: [[f64; MEMORY]; MEMORY],
    kept: usize,
    next: usize,
    last: f64,
}

impl Anderson {
    /// Forgets what was before.
    pub(super) fn begin(&mut self, size: usize) {
        self.df.resize(MEMORY * size, 0.0);
        self.dg.resize(MEMORY * size, 0.0);
        self.f.clear();
        self.g.clear();
        (self.kept, self.next, self.last) = (0, 0, f64::INFINITY);
    }

    /// From a place and what the iteration made of it to the next place, left in `place`; `made` is not changed. False where the
    /// change grew and the plain step is taken.
    pub(super) fn advance(&mut self, place: &mut [f64], made: &[f64]) -> bool {
        let size = place.len();
        let change: f64 = place.iter().zip(made).map(|(r, g)| (g - r).powi(2)).sum();
        let grown = change > GROWTH * GROWTH * self.last || !change.is_finite();
        if grown || self.f.len() != size {
            (self.kept, self.next) = (0, 0);
            self.f.clear();
            self.f.extend(made.iter().zip(&*place).map(|(g, r)| g - r));
            self.g.clear();
            self.g.extend_from_slice(made);
            self.last = change;
            place.copy_from_slice(made);
            return !grown;
        }
        let at = self.next * size;
        for k in 0..size {
            let f = made[k] - place[k];
            self.df[at + k] = f - self.f[k];
            self.dg[at + k] = made[k] - self.g[k];
            self.f[k] = f;
            self.g[k] = made[k];
        }
        self.last = change;
        let own = self.next;
        self.next = (self.next + 1) % MEMORY;
        self.kept = (self.kept + 1).min(MEMORY);
        let column = |k: usize| &self.df[k * size..(k + 1) * size];
        let mut right = [0.0; MEMORY];
        for k in 0..self.kept {
            let [value, with_f] = Arch::new().dispatch(Dots { column: column(k), with: [column(own), &self.f] });
            (self.gram[own][k], self.gram[k][own]) = (value, value);
            right[k] = with_f;
        }
        let weights = least(&self.gram, right, self.kept);
        place.copy_from_slice(made);
        for k in 0..self.kept {
            Arch::new().dispatch(Subtract { place, weight: weights[k], column: &self.dg[k * size..(k + 1) * size] });
        }
        true
    }
}

/// The products of a column with two others, each in eight sums that do not wait for each other. (Loops, because functions that
/// take a closure are compiled without the vector instructions of their caller.)
struct Dots<'a> {
    column: &'a [f64],
    with: [&'a [f64]; 2],
}

impl WithSimd for Dots<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 2] {
        let Dots { column, with: [a, b] } = self;
        let (a, b) = (&a[..column.len()], &b[..column.len()]);
        let whole = column.len() / 8 * 8;
        let mut sums = [[0.0; 8]; 2];
        let mut first = 0;
        while first < whole {
            let (c, a, b) = (&column[first..first + 8], &a[first..first + 8], &b[first..first + 8]);
            for k in 0..8 {
                sums[0][k] += c[k] * a[k];
                sums[1][k] += c[k] * b[k];
            }
            first += 8;
        }
        let mut total = [0.0; 2];
        for k in whole..column.len() {
            total[0] += column[k] * a[k];
            total[1] += column[k] * b[k];
        }
        for k in 0..8 {
            total[0] += sums[0][k];
            total[1] += sums[1][k];
        }
        total
    }
}

/// `place −= weight·column`.
struct Subtract<'a> {
    place: &'a mut [f64],
    weight: f64,
    column: &'a [f64],
}

impl WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Subtract { place, weight, column } = self;
        for k in 0..place.len().min(column.len()) {
            place[k] -= weight * column[k];
        }
    }
}

/// Solves the normal equations of the first `n` columns by Cholesky's method; a column that depends on others gets no weight.
pub(in crate::contact) fn least(gram: &[[f64; MEMORY]; MEMORY], right: [f64; MEMORY], n: usize) -> [f64; MEMORY] {
    let mut l = [[0.0; MEMORY]; MEMORY];
    let mut x = right;
    let largest = (0..n).map(|k| gram[k][k]).fold(0.0, f64::max);
    for i in 0..n {
        for j in 0..=i {
            let mut sum = gram[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j {
                sum += 1e-14 * largest;
                // a pivot of rounding alone
                l[i][i] = if sum > 1e-13 * gram[i][i] && sum > 0.0 { sum.sqrt() } else { f64::INFINITY };
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    for i in 0..n {
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..n).rev() {
        x[i] = (x[i] - (i + 1..n).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
    x
}
