//! The `/VTKHDF` group (a temporal UnstructuredGrid), and the small records beside it: `/parts` and `/case`.
//!
//! Layout: topology and part sizes once; points and fields appended frame after frame; `Steps` tells where each
//! frame starts. Fields that did not change since the frame before are not stored again: their offset points at the copy
//! there is (body and material numbers cost one frame, contact fields nothing while a body flies).

use std::path::Path;

use hdf5::plist::file_access::LibraryVersion;
use hdf5::plist::file_create::FileSpaceStrategy;
use hdf5::types::{FixedAscii, VarLenUnicode};
use hdf5::{Attribute, Group};

use super::batch::Batch;
use super::history::{Doing, Fault, Table, text_attribute, unicode};
use super::{At, CaseRecord, FieldKind, FieldSpec, Grid};

/// Rows per chunk of the bookkeeping datasets: 2 kB, rewritten with every commit.
pub(super) const STEP_CHUNK: usize = 256;
/// The same for the times; not less than a page, so that they are on disk before the page that counts them.
const TIMES_CHUNK: usize = 1024;
/// The chunks with which HDF5 begins a new block in the index of a dataset, for the first 244 chunks.
const INDEX_BLOCKS: [usize; 6] = [4, 20, 52, 84, 116, 180];
/// Uncompressed frames share chunks up to this many bytes; fewer chunks mean a smaller index to update.
const CHUNK_BYTES: usize = 32 << 10;
/// The kernel cuts a write short at the end of a page only.
const PAGE: usize = 4096;
/// Pages of metadata in memory: what changes in a page is written in one go.
const PAGES: usize = 256;

/// Frames of sparse fields from this size on are compressed.
const SPARSE_BYTES: usize = 64 << 10;

/// Creates the file so that others can open it at any time, also that of a run killed in the midst of a write.
///
/// A kill cuts a write short at the end of a page, or falls between two writes. So nothing small lies across two pages,
/// and chunks are found through arrays (format 1.10), where a new entry moves no other: any part of a flush leaves what
/// counted before as it was. The trees of format 1.8 do not: a node that splits hands its entries to one not written yet.
pub(super) fn create_file(path: &Path) -> Result<hdf5::File, Fault> {
    let options = |low| {
        let mut options = hdf5::File::with_options();
        // No lock: ParaView may look at a run while it goes on.
        // A small cache of chunks, full ones leaving first: frames are written once and never read again.
        options.with_fapl(|p| {
            p.libver_bounds(low, LibraryVersion::V110).file_locking(false).chunk_cache(127, 4 * CHUNK_BYTES, 1.0)
        });
        options
    };
    let pages = FileSpaceStrategy::FreeSpaceManager { paged: true, persist: false, threshold: 1 };
    // Begun in format 1.8: no "open for writing" mark that would make readers refuse the file of a killed run.
    options(LibraryVersion::V18)
        .with_fcpl(|p| p.file_space_page_size(PAGE as u64).file_space_strategy(pages))
        .create(path)
        .and_then(hdf5::File::close)
        .and_then(|()| {
            options(LibraryVersion::V110).with_fapl(|p| p.page_buffer_size(PAGES * PAGE, 0, 0)).open_rw(path)
        })
        .doing(|| "creating the file".to_string())
}

/// Checks a grid and field descriptions before anything is created.
pub(super) fn check(grid: &Grid, fields: &[FieldSpec]) -> Result<(), String> {
    let (points, cells) = (grid.points.len(), grid.cell_types.len());
    if points == 0 || cells == 0 {
        return Err(format!("the grid has {points} points and {cells} cells; both must be there"));
    }
    if grid.offsets.len() != cells + 1 {
        return Err(format!("the grid has {cells} cells but {} offsets, expected {}", grid.offsets.len(), cells + 1));
    }
    let ends = (grid.offsets.first().copied(), grid.offsets.last().copied());
    let length = grid.connectivity.len() as i64;
    if ends != (Some(0), Some(length)) || grid.offsets.windows(2).any(|w| w[1] < w[0]) {
        return Err(format!("the cell offsets must rise from 0 to {length}, the length of the connectivity"));
    }
    if let Some(p) = grid.connectivity.iter().find(|&&p| p < 0 || p >= points as i64) {
        return Err(format!("a cell uses point {p}, but there are points 0 to {}", points - 1));
    }
    for (i, f) in fields.iter().enumerate() {
        if f.name.is_empty() || f.name == "." || f.name.contains(['/', '\0']) {
            return Err(format!("field name {:?} cannot be stored", f.name));
        }
        if f.components != 1 && f.components != 3 {
            return Err(format!("field {} has {} components; 1 or 3 can be stored", f.name, f.components));
        }
        if fields[..i].iter().any(|g| g.name == f.name && g.at == f.at) {
            return Err(format!("field {} is given twice", f.name));
        }
    }
    Ok(())
}

