//! Rigid bodies: obstacles with the keys `mass` or `density` and what goes with them, and entries of `bodies` with `rigid`.

use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

use super::super::data::{Geometry, Inertial, Mass, Obstacle, Placement, Push, RigidBody};
use super::super::decode::{Cursor, Fields, Located, Range, listed};
use super::super::tree::{Node, Value};
use super::boundary::unit;
use super::function::function;
use super::{Context, all, body, find, obstacle};
use crate::time::TimeFunction;

/// Keys of an obstacle that belong to a body with mass.
pub(super) const KEYS: &[&str] = &[
    "mass",
    "density",
    "centre",
    "inertia",
    "free",
    "velocity",
    "angular_velocity",
    "force",
    "torque",
    "spring",
    "dashpot",
];

/// Keys of an entry of `bodies` that is rigid.
pub(super) const OWN: &[&str] =
    &["rigid", "place", "motion", "free", "velocity", "angular_velocity", "force", "torque", "spring", "dashpot"];

/// What makes an obstacle a body with mass; without `mass` and `density` there must be none of it.
pub(super) fn of_obstacle(fields: &Fields<'_>, context: &Context) -> Option<Option<Inertial>> {
    if ["mass", "density"].iter().all(|key| fields.optional(key).is_none()) {
        let lone = KEYS.iter().find_map(|key| fields.optional(key));
        return match lone {
            Some(cursor) => cursor.fail("belongs to a body with mass: give `mass` or `density` too"),
            None => Some(None),
        };
    }
    inertial(fields, fields, context, &[]).map(Some)
}

/// The rigid bodies of the section `bodies` with their shapes. Shapes and bodies are numbered behind those there are.
pub(super) fn read(cursor: &Cursor<'_>, context: &Context, known: usize) -> Option<Vec<(RigidBody, Vec<Obstacle>)>> {
    let named = cursor.names()?.into_iter().filter(|(_, cursor)| is_rigid(cursor.value()));
    all(named.enumerate().map(|(k, (name, cursor))| rigid_body(name, &cursor, context, known + k)).collect())
}

fn is_rigid(value: &Value) -> bool {
    matches!(value, Value::Map(entries) if entries.iter().any(|entry| entry.key == "rigid"))
}

fn rigid_body(
    name: Located<String>,
    cursor: &Cursor<'_>,
    context: &Context,
    number: usize,
) -> Option<(RigidBody, Vec<Obstacle>)> {
    let fields = cursor.fields(body::KEYS)?;
    if let Some(cursor) = body::KEYS.iter().filter(|key| !OWN.contains(key)).find_map(|key| fields.optional(key)) {
        return cursor.fail("belongs to a deformable body, and `rigid` is given too");
    }
    let own = fields.required("rigid")?;
    let own = own.fields(&["mass", "density", "inertia", "axes", "centre", "points", "shapes"])?;
    let points = own.or("points", Vec::new(), |cursor| {
        let named = cursor.names()?;
        all(named.into_iter().map(|(name, at)| Some((name.value, at.vector(context.dimension())?))).collect())
    });
    let place = fields.or("place", Placement::default(), |cursor| obstacle::placement(cursor, context));
    let motion = fields.or("motion", None, |cursor| obstacle::motion(cursor, context).map(Some));
    let shapes = own.or("shapes", Vec::new(), |cursor| {
        let shape = |(part, cursor): (Located<String>, Cursor<'_>)| {
            let path = format!("{}.{}", name.value, part.value);
            Some((Located { value: path, ..part }, obstacle::shape(&cursor, context)?))
        };
        all(cursor.names()?.into_iter().map(shape).collect())
    });
    let names: Vec<String> = points.iter().flatten().map(|(name, _): &(String, [f64; 3])| name.clone()).collect();
    let inertial = inertial(&own, &fields, context, &names);
    let (place, motion) = (place?, motion?);
    let carried = |(name, shape)| Obstacle { name, shape, place, motion: motion.clone(), carrier: Some(number) };
    let shapes = shapes?.into_iter().map(carried).collect();
    Some((RigidBody { name, inertial: inertial?, place, motion, points: points? }, shapes))
}

