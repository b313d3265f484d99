//! One test for each contact defect that a review found: what happened, and what physics says.

mod runs;

use runs::{case_from, column, run};

fn block(text: &str) -> impakt::simulation::Summary {
    run(&case_from(text, "defect.yaml", &[]))
}

/// A frictionless block slides over the seam of two slabs of equal height, standing on both. The side of the second slab
/// used to stop it: the speed fell from 2.0 to 1.66 m/s. Nothing pushes it horizontally; what the seam's two corners leave
/// comes from the bending of the block over them.
#[test]
fn a_seam_between_two_slabs_does_not_stop_a_sliding_block() {
    for (geometry, mesh, gravity, velocity, slabs) in [
        (
            "plane_strain",
            "rectangle: { min: [-1.0, 0.0], max: [0.0, 0.2], divisions: [10, 2] }",
            "[0.0, -9.81]",
            "[2.0, 0.0]",
            ["{ min: [-3.0, -1.0], max: [0.2537, 0.0] }", "{ min: [0.2537, -1.0], max: [3.0, 0.0] }"],
        ),
        (
            "solid",
            "box: { min: [-1.0, 0.0, 0.0], max: [0.0, 0.4, 0.2], divisions: [5, 2, 1] }",
            "[0.0, 0.0, -9.81]",
            "[2.0, 0.0, 0.0]",
            [
                "{ min: [-3.0, -1.0, -1.0], max: [0.2537, 2.0, 0.0] }",
                "{ min: [0.2537, -1.0, -1.0], max: [3.0, 2.0, 0.0] }",
            ],
        ),
    ] {
        let summary = block(&format!(
            "
geometry: {geometry}
time: {{ end: 0.4, step: 1.0e-3 }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e7, poisson: 0.3 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m, velocity: {velocity} }} }}
obstacles: {{ a: {{ shape: {{ box: {} }} }}, c: {{ shape: {{ box: {} }} }} }}
boundary: [{{ gravity: {gravity} }}]
contacts: [{{ between: [b.surface, a] }}, {{ between: [b.surface, c] }}]
",
            slabs[0], slabs[1]
        ));
        let speed = *column(&summary, "bodies/b/velocity/0").last().expect("rows");
        assert!((speed - 2.0).abs() < 0.01 * 2.0, "{geometry}: {speed} m/s after the seam");
        assert!(summary.ledger.contact_work <= 0.0, "{geometry}: reactions put in {} J", summary.ledger.contact_work);
    }
}

/// A block at rest 1 mm above the tip of a wedge falls on it with steps so long that the tip is inside before it is looked
/// up. It was then pushed out and gained energy (+5 J of 40), or, with a tiny search distance, fell right through.
#[test]
fn a_tip_that_enters_within_a_step_is_found_in_that_step() {
    for (step, search) in [("2.0e-2", ""), ("1.0e-3", ", search: 1.0e-7")] {
        let summary = block(&format!(
            "
geometry: plane_strain
time: {{ end: 0.3, step: {step} }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}
bodies: {{ b: {{ mesh: {{ rectangle: {{ min: [-0.5, 0.001], max: [0.5, 0.5], divisions: [5, 2] }} }}, material: m }} }}
obstacles: {{ tip: {{ shape: {{ polygon: [[0.0, 0.0], [-0.05, -0.5], [0.05, -0.5]] }} }} }}
boundary: [{{ gravity: [0.0, -9.81] }}]
contacts: [{{ between: [b.surface, tip]{search} }}]
"
        ));
        assert!(summary.ledger.contact_work <= 0.0, "reactions put in {} J", summary.ledger.contact_work);
        assert!(summary.largest_penetration < 1e-9, "{} m inside", summary.largest_penetration);
        let height = *column(&summary, "bodies/b/centre_of_mass/1").last().expect("rows");
        assert!(height > 0.2, "the block fell through: its centre is at {height} m");
    }
}

/// The edge of a block meets the parallel edge of a box head-on. The solid run used to stop, or to gain energy, where the
/// plane run of the same problem was fine. ν = 0 and 1 m of depth make them comparable.
#[test]
fn parallel_edges_meet_in_space_as_their_corners_do_in_the_plane() {
    let text = |geometry: &str, mesh: &str, velocity: &str, obstacle: &str| {
        format!(
            "
geometry: {geometry}
time: {{ end: 0.05, step: 1.0e-4 }}
materials: {{ m: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e7, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m, velocity: {velocity} }} }}
obstacles: {{ a: {{ shape: {{ box: {obstacle} }} }} }}
contacts: [{{ between: [b.surface, a] }}]
"
        )
    };
    let plane = block(&text(
        "plane_strain",
        "rectangle: { min: [0.003, 0.003], max: [0.203, 0.203], divisions: [4, 4] }",
        "[-1.0, -1.0]",
        "{ min: [-1.0, -1.0], max: [0.0, 0.0] }",
    ));
    let solid = block(&text(
        "solid",
        "box: { min: [0.003, 0.0, 0.003], max: [0.203, 1.0, 0.203], divisions: [4, 5, 4] }",
        "[-1.0, 0.0, -1.0]",
        "{ min: [-1.0, -1.0, -1.0], max: [0.0, 2.0, 0.0] }",
    ));
    let kept = |s: &impakt::simulation::Summary| s.ledger.kinetic / s.initial_energy;
    assert!(solid.ledger.contact_work <= 0.0 && plane.ledger.contact_work <= 0.0);
    assert!((kept(&plane) - kept(&solid)).abs() < 0.02, "{} in the plane, {} in space", kept(&plane), kept(&solid));
    // edges in space are held where they cross, so a little less exactly than nodes
    assert!(solid.largest_penetration < 1e-6, "{} m", solid.largest_penetration);
}

/// Held nodes on the ground: no reaction could move them, and the judge used to divide by zero.
#[test]
fn a_held_node_on_an_obstacle_is_no_contact() {
    let summary = block(
        "
geometry: plane_strain
time: { end: 1.0e-2, step: 1.0e-3 }
materials: { m: { density: 1000.0, law: { linear: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.0], max: [1.0, 0.5], divisions: [10, 5] } }, material: m } }
obstacles: { ground: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } } } }
boundary: [{ gravity: [0.0, -9.81] }, { fixed: { on: b.bottom } }]
contacts: [{ between: [b.surface, ground], friction: 0.3 }]
",
    );
    assert_eq!(summary.steps, 10);
    let force = column(&summary, "contact_force/1");
    assert!(force.iter().all(|f| *f == 0.0), "the support carries the block, not contact");
}
