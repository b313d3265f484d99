//! The section `bodies`.

use super::super::data::{Body, BodyMaterial, CellBox, Formulation, Geometry, Hourglass, MassMatrix};
use super::super::decode::{Cursor, Located, Range, check_name};
use super::super::tree::{Value, clip};
use super::{Context, all, boundary, find, material, mesh, rigid};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Body>> {
    let named = cursor.names()?;
    if context.bodies.as_ref().is_some_and(Vec::is_empty) && context.rigid.bodies.is_empty() {
        return cursor.fail("a case needs at least one body");
    }
    let named = named.into_iter().filter(|(name, _)| !context.rigid.bodies.contains(&name.value));
    all(named.map(|(name, cursor)| body(name, &cursor, context)).collect())
}

/// Keys of a body, deformable or rigid.
pub(super) const KEYS: &[&str] = &[
    "mesh",
    "material",
    "cell_sets",
    "formulation",
    "hourglass",
    "velocity",
    "angular_velocity",
    "mass",
    "rotation",
    "damping",
    "rigid",
    "place",
    "motion",
    "free",
    "force",
    "torque",
    "spring",
    "dashpot",
];

fn body(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<Body> {
    let fields = cursor.fields(KEYS)?;
    let lone = rigid::OWN.iter().filter(|key| !key.ends_with("velocity")).find_map(|key| fields.optional(key));
    if let Some(cursor) = lone {
        return cursor.fail("belongs to a rigid body: give `rigid` in place of `mesh` and `material`");
    }
    let mesh = fields.required_or("mesh", "rigid").and_then(|cursor| mesh::read(&cursor, context.dimension()));
    let material = fields.required_or("material", "rigid").and_then(|cursor| body_material(&cursor, context));
    let cell_sets = fields.or("cell_sets", Vec::new(), |cursor| cell_sets(cursor, context));
    let formulation = fields.or("formulation", cursor.locate(Formulation::Standard), |cursor| {
        let words = [
            ("standard", Formulation::Standard),
            ("mean_dilatation", Formulation::MeanDilatation),
            ("reduced", Formulation::Reduced),
        ];
        let formulation = cursor.choice(&words, &[])?;
        if formulation == Formulation::Reduced && !context.explicit {
            return cursor.fail("`reduced` belongs to the explicit scheme: its elements have no matrix");
        }
        if formulation == Formulation::MeanDilatation && context.geometry == Some(Geometry::PlaneStress) {
            return cursor.fail("a sheet in plane stress does not lock: mean dilatation has no meaning here");
        }
        Some(cursor.locate(formulation))
    });
    let hourglass = fields.or("hourglass", crate::model::Body::HOURGLASS, |cursor| {
        let reduced = formulation.as_ref().is_none_or(|f| f.value == Formulation::Reduced);
        if !reduced {
            return cursor.fail("hourglass control belongs to `formulation: reduced`");
        }
        let fields = cursor.fields(&["stiffness", "viscosity"])?;
        let stiffness = fields
            .or("stiffness", crate::model::Body::HOURGLASS.stiffness, |cursor| cursor.number(Range::Closed(0.0, 1.0)));
        let viscosity = fields
            .or("viscosity", crate::model::Body::HOURGLASS.viscosity, |cursor| cursor.number(Range::Closed(0.0, 1.0)));
        Some(Hourglass { stiffness: stiffness?, viscosity: viscosity? })
    });
    let velocity = fields.or("velocity", [0.0; 3], |cursor| cursor.vector(context.dimension()));
    let angular_velocity = fields.or("angular_velocity", [0.0; 3], |cursor| angular_velocity(cursor, context));
    let masses = [("consistent", MassMatrix::Consistent), ("lumped", MassMatrix::Lumped)];
    let mass = fields.or("mass", MassMatrix::Consistent, |cursor| cursor.choice(&masses, &[]));
    let rotation = fields.or("rotation", None, |cursor| rotation(cursor, context).map(Some));
    let damping = fields.or("damping", None, |cursor| material::damping(cursor).map(Some));
    Some(Body {
        name,
        mesh: mesh?,
        material: material?,
        cell_sets: cell_sets?,
        formulation: formulation?,
        hourglass: hourglass?,
        velocity: velocity?,
        angular_velocity: angular_velocity?,
        mass: mass?,
        rotation: rotation?,
        damping: damping?,
    })
}

/// A rotation in degrees: a number in the plane, axis and angle in space.
fn rotation(cursor: &Cursor<'_>, context: &Context) -> Option<([f64; 3], f64)> {
    if context.geometry == Some(Geometry::Axisymmetric) {
        return cursor.fail("a body of revolution cannot be turned in its plane");
    }
    if context.dimension()? == 2 {
        return cursor.number(Range::Any).map(|angle| ([0.0, 0.0, 1.0], angle.to_radians()));
    }
    let fields = cursor.fields(&["axis", "angle"])?;
    let axis = fields.required("axis").and_then(|cursor| boundary::unit(&cursor));
    let angle = fields.required("angle").and_then(|cursor| cursor.number(Range::Any));
    Some((axis?, angle?.to_radians()))
}

/// `material: name`, or `material: { default: name, sets: { set: name } }`.
fn body_material(cursor: &Cursor<'_>, context: &Context) -> Option<BodyMaterial> {
    let named = |cursor: &Cursor<'_>| {
        let name = cursor.text()?;
        find(context.materials.as_deref()?, "material", name, cursor)
    };
    if !matches!(cursor.value(), Value::Map(_)) {
        return named(cursor).map(|default| BodyMaterial { default, sets: Vec::new() });
    }
    let fields = cursor.fields(&["default", "sets"])?;
    let default = fields.required("default").and_then(|cursor| named(&cursor));
    let sets = fields.required("sets").and_then(|cursor| {
        let sets = cursor.names()?;
        all(sets.into_iter().map(|(set, cursor)| named(&cursor).map(|material| (set, material))).collect())
    });
    Some(BodyMaterial { default: default?, sets: sets? })
}

