//! The section `obstacles`.

use super::super::data::{Inertial, Motion, Obstacle, Placement, Shape, SurfaceSource};
use super::super::decode::{Cursor, Fields, Located, Names, Range, listed};
use super::super::tree::Value;
use super::function::{from_zero, function};
use super::polyline;
use super::{Context, all, body, boundary, rigid};
use crate::geometry::given::{Given, Lines, Read, Word};
use crate::geometry::{Coordinate, Vector, words};
use crate::time::TimeFunction;

/// The obstacles, each with what makes it a body with mass.
pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<(Obstacle, Option<Inertial>)>> {
    let named = cursor.names()?;
    all(named.into_iter().map(|(name, cursor)| obstacle(name, &cursor, context)).collect())
}

fn obstacle(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<(Obstacle, Option<Inertial>)> {
    if context.bodies.as_ref().is_some_and(|bodies| bodies.contains(&name.value))
        || context.rigid.bodies.contains(&name.value)
    {
        cursor.report::<()>(
            name.problem(format!("`{}` is also the name of a body", name.value)).expecting("another name"),
        );
    }
    let keys: Vec<&str> = ["shape", "place", "motion"].iter().chain(rigid::KEYS).copied().collect();
    let fields = cursor.fields(&keys)?;
    let shape = fields.required("shape").and_then(|cursor| shape(&cursor, context));
    let place = fields.or("place", Placement::default(), |cursor| placement(cursor, context));
    let motion = fields.or("motion", None, |cursor| motion(cursor, context).map(Some));
    let inertial = rigid::of_obstacle(&fields, context);
    Some((Obstacle { name, shape: shape?, place: place?, motion: motion?, carrier: None }, inertial?))
}

pub(super) fn shape(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Shape>> {
    let named = |fits: &dyn Fn(&Word) -> bool| -> Vec<&'static str> {
        words().filter(|word| fits(word)).map(|word| word.name).collect()
    };
    let (name, body) = cursor.variant(Names { ready: &named(&|_| true), later: &[] })?;
    let word = words().find(|word| word.name == name)?;
    if let Some(dim) = context.dimension().filter(|dim| !word.dims.contains(dim)) {
        let (kind, other) = if dim == 2 { ("solid", "plane") } else { ("plane", "solid") };
        let problem = cursor.problem(format!("`{name}` is a {kind} shape, the geometry is {other}"));
        let fitting = named(&|word| word.dims.contains(&dim));
        return cursor.report(problem.expecting(format!("one of {}", listed(fitting))));
    }
    let fields = if word.keys.is_empty() { None } else { Some(body.fields(word.keys)?) };
    // what lives in one dimension only says its own
    let dim = if let [dim] = word.dims { Some(*dim) } else { context.dimension() };
    let typed = Typed { body: &body, fields, dim };
    let shape = match (word.read)(&typed) {
        Some(Read::Triangles { inside }) => Shape::Triangles { source: source(typed.fields.as_ref()?)?, inside },
        Some(Read::Shape(shape)) => Shape::Made(shape),
        None => return None,
    };
    Some(body.locate(shape))
}

/// What stands under the word of a shape.
struct Typed<'c, 'a> {
    body: &'c Cursor<'a>,
    fields: Option<Fields<'a>>,
    dim: Option<usize>,
}

impl Typed<'_, '_> {
    fn number(&self, key: &str, range: Range) -> Option<f64> {
        self.fields.as_ref()?.required(key)?.number(range)
    }
}

impl Given for Typed<'_, '_> {
    fn dim(&self) -> Option<usize> {
        self.dim
    }

    fn place(&self, key: &str) -> Option<Vector> {
        self.fields.as_ref()?.required(key)?.vector(self.dim).map(Vector::from)
    }

    fn direction(&self, key: &str) -> Option<Vector> {
        let cursor = self.fields.as_ref()?.required(key)?;
        unit(cursor.vector(self.dim)?).or_else(|| cursor.fail("must not be zero")).map(Vector::from)
    }

    fn length(&self, key: &str) -> Option<f64> {
        self.number(key, Range::Positive)
    }

    fn maybe_length(&self, key: &str) -> Option<Option<f64>> {
        self.fields.as_ref()?.or(key, None, |cursor| cursor.number(Range::Positive).map(Some))
    }

    fn length_or_zero(&self, key: &str) -> Option<f64> {
        self.fields.as_ref()?.or(key, 0.0, |cursor| cursor.number(Range::NonNegative))
    }

    fn inside(&self) -> Option<bool> {
        self.fields.as_ref()?.or("inside", false, Cursor::truth)
    }

    fn extremes(&self) -> Option<[Vector; 2]> {
        let fields = self.fields.as_ref()?;
        match self.dim {
            Some(2) => {
                let (min, max): ([f64; 2], [f64; 2]) = body::corners(fields)?;
                Some([min, max].map(|x| Vector::new(x[0], x[1], 0.0)))
            }
            Some(_) => {
                let (min, max): ([f64; 3], [f64; 3]) = body::corners(fields)?;
                Some([min, max].map(Vector::from))
            }
            None => {
                fields.required("min").and_then(|cursor| cursor.vector(None));
                fields.required("max").and_then(|cursor| cursor.vector(None));
                None
            }
        }
    }

    fn lines(&self, kind: Lines) -> Option<(Vec<Vec<[f64; 2]>>, bool)> {
        Some(match kind {
            Lines::Region => {
                let polyline::Region { outer, holes, inside } = polyline::region(self.body)?;
                (std::iter::once(outer).chain(holes).collect(), inside)
            }
            Lines::Chain => (vec![polyline::chain(self.body)?], false),
            Lines::Chains => (polyline::chains(self.body)?, false),
        })
    }

    fn refuse(&self, key: &str, message: &str) {
        if let Some(cursor) = self.fields.as_ref().and_then(|fields| fields.optional(key)) {
            cursor.fail::<()>(message);
        }
    }
}

/// `displacement` or `velocity` along the axes, `rotation`, or both.
pub(super) fn motion(cursor: &Cursor<'_>, context: &Context) -> Option<Motion> {
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
pub(super) fn placement(cursor: &Cursor<'_>, context: &Context) -> Option<Placement> {
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

/// A direction in space.
fn direction(cursor: &Cursor<'_>) -> Option<[f64; 3]> {
    unit(cursor.vector(Some(3))?).or_else(|| cursor.fail("must not be zero"))
}

/// The file of a triangulated surface.
fn source(fields: &Fields<'_>) -> Option<SurfaceSource> {
    let path = |cursor: &Cursor<'_>| match cursor.text()? {
        "" => cursor.fail("is empty; it must be the path of a file"),
        text => Some(cursor.locate(text.to_owned())),
    };
    let group = fields.or("group", None, |cursor| cursor.text().map(|text| Some(text.to_owned())));
    match (fields.optional("stl"), fields.optional("gmsh")) {
        (Some(_), Some(gmsh)) => gmsh.fail("`stl` is given too: one of the two"),
        (None, None) => fields.owner().fail("names no file: give `stl` or `gmsh`"),
        (Some(stl), None) => match fields.optional("group") {
            Some(group) => group.fail("an STL file has no groups; a group is chosen from a file, see `gmsh`"),
            None => path(&stl).map(SurfaceSource::Stl),
        },
        (None, Some(gmsh)) => path(&gmsh).zip(group).map(|(file, group)| SurfaceSource::Gmsh { file, group }),
    }
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
