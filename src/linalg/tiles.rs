//! Products and eliminations on dense panels, tile by tile in registers.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::ReborrowMut;
use faer::{Accum, MatMut, MatRef, Par, Spec};
use pulp::Simd;

/// Numbers in the longest vector register there is.
pub(super) const MOST_LANES: usize = 16;

/// Operations of a product from which on the library, which blocks for the caches, is faster than tiles from memory.
pub(super) const LARGE: usize = 300_000;

/// Columns from which on the same holds for the elimination of a panel.
pub(super) const WIDE: usize = 96;

/// The columns whose products are subtracted: the rows from `first` on.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) values: &'a [f64],
    pub(super) height: usize,
    pub(super) columns: usize,
    pub(super) first: usize,
}

/// Subtracts `B Cᵀ` from a panel: `B` are the rows of `source`, `C` the first `count` of them; `map` tells their rows, and for
/// those their columns too, in the panel. What falls above the diagonal is written but never read.
#[inline(always)]
pub(super) fn subtract<S: Simd>(
    simd: S,
    source: Source<'_>,
    map: &[u32],
    count: usize,
    panel: &mut [f64],
    height: usize,
) {
    let mut j = 0;
    while j < count {
        match count - j {
            1 => j += strip::<S, 1>(simd, source, map, j, panel, height),
            2 => j += strip::<S, 2>(simd, source, map, j, panel, height),
            3 => j += strip::<S, 3>(simd, source, map, j, panel, height),
            _ => j += strip::<S, 4>(simd, source, map, j, panel, height),
        }
    }
}

/// The same by way of a whole product.
pub(super) fn subtract_large(
    source: Source<'_>,
    map: &[u32],
    count: usize,
    panel: &mut [f64],
    height: usize,
    product: &mut Vec<f64>,
) {
    let rows = map.len();
    if product.len() < rows * count {
        product.resize(rows * count, 0.0);
    }
    let product = &mut product[..rows * count];
    let all = MatRef::from_column_major_slice(source.values, source.height, source.columns);
    let left = all.subrows(source.first, rows);
    let target = MatMut::from_column_major_slice_mut(&mut *product, rows, count);
    matmul(target, Accum::Replace, left, left.subrows(0, count).transpose(), 1.0, Par::Seq);
    for (j, values) in product.chunks_exact(rows).enumerate() {
        let column = &mut panel[map[j] as usize * height..][..height];
        for (&row, value) in map[j..].iter().zip(&values[j..]) {
            column[row as usize] -= value;
        }
    }
}

/// `C` columns of the product from column `j` on, tile by tile; returns `C`.
#[inline(always)]
fn strip<S: Simd, const C: usize>(
    simd: S,
    source: Source<'_>,
    map: &[u32],
    j: usize,
    panel: &mut [f64],
    height: usize,
) -> usize {
    let lanes = S::F64_LANES;
    let columns: [usize; C] = std::array::from_fn(|c| map[j + c] as usize * height);
    let mut i = j;
    while i < map.len() {
        let left = map.len() - i;
        // the last tile begins early enough to be whole; rows that were done before are skipped
        if left > lanes && source.height >= 2 * lanes {
            let skip = (2 * lanes).saturating_sub(left);
            let tile = product::<S, 2, C>(simd, source, source.first + i - skip, source.first + j);
            put::<S, 2, C>(simd, tile, skip, &map[i..], &columns, panel, height);
            i += 2 * lanes - skip;
        } else if source.height >= lanes {
            let skip = lanes.saturating_sub(left);
            let tile = product::<S, 1, C>(simd, source, source.first + i - skip, source.first + j);
            put::<S, 1, C>(simd, tile, skip, &map[i..], &columns, panel, height);
            i += lanes - skip;
        } else {
            for (c, &column) in columns.iter().enumerate() {
                let mut sum = 0.0;
                for p in source.values.chunks_exact(source.height).take(source.columns) {
                    sum += p[source.first + i] * p[source.first + j + c];
                }
                panel[column + map[i] as usize] -= sum;
            }
            i += 1;
        }
    }
    C
}

/// `Σ_p l_ip l_jp` for `R` vectors of rows `i` and `C` rows `j`.
#[inline(always)]
fn product<S: Simd, const R: usize, const C: usize>(
    simd: S,
    source: Source<'_>,
    i: usize,
    j: usize,
) -> [[S::f64s; R]; C] {
    let zero = simd.splat_f64s(0.0);
    let mut sum = [[zero; R]; C];
    for p in source.values.chunks_exact(source.height).take(source.columns) {
        let (rows, _) = S::as_simd_f64s(&p[i..i + R * S::F64_LANES]);
        let right = &p[j..j + C];
        for c in 0..C {
            let factor = simd.splat_f64s(right[c]);
            for r in 0..R {
                sum[c][r] = simd.mul_add_e_f64s(rows[r], factor, sum[c][r]);
            }
        }
    }
    sum
}

/// Subtracts a tile without its first `skip` rows; `rows` are the local rows of the others.
#[inline(always)]
fn put<S: Simd, const R: usize, const C: usize>(
    simd: S,
    tile: [[S::f64s; R]; C],
    skip: usize,
    rows: &[u32],
    columns: &[usize; C],
    panel: &mut [f64],
    height: usize,
) {
    let count = R * S::F64_LANES;
    let rows = &rows[..count - skip];
    let top = rows[0] as usize;
    // rows ascend: as many as their span means that none is left out
    let dense = skip == 0 && rows[count - 1] as usize == top + count - 1;
    for c in 0..C {
        let column = &mut panel[columns[c]..columns[c] + height];
        if dense {
            let (target, _) = S::as_mut_simd_f64s(&mut column[top..top + count]);
            for r in 0..R {
                target[r] = simd.sub_f64s(target[r], tile[c][r]);
            }
        } else {
            let mut buffer = [0.0; 2 * MOST_LANES];
            let (vectors, _) = S::as_mut_simd_f64s(&mut buffer[..count]);
            vectors.copy_from_slice(&tile[c]);
            for (&row, value) in rows.iter().zip(&buffer[skip..count]) {
                column[row as usize] -= value;
            }
        }
    }
}

