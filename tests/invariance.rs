//! What must not matter to contact: the order of bodies, where the case stands and how it is turned, the tangent axes of points.

mod runs;

use impakt::contact::detection::Vector;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, distance, last, near, run, run_file, size};

/// Swapping the bodies changes numbers of nodes and unknowns and the order of all sums, nothing else.
#[test]
fn the_order_of_bodies_does_not_matter() {
    source("invariance");
    for (file, end) in
        [("cases/pairs/two_discs.yaml", "time.end=2.0e-3"), ("cases/pairs/two_spheres.yaml", "time.end=4.0e-4")]
    {
        let text = std::fs::read_to_string(runs::path(file)).expect("the case");
        let (start, middle) = (text.find("  left:").expect("left"), text.find("  right:").expect("right"));
        let rest = text.find("\ncontacts:").expect("contacts");
        let swapped = format!("{}{}{}{}", &text[..start], &text[middle..rest], &text[start..middle], &text[rest..]);
        for set in ["contacts.0.passes=two", "contacts.0={ between: [left, right], friction: 0.2, slave: left }"] {
            let a = run(&case_from(&text, "a.yaml", &[set, end]));
            let b = run(&case_from(&swapped, "b.yaml", &[set, end]));
            for name in ["left", "right"] {
                let path = format!("bodies/{name}/centre_of_mass/0");
                let miss = distance(&column(&a, &path), &column(&b, &path));
                at_most(&format!("{file}: centre, bodies swapped"), miss, 1e-8 * 0.02);
            }
        }
    }
}

/// Of two equally fine surfaces rounding must not choose the one whose nodes are held: it differs wherever the bodies stand.
#[test]
fn of_two_bodies_alike_the_same_one_is_held_wherever_they_stand() {
    source("invariance");
    let text = std::fs::read_to_string(runs::path("cases/pairs/pushed_out.yaml")).expect("the case");
    let (start, middle) = (text.find("  left:").expect("left"), text.find("  right:").expect("right"));
    let rest = text.find("\ncontacts:").expect("contacts");
    let swapped = format!("{}{}{}{}", &text[..start], &text[middle..rest], &text[start..middle], &text[rest..]);
    let a = run(&case_from(&text, "a.yaml", &[]));
    let other = ["contacts.0={ between: [right, left], overlap: push_out }"];
    let moved = |x: f64| format!("[{}, {}]", x + 0.123, 0.0457);
    let elsewhere = [
        format!("bodies.left.mesh.disc.centre={}", moved(-0.01)),
        format!("bodies.right.mesh.disc.centre={}", moved(0.0095)),
    ];
    let cases = [
        ("swapped", run(&case_from(&swapped, "b.yaml", &other)), 0.0),
        ("elsewhere", run(&case_from(&text, "a.yaml", &elsewhere.each_ref().map(String::as_str))), 0.123),
    ];
    for (what, b, shift) in cases {
        for name in ["left", "right"] {
            let path = format!("bodies/{name}/centre_of_mass/0");
            let there: Vec<f64> = column(&b, &path).iter().map(|x| x - shift).collect();
            at_most(&format!("{what}: centre of {name}"), distance(&column(&a, &path), &there), 1e-8 * 0.02);
        }
    }
}

/// The whole case turned by 30 degrees: the same trajectory, turned.
#[test]
fn a_rotation_of_the_whole_case_does_not_matter() {
    source("invariance");
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let turn = |x: f64, y: f64| [cos * x - sin * y, sin * x + cos * y];
    let list = |p: [f64; 2]| format!("[{:e}, {:e}]", p[0], p[1]);
    let plain = run_file("cases/pairs/two_discs.yaml", &[]);
    let mut sets = Vec::new();
    for (name, x, y, v) in [("left", -0.0105, 0.0, 10.0), ("right", 0.0115, 0.005, -10.0)] {
        sets.push(format!("bodies.{name}.mesh.disc.centre={}", list(turn(x, y))));
        sets.push(format!("bodies.{name}.velocity={}", list(turn(v, 0.0))));
        sets.push(format!("bodies.{name}.rotation=30.0"));
    }
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let turned = run_file("cases/pairs/two_discs.yaml", &sets);
    let at = |s: &impakt::simulation::Summary, axis: usize| column(s, &format!("bodies/left/centre_of_mass/{axis}"));
    let (x, y) = (at(&plain, 0), at(&plain, 1));
    let expected: Vec<[f64; 2]> = x.iter().zip(&y).map(|(x, y)| turn(*x, *y)).collect();
    for axis in 0..2 {
        let path: Vec<f64> = expected.iter().map(|p| p[axis]).collect();
        at_most("centre, case turned", distance(&path, &at(&turned, axis)), 1e-8 * 0.02);
    }
}

