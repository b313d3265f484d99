//! Rigid bodies among `bodies`: full inertia, several shapes, named points, forces there and in the body's own axes, prescribed
//! rotation. Obstacles with mass are the same thing with one shape.

#![allow(clippy::unwrap_used)] // a test fails loudly

mod runs;

use nalgebra::{Matrix3, Rotation3, Vector3};
use runs::claims::source;
use runs::{at_most, case_from, column, distance, last, near, run, size};

fn body_run(text: &str, sets: &[&str]) -> impakt::simulation::Summary {
    run(&case_from(text, "rigid.yaml", sets))
}

fn vector(summary: &impakt::simulation::Summary, path: &str) -> Vector3<f64> {
    Vector3::from_fn(|k, _| last(&column(summary, &format!("{path}/{k}"))))
}

/// A body that spins about its middle axis tumbles; Euler's equations by a Runge-Kutta method of order 8 to 1e-10 (MECHANISMS:
/// J = (1, 2, 3), ω₀ = (.01, 5, .02), in body axes).
#[test]
fn a_top_tumbles_as_euler_says() {
    source("Euler's equations of a free top, J = (1, 2, 3): angular velocity in body axes at 10 s");
    let text = "
geometry: solid
time: { end: 10.0, step: 1.0e-3 }
bodies: { top: { rigid: { mass: 1.0, inertia: [1.0, 2.0, 3.0] }, angular_velocity: [0.01, 5.0, 0.02] } }
";
    let expected = Vector3::new(-0.3197600, 4.9897749, 0.1856040);
    let errors = ["1.0e-3", "2.0e-3"].map(|step| {
        let summary = body_run(text, &[&format!("time.step={step}")]);
        let rotation = Rotation3::new(vector(&summary, "bodies/top/rotation"));
        (rotation.inverse() * vector(&summary, "bodies/top/angular_velocity") - expected).amax()
    });
    at_most("angular velocity at 10 s, step 1 ms (rad/s)", errors[0], 5e-4);
    near("order in time", (errors[1] / errors[0]).log2(), 2.0, 0.05);
}

/// One tensor typed in three ways, and the same body turned before the start.
#[test]
fn a_tensor_is_the_same_however_it_is_typed() {
    source("J = R diag(J₁, J₂, J₃) Rᵀ: the motion does not depend on how the tensor is written");
    let turn = Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(Vector3::new(1.0, 2.0, -0.5)), 0.7);
    let tensor = turn * Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 2.6)) * turn.inverse();
    let six = [tensor.m11, tensor.m22, tensor.m33, tensor.m12, tensor.m23, tensor.m13].map(|x| format!("{x:e}"));
    let degrees = 0.7f64.to_degrees();
    let rotate = format!("rotate: {{ axis: [1, 2, -0.5], angle: {degrees:e} }}");
    let spun = |rigid: &str, beside: &str| {
        let text = format!(
            "
geometry: solid
time: {{ end: 1.0, step: 5.0e-3 }}
bodies: {{ b: {{ rigid: {{ mass: 2.0, centre: [0.1, 0, 0], {rigid} }}, angular_velocity: [1.0, -2.0, 3.0]{beside} }} }}
"
        );
        let summary = body_run(&text, &[]);
        (0..3).flat_map(|k| column(&summary, &format!("bodies/b/angular_velocity/{k}"))).collect::<Vec<f64>>()
    };
    let typed = spun(&format!("inertia: [{}]", six.join(", ")), "");
    let principal = spun(&format!("inertia: [1.0, 2.0, 2.6], axes: {{ {rotate} }}"), "");
    let placed = spun("inertia: [1.0, 2.0, 2.6]", &format!(", place: {{ {rotate} }}"));
    at_most("six entries against principal axes", distance(&typed, &principal) / size(&typed), 1e-12);
    at_most("turned axes against a turned body", distance(&placed, &principal) / size(&typed), 1e-12);
}

