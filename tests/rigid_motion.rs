//! Rigid bodies that nothing touches: the rotation of a step against Euler's free tops, and what it keeps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::bodies::{BodyState, DeadLoad, Rigid, RigidSpec};
use impakt::integrator::{ContactWork, Force, Jean, Ledger, Newton, NoReactions, System};
use impakt::reference::top::Top;
use impakt::time::TimeFunction;
use nalgebra::{Matrix3, Vector3};
use support::claims::source;
use support::{at_most, close};

const MIDPOINT: Jean = Jean { theta: 0.5, xi: 0.5, force: Force::Trapezoidal };

fn top(inertia: [f64; 3]) -> Rigid {
    let spec = RigidSpec {
        name: "top".into(),
        dim: 3,
        mass: 2.0,
        centre: Vector3::new(0.3, -0.2, 0.1),
        inertia: Matrix3::from_diagonal(&Vector3::from(inertia)),
        free: vec![true; 6],
        size: 1.0,
    };
    Rigid::new(spec).unwrap()
}

/// Steps a single rigid body; calls `watch` with the system after each step.
fn spin(body: Rigid, state: BodyState, scheme: &Jean, dt: f64, steps: usize, mut watch: impl FnMut(&System)) -> Ledger {
    let mut system = System::new(vec![body.into()], vec![state]);
    let mut ledger = Ledger::open(&system);
    for _ in 0..steps {
        Newton::default().step(scheme, &mut system, &mut NoReactions, dt).unwrap();
        let mut next = vec![system.states[0].clone()];
        next[0].u.copy_from_slice(system.trial(0));
        system.end_velocity(scheme, 0, dt, &mut next[0].v);
        ledger.book(scheme, &system, &next, dt, ContactWork::default());
        system.states = next;
        system.time += dt;
        watch(&system);
    }
    ledger
}

/// Spin in the body's own axes.
fn own_spin(system: &System) -> Vector3<f64> {
    let (body, state) = (system.bodies[0].rigid().unwrap(), &system.states[0]);
    body.rotation(&state.u).tr_mul(&body.parts(&state.v).1)
}

#[test]
fn symmetric_top_precesses_at_the_rate_of_the_closed_form() {
    source(
        "free symmetric top: the axis of figure turns about the angular momentum L at the rate |L|/I1 (closed form)",
    );
    let (i1, i3) = (0.8, 1.3);
    let start = Vector3::new(1.1, 0.0, 3.0);
    let l = Vector3::new(i1 * start.x, 0.0, i3 * start.z);
    let end = 6.0;
    let axis = nalgebra::Rotation3::from_scaled_axis(l / i1 * end) * Vector3::z();
    let errors = [100, 200, 400].map(|steps| {
        let body = top([i1, i1, i3]);
        let state = body.initial_state(Vector3::new(1.0, 2.0, -0.5), start);
        let mut figure = Vector3::zeros();
        spin(body, state, &MIDPOINT, end / steps as f64, steps, |system| {
            figure = system.bodies[0].rigid().unwrap().rotation(&system.states[0].u).column(2).into();
        });
        (figure - axis).norm()
    });
    for pair in errors.windows(2) {
        close("order in time", (pair[0] / pair[1]).log2(), 2.0, 0.05);
    }
    at_most("direction of the axis of figure after 4.2 precessions, 400 steps", errors[2], 1e-2);
}

#[test]
fn asymmetric_top_follows_jacobis_functions() {
    source("free asymmetric top: Jacobi's elliptic functions (Landau, Lifshitz: Mechanics, §37)");
    let exact = Top { inertia: [0.7, 1.1, 1.6], spin: [1.2, 1.9] };
    let end = exact.period();
    let errors = [100, 200, 400].map(|steps| {
        let body = top(exact.inertia);
        let state = body.initial_state(Vector3::zeros(), Vector3::new(1.2, 0.0, 1.9));
        let mut worst = 0.0f64;
        spin(body, state, &MIDPOINT, end / steps as f64, steps, |system| {
            worst = worst.max((own_spin(system) - Vector3::from(exact.spin(system.time))).amax());
        });
        worst
    });
    for pair in errors.windows(2) {
        close("order in time", (pair[0] / pair[1]).log2(), 2.0, 0.05);
    }
    at_most("spin over a period, 400 steps, largest error / spin", errors[2] / 1.9, 1e-3);
}

