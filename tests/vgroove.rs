//! Foam cylinder in a V-groove: Feng, Magnain, Cros, Joli (FER/Impact), section 5.1, cases A (μ = 0), B (0.2), C (0.4).
//!
//! ```text
//!    \    ___    /     disc R = 10 mm, Blatz-Ko foam G = 3 MPa, 700 kg/m³, 30 m/s downwards,
//!     \  (   )  /      8×8 core + 4 rings of 32 quads; walls 11.31° from the vertical;
//!      \  ¯¯¯  /       Δt = 1e-5 s, 300 steps, θ = ξ = ½, plane strain, no gravity
//! ```
//!
//! Two kinds of numbers are compared. Times, events and energies come from the paper's table 1 and figures 3 to 7 or
//! follow from its data; stresses of table 1 are a value of one mesh and one step, and the paper does not say of which
//! stress. The comparison uses von Mises of PK2 with S33 = ν (S11 + S22), extrapolated to nodes, the measure that fits
//! best among about thirty (THEORY 6.1): it is inferred, so agreement is a plausibility check. The figures marked
//! "prototype" come from an independent dense implementation with another core shape.

mod runs;

use std::sync::OnceLock;

use impakt::simulation::Summary;
use runs::claims::source;
use runs::{argmax, argmin, at_least, at_most, column, distance, last, max, min, near, row_at, run_file, size};

const FILES: [&str; 3] =
    ["cases/vgroove/a_frictionless.yaml", "cases/vgroove/b_friction_02.yaml", "cases/vgroove/c_friction_04.yaml"];
const NAMES: [&str; 3] = ["A", "B", "C"];
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
/// Kinetic energy of the 32-gon at 30 m/s, J/m.
const E0: f64 = 98.3255;
const DT: f64 = 1e-5;

/// The three cases as their files stand, each run once.
fn as_published(k: usize) -> &'static Summary {
    static RUNS: [OnceLock<Summary>; 3] = [const { OnceLock::new() }; 3];
    RUNS[k].get_or_init(|| run_file(FILES[k], &[]))
}

/// The three cases with exactly conserving forces and contact, each run once. Contact to 1e-12: the work of the normal
/// reactions vanishes only as well as the contact law is met, and 1e-10 of E0 is what is being asserted.
fn conserving(k: usize) -> &'static Summary {
    static RUNS: [OnceLock<Summary>; 3] = [const { OnceLock::new() }; 3];
    let sets = [
        "contacts.*.level=rate",
        "time.scheme.jean.force=discrete_gradient",
        "contact_solver.gauss_seidel.tolerance=1e-12",
    ];
    RUNS[k].get_or_init(|| run_file(FILES[k], &sets))
}

fn touching(run: &Summary) -> Vec<f64> {
    column(run, "contacts_stick").iter().zip(column(run, "contacts_slip")).map(|(a, b)| a + b).collect()
}

#[test]
fn mesh_is_the_papers() {
    source("Feng et al. [FengEtAl2006]: 209 nodes, 192 elements");
    // 209 nodes and 192 quads force 32 boundary edges (V − F = 1 + B/2): an 8×8 core with four rings of 32
    let run = as_published(A);
    let mesh = &run.simulation.system.with_nodes(0).mesh;
    assert_eq!((mesh.node_count(), mesh.cell_count()), (209, 192));
    let edges = &mesh.face_sets["surface"];
    assert_eq!(edges.len(), 32);
    let area: f64 = edges
        .iter()
        .map(|f| {
            let (p, q) = (mesh.nodes[f.nodes()[0].index()], mesh.nodes[f.nodes()[1].index()]);
            0.5 * (p[0] * q[1] - p[1] * q[0])
        })
        .sum();
    // 16 R² sin(2π/32), printed with six digits
    near("area of the 32-gon", area, 3.12145e-4, 1e-9);
    near("E0 = ½ ρ A v²", run.initial_energy, E0, 1e-4);
}

