//! The entries of `contacts`, for people and for accounts: one entry may stand for many pairs.

use std::collections::{HashMap, HashSet};

use super::{Case, Contact, Counterpart, RigidContact};

/// Entries with their names, and the numbers that belong to each.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// Names: those with deformable bodies, then those of rigid ones.
    pub names: Vec<String>,
    /// Number behind the last one of each contact, ascending, and its entry.
    ends: Vec<(u32, usize)>,
}

impl Entries {
    /// Of a case.
    pub fn of(case: &Case) -> Self {
        let deformable = case.contacts.iter().map(|c| (&c.path, c.value.numbers(), named(case, &c.value)));
        let rigid = case.rigid_contacts.iter().map(|c| (&c.path, c.value.numbers(), named_rigid(case, &c.value)));
        let rigid_first = case.contacts.len();
        let (mut entries, mut named) = (Entries::default(), Vec::<(String, usize)>::new());
        let (mut end, mut before) = (0, None);
        for (k, (path, numbers, (name, count))) in deformable.chain(rigid).enumerate() {
            let entry = Some((path, k < rigid_first));
            match named.last_mut() {
                Some((_, others)) if before == entry => *others += count,
                _ => named.push((name, count)),
            }
            before = entry;
            end += numbers as u32;
            entries.ends.push((end, named.len() - 1));
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

/// Name of the first pair of a contact, and how many there are.
fn named(case: &Case, contact: &Contact) -> (String, usize) {
    let surface = |body: usize, set: &str| format!("{}.{set}", case.bodies[body].name.value);
    let own = &contact.set.value;
    match &contact.with {
        Counterpart::Obstacles(pairs) => {
            let name = |&[body, k]: &[usize; 2]| format!("{} on {}", surface(body, own), case.obstacles[k].name.value);
            (pairs.first().map_or_else(String::new, name), pairs.len())
        }
        Counterpart::Bodies { between, set, itself, .. } => {
            let [first, second] = first_pair(between, |a, b| *itself || a != b);
            let count = if *itself { 1 } else { pairs(between, own == &set.value) };
            (format!("{} on {}", surface(first, own), surface(second, &set.value)), count)
        }
    }
}

fn named_rigid(case: &Case, contact: &RigidContact) -> (String, usize) {
    let carrier = |k: usize| case.obstacles[k].carrier;
    let heavy = |k: usize| carrier(k).is_some();
    let [mut first, mut second] = first_pair(&contact.between, |a, b| carrier(a) != carrier(b));
    if !heavy(first) {
        (first, second) = (second, first);
    }
    let name = |k: usize| &case.obstacles[k].name.value;
    // two shapes of one body, or of none, never meet
    let mut alike: HashMap<Option<usize>, [Vec<usize>; 2]> = HashMap::new();
    for (side, list) in contact.between.iter().enumerate() {
        list.iter().for_each(|&k| alike.entry(carrier(k)).or_default()[side].push(k));
    }
    let never: usize = alike.values().map(|lists| pairs(lists, true)).sum();
    (format!("{} on {}", name(first), name(second)), pairs(&contact.between, true) - never)
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
