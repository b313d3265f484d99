//! Runs that ask too much: steps far too long, impacts far too fast, iterations far too few. Each either gets through by
//! cutting steps or stops with its reason and a result file that can be read up to there. Nothing panics.

mod runs;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use impakt::integrator::StepError;
use impakt::output::ResultFile;
use impakt::simulation::{RunError, RunOptions, Stopped, Summary};
use runs::claims::source;
use runs::{at_most, case, column, last, max, size};

const FILE: &str = "cases/vgroove/b_friction_02.yaml";

/// A result path that no other test or process uses, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("impakt_robustness_{}_{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Scratch(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("result.vtkhdf")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs into a file and checks that whatever came of it can be read back.
fn attempt(file: &str, sets: &[&str]) -> Result<Summary, Stopped> {
    let case = case(file, sets);
    let scratch = Scratch::new();
    let options = RunOptions { output: Some(scratch.file()), ..RunOptions::default() };
    let outcome = runs::start(&case).run(&options, &mut |_| true);
    let result =
        ResultFile::open(&scratch.file()).unwrap_or_else(|e| panic!("{sets:?}: the result cannot be read: {e}"));
    let times = result.history("time").expect("the history has times");
    assert_eq!(times.rows(), result.history_rows());
    assert!(times.data.iter().all(|t| t.is_finite()), "{sets:?}: times are numbers");
    let frames = result.times().len();
    assert!(frames >= 1, "{sets:?}: at least the start is in the file");
    let points = result.points(frames - 1).expect("the last frame has points");
    assert!(points.iter().flatten().all(|x| x.is_finite()), "{sets:?}: the last frame is finite");
    let energy = result.history("total_energy").expect("the history has energies");
    assert!(energy.data.iter().all(|e| e.is_finite()), "{sets:?}: energies are numbers");
    match outcome {
        Ok(summary) => {
            println!("{sets:?}: done in {} steps, {} rows", summary.steps, times.rows());
            assert_eq!(times.rows() as u64, summary.steps + 1);
            Ok(summary)
        }
        Err(RunError::Stopped { stopped, path }) => {
            println!("{sets:?}: {stopped}");
            assert_eq!(path, scratch.file(), "the error names the file");
            // the file ends where the run did
            assert_eq!(times.rows() as u64, stopped.step, "one row per accepted step and the start");
            assert!(
                (times.data[times.data.len() - 1] - stopped.time).abs() <= 1e-12,
                "the last row is the time reached"
            );
            Err(stopped)
        }
        Err(other) => panic!("{sets:?}: {other}"),
    }
}

/// A run that got through: its ledger closes and steps that were cut grow back, to that share of the one asked for.
fn check_cut_steps(label: &str, run: &Summary, nominal: f64, back_to: f64) {
    let steps = column(run, "step_size");
    let cut = steps[1..].iter().filter(|h| **h < 0.999 * nominal).count();
    println!("{label}: {cut} of {} steps were cut, shortest {:.3e}", steps.len() - 1, runs::min(&steps[1..]));
    if cut > 0 {
        let first = steps[1..].iter().position(|h| *h < 0.999 * nominal).expect("a cut step") + 1;
        let shortest = steps[first..].iter().copied().fold(f64::INFINITY, f64::min);
        let grown = steps[first..].iter().any(|h| *h >= back_to * nominal * (1.0 - 1e-9) && *h > shortest);
        assert!(grown, "{label}: after a cut the step never returns to {back_to} of {nominal:e}");
        // steps are cut within an interval asked for, so its ends are still met
        let times = column(run, "time");
        let intervals = (last(&times) / nominal).round() as usize;
        for k in 1..=intervals {
            let t = k as f64 * nominal;
            assert!(times.iter().any(|x| (x - t).abs() < 1e-9 * nominal), "{label}: t = {t:e} is skipped");
        }
    }
    let e0 = run.initial_energy;
    at_most(&format!("{label}: ledger error"), size(&column(run, "energy_balance_error")) / e0, 1e-9);
}

