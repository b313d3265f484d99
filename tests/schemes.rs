//! Newmark's family: order, energy identity on a linear body, and what becomes of reactions.

mod command;
mod runs;

use command::{Scratch, case, done};
use impakt::bodies::{BodyState, Deformable, DeformableSpec};
use impakt::integrator::{
    ContactShare, ContactWork, GeneralizedAlpha, Integrator, Ledger, Newton, NoReactions, System,
};
use impakt::materials::{Hooke, Law, Material, NeoHooke};
use impakt::mesh::Mesh;
use impakt::mesh::generate::{PlaneCells, Rectangle, rectangle};
use runs::{at_least, at_most, column, distance, last, near, run_file, size};

fn square(divisions: usize) -> Mesh {
    let spec = Rectangle { min: [0.0; 2], max: [1.0; 2], divisions: [divisions; 2], cells: PlaneCells::Quads };
    rectangle(&spec).expect("a square")
}

fn body(mesh: &Mesh, law: Law, density: f64, held: Vec<bool>) -> Deformable {
    let mut spec = DeformableSpec::new("body", mesh.clone(), Material { density, law });
    spec.held = held;
    Deformable::new(spec).expect("a body")
}

/// The members whose order is measured, with the order they claim: second where `γ = ½ − α_m + α_f`.
fn family() -> Vec<(GeneralizedAlpha, usize)> {
    let share = ContactShare::Impulse;
    vec![
        (GeneralizedAlpha::newmark(0.25, 0.5, share), 2),
        (GeneralizedAlpha::newmark(1.0 / 6.0, 0.5, share), 2),
        (GeneralizedAlpha::newmark(0.3025, 0.6, share), 1),
        (GeneralizedAlpha::hht(0.1, share), 2),
        (GeneralizedAlpha::hht(1.0 / 3.0, share), 2),
        (GeneralizedAlpha::chung_hulbert(1.0, share), 2),
        (GeneralizedAlpha::chung_hulbert(0.5, share), 2),
        (GeneralizedAlpha::chung_hulbert(0.0, share), 2),
    ]
}

/// Steps a body without contact; `each` sees the step's start, its end and the energy the scheme lost in it.
fn march(
    body: Deformable,
    start: &BodyState,
    scheme: &GeneralizedAlpha,
    dt: f64,
    steps: usize,
    mut each: impl FnMut(&Deformable, &BodyState, &BodyState, f64),
) -> BodyState {
    let mut system = System::new(vec![body.into()], vec![start.clone()]);
    let mut ledger = Ledger::open(&system);
    for step in 0..steps {
        let solved = Newton::default().step(scheme, &mut system, &mut NoReactions, dt);
        solved.unwrap_or_else(|e| panic!("{scheme:?}, step {step}: {e}"));
        let mut next = BodyState::moving(system.trial(0).to_vec(), vec![0.0; start.v.len()]);
        system.end_velocity(scheme, 0, dt, &mut next.v);
        system.finish(scheme, 0, dt, &mut next).expect("a mass");
        let next = vec![next];
        let before = ledger.now.numerical;
        ledger.book(scheme, &system, &next, dt, ContactWork::default());
        each(system.with_nodes(0), &system.states[0], &next[0], ledger.now.numerical - before);
        system.states = next;
        system.time += dt;
    }
    system.states.remove(0)
}

/// A unit quad between rollers, its lower edge held: one degree of freedom with `ω² = 3(λ+2μ)/ρ`. Order measured between 200
/// and 400 steps, where higher terms are 1 % of the error.
#[test]
fn order_on_an_oscillator_is_the_stated_one() {
    runs::claims::source("closed form of an oscillator; order of the schemes [ChungHulbert1993]");
    let law = Law::Linear(Hooke::new(1.0, 0.3));
    let (lambda, mu) = law.lame();
    let omega = (3.0 * (lambda + 2.0 * mu) / 2.0).sqrt();
    let (u0, v0, end) = (0.3, 0.5, 3.0);
    let mesh = square(1);
    let upper: Vec<bool> = (0..8).map(|dof| dof % 2 == 1 && mesh.nodes[dof / 2][1] == 1.0).collect();
    let with = |x: f64| upper.iter().map(|&free| if free { x } else { 0.0 }).collect::<Vec<f64>>();
    let start = BodyState::moving(with(u0), with(v0));
    let free = upper.iter().position(|&free| free).expect("an upper node");
    let (s, c) = (omega * end).sin_cos();
    let (u_exact, v_exact) = (u0 * c + v0 / omega * s, v0 * c - omega * u0 * s);
    for (scheme, stated) in family() {
        let error = |steps: usize| {
            let body = body(&mesh, law.clone(), 2.0, upper.iter().map(|free| !free).collect());
            let last = march(body, &start, &scheme, end / steps as f64, steps, |_, _, _, _| {});
            (last.u[free] - u_exact).hypot((last.v[free] - v_exact) / omega)
        };
        let measured = (error(200) / error(400)).log2();
        assert_eq!(scheme.info().order, stated, "{scheme:?}");
        near(&format!("oscillator, {scheme:?}: order"), measured, stated as f64, 0.1);
    }
}