/// Mass, from the keys `own`, and what acts on it, from those `beside` them, at named `points`.
fn inertial(own: &Fields<'_>, beside: &Fields<'_>, context: &Context, points: &[String]) -> Option<Inertial> {
    let mass = match (own.optional("mass"), own.optional("density")) {
        (Some(_), Some(density)) => density.fail("`mass` is given too: one of the two"),
        (Some(cursor), None) => cursor.number(Range::Positive).map(|m| cursor.locate(Mass::Total(m))),
        (None, Some(cursor)) if context.geometry == Some(Geometry::Axisymmetric) => {
            cursor.fail("the mass of a body of revolution is not computed: give `mass`, that of the whole ring")
        }
        (None, Some(cursor)) => cursor.number(Range::Positive).map(|rho| cursor.locate(Mass::Density(rho))),
        (None, None) => own.required_or("mass", "density").and(None),
    };
    let solid = context.dimension() == Some(3);
    let free = free(beside, context);
    if let Some(motion) = beside.optional("motion") {
        guided(&motion, free.as_deref()?);
    }
    let centre = own.or("centre", None, |cursor| cursor.vector(context.dimension()).map(Some));
    let axes = own.optional("axes").map(|cursor| (principal_axes(&cursor), cursor));
    let inertia = match (own.optional("inertia"), &axes) {
        (None, Some((_, axes))) => axes.fail("turns principal axes: give `inertia` with three moments too"),
        (None, None) => Some(None),
        (Some(cursor), axes) => inertia(&cursor, axes.as_ref(), context).map(Some),
    };
    let velocity = beside.or("velocity", [0.0; 3], |cursor| {
        let velocity = cursor.vector(context.dimension())?;
        held(cursor, free.as_deref()?, 0, velocity.map(|v| v != 0.0))?;
        Some(velocity)
    });
    let angular_velocity = beside.or("angular_velocity", [0.0; 3], |cursor| {
        let spin = body::angular_velocity(cursor, context)?;
        let about = if solid { spin } else { [spin[2], 0.0, 0.0] };
        held(cursor, free.as_deref()?, context.dimension()?, about.map(|w| w != 0.0))?;
        Some(spin)
    });
    let pushes = |key: &str| {
        beside.or(key, Vec::new(), |cursor| {
            let several = matches!(cursor.value(), Value::List(_));
            let items = if several { cursor.list()? } else { vec![cursor.clone()] };
            all(items.iter().map(|item| push(key, item, context, free.as_deref()?, points)).collect())
        })
    };
    let (forces, torques) = (pushes("force"), pushes("torque"));
    let bedding = |key: &str| {
        beside.or(key, [0.0; 3], |cursor| {
            let (keys, mut values) = (self::axes(context), [0.0; 3]);
            let fields = cursor.fields(keys)?;
            if keys.iter().all(|key| fields.optional(key).is_none()) {
                return cursor.fail("names no axis");
            }
            for (value, key) in values.iter_mut().zip(keys) {
                *value = fields.or(key, 0.0, |cursor| cursor.number(Range::NonNegative))?;
            }
            held(cursor, free.as_deref()?, 0, values.map(|k| k != 0.0))?;
            Some(values)
        })
    };
    let (springs, dashpots) = (bedding("spring"), bedding("dashpot"));
    Some(Inertial {
        mass: mass?,
        centre: centre?,
        inertia: inertia?,
        velocity: velocity?,
        angular_velocity: angular_velocity?,
        pushes: forces?.into_iter().chain(torques?).collect(),
        springs: springs?,
        dashpots: dashpots?,
        free: free?,
    })
}

/// A force or a torque: a function for each axis, in the plane one for a torque; where it acts and whether it turns with the body.
fn push(key: &str, cursor: &Cursor<'_>, context: &Context, free: &[bool], points: &[String]) -> Option<Push> {
    let still = || [const { TimeFunction::ZERO }; 3];
    let (is_force, dim) = (key == "force", context.dimension()?);
    let mut push = Push { at: None, turns: false, force: still(), torque: still() };
    if !is_force && dim == 2 {
        push.torque[2] = function(cursor, context)?;
        held(cursor, free, 2, [!push.torque[2].is_zero(), false, false])?;
        return Some(push);
    }
    let names = axes(context);
    let keys: Vec<&str> = names.iter().copied().chain(is_force.then_some("at")).chain(["axes"]).collect();
    let fields = cursor.fields(&keys)?;
    if names.iter().all(|key| fields.optional(key).is_none()) {
        return cursor.fail("names no axis");
    }
    let mut values = still();
    for (value, key) in values.iter_mut().zip(names) {
        *value = fields.or(key, TimeFunction::ZERO, |cursor| function(cursor, context))?;
    }
    if is_force {
        push.at = fields.or("at", None, |cursor| find(points, "point", cursor.text()?, cursor).map(Some))?;
    }
    push.turns = fields.or("axes", false, |cursor| cursor.choice(&[("space", false), ("body", true)], &[]))?;
    if !push.turns {
        held(cursor, free, if is_force { 0 } else { dim }, values.each_ref().map(|f| !f.is_zero()))?;
    }
    *(if is_force { &mut push.force } else { &mut push.torque }) = values;
    Some(push)
}

