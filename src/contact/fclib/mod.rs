//! Friction-contact problems on file, in the HDF5 layout of FCLIB, the field's library of stored problems (AcaryEtAl2014).
//!
//! Local form: `/fclib_local/{spacedim, W, vectors/{q, mu}}`. Global form: `/fclib_global/{spacedim, M, H, vectors/{f, w, mu}}`
//! with `M v = H r + f`, `u = Hᵀ v + w`; it is reduced to `W = Hᵀ M⁻¹ H`, `q = w + Hᵀ M⁻¹ f` on reading. A matrix is
//! `{m, n, nz, p, i, x}`: `nz = −1` compressed columns, `−2` compressed rows, `≥ 0` triplets with rows in `i` and columns in `p`.

mod global;
mod matrix;
mod read;
mod write;

pub use read::read;
pub use write::write;

use std::path::PathBuf;

/// What can go wrong with a stored problem.
#[derive(Debug, thiserror::Error)]
pub enum FclibError {
    /// The file cannot be opened or written.
    #[error("cannot open {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Not HDF5, or cut short.
    #[error("{} is not a readable HDF5 file: {reason}", path.display())]
    NotHdf5 {
        /// The file.
        path: PathBuf,
        /// The library's reason.
        reason: String,
    },
    /// HDF5, but no problem that could be solved here.
    #[error("{}: {what}", path.display())]
    Problem {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}
