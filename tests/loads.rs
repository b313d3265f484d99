//! Loads, supports and damping against closed forms, each with every mean of the force and with and without numerical damping.
//! In all of them the ledger closes to 1e-10 of the largest energy that occurs.

mod runs;

use impakt::reference::timoshenko::Beam;
use impakt::simulation::Summary;
use runs::{at_most, case_from, column, last, near, run, size};

/// θ = ξ and the mean of the internal force.
const SCHEMES: [(f64, &str); 7] = [
    (0.5, "trapezoidal"),
    (0.5, "midpoint"),
    (0.5, "discrete_gradient"),
    (0.6, "trapezoidal"),
    (0.6, "midpoint"),
    (1.0, "trapezoidal"),
    (1.0, "midpoint"),
];

fn scheme(theta: f64, force: &str) -> String {
    format!("scheme: {{ jean: {{ theta: {theta}, xi: {theta}, force: {force} }} }}")
}

/// Runs a case whose text has `SCHEME` in `time`, with every scheme, and checks the ledger of each.
fn with_schemes(name: &str, text: &str, mut check: impl FnMut(f64, &str, &Summary)) {
    for (theta, force) in SCHEMES {
        let case = case_from(&text.replace("SCHEME", &scheme(theta, force)), name, &[]);
        let summary = run(&case);
        closes(&format!("{name}, theta {theta}, {force}"), &summary);
        check(theta, force, &summary);
    }
}

/// The ledger is an identity: 1e-10 of the largest energy, work or loss leaves room for rounding only.
fn closes(name: &str, summary: &Summary) {
    let columns = ["total_energy", "external_work", "damping_dissipation", "numerical_dissipation"];
    let largest = columns.iter().map(|c| size(&column(summary, c))).fold(0.0, f64::max);
    at_most(&format!("{name}: ledger error"), summary.largest_error, 1e-10 * largest);
}

/// A square that falls apart into nothing: four nodes, so every force that is shared equally moves it without deformation.
fn square(time: &str, body: &str, boundary: &str) -> String {
    format!(
        "geometry: plane_strain
time: {{ {time} }}
materials: {{ m: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e8, poisson: 0.2 }} }} }} }}
bodies: {{ b: {{ mesh: {{ rectangle: {{ min: [0.0, 0.0], max: [0.1, 0.1], divisions: [1, 1] }} }}, material: m, {body} }} }}
boundary:
{boundary}
output: {{ probes: {{ corner: {{ body: b, at: [0.1, 0.1] }} }} }}
"
    )
}

/// u = a t²/2: the scheme with θ = ½ is exact for a constant force, and the centre of mass obeys it also where the force acts
/// on one side only and the body swings.
#[test]
fn constant_forces_give_parabolas() {
    runs::claims::source("Newton: u = v0 t + a t^2/2");
    let entries = [
        ("body_force per mass", "  - { body_force: { on: b, per_mass: [3.0, -4.0] } }"),
        ("body_force per volume", "  - { body_force: { on: b, per_volume: [3000.0, -4000.0] } }"),
        ("gravity", "  - { gravity: { value: [1.5, -2.0], time: 2.0 } }"),
        ("gravity in time", "  - { gravity: { value: [3.0, -4.0], time: { expression: \"1 + 0*t\" } } }"),
        ("total force", "  - { force: { on: b.right, total: [30.0, -40.0] } }"),
        ("force on each", "  - { force: { on: b.all, each: [7.5, -10.0] } }"),
        ("traction", "  - { traction: { on: b.top, value: [300.0, -400.0] } }"),
    ];
    for (name, entry) in entries {
        let text = square("end: 0.02, step: 1.0e-3, SCHEME", "velocity: [1.0, 0.0]", entry);
        with_schemes(name, &text, |theta, _, summary| {
            let times = column(summary, "time");
            for (axis, v0, a) in [(0, 1.0, 3.0), (1, 0.0, -4.0)] {
                let path = column(summary, &format!("bodies/b/centre_of_mass/{axis}"));
                for (t, x) in times.iter().zip(&path) {
                    // the mean of the end velocities with weight θ: the sum of k Δt² (k − 1 + θ) in place of k²Δt²/2
                    let exact = 0.05 + v0 * t + 0.5 * a * t * (t + (2.0 * theta - 1.0) * 1e-3);
                    near(&format!("{name} theta {theta}, t = {t}"), *x, exact, 1e-13);
                }
            }
        });
    }
}