#[test]
fn times_of_table_1() {
    source("Feng et al. [FengEtAl2006], table 1");
    // Table 1 gives the time at which the largest stress occurs; in the figures it is also when the cylinder is lowest.
    // Both are compared. ±0.04 ms: the prototype's spread over core shape, step and recovery.
    for (k, time) in [(A, 0.87e-3), (B, 0.70e-3), (C, 0.61e-3)] {
        let run = as_published(k);
        let times = column(run, "time");
        let stress = times[argmax(&column(run, "max_von_mises_pk2_inplane"))];
        near(&format!("{}: time of the largest stress", NAMES[k]), stress, time, 4e-5);
        let lowest = times[argmin(&column(run, "probes/centre/displacement/1"))];
        near(&format!("{}: time of the lowest point", NAMES[k]), lowest, time, 4e-5);
    }
}

#[test]
fn stresses_of_table_1() {
    source("Feng et al. [FengEtAl2006], table 1; the measure of stress is inferred");
    for (k, stress) in [(A, 8.192e6), (B, 4.523e6), (C, 4.396e6)] {
        let run = as_published(k);
        let inplane = max(&column(run, "max_von_mises_pk2_inplane"));
        near(&format!("{}: in-plane PK2", NAMES[k]), inplane, stress, 0.04 * stress);
        // the full PK2 measure, nearest-point recovery: 6 to 9 % high in A for every core shape tried
        let tolerance = if k == A { 0.12 } else { 0.08 };
        near(&format!("{}: PK2", NAMES[k]), max(&column(run, "max_von_mises_pk2")), stress, tolerance * stress);
    }
}

#[test]
fn cauchy_stresses_stay_where_two_codes_put_them() {
    source("two independent prototypes; CalculiX in case A");
    // regression against the prototype; CalculiX gives 5.0 MPa in case A too, so Cauchy cannot be the paper's measure
    for (k, stress) in [(A, 4.98e6), (B, 3.12e6), (C, 3.00e6)] {
        near(
            &format!("{}: Cauchy", NAMES[k]),
            max(&column(as_published(k), "max_von_mises_nodal")),
            stress,
            0.05 * stress,
        );
    }
}

#[test]
fn friction_halves_the_largest_stress() {
    source("Feng et al. [FengEtAl2006], table 1");
    for measure in ["max_von_mises_pk2", "max_von_mises_pk2_inplane", "max_von_mises_nodal"] {
        let peak = |k: usize| max(&column(as_published(k), measure));
        at_least(&format!("{measure}: A / max(B, C)"), peak(A) / peak(B).max(peak(C)), 1.5);
    }
}

#[test]
fn lowest_points() {
    source("independent prototype of the same case");
    // Prototype, two digits. Halving the step twice moves ours by up to 0.016 mm, the core shape by about as much;
    // 0.05 mm is three times that and a sixth of what the centre moves in one step at full speed.
    for (k, lowest) in [(A, -19.05e-3), (B, -15.84e-3), (C, -14.35e-3)] {
        let measured = min(&column(as_published(k), "probes/centre/displacement/1"));
        near(&format!("{}: lowest centre", NAMES[k]), measured, lowest, 5e-5);
    }
}

#[test]
fn case_a_gives_its_energy_back() {
    source("Feng et al. [FengEtAl2006], figures; numbers of an independent prototype");
    let run = as_published(A);
    let total = column(run, "total_energy");
    at_least("A: share of E0 returned", last(&total) / total[0], 0.998);
    assert!(column(run, "friction_dissipation").iter().all(|d| *d == 0.0), "A has no friction");
    let kinetic = column(run, "kinetic_energy");
    let after = &kinetic[row_at(run, 1.6e-3)..];
    near("A: least kinetic energy after 1.6 ms", min(after), 98.0, 0.02 * E0);
    near("A: largest kinetic energy after 1.6 ms", max(after), 98.0, 0.02 * E0);
    at_least("A: rebound velocity", last(&column(run, "bodies/cylinder/velocity/1")), 29.0);
}

