//! Fine triangulations of a ball pressed into a block, finer and coarser than its facets: they do what the ball does, within
//! the height that chords cut off, and the more so the finer they are.

#![allow(clippy::expect_used)] // a test fails loudly

mod runs;

use std::path::PathBuf;
use std::time::Instant;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_most, case_from, column, last, max, min, run, size};

const RADIUS: f64 = 0.1;

/// `20 n²` triangles: the icosahedron's, each cut into `n²`, on the sphere about (0, 0, −R).
fn ball(n: usize) -> Vec<[[f64; 3]; 3]> {
    let p = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners: Vec<[f64; 3]> = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-p, p] {
            corners.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]]);
        }
    }
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    let on_ball = |x: [f64; 3]| {
        let length = distance(x, [0.0; 3]);
        // turned about y, so that neither a corner nor an edge lies at the pole
        let [x, y, z] = x.map(|c| RADIUS * c / length);
        let (sin, cos) = 0.3f64.sin_cos();
        [cos * x + sin * z, y, cos * z - sin * x - RADIUS]
    };
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let (mut a, mut b, c) = (corners[i], corners[j], corners[k]);
                if [distance(a, b), distance(b, c), distance(c, a)].iter().any(|d| *d > 2.1) {
                    continue;
                }
                let normal = [0, 1, 2].map(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j])
                });
                if (0..3).map(|i| normal[i] * a[i]).sum::<f64>() < 0.0 {
                    std::mem::swap(&mut a, &mut b);
                }
                let at = |s: usize, t: usize| {
                    let w = [(n - s - t) as f64, s as f64, t as f64];
                    on_ball([0, 1, 2].map(|i| w[0] * a[i] + w[1] * b[i] + w[2] * c[i]))
                };
                for s in 0..n {
                    for t in 0..n - s {
                        triangles.push([at(s, t), at(s + 1, t), at(s, t + 1)]);
                        if s + t + 1 < n {
                            triangles.push([at(s + 1, t), at(s + 1, t + 1), at(s, t + 1)]);
                        }
                    }
                }
            }
        }
    }
    triangles
}

/// How far the middles of the triangles lie below the ball, at most.
fn chord_height(triangles: &[[[f64; 3]; 3]]) -> f64 {
    let below = |t: &[[f64; 3]; 3]| {
        let m: [f64; 3] = std::array::from_fn(|i| t.iter().map(|p| p[i]).sum::<f64>() / 3.0);
        RADIUS - (m[0].powi(2) + m[1].powi(2) + (m[2] + RADIUS).powi(2)).sqrt()
    };
    triangles.iter().map(below).fold(0.0, f64::max)
}

