//! Rigid bodies with mass in explicit steps: alone, on obstacles, against each other and against deformable bodies.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod runs;

use impakt::bodies::{Rigid, RigidSpec};
use impakt::integrator::{ContactWork, Explicit, Ledger, NoReactions, System};
use impakt::reference::bouncing::Bouncing;
use impakt::reference::top::Top;
use impakt::simulation::Summary;
use nalgebra::{Matrix3, Vector3};
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, last, near, run, run_file, size};

const EXPLICIT: &str = "time.scheme=explicit";

fn ledger_closes(summary: &Summary, what: &str) {
    let reference = size(&column(summary, "total_energy")).max(1e-3);
    at_most(&format!("{what}: ledger error / largest energy"), summary.largest_error / reference, 1e-10);
}

/// A free body for `steps` steps; `watch` sees it after each.
fn spin(inertia: [f64; 3], start: Vector3<f64>, dt: f64, steps: usize, mut watch: impl FnMut(&System)) -> Ledger {
    let spec = RigidSpec {
        name: "top".into(),
        dim: 3,
        mass: 2.0,
        centre: Vector3::new(0.3, -0.2, 0.1),
        inertia: Matrix3::from_diagonal(&Vector3::from(inertia)),
        free: vec![true; 6],
        size: 1.0,
    };
    let body = Rigid::new(spec).unwrap();
    let state = body.initial_state(Vector3::new(1.0, 2.0, -0.5), start);
    let mut system = System::lean(vec![body.into()], vec![state.clone()]);
    let mut ledger = Ledger::open(&system);
    let mut explicit = Explicit::new(&mut system, 1.0).unwrap();
    let mut next = vec![state];
    for _ in 0..steps {
        let (_, works) = explicit.step(&mut system, &mut NoReactions, dt, &mut next).unwrap();
        ledger.book_explicit(&works, ContactWork::default());
        explicit.accept(&mut system, dt);
        std::mem::swap(&mut system.states, &mut next);
        system.time += dt;
        watch(&system);
    }
    ledger
}

#[test]
fn free_tops_turn_as_euler_and_jacobi_say() {
    source("free asymmetric top: Jacobi's elliptic functions (Landau, Lifshitz: Mechanics, §37)");
    let exact = Top { inertia: [0.7, 1.1, 1.6], spin: [1.2, 1.9] };
    let errors = [100, 200, 400].map(|steps| {
        let mut worst = 0.0f64;
        spin(exact.inertia, Vector3::new(1.2, 0.0, 1.9), exact.period() / steps as f64, steps, |system| {
            let (body, state) = (system.bodies[0].rigid().unwrap(), &system.states[0]);
            let own = body.rotation(&state.u).tr_mul(&body.parts(&state.v).1);
            worst = worst.max((own - Vector3::from(exact.spin(system.time))).amax());
        });
        worst
    });
    for pair in errors.windows(2) {
        near("order in time", (pair[0] / pair[1]).log2(), 2.0, 0.05);
    }
    at_most("spin over a period, 400 steps, largest error / spin", errors[2] / 1.9, 1e-3);
    source("free top: energy and angular momentum in space are constant");
    let mut first = None;
    let mut drift = 0.0f64;
    let start = Vector3::new(0.02, 3.0, 0.01);
    let ledger = spin([1.0, 2.0, 3.0], start, 0.02, 20_000, |system| {
        let (body, state) = (system.bodies[0].rigid().unwrap(), &system.states[0]);
        let l = body.momentum(&state.u, &state.v).1;
        drift = drift.max((l - *first.get_or_insert(l)).amax() / l.norm());
    });
    at_most("angular momentum, tumbling about the middle axis, 20 000 steps", drift, 1e-12);
    let energy = ledger.initial();
    at_most("energy lost or made by the scheme", ledger.now.numerical.abs() / energy, 1e-12);
    at_most("ledger error", ledger.now.error.abs() / energy, 1e-12);
}

