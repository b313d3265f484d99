//! Contacts as people and accounts name them: one entry may stand for many pairs.

use std::collections::{HashMap, HashSet};

use super::{Between, Contact, Model};

/// Entries with their names, and the numbers that belong to each.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// Names: those with deformable bodies, then those of rigid ones.
    pub names: Vec<String>,
    /// Number behind the last one of each contact, ascending, and its entry.
    ends: Vec<(u32, usize)>,
}

impl Entries {
    /// Of a model.
    pub(super) fn of(model: &Model) -> Self {
        let (mut entries, mut named) = (Entries::default(), Vec::<(String, usize)>::new());
        let mut before = None;
        for (number, _, contact) in model.numbered() {
            let entry = Some((&contact.name, contact.is_rigid()));
            let (name, count) = model.pairs_of(contact);
            match named.last_mut() {
                Some((_, others)) if before == entry => *others += count,
                _ => named.push((name, count)),
            }
            before = entry;
            entries.ends.push((number + contact.numbers() as u32, named.len() - 1));
        }
        entries.names = named.into_iter().map(|(name, count)| with_others(name, count)).collect();
        entries
    }

    /// The entry that the pair with a number belongs to.
    pub fn entry(&self, number: u32) -> Option<usize> {
        let place = self.ends.partition_point(|(end, _)| *end <= number);
        self.ends.get(place).map(|(_, entry)| *entry)
    }
}

fn with_others(name: String, count: usize) -> String {
    if count > 1 { format!("{name} and {} more", count - 1) } else { name }
}

impl Model {
    /// Name of the first pair of a contact, and how many there are.
    fn pairs_of(&self, contact: &Contact) -> (String, usize) {
        let surface = |body: usize, set: &str| format!("{}.{set}", self.bodies[body].name);
        let shape = |k: usize| &self.obstacles[k].shape.name;
        match &contact.between {
            Between::Obstacles { set, pairs } => {
                let name = |&[body, k]: &[usize; 2]| format!("{} on {}", surface(body, set), shape(k));
                (pairs.first().map_or_else(String::new, name), pairs.len())
            }
            Between::Bodies { bodies, sets: [own, other], itself, .. } => {
                let [first, second] = first_pair(bodies, |a, b| *itself || a != b);
                let count = if *itself { 1 } else { pairs(bodies, own == other) };
                (format!("{} on {}", surface(first, own), surface(second, other)), count)
            }
            Between::Rigid { obstacles } => {
                let carrier = |k: usize| self.obstacles[k].carrier;
                let [mut first, mut second] = first_pair(obstacles, |a, b| carrier(a) != carrier(b));
                if carrier(first).is_none() {
                    (first, second) = (second, first);
                }
                // two shapes of one body, or of none, never meet
                let mut alike: HashMap<Option<usize>, [Vec<usize>; 2]> = HashMap::new();
                for (side, list) in obstacles.iter().enumerate() {
                    list.iter().for_each(|&k| alike.entry(carrier(k)).or_default()[side].push(k));
                }
                let never: usize = alike.values().map(|lists| pairs(lists, true)).sum();
                (format!("{} on {}", shape(first), shape(second)), pairs(obstacles, true) - never)
            }
        }
    }
}

fn first_pair(between: &[Vec<usize>; 2], fits: impl Fn(usize, usize) -> bool) -> [usize; 2] {
    let mut all = between[0].iter().flat_map(|&a| between[1].iter().map(move |&b| [a, b]));
    all.find(|&[a, b]| fits(a, b)).unwrap_or_default()
}

/// Pairs of different things out of two lists; `alike` if it is the same whoever comes first.
fn pairs([first, second]: &[Vec<usize>; 2], alike: bool) -> usize {
    let of_second: HashSet<usize> = second.iter().copied().collect();
    let common = first.iter().filter(|thing| of_second.contains(thing)).count();
    let repeated = if alike { common * common.saturating_sub(1) / 2 } else { 0 };
    first.len() * second.len() - common - repeated
}
