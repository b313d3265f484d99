//! Contact solvers on the engine's own condensed problems (`tests/data/contact`, dumped by `impakt run --dump-contact`): time from zero
//! to 1e-10, each solver beside the default in the same run. Prints a table and writes it as JSON below `target/bench/`.
//!
//!     cargo bench --bench contact
//!
//! One thread; the best of several repetitions, each long enough for the clock.

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

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(folder) = std::fs::read_dir(root.join("tests/data/contact")) else { return };
    let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "hdf5"));
    files.sort();
    let mut json = String::from("[");
    // seconds of each solver, over the problems of each run
    let mut runs: Vec<(String, [f64; ALL.len()])> = Vec::new();
    println!("{:<36} {:>6}  {:<20} {:>12} {:>12}", "problem", "points", "solver", "time [µs]", "over default");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let problem = match fclib::read(&file) {
            Ok(problem) => problem,
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(2);
            }
        };
        let times = ALL.map(|entry| (entry.name, timed(&entry, &problem)));
        let default = times.iter().find(|(name, _)| *name == "hybrid").map_or(f64::NAN, |(_, (time, _))| *time);
        let run = name.split('-').next().unwrap_or_default().to_owned();
        if runs.last().is_none_or(|(last, _)| *last != run) {
            runs.push((run, [0.0; ALL.len()]));
        }
        if let Some((_, sums)) = runs.last_mut() {
            sums.iter_mut().zip(&times).for_each(|(sum, (_, (time, _)))| *sum += time);
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
    println!("\nover all problems of a run, times over those of the default");
    for (run, sums) in runs {
        let default = ALL.iter().zip(sums).find(|(entry, _)| entry.name == "hybrid").map_or(f64::NAN, |(_, sum)| sum);
        let ratios = ALL.iter().zip(sums).map(|(entry, sum)| format!("{} {:.2}", entry.name, sum / default));
        println!("{run:<24} {}", ratios.collect::<Vec<_>>().join(", "));
    }
    json += "\n]\n";
    let out = root.join("target/bench");
    let written = std::fs::create_dir_all(&out).and_then(|()| std::fs::write(out.join("contact.json"), json));
    if let Err(error) = written {
        eprintln!("cannot write {}: {error}", out.display());
    }
}