#[test]
fn case_b_rebounds_slowly() {
    source("Feng et al. [FengEtAl2006], figures; numbers of an independent prototype");
    let run = as_published(B);
    let tolerance = 0.02 * E0; // as well as the paper's curves can be read
    let friction = column(run, "friction_dissipation");
    near("B: D_fr at 3 ms", last(&friction), 89.2, tolerance);
    near("B: E_c at 3 ms", last(&column(run, "kinetic_energy")), 8.6, tolerance);
    near("B: U at 3 ms", last(&column(run, "strain_energy")), 0.3, tolerance);
    let times = column(run, "time");
    let end = (1..times.len()).rev().find(|&k| friction[k] > friction[k - 1] + 1e-6 * E0).expect("B has friction");
    near("B: last friction work", times[end], 2.25e-3, 0.25e-3);
    at_least("B: leaves upwards", last(&column(run, "bodies/cylinder/velocity/1")), 5.0);
    assert_eq!(last(&touching(run)), 0.0, "B is free at 3 ms");
}

#[test]
fn case_c_stays_wedged() {
    source("Feng et al. [FengEtAl2006], figures; numbers of an independent prototype");
    let run = as_published(C);
    let tolerance = 0.02 * E0;
    near("C: D_fr at 3 ms", last(&column(run, "friction_dissipation")), 89.6, tolerance);
    near("C: E_c at 3 ms", last(&column(run, "kinetic_energy")), 0.3, tolerance);
    near("C: U at 3 ms", last(&column(run, "strain_energy")), 8.2, tolerance);
    at_least("C: points in contact at 3 ms", last(&touching(run)), 2.0);
    // the centre of mass has lost 29 of its 30 m/s and what is left swings about the wedged position
    at_most("C: speed at 3 ms", last(&column(run, "bodies/cylinder/velocity/1")).abs(), 1.0);
    let touch = touching(run);
    let first = touch.iter().position(|n| *n > 0.0).expect("C touches");
    assert!(touch[first..].iter().all(|n| *n > 0.0), "C never leaves the walls once it has touched them");
}

#[test]
fn dissipation_is_not_proportional_to_friction() {
    source("Feng et al. [FengEtAl2006]: nearly the same dissipation in B and C");
    let lost = |k: usize| last(&column(as_published(k), "friction_dissipation"));
    near("D_fr(C) / D_fr(B) at twice the friction", lost(C) / lost(B), 1.0, 0.02);
}

#[test]
fn first_touch_when_the_circle_meets_the_wall() {
    source("geometry: gap of the circle over its speed along the normal");
    // gap 0.78639 mm along the wall's normal: 0.1337 ms. The nodes nearest to the touching direction lie 0.06° off it.
    for k in [A, B, C] {
        let run = as_published(k);
        let first = touching(run).iter().position(|n| *n > 0.0).expect("the cylinder touches");
        near(&format!("{}: first contact", NAMES[k]), column(run, "time")[first], 0.1337e-3, DT);
    }
}

#[test]
fn at_two_milliseconds_only_a_is_free() {
    source("Feng et al. [FengEtAl2006], pictures at 2 ms");
    let window = |run: &Summary| row_at(run, 1.95e-3)..=row_at(run, 2.05e-3);
    let a = as_published(A);
    assert!(touching(a)[window(a)].iter().all(|n| *n == 0.0), "A has left the walls by 2 ms");
    at_least("A: velocity at 2 ms", column(a, "bodies/cylinder/velocity/1")[row_at(a, 2e-3)], 29.0);
    for k in [B, C] {
        let run = as_published(k);
        // a single node may be between two touches in one step: the window is ten steps wide
        at_least(&format!("{}: contacts about 2 ms", NAMES[k]), max(&touching(run)[window(run)]), 2.0);
        let friction = column(run, "friction_dissipation");
        let (from, to) = (row_at(run, 1.95e-3), row_at(run, 2.05e-3));
        at_least(&format!("{}: friction work about 2 ms", NAMES[k]), friction[to] - friction[from], 1e-4 * E0);
    }
}

