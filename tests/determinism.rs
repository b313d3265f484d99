//! The same bits whatever the number of threads: parts of a run are computed side by side, but what they return is
//! combined in a fixed order (`parallel`). Every history column and every final state is compared bit by bit.

mod runs;

use impakt::case::Case;
use impakt::simulation::Summary;
use runs::claims::source;
use runs::{case, case_from, run};

/// Two discs, each falling on a polygon of its own, in one contact problem: bodies are what is distributed.
const TWO_DISCS: &str = "\
title: Two foam discs, each on its own wedge
geometry: plane_strain
time: { end: 1.2e-3, step: 1.0e-5 }
materials:
  foam: { density: 700.0, law: { blatz_ko: { shear_modulus: 3.0e6 } } }
  rubber: { density: 1000.0, law: { neo_hooke: { young: 8.0e6, poisson: 0.3 } } }
bodies:
  left:
    mesh: { disc: { radius: 0.01, centre: [-0.03, 0.011], core: 6, layers: 3 } }
    material: foam
    velocity: [0.0, -20.0]
    angular_velocity: 300.0
  right:
    mesh: { disc: { radius: 0.008, centre: [0.03, 0.009], core: 4, layers: 3 } }
    material: rubber
    velocity: [2.0, -15.0]
obstacles:
  wedge: { shape: { polygon: [[-0.045, -0.005], [-0.015, -0.005], [-0.0303, 0.0]] } }
  slab: { shape: { polygon: [[0.01, -0.01], [0.05, -0.01], [0.05, 0.0], [0.01, 0.0]] } }
contacts:
  - { between: [left.surface, wedge], friction: 0.3 }
  - { between: [right.surface, slab], friction: 0.5 }
";

fn on_threads(case: &Case, threads: usize) -> Summary {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| {
        assert_eq!(rayon::current_num_threads(), threads);
        run(case)
    })
}

#[track_caller]
fn same_bits(what: &str, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "{what}: {} against {} values", a.len(), b.len());
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        assert!(x.to_bits() == y.to_bits(), "{what}, value {k}: {x:e} against {y:e}, off by {:.1e}", x - y);
    }
}

fn compare(case: &Case, what: &str) {
    let one = on_threads(case, 1);
    for (threads, other) in [(2, on_threads(case, 2)), (2, on_threads(case, 2)), (1, on_threads(case, 1))] {
        let mut columns = 0;
        for spec in &one.history.specs {
            let name = if spec.group.is_empty() { spec.name.clone() } else { format!("{}/{}", spec.group, spec.name) };
            for component in 0..spec.components {
                let path = if spec.components == 1 { name.clone() } else { format!("{name}/{component}") };
                let (a, b) = (one.history.column(&path), other.history.column(&path));
                let label = format!("{what}, {threads} threads, {path}");
                same_bits(&label, &a.expect("the column exists"), &b.expect("the column exists"));
                columns += 1;
            }
        }
        assert!(columns > 30, "{what}: only {columns} columns were compared");
        for (b, (x, y)) in one.simulation.system.states.iter().zip(&other.simulation.system.states).enumerate() {
            same_bits(&format!("{what}, {threads} threads, displacements of body {b}"), &x.u, &y.u);
            same_bits(&format!("{what}, {threads} threads, velocities of body {b}"), &x.v, &y.v);
        }
        for (b, (x, y)) in one.simulation.nodes.iter().zip(&other.simulation.nodes).enumerate() {
            same_bits(&format!("{what}, {threads} threads, contact forces of body {b}"), &x.force, &y.force);
            same_bits(&format!("{what}, {threads} threads, friction energy of body {b}"), &x.energy, &y.energy);
        }
        assert_eq!(one.newton_iterations, other.newton_iterations, "{what}: Newton iterations");
        assert_eq!(one.contact_iterations, other.contact_iterations, "{what}: contact iterations");
    }
    let touched = one.history.column("contacts_slip").expect("the column exists").iter().any(|n| *n > 0.0);
    assert!(touched, "{what}: nothing was touched, the comparison says nothing about contact");
}

#[test]
fn vgroove_on_one_and_two_threads() {
    compare(&case("cases/vgroove/b_friction_02.yaml", &[]), "V-groove B");
}

#[test]
fn two_bodies_on_one_and_two_threads() {
    for solver in ["gauss_seidel", "uzawa", "newton", "hybrid"] {
        let case = case_from(TWO_DISCS, "two_discs.yaml", &[&format!("contact_solver={solver}")]);
        compare(&case, &format!("two discs, {solver}"));
    }
}

/// Many bodies that meet each other, a rigid one and a container; and two in space.
#[test]
fn bodies_that_meet_on_one_and_two_threads() {
    let sets = ["time.end=3.0e-3", "bodies.*.mesh.disc.core=4", "bodies.*.mesh.disc.layers=2"];
    compare(&case("cases/pairs/cylinders_in_a_box.yaml", &sets), "cylinders in a box");
    compare(&case("cases/pairs/two_spheres.yaml", &["time.end=2.0e-4"]), "two balls");
}

#[test]
fn bodies_that_never_meet_run_as_if_alone() {
    source("the same body in a case of its own");
    // Each disc has a contact problem of its own; the other can change it only through the common iteration. On a flat
    // top instead of the wedge, where no step is cut: a step cut for one body is cut for both.
    let flat = ["obstacles.wedge.shape={polygon: [[-0.05, -0.01], [-0.01, -0.01], [-0.01, 0.0], [-0.05, 0.0]]}"];
    let both = run(&case_from(TWO_DISCS, "two_discs.yaml", &flat));
    for (body, index) in [("left", 0usize), ("right", 1)] {
        let other = 1 - index;
        let text: Vec<&str> = TWO_DISCS.lines().collect();
        let start = text.iter().position(|l| l.trim() == format!("{}:", ["left", "right"][other])).expect("the body");
        let mut kept: Vec<&str> = text[..start].to_vec();
        let rest = &text[start + 1..];
        let next = rest.iter().position(|l| !l.starts_with("    ")).expect("something follows");
        kept.extend(&rest[next..]);
        kept.retain(|l| !l.contains(&format!("between: [{}.", ["left", "right"][other])));
        let alone = run(&case_from(&kept.join("\n"), "one_disc.yaml", &flat));
        let path = format!("bodies/{body}/kinetic_energy");
        let (a, b) = (runs::column(&alone, &path), runs::column(&both, &path));
        runs::at_most(&format!("{path}, alone against together"), runs::distance(&a, &b) / a[0], 1e-6);
    }
}
