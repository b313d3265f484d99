//! A tree of axis-parallel boxes: which of many things are near a place, without asking each. Split at the median of the
//! longest side, so its depth is that of a balanced tree whatever is put in; the same boxes always give the same tree.
//!
//! Ours, since every iteration refits: of 20 000 triangles of a sphere it is built in 3.4 ms and refitted in 0.05 ms, that of parry 0.31
//! (`partitioning::Bvh`, binned) in 6.2 and 0.24 ms. parry finds the 132 818 pairs with a second such sphere faster: box by box in 5.0 ms
//! against 6.4, tree against tree in 3.0 (one core, the best of 25 each).

use super::Vector;

/// An axis-parallel box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub low: Vector,
    /// Upper corner.
    pub high: Vector,
}

impl Bounds {
    /// The box that holds nothing.
    pub fn empty() -> Self {
        Bounds { low: Vector::repeat(f64::INFINITY), high: Vector::repeat(f64::NEG_INFINITY) }
    }

    /// The box around what has no end.
    pub fn endless() -> Self {
        // finite, so that its middle is a number
        Bounds { low: Vector::repeat(-1e300), high: Vector::repeat(1e300) }
    }

    /// The smallest box around some points.
    pub fn around(points: impl IntoIterator<Item = Vector>) -> Self {
        points.into_iter().fold(Self::empty(), |b, p| Bounds { low: b.low.inf(&p), high: b.high.sup(&p) })
    }

    /// Larger by `margin` on every side.
    pub fn inflated(&self, margin: f64) -> Self {
        Bounds { low: self.low.add_scalar(-margin), high: self.high.add_scalar(margin) }
    }

    fn join(&self, other: &Bounds) -> Self {
        Bounds { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Whether two boxes have a point in common.
    pub fn meets(&self, other: &Bounds) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }

    /// Squared distance of a point from the box.
    fn distance_squared(&self, x: &Vector) -> f64 {
        (0..3).map(|i| (self.low[i] - x[i]).max(x[i] - self.high[i]).max(0.0).powi(2)).sum()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    bounds: Bounds,
    /// First item of a leaf; second child of a branch, whose first child is the next node.
    link: u32,
    /// Items of a leaf; 0 in a branch.
    count: u32,
}

/// The tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

/// Items of a leaf at most.
const LEAF: usize = 4;
/// Open branches during a walk: the depth of a balanced tree over 2³² items.
const DEEPEST: usize = 64;

impl Bvh {
    /// Over boxes, numbered by their order.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Bvh::default();
        tree.build(boxes);
        tree
    }

    /// Anew over boxes, in the memory it has.
    pub fn build(&mut self, boxes: &[Bounds]) {
        self.nodes.clear();
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.split(boxes, 0, boxes.len());
        }
    }

    fn split(&mut self, boxes: &[Bounds], start: usize, end: usize) {
        let middle = |k: &u32| 0.5 * (boxes[*k as usize].low + boxes[*k as usize].high);
        let part = &mut self.items[start..end];
        let bounds = part.iter().fold(Bounds::empty(), |b, k| b.join(&boxes[*k as usize]));
        let here = self.nodes.len();
        if part.len() <= LEAF {
            self.nodes.push(Node { bounds, link: start as u32, count: part.len() as u32 });
            return;
        }
        let spread = Bounds::around(part.iter().map(middle));
        let axis = (spread.high - spread.low).imax();
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(b)));
        self.nodes.push(Node { bounds, link: 0, count: 0 });
        self.split(boxes, start, start + half);
        self.nodes[here].link = self.nodes.len() as u32;
        self.split(boxes, start + half, end);
    }

    /// Takes over new boxes of the same things; the tree keeps its shape.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at].bounds = if node.count > 0 {
                let first = node.link as usize;
                let items = &self.items[first..first + node.count as usize];
                items.iter().fold(Bounds::empty(), |b, k| b.join(&boxes[*k as usize]))
            } else {
                self.nodes[at + 1].bounds.join(&self.nodes[node.link as usize].bounds)
            };
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The box around everything.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or_else(Bounds::empty, |root| root.bounds)
    }

    /// Sum of the sides of all its boxes: how well they keep things apart.
    pub fn size(&self) -> f64 {
        self.nodes.iter().map(|node| (node.bounds.high - node.bounds.low).sum()).sum()
    }

    /// Calls `each` with the number of every thing whose leaf meets the box: all whose own box does, and perhaps some more.
    pub fn query(&self, bounds: &Bounds, mut each: impl FnMut(u32)) {
        let mut open = [0u32; DEEPEST];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let at = open[count];
            let node = &self.nodes[at as usize];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if node.count > 0 {
                let first = node.link as usize;
                self.items[first..first + node.count as usize].iter().for_each(|k| each(*k));
            } else {
                open[count] = node.link;
                open[count + 1] = at + 1;
                count += 2;
            }
        }
    }

    /// The smallest value of `distance_squared` over all things, which must be no less than that to their boxes.
    pub fn nearest(&self, x: &Vector, mut distance_squared: impl FnMut(u32) -> f64) -> f64 {
        let mut best = f64::INFINITY;
        let mut open = [0u32; DEEPEST];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let at = open[count];
            let node = &self.nodes[at as usize];
            if node.bounds.distance_squared(x) >= best {
                continue;
            }
            if node.count > 0 {
                let first = node.link as usize;
                let items = &self.items[first..first + node.count as usize];
                best = items.iter().fold(best, |best, k| best.min(distance_squared(*k)));
            } else {
                // the nearer child is looked at first
                let far = |n: u32| self.nodes[n as usize].bounds.distance_squared(x);
                let (a, b) = (at + 1, node.link);
                (open[count], open[count + 1]) = if far(a) <= far(b) { (b, a) } else { (a, b) };
                count += 2;
            }
        }
        best
    }
}
