//! One test for each contact defect that a review found: what happened, and what physics says.

mod runs;

use runs::{case_from, column, run};

fn block(text: &str) -> impakt::simulation::Summary {
    run(&case_from(text, "defect.yaml", &[]))
}

/// A block slides over the seam of two slabs of equal height, standing on both. The side of the second slab used to stop it:
/// the speed fell from 2.0 to 1.66 m/s, or by a few per cent that depended on rounding, because the corners at the seam and
/// the nodes beside them depend on each other. Nothing but friction may push it horizontally, wherever the seam lies:
/// v = v0 − μ g t, exact for a rigid block and kept by an elastic one up to its waves (1e-5 of the energy).
#[test]
fn a_seam_between_two_slabs_does_not_stop_a_sliding_block() {
    for (seam, friction) in [("0.2537", 0.0), ("0.25370001", 0.0), ("0.2612", 0.0), ("0.2", 0.0), ("0.2612", 0.2)] {
        for (geometry, mesh, gravity, velocity, slabs) in [
            (
                "plane_strain",
                "rectangle: { min: [-1.0, 0.0], max: [0.0, 0.2], divisions: [10, 2] }",
                "[0.0, -9.81]",
                "[2.0, 0.0]",
                [format!("min: [-3.0, -1.0], max: [{seam}, 0.0]"), format!("min: [{seam}, -1.0], max: [3.0, 0.0]")],
            ),
            (
                "solid",
                "box: { min: [-1.0, 0.0, 0.0], max: [0.0, 0.4, 0.2], divisions: [5, 2, 1] }",
                "[0.0, 0.0, -9.81]",
                "[2.0, 0.0, 0.0]",
                [
                    format!("min: [-3.0, -1.0, -1.0], max: [{seam}, 2.0, 0.0]"),
                    format!("min: [{seam}, -1.0, -1.0], max: [3.0, 2.0, 0.0]"),
                ],
            ),
        ] {
            // sliding friction with theta = 1/2 chatters (README, limits): a little numerical damping for that row
            let theta = if friction > 0.0 { 0.6 } else { 0.5 };
            let summary = block(&format!(
                "
geometry: {geometry}
time: {{ end: 0.4, step: 1.0e-3, scheme: {{ jean: {{ theta: {theta}, xi: {theta} }} }} }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e7, poisson: 0.3 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m, velocity: {velocity} }} }}
obstacles: {{ a: {{ shape: {{ box: {{ {} }} }} }}, c: {{ shape: {{ box: {{ {} }} }} }} }}
boundary: [{{ gravity: {gravity} }}]
contacts: [{{ between: [b.surface, a], friction: {friction} }}, {{ between: [b.surface, c], friction: {friction} }}]
",
                slabs[0], slabs[1]
            ));
            let speed = *column(&summary, "bodies/b/velocity/0").last().expect("rows");
            let expected = 2.0 - friction * 9.81 * 0.4;
            // frictionless: round-off; with friction the normal force swings about m g while the block settles
            let tolerance = if friction > 0.0 { 1e-4 } else { 1e-9 };
            let place = format!("{geometry}, seam at {seam}, friction {friction}");
            assert!((speed - expected).abs() < tolerance, "{place}: {speed} m/s after the seam, {expected} expected");
            let put_in = summary.ledger.contact_work / summary.initial_energy;
            assert!(put_in <= 1e-10, "{place}: reactions put in {put_in:e} of the energy");
        }
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
/// entered through is a tie there, and rounding used to send the nodes of one edge through different faces: the block ended
/// with edges millimetres inside and gained energy. A block with ν = 0 cannot tell whether it has a third dimension: the
/// plane run is what the solid one is compared with. On the diagonal and where an edge is first met from above, corners (in
/// the plane) and edges (in space) are taken up in different iterations; there the rebounds agree to a per cent.
#[test]
fn parallel_edges_in_space_meet_as_in_the_plane() {
    for (left, tolerance) in [("0.003", 1e-2), ("0.00300001", 1e-9), ("0.0031", 1e-2), ("0.004", 1e-9)] {
        let head = "
time: { end: 0.05, step: 1.0e-4, newton: { reuse: never } }
materials: { m: { density: 1000.0, law: { saint_venant_kirchhoff: { young: 1.0e7, poisson: 0.0 } } } }
contacts: [{ between: [b.surface, a] }]
";
        let solid = block(&format!(
            "{head}
geometry: solid
bodies:
  b:
    mesh: {{ box: {{ min: [{left}, 0.0, 0.003], max: [0.203, 1.0, 0.203], divisions: [4, 5, 4] }} }}
    material: m
    velocity: [-1.0, 0.0, -1.0]
obstacles: {{ a: {{ shape: {{ box: {{ min: [-1.0, -1.0, -1.0], max: [0.0, 2.0, 0.0] }} }} }} }}
"
        ));
        let plane = block(&format!(
            "{head}
geometry: plane_strain
bodies:
  b:
    mesh: {{ rectangle: {{ min: [{left}, 0.003], max: [0.203, 0.203], divisions: [4, 4] }} }}
    material: m
    velocity: [-1.0, -1.0]
obstacles: {{ a: {{ shape: {{ box: {{ min: [-1.0, -1.0], max: [0.0, 0.0] }} }} }} }}
"
        ));
        let kinetic = |s: &impakt::simulation::Summary| *column(s, "kinetic_energy").last().expect("rows");
        let (in_space, in_plane) = (kinetic(&solid), kinetic(&plane));
        println!("{left}: {in_space} J in space, {in_plane} J in the plane");
        let difference = (in_space - in_plane).abs() / in_plane;
        assert!(difference < tolerance, "{left}: {in_space} J in space, {in_plane} J in the plane");
        let put_in = solid.ledger.contact_work / solid.initial_energy;
        assert!(put_in <= 1e-10, "{left}: reactions put in {put_in:e} of the energy");
        assert!(solid.largest_penetration < 1e-9, "{left}: {} m inside", solid.largest_penetration);
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

/// A sliding block comes down so that it touches exactly at the end of a step: the reactions of that step are of the size of
/// rounding, and no solver could make them satisfy the law to ten digits. The run stopped after all halvings.
#[test]
fn a_touch_at_the_very_end_of_a_step_is_no_obstacle() {
    for solver in ["gauss_seidel", "uzawa"] {
        let summary = block(&format!(
            "
geometry: solid
time: {{ end: 1.0e-3, step: 1.0e-4, scheme: {{ jean: {{ theta: 0.5, xi: 0.5, force: midpoint }} }}, max_halvings: 0 }}
materials: {{ m: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}
bodies:
  b:
    mesh: {{ box: {{ min: [0, -0.005, 0.003], max: [0.01, 0.005, 0.013], divisions: [2, 2, 2] }} }}
    material: m
    velocity: [0.5, 0.0, -5.0]
obstacles: {{ ground: {{ shape: {{ half_space: {{ point: [0, 0, 0], normal: [0, 0, 1] }} }} }} }}
contacts: [{{ between: [b.surface, ground], friction: 0.3 }}]
contact_solver: {solver}
"
        ));
        assert_eq!(summary.steps, 10, "{solver}");
        assert!(summary.ledger.friction > 0.0, "{solver}: it slid");
    }
}

/// Blocks thrown at boxes and cones at random; each of these runs stopped with something inside at its first touch or a little
/// later, however short the step. A corner had come over a facet that is warped a little beyond what the corner can push, or beside a
/// node of such facets, or between two facets that form a valley, and nothing held it there; edges on the flat end of a cone
/// counted as deep below its side. Signorini and the balance of energy say what must come out: nothing inside beyond what edges
/// and corners are held to, and reactions that put nothing in.
#[test]
fn impacts_on_corners_and_edges_run_to_their_end() {
    for name in [
        "corner_at_a_warped_facet",
        "corner_from_facet_to_facet",
        "corner_on_a_turned_facet",
        "corner_at_a_node",
        "corner_in_a_valley",
        "corner_on_a_rotating_block",
        "edges_on_the_end_of_a_cone",
    ] {
        let summary = runs::run_file(&format!("tests/data/impacts/{name}.yaml"), &[]);
        let put_in = summary.ledger.contact_work / summary.initial_energy;
        assert!(put_in <= 0.0, "{name}: reactions put in {put_in:e} of the energy");
        assert!(put_in < -1e-3, "{name}: it missed");
        // 1e-5 of a body's size, see `Contact::DEEPEST`
        let body = summary.simulation.system.with_nodes(0);
        let inside = summary.largest_penetration / body.size();
        assert!(inside <= 1e-5, "{name}: {inside:e} of the body's size inside");
        let error = summary.largest_error / summary.initial_energy;
        assert!(error < 1e-10, "{name}: the ledger is off by {error:e}");
    }
}

/// A block on a fixed base, and an obstacle above it that comes down by `depth` in `steps` load steps.
fn pressed(shape: &str, divisions: usize, cells: &str, depth: f64, steps: usize) -> impakt::simulation::Summary {
    let layers = divisions.div_ceil(2);
    block(&format!(
        "
geometry: solid
time: {{ end: 1.0, step: {step}, scheme: quasi_static }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}
bodies:
  b:
    mesh: {{ box: {{ min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.0], divisions: [{divisions}, {divisions}, {layers}], cells: {cells} }} }}
    material: m
obstacles: {{ o: {{ shape: {{ {shape} }}, motion: {{ displacement: {{ z: {{ ramp: {{ to: -{depth}, rise: 1.0 }} }} }} }} }} }}
boundary: [{{ fixed: {{ on: b.z_min }} }}]
contacts: [{{ between: [b.surface, o] }}]
",
        step = 1.0 / steps as f64
    ))
}

/// Load steps that press a ball, a capsule or a roller into facets as large as the contact used to stop with something inside: the
/// nodes beside the place of contact stood for it, yielded farther than the obstacle came, and the place swung about. Nothing
/// may be inside afterwards, facets included, and the balance of energy must close.
#[test]
fn a_ball_pressed_into_large_facets_settles() {
    for (x, y) in [(0.0, 0.0), (0.03, 0.05), (0.11, 0.07)] {
        let shapes = [
            format!("sphere: {{ centre: [{x}, {y}, 0.5], radius: 0.5 }}"),
            format!("capsule: {{ from: [{}, {y}, 0.5], to: [{}, {y}, 0.5], radius: 0.5 }}", x - 0.1, x + 0.1),
            format!("cylinder: {{ point: [{x}, {y}, 0.5], direction: [1.0, 0.0, 0.0], radius: 0.5 }}"),
        ];
        for shape in &shapes {
            for divisions in [2, 3, 4] {
                for cells in ["hexes", "tets"] {
                    let name = format!("{shape}, {divisions} {cells}");
                    let summary = pressed(shape, divisions, cells, 0.05, 10);
                    let size = summary.simulation.system.with_nodes(0).size();
                    let inside = summary.largest_penetration / size;
                    assert!(inside <= 1e-9, "{name}: {inside:e} of the body's size inside");
                    let energy = *column(&summary, "total_energy").last().expect("rows");
                    let error = summary.largest_error / energy;
                    assert!(error < 1e-10, "{name}: the ledger is off by {error:e}");
                    let force = -column(&summary, "contact_force/2").last().expect("rows");
                    assert!(force > 0.0, "{name}: it is not pressed");
                }
            }
        }
    }
}

/// The force of that ball comes down to Hertz's as facets become smaller than the contact, `F = 4/3 E* √R δ^(3/2)` on a half-space. The
/// block is five times as thick as the contact is wide and stands on a fixed base, which adds about a fifth (for a layer, by
/// Dimitriadis and others 2002, between 1.14 and 1.28).
#[test]
fn the_force_on_a_pressed_ball_approaches_that_of_hertz() {
    let (radius, depth) = (0.5f64, 0.02f64);
    let hertz = 4.0 / 3.0 * 1.0e6 / (1.0 - 0.09) * radius.sqrt() * depth.powf(1.5);
    let shape = format!("sphere: {{ centre: [0.0, 0.0, {radius}], radius: {radius} }}");
    let forces = [4, 8, 16].map(|divisions| {
        let summary = pressed(&shape, divisions, "hexes", depth, 4);
        -column(&summary, "contact_force/2").last().expect("rows") / hertz
    });
    println!("force over Hertz's with 4, 8 and 16 cells: {forces:?}");
    assert!(forces[0] > forces[1] && forces[1] > forces[2], "{forces:?} must come down");
    assert!((1.0..1.4).contains(&forces[2]), "{} times the force on a half-space", forces[2]);
}

/// Blocks, a disc and a ball thrown at circles, balls and rollers that touch them between their nodes. Within a quarter of a facet from a
/// node the force acted on the node instead, and along the normal of the step's end: it put in 6 to 12 % of the energy. Signorini and
/// a fixed obstacle without adhesion put in nothing.
#[test]
fn curved_obstacles_that_touch_beside_nodes_put_nothing_in() {
    for name in ["circle_beside_a_node", "roller_beside_nodes", "ball_beside_nodes", "ball_between_nodes"] {
        let summary = runs::run_file(&format!("tests/data/impacts/{name}.yaml"), &[]);
        let work = column(&summary, "contact_work");
        let most = runs::max(&work) / summary.initial_energy;
        assert!(most <= 1e-12, "{name}: reactions put in {most:e} of the energy");
        assert!(summary.ledger.contact_work < -1e-3 * summary.initial_energy, "{name}: it missed");
        let inside = summary.largest_penetration / summary.simulation.system.with_nodes(0).size();
        assert!(inside <= 1e-9, "{name}: {inside:e} of the body's size inside");
    }
}

/// A facet of a ball turns over the rim of a cylinder until it faces the rim from behind, 0.3 mm deep, in a step of a hundredth of a
/// microsecond. The rim was to be pushed out of it at once, with 1.4 MJ, and the run stopped. Nothing entered: the pair is left
/// alone, and the run goes on.
#[test]
fn a_rim_behind_a_facet_is_not_thrown_out() {
    let summary = runs::run_file("tests/data/impacts/rim_behind_a_facet.yaml", &[]);
    let most = runs::max(&column(&summary, "contact_work")) / summary.initial_energy;
    assert!(most <= 5e-3, "reactions put in {most:e} of the energy");
    let inside = summary.largest_penetration / summary.simulation.system.with_nodes(0).size();
    assert!(inside <= 1e-5, "{inside:e} of the body's size inside");
}

/// An impact that `scripts/random_impacts.py` drew: reactions of a fixed obstacle put nothing in (1e-3 of the energy is what the
/// program itself warns from), nothing is inside beyond what edges are held to, and the ledger closes.
fn puts_nothing_in(name: &str) {
    let summary = runs::run_file(&format!("tests/data/impacts/{name}.yaml"), &[]);
    let most = runs::max(&column(&summary, "contact_work")) / summary.initial_energy;
    assert!(most <= 1e-3, "{name}: reactions put in {most:e} of the energy");
    assert!(summary.ledger.contact_work < -1e-3 * summary.initial_energy, "{name}: it missed");
    let inside = summary.largest_penetration / summary.simulation.system.with_nodes(0).size();
    assert!(inside <= 1e-5, "{name}: {inside:e} of the body's size inside");
    let error = summary.largest_error / summary.initial_energy;
    assert!(error < 1e-10, "{name}: the ledger is off by {error:e}");
}

/// The end of this run lies 2e-6 of a step beyond a whole number of steps. That was a step of its own, whose velocities are
/// differences of places over almost nothing: their round-off put 4e-10 of the energy into the ledger (1e-8 in other runs).
#[test]
fn a_sliver_before_the_end_is_no_step() {
    let summary = runs::run_file("tests/data/impacts/sliver_before_the_end.yaml", &[]);
    assert_eq!(summary.steps, 108, "as many as fit, and no sliver");
    let error = summary.largest_error / summary.initial_energy;
    assert!(error < 1e-11, "the ledger is off by {error:e}");
}

/// A block on a ball of 512 triangles, finer than the block's facets. One condition stood for all corners and edges under a facet, at a mean
/// of their places; as the mean moved it did work, 5 % of the energy (up to 44 % in other runs).
#[test]
fn a_ball_of_fine_triangles_puts_nothing_in() {
    puts_nothing_in("fine_ball");
}

/// Bodies on the rims and tips of cones. Beside its deepest point a rim was held at two more, a third around from it, which turned with
/// the facet: they did work as they went around (1 and 7 % of the energy here, the second run stopped; 34 % in another one).
#[test]
fn the_points_a_rim_stands_on_do_not_turn_with_the_facet() {
    puts_nothing_in("block_on_a_cone");
    // an edge of the tube lies along the cone's rim: unseen it went in by 1.3e-3 of the tube's size; held, it does some work as it slides
    let summary = runs::run_file("tests/data/impacts/tube_on_a_cone.yaml", &[]);
    let inside = summary.largest_penetration / summary.simulation.system.with_nodes(0).size();
    assert!(inside <= 1e-5, "{inside:e} of the body's size inside");
    let most = runs::max(&column(&summary, "contact_work")) / summary.initial_energy;
    assert!(most <= 1e-2, "reactions put in {most:e} of the energy");
    assert!(summary.largest_error / summary.initial_energy < 1e-10, "the ledger is off");
}

/// Corners and edges of an obstacle that dent a surface go from one of its facets or edges to the next. Where these meet in a valley, what is
/// touched at the end of a step has come up to the obstacle, and the reaction worked along that way: 0.3, 1.5 and 3 % of the energy.
#[test]
fn corners_and_edges_that_go_from_facet_to_facet_put_nothing_in() {
    puts_nothing_in("corner_over_facets_of_a_dent");
    puts_nothing_in("box_edge_over_edges");
    puts_nothing_in("tetrahedron_edge_over_edges");
}

/// A ball against warped quads as large as itself. Seen from its centre such a quad has a perpendicular where the distance is no minimum;
/// Newton's method found that one, the ball entered elsewhere by some 10 µm unseen, and was thrown out later with 10 % of the energy.
#[test]
fn a_ball_is_seen_where_it_is_nearest_to_a_warped_quad() {
    puts_nothing_in("ball_on_a_warped_quad");
}

/// Boxes pressed into a block by load steps that stopped. Nodes snap over an edge, and the work of that was taken for something thrown out;
/// a body that snapped farther than anything had gone before left a corner inside that was no longer looked for. Equilibrium with nothing inside is all that load steps promise.
#[test]
fn boxes_pressed_in_load_steps_reach_their_end() {
    for name in ["box_pressed_over_a_node", "box_pressed_beside_a_ridge"] {
        let summary = runs::run_file(&format!("tests/data/impacts/{name}.yaml"), &[]);
        let inside = summary.largest_penetration / summary.simulation.system.with_nodes(0).size();
        assert!(inside <= 1e-5, "{name}: {inside:e} of the body's size inside");
        let energy = *column(&summary, "total_energy").last().expect("rows");
        let error = summary.largest_error / energy;
        assert!(error < 1e-10, "{name}: the ledger is off by {error:e}");
    }
}
