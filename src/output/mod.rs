//! The result file: one HDF5 file per run, in VTKHDF form, with an XDMF sidecar beside it.
//!
//! [`ResultWriter`] writes it while the run goes on, [`ResultFile`] reads it back.
//!
//! Three decisions shape the writer:
//!
//! * **All HDF5 work of several frames is done in one go** (a *commit*): frames and history rows are collected in
//!   memory and appended together. Between two commits the file on disk does not change at all, so a kill there
//!   cannot harm it. Commits are spaced so that they cost about 2 % of the run, and at most 0.5 s apart (longer only
//!   where that would cost more than 5 %).
//! * **Counts last.** A commit appends the data, flushes, and only then the times, `NSteps` and the history row count
//!   (and flushes again). A kill inside a commit thus leaves the counts at what is whole.
//! * **The file gets its name with its first frame.** Until then it lives under a temporary name in the same folder,
//!   so a run that fails to start leaves an older result as it was.

mod checkpoint;
mod field_data;
mod history;
mod reader;
mod vtkhdf;
mod xdmf;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use checkpoint::Checkpoint;
pub use reader::{CaseInfo, HistoryInfo, ReadError, ResultFile, Values};

use field_data::FieldData;
use history::{Doing, Fault, History};
use vtkhdf::VtkHdf;
use xdmf::Sidecar;

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

/// Longest time frames and history rows stay in memory only, as long as frames keep coming.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// A commit follows the last one only after this many times the last one's cost: output stays near 2 % of the run.
const COST_FACTOR: u32 = 50;
/// On a slow disk or a busy machine the longest wait gives way to this many times the cost of a commit.
const LEAST_FACTOR: u32 = 20;
/// Frames waiting in memory are written when they exceed this.
const PENDING_BYTES: usize = 32 << 20;

/// Everything that holds an HDF5 handle. Fields drop in order: the datasets before their file.
struct Open {
    vtk: VtkHdf,
    history: History,
    field_data: FieldData,
    file: hdf5::File,
}

/// Writes the result file of a run. See the module's description for how and when things reach the disk.
pub struct ResultWriter {
    path: PathBuf,
    /// Temporary name until the first frame is in.
    part: Option<PathBuf>,
    /// Whether it keeps that name for now.
    held: bool,
    open: Option<Open>,
    sidecar: Option<Sidecar>,
    last_commit: Instant,
    last_cost: Duration,
}

