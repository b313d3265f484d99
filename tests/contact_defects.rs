//! One test for each contact defect that a review found: what happened, and what physics says.

mod runs;

use impakt::simulation::RunError;
use runs::{case_from, column, run, try_run};

fn block(text: &str) -> impakt::simulation::Summary {
    run(&case_from(text, "defect.yaml", &[]))
}

/// A frictionless block slides over the seam of two slabs of equal height, standing on both. The side of the second slab
/// used to stop it: the speed fell from 2.0 to 1.66 m/s. Nothing should push it horizontally, and where the seam lies decides
/// how nearly that holds: up to 3 % of the speed is still lost where the two corners and the nodes beside them depend on each
/// other so closely that the contact solver stalls (README, limits). Asserted is what holds for every place tried: no more
/// than 5 % of the speed is lost and no energy is gained.
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
        assert!((speed - 2.0).abs() < 0.05 * 2.0, "{geometry}: {speed} m/s after the seam");
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

/// The edge of a block meets the parallel edge of a box head-on, along the diagonal and beside it. Which of two faces a node
/// entered through is a tie there; the run used to go on with edges millimetres inside and to gain energy. It must either
/// keep the energy or stop and say that an edge is inside: a wrong number is worse than none.
#[test]
fn parallel_edges_in_space_gain_no_energy() {
    for left in ["0.003", "0.00300001", "0.0031", "0.004"] {
        let case = case_from(
            &format!(
                "
geometry: solid
time: {{ end: 0.05, step: 1.0e-4, max_halvings: 2 }}
materials: {{ m: {{ density: 1000.0, law: {{ saint_venant_kirchhoff: {{ young: 1.0e7, poisson: 0.0 }} }} }} }}
bodies:
  b:
    mesh: {{ box: {{ min: [{left}, 0.0, 0.003], max: [0.203, 1.0, 0.203], divisions: [4, 5, 4] }} }}
    material: m
    velocity: [-1.0, 0.0, -1.0]
obstacles: {{ a: {{ shape: {{ box: {{ min: [-1.0, -1.0, -1.0], max: [0.0, 2.0, 0.0] }} }} }} }}
contacts: [{{ between: [b.surface, a] }}]
"
            ),
            "edges.yaml",
            &[],
        );
        match try_run(&case) {
            Ok(summary) => {
                println!("{left}: contact work {:e} J", summary.ledger.contact_work);
                let share = summary.ledger.contact_work / summary.initial_energy;
                assert!(share < 1e-3, "{left}: reactions put in {share:e} of the energy");
                assert!(summary.largest_penetration < 1e-5, "{left}: {} m inside", summary.largest_penetration);
            }
            Err(RunError::Stopped { stopped, .. }) => println!("{left}: {stopped}"),
            Err(other) => panic!("{other}"),
        }
    }
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
