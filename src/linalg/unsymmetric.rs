//! Linear systems without symmetry: partial pivoting on a dense matrix, or supernodal elimination on a sparse one.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::sparse::linalg::lu::{LuSymbolicParams, NumericLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

/// Solves `A x = b` once for each `A`; the memory of dense systems is kept from one to the next.
#[derive(Default)]
pub struct Unsymmetric {
    forward: Vec<usize>,
    backward: Vec<usize>,
    memory: Option<(usize, MemBuffer)>,
}

impl std::fmt::Debug for Unsymmetric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Unsymmetric({} unknowns at most)", self.forward.len())
    }
}

impl Clone for Unsymmetric {
    /// A new one: nothing but work space is kept.
    fn clone(&self) -> Self {
        Unsymmetric::default()
    }
}

impl Unsymmetric {
    /// Solves with the dense matrix `a` (column by column, overwritten by its factors); `x` holds `b` and receives the
    /// solution. False where the result is not finite.
    #[must_use]
    pub fn solve_dense(&mut self, a: &mut [f64], x: &mut [f64]) -> bool {
        let n = x.len();
        if self.forward.len() < n {
            self.forward.resize(n, 0);
            self.backward.resize(n, 0);
        }
        if self.memory.as_ref().is_none_or(|(size, _)| *size < n) {
            let requirement = StackReq::any_of(&[
                factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Spec::default()),
                solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq),
            ]);
            self.memory = Some((n, MemBuffer::new(requirement)));
        }
        let Some((_, memory)) = &mut self.memory else { return false };
        let stack = MemStack::new(memory);
        let mut matrix = MatMut::from_column_major_slice_mut(&mut a[..n * n], n, n);
        let (_, rows) = factor::lu_in_place(
            matrix.as_mut(),
            &mut self.forward[..n],
            &mut self.backward[..n],
            Par::Seq,
            stack,
            Spec::default(),
        );
        let lu = matrix.as_ref();
        let rhs = MatMut::from_column_major_slice_mut(x, n, 1);
        solve::solve_in_place_with_conj(lu, lu, rows, Conj::No, rhs, Par::Seq, stack);
        x.iter().all(|value| value.is_finite())
    }

    /// Solves with a sparse matrix in compressed columns (rows sorted, none twice). False where it is singular.
    #[must_use]
    pub fn solve_sparse(&self, offsets: &[usize], rows: &[usize], values: &[f64], x: &mut [f64]) -> bool {
        let n = x.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, offsets, None, rows);
        let Ok(symbolic) = factorize_symbolic_lu(pattern, LuSymbolicParams::default()) else { return false };
        // the library's factor keeps the size of a larger predecessor: each system gets its own
        let mut numeric = NumericLu::new();
        let requirement = StackReq::any_of(&[
            symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]);
        let mut memory = MemBuffer::new(requirement);
        let stack = MemStack::new(&mut memory);
        let matrix = SparseColMatRef::new(pattern, values);
        let factored = symbolic.factorize_numeric_lu(&mut numeric, matrix, Par::Seq, stack, Spec::default());
        let Ok(lu) = factored else { return false };
        lu.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(x, n, 1), Par::Seq, stack);
        x.iter().all(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix whose diagonal is no pivot: both ways return the `x` that `b = A x` was made from.
    #[test]
    fn both_ways_solve_a_system_that_needs_pivoting() {
        let a = [[0.0, 2.0, 1.0], [3.0, 0.0, -1.0], [0.5, 4.0, 0.0]];
        let x = [1.0, -2.0, 3.0];
        let b: Vec<f64> = a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect();
        let mut columns: Vec<f64> = (0..3).flat_map(|j| a.map(|row| row[j])).collect();
        let mut solver = Unsymmetric::default();
        let mut sparse = b.clone();
        assert!(solver.solve_sparse(&[0, 3, 6, 9], &[0, 1, 2, 0, 1, 2, 0, 1, 2], &columns, &mut sparse));
        let mut dense = b;
        assert!(solver.solve_dense(&mut columns, &mut dense));
        for k in 0..3 {
            assert!((dense[k] - x[k]).abs() < 1e-14 && (sparse[k] - x[k]).abs() < 1e-14, "{dense:?} {sparse:?}");
        }
    }
}
