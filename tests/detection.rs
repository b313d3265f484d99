//! Detection against rigid obstacles: what a zone reports is compared with brute force (the distance to every side of the
//! obstacle) and with what must hold whatever the obstacle: finite faces end where they end, corners count, rigid motions
//! change nothing.

use impakt::case::{build, parse};
use impakt::geometry::{Block, Chain, Obstacle, Touch};
use impakt::simulation::{RunOptions, Simulation};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

fn polygon(points: &[[f64; 2]]) -> Obstacle {
    Obstacle::new("polygon", Chain::new(points.to_vec(), true))
}

fn touches(obstacle: &Obstacle, x: [f64; 3], reach: f64) -> Vec<Touch> {
    let mut found = Vec::new();
    obstacle.touches(x.into(), reach, reach, &mut found);
    found
}

/// Signed distance to a closed polygon by brute force: distance to every segment, sign by the winding rule.
fn distance(points: &[[f64; 2]], x: [f64; 2]) -> f64 {
    let n = points.len();
    let (mut best, mut inside) = (f64::INFINITY, false);
    for k in 0..n {
        let (a, b) = (points[k], points[(k + 1) % n]);
        let d = [b[0] - a[0], b[1] - a[1]];
        let s = (((x[0] - a[0]) * d[0] + (x[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
        best = best.min((x[0] - a[0] - s * d[0]).hypot(x[1] - a[1] - s * d[1]));
        if (a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / d[1] * d[0] {
            inside = !inside;
        }
    }
    if inside { -best } else { best }
}

const CONVEX: &[[f64; 2]] = &[[0.0, 0.0], [2.0, 0.0], [2.5, 1.0], [1.0, 2.0], [-0.5, 1.0]];
/// An L with one concave corner at (1, 1), and a thin arm.
const CONCAVE: &[[f64; 2]] = &[[0.0, 0.0], [3.0, 0.0], [3.0, 0.2], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];

#[test]
fn the_nearest_touch_is_the_brute_force_distance() {
    let mut random = Random(11);
    for points in [CONVEX, CONCAVE] {
        let obstacle = polygon(points);
        for _ in 0..20_000 {
            let x = [random.between(-1.5, 4.0), random.between(-1.5, 4.0)];
            let expected = distance(points, x);
            let found = touches(&obstacle, [x[0], x[1], 0.0], 10.0);
            let nearest = found.iter().min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()));
            let Some(nearest) = nearest else { panic!("nothing found at {x:?}, distance {expected}") };
            // inside, behind the concave corner, the two faces push out together and neither is the distance
            let behind = (expected + (x[0] - 1.0).hypot(x[1] - 1.0)).abs() < 1e-12;
            if points == CONCAVE && behind && expected < 0.0 {
                assert!(found.len() >= 2, "at {x:?}: {found:?}");
                continue;
            }
            assert!((nearest.gap - expected).abs() < 1e-12, "at {x:?}: {} against {expected}", nearest.gap);
            // moving along the normal opens the gap one to one
            let n = nearest.normal;
            assert!((n[0].hypot(n[1]) - 1.0).abs() < 1e-12);
            let h = 1e-7;
            let further = distance(points, [x[0] + h * n[0], x[1] + h * n[1]]);
            assert!((further - expected - h).abs() < 1e-9, "normal at {x:?} does not open the gap");
            // outside, nothing behind the point is reported
            if expected > 1e-9 {
                assert!(found.iter().all(|t| t.gap > -1e-12), "a face behind {x:?} was reported: {found:?}");
            }
        }
    }
}

#[test]
fn a_box_in_space_is_its_signed_distance() {
    let (min, max) = ([-1.0, 0.0, 2.0], [1.0, 3.0, 2.5]);
    let obstacle = Obstacle::new("box", Block { min: min.into(), max: max.into(), inside: false });
    let mut random = Random(5);
    for _ in 0..20_000 {
        let x: [f64; 3] = std::array::from_fn(|i| random.between(min[i] - 1.0, max[i] + 1.0));
        let outside: [f64; 3] = std::array::from_fn(|i| (min[i] - x[i]).max(x[i] - max[i]));
        let expected = if outside.iter().any(|d| *d > 0.0) {
            outside.iter().map(|d| d.max(0.0).powi(2)).sum::<f64>().sqrt()
        } else {
            outside.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        };
        let found = touches(&obstacle, x, 10.0);
        assert_eq!(found.len(), 1);
        assert!((found[0].gap - expected).abs() < 1e-13, "at {x:?}: {} against {expected}", found[0].gap);
    }
}

#[test]
fn finite_faces_end_where_they_end() {
    // a chain along the x axis from 0 to 1, solid below: beyond its ends there is nothing to stand on
    let points = vec![[1.0, 0.0], [0.0, 0.0]];
    let chain = Obstacle::new("plank", Chain::new(points, false));
    assert_eq!(touches(&chain, [0.5, 0.1, 0.0], 0.2).len(), 1);
    assert!(touches(&chain, [0.5, 0.1, 0.0], 0.2)[0].normal[1] > 0.99);
    assert!(touches(&chain, [1.1, 0.1, 0.0], 0.2).is_empty());
    assert!(touches(&chain, [-0.01, 0.0, 0.0], 0.2).is_empty());
    assert!(touches(&chain, [0.5, 0.3, 0.0], 0.2).is_empty(), "out of reach");
}

#[test]
fn a_concave_corner_gives_two_contacts_and_a_thin_arm_only_one() {
    let obstacle = polygon(CONCAVE);
    let corner = touches(&obstacle, [1.05, 1.05, 0.0], 0.2);
    assert_eq!(corner.len(), 2, "{corner:?}");
    // resting exactly in the corner, or a rounding unit inside: still both
    for shift in [0.0, 1e-15, -1e-15, -1e-3] {
        assert_eq!(touches(&obstacle, [1.0 + shift, 1.0 + shift, 0.0], 0.2).len(), 2);
    }
    // above the thin arm only its upper face counts, although the lower one is within reach
    let arm = touches(&obstacle, [2.9, 0.25, 0.0], 0.5);
    assert_eq!(arm.len(), 1, "{arm:?}");
    assert!(arm[0].gap > 0.0 && arm[0].normal[1] > 0.9);
}

#[test]
fn rigid_motion_of_everything_changes_no_gap() {
    let (sin, cos) = 0.7f64.sin_cos();
    let turn = |p: [f64; 2]| [3.0 + cos * p[0] - sin * p[1], -1.0 + sin * p[0] + cos * p[1]];
    let (here, there) = (polygon(CONCAVE), polygon(&CONCAVE.iter().map(|p| turn(*p)).collect::<Vec<_>>()));
    let mut random = Random(3);
    for _ in 0..2000 {
        let x = [random.between(-1.0, 4.0), random.between(-1.0, 4.0)];
        let y = turn(x);
        let (a, b) = (touches(&here, [x[0], x[1], 0.0], 1.0), touches(&there, [y[0], y[1], 0.0], 1.0));
        assert_eq!(a.len(), b.len(), "at {x:?}");
        for (p, q) in a.iter().zip(&b) {
            assert!((p.gap - q.gap).abs() < 1e-13);
            let n = [cos * p.normal[0] - sin * p.normal[1], sin * p.normal[0] + cos * p.normal[1]];
            assert!((n[0] - q.normal[0]).hypot(n[1] - q.normal[1]) < 1e-12);
        }
    }
}

/// A wide flat block of one element row falls on a spike that lies between two of its nodes: no node ever meets the
/// spike, only the edge does. The spike must stop it: the tip stays outside to 1e-9 m, and the block bounces back.
#[test]
fn a_spike_between_two_nodes_stops_a_flat_block() {
    let text = "
geometry: plane_strain
time: { end: 8.0e-3, step: 2.0e-5 }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 5.0e6, poisson: 0.3 } } } }
bodies:
  block:
    mesh: { rectangle: { min: [-0.05, 0.001], max: [0.05, 0.031], divisions: [5, 2] } }
    material: rubber
    velocity: [0.0, -4.0]
