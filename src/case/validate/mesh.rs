//! The key `mesh` of a body: a generator or a file, and where the mesh stands.

use std::path::PathBuf;

use super::super::data::{PlaneCells, SolidCells};
use super::super::decode::{Cursor, Fields, Located, Names, Range};
use super::super::mesh::{Mesh, Source};
use super::body::corners;
use crate::mesh::generate::{Block, Cylinder, Disc, Extrude, Path, Rectangle, Ring, Screw, Sphere, Sweep, Tube};
use crate::mesh::placement::{Placement, Turn};

/// Divisions along one direction of a mesh.
const MOST_DIVISIONS: u32 = 100_000;
/// Cells of one mesh; beyond this the memory of a workstation ends.
const MOST_CELLS: u64 = 50_000_000;
/// Points of a path; each is typed by hand or by a script.
const MOST_POINTS: usize = 100_000;

const PLANE: [&str; 4] = ["disc", "ring", "rectangle", "spur_gear"];
const SOLID: [&str; 6] = ["box", "cylinder", "tube", "sphere", "extrude", "sweep"];
const ALL: [&str; 11] =
    ["disc", "ring", "rectangle", "spur_gear", "box", "cylinder", "tube", "sphere", "extrude", "sweep", "gmsh"];

const PLANE_CELLS: [(&str, PlaneCells); 2] = [("quads", PlaneCells::Quads), ("triangles", PlaneCells::Triangles)];
const SOLID_CELLS: [(&str, SolidCells); 2] = [("hexes", SolidCells::Hexes), ("tets", SolidCells::Tets)];

/// The mesh of a body in a case of this dimension; `None` if the dimension is not known.
pub(super) fn read(cursor: &Cursor<'_>, dimension: Option<usize>) -> Option<Located<Mesh>> {
    let (name, body) = cursor.variant_beside(Names { ready: &ALL, later: &[] }, &["place", "group"])?;
    let beside = cursor.open_fields();
    let choices = |names: &[&str]| {
        let quoted: Vec<String> = names.iter().chain(&["gmsh"]).map(|name| format!("`{name}`")).collect();
        format!("one of {}", quoted.join(", "))
    };
    if dimension == Some(3) && PLANE.contains(&name) {
        let problem = cursor.problem(format!("`{name}` is a plane mesh, the geometry is solid"));
        return cursor.report(problem.expecting(choices(&SOLID)));
    }
    if dimension == Some(2) && SOLID.contains(&name) {
        let problem = cursor.problem(format!("`{name}` is a solid mesh, the geometry is plane"));
        return cursor.report(problem.expecting(choices(&PLANE)));
    }
    let source = match name {
        "disc" => disc(&body),
        "ring" => ring(&body),
        "rectangle" => rectangle(&body),
        "spur_gear" => super::gear::spur_gear(&body),
        "box" => brick(&body),
        "cylinder" => cylinder(&body),
        "tube" => tube(&body),
        "sphere" => sphere(&body),
        "extrude" => extrude(&body),
        "sweep" => sweep(&body),
        _ => gmsh(&body, &beside),
    };
    if name != "gmsh"
        && let Some(group) = beside.optional("group")
    {
        group.fail::<()>("a group is chosen from a file, see `gmsh`");
        return None;
    }
    let placement = beside.or("place", Placement::default(), |cursor| place(cursor, dimension));
    Some(body.locate(Mesh { source: source?, placement: placement? }))
}

fn divisions(cursor: &Cursor<'_>) -> Option<usize> {
    cursor.integer(1..=MOST_DIVISIONS).map(|count| count as usize)
}

fn count(fields: &Fields<'_>, key: &str) -> Option<usize> {
    fields.required(key).and_then(|cursor| divisions(&cursor))
}

fn length(fields: &Fields<'_>, key: &str) -> Option<f64> {
    fields.required(key).and_then(|cursor| cursor.number(Range::Positive))
}

fn point<const N: usize>(cursor: &Cursor<'_>) -> Option<[f64; N]> {
    cursor.array("components", |item| item.number(Range::Any))
}

fn centre<const N: usize>(fields: &Fields<'_>) -> Option<[f64; N]> {
    fields.or("centre", [0.0; N], point)
}