fn cell_sets(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<CellBox>> {
    let named = cursor.names()?;
    let read = |(name, cursor): (Located<String>, Cursor<'_>)| {
        let fields = cursor.fields(&["min", "max"])?;
        if context.dimension() == Some(3) {
            let (min, max) = corners::<3>(&fields)?;
            return Some(CellBox { name, min, max });
        }
        let (min, max) = corners::<2>(&fields)?;
        Some(CellBox { name, min: [min[0], min[1], -1.0], max: [max[0], max[1], 1.0] })
    };
    all(named.into_iter().map(read).collect())
}

pub(super) fn angular_velocity(cursor: &Cursor<'_>, context: &Context) -> Option<[f64; 3]> {
    if context.geometry == Some(Geometry::Axisymmetric) {
        return cursor.fail("a body of revolution cannot turn in its plane, and spin about the axis is not available");
    }
    match context.dimension()? {
        2 => cursor.number(Range::Any).map(|about_z| [0.0, 0.0, about_z]),
        _ => cursor.vector(Some(3)),
    }
}

/// `min` and `max` of a rectangle or box with `N` components, `max` larger in each.
pub(super) fn corners<const N: usize>(fields: &super::Fields<'_>) -> Option<([f64; N], [f64; N])> {
    let corner = |cursor: Cursor<'_>| cursor.array("components", |item| item.number(Range::Any));
    let min: Option<[f64; N]> = fields.required("min").and_then(corner);
    let max_at = fields.required("max");
    let max: Option<[f64; N]> = max_at.clone().and_then(corner);
    let (min, max, at) = (min?, max?, max_at?);
    let flat: Vec<&str> = (0..N).filter(|i| max[*i] <= min[*i]).map(|i| ["x", "y", "z"][i.min(2)]).collect();
    if !flat.is_empty() {
        return at.fail(format!("must be larger than `min` in {}, got {max:?} with min {min:?}", flat.join(", ")));
    }
    // A size beyond the largest double would turn every length into infinity.
    if (0..N).any(|i| !(max[i] - min[i]).is_finite()) {
        return at.fail("is too far from `min`: the size is not finite");
    }
    Some((min, max))
}

/// Splits `body.set` at its first dot.
pub(super) fn reference(text: &str) -> (&str, Option<&str>) {
    match text.split_once('.') {
        Some((name, set)) => (name, Some(set)),
        None => (text, None),
    }
}

/// Checks the form of a set name; whether the mesh has it shows later.
pub(super) fn node_set(set: &str, cursor: &Cursor<'_>) -> Option<Located<String>> {
    match check_name(set) {
        Ok(()) => Some(cursor.locate(set.to_owned())),
        Err(reason) => cursor.fail(format!("`{}` is not the name of a set: {reason}", clip(set))),
    }
}