fn axes(context: &Context) -> &'static [&'static str] {
    &["x", "y", "z"][..context.dimension().unwrap_or(3)]
}

/// Reports what would act on an unknown that is held.
fn held(cursor: &Cursor<'_>, free: &[bool], first: usize, acts: [bool; 3]) -> Option<()> {
    let names = if free.len() == 3 { &["x", "y", "rotation"][..] } else { SOLID };
    for (k, name) in names.iter().enumerate().skip(first).take(3) {
        if acts[k - first] && !free[k] {
            return cursor.fail(format!("acts along `{name}`, which `free` does not name: the body is held there"));
        }
    }
    Some(())
}

/// The motion of a body with mass moves its centre along axes that are not free, and turns it where no rotation is.
fn guided(motion: &Cursor<'_>, free: &[bool]) {
    let Value::Map(entries) = motion.value() else { return };
    let dim = free.len().div_ceil(2);
    for entry in entries {
        if entry.key == "rotation" {
            if free[dim..].contains(&true) {
                motion.fail::<()>("turns the body, which `free` lets turn: one of the two");
            }
            if entry.node.get("centre").is_some() {
                motion.fail::<()>("a body with mass turns about its centre of mass: leave out `centre` of `rotation`");
            }
        } else if let Value::Map(axes) = &entry.node.value {
            for (k, axis) in ["x", "y", "z"].iter().enumerate().take(dim) {
                if free[k] && axes.iter().any(|entry| entry.key == *axis) {
                    motion.fail::<()>(format!("moves the body along `{axis}`, which `free` names: one of the two"));
                }
            }
        }
    }
}

const SOLID: &[&str] = &["x", "y", "z", "rotation_x", "rotation_y", "rotation_z"];

/// The unknowns that are free, by default all.
fn free(fields: &Fields<'_>, context: &Context) -> Option<Vec<bool>> {
    let dim = context.dimension()?;
    let ring = context.geometry == Some(Geometry::Axisymmetric);
    let names: &[&str] = match dim {
        2 if ring => &["y"],
        2 => &["x", "y", "rotation"],
        _ => SOLID,
    };
    let count = if dim == 2 { 3 } else { 6 };
    let default = if ring { vec![false, true, false] } else { vec![true; count] };
    fields.or("free", default, |cursor| {
        let mut free = vec![false; count];
        let items = cursor.list()?;
        if items.is_empty() {
            return cursor.fail("frees nothing: leave out `mass` and what goes with it");
        }
        for item in items {
            let name = item.text()?;
            let known = if dim == 2 { ["x", "y", "rotation"].iter() } else { SOLID.iter() };
            match known.enumerate().find(|(_, known)| **known == name).filter(|_| names.contains(&name)) {
                Some((k, _)) => free[k] = true,
                None if dim == 3 && name == "rotation" => free[3..].fill(true),
                None => {
                    let all = names.iter().copied().chain((dim == 3).then_some("rotation"));
                    let problem = item.problem(format!("unknown direction `{name}`")).suggesting(name, all.clone());
                    return item.report(problem.expecting(format!("one of {}", listed(all))));
                }
            }
        }
        if dim == 3 && free[3..].iter().filter(|f| **f).count() == 2 {
            return cursor.fail("a body turns about one axis or about all three");
        }
        Some(free)
    })
}

