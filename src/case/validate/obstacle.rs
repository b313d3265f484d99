//! The section `obstacles`.

use super::super::data::{Motion, Obstacle, Placement, Shape, SurfaceSource};
use super::super::decode::{Cursor, Fields, Located, Names, Range, listed};
use super::super::tree::Value;
use super::function::{from_zero, function};
use super::polyline;
use super::{Context, all, body, boundary, rigid};
use crate::geometry::Coordinate;
use crate::time::TimeFunction;

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
    let keys: Vec<&str> = ["shape", "place", "motion"].iter().chain(rigid::KEYS).copied().collect();
    let fields = cursor.fields(&keys)?;
    let shape = fields.required("shape").and_then(|cursor| shape(&cursor, context));
    let place = fields.or("place", Placement::default(), |cursor| placement(cursor, context));
    let motion = fields.or("motion", None, |cursor| motion(cursor, context).map(Some));
    let inertial = rigid::read(&fields, context);
    Some(Obstacle { name, shape: shape?, place: place?, motion: motion?, inertial: inertial? })
}

const PLANE: &[&str] = &["half_space", "polygon", "chain", "chains", "box", "circle", "capsule"];
const SOLID: &[&str] = &["half_space", "box", "sphere", "capsule", "cylinder", "cone", "surface"];
const SHAPES: &[&str] =
    &["half_space", "polygon", "chain", "chains", "box", "circle", "sphere", "capsule", "cylinder", "cone", "surface"];

fn shape(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Shape>> {
    let (name, body) = cursor.variant(Names { ready: SHAPES, later: &[] })?;
    let (kind, other, fitting) = match context.dimension() {
        Some(2) => ("solid", "plane", PLANE),
        Some(_) => ("plane", "solid", SOLID),
        None => ("", "", SHAPES),
    };
    if !fitting.contains(&name) {
        let problem = cursor.problem(format!("`{name}` is a {kind} shape, the geometry is {other}"));
        return cursor.report(problem.expecting(format!("one of {}", listed(fitting.iter().copied()))));
    }
    let shape = match name {
        "half_space" => half_space(&body, context)?,
        "polygon" => {
            let polyline::Region { outer, holes, inside } = polyline::region(&body)?;
            Shape::Polygon { outer, holes, inside }
        }
        "chain" => Shape::Chains(vec![polyline::chain(&body)?]),
        "chains" => Shape::Chains(polyline::chains(&body)?),
        "box" => block(&body, context)?,
        "capsule" => capsule(&body, context)?,
        "cylinder" => cylinder(&body)?,
        "cone" => cone(&body)?,
        "surface" => surface(&body)?,
        _ => ball(&body, context)?,
    };
    Some(body.locate(shape))
}

/// `displacement` or `velocity` along the axes, `rotation`, or both.
fn motion(cursor: &Cursor<'_>, context: &Context) -> Option<Motion> {
    let fields = cursor.fields(&["displacement", "velocity", "rotation"])?;
    let still = || [const { Coordinate::Place(TimeFunction::ZERO) }; 3];
    let along = |cursor: &Cursor<'_>, read: fn(&Cursor<'_>, &Context) -> Option<Coordinate>| {
        let keys = &["x", "y", "z"][..context.dimension().unwrap_or(3)];
        let fields = cursor.fields(keys)?;
        if keys.iter().all(|key| fields.optional(key).is_none()) {
            return cursor.fail("prescribes no axis");
        }
        let mut shift = still();
        for (path, key) in shift.iter_mut().zip(keys) {
            *path = fields.or(key, Coordinate::Place(TimeFunction::ZERO), |cursor| read(cursor, context))?;
        }
        Some(shift)
    };
    let shift = match (fields.optional("displacement"), fields.optional("velocity")) {
        (Some(_), Some(velocity)) => velocity.fail("`displacement` is given too: one of the two"),
        (Some(cursor), None) => along(&cursor, |cursor, context| from_zero(cursor, context).map(Coordinate::Place)),
        (None, Some(cursor)) => along(&cursor, |cursor, context| function(cursor, context).map(Coordinate::Rate)),
        (None, None) => Some(still()),
    };
    let turned = fields.or("rotation", None, |cursor| {
        let solid = context.dimension() == Some(3);
        let keys = ["centre", "angle", "angular_velocity", "axis"];
        let fields = cursor.fields(&keys[..if solid { 4 } else { 3 }])?;
        boundary::turned(cursor, &fields, context).map(Some)
    });
    if ["displacement", "velocity", "rotation"].iter().all(|key| fields.optional(key).is_none()) {
        return cursor.fail("moves nothing: give `displacement`, `velocity` or `rotation`, or leave `motion` out");
    }
    Some(Motion { shift: shift?, rotation: turned? })
}

/// Turned about a point, then shifted: `{ rotate: { angle, axis, about }, translate }`; in the plane the angle alone will do.
fn placement(cursor: &Cursor<'_>, context: &Context) -> Option<Placement> {
    let fields = cursor.fields(&["rotate", "translate"])?;
    let shift = fields.or("translate", [0.0; 3], |cursor| cursor.vector(context.dimension()));
    let turned = fields.or("rotate", ([0.0; 3], [0.0; 3]), |cursor| rotation(cursor, context));
    let (turn, about) = turned?;
    Some(Placement { turn, about, shift: shift? })
}