/// Two balls in space turned as a whole: other axes of space, so other tangent axes at every contact point, and the same
/// trajectory.
#[test]
fn turning_balls_in_space_and_their_tangent_axes_does_not_matter() {
    source("invariance");
    // about (1, 2, 3) by 50 degrees
    let axis = Vector::new(1.0, 2.0, 3.0).normalize();
    let turn = nalgebra::Rotation3::from_scaled_axis(axis * 50f64.to_radians());
    let plain = run_file("cases/pairs/two_spheres.yaml", &["time.end=4.0e-4"]);
    let mut sets = vec!["time.end=4.0e-4".to_owned()];
    for (name, centre, v) in [("left", [-0.0105, 0.0, 0.0], 10.0), ("right", [0.0105, 0.003, 0.002], -10.0)] {
        let (a, v) = (axis.as_slice(), turn * Vector::new(v, 0.0, 0.0));
        let list = |v: &[f64]| format!("[{:e}, {:e}, {:e}]", v[0], v[1], v[2]);
        let place = format!("{{ rotate: {{ angle: 50.0, axis: {}, about: [0, 0, 0] }} }}", list(a));
        sets.push(format!(
            "bodies.{name}.mesh={{ sphere: {{ radius: 0.01, centre: {}, core: 4, layers: 2 }}, place: {place} }}",
            list(&centre)
        ));
        sets.push(format!("bodies.{name}.velocity={}", list(v.as_slice())));
    }
    let turned = run_file("cases/pairs/two_spheres.yaml", &sets.iter().map(String::as_str).collect::<Vec<_>>());
    let at = |s: &impakt::simulation::Summary, k: usize| {
        Vector::from_fn(|axis, _| column(s, &format!("bodies/left/centre_of_mass/{axis}"))[k])
    };
    let rows = column(&plain, "time").len();
    let miss = (0..rows).map(|k| (turn * at(&plain, k) - at(&turned, k)).norm()).fold(0.0, f64::max);
    at_most("centre, case turned in space / size", miss / 0.02, 1e-8);
    let lost = |s: &impakt::simulation::Summary| last(&column(s, "friction_dissipation"));
    at_least("friction acts (J)", lost(&plain), 1e-5);
    near("friction, case turned in space / energy", lost(&turned) / lost(&plain), 1.0, 1e-8);
}

/// Coulomb's law knows no axes: with `t1` of every point turned about the normal, the condensed problem has the turned solution.
#[test]
fn other_tangent_axes_give_the_same_reactions() {
    source("invariance: W and q of other tangent axes");
    let summary = run_file("cases/pairs/two_spheres.yaml", &["time.end=2.0e-4"]);
    let problem = summary.simulation.contact().problem();
    let n = problem.len();
    at_least("points of the problem", n as f64, 4.0);
    let angle = |i: usize| 0.3 + 0.7 * i as f64;
    let axes = |i: usize| nalgebra::Rotation3::from_scaled_axis(Vector::x() * angle(i)).into_inner();
    let block = |at: usize| nalgebra::Matrix3::from_row_slice(&problem.w.blocks[9 * at..9 * at + 9]);
    let mut other = problem.clone();
    for i in 0..n {
        for at in problem.w.offsets[i]..problem.w.offsets[i + 1] {
            let made = axes(i) * block(at) * axes(problem.w.columns[at] as usize).transpose();
            other.w.blocks[9 * at..9 * at + 9].copy_from_slice(made.transpose().as_slice());
        }
        let q = axes(i) * Vector::from_column_slice(&problem.q[3 * i..3 * i + 3]);
        other.q[3 * i..3 * i + 3].copy_from_slice(q.as_slice());
    }
    for solver in
        impakt::contact::solvers::ALL.iter().filter(|s| ["hybrid", "newton", "gauss_seidel"].contains(&s.name))
    {
        let (mut r, mut s) = (vec![0.0; 3 * n], vec![0.0; 3 * n]);
        (solver.build)(1e-12, None).solve(problem, &mut r).expect("solution");
        (solver.build)(1e-12, None).solve(&other, &mut s).expect("solution");
        let miss = (0..n).map(|i| {
            let turned = axes(i) * Vector::from_column_slice(&r[3 * i..3 * i + 3]);
            (turned - Vector::from_column_slice(&s[3 * i..3 * i + 3])).norm()
        });
        at_most(
            &format!("{}: reactions, other axes / largest", solver.name),
            miss.fold(0.0, f64::max) / size(&r),
            1e-8,
        );
    }
}