/// Mass on a spring driven by a sine from rest: x = F/(k − mω²) (sin ωt − ω/ω₀ sin ω₀t), ω₀ = √(k/m).
#[test]
fn driven_oscillator_converges_with_second_order() {
    runs::claims::source("driven oscillator from rest, closed form");
    let (mass, k, force, frequency) = (10.0, 4000.0, 5.0, 2.0);
    let (w0, w) = (f64::sqrt(k / mass), std::f64::consts::TAU * frequency);
    let exact = |t: f64| force / (k - mass * w * w) * ((w * t).sin() - w / w0 * (w0 * t).sin());
    let entries = "  - { spring: { on: b.all, stiffness: [4000.0, 0.0], per: total } }
  - { force: { on: b.all, total: [5.0, 0.0], time: { sine: { amplitude: 1.0, frequency: 2.0 } } } }";
    let error = |steps: f64, theta: f64| {
        let time = format!("end: 1.0, step: {}, {}", 1.0 / steps, scheme(theta, "trapezoidal"));
        let summary = run(&case_from(&square(&time, "", entries), "driven.yaml", &[]));
        closes("driven oscillator", &summary);
        let (t, x) = (column(&summary, "time"), column(&summary, "probes/corner/displacement/0"));
        t.iter().zip(&x).map(|(t, x)| (x - exact(*t)).abs()).fold(0.0, f64::max)
    };
    let amplitude = (force / (k - mass * w * w)).abs() * (1.0 + w / w0);
    // with θ = 1 the step must be short against the decay time it causes itself before the order shows
    for (theta, order, steps) in [(0.5, 2.0, 400.0), (1.0, 1.0, 6400.0)] {
        let (coarse, fine) = (error(steps, theta), error(2.0 * steps, theta));
        near(&format!("order with theta {theta}"), (coarse / fine).log2(), order, 0.15);
        if theta == 0.5 {
            at_most("error at 400 steps", coarse, 2e-3 * amplitude);
        }
    }
    let text = square("end: 0.5, step: 5.0e-3, SCHEME", "", entries);
    with_schemes("driven", &text, |_, _, _| {});
    // springs by area and by node are the same here: the side has 0.1 m², two nodes
    for entry in ["stiffness: 1.0e4, per: area", "stiffness: 500.0, per: node", "stiffness: 1000.0, per: total"] {
        let boundary =
            format!("  - {{ spring: {{ on: b.left, {entry} }} }}\n  - {{ fixed: {{ on: b.all, axes: [y] }} }}");
        let text = square("end: 0.1, step: 1.0e-2", "velocity: [1.0, 0.0]", &boundary);
        let summary = run(&case_from(&text, "bedding.yaml", &[]));
        let x = column(&summary, "probes/corner/displacement/0");
        let energy = column(&summary, "spring_energy");
        let base = run(&case_from(&text.replace(entry, "stiffness: 500.0"), "bedding.yaml", &[]));
        near(entry, last(&x), last(&column(&base, "probes/corner/displacement/0")), 1e-14);
        assert!(last(&energy) > 0.1, "{entry}: {energy:?}");
    }
}