/// A direction: components that are not all zero, or in space the name of an axis.
fn direction<const N: usize>(cursor: &Cursor<'_>) -> Option<[f64; N]> {
    use super::super::tree::Value;
    if matches!(cursor.value(), Value::Text(_)) {
        let words: [(&'static str, usize); 3] = [("x", 0), ("y", 1), ("z", 2)];
        let axis = cursor.choice(&words[..N], &[])?;
        return Some(std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 }));
    }
    let vector: [f64; N] = point(cursor)?;
    if vector.iter().all(|c| *c == 0.0) {
        return cursor.fail("has no direction: all components are zero");
    }
    Some(vector)
}

fn check_cells(cursor: &Cursor<'_>, blocks: u64, cells_per_block: u64) -> Option<()> {
    let cells = blocks.saturating_mul(cells_per_block);
    if cells > MOST_CELLS {
        return cursor.fail(format!("asks for {cells} cells: more than {MOST_CELLS}"));
    }
    Some(())
}

fn plane_factor(cells: PlaneCells) -> u64 {
    match cells {
        PlaneCells::Quads => 1,
        PlaneCells::Triangles => 2,
    }
}

fn solid_factor(cells: SolidCells) -> u64 {
    match cells {
        SolidCells::Hexes => 1,
        SolidCells::Tets => 6,
    }
}

fn plane_cells(fields: &Fields<'_>) -> Option<PlaneCells> {
    fields.or("cells", PlaneCells::Quads, |cursor| cursor.choice(&PLANE_CELLS, &[]))
}

fn solid_cells(fields: &Fields<'_>) -> Option<SolidCells> {
    fields.or("cells", SolidCells::Hexes, |cursor| cursor.choice(&SOLID_CELLS, &[]))
}

fn disc(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["radius", "centre", "core", "layers", "cells"])?;
    let (radius, centre) = (length(&fields, "radius"), centre(&fields));
    let (core, layers, cells) = (count(&fields, "core"), count(&fields, "layers"), plane_cells(&fields));
    let (radius, centre, core, layers, cells) = (radius?, centre?, core?, layers?, cells?);
    check_cells(cursor, disc_cells(core, layers), plane_factor(cells))?;
    Some(Source::Disc(Disc { radius, centre, core, layers, cells }))
}

/// The core is a square of core x core cells, each ring has as many cells as the square has edges.
fn disc_cells(core: usize, layers: usize) -> u64 {
    let (core, layers) = (core as u64, layers as u64);
    core * core + 4 * core * layers
}

/// `inner` and `outer` radius, the second larger.
fn radii(fields: &Fields<'_>) -> Option<(f64, f64)> {
    let inner = length(fields, "inner");
    let at = fields.required("outer");
    let outer = at.as_ref().and_then(|cursor| cursor.number(Range::Positive));
    let (inner, outer) = (inner?, outer?);
    if outer <= inner {
        return at?.fail(format!("must be larger than `inner` = {inner}, got {outer}"));
    }
    Some((inner, outer))
}

fn around(fields: &Fields<'_>) -> Option<usize> {
    fields.required("around").and_then(|cursor| cursor.integer(3..=MOST_DIVISIONS)).map(|count| count as usize)
}

fn ring(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["inner", "outer", "centre", "around", "layers", "cells"])?;
    let (radii, centre, around) = (radii(&fields), centre(&fields), around(&fields));
    let (layers, cells) = (count(&fields, "layers"), plane_cells(&fields));
    let ((inner, outer), centre, around, layers, cells) = (radii?, centre?, around?, layers?, cells?);
    check_cells(cursor, around as u64 * layers as u64, plane_factor(cells))?;
    Some(Source::Ring(Ring { inner, outer, centre, around, layers, cells }))
}

fn rectangle(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["min", "max", "divisions", "cells"])?;
    let corners = corners(&fields);
    let counts = fields.required("divisions").and_then(|cursor| cursor.array("divisions", divisions));
    let cells = plane_cells(&fields);
    let ((min, max), divisions, cells): (_, [usize; 2], _) = (corners?, counts?, cells?);
    check_cells(cursor, divisions.iter().map(|count| *count as u64).product(), plane_factor(cells))?;
    Some(Source::Rectangle(Rectangle { min, max, divisions, cells }))
}

fn brick(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["min", "max", "divisions", "cells"])?;
    let corners = corners(&fields);
    let counts = fields.required("divisions").and_then(|cursor| cursor.array("divisions", divisions));
    let cells = solid_cells(&fields);
    let ((min, max), divisions, cells): (_, [usize; 3], _) = (corners?, counts?, cells?);
    check_cells(cursor, divisions.iter().map(|count| *count as u64).product(), solid_factor(cells))?;
    Some(Source::Box(Block { min, max, divisions, cells }))
}