obstacles:
  spike: { shape: { polygon: [[-0.005, -0.03], [0.005, -0.03], [0.0, 0.0]] } }
contacts: [{ between: [block.surface, spike], friction: 0.2 }]
";
    let case = parse(text, "spike.yaml", &[]).expect("a good case");
    let mut simulation = Simulation::of(build(&case).expect("a model"));
    let mut deepest = 0.0f64;
    while !simulation.is_done() {
        simulation.step().expect("a step");
        let (body, u) = (simulation.system.with_nodes(0), &simulation.system.states[0].u);
        // the tip (0, 0) against the bottom edge above it: nodes 2 and 3 of the bottom row
        let (a, b) = (body.position(u, 2), body.position(u, 3));
        let t = [b[0] - a[0], b[1] - a[1]];
        let length = t[0].hypot(t[1]);
        let along = -(a[0] * t[0] + a[1] * t[1]) / (length * length);
        assert!((0.0..1.0).contains(&along), "the tip left its edge");
        let gap = -(a[0] * t[1] - a[1] * t[0]) / length;
        deepest = deepest.max(-gap);
    }
    assert!(deepest < 1e-9, "the spike is {deepest:e} m inside the block");
    let summary =
        Simulation::of(build(&case).expect("a model")).run(&RunOptions::default(), &mut |_| true).expect("a run");
    let velocity = summary.history.column("bodies/block/velocity/1").expect("velocity");
    assert!(velocity[velocity.len() - 1] > 1.0, "the block did not bounce: {}", velocity[velocity.len() - 1]);
}

