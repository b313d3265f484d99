//! Triangulated surfaces and the tree behind them: against brute force and against shapes whose distance is known.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::geometry::{Bounds, Bvh, Near, Obstacle, Shape, Surface, SurfaceError, Touch, Vector};
use support::{Random, close};

type Triangle = [[f64; 3]; 3];

fn vector(random: &mut Random, size: f64) -> Vector {
    Vector::from_fn(|_, _| size * random.signed())
}

/// Two triangles for each quad of an axis-parallel box, counter-clockwise seen from outside.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> Vec<Triangle> {
    let p = |k: usize| -> [f64; 3] { std::array::from_fn(|i| if k >> i & 1 == 1 { high[i] } else { low[i] }) };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    quads.iter().flat_map(|[a, b, c, d]| [[p(*a), p(*b), p(*c)], [p(*a), p(*c), p(*d)]]).collect()
}

/// A sphere of `2 n (n − 1)` triangles and some more, by meridians and parallels.
fn sphere(radius: f64, n: usize) -> Vec<Triangle> {
    let place = |i: usize, k: usize| {
        let (polar, around) =
            (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::TAU * (k % n) as f64 / n as f64);
        if i == 0 || i == n {
            return [0.0, 0.0, if i == 0 { radius } else { -radius }];
        }
        [radius * polar.sin() * around.cos(), radius * polar.sin() * around.sin(), radius * polar.cos()]
    };
    let mut triangles = Vec::new();
    for i in 0..n {
        for k in 0..n {
            let (a, b, c, d) = (place(i, k), place(i + 1, k), place(i + 1, k + 1), place(i, k + 1));
            if i + 1 < n {
                triangles.push([a, b, c]);
            }
            if i > 0 {
                triangles.push([a, c, d]);
            }
        }
    }
    triangles
}

fn touches(surface: &Surface, x: Vector, reach: f64) -> Vec<Touch> {
    let mut found = Vec::new();
    surface.touches(&x, &Near { reach, depth: reach, through: None }, &mut found);
    found
}

#[test]
fn the_tree_loses_nothing_that_brute_force_keeps() {
    let mut random = Random::new(1);
    for count in [0usize, 1, 4, 5, 100, 3000] {
        let draw = |random: &mut Random| -> Vec<Bounds> {
            (0..count)
                .map(|_| Bounds::around([vector(random, 1.0), vector(random, 1.0)]))
                .map(|b| Bounds { low: b.low, high: b.low + 0.05 * (b.high - b.low) })
                .collect()
        };
        let mut boxes = draw(&mut random);
        let mut tree = Bvh::new(&boxes);
        for round in 0..2 {
            for _ in 0..200 {
                let asked = Bounds::around([vector(&mut random, 1.0)]).inflated(0.2 * random.unit());
                let mut found = Vec::new();
                tree.query(&asked, |k| found.push(k));
                found.retain(|k| boxes[*k as usize].meets(&asked));
                found.sort_unstable();
                let brute: Vec<u32> = (0..count as u32).filter(|k| boxes[*k as usize].meets(&asked)).collect();
                assert_eq!(found, brute, "{count} boxes, round {round}");
                let x = vector(&mut random, 1.5);
                let to = |k: u32| (boxes[k as usize].low - x).norm_squared();
                let expected = (0..count as u32).map(to).fold(f64::INFINITY, f64::min);
                assert_eq!(tree.nearest(&x, to), expected);
            }
            boxes = draw(&mut random);
            tree.refit(&boxes);
        }
    }
}

