//! A sparse matrix as FCLIB stores it, checked, in compressed rows.

use hdf5::Group;

use super::read::{Fault, integer, numbers};
use crate::contact::problem::BlockMatrix;

/// Compressed rows, columns sorted, entries given twice added up.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) columns_count: usize,
    pub(super) offsets: Vec<usize>,
    pub(super) columns: Vec<usize>,
    pub(super) values: Vec<f64>,
}

impl Rows {
    pub(super) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// From entries `(row, column, value)`.
    pub(super) fn from_entries(rows: usize, columns_count: usize, mut entries: Vec<(usize, usize, f64)>) -> Self {
        entries.sort_by_key(|&(i, j, _)| (i, j));
        let mut matrix = Rows { columns_count, offsets: vec![0], ..Rows::default() };
        for (i, j, value) in entries {
            while matrix.offsets.len() <= i {
                matrix.offsets.push(matrix.columns.len());
            }
            let fresh = matrix.offsets.last() == Some(&matrix.columns.len());
            match matrix.values.last_mut() {
                Some(last) if !fresh && matrix.columns.last() == Some(&j) => *last += value,
                _ => {
                    matrix.columns.push(j);
                    matrix.values.push(value);
                }
            }
        }
        matrix.offsets.resize(rows + 1, matrix.columns.len());
        matrix
    }

    /// Reads `{m, n, nz, p, i, x}` of a group.
    pub(super) fn read(parent: &Group, name: &str) -> Result<Self, Fault> {
        let group = parent.group(name).map_err(|_| format!("{}/{name} is missing", parent.name()))?;
        let path = group.name();
        let size = |name: &str| -> Result<usize, Fault> {
            let value = integer(&group, name)?;
            usize::try_from(value).map_err(|_| format!("{path}/{name} = {value}: must not be negative"))
        };
        let (m, n) = (size("m")?, size("n")?);
        if m.max(n) > u32::MAX as usize / 4 {
            return Err(format!("{path}: {m} × {n} is larger than any problem that could be solved"));
        }
        let kind = integer(&group, "nz")?;
        let pointers: Vec<i64> = numbers(&group, "p")?;
        let indices: Vec<i64> = numbers(&group, "i")?;
        let values: Vec<f64> = numbers(&group, "x")?;
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return Err(format!("{path}/x[{k}] = {}: not a finite number", values[k]));
        }
        let within = |what: &str, k: usize, value: i64, limit: usize| match usize::try_from(value) {
            Ok(value) if value < limit => Ok(value),
            _ => Err(format!("{path}/{what}[{k}] = {value}: must be from 0 to {}", limit as i64 - 1)),
        };
        let mut entries = Vec::new();
        match kind {
            0.. => {
                let count = kind as usize;
                if pointers.len() < count || indices.len() < count || values.len() < count {
                    let shortest = pointers.len().min(indices.len()).min(values.len());
                    return Err(format!("{path}: nz promises {count} entries, the arrays hold {shortest}"));
                }
                for k in 0..count {
                    entries.push((within("i", k, indices[k], m)?, within("p", k, pointers[k], n)?, values[k]));
                }
            }
            -2 | -1 => {
                let (major, minor) = if kind == -1 { (n, m) } else { (m, n) };
                if pointers.len() != major + 1 {
                    return Err(format!("{path}/p holds {} numbers, expected {}", pointers.len(), major + 1));
                }
                let stored = indices.len().min(values.len());
                for (k, pair) in pointers.windows(2).enumerate() {
                    if pair[0] < 0 || pair[1] < pair[0] || pair[1] as usize > stored {
                        let range = format!("{} to {}", pair[0], pair[1]);
                        return Err(format!("{path}/p[{k}]: range {range} does not fit {stored} entries"));
                    }
                    for e in pair[0] as usize..pair[1] as usize {
                        let j = within("i", e, indices[e], minor)?;
                        entries.push(if kind == -1 { (j, k, values[e]) } else { (k, j, values[e]) });
                    }
                }
            }
            _ => {
                return Err(format!("{path}/nz = {kind}: expected -1 (columns), -2 (rows) or a number of triplets"));
            }
        }
        Ok(Rows::from_entries(m, n, entries))
    }

    /// Blocks of `dim` rows and columns; every row holds its diagonal block.
    pub(super) fn blocks(&self, dim: usize) -> BlockMatrix {
        let points = self.count() / dim;
        let mut w = BlockMatrix { offsets: vec![0], ..BlockMatrix::default() };
        let mut present: Vec<u32> = Vec::new();
        for i in 0..points {
            present.clear();
            present.push(i as u32);
            for a in 0..dim {
                present.extend(self.row(i * dim + a).map(|(j, _)| (j / dim) as u32));
            }
            present.sort_unstable();
            present.dedup();
            let start = w.columns.len();
            w.columns.extend_from_slice(&present);
            w.blocks.resize(w.columns.len() * dim * dim, 0.0);
            w.diagonal.push(start + present.partition_point(|&j| (j as usize) < i));
            for a in 0..dim {
                for (j, value) in self.row(i * dim + a) {
                    let k = start + present.partition_point(|&c| (c as usize) < j / dim);
                    w.blocks[k * dim * dim + a * dim + j % dim] = value;
                }
            }
            w.offsets.push(w.columns.len());
        }
        w
    }
}
