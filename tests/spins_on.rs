//! A free rigid body spins on: what turns it starts anew in each step, so nothing is lost to the sum of all turns. (As a
//! running sum it rounded the moment of inertia forces by 1e-16 of itself, and beyond 258 rad no line search passed.)
//!
//! Inertia 1 : 2 : 3, 523 rad/s (5000 turns a minute), 0.05 rad a step; implicit (midpoint) and explicit. Energy and angular
//! momentum are constants of the motion; the spin about the middle axis repeats with the period of Jacobi's functions, and the
//! midpoint rule misses that by a share that falls with Δt². A tenth of a million steps here; all of them by
//! `cargo test --release --test spins_on -- --ignored`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod command;
mod runs;

use command::Scratch;
use impakt::case::Case;
use impakt::output::ResultFile;
use impakt::reference::top::Top;
use impakt::simulation::{RunError, RunOptions};
use nalgebra::{Rotation3, Vector3};
use runs::{at_most, column, near};

const INERTIA: [f64; 3] = [1.0, 2.0, 3.0];
/// Spin about the axes of least and largest inertia, 523 rad/s together.
const SPIN: [f64; 2] = [369.8, 369.8];

fn case(scheme: &str, steps: f64, dt: f64) -> Case {
    let text = format!(
        "geometry: solid
time: {{ end: {:e}, step: {dt:e}, scheme: {scheme}, newton: {{ reuse: never }} }}
obstacles:
  box:
    shape: {{ box: {{ min: [-0.1, -0.15, -0.05], max: [0.1, 0.15, 0.05] }} }}
    mass: 3.0
    inertia: [{}, {}, {}]
    angular_velocity: [{}, 0.0, {}]
output: {{ every: {:e} }}
",
        steps * dt,
        INERTIA[0],
        INERTIA[1],
        INERTIA[2],
        SPIN[0],
        SPIN[1],
        0.1 * steps * dt
    );
    runs::case_from(&text, "spins_on.yaml", &[])
}

const SCHEMES: [&str; 2] = ["{ jean: {} }", "{ explicit: {} }"];

fn keeps_what_is_kept(scheme: &str, steps: f64) {
    let summary = runs::run(&case(scheme, steps, 1e-4));
    let energy = column(&summary, "total_energy");
    let lost = energy.iter().fold(0.0f64, |m, e| m.max((e / energy[0] - 1.0).abs()));
    at_most(&format!("{scheme}: energy over {steps} steps, change / energy"), lost, 1e-10);
    let momentum: Vec<Vec<f64>> = (0..3).map(|k| column(&summary, &format!("angular_momentum/{k}"))).collect();
    let size = momentum.iter().map(|l| l[0] * l[0]).sum::<f64>().sqrt();
    let turned = momentum.iter().flat_map(|l| l.iter().map(|x| (x - l[0]).abs())).fold(0.0, f64::max);
    at_most(&format!("{scheme}: angular momentum over {steps} steps, change / |L|"), turned / size, 1e-10);
}

/// Time between passages of the spin about the middle axis through zero, two to a period.
fn half_period(scheme: &str, dt: f64) -> f64 {
    let summary = runs::run(&case(scheme, 2.0 / dt, dt));
    let read = |name: &str| [0, 1, 2].map(|k| column(&summary, &format!("bodies/box/{name}/{k}")));
    let (times, turned, spin) = (column(&summary, "time"), read("rotation"), read("angular_velocity"));
    let at = |list: &[Vec<f64>; 3], k: usize| Vector3::from(list.each_ref().map(|values| values[k]));
    let middle: Vec<f64> =
        (0..times.len()).map(|k| (Rotation3::new(at(&turned, k)).inverse() * at(&spin, k)).y).collect();
    let passages: Vec<f64> = (2..times.len())
        .filter(|&k| middle[k - 1] * middle[k] < 0.0)
        .map(|k| times[k] - (times[k] - times[k - 1]) * middle[k] / (middle[k] - middle[k - 1]))
        .collect();
    (passages[passages.len() - 1] - passages[0]) / (passages.len() - 1) as f64
}

#[test]
fn energy_and_angular_momentum_are_kept() {
    runs::claims::source("free top: energy and angular momentum in space are constant");
    SCHEMES.iter().for_each(|scheme| keeps_what_is_kept(scheme, 1e5));
}

#[test]
#[ignore = "half a minute"]
fn a_million_steps() {
    SCHEMES.iter().for_each(|scheme| keeps_what_is_kept(scheme, 1e6));
}

#[test]
fn it_tumbles_with_the_period_of_jacobis_functions() {
    runs::claims::source(
        "free asymmetric top: period by Jacobi's elliptic functions (Landau, Lifshitz: Mechanics, §37)",
    );
    let exact = 0.5 * Top { inertia: INERTIA, spin: SPIN }.period();
    for scheme in SCHEMES {
        let [coarse, fine] = [1e-4, 5e-5].map(|dt| half_period(scheme, dt) / exact - 1.0);
        // (|ω|Δt)²/12 is what the midpoint rule turns too little
        at_most(&format!("{scheme}: period, error / period"), coarse.abs(), (523.0e-4f64).powi(2) / 12.0 * 1.5);
        near(&format!("{scheme}: error of the period at half the step, ratio"), coarse / fine, 4.0, 0.1);
    }
}

/// Taken up in the middle, the run has the bits of one that never stopped.
#[test]
fn a_restart_in_the_middle_changes_nothing() {
    runs::claims::source("the run that was never stopped");
    let scratch = Scratch::new("spins_on");
    let bits = |file: &std::path::Path, name: &str| -> Vec<u64> {
        let open = ResultFile::open(file).expect("result");
        open.history(name).expect("column").data.iter().map(|x| x.to_bits()).collect()
    };
    for scheme in SCHEMES {
        let case = case(scheme, 2e4, 1e-4);
        let files = ["whole", "parts"].map(|name| scratch.0.join(format!("{name}.vtkhdf")));
        let run = |file: &std::path::Path, until: u64, restart: bool| {
            let options = RunOptions { output: Some(file.to_path_buf()), restart, ..RunOptions::default() };
            match runs::start(&case).run(&options, &mut |progress| progress.step < until) {
                Ok(_) | Err(RunError::Interrupted { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        };
        run(&files[0], u64::MAX, false);
        run(&files[1], 10_000, false);
        run(&files[1], u64::MAX, true);
        for name in ["bodies/box/rotation", "bodies/box/angular_velocity", "total_energy", "angular_momentum"] {
            assert_eq!(bits(&files[0], name), bits(&files[1], name), "{scheme}: {name}");
        }
    }
}
