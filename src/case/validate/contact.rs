//! The sections `contacts` and `contact_solver`.

use std::collections::{HashMap, HashSet};

use super::super::data::{
    Carrier, Contact, ContactLevel, ContactMethod, ContactOperator, ContactSolver, Counterpart, Friction, LocalSolver,
    Slave, SlipRule, UzawaStep,
};
use super::super::decode::{Cursor, Located, Names, Range};
use super::super::tree::{Value, clip};
use super::body::{node_set, reference};
use super::{Context, all, rigid, time, unknown};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Contact>>> {
    let items: Vec<_> = cursor.list()?.into_iter().filter(|item| !rigid::is_pair(item, context)).collect();
    let read: Vec<_> = items.iter().map(|item| contact(item, context)).collect();
    let mut seen: HashMap<[(usize, &str); 2], &str> = HashMap::new();
    for contact in read.iter().flatten().flatten() {
        let first = (contact.value.body, contact.value.set.value.as_str());
        let second = match &contact.value.with {
            // obstacles are counted behind all bodies
            Counterpart::Obstacle(obstacle) => (usize::MAX - obstacle, ""),
            Counterpart::Body { body, set, .. } => (*body, set.value.as_str()),
        };
        let pair = if first <= second { [first, second] } else { [second, first] };
        match seen.get(&pair) {
            Some(first) => {
                cursor.report::<()>(contact.problem(format!("the same pair is already given as {first}")));
            }
            None => {
                seen.insert(pair, &contact.path);
            }
        }
    }
    all(read).map(|lists| lists.into_iter().flatten().collect())
}

/// Largest friction coefficient: a point with it sticks whatever happens.
const ROUGHEST: f64 = 1e6;

/// One entry; more than one contact if a name stands for several bodies or obstacles.
fn contact(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Located<Contact>>> {
    let keys = ["between", "friction", "level", "restitution", "search", "slave", "passes", "overlap"];
    let fields = cursor.fields(&keys)?;
    let pairs = fields.required("between").and_then(|cursor| between(&cursor, context));
    let bodies_only = |cursor: &Cursor<'_>| {
        let obstacle = |pair: &(Side, Side)| matches!(pair.1, Side::Obstacle(_));
        match &pairs {
            Some(pairs) if pairs.iter().any(obstacle) => {
                cursor.fail::<()>("belongs to contact between two bodies; nodes are always held by an obstacle")
            }
            _ => Some(()),
        }
    };
    let passes = fields.or("passes", false, |cursor| {
        bodies_only(cursor)?;
        cursor.choice(&[("one", false), ("two", true)], &[])
    });
    let slave = fields.or("slave", Slave::Auto, |cursor| {
        bodies_only(cursor)?;
        if passes == Some(true) {
            return cursor.fail("with two passes the nodes of either side are held: leave it out");
        }
        let name = cursor.text()?;
        let mut choices = vec![("auto", Slave::Auto)];
        // a name that stands for several bodies cannot say which of a pair
        if let Some([(Side::Body(first, _), Side::Body(second, _))]) = pairs.as_deref()
            && first != second
        {
            let names = context.bodies.as_deref()?;
            choices.extend([(names[*first].as_str(), Slave::First), (names[*second].as_str(), Slave::Second)]);
        }
        let known = choices.iter().find(|(word, _)| *word == name).map(|(_, slave)| *slave);
        known.or_else(|| {
            let list: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
            let problem = cursor.problem(format!("unknown choice `{}`", clip(name)));
            cursor.report(problem.expecting(format!("one of {}", list.join(", "))))
        })
    });
    let push_out = fields.or("overlap", false, overlap);
    let friction = fields.or("friction", (Friction::default(), None), |cursor| {
        let between_bodies = |pairs: &Vec<(Side, Side)>| pairs.iter().any(|p| matches!(p.1, Side::Body(..)));
        let alike = pairs.as_ref().is_some_and(between_bodies);
        friction(cursor, context, alike)
    });
    let level = fields.or("level", ContactLevel::Position, level);
    let restitution = fields.or("restitution", 0.0, |cursor| restitution(cursor, level));
    let search = fields.or("search", None, |cursor| cursor.number(Range::Positive).map(Some));
    let (level, restitution, two_passes, slave) = (level?, restitution?, passes?, slave?);
    let ((friction, grain), search, push_out) = (friction?, search?, push_out?);
    let made = pairs?.into_iter().filter_map(|(first, second)| {
        let Side::Body(body, set) = first else { return None };
        let with = match second {
            Side::Obstacle(obstacle) => Counterpart::Obstacle(obstacle),
            Side::Body(body, set) => Counterpart::Body { body, set, slave, two_passes },
        };
        Some(cursor.locate(Contact { body, set, with, friction, grain, level, restitution, search, push_out }))
    });
    Some(made.collect())
}

/// What becomes of bodies that start inside each other: whether they are pushed out.
pub(super) fn overlap(cursor: &Cursor<'_>) -> Option<bool> {
    cursor.choice(&[("refuse", false), ("push_out", true)], &[])
}

/// The first axis of orthotropic friction and what carries it.
type Grain = Option<([f64; 3], Carrier)>;