/// A neo-Hooke square thrown apart and spun, without closed form: the reference is the same scheme with steps eight times
/// finer than the finest, which biases the slope of second order by 0.02.
#[test]
fn order_on_a_nonlinear_body_is_the_stated_one() {
    runs::claims::source("the same body in finer steps; order of the schemes [ChungHulbert1993]");
    let mesh = square(2);
    let law = Law::NeoHooke(NeoHooke::new(1.0, 0.3));
    let nodal = |f: &dyn Fn([f64; 3]) -> [f64; 2]| mesh.nodes.iter().flat_map(|&x| f(x)).collect::<Vec<f64>>();
    let u = nodal(&|x| [0.2 * (x[0] - 0.5), 0.0]);
    let v = nodal(&|x| [0.5 - x[1], 1.2 * (x[0] - 0.5)]);
    let start = BodyState::moving(u, v);
    for (scheme, stated) in family().into_iter().filter(|(_, order)| *order == 2) {
        let run = |steps: usize| {
            let body = body(&mesh, law.clone(), 1.0, vec![false; 18]);
            march(body, &start, &scheme, 1.0 / steps as f64, steps, |_, _, _, _| {})
        };
        let fine = run(4096);
        let error = |steps: usize| {
            let state = run(steps);
            distance(&state.u, &fine.u).max(distance(&state.v, &fine.v))
        };
        let measured = (error(256) / error(512)).log2();
        near(&format!("neo-Hooke body, {scheme:?}: order"), measured, stated as f64, 0.1);
    }
}

/// What Newmark's scheme loses on a linear body is known: `D_num = ½(β−γ/2)Δt² Δ(aᵀMa) + (γ−½)[ΔuᵀKΔu + (β−γ/2)Δt² ΔaᵀMΔa]`
/// (THEORY 2.3). The ledger's rest must be that, step by step, to 1e-12 of the energy.
#[test]
fn newmark_loses_what_its_identity_says() {
    runs::claims::source("energy identity of Newmark's scheme on linear bodies [Newmark1959]");
    let mesh = square(4);
    let n = 2 * mesh.node_count();
    let start = BodyState::moving(vec![0.0; n], (0..n).map(|k| (2.3 * k as f64).sin()).collect());
    for (beta, gamma) in [(0.25, 0.5), (1.0 / 6.0, 0.5), (0.3025, 0.6), (0.5, 0.75)] {
        let scheme = GeneralizedAlpha::newmark(beta, gamma, ContactShare::Impulse);
        let (dt, excess) = (0.05, beta - 0.5 * gamma);
        let (mut worst, mut lost) = (0.0f64, 0.0);
        let body = body(&mesh, Law::Linear(Hooke::new(1.0, 0.3)), 1.0, vec![false; n]);
        let initial = body.kinetic_energy(&start.v, &mut vec![0.0; n]);
        march(body, &start, &scheme, dt, 100, |body, old, new, numerical| {
            let mut scratch = vec![0.0; n];
            let mut twice = |x: &[f64]| 2.0 * body.kinetic_energy(x, &mut scratch);
            let change = |a: &[f64], b: &[f64]| b.iter().zip(a).map(|(b, a)| b - a).collect::<Vec<f64>>();
            let accelerations = 0.5 * excess * dt * dt * (twice(&new.a) - twice(&old.a));
            let steps =
                2.0 * body.strain_energy(&change(&old.u, &new.u)) + excess * dt * dt * twice(&change(&old.a, &new.a));
            worst = worst.max((numerical - accelerations - (gamma - 0.5) * steps).abs());
            lost += numerical;
        });
        println!("beta {beta:.4}, gamma {gamma}: lost {:.3e} of the energy", lost / initial);
        at_most(&format!("beta {beta:.4}, gamma {gamma}: D_num off its identity / energy"), worst / initial, 1e-12);
    }
}

