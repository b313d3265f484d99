//! The gallery of FengEtAl2006 where the paper gives pictures without data (THEORY 6.3): what happens, in its order, and what must
//! hold in every one of these cases: nothing enters anything at position level, the ledger closes, friction only takes.

mod runs;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{argmax, at_least, at_most, column, last, max, min, near, row_at, run_file, size};

/// What holds in every case. Energies are measured by the largest one of the run, or what was put in.
fn sound(summary: &Summary, deepest: Option<f64>) {
    let energy = size(&column(summary, "total_energy")).max(size(&column(summary, "external_work")));
    at_most("ledger error / largest energy", summary.largest_error / energy, 1e-10);
    let lost = column(summary, "friction_dissipation");
    let given = -lost.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::min);
    // of points that stick as well as the contact solver knows them, to 1e-10 of their forces
    at_most("energy that friction gives in a step / largest energy", given / energy, 1e-12);
    if let Some(limit) = deepest {
        at_most("penetration (m)", summary.largest_penetration, limit);
    }
}

const SIGNORINI: Option<f64> = Some(1e-9);

/// The first time at which something holds.
#[track_caller]
fn first(summary: &Summary, what: &str, holds: impl Fn(usize) -> bool) -> f64 {
    let times = column(summary, "time");
    times[(0..times.len()).find(|&k| holds(k)).unwrap_or_else(|| panic!("{what}: never happens"))]
}

/// Events with their times, in order.
#[track_caller]
fn in_order(events: &[(&str, f64)]) {
    events.iter().for_each(|(what, time)| println!("{time:.4e} s: {what}"));
    for pair in events.windows(2) {
        at_least(&format!("{} before {} (s)", pair[0].0, pair[1].0), pair[1].1 - pair[0].1, 0.0);
    }
}

fn drift(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| f64::max(m, (x - values[0]).abs()))
}

/// Figures 8 to 10: crush, ends lift while the middle rests on the ground, rebound, the block leaves the ground.
#[test]
fn the_cylinder_crushes_the_rubber_block_and_both_leave() {
    source("FengEtAl2006, figures 8 to 10: order of events");
    let summary = run_file("cases/pairs/cylinder_on_rubber.yaml", &[]);
    sound(&summary, SIGNORINI);
    let times = column(&summary, "time");
    let (end, middle) = (column(&summary, "probes/end/position/1"), column(&summary, "probes/middle/position/1"));
    let pressed = column(&summary, "contacts/1/normal_force");
    let up = column(&summary, "bodies/cylinder/velocity/1");
    let touches = first(&summary, "the cylinder touches", |k| pressed[k] > 0.0);
    let ground = column(&summary, "contacts/0/normal_force");
    let lifted = first(&summary, "an end lifts while the middle rests", |k| {
        end[k] > 1e-6 && middle[k] < 1e-9 && ground[k] > 0.0
    });
    let rebound = first(&summary, "the cylinder rises", |k| up[k] > 0.0);
    let crushed = times[argmax(&pressed)];
    let off = first(&summary, "the block leaves", |k| times[k] > rebound && end[k] > 1e-6 && middle[k] > 1e-6);
    in_order(&[("touch", touches), ("crush", crushed), ("ends lift", lifted), ("block leaves", off)]);
    in_order(&[("crush", crushed), ("cylinder rebounds", rebound), ("block leaves", off)]);
    at_least("the cylinder leaves upwards (m/s)", last(&up), 1.0);
    at_least("the block leaves upwards (m/s)", last(&column(&summary, "bodies/block/velocity/1")), 0.5);
    near("and nothing holds it (N)", last(&ground) + last(&pressed), 0.0, 0.0);
}

