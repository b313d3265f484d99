//! `/history`: one growing dataset per quantity, one row per time step. Also the growing dataset itself ([`Table`]), which
//! the frames use too, and the errors below the level that knows the file's path ([`Fault`]).

use std::marker::PhantomData;
use std::path::Path;

use hdf5::types::VarLenUnicode;
use hdf5::{Attribute, Dataset, Group, H5Type, Location};

use super::{HistorySpec, OutputError};

/// Rows per chunk: 2 kB for a scalar. The last chunk of every column is written anew with each commit.
const HISTORY_CHUNK: usize = 256;

/// An error below the level that knows the file: what was being done, and why it failed.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) what: String,
    pub(super) reason: String,
}

impl Fault {
    pub(super) fn at(self, path: &Path) -> OutputError {
        OutputError::Hdf5 { path: path.to_path_buf(), what: self.what, reason: self.reason }
    }
}

/// Adds what was being done to an HDF5 error.
pub(super) trait Doing<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Fault>;
}

impl<T> Doing<T> for Result<T, hdf5::Error> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Fault> {
        self.map_err(|e| Fault { what: what(), reason: reason(&e) })
    }
}

/// The part of an HDF5 error stack that says something: the system's message if there is one (full disk, rights),
/// else the outermost and the innermost line.
pub(super) fn reason(error: &hdf5::Error) -> String {
    let Some(stack) = error.stack() else { return error.to_string() };
    for frame in stack.iter() {
        if let Some((_, tail)) = frame.desc().split_once("error message = '")
            && let Some((message, _)) = tail.split_once('\'')
        {
            return message.to_string();
        }
    }
    match (stack.first(), stack.last()) {
        (Some(a), Some(b)) if a.desc() != b.desc() => format!("{} ({})", a.desc(), b.desc()),
        (Some(a), _) => a.desc().to_string(),
        _ => error.to_string(),
    }
}

/// A dataset that grows by rows. The handle stays open: opening by name costs more than a small write.
pub(super) struct Table<T> {
    dataset: Dataset,
    name: String,
    rows: usize,
    components: usize,
    kind: PhantomData<T>,
}

impl<T: H5Type + Default> Table<T> {
    /// Creates an empty table; one component gives a 1-D dataset.
    pub(super) fn create(
        group: &Group,
        name: &str,
        components: usize,
        chunk: usize,
        compression: u8,
    ) -> Result<Self, Fault> {
        let what = || format!("creating {}/{name}", group.name());
        let builder = group.new_dataset::<T>();
        let builder = if compression > 0 { builder.shuffle().deflate(compression) } else { builder };
        let chunk = chunk.max(1);
        let dataset = if components == 1 {
            builder.chunk((chunk,)).shape((0..,)).create(name)
        } else {
            builder.chunk((chunk, components)).shape((0.., components)).create(name)
        }
        .doing(what)?;
        let name = dataset.name();
        Ok(Self { dataset, name, rows: 0, components, kind: PhantomData })
    }

    pub(super) fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Has the index of an empty 1-D table make room for the chunks of these rows.
    pub(super) fn reserve(&self, rows: &[usize]) -> Result<(), Fault> {
        let reserve = || -> hdf5::Result<()> {
            self.dataset.resize(rows.iter().max().map_or(0, |last| last + 1))?;
            for row in rows {
                self.dataset.write_slice(&[T::default()], *row..row + 1)?;
            }
            // the index learns of a chunk when it leaves the cache
            self.dataset.file()?.flush()?;
            self.dataset.resize(0)
        };
        reserve().doing(|| format!("making room for {}", self.name))
    }

    /// Appends rows given as one flat array.
    pub(super) fn append(&mut self, flat: &[T]) -> Result<(), Fault> {
        let added = flat.len() / self.components;
        if added == 0 {
            return Ok(());
        }
        let end = self.rows + added;
        let grown =
            if self.components == 1 { self.dataset.resize(end) } else { self.dataset.resize((end, self.components)) };
        grown
            .and_then(|()| match self.components {
                1 => self.dataset.write_slice(flat, self.rows..end),
                2 => self.write_rows::<2>(flat, end),
                3 => self.write_rows::<3>(flat, end),
                4 => self.write_rows::<4>(flat, end),
                5 => self.write_rows::<5>(flat, end),
                6 => self.write_rows::<6>(flat, end),
                7 => self.write_rows::<7>(flat, end),
                8 => self.write_rows::<8>(flat, end),
                9 => self.write_rows::<9>(flat, end),
                n => Err(hdf5::Error::Internal(format!("{n} components; 1 to 9 can be stored"))),
            })
            .doing(|| format!("writing rows {} to {end} of {}", self.rows, self.name))?;
        self.rows = end;
        Ok(())
    }