/// With β = ¼, γ = ½ and reactions as impulses the scheme is Jean's with θ = ξ = ½, written with accelerations: on a linear bar
/// thrown against a wall both give one trajectory.
#[test]
fn trapezoidal_newmark_with_impulses_is_jeans_scheme() {
    runs::claims::source("equivalence of the two schemes on linear bodies");
    let file = "cases/bar_on_wall/quads.yaml";
    let jean = run_file(file, &["expect=[]"]);
    for contact in ["impulse", "recomputed"] {
        let scheme = format!("time.scheme={{newmark: {{beta: 0.25, gamma: 0.5, contact: {contact}}}}}");
        let newmark = run_file(file, &["expect=[]", &scheme]);
        for path in ["kinetic_energy", "strain_energy", "contact_force/0", "momentum/0"] {
            let (a, b) = (column(&jean, path), column(&newmark, path));
            at_most(&format!("{contact}: {path} off Jean's, relative"), distance(&a, &b) / size(&a), 1e-8);
        }
    }
}

/// Reactions are means over the step whatever the scheme: momentum changes by their impulse, also where γ ≠ 2β.
#[test]
fn momentum_changes_by_the_impulse_of_contact() {
    runs::claims::source("momentum balance");
    let initial = 0.2185012 * 30.0;
    for scheme in [
        "{newmark: {beta: 0.36, gamma: 0.6}}",
        "{newmark: {beta: 0.36, gamma: 0.6, contact: recomputed}}",
        "{hht: {alpha: 0.2}}",
        "{generalized_alpha: {spectral_radius: 0.5}}",
    ] {
        let set = format!("time.scheme={scheme}");
        let summary = run_file("cases/vgroove/b_friction_02.yaml", &["expect=[]", "time.end=1.0e-3", &set]);
        let (momentum, force) = (column(&summary, "momentum/1"), column(&summary, "contact_force/1"));
        let step = column(&summary, "step_size");
        let error = |k: usize| (momentum[k] - momentum[k - 1] - force[k] * step[k]).abs();
        let worst = (1..momentum.len()).map(error).fold(0.0, f64::max);
        at_most(&format!("{scheme}: momentum out of nothing / initial"), worst / initial, 1e-12);
    }
}

/// A bar on a wall (THEORY 6.2): the force is ρcvA = 300 for 2L/c and the bar leaves as it came. What a scheme makes of it is a
/// matter of where the reaction goes. As an impulse it chatters about the exact force and makes no energy, as with Jean's
/// θ = ½. In the acceleration it excites the trapezoidal scheme, which makes several times the energy there was; a scheme that
/// damps high frequencies turns it into the smooth force of the wave equation and loses 1.5 % of the energy at the front.
#[test]
fn where_the_reaction_goes_decides_chatter_and_energy() {
    runs::claims::source("one-dimensional wave equation; Doyen, Ern, Piperno 2011");
    let bar = |scheme: &str| {
        let set = format!("time.scheme={scheme}");
        let summary = run_file("cases/bar_on_wall/quads.yaml", &["expect=[]", &set]);
        let (force, times) = (column(&summary, "contact_force/0"), column(&summary, "time"));
        let during = (0..force.len()).filter(|&k| times[k] > 0.1 && times[k] < 0.65);
        let during: Vec<f64> = during.map(|k| force[k]).collect();
        let mean = during.iter().sum::<f64>() / during.len() as f64;
        let jump = during.windows(2).map(|p| (p[1] - p[0]).abs()).sum::<f64>() / (during.len() - 1) as f64;
        let energy = column(&summary, "total_energy");
        (mean, jump, last(&energy) / energy[0])
    };
    for scheme in ["{newmark: {}}", "{hht: {alpha: 0.3}}", "{generalized_alpha: {spectral_radius: 0.5}}"] {
        let (mean, jump, energy) = bar(scheme);
        near(&format!("{scheme}: mean force"), mean, 300.0, 3.0);
        at_least(&format!("{scheme}: mean jump of the force"), jump, 100.0);
        at_most(&format!("{scheme}: energy kept"), energy, 1.0);
        at_least(&format!("{scheme}: energy kept"), energy, 0.98);
    }
    for scheme in [
        "{generalized_alpha: {spectral_radius: 0.5, contact: acceleration}}",
        "{hht: {alpha: 0.3, contact: acceleration}}",
    ] {
        let (mean, jump, energy) = bar(scheme);
        near(&format!("{scheme}: mean force"), mean, 300.0, 1.0);
        at_most(&format!("{scheme}: mean jump of the force"), jump, 3.0);
        near(&format!("{scheme}: energy kept"), energy, 1.0, 0.02);
    }
    let (_, jump, energy) = bar("{newmark: {contact: acceleration}}");
    at_least("trapezoidal, reaction in the acceleration: mean jump of the force", jump, 300.0);
    at_least("trapezoidal, reaction in the acceleration: energy kept", energy, 2.0);
}

