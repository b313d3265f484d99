//! Rigid bodies with mass in contact: with obstacles, with each other and with deformable bodies.

mod runs;

use impakt::reference::bouncing::Bouncing;
use impakt::reference::housner::kept_spin;
use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, last, max, near, run, run_file, size};

fn ledger_closes(summary: &Summary) {
    // of bodies at rest the energy is round-off; a millijoule is the scale of none of these cases
    let reference = size(&column(summary, "total_energy")).max(1e-3);
    at_most("ledger error / largest energy", summary.largest_error / reference, 1e-10);
}

#[test]
fn circle_and_block_keep_momentum_angular_momentum_and_the_ledger() {
    source("free bodies: momentum and angular momentum are those of the start; energy identity of the step");
    for (level, friction) in [("position", 0.0), ("position", 0.3), ("rate", 0.3), ("velocity", 0.3)] {
        let sets = [
            format!("contacts.0.friction={friction}"),
            format!("contacts.0.level={level}"),
            "time.newton.residual=1e-13".to_owned(),
        ];
        let summary = run_file("cases/rigid/circle_on_block.yaml", &sets.each_ref().map(String::as_str));
        let name = format!("{level}, friction {friction}");
        // angular momentum is kept as well as the forces within the block balance, to the tolerance of Newton's method; at
        // velocity level forces act on the ball where they touch it at the start of the step, an error of first order
        let angular = if level == "velocity" { 1e-2 } else { 1e-9 };
        let limits = [("momentum/0", 2.51, 1e-12), ("momentum/1", 12.6, 1e-12), ("angular_momentum", 0.18, angular)];
        for (path, scale, limit) in limits {
            let values = column(&summary, path);
            let drift = values.iter().map(|x| (x - values[0]).abs()).fold(0.0, f64::max);
            at_most(&format!("{name}: {path}, largest change / value"), drift / scale, limit);
        }
        ledger_closes(&summary);
        let speed = |body: &str| last(&column(&summary, &format!("bodies/{body}/velocity/1")));
        at_least(&format!("{name}: speed at which they part (m/s)"), speed("ball") - speed("block"), 0.5);
        near(
            &format!("{name}: force at the end (N)"),
            last(&column(&summary, "bodies/ball/contact_force/1")),
            0.0,
            0.0,
        );
        if level == "position" {
            at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
        }
        if friction == 0.0 {
            let spin = column(&summary, "bodies/ball/angular_velocity");
            near(&format!("{name}: spin without friction (rad/s)"), last(&spin), 40.0, 1e-9);
        }
    }
}

/// An impact may turn the slip of a corner round. The energy that friction took never falls, and impact and friction together give
/// nothing.
#[test]
fn friction_of_a_tumbling_box_only_takes_energy() {
    source("Coulomb: friction opposes slip");
    let summary = run_file("cases/rigid/box_tumbles.yaml", &[]);
    let (friction, contact) = (column(&summary, "friction_dissipation"), column(&summary, "contact_work"));
    let energy = column(&summary, "total_energy")[0];
    let gained = |values: &[f64]| values.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max) / energy;
    let taken_back: Vec<f64> = friction.iter().map(|x| -x).collect();
    at_most("given back by friction in a step / energy", gained(&taken_back), 1e-12);
    at_most("work of impacts and rest / energy", last(&contact) / energy, -0.1);
    at_least("lost to friction / energy", last(&friction) / energy, 0.1);
}

