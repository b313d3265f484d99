//! What the run-level tests share: running a case in memory, reading its history, and failing with numbers.
#![allow(dead_code)] // each test crate uses its own part

pub mod ball;
#[path = "../claims/mod.rs"]
pub mod claims;

use impakt::case::{self, Case};
use impakt::simulation::{RunError, RunOptions, Simulation, Summary};

/// Absolute path of a file of the repository.
pub fn path(relative: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// A case file of the repository with `--set` arguments.
pub fn case(relative: &str, sets: &[&str]) -> Case {
    let text = std::fs::read_to_string(path(relative)).unwrap_or_else(|e| panic!("{relative}: {e}"));
    case_from(&text, relative, sets)
}

/// A case from its text.
pub fn case_from(text: &str, name: &str, sets: &[&str]) -> Case {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    case::parse(text, name, &sets).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs in memory, whatever comes of it.
pub fn try_run(case: &Case) -> Result<Summary, RunError> {
    start(case).run(&RunOptions::default(), &mut |_| true)
}

/// A case at its start.
pub fn start(case: &Case) -> Simulation {
    case::simulation(case).unwrap_or_else(|e| panic!("{}: {e}", case.file_name))
}

/// Runs in memory to the end.
pub fn run(case: &Case) -> Summary {
    try_run(case).unwrap_or_else(|e| panic!("{}: {e}", case.file_name))
}

/// Runs a case file of the repository in memory.
pub fn run_file(relative: &str, sets: &[&str]) -> Summary {
    run(&case(relative, sets))
}

/// A column of the history; a wrong path names itself.
pub fn column(summary: &Summary, path: &str) -> Vec<f64> {
    summary.history.column(path).unwrap_or_else(|| panic!("the history has no column `{path}`"))
}

/// Place of the largest value.
pub fn argmax(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best })
}

/// Place of the smallest value.
pub fn argmin(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, k| if values[k] < values[best] { k } else { best })
}

/// Largest value.
pub fn max(values: &[f64]) -> f64 {
    values[argmax(values)]
}

/// Smallest value.
pub fn min(values: &[f64]) -> f64 {
    values[argmin(values)]
}

/// Last value.
pub fn last(values: &[f64]) -> f64 {
    values[values.len() - 1]
}

/// Row whose time is nearest to `t`.
pub fn row_at(summary: &Summary, t: f64) -> usize {
    let times = column(summary, "time");
    let distance: Vec<f64> = times.iter().map(|x| (x - t).abs()).collect();
    argmin(&distance)
}

/// Largest absolute difference.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "columns of different length");
    a.iter().zip(b).fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

/// Largest absolute value.
pub fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

/// `|measured − expected| ≤ tolerance`, with everything needed to start work when it is not.
#[track_caller]
pub fn near(what: &str, measured: f64, expected: f64, tolerance: f64) {
    claims::record(what, "=", measured, expected, tolerance);
    println!("{what}: measured {measured:.8e}, expected {expected:.6e} ± {tolerance:.2e}");
    assert!(
        (measured - expected).abs() <= tolerance,
        "{what}: measured {measured:.8e}, expected {expected:.8e} ± {tolerance:.2e}, off by {:.2e}",
        measured - expected
    );
}

/// `measured ≤ limit`.
#[track_caller]
pub fn at_most(what: &str, measured: f64, limit: f64) {
    claims::record(what, "<=", measured, limit, 0.0);
    println!("{what}: measured {measured:.4e}, limit {limit:.2e}");
    assert!(measured <= limit, "{what}: measured {measured:.6e}, allowed at most {limit:.2e}");
}

/// `measured ≥ limit`.
#[track_caller]
pub fn at_least(what: &str, measured: f64, limit: f64) {
    claims::record(what, ">=", measured, limit, 0.0);
    println!("{what}: measured {measured:.4e}, at least {limit:.2e}");
    assert!(measured >= limit, "{what}: measured {measured:.6e}, expected at least {limit:.2e}");
}