/// A dashpot slows a mass down: v = v₀ exp(−ct/m), and what is lost is in `damping_dissipation`.
#[test]
fn dashpot_decay() {
    runs::claims::source("v = v0 exp(-c t/m)");
    let entry = "  - { dashpot: { on: b.all, coefficient: 50.0, per: total } }";
    let exact = |t: f64| 2.0 * f64::exp(-5.0 * t);
    let error = |steps: f64| {
        let time = format!("end: 0.4, step: {}", 0.4 / steps);
        let summary = run(&case_from(&square(&time, "velocity: [2.0, 0.0]", entry), "dashpot.yaml", &[]));
        let lost = last(&column(&summary, "damping_dissipation"));
        near("loss", lost, 20.0 * (1.0 - f64::exp(-4.0)), 0.5 / (steps * steps) * 20.0);
        let (t, v) = (column(&summary, "time"), column(&summary, "bodies/b/velocity/0"));
        t.iter().zip(&v).map(|(t, v)| (v - exact(*t)).abs()).fold(0.0, f64::max)
    };
    near("order", (error(40.0) / error(80.0)).log2(), 2.0, 0.05);
    let text = square("end: 0.4, step: 1.0e-2, SCHEME", "velocity: [2.0, 0.0]", entry);
    with_schemes("dashpot", &text, |_, _, summary| {
        let lost = column(summary, "damping_dissipation");
        assert!(lost.windows(2).all(|w| w[1] >= w[0]), "damping never gives energy back");
    });
}

/// One element between a wall and two rollers is an oscillator with the mass ρAL/3 and the stiffness EA/L (ν = 0). Rayleigh
/// damping gives it the ratio ζ = α/(2ω) + βω/2: x = v₀/ω_d exp(−ζωt) sin ω_d t.
#[test]
fn rayleigh_damping_of_an_oscillator() {
    runs::claims::source("zeta = alpha/(2 omega) + beta omega/2, damped oscillator");
    let w = f64::sqrt(3.0 * 1e6 / (1000.0 * 0.01));
    for (alpha, beta) in [(60.0, 0.0), (0.0, 2.0e-4), (40.0, 1.0e-4)] {
        let zeta = alpha / (2.0 * w) + beta * w / 2.0;
        let wd = w * f64::sqrt(1.0 - zeta * zeta);
        let text = format!(
            "geometry: plane_strain
time: {{ end: 0.03, step: STEP, SCHEME }}
materials:
  m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e6, poisson: 0.0 }} }}, damping: {{ mass: {alpha}, stiffness: {beta} }} }}
bodies:
  b:
    mesh: {{ rectangle: {{ min: [0.0, 0.0], max: [0.1, 0.1], divisions: [1, 1] }} }}
    material: m
    velocity: [1.0, 0.0]
boundary:
  - {{ fixed: {{ on: b.left }} }}
  - {{ fixed: {{ on: b.all, axes: [y] }} }}
output: {{ probes: {{ end: {{ body: b, at: [0.1, 0.0] }} }} }}
"
        );
        let error = |step: &str| {
            let text = text.replace("STEP", step).replace("SCHEME", &scheme(0.5, "trapezoidal"));
            let summary = run(&case_from(&text, "rayleigh.yaml", &[]));
            let (t, x) = (column(&summary, "time"), column(&summary, "probes/end/displacement/0"));
            let exact = |t: f64| f64::exp(-zeta * w * t) / wd * (wd * t).sin();
            t.iter().zip(&x).map(|(t, x)| (x - exact(*t)).abs()).fold(0.0, f64::max) * wd
        };
        let (coarse, fine) = (error("1.0e-4"), error("5.0e-5"));
        near(&format!("order, alpha {alpha}, beta {beta}"), (coarse / fine).log2(), 2.0, 0.1);
        at_most("relative error at 1e-4 s", coarse, 0.01);
        with_schemes("rayleigh", &text.replace("STEP", "1.0e-4"), |_, _, summary| {
            let lost = column(summary, "damping_dissipation");
            assert!(lost.windows(2).all(|w| w[1] >= w[0]), "damping never gives energy back");
        });
    }
    // a body's own damping replaces its material's
    let body = "velocity: [2.0, 0.0], damping: { mass: 5.0 }";
    let text = square("end: 0.4, step: 1.0e-3", body, "  - { gravity: [0.0, 0.0] }");
    let summary = run(&case_from(&text, "mass_damping.yaml", &[]));
    near("v0 exp(-alpha t)", last(&column(&summary, "bodies/b/velocity/0")), 2.0 * f64::exp(-2.0), 1e-5);
}

