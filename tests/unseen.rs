//! Scenes in which things line up, as people draw them first: a node over a diagonal of triangles, over the tip of a spike, on a ridge, on a
//! plane of symmetry. Nothing enters, and whether it did is told by the geometry of this file, not by the program's own.

#![allow(clippy::expect_used)] // a test fails loudly

mod runs;

use std::path::PathBuf;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, distance, last, max, min, run};

type Point = [f64; 3];

/// A text STL file of quadrangles, each cut along its first or its second diagonal.
fn stl(name: &str, faces: &[[Point; 4]], cut: impl Fn(usize) -> bool) -> PathBuf {
    let mut text = String::from("solid s\n");
    for (k, &[a, b, c, d]) in faces.iter().enumerate() {
        let [a, b, c, d] = if cut(k) { [b, c, d, a] } else { [a, b, c, d] };
        // a triangle repeats its last corner
        for corners in [[a, b, c], [a, c, d]].into_iter().filter(|corners| corners[1] != corners[2]) {
            text += "facet normal 0 0 0\nouter loop\n";
            corners.iter().for_each(|[x, y, z]| text += &format!("vertex {x:?} {y:?} {z:?}\n"));
            text += "endloop\nendfacet\n";
        }
    }
    let path = std::env::temp_dir().join(format!("impakt-unseen-{}-{name}.stl", std::process::id()));
    std::fs::write(&path, text + "endsolid\n").expect("written");
    path
}

/// Faces of a box, outwards.
fn faces(low: Point, high: Point) -> [[Point; 4]; 6] {
    let corner = |k: usize| std::array::from_fn(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].map(|face| face.map(corner))
}

/// Places of all nodes at the end of a run.
fn places(summary: &Summary, body: usize) -> Vec<Point> {
    let (body, state) = (summary.simulation.system.with_nodes(body), &summary.simulation.system.states[body]);
    (0..state.u.len() / body.dim()).map(|node| body.position(&state.u, node).into()).collect()
}

/// One hexahedron falls on the flat top of a box of twelve triangles, with nodes over a diagonal: it sank 58 mm in.
#[test]
fn a_flat_top_of_triangles_is_that_of_a_box() {
    source("Signorini; the same solid described otherwise");
    let run_on = |shape: &str| {
        let text = format!(
            "
geometry: solid
time: {{ end: 0.08, step: 1.0e-3 }}
materials: {{ soft: {{ density: 1000, law: {{ neo_hooke: {{ young: 1.0e5, poisson: 0.4 }} }} }} }}
bodies:
  cube:
    mesh: {{ box: {{ min: [-0.2, -0.2, 0.502], max: [0.2, 0.2, 0.902], divisions: [1, 1, 1] }} }}
    material: soft
    velocity: [0, 0, -1]
obstacles: {{ table: {{ shape: {{ {shape} }} }} }}
contacts: [{{ between: [cube.surface, table] }}]
"
        );
        run(&case_from(&text, "cube.yaml", &[]))
    };
    let height = |summary: &Summary| column(summary, "bodies/cube/centre_of_mass/2");
    let on_box = run_on("box: { min: [-0.5, -0.5, 0.0], max: [0.5, 0.5, 0.5] }");
    for cut in [0usize, 1, 2] {
        let way = |k: usize| if cut == 2 { k.is_multiple_of(2) } else { cut == 1 };
        let path = stl(&format!("top{cut}"), &faces([-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]), way);
        let summary = run_on(&format!("surface: {{ stl: {} }}", path.display()));
        std::fs::remove_file(path).expect("removed");
        at_most(&format!("cut {cut}: from the run on a box (m)"), distance(&height(&summary), &height(&on_box)), 1e-9);
        let lowest = places(&summary, 0).iter().map(|x| x[2]).fold(f64::INFINITY, f64::min);
        at_least(&format!("cut {cut}: lowest node at the end (m)"), lowest, 0.5 - 1e-9);
    }
}

