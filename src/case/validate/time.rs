//! The section `time`.

use super::super::data::{Newton, Scheme, StepForce, Time};
use super::super::decode::{Cursor, Fields, Names, Range};
use super::super::tree::Value;

/// Steps beyond this cannot be counted on: at a microsecond each they take a year.
const MOST_STEPS: f64 = 1e13;

/// What could be read; other sections need `end` and `step` even if the rest is broken.
pub(super) struct TimeRead {
    pub(super) end: Option<f64>,
    pub(super) step: Option<f64>,
    pub(super) time: Option<Time>,
}

pub(super) fn read(top: &Fields<'_>) -> TimeRead {
    let keys = ["end", "step", "scheme", "newton", "max_halvings"];
    let Some(fields) = top.required("time").and_then(|cursor| cursor.fields_with_later(&keys, &["courant"])) else {
        return TimeRead { end: None, step: None, time: None };
    };
    let end = fields.required("end").and_then(|cursor| cursor.number(Range::Positive));
    let step = fields.required("step").and_then(|cursor| step(&cursor, end));
    let scheme = fields.or("scheme", JEAN, scheme);
    let newton = fields.or("newton", NEWTON, newton);
    let max_halvings = fields.or("max_halvings", 8, |cursor| cursor.integer(0..=30));
    let time = || Some(Time { end: end?, step: step?, scheme: scheme?, newton: newton?, max_halvings: max_halvings? });
    TimeRead { end, step, time: time() }
}

fn step(cursor: &Cursor<'_>, end: Option<f64>) -> Option<f64> {
    if matches!(cursor.value(), Value::Text(text) if text == "auto") {
        return cursor.fail("`auto` belongs to the explicit scheme: known but not available in this version");
    }
    let step = cursor.number(Range::Positive)?;
    match end {
        Some(end) if step > end => cursor.fail(format!("must be <= time.end = {end:?}, got {step:?}")),
        Some(end) if end / step > MOST_STEPS => {
            cursor.fail(format!("asks for {:.1e} steps: more than {MOST_STEPS:.0e}", end / step))
        }
        _ => Some(step),
    }
}

const JEAN: Scheme = Scheme::Jean { theta: 0.5, xi: 0.5, force: StepForce::Trapezoidal };

fn scheme(cursor: &Cursor<'_>) -> Option<Scheme> {
    let names = Names { ready: &["jean"], later: &["explicit", "newmark", "generalized_alpha"] };
    let (_, body) = cursor.variant(names)?;
    let fields = body.fields(&["theta", "xi", "force"])?;
    let theta = fields.or("theta", 0.5, theta);
    let xi = fields.or("xi", 0.5, xi);
    let words = [
        ("trapezoidal", StepForce::Trapezoidal),
        ("midpoint", StepForce::Midpoint),
        ("discrete_gradient", StepForce::DiscreteGradient),
    ];
    let force = fields.or("force", StepForce::Trapezoidal, |cursor| cursor.choice(&words, &[]));
    let (theta, xi, force) = (theta?, xi?, force?);
    if force == StepForce::DiscreteGradient && (theta != 0.5 || xi != 0.5) {
        let at = fields.optional("force").unwrap_or(body);
        return at
            .fail(format!("`discrete_gradient` needs theta = 0.5 and xi = 0.5, got theta = {theta:?}, xi = {xi:?}"));
    }
    Some(Scheme::Jean { theta, xi, force })
}

fn theta(cursor: &Cursor<'_>) -> Option<f64> {
    if matches!(cursor.value(), Value::Number(theta, _) if *theta == 0.0) {
        let problem = cursor.problem("theta = 0 divides by zero: the end velocity would not enter the displacement");
        return cursor.report(problem.expecting("theta > 0 and <= 1"));
    }
    cursor.number(Range::LeftOpen(0.0, 1.0))
}

fn xi(cursor: &Cursor<'_>) -> Option<f64> {
    if matches!(cursor.value(), Value::Number(xi, _) if *xi == 0.0) {
        let problem = cursor.problem("xi = 0 is the explicit scheme: known but not available in this version");
        return cursor.report(problem.expecting("xi > 0 and <= 1"));
    }
    cursor.number(Range::LeftOpen(0.0, 1.0))
}

const NEWTON: Newton = Newton { residual: 1e-10, increment: 1e-10, max_iterations: 30 };

fn newton(cursor: &Cursor<'_>) -> Option<Newton> {
    let fields = cursor.fields(&["residual", "increment", "max_iterations"])?;
    let residual = fields.or("residual", NEWTON.residual, tolerance);
    let increment = fields.or("increment", NEWTON.increment, tolerance);
    let max_iterations = fields.or("max_iterations", NEWTON.max_iterations, |cursor| cursor.integer(1..=1000));
    Some(Newton { residual: residual?, increment: increment?, max_iterations: max_iterations? })
}

/// A relative tolerance of an iteration. Looser than one percent the result means nothing.
pub(super) fn tolerance(cursor: &Cursor<'_>) -> Option<f64> {
    cursor.number(Range::LeftOpen(0.0, 1e-2))
}