/// `impakt sweep` over whole values of `time`, explicit steps among them: one table with energy, jumps of the reaction and cost,
/// whose numbers are those of the runs.
#[test]
fn a_sweep_over_schemes_is_one_table_of_energy_oscillation_and_cost() {
    runs::claims::source("the runs themselves; one-dimensional wave equation: the bar leaves with its energy");
    let scratch = Scratch::new("schemes");
    let folder = scratch.path("study");
    let times = [
        "{end: 0.983333, step: 3.3333333333e-3, scheme: {jean: {theta: 0.5, xi: 0.5}}}",
        "{end: 0.983333, step: 3.3333333333e-3, scheme: {hht: {alpha: 0.3, contact: acceleration}}}",
        "{end: 0.983333, step: auto, scheme: explicit}",
    ];
    let axis = format!("time={}", times.join(","));
    let shown = ["--show", "total_energy", "--show", "contact_force:jump"];
    let file = case("bar_on_wall/quads.yaml");
    let mut arguments = vec!["sweep", &file, "--set", &axis, "--set", "expect=[]", "-o", &folder, "--quiet"];
    arguments.extend(shown);
    let said = done(&arguments);
    assert_eq!(said.matches(" done ").count(), 3, "{said}");
    let text = std::fs::read_to_string(scratch.0.join("study/table.csv")).expect("table.csv");
    let costs = std::fs::read_to_string(scratch.0.join("study/costs.csv")).expect("costs.csv");
    for line in costs.lines().skip(1) {
        let seconds = line.rsplit_once(',').and_then(|(_, seconds)| seconds.parse().ok()).expect("seconds");
        at_least("seconds", seconds, 0.0);
    }
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    // values of `time` and names of results are quoted, as they have commas of their own
    let cells = |line: &str| line.rsplit_once('"').map_or(line, |(_, rest)| rest).trim_start_matches(',').to_owned();
    let names: Vec<&str> = header.split(',').skip_while(|name| *name != "outcome").collect();
    let at =
        |name: &str| names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name} is missing: {header}"));
    for (time, line) in times.iter().zip(lines) {
        let cells = cells(line);
        let value = |name: &str| cells.split(',').nth(at(name)).and_then(|c| c.parse::<f64>().ok()).expect(name);
        let summary = run_file("cases/bar_on_wall/quads.yaml", &["expect=[]", &format!("time={time}")]);
        let (energy, force) = (column(&summary, "total_energy"), column(&summary, "contact_force/0"));
        near(&format!("{time}: energy [J/m]"), value("total_energy"), last(&energy), 1e-9 * energy[0]);
        let steps = force.len() - 1;
        let change = force.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>() / steps as f64;
        let mean = force.iter().sum::<f64>() / force.len() as f64;
        near(&format!("{time}: jump of the force"), value("contact_force:jump"), change / mean, 1e-6);
        near(&format!("{time}: energy kept"), value("total_energy") / value("initial_energy"), 1.0, 0.02);
        assert_eq!(value("steps") as usize, steps, "{time}");
    }
}
