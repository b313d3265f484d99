//! Every case of the repository is run and held to what it promises (`expect:`). The failures of all cases are listed
//! together. A case that takes longer than a few seconds does not belong into `cases/` as it stands: shorten it, or keep
//! the long variant behind a `--set`.

mod runs;

use std::path::{Path, PathBuf};

use impakt::case::expect::verdicts;
use impakt::simulation::RunOptions;

/// Wall clock of one case on one core of a small machine that may be busy with other things.
const SECONDS: f64 = 15.0;

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
            found.push(path);
        }
    }
}

#[test]
fn every_case_keeps_its_promises() {
    let root = runs::path("cases");
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    assert!(files.len() >= 3, "there are cases below {}", root.display());
    let (mut failures, mut promises) = (Vec::new(), 0);
    for file in &files {
        let name = file.strip_prefix(&root).unwrap_or(file).display().to_string();
        let case = match impakt::case::read(file, &[]) {
            Ok(case) => case,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        if case.source.is_none() {
            failures.push(format!("{name}: a case of the repository says where it comes from (`source:`)"));
        }
        let since = std::time::Instant::now();
        if let Some(task) = &case.task {
            match task.value.study.run() {
                Ok(done) if done.series.iter().all(|s| s.positions.iter().all(Result::is_ok)) => {}
                Ok(_) => failures.push(format!("{name}: a position failed")),
                Err(error) => failures.push(format!("{name}: {error}")),
            }
            continue;
        }
        let simulation = match impakt::case::simulation(&case) {
            Ok(simulation) => simulation,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        match simulation.run(&RunOptions::default(), &mut |_| true) {
            Ok(summary) => {
                let verdicts = verdicts(&case, &summary.history);
                let source = case.source.as_deref().unwrap_or("");
                for v in &verdicts {
                    let measured = v.measured.unwrap_or(f64::NAN);
                    let used = (measured - v.expected).abs() / v.tolerance;
                    let numbers = ("=", measured, v.expected, v.tolerance, used);
                    runs::claims::note(&format!("cases/{name}"), 0, &v.what, source, numbers, since);
                }
                println!("{name}: {:.2} s, {} promises", summary.seconds, verdicts.len());
                promises += verdicts.len();
                failures.extend(verdicts.iter().filter(|v| !v.holds()).map(|v| format!("{name}: {v}")));
                let reference = summary.history.column("total_energy").map_or(0.0, |e| runs::size(&e));
                if summary.largest_error > 1e-9 * reference.max(1.0) {
                    failures.push(format!("{name}: ledger error {:.3e} J of {reference:.3e} J", summary.largest_error));
                }
                if summary.seconds > SECONDS {
                    failures.push(format!("{name}: took {:.1} s, cases should take a few seconds", summary.seconds));
                }
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    println!("{} cases, {promises} promises", files.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(promises > 0, "no case promises anything");
}