/// Figures 11 and 12: the wall moves without turning back, comes to rest, and the cylinders carry its force.
#[test]
fn the_wall_presses_sixteen_cylinders_together_and_comes_to_rest() {
    source("FengEtAl2006, figures 11 and 12: order of events; equilibrium of the wall");
    let summary = run_file("cases/pairs/cylinders_in_a_box.yaml", &[]);
    sound(&summary, SIGNORINI);
    let (force, speed) = (column(&summary, "bodies/wall/contact_force/0"), column(&summary, "bodies/wall/velocity/0"));
    let place = column(&summary, "bodies/wall/centre_of_mass/0");
    let back = place.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
    at_most("the wall never turns back (m)", back, 1e-9);
    let squeezed = (place[0] - last(&place)) / 0.09;
    at_least("and goes a good part of the box", squeezed, 0.1);
    at_most("but not through it", squeezed, 0.3);
    let touches = first(&summary, "the wall touches", |k| force[k] > 0.0);
    let fastest = column(&summary, "time")[argmax(&speed.iter().map(|v| -v).collect::<Vec<_>>())];
    let loaded = first(&summary, "the wall carries its force", |k| (force[k] - 3e4).abs() < 300.0);
    let rest = 1e-3 * size(&speed);
    let halts = first(&summary, "the wall halts", |k| k > 10 && speed[k].abs() < rest);
    in_order(&[("touch", touches), ("fastest", fastest), ("carries the force", loaded), ("halt", halts)]);
    near("reaction of the wall at rest (N)", last(&force), 3e4, 300.0);
    at_most("speed of the wall at rest (m/s)", last(&speed).abs(), 1e-3);
    // what the fixed walls carry: all contact forces on cylinders and wall, less those between them, which cancel
    near("reactions of the fixed walls along x (N)", last(&column(&summary, "contact_force/0")), 3e4, 300.0);
    // momentum changes by the impulse of force and fixed walls
    let (times, momentum) = (column(&summary, "time"), column(&summary, "momentum/0"));
    let walls = column(&summary, "contact_force/0");
    let ramp = |t: f64| -3e4 * (t / 0.01).min(1.0);
    let mut impulse = 0.0;
    let mut missing = 0.0f64;
    for k in 1..times.len() {
        let dt = times[k] - times[k - 1];
        // the scheme weighs the end of a step by theta
        let pushed = 0.4 * ramp(times[k - 1]) + 0.6 * ramp(times[k]);
        impulse += dt * (walls[k] + pushed);
        missing = missing.max((momentum[k] - impulse).abs());
    }
    at_most("momentum less impulse / largest momentum", missing / size(&momentum), 1e-9);
}

#[test]
fn rings_keep_momentum_angular_momentum_and_energy() {
    source("conservation laws; discrete gradient and rate level");
    let summary = run_file("cases/pairs/two_rings.yaml", &[]);
    sound(&summary, None);
    at_most("momentum along x", drift(&column(&summary, "momentum/0")) / 57.59, 1e-9);
    at_most("momentum along y", drift(&column(&summary, "momentum/1")) / 57.59, 1e-9);
    at_most("angular momentum", drift(&column(&summary, "angular_momentum")) / 2.879, 1e-9);
    at_most("energy", drift(&column(&summary, "total_energy")) / 143.97, 1e-8);
    // they did meet: the second ring was at rest
    at_least("velocity of the second ring", last(&column(&summary, "bodies/right/velocity/0")), 1.0);
}

#[test]
fn rings_with_friction_spin_and_lose_what_friction_takes() {
    source("conservation laws; discrete gradient and rate level");
    let summary = run_file("cases/pairs/two_rings_friction.yaml", &[]);
    sound(&summary, None);
    at_most("angular momentum with friction", drift(&column(&summary, "angular_momentum")) / 2.879, 1e-9);
    let (energy, lost) = (column(&summary, "total_energy"), column(&summary, "friction_dissipation"));
    let sum: Vec<f64> = energy.iter().zip(&lost).map(|(e, d)| e + d).collect();
    at_most("energy and friction work", drift(&sum) / 143.97, 1e-8);
    at_least("friction takes energy", last(&lost), 1.0);
    at_most("friction never gives energy", -lost.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::min), 1e-9);
    // the mark of a ring turns about its centre
    let turned = |summary: &impakt::simulation::Summary| {
        let (body, state) = (summary.simulation.system.with_nodes(1), &summary.simulation.system.states[1]);
        let centre = body.centre_of_mass(&state.u);
        let mut spin = 0.0;
        for node in 0..body.mesh.node_count() {
            let x = body.position(&state.u, node) - centre;
            spin += x[0] * state.v[2 * node + 1] - x[1] * state.v[2 * node];
        }
        spin
    };
    let smooth = run_file("cases/pairs/two_rings.yaml", &[]);
    at_least("friction turns the second ring", turned(&summary).abs(), 2.0 * turned(&smooth).abs());
}

