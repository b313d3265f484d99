//! The section `boundary`: loads and supports.

use super::super::data::Geometry;
use super::super::decode::{Cursor, Fields, Located, Names, Range};
use super::super::loads::{Boundary, Density, Part, Per, Share, Turn};
use super::super::tree::{Value, clip};
use super::body::{node_set, reference};
use super::function::{factor, from_zero, function};
use super::{Context, all};
use crate::time::TimeFunction;

const ENTRIES: &[&str] = &[
    "gravity",
    "fixed",
    "displacement",
    "velocity",
    "rotation",
    "force",
    "traction",
    "pressure",
    "body_force",
    "spring",
    "dashpot",
];

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Boundary>>> {
    let items = cursor.list()?;
    let read: Vec<_> = items.iter().map(|item| entry(item, context)).collect();
    let mut gravity = read.iter().flatten().filter(|item| matches!(item.value, Boundary::Gravity { .. }));
    if let (Some(first), Some(second)) = (gravity.next(), gravity.next()) {
        cursor.report::<()>(second.problem(format!("gravity is given twice, first as {}", first.path)));
    }
    all(read)
}

fn entry(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Boundary>> {
    let (name, body) = cursor.variant(Names { ready: ENTRIES, later: &[] })?;
    let entry = match name {
        "gravity" => gravity(&body, context),
        "fixed" => fixed(&body, context),
        "displacement" => moved(&body, context, from_zero).map(|(on, along)| Boundary::Displacement { on, along }),
        "velocity" => moved(&body, context, function).map(|(on, along)| Boundary::Velocity { on, along }),
        "rotation" => rotation(&body, context),
        "force" => force(&body, context),
        "traction" => traction(&body, context),
        "pressure" => pressure(&body, context),
        "body_force" => body_force(&body, context),
        "spring" => bedding(&body, context, "stiffness").map(|(on, coefficients, per)| Boundary::Spring {
            on,
            coefficients,
            per,
        }),
        _ => bedding(&body, context, "coefficient").map(|(on, coefficients, per)| Boundary::Dashpot {
            on,
            coefficients,
            per,
        }),
    };
    Some(body.locate(entry?))
}

/// `on: body.set`.
fn part(fields: &Fields<'_>, context: &Context) -> Option<Part> {
    let cursor = fields.required("on")?;
    let (name, set) = reference(cursor.text()?);
    let body = context.body(name, &cursor);
    let Some(set) = set else {
        return cursor.report(cursor.problem("names no set").expecting(format!("`{}.<set>`", clip(name))));
    };
    let set = node_set(set, &cursor);
    Some(Part { body: body?, set: set? })
}

fn gravity(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let along_axis = |cursor: &Cursor<'_>| {
        let value = cursor.vector(context.dimension())?;
        if context.geometry == Some(Geometry::Axisymmetric) && value[0] != 0.0 {
            let problem = cursor.problem(format!("gravity along the radius has no axis, got {:?}", value[0]));
            return cursor.report(problem.expecting("0 for the first component: gravity acts along the axis"));
        }
        Some(value)
    };
    if matches!(cursor.value(), Value::List(_)) {
        let value = along_axis(cursor)?;
        return Some(Boundary::Gravity { value, time: TimeFunction::Constant(1.0) });
    }
    let fields = cursor.fields(&["value", "time"])?;
    let value = fields.required("value").and_then(|cursor| along_axis(&cursor));
    let time = factor(&fields, context);
    Some(Boundary::Gravity { value: value?, time: time? })
}

fn fixed(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let fields = cursor.fields(&["on", "axes"])?;
    let on = part(&fields, context);
    let every = [true, true, context.dimension() == Some(3)];
    let axes = fields.or("axes", every, |cursor| axes(cursor, context));
    Some(Boundary::Fixed { on: on?, axes: axes? })
}

