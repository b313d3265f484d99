//! The sections `contacts` and `contact_solver`.

use super::super::data::{
    Carrier, Contact, ContactLevel, ContactMethod, ContactOperator, ContactSolver, Counterpart, Friction, LocalSolver,
    RigidContact, Slave, SlipRule, UzawaStep,
};
use super::super::decode::{Cursor, Located, Names, Range};
use super::super::tree::{Value, clip};
use super::between::{Between, Surfaces};
use super::{Context, repeated, time};

/// What the entries declare: contacts with deformable bodies, and those between rigid ones.
pub(super) type Contacts = (Vec<Located<Contact>>, Vec<Located<RigidContact>>);

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Contacts> {
    let items = cursor.list()?;
    let read: Vec<_> = items.iter().map(|item| contact(item, context)).collect();
    let known = read.iter().flatten();
    repeated::report(cursor, known.clone().flat_map(|c| &c.0), known.flat_map(|c| &c.1));
    let lists: Vec<Contacts> = read.into_iter().collect::<Option<_>>()?;
    let (contacts, rigid): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
    let made: Contacts = (contacts.into_iter().flatten().collect(), rigid.into_iter().flatten().collect());
    let numbers = made.0.iter().map(|c| c.value.numbers()).chain(made.1.iter().map(|c| c.value.numbers()));
    if numbers.fold(0, usize::saturating_add) > MOST_PAIRS {
        return cursor.fail(format!("more than {MOST_PAIRS} pairs may touch: name fewer"));
    }
    Some(made)
}

/// Most pairs that a case may declare: each has a number.
const MOST_PAIRS: usize = u32::MAX as usize;

/// Largest friction coefficient: a point with it sticks whatever happens.
const ROUGHEST: f64 = 1e6;

/// One entry; a name with `*` may stand for bodies and obstacles alike, and so for contacts of several kinds.
fn contact(cursor: &Cursor<'_>, context: &Context) -> Option<Contacts> {
    let keys = ["between", "friction", "level", "restitution", "search", "slave", "passes", "overlap"];
    let fields = cursor.fields(&keys)?;
    let between = fields.required("between").and_then(|cursor| Between::read(&cursor, context));
    let bodies_only = |cursor: &Cursor<'_>| match &between {
        Some(between) if between.bodies().is_none() => {
            cursor.fail::<()>("belongs to contact between two bodies; nodes are always held by an obstacle")
        }
        _ => Some(()),
    };
    let passes = fields.or("passes", false, |cursor| {
        bodies_only(cursor)?;
        cursor.choice(&[("one", false), ("two", true)], &[])
    });
    let slave = fields.or("slave", Slave::Auto, |cursor| {
        bodies_only(cursor)?;
        let slave = slave(cursor, between.as_ref()?, context)?;
        if passes == Some(true) && slave != Slave::Auto {
            return cursor.fail("with two passes the nodes of either side are held: leave it out");
        }
        Some(slave)
    });
    let overlaps = [("refuse", false), ("push_out", true)];
    let push_out = fields.or("overlap", false, |cursor| cursor.choice(&overlaps, &[]));
    let friction = fields.or("friction", (Friction::default(), None), |cursor| {
        let (alike, others) = match &between {
            Some(between) => {
                (between.bodies().is_some() || between.rigid().is_some(), !between.on_obstacles().is_empty())
            }
            None => (false, true),
        };
        let (friction, grain) = friction(cursor, context, alike)?;
        if grain.is_some() && alike && others {
            return cursor
                .fail("an axis belongs to one kind of contact: give bodies on obstacles an entry of their own");
        }
        Some((friction, grain))
    });
    let level = fields.or("level", ContactLevel::Position, level);
    let restitution = fields.or("restitution", 0.0, |cursor| restitution(cursor, level));
    let search = fields.or("search", None, |cursor| cursor.number(Range::Positive).map(Some));
    let (level, restitution, two_passes, slave) = (level?, restitution?, passes?, slave?);
    let ((friction, grain), search, push_out, between) = (friction?, search?, push_out?, between?);
    let located = |set: &Located<String>, with: Counterpart| {
        cursor.locate(Contact { set: set.clone(), with, friction, grain, level, restitution, search, push_out })
    };
    let on_obstacles = between.on_obstacles().into_iter();
    let mut contacts: Vec<_> = on_obstacles.map(|(set, pairs)| located(set, Counterpart::Obstacles(pairs))).collect();
    if let Some(Surfaces { bodies, sets: [first, second], itself }) = between.bodies() {
        let (between, set) = (bodies.map(Vec::clone), second.clone());
        let with = Counterpart::Bodies { between, set, itself, slave, two_passes };
        contacts.push(located(first, with));
    }
    let rigid = between.rigid().map(|between| {
        let between = between.map(Vec::clone);
        cursor.locate(RigidContact { between, friction, grain, level, restitution, search, push_out })
    });
    Some((contacts, rigid.into_iter().collect()))
}

/// Whose nodes are held: the name of one of two bodies, or `auto`.
fn slave(cursor: &Cursor<'_>, between: &Between, context: &Context) -> Option<Slave> {
    let name = cursor.text()?;
    let mut choices = vec![("auto", Slave::Auto)];
    // a name that stands for several bodies cannot say which of a pair
    if let Some(Surfaces { bodies: [first, second], itself: false, .. }) =
        between.bodies().filter(|_| between.is_single())
    {
        let names = context.bodies.as_deref()?;
        choices.extend([(names[first[0]].as_str(), Slave::First), (names[second[0]].as_str(), Slave::Second)]);
    }
    let known = choices.iter().find(|(word, _)| *word == name).map(|(_, slave)| *slave);
    known.or_else(|| {
        let list: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
        let problem = cursor.problem(format!("unknown choice `{}`", clip(name)));
        cursor.report(problem.expecting(format!("one of {}", list.join(", "))))
    })
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

/// Most iterations any contact solver may be given.
const MOST_ITERATIONS: u32 = 100_000_000;

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
