//! A stiff block slides over a grooved plate: the exact laws of THEORY 3.3 (MichalowskiMroz1978) and what must not matter.
//! `cases/friction` holds the same runs to values at their end.

mod runs;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_most, case_from, column, distance, last, near, run, run_file, size};

fn velocities(run: &Summary) -> [Vec<f64>; 2] {
    ["bodies/block/velocity/0", "bodies/block/velocity/1"].map(|path| column(run, path))
}

/// `v₂/v₂₀ = (v₁/v₁₀)^k` at every moment, `k = (μ₂/μ₁)²` for the associated rule and `(q₂/q₁)²` for another ellipse. The implicit
/// steps leave it to first order: half the step, half the error.
#[test]
fn slip_normal_to_an_ellipse_follows_a_power_law() {
    source("sliding on orthotropic ground [MichalowskiMroz1978]: v2/v20 = (v1/v10)^k");
    for (file, exponent) in [("associated", 0.5), ("ellipse", 2.0)] {
        let off = |step: &str| {
            let run = run_file(&format!("cases/friction/orthotropic_{file}.yaml"), &[&format!("time.step={step}")]);
            let [v1, v2] = velocities(&run);
            let error = v1.iter().zip(&v2).map(|(v1, v2)| (v2 - v1.powf(exponent)).abs()).fold(0.0, f64::max);
            let heat = column(&run, "friction_dissipation");
            assert!(heat.windows(2).all(|pair| pair[1] >= pair[0]), "friction takes energy in every step");
            at_most(&format!("{file}: ledger"), size(&column(&run, "energy_balance_error")), 1e-9);
            error
        };
        let (coarse, fine) = (off("1e-3"), off("5e-4"));
        at_most(&format!("{file}: error at 0.5 ms"), fine, 1e-3);
        near(&format!("{file}: order of the error"), (coarse / fine).log2(), 1.0, 0.1);
    }
}

/// Slip against the force of friction: a straight path and a constant deceleration `g/√(cos²φ/μ₁² + sin²φ/μ₂²)`.
#[test]
fn slip_against_the_force_goes_straight() {
    source("sliding on orthotropic ground [MichalowskiMroz1978]: straight path, constant deceleration");
    let run = run_file("cases/friction/orthotropic_collinear.yaml", &[]);
    let ([v1, v2], time) = (velocities(&run), column(&run, "time"));
    let (sin, cos) = 40f64.to_radians().sin_cos();
    let deceleration = 9.81 / ((cos / 0.3).powi(2) + (sin / 0.15).powi(2)).sqrt();
    let across = v1.iter().zip(&v2).map(|(v1, v2)| (v2 * cos - v1 * sin).abs()).fold(0.0, f64::max);
    at_most("velocity across the path", across, 1e-7);
    near("speed at the end", last(&v1).hypot(last(&v2)), 1.0 - deceleration * last(&time), 1e-6);
}

/// Nothing but the angle between axis and velocity matters: both turned by 30° turn the result.
#[test]
fn the_whole_scene_may_be_turned() {
    source("isotropy of space");
    let text = |angle: f64| {
        let (sin, cos) = angle.to_radians().sin_cos();
        let (a, b) = (cos - sin, sin + cos); // (1, 1) turned
        format!(
            "
geometry: solid
time: {{ end: 0.05, step: 1.0e-3, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ stiff: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e9, poisson: 0.3 }} }} }} }}
bodies:
  block:
    mesh: {{ box: {{ min: [-0.1, -0.1, 0.0], max: [0.1, 0.1, 0.02], divisions: [2, 2, 1] }} }}
    rotation: {{ axis: [0.0, 0.0, 1.0], angle: {angle} }}
    material: stiff
    velocity: [{a:?}, {b:?}, 0.0]
obstacles: {{ plane: {{ shape: {{ half_space: {{ point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] }} }} }} }}
boundary: [{{ gravity: [0.0, 0.0, -9.81] }}]
contacts: [{{ between: [block.z_min, plane], friction: {{ mu1: 0.4, mu2: 0.1, axis: [{cos:?}, {sin:?}, 0.3] }} }}]
output: {{ every: 0.05 }}
"
        )
    };
    let straight = run(&case_from(&text(0.0), "straight", &[]));
    let turned = run(&case_from(&text(30.0), "turned", &[]));
    let ([a1, a2], [b1, b2]) = (velocities(&straight), velocities(&turned));
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let back1: Vec<f64> = b1.iter().zip(&b2).map(|(x, y)| cos * x + sin * y).collect();
    let back2: Vec<f64> = b1.iter().zip(&b2).map(|(x, y)| cos * y - sin * x).collect();
    at_most("along the axis", distance(&a1, &back1), 1e-8);
    at_most("across it", distance(&a2, &back2), 1e-8);
}

/// A plate that turns by 90° while the block is still above it takes its grooves along; grooves in the block's own sole stay.
#[test]
fn grooves_go_with_what_carries_them() {
    source("the plate turned before the start");
    let with = |motion: &str, axis: &str, carrier: &str| {
        let text = format!(
            "
geometry: solid
time: {{ end: 0.06, step: 1.0e-3, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ stiff: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e8, poisson: 0.3 }} }} }} }}
bodies:
  block:
    mesh: {{ box: {{ min: [-0.1, -0.1, 0.001], max: [0.1, 0.1, 0.021], divisions: [2, 2, 1] }} }}
    material: stiff
    velocity: [1.0, 0.8, 0.0]
obstacles: {{ plane: {{ shape: {{ half_space: {{ point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] }} }}{motion} }} }}
boundary: [{{ gravity: [0.0, 0.0, -9.81] }}]
contacts: [{{ between: [block.z_min, plane], friction: {{ mu1: 0.4, mu2: 0.05, axis: {axis}, carried_by: {carrier} }} }}]
output: {{ every: 0.06 }}
"
        );
        velocities(&run(&case_from(&text, "grooves", &[])))
    };
    // the block takes 14 ms to fall 1 mm; the plate has turned after 5 ms
    let turning =
        ", motion: { rotation: { axis: [0, 0, 1], angle: { ramp: { from: 0, to: 90, start: 0, rise: 0.005 } } } }";
    let (along, across) = (with("", "[1, 0, 0]", "obstacle"), with("", "[0, 1, 0]", "obstacle"));
    assert!(distance(&along[0], &across[0]) > 0.05, "the axis matters");
    let turned = with(turning, "[1, 0, 0]", "obstacle");
    at_most(
        "grooves of the plate turn with it",
        distance(&turned[0], &across[0]).max(distance(&turned[1], &across[1])),
        1e-8,
    );
    let stayed = with(turning, "[1, 0, 0]", "body");
    at_most("grooves of the sole stay", distance(&stayed[0], &along[0]).max(distance(&stayed[1], &along[1])), 1e-8);
}
