//! Shapes of obstacles: distance and normal against brute force and closed forms, containers as their reverse, rigid
//! placement, and places of curved obstacles between the nodes of a body against dense sampling.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::geometry::{AnyShape, Block, Chain, Core, Line, Obstacle, Pose, Revolved, Round, Touch, Vector};
use support::{Random, close};

fn vector(random: &mut Random, size: f64) -> Vector {
    Vector::from_fn(|_, _| size * random.signed())
}

fn touches(obstacle: &Obstacle, x: Vector) -> Vec<Touch> {
    let mut found = Vec::new();
    obstacle.touches(x, f64::INFINITY, f64::INFINITY, &mut found);
    found
}

fn round(core: Core, radius: f64, inside: bool) -> AnyShape {
    Round { core, radius, inside, dim: 3 }.into()
}

fn revolved(radii: [f64; 2], length: f64, inside: bool) -> AnyShape {
    let axis = Vector::new(1.0, 2.0, -0.5).normalize();
    Revolved { origin: Vector::new(0.3, -0.2, 0.1), axis, length, radii, inside }.into()
}

/// The convex shapes, with their containers.
fn shapes(inside: bool) -> Vec<(&'static str, AnyShape)> {
    let (a, b) = (Vector::new(-0.5, 0.2, 0.1), Vector::new(0.7, -0.3, 0.4));
    vec![
        ("sphere", round(Core::Point(a), 0.8, inside)),
        ("capsule", round(Core::Segment([a, b]), 0.6, inside)),
        ("endless cylinder", round(Core::Line(a, (b - a).normalize()), 0.6, inside)),
        ("cylinder", revolved([0.7, 0.7], 1.3, inside)),
        ("cone", revolved([0.9, 0.0], 1.1, inside)),
        ("blunt cone", revolved([0.4, 0.9], 0.8, inside)),
        ("box", Block { min: Vector::new(-0.5, -0.4, -0.3), max: Vector::new(0.6, 0.5, 0.4), inside }.into()),
    ]
}

/// Outside, the distance to a convex set is the largest of the distances to its supporting planes, and every shape here
/// is the set of points within a known function; a dense sample of its surface gives the distance from above.
fn surface(name: &str) -> Vec<Vector> {
    let n = 400;
    let axis = Vector::new(1.0, 2.0, -0.5).normalize();
    let origin = Vector::new(0.3, -0.2, 0.1);
    let e1 = axis.cross(&Vector::x()).normalize();
    let e2 = axis.cross(&e1);
    let profile: Vec<[f64; 2]> = match name {
        "cylinder" => vec![[0.0, 0.0], [0.7, 0.0], [0.7, 1.3], [0.0, 1.3]],
        "cone" => vec![[0.0, 0.0], [0.9, 0.0], [0.0, 1.1]],
        _ => vec![[0.0, 0.0], [0.4, 0.0], [0.9, 0.8], [0.0, 0.8]],
    };
    let mut points = Vec::new();
    for side in profile.windows(2) {
        for i in 0..=n / 2 {
            let s = i as f64 / (n / 2) as f64;
            let (r, z) = (side[0][0] + s * (side[1][0] - side[0][0]), side[0][1] + s * (side[1][1] - side[0][1]));
            for k in 0..n {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
                points.push(origin + axis * z + (e1 * cos + e2 * sin) * r);
            }
        }
    }
    points
}

#[test]
fn cylinders_and_cones_are_as_far_as_their_sampled_surface() {
    let mut random = Random::new(2);
    for (name, shape) in shapes(false).into_iter().filter(|(n, _)| ["cylinder", "cone", "blunt cone"].contains(n)) {
        let (obstacle, surface) = (Obstacle::new(name, shape), surface(name));
        for _ in 0..60 {
            let x = vector(&mut random, 2.0);
            let touch = touches(&obstacle, x)[0];
            let sampled = surface.iter().map(|p| (p - x).norm()).fold(f64::INFINITY, f64::min);
            // the sample is nowhere farther from the surface's nearest place than half its spacing, 0.008
            let spread = (sampled * sampled + 0.008f64.powi(2)).sqrt() - sampled;
            assert!(touch.gap.abs() <= sampled + 1e-12, "{name} at {x:?}: {} beyond the sample {sampled}", touch.gap);
            assert!(touch.gap.abs() >= sampled - spread.max(1e-4), "{name} at {x:?}: {} below {sampled}", touch.gap);
        }
    }
}