/// Two balls and a rod, fixed to each other: mass, centre and inertia by hand, seen through the motion that a force gives.
#[test]
fn shapes_add_up_to_one_body() {
    source("mass, centre and inertia of two balls and a block of one density (Steiner)");
    let (ball, rod) = (4.0 / 3.0 * std::f64::consts::PI * 1e-3, 0.4 * 0.04 * 0.04);
    let (rho, offset) = (1000.0, [-0.3, 0.5]);
    let volume = 2.0 * ball + rod;
    let centre = (offset[0] + offset[1]) * ball / volume;
    let own = [2.0 / 5.0 * 0.01 * ball * rho, rho * rod * (0.04f64.powi(2) + 0.4f64.powi(2)) / 12.0];
    let about_z: f64 = offset.iter().map(|x| own[0] + rho * ball * (x - centre).powi(2)).sum::<f64>()
        + own[1]
        + rho * rod * centre.powi(2);
    let text = "
geometry: solid
time: { end: 0.01, step: 1.0e-4 }
bodies:
  bell:
    rigid:
      density: 1000
      shapes:
        left: { sphere: { centre: [-0.3, 0, 0], radius: 0.1 } }
        right: { sphere: { centre: [0.5, 0, 0], radius: 0.1 } }
        rod: { box: { min: [-0.2, -0.02, -0.02], max: [0.2, 0.02, 0.02] } }
    force: { x: 3.0 }
    torque: { z: 2.0 }
";
    let summary = body_run(text, &[]);
    near("velocity after 10 ms (m/s)", vector(&summary, "bodies/bell/velocity").x, 3.0 * 0.01 / (rho * volume), 1e-12);
    near("spin after 10 ms (rad/s)", vector(&summary, "bodies/bell/angular_velocity").z, 2.0 * 0.01 / about_z, 1e-9);
    let start = column(&summary, "bodies/bell/centre_of_mass/0")[0];
    near("centre of mass (m)", start, centre, 1e-12);
}

/// An obstacle with mass and an entry of `bodies` with that one shape are the same body.
#[test]
fn an_obstacle_with_mass_is_a_rigid_body() {
    source("two ways to write one body: the same bits");
    let case = |section: &str| {
        format!(
            "
geometry: solid
time: {{ end: 0.3, step: 1.0e-3 }}
{section}
boundary: [ {{ gravity: [0, 0, -9.81] }} ]
contacts: [ {{ between: [box, floor], friction: 0.3 }} ]
"
        )
    };
    let floor = "floor: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } }";
    let shape = "box: { min: [-0.1, -0.1, 0.2], max: [0.1, 0.1, 0.4] }";
    let acts = "velocity: [1, 0, 0], angular_velocity: [3, 1, 2], torque: { x: 0.5 }";
    let old = case(&format!("obstacles: {{ {floor}, box: {{ shape: {{ {shape} }}, density: 700, {acts} }} }}"));
    let new = case(&format!(
        "obstacles: {{ {floor} }}\nbodies: {{ box: {{ rigid: {{ density: 700, shapes: {{ all: {{ {shape} }} }} }}, {acts} }} }}"
    ));
    let [old, new] = [old, new].map(|text| body_run(&text, &[]));
    for path in ["bodies/box/centre_of_mass/0", "bodies/box/rotation/1", "contacts/0/normal_force", "total_energy"] {
        let (a, b) = (column(&old, path), column(&new, path));
        assert!(a.len() > 100 && a == b, "{path} differs");
    }
    assert!(size(&column(&old, "contacts/0/normal_force")) > 0.0, "it never touched the floor");
}

