//! The key `between` of a contact: which bodies and obstacles two names stand for, and which of them may touch.

use std::collections::HashSet;

use super::super::decode::{Cursor, Located, listed};
use super::super::tree::clip;
use super::body::{node_set, reference};
use super::{Context, unknown};

/// All that a name stands for, in the order of their names: in which order bodies are written must not decide in which one their
/// contacts are solved, since the last digits depend on that, and in a pile everything depends on those.
#[derive(Debug)]
struct Side {
    bodies: Vec<usize>,
    /// Face set of the bodies.
    set: Located<String>,
    obstacles: Vec<usize>,
    /// Whether it can stand for one only.
    single: bool,
}

/// What two names stand for.
#[derive(Debug)]
pub(super) struct Between {
    sides: [Side; 2],
    /// The rigid body that carries each obstacle of the case, if one does.
    carriers: Vec<Option<usize>>,
}

/// Bodies that may touch each other: each of the first list each of the second.
pub(super) struct Surfaces<'a> {
    pub bodies: [&'a Vec<usize>; 2],
    /// Face sets of either list.
    pub sets: [&'a Located<String>; 2],
    /// Whether it is one body against itself.
    pub itself: bool,
}

impl Between {
    /// Reads the two names. A name with `*` stands for many.
    pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Self> {
        let sides = cursor.array("names", |item| Some(side(item, context)))?;
        let [Some(first), Some(second)] = sides else { return None };
        let carriers = context.obstacles.as_deref()?.iter().map(|name| context.rigid.carrier(name)).collect();
        let between = Between { sides: [first, second], carriers };
        let [first, second] = &between.sides;
        if between.on_obstacles().is_empty() && between.bodies().is_none() && between.rigid().is_none() {
            let obstacles_only = first.bodies.is_empty() && second.bodies.is_empty();
            let none_heavy = !first.obstacles.iter().chain(&second.obstacles).any(|&k| between.carriers[k].is_some());
            return match obstacles_only {
                true if none_heavy => {
                    let problem = cursor.problem("two obstacles never move, so they never touch");
                    cursor.report(problem.expecting("two bodies, or a body and an obstacle"))
                }
                true if first.single && second.single => cursor.fail("a rigid body cannot touch itself"),
                _ => cursor.fail("no two different bodies have these names"),
            };
        }
        Some(between)
    }

    /// Bodies with the obstacles that each may touch, and their face set: each two once.
    pub(super) fn on_obstacles(&self) -> Vec<(&Located<String>, Vec<[usize; 2]>)> {
        let [first, second] = &self.sides;
        let mut taken = HashSet::new();
        let mut pairs = |own: &Side, other: &Side| {
            let all = own.bodies.iter().flat_map(|&body| other.obstacles.iter().map(move |&k| [body, k]));
            all.filter(|&pair| taken.insert((pair, own.set.value.clone()))).collect::<Vec<_>>()
        };
        let lists = [(&first.set, pairs(first, second)), (&second.set, pairs(second, first))];
        lists.into_iter().filter(|(_, pairs)| !pairs.is_empty()).collect()
    }

    /// Bodies that may touch each other.
    pub(super) fn bodies(&self) -> Option<Surfaces<'_>> {
        let [first, second] = &self.sides;
        let itself = self.is_single() && !first.bodies.is_empty() && first.bodies == second.bodies;
        let meet = itself || differ(&first.bodies, &second.bodies);
        let (bodies, sets) = ([&first.bodies, &second.bodies], [&first.set, &second.set]);
        meet.then_some(Surfaces { bodies, sets, itself })
    }

    /// Obstacles that may touch each other: of some two one has mass.
    pub(super) fn rigid(&self) -> Option<[&Vec<usize>; 2]> {
        let [first, second] = self.sides.each_ref().map(|side| &side.obstacles);
        // two shapes of one body never meet, and of two others one has mass
        let meet = first.iter().any(|&a| second.iter().any(|&b| self.carriers[a] != self.carriers[b]));
        meet.then_some([first, second])
    }

    /// Whether the names can stand for one pair only.
    pub(super) fn is_single(&self) -> bool {
        self.sides.iter().all(|side| side.single)
    }
}

/// Whether there are two different things, one of each list.
fn differ(first: &[usize], second: &[usize]) -> bool {
    first.iter().any(|a| second.iter().any(|b| a != b))
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

fn side(cursor: &Cursor<'_>, context: &Context) -> Option<Side> {
    let text = cursor.text()?;
    let (name, set) = reference(text);
    let (bodies, obstacles) = (context.bodies.as_deref()?, context.obstacles.as_deref()?);
    let single = !text.contains('*');
    let matching = |names: &[String]| -> Vec<usize> {
        let mut all: Vec<usize> = (0..names.len()).filter(|&k| fits(name, &names[k])).collect();
        all.sort_by_key(|&k| &names[k]);
        all
    };
    // the shapes of a rigid body are named `body.shape`
    let shape = |k: &usize| match (obstacles[*k].split_once('.'), set) {
        (Some((body, part)), Some(set)) => fits(name, body) && fits(set, part),
        (Some((body, _)), None) => fits(name, body),
        (None, _) => fits(name, &obstacles[*k]),
    };
    let found = matching(bodies);
    let mut hit: Vec<usize> = (0..obstacles.len()).filter(shape).collect();
    hit.sort_by_key(|&k| &obstacles[k]);
    let carried = |k: &usize| obstacles[*k].contains('.');
    match set {
        Some(set) if found.is_empty() && !hit.is_empty() && !hit.iter().any(carried) => {
            let problem = cursor.problem(format!("obstacle `{name}` has no sets, got `{}`", clip(set)));
            return cursor.report(problem.expecting(format!("`{name}`")));
        }
        // a set is one of bodies, or a shape
        Some(_) => hit.retain(carried),
        None => {}
    }
    if found.is_empty() && hit.is_empty() && context.rigid.bodies.iter().any(|body| fits(name, body)) {
        let shapes = obstacles.iter().filter_map(|known| known.split_once('.').filter(|(body, _)| fits(name, body)));
        let problem = match set {
            Some(set) => cursor.problem(format!("rigid body `{}` has no shape `{}`", clip(name), clip(set))),
            None => cursor.problem(format!("rigid body `{}` has no shapes: nothing of it can touch", clip(name))),
        };
        let list = listed(shapes.map(|(_, part)| part).take(20));
        return cursor.report(if list.is_empty() { problem } else { problem.expecting(format!("one of {list}")) });
    }
    if found.is_empty() && hit.is_empty() {
        if !single {
            return cursor.fail(format!("no body or obstacle has a name like `{}`", clip(name)));
        }
        let names = bodies.iter().chain(obstacles).chain(&context.rigid.bodies).map(String::as_str);
        return cursor.report(unknown(names, "body or obstacle", name, cursor));
    }
    let set = match found.is_empty() {
        true => cursor.locate(String::new()),
        false => node_set(set.unwrap_or("surface"), cursor)?,
    };
    let single = single && found.len() + hit.len() == 1;
    Some(Side { bodies: found, set, obstacles: hit, single })
}