#[test]
fn tumbling_about_the_middle_axis_keeps_energy_and_momentum() {
    source(
        "free top about its axis of middle inertia: energy and angular momentum in space are constant; period by Jacobi's functions",
    );
    // nearly on the separatrix: the spin stays about the middle axis and turns over once every half period
    let exact = Top { inertia: [1.0, 2.0, 3.0], spin: [1.7321 * 0.999_9, 1.0] };
    let period = exact.period();
    let body = top(exact.inertia);
    let state = body.initial_state(Vector3::new(3.0, -1.0, 0.5), Vector3::new(exact.spin[0], 0.0, exact.spin[1]));
    let l0 = body.momentum(&state.u, &state.v).1;
    let (mut drift, mut flips, mut before) = (0.0f64, Vec::new(), 0.0);
    let dt = period / 2000.0;
    let ledger = spin(body, state, &MIDPOINT, dt, 40_000, |system| {
        let (body, state) = (system.bodies[0].rigid().unwrap(), &system.states[0]);
        drift = drift.max((body.momentum(&state.u, &state.v).1 - l0).amax());
        let w = own_spin(system).y;
        if before * w < 0.0 {
            flips.push(system.time - dt * w / (w - before));
        }
        before = w;
    });
    at_most("angular momentum over 20 periods, 40 000 steps, change / |L|", drift / l0.norm(), 1e-12);
    let kept = (ledger.now.total() / ledger.initial() - 1.0).abs();
    at_most("energy over 20 periods, 40 000 steps, change / energy", kept, 1e-10);
    at_most("ledger error / energy", ledger.now.error.abs() / ledger.initial(), 1e-10);
    assert_eq!(flips.len(), 40, "turns over twice a period: {flips:?}");
    close(
        "mean time between two turns over / half the period",
        (flips[20] - flips[0]) / 20.0 / (0.5 * period),
        1.0,
        2e-3,
    );
}

#[test]
fn dissipative_members_lose_what_the_ledger_says() {
    source("energy identity of the step: ΔT = ϑ·m − (θ−½) ΔΩᵀJΔΩ");
    for theta in [0.5, 0.6, 1.0] {
        let scheme = Jean { theta, xi: theta, force: Force::Trapezoidal };
        let body = top([0.7, 1.1, 1.6]);
        let state = body.initial_state(Vector3::new(0.4, 0.0, 0.0), Vector3::new(2.0, -1.0, 3.0));
        let l0 = body.momentum(&state.u, &state.v).1;
        let mut l1 = l0;
        let ledger = spin(body, state, &scheme, 0.02, 500, |system| {
            l1 = system.bodies[0].rigid().unwrap().momentum(&system.states[0].u, &system.states[0].v).1;
        });
        at_most(format!("theta = {theta}: angular momentum, change / |L|"), (l1 - l0).norm() / l0.norm(), 1e-12);
        at_most(format!("theta = {theta}: ledger error / energy"), ledger.now.error.abs() / ledger.initial(), 1e-10);
        let lost = ledger.now.numerical / ledger.initial();
        assert!(if theta == 0.5 { lost.abs() < 1e-10 } else { lost > 1e-4 }, "theta = {theta}: lost {lost}");
    }
}

#[test]
fn wheel_in_the_plane_gathers_speed_under_force_and_torque() {
    source("constant force and torque: v = F t/m, ω = ω0 + M t/J, u = F t²/2m (closed form, exact for θ = ½)");
    let spec = RigidSpec {
        name: "wheel".into(),
        dim: 2,
        mass: 4.0,
        centre: Vector3::new(1.0, 2.0, 0.0),
        inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 0.5)),
        free: vec![true, false, true],
        size: 0.7,
    };
    let mut body = Rigid::new(spec).unwrap();
    body.loads.dead.push(DeadLoad { time: TimeFunction::Constant(1.0), forces: vec![(0, 3.0), (1, 5.0), (2, 0.25)] });
    let state = body.initial_state(Vector3::new(0.0, 9.0, 0.0), Vector3::new(0.0, 0.0, 2.0));
    let mut end = BodyState::default();
    let ledger = spin(body, state, &MIDPOINT, 0.01, 200, |system| end = system.states[0].clone());
    close("speed along x (m/s)", end.v[0], 3.0 / 4.0 * 2.0, 1e-12);
    close("way along x (m)", end.u[0], 0.5 * 3.0 / 4.0 * 4.0, 1e-12);
    close("held along y (m)", end.u[1].abs() + end.v[1].abs(), 0.0, 0.0);
    close("spin (rad/s)", end.v[2], 3.0, 1e-12);
    // the angle of a step is 2 atan(ϑ/2): an error of (ωΔt)²/12 of it
    close("angle (rad)", end.u[3], 5.0, 5.0 * 9e-4 / 12.0);
    at_most("ledger error / energy", ledger.now.error.abs() / ledger.now.total(), 1e-12);
    close("work of the loads (J)", ledger.now.external_work, ledger.now.total() - 0.5 * 0.5 * 4.0, 1e-11);
}
