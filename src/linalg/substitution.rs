//! Forward and backward substitution with a factor in panels, four columns at a time.

use pulp::{Arch, Simd, WithSimd};

use super::panels::{Panel, Panels};
use super::tiles::MOST_LANES;

impl Panels {
    /// Substitution `L y = b` in place, for the panels `which`, from the first to the last; with `UNIT` the diagonal of `L` is one.
    pub(super) fn forward<const UNIT: bool>(&self, values: &[f64], which: impl Iterator<Item = usize>, x: &mut [f64]) {
        Arch::new().dispatch(Forward::<UNIT, _> { panels: self, values, which, x });
    }

    /// Substitution `Lᵀ x = y` in place, for the panels `which`, from the last to the first. With `UNIT` the diagonal of `L` is
    /// one, what is stored there is `D`, and `y` is divided by it.
    pub(super) fn backward<const UNIT: bool>(&self, values: &[f64], which: impl Iterator<Item = usize>, x: &mut [f64]) {
        Arch::new().dispatch(Backward::<UNIT, _> { panels: self, values, which, x });
    }
}

struct Forward<'a, const UNIT: bool, I> {
    panels: &'a Panels,
    values: &'a [f64],
    which: I,
    x: &'a mut [f64],
}

impl<const UNIT: bool, I: Iterator<Item = usize>> WithSimd for Forward<'_, UNIT, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for s in self.which {
            let panel = self.panels.panel(s, self.values);
            let (width, height) = (panel.width(), panel.height());
            let mut j = 0;
            while j < width {
                let columns = &panel.values[j * height..];
                match width - j {
                    1 => j += forward::<S, UNIT, 1>(simd, panel, columns, j, self.x),
                    2 => j += forward::<S, UNIT, 2>(simd, panel, columns, j, self.x),
                    3 => j += forward::<S, UNIT, 3>(simd, panel, columns, j, self.x),
                    _ => j += forward::<S, UNIT, 4>(simd, panel, columns, j, self.x),
                }
            }
        }
    }
}

/// Solves for the unknowns of `C` columns of a panel and takes them out of the rows below; returns `C`.
#[inline(always)]
fn forward<S: Simd, const UNIT: bool, const C: usize>(
    simd: S,
    panel: Panel<'_>,
    columns: &[f64],
    j: usize,
    x: &mut [f64],
) -> usize {
    let (width, height, lanes) = (panel.width(), panel.height(), S::F64_LANES);
    let mut y = [0.0; C];
    for c in 0..C {
        let mut value = x[panel.start + j + c];
        for p in 0..c {
            value -= y[p] * columns[p * height + j + c];
        }
        y[c] = if UNIT { value } else { value / columns[c * height + j + c] };
        x[panel.start + j + c] = y[c];
    }
    let column: [&[f64]; C] = std::array::from_fn(|c| &columns[c * height..(c + 1) * height]);
    for row in j + C..width {
        x[panel.start + row] -= (0..C).map(|c| column[c][row] * y[c]).sum::<f64>();
    }
    let below: [&[f64]; C] = column.map(|column| &column[width..]);
    let factors = y.map(|y| simd.splat_f64s(y));
    let (whole, rest) = panel.rows.split_at(panel.rows.len() / lanes * lanes);
    for (k, rows) in whole.chunks_exact(lanes).enumerate() {
        let mut sum = simd.splat_f64s(0.0);
        for c in 0..C {
            let (l, _) = S::as_simd_f64s(&below[c][k * lanes..(k + 1) * lanes]);
            sum = simd.mul_add_e_f64s(l[0], factors[c], sum);
        }
        let mut buffer = [0.0; MOST_LANES];
        S::as_mut_simd_f64s(&mut buffer[..lanes]).0[0] = sum;
        for (&row, value) in rows.iter().zip(&buffer) {
            x[row as usize] -= value;
        }
    }
    for (k, &row) in (whole.len()..).zip(rest) {
        x[row as usize] -= (0..C).map(|c| below[c][k] * y[c]).sum::<f64>();
    }
    C
}

struct Backward<'a, const UNIT: bool, I> {
    panels: &'a Panels,
    values: &'a [f64],
    which: I,
    x: &'a mut [f64],
}

impl<const UNIT: bool, I: Iterator<Item = usize>> WithSimd for Backward<'_, UNIT, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for s in self.which {
            let panel = self.panels.panel(s, self.values);
            let height = panel.height();
            let mut end = panel.width();
            while end > 0 {
                // the same groups as on the way forward
                let j = (end - 1) / 4 * 4;
                let columns = &panel.values[j * height..];
                match end - j {
                    1 => backward::<S, UNIT, 1>(simd, panel, columns, j, self.x),
                    2 => backward::<S, UNIT, 2>(simd, panel, columns, j, self.x),
                    3 => backward::<S, UNIT, 3>(simd, panel, columns, j, self.x),
                    _ => backward::<S, UNIT, 4>(simd, panel, columns, j, self.x),
                }
                end = j;
            }
        }
    }
}

/// Solves for the unknowns of `C` columns of a panel from those below.
#[inline(always)]
fn backward<S: Simd, const UNIT: bool, const C: usize>(
    simd: S,
    panel: Panel<'_>,
    columns: &[f64],
    j: usize,
    x: &mut [f64],
) {
    let (width, height, lanes) = (panel.width(), panel.height(), S::F64_LANES);
    let column: [&[f64]; C] = std::array::from_fn(|c| &columns[c * height..(c + 1) * height]);
    let below: [&[f64]; C] = column.map(|column| &column[width..]);
    let mut sums = [simd.splat_f64s(0.0); C];
    let (whole, rest) = panel.rows.split_at(panel.rows.len() / lanes * lanes);
    for (k, rows) in whole.chunks_exact(lanes).enumerate() {
        let mut buffer = [0.0; MOST_LANES];
        for (value, &row) in buffer.iter_mut().zip(rows) {
            *value = x[row as usize];
        }
        let values = S::as_simd_f64s(&buffer[..lanes]).0[0];
        for c in 0..C {
            let (l, _) = S::as_simd_f64s(&below[c][k * lanes..(k + 1) * lanes]);
            sums[c] = simd.mul_add_e_f64s(l[0], values, sums[c]);
        }
    }
    let mut total = sums.map(|sum| simd.reduce_sum_f64s(sum));
    for (k, &row) in (whole.len()..).zip(rest) {
        for c in 0..C {
            total[c] += below[c][k] * x[row as usize];
        }
    }
    for row in j + C..width {
        for c in 0..C {
            total[c] += column[c][row] * x[panel.start + row];
        }
    }
    for c in (0..C).rev() {
        let diagonal = column[c][j + c];
        let at = panel.start + j + c;
        let mut value = if UNIT { x[at] / diagonal } else { x[at] };
        value -= total[c];
        for p in c + 1..C {
            value -= column[c][j + p] * x[panel.start + j + p];
        }
        x[at] = if UNIT { value } else { value / diagonal };
    }
}
