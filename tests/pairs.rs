//! Deformable bodies against deformable bodies and against themselves: exact solutions (bars, patch), what must not change
//! (momentum, angular momentum, energy) and what must not happen (penetration, tunnelling, a catch from behind, work
//! without need). What must not matter is in tests/invariance.rs, the gallery in tests/gallery.rs.

mod runs;

use impakt::bodies::Span;
use impakt::case::build;
use impakt::contact::detection::{Family, Grade, Pairs, Placed, Rule, Skin, Surfaces, Terms, Vector};
use impakt::mesh::generate::{Disc, PlaneCells, SolidCells, Sphere, disc, sphere};
use runs::claims::source;
use runs::{at_least, at_most, case, case_from, column, last, max, min, near, run, run_file, size};

/// Two equal bars exchange their velocities; they part when the wave has come back from the free ends, 2 L/c after they met.
#[test]
fn two_bars_exchange_their_velocities() {
    source("one-dimensional wave equation");
    let summary = run_file("cases/pairs/two_bars.yaml", &["time.scheme={ jean: { theta: 0.52, xi: 0.52 } }"]);
    let (times, force) = (column(&summary, "time"), column(&summary, "bodies/right/contact_force/0"));
    let touching: Vec<f64> = times.iter().zip(&force).filter(|(_, f)| **f > 1.0).map(|(t, _)| *t).collect();
    let duration = touching[touching.len() - 1] - touching[0];
    near("contact time of two bars against 2 L/c", duration, 2.0 * 10.0 / 30.0, 0.02 * 2.0 * 10.0 / 30.0);
    near("velocity of the bar that was hit", last(&column(&summary, "bodies/right/velocity/0")), 10.0, 0.2);
    near("velocity of the bar that hit", last(&column(&summary, "bodies/left/velocity/0")), 0.0, 0.2);
    let impulse: f64 = force.windows(2).zip(times.windows(2)).map(|(f, t)| f[1] * (t[1] - t[0])).sum();
    near("impulse against m v", impulse, 100.0, 2.0);
}

/// Largest deviation of the stress over all cells of both bodies from the uniform one.
fn patch_error(sets: &[&str]) -> f64 {
    let summary = run_file("cases/pairs/patch_two_passes.yaml", sets);
    let uniform = 5.0 / 0.91 * 0.79f64.sqrt();
    let cells = summary.simulation.stresses.iter().flatten().flat_map(|field| &field.von_mises);
    cells.map(|stress| (stress - uniform).abs() / uniform).fold(0.0, f64::max)
}

#[test]
fn contact_patch_test() {
    source("uniform stress (contact patch test of Taylor and Papadopoulos 1991)");
    at_most("two passes, 3 against 4 cells: relative error of the stress", patch_error(&[]), 1e-8);
    let matching = &["bodies.upper.mesh.rectangle.divisions=[3, 4]"];
    at_most("two passes, matching cells", patch_error(matching), 1e-8);
    let one = "contacts.0.passes=one";
    at_most("one pass, matching cells", patch_error(&[matching[0], one]), 1e-8);
    // one pass is known to fail where meshes differ: by how much is written down
    let error = patch_error(&[one]);
    at_most("one pass, 3 against 4 cells: the known error", error, 0.1);
    at_least("and it is an error", error, 1e-3);
}

/// The same in space: two cubes on each other, compressed by 0.5 % with free sides.
#[test]
fn contact_patch_test_in_space() {
    source("uniform stress (contact patch test of Taylor and Papadopoulos 1991)");
    let text = "
geometry: solid
time: { end: 1.0, step: 1.0, scheme: quasi_static }
materials: { solid: { density: 1.0, law: { linear: { young: 1000.0, poisson: 0.3 } } } }
bodies:
  lower: { mesh: { box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2] } }, material: solid }
  upper: { mesh: { box: { min: [0, 0, 1], max: [1, 1, 2], divisions: [3, 3, 2] } }, material: solid }
boundary:
  - { fixed: { on: lower.z_min, axes: [z] } }
  - { fixed: { on: lower.x_min, axes: [x] } }
  - { fixed: { on: upper.x_min, axes: [x] } }
  - { fixed: { on: lower.y_min, axes: [y] } }
  - { fixed: { on: upper.y_min, axes: [y] } }
  - { displacement: { on: upper.z_max, z: { ramp: { to: -0.01, rise: 1.0 } } } }