fn cylinder(cursor: &Cursor<'_>) -> Option<Source> {
    let keys = ["radius", "length", "centre", "along", "core", "layers", "slices", "cells"];
    let fields = cursor.fields(&keys)?;
    let (radius, height, centre) = (length(&fields, "radius"), length(&fields, "length"), centre(&fields));
    let along = fields.or("along", [0.0, 0.0, 1.0], direction);
    let (core, layers, slices) = (count(&fields, "core"), count(&fields, "layers"), count(&fields, "slices"));
    let cells = solid_cells(&fields);
    let (core, layers, slices, cells) = (core?, layers?, slices?, cells?);
    check_cells(cursor, disc_cells(core, layers).saturating_mul(slices as u64), solid_factor(cells))?;
    let (radius, length, centre, along) = (radius?, height?, centre?, along?);
    Some(Source::Cylinder(Cylinder { radius, length, centre, along, core, layers, slices, cells }))
}

fn tube(cursor: &Cursor<'_>) -> Option<Source> {
    let keys = ["inner", "outer", "length", "centre", "along", "around", "layers", "slices", "cells"];
    let fields = cursor.fields(&keys)?;
    let (radii, height, centre) = (radii(&fields), length(&fields, "length"), centre(&fields));
    let along = fields.or("along", [0.0, 0.0, 1.0], direction);
    let (around, layers, slices) = (around(&fields), count(&fields, "layers"), count(&fields, "slices"));
    let cells = solid_cells(&fields);
    let (around, layers, slices, cells) = (around?, layers?, slices?, cells?);
    check_cells(cursor, (around as u64 * layers as u64).saturating_mul(slices as u64), solid_factor(cells))?;
    let ((inner, outer), length, centre, along) = (radii?, height?, centre?, along?);
    Some(Source::Tube(Tube { inner, outer, length, centre, along, around, layers, slices, cells }))
}

fn sphere(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["radius", "centre", "core", "layers", "cells"])?;
    let (radius, centre) = (length(&fields, "radius"), centre(&fields));
    let (core, layers, cells) = (count(&fields, "core"), count(&fields, "layers"), solid_cells(&fields));
    let (radius, centre, core, layers, cells) = (radius?, centre?, core?, layers?, cells?);
    let square = core as u64 * core as u64;
    check_cells(cursor, square * (core as u64 + 6 * layers as u64), solid_factor(cells))?;
    Some(Source::Sphere(Sphere { radius, centre, core, layers, cells }))
}

/// The plane mesh that is moved.
fn section(fields: &Fields<'_>) -> Option<Box<Mesh>> {
    fields.required("mesh").and_then(|cursor| read(&cursor, Some(2))).map(|mesh| Box::new(mesh.value))
}

/// Cells of a swept mesh; by default what the section asks for.
fn swept_cells(fields: &Fields<'_>) -> Option<Option<SolidCells>> {
    fields.or("cells", None, |cursor| cursor.choice(&SOLID_CELLS, &[]).map(Some))
}

fn extrude(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["mesh", "height", "layers", "cells"])?;
    let (section, height) = (section(&fields), length(&fields, "height"));
    let (layers, cells) = (count(&fields, "layers"), swept_cells(&fields));
    let how = Extrude { height: height?, layers: layers?, cells: cells? };
    Some(Source::Extrude { section: section?, how })
}

fn sweep(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&["mesh", "path", "layers", "cells"])?;
    let section = section(&fields);
    let path = fields.required("path").and_then(|cursor| path(&cursor));
    let (layers, cells) = (count(&fields, "layers"), swept_cells(&fields));
    let how = Sweep { path: path?, layers: layers?, cells: cells? };
    Some(Source::Sweep { section: section?, how })
}

