//! A run that was stopped and taken up again is the same run: every column of the history has the same bits, for every case of
//! the project, whatever its scheme and whatever touches what, and the frames are those of a run that never stopped. That holds
//! for factors that are kept over steps too: their matrices are in the checkpoint.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod command;
mod runs;

use std::path::Path;
use std::process::Command;

use command::{Scratch, cases};
use impakt::case::{self, Case};
use impakt::output::ResultFile;
use impakt::simulation::{RunError, RunOptions};

/// Factors are made anew in every iteration.
const FRESH: &str = "time.newton.reuse=never";

/// Runs until that many steps are done, from the start or from where the file ends.
fn run_to(case: &Case, file: &Path, step: u64, restart: bool) {
    let options = RunOptions { output: Some(file.to_path_buf()), restart, ..RunOptions::default() };
    match runs::start(case).run(&options, &mut |progress| progress.step < step) {
        Ok(_) | Err(RunError::Interrupted { .. }) => {}
        Err(error) => panic!("{}: {error}", case.file_name),
    }
}

/// All columns of a history with their bits.
fn history(file: &ResultFile) -> Vec<(String, Vec<u64>)> {
    let names = file.histories().expect("history").into_iter().map(|h| h.name);
    names
        .map(|name| (name.clone(), file.history(&name).expect("column").data.iter().map(|x| x.to_bits()).collect()))
        .collect()
}

#[test]
fn every_case_goes_on_to_the_same_bits() {
    runs::claims::source("the run that was never stopped");
    let scratch = Scratch::new("bits");
    let (whole, parts) = (scratch.0.join("whole.vtkhdf"), scratch.0.join("parts.vtkhdf"));
    let (mut checked, mut different) = (0u32, Vec::new());
    for path in cases() {
        let case = case::read(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
        // a task has no steps to go on from
        if case.task.is_some() {
            continue;
        }
        run_to(&case, &whole, 24, false);
        run_to(&case, &parts, 9, false);
        run_to(&case, &parts, 16, true);
        run_to(&case, &parts, 24, true);
        let (a, b) = (ResultFile::open(&whole).expect("whole"), ResultFile::open(&parts).expect("parts"));
        for ((name, expected), (other, measured)) in history(&a).into_iter().zip(history(&b)) {
            assert_eq!(name, other);
            if expected != measured {
                different.push(format!("{}: {name}", path.display()));
            }
        }
        // the frame that an interruption adds is gone after a restart
        assert_eq!(a.times(), b.times(), "{}: frames", path.display());
        checked += 1;
    }
    assert!(different.is_empty(), "not the same bits:\n{}", different.join("\n"));
    assert!(checked > 50, "only {checked} cases");
    runs::at_most("columns that differ after two restarts", different.len() as f64, 0.0);
}

/// A finished run can be made longer, and another model is refused.
#[test]
fn a_finished_run_is_made_longer_and_another_model_is_refused() {
    let scratch = Scratch::new("longer");
    let (whole, parts) = (scratch.0.join("whole.vtkhdf"), scratch.0.join("parts.vtkhdf"));
    let short = runs::case("cases/vgroove/b_friction_02.yaml", &["time.end=3e-4", FRESH]);
    let long = runs::case("cases/vgroove/b_friction_02.yaml", &["time.end=5e-4", FRESH]);
    run_to(&long, &whole, u64::MAX, false);
    run_to(&short, &parts, u64::MAX, false);
    run_to(&long, &parts, u64::MAX, true);
    let (a, b) = (ResultFile::open(&whole).expect("whole"), ResultFile::open(&parts).expect("parts"));
    assert_eq!(history(&a), history(&b));
    assert_eq!(b.case().expect("case").outcome, "done");
    let before = std::fs::read(&parts).expect("file");
    for (set, section) in [
        ("contacts.*.friction=0.3", "contacts"),
        ("time.step=5e-6", "time"),
        ("bodies.cylinder.velocity=[0,1]", "bodies"),
    ] {
        let other = runs::case("cases/vgroove/b_friction_02.yaml", &[set]);
        let options = RunOptions { output: Some(parts.clone()), restart: true, ..RunOptions::default() };
        let refused = runs::start(&other).run(&options, &mut |_| true).expect_err("another model");
        assert!(matches!(refused, RunError::Restart { .. }) && refused.to_string().contains(section), "{refused}");
    }
    assert_eq!(std::fs::read(&parts).expect("file"), before, "a refused restart changed the file");
    let options = RunOptions { output: Some(scratch.0.join("nothing.vtkhdf")), restart: true, ..RunOptions::default() };
    assert!(matches!(runs::start(&short).run(&options, &mut |_| true), Err(RunError::Restart { .. })));
}

/// Ctrl-C finishes the step, closes the file and says how to go on; going on gives the history of a run without it.
#[test]
fn ctrl_c_says_how_to_go_on() {
    let scratch = Scratch::new("interrupt");
    let (file, whole) = (scratch.0.join("b.vtkhdf"), scratch.0.join("whole.vtkhdf"));
    let case = runs::path("cases/vgroove/b_friction_02.yaml");
    let command = |output: &Path, restart: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
        command
            .arg("run")
            .arg(&case)
            .args(["--set", "time.step=1e-6", "--set", "time.end=8e-4", "--set", FRESH, "--quiet"])
            .arg("-o")
            .arg(output);
        if restart {
            command.arg("--restart");
        }
        command
    };
    let child = command(&file, false).stderr(std::process::Stdio::piped()).spawn().expect("impakt runs");
    while !file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success(), "the run was over too soon");
    let done = child.wait_with_output().expect("the run ends");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted") && said.contains("--restart"), "{said}");
    assert!(command(&file, true).status().expect("impakt runs").success());
    assert!(command(&whole, false).status().expect("impakt runs").success());
    let open = |path: &Path| ResultFile::open(path).expect("result");
    assert_eq!(history(&open(&file)), history(&open(&whole)));
}
