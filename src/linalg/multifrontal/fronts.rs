//! The order of elimination and the dense fronts it leads to, from the pattern alone.
//!
//! Blocks with the same closed neighbourhood (the corners of two boxes that touch) are one group. Groups are eliminated in order of
//! least degree; a group and its parent are joined where that costs few zeros.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One front: unknowns eliminated here, and those of later fronts that they are coupled to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Front {
    /// Start in [`Fronts::nodes`]; first the pivots, then the rest.
    pub(super) start: usize,
    /// Blocks eliminated here.
    pub(super) pivots: usize,
    /// Blocks that wait for later fronts.
    pub(super) rest: usize,
    /// Start in [`Fronts::relative`] of the places of the rest in the parent.
    pub(super) relative: usize,
    /// Children, the fronts that come right before it and have not been taken up.
    pub(super) children: usize,
    /// Entries of the matrix that belong here, as a range of [`Fronts::entries`].
    pub(super) entries: [usize; 2],
}

/// All fronts, children before parents.
#[derive(Debug, Clone, Default)]
pub(super) struct Fronts {
    pub(super) fronts: Vec<Front>,
    pub(super) nodes: Vec<u32>,
    pub(super) relative: Vec<u32>,
    /// Stored block, and its row and column in the front.
    pub(super) entries: Vec<[u32; 3]>,
    /// Blocks of the factors, of the largest front, and of the squares that wait for their parents at once.
    pub(super) room: [usize; 3],
}

/// Work per number of a joined front that zeros may make up: an eighth.
const ZEROS: usize = 8;

/// Finds the fronts of a symmetric pattern in compressed rows, columns sorted, diagonal present.
pub(super) fn fronts(offsets: &[usize], columns: &[u32]) -> Fronts {
    let n = offsets.len() - 1;
    let (groups, group_of) = groups(offsets, columns);
    let (order, structure) = eliminate(offsets, columns, &groups, &group_of);
    let mut place = vec![0usize; groups.len()];
    order.iter().enumerate().for_each(|(k, &g)| place[g as usize] = k);
    let weight = |g: usize| groups[g].len();

    // supernodes: pivots of merged groups in order, children that stay fronts of their own
    let mut pivots: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    let mut size = vec![[0usize; 2]; groups.len()];
    let mut roots = Vec::new();
    for &g in &order {
        let g = g as usize;
        let rest: usize = structure[g].iter().map(|&h| weight(h as usize)).sum();
        let (mut own, mut kept, mut first) = (weight(g), Vec::new(), Vec::new());
        for c in std::mem::take(&mut children[g]) {
            let [np, nr] = size[c as usize];
            let zeros = np * (own + rest - nr);
            if zeros * ZEROS <= (np + own) * (np + own + rest) {
                own += np;
                first.append(&mut pivots[c as usize]);
                kept.append(&mut children[c as usize]);
            } else {
                kept.push(c);
            }
        }
        first.push(g as u32);
        (pivots[g], children[g], size[g]) = (first, kept, [own, rest]);
        match structure[g].iter().min_by_key(|&&h| place[h as usize]) {
            Some(&parent) => children[parent as usize].push(g as u32),
            None => roots.push(g as u32),
        }
    }

    // children before parents
    let mut stack: Vec<(u32, bool)> = roots.iter().rev().map(|&g| (g, false)).collect();
    let mut result = Fronts::default();
    let mut front_of = vec![u32::MAX; n];
    while let Some((g, seen)) = stack.pop() {
        let own = g as usize;
        if !seen {
            stack.push((g, true));
            stack.extend(children[own].iter().rev().map(|&c| (c, false)));
            continue;
        }
        let start = result.nodes.len();
        for &p in &pivots[own] {
            for &node in &groups[p as usize] {
                front_of[node as usize] = result.fronts.len() as u32;
                result.nodes.push(node);
            }
        }
        let mut later: Vec<u32> = structure[own].clone();
        later.sort_unstable_by_key(|&h| place[h as usize]);
        later.iter().for_each(|&h| result.nodes.extend_from_slice(&groups[h as usize]));
        let [np, nr] = size[own];
        result.fronts.push(Front { start, pivots: np, rest: nr, children: children[own].len(), ..Front::default() });
    }
    result.connect(offsets, columns, &front_of);
    result.room = result.count_room();
    result
}

/// Multiplications that the elimination of a pattern of blocks of `dim` takes, without carrying it out.
pub(super) fn operations(offsets: &[usize], columns: &[u32], dim: usize) -> f64 {
    let (groups, group_of) = groups(offsets, columns);
    let (order, structure) = eliminate(offsets, columns, &groups, &group_of);
    let sizes = order.iter().map(|&g| {
        let rest: usize = structure[g as usize].iter().map(|&h| groups[h as usize].len()).sum();
        ((groups[g as usize].len() * dim) as f64, (rest * dim) as f64)
    });
    sizes.map(|(own, rest)| own * (own * own / 3.0 + own * rest + rest * rest)).sum()
}