fn path(cursor: &Cursor<'_>) -> Option<Path> {
    let (name, body) = cursor.variant(Names { ready: &["arc", "helix", "polyline"], later: &[] })?;
    match name {
        "arc" => {
            let fields = body.fields(&["angle", "point", "axis"])?;
            let angle = fields.required("angle").and_then(|cursor| {
                let angle = cursor.number(Range::Any)?;
                if angle == 0.0 || angle.abs() > 360.0 {
                    return cursor.fail(format!("must be from -360 to 360 degrees and not 0, got {angle}"));
                }
                Some(angle.to_radians())
            });
            let (point, axis) = axis(&fields);
            Some(Path::Screw(Screw { angle: angle?, rise: 0.0, point: point?, axis: axis? }))
        }
        "helix" => {
            let fields = body.fields(&["turns", "pitch", "point", "axis"])?;
            let turns = fields.required("turns").and_then(|cursor| {
                let turns = cursor.number(Range::Any)?;
                if turns == 0.0 || turns.abs() > 1000.0 {
                    return cursor.fail(format!("must be from -1000 to 1000 and not 0, got {turns}"));
                }
                Some(turns)
            });
            let pitch = fields.required("pitch").and_then(|cursor| cursor.number(Range::Any));
            let (point, axis) = axis(&fields);
            let (turns, pitch) = (turns?, pitch?);
            let (angle, rise) = (turns * std::f64::consts::TAU, turns * pitch);
            Some(Path::Screw(Screw { angle, rise, point: point?, axis: axis? }))
        }
        _ => {
            let items = body.list()?;
            if !(2..=MOST_POINTS).contains(&items.len()) {
                return body.fail(format!("must have from 2 to {MOST_POINTS} points, got {}", items.len()));
            }
            let points: Vec<Option<[f64; 3]>> = items.iter().map(point).collect();
            let points = points.into_iter().collect::<Option<Vec<_>>>()?;
            if let Some(k) = points.windows(2).position(|pair| pair[0] == pair[1]) {
                return items[k + 1].fail("is the same point as the one before");
            }
            Some(Path::Polyline(points))
        }
    }
}

/// A point of an axis in the plane of the section, and its direction.
fn axis(fields: &Fields<'_>) -> (Option<[f64; 2]>, Option<[f64; 2]>) {
    let direction = fields.required("axis").and_then(|cursor| direction(&cursor));
    (fields.or("point", [0.0; 2], point), direction)
}

fn gmsh(cursor: &Cursor<'_>, beside: &Fields<'_>) -> Option<Source> {
    let group = beside.or("group", None, |cursor| cursor.text().map(|text| Some(text.to_owned())));
    let file = cursor.text()?;
    if file.is_empty() {
        return cursor.fail("is empty; it must be the path of a `.msh` file");
    }
    Some(Source::Gmsh { file: PathBuf::from(file), group: group? })
}

fn place(cursor: &Cursor<'_>, dimension: Option<usize>) -> Option<Placement> {
    use super::super::tree::Value;
    let fields = cursor.fields(&["scale", "rotate", "translate"])?;
    let scale = fields.or("scale", [1.0; 3], |cursor| match cursor.value() {
        Value::List(items) => {
            // Each factor is read before the vector, so that the message is about the factor.
            let positive: Vec<_> = cursor.list()?.iter().map(|item| item.number(Range::Positive)).collect();
            let mut scale = cursor.vector(dimension)?;
            scale[items.len().min(3)..].fill(1.0);
            positive.into_iter().all(|factor| factor.is_some()).then_some(scale)
        }
        _ => cursor.number(Range::Positive).map(|factor| [factor; 3]),
    });
    let turns = fields.or("rotate", Vec::new(), |cursor| match cursor.value() {
        Value::List(_) => {
            let turns: Vec<Option<Turn>> = cursor.list()?.iter().map(|item| turn(item, dimension)).collect();
            turns.into_iter().collect()
        }
        _ => turn(cursor, dimension).map(|turn| vec![turn]),
    });
    let shift = fields.or("translate", [0.0; 3], |cursor| cursor.vector(dimension));
    Some(Placement { scale: scale?, turns: turns?, shift: shift? })
}

/// A turn: in the plane an angle, or an angle and a point; in space an angle, an axis and a point.
fn turn(cursor: &Cursor<'_>, dimension: Option<usize>) -> Option<Turn> {
    use super::super::tree::Value;
    if dimension == Some(2) && matches!(cursor.value(), Value::Number(..)) {
        let angle = cursor.number(Range::Any)?;
        return Some(Turn { angle, axis: [0.0, 0.0, 1.0], about: [0.0; 3] });
    }
    let keys: &[&str] = if dimension == Some(2) { &["angle", "about"] } else { &["angle", "axis", "about"] };
    let fields = cursor.fields(keys)?;
    let angle = fields.required("angle").and_then(|cursor| cursor.number(Range::Any));
    let axis = match dimension {
        Some(2) => Some([0.0, 0.0, 1.0]),
        _ => fields.required("axis").and_then(|cursor| direction(&cursor)),
    };
    let about = fields.or("about", [0.0; 3], |cursor| cursor.vector(dimension));
    Some(Turn { angle: angle?, axis: axis?, about: about? })
}