/// How deep a place lies in a triangle or a convex quadrangle, counter-clockwise; negative outside.
fn depth_in(x: Point, corners: &[Point]) -> f64 {
    let side = |k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        let (along, off) = ([b[0] - a[0], b[1] - a[1]], [x[0] - a[0], x[1] - a[1]]);
        (along[0] * off[1] - along[1] * off[0]) / along[0].hypot(along[1])
    };
    (0..corners.len()).map(side).fold(f64::INFINITY, f64::min)
}

/// A block falls on a spike, its nodes over the tip, beside it by rounding, a little and half an element: it took the whole spike in.
#[test]
fn a_block_takes_no_spike_in() {
    source("Signorini: neither the tip in an element nor a node in the spike, by their corners");
    let spike = [[-0.05, 0.0, 0.0], [0.05, 0.0, 0.0], [0.0, 0.3, 0.0]];
    let polygon = "[[-1, -0.5], [1, -0.5], [1, 0], [0.05, 0], [0, 0.3], [-0.05, 0], [-1, 0]]";
    for (divisions, aside, friction) in [
        ([6usize, 6usize], 0.0, 0.0),
        ([6, 6], 0.0, 0.5),
        ([6, 6], 1e-12, 0.3),
        ([6, 6], -4e-3, 0.3),
        ([5, 4], 0.0, 0.3),
        ([10, 5], 0.2, 0.3),
        ([12, 5], 0.0, 0.0),
        ([10, 7], 0.011237409891800526, 0.5),
    ] {
        let text = format!(
            "
geometry: plane_strain
time: {{ end: 0.3, step: 1.0e-3 }}
materials: {{ soft: {{ density: 1000, law: {{ neo_hooke: {{ young: 1.0e5, poisson: 0.4 }} }} }} }}
bodies:
  b:
    mesh: {{ rectangle: {{ min: [{}, 0.31], max: [{}, 0.71], divisions: {divisions:?} }} }}
    material: soft
    velocity: [0, -1]
obstacles: {{ spike: {{ shape: {{ polygon: {polygon} }} }} }}
contacts: [{{ between: [b.surface, spike], friction: {friction} }}]
",
            aside - 0.2,
            aside + 0.2
        );
        let mut deepest = f64::NEG_INFINITY;
        for end in [0.05, 0.1, 0.15, 0.3] {
            let summary = run(&case_from(&text, "spike.yaml", &[&format!("time.end={end}")]));
            let x = places(&summary, 0);
            let columns = divisions[0] + 1;
            let cells = (0..divisions[1]).flat_map(|j| (0..divisions[0]).map(move |i| i + j * columns));
            let cell = |k: usize| [k, k + 1, k + 1 + columns, k + columns].map(|node| x[node]);
            let taken = cells.map(|k| depth_in(spike[2], &cell(k))).fold(f64::NEG_INFINITY, f64::max);
            let entered = x.iter().map(|x| depth_in(*x, &spike)).fold(f64::NEG_INFINITY, f64::max);
            deepest = deepest.max(taken).max(entered);
        }
        // 1e-8 of its diagonal is what nodes are held to
        at_most(&format!("{divisions:?}, {aside:e} aside, friction {friction}: inside (m)"), deepest, 6e-9);
    }
}

