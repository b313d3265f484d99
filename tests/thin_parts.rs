//! Parts of one element across: what is in front of one side of a sheet has nothing to do with its other side, however far a step
//! goes; what goes through a sheet within a step is held nevertheless.

mod runs;

use runs::claims::source;
use runs::{at_least, at_most, case, case_from, column, last, max, run, size};

/// A strip of 1 mm slides over a plate of 1 mm, from beside it, 0.6 or 6 mm a step.
const STRIP: &str = "
geometry: plane_strain
time: { end: 2.0e-3, step: 1.0e-5, scheme: { jean: { theta: 0.6, xi: 0.6 } } }
materials:
  stiff: { density: 1000.0, law: { neo_hooke: { young: 1.0e9, poisson: 0.3 } } }
bodies:
  plate: { mesh: { rectangle: { min: [0.0, -0.001], max: [0.2, 0.0], divisions: [40, 1] } }, material: stiff }
  strip:
    mesh: { rectangle: { min: [-0.05, 0.0002], max: [-0.01, 0.0012], divisions: [17, 1] } }
    material: stiff
    velocity: [60.0, -0.5]
boundary: [{ fixed: { on: plate.bottom } }]
contacts: [{ between: [strip, plate], passes: two, friction: 0.1 }]
";

/// Its upper nodes lie two millimetres behind the plate's lower side and are outside: nothing pushes them through.
#[test]
fn a_strip_that_slides_over_a_thin_plate_is_not_caught_by_its_other_side() {
    source("Signorini; contact does no work on what is not there");
    for step in ["time.step=1.0e-5", "time.step=1.0e-4"] {
        let summary = run(&case_from(STRIP, "strip.yaml", &[step]));
        at_most(&format!("{step}: penetration (m)"), max(&column(&summary, "max_penetration")), 1e-9);
        let (work, start) = (column(&summary, "contact_work"), column(&summary, "total_energy")[0]);
        at_most(&format!("{step}: work of contact / energy"), max(&work) / start, 1e-4);
        at_least(&format!("{step}: it lies on the plate (N)"), max(&column(&summary, "contacts/0/normal_force")), 1.0);
        at_least(&format!("{step}: it slides on (m/s)"), last(&column(&summary, "bodies/strip/velocity/0")), 50.0);
    }
}

/// The ring of `cases/pairs/ring_on_itself.yaml` with one element across and its whole surface against itself: inner nodes lie behind
/// the outer side by the thickness, and meet only their own kind.
#[test]
fn a_thin_ring_does_not_touch_itself_through_its_own_thickness() {
    source("Signorini");
    let thin = [
        "bodies.ring.mesh.ring={ inner: 0.097, outer: 0.1, centre: [0.0, 0.0], around: 96, layers: 1 }",
        "contacts.0.between=[ring.surface, ring.surface]",
        "output={ every: 1.0e-3 }",
        "time.end=6.0e-3",
        "expect=[]",
    ];
    let summary = run(&case("cases/pairs/ring_on_itself.yaml", &thin));
    at_most("penetration (m)", max(&column(&summary, "max_penetration")), 1e-9);
    // the plates come 108 mm nearer to each other, half the way at which the inner sides meet
    at_most("force of the ring on itself (N)", size(&column(&summary, "contacts/0/normal_force")), 0.0);
}