#[test]
fn ball_bounces_with_newtons_restitution() {
    source("ballistics with v+ = -e v-: Virlez, Brüls, Duysinx, fig. 9 (6 mm, e = 0.8), closed form");
    let exact = Bouncing { height: 6e-3, gravity: 9.81, restitution: 0.8 };
    let errors = [8e-5, 1e-5].map(|step| {
        let sets = [format!("time.step={step:e}"), "time.end=0.25".to_owned(), "output.every=0.25".to_owned()];
        let summary = run_file("cases/rigid/drop.yaml", &sets.each_ref().map(String::as_str));
        let (time, force) = (column(&summary, "time"), column(&summary, "bodies/ball/contact_force/1"));
        let hits: Vec<f64> =
            (1..time.len()).filter(|&k| force[k] > 0.0 && force[k - 1] == 0.0).map(|k| time[k]).collect();
        let late = (0..6).map(|n| (hits[n] - exact.impact(n as i32)).abs()).fold(0.0, f64::max);
        at_most(&format!("step {step:.0e} s: times of six impacts, largest error / step"), late / step, 6.0);
        ledger_closes(&summary);
        late
    });
    at_least("order of the times of impact in the step", (errors[0] / errors[1]).log2() / 3.0, 0.8);
}

#[test]
fn rocking_block_keeps_housners_share_of_its_spin() {
    source("Housner's rocking block [Housner1963]: ω+/ω- = 1 − (3/2) sin²α, plastic impact without slip");
    for (width, height) in [(0.5, 1.0), (0.25, 1.0)] {
        let (spin, tilt, step) = (0.1, 1e-6f64, 2e-5);
        let (sin, cos) = tilt.sin_cos();
        let lift = 0.5 * (width * sin + height * cos) - 0.5 * height;
        let text = format!(
            "
geometry: plane_strain
time: {{ end: {end:e}, step: {step:e} }}
obstacles:
  block:
    shape: {{ box: {{ min: [0.0, {lift:e}], max: [{width}, {top:e}] }} }}
    place: {{ rotate: {{ angle: {angle:e}, about: [{middle}, {centre:e}] }} }}
    density: 2000.0
    velocity: [{vx:e}, {vy:e}]
    angular_velocity: {spin}
  ground: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }}
contacts: [{{ between: [block, ground], level: velocity, friction: 10.0 }}]
",
            end = 10.0 * step,
            top = height + lift,
            angle = -tilt.to_degrees(),
            middle = 0.5 * width,
            centre = lift + 0.5 * height,
            vx = -0.5 * height * spin,
            vy = -0.5 * width * spin,
        );
        let summary = run(&case_from(&text, "rocking.yaml", &[]));
        let omega = column(&summary, "bodies/block/angular_velocity");
        near(&format!("H/B = {}: ω+/ω-", height / width), last(&omega) / omega[0], kept_spin(width, height), 1e-5);
        ledger_closes(&summary);
    }
}

#[test]
fn sphere_on_an_incline_rolls_or_slips() {
    source(
        "sphere on an incline: a = (5/7) g sin α while tan α < (7/2) μ, else g (sin α − μ cos α) and spin (5/2) μ g cos α t / r",
    );
    let (g, alpha, r, t) = (9.81f64, 30f64.to_radians(), 0.1, 1.0);
    for level in ["position", "rate", "velocity"] {
        for mu in [0.1, 0.4] {
            let sets = [format!("contacts.0.friction={mu}"), format!("contacts.0.level={level}")];
            let summary = run_file("cases/rigid/sphere_rolls.yaml", &sets.each_ref().map(String::as_str));
            let (sin, cos) = alpha.sin_cos();
            let rolls = alpha.tan() < 3.5 * mu;
            let (a, spin) = match rolls {
                true => (5.0 / 7.0 * g * sin, 5.0 / 7.0 * g * sin / r),
                false => (g * (sin - mu * cos), 2.5 * mu * g * cos / r),
            };
            let name = format!("{level}, friction {mu}");
            near(
                &format!("{name}: way (m)"),
                last(&column(&summary, "bodies/ball/centre_of_mass/0")),
                0.5 * a * t * t,
                1e-9,
            );
            if level == "velocity" {
                near(&format!("{name}: speed (m/s)"), last(&column(&summary, "bodies/ball/velocity/0")), a * t, 1e-9);
                near(
                    &format!("{name}: spin (rad/s)"),
                    last(&column(&summary, "bodies/ball/angular_velocity/1")),
                    spin * t,
                    1e-8,
                );
            }
            if level != "rate" {
                at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
            }
            ledger_closes(&summary);
        }
    }
}

