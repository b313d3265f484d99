//! Rigid solids of different shapes on each other, where neither has a corner or a ball that touches: sides that cross, rims across
//! edges and rims, lines and faces that are level.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod runs;
#[path = "runs/solids.rs"]
mod solids;

use impakt::simulation::Summary;
use nalgebra::Vector3;
use runs::claims::source;
use runs::{at_most, case_from, column, last, near, run, size};
use solids::{Random, highest_beside, separation, solid};

const GRAVITY: f64 = 9.81;

fn ledger_closes(summary: &Summary) {
    let reference = size(&column(summary, "total_energy")).max(size(&column(summary, "external_work")));
    at_most("ledger error / largest energy", summary.largest_error / reference, 1e-10);
}

/// A case under gravity.
fn case_of(obstacles: &str, contacts: &str, end: f64) -> String {
    format!(
        "geometry: solid\ntime: {{ end: {end}, step: 1.0e-3, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}\nobstacles:\n{obstacles}\
         boundary: [{{ gravity: [0.0, 0.0, -{GRAVITY}] }}]\ncontacts: [{contacts}]\noutput: {{ every: 0.1 }}\n"
    )
}

#[test]
fn a_cylinder_comes_to_rest_across_another() {
    source(
        "two cylinders whose axes cross at an angle: axes r₁ + r₂ apart, contact along the cross product of the axes",
    );
    for angle in [90.0, 40.0, 5.0] {
        for level in ["position", "velocity"] {
            let obstacles = format!(
                "  lower: {{ shape: {{ cylinder: {{ point: [-0.5, 0.0, 0.0], direction: [1.0, 0.0, 0.0], radius: 0.1, length: 1.0 }} }} }}\n  \
                 upper:\n    shape: {{ cylinder: {{ point: [-0.4, 0.0, 0.2], direction: [1.0, 0.0, 0.0], radius: 0.06, length: 0.8 }} }}\n    \
                 place: {{ rotate: {{ angle: {angle}, axis: [0.0, 0.0, 1.0] }} }}\n    mass: 2.0\n    free: [z]\n"
            );
            let contact = format!("{{ between: [upper, lower], level: {level} }}");
            let summary = run(&case_from(&case_of(&obstacles, &contact, 0.3), "crossed.yaml", &[]));
            let name = format!("{angle}°, {level}");
            let limit = if level == "position" { 1e-9 } else { 2e-3 };
            near(&format!("{name}: height (m)"), last(&column(&summary, "bodies/upper/centre_of_mass/2")), 0.16, limit);
            let force = [0, 1, 2].map(|k| last(&column(&summary, &format!("bodies/upper/contact_force/{k}"))));
            near(&format!("{name}: force upwards (N)"), force[2], 2.0 * GRAVITY, 1e-6);
            at_most(&format!("{name}: force aside (N)"), force[0].hypot(force[1]), 1e-6);
            ledger_closes(&summary);
        }
    }
}

#[test]
fn a_rim_rests_across_an_edge() {
    source(
        "a wheel tilted by β on an edge along x: the lowest place of its lower rim touches, w/2 sin β + R cos β below its centre",
    );
    let (half, radius) = (0.05, 0.1);
    for beta in [10.0, 35.0, 60.0f64] {
        let obstacles = format!(
            "  edge:\n    shape: {{ box: {{ min: [-0.5, -0.1, -0.1], max: [0.5, 0.1, 0.1] }} }}\n    \
             place: {{ rotate: {{ angle: 45, axis: [1.0, 0.0, 0.0] }} }}\n  \
             wheel:\n    shape: {{ cylinder: {{ point: [-{half}, 0.0, 0.0], direction: [1.0, 0.0, 0.0], radius: {radius}, length: {} }} }}\n    \
             place: {{ rotate: {{ angle: {beta}, axis: [0.0, 1.0, 0.0] }}, translate: [0.07, 0.0, 0.3] }}\n    mass: 2.0\n    free: [z]\n",
            2.0 * half
        );
        let summary = run(&case_from(&case_of(&obstacles, "{ between: [wheel, edge] }", 0.3), "rim.yaml", &[]));
        let (sin, cos) = beta.to_radians().sin_cos();
        let height = last(&column(&summary, "bodies/wheel/centre_of_mass/2"));
        near(&format!("{beta}°: height (m)"), height, 0.1 * 2f64.sqrt() + half * sin + radius * cos, 1e-9);
        let force = [0, 1, 2].map(|k| last(&column(&summary, &format!("bodies/wheel/contact_force/{k}"))));
        near(&format!("{beta}°: force upwards (N)"), force[2], 2.0 * GRAVITY, 1e-6);
        at_most(&format!("{beta}°: force aside (N)"), force[0].hypot(force[1]), 1e-6);
        ledger_closes(&summary);
    }
}