/// A needle of 1 mm goes ten times the thickness of a plate in a step, at its nodes and between them.
#[test]
fn a_needle_does_not_go_through_a_thin_plate() {
    source("a solid body does not pass through another");
    let text = "
geometry: plane_strain
time: { end: 3.0e-4, step: 1.0e-4, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
materials:
  stiff: { density: 1000.0, law: { neo_hooke: { young: 1.0e8, poisson: 0.3 } } }
bodies:
  plate: { mesh: { rectangle: { min: [-0.05, -0.001], max: [0.05, 0.0], divisions: [20, 1] } }, material: stiff }
  needle:
    mesh: { rectangle: { min: [0.0, 0.004], max: [0.001, 0.024], divisions: [1, 8] } }
    material: stiff
    velocity: [0.0, -100.0]
contacts: [{ between: [needle, plate], passes: two }]
";
    for place in
        ["bodies.needle.mesh.place={ translate: [0.0, 0.0] }", "bodies.needle.mesh.place={ translate: [0.00313, 0.0] }"]
    {
        let summary = run(&case_from(text, "needle.yaml", &[place]));
        at_most(&format!("{place}: penetration (m)"), max(&column(&summary, "max_penetration")), 1e-9);
        let (needle, plate) =
            (column(&summary, "bodies/needle/velocity/1"), column(&summary, "bodies/plate/velocity/1"));
        at_most(&format!("{place}: the plate is carried along (m/s)"), last(&plate), -8.0);
        at_least(&format!("{place}: the needle is slowed down (m/s)"), last(&needle), -50.0);
    }
}

/// The same needle where the nodes of the plate are held, with one pass: it comes down between two of them, and its corners are held too.
#[test]
fn corners_of_the_master_are_held_with_one_pass() {
    source("a solid body does not pass through another");
    let text = "
geometry: plane_strain
time: { end: 3.0e-4, step: 1.0e-5, scheme: { jean: { theta: 1.0, xi: 1.0 } } }
materials:
  stiff: { density: 1000.0, law: { neo_hooke: { young: 1.0e8, poisson: 0.3 } } }
bodies:
  plate: { mesh: { rectangle: { min: [-0.05, -0.001], max: [0.05, 0.0], divisions: [20, 1] } }, material: stiff }
  needle:
    mesh: { rectangle: { min: [0.0021, 0.0002], max: [0.0031, 0.0202], divisions: [1, 8] } }
    material: stiff
    velocity: [0.0, -100.0]
contacts: [{ between: [needle, plate], slave: plate }]
";
    for level in ["position", "rate", "velocity"] {
        let summary = run(&case_from(text, "needle.yaml", &[&format!("contacts.0.level={level}")]));
        // a millimetre a step: what met within one is held from the next on
        let inside = if level == "position" { 1e-9 } else { 1e-3 };
        at_most(&format!("{level}: penetration (m)"), max(&column(&summary, "max_penetration")), inside);
        let plate = column(&summary, "bodies/plate/velocity/1");
        at_most(&format!("{level}: the plate is carried along (m/s)"), last(&plate), -8.0);
    }
}

/// A rigid body that goes several times its width in a step meets what is thinner than its way, in both schemes: steps are cut until it
/// does.
#[test]
fn fast_rigid_bodies_do_not_go_through_thin_ones() {
    source("Signorini: a body in the way of another stops or turns it");
    let wire = "capsule: { from: [0.0, -0.2, 0.0], to: [0.0, 0.2, 0.0], radius: 0.002 }";
    let plate = "box: { min: [-0.2, -0.2, -0.001], max: [0.2, 0.2, 0.001] }";
    let ball = "sphere: { centre: [0.013, 0.007, 0.5], radius: 0.02 }";
    let block = "box: { min: [-0.02, -0.02, 0.48], max: [0.02, 0.02, 0.52] }";
    let (flat, square) =
        ("box: { min: [-0.2, -0.001], max: [0.2, 0.001] }", "box: { min: [-0.025, 0.1], max: [0.025, 0.14] }");
    let (jean, explicit) = ("jean: { theta: 0.5, xi: 0.5 }", "explicit: {}");
    for (geometry, thin, thrown, scheme, speed) in [
        ("solid", wire, ball, jean, 75.0),
        ("solid", wire, ball, explicit, 200.0),
        ("solid", wire, block, jean, 150.0),
        ("solid", plate, ball, jean, 300.0),
        ("solid", plate, ball, explicit, 75.0),
        ("plane_strain", flat, square, explicit, 10.0),
        ("plane_strain", flat, square, explicit, 75.0),
        ("plane_strain", flat, square, jean, 75.0),
    ] {
        let down = if geometry == "solid" { format!("0.0, 0.0, -{speed}") } else { format!("0.0, -{speed}") };
        let end = if geometry == "solid" { 1.0 / speed } else { 0.3 / speed };
        let text = format!(
            "
geometry: {geometry}
time: {{ end: {end}, step: 1.0e-3, scheme: {{ {scheme} }} }}
obstacles:
  thrown: {{ shape: {{ {thrown} }}, density: 1000.0, velocity: [{down}] }}
  thin: {{ shape: {{ {thin} }} }}
contacts: [{{ between: [thrown, thin] }}]
"
        );
        for level in ["position", "rate", "velocity"] {
            let summary = run(&case_from(&text, "fast.yaml", &[&format!("contacts.0.level={level}")]));
            let name = format!("{geometry}, {scheme}, {thrown}, {level}, {speed} mm in a step");
            let dim = if geometry == "solid" { 3 } else { 2 };
            let change = (0..dim).map(|axis| {
                let velocity = column(&summary, &format!("bodies/thrown/velocity/{axis}"));
                (last(&velocity) - velocity[0]).powi(2)
            });
            let least = if level == "position" { 0.05 } else { 0.5 };
            at_least(&format!("{name}: change of its velocity"), change.sum::<f64>().sqrt() / speed, least);
            // the other levels enter by up to half the thickness
            let inside = if level == "position" { 1e-9 } else { 2e-3 };
            at_most(&format!("{name}: inside (m)"), summary.largest_penetration, inside);
        }
    }
}

/// A coarse block comes down on something of 4 mm or less between its nodes, or on a plate of 2 mm with them, up to 30 mm a step: at its
/// ends such a step is outside. It is done again shorter until the two meet, at every level and in both schemes.
#[test]
fn fast_coarse_bodies_do_not_go_over_thin_obstacles() {
    source("Signorini: a body in the way of another stops it");
    let solid = [
        ("wire", "capsule: { from: [0.021, -0.2, 0.0], to: [0.021, 0.2, 0.0], radius: 0.002 }"),
        ("ball", "sphere: { centre: [0.021, 0.017, 0.0], radius: 0.002 }"),
        ("rod", "cylinder: { point: [0.021, -0.2, 0.0], direction: [0.0, 1.0, 0.0], length: 0.4, radius: 0.002 }"),
        (
            "pin",
            "cylinder: { point: [0.021, 0.017, -0.004], direction: [0.0, 0.0, 1.0], length: 0.004, radius: 0.002 }",
        ),
        ("plate", "box: { min: [-0.2, -0.2, -0.002], max: [0.2, 0.2, 0.0] }"),
        ("bar", "box: { min: [0.019, -0.2, -0.002], max: [0.023, 0.2, 0.0] }"),
    ];
    let plane = [
        ("circle", "circle: { centre: [0.021, 0.0], radius: 0.002 }"),
        ("strip", "polygon: [[-0.2, -0.002], [0.2, -0.002], [0.2, 0.0], [-0.2, 0.0]]"),
        ("square", "polygon: [[0.019, -0.002], [0.023, -0.002], [0.023, 0.0], [0.019, 0.0]]"),
    ];
    let all =
        solid.map(|(name, shape)| (3, name, shape)).into_iter().chain(plane.map(|(name, shape)| (2, name, shape)));
    for (dim, name, shape) in all {
        for (scheme, level, speed) in [
            ("explicit: {}", "position", 12.0),
            ("explicit: {}", "rate", 12.0),
            ("jean: { theta: 0.5, xi: 0.5 }", "position", 30.0),
            ("jean: { theta: 0.5, xi: 0.5 }", "rate", 12.0),
            ("jean: { theta: 0.5, xi: 0.5 }", "velocity", 12.0),
        ] {
            let end = 0.15 / speed;
            let (geometry, mesh, velocity) = match dim {
                3 => (
                    "solid",
                    "box: { min: [-0.05, -0.05, 0.01], max: [0.05, 0.05, 0.11], divisions: [2, 2, 2] }",
                    format!("[0.0, 0.0, -{speed}]"),
                ),
                _ => (
                    "plane_strain",
                    "rectangle: { min: [-0.05, 0.01], max: [0.05, 0.11], divisions: [2, 2] }",
                    format!("[0.0, -{speed}]"),
                ),
            };
            let text = format!(
                "
geometry: {geometry}
time: {{ end: {end}, step: 1.0e-3, scheme: {{ {scheme} }} }}
materials:
  rubber: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 3.0e5, poisson: 0.3 }} }} }}
