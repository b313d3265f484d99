//! The section `task`: what a case does in place of a run in time.

use super::super::build;
use super::super::data::{Geometry, Material, Task};
use super::super::decode::{Cursor, Fields, Located, Names, Range};
use super::super::mesh::Source;
use super::super::tree::{Node, Value};
use super::{Context, all, find, mesh};
use crate::contact::linearised;
use crate::transmission::record::Picture;
use crate::transmission::{
    Arms, CandidatePlaces, CandidateRules, FrictionMode, Gear, MeshPair, Study, StudyError, Surface,
};

const KEYS: [&str; 13] = [
    "gears",
    "meshes",
    "centre_distance",
    "torque",
    "friction",
    "positions",
    "range",
    "direction",
    "candidates",
    "sliding",
    "solver",
    "scale",
    "frames",
];

/// Sections that describe a run in time.
const RUN_IN_TIME: [&str; 9] =
    ["thickness", "time", "bodies", "obstacles", "boundary", "contacts", "contact_solver", "output", "expect"];

/// Positions of a study.
const MOST_POSITIONS: u32 = 100_000;

/// Whether a case has a task.
pub(super) fn is_asked(root: &Node) -> bool {
    root.get("task").is_some_and(|entry| !matches!(entry.node.value, Value::Null))
}

/// Reads the task.
pub(super) fn read(top: &Fields<'_>, context: &Context, materials: Option<&[Material]>) -> Option<Located<Task>> {
    for key in RUN_IN_TIME {
        if let Some(cursor) = top.optional(key) {
            cursor.fail::<()>(format!("a case with a `task` has no `{key}`"));
        }
    }
    let cursor = top.optional("task")?;
    let (_, body) = cursor.variant(Names { ready: &["transmission_error"], later: &[] })?;
    let fields = body.fields(&KEYS)?;
    let gears = fields.required("gears");
    let named = gears.as_ref().and_then(|cursor| read_gears(cursor, context, materials));
    let names: Option<Vec<String>> = named.as_ref().map(|list| list.iter().map(|g| g.name.clone()).collect());
    let meshes = fields.required("meshes").and_then(|c| read_meshes(&c, names.as_deref()));
    let distances = fields.required("centre_distance").and_then(|c| numbers(&c, Range::Positive));
    let torques = fields.required("torque").and_then(|c| numbers(&c, Range::Positive));
    let frictions = fields.or("friction", vec![0.0], |c| numbers(c, Range::NonNegative));
    let positions = fields.or("positions", 50, |c| c.integer(1..=MOST_POSITIONS));
    let range = fields.or("range", [-0.5, 0.5], read_range);
    let words = [("counter_clockwise", false), ("clockwise", true)];
    let clockwise = fields.or("direction", false, |c| c.choice(&words, &[]));
    let rules = fields.or("candidates", DEFAULT_RULES, candidates);
    let modes = [("imposed", FrictionMode::Imposed), ("rolled", FrictionMode::Rolled)];
    let mode = fields.or("sliding", FrictionMode::Imposed, |c| c.choice(&modes, &[]));
    let solvers: Vec<(&'static str, &'static str)> = linearised::ALL.iter().map(|e| (e.name, e.name)).collect();
    let solver = fields.or("solver", "pivoting", |c| c.choice(&solvers, &[]));
    let scale = fields.or("scale", 100.0, |c| c.number(Range::NonNegative));
    let frames = fields.or("frames", 50, |c| c.integer(1..=MOST_POSITIONS));
    let (pairs, distances) = (meshes?, distances?);
    if distances.len() != pairs.len() && distances.len() != 1 {
        let message = format!("must be one number or as many as `meshes` ({}), got {}", pairs.len(), distances.len());
        return fields.required("centre_distance")?.fail(message);
    }
    let meshes = pairs.iter().enumerate().map(|(k, &(driver, driven))| {
        let distance = distances[if distances.len() == 1 { 0 } else { k }];
        MeshPair { driver, driven, distance }
    });
    let study = Study {
        meshes: meshes.collect(),
        gears: named?,
        plane_stress: plane_stress(&cursor, context)?,
        torques: torques?,
        frictions: frictions?,
        positions: positions? as usize,
        range: range?,
        clockwise: clockwise?,
        rules: rules?,
        mode: mode?,
        solver: solver?.to_owned(),
    };
    check(&fields, &study)?;
    let picture = Picture { scale: scale?, frames: frames? as usize };
    Some(cursor.locate(Task { study, picture }))
}

/// Gears that do not fit each other: a problem at the key that says so.
fn check(fields: &Fields<'_>, study: &Study) -> Option<()> {
    let Err(error) = study.meshings() else { return Some(()) };
    let key = match error {
        StudyError::Gear { .. } | StudyError::ToothMissing { .. } => "gears",
        StudyError::BasePitches { .. } => "meshes",
        StudyError::Locked { .. } => "friction",
        _ => "centre_distance",
    };
    fields.required(key)?.fail(error.to_string())
}

fn plane_stress(cursor: &Cursor<'_>, context: &Context) -> Option<bool> {
    match context.geometry? {
        Geometry::PlaneStrain => Some(false),
        Geometry::PlaneStress => Some(true),
        Geometry::Axisymmetric | Geometry::Solid => {
            cursor.fail("gears are plane: the geometry must be `plane_strain` or `plane_stress`")
        }
    }
}