const BAR: &str = "geometry: plane_strain
time: { end: 0.2, step: 5.0e-4, SCHEME }
materials: { m: { density: 1.0, law: { linear: { young: 900.0, poisson: 0.0 } } } }
bodies: { bar: { mesh: { rectangle: { min: [0.0, 0.0], max: [1.0, 0.1], divisions: [100, 1] } }, material: m } }
boundary:
  - { fixed: { on: bar.left } }
  - { fixed: { on: bar.all, axes: [y] } }
  - { traction: { on: bar.right, value: [9.0, 0.0] } }
output: { probes: { end: { body: bar, at: [1.0, 0.0] }, middle: { body: bar, at: [0.5, 0.0] } } }
";

/// A bar (c = 30 m/s, L = 1 m) pulled at its end by σ = 9 Pa: the end moves with σ/(ρc) to 2σL/E at 2L/c and back, and
/// stands at σL/E in the mean; the wall feels nothing before L/c and then 2σA until 3L/c.
#[test]
fn bar_under_end_traction() {
    runs::claims::source("one-dimensional wave equation, bar pulled at its end");
    with_schemes("bar", BAR, |theta, force, summary| {
        let (t, u) = (column(summary, "time"), column(summary, "probes/end/displacement/0"));
        let reaction = column(summary, "boundary/0/reaction/0");
        let peak = runs::argmax(&u[..200]);
        let (sharp, name) = (theta == 0.5, format!("theta {theta} {force}"));
        near(&format!("{name}: largest"), u[peak], 0.02, if sharp { 2e-4 } else { 2e-3 });
        near(&format!("{name}: when"), t[peak], 2.0 / 30.0, 2e-3);
        let mean = |list: &[f64], from: f64, to: f64| {
            let inside: Vec<f64> =
                t.iter().zip(list).filter(|(t, _)| **t > from && **t <= to).map(|(_, x)| *x).collect();
            inside.iter().sum::<f64>() / inside.len() as f64
        };
        near(&format!("{name}: mean"), mean(&u, 0.0, 4.0 / 30.0), 0.01, 1e-4);
        near(&format!("{name}: no wave yet"), mean(&reaction, 0.0, 0.9 / 30.0), 0.0, 0.03);
        near(&format!("{name}: twice the traction"), mean(&reaction, 1.2 / 30.0, 2.8 / 30.0), -1.8, 0.03);
    });
}

/// A moved end sends its motion down the bar: u(x, t) = g(t − x/c). The motion is given as a displacement and as its
/// velocity; the work that is put in is booked.
#[test]
fn moved_end_of_a_bar() {
    runs::claims::source("d'Alembert: u(x, t) = g(t - x/c)");
    let g =
        |t: f64| if (0.0..0.02).contains(&t) { 1e-3 * (1.0 - (std::f64::consts::PI * t / 0.01).cos()) } else { 0.0 };
    let motions = [
        "displacement: { on: bar.left, x: { expression: \"if(t < 0.02, 1e-3*(1 - cos(pi*t/0.01)), 0)\" } }",
        "velocity: { on: bar.left, x: { expression: \"if(t < 0.02, 1e-3*pi/0.01*sin(pi*t/0.01), 0)\" } }",
    ];
    for motion in motions {
        let text = BAR
            .replace("fixed: { on: bar.left }", motion)
            .replace("  - { traction: { on: bar.right, value: [9.0, 0.0] } }\n", "")
            .replace("divisions: [100, 1]", "divisions: [200, 1]")
            .replace("end: 0.2, step: 5.0e-4", "end: 0.03, step: 2.5e-4");
        with_schemes(motion, &text, |theta, force, summary| {
            let (t, u) = (column(summary, "time"), column(summary, "probes/middle/displacement/0"));
            let error = t.iter().zip(&u).map(|(t, u)| (u - g(t - 0.5 / 30.0)).abs()).fold(0.0, f64::max);
            let limit = if theta == 0.5 { 3e-5 } else { 4e-4 };
            at_most(&format!("theta {theta} {force}: wave in the middle"), error, limit);
            let work = column(summary, "external_work");
            // The power of a wave is ρcA g'², integrated over one period. Linear elements of length h take (kh)²/4 less, 7e-4
            // here (k = 2π/0.6 m).
            let exact = 30.0 * 0.1 * (1e-3 * std::f64::consts::PI / 0.01).powi(2) * 0.01;
            near("work", last(&work), exact, if theta == 0.5 { 2e-3 * exact } else { 5e-3 * exact });
        });
    }
}

