//! The section `output`.

use std::time::Duration;

use super::super::decode::{Cursor, Fields, Located, Range};
use super::super::results::{Field, Output, Probe, Watched};
use super::body::reference;
use super::{Context, all};
use crate::model;

/// A century: longer ones are no different.
const LONGEST: f64 = 3.2e9;

pub(super) fn read(top: &Fields<'_>, context: &Context) -> Option<Output> {
    let every_field = || Field::ALL.iter().map(|(_, field)| *field).collect();
    // a hundred frames where there is no step to go by
    let interval = if context.adaptive { context.end.map(|end| end / 100.0) } else { context.step };
    let Some(cursor) = top.optional("output") else {
        let (fields, probes) = (every_field(), Vec::new());
        return Some(Output {
            every: interval?,
            fields,
            probes,
            compression: 0,
            checkpoint: model::Output::CHECKPOINT,
        });
    };
    let fields = cursor.fields(&["every", "fields", "probes", "compression", "checkpoint"])?;
    let every = match fields.optional("every") {
        Some(cursor) => every(&cursor, context),
        None => interval,
    };
    let chosen = fields.or("fields", every_field(), chosen);
    let probes = fields.or("probes", Vec::new(), |cursor| probes(cursor, context));
    let compression = fields.or("compression", 0, |cursor| cursor.integer(0..=9));
    let checkpoint = fields.or("checkpoint", model::Output::CHECKPOINT, |cursor| {
        cursor.number(Range::Positive).map(|seconds| Duration::from_secs_f64(seconds.min(LONGEST)))
    });
    let (fields, probes) = (chosen?, probes?);
    Some(Output { every: every?, fields, probes, compression: compression?, checkpoint: checkpoint? })
}

fn every(cursor: &Cursor<'_>, context: &Context) -> Option<f64> {
    let every = cursor.number(Range::Positive)?;
    match context.step {
        // The margin forgives a step and an interval that are the same number typed in two ways.
        Some(step) if every < step * (1.0 - 1e-9) => {
            let key = if context.adaptive { "time.step.adaptive.min" } else { "time.step" };
            cursor.fail(format!("must be >= {key} = {step:?}, got {every:?}: there is nothing between two steps"))
        }
        _ => Some(every),
    }
}

fn chosen(cursor: &Cursor<'_>) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut complete = true;
    for item in cursor.list()? {
        match item.choice(Field::ALL, &[]) {
            Some(field) if fields.contains(&field) => {
                complete = false;
                item.fail::<()>(format!("field `{}` is given twice", field.name()));
            }
            Some(field) => fields.push(field),
            None => complete = false,
        }
    }
    complete.then_some(fields)
}

fn probes(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Probe>>> {
    let named = cursor.names()?;
    all(named.into_iter().map(|(name, cursor)| probe(name, &cursor, context)).collect())
}

fn probe(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<Located<Probe>> {
    let fields = cursor.fields(&["body", "at"])?;
    let text = fields.required("body").and_then(|cursor| Some((cursor.text()?, cursor)));
    let rigid = text.as_ref().and_then(|(text, _)| {
        let (name, point) = reference(text);
        Some((context.rigid.number(name)?, point))
    });
    if let Some((body, Some(point))) = rigid {
        if let Some(at) = fields.optional("at") {
            return at.fail("is where the named point is: leave it out, or name the body alone");
        }
        return Some(cursor.locate(Probe { name: name.value, on: Watched::Point { body, point: point.to_owned() } }));
    }
    let at = fields.required("at").and_then(|cursor| cursor.vector(context.dimension()));
    let on = match rigid {
        Some((body, _)) => Watched::Place { body, at: at? },
        None => {
            let (text, cursor) = text?;
            let body = context.body(text, &cursor);
            Watched::Node { body: body?, at: at? }
        }
    };
    Some(cursor.locate(Probe { name: name.value, on }))
}
