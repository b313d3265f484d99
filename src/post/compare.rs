//! Several results side by side, one line each.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::column::column;
use super::ledger::SHARES;
use super::{PostError, charts};
use crate::output::ResultFile;

/// Where the energy of each result is at its end, and its largest stress. Columns that are zero in all of them are left out.
///
/// # Errors
/// A file cannot be read.
pub fn table(results: &[PathBuf]) -> Result<String, PostError> {
    let mut header = vec!["at the start".to_owned()];
    header.extend(SHARES.iter().map(|(label, _)| (*label).to_owned()));
    header.extend(["work of loads", "work of contact", "largest stress [Pa]"].map(str::to_owned));
    let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
    for path in results {
        let file = ResultFile::open(path)?;
        // files of older versions, and of other schemes, lack some columns
        let of = |name: &str| column(&file, name).unwrap_or_default();
        let end = |name: &str| of(name).last().copied().unwrap_or(0.0);
        let mut row = vec![of("total_energy").first().copied().unwrap_or(0.0)];
        row.extend(SHARES.iter().map(|(_, name)| end(name)));
        row.extend([end("external_work"), end("contact_work")]);
        row.push(of("max_von_mises").into_iter().fold(0.0, f64::max));
        rows.push((charts::name(path, results), row));
    }
    let shown: Vec<usize> = (0..header.len()).filter(|k| rows.iter().any(|(_, row)| row[*k] != 0.0)).collect();
    let names = rows.iter().map(|(name, _)| name.chars().count()).chain(["energy [J]".len()]).max().unwrap_or(0);
    let width = |k: usize| header[k].chars().count().max(12);
    let mut text = format!("{:<names$}", "energy [J]");
    for &k in &shown {
        let _ = write!(text, "  {:>width$}", header[k], width = width(k));
    }
    for (name, row) in &rows {
        let _ = write!(text, "\n{name:<names$}");
        for &k in &shown {
            let _ = write!(text, "  {:>width$.5e}", row[k], width = width(k));
        }
    }
    Ok(text)
}
