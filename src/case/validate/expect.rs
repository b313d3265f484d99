//! The section `expect`.

use super::super::decode::{Cursor, Fields, Located, Range, check_name};
use super::super::results::{Expect, ExpectAt, Tolerance};
use super::super::tree::{Value, clip};
use super::{Context, all, optional_text};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Expect>>> {
    let items = cursor.list()?;
    all(items.iter().map(|item| expectation(item, context)).collect())
}

fn expectation(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Expect>> {
    let keys = ["quantity", "at", "value", "tolerance", "relative", "source", "pinned"];
    let fields = cursor.fields(&keys)?;
    let quantity = fields.required("quantity").and_then(|cursor| quantity(&cursor));
    let at = fields.required("at").and_then(|cursor| at(&cursor, context));
    let value = fields.required("value").and_then(|cursor| cursor.number(Range::Any));
    let tolerance = tolerance(&fields, value);
    let source = optional_text(&fields, "source");
    let pinned = optional_text(&fields, "pinned");
    Some(cursor.locate(Expect {
        quantity: quantity?,
        at: at?,
        value: value?,
        tolerance: tolerance?,
        source: source?,
        pinned: pinned?,
    }))
}

fn quantity(cursor: &Cursor<'_>) -> Option<String> {
    let text = cursor.text()?;
    if text.split('/').any(|part| check_name(part).is_err()) {
        let problem = cursor.problem(format!("`{}` is not the path of a quantity", clip(text)));
        return cursor.report(problem.expecting("names joined by `/`, for example `bodies/cylinder/velocity/1`"));
    }
    Some(text.to_owned())
}

fn at(cursor: &Cursor<'_>, context: &Context) -> Option<ExpectAt> {
    if !matches!(cursor.value(), Value::Number(..)) {
        let words = [
            ("final", ExpectAt::Final),
            ("initial", ExpectAt::Initial),
            ("min", ExpectAt::Min),
            ("max", ExpectAt::Max),
            ("time_of_min", ExpectAt::TimeOfMin),
            ("time_of_max", ExpectAt::TimeOfMax),
        ];
        return cursor.choice(&words, &[]);
    }
    let time = cursor.number(Range::NonNegative)?;
    match context.end {
        // The margin forgives an end that is the same number typed in two ways.
        Some(end) if time > end * (1.0 + 1e-9) => cursor.fail(format!("must be <= time.end = {end:?}, got {time:?}")),
        _ => Some(ExpectAt::Time(time)),
    }
}

fn tolerance(fields: &Fields<'_>, value: Option<f64>) -> Option<Tolerance> {
    match (fields.optional("tolerance"), fields.optional("relative")) {
        (Some(cursor), None) => cursor.number(Range::NonNegative).map(Tolerance::Absolute),
        (None, Some(cursor)) => {
            let fraction = cursor.number(Range::NonNegative)?;
            if value == Some(0.0) {
                let problem = cursor.problem("a fraction of the value 0 allows no deviation");
                return cursor.report(problem.expecting("`tolerance` instead of `relative`"));
            }
            Some(Tolerance::Relative(fraction))
        }
        (None, None) => {
            let owner = fields.owner();
            owner.report(owner.problem("missing key `tolerance` or `relative`").expecting("exactly one of the two"))
        }
        (Some(_), Some(cursor)) => cursor
            .report(cursor.problem("both `tolerance` and `relative` are given").expecting("exactly one of the two")),
    }
}
