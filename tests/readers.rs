//! Real readers open our results: VTK (which ParaView is made of), PyVista and h5py, through `tests/readers/*.py` in the
//! project's own virtual environment. A run that is killed leaves a file they still open.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn python() -> PathBuf {
    let python = root().join(".venv/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/setup.sh", python.display());
    python
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("impakt-readers-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("scratch folder");
    folder
}

fn run(case: &str, output: &Path, sets: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
    command.arg("run").arg(root().join(case)).arg("-o").arg(output).arg("--quiet");
    for set in sets {
        command.args(["--set", set]);
    }
    let done = command.output().expect("impakt runs");
    assert!(done.status.success(), "{case}: {}", String::from_utf8_lossy(&done.stderr));
}

fn read(file: &Path, extra: &[&str]) {
    let done = Command::new(python())
        .arg(root().join("tests/readers/read_result.py"))
        .arg(file)
        .args(extra)
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(text.matches("ok ").count() > 10, "too few checks were made:\n{text}");
}

#[test]
fn vtk_and_h5py_read_a_plane_result_and_its_picture_is_not_empty() {
    let folder = scratch("plane");
    let file = folder.join("b.vtkhdf");
    run("cases/vgroove/b_friction_02.yaml", &file, &["time.end=1.0e-3", "output.every=2.0e-5"]);
    let picture = folder.join("b.png");
    read(&file, &["--xdmf", "--png", &picture.to_string_lossy()]);
    assert!(std::fs::metadata(&picture).is_ok_and(|m| m.len() > 2000), "no picture");
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn vtk_and_h5py_read_a_solid_result() {
    let folder = scratch("solid");
    let file = folder.join("block.vtkhdf");
    run("cases/solid/block_on_box_corner.yaml", &file, &[]);
    read(&file, &["--xdmf", "--png", &folder.join("block.png").to_string_lossy()]);
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn vtk_and_h5py_read_bodies_of_mixed_cells() {
    let folder = scratch("mixed");
    for name in ["gmsh_binary", "gmsh_solid_text"] {
        let file = folder.join(format!("{name}.vtkhdf"));
        run(&format!("cases/mesh/{name}.yaml"), &file, &[]);
        read(&file, &["--xdmf", "--png", &folder.join(format!("{name}.png")).to_string_lossy()]);
    }
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn vtk_and_h5py_read_rigid_bodies_and_moved_obstacles() {
    let folder = scratch("rigid");
    for case in ["rigid/circle_on_block", "obstacles/moving_plate"] {
        let file = folder.join(format!("{}.vtkhdf", case.replace('/', "_")));
        run(&format!("cases/{case}.yaml"), &file, &[]);
        read(&file, &["--xdmf", "--png", &folder.join("moving.png").to_string_lossy()]);
    }
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// Where nothing deforms rigid bodies are what a picture shows.
#[test]
fn rigid_bodies_alone_are_drawn() {
    let folder = scratch("pile");
    let (file, picture) = (folder.join("pile.vtkhdf"), folder.join("pile.png"));
    run("cases/rigid/pile.yaml", &file, &["time.end=0.05"]);
    let script = root().join("scripts/render_case.py");
    let done = Command::new(python()).arg(script).arg(&file).arg(&picture).output().expect("python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(String::from_utf8_lossy(&done.stdout).contains("rigid bodies at 0.05 s"));
    assert!(std::fs::metadata(&picture).is_ok_and(|m| m.len() > 1000));
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// A result whose case chose other fields: the scripts say which one they miss, and that before they read frames.
#[test]
fn scripts_say_which_field_they_miss() {
    let folder = scratch("fields");
    let file = folder.join("b.vtkhdf");
    run("cases/vgroove/b_friction_02.yaml", &file, &["time.end=1.0e-4", "output.fields=[displacement, von_mises]"]);
    let script = |name: &str| root().join("scripts").join(name);
    let render = Command::new(python()).arg(script("render_case.py")).arg(&file).arg(folder.join("b.png")).output();
    let paraview = Command::new(script("paraview/dissipation.sh")).arg(&file).output();
    for done in [render.expect("python runs"), paraview.expect("the script runs")] {
        let text = String::from_utf8_lossy(&done.stderr);
        // 3: no ParaView here
        if done.status.code() != Some(3) {
            assert_eq!(done.status.code(), Some(2), "{text}");
            assert!(text.contains("no field `material`") && text.contains("add it to output.fields"), "{text}");
        }
    }
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn paraview_draws_dissipation_and_reads_the_ledger() {
    let folder = scratch("paraview");
    let file = folder.join("b.vtkhdf");
    run("cases/vgroove/b_friction_02.yaml", &file, &["time.end=1.0e-3", "output.every=1.0e-4"]);
    let done = Command::new(root().join("scripts/paraview/dissipation.sh"))
        .arg(&file)
        .args(["--frames", "2", "--size", "800x400", "--out"])
        .arg(folder.join("frames"))
        .output()
        .expect("the script runs");
    if done.status.code() == Some(3) {
        // scripts/check.sh --paraview insists
        assert!(std::env::var_os("IMPAKT_PARAVIEW").is_none(), "{}", String::from_utf8_lossy(&done.stderr));
        eprintln!("NOT RUN: {}", String::from_utf8_lossy(&done.stderr));
        std::fs::remove_dir_all(folder).expect("clean up");
        return;
    }
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    let pictures: Vec<Vec<u8>> = ["frame_0000.png", "frame_0001.png"]
        .map(|name| std::fs::read(folder.join("frames").join(name)).expect("a picture"))
        .into();
    assert!(pictures.iter().all(|p| p.len() > 10_000), "pictures of {:?} bytes", pictures.iter().map(Vec::len));
    assert!(pictures[0] != pictures[1], "the body moves");
    // what ParaView says of the end of the run is what the history has
    let history =
        impakt::output::ResultFile::open(&file).and_then(|f| f.history("friction_dissipation")).expect("history");
    let line = text.lines().find(|line| line.starts_with("lost to friction")).expect("a line with the loss");
    let said: f64 = line.split_whitespace().nth(3).and_then(|n| n.parse().ok()).expect("a number");
    let lost = history.data[history.data.len() - 1];
    assert!((said - lost).abs() < 1e-8 * lost && lost > 1.0, "ParaView reads {said} J, the history has {lost} J");
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// Results without an obstacle, and of rigid bodies alone, are drawn too.
#[test]
fn paraview_draws_bodies_without_obstacles_and_rigid_bodies() {
    if Command::new("pvpython").arg("--version").output().is_err() {
        assert!(std::env::var_os("IMPAKT_PARAVIEW").is_none(), "pvpython is missing");
        eprintln!("NOT RUN: pvpython is not installed");
        return;
    }
    let folder = scratch("paraview-kinds");
    for (case, sets) in [("pairs/two_discs", &["time.end=1e-4"][..]), ("rigid/pile", &["time.end=0.1"][..])] {
        let file = folder.join(format!("{}.vtkhdf", case.replace('/', "_")));
        run(&format!("cases/{case}.yaml"), &file, sets);
        let frames = folder.join("frames");
        let done = Command::new(root().join("scripts/paraview/dissipation.sh"))
            .arg(&file)
            .args(["--frames", "1", "--size", "800x400", "--out"])
            .arg(&frames)
            .output()
            .expect("the script runs");
        assert!(done.status.success(), "{case}: {}", String::from_utf8_lossy(&done.stderr));
        let picture = std::fs::metadata(frames.join("frame_0000.png")).expect("a picture").len();
        assert!(picture > 5_000, "{case}: a picture of {picture} bytes");
    }
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn a_killed_run_leaves_a_file_that_vtk_and_h5py_open() {
    let folder = scratch("killed");
    let file = folder.join("killed.vtkhdf");
    let done = Command::new(python())
        .arg(root().join("tests/readers/killed_run.py"))
        .args(["--kills", "3", "--between", "0.2", "0.8"])
        .arg(&file)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_impakt"))
        .arg("run")
        .arg(root().join("cases/vgroove/c_friction_04.yaml"))
        .args(["--set", "time.end=0.03", "--quiet", "-o"])
        .arg(&file)
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// Not some kills but all there can be, from what one run writes.
#[test]
fn whatever_part_of_its_writes_a_run_has_done_vtk_and_h5py_open_the_file() {
    if !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|s| s.success()) {
        eprintln!("NOT RUN: strace is not installed, or may not trace");
        return;
    }
    let folder = scratch("states");
    let file = folder.join("states.vtkhdf");
    let done = Command::new(python())
        .arg(root().join("tests/readers/killed_states.py"))
        .args(["--post", env!("CARGO_BIN_EXE_impakt")])
        .arg(&file)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_impakt"))
        .arg("run")
        .arg(root().join("cases/vgroove/c_friction_04.yaml"))
        .args(["--set", "time.end=6e-4", "--quiet", "-o"])
        .arg(&file)
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    let states = text.split_whitespace().next().and_then(|n| n.parse::<usize>().ok());
    assert!(states.is_some_and(|n| n > 50), "too few states were looked at: {text}");
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// Some of the calls that change a file fail, in every way; `tests/readers/faults.py` without `--every` tries all of them.
#[test]
fn a_call_that_fails_loses_nothing() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("NOT RUN: there is no C compiler");
        return;
    }
    let folder = scratch("faults");
    let done = Command::new(python())
        .arg(root().join("tests/readers/faults.py"))
        .args(["--every", "41", "--set", "time.end=8e-5", "--set", "output.checkpoint=1e-3"])
        .arg(env!("CARGO_BIN_EXE_impakt"))
        .arg(root().join("cases/vgroove/b_friction_02.yaml"))
        .arg(&folder)
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// Some damaged result files; `tests/readers/damaged.py` makes as many as one likes.
#[test]
fn damaged_results_are_read_or_refused_with_a_reason() {
    let folder = scratch("damaged");
    let file = folder.join("b.vtkhdf");
    run("cases/vgroove/b_friction_02.yaml", &file, &["time.end=1e-4"]);
    let done = Command::new(python())
        .arg(root().join("tests/readers/damaged.py"))
        .args(["--count", "25", "--seed", "7", "--set", "time.end=1.2e-4"])
        .arg(env!("CARGO_BIN_EXE_impakt"))
        .arg(root().join("cases/vgroove/b_friction_02.yaml"))
        .args([&file, &folder])
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    std::fs::remove_dir_all(folder).expect("clean up");
}