fn stl(n: usize, triangles: &[[[f64; 3]; 3]]) -> PathBuf {
    let mut bytes = vec![b' '; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        bytes.extend([0; 12]);
        bytes.extend(t.iter().flatten().flat_map(|c| (*c as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    let path = std::env::temp_dir().join(format!(
        "impakt_ball_{}_{n}_{:?}.stl",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn press(shape: &str, friction: f64, shift: [f64; 2]) -> Summary {
    let velocity = if friction > 0.0 { "[0.5, 0.2, -2.0]" } else { "[0.0, 0.0, -2.0]" };
    let ([x, y], h) = (shift, 0.04);
    let text = format!(
        "
geometry: solid
time: {{ end: 1.2e-3, step: 4.0e-5, scheme: {{ jean: {{ theta: 0.6, xi: 0.6 }} }} }}
materials: {{ m: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}
bodies: {{ b: {{ mesh: {{ box: {{ min: [{}, {}, 2.0e-4], max: [{}, {}, 0.0302], divisions: [8, 8, 3] }} }}, material: m, velocity: {velocity} }} }}
obstacles: {{ o: {{ shape: {{ {shape} }} }} }}
contacts: [{{ between: [b.surface, o], friction: {friction} }}]
",
        x - h,
        y - h,
        x + h,
        y + h
    );
    run(&case_from(&text, "press.yaml", &[]))
}

fn impulse(summary: &Summary) -> f64 {
    let momentum = column(summary, "momentum/2");
    last(&momentum) - momentum[0]
}

fn refined_balls_approach_the_ball(friction: f64) {
    source("the ball itself; what the chords cut off lets the block sink by their height at most, and F ∝ depth^(3/2)");
    let shift = [1.3e-3, 0.7e-3];
    let exact = press(&format!("sphere: {{ centre: [0.0, 0.0, -{RADIUS}], radius: {RADIUS} }}"), friction, shift);
    let lowest = |summary: &Summary| min(&column(summary, "bodies/b/centre_of_mass/2"));
    let depth = 2.0 * 1.2e-3 - 2.0e-4;
    let mut before = f64::INFINITY;
    for n in [5, 10, 22] {
        let triangles = ball(n);
        assert_eq!(triangles.len(), 20 * n * n);
        let path = stl(n, &triangles);
        let start = Instant::now();
        let fine = press(&format!("surface: {{ stl: {} }}", path.display()), friction, shift);
        let seconds = start.elapsed().as_secs_f64();
        std::fs::remove_file(path).expect("removed");
        let height = chord_height(&triangles);
        let sunk = (lowest(&fine) - lowest(&exact)).abs();
        let lacking = (impulse(&fine) / impulse(&exact) - 1.0).abs();
        let penetration = max(&column(&fine, "max_penetration"));
        println!(
            "{} triangles, friction {friction}: chord height {height:.2e}, sunk by {sunk:.2e}, impulse off by {lacking:.2e}, \
             inside by {penetration:.1e}, friction {:.4e} of {:.4e} J, {seconds:.2} s of {:.2} s",
            triangles.len(),
            last(&column(&fine, "friction_dissipation")),
            last(&column(&exact, "friction_dissipation")),
            exact.seconds,
        );
        let name = format!("{} triangles, friction {friction}", triangles.len());
        at_most(&format!("{name}: sunk / chord height"), sunk / height, 1.0);
        at_most(
            &format!("{name}: impulse lacking / (3/2 chord height / depth)"),
            lacking / (1.5 * height / depth),
            1.0,
        );
        at_most(&format!("{name}: sunk / that of the coarser ball"), sunk / before, 0.5);
        // nodes and corners are held; where edges of the ball cross those of a face between them, less than a chord is high
        at_most(&format!("{name}: inside / chord height"), penetration / height, 0.25);
        at_most(
            &format!("{name}: ledger error / energy"),
            fine.largest_error / size(&column(&fine, "total_energy")),
            1e-10,
        );
        before = sunk;
    }
}

#[test]
fn refined_balls_approach_the_ball_without_friction() {
    refined_balls_approach_the_ball(0.0);
}

#[test]
fn refined_balls_approach_the_ball_with_friction() {
    refined_balls_approach_the_ball(0.3);
}

/// A corner of the triangulation right under a node, under the middle of an edge and of a facet: symmetric places, where many
/// conditions are equal, are no obstacle.
#[test]
fn a_node_right_above_a_corner_does_not_stop_the_run() {
    runs::claims::source("Signorini's law at position level");
    let mut triangles = ball(22);
    // turned back: a corner of the icosahedron's edge grid lies at the pole
    let (sin, cos) = (-0.3f64).sin_cos();
    for p in triangles.iter_mut().flatten() {
        let (x, z) = (p[0], p[2] + RADIUS);
        (p[0], p[2]) = (cos * x + sin * z, cos * z - sin * x - RADIUS);
    }
    let path = stl(0, &triangles);
    for shift in [[0.0, 0.0], [5e-3, 0.0], [5e-3, 5e-3]] {
        let summary = press(&format!("surface: {{ stl: {} }}", path.display()), 0.0, shift);
        at_most("ledger error / energy", summary.largest_error / size(&column(&summary, "total_energy")), 1e-10);
        at_most("inside / chord height", max(&column(&summary, "max_penetration")) / chord_height(&triangles), 0.25);
    }
    std::fs::remove_file(path).expect("removed");
}
