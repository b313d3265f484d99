//! Contact solvers on the engine's own condensed problems (`tests/data/contact`, dumped by `impakt run --dump-contact`): time from zero
//! to 1e-10, each solver beside the default in the same run. Prints a table and writes it as JSON below `target/bench/`.
//!
//!     cargo bench --bench contact -- [FOLDER...] [only=uzawa,gauss_seidel,hybrid]
//!
//! With folders, the problems in each of them (the dumps of whole runs), summed folder by folder. One thread; the best of several
//! repetitions, each long enough for the clock.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use impakt::contact::fclib;
use impakt::contact::problem::LocalProblem;
use impakt::contact::solvers::{ALL, Entry};

/// Seconds of one solution, and whether it reached the tolerance.
fn timed(entry: &Entry, problem: &LocalProblem) -> (f64, bool) {
    let mut solver = (entry.build)(1e-10, None);
    let mut r = vec![0.0; problem.q.len()];
    let mut once = || {
        r.fill(0.0);
        solver.solve(problem, &mut r).is_ok()
    };
    let start = Instant::now();
    let solved = once();
    let first = start.elapsed().as_secs_f64();
    let repeats = ((2e-3 / first.max(1e-7)) as usize).clamp(1, 2000);
    let mut best = first;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..repeats {
            once();
        }
        best = best.min(start.elapsed().as_secs_f64() / repeats as f64);
    }
    (best, solved)
}

/// The problems of a folder in order of their names.
fn problems(folder: &Path) -> Result<Vec<(String, LocalProblem)>, String> {
    let listing = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = listing.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "hdf5"));
    files.sort();
    let name = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    files.iter().map(|file| Ok((name(file), fclib::read(file).map_err(|error| error.to_string())?))).collect()
}

/// What the solvers needed for the problems of one run.
struct Run {
    name: String,
    problems: usize,
    seconds: Vec<f64>,
    unsolved: Vec<usize>,
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut only) = (Vec::new(), Vec::new());
    // cargo itself adds an option
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match argument.strip_prefix("only=") {
            Some(names) => only.extend(names.split(',').map(str::to_owned)),
            None => folders.push(argument),
        }
    }
    let wanted =
        |entry: &Entry| only.is_empty() || entry.name == "hybrid" || only.iter().any(|name| name == entry.name);
    let entries: Vec<Entry> = ALL.into_iter().filter(wanted).collect();
    let own = folders.is_empty();
    if own {
        folders.push(root.join("tests/data/contact").to_string_lossy().into_owned());
    }
    let mut json = String::from("[");
    let mut runs: Vec<Run> = Vec::new();
    println!("{:<36} {:>6}  {:<20} {:>12} {:>12}", "problem", "points", "solver", "time [µs]", "over default");
    for folder in &folders {
        let found = problems(Path::new(folder)).unwrap_or_else(|error| {
            eprintln!("{error}");
            std::process::exit(2);
        });
        for (name, problem) in found {
            let times: Vec<_> = entries.iter().map(|entry| (entry.name, timed(entry, &problem))).collect();
            let default = times.iter().find(|(name, _)| *name == "hybrid").map_or(f64::NAN, |(_, (time, _))| *time);
            let run = if own { name.split('-').next().unwrap_or_default() } else { folder };
            if runs.last().is_none_or(|last| last.name != run) {
                let (seconds, unsolved) = (vec![0.0; entries.len()], vec![0; entries.len()]);
                runs.push(Run { name: run.to_owned(), problems: 0, seconds, unsolved });
            }
            if let Some(run) = runs.last_mut() {
                run.problems += 1;
                for (k, (_, (time, solved))) in times.iter().enumerate() {
                    run.seconds[k] += time;
                    run.unsolved[k] += usize::from(!solved);
                }
            }
            for (solver, (time, solved)) in times {
                let mark = if solved { "" } else { "  not solved" };
                let (micro, ratio) = (1e6 * time, time / default);
                println!("{name:<36} {:>6}  {solver:<20} {micro:>12.1} {ratio:>12.2}{mark}", problem.len());
                let comma = if json.len() > 1 { ",\n" } else { "\n" };
                // writing to a string cannot fail
                let _ = write!(
                    json,
                    "{comma}{{\"problem\": \"{name}\", \"solver\": \"{solver}\", \"seconds\": {time:e}, \"solved\": {solved}}}"
                );
            }
        }
    }
    println!("\nover all problems of a run, times over those of the default (problems not solved)");
    for run in runs {
        let default = entries.iter().zip(&run.seconds).find(|(entry, _)| entry.name == "hybrid");
        let default = default.map_or(f64::NAN, |(_, seconds)| *seconds);
        let ratios = entries.iter().zip(run.seconds.iter().zip(&run.unsolved)).map(|(entry, (seconds, unsolved))| {
            let mark = if *unsolved > 0 { format!(" ({unsolved})") } else { String::new() };
            format!("{} {:.2}{mark}", entry.name, seconds / default)
        });
        println!("{:<24} {:>4}  {}", run.name, run.problems, ratios.collect::<Vec<_>>().join(", "));
    }
    json += "\n]\n";
    let out = root.join("target/bench");
    let written = std::fs::create_dir_all(&out).and_then(|()| std::fs::write(out.join("contact.json"), json));
    if let Err(error) = written {
        eprintln!("cannot write {}: {error}", out.display());
    }
}
