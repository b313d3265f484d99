//! `impakt post`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use impakt::post;

use super::output::{check_made, failed, say, wrong_input};

/// Shown below the options.
pub(super) const EXAMPLES: &str = "Examples:
  impakt post results/b_friction_02.vtkhdf                      ledger, dissipation, extremes, rebound
  impakt post results/b_friction_02.vtkhdf --csv history.csv    every column of the history
  impakt post results/b_friction_02.vtkhdf --plot figures       energies, reactions, ... as SVG and PNG
  impakt post results/a.vtkhdf results/b.vtkhdf --plot figures  both in each chart
  impakt post results/b_friction_02.vtkhdf --html report.html   one file for a browser, with an animation";

#[derive(Args)]
pub(super) struct PostArguments {
    /// Result files
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Write charts (energies, drift, reactions, contacts, probes, iterations) into this folder, as SVG and PNG; several
    /// results share each chart
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Write a report in one HTML file: curves to point at, the deforming meshes coloured by any field; needs no network
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Write the whole history of one result as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Reports on results.
pub(super) fn post_results(arguments: &PostArguments) -> ExitCode {
    let results: Vec<&Path> = arguments.results.iter().map(PathBuf::as_path).collect();
    if arguments.csv.is_some() && results.len() > 1 {
        return wrong_input("error: --csv writes the history of one result; call it for each");
    }
    for (option, file) in [("--csv", &arguments.csv), ("--html", &arguments.html)] {
        if let Some(file) = file
            && let Err(message) = check_made(option, file, &results)
        {
            return wrong_input(message);
        }
    }
    if let Some(folder) = arguments.plot.as_ref().filter(|folder| folder.exists() && !folder.is_dir()) {
        return wrong_input(format!("error: --plot {}: exists and is not a folder", folder.display()));
    }
    for (k, result) in results.iter().enumerate() {
        match post::ledger::report(result) {
            Ok(report) => say(&format!("{}{report}", if k > 0 { "\n" } else { "" })),
            Err(error) => return wrong_input(format!("error: {error}")),
        }
    }
    if results.len() > 1 {
        match post::compare::table(&arguments.results) {
            Ok(table) => say(&format!("\n{table}")),
            Err(error) => return wrong_input(format!("error: {error}")),
        }
    }
    if let (Some(csv), [result]) = (&arguments.csv, results.as_slice()) {
        if let Err(error) = post::csv::write(result, csv) {
            return failed(error);
        }
        say(&format!("history: {}", csv.display()));
    }
    if let Some(folder) = &arguments.plot {
        let written = post::charts::charts(&arguments.results).and_then(|charts| post::charts::write(folder, &charts));
        match written {
            Ok(files) => say(&format!("charts: {} files in {}", files.len(), folder.display())),
            Err(error) => return failed(error),
        }
    }
    if let Some(html) = &arguments.html {
        if let Err(error) = post::html::write(&arguments.results, html) {
            return failed(error);
        }
        say(&format!("report: {}", html.display()));
    }
    ExitCode::SUCCESS
}