#[test]
fn discs_collide_obliquely_as_on_a_billiard_table() {
    source("impact of two equal discs: P = (1+e) m v_n/2, T = min(μ P, m v_t/6), spins −T r/J each (closed form)");
    // centres on a line inclined by φ; the first moves along x
    let (r, phi, speed) = (0.03f64, 25f64.to_radians(), 2.0);
    for (mu, e) in [(0.0, 1.0), (0.05, 0.9), (0.5, 0.6)] {
        let (sin, cos) = phi.sin_cos();
        let apart = 2.0 * r + 1e-4;
        let text = format!(
            "
geometry: plane_strain
time: {{ end: 1.0e-2, step: 1.0e-6 }}
obstacles:
  cue: {{ shape: {{ circle: {{ centre: [0.0, 0.0], radius: {r} }} }}, mass: 0.2, velocity: [{speed}, 0.0] }}
  ball: {{ shape: {{ circle: {{ centre: [{x:e}, {y:e}], radius: {r} }} }}, mass: 0.2 }}
contacts: [{{ between: [cue, ball], level: velocity, restitution: {e}, friction: {mu} }}]
output: {{ every: 1.0e-3 }}
",
            x = apart * cos,
            y = apart * sin,
        );
        let summary = run(&case_from(&text, "billiard.yaml", &["time.end=1e-3"]));
        let name = format!("friction {mu}, e = {e}");
        // where the line of centres is when they meet
        let drop = apart * sin;
        let (n_y, n_x) = (drop / (2.0 * r), (1.0 - (drop / (2.0 * r)).powi(2)).sqrt());
        let (vn, vt) = (speed * n_x, speed * n_y);
        let m = 0.2;
        let p = 0.5 * (1.0 + e) * m * vn;
        let t = f64::min(mu * p, m * vt / 6.0);
        // n from cue to ball; the cue slides along (n_y, −n_x) past the ball
        let ball = [(p * n_x + t * n_y) / m, (p * n_y - t * n_x) / m];
        for (axis, expected) in ball.into_iter().enumerate() {
            let got = last(&column(&summary, &format!("bodies/ball/velocity/{axis}")));
            near(&format!("{name}: velocity of the ball, axis {axis} (m/s)"), got, expected, 1e-3 * speed);
            let cue = last(&column(&summary, &format!("bodies/cue/velocity/{axis}")));
            near(&format!("{name}: momentum, axis {axis} (m/s)"), cue + got, [speed, 0.0][axis], 1e-12);
        }
        let spin = -t * r / (0.5 * m * r * r);
        for body in ["cue", "ball"] {
            let got = last(&column(&summary, &format!("bodies/{body}/angular_velocity")));
            near(&format!("{name}: spin of the {body} (rad/s)"), got.abs(), spin.abs(), 1e-3 * speed / r);
        }
        let angular = column(&summary, "angular_momentum");
        at_most(&format!("{name}: angular momentum, change / m v r"), size(&angular) / (m * speed * r), 1e-2);
        ledger_closes(&summary);
    }
}

#[test]
fn wall_pushed_by_a_force_rests_on_the_bar() {
    source("equilibrium: the reaction of the bar is the force on the wall");
    let summary = run_file("cases/rigid/pushed_wall.yaml", &[]);
    near("reaction of the bar (N)", last(&column(&summary, "bodies/wall/contact_force/0")), 3e4, 3e-2);
    near("and on the bar (N)", last(&column(&summary, "bodies/bar/contact_force/0")), -3e4, 3e-2);
    ledger_closes(&summary);
    let drift = max(&column(&summary, "max_penetration"));
    at_most("penetration (m)", drift, 1e-9);
}

