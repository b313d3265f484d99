//! Gears through the case file and the command: what a user gets, and what a user is told.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use impakt::case;
use impakt::output::ResultFile;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/gears").join(name)
}

const TASK: &str = "task.transmission_error";

/// What is said of the reference case with changes.
fn refused(sets: &[String]) -> String {
    match case::read(&file("reference.yaml"), sets) {
        Ok(_) => panic!("{sets:?} is accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wrong_numbers_are_named_with_their_key() {
    let spur = |change: &str| format!("{TASK}.gears.*.mesh.spur_gear.{change}");
    let task = |change: &str| format!("{TASK}.{change}");
    for (set, key, says) in [
        (spur("teeth=4"), "spur_gear.teeth", "from 5"),
        (spur("diametral_pitch=-10"), "spur_gear.diametral_pitch", "must be > 0"),
        (spur("module=0.00254"), "spur_gear.diametral_pitch", "beside `module`"),
        (spur("cutter_radius=0.6"), "mesh.spur_gear", "cutter tip radius of 0.6"),
        (spur("hub=0.03"), "mesh.spur_gear", "hub radius 0.03"),
        (spur("addendum=2.5"), "mesh.spur_gear", "pointed"),
        (spur("dedendum=1.6"), "mesh.spur_gear", "does not fit"),
        (spur("across=7"), "spur_gear.across", "even"),
        (spur("modelled=21"), "spur_gear.modelled", "at most"),
        (spur("modelled=1"), "transmission_error.gears", "not among those modelled (1)"),
        (spur("modelled=2"), "transmission_error.gears", "not among those modelled (2)"),
        (spur("tip_relief={amount: 1e-5, start: 0.03}"), "mesh.spur_gear", "relief begins"),
        (spur("addendum=0.4"), "centre_distance", "contact ratio"),
        (task("centre_distance=0.04"), "centre_distance", "too small"),
        (task("centre_distance=[0.05, 0.05]"), "centre_distance", "as many as"),
        (task("friction=1.9"), "friction", "locks"),
        (task("torque=[]"), "torque", "is empty"),
        (task("torque=.nan"), "torque", "finite"),
        (task("torque=0"), "torque", "> 0"),
        (task("meshes=[[driver, drivn]]"), "meshes.0.1", "did you mean `driven`"),
        (task("meshes=[[driver, driver]]"), "meshes.0.1", "drives itself"),
        (task("range=[0.5, -0.5]"), "range", "must rise"),
        (task("candidates={at: all_nodes, spacing: 1e-5}"), "candidates.spacing", "at: moving"),
        (task("solver=pivotting"), "solver", "did you mean `pivoting`"),
        ("geometry=solid".to_owned(), "task", "plane_strain"),
        ("time={end: 1, step: 1}".to_owned(), "time", "has no `time`"),
    ] {
        let said = refused(std::slice::from_ref(&set));
        assert!(said.contains(key) && said.contains(says), "{set}:\n{said}");
    }
    // fewer teeth need more shift or a finer cutter
    let few = ["teeth=12", "hub=0.006", "cutter_radius=0.3"].map(spur);
    let said = refused(&few);
    assert!(said.contains("undercut") && said.contains("profile shift of at least"), "{said}");
}

/// Three teeth are enough to run, not to be exact: `check` says so as `run` does.
#[test]
fn few_teeth_are_warned_of() {
    let few = format!("{TASK}.gears.*.mesh.spur_gear.modelled=3");
    let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
    command.arg("check").arg(file("reference.yaml")).args(["--set", &few]);
    let done = command.output().expect("the program runs");
    let warned = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && warned.contains("only 3 teeth are modelled"), "{warned}");
}

fn run(name: &str, output: &Path, sets: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
    command.arg("run").arg(file(name)).arg("-o").arg(output).args(["--threads", "1"]);
    sets.iter().for_each(|set| {
        command.arg("--set").arg(set);
    });
    command.output().expect("the program runs")
}

#[test]
fn a_run_leaves_a_result_tables_and_charts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gears-{}", std::process::id()));
    let output = folder.join("pair.vtkhdf");
    let coarse = format!("{TASK}.gears.*.mesh.spur_gear.flank=24");
    let done = run("reference.yaml", &output, &[&coarse, "task.transmission_error.positions=6"]);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("1.22009") && said.contains("peak-to-peak"), "{said}");
    let result = ResultFile::open(&output).expect("a result");
    assert_eq!(result.history("transmission_error").unwrap().rows(), 24);
    let table = std::fs::read_to_string(folder.join("pair/positions.csv")).unwrap();
    assert_eq!(table.lines().count(), 25);
    let columns = table.lines().map(|line| line.split(',').count()).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(columns.len(), 1, "{columns:?}");
    for name in
        ["cycles.csv", "pressures.csv", "mesh_3.csv", "transmission_error.svg", "loads_0.png", "fillet_driven.svg"]
    {
        assert!(folder.join("pair").join(name).exists(), "{name}");
    }
    // candidates that reach too little: some positions fail and are named, the others are kept
    let short = run("reference.yaml", &output, &[&coarse, "task.transmission_error.candidates={distance: 5e-6}"]);
    let said = String::from_utf8_lossy(&short.stderr).into_owned();
    assert_eq!(short.status.code(), Some(1), "{said}");
    assert!(
        said.contains("torque 112.98483") && said.contains("position") && !said.contains("torque 11.298"),
        "{said}"
    );
    std::fs::remove_dir_all(folder).expect("clean up");
}
