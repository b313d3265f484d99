//! What starts inside something else: told with place and depth, pushed out where a contact asks for it, refused where that cannot be.

mod runs;

use impakt::case::{build, parse};
use runs::claims::source;
use runs::{at_most, case_from, column, max, near, run};

const HEAD: &str = "
time: { end: 1.0e-4, step: 1.0e-5 }
materials:
  rubber: { density: 1000.0, law: { neo_hooke: { young: 1.0e7, poisson: 0.3 } } }
";

/// Two rectangles with their lower left and upper right corners.
fn plane(first: [f64; 4], second: [f64; 4], cells: usize, overlap: &str) -> String {
    let body = |name: &str, [a, b, c, d]: [f64; 4]| {
        let mesh = format!("{{ rectangle: {{ min: [{a}, {b}], max: [{c}, {d}], divisions: [{cells}, {cells}] }} }}");
        format!("  {name}: {{ mesh: {mesh}, material: rubber }}\n")
    };
    let (first, second) = (body("a", first), body("b", second));
    format!(
        "geometry: plane_strain{HEAD}bodies:\n{first}{second}contacts: [{{ between: [a, b], overlap: {overlap} }}]\n"
    )
}

fn refusal(text: &str) -> String {
    match parse(text, "overlap.yaml", &[]).map(|case| build(&case).map(drop)) {
        Ok(Ok(())) => String::from("accepted"),
        Ok(Err(error)) | Err(error) => error.to_string(),
    }
}

fn says(text: &str, parts: &[&str]) {
    let message = refusal(text);
    for part in parts {
        assert!(message.contains(part), "no `{part}` in:\n{message}\nof\n{text}");
    }
}

/// Crossed bars have no node in each other, and two bodies in the same place all of them on each other.
#[test]
fn bodies_that_overlap_between_their_nodes_are_refused() {
    source("brute force: the places are known");
    let crossed = plane([-0.05, -0.005, 0.05, 0.005], [-0.045, -0.05, -0.035, 0.05], 1, "refuse");
    says(
        &crossed,
        &["contacts.0: body `", "starts inside body `", "an edge, at [-0.04", "is 5.000e-3 m deep", "push_out"],
    );
    let same = plane([0.0, 0.0, 0.02, 0.02], [0.0, 0.0, 0.02, 0.02], 3, "refuse");
    says(&same, &["starts inside body", "the middle of cell ", "m deep"]);
    let bar = |min: &str, max: &str| {
        format!("mesh: {{ box: {{ min: {min}, max: {max}, divisions: [1, 1, 1] }} }}, material: rubber")
    };
    let solid = |second: String| {
        let first = bar("[-0.05, -0.005, 0.0]", "[0.05, 0.005, 0.01]");
        format!(
            "geometry: solid{HEAD}bodies:\n  a: {{ {first} }}\n  b: {{ {second} }}\ncontacts: [{{ between: [a, b] }}]\n"
        )
    };
    says(
        &solid(bar("[0.025, -0.05, 0.006]", "[0.035, 0.05, 0.016]")),
        &["starts inside body", "an edge, at [", "m deep"],
    );
    // on each other, not in each other
    assert_eq!(refusal(&solid(bar("[0.025, -0.05, 0.01]", "[0.035, 0.05, 0.02]"))), "accepted");
    assert_eq!(refusal(&plane([0.0, 0.0, 0.02, 0.02], [0.02, 0.0, 0.04, 0.03], 3, "refuse")), "accepted");
}

/// Nodes of a body that fills another could only be moved to its surface, and the body would still fill it.
#[test]
fn what_lies_too_deep_is_not_pushed_out() {
    source("nothing that is left inside may run");
    let outer = [0.0, 0.0, 0.02, 0.02];
    let contained = plane(outer, [0.005, 0.005, 0.012, 0.012], 4, "push_out");
    says(&contained, &["contacts.0: body `", "inside", "deep"]);
    let crossed = plane([-0.05, -0.005, 0.05, 0.005], [-0.045, -0.05, -0.035, 0.05], 1, "push_out");
    says(&crossed, &["contacts.0: body `", "an edge, at [-0.04", "is 5.000e-3 m deep"]);
    let half = plane(outer, [0.0, 0.011, 0.02, 0.031], 4, "push_out");
    says(&half, &["contacts.0: body `", "lies too deep inside to be pushed out: cell ", "overlap by less than a cell"]);
}

