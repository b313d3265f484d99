//! `/VTKHDF/FieldData`: what belongs to a frame as a whole. ParaView's *Plot Global Variables Over Time* draws it.
//!
//! The ledger and the other global quantities of `/history` are shown there without being stored twice: each is a hard
//! link to its history dataset, and `Steps/FieldDataOffsets` tells the history row of each frame (one dataset, linked under
//! every name). The names of parts and materials are strings in the order of the cell fields `body` and `material`.

use hdf5::types::VarLenAscii;
use hdf5::{Dataset, Group};

use super::history::{Doing, Fault, Table};
use super::{Grid, HistorySpec};

/// Bookkeeping of the field data of an open file.
pub(super) struct FieldData {
    /// History row of each frame.
    rows: Vec<i64>,
    offsets: Option<Table<i64>>,
    /// For each list of names: its `FieldDataSizes`, and how many names there are.
    names: Vec<(Table<i64>, i64)>,
    /// Energies of the ledger, which the sidecar shows too.
    ledger: Vec<String>,
}

impl FieldData {
    /// Links the history, which must be there already, and writes the names.
    pub(super) fn create(
        file: &hdf5::File,
        grid: &Grid,
        specs: &[HistorySpec],
        steps_chunk: usize,
    ) -> Result<Self, Fault> {
        let what = || "creating /VTKHDF/FieldData".to_string();
        let (root, steps) = (file.group("VTKHDF").doing(what)?, file.group("VTKHDF/Steps").doing(what)?);
        let home = root.create_group("FieldData").doing(what)?;
        let books = steps.create_group("FieldDataOffsets").doing(what)?;
        let sizes = steps.create_group("FieldDataSizes").doing(what)?;
        let mut offsets = None;
        // readers show the time of a frame themselves
        let shown: Vec<&HistorySpec> = specs.iter().filter(|s| s.group.is_empty() && s.name != "time").collect();
        for spec in &shown {
            home.link_hard(&format!("/history/{}", spec.name), &spec.name).doing(what)?;
            match &offsets {
                None => offsets = Some(Table::create(&books, &spec.name, 1, steps_chunk, 0)?),
                Some(table) => books.link_hard(&table.dataset().name(), &spec.name).doing(what)?,
            }
        }
        let mut names = Vec::new();
        let parts: Vec<&str> = grid.parts.iter().map(|p| p.0.as_str()).collect();
        let materials: Vec<&str> = grid.materials.iter().map(String::as_str).collect();
        for (name, list) in [("body_names", parts), ("material_names", materials)] {
            if !list.is_empty() {
                write_names(&home, name, &list).doing(what)?;
                // zero for each frame, as the names need it
                books.link_hard("/VTKHDF/Steps/PartOffsets", name).doing(what)?;
                names.push((Table::create(&sizes, name, 2, steps_chunk, 0)?, list.len() as i64));
            }
        }
        let ledger = shown.iter().filter(|s| s.unit == "J" && s.components == 1).map(|s| s.name.clone()).collect();
        Ok(Self { rows: Vec::new(), offsets, names, ledger })
    }

    /// Appends what belongs to frames with these history rows.
    pub(super) fn append(&mut self, rows: &[i64]) -> Result<(), Fault> {
        if let Some(offsets) = &mut self.offsets {
            offsets.append(rows)?;
        }
        for (table, count) in &mut self.names {
            table.append(&[1, *count].repeat(rows.len()))?;
        }
        self.rows.extend_from_slice(rows);
        Ok(())
    }

    /// The energies of the ledger.
    pub(super) fn ledger(&self) -> &[String] {
        &self.ledger
    }

    /// History row of a frame.
    pub(super) fn row(&self, frame: usize) -> usize {
        self.rows.get(frame).map_or(0, |row| *row as usize)
    }
}

/// VTK reads strings of variable length in ASCII only; `/parts/names` has them as they are.
fn write_names(home: &Group, name: &str, list: &[&str]) -> hdf5::Result<Dataset> {
    let plain = |text: &&str| -> VarLenAscii {
        let ascii: String = text.chars().map(|c| if c.is_ascii() && c != '\0' { c } else { '?' }).collect();
        VarLenAscii::from_ascii(&ascii).unwrap_or_default()
    };
    let all: Vec<VarLenAscii> = list.iter().map(plain).collect();
    home.new_dataset_builder().with_data(&all).create(name)
}