/// Order in time with a moved support that starts with a jump of velocity at the neighbour (sin ωt from rest): second for
/// θ = ½, and the end's own velocity is the derivative, not an alternating one.
#[test]
fn moved_support_keeps_the_order() {
    runs::claims::source("order of the scheme; derivative of the prescribed motion");
    let run_at = |steps: u32, theta: f64| {
        let text = BAR
            .replace(
                "fixed: { on: bar.left }",
                "displacement: { on: bar.left, x: { sine: { amplitude: 1.0e-3, frequency: 20.0 } } }",
            )
            .replace("divisions: [100, 1]", "divisions: [8, 1]")
            .replace(
                "end: 0.2, step: 5.0e-4, SCHEME",
                &format!("end: 0.1, step: {:e}, {}", 0.1 / f64::from(steps), scheme(theta, "midpoint")),
            )
            .replace("middle: { body: bar, at: [0.5, 0.0] }", "start: { body: bar, at: [0.0, 0.0] }");
        let summary = run(&case_from(&text, "sine.yaml", &[]));
        closes("sine", &summary);
        let (t, v) = (column(&summary, "time"), column(&summary, "probes/start/velocity/0"));
        let w = std::f64::consts::TAU * 20.0;
        let worst = t.iter().zip(&v).map(|(t, v)| (v - 1e-3 * w * (w * t).cos()).abs()).fold(0.0, f64::max);
        at_most("velocity of the support", worst, 1e-13);
        let end = column(&summary, "probes/end/displacement/0");
        (0..=400).map(|k| end[k * steps as usize / 400]).collect::<Vec<f64>>()
    };
    for (theta, order, steps) in [(0.5, 2.0, 400), (1.0, 1.0, 6400)] {
        let values = [1, 2, 4].map(|k| run_at(k * steps, theta));
        let measured = (runs::distance(&values[0], &values[1]) / runs::distance(&values[1], &values[2])).log2();
        near(&format!("order with theta {theta}"), measured, order, 0.15);
    }
}