/// Stored values of a field, by type.
enum Store {
    Float(Table<f64>),
    Int(Table<i32>),
}

/// A field and where each of its frames starts.
pub(super) struct Field {
    pub(super) spec: FieldSpec,
    /// First row of each frame.
    pub(super) starts: Vec<i64>,
    store: Store,
    offsets: Table<i64>,
    /// The values stored last.
    last: Vec<f64>,
    /// Rows of one frame, and rows stored so far.
    count: usize,
    rows: i64,
}

impl Field {
    /// Appends frames that lie one after the other in `values`, but for those that repeat the one before. By bits: what is not
    /// a number stays what it is.
    fn append(&mut self, values: &mut Vec<f64>, frames: usize) -> Result<(), Fault> {
        let (n, first) = (self.count * self.spec.components, self.starts.len());
        let mut kept = 0;
        for frame in 0..frames {
            let now = frame * n..(frame + 1) * n;
            let before = if kept > 0 { &values[(kept - 1) * n..kept * n] } else { &self.last[..] };
            let same =
                before.len() == n && before.iter().zip(&values[now.clone()]).all(|(b, v)| b.to_bits() == v.to_bits());
            if !same {
                if kept < frame {
                    values.copy_within(now, kept * n);
                }
                kept += 1;
                self.rows += self.count as i64;
            }
            self.starts.push(self.rows - self.count as i64);
        }
        values.truncate(kept * n);
        if kept > 0 {
            self.last.clear();
            self.last.extend_from_slice(&values[(kept - 1) * n..]);
        }
        match &mut self.store {
            Store::Float(table) => table.append(values)?,
            // `as` saturates, and NaN becomes 0: both are visible in a picture and harmless here.
            Store::Int(table) => table.append(&values.iter().map(|v| v.round() as i32).collect::<Vec<i32>>())?,
        }
        self.offsets.append(&self.starts[first..])
    }

    /// Rows in the file after the last append.
    pub(super) fn stored_rows(&self) -> i64 {
        self.rows
    }
}

/// The `/VTKHDF` group of an open file.
pub(super) struct VtkHdf {
    points: Table<f64>,
    pub(super) fields: Vec<Field>,
    values: Table<f64>,
    point_offsets: Table<i64>,
    /// `PartOffsets` (which `CellOffsets` and `ConnectivityIdOffsets` are too) and `NumberOfParts` with the constant each repeats.
    constants: Vec<(Table<i64>, i64)>,
    nsteps: Attribute,
    times: Vec<f64>,
    committed: usize,
    pub(super) n_points: usize,
    pub(super) n_cells: usize,
}

