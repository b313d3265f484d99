//! Pairs that more than one entry of `contacts` names: it would not be clear which law holds.

use std::collections::{HashMap, HashSet};

use super::super::data::{Contact, Counterpart, RigidContact};
use super::super::decode::{Cursor, Located};

/// Things that an entry lets meet: every one of the first list every one of the second.
struct Named<'a> {
    lists: [&'a [usize]; 2],
    sets: [&'a str; 2],
    itself: bool,
}

impl Named<'_> {
    fn is_one_pair(&self) -> bool {
        self.lists.iter().all(|list| list.len() == 1)
    }

    /// Its only pair, the same whoever comes first.
    fn pair(&self) -> [usize; 2] {
        let [a, b] = self.lists.map(|list| list[0]);
        [a.min(b), a.max(b)]
    }

    /// Whether some two things meet in both.
    fn shares(&self, other: &Named<'_>) -> bool {
        [[0, 1], [1, 0]].into_iter().any(|order| {
            let common = |side: usize| -> HashSet<usize> {
                let known: HashSet<usize> = other.lists[order[side]].iter().copied().collect();
                self.lists[side].iter().copied().filter(|thing| known.contains(thing)).collect()
            };
            let same_sets = [0, 1].into_iter().all(|side| overlap(self.sets[side], other.sets[order[side]]));
            let (first, second) = (common(0), common(1));
            // none meets itself, unless both say so
            let differ = first.len() > 1 || second.len() > 1 || first != second;
            let meet = !first.is_empty() && !second.is_empty() && (differ || self.itself && other.itself);
            same_sets && meet
        })
    }
}

/// Whether two sets of one body have facets in common, as far as their names tell: `surface` is all of it.
fn overlap(one: &str, other: &str) -> bool {
    one == other || one == WHOLE || other == WHOLE
}

/// The set of all facets of a body.
const WHOLE: &str = "surface";

/// Reports every contact with a pair that an earlier one has.
pub(super) fn report<'a>(
    cursor: &Cursor<'_>,
    contacts: impl Iterator<Item = &'a Located<Contact>>,
    rigid: impl Iterator<Item = &'a Located<RigidContact>>,
) {
    let mut on_obstacles: HashMap<[usize; 2], Vec<(&str, &str)>> = HashMap::new();
    let (mut bodies, mut shapes) = (Seen::default(), Seen::default());
    for contact in contacts {
        let set = contact.value.set.value.as_str();
        let first = match &contact.value.with {
            Counterpart::Obstacles(pairs) => pairs.iter().fold(None, |first, &pair| {
                let known = on_obstacles.entry(pair).or_default();
                let earlier = known.iter().find(|(other, path)| overlap(set, other) && *path != contact.path);
                let earlier = earlier.map(|(_, path)| *path);
                known.push((set, &contact.path));
                first.or(earlier)
            }),
            Counterpart::Bodies { between, set: other, itself, .. } => {
                let lists = between.each_ref().map(Vec::as_slice);
                bodies.first(Named { lists, sets: [set, &other.value], itself: *itself }, &contact.path)
            }
        };
        if let Some(first) = first {
            cursor.report::<()>(contact.problem(format!("the same pair is already given as {first}")));
        }
    }
    for contact in rigid {
        let lists = contact.value.between.each_ref().map(Vec::as_slice);
        if let Some(first) = shapes.first(Named { lists, sets: [""; 2], itself: false }, &contact.path) {
            cursor.report::<()>(contact.problem(format!("the same pair is already given as {first}")));
        }
    }
}

/// What was named so far, with the path of the entry.
#[derive(Default)]
struct Seen<'a> {
    /// Places of entries of one pair, of which there may be many.
    single: HashMap<[usize; 2], Vec<usize>>,
    all: Vec<(Named<'a>, &'a str)>,
    wide: Vec<usize>,
}

impl<'a> Seen<'a> {
    /// The earlier entry that shares a pair with this one.
    fn first(&mut self, named: Named<'a>, path: &'a str) -> Option<&'a str> {
        let found = match named.is_one_pair() {
            true => {
                let single = self.single.entry(named.pair()).or_default();
                let mut earlier = single.iter().chain(&self.wide).map(|&k| &self.all[k]);
                let known = earlier.find(|(other, _)| named.shares(other)).map(|(_, path)| *path);
                single.push(self.all.len());
                known
            }
            false => {
                self.wide.push(self.all.len());
                self.all.iter().find(|(other, _)| named.shares(other)).map(|(_, path)| *path)
            }
        };
        self.all.push((named, path));
        found
    }
}