contacts: [{ between: [lower.z_max, upper.z_min], passes: two }]
";
    let error = |sets: &[&str]| {
        let summary = run(&case_from(text, "patch.yaml", sets));
        let cells = summary.simulation.stresses.iter().flatten().flat_map(|field| &field.von_mises);
        cells.map(|stress| (stress / 5.0 - 1.0).abs()).fold(0.0, f64::max)
    };
    at_most("two passes, 2 against 3 cells", error(&[]), 1e-8);
    at_most("two passes, 2 against 4 by 5 cells", error(&["bodies.upper.mesh.box.divisions=[4, 5, 2]"]), 1e-8);
    // what is known not to be exact: one pass, and triangles against quads
    for (name, set) in [("one pass", "contacts.0.passes=one"), ("triangles", "bodies.upper.mesh.box.cells=tets")] {
        let known = error(&[set]);
        at_most(&format!("{name}: the known error"), known, 0.1);
        at_least(&format!("{name}: and it is an error"), known, 1e-3);
    }
}

fn drift(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| f64::max(m, (x - values[0]).abs()))
}

/// At position level the reactions act where the bodies are halfway: no moment is made up either.
#[test]
fn midpoint_forces_keep_the_angular_momentum_at_position_level() {
    source("conservation laws");
    let midpoint = "time.scheme={ jean: { theta: 0.5, xi: 0.5, force: midpoint } }";
    // places halfway are those of the last iterate: as exact as Newton's method
    let exact = "time.newton={ residual: 1.0e-12, increment: 1.0e-13 }";
    // with two passes reactions that share a node are told apart by the solver's tolerance only
    // one pass: nodes of the master may enter a chord of the slave as far as both are high, (2 mm)²/(8 · 10 mm) each
    for (passes, limit, deepest) in [("one", 1e-9, 1e-4), ("two", 1e-8, 1e-9)] {
        let summary =
            run_file("cases/pairs/two_discs.yaml", &[midpoint, exact, &format!("contacts.0.passes={passes}")]);
        let angular = column(&summary, "angular_momentum");
        at_most(&format!("angular momentum, {passes} pass"), drift(&angular) / angular[0].abs(), limit);
        at_most("momentum", size(&column(&summary, "momentum/0")), 1e-12);
        at_most("penetration", max(&column(&summary, "max_penetration")), deepest);
    }
}

/// Discs of eight sides that graze each other without friction. Normals turn over a side by up to 22.5° while the gap is that to the side:
/// a reaction along them pushes a node that slides on its way.
#[test]
fn reactions_between_coarse_bodies_put_no_energy_in() {
    source("Signorini: a contact that lasts does no work");
    let text = "
geometry: plane_strain
time: { end: 3.0e-3, step: 2.0e-5, scheme: { jean: { theta: 0.5, xi: 0.5, force: discrete_gradient } } }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies:
  left: { mesh: { disc: { radius: 0.01, core: 2, layers: 1 } }, material: rubber, velocity: [5, 0] }
  right:
    mesh: { disc: { radius: 0.01, core: 2, layers: 1, centre: [0.018, 0.012] } }
    material: rubber
    velocity: [-5, 0]
contacts: [{ between: [left.surface, right.surface], friction: 0, passes: two }]
";
    let explicit = "time={ end: 3.0e-3, step: auto, scheme: { explicit: { courant: 0.6 } } }";
    for sets in [&[][..], &["contacts.0.passes=one"][..], &[explicit][..]] {
        let summary = run(&case_from(text, "discs.yaml", sets));
        let (work, energy) = (column(&summary, "contact_work"), column(&summary, "total_energy"));
        let put_in: f64 = work.windows(2).map(|w| (w[1] - w[0]).max(0.0)).sum();
        // a step may put 5e-4 in
        at_most(&format!("{sets:?}: work put in / energy"), put_in / energy[0], 2e-3);
        at_most(&format!("{sets:?}: work of contact / energy"), max(&work) / energy[0], 1e-6);
        at_least(&format!("{sets:?}: they do meet (N)"), size(&column(&summary, "contacts/0/normal_force")), 1.0);
    }
}

