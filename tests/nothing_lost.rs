//! What a run promises to whoever starts it in the evening: the signals of schedulers end it like Ctrl-C, one run writes a
//! result at a time and a dead one holds nobody up, a result is not replaced by something that cannot be taken up, what cannot
//! be written is an error, what is no input is not read, and what does not fit into memory is not begun.
//!
//! The faults of single calls are in `tests/readers.rs`; the guide's page "What is kept" lists all of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod command;
mod runs;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use command::{Scratch, case, impakt, text};
use impakt::output::ResultFile;

const CASE: &str = "vgroove/b_friction_02.yaml";
/// Long enough to be interrupted, and how it is made shorter.
const LONG: [&str; 6] = ["--set", "time.step=1e-6", "--set", "time.end=8e-3", "--set", "output.checkpoint=0.02"];

fn start(file: &str, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_impakt"))
        .args(["run", &case(CASE), "-o", file, "--quiet"])
        .args(LONG)
        .args(more)
        .stderr(Stdio::piped())
        .spawn()
        .expect("impakt runs")
}

fn wait_for(path: &str) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !Path::new(path).exists() && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success(), "the run was over too soon");
}

/// What a shell makes of a line; `$1` and on are the arguments, `$0` the program.
fn shell(line: &str, arguments: &[&str]) -> Output {
    Command::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_impakt")]).args(arguments).output().expect("sh runs")
}

#[test]
fn signals_of_schedulers_end_a_run_that_can_be_taken_up() {
    let scratch = Scratch::new("signals");
    // under nohup a hangup is no reason to stop
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .expect("a mask")
        .trim()
        .ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']);
    for name in ["TERM", "HUP"].into_iter().filter(|name| *name == "TERM" || !ignored) {
        let file = scratch.path(&format!("{name}.vtkhdf"));
        let child = start(&file, &[]);
        wait_for(&file);
        signal(&child, name);
        let done = child.wait_with_output().expect("it ends");
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("interrupted") && said.contains("--restart"), "{name}: {said}");
        let open = ResultFile::open(Path::new(&file)).expect("result");
        assert_eq!(open.case().expect("case").outcome, "interrupted");
        assert!(open.checkpoint().expect("readable").is_some());
    }
}

/// Checkpoints follow the wall clock from the start on: a run that is killed soon after it began can be taken up.
#[test]
fn a_killed_run_holds_nobody_up_and_goes_on_from_its_last_checkpoint() {
    let scratch = Scratch::new("killed");
    let file = scratch.path("b.vtkhdf");
    let mut child = start(&file, &[]);
    wait_for(&file);
    let second = start(&file, &[]).wait_with_output().expect("it ends");
    let said = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("another run is writing it"), "{said}");
    // a run may be looked at while it goes on, also by readers that lock what they read
    hdf5::File::open(&file).expect("HDF5 opens the file of a run");
    let reached = |file: &str| {
        let state = ResultFile::open(Path::new(file)).ok()?.checkpoint().ok()??;
        state.number("time").ok()
    };
    let limit = Instant::now() + Duration::from_secs(60);
    while reached(&file).is_none_or(|time| time == 0.0) && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "KILL");
    child.wait().expect("it ends");
    let reached = reached(&file).expect("a checkpoint");
    let end = format!("time.end={:e}", reached + 2e-5);
    let again = start(&file, &["--restart", "--set", &end]).wait_with_output().expect("it ends");
    assert!(again.status.success(), "{}", text(&again.stderr));
    let left: Vec<String> = std::fs::read_dir(&scratch.0)
        .expect("folder")
        .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".part") || name.ends_with(".lock"))
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    // an end before where it stands
    let back = format!("time.end={:e}", 0.5 * reached);
    let refused = start(&file, &["--restart", "--set", &back]).wait_with_output().expect("it ends");
    assert_eq!((refused.status.code(), reached > 0.0), (Some(2), true), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("beyond the end of the case"), "{}", text(&refused.stderr));
}

#[test]
fn a_checkpoint_of_another_layout_and_a_damaged_one_are_refused_by_name() {
    let scratch = Scratch::new("layout");
    let file = scratch.path("b.vtkhdf");
    let run = |more: &[&str]| {
        let name = case(CASE);
        let call = [&["run", &name, "-o", &file, "--quiet", "--set", "time.end=2e-5"], more].concat();
        impakt(&call)
    };
    assert!(run(&[]).status.success());
    let commit = ResultFile::open(Path::new(&file)).expect("result").case().expect("case").commit;
    assert_eq!(commit.is_empty(), !runs::path(".git").exists(), "commit `{commit}`");
    let whole = std::fs::read(&file).expect("file");
    let change = |group: &str, name: &str, value: i64| {
        std::fs::write(&file, &whole).expect("file");
        let open = hdf5::File::open_rw(&file).expect("HDF5");
        open.group(group).and_then(|g| g.attr(name)).expect("attribute").write_scalar(&value).expect("written");
    };
    let current = {
        let open = hdf5::File::open(&file).expect("HDF5");
        open.group("checkpoint").and_then(|g| g.attr("current")?.read_scalar::<i64>()).expect("number")
    };
    for (group, name, value, says) in [
        ("checkpoint".to_owned(), "layout", 77, "its layout is 77, this program reads and writes"),
        (format!("checkpoint/{current}"), "sum", 1, "it is damaged"),
        ("checkpoint".to_owned(), "current", 7, "checkpoint"),
        ("VTKHDF/Steps".to_owned(), "NSteps", -3, "NSteps is -3"),
        ("history".to_owned(), "rows", 1 << 40, "rows"),
    ] {
        change(&group, name, value);
        let done = run(&["--restart"]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{group} {name}: {said}");
        assert!(said.contains(says) && said.contains("b.vtkhdf"), "{group} {name}: {said}");
    }
}

#[test]
fn a_folder_that_is_gone_stops_the_run_and_not_its_end() {
    let scratch = Scratch::new("gone");
    let folder = scratch.0.join("results");
    let file = folder.join("b.vtkhdf").to_string_lossy().into_owned();
    let child = start(&file, &["--set", "time.end=10"]);
    wait_for(&file);
    std::fs::remove_dir_all(&folder).or_else(|_| std::fs::remove_dir_all(&folder)).expect("removed");
    let done = child.wait_with_output().expect("it ends");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("no longer where it was"), "{said}");
}