/// A cantilever (ν = 0, length ten times its height) under a tip traction. Brought to rest by damping: Timoshenko's beam
/// δ = PL³/(3EI) + PL/(κGA), κ = 5/6; four-node elements in bending are too stiff by (G/E)(h/H)², 0.35 % with h = L/120, hence 1 %.
/// Undamped: the first frequency of Timoshenko's beam, which the elements exceed by half of that.
#[test]
fn cantilever() {
    runs::claims::source("Timoshenko's beam: deflection and first frequency");
    let text = "geometry: plane_strain
time: { end: END, step: STEP, SCHEME }
materials: { m: { density: 1000.0, law: { linear: { young: 1.0e8, poisson: 0.0 } }, damping: { mass: ALPHA } } }
bodies: { beam: { mesh: { rectangle: { min: [0.0, 0.0], max: [1.0, 0.1], divisions: [120, 4] } }, material: m } }
boundary:
  - { fixed: { on: beam.left } }
  - { traction: { on: beam.right, value: [0.0, -1000.0] } }
output: { probes: { tip: { body: beam, at: [1.0, 0.05] } } }
";
    let inertia = 0.1f64.powi(3) / 12.0;
    let deflection = 100.0 / (3.0 * 1e8 * inertia) + 100.0 / (5.0 / 6.0 * 0.5e8 * 0.1);
    let beam = Beam { length: 1.0, area: 0.1, inertia, young: 1e8, shear: 0.5e8 * 5.0 / 6.0, density: 1000.0 };
    let slender = beam.slender_frequency(0);
    let period = std::f64::consts::TAU / slender;
    let damped = text
        .replace("END", &format!("{:e}", 5.0 * period))
        .replace("STEP", &format!("{:e}", period / 40.0))
        .replace("ALPHA", &format!("{:e}", 2.0 * slender))
        .replace("SCHEME", &scheme(1.0, "trapezoidal"));
    let summary = run(&case_from(&damped, "cantilever.yaml", &[]));
    closes("cantilever at rest", &summary);
    let tip = last(&column(&summary, "probes/tip/displacement/1"));
    near("tip deflection", tip, -deflection, 0.01 * deflection);
    near("support", last(&column(&summary, "boundary/0/reaction/1")), 100.0, 1e-3);

    let swing = text
        .replace("END", &format!("{:e}", 6.5 * period))
        .replace("STEP", &format!("{:e}", period / 100.0))
        .replace("ALPHA", "0.0")
        .replace("SCHEME", &scheme(0.5, "midpoint"));
    let summary = run(&case_from(&swing, "cantilever.yaml", &[]));
    closes("cantilever in motion", &summary);
    let (t, u) = (column(&summary, "time"), column(&summary, "probes/tip/displacement/1"));
    let crossings: Vec<f64> = (1..t.len())
        .filter(|&k| u[k - 1] > tip && u[k] <= tip)
        .map(|k| t[k - 1] + (t[k] - t[k - 1]) * (tip - u[k - 1]) / (u[k] - u[k - 1]))
        .collect();
    let swings = (crossings.len() - 1) as f64;
    let measured = std::f64::consts::TAU * swings / (crossings[crossings.len() - 1] - crossings[0]);
    let exact = beam.frequency_between(0.9 * slender, 1.1 * slender);
    at_most("shear and rotatory inertia make a beam slower", exact / slender, 0.995);
    near("first frequency", measured, exact, 4e-3 * exact);
}

/// A body turned as a whole has no stress: only the kinetic energy ½Iω² is put in, and the moment is that of the angular
/// acceleration. With angle and with angular velocity, in the plane and in space.
#[test]
fn turning_a_whole_body_leaves_it_stress_free() {
    runs::claims::source("rigid body: moment I alpha, energy I omega^2/2");
    let plane = "geometry: plane_strain
time: { end: 0.1, step: 1.0e-3, SCHEME }
materials: { m: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.0], max: [0.2, 0.1], divisions: [4, 2] } }, material: m } }
boundary: [{ rotation: { on: b.all, centre: [0.1, 0.05], TURN } }]
";
    let solid = "geometry: solid