#[test]
fn painleves_rod_gets_a_finite_impulse() {
    source(
        "Painlevé: for μ > (1 + 3cos²θ)/(3 sinθ cosθ) (4/3 at tanθ = 2) no finite force exists for a sliding rod; an impulse does",
    );
    let theta = 2f64.atan();
    let critical = (1.0 + 3.0 * theta.cos().powi(2)) / (3.0 * theta.sin() * theta.cos());
    near("critical friction at tan θ = 2", critical, 4.0 / 3.0, 1e-12);
    // a thin rod that leans forward against its sliding direction, its lower end on the ground
    let text = |mu: f64| {
        let (c, s) = (0.5 * theta.cos(), 0.5 * theta.sin());
        format!(
            "
geometry: plane_strain
time: {{ end: 0.02, step: 1.0e-4 }}
obstacles:
  rod:
    shape: {{ capsule: {{ from: [0.0, 1.0e-3], to: [{x:e}, {y:e}], radius: 1.0e-3 }} }}
    mass: 1.0
    inertia: {inertia:e}
    velocity: [-2.0, 0.0]
  ground: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }}
boundary: [{{ gravity: [0.0, -9.81] }}]
contacts: [{{ between: [rod, ground], level: velocity, friction: {mu} }}]
output: {{ every: 1.0e-2 }}
",
            x = 2.0 * c,
            y = 2.0 * s + 1e-3,
            inertia = 1.0 / 12.0,
        )
    };
    for mu in [0.5 * critical, 1.5 * critical] {
        let summary = run(&case_from(&text(mu), "painleve.yaml", &[]));
        let forces = column(&summary, "bodies/rod/contact_force/1");
        let largest = max(&forces);
        assert!(forces.iter().all(|f| f.is_finite()), "friction {mu}");
        if mu > critical {
            // impact without collision: within a step the impulse stops the sliding end
            at_least(&format!("friction {mu:.2}: largest force / weight"), largest / 9.81, 20.0);
        }
        let energy = column(&summary, "total_energy");
        let work = column(&summary, "external_work");
        let gained = energy.iter().zip(&work).map(|(e, w)| e - w - energy[0]).fold(0.0, f64::max);
        at_most(&format!("friction {mu:.2}: energy made by contact / energy"), gained / energy[0], 1e-9);
        ledger_closes(&summary);
    }
}

#[test]
fn boxes_stand_on_each_other() {
    source("statics: the lower box carries both weights, and nothing moves");
    let text = "
geometry: plane_strain
time: { end: 0.5, step: 5.0e-3 }
obstacles:
  lower: { shape: { box: { min: [0.0, 0.0], max: [1.0, 0.5] } }, density: 1000.0 }
  upper: { shape: { box: { min: [0.0, 0.5], max: [1.0, 1.0] } }, density: 1000.0 }
  ground: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } } }
boundary: [{ gravity: [0.0, -9.81] }]
contacts:
  - { between: [lower, ground], friction: 0.5, level: LEVEL }
  - { between: [lower, upper], friction: 0.5, level: LEVEL }
output: { every: 0.1 }
";
    for level in ["position", "velocity"] {
        let summary = run(&case_from(&text.replace("LEVEL", level), "stack.yaml", &[]));
        let (lower, upper) = ("bodies/lower/contact_force/1", "bodies/upper/contact_force/1");
        let mean = |path: &str| {
            let forces = column(&summary, path);
            forces[1..].iter().sum::<f64>() / (forces.len() - 1) as f64
        };
        near(&format!("{level}: mean force on the upper (N)"), mean(upper), 4905.0, 1.0);
        near(&format!("{level}: mean force on the lower (N)"), mean(lower), 4905.0, 1.0);
        let height = last(&column(&summary, "bodies/upper/centre_of_mass/1"));
        near(&format!("{level}: height of the upper (m)"), height, 0.75, 1e-9);
        at_most(&format!("{level}: turned (rad)"), last(&column(&summary, "bodies/upper/rotation")).abs(), 1e-9);
        ledger_closes(&summary);
    }
}

/// Refused when the model is built, with the place of the key.
#[test]
fn what_a_rigid_body_cannot_be_is_said() {
    let text = "
geometry: plane_strain
time: { end: 1.0, step: 0.1 }
obstacles:
  ball: { shape: { circle: { centre: [0.0, 0.1], radius: 0.1 } }, density: 1000.0 }
  wall: { shape: { half_space: { point: [1.0, 0.0], normal: [-1.0, 0.0] } }, mass: 1.0, free: [x] }
  ground: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } } }
contacts: [{ between: [ball, ground] }, { between: [ball, wall] }]
";
    run(&case_from(text, "sound.yaml", &[]));
    for (set, says) in [
        (
            "time.scheme=quasi_static",
            "obstacles.ball.density: rigid body `ball` has mass, and only the schemes `jean` and `explicit` move it",
        ),
        ("obstacles.ball.shape.circle.radius=0.2", "contacts.0: `ball` starts 1.000e-1 m inside `ground`"),
        (
            "obstacles.wall.free=[x, rotation]",
            "obstacles.wall.mass: the shape of `wall` has no volume to compute its inertia from",
        ),
    ] {
        let case = case_from(text, "x.yaml", &[set]);
        let error = impakt::case::build(&case).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(says), "{set}: {error}");
    }
    for (from, to, says) in [
        ("mass: 1.0, free: [x]", "density: 1.0", "obstacles.wall.density: the shape of `wall` has no volume"),
        (
            "{ between: [ball, wall] }",
            "{ between: [wall, ball] }, { between: [ball, wall] }",
            "contacts.2: the same pair is already given as contacts.1",
        ),
        (
            "{ between: [ball, wall] }",
            "{ between: [ball, ball] }",
            "contacts.1.between: a rigid body cannot touch itself",
        ),
        (
            "step: 0.1",
            "step: auto, scheme: explicit",
            "time.step: `auto` follows deformable bodies and there are none: give a number",
        ),
        (
            "{ between: [ball, wall] }",
            "{ between: [ball, wall], friction: { mu1: 1 } }",
            "contacts.1.friction: orthotropic friction needs a second tangent: `geometry: solid`",
        ),
    ] {
        let error = match impakt::case::parse(&text.replace(from, to), "x.yaml", &[]) {
            Ok(case) => impakt::case::build(&case).err().map(|e| e.to_string()).unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(says), "{to}: {error}");
    }
}

#[test]
fn rigid_sphere_strikes_a_deformable_block_in_space() {
    source("free bodies in space: momentum and angular momentum are those of the start; energy identity of the step");
    let text = "
geometry: solid
time: { end: 6.0e-3, step: 1.0e-4, scheme: { jean: { theta: 0.5, xi: 0.5, force: midpoint } }, newton: { residual: 1.0e-12 } }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 5.0e5, poisson: 0.3 } } } }
bodies:
  block: { mesh: { box: { min: [-0.05, -0.05, -0.04], max: [0.05, 0.05, 0.0], divisions: [8, 8, 3] } }, material: rubber }
obstacles:
  ball:
    shape: { sphere: { centre: [0.006, -0.011, 0.0303], radius: 0.03 } }
    density: 2000.0
    velocity: [1.0, 0.5, -5.0]
    angular_velocity: [10.0, 40.0, -20.0]
contacts: [{ between: [block.surface, ball], friction: 0.3 }]
output: { every: 1.0e-3 }
";
    let summary = run(&case_from(text, "sphere.yaml", &[]));
    for (path, limit) in [("momentum", 1e-12), ("angular_momentum", 1e-8)] {
        let columns: Vec<Vec<f64>> = (0..3).map(|axis| column(&summary, &format!("{path}/{axis}"))).collect();
        let scale = columns.iter().map(|c| c[0] * c[0]).sum::<f64>().sqrt();
        for (axis, values) in columns.iter().enumerate() {
            let drift = values.iter().map(|x| (x - values[0]).abs()).fold(0.0, f64::max);
            at_most(&format!("{path}, axis {axis}: largest change / value"), drift / scale, limit);
        }
    }
    at_least("largest force / weight of the ball", max(&column(&summary, "bodies/ball/contact_force/2")) / 2.2, 50.0);
    at_most("penetration (m)", summary.largest_penetration, 1e-9);
    ledger_closes(&summary);
}