/// The same in space, at all levels that conserving schemes know, whoever holds whom.
#[test]
fn angular_momentum_is_kept_in_space() {
    source("conservation laws; forces of a pair act in one place halfway through the step");
    let exact = "time.newton={ residual: 1.0e-12, increment: 1.0e-13 }";
    let cases = [
        ("position, midpoint, one pass", "midpoint", "one", "position", 1e-9),
        ("position, midpoint, two passes", "midpoint", "two", "position", 1e-9),
        ("rate, discrete gradient, two passes", "discrete_gradient", "two", "rate", 1e-9),
        // places halfway are those of the last iterate but one
        ("velocity, midpoint, two passes", "midpoint", "two", "velocity", 1e-8),
    ];
    for (name, force, passes, level, limit) in cases {
        let sets = [
            format!("time.scheme={{ jean: {{ theta: 0.5, xi: 0.5, force: {force} }} }}"),
            format!("contacts.0.passes={passes}"),
            format!("contacts.0.level={level}"),
            exact.to_owned(),
            "time.end=1.0e-3".to_owned(),
        ];
        let summary = run_file("cases/pairs/two_spheres.yaml", &sets.each_ref().map(String::as_str));
        let columns: Vec<Vec<f64>> = (0..3).map(|axis| column(&summary, &format!("angular_momentum/{axis}"))).collect();
        let start = columns.iter().map(|c| c[0] * c[0]).sum::<f64>().sqrt();
        for (axis, values) in columns.iter().enumerate() {
            at_most(&format!("{name}: angular momentum, axis {axis}"), drift(values) / start, limit);
        }
        at_least(&format!("{name}: force (N)"), size(&column(&summary, "contacts/0/normal_force")), 1.0);
    }
}

const SHEET: &str = "
geometry: plane_strain
time: { end: 4.0e-4, step: 1.0e-4 }
materials:
  stiff: { density: 1000.0, law: { neo_hooke: { young: 1.0e8, poisson: 0.3 } } }
bodies:
  sheet:
    mesh: { rectangle: { min: [0.0, -0.1], max: [0.002, 0.1], divisions: [1, 40] } }
    material: stiff
  block:
    mesh: { rectangle: { min: [-0.021, -0.0105], max: [-0.001, 0.0095], divisions: [4, 4] } }
    material: stiff
    velocity: [100.0, 0.0]
contacts: [{ between: [block.surface, sheet.surface], passes: two }]
";

/// A block that goes five times the sheet's thickness in a step does not jump through it.
#[test]
fn a_fast_block_does_not_tunnel_through_a_thin_sheet() {
    source("a solid body does not pass through another");
    let summary = run(&case_from(SHEET, "sheet.yaml", &[]));
    let (block, sheet) = (column(&summary, "bodies/block/velocity/0"), column(&summary, "bodies/sheet/velocity/0"));
    at_least("the sheet is carried along", last(&sheet), 10.0);
    at_most("the block is slowed down", last(&block), 95.0);
}

/// A node behind the sheet belongs to its back: sheet and block part in peace.
#[test]
fn a_block_that_leaves_a_thin_sheet_is_not_caught_from_behind() {
    source("no contact, no force");
    let summary = run(&case_from(SHEET, "sheet.yaml", &["bodies.block.velocity=[-100.0, 0.0]"]));
    at_most("contact force", size(&column(&summary, "bodies/block/contact_force/0")), 0.0);
    // 0.1 mm in front of the sheet, wider than it is thick, and at rest
    let beside = ["bodies.block.velocity=[0, 0]", "bodies.block.mesh.rectangle.max=[-0.0001, 0.0095]"];
    let summary = run(&case_from(SHEET, "sheet.yaml", &beside));
    at_most("contact force at rest", size(&column(&summary, "bodies/block/contact_force/0")), 0.0);
}

#[test]
fn a_ring_that_is_squeezed_touches_itself() {
    source("Signorini");
    // node on node
    let summary = run_file("cases/pairs/ring_on_itself.yaml", &["bodies.ring.mesh.place.rotate=0.0"]);
    at_most("penetration", max(&column(&summary, "max_penetration")), 1e-9);
    let (top, bottom) = (column(&summary, "probes/top/position/1"), column(&summary, "probes/bottom/position/1"));
    let apart: Vec<f64> = top.iter().zip(&bottom).map(|(a, b)| a - b).collect();
    at_most("the inner sides meet", min(&apart), 1e-6);
    // the two nodes may slide past each other's sides, by no more than the surface is curved there
    at_least("and do not pass each other", min(&apart), -1e-6);
}