bodies:
  block: {{ mesh: {{ {mesh} }}, material: rubber, velocity: {velocity} }}
obstacles:
  thin: {{ shape: {{ {shape} }} }}
contacts: [{{ between: [block.surface, thin], level: {level} }}]
"
            );
            let summary = run(&case_from(&text, "thin.yaml", &[]));
            let name = format!("{name}, {scheme}, {level}, {speed} mm in a step");
            let down = column(&summary, &format!("bodies/block/velocity/{}", dim - 1));
            // a fixed obstacle stops the block; where it only touched a corner of it in passing it would keep nearly all
            at_least(
                &format!("{name}: largest change of its velocity / velocity"),
                (max(&down) - down[0]) / speed,
                0.5,
            );
            if level == "position" {
                at_most(&format!("{name}: penetration (m)"), max(&column(&summary, "max_penetration")), 1e-9);
            }
        }
    }
}

/// What lies in a container is outside the obstacle however far it goes in a step: nothing on its way is inside.
#[test]
fn a_container_is_nothing_to_go_through() {
    source("Signorini: what does not touch moves on, what touches turns back");
    for shape in [
        "box: { min: [-0.3, 0.0], max: [0.3, 0.4], inside: true }",
        "polygon: { outer: [[-0.3, 0.0], [0.3, 0.0], [0.3, 0.4], [-0.3, 0.4]], inside: true }",
    ] {
        let text = format!(
            "
geometry: plane_strain
time: {{ end: 0.02, step: 1.0e-3, scheme: {{ jean: {{ theta: 0.55, xi: 0.55 }} }} }}
materials:
  rubber: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 3.0e5, poisson: 0.3 }} }} }}
bodies:
  block:
    mesh: {{ rectangle: {{ min: [-0.05, 0.15], max: [0.05, 0.25], divisions: [4, 4] }} }}
    material: rubber
    velocity: [0.0, -12.0]
obstacles:
  room: {{ shape: {{ {shape} }} }}
contacts: [{{ between: [block.surface, room] }}]
"
        );
        let summary = run(&case_from(&text, "room.yaml", &[]));
        let name = shape.split(':').next().unwrap_or_default();
        let up = column(&summary, "bodies/block/velocity/1");
        at_least(&format!("{name}: speed upwards (m/s)"), max(&up), 1.0);
        at_most(&format!("{name}: penetration (m)"), max(&column(&summary, "max_penetration")), 1e-9);
        // a step each, but for those that hit
        at_most(&format!("{name}: steps"), up.len() as f64, 30.0);
    }
}