#[test]
fn steps_far_too_long() {
    source("friction takes energy, whatever the step");
    for step in [5e-5, 1e-4, 2e-4, 5e-4] {
        let label = format!("step {step:e}");
        match attempt(FILE, &[&format!("time.step={step:e}"), &format!("output.every={step:e}")]) {
            Ok(run) => {
                check_cut_steps(&label, &run, step, 1.0);
                at_most(&format!("{label}: penetration"), max(&column(&run, "max_penetration")), 1e-9);
                // however coarse, friction does not feed the body
                at_most(&format!("{label}: energy"), max(&column(&run, "total_energy")), 1.05 * run.initial_energy);
            }
            Err(stopped) => {
                // only after every halving was tried
                assert!(stopped.dt <= step / 256.0 * 1.001, "{label}: gave up at {:e}", stopped.dt);
            }
        }
    }
}

#[test]
fn impacts_far_too_fast() {
    for speed in [100.0, 300.0, 1000.0] {
        let label = format!("{speed} m/s");
        let sets = [format!("bodies.cylinder.velocity=[0.0, -{speed:.1}]"), "time.end=1.0e-3".to_owned()];
        match attempt(FILE, &sets.each_ref().map(String::as_str)) {
            // faster than sound the foam is crushed to the end, and no step is as long as those before
            Ok(run) => check_cut_steps(&label, &run, 1e-5, 0.25),
            Err(stopped) => {
                assert!(stopped.dt <= 1e-5 / 256.0 * 1.001, "{label}: gave up at {:e}", stopped.dt);
                assert!(stopped.time > 0.0, "{label}: free flight is no problem");
            }
        }
    }
}

/// Two foam discs shot at each other, up to fifty times faster than sound in them.
#[test]
fn discs_that_meet_far_too_fast() {
    for speed in [100.0, 1000.0, 5000.0] {
        let (label, step) = (format!("discs at {speed} m/s"), 3e-4 / speed);
        let sets = [
            format!("bodies.left.velocity=[{speed:.1}, 0.0]"),
            format!("bodies.right.velocity=[-{speed:.1}, 0.0]"),
            format!("time.end={:e}", 100.0 * step),
            format!("time.step={step:e}"),
            format!("output.every={:e}", 10.0 * step),
        ];
        match attempt("cases/pairs/two_discs.yaml", &sets.each_ref().map(String::as_str)) {
            Ok(run) => check_cut_steps(&label, &run, step, 1.0),
            Err(stopped) => {
                assert!(stopped.dt <= step / 256.0 * 1.001, "{label}: gave up at {:e}", stopped.dt);
                assert!(stopped.time > 2.0 * step, "{label}: free flight is no problem");
            }
        }
    }
}

#[test]
fn elements_that_would_invert_cut_the_step() {
    runs::claims::source("energy identity of the scheme");
    // A soft block thrown so fast that one step would turn its elements inside out: the law refuses the state
    // (J <= 0) and the step is halved until it does not.
    let text = "\
title: Soft block thrown against a floor
geometry: plane_strain
time: { end: 4.0e-3, step: 2.0e-4 }
materials:
  soft: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } }
bodies:
  block:
    mesh: { rectangle: { min: [0.0, 0.001], max: [0.04, 0.041], divisions: [8, 8] } }
    material: soft
    velocity: [0.0, -30.0]
obstacles:
  floor: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } } }
contacts:
  - { between: [block.surface, floor], friction: 0.3 }
