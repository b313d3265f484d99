//! The section `time`.

use super::super::data::{Adaptive, ContactShare, Newton, Reuse, Scheme, StepForce, Time};
use super::super::decode::{Cursor, Fields, Names, Range};
use super::super::tree::Value;

/// Steps beyond this cannot be counted on: at a microsecond each they take a year.
const MOST_STEPS: f64 = 1e13;

/// The keys of the section.
pub(super) const KEYS: &[&str] = &["end", "step", "scheme", "newton", "max_halvings"];

/// What could be read; other sections need `end` and `step` even if the rest is broken.
pub(super) struct TimeRead {
    pub(super) end: Option<f64>,
    /// The shortest step that is asked for.
    pub(super) step: Option<f64>,
    pub(super) adaptive: bool,
    pub(super) explicit: bool,
    pub(super) time: Option<Time>,
}

/// A time that means nothing, for a case that does not run in time.
pub(super) fn none() -> TimeRead {
    let time = Time { max_halvings: 0, ..Time::new(1.0, 1.0) };
    TimeRead { end: Some(1.0), step: Some(1.0), adaptive: false, explicit: false, time: Some(time) }
}

pub(super) fn read(top: &Fields<'_>) -> TimeRead {
    let Some(fields) = top.required("time").and_then(|cursor| cursor.fields(KEYS)) else {
        return TimeRead { end: None, step: None, adaptive: false, explicit: false, time: None };
    };
    let end = fields.required("end").and_then(|cursor| cursor.number(Range::Positive));
    let auto =
        matches!(fields.optional("step").map(|cursor| cursor.value()), Some(Value::Text(text)) if text == "auto");
    let step = fields.required("step").and_then(|cursor| step(&cursor, end));
    let scheme = fields.or("scheme", Scheme::default(), scheme);
    let newton = fields.or("newton", Newton::default(), newton);
    let max_halvings = fields.or("max_halvings", Time::HALVINGS, |cursor| cursor.integer(0..=30));
    let time = || {
        let (step, adaptive) = step?;
        let (scheme, newton) = (scheme?, newton?);
        Some(Time { end: end?, step, adaptive, auto, scheme, newton, max_halvings: max_halvings? })
    };
    let explicit = matches!(scheme, Some(Scheme::Explicit { .. }));
    if let (Some(_), Some(cursor)) = (scheme, fields.optional("step")) {
        if auto && !explicit {
            cursor.fail::<()>("`auto` belongs to the explicit scheme: give a number, or `scheme: explicit`");
        }
        if explicit && matches!(cursor.value(), Value::Map(_)) {
            cursor.fail::<()>(
                "the explicit scheme does not iterate, so that its step cannot adapt: give a number, or `auto`",
            );
        }
    }
    let adaptive = auto || matches!(fields.optional("step").map(|cursor| cursor.value()), Some(Value::Map(_)));
    let shortest = step.filter(|_| !auto).map(|(step, adaptive)| adaptive.map_or(step, |adaptive| adaptive.min));
    TimeRead { end, step: shortest, adaptive, explicit, time: time() }
}

/// A number, or `{ adaptive: { initial, min, max, iterations, energy } }`.
fn step(cursor: &Cursor<'_>, end: Option<f64>) -> Option<(f64, Option<Adaptive>)> {
    if !matches!(cursor.value(), Value::Map(_) | Value::Text(_)) {
        return length(cursor, end).map(|step| (step, None));
    }
    let (name, body) = cursor.variant(Names { ready: &["adaptive", "auto"], later: &[] })?;
    if name == "auto" {
        body.fields(&[])?;
        return end.map(|end| (Time::INSTANT * end, None));
    }
    let fields = body.fields(&["initial", "min", "max", "iterations", "energy"])?;
    let initial_at = fields.required("initial");
    let initial = initial_at.as_ref().and_then(|cursor| length(cursor, end));
    let min = match fields.optional("min") {
        Some(cursor) => length(&cursor, end),
        None => initial.map(|initial| initial / 1000.0),
    };
    let max = fields.required("max").and_then(|cursor| length(&cursor, end));
    let iterations = fields.or("iterations", 8, |cursor| cursor.integer(1..=100));
    let energy = fields.or("energy", None, |cursor| cursor.number(Range::LeftOpen(0.0, 1.0)).map(Some));
    let (initial, min, max) = (initial?, min?, max?);
    if !(min <= initial && initial <= max) {
        return initial_at?.fail(format!("must lie between min = {min:?} and max = {max:?}, got {initial:?}"));
    }
    Some((initial, Some(Adaptive { min, max, iterations: iterations?, energy: energy? })))
}