#[test]
fn ball_bounces_with_newtons_restitution() {
    source("ballistics with v+ = -e v-: Virlez, Brüls, Duysinx, fig. 9 (6 mm, e = 0.8), closed form");
    let exact = Bouncing { height: 6e-3, gravity: 9.81, restitution: 0.8 };
    let errors = [8e-5, 1e-5].map(|step| {
        let sets = [format!("time.step={step:e}"), "time.end=0.25".into(), "output.every=0.25".into(), EXPLICIT.into()];
        let sets: [String; 4] = sets;
        let summary = run_file("cases/rigid/drop.yaml", &sets.each_ref().map(String::as_str));
        let (time, force) = (column(&summary, "time"), column(&summary, "bodies/ball/contact_force/1"));
        let hits: Vec<usize> = (1..time.len()).filter(|&k| force[k] > 0.0 && force[k - 1] == 0.0).collect();
        let late = (0..6).map(|n| (time[hits[n]] - exact.impact(n as i32)).abs()).fold(0.0, f64::max);
        at_most(&format!("step {step:.0e} s: times of six impacts, largest error / step"), late / step, 8.0);
        let height = column(&summary, "bodies/ball/centre_of_mass/1");
        for n in 0..4 {
            let peak = height[hits[n]..hits[n + 1]].iter().fold(0.0, |m: f64, y| m.max(*y)) - 5e-3;
            let limit = 4.0 * step / exact.impact(0) * exact.height;
            near(&format!("step {step:.0e} s: height after impact {n} (m)"), peak, exact.peak(n as i32), limit);
        }
        ledger_closes(&summary, &format!("step {step:.0e} s"));
        late
    });
    at_least("order of the times of impact in the step", (errors[0] / errors[1]).log2() / 3.0, 0.8);
}

#[test]
fn sphere_on_an_incline_rolls_or_slips() {
    source(
        "sphere on an incline: a = (5/7) g sin α while tan α < (7/2) μ, else g (sin α − μ cos α) and spin (5/2) μ g cos α t / r",
    );
    let (g, alpha, r, t, step) = (9.81f64, 30f64.to_radians(), 0.1, 1.0, 5e-3);
    for level in ["position", "velocity"] {
        for mu in [0.1, 0.4] {
            let sets = [format!("contacts.0.friction={mu}"), format!("contacts.0.level={level}"), EXPLICIT.to_owned()];
            let sets = [sets[0].as_str(), &sets[1], &sets[2], "expect=[]"];
            let summary = run_file("cases/rigid/sphere_rolls.yaml", &sets);
            let (sin, cos) = alpha.sin_cos();
            let (a, spin) = match alpha.tan() < 3.5 * mu {
                true => (5.0 / 7.0 * g * sin, 5.0 / 7.0 * g * sin / r),
                false => (g * (sin - mu * cos), 2.5 * mu * g * cos / r),
            };
            let name = format!("{level}, friction {mu}");
            let way = last(&column(&summary, "bodies/ball/centre_of_mass/0"));
            near(&format!("{name}: way (m)"), way, 0.5 * a * t * t, 1e-9);
            // velocities belong to the middle of the last step
            let middle = t - 0.5 * step;
            near(&format!("{name}: speed (m/s)"), last(&column(&summary, "bodies/ball/velocity/0")), a * middle, 1e-9);
            let turning = last(&column(&summary, "bodies/ball/angular_velocity/1"));
            near(&format!("{name}: spin (rad/s)"), turning, spin * middle, 1e-8);
            at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
            ledger_closes(&summary, &name);
        }
    }
}

#[test]
fn discs_exchange_their_velocities() {
    source("impact of two equal discs, head-on, e: v2 = (1 + e) v/2, v1 = (1 − e) v/2; momentum");
    for e in [1.0, 0.6] {
        let text = format!(
            "
geometry: plane_strain
time: {{ end: 2.0e-3, step: 1.0e-6, scheme: explicit }}
obstacles:
  cue: {{ shape: {{ circle: {{ centre: [0.0, 0.0], radius: 0.03 }} }}, mass: 0.2, velocity: [2.0, 0.0] }}
  ball: {{ shape: {{ circle: {{ centre: [0.0601, 0.0], radius: 0.03 }} }}, mass: 0.2 }}
contacts: [{{ between: [cue, ball], level: velocity, restitution: {e} }}]
output: {{ every: 1.0e-3 }}
"
        );
        let summary = run(&case_from(&text, "billiard.yaml", &[]));
        let speed = |body: &str| last(&column(&summary, &format!("bodies/{body}/velocity/0")));
        near(&format!("e = {e}: ball (m/s)"), speed("ball"), 1.0 + e, 1e-9);
        near(&format!("e = {e}: cue (m/s)"), speed("cue"), 1.0 - e, 1e-9);
        ledger_closes(&summary, &format!("e = {e}"));
    }
}