";
    let case = runs::case_from(text, "soft_block.yaml", &[]);
    match runs::try_run(&case) {
        Ok(run) => check_cut_steps("soft block", &run, 2e-4, 1.0),
        Err(RunError::Stopped { stopped, .. }) => {
            println!("soft block: {stopped}");
            assert!(stopped.dt <= 2e-4 / 256.0 * 1.001, "gave up at {:e}", stopped.dt);
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn newton_with_one_iteration_stops_with_its_numbers() {
    let stopped = attempt(FILE, &["time.newton.max_iterations=1"]).expect_err("one iteration cannot do");
    match stopped.reason {
        StepError::NotConverged { iteration, residual, tolerance, .. } => {
            assert_eq!(iteration, 1);
            assert!(residual.is_finite() && tolerance > 0.0 && residual >= 0.0, "{stopped}");
        }
        ref other => panic!("not the reason expected: {other}"),
    }
    assert!(stopped.to_string().contains("Newton did not converge in 1 iterations"), "{stopped}");
}

#[test]
fn contact_solvers_with_too_few_iterations_stop_with_their_numbers() {
    for solver in ["gauss_seidel", "uzawa", "newton", "hybrid"] {
        let set = format!("contact_solver={{{solver}: {{max_iterations: 1, tolerance: 1.0e-14}}}}");
        // without halvings: a step short enough has so little coupling that one sweep does
        let stopped = attempt(FILE, &[&set, "time.max_halvings=0"]).expect_err("one sweep to 1e-14 cannot do");
        assert!(stopped.time > 1e-4, "{solver}: it fails at the first contact, not before");
        match &stopped.reason {
            StepError::Contact(message) => {
                assert!(message.starts_with(&format!("{solver} stopped after 1 iterations")), "{solver}: {message}");
                assert!(message.contains("residual of") && message.contains("> 1.0e-14"), "{solver}: {message}");
            }
            other => panic!("{solver}: not the reason expected: {other}"),
        }
    }
}

#[test]
fn a_step_at_round_off_is_accepted() {
    // At 100 m/s steps are cut to 1e-8 s. There M/(θΔt²) times the rounding of a displacement is a residual that no
    // iteration can reduce: |R| is within its tolerance, the corrections are 1e-16 m, and the step must be taken.
    if let Err(stopped) = attempt(FILE, &["bodies.cylinder.velocity=[0.0, -100.0]", "time.end=5.0e-4"])
        && let StepError::NotConverged { residual, tolerance, increment, .. } = stopped.reason
    {
        assert!(residual > tolerance || increment > 1e-14, "a converged step was refused: {stopped}");
    }
}

#[test]
fn without_halvings_the_first_failure_stops() {
    source("the step that was asked for");
    let sets = ["time.newton.max_iterations=1", "time.max_halvings=0"];
    let stopped = attempt(FILE, &sets).expect_err("one iteration cannot do");
    runs::near("the step tried", stopped.dt, 1e-5, 1e-18);
}

#[test]
fn an_interrupted_run_leaves_what_it_had() {
    let case = case(FILE, &[]);
    let scratch = Scratch::new();
    let mut steps = 0;
    let options = RunOptions { output: Some(scratch.file()), ..RunOptions::default() };
    let outcome = runs::start(&case).run(&options, &mut |progress| {
        steps = progress.step;
        progress.step < 25
    });
    assert!(matches!(outcome, Err(RunError::Interrupted { .. })), "interrupted");
    let result = ResultFile::open(&scratch.file()).expect("readable");
    assert_eq!(steps, 25);
    assert_eq!(result.history_rows(), 26, "25 steps and the start");
}

#[test]
fn a_search_distance_shorter_than_a_step_finds_what_the_step_needs() {
    source("the same case without it, same bits");
    let far = |sets: &[&str]| {
        let summary = runs::run_file("cases/pairs/two_discs.yaml", sets);
        column(&summary, "total_energy")
    };
    let plain = far(&["time.end=2e-3"]);
    assert!(last(&plain) < plain[0], "they meet");
    assert_eq!(far(&["time.end=2e-3", "contacts.0.search=1e-9"]), plain);
}

#[test]
fn energies_beyond_all_numbers_stop_a_run() {
    source("what is no number is no result");
    let text = "
geometry: solid
time: { end: 0.1, step: 1.0e-3 }
obstacles:
  ground: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } }
  box: { shape: { box: { min: [0, 0, 0.1], max: [0.1, 0.1, 0.2] } }, mass: 1.0, velocity: [1.0e300, 0, 0] }
";
    match runs::try_run(&runs::case_from(text, "fast.yaml", &[])) {
        Err(RunError::Stopped { stopped, .. }) => assert!(matches!(stopped.reason, StepError::Unbounded), "{stopped}"),
        other => panic!("{:?}", other.map(|summary| summary.steps)),
    }
}
