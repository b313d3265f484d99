//! Reads a result file back: for `impakt post` and for tests. Works on finished, running and killed runs alike; what a
//! cut-off commit left beyond the published counts is not shown.

use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use hdf5::{Group, Location};

use super::checkpoint::{self, Checkpoint};
use super::history::{Doing, Fault};
use super::published::{all, components, rows, text as words, whole};
use super::{At, FieldKind, FieldSpec, Grid, vtkhdf};

/// What can go wrong when reading a result file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened at all.
    #[error("cannot open result file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is not HDF5, or cut short.
    #[error("{} is not a readable HDF5 file: {reason}", path.display())]
    NotHdf5 {
        /// The file.
        path: PathBuf,
        /// The library's reason.
        reason: String,
    },
    /// HDF5, but not written by this program.
    #[error("{} is HDF5 but not an impakt result: it has no {missing}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The object looked for.
        missing: &'static str,
    },
    /// A result without the quantity asked for.
    #[error("result file {} has no {name}; it has: {}", path.display(), available.join(", "))]
    Missing {
        /// The result file.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// A step number beyond the end.
    #[error("result file {}: step {step} asked for, but it holds {steps} (the first is 0)", path.display())]
    NoStep {
        /// The result file.
        path: PathBuf,
        /// The step asked for.
        step: usize,
        /// How many there are.
        steps: usize,
    },
    /// The HDF5 library failed, or the file contradicts itself.
    #[error("result file {}: {what}: {reason}", path.display())]
    Hdf5 {
        /// The result file.
        path: PathBuf,
        /// What was being read.
        what: String,
        /// The library's reason.
        reason: String,
    },
}

/// Numbers of one quantity: rows of `components` values each.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Values per row.
    pub components: usize,
    /// All rows, one after the other.
    pub data: Vec<f64>,
}

impl Values {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.data.len() / self.components.max(1)
    }

    /// One row; empty beyond the end.
    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        self.data.get(i * self.components..(i + 1) * self.components).unwrap_or_default()
    }
}

/// A history quantity as the file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryInfo {
    /// Path under `/history`, such as `time` or `bodies/cylinder/velocity`.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// One line for people.
    pub description: String,
    /// Values per row.
    pub components: usize,
}

/// What `/case` says.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseInfo {
    /// The case text as run.
    pub text: String,
    /// File name of the case.
    pub file_name: String,
    /// Version of the program that ran it.
    pub version: String,
    /// The commit it was built from; empty if it was built outside a repository.
    pub commit: String,
    /// Solver settings as (name, value).
    pub settings: Vec<(String, String)>,
    /// How the run ended; `running` if it has not (or was killed).
    pub outcome: String,
    /// Wall-clock seconds, once it has ended.
    pub wall_clock_seconds: Option<f64>,
}

/// A result file open for reading.
pub struct ResultFile {
    path: PathBuf,
    file: hdf5::File,
    root: Group,
    times: Vec<f64>,
    rows: usize,
    points: usize,
    cells: usize,
}

