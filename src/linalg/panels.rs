//! Numeric Cholesky factorisation `A = L Lᵀ` panel by panel (left-looking).
//!
//! A panel holds the columns of one block of the elimination tree: a dense trapezoid, rows of the block first, then the
//! rows below it that are filled. Bodies in the plane have panels of two to twenty columns, where a general matrix product
//! spends its time on preparation; here tiles of a product are formed in registers and subtracted where they belong. Vector
//! instructions are chosen at run time.

use faer::dyn_stack::MemBuffer;
use faer::linalg::cholesky::llt::factor::cholesky_in_place_scratch;
use faer::{Par, Spec};
use pulp::{Arch, Simd, WithSimd};

use super::sparse::SymmetricMatrix;
use super::tiles::{LARGE, Source, WIDE, eliminate, eliminate_wide, subtract, subtract_large};

/// An earlier panel that changes a later one.
#[derive(Debug, Clone, Copy)]
struct Update {
    source: u32,
    /// Place among the rows below the source's block where the later panel begins.
    first: u32,
    /// Rows that lie in the block of the later panel.
    count: u32,
}

/// Shape of the factor, and what the numeric factorisation needs besides.
pub(super) struct Panels {
    /// First unknown of each panel, and the number of unknowns.
    begin: Vec<usize>,
    /// Where the rows below the block of each panel start in `rows`.
    rows_at: Vec<usize>,
    rows: Vec<u32>,
    /// Where the values of each panel start.
    values_at: Vec<usize>,
    updates_at: Vec<usize>,
    updates: Vec<Update>,
    /// Place in the factor of each value of the matrix.
    place: Vec<u32>,
    /// Local row of an unknown in the panel at hand.
    local: Vec<u32>,
    /// Local rows of an update in the panel at hand.
    map: Vec<u32>,
    /// A large product.
    product: Vec<f64>,
    /// Work space for wide panels.
    memory: MemBuffer,
    operations: f64,
}

/// One panel: unknowns of its block, rows below it, and their values column by column.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rows: &'a [u32],
    pub(super) values: &'a [f64],
}

impl Panel<'_> {
    pub(super) fn width(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn height(&self) -> usize {
        self.width() + self.rows.len()
    }
}

impl Panels {
    /// From the first unknowns of the blocks, the rows below each, and the pattern of the matrix.
    pub(super) fn new(begin: Vec<usize>, below: &[Vec<u32>], matrix: &SymmetricMatrix) -> Self {
        let count = below.len();
        let n = matrix.size();
        let mut block_of = vec![0u32; n];
        let (mut rows_at, mut values_at, mut rows) = (vec![0], vec![0], Vec::new());
        for s in 0..count {
            let width = begin[s + 1] - begin[s];
            block_of[begin[s]..begin[s + 1]].fill(s as u32);
            rows.extend_from_slice(&below[s]);
            rows_at.push(rows.len());
            values_at.push(values_at[s] + width * (width + below[s].len()));
        }
        let mut lists: Vec<Vec<Update>> = vec![Vec::new(); count];
        for (source, rows) in below.iter().enumerate() {
            let mut first = 0;
            while first < rows.len() {
                let target = block_of[rows[first] as usize] as usize;
                let inside = rows[first..].partition_point(|&row| (row as usize) < begin[target + 1]);
                lists[target].push(Update { source: source as u32, first: first as u32, count: inside as u32 });
                first += inside;
            }
        }
        let mut updates_at = vec![0];
        updates_at.extend(lists.iter().scan(0, |sum, list| {
            *sum += list.len();
            Some(*sum)
        }));
        let mut place = Vec::with_capacity(matrix.lower().nnz());
        for (column, entries) in matrix.lower().outer_iterator().enumerate() {
            let s = block_of[column] as usize;
            let width = begin[s + 1] - begin[s];
            let height = width + below[s].len();
            for (row, _) in entries.iter() {
                let inside = row < begin[s + 1];
                let local = if inside {
                    row - begin[s]
                } else {
                    width + below[s].partition_point(|&other| (other as usize) < row)
                };
                place.push((values_at[s] + (column - begin[s]) * height + local) as u32);
            }
        }
        let widest = begin.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let wide = cholesky_in_place_scratch::<f64>(widest, Par::Seq, Spec::default());
        let tallest = below.iter().map(Vec::len).max().unwrap_or(0);
        let of_column = |height: usize| 0.5 * (height * height) as f64;
        let of_panel = |(s, pair): (usize, &[usize])| {
            (1..=pair[1] - pair[0]).map(|inside| of_column(inside + below[s].len())).sum::<f64>()
        };
        let operations = begin.windows(2).enumerate().map(of_panel).sum();
        Panels {
            begin,
            rows_at,
            rows,
            values_at,
            updates_at,
            updates: lists.concat(),
            place,
            local: vec![0; n],
            map: vec![0; tallest],
            product: Vec::new(),
            memory: MemBuffer::new(wide),
            operations,
        }
    }

