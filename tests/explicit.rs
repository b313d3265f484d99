//! Explicit runs through the case file: waves against closed forms, the V-groove against the implicit scheme, the ledger,
//! Taylor's bar.

mod runs;

use runs::claims::source;
use runs::{at_least, at_most, case, case_from, column, last, near, run, run_file, size};

const BAR: &str = "cases/explicit/bar_on_wall.yaml";

/// Contact lasts 2L/c under the force ρ c v A, for a linear bar and for one of every other law at a thousandth of the speed.
#[test]
fn bar_on_a_wall() {
    source("bar on a wall [DoyenErnPiperno2011], waves in closed form: contact lasts 2L/c under the force rho c v A");
    let laws = ["linear", "saint_venant_kirchhoff", "neo_hooke"];
    for law in laws {
        let set = format!("materials.bar.law={{{law}: {{young: 900.0, poisson: 0.0}}}}");
        let slow = if law == "linear" { 10.0 } else { 0.01 };
        let sets = [
            set.as_str(),
            &format!("bodies.bar.velocity=[-{slow}, 0, 0]"),
            &format!("bodies.bar.mesh.box.min=[{}, 0, 0]", 0.05 * slow),
            &format!("bodies.bar.mesh.box.max=[{}, 1, 1]", 10.0 + 0.05 * slow),
            "expect=[]",
            "output.probes={}",
        ];
        let run = run(&case(BAR, &sets));
        let (force, step) = (column(&run, "contact_force/0"), column(&run, "step_size"));
        let impulse: f64 = force.iter().zip(&step).map(|(f, dt)| f * dt).sum();
        near(&format!("{law}: impulse"), impulse, 20.0 * slow, 0.01 * 20.0 * slow);
        let time = column(&run, "time");
        let exact = 2.0 / 3.0;
        let pressed: Vec<usize> = (0..time.len()).filter(|&k| force[k] > 0.01 * 30.0 * slow).collect();
        let duration = time[pressed[pressed.len() - 1]] - time[pressed[0]] + step[pressed[0]];
        near(&format!("{law}: duration"), duration, exact, 0.02 * exact);
        let inside: Vec<f64> = (0..time.len())
            .filter(|&k| time[k] > 0.05 + 0.05 * exact && time[k] < 0.05 + 0.95 * exact)
            .map(|k| force[k])
            .collect();
        let mean = inside.iter().sum::<f64>() / inside.len() as f64;
        near(&format!("{law}: mean force"), mean, 30.0 * slow, 0.005 * 30.0 * slow);
        let energy = 5.0 * slow * slow;
        at_most(&format!("{law}: ledger error"), size(&column(&run, "energy_balance_error")), 1e-10 * energy);
        at_least(&format!("{law}: energy kept"), last(&column(&run, "total_energy")), 0.99 * energy);
    }
}

/// The front of a pressure wave in a rod held sideways travels with √((λ+2μ)/ρ), that of a shear wave with √(μ/ρ).
#[test]
fn wave_speeds() {
    source("speeds of pressure and shear waves, sqrt((lambda + 2 mu)/rho), sqrt(mu/rho)");
    let (young, poisson) = (1000.0_f64, 0.25_f64);
    let mu = young / (2.0 * (1.0 + poisson));
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    for (axis, speed) in [("x", (lambda + 2.0 * mu).sqrt()), ("y", mu.sqrt())] {
        let held = if axis == "x" { "[y, z]" } else { "[x, z]" };
        let text = format!(
            "
geometry: solid
time: {{ end: {end}, step: auto, scheme: {{ explicit: {{}} }} }}
materials: {{ m: {{ density: 1.0, law: {{ neo_hooke: {{ young: {young}, poisson: {poisson} }} }} }} }}
bodies: {{ rod: {{ mesh: {{ box: {{ min: [0, 0, 0], max: [4, 0.1, 0.1], divisions: [400, 1, 1] }} }}, material: m }} }}
boundary:
  - {{ fixed: {{ on: rod.all, axes: {held} }} }}
  - {{ traction: {{ on: rod.x_min, value: {pull} }} }}
output: {{ every: {end}, probes: {{ middle: {{ body: rod, at: [2, 0, 0] }} }} }}
",
            end = 3.0 / speed,
            pull = if axis == "x" { "[0.01, 0, 0]" } else { "[0, 0.01, 0]" },
        );
        let run = run(&case_from(&text, "wave.yaml", &[]));
        let (time, v) =
            (column(&run, "time"), column(&run, &format!("probes/middle/velocity/{}", usize::from(axis == "y"))));
        // behind the front the particles move with p/(ρc); half of that marks its arrival
        let behind = 0.01 / speed;
        let k = (0..v.len()).find(|&k| v[k] > 0.5 * behind).unwrap_or(0);
        let share = (0.5 * behind - v[k - 1]) / (v[k] - v[k - 1]);
        // velocities belong to the middles of the steps
        let step = time[k] - time[k - 1];
        let arrival = time[k - 1] + share * step - 0.5 * step;
        near(&format!("{axis}: arrival after two metres"), arrival * speed, 2.0, 0.01 * 2.0);
        near(&format!("{axis}: velocity behind the front"), last(&v), behind, 0.1 * behind);
        let work = last(&column(&run, "external_work"));
        at_most(&format!("{axis}: ledger error"), size(&column(&run, "energy_balance_error")), 1e-10 * work);
    }
}