/// Figure 13, with friction enough to roll: the rings meet, slide over each other and roll, and part; nothing enters.
#[test]
fn rings_meet_slide_roll_and_part() {
    source("FengEtAl2006, figure 13: order of events; conservation laws; midpoint forces at position level");
    let sets = [
        "contacts.0={ between: [left.outer, right.outer], friction: 0.5, passes: two }",
        "time.scheme={ jean: { theta: 0.5, xi: 0.5, force: midpoint } }",
        "time.newton={ residual: 1.0e-12, increment: 1.0e-13 }",
    ];
    let summary = run_file("cases/pairs/two_rings_friction.yaml", &sets);
    sound(&summary, SIGNORINI);
    at_most("momentum along x", drift(&column(&summary, "momentum/0")) / 57.59, 1e-9);
    at_most("angular momentum", drift(&column(&summary, "angular_momentum")) / 2.879, 1e-8);
    let (stick, slip) = (column(&summary, "contacts_stick"), column(&summary, "contacts_slip"));
    let meet = first(&summary, "the rings meet", |k| stick[k] + slip[k] > 0.0);
    let slide = first(&summary, "they slide", |k| slip[k] > 0.0 && stick[k] == 0.0);
    let times = column(&summary, "time");
    let roll = first(&summary, "they roll", |k| times[k] > slide && stick[k] > 0.0 && slip[k] == 0.0);
    let touching = (0..times.len()).rev().find(|&k| stick[k] + slip[k] > 0.0).expect("contact");
    in_order(&[("meet", meet), ("slide", slide), ("roll", roll), ("part", times[touching])]);
    at_least("they fly apart for a while (s)", last(&times) - times[touching], 0.01);
}

/// Angular momentum of a body about its centre of mass, per unit mass of a node, along y.
fn spin_about_y(summary: &Summary, body: usize) -> f64 {
    let (body, state) = (summary.simulation.system.with_nodes(body), &summary.simulation.system.states[body]);
    let centre = body.centre_of_mass(&state.u);
    let of = |n: usize| {
        let x = body.position(&state.u, n) - centre;
        x[2] * state.v[3 * n] - x[0] * state.v[3 * n + 2]
    };
    (0..body.mesh.node_count()).map(of).sum()
}

/// Figure 14: the block strikes the base with all of its lower side, slides, then stands on its front edge alone and leaves
/// turning forward, the faster the rougher.
#[test]
fn the_block_slides_and_leaves_turning() {
    source("FengEtAl2006, figure 14: order of events; impulse of the base");
    let run = |friction: &str| {
        let summary = run_file("cases/pairs/sliding_block.yaml", &[&format!("contacts.0.friction={friction}")]);
        sound(&summary, SIGNORINI);
        let (stick, slip) = (column(&summary, "contacts_stick"), column(&summary, "contacts_slip"));
        let flat = first(&summary, "the lower side slides", |k| slip[k] == 16.0);
        let times = column(&summary, "time");
        let edge = first(&summary, "less than the whole side touches", |k| {
            times[k] > flat && slip[k] > 0.0 && slip[k] + stick[k] < 16.0
        });
        let off = first(&summary, "the block leaves", |k| times[k] > edge && stick[k] + slip[k] == 0.0);
        in_order(&[("slides on its side", flat), ("front edge", edge), ("off", off)]);
        // what all bodies gain is the impulse of the support
        for axis in [0, 2] {
            let momentum = column(&summary, &format!("momentum/{axis}"));
            let reaction = column(&summary, &format!("boundary/0/reaction/{axis}"));
            let impulse: f64 = (1..times.len()).map(|k| (times[k] - times[k - 1]) * reaction[k]).sum();
            let gained = last(&momentum) - momentum[0];
            at_most("momentum less impulse of the base / start", (gained - impulse).abs() / 540.0, 1e-9);
        }
        spin_about_y(&summary, 1)
    };
    let (smooth, rough) = (run("0.3"), run("0.6"));
    println!("spin about y: {smooth:.3e}, {rough:.3e}");
    at_least("the block tips forward", smooth, 0.0);
    at_least("more friction tips it faster", rough / smooth, 1.2);
}