    /// How many panels.
    pub(super) fn len(&self) -> usize {
        self.begin.len() - 1
    }

    /// Multiplications with addition that a factorisation takes.
    pub(super) fn operations(&self) -> f64 {
        self.operations
    }

    /// One panel of a factor.
    #[inline(always)]
    pub(super) fn panel<'a>(&'a self, s: usize, values: &'a [f64]) -> Panel<'a> {
        Panel {
            start: self.begin[s],
            end: self.begin[s + 1],
            rows: &self.rows[self.rows_at[s]..self.rows_at[s + 1]],
            values: &values[self.values_at[s]..self.values_at[s + 1]],
        }
    }

    /// Factors the matrix with values `matrix`; false where it is not positive definite or not finite.
    #[must_use]
    pub(super) fn factor(&mut self, matrix: &[f64], values: &mut [f64]) -> bool {
        values.fill(0.0);
        for (&at, value) in self.place.iter().zip(matrix) {
            values[at as usize] = *value;
        }
        Arch::new().dispatch(Factor { panels: self, values })
    }
}

struct Factor<'a> {
    panels: &'a mut Panels,
    values: &'a mut [f64],
}

impl WithSimd for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Panels { begin, rows_at, rows, values_at, updates_at, updates, local, map, product, memory, .. } =
            self.panels;
        for s in 0..begin.len() - 1 {
            let (start, width) = (begin[s], begin[s + 1] - begin[s]);
            let below = &rows[rows_at[s]..rows_at[s + 1]];
            let height = width + below.len();
            for (k, &row) in below.iter().enumerate() {
                local[row as usize] = (width + k) as u32;
            }
            let (before, rest) = self.values.split_at_mut(values_at[s]);
            let panel = &mut rest[..height * width];
            for update in &updates[updates_at[s]..updates_at[s + 1]] {
                let (d, first, count) = (update.source as usize, update.first as usize, update.count as usize);
                let below = &rows[rows_at[d]..rows_at[d + 1]][first..];
                let map = &mut map[..below.len()];
                let (inside, outside) = below.split_at(count);
                for (place, &row) in map.iter_mut().zip(inside) {
                    *place = row - start as u32;
                }
                for (place, &row) in map[count..].iter_mut().zip(outside) {
                    *place = local[row as usize];
                }
                let columns = begin[d + 1] - begin[d];
                let source = Source {
                    values: &before[values_at[d]..values_at[d + 1]],
                    height: columns + rows_at[d + 1] - rows_at[d],
                    columns,
                    first: columns + first,
                };
                if columns * count * map.len() < LARGE {
                    subtract(simd, source, map, count, panel, height);
                } else {
                    subtract_large(source, map, count, panel, height, product);
                }
            }
            let definite = if width < WIDE {
                eliminate(simd, panel, height, width)
            } else {
                eliminate_wide(panel, height, width, memory)
            };
            if !definite {
                return false;
            }
        }
        true
    }
}
