//! Cholesky factorisation of an effective matrix: analysed once, refactored at every iteration without
//! allocation, and open to condensation.
//!
//! With `A = L D Lᵀ` the contact operator is `H A⁻¹ Hᵀ = Yᵀ D⁻¹ Y`, `L Y = Hᵀ`: forward substitution alone. A column of
//! `Hᵀ` touches the unknowns of one or two nodes, and its substitution only reaches their ancestors in the elimination
//! tree ([`Reach`]): a path of a few blocks of the factor.
//!
//! `L Lᵀ` is tried first. Where the matrix is not positive definite (Blatz–Ko beyond its limit of ellipticity)
//! `L D Lᵀ` without pivoting takes over; the caller learns of it through [`Factorization::is_definite`].

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt;
use faer::linalg::{matmul, triangular_solve};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::sparse::linalg::cholesky::{simplicial, supernodal};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};
use faer::{Accum, MatMut, MatRef, Par, Spec};

use super::panels::{Panel, Panels};
use super::sparse::SymmetricMatrix;
use crate::memory::NoRoom;

/// Why a matrix could not be factored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FactorizationError {
    /// A pivot vanished or a value is not finite.
    #[error("effective matrix is singular at unknown {unknown}")]
    Singular {
        /// Number of the unknown in equation order.
        unknown: usize,
    },
    /// The library refused (out of memory, index overflow).
    #[error("sparse factorisation failed: {0}")]
    Library(String),
    /// The system has no room for the factor.
    #[error(transparent)]
    Memory(#[from] NoRoom),
}

/// Nothing to hold a factor in.
fn no_room(unknowns: usize, entries: usize) -> FactorizationError {
    NoRoom { what: format!("the factor of {unknowns} unknowns"), entries }.into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Definite,
    Indefinite,
}

/// The factor of one body's effective matrix.
pub struct Factorization {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: supernodal::SymbolicSupernodalCholesky<usize>,
    panels: Panels,
    /// The factor; empty until the first matrix comes.
    values: Vec<f64>,
    kind: Kind,
    version: u64,
    /// Work space of the factorisation of an indefinite matrix, made when the first one comes.
    memory: Option<MemBuffer>,
    /// Block of each unknown.
    block_of: Vec<u32>,
    /// Next block above each one in the elimination tree, [`Factorization::ROOT`] at the top.
    parent: Vec<u32>,
}

/// The blocks of a factor that some right-hand sides reach, and the rows they hold, numbered without gaps.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    blocks: Vec<u32>,
    /// First compact row of each block.
    starts: Vec<usize>,
    /// First and last column that reaches each block.
    columns: Vec<(u32, u32)>,
    /// Compact row of each unknown that is reached.
    place: Vec<u32>,
    /// Position in `blocks` of each block of the factor, while the reach is built.
    known: Vec<u32>,
    rows: usize,
}

impl Reach {
    const NONE: u32 = u32::MAX;

    /// How many unknowns are reached.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Compact row of an unknown that is reached.
    pub fn row(&self, unknown: usize) -> usize {
        self.place[unknown] as usize
    }

    /// Starts anew for a factor.
    pub fn clear(&mut self, factor: &Factorization) {
        self.blocks.clear();
        self.columns.clear();
        self.known.clear();
        self.known.resize(factor.parent.len(), Self::NONE);
        self.place.resize(factor.size(), Self::NONE);
    }

    /// Adds a right-hand side, number `column`, that is not zero at `unknown`. The first time a block is reached must be
    /// with the lowest of its columns: columns come in ascending order.
    pub fn add(&mut self, factor: &Factorization, column: u32, unknown: usize) {
        let mut block = factor.block_of[unknown];
        while block != Factorization::ROOT {
            match self.known[block as usize] {
                Self::NONE => {
                    self.known[block as usize] = self.blocks.len() as u32;
                    self.blocks.push(block);
                    self.columns.push((column, column));
                }
                // every block above has seen this column too
                at if self.columns[at as usize].1 >= column => return,
                at => self.columns[at as usize].1 = column,
            }
            block = factor.parent[block as usize];
        }
    }