impl VtkHdf {
    /// Creates the groups and writes the topology.
    pub(super) fn create(file: &hdf5::File, grid: &Grid, fields: &[FieldSpec], level: u8) -> Result<Self, Fault> {
        let (n_points, n_cells) = (grid.points.len(), grid.cell_types.len());
        let group = |parent: &Group, name: &str| parent.create_group(name).doing(|| format!("creating group {name}"));
        let root = group(file, "VTKHDF")?;
        let steps = group(&root, "Steps")?;
        let nsteps = steps
            .new_attr::<i64>()
            .create("NSteps")
            .and_then(|a| a.write_scalar(&0i64).map(|()| a))
            .doing(|| "creating Steps/NSteps".to_string())?;
        // First of all, with its index, so that they share a page with `NSteps`; see `publish`.
        let values = Table::create(&steps, "Values", 1, TIMES_CHUNK, 0)?;
        values.reserve(&INDEX_BLOCKS.map(|chunk| chunk * TIMES_CHUNK))?;
        let record = || -> hdf5::Result<()> {
            root.new_attr_builder().with_data(&[2i64, 0]).create("Version")?;
            // VTK wants a string of fixed length here.
            let kind =
                FixedAscii::<16>::from_ascii(b"UnstructuredGrid").map_err(|e| hdf5::Error::from(e.to_string()))?;
            root.new_attr::<FixedAscii<16>>().create("Type")?.write_scalar(&kind)?;
            let once = |name: &str, n: usize| root.new_dataset_builder().with_data(&[n as i64]).create(name).map(drop);
            once("NumberOfPoints", n_points)?;
            once("NumberOfCells", n_cells)?;
            once("NumberOfConnectivityIds", grid.connectivity.len())?;
            root.new_dataset_builder().with_data(&grid.cell_types).create("Types")?;
            root.new_dataset_builder().with_data(&grid.offsets).create("Offsets")?;
            root.new_dataset_builder().with_data(&grid.connectivity).create("Connectivity")?;
            Ok(())
        };
        record().doing(|| "writing the mesh".to_string())?;
        write_parts(file, grid)?;

        let book = |name: &str| Table::<i64>::create(&steps, name, 1, STEP_CHUNK, 0);
        let constants = vec![(book("PartOffsets")?, 0), (book("NumberOfParts")?, 1)];
        // the same zeros
        for name in ["CellOffsets", "ConnectivityIdOffsets"] {
            steps.link_hard("/VTKHDF/Steps/PartOffsets", name).doing(|| format!("creating Steps/{name}"))?;
        }
        let homes = [group(&root, "PointData")?, group(&root, "CellData")?];
        let books = [group(&steps, "PointDataOffsets")?, group(&steps, "CellDataOffsets")?];
        let fields = fields.iter().map(|spec| {
            let (side, count) = if spec.at == At::Points { (0, n_points) } else { (1, n_cells) };
            let (name, n) = (spec.name.as_str(), spec.components);
            let level = if spec.sparse && count * n * 8 >= SPARSE_BYTES { level.max(1) } else { level };
            let chunk = chunk_rows(count, n, level);
            let store = match spec.kind {
                FieldKind::Float => Store::Float(Table::create(&homes[side], name, n, chunk, level)?),
                FieldKind::Int32 => Store::Int(Table::create(&homes[side], name, n, chunk, level)?),
            };
            let dataset = match &store {
                Store::Float(table) => table.dataset(),
                Store::Int(table) => table.dataset(),
            };
            text_attribute(dataset, "unit", &spec.unit)?;
            text_attribute(dataset, "description", &spec.description)?;
            let offsets = Table::create(&books[side], name, 1, STEP_CHUNK, 0)?;
            Ok(Field { spec: spec.clone(), starts: Vec::new(), store, offsets, last: Vec::new(), count, rows: 0 })
        });
        Ok(Self {
            points: Table::create(&root, "Points", 3, chunk_rows(n_points, 3, level), level)?,
            fields: fields.collect::<Result<_, Fault>>()?,
            values,
            point_offsets: book("PointOffsets")?,
            constants,
            nsteps,
            times: Vec::new(),
            committed: 0,
            n_points,
            n_cells,
        })
    }

    /// Appends the frames of a batch. They count only after [`Self::publish`].
    pub(super) fn append(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        let (first, fresh) = (self.times.len(), batch.times.len());
        if fresh == 0 {
            return Ok(());
        }
        self.times.extend_from_slice(&batch.times);
        self.points.append(&batch.points)?;
        for (field, values) in self.fields.iter_mut().zip(&mut batch.values) {
            field.append(values, fresh)?;
        }
        let starts: Vec<i64> = (first..first + fresh).map(|i| (i * self.n_points) as i64).collect();
        self.point_offsets.append(&starts)?;
        for (table, value) in &mut self.constants {
            table.append(&vec![*value; fresh])?;
        }
        Ok(())
    }