    fn write_rows<const N: usize>(&self, flat: &[T], end: usize) -> hdf5::Result<()> {
        let (rows, _) = flat.as_chunks::<N>();
        self.dataset.write_slice::<_, T, _, _>(rows, (self.rows..end, ..))
    }
}

/// Stores text as an attribute.
pub(super) fn text_attribute(place: &Location, name: &str, value: &str) -> Result<Attribute, Fault> {
    place
        .new_attr::<VarLenUnicode>()
        .create(name)
        .and_then(|a| a.write_scalar(&unicode(value)).map(|()| a))
        .doing(|| format!("writing attribute {name} of {}", place.name()))
}

/// Text as HDF5 stores it; a NUL would end it early.
pub(super) fn unicode(value: &str) -> VarLenUnicode {
    // Without NUL the conversion cannot fail.
    value.replace('\0', "\u{fffd}").parse().unwrap_or_default()
}

/// Checks history descriptions before anything is created.
pub(super) fn check(specs: &[HistorySpec]) -> Result<(), String> {
    for (i, s) in specs.iter().enumerate() {
        let bad = |part: &str| part.is_empty() || part == "." || part.contains('\0');
        if bad(&s.name) || s.name.contains('/') || (!s.group.is_empty() && s.group.split('/').any(bad)) {
            return Err(format!("history quantity {:?} in group {:?} cannot be stored", s.name, s.group));
        }
        if !(1..=9).contains(&s.components) {
            return Err(format!("history quantity {} has {} components; 1 to 9 can be stored", s.name, s.components));
        }
        if specs[..i].iter().any(|t| t.name == s.name && t.group == s.group) {
            return Err(format!("history quantity {} is given twice in group {:?}", s.name, s.group));
        }
    }
    Ok(())
}

enum Column {
    Float(Table<f64>),
    Int(Table<i64>),
}

/// The history of an open file.
pub(super) struct History {
    columns: Vec<(usize, Column)>,
    width: usize,
    rows: usize,
    count: Attribute,
}

impl History {
    /// Creates `/history` with its groups and empty datasets.
    pub(super) fn create(file: &hdf5::File, specs: &[HistorySpec]) -> Result<Self, Fault> {
        let group = |path: &str| {
            let mut here = file.group("history")?;
            for part in path.split('/').filter(|p| !p.is_empty()) {
                here = if here.link_exists(part) { here.group(part)? } else { here.create_group(part)? };
            }
            Ok(here)
        };
        let count = file
            .create_group("history")
            .and_then(|g| g.new_attr::<i64>().create("rows"))
            .and_then(|a| a.write_scalar(&0i64).map(|()| a))
            .doing(|| "creating /history".to_string())?;
        let columns = specs.iter().map(|s| {
            let home = group(&s.group).doing(|| format!("creating /history/{}", s.group))?;
            // Never compressed: a compressed chunk that grows moves within the file, and a kill then loses it.
            let column = if s.integer {
                Column::Int(Table::create(&home, &s.name, s.components, HISTORY_CHUNK, 0)?)
            } else {
                Column::Float(Table::create(&home, &s.name, s.components, HISTORY_CHUNK, 0)?)
            };
            let dataset = match &column {
                Column::Float(t) => t.dataset(),
                Column::Int(t) => t.dataset(),
            };
            text_attribute(dataset, "unit", &s.unit)?;
            text_attribute(dataset, "description", &s.description)?;
            Ok((s.components, column))
        });
        let columns = columns.collect::<Result<Vec<_>, Fault>>()?;
        let width = specs.iter().map(|s| s.components).sum();
        Ok(Self { columns, width, rows: 0, count })
    }

    /// Rows in the file.
    pub(super) fn stored_rows(&self) -> usize {
        self.rows
    }

    /// Appends rows that lie one after the other. They count only after [`Self::publish`].
    pub(super) fn append(&mut self, rows: &[f64]) -> Result<(), Fault> {
        let rows = rows.chunks_exact(self.width.max(1));
        let added = rows.len();
        if added == 0 {
            return Ok(());
        }
        let mut first = 0;
        for (n, column) in &mut self.columns {
            let values = rows.clone().flat_map(|row| &row[first..first + *n]);
            match column {
                Column::Float(t) => t.append(&values.copied().collect::<Vec<f64>>())?,
                Column::Int(t) => t.append(&values.map(|v| v.round() as i64).collect::<Vec<i64>>())?,
            }
            first += *n;
        }
        self.rows += added;
        Ok(())
    }

    /// Raises the attribute `rows` of `/history` to the rows appended: what lies beyond it in a dataset belongs to a
    /// commit that was cut off.
    pub(super) fn publish(&mut self) -> Result<(), Fault> {
        self.count.write_scalar(&(self.rows as i64)).doing(|| "writing the number of history rows".to_string())
    }
}