    /// Numbers the rows once all right-hand sides are added.
    pub fn close(&mut self, factor: &Factorization) {
        let mut order: Vec<u32> = (0..self.blocks.len() as u32).collect();
        order.sort_unstable_by_key(|&k| self.blocks[k as usize]);
        self.columns = order.iter().map(|&k| self.columns[k as usize]).collect();
        self.blocks = order.iter().map(|&k| self.blocks[k as usize]).collect();
        self.starts.clear();
        self.rows = 0;
        for &block in &self.blocks {
            self.starts.push(self.rows);
            let panel = factor.panel(block as usize);
            for unknown in panel.start..panel.end {
                self.place[unknown] = (self.rows + unknown - panel.start) as u32;
            }
            self.rows += panel.width();
        }
    }
}

impl std::fmt::Debug for Factorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Factorization({} unknowns, {} entries)", self.size(), self.entries())
    }
}

impl Factorization {
    const ROOT: u32 = u32::MAX;

    /// Entries, 8 MB, that caches hold beside the rest.
    const CACHED: usize = 1 << 20;

    /// Symbolic analysis of a pattern that is already in elimination order.
    pub fn analyse(matrix: &SymmetricMatrix) -> Result<Self, FactorizationError> {
        let library = |e: faer::sparse::FaerError| FactorizationError::Library(format!("{e:?}"));
        let n = matrix.size();
        // the analysis reads the upper triangle: the transposed lower one
        let upper = matrix.lower().transpose_view().to_csc();
        let (pointers, rows) = (upper.indptr(), upper.indices());
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, pointers.raw_storage(), None, rows);
        let mut tree = vec![0isize; n];
        let mut counts = vec![0usize; n];
        let analysis = StackReq::any_of(&[
            simplicial::prefactorize_symbolic_cholesky_scratch::<usize>(n, rows.len()),
            supernodal::factorize_supernodal_symbolic_cholesky_scratch::<usize>(n),
        ]);
        let mut memory = MemBuffer::new(analysis);
        let stack = MemStack::new(&mut memory);
        let tree = simplicial::prefactorize_symbolic_cholesky::<usize>(&mut tree, &mut counts, pattern, stack);
        let symbolic = supernodal::factorize_supernodal_symbolic_cholesky::<usize>(
            pattern,
            tree,
            &counts,
            stack,
            Default::default(),
        )
        .map_err(library)?;
        if u32::try_from(symbolic.len_val()).is_err() {
            // places in the factor are kept in 32 bits
            return Err(no_room(n, symbolic.len_val()));
        }
        let mut block_of = vec![0u32; n];
        for s in 0..symbolic.n_supernodes() {
            block_of[symbolic.supernode_begin()[s]..symbolic.supernode_end()[s]].fill(s as u32);
        }
        let above = |s: usize| symbolic.supernode(s).pattern().first().map_or(Self::ROOT, |&row| block_of[row]);
        let parent = (0..symbolic.n_supernodes()).map(above).collect();
        let below: Vec<Vec<u32>> = (0..symbolic.n_supernodes())
            .map(|s| symbolic.supernode(s).pattern().iter().map(|&row| row as u32).collect())
            .collect();
        let begin = symbolic.supernode_begin().iter().copied().chain([n]).collect();
        let panels = Panels::new(begin, &below, matrix);
        let lower = matrix.lower();
        let (pointers, rows) = (lower.indptr().raw_storage().to_vec(), lower.indices().to_vec());
        let pattern = SymbolicSparseColMat::new_checked(n, n, pointers, None, rows);
        let kind = Kind::Definite;
        let values = Vec::new();
        Ok(Factorization { pattern, symbolic, panels, values, kind, version: 0, memory: None, block_of, parent })
    }

    /// Unknowns.
    pub fn size(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Stored entries of the factor, made or still to be made.
    pub fn entries(&self) -> usize {
        self.symbolic.len_val()
    }

    /// How often it was factored: another number means other values.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What a new factor costs, in iterations with a kept one. Its operations count against those of a solution, which passes each
    /// entry twice; beyond the caches at the pace of the memory. Measured on plane meshes of 192 to 12 288 quads.
    pub fn price(&self) -> f64 {
        let pace = if self.entries() < Self::CACHED { 16.0 } else { 32.0 };
        self.panels.operations() / (pace * self.entries().max(1) as f64)
    }

    /// Whether the last matrix was positive definite.
    pub fn is_definite(&self) -> bool {
        self.kind == Kind::Definite
    }

    /// Factors a matrix with the analysed pattern (the one given to [`Factorization::analyse`], with other values).
    pub fn refactor(&mut self, matrix: &SymmetricMatrix) -> Result<(), FactorizationError> {
        self.reserve()?;
        self.version += 1;
        self.kind = Kind::Definite;
        if self.panels.factor(matrix.lower().data(), &mut self.values) {
            return Ok(());
        }
        self.kind = Kind::Indefinite;
        let n = self.size();
        let a = SparseColMatRef::new(self.pattern.as_ref(), matrix.lower().data());
        let symbolic = &self.symbolic;
        let memory = self.memory.get_or_insert_with(|| {
            let seq = (Par::Seq, Spec::default());
            MemBuffer::new(supernodal::factorize_supernodal_numeric_ldlt_scratch::<usize, f64>(symbolic, seq.0, seq.1))
        });
        let stack = MemStack::new(memory);
        let outcome = supernodal::factorize_supernodal_numeric_ldlt::<usize, f64>(
            &mut self.values,
            a,
            ldlt::factor::LdltRegularization::default(),
            &self.symbolic,
            Par::Seq,
            stack,
            Spec::default(),
        );
        match outcome {
            Ok(_) if self.values.iter().all(|x| x.is_finite()) => Ok(()),
            Ok(_) => Err(FactorizationError::Singular { unknown: n }),
            Err(ldlt::factor::LdltError::ZeroPivot { index }) => Err(FactorizationError::Singular { unknown: index }),
        }
    }

    /// Makes room for the factor, once.
    fn reserve(&mut self) -> Result<(), FactorizationError> {
        let (unknowns, entries) = (self.size(), self.entries());
        if self.values.len() < entries {
            self.values.try_reserve_exact(entries).map_err(|_| no_room(unknowns, entries))?;
            self.values.resize(entries, 0.0);
        }
        Ok(())
    }

    fn panel(&self, s: usize) -> Panel<'_> {
        self.panels.panel(s, &self.values)
    }

    /// Forward substitution `L y = b` in place.
    pub fn forward(&self, x: &mut [f64]) {
        self.forward_through(0..self.panels.len(), x);
    }

    /// The same for a right-hand side that is zero outside a reach; other unknowns are neither read nor written.
    pub fn forward_within(&self, reach: &Reach, x: &mut [f64]) {
        self.forward_through(reach.blocks.iter().map(|&s| s as usize), x);
    }

    fn forward_through(&self, panels: impl Iterator<Item = usize>, x: &mut [f64]) {
        match self.kind {
            Kind::Definite => self.panels.forward::<false>(&self.values, panels, x),
            Kind::Indefinite => self.panels.forward::<true>(&self.values, panels, x),
        }
    }

    /// What is left of a solution after [`Factorization::forward`]: division by `D` and backward substitution, in place.
    pub fn backward(&self, x: &mut [f64]) {
        self.backward_through((0..self.panels.len()).rev(), x);
    }

    /// The same for the unknowns of a reach alone; the others are neither read nor written.
    pub fn backward_within(&self, reach: &Reach, x: &mut [f64]) {
        self.backward_through(reach.blocks.iter().rev().map(|&s| s as usize), x);
    }

    fn backward_through(&self, panels: impl Iterator<Item = usize>, x: &mut [f64]) {
        match self.kind {
            Kind::Definite => self.panels.backward::<false>(&self.values, panels, x),
            Kind::Indefinite => self.panels.backward::<true>(&self.values, panels, x),
        }
    }

    /// Unknowns of a reach, in the order of its compact rows.
    pub fn unknowns<'a>(&'a self, reach: &'a Reach) -> impl Iterator<Item = usize> + 'a {
        reach.blocks.iter().flat_map(|&s| {
            let panel = self.panel(s as usize);
            panel.start..panel.end
        })
    }

    /// Solves `A x = b` in place.
    pub fn solve(&self, x: &mut [f64]) {
        self.forward(x);
        self.backward(x);
    }

    /// Forward substitution for many right-hand sides at once. `y` holds the compact rows of `reach`, column by column;
    /// `scratch` is enlarged as needed.
    pub fn forward_many(&self, reach: &Reach, y: &mut [f64], scratch: &mut Vec<f64>) {
        let rows = reach.rows;
        let count = y.len().checked_div(rows).unwrap_or(0);
        let unit = self.kind == Kind::Indefinite;
        for (k, &s) in reach.blocks.iter().enumerate() {
            let panel = self.panel(s as usize);
            let (width, height, pattern) = (panel.width(), panel.height(), panel.rows);
            let first = reach.columns[k].0 as usize;
            let columns = reach.columns[k].1 as usize + 1 - first;
            let block = MatRef::from_column_major_slice(panel.values, height, width);
            let mut all = MatMut::from_column_major_slice_mut(&mut *y, rows, count);
            let mut top = all.rb_mut().submatrix_mut(reach.starts[k], first, width, columns);
            let lower = block.subrows(0, width);
            if unit {
                triangular_solve::solve_unit_lower_triangular_in_place(lower, top.rb_mut(), Par::Seq);
            } else {
                triangular_solve::solve_lower_triangular_in_place(lower, top.rb_mut(), Par::Seq);
            }
            if pattern.is_empty() {
                continue;
            }
            if scratch.len() < pattern.len() * columns {
                scratch.resize(pattern.len() * columns, 0.0);
            }
            let mut product =
                MatMut::from_column_major_slice_mut(&mut scratch[..pattern.len() * columns], pattern.len(), columns);
            let bottom = block.subrows(width, pattern.len());
            matmul::matmul(product.rb_mut(), Accum::Replace, bottom, top.rb(), 1.0, Par::Seq);
            for c in 0..columns {
                let column = &mut y[(first + c) * rows..(first + c + 1) * rows];
                for (&row, value) in pattern.iter().zip(&scratch[c * pattern.len()..]) {
                    column[reach.place[row as usize] as usize] -= value;
                }
            }
        }
    }

    /// Divides many columns over the rows of a reach by `D`; nothing to do for a definite matrix.
    pub fn scale_many(&self, reach: &Reach, y: &mut [f64]) {
        if self.kind == Kind::Definite {
            return;
        }
        for (k, &s) in reach.blocks.iter().enumerate() {
            let panel = self.panel(s as usize);
            for column in y.chunks_exact_mut(reach.rows) {
                for j in 0..panel.width() {
                    column[reach.starts[k] + j] /= panel.values[j * panel.height() + j];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::ordering::order;
    use crate::linalg::sparse::NodeGraph;

    /// A matrix over the nodes of a `width`² grid of quads with two unknowns a node; `shift` decides its definiteness.
    fn grid(width: usize, shift: f64) -> SymmetricMatrix {
        let node = |i: usize, j: usize| (i + j * (width + 1)) as u32;
        let cells: Vec<[u32; 4]> = (0..width * width)
            .map(|c| (c % width, c / width))
            .map(|(i, j)| [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)])
            .collect();
        let count = (width + 1) * (width + 1);
        let graph = NodeGraph::new(count, cells.iter().map(|c| c.as_slice()));
        let places: Vec<[f64; 3]> =
            (0..count).map(|n| [(n % (width + 1)) as f64, (n / (width + 1)) as f64, 0.0]).collect();
        let mut equations = vec![[0u32; 2]; count];
        for (k, node) in order(&graph, &places).expect("an order").into_iter().enumerate() {
            equations[node as usize] = [2 * k as u32, 2 * k as u32 + 1];
        }
        let mut matrix = SymmetricMatrix::over_graph(&graph, 2 * count, |n| &equations[n]);
        let diagonal: Vec<usize> =
            (0..2 * count as u32).filter_map(|e| matrix.position(e, e)).map(|p| p as usize).collect();
        for (k, value) in matrix.values_mut().iter_mut().enumerate() {
            *value = (1.7 * k as f64).sin();
        }
        for (k, &at) in diagonal.iter().enumerate() {
            // strongly diagonal, so that no pivot vanishes; some of them negative where an indefinite matrix is wanted
            matrix.values_mut()[at] = 20.0 + if k % 5 == 3 { shift } else { 0.0 };
        }
        matrix
    }

    fn multiply(matrix: &SymmetricMatrix, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (value, (row, column)) in matrix.lower().iter() {
            y[row] += value * x[column];
            if row != column {
                y[column] += value * x[row];
            }
        }
        y
    }

    /// Both kinds of matrix: `A x = b` is solved, and `Yᵀ D⁻¹ Y` on the reach of a few columns is `H A⁻¹ Hᵀ`.
    #[test]
    fn definite_and_indefinite_matrices_are_solved_and_condensed() {
        for (shift, definite) in [(0.0, true), (-45.0, false)] {
            let matrix = grid(7, shift);
            let n = matrix.size();
            let mut factor = Factorization::analyse(&matrix).expect("analysis");
            factor.refactor(&matrix).expect("factor");
            assert_eq!(factor.is_definite(), definite);
            let wanted: Vec<f64> = (0..n).map(|k| (k as f64).cos()).collect();
            let mut x = multiply(&matrix, &wanted);
            factor.solve(&mut x);
            let error = x.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12, "solution off by {error:e}");

            let seeds = [3, 17, 40, n - 2];
            let mut reach = Reach::default();
            reach.clear(&factor);
            for (column, &unknown) in seeds.iter().enumerate() {
                reach.add(&factor, column as u32, unknown);
            }
            reach.close(&factor);
            let rows = reach.rows();
            let mut y = vec![0.0; rows * seeds.len()];
            for (column, &unknown) in seeds.iter().enumerate() {
                y[column * rows + reach.row(unknown)] = 1.0;
            }
            factor.forward_many(&reach, &mut y, &mut Vec::new());
            let mut scaled = y.clone();
            factor.scale_many(&reach, &mut scaled);
            for (i, &unknown) in seeds.iter().enumerate() {
                let mut e = vec![0.0; n];
                e[unknown] = 1.0;
                factor.solve(&mut e);
                for (j, &other) in seeds.iter().enumerate() {
                    let w: f64 = (0..rows).map(|k| y[i * rows + k] * scaled[j * rows + k]).sum();
                    assert!((w - e[other]).abs() < 1e-13, "W({i}, {j}) = {w}, exact {}", e[other]);
                }
            }
            // a right-hand side on the reach needs nothing but the reach
            let mut within = vec![f64::NAN; n];
            factor.unknowns(&reach).for_each(|unknown| within[unknown] = 0.0);
            within[seeds[1]] = 2.0;
            factor.forward_within(&reach, &mut within);
            factor.backward_within(&reach, &mut within);
            let mut whole = vec![0.0; n];
            whole[seeds[1]] = 2.0;
            factor.solve(&mut whole);
            assert!(factor.unknowns(&reach).all(|k| (within[k] - whole[k]).abs() < 1e-13));
            // the free displacement on the reach needs nothing but the reach
            let mut b = multiply(&matrix, &wanted);
            factor.forward(&mut b);
            let mut within = vec![f64::NAN; n];
            for unknown in factor.unknowns(&reach) {
                within[unknown] = b[unknown];
            }
            factor.backward_within(&reach, &mut within);
            assert!(factor.unknowns(&reach).all(|k| (within[k] - wanted[k]).abs() < 1e-12));
        }
    }

    #[test]
    fn a_singular_matrix_is_an_error() {
        let mut matrix = grid(3, 0.0);
        matrix.values_mut().fill(0.0);
        let mut factor = Factorization::analyse(&matrix).expect("analysis");
        assert!(matches!(factor.refactor(&matrix), Err(FactorizationError::Singular { .. })));
        matrix.values_mut().fill(f64::NAN);
        assert!(factor.refactor(&matrix).is_err());
    }
}