fn axes(cursor: &Cursor<'_>, context: &Context) -> Option<[bool; 3]> {
    let words: &[(&'static str, usize)] = &[("x", 0), ("y", 1), ("z", 2)];
    let words = &words[..context.dimension().unwrap_or(3)];
    let items = cursor.list()?;
    if items.is_empty() {
        return cursor.fail("holds no axis; leave `axes` out to hold all of them");
    }
    let mut axes = [false; 3];
    let mut complete = true;
    for item in items {
        match item.choice(words, &[]) {
            Some(axis) if axes[axis] => {
                complete = false;
                item.fail::<()>(format!("axis `{}` is given twice", words[axis].0));
            }
            Some(axis) => axes[axis] = true,
            None => complete = false,
        }
    }
    complete.then_some(axes)
}

/// `x`, `y`, `z` as functions of time.
fn moved(
    cursor: &Cursor<'_>,
    context: &Context,
    read: fn(&Cursor<'_>, &Context) -> Option<TimeFunction>,
) -> Option<(Part, [Option<TimeFunction>; 3])> {
    let keys = ["on", "x", "y", "z"];
    let fields = cursor.fields(&keys[..1 + context.dimension().unwrap_or(3)])?;
    let on = part(&fields, context);
    let along = ["x", "y", "z"].map(|key| fields.or(key, None, |cursor| read(cursor, context).map(Some)));
    let [x, y, z] = along;
    let along = [x?, y?, z?];
    if along.iter().all(Option::is_none) {
        return cursor
            .report(cursor.problem("prescribes no axis").expecting("`x`, `y` or `z` with a function of time"));
    }
    Some((on?, along))
}

fn rotation(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    if context.geometry == Some(Geometry::Axisymmetric) {
        return cursor.fail("a body of revolution cannot turn in its plane, and spin about the axis is not available");
    }
    let solid = context.dimension() == Some(3);
    let keys = ["on", "centre", "angle", "angular_velocity", "axis"];
    let fields = cursor.fields(&keys[..if solid { 5 } else { 4 }])?;
    let on = part(&fields, context);
    let turned = turned(cursor, &fields, context);
    let (on, (centre, axis, turn)) = (on?, turned?);
    Some(Boundary::Rotation { on, centre, axis, turn })
}

/// A point of an axis of rotation, its direction, and the turn about it.
pub(super) fn turned(
    cursor: &Cursor<'_>,
    fields: &Fields<'_>,
    context: &Context,
) -> Option<([f64; 3], [f64; 3], Turn)> {
    let solid = context.dimension() == Some(3);
    let centre = fields.or("centre", [0.0; 3], |cursor| cursor.vector(context.dimension()));
    let axis = if solid { fields.required("axis").and_then(|cursor| unit(&cursor)) } else { Some([0.0, 0.0, 1.0]) };
    let turn = match (fields.optional("angle"), fields.optional("angular_velocity")) {
        (Some(angle), None) => from_zero(&angle, context).map(Turn::Angle),
        (None, Some(rate)) => function(&rate, context).map(Turn::Rate),
        (None, None) => cursor.fail("needs `angle` (degrees) or `angular_velocity` (rad/s)"),
        (Some(_), Some(rate)) => rate.fail("`angle` is given too: one of the two"),
    };
    Some((centre?, axis?, turn?))
}

/// A direction in space, made a unit vector.
pub(super) fn unit(cursor: &Cursor<'_>) -> Option<[f64; 3]> {
    let v = cursor.vector(Some(3))?;
    let scale = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if scale == 0.0 {
        return cursor.fail("must not be zero");
    }
    let v = v.map(|x| x / scale);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some(v.map(|x| x / length))
}

fn force(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let fields = cursor.fields(&["on", "each", "total", "time"])?;
    let on = part(&fields, context);
    let vector = |cursor: Cursor<'_>| cursor.vector(context.dimension());
    let value = match (fields.optional("each"), fields.optional("total")) {
        (Some(each), None) => vector(each).map(|value| (value, Share::Each)),
        (None, Some(total)) => vector(total).map(|value| (value, Share::Total)),
        (None, None) => cursor.fail("needs `each` (the force on every node) or `total` (of all nodes together)"),
        (Some(_), Some(total)) => total.fail("`each` is given too: one of the two"),
    };
    let time = factor(&fields, context);
    let (value, share) = value?;
    Some(Boundary::Force { on: on?, value, share, time: time? })
}

fn traction(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let fields = cursor.fields(&["on", "value", "time"])?;
    let on = part(&fields, context);
    let value = fields.required("value").and_then(|cursor| cursor.vector(context.dimension()));
    let time = factor(&fields, context);
    Some(Boundary::Traction { on: on?, value: value?, time: time? })
}

fn pressure(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let fields = cursor.fields(&["on", "value", "follows"])?;
    let on = part(&fields, context);
    let value = fields.required("value").and_then(|cursor| function(&cursor, context));
    let follows = fields.or("follows", true, |cursor| match cursor.value() {
        Value::Bool(follows) => Some(*follows),
        other => cursor.fail(format!("must be true or false, got {other}")),
    });
    Some(Boundary::Pressure { on: on?, value: value?, follows: follows? })
}

fn body_force(cursor: &Cursor<'_>, context: &Context) -> Option<Boundary> {
    let fields = cursor.fields(&["on", "per_mass", "per_volume", "time"])?;
    let body = fields.required("on").and_then(|cursor| context.body(cursor.text()?, &cursor));
    let vector = |cursor: Cursor<'_>| cursor.vector(context.dimension());
    let value = match (fields.optional("per_mass"), fields.optional("per_volume")) {
        (Some(mass), None) => vector(mass).map(|value| (value, Density::Mass)),
        (None, Some(volume)) => vector(volume).map(|value| (value, Density::Volume)),
        (None, None) => cursor.fail("needs `per_mass` (m/s^2) or `per_volume` (N/m^3)"),
        (Some(_), Some(volume)) => volume.fail("`per_mass` is given too: one of the two"),
    };
    let time = factor(&fields, context);
    let (value, per) = value?;
    Some(Boundary::BodyForce { body: body?, value, per, time: time? })
}

/// A spring or dashpot: one coefficient for all axes, or a list with one for each.
fn bedding(cursor: &Cursor<'_>, context: &Context, key: &str) -> Option<(Part, [f64; 3], Per)> {
    let fields = cursor.fields(&["on", key, "per"])?;
    let on = part(&fields, context);
    let dimension = context.dimension().unwrap_or(3);
    let coefficients = fields.required(key).and_then(|cursor| match cursor.value() {
        Value::List(_) => {
            let values = cursor.vector(context.dimension())?;
            match values.iter().position(|value| *value < 0.0) {
                Some(axis) => {
                    cursor.fail(format!("must be >= 0, got {:?} along {}", values[axis], ["x", "y", "z"][axis]))
                }
                None => Some(values),
            }
        }
        _ => {
            let value = cursor.number(Range::NonNegative)?;
            Some([0, 1, 2].map(|axis| if axis < dimension { value } else { 0.0 }))
        }
    });
    let words = [("node", Per::Node), ("area", Per::Area), ("total", Per::Total)];
    let per = fields.or("per", Per::Node, |cursor| cursor.choice(&words, &[]));
    Some((on?, coefficients?, per?))
}
