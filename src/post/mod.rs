//! What people ask of a case before a run and of a result after it. Reads only.

pub mod csv;
pub mod ledger;
pub mod preview;

use crate::output::ReadError;

/// What can go wrong when reading a result or writing what was made of it.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The result file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
