//! The result file: one HDF5 file per run, in VTKHDF form, with an XDMF sidecar beside it.
//!
//! [`ResultWriter`] writes it while the run goes on, [`ResultFile`] reads it back.
//!
//! Six decisions shape the writer:
//!
//! * **A thread of its own does all HDF5 work.** The run copies frames and rows into a batch and goes on; batches come back
//!   empty and are filled again. The queue is short: a disk that is too slow holds the run up instead of filling memory.
//! * **All HDF5 work of a batch is done in one go** (a *commit*). Between two commits the file on disk does not change at
//!   all, so a kill there cannot harm it. A batch is handed over when it holds 2 MB or 0.5 s after the last one, but not
//!   while the thread is still busy with the last one, unless 32 MB wait.
//! * **Counts last.** A commit appends the data, flushes, and only then the times, `NSteps` and the history row count
//!   (and flushes again). A kill inside a commit thus leaves the counts at what is whole.
//! * **No part of a flush harms what was there.** Metadata is written page by page, and pages are whole after a kill;
//!   which of them are already new does not matter (see `vtkhdf::create_file`). So this holds in each state of the file;
//!   `tests/readers/killed_states.py` looks at all of them. It ends where the index of a field has blocks larger than
//!   a page: beyond 8 180 chunks (2 036 compressed ones of 64 kB and more).
//! * **The file gets its name with its first checkpoint.** Until then it lives under a temporary name in the same folder,
//!   so a run that fails to start, or to go on, leaves an older result as it was.
//! * **One run writes a result at a time**, by kernel locks that end with their process (see `claim`).

mod batch;
mod checkpoint;
mod claim;
mod field_data;
mod history;
mod published;
mod reader;
mod store;
mod vtkhdf;
mod writer;
mod xdmf;

use std::path::PathBuf;

pub use checkpoint::Checkpoint;
pub use reader::{CaseInfo, HistoryInfo, ReadError, ResultFile, Values};
pub use writer::ResultWriter;

/// Where a field lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// One value per point.
    Points,
    /// One value per cell.
    Cells,
}

/// How a field is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// 64-bit floating point.
    Float,
    /// 32-bit integer (body numbers, contact status); the given values are rounded.
    Int32,
}

/// One field written with every frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    /// Name as ParaView shows it; no `/`.
    pub name: String,
    /// 1 (scalar) or 3 (vector).
    pub components: usize,
    /// Points or cells.
    pub at: At,
    /// SI unit, stored as the `unit` attribute.
    pub unit: String,
    /// One line for people: which stress, which recovery; stored as the `description` attribute.
    pub description: String,
    /// Storage type.
    pub kind: FieldKind,
    /// Whether most values are zero (contact): large frames of such fields are always compressed, which costs less than writing
    /// the zeros.
    pub sparse: bool,
}

/// The mesh of everything shown: bodies and obstacles. Its topology is stored once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// Initial positions (2D cases have z = 0).
    pub points: Vec<[f64; 3]>,
    /// VTK cell type numbers.
    pub cell_types: Vec<u8>,
    /// Start of each cell in `connectivity`, and its end: length is cells + 1.
    pub offsets: Vec<i64>,
    /// Point numbers of all cells.
    pub connectivity: Vec<i64>,
    /// Name and kind (`body`, `obstacle`) of the parts, in the order of the numbers in the cell field `body`.
    pub parts: Vec<(String, String)>,
    /// Names of the materials, in the order of the numbers in the cell field `material`.
    pub materials: Vec<String>,
}

/// One quantity of `/history`, one row per time step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistorySpec {
    /// Group under `/history`: empty, `bodies/cylinder`, `probes/centre`, ...
    pub group: String,
    /// Dataset name; no `/`.
    pub name: String,
    /// 1 gives a 1-D dataset, 2 to 9 an (n, components) one.
    pub components: usize,
    /// SI unit, stored as the `unit` attribute.
    pub unit: String,
    /// One line for people, stored as the `description` attribute.
    pub description: String,
    /// Store as 64-bit integers (counts); the given values are rounded.
    pub integer: bool,
}

/// What `/case` records about the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseRecord {
    /// The case text as run, after `--set`.
    pub text: String,
    /// File name of the case (without its folder).
    pub file_name: String,
    /// Version of the program.
    pub version: String,
    /// The commit it was built from; empty outside a repository.
    pub commit: String,
    /// Solver settings as (name, value).
    pub settings: Vec<(String, String)>,
}

/// What can go wrong when writing a result file.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The HDF5 library failed (full disk, damaged file, ...).
    #[error("result file {}: {what}: {reason}", path.display())]
    Hdf5 {
        /// The result file.
        path: PathBuf,
        /// What was being written.
        what: String,
        /// The library's reason; the operating system's words where it has them.
        reason: String,
    },
    /// The operating system refused something.
    #[error("{}: {what}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The reason.
        source: std::io::Error,
    },
    /// An array handed over has the wrong length.
    #[error("result file {}: {what} has {got} values, expected {expected}", path.display())]
    Length {
        /// The result file.
        path: PathBuf,
        /// Which array.
        what: String,
        /// Length it should have.
        expected: usize,
        /// Length it has.
        got: usize,
    },
    /// A grid, field or history description that cannot be stored.
    #[error("result file {}: {what}", path.display())]
    Description {
        /// The result file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Another run writes it.
    #[error("result file {}: another run is writing it", path.display())]
    Busy {
        /// The result file.
        path: PathBuf,
    },
    /// Writing after [`ResultWriter::finish`] or after an earlier error.
    #[error("result file {} is closed: nothing more can be written to it", path.display())]
    Closed {
        /// The result file.
        path: PathBuf,
    },
    /// [`ResultWriter::finish`] before any frame: an older result of that name was left as it was.
    #[error("result file {}: the run wrote no frame, so no result was stored", path.display())]
    NoFrame {
        /// The result file.
        path: PathBuf,
    },
}
