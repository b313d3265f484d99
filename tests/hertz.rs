//! Hertz's contact: a cylinder (the NAFEMS roller) and a sphere pressed on a rigid plane, and the sphere thrown at it; two
//! cylinders and two spheres of different size and material pressed on each other.
//!
//! ```text
//!      equator, lowered by δ
//!    0 +--------------------+      half of the section: on the left the plane of symmetry or the axis;
//!      |                  .'       rows and columns are a/12 where they meet at the lowest point and
//!      |               .-'         grow by a constant factor from 1.3 a on
//!   -R +_________..--''
//!   ////////////////////////////   rigid plane
//! ```
//!
//! Lowering the equator as a plane is what a second rigid plane above, pressed with the same force, would do by symmetry.
//! The plane is rigid and the law linear, so that the gap of a node is its height: no second-order effect of sliding along a
//! round obstacle enters. What is left of the 3 % is the mesh, and the size of the body: Hertz's half-space has no equator.

mod runs;

use std::f64::consts::PI;

use impakt::reference::hertz::{self, Impact, Line, Point};
use impakt::simulation::Summary;
use runs::ball::{half_section, section};
use runs::claims::source;
use runs::{argmax, at_most, case_from, column, last, max, min, near, run};

/// A node of the arc in contact: distance from the axis and pressure.
#[derive(Clone, Copy)]
struct Foot {
    x: f64,
    pressure: f64,
    force: f64,
}

/// What the run says of its contact. A pressure is the force of a node over its share of the surface, ∫ N (2π r) dx.
struct Pressed {
    force: f64,
    feet: Vec<Foot>,
    /// First node that does not touch.
    open: f64,
}

fn pressed(summary: &Summary, radius: f64, revolved: bool) -> Pressed {
    let (body, contact) = (summary.simulation.system.with_nodes(0), &summary.simulation.nodes[0]);
    let on_arc = |x: &[f64; 3]| (x[0].hypot(x[1] - radius) - radius).abs() < 1e-9 * radius && x[1] < 0.9 * radius;
    let nodes = body.mesh.nodes.iter().zip(contact.force.chunks_exact(2));
    let mut arc: Vec<(f64, f64)> = nodes.filter(|(x, _)| on_arc(x)).map(|(x, f)| (x[0], f[1])).collect();
    arc.sort_by(|a, b| a.0.total_cmp(&b.0));
    let share = |near: f64, far: f64| {
        let h = (far - near).abs();
        if revolved { 2.0 * PI * h * (2.0 * near + far) / 6.0 } else { 0.5 * h }
    };
    let touching = arc.iter().take_while(|(_, force)| *force > 0.0).count();
    let feet: Vec<Foot> = (0..touching)
        .map(|k| {
            let (x, force) = arc[k];
            let inside = if k > 0 { share(x, arc[k - 1].0) } else { 0.0 };
            Foot { x, force, pressure: force / (inside + share(x, arc[k + 1].0)) }
        })
        .collect();
    assert!(arc[touching..].iter().all(|(_, force)| *force == 0.0), "the contact is one piece");
    Pressed { force: feet.iter().map(|foot| foot.force).sum(), feet, open: arc[touching].0 }
}

impl Pressed {
    /// Σ f x² / Σ f, which is a²/4 under Hertz's pressure on a line and 2a²/5 on a disc.
    fn second_moment(&self) -> f64 {
        self.feet.iter().map(|foot| foot.force * foot.x * foot.x).sum::<f64>() / self.force
    }
}

/// Lowers the equator until the plane holds `wanted` (times 1 − 1e-4): the secant rule on the power law F ~ δ^power.
fn lowered(wanted: f64, start: f64, mut solve: impl FnMut(f64) -> Pressed) -> (f64, Pressed) {
    let (mut depth, mut power) = (start, 1.25);
    let mut before: Option<(f64, f64)> = None;
    for _ in 0..8 {
        let found = solve(depth);
        if (found.force / wanted - 1.0).abs() < 1e-4 {
            return (depth, found);
        }
        if let Some((depth_before, force_before)) = before {
            power = (found.force / force_before).ln() / (depth / depth_before).ln();
        }
        before = Some((depth, found.force));
        depth *= (wanted / found.force).powf(1.0 / power);
    }
    panic!("no depth gives {wanted} N");
}