/// About the axis across the plane; three principal moments, along the axes of space at rest or turned by `axes`; or all six
/// entries `xx yy zz xy yz zx`.
fn inertia(
    cursor: &Cursor<'_>,
    axes: Option<&(Option<Matrix3<f64>>, Cursor<'_>)>,
    context: &Context,
) -> Option<[[f64; 3]; 3]> {
    let diagonal = |j: [f64; 3]| [[j[0], 0.0, 0.0], [0.0, j[1], 0.0], [0.0, 0.0, j[2]]];
    if context.dimension() == Some(2) {
        if let Some((_, axes)) = axes {
            return axes.fail("a plane body has one moment of inertia, whatever its axes");
        }
        return cursor.number(Range::Positive).map(|j| diagonal([0.0, 0.0, j]));
    }
    let (tensor, principal) = if matches!(cursor.value(), Value::List(items) if items.len() == 6) {
        if let Some((_, axes)) = axes {
            return axes.fail("belongs to three principal moments; `inertia` has all six entries");
        }
        let [xx, yy, zz, xy, yz, zx] = cursor.array("entries", |item| item.number(Range::Any))?;
        let tensor = Matrix3::new(xx, xy, zx, xy, yy, yz, zx, yz, zz);
        (tensor, tensor.symmetric_eigenvalues())
    } else {
        let moments: [f64; 3] = cursor.array("moments", |item| item.number(Range::Positive))?;
        let turn = match axes {
            Some((turn, _)) => (*turn)?,
            None => Matrix3::identity(),
        };
        (turn * Matrix3::from_diagonal(&moments.into()) * turn.transpose(), Vector3::from(moments))
    };
    if principal.min() <= 0.0 {
        return cursor.fail(format!("no body has this inertia: a principal moment is {:.4e}", principal.min()));
    }
    if 2.0 * principal.max() > principal.sum() * (1.0 + 1e-9) {
        let moments: [f64; 3] = principal.into();
        return cursor.fail(format!("no body has moments {moments:?}: none may exceed the sum of the other two"));
    }
    Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| tensor[(i, j)])))
}

/// `rotate: { axis, angle }` in degrees.
fn principal_axes(cursor: &Cursor<'_>) -> Option<Matrix3<f64>> {
    let fields = cursor.fields(&["rotate"])?;
    let turn = fields.required("rotate")?;
    let fields = turn.fields(&["axis", "angle"])?;
    let axis = fields.required("axis").and_then(|cursor| unit(&cursor));
    let angle = fields.required("angle").and_then(|cursor| cursor.number(Range::Any));
    let axis = Unit::new_unchecked(Vector3::from(axis?));
    Some(Rotation3::from_axis_angle(&axis, angle?.to_radians()).into_inner())
}

/// All rigid bodies with their numbers, obstacles with mass first, and all rigid shapes.
pub(super) fn join(
    obstacles: Vec<(Obstacle, Option<Inertial>)>,
    others: Vec<(RigidBody, Vec<Obstacle>)>,
) -> (Vec<RigidBody>, Vec<Obstacle>) {
    let (mut bodies, mut shapes) = (Vec::new(), Vec::new());
    for (mut shape, inertial) in obstacles {
        if let Some(inertial) = inertial {
            shape.carrier = Some(bodies.len());
            let (name, motion) = (shape.name.clone(), shape.motion.clone());
            bodies.push(RigidBody { name, inertial, place: Placement::default(), motion, points: Vec::new() });
        }
        shapes.push(shape);
    }
    for (body, carried) in others {
        bodies.push(body);
        shapes.extend(carried);
    }
    (bodies, shapes)
}

/// Names of the rigid bodies among `bodies`, as far as the file can be read at all.
pub(super) fn in_bodies(root: &Node) -> Vec<String> {
    match root.get("bodies").map(|entry| &entry.node.value) {
        Some(Value::Map(entries)) => {
            entries.iter().filter(|entry| is_rigid(&entry.node.value)).map(|entry| entry.key.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The shapes of a rigid body among `bodies`, as `body.shape`.
pub(super) fn shapes_in(root: &Node, body: &str) -> Vec<String> {
    let shapes = root.get("bodies").and_then(|entry| entry.node.get(body));
    let shapes = shapes.and_then(|entry| entry.node.get("rigid")).and_then(|entry| entry.node.get("shapes"));
    match shapes.map(|entry| &entry.node.value) {
        Some(Value::Map(entries)) => entries.iter().map(|entry| format!("{body}.{}", entry.key)).collect(),
        _ => Vec::new(),
    }
}

/// Obstacles with mass, as far as the file can be read at all.
pub(super) fn heavy(root: &Node) -> Vec<String> {
    match root.get("obstacles").map(|entry| &entry.node.value) {
        Some(Value::Map(entries)) => {
            let heavy = entries.iter().filter(|e| ["mass", "density"].iter().any(|key| e.node.get(key).is_some()));
            heavy.map(|entry| entry.key.clone()).collect()
        }
        _ => Vec::new(),
    }
}