impl ResultFile {
    /// Opens a result file.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        hdf5::silence_errors(true);
        // HDF5's words for a missing file help nobody; the system's do.
        let refused = |source| ReadError::Io { path: path.to_path_buf(), source };
        // before it is opened: a pipe would wait for its writer
        if !std::fs::metadata(path).map_err(refused)?.is_file() {
            return Err(refused(std::io::Error::other("not a regular file")));
        }
        std::fs::File::open(path).map_err(refused)?;
        // Without a lock, so that a run that is still writing can be looked at.
        let file = hdf5::File::with_options()
            .with_fapl(|p| p.file_locking(false))
            .open(path)
            .doing(String::new)
            .map_err(|f| ReadError::NotHdf5 { path: path.to_path_buf(), reason: f.reason })?;
        for missing in ["VTKHDF", "VTKHDF/Steps", "VTKHDF/Points", "history", "case", "parts"] {
            if !file.link_exists(missing) {
                return Err(ReadError::Foreign { path: path.to_path_buf(), missing });
            }
        }
        let read = || -> hdf5::Result<_> {
            let root = file.group("VTKHDF")?;
            let one = |name: &str| -> hdf5::Result<usize> {
                let all = all::<i64>(&root.dataset(name)?)?;
                whole(name, all.first().copied().unwrap_or(0))
            };
            let (points, cells) = (one("NumberOfPoints")?, one("NumberOfCells")?);
            let steps = whole("NSteps", root.group("Steps")?.attr("NSteps")?.read_scalar()?)?;
            let times = rows::<f64>(&root.dataset("Steps/Values")?, 0, steps)?;
            if !rises_from_zero(&times) {
                return Err(hdf5::Error::Internal("the times of its frames do not rise from 0 on".to_owned()));
            }
            let recorded = whole("the number of history rows", file.group("history")?.attr("rows")?.read_scalar()?)?;
            Ok((root, times, recorded, points, cells))
        };
        let (root, times, rows, points, cells) =
            read().doing(|| "reading its sizes".to_string()).map_err(|f| hdf5_error(path, f))?;
        Ok(Self { path: path.to_path_buf(), file, root, times, rows, points, cells })
    }

    /// Times of the stored frames.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Number of history rows.
    #[must_use]
    pub fn history_rows(&self) -> usize {
        self.rows
    }

    /// All history quantities, by name.
    pub fn histories(&self) -> Result<Vec<HistoryInfo>, ReadError> {
        let mut found = Vec::new();
        let start = self.file.group("history").doing(|| "reading /history".to_string());
        start.and_then(|g| collect(&g, "", &mut found)).map_err(|f| self.error(f))?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// One history quantity, such as `time` or `bodies/cylinder/velocity`.
    pub fn history(&self, name: &str) -> Result<Values, ReadError> {
        let Ok(dataset) = self.file.dataset(&format!("history/{name}")) else {
            let available = self.histories()?.into_iter().map(|h| h.name).collect();
            return Err(ReadError::Missing { path: self.path.clone(), name: format!("history {name}"), available });
        };
        let read = || Ok(Values { components: components(&dataset)?, data: rows(&dataset, 0, self.rows)? });
        let values: Values = read().doing(|| format!("reading history {name}")).map_err(|f| self.error(f))?;
        if name == "time" && !rises_from_zero(&values.data) {
            let reason = "the times do not rise from 0 on".to_owned();
            return Err(self.error(Fault { what: "reading history time".to_owned(), reason }));
        }
        Ok(values)
    }

    /// The fields stored with every frame.
    pub fn fields(&self) -> Result<Vec<FieldSpec>, ReadError> {
        let mut all = Vec::new();
        for (home, at) in [("PointData", At::Points), ("CellData", At::Cells)] {
            let datasets = self.root.group(home).and_then(|g| g.datasets()).doing(|| format!("reading {home}"));
            for dataset in datasets.map_err(|f| self.error(f))? {
                let float = dataset.dtype().is_ok_and(|t| t.is::<f64>());
                let name = dataset.name().rsplit('/').next().unwrap_or_default().to_string();
                let components = components(&dataset).doing(|| format!("reading {home} {name}"));
                all.push(FieldSpec {
                    name,
                    components: components.map_err(|f| self.error(f))?,
                    at,
                    unit: text(&dataset, "unit"),
                    description: text(&dataset, "description"),
                    kind: if float { FieldKind::Float } else { FieldKind::Int32 },
                    sparse: false,
                });
            }
        }
        Ok(all)
    }

    /// Positions of the points in a frame.
    pub fn points(&self, step: usize) -> Result<Vec<[f64; 3]>, ReadError> {
        let values = self.frame(step, "Points", "Steps/PointOffsets", self.points)?;
        Ok(values.data.as_chunks::<3>().0.to_vec())
    }

    /// A point field in a frame.
    pub fn point_field(&self, step: usize, name: &str) -> Result<Values, ReadError> {
        self.known("PointData", name)?;
        self.frame(step, &format!("PointData/{name}"), &format!("Steps/PointDataOffsets/{name}"), self.points)
    }

    /// A cell field in a frame.
    pub fn cell_field(&self, step: usize, name: &str) -> Result<Values, ReadError> {
        self.known("CellData", name)?;
        self.frame(step, &format!("CellData/{name}"), &format!("Steps/CellDataOffsets/{name}"), self.cells)
    }

    /// The mesh, with the points where they were initially.
    pub fn grid(&self) -> Result<Grid, ReadError> {
        let read = || -> hdf5::Result<Grid> {
            let strings = |name: &str| -> hdf5::Result<Vec<String>> {
                all::<VarLenUnicode>(&self.file.dataset(name)?)?.iter().map(words).collect()
            };
            let points = rows::<f64>(&self.file.dataset("parts/initial_points")?, 0, self.points)?;
            let grid = Grid {
                points: points.as_chunks::<3>().0.to_vec(),
                cell_types: rows(&self.root.dataset("Types")?, 0, self.cells)?,
                offsets: all(&self.root.dataset("Offsets")?)?,
                connectivity: all(&self.root.dataset("Connectivity")?)?,
                parts: strings("parts/names")?.into_iter().zip(strings("parts/kinds")?).collect(),
                materials: strings("parts/materials").unwrap_or_default(),
            };
            vtkhdf::check(&grid, &[]).and_then(|()| complete(&grid)).map_err(hdf5::Error::Internal)?;
            Ok(grid)
        };
        read().doing(|| "reading the mesh".to_string()).map_err(|f| self.error(f))
    }

    /// The record of the case.
    pub fn case(&self) -> Result<CaseInfo, ReadError> {
        let read = || -> hdf5::Result<CaseInfo> {
            let case = self.file.group("case")?;
            let settings = case.group("settings")?;
            let names = settings.attr_names()?;
            let seconds = case.attr("wall_clock_seconds")?.read_scalar::<f64>()?;
            Ok(CaseInfo {
                text: words(&case.dataset("text")?.read_scalar()?)?,
                file_name: text(&case, "file_name"),
                version: text(&case, "version"),
                commit: text(&case, "commit"),
                settings: names.into_iter().map(|n| (n.clone(), text(&settings, &n))).collect(),
                outcome: text(&case, "outcome"),
                wall_clock_seconds: seconds.is_finite().then_some(seconds),
            })
        };
        read().doing(|| "reading /case".to_string()).map_err(|f| self.error(f))
    }

    /// What the run left to be taken up again; none if it did not get that far.
    pub fn checkpoint(&self) -> Result<Option<Checkpoint>, ReadError> {
        checkpoint::read(&self.file).map_err(|f| self.error(f))
    }

    fn error(&self, fault: Fault) -> ReadError {
        hdf5_error(&self.path, fault)
    }

    fn known(&self, home: &str, name: &str) -> Result<(), ReadError> {
        let group = self.root.group(home).doing(|| format!("reading {home}")).map_err(|f| self.error(f))?;
        if group.link_exists(name) {
            return Ok(());
        }
        let available = group.member_names().doing(|| format!("listing {home}")).map_err(|f| self.error(f))?;
        Err(ReadError::Missing { path: self.path.clone(), name: format!("{home} {name}"), available })
    }

    /// The rows of one frame of a dataset under `/VTKHDF`, found through its offsets.
    fn frame(&self, step: usize, name: &str, offsets: &str, count: usize) -> Result<Values, ReadError> {
        if step >= self.times.len() {
            return Err(ReadError::NoStep { path: self.path.clone(), step, steps: self.times.len() });
        }
        let read = || -> hdf5::Result<Values> {
            let dataset = self.root.dataset(name)?;
            let starts = rows::<i64>(&self.root.dataset(offsets)?, step, 1)?;
            let first = whole("its start", starts.first().copied().unwrap_or(0))?;
            Ok(Values { components: components(&dataset)?, data: rows(&dataset, first, count)? })
        };
        read().doing(|| format!("reading step {step} of {name}")).map_err(|f| self.error(f))
    }
}