/// Rotation vector and fixed point.
fn rotation(cursor: &Cursor<'_>, context: &Context) -> Option<([f64; 3], [f64; 3])> {
    let solid = context.dimension() == Some(3);
    if !solid && matches!(cursor.value(), Value::Number(..)) {
        return Some(([0.0, 0.0, cursor.number(Range::Any)?.to_radians()], [0.0; 3]));
    }
    let fields = cursor.fields(if solid { &["angle", "axis", "about"] } else { &["angle", "about"] })?;
    let angle = fields.required("angle").and_then(|cursor| cursor.number(Range::Any));
    let axis =
        if solid { fields.required("axis").and_then(|cursor| direction(&cursor)) } else { Some([0.0, 0.0, 1.0]) };
    let about = fields.or("about", [0.0; 3], |cursor| cursor.vector(context.dimension()));
    let angle = angle?.to_radians();
    Some((axis?.map(|a| a * angle), about?))
}

fn inside(fields: &Fields<'_>) -> Option<bool> {
    fields.or("inside", false, Cursor::truth)
}

fn radius(fields: &Fields<'_>) -> Option<f64> {
    fields.required("radius").and_then(|cursor| cursor.number(Range::Positive))
}

/// A direction in space.
fn direction(cursor: &Cursor<'_>) -> Option<[f64; 3]> {
    unit(cursor.vector(Some(3))?).or_else(|| cursor.fail("must not be zero"))
}

fn ball(cursor: &Cursor<'_>, context: &Context) -> Option<Shape> {
    let fields = cursor.fields(&["centre", "radius", "inside"])?;
    let centre = fields.required("centre").and_then(|cursor| cursor.vector(context.dimension()));
    let (radius, inside) = (radius(&fields), inside(&fields));
    Some(Shape::Ball { centre: centre?, radius: radius?, inside: inside? })
}

fn capsule(cursor: &Cursor<'_>, context: &Context) -> Option<Shape> {
    let fields = cursor.fields(&["from", "to", "radius", "inside"])?;
    let from = fields.required("from").and_then(|cursor| cursor.vector(context.dimension()));
    let to = fields.required("to").and_then(|cursor| {
        let to = cursor.vector(context.dimension())?;
        if Some(to) == from {
            cursor.fail("is the same point as `from`: that is a circle or a sphere")
        } else {
            Some(to)
        }
    });
    let (radius, inside) = (radius(&fields), inside(&fields));
    Some(Shape::Capsule { ends: [from?, to?], radius: radius?, inside: inside? })
}

fn cylinder(cursor: &Cursor<'_>) -> Option<Shape> {
    let fields = cursor.fields(&["point", "direction", "radius", "length", "inside"])?;
    let point = fields.required("point").and_then(|cursor| cursor.vector(Some(3)));
    let direction = fields.required("direction").and_then(|cursor| direction(&cursor));
    let length = fields.or("length", None, |cursor| cursor.number(Range::Positive).map(Some));
    let (radius, inside) = (radius(&fields), inside(&fields));
    let (point, direction, radius, inside) = (point?, direction?, radius?, inside?);
    Some(match length? {
        Some(length) => Shape::Revolved { point, direction, length, radii: [radius; 2], inside },
        None => Shape::EndlessCylinder { point, direction, radius, inside },
    })
}

fn cone(cursor: &Cursor<'_>) -> Option<Shape> {
    let fields = cursor.fields(&["point", "direction", "radius", "tip_radius", "length", "inside"])?;
    let point = fields.required("point").and_then(|cursor| cursor.vector(Some(3)));
    let direction = fields.required("direction").and_then(|cursor| direction(&cursor));
    let length = fields.required("length").and_then(|cursor| cursor.number(Range::Positive));
    let tip = fields.or("tip_radius", 0.0, |cursor| cursor.number(Range::NonNegative));
    let (radius, inside) = (radius(&fields), inside(&fields));
    let radii = [radius?, tip?];
    Some(Shape::Revolved { point: point?, direction: direction?, length: length?, radii, inside: inside? })
}

fn surface(cursor: &Cursor<'_>) -> Option<Shape> {
    let fields = cursor.fields(&["stl", "gmsh", "group", "inside"])?;
    let path = |cursor: &Cursor<'_>| match cursor.text()? {
        "" => cursor.fail("is empty; it must be the path of a file"),
        text => Some(cursor.locate(text.to_owned())),
    };
    let group = fields.or("group", None, |cursor| cursor.text().map(|text| Some(text.to_owned())));
    let source = match (fields.optional("stl"), fields.optional("gmsh")) {
        (Some(_), Some(gmsh)) => gmsh.fail("`stl` is given too: one of the two"),
        (None, None) => cursor.fail("names no file: give `stl` or `gmsh`"),
        (Some(stl), None) => match fields.optional("group") {
            Some(group) => group.fail("an STL file has no groups; a group is chosen from a file, see `gmsh`"),
            None => path(&stl).map(SurfaceSource::Stl),
        },
        (None, Some(gmsh)) => path(&gmsh).zip(group).map(|(file, group)| SurfaceSource::Gmsh { file, group }),
    };
    let inside = inside(&fields);
    Some(Shape::Surface { source: source?, inside: inside? })
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
    let fields = cursor.fields(&["min", "max", "inside"])?;
    let inside = inside(&fields);
    match context.dimension() {
        Some(2) => {
            let (min, max): ([f64; 2], [f64; 2]) = body::corners(&fields)?;
            Some(Shape::Box { min: [min[0], min[1], 0.0], max: [max[0], max[1], 0.0], inside: inside? })
        }
        Some(_) => {
            let (min, max) = body::corners(&fields)?;
            Some(Shape::Box { min, max, inside: inside? })
        }
        None => {
            fields.required("min").and_then(|cursor| cursor.vector(None));
            fields.required("max").and_then(|cursor| cursor.vector(None));
            None
        }
    }
}