#[test]
fn rigid_box_slides_or_sticks_on_an_incline() {
    source("Coulomb: a = g (sin 30 − μ cos 30) for μ < tan 30, else rest");
    let text = "
geometry: solid
time: { end: 0.5, step: 5.0e-3 }
obstacles:
  box: { shape: { box: { min: [0.0, 0.0, 0.0], max: [0.4, 0.3, 0.1] } }, density: 1000.0 }
  plane: { shape: { half_space: { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] } } }
boundary: [{ gravity: [4.905, 0.0, -8.495709211125344] }]
contacts: [{ between: [box, plane], friction: MU, level: velocity }]
output: { every: 0.1 }
";
    for (mu, a) in [(0.2, 3.205858157774931), (0.6, 0.0)] {
        let summary = run(&case_from(&text.replace("MU", &mu.to_string()), "box.yaml", &[]));
        let speed = last(&column(&summary, "bodies/box/velocity/0"));
        near(&format!("friction {mu}: speed after 0.5 s (m/s)"), speed, 0.5 * a, 1e-8);
        let turned = (0..3).map(|k| last(&column(&summary, &format!("bodies/box/rotation/{k}"))).abs());
        at_most(&format!("friction {mu}: turned (rad)"), turned.fold(0.0, f64::max), 1e-8);
        ledger_closes(&summary);
    }
}

#[test]
fn a_guided_body_follows_its_guide_and_books_its_work() {
    source(
        "body of 2 kg lifted with v = 3 t and pushed by 4 N: T = ½ m (v_x² + v_y²) at 1 s, height 1.5 m (closed form)",
    );
    let text = "
geometry: plane_strain
time: { end: 1.0, step: 0.01, scheme: { jean: { theta: THETA, xi: THETA } } }
obstacles:
  lift:
    shape: { box: { min: [0.0, 0.0], max: [1.0, 0.5] } }
    mass: 2.0
    free: [x]
    motion: { velocity: { y: { ramp: { to: 3.0, rise: 1.0 } } } }
    force: { x: 4.0 }
boundary: [{ gravity: [0.0, -9.81] }]
output: { every: 0.1 }
";
    for theta in [0.5, 1.0] {
        let summary = run(&case_from(&text.replace("THETA", &theta.to_string()), "lift.yaml", &[]));
        near(
            &format!("theta {theta}: height (m)"),
            last(&column(&summary, "bodies/lift/centre_of_mass/1")),
            1.75,
            1e-12,
        );
        near(&format!("theta {theta}: energy (J)"), last(&column(&summary, "kinetic_energy")), 9.0 + 4.0, 1e-10);
        let gained = last(&column(&summary, "external_work")) - last(&column(&summary, "numerical_dissipation"));
        near(&format!("theta {theta}: work (J)"), gained, 13.0, 1e-10);
        ledger_closes(&summary);
    }
}

#[test]
fn a_square_comes_down_on_its_corner() {
    source("free bodies: momentum and angular momentum are those of the start; energy identity of the step");
    let text = "
geometry: plane_strain
time: { end: 1.0e-2, step: 1.0e-4, scheme: { jean: { theta: 0.5, xi: 0.5, force: midpoint } }, newton: { residual: 1.0e-12 } }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 5.0e5, poisson: 0.3 } } } }
bodies:
  block: { mesh: { rectangle: { min: [-0.05, -0.04], max: [0.05, 0.0], divisions: [20, 8] } }, material: rubber }
obstacles:
  square:
    shape: { box: { min: [-0.02, -0.02], max: [0.02, 0.02] } }
    place: { rotate: 40, translate: [0.003, 0.029] }
    density: 1500.0
    velocity: [0.5, -3.0]
    angular_velocity: 10.0