/// A box of twelve triangles is the box.
#[test]
fn a_triangulated_box_is_its_signed_distance() {
    support::claims::source("signed distance to a box in closed form");
    let (low, high) = ([-1.0, 0.0, 2.0], [1.0, 3.0, 2.5]);
    let mut random = Random::new(2);
    // typed inside out, it is turned
    let reversed = cuboid(low, high).into_iter().map(|[a, b, c]| [a, c, b]).collect::<Vec<_>>();
    for triangles in [cuboid(low, high), reversed] {
        let surface = Surface::new(&triangles, false).unwrap();
        assert!(surface.is_closed());
        assert_eq!((surface.points().len(), surface.corners().len(), surface.edges().len()), (8, 8, 12));
        for _ in 0..5000 {
            let x =
                Vector::from_fn(|i, _| 0.5 * (low[i] + high[i]) + (0.5 * (high[i] - low[i]) + 1.0) * random.signed());
            let outside: [f64; 3] = std::array::from_fn(|i| (low[i] - x[i]).max(x[i] - high[i]));
            let expected = if outside.iter().any(|d| *d > 0.0) {
                outside.iter().map(|d| d.max(0.0).powi(2)).sum::<f64>().sqrt()
            } else {
                outside.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            };
            for reach in [10.0, f64::INFINITY] {
                let found = touches(&surface, x, reach);
                let nearest = found.iter().min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())).unwrap();
                close(format!("{x:?} within {reach}"), nearest.gap, expected, 1e-12);
                assert_eq!(found.iter().any(|t| t.gap < 0.0), expected < 0.0, "{x:?}: {found:?}");
            }
        }
    }
}

/// The container around a box: everything turns its sign, and there is nothing that could dent.
#[test]
fn a_surface_from_inside_is_a_container() {
    let surface = Surface::new(&cuboid([0.0; 3], [1.0, 2.0, 3.0]), true).unwrap();
    assert!(surface.corners().is_empty() && surface.edges().is_empty());
    let near = touches(&surface, Vector::new(0.1, 0.2, 1.5), 0.5);
    assert_eq!(near.len(), 2, "two walls are near: {near:?}");
    assert!(near.iter().all(|t| t.gap > 0.0 && !t.sharp));
    let beyond = touches(&surface, Vector::new(-0.1, 1.0, 1.5), 0.5);
    assert!(beyond.len() == 1 && (beyond[0].gap + 0.1).abs() < 1e-14 && beyond[0].normal[0] > 0.99, "{beyond:?}");
}

/// An L-shaped solid: at its concave edge both faces count, in front of it and behind it.
#[test]
fn a_concave_edge_gives_two_contacts() {
    // the L in the plane, extruded along z by hand: 0 ≤ z ≤ 1
    let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let at = |k: usize, z: f64| [l[k][0], l[k][1], z];
    let mut triangles: Vec<Triangle> = Vec::new();
    for [a, b, c] in caps {
        triangles.push([at(a, 1.0), at(b, 1.0), at(c, 1.0)]);
        triangles.push([at(a, 0.0), at(c, 0.0), at(b, 0.0)]);
    }
    for k in 0..6 {
        let (a, b) = (k, (k + 1) % 6);
        triangles.push([at(a, 0.0), at(b, 0.0), at(b, 1.0)]);
        triangles.push([at(a, 0.0), at(b, 1.0), at(a, 1.0)]);
    }
    let surface = Surface::new(&triangles, false).unwrap();
    assert!(surface.is_closed());
    assert_eq!(surface.edges().len(), 17, "18 edges, one of them concave");
    assert_eq!(surface.corners().len(), 10, "12 corners, two of them at the concave edge");
    for shift in [0.05, 0.0, -1e-15, -0.05] {
        let found = touches(&surface, Vector::new(1.0 + shift, 1.0 + shift, 0.4), 0.2);
        let faces: Vec<&Touch> = found.iter().filter(|t| !t.sharp).collect();
        assert_eq!(faces.len(), 2, "at {shift}: {found:?}");
        assert!(faces.iter().all(|t| (t.gap - shift).abs() < 1e-13));
    }
}