#[test]
fn spheres_capsules_and_endless_cylinders_are_closed_forms() {
    support::claims::source("distance to a point, a segment and a line in closed form");
    let mut random = Random::new(3);
    let (a, b) = (Vector::new(-0.5, 0.2, 0.1), Vector::new(0.7, -0.3, 0.4));
    for _ in 0..2000 {
        let x = vector(&mut random, 2.0);
        let gap = |core: Core| touches(&Obstacle::new("o", round(core, 0.6, false)), x)[0].gap;
        close("sphere", gap(Core::Point(a)), (x - a).norm() - 0.6, 1e-14);
        let e = (b - a).normalize();
        close("cylinder", gap(Core::Line(a, e)), (x - a).cross(&e).norm() - 0.6, 1e-14);
        let nearest =
            (0..=2000).map(|k| (x - a - (b - a) * (f64::from(k) / 2000.0)).norm()).fold(f64::INFINITY, f64::min);
        close("capsule", gap(Core::Segment([a, b])), nearest - 0.6, 1e-6);
    }
}

/// The gap of every shape opens one to one along its normal and not at all across it.
#[test]
fn the_gradient_of_the_gap_is_the_normal() {
    support::claims::source("finite differences of the gap");
    let mut random = Random::new(4);
    let h = 1e-6;
    for (name, shape) in shapes(false).into_iter().chain(shapes(true)) {
        let obstacle = Obstacle::new(name, shape);
        for _ in 0..300 {
            let x = vector(&mut random, 1.5);
            for (k, touch) in touches(&obstacle, x).into_iter().enumerate() {
                close(format!("{name}: length"), touch.normal.norm(), 1.0, 1e-14);
                let difference = Vector::from_fn(|i, _| {
                    let mut step = Vector::zeros();
                    step[i] = h;
                    let at = |y: Vector| touches(&obstacle, y)[k];
                    let (p, q) = (at(x + step), at(x - step));
                    // not where the nearest feature changes within the difference
                    if p.feature == q.feature { (p.gap - q.gap) / (2.0 * h) } else { touch.normal[i] }
                });
                assert!(
                    (difference - touch.normal).norm() < 1e-6,
                    "{name} at {x:?}: {difference:?} {:?}",
                    touch.normal
                );
            }
        }
    }
}

/// Inside a convex container the nearest wall is the reverse of the solid's surface.
#[test]
fn containers_turn_the_sign() {
    support::claims::source("the same shape from outside, with the sign turned");
    let mut random = Random::new(5);
    for ((name, solid), (_, hollow)) in shapes(false).into_iter().zip(shapes(true)) {
        let (solid, hollow) = (Obstacle::new(name, solid), Obstacle::new(name, hollow));
        let mut within = 0;
        for _ in 0..3000 {
            let x = vector(&mut random, 1.5);
            let touch = touches(&solid, x)[0];
            let nearest = touches(&hollow, x).into_iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
            assert_eq!(touch.gap < 0.0, nearest.gap > 0.0, "{name} at {x:?}");
            if touch.gap < -1e-9 {
                within += 1;
                close(format!("{name} at {x:?}"), nearest.gap, -touch.gap, 1e-13);
                assert!((nearest.normal + touch.normal).norm() < 1e-12, "{name} at {x:?}");
            }
        }
        assert!(within > 20, "{name}: only {within} points inside");
    }
}

#[test]
fn a_placed_shape_answers_as_if_the_world_were_turned_back() {
    support::claims::source("the same shape in its own frame");
    let mut random = Random::new(6);
    for (name, shape) in shapes(false).into_iter().chain(shapes(true)) {
        let here = Obstacle::new(name, shape);
        let pose = Pose::new(vector(&mut random, 2.0), vector(&mut random, 1.0), vector(&mut random, 1.0));
        let there = Obstacle { pose, ..here.clone() };
        for _ in 0..200 {
            let x = vector(&mut random, 1.5);
            let (a, b) = (touches(&here, x), touches(&there, pose.place(x)));
            assert_eq!(a.len(), b.len());
            for (p, q) in a.iter().zip(&b) {
                close(name, q.gap, p.gap, 1e-13);
                assert!((pose.turn(p.normal) - q.normal).norm() < 1e-12, "{name}: the normal does not turn along");
            }
            let ends = [x, vector(&mut random, 1.5)];
            for k in 0..here.ridge_count() {
                let (a, b) = (here.ridge(k, ends), there.ridge(k, ends.map(|p| pose.place(p))));
                assert_eq!(a.is_some(), b.is_some(), "{name}, feature {k}");
                if let (Some(a), Some(b)) = (a, b) {
                    close(name, b.gap, a.gap, 1e-9);
                }
            }
        }
        for (a, b) in here.corners().iter().zip(there.corners()) {
            assert!((pose.place(a.point) - b.point).norm() < 1e-13);
        }
    }
}

