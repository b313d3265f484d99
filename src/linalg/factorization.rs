//! Cholesky factorisation of an effective matrix: analysed once, refactored at every iteration without
//! allocation, and open to condensation.
//!
//! With `A = L D Lᵀ` the contact operator is `H A⁻¹ Hᵀ = Yᵀ D⁻¹ Y`, `L Y = Hᵀ`: forward substitution alone, and
//! only from the first contact unknown on. Unknowns that may touch something are therefore numbered last
//! (see [`order`]), which confines the work to the end of the factor.
//!
//! `L Lᵀ` is tried first. Where the matrix is not positive definite (Blatz–Ko beyond its limit of ellipticity)
//! `L D Lᵀ` without pivoting takes over; the caller learns of it through [`Factorization::is_definite`].

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::{ldlt, llt};
use faer::linalg::{matmul, triangular_solve};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::sparse::linalg::cholesky::{simplicial, supernodal};
use faer::sparse::linalg::{SymbolicSupernodalParams, amd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};
use faer::{Accum, MatMut, MatRef, Par, Spec};

use super::sparse::{NodeGraph, SymmetricMatrix};

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
}

/// A fill-reducing order of nodes (approximate minimum degree) that keeps the nodes for which `last` holds at the end.
pub fn order(graph: &NodeGraph, last: impl Fn(usize) -> bool) -> Result<Vec<u32>, FactorizationError> {
    let library = |e: faer::sparse::FaerError| FactorizationError::Library(format!("{e:?}"));
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    for node in 0..graph.len() {
        if last(node) { outer.push(node as u32) } else { inner.push(node as u32) }
    }
    let mut sequence = Vec::with_capacity(graph.len());
    for part in [&inner, &outer] {
        let mut local = vec![usize::MAX; graph.len()];
        for (k, &node) in part.iter().enumerate() {
            local[node as usize] = k;
        }
        let mut pointers = vec![0usize];
        let mut rows = Vec::new();
        for &node in part {
            rows.extend(graph.row(node as usize).iter().map(|&m| local[m as usize]).filter(|&m| m != usize::MAX));
            pointers.push(rows.len());
        }
        let n = part.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &pointers, None, &rows);
        let (mut forward, mut backward) = (vec![0usize; n], vec![0usize; n]);
        let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<usize>(n, rows.len()));
        let stack = MemStack::new(&mut memory);
        amd::order_maybe_unsorted(&mut forward, &mut backward, pattern, amd::Control::default(), stack)
            .map_err(library)?;
        sequence.extend(forward.iter().map(|&k| part[k]));
    }
    Ok(postorder(graph, &sequence))
}

/// The same elimination with every subtree of the elimination tree numbered without gaps, so that columns of like
/// pattern become neighbours and can be factored as one block. Fill does not change, and the last nodes stay last.
fn postorder(graph: &NodeGraph, sequence: &[u32]) -> Vec<u32> {
    let n = sequence.len();
    const NONE: usize = usize::MAX;
    let mut place = vec![0usize; n];
    for (k, &node) in sequence.iter().enumerate() {
        place[node as usize] = k;
    }
    // elimination tree by Liu's algorithm with path compression
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n {
        for &neighbour in graph.row(sequence[k] as usize) {
            let mut i = place[neighbour as usize];
            while i < k && i != NONE {
                let next = ancestor[i];
                ancestor[i] = k;
                if next == NONE {
                    parent[i] = k;
                }
                i = next;
            }
        }
    }
    // children in ascending order, visited depth first
    let (mut first_child, mut sibling) = (vec![NONE; n + 1], vec![NONE; n]);
    for k in (0..n).rev() {
        let above = if parent[k] == NONE { n } else { parent[k] };
        sibling[k] = first_child[above];
        first_child[above] = k;
    }
    let mut result = Vec::with_capacity(n);
    let mut stack = Vec::new();
    let mut root = first_child[n];
    while root != NONE {
        stack.push(root);
        while let Some(&top) = stack.last() {
            let child = first_child[top];
            if child == NONE {
                result.push(sequence[top]);
                stack.pop();
            } else {
                first_child[top] = sibling[child];
                stack.push(child);
            }
        }
        root = sibling[root];
    }
    result
}

