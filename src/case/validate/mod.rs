//! As typed to as meant: the sections of the case file, one file each.
//!
//! Every section is read even if another one is broken. What a section needs from another (the dimension, the names of
//! the bodies, the end of the time) comes through `Context`, where `None` means "unknown because broken": the check
//! is then left out instead of reporting the same mistake twice.

mod between;
mod body;
mod boundary;
mod contact;
mod expect;
mod function;
mod gear;
mod material;
mod mesh;
mod obstacle;
mod output;
mod polyline;
mod repeated;
mod rigid;
mod task;
mod time;

use std::path::{Path, PathBuf};

use super::data::{Case, Geometry};
use super::decode::{Cursor, Fields, Range, listed};
use super::diagnostic::{Diagnostic, Problems};
use super::tree::{Node, Value, clip};

/// Keys at the top of a case file.
const KEYS: &[&str] = &[
    "title",
    "source",
    "geometry",
    "thickness",
    "time",
    "task",
    "materials",
    "bodies",
    "obstacles",
    "boundary",
    "contacts",
    "contact_solver",
    "output",
    "expect",
];

/// What the sections know of each other.
struct Context {
    geometry: Option<Geometry>,
    materials: Option<Vec<String>>,
    bodies: Option<Vec<String>>,
    /// Names of rigid shapes: obstacles, then the shapes of the rigid bodies among `bodies` as `body.shape`.
    obstacles: Option<Vec<String>>,
    rigid: RigidNames,
    /// The shortest step that is asked for.
    step: Option<f64>,
    adaptive: bool,
    /// Whether the scheme is the explicit one.
    explicit: bool,
    end: Option<f64>,
    /// Folder of the case file, where other files are looked for.
    folder: PathBuf,
}

/// Names of the bodies with mass and without nodes.
#[derive(Debug, Clone, Default)]
struct RigidNames {
    /// Obstacles with mass.
    heavy: Vec<String>,
    /// Those among `bodies`.
    bodies: Vec<String>,
}

impl RigidNames {
    /// The number of the body that carries a rigid shape; none of an obstacle without mass.
    fn carrier(&self, shape: &str) -> Option<usize> {
        match shape.split_once('.') {
            Some((body, _)) => self.bodies.iter().position(|name| name == body).map(|k| self.heavy.len() + k),
            None => self.heavy.iter().position(|name| name == shape),
        }
    }

    /// The number of a rigid body by its name.
    fn number(&self, name: &str) -> Option<usize> {
        self.heavy.iter().chain(&self.bodies).position(|known| known == name)
    }

    fn is_empty(&self) -> bool {
        self.heavy.is_empty() && self.bodies.is_empty()
    }
}

impl Context {
    fn dimension(&self) -> Option<usize> {
        self.geometry.map(Geometry::dimension)
    }

    /// The index of a body; an unknown name is reported at the cursor.
    fn body(&self, name: &str, at: &Cursor<'_>) -> Option<usize> {
        let obstacle = self.obstacles.as_ref().is_some_and(|names| names.iter().any(|known| known == name));
        if obstacle && self.bodies.as_ref().is_some_and(|names| names.iter().all(|known| known != name)) {
            return at.fail(format!("`{}` is an obstacle, not a body", clip(name)));
        }
        find(self.bodies.as_deref()?, "body", name, at)
    }
}

/// The index of a name; an unknown one is reported at the cursor with the nearest known one.
fn find(names: &[String], what: &str, name: &str, at: &Cursor<'_>) -> Option<usize> {
    if let Some(index) = names.iter().position(|known| known == name) {
        return Some(index);
    }
    at.report(unknown(names.iter().map(String::as_str), what, name, at))
}

/// The problem of a name that nothing carries.
fn unknown<'n>(names: impl Iterator<Item = &'n str> + Clone, what: &str, name: &str, at: &Cursor<'_>) -> Diagnostic {
    let problem = at.problem(format!("there is no {what} `{}`", clip(name))).suggesting(name, names.clone());
    match listed(names.take(20)) {
        empty if empty.is_empty() => problem,
        list => problem.expecting(format!("one of {list}")),
    }
}

/// The names in a section, as far as it can be read at all; a missing section has none.
fn names_in(root: &Node, section: &str) -> Option<Vec<String>> {
    match root.get(section).map(|entry| &entry.node.value) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Map(entries)) => Some(entries.iter().map(|entry| entry.key.clone()).collect()),
        Some(_) => None,
    }
}

