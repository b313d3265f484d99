//! Reading a stored problem. The file is not trusted: sizes, indices and numbers are checked before they are used.

use std::path::Path;

use hdf5::{Group, H5Type};

use super::matrix::Rows;
use super::{FclibError, global};
use crate::contact::friction::Friction;
use crate::contact::problem::LocalProblem;

/// What is wrong with a file, without its name.
pub(super) type Fault = String;

/// Reads a local or global problem.
pub fn read(path: &Path) -> Result<LocalProblem, FclibError> {
    hdf5::silence_errors(true);
    // HDF5's words for a missing file or a folder help nobody; the system's do. A pipe would wait for its writer
    let refused = |source| FclibError::Io { path: path.to_path_buf(), source };
    if !std::fs::metadata(path).map_err(refused)?.is_file() {
        return Err(refused(std::io::Error::other("not a regular file")));
    }
    std::fs::File::open(path).map_err(refused)?;
    let file =
        hdf5::File::open(path).map_err(|e| FclibError::NotHdf5 { path: path.to_path_buf(), reason: e.to_string() })?;
    problem(&file).map_err(|what| FclibError::Problem { path: path.to_path_buf(), what })
}

fn problem(file: &Group) -> Result<LocalProblem, Fault> {
    if let Ok(group) = file.group("fclib_local") {
        local(&group)
    } else if let Ok(group) = file.group("fclib_global") {
        global::reduce(&group)
    } else {
        Err("HDF5, but no FCLIB problem: it has neither /fclib_local nor /fclib_global".into())
    }
}

fn local(group: &Group) -> Result<LocalProblem, Fault> {
    refuse_bilateral(group, &["V", "R"])?;
    let w = Rows::read(group, "W")?;
    let vectors = group.group("vectors").map_err(|_| format!("{}/vectors is missing", group.name()))?;
    let q = finite(&vectors, "q")?;
    assemble(group, &vectors, &w, q)
}

/// Joins `W` and `q` with the friction coefficients and checks that the sizes fit.
pub(super) fn assemble(group: &Group, vectors: &Group, w: &Rows, q: Vec<f64>) -> Result<LocalProblem, Fault> {
    let dim = match integer(group, "spacedim")? {
        2 => 2,
        3 => 3,
        other => return Err(format!("{}/spacedim = {other}: must be 2 or 3", group.name())),
    };
    let friction = finite(vectors, "mu")?;
    if let Some(k) = friction.iter().position(|mu| *mu < 0.0) {
        return Err(format!("{}/mu[{k}] = {}: must not be negative", vectors.name(), friction[k]));
    }
    let size = friction.len() * dim;
    if q.len() != size || w.count() != size || w.columns_count != size {
        return Err(format!(
            "sizes contradict each other: {} points in {dim}D need {size} unknowns, but q has {} and W is {} × {}",
            friction.len(),
            q.len(),
            w.count(),
            w.columns_count
        ));
    }
    let friction = friction.into_iter().map(Friction::from).collect();
    Ok(LocalProblem { dim, w: w.blocks(dim), q, friction, rounding: 0.0 })
}

/// Equality constraints beside the contacts are another problem.
pub(super) fn refuse_bilateral(group: &Group, names: &[&str]) -> Result<(), Fault> {
    for name in names {
        if group.link_exists(name) && Rows::read(group, name)?.columns_count > 0 {
            return Err(format!("{}/{name}: problems with equality constraints are not supported", group.name()));
        }
    }
    Ok(())
}

/// A single integer, stored as a scalar or as an array of one.
pub(super) fn integer(group: &Group, name: &str) -> Result<i64, Fault> {
    match numbers::<i64>(group, name)?.as_slice() {
        [value] => Ok(*value),
        other => Err(format!("{}/{name} holds {} numbers, expected one", group.name(), other.len())),
    }
}

/// All numbers of a dataset.
pub(super) fn numbers<T: H5Type>(group: &Group, name: &str) -> Result<Vec<T>, Fault> {
    let path = || format!("{}/{name}", group.name().trim_end_matches('/'));
    let data = group.dataset(name).map_err(|_| format!("{} is missing", path()))?;
    // A header can promise any length: the numbers must be in the file (they are stored plainly or deflated at most 1030 to 1).
    let stored = data.storage_size().saturating_mul(1100).max(1 << 16);
    if data.size() as u64 > stored {
        return Err(format!("{} promises {} numbers, which the file does not hold", path(), data.size()));
    }
    data.read_raw::<T>().map_err(|e| format!("{}: {e}", path()))
}

/// All numbers of a dataset, each finite.
pub(super) fn finite(group: &Group, name: &str) -> Result<Vec<f64>, Fault> {
    let values: Vec<f64> = numbers(group, name)?;
    match values.iter().position(|x| !x.is_finite()) {
        Some(k) => Err(format!("{}/{name}[{k}] = {}: not a finite number", group.name(), values[k])),
        None => Ok(values),
    }
}
