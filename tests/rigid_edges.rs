//! Rigid solids in space whose edges cross: neither has a corner where they touch. And what that is good for: piles of boxes that
//! nobody has laid out, at position level.

mod runs;

use impakt::bodies::Rigid;
use impakt::simulation::Summary;
use nalgebra::{Matrix3, Rotation3, Vector3};
use runs::claims::source;
use runs::{at_most, case_from, column, last, near, run, size};

fn ledger_closes(summary: &Summary) {
    let reference = size(&column(summary, "total_energy")).max(size(&column(summary, "external_work")));
    at_most("ledger error / largest energy", summary.largest_error / reference, 1e-10);
}

/// A fixed bar with an edge on top along x, and a bar above it with an edge below along y.
const ROOFS: &str = "
geometry: solid
time: { end: 0.3, step: 1.0e-3, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
obstacles:
  lower:
    shape: { box: { min: [-0.5, -0.1, -0.1], max: [0.5, 0.1, 0.1] } }
    place: { rotate: { angle: 45, axis: [1.0, 0.0, 0.0] } }
  upper:
    shape: { box: { min: [-0.1, -0.5, -0.1], max: [0.1, 0.5, 0.1] } }
    place: { rotate: { angle: 45, axis: [0.0, 1.0, 0.0] }, translate: [0.07, 0.03, 0.3] }
    density: 1000.0
    free: [z]
boundary: [{ gravity: [0.0, 0.0, -9.81] }]
contacts: [{ between: [upper, lower], friction: 0.3, level: LEVEL }]
output: { every: 0.05 }
";

#[test]
fn a_bar_comes_to_rest_on_the_edge_of_another() {
    source(
        "two square bars of 0.2 m, edge across edge: centres 2 · 0.1 √2 m apart, and the lower one carries the weight of 40 kg",
    );
    for level in ["position", "velocity"] {
        let summary = run(&case_from(&ROOFS.replace("LEVEL", level), "roofs.yaml", &[]));
        let height = last(&column(&summary, "bodies/upper/centre_of_mass/2"));
        // at velocity level the bar stops in the step that would enter
        let limit = if level == "position" { 1e-9 } else { 2e-3 };
        near(&format!("{level}: height of the upper bar (m)"), height, 0.2 * 2f64.sqrt(), limit);
        let force = last(&column(&summary, "bodies/upper/contact_force/2"));
        near(&format!("{level}: force (N)"), force, 40.0 * 9.81, 1e-6);
        if level == "position" {
            at_most("penetration (m)", summary.largest_penetration, 1e-9);
        }
        ledger_closes(&summary);
    }
}

/// Both free, thrown at each other edge first, off their centres.
#[test]
fn bars_that_meet_edge_first_keep_their_momenta() {
    source("free bodies: momentum and angular momentum are those of the start; contact gives no energy");
    let text = "
geometry: solid
time: { end: 0.2, step: 1.0e-3 }
obstacles:
  lower:
    shape: { box: { min: [-0.5, -0.1, -0.1], max: [0.5, 0.1, 0.1] } }
    place: { rotate: { angle: 45, axis: [1.0, 0.0, 0.0] } }
    density: 1000.0
  upper:
    shape: { box: { min: [-0.1, -0.5, -0.1], max: [0.1, 0.5, 0.1] } }
    place: { rotate: { angle: 45, axis: [0.0, 1.0, 0.0] }, translate: [0.17, 0.13, 0.3] }
    density: 1000.0
    velocity: [0.1, -0.2, -2.0]
    angular_velocity: [0.5, 0.3, 1.0]
contacts: [{ between: [upper, lower], friction: 0.3, level: LEVEL, restitution: E }]
output: { every: 0.05 }
";
    for (level, e) in [("position", 0.0), ("velocity", 0.0), ("velocity", 0.5)] {
        let text = text.replace("LEVEL", level).replace(
            ", restitution: E",
            &if level == "velocity" { format!(", restitution: {e}") } else { String::new() },
        );
        let summary = run(&case_from(&text, "bars.yaml", &[]));
        let name = format!("{level}, e = {e}");
        for (path, scale) in [("momentum", 80.0), ("angular_momentum", 80.0 * 0.3)] {
            let change = (0..3).map(|axis| {
                let values = column(&summary, &format!("{path}/{axis}"));
                values.iter().fold(0.0, |m, x| f64::max(m, (x - values[0]).abs()))
            });
            // at velocity level forces act where the edges cross at the start of the step
            let limit = if path == "angular_momentum" && level == "velocity" { 1e-2 } else { 1e-12 };
            at_most(&format!("{name}: {path}, largest change"), change.fold(0.0, f64::max) / scale, limit);
        }
        let energy = column(&summary, "total_energy");
        at_most(&format!("{name}: energy gained / start"), (last(&energy) - energy[0]) / energy[0], 1e-12);
        let speed = last(&column(&summary, "bodies/lower/velocity/2"));
        at_most(&format!("{name}: the lower bar is pushed down (m/s)"), speed, -0.3);
        if level == "position" {
            at_most("penetration (m)", summary.largest_penetration, 1e-9);
        }
        ledger_closes(&summary);
    }
}

/// A box by its half edges and how it is turned at rest.
struct Brick {
    half: Vector3<f64>,
    turned: Matrix3<f64>,
}

/// Boxes of random size, turned at random, dropped into a box.
fn pile(seed: u64, count: usize, level: &str) -> (String, Vec<Brick>) {
    let mut state = seed;
    let mut random = |low: f64, high: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let list = |v: &Vector3<f64>| format!("[{:e}, {:e}, {:e}]", v[0], v[1], v[2]);
    let mut text = String::from("geometry: solid\ntime: { end: 0.6, step: 1.0e-3 }\nobstacles:\n");
    let mut bricks = Vec::new();
    for k in 0..count {
        let half = Vector3::from_fn(|_, _| random(0.03, 0.07));
        let at = Vector3::new(0.2 * (k % 2) as f64 - 0.1, 0.2 * (k / 2 % 2) as f64 - 0.1, 0.15 + 0.25 * (k / 4) as f64);
        let axis = Vector3::from_fn(|_, _| random(-1.0, 1.0)).normalize();
        let velocity = Vector3::from_fn(|_, _| random(-0.5, 0.5));
        let angle = random(0.0, 180.0);
        text += &format!(
            "  b{k}:\n    shape: {{ box: {{ min: {}, max: {} }} }}\n    place: {{ rotate: {{ angle: {angle:e}, axis: {}, about: {} }} }}\n    \
             density: 1000.0\n    velocity: {}\n",
            list(&(at - half)),
            list(&(at + half)),
            list(&axis),
            list(&at),
            list(&velocity)
        );
        bricks.push(Brick { half, turned: Rotation3::from_scaled_axis(axis * angle.to_radians()).into_inner() });
    }
    text += "  container: { shape: { box: { min: [-0.22, -0.22, 0.0], max: [0.22, 0.22, 3.0], inside: true } } }\n";
    text += "boundary: [{ gravity: [0.0, 0.0, -9.81] }]\ncontacts:\n";
    for i in 0..count {
        text += &format!("  - {{ between: [b{i}, container], friction: 0.3, level: {level} }}\n");
        for j in 0..i {
            text += &format!("  - {{ between: [b{i}, b{j}], friction: 0.3, level: {level} }}\n");
        }
    }
    (text + "output: { every: 0.1 }\n", bricks)
}

/// How deep two boxes overlap along the axis along which they do so least: an independent way to find out, of normals of faces and of
/// pairs of edges. Negative where they are apart.
fn overlap(
    (a, axes_a): (Vector3<f64>, &Matrix3<f64>),
    (b, axes_b): (Vector3<f64>, &Matrix3<f64>),
    half: [&Vector3<f64>; 2],
) -> f64 {
    let faces = (0..3).map(|k| axes_a.column(k).into_owned()).chain((0..3).map(|k| axes_b.column(k).into_owned()));
    let edges = (0..9).map(|k| axes_a.column(k / 3).cross(&axes_b.column(k % 3)));
    let reach = |axes: &Matrix3<f64>, half: &Vector3<f64>, n: &Vector3<f64>| axes.tr_mul(n).abs().dot(half);
    let all = faces.chain(edges).filter_map(|n| n.try_normalize(1e-6));
    let along = |n: Vector3<f64>| reach(axes_a, half[0], &n) + reach(axes_b, half[1], &n) - (b - a).dot(&n).abs();
    all.map(along).fold(f64::INFINITY, f64::min)
}

/// The deepest overlap of any two boxes where the run has ended.
fn deepest(summary: &Summary, bricks: &[Brick]) -> f64 {
    let system = &summary.simulation.system;
    let bodies: Vec<&Rigid> = system.all().rigid().map(|(_, body)| body).collect();
    let states = &system.states;
    let place = |k: usize| (bodies[k].centre(&states[k].u), bodies[k].rotation(&states[k].u) * bricks[k].turned);
    let mut deepest = f64::NEG_INFINITY;
    for i in 0..bricks.len() {
        for j in 0..i {
            let ((a, axes_a), (b, axes_b)) = (place(i), place(j));
            deepest = f64::max(deepest, overlap((a, &axes_a), (b, &axes_b), [&bricks[i].half, &bricks[j].half]));
        }
    }
    deepest
}

#[test]
fn random_piles_of_boxes_run_through() {
    source("Signorini: nothing enters at position level (separating axes); contact and friction give no energy");
    for (seed, count) in [(1, 8), (2, 8), (3, 12), (4, 16)] {
        for level in ["position", "velocity"] {
            let name = format!("pile {seed} of {count}, {level}");
            let (text, bricks) = pile(seed, count, level);
            let summary = run(&case_from(&text, "pile.yaml", &[]));
            if level == "position" {
                at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
                at_most(&format!("{name}: overlap of any two boxes at the end (m)"), deepest(&summary, &bricks), 1e-9);
            }
            let (energy, work) = (column(&summary, "total_energy"), column(&summary, "external_work"));
            let made = energy.iter().zip(&work).map(|(e, w)| e - w - energy[0]).fold(0.0, f64::max);
            at_most(&format!("{name}: energy made by contact / work of gravity"), made / size(&work), 1e-6);
            ledger_closes(&summary);
        }
    }
}