time: { end: 0.1, step: 1.0e-3, SCHEME }
materials: { m: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { box: { min: [0.0, 0.0, -0.5], max: [0.2, 0.1, 0.5], divisions: [4, 2, 2] } }, material: m } }
boundary: [{ rotation: { on: b.all, centre: [0.1, 0.05, 0.0], axis: [0.0, 0.0, 2.0], TURN } }]
";
    // I = m (a² + b²)/12; consistent mass of bilinear elements gives the moment of inertia exactly
    let inertia = 20.0 * (0.04 + 0.01) / 12.0;
    let turns =
        ["angle: { expression: \"1000*t^2\" }", "angular_velocity: { ramp: { to: 3.490658503988659, rise: 0.1 } }"];
    for (text, component) in [(plane, ""), (solid, "/2")] {
        for turn in turns {
            let text = text.replace("TURN", turn);
            with_schemes(turn, &text, |theta, force, summary| {
                let name = format!("{turn} theta {theta} {force}");
                let strain = size(&column(summary, "strain_energy"));
                let rate = 2000.0f64.to_radians() * 0.1;
                let kinetic = 0.5 * inertia * rate * rate;
                at_most(&format!("{name}: strain energy"), strain, 1e-20 * 1e6);
                near(&format!("{name}: kinetic"), last(&column(summary, "kinetic_energy")), kinetic, 1e-10 * kinetic);
                let work = last(&column(summary, "external_work"));
                near(&format!("{name}: work"), work, kinetic, 0.02 * kinetic);
                let moment = column(summary, &format!("boundary/0/moment{component}"));
                near(&format!("{name}: moment"), moment[50], inertia * 2000f64.to_radians(), 2e-3 * inertia * 35.0);
            });
        }
    }
}

/// A block turned by one side: the other follows, stretched by the spin; the ledger closes through large rotations.
#[test]
fn turning_one_side_of_a_block() {
    runs::claims::source("energy ledger");
    let text = "geometry: plane_strain
time: { end: 0.2, step: 1.0e-3, SCHEME }
materials: { m: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.05, -0.05], max: [0.25, 0.05], divisions: [8, 4] } }, material: m } }
boundary: [{ rotation: { on: b.left, angular_velocity: { ramp: { to: 20.0, rise: 0.05 } } } }]
";
    with_schemes("hub", text, |_, _, summary| {
        let work = last(&column(summary, "external_work"));
        let kinetic = last(&column(summary, "kinetic_energy"));
        assert!(work > 0.9 * kinetic && kinetic > 10.0, "work {work}, kinetic {kinetic}");
    });
}

/// Before the start a body can be turned: the same motion, seen from a turned frame.
#[test]
fn a_turned_body_does_the_same_in_its_own_frame() {
    runs::claims::source("invariance under rotation");
    let text = "geometry: plane_strain
time: { end: 5.0e-3, step: 1.0e-4 }
materials: { m: { density: 1000.0, law: { saint_venant_kirchhoff: { young: 1.0e6, poisson: 0.3 } } } }
bodies:
  b:
    mesh: { rectangle: { min: [0.0, 0.0], max: [0.2, 0.1], divisions: [4, 2] } }
    material: m
    rotation: ANGLE
boundary:
  - { fixed: { on: b.left } }
  - { traction: { on: b.right, value: FORCE } }
";
    let straight = run(&case_from(&text.replace("ANGLE", "0.0").replace("FORCE", "[0.0, 5.0e4]"), "a.yaml", &[]));
    let turned = run(&case_from(&text.replace("ANGLE", "90").replace("FORCE", "[-5.0e4, 0.0]"), "b.yaml", &[]));
    let (a, b) = (column(&straight, "strain_energy"), column(&turned, "strain_energy"));
    assert_eq!(b[0], 0.0, "the turned body starts without stress");
    at_most("difference of strain energies", runs::distance(&a, &b), 1e-9 * size(&a));
    near("centre", column(&turned, "bodies/b/centre_of_mass/0")[0], 0.1, 1e-15);
}

/// A block pressed on a rough floor by its moved top: at rest the floor carries what the top pushes with, and the balance of
/// momentum holds in every step with the support's force in it.
#[test]
fn moved_support_against_contact() {
    runs::claims::source("balance of momentum with the force of the support");
    let text = "geometry: plane_strain
time: { end: 0.1, step: 5.0e-4, SCHEME }
materials:
  m: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } }, damping: { mass: 100.0, stiffness: 1.0e-4 } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.001], max: [0.1, 0.051], divisions: [6, 3] } }, material: m } }
