//! The sections `contacts` and `contact_solver`.

use std::collections::HashMap;

use super::super::data::{
    Carrier, Contact, ContactLevel, ContactMethod, ContactSolver, Friction, LocalSolver, SlipRule, UzawaStep,
};
use super::super::decode::{Cursor, Located, Names, Range};
use super::super::tree::{Value, clip};
use super::body::{node_set, reference};
use super::{Context, all, rigid, time, unknown};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Contact>>> {
    let items: Vec<_> = cursor.list()?.into_iter().filter(|item| !rigid::is_pair(item, context)).collect();
    let read: Vec<_> = items.iter().map(|item| contact(item, context)).collect();
    let mut seen: HashMap<(usize, &str, usize), &str> = HashMap::new();
    for contact in read.iter().flatten() {
        let pair = (contact.value.body, contact.value.set.value.as_str(), contact.value.obstacle);
        match seen.get(&pair) {
            Some(first) => {
                cursor.report::<()>(contact.problem(format!("the same pair is already given as {first}")));
            }
            None => {
                seen.insert(pair, &contact.path);
            }
        }
    }
    all(read)
}

/// Largest friction coefficient: a point with it sticks whatever happens.
const ROUGHEST: f64 = 1e6;

fn contact(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Contact>> {
    let fields = cursor.fields(&["between", "friction", "level", "restitution", "search"])?;
    let pair = fields.required("between").and_then(|cursor| between(&cursor, context));
    let friction = fields.or("friction", (Friction::default(), None), |cursor| friction(cursor, context));
    let level = fields.or("level", ContactLevel::Position, level);
    let restitution = fields.or("restitution", 0.0, |cursor| restitution(cursor, level));
    let search = fields.or("search", None, |cursor| cursor.number(Range::Positive).map(Some));
    let (body, set, obstacle) = pair?;
    let (level, restitution) = (level?, restitution?);
    let (friction, grain) = friction?;
    let contact = Contact { body, set, obstacle, friction, grain, level, restitution, search: search? };
    Some(cursor.locate(contact))
}

/// The first axis of orthotropic friction and what carries it.
type Grain = Option<([f64; 3], Carrier)>;

/// A coefficient, or orthotropic friction with its axis.
fn friction(cursor: &Cursor<'_>, context: &Context) -> Option<(Friction, Grain)> {
    if !matches!(cursor.value(), Value::Map(_)) {
        return coefficient(cursor).map(|mu| (mu.into(), None));
    }
    let fields = cursor.fields(&["mu1", "mu2", "axis", "slip", "carried_by"])?;
    if context.geometry.is_some_and(|g| g.dimension() == 2) {
        return cursor.fail("orthotropic friction needs a second tangent: `geometry: solid`");
    }
    let mu1 = fields.required("mu1").and_then(|cursor| coefficient(&cursor));
    let mu2 = fields.required("mu2").and_then(|cursor| coefficient(&cursor));
    let axis = fields.required("axis").and_then(|cursor| {
        let axis = cursor.vector(Some(3))?;
        let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
        if length > 1e-12 && length.is_finite() { Some(axis) } else { cursor.fail("must not be zero") }
    });
    let rule = fields.or("slip", SlipRule::Associated, |cursor| {
        let (name, body) = cursor.variant(Names { ready: &["associated", "collinear", "ellipse"], later: &[] })?;
        let fields = body.fields(if name == "ellipse" { &["q1", "q2"] } else { &[] })?;
        let rule = match name {
            "associated" => return Some(SlipRule::Associated),
            "collinear" => SlipRule::Collinear,
            _ => {
                let half_axis = |key: &str| fields.required(key).and_then(|cursor| cursor.number(Range::Positive));
                let (q1, q2) = (half_axis("q1"), half_axis("q2"));
                SlipRule::Ellipse([q1?, q2?])
            }
        };
        if mu1 == Some(0.0) || mu2 == Some(0.0) {
            return cursor.fail("needs friction along both axes: `mu1` and `mu2` > 0");
        }
        Some(rule)
    });
    let carriers = [("obstacle", Carrier::Obstacle), ("body", Carrier::Body)];
    let carrier = fields.or("carried_by", Carrier::Obstacle, |cursor| cursor.choice(&carriers, &[]));
    let (along, rule) = ([mu1?, mu2?], rule?);
    Some((Friction::orthotropic(along, rule), Some((axis?, carrier?))))
}

/// Coulomb's coefficient.
pub(super) fn coefficient(cursor: &Cursor<'_>) -> Option<f64> {
    let mu = cursor.number(Range::NonNegative)?;
    // beyond it the shift of the contact law drowns everything else in rounding
    if mu <= ROUGHEST { Some(mu) } else { cursor.fail(format!("must be at most {ROUGHEST:e}, got {mu:e}")) }
}

pub(super) fn level(cursor: &Cursor<'_>) -> Option<ContactLevel> {
    let levels =
        [("position", ContactLevel::Position), ("rate", ContactLevel::Rate), ("velocity", ContactLevel::Velocity)];
    cursor.choice(&levels, &[])
}

/// Newton's coefficient of restitution, for a contact whose level is known.
pub(super) fn restitution(cursor: &Cursor<'_>, level: Option<ContactLevel>) -> Option<f64> {
    if level.is_some_and(|level| level != ContactLevel::Velocity) {
        return cursor.fail("restitution belongs to contact at velocity level: add `level: velocity`");
    }
    cursor.number(Range::Closed(0.0, 1.0))
}

/// One side of a contact.
enum Side {
    Body(usize, Located<String>),
    Obstacle(usize),
}

fn between(cursor: &Cursor<'_>, context: &Context) -> Option<(usize, Located<String>, usize)> {
    let sides = cursor.array("names", |item| Some(side(item, context)))?;
    match sides {
        [Some(Side::Body(body, set)), Some(Side::Obstacle(obstacle))]
        | [Some(Side::Obstacle(obstacle)), Some(Side::Body(body, set))] => Some((body, set, obstacle)),
        [Some(Side::Body(..)), Some(Side::Body(..))] => {
            let problem = cursor.problem("contact between two deformable bodies is not available in this version");
            cursor.report(problem.expecting("a body and an obstacle"))
        }
        [Some(Side::Obstacle(_)), Some(Side::Obstacle(_))] => cursor.report(
            cursor.problem("two obstacles never move, so they never touch").expecting("a body and an obstacle"),
        ),
        _ => None,
    }
}

fn side(cursor: &Cursor<'_>, context: &Context) -> Option<Side> {
    let (name, set) = reference(cursor.text()?);
    let (bodies, obstacles) = (context.bodies.as_deref()?, context.obstacles.as_deref()?);
    if let Some(body) = bodies.iter().position(|known| known == name) {
        return Some(Side::Body(body, node_set(set.unwrap_or("surface"), cursor)?));
    }
    if let Some(obstacle) = obstacles.iter().position(|known| known == name) {
        if let Some(set) = set {
            let problem = cursor.problem(format!("obstacle `{name}` has no sets, got `{}`", clip(set)));
            return cursor.report(problem.expecting(format!("`{name}`")));
        }
        return Some(Side::Obstacle(obstacle));
    }
    let names = bodies.iter().chain(obstacles).map(String::as_str);
    cursor.report(unknown(names, "body or obstacle", name, cursor))
}

/// Most iterations any contact solver may be given.
const MOST_ITERATIONS: u32 = 100_000_000;

/// Gauss–Seidel as long as that is the fastest way.
pub(super) const DEFAULT_SOLVER: ContactSolver =
    ContactSolver { method: ContactMethod::Hybrid, tolerance: 1e-10, max_iterations: 10_000, go_on: false };

pub(super) fn solver(cursor: &Cursor<'_>) -> Option<ContactSolver> {
    let ready = &[
        "gauss_seidel",
        "uzawa",
        "extragradient",
        "projected_gradient",
        "jacobi",
        "newton",
        "bipotential_newton",
        "hybrid",
    ];
    let (name, body) = cursor.variant(Names { ready, later: &[] })?;
    let mut keys = vec!["tolerance", "max_iterations", "on_failure"];
    match name {
        "uzawa" => keys.extend(["rho", "step"]),
        "gauss_seidel" => keys.push("local"),
        _ => {}
    }
    let fields = body.fields(&keys)?;
    let tolerance = fields.or("tolerance", 1e-10, time::tolerance);
    let default = match name {
        "uzawa" | "extragradient" | "projected_gradient" => 100_000,
        "newton" | "bipotential_newton" => 500,
        _ => 10_000,
    };
    let max_iterations = fields.or("max_iterations", default, |cursor| cursor.integer(1..=MOST_ITERATIONS));
    let outcomes = [("cut_step", false), ("go_on", true)];
    let go_on = fields.or("on_failure", false, |cursor| cursor.choice(&outcomes, &[]));
    let method = match name {
        "gauss_seidel" => {
            let choices = [
                ("exact", LocalSolver::Exact),
                ("projection", LocalSolver::Projection),
                ("newton", LocalSolver::Newton),
                ("enumerative", LocalSolver::Enumerative),
            ];
            let local = fields.or("local", LocalSolver::Exact, |cursor| cursor.choice(&choices, &[]));
            local.map(ContactMethod::GaussSeidel)
        }
        "uzawa" => {
            let steps =
                [("fixed", UzawaStep::Fixed), ("per_point", UzawaStep::PerPoint), ("adaptive", UzawaStep::Adaptive)];
            let rho = fields.or("rho", 1.0, |cursor| cursor.number(Range::LeftOpen(0.0, 2.0)));
            let step = fields.or("step", UzawaStep::Fixed, |cursor| cursor.choice(&steps, &[]));
            rho.zip(step).map(|(rho, step)| ContactMethod::Uzawa { rho, step })
        }
        "extragradient" => Some(ContactMethod::Extragradient),
        "projected_gradient" => Some(ContactMethod::ProjectedGradient),
        "jacobi" => Some(ContactMethod::Jacobi),
        "newton" => Some(ContactMethod::Newton),
        "bipotential_newton" => Some(ContactMethod::BipotentialNewton),
        _ => Some(ContactMethod::Hybrid),
    };
    let (tolerance, max_iterations, go_on) = (tolerance?, max_iterations?, go_on?);
    Some(ContactSolver { method: method?, tolerance, max_iterations, go_on })
}
