//! The global form reduced to the local one: `W = Hᵀ M⁻¹ H`, `q = w + Hᵀ M⁻¹ f`, through a sparse Cholesky factor of `M`.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use hdf5::Group;

use super::matrix::Rows;
use super::read::{Fault, assemble, finite, refuse_bilateral};
use crate::contact::problem::LocalProblem;

/// Columns of `H` solved at once: enough to be fast, little memory at any number of unknowns.
const CHUNK: usize = 48;

/// Reads and reduces a global problem.
pub(super) fn reduce(group: &Group) -> Result<LocalProblem, Fault> {
    refuse_bilateral(group, &["G"])?;
    let (m, h) = (Rows::read(group, "M")?, Rows::read(group, "H")?);
    let vectors = group.group("vectors").map_err(|_| format!("{}/vectors is missing", group.name()))?;
    let (f, mut q) = (finite(&vectors, "f")?, finite(&vectors, "w")?);
    let n = f.len();
    if m.count() != n || m.columns_count != n || h.count() != n || h.columns_count != q.len() {
        return Err(format!(
            "sizes contradict each other: f has {n} and w {} numbers, M is {} × {}, H is {} × {}",
            q.len(),
            m.count(),
            m.columns_count,
            h.count(),
            h.columns_count
        ));
    }
    let size = q.len();
    let columns = transposed(&h);
    let solve = Mass::factor(&m).ok_or_else(|| format!("{}/M is not positive definite", group.name()))?;
    let mut x = f;
    solve.solve(&mut x, 1);
    for (j, q) in q.iter_mut().enumerate() {
        *q += columns.row(j).map(|(i, value)| value * x[i]).sum::<f64>();
    }
    let mut entries = Vec::new();
    let mut touched = vec![false; n];
    for first in (0..size).step_by(CHUNK) {
        let width = CHUNK.min(size - first);
        x.clear();
        x.resize(n * width, 0.0);
        for c in 0..width {
            for (i, value) in columns.row(first + c) {
                x[c * n + i] = value;
            }
        }
        solve.solve(&mut x, width);
        for c in 0..width {
            let column = &x[c * n..(c + 1) * n];
            for (flag, value) in touched.iter_mut().zip(column) {
                *flag = *value != 0.0;
            }
            for i in 0..size {
                if columns.row(i).any(|(k, _)| touched[k]) {
                    entries.push((i, first + c, columns.row(i).map(|(k, value)| value * column[k]).sum()));
                }
            }
        }
    }
    assemble(group, &vectors, &Rows::from_entries(size, size, entries), q)
}

fn transposed(a: &Rows) -> Rows {
    let entries = (0..a.count()).flat_map(|i| a.row(i).map(move |(j, value)| (j, i, value))).collect();
    Rows::from_entries(a.columns_count, a.count(), entries)
}

/// The factor of a symmetric positive definite matrix.
struct Mass {
    symbolic: faer::sparse::linalg::cholesky::SymbolicCholesky<usize>,
    values: Vec<f64>,
    size: usize,
}

impl Mass {
    fn factor(m: &Rows) -> Option<Self> {
        let size = m.count();
        // rows of a symmetric matrix are its columns
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &m.offsets, None, &m.columns);
        let ordering = SymmetricOrdering::Amd;
        let symbolic =
            factorize_symbolic_cholesky(pattern, Side::Lower, ordering, CholeskySymbolicParams::default()).ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let requirement = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let mut memory = MemBuffer::new(StackReq::any_of(&[requirement]));
        symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(pattern, &m.values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Spec::default(),
            )
            .ok()?;
        values.iter().all(|x| x.is_finite()).then_some(Mass { symbolic, values, size })
    }

    fn solve(&self, x: &mut [f64], width: usize) {
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(width, Par::Seq));
        let factor = faer::sparse::linalg::cholesky::LltRef::new(&self.symbolic, &self.values);
        let x = MatMut::from_column_major_slice_mut(x, self.size, width);
        factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut memory));
    }
}