/// Factors a panel from which all earlier ones have been subtracted; false at a pivot that is not positive.
#[inline(always)]
pub(super) fn eliminate<S: Simd>(simd: S, panel: &mut [f64], height: usize, width: usize) -> bool {
    let mut j = 0;
    while j < width {
        let (done, rest) = panel.split_at_mut(j * height);
        let pivots = match width - j {
            1 => columns::<S, 1>(simd, done, rest, height, j),
            2 => columns::<S, 2>(simd, done, rest, height, j),
            3 => columns::<S, 3>(simd, done, rest, height, j),
            _ => columns::<S, 4>(simd, done, rest, height, j),
        };
        if !pivots {
            return false;
        }
        j += 4;
    }
    true
}

/// The same for a panel of many columns.
pub(super) fn eliminate_wide(panel: &mut [f64], height: usize, width: usize, memory: &mut MemBuffer) -> bool {
    let all = MatMut::from_column_major_slice_mut(panel, height, width);
    let (mut top, bottom) = all.split_at_row_mut(width);
    let stack = MemStack::new(memory);
    let (nothing, usual) = (LltRegularization::default(), Spec::default());
    if cholesky_in_place(top.rb_mut(), nothing, Par::Seq, stack, usual).is_err() {
        return false;
    }
    solve_lower_triangular_in_place(top.as_ref(), bottom.transpose_mut(), Par::Seq);
    true
}

/// Factors the columns `j … j+C` of a panel, those before them being `done`.
#[inline(always)]
fn columns<S: Simd, const C: usize>(simd: S, done: &[f64], rest: &mut [f64], height: usize, j: usize) -> bool {
    let lanes = S::F64_LANES;
    if !done.is_empty() {
        let source = Source { values: done, height, columns: done.len() / height, first: 0 };
        let mut i = j;
        while i < height {
            let left = height - i;
            if left >= 2 * lanes {
                let tile = product::<S, 2, C>(simd, source, i, j);
                for c in 0..C {
                    let (target, _) = S::as_mut_simd_f64s(&mut rest[c * height + i..][..2 * lanes]);
                    for r in 0..2 {
                        target[r] = simd.sub_f64s(target[r], tile[c][r]);
                    }
                }
                i += 2 * lanes;
            } else if height >= lanes {
                let skip = lanes.saturating_sub(left);
                let tile = product::<S, 1, C>(simd, source, i - skip, j);
                for c in 0..C {
                    let mut buffer = [0.0; MOST_LANES];
                    let (vectors, _) = S::as_mut_simd_f64s(&mut buffer[..lanes]);
                    vectors.copy_from_slice(&tile[c]);
                    for (x, value) in rest[c * height + i..].iter_mut().zip(&buffer[skip..lanes]) {
                        *x -= value;
                    }
                }
                i += lanes - skip;
            } else {
                for c in 0..C {
                    let products = done.chunks_exact(height).map(|p| p[i] * p[j + c]);
                    rest[c * height + i] -= products.sum::<f64>();
                }
                i += 1;
            }
        }
    }
    // the triangle
    let mut l = [[0.0; C]; C];
    let mut inverse = [0.0; C];
    for c in 0..C {
        for r in c..C {
            let mut value = rest[c * height + j + r];
            for p in 0..c {
                value -= l[r][p] * l[c][p];
            }
            l[r][c] = value;
        }
        if l[c][c].is_nan() || l[c][c] <= 0.0 || l[c][c] == f64::INFINITY {
            return false;
        }
        l[c][c] = l[c][c].sqrt();
        inverse[c] = 1.0 / l[c][c];
        for r in c + 1..C {
            l[r][c] *= inverse[c];
        }
        for r in c..C {
            rest[c * height + j + r] = l[r][c];
        }
    }
    // the rows below it: x Lᵀ = a
    let top = j + C;
    let mut lists = rest.chunks_exact_mut(height);
    let below: [&mut [f64]; C] = std::array::from_fn(|_| lists.next().map_or(&mut [][..], |column| &mut column[top..]));
    let whole = (height - top) / lanes * lanes;
    let mut i = 0;
    while i < whole {
        let mut x = [simd.splat_f64s(0.0); C];
        for c in 0..C {
            let mut value = S::as_simd_f64s(&below[c][i..i + lanes]).0[0];
            for p in 0..c {
                value = simd.sub_f64s(value, simd.mul_f64s(x[p], simd.splat_f64s(l[c][p])));
            }
            x[c] = simd.mul_f64s(value, simd.splat_f64s(inverse[c]));
        }
        for c in 0..C {
            S::as_mut_simd_f64s(&mut below[c][i..i + lanes]).0[0] = x[c];
        }
        i += lanes;
    }
    for i in whole..height - top {
        let mut x = [0.0; C];
        for c in 0..C {
            let mut value = below[c][i];
            for p in 0..c {
                value -= x[p] * l[c][p];
            }
            x[c] = value * inverse[c];
            below[c][i] = x[c];
        }
    }
    true
}