/// A thrust that turns with the body, off its centre: momentum and angular momentum follow their laws, and the work is exact.
#[test]
fn a_force_at_a_point_does_its_work() {
    source("dp/dt = f, dL/dt = a × f, and the work of the force on its point's way (ledger)");
    for (scheme, tolerance) in [("{ jean: { theta: 0.5, xi: 0.5 } }", 1e-10), ("{ explicit: {} }", 1e-10)] {
        for axes in ["body", "space"] {
            let text = format!(
                "
geometry: solid
time: {{ end: 0.5, step: 1.0e-4, scheme: {scheme} }}
bodies:
  rocket:
    rigid: {{ mass: 2.0, inertia: [0.4, 0.5, 0.3], points: {{ nozzle: [0.1, -0.4, 0.2] }} }}
    angular_velocity: [0.5, 0.2, -1.0]
    force: {{ at: nozzle, axes: {axes}, y: 5.0, x: 1.0 }}
"
            );
            let summary = body_run(&text, &[]);
            let name = format!("{}, {axes} axes", scheme.split_whitespace().nth(1).unwrap());
            let energy = size(&column(&summary, "external_work")).max(size(&column(&summary, "total_energy")));
            at_most(&format!("{name}: ledger error / energy"), summary.largest_error / energy, tolerance);
            let lost = last(&column(&summary, "numerical_dissipation")).abs() / energy;
            at_most(&format!("{name}: energy lost to the scheme"), lost, 1e-3);
            // Euler's and Newton's laws by a Runge-Kutta method of order 4, in quaternions, with a step a tenth as long
            let (velocity, spin) = rocket(axes == "body");
            let off = (vector(&summary, "bodies/rocket/velocity") - velocity).amax();
            at_most(&format!("{name}: velocity at the end (m/s)"), off, 1e-3);
            let off = (vector(&summary, "bodies/rocket/angular_velocity") - spin).amax();
            at_most(&format!("{name}: spin at the end (rad/s)"), off, 4e-3);
        }
    }
}

/// Velocity and spin of the rocket at 0.5 s.
fn rocket(turns: bool) -> (Vector3<f64>, Vector3<f64>) {
    let (inertia, arm, thrust) = (
        Matrix3::from_diagonal(&Vector3::new(0.4, 0.5, 0.3)),
        Vector3::new(0.1, -0.4, 0.2),
        Vector3::new(1.0, 5.0, 0.0),
    );
    type State = (Matrix3<f64>, Vector3<f64>, Vector3<f64>); // rotation, velocity, angular momentum
    let rate = |(r, _, l): &State| -> State {
        let force = if turns { r * thrust } else { thrust };
        let spin = r * (inertia.try_inverse().unwrap() * (r.transpose() * l));
        (spin.cross_matrix() * r, force / 2.0, (r * arm).cross(&force))
    };
    let go = |s: &State, k: &State, h: f64| -> State { (s.0 + h * k.0, s.1 + h * k.1, s.2 + h * k.2) };
    let mut state: State = (Matrix3::identity(), Vector3::zeros(), inertia * Vector3::new(0.5, 0.2, -1.0));
    let (steps, h) = (50_000, 1e-5);
    for _ in 0..steps {
        let k1 = rate(&state);
        let k2 = rate(&go(&state, &k1, 0.5 * h));
        let k3 = rate(&go(&state, &k2, 0.5 * h));
        let k4 = rate(&go(&state, &k3, h));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            state = go(&state, &k, weight * h / 6.0);
        }
    }
    let (r, v, l) = state;
    (v, r * (inertia.try_inverse().unwrap() * (r.transpose() * l)))
}

