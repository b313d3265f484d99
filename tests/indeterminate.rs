//! Rigid bodies on more points than statics determines. Of all reactions that obey the laws those count that equal small springs at
//! the points would choose: a table's legs share its load as springs do, whatever the solver, and a box slides the same way wherever
//! and however it is laid down.

mod runs;

use impakt::simulation::Summary;
use nalgebra::{Rotation3, Vector3};
use runs::claims::source;
use runs::{at_most, case_from, column, distance, last, near, run, size};

const G: f64 = 9.81;

/// A plate of 0.4 × 0.2 m, and on it a small ball off the middle.
const TABLE: &str = "
geometry: solid
time: { end: 0.02, step: 1.0e-3, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
obstacles:
  floor: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } }
  table: { shape: { box: { min: [-0.2, -0.1, 0.0], max: [0.2, 0.1, 0.02] } }, mass: 1.6 }
  ball: { shape: { sphere: { centre: [0.06, -0.02, 0.04], radius: 0.02 } }, mass: 0.8 }
boundary: [{ gravity: [0.0, 0.0, -9.81] }]
contacts:
  - { between: [table, floor], friction: 0.3 }
  - { between: [ball, table], friction: 0.3 }
contact_solver: { SOLVER: { tolerance: 1.0e-10 } }
";

/// Places and normal reactions of the points between the body and the floor, the first contact of the case.
fn legs(summary: &Summary) -> Vec<([f64; 2], f64)> {
    let states = &summary.simulation.system.states;
    let outcomes = summary.simulation.contact().outcomes(3, states, states);
    let of_floor = outcomes.filter(|o| o.point.master().is_none());
    of_floor.filter_map(|o| o.point.anchor.arm().map(|arm| ([arm.x, arm.y], o.reaction[0]))).collect()
}

#[test]
fn the_legs_of_a_table_share_its_load_as_springs_do() {
    source("a rigid plate on four equal springs (Menabrea): N = F/4 (1 + ex x/a² + ey y/b²)");
    for solver in ["hybrid", "gauss_seidel", "newton", "jacobi", "uzawa"] {
        let summary = run(&case_from(&TABLE.replace("SOLVER", solver), "table.yaml", &[]));
        let found = legs(&summary);
        assert_eq!(found.len(), 4, "{solver}: four legs on the floor");
        for ([x, y], reaction) in found {
            let of_ball = 0.25 * 0.8 * G * (1.0 + 0.06 * x / 0.04 - 0.02 * y / 0.01);
            near(&format!("{solver}: leg at ({x:.2}, {y:.2}) (N)"), reaction, 0.25 * 1.6 * G + of_ball, 1e-8 * G);
        }
    }
}

/// A box laid down flat, turned by `degrees` about the vertical, with a velocity and a spin that are turned with it.
fn sliding(degrees: f64, velocity: Vector3<f64>, spin: f64) -> Summary {
    let v = Rotation3::from_scaled_axis(Vector3::z() * degrees.to_radians()) * velocity;
    let text = format!(
        "
geometry: solid
time: {{ end: 0.3, step: 1.0e-3 }}
obstacles:
  floor: {{ shape: {{ half_space: {{ point: [0, 0, 0], normal: [0, 0, 1] }} }} }}
  brick:
    shape: {{ box: {{ min: [-0.1, -0.06, 0.0], max: [0.1, 0.06, 0.04] }} }}
    place: {{ rotate: {{ angle: {degrees}, axis: [0, 0, 1], about: [0, 0, 0] }} }}
    density: 1000.0
    velocity: [{}, {}, 0.0]
    angular_velocity: [0.0, 0.0, {spin}]
boundary: [{{ gravity: [0.0, 0.0, -{G}] }}]
contacts: [{{ between: [brick, floor], friction: 0.2 }}]
",
        v.x, v.y
    );
    run(&case_from(&text, "brick.yaml", &[]))
}

#[test]
fn a_box_that_spins_stays_where_it_is() {
    source(
        "Coulomb: four corners at the distance d carry a quarter of the weight each, the spin falls by μ m g d / J t",
    );
    let summary = sliding(25.0, Vector3::zeros(), 20.0);
    for axis in ["0", "1"] {
        let path = column(&summary, &format!("bodies/brick/centre_of_mass/{axis}"));
        at_most(&format!("way of the centre along {axis} (m)"), size(&path), 1e-11);
    }
    let d = 0.1f64.hypot(0.06);
    // of a unit of mass
    let inertia = (0.2f64.powi(2) + 0.12f64.powi(2)) / 12.0;
    let spin = 20.0 - 0.2 * G * d / inertia * 0.3;
    // corners go along chords of a step, ωΔt of their circle long: friction along those turns less by (ωΔt)²/8 at most
    let chords = (20.0f64 * 1e-3).powi(2) / 8.0;
    let measured = last(&column(&summary, "bodies/brick/angular_velocity/2"));
    near("spin after 0.3 s (rad/s)", measured, spin, chords * (20.0 - spin));
}

#[test]
fn a_box_slides_and_turns_the_same_way_wherever_it_is_turned_to() {
    source("the laws know no direction in the plane of the floor");
    let velocity = Vector3::new(0.4, 0.25, 0.0);
    let plain = sliding(0.0, velocity, 9.0);
    for degrees in [37.0, 90.0, 180.0] {
        let turned = sliding(degrees, velocity, 9.0);
        let turn = Rotation3::from_scaled_axis(Vector3::z() * f64::to_radians(degrees));
        let of = |summary: &Summary, what: &str, axis: usize| column(summary, &format!("bodies/brick/{what}/{axis}"));
        for (what, scale) in [("centre_of_mass", 0.04), ("velocity", 0.4)] {
            let [x, y] = [0, 1].map(|axis| of(&plain, what, axis));
            for axis in [0, 1] {
                let expected: Vec<f64> =
                    x.iter().zip(&y).map(|(x, y)| (turn * Vector3::new(*x, *y, 0.0))[axis]).collect();
                let miss = distance(&expected, &of(&turned, what, axis));
                at_most(&format!("turned by {degrees}°: {what}/{axis}, of its size"), miss / scale, 1e-8);
            }
        }
        let spins = distance(&of(&plain, "angular_velocity", 2), &of(&turned, "angular_velocity", 2));
        at_most(&format!("turned by {degrees}°: spin (rad/s), of the first"), spins / 9.0, 1e-8);
    }
}
