//! The adaptive step: frames are met exactly, the ledger stays an identity, the energy bound is kept, and the same case gives
//! the same bits.

mod runs;

use impakt::simulation::Summary;
use runs::{at_least, at_most, case, case_from, column, last, near, run, size};

const ADAPTIVE: &str = "time.step={ adaptive: { initial: 2.0e-6, min: 1.0e-8, max: 3.0e-5 } }";

fn closes(summary: &Summary) {
    let largest = size(&column(summary, "total_energy")).max(size(&column(summary, "external_work")));
    at_most("ledger error", summary.largest_error, 1e-10 * largest);
}

/// The V-groove with friction: steps grow in free flight and the frames' times are all there, to the bit.
#[test]
fn frames_are_met_exactly_and_runs_repeat() {
    runs::claims::source("k times the interval; energy ledger");
    let sets = [ADAPTIVE, "time.end=1.0e-3", "output.every=1.0e-4"];
    let one = run(&case("cases/vgroove/b_friction_02.yaml", &sets));
    closes(&one);
    let (times, steps) = (column(&one, "time"), column(&one, "step_size"));
    for k in 0..=10 {
        let wanted = f64::from(k) / 10_000.0;
        assert!(times.contains(&wanted), "no step ends at {wanted:e}");
    }
    assert_eq!(last(&times), 1.0e-3);
    let (longest, shortest) = (runs::max(&steps), runs::min(&steps[1..]));
    at_least("longest step", longest, 1.2e-5);
    at_most("longest step", longest, 3.0e-5 * (1.0 + 1e-9));
    assert_eq!(steps[1], 2.0e-6, "the first step is the one asked for");
    println!("{} steps from {shortest:e} to {longest:e}", steps.len() - 1);
    let two = run(&case("cases/vgroove/b_friction_02.yaml", &sets));
    for name in ["time", "kinetic_energy", "friction_dissipation", "energy_balance_error"] {
        let bits = |s: &Summary| column(s, name).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one), bits(&two), "{name}");
    }
}

/// Between two frames no step is a sliver: the steps before a frame are equal to the ones wanted or evenly shortened, so
/// none is shorter than half of the one before it when all take the same number of iterations.
#[test]
fn no_sliver_before_a_frame() {
    runs::claims::source("free fall");
    let text = "geometry: plane_strain
time: { end: 1.0, step: { adaptive: { initial: 0.013, max: 0.017 } } }
materials: { m: { density: 1000.0, law: { linear: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.0], max: [0.1, 0.1], divisions: [1, 1] } }, material: m } }
boundary: [{ gravity: [0.0, -9.81] }]
output: { every: 0.1 }
";
    let summary = run(&case_from(text, "fall.yaml", &[]));
    let (times, steps) = (column(&summary, "time"), column(&summary, "step_size"));
    for k in 1..=10 {
        assert!(times.contains(&(f64::from(k) / 10.0)), "no step ends at {k}/10");
    }
    at_least("shortest step", runs::min(&steps[1..]), 0.1 / 8.0 - 1e-12);
    let fallen = last(&column(&summary, "bodies/b/centre_of_mass/1"));
    near("free fall is exact whatever the steps", fallen, 0.05 - 0.5 * 9.81, 1e-12);
}

/// A soft block spun fast loses energy to θ = ξ = 1: with a bound the loss of every step stays below it, and the run
/// needs more steps.
#[test]
fn energy_bound() {
    runs::claims::source("the bound of the case");
    let text = "geometry: plane_strain
time: { end: 5.0e-3, step: { adaptive: { initial: 1.0e-4, max: 2.0e-4 } }, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
materials: { m: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies:
  b:
    mesh: { rectangle: { min: [0.0, 0.0], max: [0.1, 0.05], divisions: [4, 2] } }
    material: m
    angular_velocity: 200.0
";
    let loss = |sets: &[&str]| {
        let summary = run(&case_from(text, "spin.yaml", sets));
        closes(&summary);
        let (lost, total) = (column(&summary, "numerical_dissipation"), size(&column(&summary, "total_energy")));
        let worst = lost.windows(2).map(|w| (w[1] - w[0]).abs() / total).fold(0.0, f64::max);
        (worst, summary.steps)
    };
    let (free, few) = loss(&[]);
    let bounded = "time.step={ adaptive: { initial: 1.0e-4, max: 2.0e-4, energy: 1.0e-4 } }";
    let (kept, many) = loss(&[bounded]);
    at_least("loss of a step without a bound", free, 2e-4);
    at_most("loss of a step with a bound", kept, 1e-4);
    assert!(many > few, "{many} steps with the bound, {few} without");
}