/// Three bodies that overlap in pairs, and a floor: all are apart when the run starts, without strain.
#[test]
fn several_overlaps_are_pushed_out_together() {
    source("Signorini; no strain, no energy");
    let text = plane([0.0, 0.0, 0.02, 0.02], [0.0, 0.019, 0.02, 0.039], 4, "push_out");
    let third =
        "  c: { mesh: { rectangle: { min: [0.019, 0.0], max: [0.04, 0.04], divisions: [4, 7] } }, material: rubber }\n";
    let text = text.replace("contacts:", &format!("{third}obstacles:\n  floor: {{ shape: {{ half_space: {{ point: [0.0, 0.0005], normal: [0.0, 1.0] }} }} }}\ncontacts:"));
    let pairs = "{ between: [a, c], overlap: push_out }, { between: [b, c], overlap: push_out }, { between: [a, floor], overlap: push_out }, { between: [c, floor], overlap: push_out }]";
    let text = text.replace("push_out }]", &format!("push_out }}, {pairs}"));
    let summary = run(&case_from(&text, "three.yaml", &[]));
    at_most("penetration (m)", max(&column(&summary, "max_penetration")), 1e-9);
    near("strain energy at the start (J)", column(&summary, "strain_energy")[0], 0.0, 0.0);
    let refused = text.replace("{ between: [a, floor], overlap: push_out }", "{ between: [a, floor] }");
    says(
        &refused,
        &["contacts.3: body `a` starts inside obstacle `floor`: node ", "is 5.000e-4 m deep", "overlap: push_out"],
    );
}

/// Rigid bodies go out along the shortest way: the whole of it where the other has no mass, half of it where both have.
#[test]
fn rigid_bodies_are_pushed_out_along_the_shortest_way() {
    source("geometry");
    let text = "
geometry: plane_strain
time: { end: 1.0e-4, step: 1.0e-5 }
obstacles:
  ground: { shape: { box: { min: [-1.0, -1.0], max: [1.0, 0.0] } } }
  ball: { shape: { circle: { centre: [0.2, 0.09], radius: 0.1 } }, mass: 1.0 }
  other: { shape: { circle: { centre: [0.38, 0.09], radius: 0.1 } }, mass: 3.0, free: [x, y] }
contacts:
  - { between: [ball, ground], overlap: push_out }
  - { between: [other, ground], overlap: push_out }
  - { between: [ball, other], overlap: push_out }
";
    let summary = run(&case_from(text, "rigid.yaml", &[]));
    at_most("penetration (m)", max(&column(&summary, "max_penetration")), 1e-9);
    for (path, expected) in [("ball", [0.19, 0.1]), ("other", [0.39, 0.1])] {
        for axis in 0..2 {
            let place = column(&summary, &format!("bodies/{path}/centre_of_mass/{axis}"))[0];
            near(&format!("{path}: place along axis {axis} (m)"), place, expected[axis], 1e-9);
        }
    }
    let refused = text.replace(", overlap: push_out", "");
    says(&refused, &["contacts.0: `ball` starts 1.000e-2 m inside `ground`, at [0.2, -0.01", "overlap: push_out"]);
    let solid = "
geometry: solid
time: { end: 1.0e-4, step: 1.0e-5 }
obstacles:
  table: { shape: { box: { min: [0.0, 0.0, 0.0], max: [1.0, 1.0, 1.0] } } }
  brick: { shape: { box: { min: [0.2, 0.2, 0.95], max: [0.6, 0.6, 1.5] } }, density: 100.0, centre: [0.4, 0.4, 1.2] }
contacts: [{ between: [brick, table], overlap: push_out }]
";
    let summary = run(&case_from(solid, "solid.yaml", &[]));
    at_most("penetration in space (m)", max(&column(&summary, "max_penetration")), 1e-9);
    near("centre of mass in space (m)", column(&summary, "bodies/brick/centre_of_mass/2")[0], 1.25, 1e-9);
}