#[test]
fn bodies_that_start_inside_each_other_are_told_so_and_can_be_pushed_out() {
    source("the message names node, place and depth");
    let close = "bodies.right.mesh.disc.centre=[0.009, 0.0]";
    let refused = build(&case("cases/pairs/two_discs.yaml", &[close])).expect_err("the discs overlap").to_string();
    for part in ["contacts.0: body `", "` starts inside body `", " is 5.000e-4 m deep", "overlap: push_out"] {
        assert!(refused.contains(part), "no `{part}` in: {refused}");
    }
    let sets = [close, "contacts.0.overlap=push_out", "time.end=5.0e-4"];
    let summary = run(&case("cases/pairs/two_discs.yaml", &sets));
    at_most("penetration after pushing out", max(&column(&summary, "max_penetration")), 1e-9);
    near("and nothing is strained at the start", column(&summary, "strain_energy")[0], 0.0, 0.0);
}

/// A body that leaves the scene flies on; the run ends as planned.
#[test]
fn a_body_that_leaves_the_scene_flies_on() {
    source("free flight");
    let away = ["bodies.left.velocity=[-1.0e4, 0.0]", "time.end=5.0e-4", "contacts.0.friction=0.5"];
    let summary = run(&case("cases/pairs/two_discs.yaml", &away));
    near("way", last(&column(&summary, "bodies/left/centre_of_mass/0")), -0.0105 - 1e4 * 5e-4, 1e-9);
}

/// Of three discs two meet; the third is at rest beside them. Once in place it is left alone: one force for each step, where the
/// others have one for each iteration. And linear bodies keep their first factor for the whole run.
#[test]
fn bodies_without_contact_do_no_work_and_linear_ones_keep_their_factor() {
    source("counted: forces, matrices and factors of each body");
    let third =
        "bodies.third={ mesh: { disc: { radius: 0.01, centre: [0.0, 0.1], core: 8, layers: 4 } }, material: foam }";
    let sets = [third, "contacts.0.between=['*', '*']", "time.end=1.0e-3"];
    let summary = run(&case("cases/pairs/two_discs.yaml", &sets));
    let tally = |b: usize| summary.simulation.system.with_nodes(b).tally();
    let (steps, iterations) = (summary.steps, summary.newton_iterations);
    println!("{steps} steps, {iterations} iterations: {:?}, {:?}", tally(0), tally(2));
    at_least("forces of a disc that meets another, per iteration", tally(0).forces as f64 / iterations as f64, 1.0);
    at_most("forces of the disc at rest, per step", tally(2).forces as f64 / steps as f64, 1.05);
    at_most("factors of the disc at rest", tally(2).factors as f64, 1.0);
    let linear = ["materials.foam.law={ linear: { young: 7.5e6, poisson: 0.25 } }", "time.end=1.0e-3"];
    let summary = run(&case("cases/pairs/two_discs.yaml", &linear));
    at_least("linear discs: force (N)", size(&column(&summary, "contacts/0/normal_force")), 1.0);
    let factors = summary.simulation.system.all().deformable().map(|(_, body)| body.tally().factors).max().unwrap_or(0);
    at_most("factors of a linear disc in contact, whole run", factors as f64, 1.0);
}

/// Two discs or balls with dents, anywhere near each other.
struct Dented<'a> {
    meshes: &'a [impakt::mesh::Mesh; 2],
    /// Height of the dents.
    dents: f64,
    shift: Vector,
    seed: f64,
}

impl Placed for Dented<'_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        let x = Vector::from(self.meshes[body].nodes[node]);
        let wave = 1.0 + self.dents * (5.0 * x[1].atan2(x[0]) + self.seed + body as f64).sin() * (1.0 - x[2] * x[2]);
        wave * x + if body == 1 { self.shift } else { Vector::zeros() }
    }
}