fn hdf5_error(path: &Path, fault: Fault) -> ReadError {
    ReadError::Hdf5 { path: path.to_path_buf(), what: fault.what, reason: fault.reason }
}

/// Whether times are those of a run.
fn rises_from_zero(times: &[f64]) -> bool {
    times.first().is_none_or(|first| *first >= 0.0) && times.windows(2).all(|pair| pair[0] < pair[1])
}

/// Whether each cell has the corners that its type asks for.
fn complete(grid: &Grid) -> Result<(), String> {
    let corners = |kind: u8| match kind {
        10 => 4,
        12 => 8,
        13 => 6,
        14 => 5,
        24 => 10,
        25 => 20,
        29 => 27,
        _ => 1,
    };
    let short = |(kind, ends): (&u8, &[i64])| ends[1] - ends[0] < corners(*kind);
    match grid.cell_types.iter().zip(grid.offsets.windows(2)).position(short) {
        Some(cell) => Err(format!("cell {cell} lacks corners of its type {}", grid.cell_types[cell])),
        None => Ok(()),
    }
}

/// A text attribute; empty if there is none.
fn text(place: &Location, name: &str) -> String {
    place.attr(name).and_then(|a| words(&a.read_scalar()?)).unwrap_or_default()
}

/// The quantities of a history group and of those below it.
fn collect(group: &Group, prefix: &str, found: &mut Vec<HistoryInfo>) -> Result<(), Fault> {
    let what = || format!("listing /history/{prefix}");
    // opened by name: HDF5 looks for the name of what is opened otherwise in the whole file
    for name in group.member_names().doing(what)? {
        if let Ok(dataset) = group.dataset(&name) {
            found.push(HistoryInfo {
                name: format!("{prefix}{name}"),
                unit: text(&dataset, "unit"),
                description: text(&dataset, "description"),
                components: components(&dataset).doing(|| format!("reading /history/{prefix}{name}"))?,
            });
        } else {
            collect(&group.group(&name).doing(what)?, &format!("{prefix}{name}/"), found)?;
        }
    }
    Ok(())
}