/// A plate or a rod right through a body, between its nodes, and solids in the plane that cross or fill the same space.
#[test]
fn what_no_node_and_no_corner_tells_of_is_refused() {
    source("brute force: the places are known");
    let through = |geometry: &str, mesh: &str, shape: &str, mass: &str| {
        format!(
            "geometry: {geometry}{HEAD}bodies:\n  a: {{ mesh: {{ {mesh} }}, material: rubber }}\n\
             obstacles:\n  c: {{ shape: {{ {shape} }}{mass} }}\ncontacts: [{{ between: [a, c] }}]\n"
        )
    };
    let block = "rectangle: { min: [-0.2, -0.2], max: [0.2, 0.2], divisions: [3, 3] }";
    for shape in [
        "box: { min: [-0.5, -0.01], max: [0.5, 0.01] }",
        "capsule: { from: [-0.5, 0.0], to: [0.5, 0.0], radius: 0.01 }",
        "polygon: [[-0.5, -0.01], [0.5, 0.0], [-0.5, 0.01]]",
    ] {
        for mass in ["", ", mass: 1.0"] {
            says(&through("plane_strain", block, shape, mass), &["body `a` starts inside obstacle `c`", "m deep"]);
        }
    }
    let block = "box: { min: [-0.2, -0.2, -0.2], max: [0.2, 0.2, 0.2], divisions: [3, 3, 3] }";
    for shape in [
        "box: { min: [-0.5, -0.5, -0.01], max: [0.5, 0.5, 0.01] }",
        "cylinder: { point: [0.0, 0.0, -0.5], direction: [0, 0, 1], radius: 0.01, length: 1.0 }",
        "cylinder: { point: [0.0, 0.0, 0.0], direction: [0, 0, 1], radius: 0.01 }",
        "capsule: { from: [-0.5, 0.0, 0.0], to: [0.5, 0.0, 0.0], radius: 0.01 }",
    ] {
        says(&through("solid", block, shape, ""), &["body `a` starts inside obstacle `c`", "m deep"]);
    }
    let rigid = |first: &str, second: &str| {
        format!(
            "geometry: plane_strain\ntime: {{ end: 1.0e-4, step: 1.0e-5 }}\nobstacles:\n  a: {{ shape: {{ {first} }}, \
             mass: 1.0 }}\n  b: {{ shape: {{ {second} }} }}\ncontacts: [{{ between: [a, b] }}]\n"
        )
    };
    let lying = "box: { min: [-0.1, -0.02], max: [0.1, 0.02] }";
    for other in [
        "box: { min: [-0.02, -0.1], max: [0.02, 0.1] }",
        lying,
        "capsule: { from: [0.0, -0.1], to: [0.0, 0.1], radius: 0.01 }",
    ] {
        says(&rigid(lying, other), &["`a` starts ", " m inside `b`, at ["]);
    }
    for beside in
        ["box: { min: [-0.02, 0.02], max: [0.02, 0.1] }", "half_space: { point: [0.0, -0.02], normal: [0, 1] }"]
    {
        assert_eq!(refusal(&rigid(lying, beside)), "accepted", "{beside} only touches");
    }
}

/// What has no end fills the space wherever it is; of an endless cylinder only balls and capsules see the side.
#[test]
fn rigid_shapes_that_cannot_meet_are_refused_by_name() {
    source("what the program cannot do is refused by name");
    let case = |first: &str, second: &str| {
        format!(
            "geometry: solid\ntime: {{ end: 1.0e-4, step: 1.0e-5 }}\nobstacles:\n  a: {{ shape: {{ {first} }}, mass: 1.0, \
             free: [z] }}\n  b: {{ shape: {{ {second} }} }}\ncontacts: [{{ between: [a, b] }}]\n"
        )
    };
    let ground = "half_space: { point: [0, 0, 0], normal: [0, 0, 1] }";
    let endless = "cylinder: { point: [0, 0, 1], direction: [1, 0, 0], radius: 0.1 }";
    let brick = "box: { min: [-0.1, -0.1, 2.0], max: [0.1, 0.1, 2.1] }";
    let ball = "sphere: { centre: [0, 0, 2], radius: 0.1 }";
    let above = "half_space: { point: [0, 0, 1], normal: [0, 0, -1] }";
    says(&case(above, ground), &["contacts.0: `a` and `b` have no end"]);
    says(&case(endless, ground), &["contacts.0: `a` and `b` have no end"]);
    says(&case(brick, endless), &["contacts.0: `b` is a cylinder without end", "`length`"]);
    assert_eq!(refusal(&case(ball, endless)), "accepted");
    assert_eq!(refusal(&case(brick, ground)), "accepted");
}

/// A part of a surface and the whole of it are no two pairs: the same nodes would be held twice, under two laws.
#[test]
fn a_pair_given_again_in_part_is_refused() {
    source("one law for each node");
    let text = plane([0.0, 0.0, 0.02, 0.02], [0.0, 0.021, 0.02, 0.04], 2, "refuse");
    for again in ["[a.top, b.bottom]", "[a.top, b.surface]", "[a.surface, b]"] {
        let twice = text.replace("}]\n", &format!("}}, {{ between: {again}, friction: 0.3 }}]\n"));
        says(&twice, &["contacts.1: the same pair is already given as contacts.0"]);
    }
    let parts = text.replace("between: [a, b]", "between: [a.top, b.bottom]");
    let parts = parts.replace("}]\n", "}, { between: [a.left, b.bottom], friction: 0.3 }]\n");
    assert_eq!(refusal(&parts), "accepted");
}