impl Fronts {
    /// Counts the room that elimination takes.
    fn count_room(&self) -> [usize; 3] {
        let (mut factors, mut front, mut most) = (0, 0, 0);
        let (mut waiting, mut held) = (Vec::new(), 0);
        for &Front { pivots, rest, children, .. } in &self.fronts {
            for _ in 0..children {
                held -= waiting.pop().unwrap_or(0);
            }
            held += rest * rest;
            waiting.push(rest * rest);
            factors += pivots * (pivots + 2 * rest);
            front = front.max((pivots + rest).pow(2));
            most = most.max(held);
        }
        [factors, front, most]
    }

    /// Places of the rest of each front in its parent, and of the entries of the matrix in their fronts.
    fn connect(&mut self, offsets: &[usize], columns: &[u32], front_of: &[u32]) {
        let mut at = vec![u32::MAX; front_of.len()];
        let mut waiting: Vec<usize> = Vec::new();
        for f in 0..self.fronts.len() {
            let Front { start, pivots, rest, children, .. } = self.fronts[f];
            for (k, &node) in self.nodes[start..start + pivots + rest].iter().enumerate() {
                at[node as usize] = k as u32;
            }
            for child in waiting.split_off(waiting.len() - children) {
                let Front { start, pivots, rest, .. } = self.fronts[child];
                self.fronts[child].relative = self.relative.len();
                let places = self.nodes[start + pivots..start + pivots + rest].iter().map(|&node| at[node as usize]);
                self.relative.extend(places);
            }
            waiting.push(f);
            let first = self.entries.len();
            for k in 0..pivots {
                let i = self.nodes[start + k] as usize;
                for e in offsets[i]..offsets[i + 1] {
                    let j = columns[e] as usize;
                    if front_of[j] < f as u32 {
                        continue;
                    }
                    self.entries.push([e as u32, k as u32, at[j]]);
                    if front_of[j] > f as u32 {
                        let row = &columns[offsets[j]..offsets[j + 1]];
                        let across = offsets[j] + row.partition_point(|&c| (c as usize) < i);
                        self.entries.push([across as u32, at[j], k as u32]);
                    }
                }
            }
            self.fronts[f].entries = [first, self.entries.len()];
        }
    }
}

/// Nodes with the same closed neighbourhood, together.
fn groups(offsets: &[usize], columns: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let n = offsets.len() - 1;
    let row = |i: u32| &columns[offsets[i as usize]..offsets[i as usize + 1]];
    let mix = |j: u32| (u64::from(j) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let mut keyed: Vec<(u64, u32)> =
        (0..n as u32).map(|i| (row(i).iter().fold(0u64, |sum, &j| sum.wrapping_add(mix(j))), i)).collect();
    keyed.sort_unstable();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut group_of = vec![0u32; n];
    for (k, &(key, i)) in keyed.iter().enumerate() {
        let same = k > 0 && keyed[k - 1].0 == key && row(keyed[k - 1].1) == row(i);
        match groups.last_mut() {
            Some(last) if same => last.push(i),
            _ => groups.push(vec![i]),
        }
        group_of[i as usize] = groups.len() as u32 - 1;
    }
    (groups, group_of)
}

/// Order of least degree, and what each group is coupled to when it goes.
fn eliminate(offsets: &[usize], columns: &[u32], groups: &[Vec<u32>], group_of: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let count = groups.len();
    let mut mark = vec![u32::MAX; count];
    let mut around: Vec<Vec<u32>> = Vec::with_capacity(count);
    for (g, nodes) in groups.iter().enumerate() {
        let mut list = Vec::new();
        mark[g] = g as u32;
        let i = nodes[0] as usize;
        for &j in &columns[offsets[i]..offsets[i + 1]] {
            let h = group_of[j as usize];
            if mark[h as usize] != g as u32 {
                mark[h as usize] = g as u32;
                list.push(h);
            }
        }
        around.push(list);
    }
    let degree = |list: &[u32]| list.iter().map(|&h| groups[h as usize].len()).sum::<usize>();
    let mut heap: BinaryHeap<Reverse<(usize, u32)>> =
        around.iter().enumerate().map(|(g, list)| Reverse((degree(list), g as u32))).collect();
    let mut known: Vec<usize> = around.iter().map(|list| degree(list)).collect();
    let mut gone = vec![false; count];
    let (mut order, mut structure) = (Vec::with_capacity(count), vec![Vec::new(); count]);
    mark.fill(u32::MAX);
    let mut stamp = 0u32;
    while let Some(Reverse((d, g))) = heap.pop() {
        let own = g as usize;
        if gone[own] || d != known[own] {
            continue;
        }
        gone[own] = true;
        order.push(g);
        let list = std::mem::take(&mut around[own]);
        for &h in &list {
            let other = h as usize;
            around[other].retain(|&x| x != g);
            around[other].iter().for_each(|&x| mark[x as usize] = stamp);
            mark[other] = stamp;
            let fresh = list.iter().copied().filter(|&x| mark[x as usize] != stamp);
            around[other].extend(fresh);
            stamp += 1;
            let now = degree(&around[other]);
            if now != known[other] {
                known[other] = now;
                heap.push(Reverse((now, h)));
            }
        }
        structure[own] = list;
    }
    (order, structure)
}