/// A rigid mass hits the end of a bar: until the wave returns from the other end the force is ρ c A v exp(−ρ c A t/M).
#[test]
fn mass_on_a_bar_is_slowed_as_saint_venant_says() {
    source("Saint-Venant: rigid mass on the end of a bar, force rho c A v exp(-rho c A t/M) until the wave returns");
    let (c, mass, speed) = (30.0, 10.0, 10.0);
    let text = format!(
        "
geometry: plane_stress
time: {{ end: 0.6, step: auto, scheme: explicit }}
materials: {{ m: {{ density: 1.0, law: {{ linear: {{ young: 900.0, poisson: 0.0 }} }} }} }}
bodies:
  bar: {{ mesh: {{ rectangle: {{ min: [0.0, 0.0], max: [10.0, 1.0], divisions: [200, 1] }} }}, material: m }}
obstacles:
  wall:
    shape: {{ half_space: {{ point: [10.001, 0.5], normal: [-1.0, 0.0] }} }}
    mass: {mass}
    free: [x]
    velocity: [-{speed}, 0.0]
boundary: [{{ fixed: {{ on: bar.left, axes: [x] }} }}]
contacts: [{{ between: [bar.right, wall] }}]
output: {{ every: 0.05 }}
"
    );
    let summary = run(&case_from(&text, "mass_on_bar.yaml", &[]));
    let (time, v) = (column(&summary, "time"), column(&summary, "bodies/wall/velocity/0"));
    for t in [0.1, 0.3, 0.5] {
        let k = time.iter().position(|x| *x >= t).unwrap();
        let exact = -speed * (-c * (time[k] - 1e-4) / mass).exp();
        near(&format!("velocity of the mass at {t} s (m/s)"), v[k], exact, 0.01 * speed);
    }
    at_most("penetration (m)", summary.largest_penetration, 1e-9);
    ledger_closes(&summary, "mass on bar");
}

#[test]
fn ball_and_block_keep_their_momentum() {
    source("free bodies: momentum is that of the start; energy identity of the step");
    for (level, friction) in [("position", 0.0), ("position", 0.3), ("rate", 0.3), ("velocity", 0.3)] {
        let sets = [
            format!("contacts.0.friction={friction}"),
            format!("contacts.0.level={level}"),
            EXPLICIT.to_owned(),
            "time.step=auto".to_owned(),
            "expect=[]".to_owned(),
        ];
        let summary = run_file("cases/rigid/circle_on_block.yaml", &sets.each_ref().map(String::as_str));
        let name = format!("{level}, friction {friction}");
        for (path, scale, limit) in
            [("momentum/0", 2.51, 1e-10), ("momentum/1", 12.6, 1e-10), ("angular_momentum", 0.18, 2e-2)]
        {
            let values = column(&summary, path);
            let drift = values.iter().map(|x| (x - values[0]).abs()).fold(0.0, f64::max);
            at_most(&format!("{name}: {path}, largest change / value"), drift / scale, limit);
        }
        ledger_closes(&summary, &name);
        let speed = |body: &str| last(&column(&summary, &format!("bodies/{body}/velocity/1")));
        at_least(&format!("{name}: speed at which they part (m/s)"), speed("ball") - speed("block"), 0.5);
        if level == "position" {
            at_most(&format!("{name}: penetration (m)"), summary.largest_penetration, 1e-9);
        }
        if friction == 0.0 {
            let spin = last(&column(&summary, "bodies/ball/angular_velocity"));
            near(&format!("{name}: spin without friction (rad/s)"), spin, 40.0, 1e-9);
        }
    }
}

/// Springs, dashpots, forces, torques and guided axes are booked as in the implicit schemes.
#[test]
fn loads_on_rigid_bodies_are_accounted_for() {
    source("oscillator with 5 % damping; constant torque on a wheel; Galilean invariance of a guide");
    let text = "
geometry: solid
time: { end: 1.0, step: 1.0e-3, scheme: explicit }
obstacles:
  mass: { shape: { sphere: { centre: [0, 0, 0], radius: 0.1 } }, mass: 1.0, free: [x], velocity: [1, 0, 0], spring: { x: 400.0 }, dashpot: { x: 2.0 } }
  wheel: { shape: { sphere: { centre: [1, 0, 0], radius: 0.1 } }, mass: 1.0, inertia: [0.02, 0.02, 0.02], free: [rotation_z], torque: { z: 0.5 } }
  sled: { shape: { sphere: { centre: [2, 0, 0], radius: 0.1 } }, mass: 3.0, free: [z], motion: { velocity: { x: { sine: { amplitude: 2.0, frequency: 1.0 } } } }, force: { z: 6.0 } }
output: { every: 0.1 }
";
    let summary = run(&case_from(text, "loads.yaml", &[]));
    let (omega, zeta) = (20.0f64, 0.05f64);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let exact = (-zeta * omega).exp() * damped.sin() / damped;
    near("oscillator after 1 s (m)", last(&column(&summary, "bodies/mass/centre_of_mass/0")), exact, 1e-4);
    near("wheel after 1 s (rad)", last(&column(&summary, "bodies/wheel/angular_velocity/2")), 25.0 * 0.9995, 1e-9);
    near("sled along its force (m)", last(&column(&summary, "bodies/sled/centre_of_mass/2")), 1.0, 1e-9);
    ledger_closes(&summary, "loads");
}