/// The tree of boxes, refitted from place to place, finds every node on a facet that asking all facets finds. Edges that cross know where
/// they were before, and are not asked.
#[test]
fn the_search_loses_no_point_that_brute_force_finds() {
    source("brute force");
    let flat = Disc { radius: 1.0, centre: [0.0; 2], core: 6, layers: 1, cells: PlaneCells::Quads };
    let ball = Sphere { radius: 1.0, centre: [0.0; 3], core: 5, layers: 1, cells: SolidCells::Hexes };
    let tets = Sphere { core: 4, cells: SolidCells::Tets, ..ball };
    let discs = [disc(&flat).expect("disc"), disc(&Disc { core: 8, ..flat }).expect("disc")];
    let balls = [sphere(&ball).expect("ball"), sphere(&tets).expect("ball")];
    for (name, meshes, places) in [("discs", discs, 400), ("balls", balls, 160)] {
        let skin = |body: usize| Skin::new(body, meshes[body].face_sets["surface"].clone());
        let pairs = |search: f64| {
            let mut pairs = Pairs::default();
            (0..2).for_each(|body| assert_eq!(pairs.add_skin(skin(body), Grade::default()), body));
            let terms = Terms { search: Some(search), ..Terms::default() };
            let family = Family::new(0, vec![0], vec![1], false);
            pairs.declare(Surfaces { family, rule: Rule { terms, both: true, ..Rule::default() } });
            pairs
        };
        let span = Span { start: 0.0, dt: 1.0, weight: 0.5, rate: 2.0, moves: true };
        let (mut compared, mut inside, mut edges, mut worst) = (0, 0, 0, 0.0);
        let solid = meshes[0].dim() == 3;
        for k in 0..places {
            let (angle, far) = (0.37 * f64::from(k), 1.9 + 0.2 * f64::from(k % (places / 2)) / f64::from(places / 2));
            let up = if solid { 0.6 * (0.9 * f64::from(k)).sin() } else { 0.0 };
            let shift = far * Vector::new(angle.cos(), angle.sin(), up).normalize();
            let at =
                Dented { meshes: &meshes, dents: if solid { 0.03 } else { 0.1 }, shift, seed: 0.11 * f64::from(k) };
            // the tree of the search was built elsewhere
            let before = Dented { shift: 1.1 * shift, seed: 0.0, ..at };
            let mut fast = pairs(0.05);
            fast.begin(&before, |_, _| Vector::zeros(), |_| 1.0, &span);
            let found = [fast, pairs(1e3)].map(|mut pairs| {
                pairs.begin(&at, |_, _| Vector::zeros(), |_| 1.0, &span);
                let mut points = Vec::new();
                pairs.find(&at, &at, |_| true);
                pairs.join(|_| true, &mut points);
                // edges (pass 8) that are inside each other count by what was in front of what before, which is not the same here
                points.retain(|p| p.gap.abs() <= 0.04 && (p.identity.pass != 8 || p.gap > 0.0));
                points.sort_by_key(|p| p.identity);
                points
            });
            assert_eq!(found[0].len(), found[1].len(), "{name}, place {k}");
            for (a, b) in found[0].iter().zip(&found[1]) {
                assert_eq!((a.identity, a.gap, a.frame), (b.identity, b.gap, b.frame), "{name}, place {k}");
                // in the plane a point on the facet, seen along the normal
                let foot =
                    b.other.map(|other| other.parts().map(|(n, w)| w * at.position(other.body, n)).sum::<Vector>());
                let x: Vector = a.anchor.parts().map(|(n, w)| w * at.position(a.anchor.body, n)).sum();
                let miss = (x - foot.expect("a master") - a.gap * a.frame[0]).norm();
                worst = f64::max(worst, if solid { 0.0 } else { miss });
                inside += usize::from(a.gap < 0.0);
            }
            compared += found[0].len();
            edges += found[0].iter().filter(|p| p.identity.pass == 8).count();
        }
        at_most(&format!("{name}: slave, foot and normal in one line"), worst, 1e-12);
        println!("{name}: {compared} points, {inside} of them inside, {edges} where edges cross");
        assert!(compared > 300 && inside > 60, "{name}: {compared} points, {inside} inside");
        assert!(!solid || edges > 20, "{name}: {edges} edges");
    }
}
