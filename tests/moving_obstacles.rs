//! Obstacles that move as prescribed: what they do is compared with the same event seen from another frame, and with
//! Coulomb's law. The wall's work is in the ledger.

mod runs;

use runs::claims::source;
use runs::{at_most, case_from, column, distance, last, near, run, size};

fn ledger(name: &str, summary: &impakt::simulation::Summary) {
    let energy = size(&column(summary, "total_energy")).max(size(&column(summary, "external_work")));
    at_most(&format!("{name}: ledger error / energy"), summary.largest_error / energy, 1e-10);
}

/// A bar at rest is hit by a wall at 10 m/s: the same as the bar thrown against a wall at rest, seen from a moving train.
#[test]
fn a_wall_that_hits_a_bar_is_a_bar_that_hits_a_wall() {
    source("Galilean invariance: same forces, velocities shifted by that of the wall");
    for level in ["position", "rate", "velocity"] {
        let bar = |velocity: &str, motion: &str| {
            run(&case_from(
                &format!(
                    "
geometry: plane_strain
time: {{ end: 0.8, step: 2.0e-3, scheme: {{ jean: {{ theta: 0.6, xi: 0.6 }} }} }}
materials: {{ m: {{ density: 1.0, law: {{ linear: {{ young: 900.0, poisson: 0.0 }} }} }} }}
bodies: {{ bar: {{ mesh: {{ rectangle: {{ min: [0.5, 0.0], max: [10.5, 1.0], divisions: [50, 1] }} }}, material: m, velocity: {velocity} }} }}
obstacles: {{ wall: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [1.0, 0.0] }} }}{motion} }} }}
contacts: [{{ between: [bar.left, wall], level: {level}, search: 0.1 }}]
"
                ),
                "bar.yaml",
                &[],
            ))
        };
        let thrown = bar("[-10.0, 0.0]", "");
        let struck = bar("[0.0, 0.0]", ", motion: { velocity: { x: 10.0 } }");
        let (a, b) = (column(&thrown, "contact_force/0"), column(&struck, "contact_force/0"));
        // velocity level takes contacts up by a comparison of rounded gaps: one step early or late is not excluded, but the
        // gaps here are far from the limit
        at_most(&format!("{level}: difference of forces"), distance(&a, &b) / size(&a), 1e-9);
        let v = last(&column(&struck, "bodies/bar/velocity/0")) - last(&column(&thrown, "bodies/bar/velocity/0"));
        near(&format!("{level}: difference of velocities"), v, 10.0, 1e-9);
        ledger(level, &struck);
        // the wall pushes a mass of 10 kg from 0 to about 20 m/s
        let work = last(&column(&struck, "external_work"));
        let impulse: f64 = b.iter().zip(&column(&struck, "step_size")).map(|(f, dt)| f * dt).sum();
        near(&format!("{level}: work of the wall"), work, 10.0 * impulse, 1e-9 * work);
    }
}

/// A block is put on a belt that runs at 2 m/s: friction drags it with μ g until it moves along.
#[test]
fn a_belt_drags_a_block_along() {
    source("Coulomb: v = μ g t until v = 2 m/s; heat μ m g (2 t − μ g t²/2) until then");
    let (friction, gravity) = (0.3, 9.81);
    let mass = 1000.0 * 0.2 * 0.05;
    for geometry in ["plane_strain", "solid"] {
        let solid = geometry == "solid";
        let (mesh, g, normal, mass) = if solid {
            (
                "box: { min: [0.0, 0.0, 0.0], max: [0.2, 0.1, 0.05], divisions: [2, 1, 1] }",
                "[0.0, 0.0, -9.81]",
                "point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0]",
                0.1 * mass,
            )
        } else {
            (
                "rectangle: { min: [0.0, 0.0], max: [0.2, 0.05], divisions: [2, 1] }",
                "[0.0, -9.81]",
                "point: [0.0, 0.0], normal: [0.0, 1.0]",
                mass,
            )
        };
        let summary = run(&case_from(
            &format!(
                "
geometry: {geometry}
time: {{ end: 1.0, step: 1.0e-3, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e7, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m }} }}
obstacles: {{ belt: {{ shape: {{ half_space: {{ {normal} }} }}, motion: {{ velocity: {{ x: 2.0 }} }} }} }}
boundary: [{{ gravity: {g} }}]
contacts: [{{ between: [b.surface, belt], friction: {friction} }}]
"
            ),
            "belt.yaml",
            &[],
        ));
        let (time, speed) = (column(&summary, "time"), column(&summary, "bodies/b/velocity/0"));
        let caught = 2.0 / (friction * gravity);
        for (t, v) in time.iter().zip(&speed).filter(|(t, _)| (**t - caught).abs() > 2e-3) {
            let expected = (friction * gravity * t).min(2.0);
            // 1e-3: the normal force swings about m g while the block settles on the belt
            near(&format!("{geometry}: speed at {t:.3} s"), *v, expected, 2e-3);
        }
        // heat while it slips: relative way times μ m g
        let heat = friction * mass * gravity * 0.5 * 2.0 * caught;
        near(&format!("{geometry}: heat"), last(&column(&summary, "friction_dissipation")), heat, 0.01 * heat);
        let stored = last(&column(&summary, "kinetic_energy"));
        near(&format!("{geometry}: energy of the block"), stored, 0.5 * mass * 4.0, 1e-3 * stored);
        ledger(geometry, &summary);
    }
}

/// A plate is tilted slowly, with a block on it: the block slides when the slope reaches the angle of friction.
#[test]
fn a_tilted_plate_lets_go_at_the_angle_of_friction() {
    source("Coulomb: slip begins at atan μ = 21.80 degrees for μ = 0.4");
    let summary = run(&case_from(
        "
geometry: plane_strain
time: { end: 1.0, step: 1.0e-3, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
materials: { m: { density: 1000.0, law: { saint_venant_kirchhoff: { young: 1.0e8, poisson: 0.0 } } } }
bodies: { b: { mesh: { rectangle: { min: [-0.02, 0.0], max: [0.02, 0.01], divisions: [1, 1] } }, material: m } }
obstacles:
  plate:
    shape: { polygon: [[-2.0, -0.1], [2.0, -0.1], [2.0, 0.0], [-2.0, 0.0]] }
    motion: { rotation: { angle: { ramp: { to: -30.0, rise: 1.0 } } } }
boundary: [{ gravity: [0.0, -9.81] }]
contacts: [{ between: [b.surface, plate], friction: 0.4 }]
",
        "tilt.yaml",
        &[],
    ));
    let (time, slips) = (column(&summary, "time"), column(&summary, "contacts_slip"));
    let heat = column(&summary, "friction_dissipation");
    // the two nodes of the block do not reach their limits together: it slides when both slip for good
    let first = (0..time.len()).rev().find(|&k| slips[k] < 2.0).expect("it sticks at first") + 1;
    // half a degree: the turn at 30 degrees a second swings the load by ω² r and the elastic block rocks
    near("angle of the plate when sliding begins", 30.0 * time[first.min(time.len() - 1)], 21.80, 0.5);
    // before that the block does not slide: it loses nothing
    let before = (0..time.len()).rev().find(|&k| 30.0 * time[k] < 20.0).expect("early steps");
    at_most("heat before", heat[before] / last(&heat), 1e-3);
    ledger("tilt", &summary);
    at_most("penetration", summary.largest_penetration, 1e-9);
}
