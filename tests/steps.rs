//! What a single step must do whatever the case: Newton's method converges quadratically, and momentum changes by the
//! impulse of the forces and by nothing else.

mod runs;

use impakt::bodies::BodyState;
use impakt::case::build;
use impakt::integrator::{Newton, NewtonOptions, NoReactions, Reuse, StepError};
use runs::{at_most, case_from, column, last, min, run_file};

const STRETCHED: &str = "
geometry: plane_strain
time: { end: 1.0e-3, step: 1.0e-3 }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.0], max: [0.1, 0.05], divisions: [6, 3] } }, material: rubber } }
";

/// A block thrown apart by a velocity field that stretches it by a fifth within one step: the residuals of successive
/// iterations fall with the square of the one before. They are read off the error of a Newton method that is cut short.
#[test]
fn newton_converges_quadratically() {
    let mut residuals = Vec::new();
    for iterations in 1..=5 {
        let case = case_from(STRETCHED, "stretched.yaml", &[]);
        let mut model = build(&case).expect("a model");
        let body = &model.system.with_nodes(0);
        let mut state = BodyState::zero(body.dof_count());
        for (node, x) in body.mesh.nodes.iter().enumerate() {
            state.v[2 * node] = 200.0 * (x[0] - 0.05) + 300.0 * x[1] * x[1] / 0.05;
        }
        model.system.states[0] = state;
        let options =
            NewtonOptions { residual: 1e-16, increment: 1e-16, max_iterations: iterations, reuse: Reuse::Never };
        let outcome = Newton { options }.step(model.scheme.as_ref(), &mut model.system, &mut NoReactions, 1e-3);
        match outcome {
            Err(StepError::NotConverged { residual, .. }) => residuals.push(residual),
            Ok(report) => residuals.push(report.residual),
            Err(other) => panic!("{other}"),
        }
    }
    println!("residuals {residuals:?}");
    // order from three successive residuals, as long as they are well above rounding
    let scale = residuals[0];
    let orders: Vec<f64> = residuals
        .windows(3)
        .filter(|r| r[2] > 1e-12 * scale)
        .map(|r| (r[2] / r[1]).ln() / (r[1] / r[0]).ln())
        .collect();
    assert!(!orders.is_empty(), "too few iterations to measure: {residuals:?}");
    assert!(orders.iter().all(|o| *o > 1.8), "orders {orders:?} of residuals {residuals:?}");
}

/// Linear momentum changes by the sum of contact forces times the step, in every step of the V-groove with friction. Forces
/// are means over the step, so this is exact: 1e-12 of the initial momentum per step covers rounding.
#[test]
fn momentum_changes_by_the_impulse_of_contact() {
    let summary = run_file("cases/vgroove/b_friction_02.yaml", &[]);
    let step = column(&summary, "step_size");
    let initial = 0.2185012 * 30.0;
    for axis in 0..2 {
        let momentum = column(&summary, &format!("momentum/{axis}"));
        let force = column(&summary, &format!("contact_force/{axis}"));
        for k in 1..momentum.len() {
            let error = momentum[k] - momentum[k - 1] - force[k] * step[k];
            assert!(error.abs() < 1e-12 * initial, "step {k}, axis {axis}: {error:e} kg m/s appeared");
        }
    }
}

/// An end that misses a whole number of steps by rounding costs no step of its own, whose velocity would be round-off over a
/// sliver of time: the ledger of a block that spins and breathes closes as with the whole number.
#[test]
fn an_end_off_by_rounding_takes_no_sliver() {
    runs::claims::source("energy identity of the scheme");
    for off in [0.0, 1e-10, 1e-8, -1e-8] {
        let end = format!("time.end={:e}", 2e-3 * (1.0 + off));
        let summary = run_file("cases/laws/mooney_rivlin.yaml", &[&end, "expect=[]"]);
        let (times, steps) = (column(&summary, "time"), column(&summary, "step_size"));
        assert_eq!(summary.steps, 100, "{end}");
        assert_eq!(last(&times), 2e-3 * (1.0 + off), "the end is met exactly");
        assert!(steps[1..].iter().all(|dt| (dt / 2e-5 - 1.0).abs() < 1e-5), "{end}: {:?}", min(&steps[1..]));
        at_most(&format!("{end}: ledger error / energy"), summary.largest_error / summary.initial_energy, 1e-12);
    }
}

/// Kept factors change the way to a step's solution, not the solution: energies and friction of the V-groove with friction agree to
/// 1e-8 with those of Newton's own iterations, with fewer than half the factors, and the ledger closes as well.
#[test]
fn kept_factors_lead_to_the_same_trajectory() {
    runs::claims::source("Newton's method with a factor for every iteration");
    let run = |reuse: &str| {
        run_file("cases/vgroove/b_friction_02.yaml", &["expect=[]", &format!("time.newton={{reuse: {reuse}}}")])
    };
    let (own, kept) = (run("never"), run("always"));
    assert_eq!(own.newton_iterations, own.linearisations);
    for path in ["kinetic_energy", "strain_energy", "friction_dissipation"] {
        let (a, b) = (column(&own, path), column(&kept, path));
        at_most(&format!("{path}: largest difference, relative"), runs::distance(&a, &b) / runs::size(&a), 1e-8);
    }
    at_most("factors kept / own", kept.linearisations as f64 / own.linearisations as f64, 0.6);
    at_most("ledger error / energy", kept.largest_error / kept.initial_energy, 1e-11);
}
