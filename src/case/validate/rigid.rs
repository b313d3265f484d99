//! What makes an obstacle a body with mass: the keys `mass` or `density`, and what goes with them.

use super::super::data::{Carrier, ContactLevel, Geometry, Inertial, Mass, RigidContact};
use super::super::decode::{Cursor, Fields, Located, Range, listed};
use super::super::tree::{Node, Value};
use super::function::function;
use super::{Context, all, body, contact};
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

/// Reads them; without `mass` and `density` there must be none.
pub(super) fn read(fields: &Fields<'_>, context: &Context) -> Option<Option<Inertial>> {
    let mass = match (fields.optional("mass"), fields.optional("density")) {
        (None, None) => {
            let lone = KEYS.iter().find_map(|key| fields.optional(key));
            return match lone {
                Some(cursor) => cursor.fail("belongs to a body with mass: give `mass` or `density` too"),
                None => Some(None),
            };
        }
        (Some(_), Some(density)) => density.fail("`mass` is given too: one of the two"),
        (Some(cursor), None) => cursor.number(Range::Positive).map(|m| cursor.locate(Mass::Total(m))),
        (None, Some(cursor)) if context.geometry == Some(Geometry::Axisymmetric) => {
            cursor.fail("the mass of a body of revolution is not computed: give `mass`, that of the whole ring")
        }
        (None, Some(cursor)) => cursor.number(Range::Positive).map(|rho| cursor.locate(Mass::Density(rho))),
    };
    let solid = context.dimension() == Some(3);
    let free = free(fields, context);
    if let Some(motion) = fields.optional("motion") {
        guided(&motion, free.as_deref()?);
    }
    let centre = fields.or("centre", None, |cursor| cursor.vector(context.dimension()).map(Some));
    let inertia = fields.or("inertia", None, |cursor| inertia(cursor, solid).map(Some));
    let velocity = fields.or("velocity", [0.0; 3], |cursor| {
        let velocity = cursor.vector(context.dimension())?;
        held(cursor, free.as_deref()?, 0, velocity.map(|v| v != 0.0))?;
        Some(velocity)
    });
    let angular_velocity = fields.or("angular_velocity", [0.0; 3], |cursor| {
        let spin = body::angular_velocity(cursor, context)?;
        let about = if solid { spin } else { [spin[2], 0.0, 0.0] };
        held(cursor, free.as_deref()?, context.dimension()?, about.map(|w| w != 0.0))?;
        Some(spin)
    });
    let still = || [const { TimeFunction::ZERO }; 3];
    let force = fields.or("force", still(), |cursor| {
        let force = along(cursor, context)?;
        held(cursor, free.as_deref()?, 0, force.each_ref().map(|f| !f.is_zero()))?;
        Some(force)
    });
    let torque = fields.or("torque", still(), |cursor| {
        let torque = if solid {
            along(cursor, context)?
        } else {
            [function(cursor, context)?, still()[0].clone(), still()[0].clone()]
        };
        held(cursor, free.as_deref()?, context.dimension()?, torque.each_ref().map(|m| !m.is_zero()))?;
        Some(torque)
    });
    let bedding = |key: &str| {
        fields.or(key, [0.0; 3], |cursor| {
            let (keys, mut values) = (axes(context), [0.0; 3]);
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
    Some(Some(Inertial {
        mass: mass?,
        centre: centre?,
        inertia: inertia?,
        velocity: velocity?,
        angular_velocity: angular_velocity?,
        force: force?,
        torque: torque?,
        springs: springs?,
        dashpots: dashpots?,
        free: free?,
    }))
}

fn axes(context: &Context) -> &'static [&'static str] {
    &["x", "y", "z"][..context.dimension().unwrap_or(3)]
}

/// A function of time for each axis.
fn along(cursor: &Cursor<'_>, context: &Context) -> Option<[TimeFunction; 3]> {
    let keys = axes(context);
    let fields = cursor.fields(keys)?;
    if keys.iter().all(|key| fields.optional(key).is_none()) {
        return cursor.fail("names no axis");
    }
    let mut values = [const { TimeFunction::ZERO }; 3];
    for (value, key) in values.iter_mut().zip(keys) {
        *value = fields.or(key, TimeFunction::ZERO, |cursor| function(cursor, context))?;
    }
    Some(values)
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

/// The motion of a body with mass moves its centre along axes that are not free.
fn guided(motion: &Cursor<'_>, free: &[bool]) {
    let Value::Map(entries) = motion.value() else { return };
    for entry in entries {
        if entry.key == "rotation" {
            motion.fail::<()>("a body with mass turns by torques: leave out `rotation`");
        } else if let Value::Map(axes) = &entry.node.value {
            for (k, axis) in ["x", "y", "z"].iter().enumerate() {
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

/// About the axis across the plane, or about the three axes of space at rest.
fn inertia(cursor: &Cursor<'_>, solid: bool) -> Option<[f64; 3]> {
    if !solid {
        return cursor.number(Range::Positive).map(|j| [0.0, 0.0, j]);
    }
    let inertia: [f64; 3] = cursor.array("moments", |item| item.number(Range::Positive))?;
    let sum: f64 = inertia.iter().sum();
    if inertia.iter().any(|j| 2.0 * j > sum * (1.0 + 1e-9)) {
        return cursor.fail(format!("no body has moments {inertia:?}: none may exceed the sum of the other two"));
    }
    Some(inertia)
}

/// Obstacles with mass, as far as the file can be read at all.
pub(super) fn names(root: &Node) -> Vec<String> {
    match root.get("obstacles").map(|entry| &entry.node.value) {
        Some(Value::Map(entries)) => {
            let heavy = entries.iter().filter(|e| ["mass", "density"].iter().any(|key| e.node.get(key).is_some()));
            heavy.map(|entry| entry.key.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The two obstacles of an entry of `contacts`, if it names two of which one at least has mass; that one first, and whether it
/// is written second.
fn pair(item: &Cursor<'_>, context: &Context) -> Option<([usize; 2], bool)> {
    let Value::Map(entries) = item.value() else { return None };
    let between = entries.iter().find(|entry| entry.key == "between")?;
    let Value::List(sides) = &between.node.value else { return None };
    let [first, second] = sides.as_slice() else { return None };
    let obstacles = context.obstacles.as_deref()?;
    let find = |node: &Node| match &node.value {
        Value::Text(name) => obstacles.iter().position(|known| known == name),
        _ => None,
    };
    let (first, second) = (find(first)?, find(second)?);
    let heavy = |k: usize| context.rigid.contains(&obstacles[k]);
    match (heavy(first), heavy(second)) {
        (true, _) => Some(([first, second], false)),
        (false, true) => Some(([second, first], true)),
        (false, false) => None,
    }
}

/// Whether an entry of `contacts` is between two obstacles of which one at least has mass.
pub(super) fn is_pair(item: &Cursor<'_>, context: &Context) -> bool {
    pair(item, context).is_some()
}

/// The contacts between rigid bodies.
pub(super) fn contacts(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<RigidContact>>> {
    let items = cursor.list()?;
    let mut read: Vec<Option<Located<RigidContact>>> = Vec::new();
    for item in &items {
        let Some((between, exchanged)) = pair(item, context) else { continue };
        let found = rigid_contact(item, between, exchanged, context);
        if let Some(found) = &found {
            let same = |other: &&Located<RigidContact>| {
                let [a, b] = other.value.between;
                [a, b] == between || [b, a] == between
            };
            if between[0] == between[1] {
                item.fail::<()>("a rigid body cannot touch itself");
            } else if let Some(first) = read.iter().flatten().find(same) {
                item.report::<()>(found.problem(format!("the same pair is already given as {}", first.path)));
            }
        }
        read.push(found);
    }
    all(read)
}

fn rigid_contact(
    cursor: &Cursor<'_>,
    between: [usize; 2],
    exchanged: bool,
    context: &Context,
) -> Option<Located<RigidContact>> {
    let fields = cursor.fields(&["between", "friction", "level", "restitution", "search", "overlap"])?;
    let friction = fields.or("friction", Default::default(), |cursor| contact::friction(cursor, context, true));
    let level = fields.or("level", ContactLevel::Position, contact::level);
    let restitution = fields.or("restitution", 0.0, |cursor| contact::restitution(cursor, level));
    let search = fields.or("search", None, |cursor| cursor.number(Range::Positive).map(Some));
    let push_out = fields.or("overlap", false, contact::overlap);
    let ((friction, grain), level) = (friction?, level?);
    let grain = grain.map(|(axis, carrier)| match (exchanged, carrier) {
        (false, carrier) => (axis, carrier),
        (true, Carrier::First) => (axis, Carrier::Second),
        (true, Carrier::Second) => (axis, Carrier::First),
    });
    let (restitution, search, push_out) = (restitution?, search?, push_out?);
    Some(cursor.locate(RigidContact { between, friction, grain, level, restitution, search, push_out }))
}