impl ResultWriter {
    /// Creates the result file under a temporary name beside `path` (and the folders above it). It takes the name
    /// `path`, replacing an older result, when the first frame is written.
    ///
    /// `compression` is the deflate level of the frames: 0 none, 1 to 9; 1 is plenty (level 4 costs 33 MB/s).
    pub fn create(
        path: &Path,
        grid: &Grid,
        fields: &[FieldSpec],
        history: &[HistorySpec],
        case: &CaseRecord,
        compression: u8,
    ) -> Result<Self, OutputError> {
        // The library would print its error stack to stderr; our errors carry what matters.
        hdf5::silence_errors(true);
        vtkhdf::check(grid, fields)
            .and_then(|()| history::check(history))
            .map_err(|what| OutputError::Description { path: path.to_path_buf(), what })?;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).ok_or_else(|| {
            OutputError::Description { path: path.to_path_buf(), what: "the path names no file".to_string() }
        })?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| OutputError::Io {
            path: folder.to_path_buf(),
            what: "cannot create the folder for results",
            source,
        })?;
        let part = folder.join(format!(".{name}.{}.part", std::process::id()));
        let built = vtkhdf::create_file(&part).and_then(|file| {
            let vtk = VtkHdf::create(&file, grid, fields, compression.min(9))?;
            let sidecar = Sidecar::create(&file, path, &name, grid)?;
            let specs = history;
            let history = History::create(&file, specs)?;
            let field_data = FieldData::create(&file, grid, specs, vtkhdf::STEP_CHUNK)?;
            vtkhdf::write_case(&file, case)?;
            checkpoint::create(&file)?;
            Ok((Open { vtk, history, field_data, file }, sidecar))
        });
        let (open, sidecar) = built.map_err(|fault| {
            // Nothing of value is in it yet.
            let _ = std::fs::remove_file(&part);
            fault.at(path)
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            part: Some(part),
            held: false,
            open: Some(open),
            sidecar,
            last_commit: Instant::now(),
            last_cost: Duration::ZERO,
        })
    }

    /// Appends a frame: the points as they are now, and one flat array per field in the order given to `create`. The last
    /// history row handed over belongs to it.
    ///
    /// The frame is on disk at once if it is the first or the last commit lies far enough back (50 times its cost,
    /// at most 0.5 s); otherwise with the next frame that is, with [`Self::flush`] or with [`Self::finish`].
    pub fn write_frame(&mut self, time: f64, points: &[[f64; 3]], values: &[&[f64]]) -> Result<(), OutputError> {
        let open = self.open.as_mut().ok_or_else(|| OutputError::Closed { path: self.path.clone() })?;
        open.vtk.push(time, points, values).map_err(|(what, expected, got)| OutputError::Length {
            path: self.path.clone(),
            what,
            expected,
            got,
        })?;
        let Some(row) = open.history.last_row() else {
            let what = "a frame came before its history row".to_string();
            return Err(OutputError::Description { path: self.path.clone(), what });
        };
        open.field_data.push(row);
        let wait = LONGEST_WAIT.max(self.last_cost * LEAST_FACTOR).min(self.last_cost * COST_FACTOR);
        if (self.part.is_some() && !self.held)
            || open.vtk.pending_bytes() > PENDING_BYTES
            || self.last_commit.elapsed() >= wait
        {
            self.commit()?;
        }
        Ok(())
    }

    /// Takes one row of the history: the values of all quantities in the order given to `create`. In memory only.
    ///
    /// A row of another length is a mistake in the caller; it is reported by the next commit.
    pub fn push_history(&mut self, row: &[f64]) {
        if let Some(open) = self.open.as_mut() {
            open.history.push(row);
        }
    }

    /// Brings everything handed over so far to the file.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.commit()
    }

    /// Writes what is left, the wall-clock time and the outcome, closes the file and writes the final sidecar.
    pub fn finish(&mut self, wall_clock_seconds: f64, outcome: &str) -> Result<(), OutputError> {
        self.commit()?;
        let Some(open) = self.open.take() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        if self.part.is_some() {
            drop(open);
            self.discard_part();
            return Err(OutputError::NoFrame { path: self.path.clone() });
        }
        let Open { vtk, history, field_data, file } = open;
        let written = vtkhdf::write_outcome(&file, wall_clock_seconds, outcome);
        let sidecar = self.sidecar.as_mut().map_or(Ok(()), |s| s.write(&vtk, &field_data, &history));
        drop((vtk, history, field_data));
        written.and_then(|()| file.close().doing(|| "closing".to_string())).map_err(|f| f.at(&self.path))?;
        sidecar
    }

    /// Brings everything handed over so far to the file, and what the run needs to be taken up from here.
    pub fn checkpoint(&mut self, state: &Checkpoint) -> Result<(), OutputError> {
        self.commit()?;
        let Some(open) = self.open.as_ref() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        checkpoint::write(&open.file, state).map_err(|fault| fault.at(&self.path))
    }

    /// Keeps the temporary name, and so an older result of that name, until [`Self::release`].
    pub fn hold(&mut self) {
        self.held = self.part.is_some();
    }

    /// Brings everything to the file and gives it its name.
    pub fn release(&mut self) -> Result<(), OutputError> {
        self.held = false;
        self.commit()
    }

    /// The final path of the result.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of frames handed over so far.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.open.as_ref().map_or(0, |o| o.vtk.times().len())
    }

    /// One commit: data, flush, counts, flush. After an error the file is closed; the counts still say what was whole
    /// before it. (On a full disk HDF5 may be unable to write an index it has begun to change: no promise there.)
    fn commit(&mut self) -> Result<(), OutputError> {
        let Some(open) = self.open.as_mut() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        let start = Instant::now();
        if let Some((expected, got)) = open.history.bad_row() {
            let what = "a history row".to_string();
            return Err(OutputError::Length { path: self.path.clone(), what, expected, got });
        }
        if let Err(fault) = open.append() {
            self.open = None;
            self.discard_part();
            return Err(fault.at(&self.path));
        }
        if open.vtk.committed() > 0 && !self.held {
            if let Some(part) = self.part.take()
                && let Err(source) = std::fs::rename(&part, &self.path)
            {
                let _ = std::fs::remove_file(&part);
                self.open = None;
                let what = "cannot give the result file its name";
                return Err(OutputError::Io { path: self.path.clone(), what, source });
            }
            // A stale sidecar is a nuisance, not a reason to stop a run; `finish` reports it.
            if let Some(sidecar) = self.sidecar.as_mut().filter(|s| s.is_due())
                && let Err(error) = sidecar.write(&open.vtk, &open.field_data, &open.history)
            {
                log::warn!("{error}");
            }
        }
        self.last_commit = Instant::now();
        self.last_cost = start.elapsed();
        Ok(())
    }

    fn discard_part(&mut self) {
        if let Some(part) = self.part.take() {
            let _ = std::fs::remove_file(part);
        }
    }
}

impl Open {
    fn append(&mut self) -> Result<(), Fault> {
        self.vtk.append()?;
        // with the frames: their field data are history rows
        self.history.append()?;
        self.field_data.append()?;
        let flush = |file: &hdf5::File| file.flush().doing(|| "flushing to disk".to_string());
        flush(&self.file)?;
        self.vtk.publish()?;
        self.history.publish()?;
        flush(&self.file)
    }
}

impl Drop for ResultWriter {
    /// A run that stops early keeps what it handed over; a run that never wrote a frame leaves nothing behind.
    fn drop(&mut self) {
        if self.part.is_none()
            && self.open.is_some()
            && let Err(error) = self.commit()
        {
            log::error!("{error}");
        }
        self.open = None;
        self.discard_part();
    }
}