fn read_gears(cursor: &Cursor<'_>, context: &Context, materials: Option<&[Material]>) -> Option<Vec<Gear>> {
    let named = cursor.names()?;
    let count = named.len();
    let gears = all(named.into_iter().map(|(name, cursor)| gear(&name.value, &cursor, context, materials)).collect());
    if count < 2 {
        return cursor.fail(format!("must have at least two gears, got {count}"));
    }
    gears
}

fn gear(name: &str, cursor: &Cursor<'_>, context: &Context, materials: Option<&[Material]>) -> Option<Gear> {
    let fields = cursor.fields(&["mesh", "material", "face_width"])?;
    let source = fields.required("mesh").and_then(|cursor| {
        let mesh = mesh::read(&cursor, Some(2))?.value;
        match mesh.source {
            Source::SpurGear(gear) if mesh.placement == Default::default() => Some(gear),
            Source::SpurGear(_) => cursor.fail("is placed by its mesh: leave out `place`"),
            _ => cursor.fail("must be a `spur_gear`"),
        }
    });
    let material = fields.required("material").and_then(|cursor| {
        let number = find(context.materials.as_deref()?, "material", cursor.text()?, &cursor)?;
        materials?.get(number).map(build::material)
    });
    let width = fields.required("face_width").and_then(|c| c.number(Range::Positive));
    Some(Gear { name: name.to_owned(), shape: source?, material: material?, width: width? })
}

/// Pairs of names, each gear but the first driver driven once before it drives.
fn read_meshes(cursor: &Cursor<'_>, names: Option<&[String]>) -> Option<Vec<(usize, usize)>> {
    let items = cursor.list()?;
    if items.is_empty() {
        return cursor.fail("is empty: name the driver and the driven gear");
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for item in &items {
        let pair = item.array("gears", |c| Some(c.clone()))?;
        let [driver, driven] = pair;
        let found = |c: &Cursor<'_>| c.text().and_then(|name| find(names?, "gear", name, c));
        let (a, b) = (found(&driver), found(&driven));
        let (a, b) = (a?, b?);
        let known = pairs.is_empty() || pairs.last().is_some_and(|(_, last)| *last == a);
        if !known {
            return driver.fail("must be the gear that the mesh before drives");
        }
        if a == b || pairs.iter().any(|(x, y)| *x == b || *y == b) {
            return driven.fail("is driven already, or drives itself");
        }
        pairs.push((a, b));
    }
    let names = names?;
    if pairs.last().is_some_and(|(_, last)| last + 1 != names.len()) || pairs.len() + 1 != names.len() {
        return cursor.fail("must lead through all gears, in the order in which `gears` names them");
    }
    Some(pairs)
}

/// A number, or a list of them that is not empty.
fn numbers(cursor: &Cursor<'_>, range: Range) -> Option<Vec<f64>> {
    if !matches!(cursor.value(), Value::List(_)) {
        return cursor.number(range).map(|x| vec![x]);
    }
    let items = cursor.list()?;
    if items.is_empty() {
        return cursor.fail("is empty: give a number or a list of numbers");
    }
    all(items.iter().map(|item| item.number(range)).collect())
}

fn read_range(cursor: &Cursor<'_>) -> Option<[f64; 2]> {
    let [from, to] = cursor.array("shares of the cycle", |c| c.number(Range::Closed(-1.0, 1.0)))?;
    if from >= to { cursor.fail(format!("must rise, got {from} to {to}")) } else { Some([from, to]) }
}

const DEFAULT_RULES: CandidateRules = CandidateRules {
    places: CandidatePlaces::Moving(None),
    surface: Surface::Involute,
    corners: true,
    distance: None,
    arms: Arms::Ideal,
};

fn candidates(cursor: &Cursor<'_>) -> Option<CandidateRules> {
    let fields = cursor.fields(&["at", "spacing", "surface", "corners", "distance", "arms"])?;
    let spacing = fields.or("spacing", None, |c| c.number(Range::Positive).map(Some));
    let moving = CandidatePlaces::Moving(spacing?);
    let words = [
        ("moving", moving),
        ("driver_nodes", CandidatePlaces::Driver),
        ("driven_nodes", CandidatePlaces::Driven),
        ("all_nodes", CandidatePlaces::Both),
    ];
    let places = fields.or("at", moving, |c| c.choice(&words, &[]));
    if let (Some(found), Some(at)) = (fields.optional("spacing"), places)
        && at != moving
    {
        return found.fail("belongs to `at: moving`: at nodes the spacing is that of the nodes");
    }
    let surfaces = [("involute", Surface::Involute), ("straight", Surface::Straight)];
    let surface = fields.or("surface", Surface::Involute, |c| c.choice(&surfaces, &[]));
    let corners = fields.or("corners", true, |c| c.truth());
    let distance = fields.or("distance", None, |c| c.number(Range::Positive).map(Some));
    let arms = fields.or("arms", Arms::Ideal, |c| c.choice(&[("ideal", Arms::Ideal), ("own", Arms::Own)], &[]));
    Some(CandidateRules { places: places?, surface: surface?, corners: corners?, distance: distance?, arms: arms? })
}
