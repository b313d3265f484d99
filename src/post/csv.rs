//! The whole history as comma-separated values, one column for each component.

use std::fmt::Write as _;
use std::path::Path;

use super::PostError;
use crate::output::ResultFile;

/// Writes the history of `result` to `csv`. The header gives `name[unit]`, components are numbered from 0.
pub fn write(result: &Path, csv: &Path) -> Result<(), PostError> {
    let file = ResultFile::open(result)?;
    let mut header = Vec::new();
    let mut columns = Vec::new();
    for info in file.histories()? {
        let values = file.history(&info.name)?;
        for c in 0..values.components {
            let suffix = if values.components > 1 { format!("/{c}") } else { String::new() };
            header.push(format!("{}{suffix} [{}]", info.name, info.unit));
            columns.push((0..values.rows()).map(|i| values.row(i)[c]).collect::<Vec<f64>>());
        }
    }
    // time first: spreadsheets plot against the first column
    if let Some(time) = header.iter().position(|h| h.starts_with("time ")) {
        header[..=time].rotate_right(1);
        columns[..=time].rotate_right(1);
    }
    let mut text = header.join(",");
    text.push('\n');
    for row in 0..columns.iter().map(Vec::len).min().unwrap_or(0) {
        for (k, column) in columns.iter().enumerate() {
            let comma = if k > 0 { "," } else { "" };
            // writing to a string cannot fail
            let _ = write!(text, "{comma}{:?}", column[row]);
        }
        text.push('\n');
    }
    std::fs::write(csv, text).map_err(|source| PostError::Write { path: csv.to_path_buf(), source })
}