/// A turntable is turned up as prescribed: the torque that it takes does the work of the kinetic energy, in the plane and in space.
#[test]
fn a_prescribed_rotation_takes_its_torque() {
    source("T = ½ J ω² of a turntable with prescribed rotation; its drive does that work (ledger)");
    for scheme in ["{ jean: { theta: 0.5, xi: 0.5 } }", "{ explicit: {} }"] {
        for solid in [false, true] {
            let (geometry, inertia, free, axis) = match solid {
                true => ("solid", "[0.3, 0.4, 0.5]", "[x, y, z]", ", axis: [0, 0, 1]"),
                false => ("plane_strain", "0.5", "[x, y]", ""),
            };
            let text = format!(
                "
geometry: {geometry}
time: {{ end: 1.0, step: 1.0e-3, scheme: {scheme} }}
bodies:
  table:
    rigid: {{ mass: 2.0, inertia: {inertia} }}
    free: {free}
    motion: {{ rotation: {{ angular_velocity: {{ ramp: {{ from: 0, to: 8, start: 0, end: 1 }} }}{axis} }} }}
"
            );
            let summary = body_run(&text, &[]);
            let spin = if solid { "bodies/table/angular_velocity/2" } else { "bodies/table/angular_velocity" };
            let turned = if solid { "bodies/table/rotation/2" } else { "bodies/table/rotation" };
            let name = format!("{}, {geometry}", scheme.split_whitespace().nth(1).unwrap());
            // explicit velocities belong to the middles of the steps
            let late = if name.starts_with("explicit") { 0.5e-3 } else { 0.0 };
            near(&format!("{name}: spin (rad/s)"), last(&column(&summary, spin)), 8.0 * (1.0 - late), 1e-4);
            let angle = last(&column(&summary, turned));
            let angle = if solid && angle < 0.0 { angle + std::f64::consts::TAU } else { angle };
            near(&format!("{name}: angle (rad)"), angle, 4.0, 1e-9);
            let energy = 0.5 * 0.5 * (8.0f64 * (1.0 - late)).powi(2);
            near(&format!("{name}: kinetic energy (J)"), last(&column(&summary, "kinetic_energy")), energy, 1e-3);
            near(&format!("{name}: work of the drive (J)"), last(&column(&summary, "external_work")), energy, 0.05);
            at_most(&format!("{name}: ledger error / energy"), summary.largest_error / energy, 1e-10);
        }
    }
}

/// A dumbbell falls on its two balls: contacts name the body or its shapes, and shapes of one body never touch each other.
#[test]
fn contacts_name_a_body_or_its_shapes() {
    source("a symmetric dumbbell on a plane: half of the weight on each ball, no matter how the contacts are named");
    for between in [&["bell, floor"][..], &["bell.left, floor", "bell.right, floor"], &["bell.*, floor"]] {
        let contacts: Vec<String> = between.iter().map(|names| format!("{{ between: [{names}] }}")).collect();
        let text = format!(
            "
geometry: solid
time: {{ end: 0.05, step: 1.0e-3 }}
bodies:
  bell:
    rigid:
      mass: 2.0
      shapes:
        left: {{ sphere: {{ centre: [-0.2, 0, 0.1], radius: 0.1 }} }}
        right: {{ sphere: {{ centre: [0.2, 0, 0.1], radius: 0.1 }} }}
        rod: {{ box: {{ min: [-0.2, -0.02, 0.08], max: [0.2, 0.02, 0.12] }} }}
obstacles: {{ floor: {{ shape: {{ half_space: {{ point: [0, 0, 0], normal: [0, 0, 1] }} }} }} }}
boundary: [ {{ gravity: [0, 0, -10] }} ]
contacts: [ {} ]
",
            contacts.join(", ")
        );
        let summary = body_run(&text, &[]);
        near(&format!("{between:?}: contact force (N)"), vector(&summary, "bodies/bell/contact_force").z, 20.0, 1e-9);
        let share = if between.len() == 2 { 10.0 } else { 20.0 };
        near(
            &format!("{between:?}: of the first entry"),
            last(&column(&summary, "contacts/0/normal_force")),
            share,
            1e-8,
        );
    }
}