fn squeezed(mesh: &str, geometry: &str, young: f64, radius: f64, depth: f64, steps: usize) -> Pressed {
    let side = if geometry == "plane_strain" { "\n  - { fixed: { on: ball.axis, axes: [x] } }" } else { "" };
    let text = format!(
        "
geometry: {geometry}
time: {{ end: 1.0, step: {step}, scheme: quasi_static }}
materials: {{ metal: {{ density: 2700.0, law: {{ linear: {{ young: {young:e}, poisson: 0.3 }} }} }} }}
bodies: {{ ball: {{ mesh: {{ gmsh: \"{mesh}\", group: ball }}, material: metal }} }}
obstacles: {{ floor: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }} }}
boundary:
  - {{ displacement: {{ on: ball.equator, y: {{ ramp: {{ to: -{depth:e}, rise: 1.0 }} }} }} }}{side}
contacts: [{{ between: [ball.surface, floor], search: {search:e} }}]
",
        step = 1.0 / steps as f64,
        search = 4.0 * depth,
    );
    let summary = run(&case_from(&text, "hertz.yaml", &[]));
    assert_eq!(max(&column(&summary, "kinetic_energy")), 0.0);
    pressed(&summary, radius, geometry == "axisymmetric")
}

#[test]
fn nafems_roller() {
    // Steel cylinder on aluminium block. Hertz knows only 1/E* = Σ (1 − ν²)/E and 1/R: the same contact is that of a
    // cylinder of 52.5 GPa on a rigid plane.
    source(
        "NAFEMS advanced contact benchmark 1, cylinder on block, by Hertz's closed form [Johnson1985]; the equivalent cylinder on a rigid plane",
    );
    let (radius, force) = (0.05, 35e6);
    let modulus = hertz::contact_modulus(&[(210e9, 0.3), (70e9, 0.3)]);
    let young = modulus * (1.0 - 0.09);
    let hertz = Line::new(force, radius, modulus);
    near("closed form: half width (m) against the published 6.2146 mm", hertz.half_width, 6.2146e-3, 5e-8);
    near("closed form: peak pressure (Pa) against the published 3585.4 MPa", hertz.peak, 3585.4e6, 5e4);
    let cell = hertz.half_width / 12.0;
    let mesh = half_section("roller", radius, cell, 1.3 * hertz.half_width, 1.25, false);
    let (_, found) = lowered(0.5 * force, 1e-3, |depth| squeezed(&mesh, "plane_strain", young, radius, depth, 1));
    at_most("cells across half the contact: spacing / a", found.feet[1].x / hertz.half_width, 0.1);
    near("force per length (N/m)", 2.0 * found.force, force, 1e-4 * force);
    near(
        "half width from Σ f x² / Σ f = a²/4 (m)",
        2.0 * found.second_moment().sqrt(),
        hertz.half_width,
        0.03 * hertz.half_width,
    );
    near("pressure in the middle (Pa)", found.feet[0].pressure, hertz.peak, 0.03 * hertz.peak);
    edges_and_profile(&found, hertz.half_width, hertz.peak, |x| hertz.pressure(x));
}

/// The last node that touches and the first that does not enclose `a` within one cell, and the pressure follows the ellipse.
fn edges_and_profile(found: &Pressed, a: f64, peak: f64, hertz: impl Fn(f64) -> f64) {
    let cell = found.feet[1].x;
    at_most("edge of the contact: last touching node / a", found.feet[found.feet.len() - 1].x / a, 1.0 + cell / a);
    runs::at_least("edge of the contact: first open node / a", found.open / a, 1.0 - cell / a);
    let off =
        found.feet.iter().filter(|foot| foot.x < 0.9 * a).map(|foot| (foot.pressure - hertz(foot.x)).abs() / peak);
    at_most("pressure against the ellipse for x < 0.9 a, largest difference / p0", off.fold(0.0, f64::max), 0.03);
}

const BALL: f64 = 0.01;
const YOUNG: f64 = 70e9;
const DENSITY: f64 = 2700.0;

#[test]
fn sphere_on_a_plane() {
    source("Hertz's closed form [Johnson1985]: sphere of 10 mm, 70 GPa, on a rigid plane under 1 kN");
    let modulus = hertz::contact_modulus(&[(YOUNG, 0.3)]);
    let hertz = Point::new(1000.0, BALL, modulus);
    near("closed form: radius of the contact (m) against 0.46026 mm", hertz.radius, 0.46026e-3, 5e-9);
    near("closed form: peak pressure (Pa) against 2253.9 MPa", hertz.peak, 2253.9e6, 5e4);
    near("closed form: approach (m) against 21.184 µm", hertz.approach, 21.184e-6, 5e-10);
    let mesh = half_section("sphere", BALL, hertz.radius / 12.0, 1.3 * hertz.radius, 1.25, false);
    let (depth, found) =
        lowered(1000.0, hertz.approach, |depth| squeezed(&mesh, "axisymmetric", YOUNG, BALL, depth, 1));
    at_most("cells across half the contact: spacing / a", found.feet[1].x / hertz.radius, 0.1);
    near(
        "radius from Σ f r² / Σ f = 2a²/5 (m)",
        (2.5 * found.second_moment()).sqrt(),
        hertz.radius,
        0.03 * hertz.radius,
    );
    near("pressure in the middle (Pa)", found.feet[0].pressure, hertz.peak, 0.03 * hertz.peak);
    near("approach of the equator (m)", depth, hertz.approach, 0.03 * hertz.approach);
    edges_and_profile(&found, hertz.radius, hertz.peak, |r| hertz.pressure(r));
    // the way there does not matter: one load step or four
    let steps = squeezed(&mesh, "axisymmetric", YOUNG, BALL, depth, 4);
    near("force in four load steps against one (N)", steps.force, found.force, 1e-6 * found.force);
}

#[test]
fn pressure_of_the_sphere_converges() {
    // The largest error sits at the axis, where the share of a node in the area is smallest.
    source("Hertz's closed form [Johnson1985], mesh refined at the contact only");
    let hertz = Point::new(1000.0, BALL, hertz::contact_modulus(&[(YOUNG, 0.3)]));
    let error = |cells: f64| {
        let mesh = half_section(&format!("sphere{cells}"), BALL, hertz.radius / cells, 1.3 * hertz.radius, 1.25, false);
        let (_, found) =
            lowered(1000.0, hertz.approach, |depth| squeezed(&mesh, "axisymmetric", YOUNG, BALL, depth, 1));
        let inside = found.feet.iter().filter(|foot| foot.x < 0.7 * hertz.radius);
        inside.map(|foot| (foot.pressure - hertz.pressure(foot.x)).abs() / hertz.peak).fold(0.0, f64::max)
    };
    let errors = [6.0, 12.0, 24.0].map(error);
    for (coarse, fine) in [(0, 1), (1, 2)] {
        // first order: the error is that of the node on the axis, whose own ring shrinks with the cell
        let what = format!("largest error for r < 0.7 a: {} cells a against {}", 12 << coarse, 6 << coarse);
        at_most(&what, errors[fine] / errors[coarse], 0.6);
    }
}

#[test]
fn sphere_thrown_at_a_plane() {
    // Contact lasts fifteen times as long as a wave takes across the ball, so that Hertz's static force is right within the
    // 5 %.
    source("Hertz's impact [Johnson1985, ch. 11]: the same sphere, 2700 kg/m³, at 1 m/s");
    let modulus = hertz::contact_modulus(&[(YOUNG, 0.3)]);
    let mass = DENSITY * 4.0 / 3.0 * PI * BALL.powi(3);
    let hertz = Impact::new(mass, 1.0, BALL, modulus);
    near("closed form: largest approach (m) against 18.02 µm", hertz.approach, 18.02e-6, 5e-9);
    near("closed form: contact time (s) against 53.04 µs", hertz.duration, 53.04e-6, 5e-9);
    near("closed form: largest force (N) against 784.5 N", hertz.force, 784.5, 0.05);
    let a = (BALL * hertz.approach).sqrt();
    let mesh = half_section("thrown", BALL, a / 10.0, 1.2 * a, 1.15, true);
    for level in ["position", "rate", "velocity"] {
        let text = format!(
            "
geometry: axisymmetric
time: {{ end: 62.0e-6, step: 0.25e-6 }}
materials: {{ metal: {{ density: {DENSITY:e}, law: {{ linear: {{ young: {YOUNG:e}, poisson: 0.3 }} }} }} }}
bodies: {{ ball: {{ mesh: {{ gmsh: \"{mesh}\", group: ball }}, material: metal, velocity: [0.0, -1.0] }} }}
obstacles: {{ floor: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }} }}
contacts: [{{ between: [ball.surface, floor], level: {level}, search: 1.0e-4 }}]
"
        );
        let summary = run(&case_from(&text, "thrown.yaml", &[]));
        let (time, step) = (column(&summary, "time"), column(&summary, "step_size"));
        let force = column(&summary, "contact_force/1");
        let height = column(&summary, "bodies/ball/centre_of_mass/1");
        let touching: Vec<usize> = (0..time.len()).filter(|&k| force[k] > 1e-3 * hertz.force).collect();
        let duration = time[touching[touching.len() - 1]] - (time[touching[0]] - step[touching[0]]);
        near(
            &format!("{level}: largest approach (m)"),
            height[0] - min(&height),
            hertz.approach,
            0.05 * hertz.approach,
        );
        near(&format!("{level}: contact time (s)"), duration, hertz.duration, 0.05 * hertz.duration);
        near(&format!("{level}: largest force (N)"), max(&force), hertz.force, 0.05 * hertz.force);
        // the force is largest in the middle of the contact: the motion is its own mirror image in time
        near(
            &format!("{level}: moment of the largest force (s)"),
            time[argmax(&force)],
            0.5 * hertz.duration,
            0.05 * hertz.duration,
        );
        let meshed = 2.0 * column(&summary, "kinetic_energy")[0];
        near(&format!("{level}: mass of the mesh (kg)"), meshed, mass, 5e-3 * mass);
        let impulse: f64 = force.iter().zip(&step).map(|(f, dt)| f * dt).sum();
        let rebound = last(&column(&summary, "bodies/ball/velocity/1"));
        near(&format!("{level}: impulse = m Δv (N s)"), impulse, meshed * (1.0 + rebound), 1e-9 * impulse);
        // Love: a ball this slow keeps next to no vibration
        near(&format!("{level}: speed of the rebound (m/s)"), rebound, 1.0, 2e-3);
        let energy = column(&summary, "total_energy");
        at_most(&format!("{level}: ledger error / energy"), summary.largest_error / energy[0], 1e-10);
    }
}

/// Two balls or rollers, the upper one lowered at its equator, the lower one held at its own.
fn pressed_together(meshes: [&str; 2], geometry: &str, young: [f64; 2], radius: f64, depth: f64) -> Pressed {
    let axis = |body: &str| format!("\n  - {{ fixed: {{ on: {body}.axis, axes: [x] }} }}");
    let sides = if geometry == "plane_strain" { axis("upper") + &axis("lower") } else { String::new() };
    let text = format!(
        "
geometry: {geometry}
time: {{ end: 1.0, step: 1.0, scheme: quasi_static }}
materials:
  hard: {{ density: 1.0, law: {{ linear: {{ young: {:e}, poisson: 0.3 }} }} }}
  soft: {{ density: 1.0, law: {{ linear: {{ young: {:e}, poisson: 0.3 }} }} }}
bodies:
  upper: {{ mesh: {{ gmsh: \"{}\", group: ball }}, material: hard }}
  lower: {{ mesh: {{ gmsh: \"{}\", group: ball }}, material: soft }}
boundary:
  - {{ displacement: {{ on: upper.equator, y: {{ ramp: {{ to: -{depth:e}, rise: 1.0 }} }} }} }}
  - {{ fixed: {{ on: lower.equator, axes: [y] }} }}{sides}
contacts: [{{ between: [upper.surface, lower.surface], slave: upper, search: {search:e} }}]
",
        young[0],
        young[1],
        meshes[0],
        meshes[1],
        search = 4.0 * depth,
    );
    let summary = run(&case_from(&text, "hertz_pair.yaml", &[]));
    let force = |body: &str| last(&column(&summary, &format!("bodies/{body}/contact_force/1")));
    near("action and reaction (N)", force("upper"), -force("lower"), 1e-12 * force("upper"));
    pressed(&summary, radius, geometry == "axisymmetric")
}

const RADII: [f64; 2] = [0.05, 0.1];
const MODULI: [f64; 2] = [210e9, 70e9];

/// Meshes of the two bodies of a pair with a contact of half width `a`: cells of a/12 above and a/9 below.
fn pair_of_meshes(name: &str, a: f64) -> [String; 2] {
    let upper = section(&format!("{name}_upper"), RADII[0], [a / 12.0, 1.3 * a, 1.25], false, false);
    [upper, section(&format!("{name}_lower"), RADII[1], [a / 9.0, 1.3 * a, 1.25], false, true)]
}

/// Force on the inner half of the contact against that of Hertz's pressure on the same nodes. Node by node one pass between
/// meshes that do not match scatters (see the patch test in `tests/pairs.rs`).
fn inner_half(found: &Pressed, a: f64, hertz: impl Fn(f64) -> f64) {
    let (mut force, mut expected) = (0.0, 0.0);
    for foot in found.feet.iter().filter(|foot| foot.x < 0.5 * a) {
        force += foot.force;
        expected += hertz(foot.x) * foot.force / foot.pressure;
    }
    near("force on the inner half of the contact (N)", force, expected, 0.03 * expected);
}

#[test]
fn cylinder_on_cylinder() {
    source("Hertz's closed form [Johnson1985]: steel cylinder of 50 mm on an aluminium one of 100 mm");
    let modulus = hertz::contact_modulus(&MODULI.map(|young| (young, 0.3)));
    let hertz = Line::new(5e6, 1.0 / RADII.map(|r| 1.0 / r).iter().sum::<f64>(), modulus);
    let meshes = pair_of_meshes("cylinders", hertz.half_width);
    let solve = |depth| pressed_together([&meshes[0], &meshes[1]], "plane_strain", MODULI, RADII[0], depth);
    let (_, found) = lowered(2.5e6, 2e-4, solve);
    near(
        "half width from Σ f x² / Σ f = a²/4 (m)",
        2.0 * found.second_moment().sqrt(),
        hertz.half_width,
        0.03 * hertz.half_width,
    );
    inner_half(&found, hertz.half_width, |x| hertz.pressure(x));
}

#[test]
fn sphere_on_sphere() {
    source("Hertz's closed form [Johnson1985]: steel ball of 50 mm on an aluminium one of 100 mm");
    let modulus = hertz::contact_modulus(&MODULI.map(|young| (young, 0.3)));
    let hertz = Point::new(2e4, 1.0 / RADII.map(|r| 1.0 / r).iter().sum::<f64>(), modulus);
    let meshes = pair_of_meshes("spheres", hertz.radius);
    let solve = |depth| pressed_together([&meshes[0], &meshes[1]], "axisymmetric", MODULI, RADII[0], depth);
    let (depth, found) = lowered(2e4, hertz.approach, solve);
    near(
        "radius from Σ f r² / Σ f = 2a²/5 (m)",
        (2.5 * found.second_moment()).sqrt(),
        hertz.radius,
        0.03 * hertz.radius,
    );
    near("approach of the equators (m)", depth, hertz.approach, 0.03 * hertz.approach);
    inner_half(&found, hertz.radius, |r| hertz.pressure(r));
}