/// The same with a tall block under gravity: it slides, trips and falls on its front side.
#[test]
fn the_tall_block_slides_trips_and_falls_over() {
    source(
        "rigid block on its front edge: J α = N (μ h − b)/2, N = m (g + α b/2), so N = m g/(1 − m b (μ h − b)/(4 J)); a = μ N/m",
    );
    let summary = run_file("cases/pairs/block_tips_over.yaml", &[]);
    sound(&summary, SIGNORINI);
    let (b, h, mu, g) = (0.2, 0.6, 0.6, 9.81);
    let j = (b * b + h * h) / 12.0;
    let slowed = mu * g / (1.0 - b * (mu * h - b) / (4.0 * j));
    let at = row_at(&summary, 0.02);
    let speed = column(&summary, "bodies/tall/velocity/0");
    near("speed lost in the first 20 ms (m/s)", 2.0 - speed[at], 0.02 * slowed, 0.03 * 0.02 * slowed);
    let place = |probe: &str, axis: usize| column(&summary, &format!("probes/{probe}/position/{axis}"));
    let (rear, front, top) = (place("rear", 2), place("front", 2), place("top", 2));
    let (stick, slip) = (column(&summary, "contacts_stick"), column(&summary, "contacts_slip"));
    let slides = first(&summary, "it slides", |k| slip[k] > 0.0);
    let lifts = first(&summary, "its rear lifts", |k| rear[k] > 1e-3 && front[k] < 1e-4);
    let trips = first(&summary, "its front edge stays", |k| stick[k] > 0.0 && slip[k] == 0.0);
    let leans = first(&summary, "it leans by 45 degrees", |k| top[k] < 0.6 * 0.5f64.sqrt());
    let falls = first(&summary, "its front side strikes", |k| top[k] < 1e-3);
    in_order(&[("slides", slides), ("rear lifts", lifts), ("trips", trips), ("leans", leans), ("falls", falls)]);
    at_most("the mirror plane stays (kg m/s)", size(&column(&summary, "momentum/1")), 1e-6);
}

/// A hundred discs: they fall, pile up in the funnel, and the first ones leave through the outlet.
#[test]
fn the_hopper_fills_and_pours() {
    source("Signorini, Coulomb: nothing enters, friction takes; gravity gives");
    let summary = run_file("cases/pairs/hopper.yaml", &[]);
    sound(&summary, SIGNORINI);
    let height: Vec<Vec<f64>> =
        (0..100).map(|k| column(&summary, &format!("bodies/grain_{k:02}/centre_of_mass/1"))).collect();
    let (pair, walls) = (column(&summary, "contacts/0/normal_force"), column(&summary, "contacts/1/normal_force"));
    let wall = first(&summary, "a disc meets a side", |k| walls[k] > 0.0);
    let meet = first(&summary, "discs meet", |k| pair[k] > 0.0);
    let pours = first(&summary, "a disc passes the outlet", |k| height.iter().any(|h| h[k] < 0.0));
    in_order(&[("side", wall), ("discs meet", meet), ("pours", pours)]);
    let side = (0..100).map(|k| size(&column(&summary, &format!("bodies/grain_{k:02}/centre_of_mass/0"))));
    at_most("no disc leaves sideways (m)", side.fold(0.0, f64::max), 0.12);
    at_least("friction takes energy (J)", last(&column(&summary, "friction_dissipation")), 0.1);
}

/// Two balls in space: they meet off centre, flatten, part, and friction has turned both.
#[test]
fn balls_meet_off_centre_and_part() {
    source("conservation laws: momentum, angular momentum with midpoint forces; Signorini");
    let sets = [
        "time.end=2.0e-3",
        "time.scheme={ jean: { theta: 0.5, xi: 0.5, force: midpoint } }",
        "time.newton={ residual: 1.0e-12, increment: 1.0e-13 }",
    ];
    let summary = run_file("cases/pairs/two_spheres.yaml", &sets);
    // between nodes of smooth surfaces edges cross
    sound(&summary, Some(2e-4));
    let force = column(&summary, "contacts/0/normal_force");
    let times = column(&summary, "time");
    let meet = first(&summary, "the balls meet", |k| force[k] > 0.0);
    let flat = times[argmax(&column(&summary, "strain_energy"))];
    let part = first(&summary, "the balls part", |k| times[k] > flat && force[k] == 0.0);
    in_order(&[("meet", meet), ("flattest", flat), ("part", part)]);
    at_least("they turn back (m/s)", last(&column(&summary, "bodies/right/velocity/0")), 1.0);
    let lost = column(&summary, "friction_dissipation");
    at_least("friction takes energy (J)", last(&lost), 1e-4);
    at_least("lowest strain energy", min(&column(&summary, "strain_energy")), 0.0);
    at_most("highest force is finite (N)", max(&force), 1e6);
}