#[test]
fn case_b_rises_on_a_neutral_slope() {
    source("Coulomb on a wall with tan = mu: no force along a sliding path");
    // The walls lean by 7 mm in 35 mm: tan φ = 0.2 = μ. A point that slides upwards gets N (sin φ − μ cos φ) = 0 along
    // the axis: however hard the walls press, B rises at constant speed. An exact property of the paper's data that
    // tests direction and size of every reaction.
    let run = as_published(B);
    let (stick, slip) = (column(run, "contacts_stick"), column(run, "contacts_slip"));
    let force = column(run, "contact_force/1");
    let rows: Vec<usize> =
        (row_at(run, 1.0e-3)..=row_at(run, 2.1e-3)).filter(|&k| stick[k] == 0.0 && slip[k] > 0.0).collect();
    at_least("B: steps of pure sliding between 1.0 and 2.1 ms", rows.len() as f64, 50.0);
    let largest = rows.iter().map(|&k| force[k].abs()).fold(0.0, f64::max);
    at_most("B: axial wall force while sliding up, N/m", largest, 1e-6);
}

#[test]
fn total_energy_only_falls_with_friction() {
    source("second law: friction only takes");
    // With the discrete gradient at rate level nothing but friction can change T + U: it falls in every step.
    for k in [B, C] {
        let run = conserving(k);
        let total = column(run, "total_energy");
        let rise = total.windows(2).map(|w| w[1] - w[0]).fold(f64::NEG_INFINITY, f64::max);
        at_most(&format!("{}: largest rise of T + U in a step, conserving", NAMES[k]), rise, 1e-10 * E0);
    }
    // The trapezoidal mean of the paper is not a potential force: T + U may rise by its quadrature defect, which the
    // ledger books as (negative) numerical dissipation. Without it the total falls in every step.
    for k in [B, C] {
        let run = as_published(k);
        let numerical = column(run, "numerical_dissipation");
        let total: Vec<f64> = column(run, "total_energy").iter().zip(&numerical).map(|(e, d)| e + d).collect();
        let rise = total.windows(2).map(|w| w[1] - w[0]).fold(f64::NEG_INFINITY, f64::max);
        at_most(&format!("{}: largest rise of T + U + D_num in a step", NAMES[k]), rise, 1e-10 * E0);
        // and the defect is small: 0.1 % of E0 over the whole run
        at_most(&format!("{}: quadrature defect", NAMES[k]), size(&numerical), 1e-3 * E0);
    }
}

#[test]
fn friction_never_gives_energy() {
    source("second law: friction only takes");
    for k in [B, C] {
        for run in [as_published(k), conserving(k)] {
            let friction = column(run, "friction_dissipation");
            let least = friction.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
            // a sticking point slides by the tolerance of the contact solver, either way
            at_least(&format!("{}: least friction work of a step", NAMES[k]), least, -1e-10 * E0);
        }
    }
}

#[test]
fn ledger_closes_in_every_step() {
    source("energy identity of the scheme");
    for k in [A, B, C] {
        for level in ["position", "rate"] {
            for weight in ["0.5", "1.0"] {
                let label = format!("{}, level {level}, θ = ξ = {weight}: ledger error", NAMES[k]);
                if level == "position" && weight == "0.5" {
                    at_most(&label, size(&column(as_published(k), "energy_balance_error")), 1e-10 * E0);
                    continue;
                }
                let sets = [
                    format!("contacts.*.level={level}"),
                    format!("time.scheme.jean.theta={weight}"),
                    format!("time.scheme.jean.xi={weight}"),
                ];
                let run = run_file(FILES[k], &sets.each_ref().map(String::as_str));
                at_most(&label, size(&column(&run, "energy_balance_error")), 1e-10 * E0);
                if weight == "1.0" {
                    let numerical = column(&run, "numerical_dissipation");
                    let least = numerical.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
                    at_least(&format!("{label}: least numerical loss of a step"), least, -1e-10 * E0);
                }
                if level == "position" {
                    at_most(&format!("{label}: penetration"), max(&column(&run, "max_penetration")), 1e-9);
                }
            }
        }
    }
}

#[test]
fn nothing_penetrates_at_position_level() {
    source("Signorini's law at position level");
    for k in [A, B, C] {
        at_most(&format!("{}: penetration", NAMES[k]), max(&column(as_published(k), "max_penetration")), 1e-9);
    }
}