/// An edge in front of a shape: the nearest of the places found on it, its ends included, is the nearest
/// of all its places.
#[test]
fn the_nearest_place_of_an_edge_is_found() {
    let mut random = Random::new(7);
    for (name, shape) in shapes(false).into_iter().filter(|(n, _)| *n != "box") {
        let obstacle = Obstacle::new(name, shape);
        let (mut between, mut tried) = (0, 0);
        while tried < 1500 {
            let ends = [vector(&mut random, 2.0), vector(&mut random, 2.0)];
            let at = |share: f64| touches(&obstacle, ends[0] + (ends[1] - ends[0]) * share)[0].gap;
            // the distance from a convex solid is convex along a line: thirds close in on its lowest place
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..120 {
                let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(p) <= at(q) { high = q } else { low = p }
            }
            let lowest = at(low).min(at(0.0)).min(at(1.0));
            if lowest <= 0.01 {
                continue;
            }
            tried += 1;
            let at_ends = f64::min(at(0.0), at(1.0));
            let crossings = (0..obstacle.ridge_count()).filter_map(|k| obstacle.ridge(k, ends));
            let found = crossings.map(|c| c.gap).fold(f64::INFINITY, f64::min);
            between += usize::from(found < at_ends - 1e-9);
            let best = found.min(at_ends);
            assert!(best >= lowest - 1e-9, "{name}: {best} is below the lowest {lowest} for {ends:?}");
            // a tip is met by a facet or a node, not by an edge
            if name != "cone" {
                assert!(best <= lowest + 1e-9, "{name}: {best} misses the lowest {lowest} for {ends:?}");
            }
        }
        assert!(between > 100, "{name}: only {between} edges were nearest between their ends");
    }
}

/// The place of a rim or ball in a direction is the farthest of the shape.
#[test]
fn supports_are_the_ends_of_a_shape() {
    support::claims::source("points of the surface far along a direction");
    let mut random = Random::new(8);
    for (name, shape) in shapes(false).into_iter().filter(|(n, _)| ["cylinder", "cone", "blunt cone"].contains(n)) {
        let (obstacle, surface) = (Obstacle::new(name, shape), surface(name));
        for _ in 0..50 {
            let d = vector(&mut random, 1.0).normalize();
            let end = (0..obstacle.support_count())
                .filter_map(|k| obstacle.support(k, d))
                .map(|s| s.core.dot(&d) + s.radius)
                .fold(f64::NEG_INFINITY, f64::max);
            let sampled = surface.iter().map(|p| p.dot(&d)).fold(f64::NEG_INFINITY, f64::max);
            close(name, end, sampled, 2e-4);
            assert!(end >= sampled - 1e-12, "{name}: the surface reaches beyond its support");
        }
    }
}

/// A plate with two holes against brute force: distance to every side, inside by counting.
#[test]
fn a_polygon_with_holes_is_its_signed_distance() {
    support::claims::source("signed distance to a polygon, by brute force over its edges");
    let outer = vec![[0.0, 0.0], [4.0, 0.0], [4.5, 3.0], [0.0, 3.0]];
    let mut holes =
        vec![vec![[0.5, 0.5], [1.5, 0.4], [1.4, 1.6]], vec![[2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [2.0, 2.0]]];
    holes.iter_mut().for_each(|h| h.reverse());
    let lines: Vec<Line> = std::iter::once(outer).chain(holes).map(|points| Line { points, closed: true }).collect();
    let chain = Obstacle::new("plate", Chain::of_lines(lines.clone()));
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let x = Vector::new(2.0 + 3.5 * random.signed(), 1.5 + 2.5 * random.signed(), 0.0);
        let (mut distance, mut crossed, mut corner) = (f64::INFINITY, 0, f64::INFINITY);
        for line in &lines {
            let n = line.points.len();
            for k in 0..n {
                let (a, b) = (line.points[k], line.points[(k + 1) % n]);
                let d = [b[0] - a[0], b[1] - a[1]];
                let s = ((x[0] - a[0]) * d[0] + (x[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
                let s = s.clamp(0.0, 1.0);
                distance = distance.min((x[0] - a[0] - s * d[0]).hypot(x[1] - a[1] - s * d[1]));
                corner = corner.min((x[0] - a[0]).hypot(x[1] - a[1]));
                crossed += i32::from((a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / d[1] * d[0]);
            }
        }
        let expected = if crossed % 2 == 1 { -distance } else { distance };
        // behind a concave corner two faces push out together and neither is the distance
        if expected < 0.0 && (corner - distance).abs() < 1e-12 {
            continue;
        }
        let found = touches(&chain, x);
        let nearest = found.iter().min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())).unwrap();
        close(format!("{x:?}"), nearest.gap, expected, 1e-12);
    }
}
