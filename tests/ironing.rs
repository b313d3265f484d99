//! Ironing: a soft round die is pressed into a soft slab and dragged along it in load steps, μ = 0.3, plane strain. Three
//! meshes, one pass and two: the default contact solver goes to the end, with the forces that Newton's method finds.
//!
//! Rollers that are held at one node and may turn about it: their `W` gives way, and sweeps lead nowhere.
//!
//! Forces of load steps with friction hang on the steps taken; where both solvers take the same ones they agree to the
//! tolerance of the equilibrium.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod runs;

use runs::{at_most, claims, column, distance, last, near, size};

const CASE: &str = "geometry: plane_strain
time: { end: 2.0, step: 0.05, scheme: quasi_static }
materials:
  slab: { density: 1.0, law: { neo_hooke: { young: 1.0, poisson: 0.3 } } }
  die: { density: 1.0, law: { neo_hooke: { young: 10.0, poisson: 0.3 } } }
bodies:
  slab: { mesh: { rectangle: { min: [0.0, 0.0], max: [6.0, 2.0], divisions: [24, 8] } }, material: slab }
  die: { mesh: { ring: { inner: 0.4, outer: 0.9, centre: [1.5, 2.91], around: 24, layers: 4 } }, material: die }
boundary:
  - { fixed: { on: slab.bottom } }
  - displacement:
      on: die.inner
      y: { ramp: { to: -0.25, rise: 1.0 } }
      x: { table: [[0.0, 0.0], [1.0, 0.0], [2.0, 2.5]] }
contacts: [{ between: [slab.top, die.outer], friction: 0.3, passes: one }]
";

#[test]
fn the_default_solver_irons_to_the_end_as_newton_does() {
    claims::source("another solver of the same problem; friction opposes the way of the die");
    for passes in ["one", "two"] {
        for fine in [4, 5, 6] {
            let sets = [
                format!("contacts.0.passes={passes}"),
                format!("bodies.slab.mesh.rectangle.divisions=[{},{}]", 6 * fine, 2 * fine),
                format!("bodies.die.mesh.ring.around={}", 6 * fine),
                format!("bodies.die.mesh.ring.layers={fine}"),
            ];
            let run = |more: &str| {
                let sets: Vec<&str> = sets.iter().map(String::as_str).chain([more]).collect();
                runs::run(&runs::case_from(CASE, "ironing.yaml", &sets))
            };
            let (default, newton) = (run("title=ironing"), run("contact_solver={newton: {}}"));
            let what = format!("{passes}, {fine} cells in the die");
            near(&format!("{what}: time reached"), last(&column(&default, "time")), 2.0, 1e-12);
            let force =
                |axis: usize| [&default, &newton].map(|s| column(s, &format!("bodies/die/contact_force/{axis}")));
            let [[drag, same], [press, _]] = [force(0), force(1)];
            at_most(&format!("{what}: force, difference / force"), distance(&drag, &same) / size(&same), 1e-6);
            // all of the patch slides in the end, and the slab rises before the die
            let ratio = -last(&drag) / last(&press);
            assert!((0.27..0.45).contains(&ratio), "{what}: drag / pressing force {ratio}");
        }
    }
}

const ROLLER: &str = "geometry: plane_strain
time: { end: 1.0, step: 1.0, scheme: quasi_static }
materials:
  soft: { density: 1.0, law: { neo_hooke: { young: 1.0, poisson: 0.3 } } }
  hard: { density: 1.0, law: { neo_hooke: { young: 10.0, poisson: 0.3 } } }
bodies:
  block: { mesh: { rectangle: { min: [-1.0, -1.0], max: [1.0, 0.0], divisions: [4, 2] } }, material: soft }
  roller: { mesh: { disc: { radius: 0.5, centre: [0.0, 0.5], core: 3, layers: 1 } }, material: hard }
boundary:
  - { fixed: { on: block.bottom } }
  - displacement:
      on: roller.centre
      x: { ramp: { to: 0.0, rise: 1.0 } }
      y: { ramp: { to: -0.1, rise: 1.0 } }
contacts: [{ between: [block.top, roller.surface], friction: 0.3 }]
";

#[test]
fn the_default_solver_presses_rollers_as_newton_does() {
    claims::source("another solver of the same problem");
    for (divisions, passes, step) in [
        ("[4,2]", "one", 1.0),
        ("[4,2]", "two", 1.0),
        ("[8,4]", "two", 1.0),
        ("[8,4]", "two", 0.25),
        ("[13,4]", "two", 0.25),
    ] {
        let sets = [
            format!("contacts.0.passes={passes}"),
            format!("bodies.block.mesh.rectangle.divisions={divisions}"),
            format!("time.step={step}"),
        ];
        let force = |more: &str| {
            let sets: Vec<&str> = sets.iter().map(String::as_str).chain([more]).collect();
            let run = runs::run(&runs::case_from(ROLLER, "roller.yaml", &sets));
            near(&format!("{divisions}, {passes}: time reached"), last(&column(&run, "time")), 1.0, 1e-12);
            column(&run, "bodies/block/contact_force/1")
        };
        let (default, newton) = (force("title=roller"), force("contact_solver={newton: {}}"));
        assert!(last(&default) < -0.05, "{divisions}, {passes}: pressed by {}", last(&default));
        let difference = (last(&default) - last(&newton)) / last(&newton);
        at_most(&format!("{divisions}, {passes}: force, difference / force"), difference.abs(), 1e-6);
    }
}