#[test]
fn rate_level_penetrates_by_at_most_one_step_of_approach() {
    source("rate level: at most the way of one step [LaursenChawla1997]");
    // THEORY 3.6. A point that has entered may not sink further; 30 m/s × 1e-5 s × sin 11.31° + swing of the surface
    for k in [A, B, C] {
        let run = conserving(k);
        at_most(&format!("{}: penetration", NAMES[k]), max(&column(run, "max_penetration")), 30.0 * DT);
    }
}

#[test]
fn rate_level_keeps_points_that_are_deeper_than_a_step() {
    source("rate level: a point that has entered does not sink further");
    // With θ = 1 the whole surface comes to rest at the lowest point, and the search distance 2 v_max Δt falls below the
    // penetration of the first step. The result must not depend on whether the case gives a search distance.
    let sets = ["contacts.*.level=rate", "time.scheme.jean.theta=1.0", "time.scheme.jean.xi=1.0"];
    let own = run_file(FILES[A], &sets);
    let wide = run_file(FILES[A], &[sets[0], sets[1], sets[2], "contacts.*.search=0.001"]);
    let difference = distance(&column(&own, "total_energy"), &column(&wide, "total_energy"));
    at_most("T + U, own against given search distance", difference, 1e-8 * E0);
    at_most("penetration", max(&column(&own, "max_penetration")), 30.0 * DT);
}

#[test]
fn discrete_gradient_and_rate_level_keep_the_energy() {
    source("conservation: discrete gradient [Gonzalez2000] and rate level [LaursenChawla1997]");
    let run = conserving(A);
    let total = column(run, "total_energy");
    let drift = total.iter().map(|e| (e - total[0]).abs()).fold(0.0, f64::max);
    at_most("A: drift of T + U relative to E0", drift / total[0], 1e-10);
    at_least("A: it did touch", max(&touching(run)), 2.0);
}

#[test]
fn mirror_symmetry() {
    source("mirror symmetry of the data");
    // u_x(−x) = −u_x(x), u_y(−x) = u_y(x). Data are symmetric; what breaks it is round-off and the contact tolerance.
    for k in [A, B, C] {
        let run = as_published(k);
        let (body, state) = (run.simulation.system.with_nodes(0), &run.simulation.system.states[0]);
        let (mut worst, mut pairs) = (0.0f64, 0);
        for (i, x) in body.mesh.nodes.iter().enumerate() {
            let mirrored = |y: &[f64; 3]| (y[0] + x[0]).abs() < 1e-9 && (y[1] - x[1]).abs() < 1e-9;
            let j = body.mesh.nodes.iter().position(mirrored).expect("the mesh is symmetric");
            pairs += 1;
            worst =
                worst.max((state.u[2 * i] + state.u[2 * j]).abs()).max((state.u[2 * i + 1] - state.u[2 * j + 1]).abs());
        }
        assert_eq!(pairs, 209);
        at_most(&format!("{}: asymmetry of the final displacements relative to R", NAMES[k]), worst / 0.01, 1e-9);
    }
}

#[test]
fn both_solvers_give_the_same_trajectory() {
    source("two solvers of one problem");
    // Contact to 1e-12 with both: 300 steps of an impact with changing contacts amplify what the solvers leave.
    for k in [A, B, C] {
        let uzawa = run_file(FILES[k], &["contact_solver={uzawa: {tolerance: 1.0e-12}}"]);
        let seidel = run_file(FILES[k], &["contact_solver={gauss_seidel: {tolerance: 1.0e-12}}"]);
        let (u, s) = (&uzawa.simulation.system.states[0].u, &seidel.simulation.system.states[0].u);
        at_most(&format!("{}: end displacement, Uzawa against Gauss-Seidel", NAMES[k]), distance(u, s) / size(s), 1e-8);
        let (e, f) = (column(&uzawa, "total_energy"), column(&seidel, "total_energy"));
        at_most(&format!("{}: energies, Uzawa against Gauss-Seidel", NAMES[k]), distance(&e, &f) / E0, 1e-8);
    }
}