#[test]
fn a_roller_shares_its_weight_between_two_edges() {
    source(
        "equilibrium of moments: a roller across edges at x = −0.3 and 0.1 presses on them with 1 : 3; on capsules across as well",
    );
    for upper in ["cylinder", "capsule"] {
        for level in ["position", "velocity"] {
            let shape = match upper {
                "cylinder" => {
                    "cylinder: { point: [-0.5, 0.0, 0.1], direction: [1.0, 0.0, 0.0], radius: 0.1, length: 1.0 }"
                }
                _ => "capsule: { from: [-0.5, 0.0, 0.1], to: [0.5, 0.0, 0.1], radius: 0.1 }",
            };
            let roof = |name: &str, x: f64| {
                format!(
                    "  {name}:\n    shape: {{ box: {{ min: [-0.05, -0.2, -0.05], max: [0.05, 0.2, 0.05] }} }}\n    \
                     place: {{ rotate: {{ angle: 45, axis: [0.0, 1.0, 0.0] }}, translate: [{x}, 0.0, {:e}] }}\n",
                    -0.05 * 2f64.sqrt()
                )
            };
            let obstacles = format!(
                "{}{}  roller: {{ shape: {{ {shape} }}, mass: 4.0 }}\n",
                roof("left", -0.3),
                roof("right", 0.1)
            );
            let law = format!("friction: 0.3, level: {level}");
            let contacts = format!("{{ between: [roller, left], {law} }}, {{ between: [roller, right], {law} }}");
            let summary = run(&case_from(&case_of(&obstacles, &contacts, 0.2), "roller.yaml", &[]));
            let name = format!("{upper}, {level}");
            let height = column(&summary, "bodies/roller/centre_of_mass/2");
            at_most(
                &format!("{name}: way of the roller (m)"),
                size(&height.iter().map(|z| z - 0.1).collect::<Vec<_>>()),
                1e-9,
            );
            for (contact, (side, share)) in [("left", 0.25), ("right", 0.75)].into_iter().enumerate() {
                let force = last(&column(&summary, &format!("contacts/{contact}/normal_force")));
                near(&format!("{name}: force on the {side} edge (N)"), force, share * 4.0 * GRAVITY, 1e-6);
            }
            ledger_closes(&summary);
        }
    }
}

#[test]
fn a_roller_lies_on_a_narrow_table_and_tips_over_its_end() {
    source(
        "a roller lies still on a table under its middle; one whose middle is beyond the table's end tips, none enters",
    );
    for (middle, stays) in [(0.05, true), (0.15, false)] {
        let obstacles = format!(
            "  table: {{ shape: {{ box: {{ min: [-0.1, -0.3, -0.2], max: [0.1, 0.3, 0.0] }} }} }}\n  \
             roller: {{ shape: {{ cylinder: {{ point: [{}, 0.0, 0.1], direction: [1.0, 0.0, 0.0], radius: 0.1, length: 0.8 }} }}, mass: 4.0 }}\n",
            middle - 0.4
        );
        let summary = run(&case_from(
            &case_of(&obstacles, "{ between: [roller, table], friction: 0.3 }", 0.2),
            "table.yaml",
            &[],
        ));
        let turned = size(&column(&summary, "bodies/roller/rotation/1"));
        match stays {
            true => at_most("stays: turned about y", turned, 1e-9),
            false => runs::at_least("tips: turned about y", turned, 0.01),
        }
        at_most("penetration (m)", summary.largest_penetration, 1e-9);
        ledger_closes(&summary);
    }
}