/// A pile tells everything about the order in which its contacts are solved: each impact makes differences grow. Written backwards,
/// its bodies fall as they did.
#[test]
fn the_order_in_which_the_bodies_of_a_pile_are_written_does_not_matter() {
    source("invariance");
    let text = std::fs::read_to_string(runs::path("cases/rigid/pile.yaml")).expect("the case");
    let (before, rest) = text.split_once("obstacles:\n").expect("obstacles");
    let (bodies, after) = rest.split_once("boundary:").expect("what follows them");
    let backwards: String = bodies.lines().rev().flat_map(|line| [line, "\n"]).collect();
    let a = run(&case_from(&text, "a.yaml", &[]));
    let b = run(&case_from(&format!("{before}obstacles:\n{backwards}boundary:{after}"), "b.yaml", &[]));
    let impacts = column(&a, "contacts_slip").iter().filter(|n| **n > 0.0).count();
    at_least("steps with contact", impacts as f64, 200.0);
    for k in 0..12 {
        for axis in 0..2 {
            let path = format!("bodies/b{k}/centre_of_mass/{axis}");
            let miss = distance(&column(&a, &path), &column(&b, &path));
            at_most(&format!("{path}, written backwards (m)"), miss, 1e-8 * 0.54);
        }
    }
}

/// A circle rests on facets at places between their nodes, which have to settle like everything else: what they are off is the
/// lever of a force, and gaps tell only its square.
#[test]
fn turning_a_circle_on_a_block_does_not_matter() {
    source("invariance");
    let plain = run_file("cases/rigid/circle_on_block.yaml", &[]);
    for angle in [10.0f64, 37.0, 135.0] {
        let (sin, cos) = angle.to_radians().sin_cos();
        let turn = |x: f64, y: f64| [cos * x - sin * y, sin * x + cos * y];
        let place = format!("{{ rotate: {{ angle: {angle}, about: [0.0, 0.0] }} }}");
        let [u, v] = turn(1.0, -5.0);
        let sets = [
            format!("bodies.block.mesh.place={place}"),
            format!("obstacles.ball.place={place}"),
            format!("obstacles.ball.velocity=[{u:e}, {v:e}]"),
        ];
        let sets = sets.each_ref().map(String::as_str);
        let turned = run_file("cases/rigid/circle_on_block.yaml", &[&sets[..], &["expect=[]"]].concat());
        for body in ["block", "ball"] {
            let at = |s: &impakt::simulation::Summary, axis: usize| {
                column(s, &format!("bodies/{body}/centre_of_mass/{axis}"))
            };
            let expected: Vec<[f64; 2]> = at(&plain, 0).iter().zip(at(&plain, 1)).map(|(x, y)| turn(*x, y)).collect();
            for axis in 0..2 {
                let path: Vec<f64> = expected.iter().map(|p| p[axis]).collect();
                at_most(
                    &format!("centre of {body}, turned by {angle} degrees (m)"),
                    distance(&path, &at(&turned, axis)),
                    1e-8 * 0.1,
                );
            }
        }
        let lost = |s: &impakt::simulation::Summary| last(&column(s, "friction_dissipation"));
        near("friction, turned / straight", lost(&turned) / lost(&plain), 1.0, 1e-8);
    }
}

/// A hundred discs press on each other; where their contacts lie between nodes, and along which normals they push, must not be left
/// where the iterations of a step happened to stop.
#[test]
fn moving_a_hopper_full_of_discs_does_not_matter() {
    source("invariance");
    let text = std::fs::read_to_string(runs::path("cases/pairs/hopper.yaml")).expect("the case");
    let plain = run(&case_from(&text, "hopper.yaml", &[]));
    let slip = column(&plain, "contacts_slip");
    at_least("sliding points", slip.iter().copied().fold(0.0, f64::max), 50.0);
    for (what, angle, shift, end) in [("shifted", 0.0f64, [0.03, -0.02], 0.08), ("turned", 37.0, [0.0, 0.0], 0.06)] {
        let (sin, cos) = angle.to_radians().sin_cos();
        let turn = |[x, y]: [f64; 2]| [cos * x - sin * y, sin * x + cos * y];
        let place = format!("place: {{ rotate: {{ angle: {angle:?}, about: [0.0, 0.0] }}, translate: {shift:?} }}");
        let moved = text
            .replace("layers: 1 } }", &format!("layers: 1 }}, {place} }}"))
            .replace("{ shape:", &format!("{{ {place}, shape:"))
            .replace("velocity: [0.0, -2.0]", &format!("velocity: {:?}", turn([0.0, -2.0])))
            .replace("gravity: [0.0, -9.81]", &format!("gravity: {:?}", turn([0.0, -9.81])));
        let moved = run(&case_from(&moved, "moved.yaml", &[&format!("time.end={end:?}"), "expect=[]"]));
        let rows = column(&moved, "time").len();
        let mut miss = 0.0f64;
        for k in 0..100 {
            let at = |s: &impakt::simulation::Summary, axis: usize| {
                column(s, &format!("bodies/grain_{k:02}/centre_of_mass/{axis}"))
            };
            let (x, y, there) = (at(&plain, 0), at(&plain, 1), [at(&moved, 0), at(&moved, 1)]);
            for row in 0..rows {
                let expected = turn([x[row], y[row]]);
                for axis in 0..2 {
                    miss = miss.max((expected[axis] + shift[axis] - there[axis][row]).abs());
                }
            }
        }
        at_most(&format!("{what}: centres of the discs / size"), miss / 0.02, 1e-8);
    }
}
