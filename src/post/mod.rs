//! What people ask of a case before a run and of a result after it. Reads only.

pub mod charts;
pub mod column;
pub mod compare;
pub mod csv;
pub mod drawing;
pub mod html;
pub mod ledger;
pub mod place;
pub mod plot;
pub mod preview;
pub mod rebound;
pub mod sweep;
pub mod transmission;

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
    /// A picture cannot be drawn.
    #[error("{}: {reason}", path.display())]
    Draw {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        reason: String,
    },
}

/// Writes a file, with the folders above it.
///
/// # Errors
/// The system's reason.
pub fn write_file(path: &std::path::Path, content: &[u8]) -> Result<(), PostError> {
    let folders = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folders
        .and_then(|()| std::fs::write(path, content))
        .map_err(|source| PostError::Write { path: path.to_path_buf(), source })
}

/// The unit of a quantity of the history, by its name.
pub fn unit_of(path: &str) -> &'static str {
    let name = path.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or(path);
    match name {
        "time" | "step_size" => "s",
        "contact_force" | "normal_force" | "reaction" | "newton_residual" => "N",
        "centre_of_mass" | "position" | "displacement" | "max_penetration" => "m",
        "velocity" => "m/s",
        "moment" => "N m",
        _ if name.starts_with("max_von_mises") => "Pa",
        _ if name.ends_with("energy") || name.ends_with("work") || name.ends_with("dissipation") => "J",
        _ => "",
    }
}
