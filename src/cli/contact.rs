//! `impakt contact`: stored friction-contact problems solved, measured and timed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use impakt::contact::fclib;
use impakt::contact::problem::LocalProblem;
use impakt::contact::quality::Quality;
use impakt::contact::solvers::{ALL, Entry, SolverError};

use super::output::failed;
use super::{say, wrong_input};

#[derive(Args)]
pub(super) struct ContactArguments {
    /// Problems in FCLIB's HDF5 form, local or global, 2D or 3D
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// hybrid, newton, bipotential_newton, gauss_seidel, jacobi, uzawa, extragradient, projected_gradient or all
    #[arg(long, default_value = "hybrid")]
    solver: String,
    /// Wanted error: natural map relative to |q|
    #[arg(long, default_value_t = 1e-8)]
    tol: f64,
    /// Most iterations of a solver [default: its own]
    #[arg(long)]
    max_iterations: Option<usize>,
    /// Write the table as comma-separated values
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// One line of the table.
struct Row {
    problem: String,
    points: usize,
    dim: usize,
    solver: &'static str,
    iterations: usize,
    seconds: f64,
    quality: Quality,
    solved: bool,
}

/// Times that a solver is called again with a tighter tolerance of its own until the wanted measure holds.
const ROUNDS: usize = 6;

/// Solves every file with every solver asked for. Exit code 1 where one did not reach the tolerance.
pub(super) fn solve_files(arguments: &ContactArguments) -> ExitCode {
    if !(arguments.tol > 0.0 && arguments.tol < 1.0) {
        return wrong_input(format!("error: --tol {}: must be between 0 and 1", arguments.tol));
    }
    if arguments.max_iterations == Some(0) {
        return wrong_input("error: --max-iterations 0: must be at least 1");
    }
    let wanted = arguments.solver.as_str();
    let solvers: Vec<Entry> = ALL.into_iter().filter(|entry| wanted == "all" || entry.name == wanted).collect();
    if solvers.is_empty() {
        let known = ALL.map(|entry| entry.name).join(", ");
        return wrong_input(format!("error: --solver {wanted}: unknown; one of {known}, all"));
    }
    // all files are read before the first is solved: a wrong one costs no time
    let mut problems = Vec::new();
    for file in &arguments.files {
        match fclib::read(file) {
            Ok(problem) => problems.push((name_of(file), problem)),
            Err(error) => return wrong_input(format!("error: {error}")),
        }
    }
    let width = problems.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(7);
    say(&format!(
        "{:<width$} {:>6}  {:<18} {:>10} {:>10} {:>9} {:>9} {:>11} {:>9}",
        "problem", "points", "solver", "iterations", "time [s]", "error/|q|", "siconos", "penetration", "cone"
    ));
    let mut rows = Vec::new();
    for (name, problem) in &problems {
        for solver in &solvers {
            let row = solve(name, problem, solver, arguments);
            let quality = &row.quality;
            say(&format!(
                "{:<width$} {:>6}  {:<18} {:>10} {:>10.4} {:>9.2e} {:>9.2e} {:>11.2e} {:>9.2e}{}",
                row.problem,
                row.points,
                row.solver,
                row.iterations,
                row.seconds,
                quality.relative_to_q,
                quality.siconos,
                quality.penetration,
                quality.cone,
                if row.solved { "" } else { "  not solved" }
            ));
            rows.push(row);
        }
    }
    if let Some(path) = &arguments.csv
        && let Err(error) = std::fs::write(path, table(&rows))
    {
        return failed(format!("cannot write {}: {error}", path.display()));
    }
    if rows.iter().all(|row| row.solved) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// Solves from zero. Solvers stop by their own residual; the published measure is another, so the tolerance is tightened
/// until that one holds. The time of all rounds counts.
fn solve(name: &str, problem: &LocalProblem, solver: &Entry, arguments: &ContactArguments) -> Row {
    let mut r = vec![0.0; problem.q.len()];
    let (mut own, mut iterations) = (arguments.tol, 0);
    let start = Instant::now();
    let mut round = 0;
    loop {
        let left = arguments.max_iterations.map(|most| most.saturating_sub(iterations).max(1));
        let outcome = (solver.build)(own, left).solve(problem, &mut r);
        iterations += match &outcome {
            Ok(report) => report.iterations,
            Err(SolverError::NotConverged { iterations, .. } | SolverError::Diverged { iterations, .. }) => *iterations,
            Err(SolverError::NoRows { .. } | SolverError::NoRoom(_)) => 0,
        };
        let quality = Quality::of(problem, &r);
        round += 1;
        let solved = quality.relative_to_q <= arguments.tol;
        if solved || outcome.is_err() || round == ROUNDS {
            let seconds = start.elapsed().as_secs_f64();
            let (points, dim, solver) = (problem.len(), problem.dim, solver.name);
            return Row { problem: name.to_owned(), points, dim, solver, iterations, seconds, quality, solved };
        }
        // both measures fall together
        own = (0.3 * quality.residual * arguments.tol / quality.relative_to_q).max(1e-16);
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "problem,points,dim,solver,iterations,seconds,error_q,error_siconos,residual,penetration,cone,solved\n",
    );
    for row in rows {
        let q = &row.quality;
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.6},{:e},{:e},{:e},{:e},{:e},{}",
            row.problem.replace(',', "_"),
            row.points,
            row.dim,
            row.solver,
            row.iterations,
            row.seconds,
            q.relative_to_q,
            q.siconos,
            q.residual,
            q.penetration,
            q.cone,
            row.solved
        );
    }
    text
}