/// In space a box corner and its edges dent a block between its nodes. Points of the box's upper edges, sampled densely,
/// stay outside every element; elements have curved faces, so a hundredth of their size is granted.
#[test]
fn box_edges_and_corner_do_not_enter_a_solid_block() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/solid/block_on_box_corner.yaml"))
        .expect("case file");
    let case = parse(&text, "block_on_box_corner.yaml", &["contacts.0.friction=0".to_owned()]).expect("a good case");
    let mut simulation = Simulation::of(build(&case).expect("a model"));
    let corner = [0.013, 0.013, -0.001];
    let mut deepest = 0.0f64;
    while !simulation.is_done() {
        simulation.step().expect("a step");
        let (body, u) = (simulation.system.with_nodes(0), &simulation.system.states[0].u);
        for k in 0..40 {
            let s = f64::from(k) * 0.02 / 40.0;
            for p in [[corner[0] + s, corner[1], corner[2]], [corner[0], corner[1] + s, corner[2]]] {
                for (_, _, nodes) in body.mesh.cells() {
                    let x: [[f64; 3]; 8] = std::array::from_fn(|a| body.position(u, nodes[a].index()).into());
                    deepest = deepest.max(depth_in_hexahedron(&x, p));
                }
            }
        }
    }
    assert!(deepest < 1e-2 * 0.008, "the box is {deepest:e} m inside the block");
}

/// How deep a point lies in a hexahedron: parent coordinates by Newton's method, distance to the nearest face.
fn depth_in_hexahedron(x: &[[f64; 3]; 8], p: [f64; 3]) -> f64 {
    use impakt::elements::{Hex8, Shape};
    let low: [f64; 3] = std::array::from_fn(|i| x.iter().map(|n| n[i]).fold(f64::INFINITY, f64::min));
    let high: [f64; 3] = std::array::from_fn(|i| x.iter().map(|n| n[i]).fold(f64::NEG_INFINITY, f64::max));
    if (0..3).any(|i| p[i] < low[i] || p[i] > high[i]) {
        return 0.0;
    }
    let mut xi = [0.0f64; 3];
    let mut size = 0.0;
    for _ in 0..15 {
        let (n, g) = (Hex8::values(&xi), Hex8::gradients(&xi));
        let r: [f64; 3] = std::array::from_fn(|i| p[i] - (0..8).map(|a| n[a] * x[a][i]).sum::<f64>());
        let j: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|k| (0..8).map(|a| x[a][i] * g[a][k]).sum::<f64>()));
        let det = |m: &[[f64; 3]; 3]| {
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        };
        let full = det(&j);
        size = full.cbrt();
        for k in 0..3 {
            let mut m = j;
            for i in 0..3 {
                m[i][k] = r[i];
            }
            xi[k] = (xi[k] + det(&m) / full).clamp(-3.0, 3.0);
        }
    }
    let margin = xi.iter().map(|c| 1.0 - c.abs()).fold(f64::INFINITY, f64::min);
    margin.max(0.0) * size
}