#[test]
fn a_cylinder_stands_on_another_that_overhangs() {
    source(
        "equilibrium: what stands with its middle above the lower end face stays, although most rim points are beside it",
    );
    let obstacles = "  lower: { shape: { cylinder: { point: [0.0, 0.0, 0.0], direction: [0.0, 0.0, 1.0], radius: 0.1, length: 0.2 } }, mass: 1.0 }\n  \
         upper: { shape: { cylinder: { point: [0.08, 0.0, 0.2], direction: [0.0, 0.0, 1.0], radius: 0.1, length: 0.1 } }, mass: 1.0 }\n  \
         floor: { shape: { half_space: { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] } } }\n";
    for level in ["position", "velocity"] {
        let law = format!("friction: 0.5, level: {level}");
        let contacts = format!(
            "{{ between: [upper, lower], {law} }}, {{ between: [lower, floor], {law} }}, {{ between: [upper, floor], {law} }}"
        );
        let summary = run(&case_from(&case_of(obstacles, &contacts, 0.2), "overhang.yaml", &[]));
        for body in ["upper", "lower"] {
            for (path, limit) in [("rotation", 1e-9), ("velocity", 1e-9)] {
                let most =
                    (0..3).map(|k| size(&column(&summary, &format!("bodies/{body}/{path}/{k}")))).fold(0.0, f64::max);
                at_most(&format!("{level}: {path} of {body}"), most, limit);
            }
        }
        ledger_closes(&summary);
    }
}

#[test]
fn a_cone_comes_to_rest_on_its_side() {
    source(
        "a cone of height H and half angle α on its side: its centre of mass is ¾ H sin α above the table, its axis tilted by α",
    );
    let (height, radius) = (0.2, 0.1f64);
    let alpha = (radius / height).atan();
    for table in [
        "half_space: { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] }",
        "box: { min: [-1.0, -1.0, -0.1], max: [1.0, 1.0, 0.0] }",
    ] {
        // dropped with the lower line of its side a little tilted
        let obstacles = format!(
            "  table: {{ shape: {{ {table} }} }}\n  cone:\n    \
             shape: {{ cone: {{ point: [0.0, 0.0, 0.0], direction: [1.0, 0.0, 0.0], radius: {radius}, length: {height} }} }}\n    \
             place: {{ rotate: {{ angle: 32, axis: [0.0, 1.0, 0.0] }}, translate: [0.0, 0.0, 0.13] }}\n    mass: 1.0\n"
        );
        let summary =
            run(&case_from(&case_of(&obstacles, "{ between: [cone, table], friction: 0.4 }", 0.8), "cone.yaml", &[]));
        let at = last(&column(&summary, "bodies/cone/centre_of_mass/2"));
        near("height of the centre of mass (m)", at, 0.75 * height * alpha.sin(), 1e-8);
        at_most("penetration (m)", summary.largest_penetration, 1e-9);
        ledger_closes(&summary);
    }
}

#[test]
fn a_flat_cone_falls_over_from_its_rim() {
    source(
        "a cone wider than high, dropped on its rim: it comes to rest with its centre of mass H/4 above the floor, on its base",
    );
    let (height, radius) = (0.04, 0.1);
    let obstacles = format!(
        "  floor: {{ shape: {{ box: {{ min: [-1.0, -1.0, 0.0], max: [1.0, 1.0, 2.0], inside: true }} }} }}\n  cone:\n    \
         shape: {{ cone: {{ point: [0.0, 0.0, 0.0], direction: [0.0, 0.0, 1.0], radius: {radius}, length: {height} }} }}\n    \
         place: {{ rotate: {{ angle: 70, axis: [0.0, 1.0, 0.0] }}, translate: [0.0, 0.0, 0.12] }}\n    mass: 1.0\n"
    );
    let summary =
        run(&case_from(&case_of(&obstacles, "{ between: [cone, floor], friction: 0.4 }", 1.0), "flat.yaml", &[]));
    near(
        "height of the centre of mass (m)",
        last(&column(&summary, "bodies/cone/centre_of_mass/2")),
        0.25 * height,
        1e-9,
    );
    at_most("penetration (m)", summary.largest_penetration, 1e-9);
    ledger_closes(&summary);
}

