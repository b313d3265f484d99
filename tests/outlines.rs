//! Pictures of obstacles: valid cells, every point on the wall of the shape, closed around the right volume where the shape is
//! solid, and in the result file where the motion has brought them.

mod runs;

use std::collections::HashMap;

use impakt::case::build;
use impakt::geometry::{Obstacle, Outline, Vector};
use impakt::output::ResultFile;
use impakt::simulation::RunOptions;
use runs::{case_from, near, start};

const POLYLINE: u8 = 4;
const POLYGON: u8 = 7;
const HEXAHEDRON: u8 = 12;

fn obstacles(geometry: &str, mesh: &str, shapes: &[&str]) -> Vec<Obstacle> {
    let listed: Vec<String> = shapes.iter().enumerate().map(|(k, s)| format!("  o{k}: {{ {s} }}")).collect();
    let text = format!(
        "
geometry: {geometry}
time: {{ end: 1.0, step: 1.0 }}
materials: {{ m: {{ density: 1.0, law: {{ linear: {{ young: 1.0, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m }} }}
obstacles:
{}
",
        listed.join("\n")
    );
    build(&case_from(&text, "outline.yaml", &[])).expect("a model").obstacles
}

/// The cells of an outline as polygons, the faces of hexahedra in place of these; lines apart.
fn polygons(outline: &Outline) -> (Vec<Vec<Vector>>, Vec<Vec<Vector>>) {
    let place = |k: &usize| Vector::from(outline.points[*k]);
    let (mut faces, mut lines) = (Vec::new(), Vec::new());
    for (kind, corners) in &outline.cells {
        let x: Vec<Vector> = corners.iter().map(place).collect();
        match *kind {
            POLYLINE => lines.push(x),
            HEXAHEDRON => {
                let sides = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
                faces.extend(sides.iter().map(|side| side.iter().map(|k| x[*k]).collect::<Vec<_>>()));
            }
            _ => faces.push(x),
        }
    }
    (faces, lines)
}

/// Twice the area vector of a polygon.
fn doubled(x: &[Vector]) -> Vector {
    (1..x.len() - 1).map(|k| (x[k] - x[0]).cross(&(x[k + 1] - x[0]))).sum()
}

/// Points in range, as many as the type asks for, and no cell without extent.
fn check_cells(name: &str, outline: &Outline) {
    assert!(!outline.cells.is_empty(), "{name}: nothing to see");
    assert!(outline.points.iter().flatten().all(|x| x.is_finite()), "{name}: a point is not finite");
    for (kind, corners) in &outline.cells {
        let fits = match *kind {
            POLYLINE => corners.len() >= 2,
            5 => corners.len() == 3,
            POLYGON => corners.len() >= 3,
            9 => corners.len() == 4,
            HEXAHEDRON => corners.len() == 8,
            other => panic!("{name}: VTK type {other}"),
        };
        assert!(fits && corners.iter().all(|k| *k < outline.points.len()), "{name}: {kind} {corners:?}");
    }
    let (faces, lines) = polygons(outline);
    assert!(faces.iter().all(|x| doubled(x).norm() > 0.0), "{name}: a face without area");
    assert!(lines.iter().all(|x| x.windows(2).all(|p| (p[1] - p[0]).norm() > 0.0)), "{name}: a line of no length");
}

fn on_the_wall(name: &str, obstacle: &Obstacle, outline: &Outline, within: f64) {
    for p in &outline.points {
        let mut touches = Vec::new();
        obstacle.touches(Vector::from(*p), f64::INFINITY, f64::INFINITY, &mut touches);
        let gap = touches.iter().map(|t| t.gap.abs()).fold(f64::INFINITY, f64::min);
        assert!(gap <= within, "{name}: {p:?} is {gap:e} off the wall");
    }
}

/// Volume within faces that meet edge to edge, each edge once in each direction.
fn closed_volume(name: &str, outline: &Outline) -> f64 {
    let (faces, _) = polygons(outline);
    let key = |x: &Vector| -> [i64; 3] { std::array::from_fn(|i| (x[i] * 1e9).round() as i64) };
    let mut edges: HashMap<([i64; 3], [i64; 3]), i32> = HashMap::new();
    for x in &faces {
        for k in 0..x.len() {
            let (a, b) = (key(&x[k]), key(&x[(k + 1) % x.len()]));
            if a != b {
                *edges.entry((a, b)).or_default() += 1;
            }
        }
    }
    for ((a, b), count) in &edges {
        assert_eq!((*count, edges.get(&(*b, *a))), (1, Some(&1)), "{name}: open or crossed between {a:?} and {b:?}");
    }
    let sixth = |x: &Vec<Vector>| (1..x.len() - 1).map(|k| x[0].dot(&x[k].cross(&x[k + 1]))).sum::<f64>() / 6.0;
    faces.iter().map(sixth).sum::<f64>().abs()
}

#[test]
fn solids_are_closed_around_their_volume() {
    runs::claims::source("volume in closed form, by the divergence theorem over the drawn faces");
    let pi = std::f64::consts::PI;
    let stl = runs::path("cases/obstacles/roof.stl");
    // the chords of a circle: 64 of them take 0.16 % of its area, and of a ball twice that
    let shapes = [
        ("shape: { box: { min: [0, 0, 0], max: [1, 2, 3] } }", 6.0, 1e-12),
        (
            "shape: { box: { min: [0, 0, 0], max: [1, 2, 3] } }, place: { rotate: { angle: 30, axis: [1, 2, 3] }, translate: [1, 0, 0] }",
            6.0,
            1e-12,
        ),
        ("shape: { sphere: { centre: [1, 2, 3], radius: 0.5 } }", 4.0 / 3.0 * pi * 0.125, 5e-3),
        (
            "shape: { capsule: { from: [0, 0, 0], to: [1, 1, 0], radius: 0.5 } }",
            (4.0 / 6.0 + f64::sqrt(2.0)) * pi * 0.25,
            5e-3,
        ),
        (
            "shape: { cylinder: { point: [0, 0, 0], direction: [0, 1, 1], radius: 0.5, length: 2 } }",
            2.0 * pi * 0.25,
            2e-3,
        ),
        ("shape: { cone: { point: [0, 0, 0], direction: [1, 0, 0], radius: 0.5, length: 3 } }", pi * 0.25, 2e-3),
        (
            "shape: { cone: { point: [0, 0, 0], direction: [1, 0, 0], radius: 0.5, tip_radius: 0.2, length: 3 } }",
            pi * (0.25 + 0.1 + 0.04),
            2e-3,
        ),
    ];
    let list: Vec<&str> = shapes.iter().map(|s| s.0).collect();
    let found = obstacles("solid", "box: { min: [9, 9, 9], max: [10, 10, 10], divisions: [1, 1, 1] }", &list);
    for (obstacle, (name, volume, relative)) in found.iter().zip(shapes) {
        let outline = Outline::of(obstacle, 3, [9.0; 3], [10.0; 3]);
        check_cells(name, &outline);
        on_the_wall(name, obstacle, &outline, 1e-12);
        near(&format!("volume of {name}"), closed_volume(name, &outline), volume, relative * volume);
    }
    // a file is shown as it is; an open sheet has nothing within
    let name = format!("shape: {{ surface: {{ stl: {} }} }}", stl.display());
    let found = obstacles("solid", "box: { min: [9, 9, 9], max: [10, 10, 10], divisions: [1, 1, 1] }", &[&name]);
    let outline = Outline::of(&found[0], 3, [9.0; 3], [10.0; 3]);
    check_cells(&name, &outline);
    on_the_wall(&name, &found[0], &outline, 1e-12);
}

/// Containers are drawn open, so that one sees in; what has no end reaches over the scene.
#[test]
fn containers_and_endless_shapes_are_drawn_by_their_wall() {
    let shapes = [
        "shape: { box: { min: [0, 0, 0], max: [1, 2, 3], inside: true } }",
        "shape: { sphere: { centre: [0, 0, 0], radius: 5, inside: true } }",
        "shape: { capsule: { from: [0, 0, 0], to: [1, 1, 0], radius: 5, inside: true } }",
        "shape: { cylinder: { point: [0, 0, 0], direction: [0, 1, 1], radius: 5, length: 2, inside: true } }",
        "shape: { cone: { point: [0, 0, 0], direction: [1, 0, 0], radius: 5, length: 3, inside: true } }",
        "shape: { cylinder: { point: [0, 0, 0], direction: [0, 0, 1], radius: 5, inside: true } }",
        "shape: { cylinder: { point: [5, 0, 0], direction: [0, 0, 1], radius: 1 } }",
    ];
    let mesh = "box: { min: [0.1, 0.1, 0.1], max: [0.2, 0.2, 0.2], divisions: [1, 1, 1] }";
    let found = obstacles("solid", mesh, &shapes);
    for (obstacle, name) in found.iter().zip(shapes) {
        let outline = Outline::of(obstacle, 3, [0.1; 3], [0.2; 3]);
        check_cells(name, &outline);
        on_the_wall(name, obstacle, &outline, 1e-12);
    }
    // the picture of a half space: a slab below the plane that is wider than the scene
    let ground = obstacles("solid", mesh, &["shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 2] } }"]);
    let outline = Outline::of(&ground[0], 3, [0.1; 3], [0.2; 3]);
    check_cells("half space", &outline);
    assert!(closed_volume("half space", &outline) > 0.0);
    let (low, high) =
        outline.points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[0]), h.max(p[0])));
    assert!(low < 0.1 && high > 0.2, "from {low} to {high}");
    assert!(outline.points.iter().all(|p| p[2] < 1e-12));
}

#[test]
fn plane_shapes_fill_their_area() {
    let pi = std::f64::consts::PI;
    // areas; 0 for what is drawn by lines alone
    let shapes = [
        ("shape: { circle: { centre: [1, 2], radius: 0.5 } }", pi * 0.25),
        ("shape: { circle: { centre: [0, 0], radius: 5, inside: true } }", 0.0),
        ("shape: { capsule: { from: [0, 0], to: [3, 4], radius: 0.5 } }", pi * 0.25 + 5.0),
        ("shape: { box: { min: [0, 0], max: [1, 2] } }, place: { rotate: 30 }", 2.0),
        ("shape: { box: { min: [0, 0], max: [1, 2], inside: true } }", 0.0),
        ("shape: { polygon: [[0, 0], [2, 0], [0, 2]] }", 2.0),
        ("shape: { polygon: { outer: [[0, 0], [4, 0], [4, 4], [0, 4]], holes: [[[1, 1], [1, 2], [2, 1]]] } }", 0.0),
        ("shape: { chain: [[2, 0], [1, 0], [0, 1]] }", 0.0),
    ];
    let list: Vec<&str> = shapes.iter().map(|s| s.0).collect();
    let found = obstacles("plane_strain", "rectangle: { min: [9, 9], max: [10, 10], divisions: [1, 1] }", &list);
    for (obstacle, (name, area)) in found.iter().zip(shapes) {
        let outline = Outline::of(obstacle, 2, [9.0, 9.0, 0.0], [10.0, 10.0, 0.0]);
        check_cells(name, &outline);
        on_the_wall(name, obstacle, &outline, 1e-12);
        let (faces, lines) = polygons(&outline);
        let filled: f64 = faces.iter().map(|x| 0.5 * doubled(x)[2]).sum();
        assert!((filled - area).abs() <= 2e-3 * area, "{name}: area {filled} in place of {area}");
        assert_eq!(lines.is_empty(), area > 0.0, "{name}");
        assert!(outline.points.iter().all(|p| p[2] == 0.0), "{name} leaves the plane");
    }
}

/// Obstacles in the result file: at each frame where their motion has brought them, in closed form.
#[test]
fn a_moving_obstacle_is_written_where_it_is() {
    let text = "
geometry: plane_strain
time: { end: 1.0, step: 0.1 }
materials: { m: { density: 1.0, law: { linear: { young: 1.0, poisson: 0.0 } } } }
bodies: { b: { mesh: { rectangle: { min: [90, 90], max: [91, 91], divisions: [1, 1] } }, material: m } }
obstacles:
  still: { shape: { box: { min: [0, 0], max: [1, 2] } } }
  turns: { shape: { box: { min: [0, 0], max: [1, 2] } }, motion: { velocity: { x: 2.0 }, rotation: { centre: [0, 0], angle: { ramp: { to: 90, rise: 1.0 } } } } }
output: { every: 0.5 }
";
    let path = std::env::temp_dir().join(format!("impakt_outline_{}.vtkhdf", std::process::id()));
    let options = RunOptions { output: Some(path.clone()), ..RunOptions::default() };
    start(&case_from(text, "turns.yaml", &[])).run(&options, &mut |_| true).expect("a run");
    let file = ResultFile::open(&path).expect("a result");
    let grid = file.grid().expect("a grid");
    assert_eq!(file.times(), [0.0, 0.5, 1.0]);
    let parts: Vec<&str> = grid.parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(parts, ["b", "still", "turns"]);
    for (step, &time) in file.times().iter().enumerate() {
        let points = file.points(step).expect("points");
        let body = file.cell_field(step, "body").expect("body of each cell");
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * time).sin_cos();
        for (part, moves) in [(1.0, false), (2.0, true)] {
            let cells: Vec<usize> = (0..body.rows()).filter(|c| body.row(*c)[0] == part).collect();
            assert_eq!(cells.len(), 1, "one polygon");
            let range = grid.offsets[cells[0]] as usize..grid.offsets[cells[0] + 1] as usize;
            let mut found: Vec<[f64; 3]> = grid.connectivity[range].iter().map(|k| points[*k as usize]).collect();
            let mut expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
            if moves {
                expected = expected.map(|[x, y, _]| [cos * x - sin * y + 2.0 * time, sin * x + cos * y, 0.0]);
            }
            // a polygon may begin anywhere
            let distance = |p: &[f64; 3], q: &[f64; 3]| (p[0] - q[0]).hypot(p[1] - q[1]);
            let first = (0..4).find(|k| distance(&found[*k], &expected[0]) < 1e-5).expect("its first corner");
            found.rotate_left(first);
            for (p, q) in found.iter().zip(&expected) {
                assert!(distance(p, q) < 1e-6, "t = {time}: {p:?} in place of {q:?}");
            }
        }
    }
    drop(file);
    for end in ["vtkhdf", "xdmf"] {
        std::fs::remove_file(path.with_extension(end)).expect("removed");
    }
}