fn length(cursor: &Cursor<'_>, end: Option<f64>) -> Option<f64> {
    let step = cursor.number(Range::Positive)?;
    match end {
        Some(end) if step > end => cursor.fail(format!("must be <= time.end = {end:?}, got {step:?}")),
        Some(end) if end / step > MOST_STEPS => {
            cursor.fail(format!("asks for {:.1e} steps: more than {MOST_STEPS:.0e}", end / step))
        }
        _ => Some(step),
    }
}

fn scheme(cursor: &Cursor<'_>) -> Option<Scheme> {
    let ready = &["jean", "quasi_static", "explicit", "newmark", "hht", "generalized_alpha"];
    let (name, body) = cursor.variant(Names { ready, later: &[] })?;
    match name {
        "quasi_static" => return body.fields(&[]).map(|_| Scheme::QuasiStatic),
        "explicit" => {
            let fields = body.fields(&["courant"])?;
            let courant = fields.or("courant", 0.9, |cursor| cursor.number(Range::LeftOpen(0.0, 1.0)));
            return Some(Scheme::Explicit { courant: courant? });
        }
        "newmark" | "hht" | "generalized_alpha" => return second_order(name, &body),
        _ => {}
    }
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

/// Newmark's family.
fn second_order(name: &str, body: &Cursor<'_>) -> Option<Scheme> {
    let shares = [
        ("impulse", ContactShare::Impulse),
        ("recomputed", ContactShare::Recomputed),
        ("acceleration", ContactShare::Acceleration),
    ];
    let share = |fields: &Fields<'_>| fields.or("contact", ContactShare::Impulse, |cursor| cursor.choice(&shares, &[]));
    match name {
        "newmark" => {
            let fields = body.fields(&["beta", "gamma", "contact"])?;
            let beta = fields.or("beta", 0.25, |cursor| cursor.number(Range::LeftOpen(0.0, 1.0)));
            let gamma = fields.or("gamma", 0.5, |cursor| cursor.number(Range::Closed(0.5, 1.0)));
            let contact = share(&fields);
            Some(Scheme::Newmark { beta: beta?, gamma: gamma?, contact: contact? })
        }
        "hht" => {
            let fields = body.fields(&["alpha", "contact"])?;
            let alpha = fields.or("alpha", 0.1, |cursor| cursor.number(Range::Closed(0.0, 1.0 / 3.0)));
            let contact = share(&fields);
            Some(Scheme::Hht { alpha: alpha?, contact: contact? })
        }
        _ => {
            let fields = body.fields(&["spectral_radius", "contact"])?;
            let radius = fields.or("spectral_radius", 0.8, |cursor| cursor.number(Range::Closed(0.0, 1.0)));
            let contact = share(&fields);
            Some(Scheme::GeneralizedAlpha { spectral_radius: radius?, contact: contact? })
        }
    }
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
        let problem = cursor.problem("xi = 0 is the explicit scheme, `scheme: explicit`");
        return cursor.report(problem.expecting("xi > 0 and <= 1"));
    }
    cursor.number(Range::LeftOpen(0.0, 1.0))
}

fn newton(cursor: &Cursor<'_>) -> Option<Newton> {
    let fields = cursor.fields(&["residual", "increment", "max_iterations", "reuse"])?;
    let default = Newton::default();
    let residual = fields.or("residual", default.residual, tolerance);
    let increment = fields.or("increment", default.increment, tolerance);
    let max_iterations = fields.or("max_iterations", default.max_iterations, |cursor| cursor.integer(1..=1000));
    let words = [("never", Reuse::Never), ("without_contact", Reuse::WithoutContact), ("always", Reuse::Always)];
    let reuse = fields.or("reuse", default.reuse, |cursor| cursor.choice(&words, &[]));
    Some(Newton { residual: residual?, increment: increment?, max_iterations: max_iterations?, reuse: reuse? })
}

/// A relative tolerance of an iteration. Looser than one percent the result means nothing.
pub(super) fn tolerance(cursor: &Cursor<'_>) -> Option<f64> {
    cursor.number(Range::LeftOpen(0.0, 1e-2))
}
