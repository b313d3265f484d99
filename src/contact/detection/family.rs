//! Who may meet whom, where names stand for many: two lists of which every member of the first may meet every member of the second,
//! each two once. The pairs are numbered but not listed; boxes around the members say which of them are worth a look.

use crate::geometry::{Bounds, Bvh};

/// Pairs up to which boxes are compared one by one.
const FEW: usize = 64;

/// Two lists of things that may meet.
#[derive(Debug, Clone, Default)]
pub struct Family {
    /// Number of its first pair.
    number: u32,
    first: Vec<u32>,
    second: Vec<u32>,
    /// Place of each of the first in the second list, and of each of the second in the first.
    in_second: Vec<Option<u32>>,
    in_first: Vec<Option<u32>>,
    /// Whether a thing may meet itself.
    itself: bool,
    boxes: Vec<Bounds>,
    tree: Bvh,
}

impl Family {
    /// Of two lists without repetitions; `itself` says whether one that is in both may meet itself. Numbers of pairs start from `number`.
    pub fn new(number: u32, first: Vec<u32>, second: Vec<u32>, itself: bool) -> Self {
        let places = |of: &[u32], list: &[u32]| {
            let mut sorted: Vec<(u32, u32)> = list.iter().zip(0..).map(|(&thing, place)| (thing, place)).collect();
            sorted.sort_unstable();
            let place = |thing: &u32| sorted.binary_search_by_key(thing, |s| s.0).ok().map(|at| sorted[at].1);
            of.iter().map(place).collect()
        };
        let (in_second, in_first) = (places(&first, &second), places(&second, &first));
        Family { number, first, second, in_second, in_first, itself, boxes: Vec::new(), tree: Bvh::default() }
    }

    /// Whether one that is in both lists may meet itself.
    pub fn may_meet_itself(&self) -> bool {
        self.itself
    }

    /// The two lists.
    pub(in crate::contact) fn lists(&self) -> [&[u32]; 2] {
        [&self.first, &self.second]
    }

    /// Numbers that its pairs may have: some stand for two that are counted elsewhere.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        self.number..self.number + (self.first.len() * self.second.len()) as u32
    }

    /// Whether the things in places `i` and `j` are a pair of their own: not one thing, and not two that meet the other way round
    /// before.
    fn is_pair(&self, i: usize, j: usize) -> bool {
        let before = |place: u32| (place as usize) < i && self.in_second[i].is_some();
        (self.itself || self.first[i] != self.second[j]) && !self.in_first[j].is_some_and(before)
    }

    /// The two things of the pair with a number.
    pub fn pair(&self, number: u32) -> Option<[u32; 2]> {
        let rank = number.checked_sub(self.number)? as usize;
        let (i, j) = (rank / self.second.len().max(1), rank % self.second.len().max(1));
        (i < self.first.len() && self.is_pair(i, j)).then(|| [self.first[i], self.second[j]])
    }

    /// The number of the pair of two things, in either order.
    pub(in crate::contact) fn number_of(&self, [one, other]: [u32; 2]) -> Option<u32> {
        let place = |list: &[u32], thing: u32| list.iter().position(|&t| t == thing);
        [[one, other], [other, one]].into_iter().find_map(|[a, b]| {
            let (i, j) = (place(&self.first, a)?, place(&self.second, b)?);
            self.is_pair(i, j).then(|| self.number + (i * self.second.len() + j) as u32)
        })
    }

    /// Calls `each` with number and things of every pair whose boxes meet. `bounds` are those of a thing.
    pub fn meeting(&mut self, bounds: impl Fn(u32) -> Bounds, mut each: impl FnMut(u32, [u32; 2])) {
        let (mut boxes, mut tree) = (std::mem::take(&mut self.boxes), std::mem::take(&mut self.tree));
        boxes.clear();
        boxes.extend(self.second.iter().map(|&thing| bounds(thing)));
        let few = self.first.len() * self.second.len() <= FEW;
        if !few {
            tree.build(&boxes);
        }
        for (i, &thing) in self.first.iter().enumerate() {
            let around = bounds(thing);
            let mut consider = |j: usize| {
                if self.is_pair(i, j) && around.meets(&boxes[j]) {
                    each(self.number + (i * self.second.len() + j) as u32, [thing, self.second[j]]);
                }
            };
            match few {
                true => (0..self.second.len()).for_each(consider),
                false => tree.query(&around, |j| consider(j as usize)),
            }
        }
        (self.boxes, self.tree) = (boxes, tree);
    }
}