/// A coefficient, or orthotropic friction with its axis; `alike` are two bodies, or two rigid ones.
pub(super) fn friction(cursor: &Cursor<'_>, context: &Context, alike: bool) -> Option<(Friction, Grain)> {
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
    let carrier = fields.or("carried_by", Carrier::Second, |cursor| carrier(cursor, alike));
    let (along, rule) = ([mu1?, mu2?], rule?);
    Some((Friction::orthotropic(along, rule), Some((axis?, carrier?))))
}

/// What carries an axis: of two alike the first or the second of `between`, otherwise the obstacle or the body.
fn carrier(cursor: &Cursor<'_>, alike: bool) -> Option<Carrier> {
    let choices = [
        ("obstacle", (false, Carrier::Second)),
        ("body", (false, Carrier::First)),
        ("first", (true, Carrier::First)),
        ("second", (true, Carrier::Second)),
    ];
    match cursor.choice(&choices, &[])? {
        (of_alike, carrier) if of_alike == alike => Some(carrier),
        _ if alike => cursor.fail("neither is a body on an obstacle: `first` or `second` of `between`"),
        _ => cursor.fail("a body on an obstacle: `body` or `obstacle`"),
    }
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
#[derive(Clone)]
enum Side {
    Body(usize, Located<String>),
    Obstacle(usize),
}

/// All pairs that the names stand for, the body first. A name with `*` stands for many; then no body meets itself, and each pair
/// is taken once.
fn between(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<(Side, Side)>> {
    let sides = cursor.array("names", |item| Some(side(item, context)))?;
    let [Some((first, one)), Some((second, other))] = sides else { return None };
    let single = one && other;
    let mut pairs: Vec<(Side, Side)> = Vec::new();
    let mut taken = HashSet::new();
    for a in &first {
        for b in &second {
            match (a, b) {
                (Side::Body(i, s), Side::Body(j, t)) => {
                    // of one set the pair is the same whoever comes first
                    let pair = if s.value == t.value { (*i.min(j), *i.max(j)) } else { (*i, *j) };
                    if single || (i != j && taken.insert(pair)) {
                        pairs.push((a.clone(), b.clone()));
                    }
                }
                (Side::Body(..), Side::Obstacle(_)) => pairs.push((a.clone(), b.clone())),
                (Side::Obstacle(_), Side::Body(..)) => pairs.push((b.clone(), a.clone())),
                (Side::Obstacle(_), Side::Obstacle(_)) => {
                    let problem = cursor.problem("two obstacles never move, so they never touch");
                    return cursor.report(problem.expecting("two bodies, or a body and an obstacle"));
                }
            }
        }
    }
    if pairs.is_empty() {
        return cursor.fail("no two different bodies have these names");
    }
    Some(pairs)
}

/// Whether a name fits a pattern in which `*` stands for any number of characters.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices().map(|(k, _)| k).chain([name.len()]).any(|k| fits(rest, &name[k..]))
        }),
    }
}

/// All that a name stands for, and whether it can stand for one only.
fn side(cursor: &Cursor<'_>, context: &Context) -> Option<(Vec<Side>, bool)> {
    let (name, set) = reference(cursor.text()?);
    let (bodies, obstacles) = (context.bodies.as_deref()?, context.obstacles.as_deref()?);
    let single = !name.contains('*');
    let matching = |names: &[String]| -> Vec<usize> {
        names.iter().enumerate().filter(|(_, known)| fits(name, known)).map(|(k, _)| k).collect()
    };
    let found = matching(bodies);
    if !found.is_empty() {
        let set = node_set(set.unwrap_or("surface"), cursor)?;
        return Some((found.into_iter().map(|body| Side::Body(body, set.clone())).collect(), single));
    }
    let found = matching(obstacles);
    if !found.is_empty() {
        if let Some(set) = set {
            let problem = cursor.problem(format!("obstacle `{name}` has no sets, got `{}`", clip(set)));
            return cursor.report(problem.expecting(format!("`{name}`")));
        }
        return Some((found.into_iter().map(Side::Obstacle).collect(), single));
    }
    if !single {
        return cursor.fail(format!("no body or obstacle has a name like `{}`", clip(name)));
    }
    let names = bodies.iter().chain(obstacles).map(String::as_str);
    cursor.report(unknown(names, "body or obstacle", name, cursor))
}

/// Most iterations any contact solver may be given.
const MOST_ITERATIONS: u32 = 100_000_000;

/// Gauss–Seidel as long as that is the fastest way.
pub(super) const DEFAULT_SOLVER: ContactSolver = ContactSolver {
    method: ContactMethod::Hybrid,
    tolerance: 1e-10,
    max_iterations: 10_000,
    go_on: false,
    operator: ContactOperator::Auto,
};

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
    // Gauss-Seidel reads rows of W
    if name != "gauss_seidel" {
        keys.push("operator");
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
    let operators = [
        ("auto", ContactOperator::Auto),
        ("stored", ContactOperator::Stored),
        ("matrix_free", ContactOperator::MatrixFree),
    ];
    let operator = fields.or("operator", ContactOperator::Auto, |cursor| cursor.choice(&operators, &[]));
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
    Some(ContactSolver { method: method?, tolerance, max_iterations, go_on, operator: operator? })
}