/// When neighbouring supernodes are merged: (columns, share of zeros). Wider than the library's default because the blocks
/// of a plane mesh are small: 6 % fewer seconds on the V-groove.
const RELAX: &[(usize, f64)] = &[(16, 1.0), (32, 0.5), (64, 0.2), (usize::MAX, 0.05)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Definite,
    Indefinite,
}

/// The factor of one body's effective matrix.
pub struct Factorization {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: supernodal::SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    kind: Kind,
    memory: MemBuffer,
    gathered: Vec<f64>,
}

impl std::fmt::Debug for Factorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Factorization({} unknowns, {} entries)", self.size(), self.values.len())
    }
}

impl Factorization {
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
            SymbolicSupernodalParams { relax: Some(RELAX) },
        )
        .map_err(library)?;
        let numeric = StackReq::any_of(&[
            supernodal::factorize_supernodal_numeric_llt_scratch::<usize, f64>(&symbolic, Par::Seq, Spec::default()),
            supernodal::factorize_supernodal_numeric_ldlt_scratch::<usize, f64>(&symbolic, Par::Seq, Spec::default()),
        ]);
        let values = vec![0.0; symbolic.len_val()];
        let widest = (0..symbolic.n_supernodes()).map(|s| symbolic.supernode(s).pattern().len()).max().unwrap_or(0);
        let gathered = vec![0.0; widest];
        let lower = matrix.lower();
        let (pointers, rows) = (lower.indptr().raw_storage().to_vec(), lower.indices().to_vec());
        let pattern = SymbolicSparseColMat::new_checked(n, n, pointers, None, rows);
        Ok(Factorization { pattern, symbolic, values, kind: Kind::Definite, memory: MemBuffer::new(numeric), gathered })
    }

    /// Unknowns.
    pub fn size(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Stored entries of the factor.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Whether the last matrix was positive definite.
    pub fn is_definite(&self) -> bool {
        self.kind == Kind::Definite
    }

    /// Factors a matrix with the analysed pattern (the one given to [`Factorization::analyse`], with other values).
    pub fn refactor(&mut self, matrix: &SymmetricMatrix) -> Result<(), FactorizationError> {
        let n = self.size();
        let a = SparseColMatRef::new(self.pattern.as_ref(), matrix.lower().data());
        let stack = MemStack::new(&mut self.memory);
        let definite = supernodal::factorize_supernodal_numeric_llt::<usize, f64>(
            &mut self.values,
            a,
            llt::factor::LltRegularization::default(),
            &self.symbolic,
            Par::Seq,
            stack,
            Spec::default(),
        );
        self.kind = Kind::Definite;
        if definite.is_ok() && self.values.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let stack = MemStack::new(&mut self.memory);
        self.kind = Kind::Indefinite;
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

    /// First unknown of the supernode that holds `unknown`: forward substitution of a right-hand side that is zero
    /// above `unknown` can start there.
    pub fn block_start(&self, unknown: usize) -> usize {
        let begin = self.symbolic.supernode_begin();
        begin[begin.partition_point(|&b| b <= unknown).saturating_sub(1)]
    }

    fn supernode(&self, s: usize) -> (usize, usize, &[usize], &[f64]) {
        let start = self.symbolic.supernode_begin()[s];
        let end = self.symbolic.supernode_end()[s];
        let range = self.symbolic.col_ptr_for_val()[s]..self.symbolic.col_ptr_for_val()[s + 1];
        (start, end, self.symbolic.supernode(s).pattern(), &self.values[range])
    }

    fn first_supernode(&self, from: usize) -> usize {
        self.symbolic.supernode_begin().partition_point(|&b| b < from)
    }

    /// Forward substitution `L y = b` in place, for one right-hand side that is zero before `from` (a block start).
    pub fn forward(&self, from: usize, x: &mut [f64]) {
        let unit = self.kind == Kind::Indefinite;
        for s in self.first_supernode(from)..self.symbolic.n_supernodes() {
            let (start, end, pattern, values) = self.supernode(s);
            let (width, height) = (end - start, end - start + pattern.len());
            for j in 0..width {
                let column = &values[j * height..(j + 1) * height];
                if !unit {
                    x[start + j] /= column[j];
                }
                let y = x[start + j];
                if y == 0.0 {
                    continue;
                }
                for (xi, l) in x[start + j + 1..end].iter_mut().zip(&column[j + 1..width]) {
                    *xi -= l * y;
                }
                for (&row, l) in pattern.iter().zip(&column[width..]) {
                    x[row] -= l * y;
                }
            }
        }
    }

    /// Divides by `D` between the two substitutions; nothing to do for a definite matrix.
    pub fn scale(&self, from: usize, x: &mut [f64]) {
        if self.kind == Kind::Definite {
            return;
        }
        for s in self.first_supernode(from)..self.symbolic.n_supernodes() {
            let (start, end, pattern, values) = self.supernode(s);
            let height = end - start + pattern.len();
            for j in 0..end - start {
                x[start + j] /= values[j * height + j];
            }
        }
    }

    /// Backward substitution `Lᵀ x = y` in place, for the unknowns from `from` (a block start) on.
    pub fn backward(&self, from: usize, x: &mut [f64]) {
        let unit = self.kind == Kind::Indefinite;
        for s in (self.first_supernode(from)..self.symbolic.n_supernodes()).rev() {
            let (start, end, pattern, values) = self.supernode(s);
            let (width, height) = (end - start, end - start + pattern.len());
            for j in (0..width).rev() {
                let column = &values[j * height..(j + 1) * height];
                let mut sum = x[start + j];
                for (l, xi) in column[j + 1..width].iter().zip(&x[start + j + 1..end]) {
                    sum -= l * xi;
                }
                for (&row, l) in pattern.iter().zip(&column[width..]) {
                    sum -= l * x[row];
                }
                x[start + j] = if unit { sum } else { sum / column[j] };
            }
        }
    }

    /// Solves `A x = b` in place.
    pub fn solve(&self, x: &mut [f64]) {
        self.forward(0, x);
        self.scale(0, x);
        self.backward(0, x);
    }

    /// Forward substitution for many right-hand sides at once. `y` holds the rows from `from` (a block start) on,
    /// column by column; `scratch` is enlarged as needed.
    pub fn forward_many(&self, from: usize, columns: usize, y: &mut [f64], scratch: &mut Vec<f64>) {
        let rows = self.size() - from;
        let unit = self.kind == Kind::Indefinite;
        let widest = self.gathered.len();
        if scratch.len() < widest * columns {
            scratch.resize(widest * columns, 0.0);
        }
        for s in self.first_supernode(from)..self.symbolic.n_supernodes() {
            let (start, end, pattern, values) = self.supernode(s);
            let (width, height) = (end - start, end - start + pattern.len());
            let block = MatRef::from_column_major_slice(values, height, width);
            let mut all = MatMut::from_column_major_slice_mut(&mut *y, rows, columns);
            let mut top = all.rb_mut().subrows_mut(start - from, width);
            let lower = block.subrows(0, width);
            if unit {
                triangular_solve::solve_unit_lower_triangular_in_place(lower, top.rb_mut(), Par::Seq);
            } else {
                triangular_solve::solve_lower_triangular_in_place(lower, top.rb_mut(), Par::Seq);
            }
            if pattern.is_empty() {
                continue;
            }
            let mut product =
                MatMut::from_column_major_slice_mut(&mut scratch[..pattern.len() * columns], pattern.len(), columns);
            let bottom = block.subrows(width, pattern.len());
            matmul::matmul(product.rb_mut(), Accum::Replace, bottom, top.rb(), 1.0, Par::Seq);
            for c in 0..columns {
                for (k, &row) in pattern.iter().enumerate() {
                    y[c * rows + row - from] -= scratch[c * pattern.len() + k];
                }
            }
        }
    }

    /// Divides the rows from `from` on of many columns by `D`.
    pub fn scale_many(&self, from: usize, columns: usize, y: &mut [f64]) {
        if self.kind == Kind::Definite {
            return;
        }
        let rows = self.size() - from;
        for s in self.first_supernode(from)..self.symbolic.n_supernodes() {
            let (start, end, pattern, values) = self.supernode(s);
            let height = end - start + pattern.len();
            for j in 0..end - start {
                for c in 0..columns {
                    y[c * rows + start + j - from] /= values[j * height + j];
                }
            }
        }
    }
}