/// The ridge of a wedge of triangles is pressed into the flat face of a block, along its nodes and between them: where the mesh's own
/// edges lie across the ridge they hold.
#[test]
fn the_ridge_of_a_wedge_stays_outside_a_face() {
    source("Signorini: heights of the face's edges where they cross the ridge");
    let half = 0.1;
    let wedge = |y: f64| [[-half, y, 0.0], [half, y, 0.0], [0.0, y, 0.5]];
    let ([a, b, c], [d, e, f]) = (wedge(-0.25), wedge(0.25));
    let sides = [[a, d, e, b], [b, e, f, c], [c, f, d, a], [a, b, c, c], [e, d, f, f]];
    let path = stl("wedge", &sides, |_| false);
    for aside in [0.0, 0.02] {
        let text = format!(
            "
geometry: solid
time: {{ end: 0.06, step: 1.0e-3 }}
materials: {{ soft: {{ density: 1000, law: {{ neo_hooke: {{ young: 1.0e5, poisson: 0.4 }} }} }} }}
bodies:
  block:
    mesh: {{ box: {{ min: [{}, -0.2, 0.51], max: [{}, 0.2, 0.91], divisions: [4, 4, 2], cells: tets }} }}
    material: soft
    velocity: [0, 0, -1]
obstacles: {{ wedge: {{ shape: {{ surface: {{ stl: {} }} }} }} }}
contacts: [{{ between: [block.surface, wedge], friction: 0.3 }}]
",
            aside - 0.2,
            aside + 0.2,
            path.display()
        );
        let summary = run(&case_from(&text, "wedge.yaml", &[]));
        let x = places(&summary, 0);
        // edges of the lowest layer of nodes across the plane of the ridge
        let bottom: Vec<Point> = x.iter().copied().take(25).collect();
        let mut lowest = f64::INFINITY;
        for row in bottom.chunks(5) {
            for pair in row.windows(2).filter(|pair| pair[0][0] * pair[1][0] <= 0.0 && pair[0][0] != pair[1][0]) {
                let share = pair[0][0] / (pair[0][0] - pair[1][0]);
                lowest = lowest.min(pair[0][2] + share * (pair[1][2] - pair[0][2]));
            }
        }
        at_least(&format!("{aside} aside: lowest place over the ridge (m)"), lowest, 0.5 - 1e-8);
        at_most(
            &format!("{aside} aside: and it came down (m)"),
            min(&column(&summary, "bodies/block/centre_of_mass/2")),
            0.7,
        );
        at_most(&format!("{aside} aside: measured (m)"), max(&column(&summary, "max_penetration")), 1e-8);
    }
    std::fs::remove_file(path).expect("removed");
}

/// Two half models on one plane of symmetry, named by sets and pressed in load steps: the node on the plane stands on the end of the
/// other's line, where rounding decided whether it was held.
#[test]
fn the_end_of_a_line_holds_what_is_on_it() {
    source("Signorini at the node on the plane of symmetry");
    let text = "
geometry: plane_strain
time: { end: 1.0, step: 0.1, scheme: quasi_static }
materials: { soft: { density: 1000, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies:
  up: { material: soft, mesh: { rectangle: { min: [0.0, 1.0e-6], max: [0.1, 0.1], divisions: [4, 4] } } }
  low: { material: soft, mesh: { rectangle: { min: [0.0, -0.2], max: [0.15, 0.0], divisions: [7, 4] } } }
contacts: [{ between: [up.bottom, low.top], friction: 0.3 }]
boundary:
  - { fixed: { on: up.left, axes: [x] } }
  - { fixed: { on: low.left, axes: [x] } }
  - { fixed: { on: low.bottom } }
  - { displacement: { on: up.top, y: { ramp: { to: -0.01, rise: 1.0 } } } }
";
    for slave in ["up", "low"] {
        let summary = run(&case_from(text, "half.yaml", &[&format!("contacts.0.slave={slave}")]));
        let [up, low] = [0, 1].map(|body| places(&summary, body));
        let on_plane = |x: &[Point], at: f64| {
            let near = |p: &&Point| p[0].abs() < 1e-9;
            x.iter()
                .filter(near)
                .map(|p| p[1])
                .min_by(|p, q| (p - at).abs().total_cmp(&(q - at).abs()))
                .expect("a node")
        };
        let gap = on_plane(&up, 0.0) - on_plane(&low, 0.0);
        at_least(&format!("slave {slave}: gap on the plane (m)"), gap, -1e-9);
        at_least(&format!("slave {slave}: pressed (N/m)"), last(&column(&summary, "contacts/0/normal_force")), 1e3);
    }
}
