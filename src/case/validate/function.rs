//! Functions of time: a number, or one of `constant`, `ramp`, `table`, `sine`, `expression`.

use super::super::decode::{Cursor, Names, Range};
use super::super::file::MAX_FILE_BYTES;
use super::super::input;
use super::super::tree::{Value, clip};
use super::Context;
use crate::time::{Expression, Table, TimeFunction};

/// Times at which a function is tried before a run.
const TRIALS: u32 = 64;

pub(super) fn function(cursor: &Cursor<'_>, context: &Context) -> Option<TimeFunction> {
    if matches!(cursor.value(), Value::Number(..)) {
        return cursor.number(Range::Any).map(TimeFunction::Constant);
    }
    let names = Names { ready: &["constant", "ramp", "table", "sine", "expression"], later: &[] };
    let (name, body) = cursor.variant(names)?;
    let function = match name {
        "constant" => TimeFunction::Constant(body.number(Range::Any)?),
        "ramp" => ramp(&body)?,
        "table" => TimeFunction::Table(table(&body, context)?),
        "sine" => sine(&body)?,
        _ => expression(&body)?,
    };
    let found = trials(context).map(|t| (t, function.value(t))).find(|(_, value)| !value.is_finite());
    if let Some((t, value)) = found {
        return body.fail(format!("must be finite, got {value} at t = {t:e}"));
    }
    Some(function)
}

/// A function that is zero at time 0: the place or angle of nodes that start where the mesh has them.
pub(super) fn from_zero(cursor: &Cursor<'_>, context: &Context) -> Option<TimeFunction> {
    let function = function(cursor, context)?;
    let start = function.value(0.0);
    let largest = trials(context).map(|t| function.value(t).abs()).fold(0.0, f64::max);
    if start.abs() > 1e-12 * largest {
        let problem = cursor.problem(format!("must be 0 at t = 0, where the body is as meshed, got {start:e}"));
        return cursor.report(problem.expecting("a function that starts at 0, for example a ramp"));
    }
    Some(function)
}

/// A factor on a load; by default one.
pub(super) fn factor(fields: &super::Fields<'_>, context: &Context) -> Option<TimeFunction> {
    fields.or("time", TimeFunction::Constant(1.0), |cursor| function(cursor, context))
}

fn trials(context: &Context) -> impl Iterator<Item = f64> {
    let end = context.end.unwrap_or(1.0);
    (0..=TRIALS).map(move |k| end * f64::from(k) / f64::from(TRIALS))
}

fn ramp(cursor: &Cursor<'_>) -> Option<TimeFunction> {
    let fields = cursor.fields(&["from", "to", "start", "end", "rise"])?;
    let from = fields.or("from", 0.0, |cursor| cursor.number(Range::Any));
    let to = fields.required("to").and_then(|cursor| cursor.number(Range::Any));
    let start = fields.or("start", 0.0, |cursor| cursor.number(Range::Any));
    let end = match (fields.optional("end"), fields.optional("rise")) {
        (Some(end), None) => end.number(Range::Any).zip(start).and_then(|(at, start)| {
            if at > start { Some(at) } else { end.fail(format!("must be > start = {start:?}, got {at:?}")) }
        }),
        (None, Some(rise)) => rise.number(Range::Positive).zip(start).map(|(rise, start)| start + rise),
        (None, None) => cursor.fail("needs `end` or `rise`"),
        (Some(_), Some(rise)) => rise.fail("`end` is given too: one of the two"),
    };
    Some(TimeFunction::Ramp { from: from?, to: to?, start: start?, end: end? })
}

fn sine(cursor: &Cursor<'_>) -> Option<TimeFunction> {
    let fields = cursor.fields(&["amplitude", "frequency", "phase", "offset"])?;
    let amplitude = fields.required("amplitude").and_then(|cursor| cursor.number(Range::Any));
    let frequency = fields.required("frequency").and_then(|cursor| cursor.number(Range::NonNegative));
    let phase = fields.or("phase", 0.0, |cursor| cursor.number(Range::Any));
    let offset = fields.or("offset", 0.0, |cursor| cursor.number(Range::Any));
    let phase = phase?.to_radians();
    Some(TimeFunction::Sine { amplitude: amplitude?, frequency: frequency?, phase, offset: offset? })
}

fn expression(cursor: &Cursor<'_>) -> Option<TimeFunction> {
    match Expression::parse(cursor.text()?) {
        Ok(expression) => Some(TimeFunction::Expression(expression)),
        Err(error) => cursor.fail(error.to_string()),
    }
}

fn table(cursor: &Cursor<'_>, context: &Context) -> Option<Table> {
    let points = match cursor.value() {
        Value::List(_) => {
            let pair = |item: &Cursor<'_>| item.array("numbers (time and value)", |number| number.number(Range::Any));
            let read: Vec<Option<[f64; 2]>> = cursor.list()?.iter().map(pair).collect();
            super::all(read)?
        }
        Value::Map(_) => {
            let fields = cursor.fields(&["file"])?;
            let at = fields.required("file")?;
            let path = context.folder.join(at.text()?);
            match points_of(&path) {
                Ok(points) => points,
                Err(message) => return at.fail(format!("{}: {message}", clip(&path.to_string_lossy()))),
            }
        }
        _ => {
            let problem = cursor.problem(format!("must be a list or a file, got {}", cursor.value()));
            return cursor.report(problem.expecting("`[[time, value], ...]` or `{ file: NAME.csv }`"));
        }
    };
    match Table::new(points) {
        Ok(table) => Some(table),
        Err(error) => cursor.fail(error.to_string()),
    }
}

/// Time and value from the first two columns of a text file; separated by commas, semicolons or blanks. Empty lines and
/// those that begin with `#` are skipped, and so is a first line that holds no numbers.
fn points_of(path: &std::path::Path) -> Result<Vec<[f64; 2]>, String> {
    let bytes = input::read(path, MAX_FILE_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    let mut points = Vec::new();
    let mut seen = false;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut cells = line.split([',', ';', ' ', '\t']).filter(|cell| !cell.is_empty());
        let pair = [cells.next(), cells.next()].map(|cell| cell.and_then(|cell| cell.parse::<f64>().ok()));
        match pair {
            [Some(time), Some(value)] if time.is_finite() && value.is_finite() => points.push([time, value]),
            [None, _] if !seen => {}
            _ => return Err(format!("line {} is not a time and a value", number + 1)),
        }
        seen = true;
    }
    Ok(points)
}