#[test]
fn words_that_are_lost_are_an_error() {
    let scratch = Scratch::new("words");
    let (file, name) = (scratch.path("b.vtkhdf"), case(CASE));
    let run = ["run", &name, "-o", &file, "--set", "time.end=2e-5"];
    for call in [&["schema"][..], &["--help"], &["check", &name], &run, &["post", &file]] {
        let done = shell("exec \"$0\" \"$@\" > /dev/full", call);
        assert_eq!(done.status.code(), Some(1), "{call:?}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains("standard output could not be written"), "{}", text(&done.stderr));
    }
    assert_eq!(ResultFile::open(Path::new(&file)).expect("result").case().expect("case").outcome, "done");
    // a reader that has seen enough is none
    let done = shell("\"$0\" schema | head -1 > /dev/null", &[]);
    assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
}

/// A log on a full disk: the run goes on to its end, and says what it lost. The disk is full by a preloaded library.
#[test]
fn a_log_on_a_full_disk_is_an_error() {
    let scratch = Scratch::new("log");
    let (shim, file, log) = (scratch.path("faults.so"), scratch.path("b.vtkhdf"), scratch.path("full.log"));
    let source = runs::path("tests/readers/faults.c").to_string_lossy().into_owned();
    match Command::new("cc").args(["-shared", "-fPIC", "-o", &shim, &source, "-ldl"]).status() {
        Ok(made) => assert!(made.success(), "{source} does not compile"),
        Err(_) => return eprintln!("NOT RUN: there is no C compiler"),
    }
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impakt"));
        command.args(["run", &case(CASE), "-o", &file, "--quiet", "--set", "time.end=2e-5"]).args(more);
        command.env("LD_PRELOAD", &shim).env("FAULT_FILE", "full.log").env("FAULT_KIND", "enospc").env("FAULT_AT", "1");
        command.output().expect("impakt runs")
    };
    let (without, with) = (run(&[]), run(&["--log", &log]));
    assert!(without.status.success(), "{}", text(&without.stderr));
    let said = text(&with.stderr);
    assert_eq!(with.status.code(), Some(1), "{said}");
    assert!(said.contains("full.log could not be written: No space left on device"), "{said}");
    assert_eq!(ResultFile::open(Path::new(&file)).expect("result").case().expect("case").outcome, "done");
}

#[test]
fn what_is_no_regular_file_is_not_read() {
    let scratch = Scratch::new("inputs");
    let pipe = scratch.path("pipe.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let begun = Instant::now();
    for input in [pipe.as_str(), "/dev/zero", "/dev/stdin", &scratch.path(".")] {
        for command in ["check", "run", "post", "contact"] {
            let done = impakt(&[command, input]);
            let said = text(&done.stderr);
            assert_eq!(done.status.code(), Some(2), "{command} {input}: {said}");
            assert!(said.len() < 600, "{command} {input}: {said}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "it waited for {:?}", begun.elapsed());
    // a file given by mistake is not printed, and neither is all of a long value
    let secret = scratch.path("secret.yaml");
    std::fs::write(&secret, "user:x:0:0: top secret\n  a: b\n").expect("file");
    let said = text(&impakt(&["check", &secret]).stderr);
    assert!(!said.contains("top secret") && said.contains("secret.yaml"), "{said}");
    let set = format!("title={}", "[1,".repeat(30_000));
    let said = text(&impakt(&["check", &case(CASE), "--set", &set]).stderr);
    assert!(said.len() < 2000, "{} letters", said.len());
}

/// Under half of what `check` says the run will hold, it is refused with the figure; the older result stays.
#[test]
fn a_run_that_does_not_fit_is_not_begun() {
    let scratch = Scratch::new("memory");
    let file = scratch.path("sphere.vtkhdf");
    let slab = ["--set", "bodies.block.mesh.box.divisions=[24,24,16]", "--set", "time.end=2e-5"];
    let name = case("obstacles/sphere.yaml");
    let said = command::done(&[&["check", name.as_str()], &slab[..]].concat());
    let line = said.lines().find(|line| line.starts_with("memory about")).expect("a forecast");
    let words: Vec<&str> = line.split_whitespace().collect();
    let peak = words[2].parse::<f64>().expect("a number") * if words[3] == "GB" { 1e6 } else { 1e3 };
    let first = [&["run", &name, "-o", &file, "--quiet", "--set", "time.end=2e-5"][..]].concat();
    assert!(impakt(&first).status.success());
    let before = std::fs::read(&file).expect("file");
    let limit = format!("{:.0}", 0.5 * peak);
    let call = [&[limit.as_str(), "run", &name, "-o", &file, "--quiet", "--threads", "1"], &slab[..]].concat();
    let done = shell("ulimit -v \"$1\"; shift; exec \"$0\" \"$@\"", &call);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("ulimit -v") && said.contains("MB"), "{said}");
    assert_eq!(std::fs::read(&file).expect("file"), before, "the older result is not what it was");
}