#[test]
fn vanishing_friction_is_no_friction() {
    source("limit of vanishing friction");
    // μ = 1e-9 changes forces by 1e-9 of themselves; over the first millisecond, impact included, the displacements
    // follow with an amplification below 100.
    let slight = run_file(FILES[A], &["contacts.*.friction=1e-9", "time.end=1.0e-3"]);
    let none = run_file(FILES[A], &["time.end=1.0e-3"]);
    let (u, v) = (&slight.simulation.system.states[0].u, &none.simulation.system.states[0].u);
    at_most("end displacement, μ = 1e-9 against 0", distance(u, v) / size(v), 1e-7);
    at_least("contact happened", max(&touching(&none)), 2.0);
    at_most("friction work at μ = 1e-9", last(&column(&slight, "friction_dissipation")), 1e-7 * E0);
}

#[test]
fn halving_the_step_converges() {
    source("convergence in the step");
    // Lowest centre with Δt, Δt/2, Δt/4: each halving moves it less. (Peaks of stress do not converge this way: they
    // are values of single nodes in single steps.)
    for k in [A, B, C] {
        let lowest = |step: &str| {
            let run = run_file(FILES[k], &[&format!("time.step={step}"), "time.end=1.0e-3"]);
            min(&column(&run, "probes/centre/displacement/1"))
        };
        let [one, half, quarter] = ["1.0e-5", "5.0e-6", "2.5e-6"].map(lowest);
        println!("{}: lowest centre {one:.7e} {half:.7e} {quarter:.7e}", NAMES[k]);
        at_most(&format!("{}: Δt → Δt/2", NAMES[k]), (one - half).abs(), 3e-5);
        at_most(&format!("{}: Δt/2 → Δt/4 over Δt → Δt/2", NAMES[k]), (half - quarter).abs() / (one - half).abs(), 0.5);
    }
}

#[test]
fn a_quarter_turn_changes_nothing() {
    source("invariance under rotation of the whole case");
    // The whole case turned by 90° and moved: (x, y) → (a − y, b + x). The disc's mesh maps on itself, so everything but
    // node numbers and round-off is the same. Compared over the whole run; 1e-8 as for the two solvers.
    let (a, b) = (0.05, -0.02);
    let turned = |x: f64, y: f64| format!("[{}, {}]", a - y, b + x);
    let right = [(0.005, 0.0), (0.015, 0.0), (0.015, 0.035), (0.012, 0.035)];
    let polygon = |sign: f64| -> String {
        let points: Vec<String> = right.iter().map(|(x, y)| turned(sign * x, *y)).collect();
        format!("[{}]", points.join(", "))
    };
    for k in [A, B, C] {
        let tight = "contact_solver.gauss_seidel.tolerance=1e-12";
        let sets = [
            format!("bodies.cylinder.mesh.disc.centre={}", turned(0.0, 0.03)),
            "bodies.cylinder.velocity=[30.0, 0.0]".to_owned(),
            format!("obstacles.right.shape.polygon={}", polygon(1.0)),
            format!("obstacles.left.shape.polygon={}", polygon(-1.0)),
            format!("output.probes.centre.at={}", turned(0.0, 0.03)),
            tight.to_owned(),
        ];
        let moved = run_file(FILES[k], &sets.each_ref().map(String::as_str));
        let still = run_file(FILES[k], &[tight]);
        for energy in ["kinetic_energy", "strain_energy", "friction_dissipation"] {
            let difference = distance(&column(&moved, energy), &column(&still, energy)) / E0;
            at_most(&format!("{}: {energy}, turned against original", NAMES[k]), difference, 1e-8);
        }
        let (down, along) =
            (column(&still, "probes/centre/displacement/1"), column(&moved, "probes/centre/displacement/0"));
        let sum: Vec<f64> = down.iter().zip(&along).map(|(d, a)| d + a).collect();
        at_most(&format!("{}: path of the centre relative to R", NAMES[k]), size(&sum) / 0.01, 1e-8);
    }
}