/// Height above which a solid can be let down on another: the least over all planes between them of the height where they touch along it.
#[test]
fn every_shape_rests_on_every_other_where_planes_say() {
    source("separating planes: a solid let down touches at max s(n)/n_z over all n");
    let kinds = ["box", "sphere", "capsule", "cylinder", "cone"];
    let mut random = Random(11);
    for (i, below) in kinds.iter().enumerate() {
        for above in &kinds[..=i] {
            for turn in 0..3 {
                let (lower, base) = solid(below, Vector3::zeros(), &mut random);
                let aside = 0.02 * Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0);
                let (upper, body) = solid(above, aside + 0.25 * Vector3::z(), &mut random);
                let obstacles = format!("  lower:\n    {lower}\n  upper:\n    {upper}\n    mass: 1.0\n    free: [z]\n");
                let text = case_of(&obstacles, "{ between: [upper, lower] }", 0.3);
                let summary = run(&case_from(&text, "let_down.yaml", &[]));
                let way = column(&summary, "bodies/upper/centre_of_mass/2");
                // s(n) falls by n_z for each metre: with n_z = 1 its largest value is the way
                let s = |n: &Vector3<f64>| -body.height(&-n) - base.height(n);
                let n = highest_beside(s, Vector3::z(), 20.0);
                let expected = s(&n) / n.z;
                let name = format!("{above} on {below}, {turn}");
                near(&format!("{name}: way down (m)"), way[0] - last(&way), expected, 2e-9);
                let at = body.moved(
                    &nalgebra::Matrix3::identity(),
                    &Vector3::zeros(),
                    &(Vector3::z() * (last(&way) - way[0])),
                );
                at_most(&format!("{name}: overlap (m)"), -separation(&at, &base), 1e-9);
            }
        }
    }
}

#[test]
fn thrown_solids_keep_their_momenta() {
    source("free bodies: momentum and angular momentum are those of the start; contact gives no energy");
    let mut random = Random(5);
    for (one, other) in
        [("cylinder", "cylinder"), ("cone", "cylinder"), ("capsule", "capsule"), ("box", "cone"), ("capsule", "box")]
    {
        let (a, _) = solid(one, Vector3::new(0.0, 0.0, 0.0), &mut random);
        let (b, _) = solid(other, Vector3::new(0.03, 0.02, 0.2), &mut random);
        let text = format!(
            "geometry: solid\ntime: {{ end: 0.2, step: 1.0e-3, newton: {{ residual: 1.0e-13, increment: 1.0e-13 }} }}\nobstacles:\n  a:\n    {a}\n    mass: 1.0\n  b:\n    {b}\n    mass: 1.5\n    \
             velocity: [0.1, -0.2, -2.0]\n    angular_velocity: [1.0, 2.0, 3.0]\ncontacts: [{{ between: [a, b], friction: 0.3 }}]\n"
        );
        let summary = run(&case_from(&text, "thrown.yaml", &[]));
        for (path, scale) in [("momentum", 3.0), ("angular_momentum", 0.1)] {
            let change = (0..3).map(|axis| {
                let values = column(&summary, &format!("{path}/{axis}"));
                values.iter().fold(0.0, |m, x| f64::max(m, (x - values[0]).abs()))
            });
            // reactions act where the last iteration but one found them: as exact as Newton's last increment is small
            at_most(&format!("{one} and {other}: {path}, largest change"), change.fold(0.0, f64::max) / scale, 1e-10);
        }
        let energy = column(&summary, "total_energy");
        at_most(&format!("{one} and {other}: energy gained"), (last(&energy) - energy[0]) / energy[0], 1e-12);
        at_most(&format!("{one} and {other}: they met, energy kept"), last(&energy) / energy[0], 0.99);
        at_most("penetration (m)", summary.largest_penetration, 1e-9);
        ledger_closes(&summary);
    }
}
