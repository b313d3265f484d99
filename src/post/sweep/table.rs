//! The table of a study, for people and for programs. What a run cost stands apart: two studies of the same runs have the
//! same table.

use std::fmt::Write as _;

use super::super::column::Measure;
use super::{Axis, Row};

/// The table for people.
pub fn table(axes: &[Axis], measures: &[Measure], rows: &[Row]) -> String {
    let mut header: Vec<String> = axes.iter().map(|a| a.path.clone()).collect();
    header.push("outcome".to_owned());
    header.push("steps".to_owned());
    header.extend(measures.iter().map(ToString::to_string));
    let line = |row: &Row| {
        let mut cells = row.combination.values.clone();
        cells.push(first_words(&row.outcome));
        cells.push(row.steps.to_string());
        cells.extend(row.values.iter().map(|v| number(*v)));
        cells
    };
    // columns that are zero in every run say nothing
    let first = axes.len() + 2;
    let idle = |k: usize| {
        (first..first + measures.len()).contains(&k)
            && rows.iter().all(|r| matches!(r.values[k - first], v if v == 0.0 || v.is_nan()))
    };
    let shown: Vec<usize> = (0..header.len()).filter(|k| !idle(*k)).collect();
    let pick = |cells: &[String]| shown.iter().map(|&k| cells[k].clone()).collect::<Vec<String>>();
    let cells: Vec<Vec<String>> = std::iter::once(header).chain(rows.iter().map(line)).map(|c| pick(&c)).collect();
    aligned(&cells)
}

/// Lines of cells, each column as wide as its widest cell.
pub(super) fn aligned(lines: &[Vec<String>]) -> String {
    let length = |text: &String| text.chars().count();
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(|k| lines.iter().map(|l| length(&l[k])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let padded: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        // writing to a string cannot fail
        let _ = writeln!(text, "{}", padded.join("  "));
    }
    text
}

pub(super) fn number(value: f64) -> String {
    if value.is_nan() { "-".to_owned() } else { format!("{value:.5e}") }
}

/// The start of a message: the rest is in the log.
fn first_words(text: &str) -> String {
    const MOST: usize = 28;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MOST { line.to_owned() } else { line.chars().take(MOST - 1).chain(['…']).collect() }
}

/// The table for programs.
pub fn csv(axes: &[Axis], measures: &[Measure], rows: &[Row]) -> String {
    let mut header: Vec<String> = axes.iter().map(|a| a.path.clone()).collect();
    header.extend(["result", "outcome", "steps", "initial_energy"].map(str::to_owned));
    header.extend(measures.iter().map(ToString::to_string));
    let line = |row: &Row| {
        let mut cells = row.combination.values.clone();
        cells.push(format!("{}.vtkhdf", row.combination.name));
        cells.extend([row.outcome.clone(), row.steps.to_string(), format!("{:?}", row.initial)]);
        cells.extend(row.values.iter().map(|v| format!("{v:?}")));
        cells
    };
    comma_separated(std::iter::once(header).chain(rows.iter().map(line)))
}

/// What each run cost.
pub fn costs(axes: &[Axis], rows: &[Row]) -> String {
    let mut header: Vec<String> = axes.iter().map(|a| a.path.clone()).collect();
    header.extend(["result", "seconds"].map(str::to_owned));
    let line = |row: &Row| {
        let mut cells = row.combination.values.clone();
        cells.extend([format!("{}.vtkhdf", row.combination.name), format!("{:?}", row.seconds)]);
        cells
    };
    comma_separated(std::iter::once(header).chain(rows.iter().map(line)))
}

/// Lines of cells with commas between them; a cell with a comma or a quote of its own stands in quotes.
pub(super) fn comma_separated(lines: impl Iterator<Item = Vec<String>>) -> String {
    let quoted = |text: &String| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " ")),
        false => text.clone(),
    };
    lines.map(|line| line.iter().map(quoted).collect::<Vec<String>>().join(",") + "\n").collect()
}
