//! The command as a user meets it: exit codes, messages, files left and files not touched.

mod command;

use std::path::Path;
use std::process::{Command, Stdio};

use command::{Scratch, case, impakt, text};

#[test]
fn a_run_a_look_at_it_and_its_history_as_csv() {
    let scratch = Scratch::new("run");
    let (result, csv) = (scratch.path("deep/er/a.vtkhdf"), scratch.path("a.csv"));
    let run = impakt(&["run", &case("vgroove/a_frictionless.yaml"), "-o", &result, "--set", "time.end=5e-4"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let summary = text(&run.stdout);
    assert!(summary.contains("50 steps") && summary.contains("ledger error"), "{summary}");
    let post = impakt(&["post", &result, "--csv", &csv]);
    assert_eq!(post.status.code(), Some(0), "{}", text(&post.stderr));
    assert!(text(&post.stdout).contains("lost to friction"));
    let table = std::fs::read_to_string(csv).expect("csv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("header").split(',').collect();
    assert_eq!(header[0], "time [s]");
    assert_eq!(lines.clone().count(), 51, "one row a step and one for the start");
    assert!(lines.all(|l| l.split(',').count() == header.len() && l.split(',').all(|x| x.parse::<f64>().is_ok())));
}

/// Explicit steps have no Newton iterations; what they iterate on is contact.
#[test]
fn explicit_runs_speak_of_rounds_of_contact() {
    let scratch = Scratch::new("rounds");
    let result = scratch.path("a.vtkhdf");
    let run = impakt(&["run", &case("explicit/vgroove.yaml"), "-o", &result]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let (screen, progress) = (text(&run.stdout), text(&run.stderr));
    assert!(screen.contains(" rounds of contact and ") && !screen.contains("Newton"), "{screen}");
    assert!(progress.contains("  rounds ") && !progress.contains("newton"), "{progress}");
    let file = impakt::output::ResultFile::open(Path::new(&result)).expect("a result");
    let largest = |name: &str| file.history(name).expect(name).data.iter().copied().fold(0.0, f64::max);
    assert_eq!(largest("newton_iterations"), 0.0);
    assert!(largest("contact_rounds") >= 1.0);
}

#[test]
fn check_says_what_would_run_and_runs_nothing() {
    let check = impakt(&["check", &case("vgroove/b_friction_02.yaml")]);
    let report = text(&check.stdout);
    assert_eq!(check.status.code(), Some(0));
    for part in ["209 nodes", "192 elements", "418 unknowns", "300 steps", "explicit limit", "friction 0.2"] {
        assert!(report.contains(part), "{part} is missing:\n{report}");
    }
}

#[test]
fn wrong_input_is_exit_code_2_with_place_and_nearest_name() {
    let scratch = Scratch::new("wrong");
    let file = scratch.path("wrong.yaml");
    let good = std::fs::read_to_string(case("vgroove/a_frictionless.yaml")).expect("case");
    let bad =
        good.replace("density: 700.0", "densty: 700.0").replace("theta: 0.5", "theta: 0").replace("right]", "rihgt]");
    std::fs::write(&file, bad).expect("write");
    for command in ["run", "check"] {
        let done = impakt(&[command, &file]);
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{message}");
        for part in ["wrong.yaml:11:", "densty", "density", "theta", "rihgt", "right"] {
            assert!(message.contains(part), "{part} is missing:\n{message}");
        }
    }
    for arguments in [
        vec!["run", "/nowhere/at/all.yaml"],
        vec!["run"],
        vec!["rnu", "x.yaml"],
        vec!["run", &file, "--threads", "0"],
        vec!["post", &file],
        vec!["post", "/nowhere/at/all.vtkhdf"],
    ] {
        let done = impakt(&arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stderr));
        assert!(!done.stderr.is_empty() && !text(&done.stderr).contains("panicked"));
    }
}

#[test]
fn an_initial_overlap_and_unknown_sets_are_refused_before_anything_is_written() {
    let scratch = Scratch::new("overlap");
    let result = scratch.path("old.vtkhdf");
    let vgroove = case("vgroove/a_frictionless.yaml");
    let first = impakt(&["run", &vgroove, "-o", &result, "--set", "time.end=5e-5", "--quiet"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let older = std::fs::read(&result).expect("an older result");
    for (set, expected) in [
        ("bodies.cylinder.mesh.disc.centre=[0.0, 0.02]", "starts inside obstacle `right`"),
        ("contacts.0.between=[cylinder.skin, right]", "no face set `skin`"),
        ("obstacles.right.shape={polygon: [[-0.001,0.029],[0.001,0.029],[0.0,0.031]]}", "corner"),
        ("output.probes={far: {body: cylinder, at: [1.0, 0.0]}}", "lies outside body"),
    ] {
        let done = impakt(&["run", &vgroove, "-o", &result, "--set", set]);
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{set}: {message}");
        assert!(message.contains(expected), "{set}: {message}");
        assert_eq!(std::fs::read(&result).expect("still there"), older, "{set}");
    }
}

#[test]
fn nothing_but_an_older_result_is_overwritten() {
    let scratch = Scratch::new("overwrite");
    let file = scratch.path("case.yaml");
    std::fs::copy(case("vgroove/a_frictionless.yaml"), &file).expect("copy");
    let notes = scratch.path("notes.txt");
    std::fs::write(&notes, "not a result").expect("write");
    let folder = scratch.path("");
    for (target, expected) in [
        (file.as_str(), "that is the case file"),
        (notes.as_str(), "is not a result file"),
        (folder.as_str(), "is not a file"),
        ("x.xdmf", "sidecar"),
    ] {
        let done = impakt(&["run", &file, "-o", target]);
        assert_eq!(done.status.code(), Some(2), "{target}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(expected), "{target}: {}", text(&done.stderr));
    }
    assert_eq!(std::fs::read_to_string(&notes).expect("notes"), "not a result");
    let result = scratch.path("short.vtkhdf");
    let _ = impakt(&["run", &file, "-o", &result, "--set", "time.end=5e-5", "--quiet"]);
    assert_eq!(impakt(&["post", &result, "--csv", &result]).status.code(), Some(2));
}

#[test]
fn a_broken_promise_is_a_failure_unless_the_case_was_changed() {
    let scratch = Scratch::new("promise");
    let file = scratch.path("promise.yaml");
    let good = std::fs::read_to_string(case("spike/flat_block_on_spike.yaml")).expect("case");
    std::fs::write(&file, good.replace("value: 0.0, tolerance: 1.0e-6", "value: 5.0, tolerance: 1.0e-6"))
        .expect("write");
    let result = scratch.path("promise.vtkhdf");
    let broken = impakt(&["run", &file, "-o", &result, "--quiet"]);
    assert_eq!(broken.status.code(), Some(1), "{}", text(&broken.stderr));
    assert!(text(&broken.stderr).contains("bodies/block/velocity/0"), "{}", text(&broken.stderr));
    let changed = impakt(&["run", &file, "-o", &result, "--quiet", "--set", "time.end=1e-3"]);
    assert_eq!(changed.status.code(), Some(0), "{}", text(&changed.stderr));
}

#[test]
fn a_run_that_fails_says_when_and_leaves_what_it_had() {
    let scratch = Scratch::new("fails");
    let result = scratch.path("stopped.vtkhdf");
    let done = impakt(&[
        "run",
        &case("vgroove/a_frictionless.yaml"),
        "-o",
        &result,
        "--set",
        "contact_solver={uzawa: {max_iterations: 10, tolerance: 1e-14}}",
        "--set",
        "time.max_halvings=2",
    ]);
    let message = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{message}");
    assert!(message.contains("t = 1.3") && message.contains("residual"), "{message}");
    let post = impakt(&["post", &result]);
    assert_eq!(post.status.code(), Some(0), "{}", text(&post.stderr));
    assert!(text(&post.stdout).contains("failed"), "{}", text(&post.stdout));
}

#[test]
fn an_unwritable_place_is_a_failure_not_a_panic() {
    let done = impakt(&["run", &case("vgroove/a_frictionless.yaml"), "-o", "/proc/nowhere/a.vtkhdf"]);
    let message = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{message}");
    assert!(message.contains("/proc/nowhere") && !message.contains("panicked"), "{message}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_step_and_closes_the_file() {
    let scratch = Scratch::new("interrupt");
    let result = scratch.path("interrupted.vtkhdf");
    let child = Command::new(env!("CARGO_BIN_EXE_impakt"))
        .args(["run", &case("vgroove/c_friction_04.yaml"), "-o", &result, "--set", "time.end=1.0", "--quiet"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("impakt runs");
    while !Path::new(&result).exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let done = child.wait_with_output().expect("ends");
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("interrupted at t ="), "{}", text(&done.stderr));
    assert!(text(&impakt(&["post", &result]).stdout).contains("interrupted"));
}

#[test]
fn locking_is_warned_of_by_check_and_run_and_mean_dilatation_silences_it() {
    let scratch = Scratch::new("locking");
    let drop = case("geometry/axisymmetric_drop.yaml");
    let standard = ["--set", "bodies.cylinder.formulation=standard"];
    let warning = "body cylinder: Quad4 of law neo_hooke with Poisson's ratio 0.4900 at rest are too stiff";
    let check = impakt(&[&["check", &drop][..], &standard].concat());
    assert!(text(&check.stdout).contains(warning), "{}", text(&check.stdout));
    assert!(text(&check.stdout).contains("`formulation: mean_dilatation` helps"));
    let result = scratch.path("a.vtkhdf");
    let run = impakt(&[&["run", &drop, "-o", &result, "--quiet"][..], &standard].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains(warning), "{}", text(&run.stderr));
    let check = impakt(&["check", &drop]);
    assert!(!text(&check.stdout).contains("warning"), "{}", text(&check.stdout));
}

#[test]
fn results_say_of_which_material_each_cell_is_and_what_a_ring_holds() {
    let scratch = Scratch::new("materials");
    let result = scratch.path("a.vtkhdf");
    let bar = case("geometry/two_materials.yaml");
    let run = impakt(&["run", &bar, "-o", &result, "--quiet"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = impakt::output::ResultFile::open(Path::new(&result)).expect("result");
    let materials = file.cell_field(0, "material").expect("material");
    assert_eq!(materials.rows(), 151, "cells of the bar and the wall");
    for cell in 0..151 {
        // fifty cells of the first material, a hundred of the second, then the obstacle
        let expected = [0.0, 1.0, 1.0, -1.0][cell / 50];
        assert_eq!(materials.row(cell), [expected], "cell {cell}");
    }
    let check = impakt(&["check", &bar]);
    assert!(text(&check.stdout).contains("material soft (linear), stiff (linear)"), "{}", text(&check.stdout));

    let ring = case("geometry/ring_breathes.yaml");
    let run = impakt(&["run", &ring, "-o", &result, "--quiet"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = impakt::output::ResultFile::open(Path::new(&result)).expect("result");
    let fields = file.fields().expect("fields");
    let described = |name: &str| fields.iter().find(|f| f.name == name).map(|f| f.description.as_str()).unwrap_or("");
    assert!(described("contact_force").contains("whole ring"), "{}", described("contact_force"));
    assert!(!described("von_mises_pk2_inplane").contains("nu"), "{}", described("von_mises_pk2_inplane"));
}

#[test]
fn contact_problems_of_a_run_are_written_and_solved_again() {
    let scratch = Scratch::new("contact");
    let result = scratch.path("groove.vtkhdf");
    let file = case("vgroove/b_friction_02.yaml");
    let arguments = ["run", &file, "-o", &result, "--set", "time.end=3e-4", "--dump-contact", "every=5", "--quiet"];
    let done = impakt(&arguments);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let mut dumped: Vec<String> = std::fs::read_dir(scratch.path("groove-contact"))
        .expect("the folder beside the result")
        .map(|entry| entry.expect("entry").path().to_string_lossy().into_owned())
        .collect();
    dumped.sort();
    // every fifth step of 30 with anything near enough to be a candidate
    assert!((3..=6).contains(&dumped.len()), "{dumped:?}");
    let table = scratch.path("table.csv");
    let mut arguments = vec!["contact", "--solver", "all", "--tol", "1e-8", "--csv", &table];
    arguments.extend(dumped.iter().map(String::as_str));
    let done = impakt(&arguments);
    assert_eq!(done.status.code(), Some(0), "{}{}", text(&done.stdout), text(&done.stderr));
    let rows = std::fs::read_to_string(&table).expect("table");
    assert_eq!(rows.lines().count(), 1 + 8 * dumped.len(), "{rows}");
    assert!(rows.lines().skip(1).all(|row| row.ends_with(",true")), "{rows}");
}

#[test]
fn contact_with_wrong_input_ends_with_code_2() {
    let scratch = Scratch::new("contact-wrong");
    let foreign = scratch.path("foreign.hdf5");
    std::fs::write(&foreign, "not HDF5").expect("write");
    let missing = scratch.path("missing.hdf5");
    let file = case("vgroove/a_frictionless.yaml");
    for (arguments, expected) in [
        (vec!["contact", foreign.as_str()], "is not a readable HDF5 file"),
        (vec!["contact", missing.as_str()], "cannot open"),
        (
            vec!["contact", foreign.as_str(), "--solver", "nsgs"],
            "one of gauss_seidel, uzawa, extragradient, projected_gradient, jacobi, newton, bipotential_newton, hybrid, all",
        ),
        (vec!["contact", foreign.as_str(), "--tol", "0"], "--tol 0: must be between 0 and 1"),
        (vec!["contact", foreign.as_str(), "--max-iterations", "0"], "must be at least 1"),
        (vec!["contact"], "required"),
        (vec!["run", file.as_str(), "--dump-contact", "5"], "expected every=N"),
        (vec!["run", file.as_str(), "--dump-contact", "every=0"], "whole number from 1 on"),
    ] {
        let done = impakt(&arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(expected), "{arguments:?}: {}", text(&done.stderr));
    }
}

/// `impakt run … 2>&1 | head` closes the pipe while the program still has something to say.
#[test]
fn readers_that_went_away_are_no_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
    let status = command.args(["run", "no_such_case.yaml"]).stderr(writer).status().expect("the program");
    assert_eq!(status.code(), Some(2));
}