#[test]
fn what_makes_no_rigid_body_is_refused() {
    let told = |rigid: &str, beside: &str, more: &str| {
        let text = format!(
            "geometry: solid\ntime: {{ end: 1, step: 0.1 }}\nbodies:\n  b:\n    rigid: {{ {rigid} }}\n{beside}\n{more}\n"
        );
        match impakt::case::parse(&text, "bad.yaml", &[]).map(|case| impakt::case::build(&case).map(|_| ())) {
            Ok(Ok(())) => panic!("accepted: {text}"),
            Ok(Err(error)) | Err(error) => error.to_string(),
        }
    };
    let floor = "obstacles: { floor: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } } }\n";
    for (rigid, beside, more, words) in [
        ("inertia: [1, 1, 1]", "", "", "bodies.b.rigid.mass: missing key `mass`"),
        ("mass: 1", "", "", "`b` has no shapes to compute its inertia from"),
        ("mass: 0, inertia: [1, 1, 1]", "", "", "bad.yaml:5:20: bodies.b.rigid.mass: must be > 0"),
        ("mass: 1, inertia: [1, 1, 3]", "", "", "none may exceed the sum of the other two"),
        ("mass: 1, inertia: [1, 1, 1, 2, 0, 0]", "", "", "a principal moment is -1"),
        (
            "mass: 1, inertia: [1, 2, 2, 0, 0, 0], axes: { rotate: { axis: [0, 0, 1], angle: 3 } }",
            "",
            "",
            "six entries",
        ),
        ("mass: 1, axes: { rotate: { axis: [0, 0, 1], angle: 3 } }", "", "", "give `inertia` with three moments too"),
        ("density: 1, inertia: [1, 1, 1]", "", "", "`b` has no shapes: a density says nothing of its mass"),
        (
            "mass: 1, inertia: [1, 1, 1]",
            "    mesh: {}",
            "",
            "bodies.b.mesh: belongs to a deformable body, and `rigid` is given too",
        ),
        (
            "mass: 1, inertia: [1, 1, 1], points: { tip: [0, 0, 1] }",
            "    force: { at: tap, z: 1 }",
            "",
            "bodies.b.force.at: there is no point `tap`",
        ),
        (
            "mass: 1, inertia: [1, 1, 1]",
            "    motion: { rotation: { axis: [0, 0, 1], angle: 3 } }",
            "",
            "turns the body, which `free` lets turn",
        ),
        (
            "mass: 1, inertia: [1, 1, 1]",
            "",
            "contacts: [ { between: [b, floor] } ]",
            "rigid body `b` has no shapes: nothing of it can touch",
        ),
        (
            "mass: 1, shapes: { s: { sphere: { centre: [0, 0, 1], radius: 0.5 } } }",
            "",
            "contacts: [ { between: [b.t, floor] } ]",
            "rigid body `b` has no shape `t`",
        ),
        (
            "mass: 1, shapes: { s: { sphere: { centre: [0, 0, 1], radius: 0.5 } } }",
            "",
            "contacts: [ { between: [b, b.s] } ]",
            "a rigid body cannot touch itself",
        ),
    ] {
        let more = format!("{floor}{more}");
        let error = told(rigid, beside, &more);
        assert!(error.contains(words), "{rigid} {beside} {more}: {words:?} is not in\n{error}");
    }
}

/// Points of a body that is thrown and spins about its axis of symmetry, by name and by place.
#[test]
fn probes_follow_points_of_rigid_bodies() {
    source("x = c + v t + R(ω t) a and v + ω × a for a body that spins about a principal axis");
    let text = "
geometry: solid
time: { end: 0.5, step: 1.0e-3 }
bodies:
  wheel:
    rigid: { mass: 2.0, centre: [1, 0, 0], inertia: [0.4, 0.4, 0.7], points: { rim: [1.3, 0, 0] } }
    velocity: [0, 2, 0]
    angular_velocity: [0, 0, 4]
output: { every: 0.1, probes: { named: { body: wheel.rim }, placed: { body: wheel, at: [1.3, 0, 0] } } }
";
    let summary = body_run(text, &[]);
    let angle: f64 = 4.0 * 0.5;
    for probe in ["named", "placed"] {
        let off = vector(&summary, &format!("probes/{probe}/position"))
            - Vector3::new(1.0 + 0.3 * angle.cos(), 1.0 + 0.3 * angle.sin(), 0.0);
        at_most(&format!("{probe}: place at the end (m)"), off.amax(), 1e-5);
        let off = vector(&summary, &format!("probes/{probe}/velocity"))
            - Vector3::new(-1.2 * angle.sin(), 2.0 + 1.2 * angle.cos(), 0.0);
        at_most(&format!("{probe}: velocity at the end (m/s)"), off.amax(), 1e-5);
    }
    let error = case_text_error(&text.replace("wheel.rim", "wheel.rom"));
    assert!(error.contains("there is no point `rom`: one of rim") && error.contains("output.probes.named"), "{error}");
}

fn case_text_error(text: &str) -> String {
    let case = case_from(text, "bad.yaml", &[]);
    impakt::case::build(&case).map(|_| ()).expect_err("a mistake").to_string()
}