/// A quarter of the implicit step: energies within 2 % of the initial one all along, no penetration, a ledger that closes.
#[test]
fn vgroove_explicit_and_implicit_agree() {
    source("the implicit scheme (tests/vgroove.rs), lumped mass in both");
    for friction in [0.0, 0.2, 0.4] {
        let set = format!("contacts.*.friction={friction}");
        let implicit =
            run_file("cases/vgroove/b_friction_02.yaml", &[&set, "bodies.cylinder.mass=lumped", "expect=[]"]);
        let explicit = run_file("cases/explicit/vgroove.yaml", &[&set, "expect=[]"]);
        let initial = explicit.initial_energy;
        let at = |run: &impakt::simulation::Summary, name: &str, t: f64| column(run, name)[runs::row_at(run, t)];
        for name in ["friction_dissipation", "total_energy"] {
            for t in [0.5e-3, 1.0e-3, 2.0e-3, 3.0e-3] {
                let (a, b) = (at(&explicit, name, t), at(&implicit, name, t));
                near(&format!("friction {friction}: {name} at {t:.1e} s"), a, b, 0.02 * initial);
            }
        }
        at_most("penetration", size(&column(&explicit, "max_penetration")), 1e-9);
        at_most("ledger error", size(&column(&explicit, "energy_balance_error")), 1e-10 * initial);
    }
}

/// Final length and foot radius within the spread of published results; heat of plastic flow is what the blow brought.
#[test]
fn taylor_bar() {
    source("Taylor bar, literature spread: final length about 21.4 mm, foot radius 7.0 to 7.2 mm");
    let run = run_file("cases/explicit/taylor_bar.yaml", &["expect=[]"]);
    let length = last(&column(&run, "probes/end/position/1"));
    let foot = last(&column(&run, "probes/foot/position/0"));
    near("final length [mm]", 1e3 * length, 21.4, 0.3);
    near("foot radius [mm]", 1e3 * foot, 7.1, 0.15);
    let initial = run.initial_energy;
    let heat = last(&column(&run, "plastic_dissipation"));
    at_least("plastic dissipation, share of the energy", heat / initial, 0.95);
    at_most("hourglass energy, share of the energy", size(&column(&run, "hourglass_energy")) / initial, 0.05);
    at_most("ledger error", size(&column(&run, "energy_balance_error")), 1e-10 * initial);
}

/// Gravity, a moved support, springs, dashpots and damping of both kinds: the ledger closes, and free fall is exact.
#[test]
fn loads_and_supports_are_accounted_for() {
    let text = "
geometry: plane_strain
time: { end: 0.05, step: auto, scheme: { explicit: { courant: 0.8 } } }
materials: { m: { density: 1000.0, law: { neo_hooke: { young: 1.0e5, poisson: 0.3 } }, damping: { mass: 5.0, stiffness: 1.0e-4 } } }
bodies:
  block: { mesh: { rectangle: { min: [0, 0], max: [0.2, 0.1], divisions: [8, 4] } }, material: m }
  falling: { mesh: { rectangle: { min: [1, 0], max: [1.1, 0.1], divisions: [2, 2] } }, material: m, velocity: [0.0, 1.0], damping: {} }
boundary:
  - { gravity: [0.0, -9.81] }
  - { displacement: { on: block.left, x: { sine: { amplitude: 0.01, frequency: 20.0 } }, y: 0.0 } }
  - { pressure: { on: block.top, value: 500.0 } }
  - { spring: { on: block.right, stiffness: [1000.0, 0.0] } }
  - { dashpot: { on: block.right, coefficient: 2.0 } }
";
    let run = run(&case_from(text, "loads.yaml", &[]));
    let work = size(&column(&run, "external_work"));
    at_most("ledger error", size(&column(&run, "energy_balance_error")), 1e-10 * work);
    at_least("damping dissipation", last(&column(&run, "damping_dissipation")), 0.0);
    source("free fall");
    let y = last(&column(&run, "bodies/falling/centre_of_mass/1"));
    near("height after 0.05 s", y, 0.05 + 0.05 - 0.5 * 9.81 * 0.0025, 1e-10);
}

/// Nearly incompressible rubber squeezed to half its height: the stable step follows, and nothing is created.
#[test]
fn stable_step_of_mean_dilatation_follows_the_deformation() {
    let text = "
geometry: plane_strain
time: { end: 0.05, step: auto, scheme: { explicit: { courant: 0.95 } } }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.49 } } } }
bodies:
  block:
    mesh: { rectangle: { min: [0, 0], max: [0.1, 0.1], divisions: [10, 10] } }
    material: rubber
    formulation: mean_dilatation
boundary:
  - { fixed: { on: block.bottom } }
  - { displacement: { on: block.top, x: 0.0, y: { ramp: { to: -0.05, rise: 0.04 } } } }
";
    source(
        "energy: a slow press puts all its work into the rubber; the step that was stable at the start is not at the end",
    );
    let run = run(&case_from(text, "press.yaml", &[]));
    let (stable, stored) = (column(&run, "stable_step"), last(&column(&run, "strain_energy")));
    at_most("stable step at the end / at the start", last(&stable) / stable[1], 0.6);
    at_most("kinetic energy / stored energy", size(&column(&run, "kinetic_energy")) / stored, 0.01);
    at_most("energy created by the scheme / stored", size(&column(&run, "numerical_dissipation")) / stored, 0.01);
    at_most("ledger error / stored", size(&column(&run, "energy_balance_error")) / stored, 1e-10);
}