    /// Adds the times and raises `NSteps`: from then on the appended frames count.
    ///
    /// VTK (9.7) reads all of `Values` into room for `NSteps` numbers and crashes if there are more, so the two must
    /// never be apart on disk. They lie in one page, with the index of the first 244 chunks of `Values`, and change in a
    /// flush of their own, where HDF5 writes that page in one go.
    pub(super) fn publish(&mut self) -> Result<(), Fault> {
        let steps = self.times.len();
        if steps > self.committed {
            self.values.append(&self.times[self.committed..])?;
            self.nsteps.write_scalar(&(steps as i64)).doing(|| "writing Steps/NSteps".to_string())?;
            self.committed = steps;
        }
        Ok(())
    }

    /// Frames in the file.
    pub(super) fn committed(&self) -> usize {
        self.committed
    }

    /// Times of all frames.
    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }
}

/// Rows per chunk for frames of `count` rows. Compressed chunks hold exactly one frame: a compressed chunk that grows
/// is moved within the file, and a kill during that loses it.
fn chunk_rows(count: usize, components: usize, level: u8) -> usize {
    let frame = (count * components * 8).max(1);
    if level > 0 { count } else { count * (CHUNK_BYTES / frame).max(1) }
}

fn write_parts(file: &hdf5::File, grid: &Grid) -> Result<(), Fault> {
    let write = || -> hdf5::Result<()> {
        let parts = file.create_group("parts")?;
        let names: Vec<VarLenUnicode> = grid.parts.iter().map(|p| unicode(&p.0)).collect();
        let kinds: Vec<VarLenUnicode> = grid.parts.iter().map(|p| unicode(&p.1)).collect();
        parts.new_dataset_builder().with_data(&names).create("names")?;
        let materials: Vec<VarLenUnicode> = grid.materials.iter().map(|m| unicode(m)).collect();
        parts.new_dataset_builder().with_data(&kinds).create("kinds")?;
        parts.new_dataset_builder().with_data(&materials).create("materials")?;
        let points = parts.new_dataset::<f64>().shape((grid.points.len(), 3)).create("initial_points")?;
        points.write_raw(grid.points.as_flattened())
    };
    write().doing(|| "writing /parts".to_string())
}

/// Writes `/case`; the outcome is `running` until [`write_outcome`].
pub(super) fn write_case(file: &hdf5::File, case: &CaseRecord) -> Result<(), Fault> {
    let write = || -> hdf5::Result<Group> {
        let group = file.create_group("case")?;
        group.new_dataset::<VarLenUnicode>().create("text")?.write_scalar(&unicode(&case.text))?;
        group.new_attr::<f64>().create("wall_clock_seconds")?.write_scalar(&f64::NAN)?;
        Ok(group)
    };
    let group = write().doing(|| "writing /case".to_string())?;
    text_attribute(&group, "file_name", &case.file_name)?;
    text_attribute(&group, "version", &case.version)?;
    text_attribute(&group, "commit", &case.commit)?;
    text_attribute(&group, "outcome", "running")?;
    let settings = group.create_group("settings").doing(|| "creating /case/settings".to_string())?;
    for (name, value) in &case.settings {
        text_attribute(&settings, name, value)?;
    }
    Ok(())
}

/// Closes `/case` with the wall-clock time and how the run ended.
pub(super) fn write_outcome(file: &hdf5::File, seconds: f64, outcome: &str) -> Result<(), Fault> {
    let write = || -> hdf5::Result<()> {
        let group = file.group("case")?;
        group.attr("wall_clock_seconds")?.write_scalar(&seconds)?;
        // Made anew: the text before it stays in the file, where a kill in between finds it.
        group.delete_attr("outcome")?;
        group.new_attr::<VarLenUnicode>().create("outcome")?.write_scalar(&unicode(outcome))?;
        file.flush()
    };
    write().doing(|| "writing the outcome into /case".to_string())
}
