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

/// A rigid block follows the same law, to first order in the step as well.
#[test]
fn a_rigid_block_follows_the_power_law() {
    source("sliding on orthotropic ground [MichalowskiMroz1978]: v2/v20 = (v1/v10)^k");
    let off = |step: &str| {
        let run = run_file("cases/friction/orthotropic_rigid.yaml", &[&format!("time.step={step}")]);
        let [v1, v2] = velocities(&run);
        at_most("rigid: ledger", size(&column(&run, "energy_balance_error")), 1e-9);
        v1.iter().zip(&v2).map(|(v1, v2)| (v2 - v1.sqrt()).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (off("1e-3"), off("5e-4"));
    at_most("rigid: error at 0.5 ms", fine, 1e-3);
    near("rigid: order of the error", (coarse / fine).log2(), 1.0, 0.1);
}

/// What a block slides on, and what it is itself.
#[derive(Clone, Copy)]
enum Scene {
    /// Deformable on an obstacle.
    OnObstacle,
    /// Rigid on an obstacle.
    Rigid,
    /// Deformable on a deformable plate that is led at all its nodes.
    OnBody,
}

/// Velocities of a block that falls by a millimetre onto a plate; after 5 ms the plate has turned by `turn` degrees.
fn slide(scene: Scene, turn: f64, axis: &str, carried_by: &str) -> [Vec<f64>; 2] {
    let motion = format!("axis: [0, 0, 1], angle: {{ ramp: {{ from: 0, to: {turn:?}, start: 0, rise: 0.005 }} }}");
    let block =
        "mesh: { box: { min: [-0.1, -0.1, 0.001], max: [0.1, 0.1, 0.021], divisions: [2, 2, 1] } }, material: stiff";
    let plate =
        "mesh: { box: { min: [-0.5, -0.5, -0.1], max: [0.5, 0.5, 0.0], divisions: [3, 3, 1] } }, material: stiff";
    let obstacle = format!(
        "plate: {{ shape: {{ half_space: {{ point: [0, 0, 0], normal: [0, 0, 1] }} }}, motion: {{ rotation: {{ {motion} }} }} }}"
    );
    let velocity = "velocity: [1.0, 0.8, 0.0]";
    let (bodies, obstacles, led, sets) = match scene {
        Scene::OnObstacle => {
            (format!("bodies: {{ block: {{ {block}, {velocity} }} }}"), obstacle, String::new(), "block.z_min, plate")
        }
        Scene::OnBody => (
            format!("bodies: {{ block: {{ {block}, {velocity} }}, plate: {{ {plate} }} }}"),
            String::new(),
            format!(", {{ rotation: {{ on: plate.all, centre: [0, 0, 0], {motion} }} }}"),
            "block.z_min, plate.z_max",
        ),
        Scene::Rigid => {
            let shape = "shape: { box: { min: [-0.1, -0.1, 0.001], max: [0.1, 0.1, 0.021] } }";
            let block = format!("block: {{ {shape}, density: 1000, free: [x, y, z], {velocity} }}");
            (String::new(), format!("{block}, {obstacle}"), String::new(), "block, plate")
        }
    };
    let text = format!(
        "
geometry: solid
time: {{ end: 0.06, step: 1.0e-3, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ stiff: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e8, poisson: 0.3 }} }} }} }}
{bodies}
obstacles: {{ {obstacles} }}
boundary: [{{ gravity: [0.0, 0.0, -9.81] }}{led}]
contacts:
  - {{ between: [{sets}], friction: {{ mu1: 0.4, mu2: 0.05, axis: {axis}, carried_by: {carried_by} }} }}
output: {{ every: 0.06 }}
"
    );
    velocities(&run(&case_from(&text, "grooves", &[])))
}

fn apart(a: &[Vec<f64>; 2], b: &[Vec<f64>; 2]) -> f64 {
    distance(&a[0], &b[0]).max(distance(&a[1], &b[1]))
}

/// A plate that turns by 90° while the block is still above it takes its grooves along; grooves in the block's own sole stay. The
/// block takes 14 ms to fall.
#[test]
fn grooves_go_with_what_carries_them() {
    source("the plate turned before the start");
    for (name, scene, [plate, sole]) in [
        ("on an obstacle", Scene::OnObstacle, ["obstacle", "body"]),
        ("rigid", Scene::Rigid, ["second", "first"]),
        ("on a body", Scene::OnBody, ["second", "first"]),
    ] {
        let (along, across) = (slide(scene, 0.0, "[1, 0, 0]", plate), slide(scene, 0.0, "[0, 1, 0]", plate));
        assert!(distance(&along[0], &across[0]) > 0.05, "{name}: the axis matters");
        let turned = slide(scene, 90.0, "[1, 0, 0]", plate);
        at_most(&format!("{name}: grooves of the plate turn with it"), apart(&turned, &across), 1e-8);
        let stayed = slide(scene, 90.0, "[1, 0, 0]", sole);
        at_most(&format!("{name}: grooves of the sole stay"), apart(&stayed, &along), 1e-8);
    }
}

/// A deformable plate whose nodes are all held is an obstacle.
#[test]
fn a_held_plate_is_an_obstacle() {
    source("the same block on an obstacle");
    for turn in [0.0, 30.0] {
        let obstacle = slide(Scene::OnObstacle, turn, "[1, 0.5, 0]", "obstacle");
        let body = slide(Scene::OnBody, turn, "[1, 0.5, 0]", "second");
        at_most(&format!("plate turned by {turn} degrees"), apart(&obstacle, &body), 1e-8);
    }
}
