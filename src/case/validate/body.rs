//! The section `bodies`.

use super::super::data::{
    Body, BodyMaterial, CellBox, Formulation, Geometry, MassMatrix, Mesh, PlaneCells, SolidCells,
};
use super::super::decode::{Cursor, Located, Names, Range, check_name};
use super::super::tree::{Value, clip};
use super::{Context, all, boundary, find, material};

/// Divisions along one direction of a mesh.
const MOST_DIVISIONS: u32 = 100_000;
/// Cells of one mesh; beyond this the memory of a workstation ends.
const MOST_CELLS: u64 = 50_000_000;

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Body>> {
    let named = cursor.names()?;
    if context.bodies.as_ref().is_some_and(Vec::is_empty) {
        return cursor.fail("a case needs at least one body");
    }
    all(named.into_iter().map(|(name, cursor)| body(name, &cursor, context)).collect())
}

fn body(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<Body> {
    let keys =
        ["mesh", "material", "cell_sets", "formulation", "velocity", "angular_velocity", "mass", "rotation", "damping"];
    let fields = cursor.fields(&keys)?;
    let mesh = fields.required("mesh").and_then(|cursor| mesh(&cursor, context));
    let material = fields.required("material").and_then(|cursor| body_material(&cursor, context));
    let cell_sets = fields.or("cell_sets", Vec::new(), |cursor| cell_sets(cursor, context));
    let formulation = fields.or("formulation", cursor.locate(Formulation::Standard), |cursor| {
        let words = [("standard", Formulation::Standard), ("mean_dilatation", Formulation::MeanDilatation)];
        let formulation = cursor.choice(&words, &[])?;
        if formulation == Formulation::MeanDilatation && context.geometry == Some(Geometry::PlaneStress) {
            return cursor.fail("a sheet in plane stress does not lock: mean dilatation has no meaning here");
        }
        Some(cursor.locate(formulation))
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

fn angular_velocity(cursor: &Cursor<'_>, context: &Context) -> Option<[f64; 3]> {
    if context.geometry == Some(Geometry::Axisymmetric) {
        return cursor.fail("a body of revolution cannot turn in its plane, and spin about the axis is not available");
    }
    match context.dimension()? {
        2 => cursor.number(Range::Any).map(|about_z| [0.0, 0.0, about_z]),
        _ => cursor.vector(Some(3)),
    }
}

fn mesh(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Mesh>> {
    let (name, body) = cursor.variant(Names { ready: &["disc", "rectangle", "box"], later: &["gmsh"] })?;
    let plane = name != "box";
    if plane && !context.may_be_plane() {
        return cursor
            .report(cursor.problem(format!("`{name}` is a plane mesh, the geometry is solid")).expecting("`box`"));
    }
    if !plane && context.dimension() == Some(2) {
        let problem = cursor.problem("`box` is a solid mesh, the geometry is plane");
        return cursor.report(problem.expecting("`disc` or `rectangle`"));
    }
    let mesh = match name {
        "disc" => disc(&body)?,
        "rectangle" => rectangle(&body)?,
        _ => brick(&body)?,
    };
    Some(body.locate(mesh))
}

fn divisions(cursor: &Cursor<'_>) -> Option<usize> {
    cursor.integer(1..=MOST_DIVISIONS).map(|count| count as usize)
}

const PLANE_CELLS: [(&str, PlaneCells); 2] = [("quads", PlaneCells::Quads), ("triangles", PlaneCells::Triangles)];

fn disc(cursor: &Cursor<'_>) -> Option<Mesh> {
    let fields = cursor.fields(&["radius", "centre", "core", "layers", "cells"])?;
    let radius = fields.required("radius").and_then(|cursor| cursor.number(Range::Positive));
    let centre = fields.or("centre", [0.0; 2], |cursor| cursor.array("components", |item| item.number(Range::Any)));
    let core = fields.required("core").and_then(|cursor| divisions(&cursor));
    let layers = fields.required("layers").and_then(|cursor| divisions(&cursor));
    let cells = fields.or("cells", PlaneCells::Quads, |cursor| cursor.choice(&PLANE_CELLS, &[]));
    let (radius, centre, core, layers, cells) = (radius?, centre?, core?, layers?, cells?);
    // The core is a square of core x core cells, each ring has as many cells as the square has edges.
    let quads = (core as u64) * (core as u64) + 4 * (core as u64) * (layers as u64);
    check_cells(cursor, quads, plane_factor(cells))?;
    Some(Mesh::Disc { radius, centre, core, layers, cells })
}

fn rectangle(cursor: &Cursor<'_>) -> Option<Mesh> {
    let fields = cursor.fields(&["min", "max", "divisions", "cells"])?;
    let corners = corners(&fields);
    let counts = fields.required("divisions").and_then(|cursor| cursor.array("divisions", divisions));
    let cells = fields.or("cells", PlaneCells::Quads, |cursor| cursor.choice(&PLANE_CELLS, &[]));
    let ((min, max), counts, cells): (_, [usize; 2], _) = (corners?, counts?, cells?);
    check_cells(cursor, counts.iter().map(|count| *count as u64).product(), plane_factor(cells))?;
    Some(Mesh::Rectangle { min, max, divisions: counts, cells })
}

fn brick(cursor: &Cursor<'_>) -> Option<Mesh> {
    let fields = cursor.fields(&["min", "max", "divisions", "cells"])?;
    let corners = corners(&fields);
    let counts = fields.required("divisions").and_then(|cursor| cursor.array("divisions", divisions));
    let words = [("hexes", SolidCells::Hexes), ("tets", SolidCells::Tets)];
    let cells = fields.or("cells", SolidCells::Hexes, |cursor| cursor.choice(&words, &[]));
    let ((min, max), counts, cells): (_, [usize; 3], _) = (corners?, counts?, cells?);
    let factor = if cells == SolidCells::Tets { 6 } else { 1 };
    check_cells(cursor, counts.iter().map(|count| *count as u64).product(), factor)?;
    Some(Mesh::Box { min, max, divisions: counts, cells })
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

fn plane_factor(cells: PlaneCells) -> u64 {
    match cells {
        PlaneCells::Quads => 1,
        PlaneCells::Triangles => 2,
    }
}

fn check_cells(cursor: &Cursor<'_>, blocks: u64, cells_per_block: u64) -> Option<()> {
    let cells = blocks.saturating_mul(cells_per_block);
    if cells > MOST_CELLS {
        return cursor.fail(format!("asks for {cells} cells: more than {MOST_CELLS}"));
    }
    Some(())
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
