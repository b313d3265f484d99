//! The section `obstacles`.

use super::super::data::{Obstacle, Shape};
use super::super::decode::{Cursor, Located, Names};
use super::polyline;
use super::{Context, all, body};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Obstacle>> {
    let named = cursor.names()?;
    all(named.into_iter().map(|(name, cursor)| obstacle(name, &cursor, context)).collect())
}

fn obstacle(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<Obstacle> {
    if context.bodies.as_ref().is_some_and(|bodies| bodies.contains(&name.value)) {
        cursor.report::<()>(
            name.problem(format!("`{}` is also the name of a body", name.value)).expecting("another name"),
        );
    }
    let fields = cursor.fields(&["shape"])?;
    let shape = fields.required("shape").and_then(|cursor| shape(&cursor, context));
    Some(Obstacle { name, shape: shape? })
}

fn shape(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Shape>> {
    let (name, body) = cursor.variant(Names { ready: &["half_space", "polygon", "chain", "box"], later: &[] })?;
    if matches!(name, "polygon" | "chain") && !context.may_be_plane() {
        let problem = cursor.problem(format!("`{name}` is a plane shape, the geometry is solid"));
        return cursor.report(problem.expecting("`half_space` or `box`"));
    }
    let shape = match name {
        "half_space" => half_space(&body, context)?,
        "polygon" => Shape::Polygon(polyline::polygon(&body)?),
        "chain" => Shape::Chain(polyline::chain(&body)?),
        _ => block(&body, context)?,
    };
    Some(body.locate(shape))
}

fn half_space(cursor: &Cursor<'_>, context: &Context) -> Option<Shape> {
    let fields = cursor.fields(&["point", "normal"])?;
    let point = fields.required("point").and_then(|cursor| cursor.vector(context.dimension()));
    let normal = fields.required("normal").and_then(|cursor| {
        let normal = cursor.vector(context.dimension())?;
        unit(normal).or_else(|| cursor.fail("must not be zero"))
    });
    Some(Shape::HalfSpace { point: point?, normal: normal? })
}

/// The vector scaled to length 1; `None` for the zero vector.
fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    // Dividing by the largest component first keeps very short and very long vectors in range.
    let largest = vector.iter().fold(0.0_f64, |largest, component| largest.max(component.abs()));
    if largest == 0.0 {
        return None;
    }
    let scaled = vector.map(|component| component / largest);
    let length = scaled.iter().map(|component| component * component).sum::<f64>().sqrt();
    Some(scaled.map(|component| component / length))
}

fn block(cursor: &Cursor<'_>, context: &Context) -> Option<Shape> {
    let fields = cursor.fields(&["min", "max"])?;
    match context.dimension() {
        Some(2) => {
            let (min, max): ([f64; 2], [f64; 2]) = body::corners(&fields)?;
            Some(Shape::Box { min: [min[0], min[1], 0.0], max: [max[0], max[1], 0.0] })
        }
        Some(_) => {
            let (min, max) = body::corners(&fields)?;
            Some(Shape::Box { min, max })
        }
        None => {
            fields.required("min").and_then(|cursor| cursor.vector(None));
            fields.required("max").and_then(|cursor| cursor.vector(None));
            None
        }
    }
}
