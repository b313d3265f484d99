//! Piles of boxes, spheres, capsules, cylinders and cones that nobody has laid out, dropped into a box. An oracle of its own says how deep
//! any two overlap (`runs/solids.rs`). `scripts/random_piles.py` does the same to many more.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod runs;
#[path = "runs/solids.rs"]
mod solids;

use impakt::bodies::Rigid;
use impakt::simulation::Summary;
use nalgebra::Vector3;
use runs::claims::source;
use runs::{at_most, case_from, column, last, run, size};
use solids::{Random, Solid, separation, solid};

const KINDS: [&str; 5] = ["box", "sphere", "capsule", "cylinder", "cone"];
const HALF_WIDTH: f64 = 0.22;

/// A pile as a case, and what the oracle knows of its bodies.
fn pile(seed: u64, count: usize, law: &str, end: f64) -> (String, Vec<Solid>) {
    let mut random = Random(seed);
    let mut text = format!("geometry: solid\ntime: {{ end: {end}, step: 1.0e-3 }}\nobstacles:\n");
    let mut solids = Vec::new();
    for k in 0..count {
        let at = Vector3::new(0.2 * (k % 2) as f64 - 0.1, 0.2 * (k / 2 % 2) as f64 - 0.1, 0.15 + 0.25 * (k / 4) as f64);
        let (lines, known) = solid(KINDS[(k + seed as usize) % KINDS.len()], at, &mut random);
        let v = 0.5 * random.vector();
        text +=
            &format!("  b{k}:\n    {lines}\n    density: 1000.0\n    velocity: [{:e}, {:e}, {:e}]\n", v.x, v.y, v.z);
        solids.push(known);
    }
    let (low, high) = (-HALF_WIDTH, HALF_WIDTH);
    text += &format!(
        "  container: {{ shape: {{ box: {{ min: [{low}, {low}, 0.0], max: [{high}, {high}, 3.0], inside: true }} }} }}\n"
    );
    text += "boundary: [{ gravity: [0.0, 0.0, -9.81] }]\ncontacts:\n";
    for i in 0..count {
        text += &format!("  - {{ between: [b{i}, container], {law} }}\n");
        for j in 0..i {
            text += &format!("  - {{ between: [b{i}, b{j}], {law} }}\n");
        }
    }
    (text + "output: { every: 0.1 }\n", solids)
}

/// The deepest overlap of any two bodies where the run has ended, and how far any reaches out of the container.
fn deepest(summary: &Summary, solids: &[Solid]) -> (f64, f64) {
    let system = &summary.simulation.system;
    let bodies: Vec<&Rigid> = system.all().rigid().map(|(_, body)| body).collect();
    let states = &system.states;
    let placed: Vec<Solid> = solids
        .iter()
        .enumerate()
        .map(|(k, s)| {
            s.moved(&bodies[k].rotation(&states[k].u), &bodies[k].rest_centre(), &bodies[k].centre(&states[k].u))
        })
        .collect();
    let mut deepest = f64::NEG_INFINITY;
    for i in 0..placed.len() {
        for j in 0..i {
            deepest = deepest.max(-separation(&placed[i], &placed[j]));
        }
    }
    let walls = [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()];
    let out = |s: &Solid| walls.iter().map(|n| s.height(n) - HALF_WIDTH).fold(s.height(&-Vector3::z()), f64::max);
    (deepest, placed.iter().map(out).fold(f64::NEG_INFINITY, f64::max))
}

fn judge(name: &str, summary: &Summary, solids: &[Solid], allowed: f64) {
    let (overlap, out) = deepest(summary, solids);
    at_most(&format!("{name}: overlap of any two bodies at the end (m)"), overlap, allowed);
    at_most(&format!("{name}: reach out of the container (m)"), out, allowed);
    let (energy, work) = (column(summary, "total_energy"), column(summary, "external_work"));
    let made = energy.iter().zip(&work).map(|(e, w)| e - w - energy[0]).fold(0.0, f64::max);
    at_most(&format!("{name}: energy made by contact / work of gravity"), made / size(&work), 1e-6);
    let reference = size(&energy).max(size(&work));
    at_most(&format!("{name}: ledger error / largest energy"), summary.largest_error / reference, 1e-10);
    at_most(
        &format!("{name}: kinetic energy at the end / work of gravity"),
        last(&column(summary, "kinetic_energy")) / size(&work),
        1e-2,
    );
}

#[test]
fn mixed_piles_come_to_rest_at_position_level() {
    source("Signorini: nothing enters at position level (separating planes); contact and friction give no energy");
    // when a body of a pile falls over for the last time hangs on the last digits: in the third one at 1.2 s, with 2 % of the energy
    for (seed, count, friction) in [(1, 8, 0.3), (2, 10, 0.0), (3, 12, 0.6)] {
        let (text, solids) = pile(seed, count, &format!("friction: {friction}, level: position"), 1.6);
        let summary = run(&case_from(&text, "pile.yaml", &[]));
        let name = format!("pile {seed} of {count}, μ = {friction}");
        at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
        if friction > 0.0 {
            judge(&name, &summary, &solids, 1e-9);
        } else {
            at_most(&format!("{name}: overlap of any two bodies at the end (m)"), deepest(&summary, &solids).0, 1e-9);
        }
    }
}

#[test]
fn mixed_piles_come_to_rest_at_velocity_level() {
    source(
        "at velocity level bodies enter by what they move in a step, which grows no deeper while they lie; restitution gives no energy",
    );
    for (seed, count, e) in [(4, 12, 0.0), (5, 16, 0.3)] {
        let (text, solids) = pile(seed, count, &format!("friction: 0.4, level: velocity, restitution: {e}"), 1.0);
        let summary = run(&case_from(&text, "pile.yaml", &[]));
        // 4 m/s in a step of 1 ms
        judge(&format!("pile {seed} of {count}, e = {e}"), &summary, &solids, 4e-3);
    }
}