/// A fine sphere: its distance is that of the ball within its chord error, and the answer agrees with asking every triangle.
#[test]
fn a_triangulated_sphere_is_nearly_a_ball() {
    let triangles = sphere(1.0, 60);
    let surface = Surface::new(&triangles, false).unwrap();
    assert!(surface.is_closed());
    let mut random = Random::new(4);
    let sagitta = 1.0 - (std::f64::consts::PI / 60.0).cos();
    for _ in 0..500 {
        let x = vector(&mut random, 1.5);
        let found = touches(&surface, x, f64::INFINITY);
        let nearest = found.iter().min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())).unwrap();
        let ball = x.norm() - 1.0;
        // behind a convex surface the nearest face is exact, in front of it edges and corners are
        assert!(nearest.gap >= ball - 1e-12 && nearest.gap <= ball + 2.0 * sagitta, "{x:?}: {} {ball}", nearest.gap);
    }
}

#[test]
fn a_sheet_is_open_and_ends_where_it_ends() {
    let sheet =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]];
    let surface = Surface::new(&sheet, false).unwrap();
    assert!(!surface.is_closed());
    assert_eq!((surface.corners().len(), surface.edges().len()), (4, 4));
    let above = touches(&surface, Vector::new(0.5, 0.5, 0.1), 0.2);
    assert!(above.len() == 1 && (above[0].gap - 0.1).abs() < 1e-15 && above[0].normal[2] > 0.99, "{above:?}");
    let below = touches(&surface, Vector::new(0.3, 0.6, -0.1), 0.2);
    assert!(below.len() == 1 && (below[0].gap + 0.1).abs() < 1e-15, "{below:?}");
    assert!(touches(&surface, Vector::new(0.5, 0.5, -0.3), 0.2).is_empty(), "too deep");
    assert!(touches(&surface, Vector::new(-0.1, 0.5, 0.05), 0.2).iter().all(|t| t.sharp), "beside it");
    assert!(touches(&surface, Vector::new(-0.1, 0.5, -0.05), 0.2).is_empty(), "beside it and behind");
}

#[test]
fn what_is_no_surface_is_refused() {
    let good = cuboid([0.0; 3], [1.0; 3]);
    assert_eq!(Surface::new(&[], false).unwrap_err(), SurfaceError::Empty);
    let mut bad = good.clone();
    bad[3][1][2] = f64::NAN;
    assert_eq!(Surface::new(&bad, false).unwrap_err(), SurfaceError::NotFinite(3));
    let mut bad = good.clone();
    bad[5][2] = bad[5][1];
    assert!(matches!(Surface::new(&bad, false).unwrap_err(), SurfaceError::Degenerate(5, ..)));
    let mut bad = good.clone();
    bad[7].swap(0, 1);
    assert!(matches!(Surface::new(&bad, false).unwrap_err(), SurfaceError::Twisted(..)));
    let mut bad = good.clone();
    bad.push([good[0][0], good[0][1], [5.0, 5.0, 5.0]]);
    assert!(matches!(Surface::new(&bad, false).unwrap_err(), SurfaceError::Twisted(..) | SurfaceError::Branching(..)));
    // huge and tiny coordinates do not bring it down
    let scaled = |s: f64| good.iter().map(|t| t.map(|p| p.map(|c| c * s))).collect::<Vec<_>>();
    assert!(Surface::new(&scaled(1e-150), false).is_ok() || Surface::new(&scaled(1e-150), false).is_err());
    assert!(Surface::new(&scaled(1e150), false).is_ok() || Surface::new(&scaled(1e150), false).is_err());
}

/// Ten thousand triangles, three thousand points: what one step asks of the tree. Printed, and held to a loose bound.
#[test]
fn many_triangles_are_looked_up_quickly() {
    let surface = Surface::new(&sphere(1.0, 72), false).unwrap();
    assert!(surface.triangles().len() > 10_000);
    let obstacle = Obstacle::new("sphere", surface);
    let mut random = Random::new(6);
    let points: Vec<Vector> =
        (0..3000).map(|_| vector(&mut random, 1.0).normalize() * (1.0 + 0.1 * random.unit())).collect();
    let start = std::time::Instant::now();
    let mut found = Vec::new();
    for x in &points {
        obstacle.touches(*x, 0.01, 0.01, &mut found);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("3000 points against 10224 triangles: {:.2} ms, {} touches", 1e3 * seconds, found.len());
    assert!(seconds < 0.1, "{seconds} s");
}