/// Reads the whole tree of a case file in `folder`. `None`, or a result beside reported problems, means that the case cannot be used.
pub fn validate(root: &Node, problems: &Problems, name: String, folder: &Path) -> Option<Case> {
    let top = Cursor::root(root, problems).fields(KEYS)?;
    let geometry = top.required("geometry").and_then(|cursor| {
        let words = [
            ("plane_strain", Geometry::PlaneStrain),
            ("plane_stress", Geometry::PlaneStress),
            ("axisymmetric", Geometry::Axisymmetric),
            ("solid", Geometry::Solid),
        ];
        cursor.choice(&words, &[])
    });
    let has_task = task::is_asked(root);
    let time = if has_task { time::none() } else { time::read(&top) };
    let rigid = RigidNames { heavy: rigid::heavy(root), bodies: rigid::in_bodies(root) };
    let deformable = |names: Vec<String>| names.into_iter().filter(|name| !rigid.bodies.contains(name)).collect();
    let carried = rigid.bodies.iter().flat_map(|body| rigid::shapes_in(root, body));
    let carried: Vec<String> = carried.collect();
    let context = Context {
        geometry,
        materials: names_in(root, "materials"),
        bodies: names_in(root, "bodies").map(deformable),
        obstacles: names_in(root, "obstacles").map(|names| names.into_iter().chain(carried).collect()),
        rigid: rigid.clone(),
        step: time.step,
        adaptive: time.adaptive,
        explicit: time.explicit,
        end: time.end,
        folder: folder.to_path_buf(),
    };
    // Every section is read before the first `?`, so that none hides the problems of another.
    let title = top.or("title", name.clone(), |cursor| cursor.text().map(str::to_owned));
    let source = optional_text(&top, "source");
    let thickness = thickness(&top, geometry);
    // a case of rigid bodies alone needs no others
    let needed = |key: &str| context.rigid.is_empty() && !has_task || top.optional(key).is_some();
    let only_rigid = context.bodies.as_ref().is_some_and(Vec::is_empty) && !context.rigid.bodies.is_empty();
    let materials = match needed("materials") || needed("bodies") && !only_rigid {
        true => top.required("materials").and_then(|cursor| material::read(&cursor, &context)),
        false => Some(Vec::new()),
    };
    let bodies = match needed("bodies") {
        true => top.required("bodies").and_then(|cursor| body::read(&cursor, &context)),
        false => Some(Vec::new()),
    };
    if time.time.as_ref().is_some_and(|time| time.auto) && bodies.as_ref().is_some_and(Vec::is_empty) {
        // rigid bodies have no stable step of their own
        let step = top.optional("time").and_then(|time| time.fields(time::KEYS)).and_then(|time| time.optional("step"));
        if let Some(cursor) = step {
            cursor.fail::<()>("`auto` follows deformable bodies and there are none: give a number");
        }
    }
    let obstacles = top.or("obstacles", Vec::new(), |cursor| obstacle::read(cursor, &context));
    let rigid = match top.optional("bodies") {
        Some(cursor) => rigid::read(&cursor, &context, context.rigid.heavy.len()),
        None => Some(Vec::new()),
    };
    let boundary = top.or("boundary", Vec::new(), |cursor| boundary::read(cursor, &context));
    let contacts = top.or("contacts", Default::default(), |cursor| contact::read(cursor, &context));
    let contact_solver = top.or("contact_solver", crate::model::ContactSolver::DEFAULT, contact::solver);
    let output = output::read(&top, &context);
    let expect = top.or("expect", Vec::new(), |cursor| expect::read(cursor, &context));
    let task = if has_task { Some(task::read(&top, &context, materials.as_deref())?) } else { None };
    let (contacts, rigid_contacts) = contacts?;
    let (rigid, obstacles) = rigid::join(obstacles?, rigid?);
    Some(Case {
        name,
        file_name: String::new(),
        text_as_run: String::new(),
        sources: std::sync::Arc::default(),
        title: title?,
        source: source?,
        geometry: geometry?,
        thickness: thickness?,
        time: time.time?,
        task,
        materials: materials?,
        bodies: bodies?,
        rigid,
        obstacles,
        boundary: boundary?,
        contacts,
        rigid_contacts,
        contact_solver: contact_solver?,
        output: output?,
        expect: expect?,
    })
}

fn thickness(top: &Fields<'_>, geometry: Option<Geometry>) -> Option<f64> {
    top.or("thickness", 1.0, |cursor| match geometry {
        Some(Geometry::Solid) => cursor.fail("a solid case has no thickness"),
        Some(Geometry::Axisymmetric) => cursor.fail("a body of revolution has no thickness: it is the whole ring"),
        _ => cursor.number(Range::Positive).and_then(|t| {
            let range = 1e-9..=1e9;
            if range.contains(&t) { Some(t) } else { cursor.fail(format!("must be from 1e-9 to 1e9 m, got {t:e}")) }
        }),
    })
}

/// A text that may be missing: `None` if it is there and wrong.
fn optional_text(fields: &Fields<'_>, key: &str) -> Option<Option<String>> {
    fields.or(key, None, |cursor| cursor.text().map(|text| Some(text.to_owned())))
}

/// Collects items that were all read; `None` if one of them is missing.
fn all<T>(items: Vec<Option<T>>) -> Option<Vec<T>> {
    items.into_iter().collect()
}
