//! The contact operator by its products, `W r = Σ H K⁻¹ Hᵀ r` through the bodies' factors, against the one that is stored: the same
//! reactions from every solver that works by products, in the plane and in space, against an obstacle and between bodies; and the
//! choice between the two for a block with many points, on any number of threads.
//!
//! Both runs solve the same problem to 1e-12 of the forces; with a condition number of `W` below 1e4 reactions agree to 1e-8.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod runs;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, last, near, run, run_file};

/// A rubber block thrown on a floor, obliquely.
const BLOCK: &str = "
title: Block on a floor
geometry: solid
time: { end: 4.0e-4, step: 2.0e-4, scheme: { jean: { theta: 1.0, xi: 1.0 } }, newton: { residual: 1.0e-12, increment: 1.0e-12 } }
materials:
  rubber: { density: 1000.0, law: { neo_hooke: { young: 1.0e7, poisson: 0.3 } } }
bodies:
  block:
    mesh: { box: { min: [0.0, 0.0, 0.0], max: [1.0, 1.0, 0.3], divisions: [5, 4, 2] } }
    material: rubber
    velocity: [1.0, 0.3, -2.0]
obstacles:
  floor: { shape: { half_space: { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] } } }
contacts:
  - { between: [block.z_min, floor], friction: 0.3 }
";

/// Largest difference of two sets of reactions over the largest of them.
fn apart(a: &Summary, b: &Summary) -> f64 {
    let (a, b) = (a.simulation.contact().reactions(), b.simulation.contact().reactions());
    assert_eq!(a.len(), b.len(), "as many points");
    let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    at_least("largest reaction (N)", largest, 1e-6);
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

fn is_stored(summary: &Summary) -> bool {
    !summary.simulation.contact().problem().w.blocks.is_empty()
}

#[test]
fn every_solver_finds_the_reactions_of_the_stored_operator() {
    source("W = H K⁻¹ Hᵀ, stored and by substitution");
    let stored = run(&case_from(BLOCK, "block", &["contact_solver={gauss_seidel: {tolerance: 1.0e-12}}"]));
    assert!(is_stored(&stored));
    for solver in ["hybrid", "newton", "bipotential_newton", "jacobi", "uzawa", "extragradient", "projected_gradient"] {
        let set = format!("contact_solver={{{solver}: {{tolerance: 1.0e-12, operator: matrix_free}}}}");
        let free = run(&case_from(BLOCK, "block", &[&set]));
        assert!(!is_stored(&free), "{solver} got a matrix");
        at_most(&format!("{solver}: reactions, matrix-free against stored"), apart(&stored, &free), 1e-8);
    }
}

/// A point between two bodies takes part in the products of both.
#[test]
fn bodies_in_contact_with_each_other() {
    source("W = H K⁻¹ Hᵀ, stored and by substitution");
    for file in ["cases/pairs/two_spheres.yaml", "cases/pairs/two_rings_friction.yaml"] {
        let run = |operator: &str| {
            let set = format!("contact_solver={{hybrid: {{tolerance: 1.0e-12, operator: {operator}}}}}");
            let end = if file.contains("spheres") { "time.end=2.0e-4" } else { "time.end=4.0e-3" };
            run_file(file, &[&set, end, "expect=[]"])
        };
        let (stored, free) = (run("stored"), run("matrix_free"));
        assert!(is_stored(&stored) && !is_stored(&free));
        at_most(&format!("{file}: reactions, matrix-free against stored"), apart(&stored, &free), 1e-7);
    }
}

/// 1056 points on one body: products are chosen by themselves, the momentum they give the block is the impulse of the reactions, and
/// any number of threads gives the same bits.
#[test]
fn many_points_are_handed_over_by_products() {
    source("momentum: change = impulse");
    let many = ["bodies.block.mesh.box.divisions=[32, 31, 1]", "time.end=2.0e-4"];
    let on = |threads: usize, set: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| run(&case_from(BLOCK, "block", &[many[0], many[1], set])))
    };
    let (one, three) = (on(1, "output.every=1.0"), on(3, "output.every=1.0"));
    assert!(!is_stored(&one), "1056 points in space are many");
    let bits = |s: &Summary| s.simulation.contact().reactions().iter().map(|r| r.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&one), bits(&three), "bits differ between one and three threads");
    let stored = on(1, "contact_solver={hybrid: {operator: stored}}");
    assert!(is_stored(&stored));
    at_most("reactions, matrix-free against stored", apart(&stored, &one), 1e-8);
    let mass = 1000.0 * 0.3;
    for (axis, before) in [(0, 1.0), (1, 0.3), (2, -2.0)] {
        let force = last(&column(&one, &format!("bodies/block/contact_force/{axis}")));
        let velocity = last(&column(&one, &format!("bodies/block/velocity/{axis}")));
        near(
            &format!("momentum along axis {axis} / m v"),
            mass * (velocity - before) / 600.0,
            force * 2e-4 / 600.0,
            1e-10,
        );
    }
}