contacts: [{ between: [block.surface, square], friction: 0.3 }]
output: { every: 1.0e-3 }
";
    let summary = run(&case_from(text, "square.yaml", &[]));
    for (path, scale, limit) in
        [("momentum/0", 1.2, 1e-12), ("momentum/1", 7.2, 1e-12), ("angular_momentum", 0.04, 1e-8)]
    {
        let values = column(&summary, path);
        let drift = values.iter().map(|x| (x - values[0]).abs()).fold(0.0, f64::max);
        at_most(&format!("{path}, largest change / value"), drift / scale, limit);
    }
    at_least("largest force / weight", max(&column(&summary, "bodies/square/contact_force/1")) / 24.0, 10.0);
    at_most("penetration / size of the square", summary.largest_penetration / 0.04, 1e-5);
    ledger_closes(&summary);
}

/// Two rigid bodies that spin, slide on each other and part, at every level that follows the step. Before their reactions acted at the
/// places of the start, at rate level angular momentum was kept to the order of the step (1e-2 here).
#[test]
fn rigid_bodies_keep_angular_momentum_at_position_and_rate_level() {
    source("free bodies: momentum and angular momentum are those of the start; at rate level reactions do no work");
    let cube = "box: { min: [-0.05, -0.04, -0.03], max: [0.05, 0.04, 0.03] }";
    let ball = "sphere: { centre: [0.0, 0.0, 0.0], radius: 0.05 }";
    let drum = "cylinder: { point: [0.0, -0.05, 0.0], direction: [0.0, 1.0, 0.0], length: 0.1, radius: 0.05 }";
    let rod = "capsule: { from: [0.0, -0.03, 0.0], to: [0.0, 0.03, 0.0], radius: 0.05 }";
    let (brick, small) = (
        "box: { min: [0.07, -0.02, -0.05], max: [0.15, 0.06, 0.02] }",
        "sphere: { centre: [0.12, 0.02, 0.0], radius: 0.04 }",
    );
    for (one, other) in [(cube, brick), (ball, brick), (drum, brick), (rod, brick), (ball, small), (cube, small)] {
        for (level, friction) in [("rate", 0.0), ("rate", 0.3), ("position", 0.3)] {
            let text = format!(
                "
geometry: solid
time: {{ end: 0.1, step: 1.0e-3, scheme: {{ jean: {{ theta: 0.5, xi: 0.5 }} }} }}
obstacles:
  one: {{ shape: {{ {one} }}, density: 1000.0, velocity: [1.0, 0.0, 0.1], angular_velocity: [3.0, 5.0, -2.0] }}
  other: {{ shape: {{ {other} }}, density: 800.0, velocity: [-1.0, 0.1, 0.0], angular_velocity: [-4.0, 1.0, 6.0] }}
contacts: [{{ between: [one, other], level: {level}, friction: {friction} }}]
"
            );
            let summary = run(&case_from(&text, "spinning.yaml", &[]));
            let shape = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
            let name = format!("{} and {}, {level}, friction {friction}", shape(one), shape(other));
            for (path, limit) in [("momentum", 1e-13), ("angular_momentum", 1e-9)] {
                let columns: Vec<_> = (0..3).map(|axis| column(&summary, &format!("{path}/{axis}"))).collect();
                let scale = columns.iter().map(|values| values[0].powi(2)).sum::<f64>().sqrt();
                let drift = columns.iter().flat_map(|values| values.iter().map(|x| (x - values[0]).abs()));
                at_most(&format!("{name}: {path}, largest change / value"), drift.fold(0.0, f64::max) / scale, limit);
            }
            let speed = column(&summary, "bodies/one/velocity/0");
            at_least(&format!("{name}: they met, change of speed (m/s)"), speed[0] - last(&speed), 0.3);
            let energy = column(&summary, "total_energy");
            if level == "rate" {
                let lost = energy[0] - last(&energy) - last(&column(&summary, "friction_dissipation"));
                at_most(&format!("{name}: energy not kept / energy"), lost.abs() / energy[0], 1e-8);
            }
            if (one, other, level, friction) == (ball, small, "rate", 0.0) {
                let spin = column(&summary, "bodies/one/angular_velocity/1");
                near(&format!("{name}: spin without friction (rad/s)"), last(&spin), 5.0, 1e-12);
            }
        }
    }
}