obstacles: { floor: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } } } }
boundary:
  - { displacement: { on: b.top, x: { ramp: { to: 2.0e-3, start: 0.03, end: 0.05 } }, y: { ramp: { to: -5.0e-3, rise: 0.03 } } } }
contacts: [{ between: [b.surface, floor], friction: 0.2 }]
";
    with_schemes("press", text, |theta, force, summary| {
        let name = format!("theta {theta} {force}");
        let (t, dt) = (column(summary, "time"), column(summary, "step_size"));
        for axis in 0..2 {
            let momentum = column(summary, &format!("momentum/{axis}"));
            let reaction = column(summary, &format!("boundary/0/reaction/{axis}"));
            let contact = column(summary, &format!("contact_force/{axis}"));
            let largest = size(&contact);
            // mass damping is a force on the body too: C v summed over the nodes is 100/s times the momentum
            for k in 1..t.len() {
                let damping = 100.0 * ((1.0 - theta) * momentum[k - 1] + theta * momentum[k]);
                let error = (momentum[k] - momentum[k - 1]) / dt[k] - reaction[k] - contact[k] + damping;
                at_most(&format!("{name}: balance in step {k}"), error.abs(), 1e-8 * largest);
            }
            // at position level with θ = ½ reactions alternate from step to step: what is at rest is their mean
            let mean = |list: &[f64]| list[t.len() - 50..].iter().sum::<f64>() / 50.0;
            near(&format!("{name}: at rest"), mean(&reaction), -mean(&contact), 2e-3 * largest);
        }
        let friction = last(&column(summary, "friction_dissipation"));
        assert!(friction > 0.0, "{name}: the block slides, friction {friction}");
        assert!(last(&column(summary, "contact_force/1")) > 1000.0, "{name}: the floor carries the block");
    });
}

/// A spinning block pushed by a pressure on one side that turns with it: through the centre of mass, so the spin ω stays and
/// v = p A/(m ω) (sin ωt, 1 − cos ωt).
#[test]
fn pressure_turns_with_a_spinning_block() {
    runs::claims::source("v = p A/(m omega) (sin omega t, 1 - cos omega t)");
    let text = "geometry: plane_strain
time: { end: 0.5, step: STEP, SCHEME }
materials: { m: { density: 1000.0, law: { saint_venant_kirchhoff: { young: 1.0e7, poisson: 0.3 } } } }
bodies:
  b:
    mesh: { rectangle: { min: [0.0, 0.0], max: [0.1, 0.1], divisions: [2, 2] } }
    material: m
    angular_velocity: 5.0
boundary: [{ pressure: { on: b.left, value: 500.0 } }]
output: { every: 0.1 }
";
    let solid = text
        .replace("plane_strain", "solid")
        .replace(
            "rectangle: { min: [0.0, 0.0], max: [0.1, 0.1], divisions: [2, 2]",
            "box: { min: [0, 0, 0], max: [0.1, 0.1, 1.0], divisions: [2, 2, 2]",
        )
        .replace("angular_velocity: 5.0", "angular_velocity: [0, 0, 5.0]")
        .replace("b.left", "b.x_min");
    let (thrust, spin, t) = (500.0 * 0.1 / 10.0, 5.0, 0.5f64);
    let exact = [thrust / spin * (spin * t).sin(), thrust / spin * (1.0 - (spin * t).cos())];
    for (name, text) in [("plane", text), ("solid", solid.as_str())] {
        let fine = text.replace("STEP", "1.0e-3").replace("SCHEME", &scheme(0.5, "discrete_gradient"));
        let summary = run(&case_from(&fine, "thrust.yaml", &[]));
        for axis in 0..2 {
            // the elastic block swings a little under the thrust: 3e-4 of the velocity reached
            let v = last(&column(&summary, &format!("bodies/b/velocity/{axis}")));
            near(&format!("{name}: velocity {axis}"), v, exact[axis], 3e-4 * thrust / spin);
        }
        with_schemes(name, &text.replace("STEP", "2.5e-3"), |_, _, _| {});
    }
}
