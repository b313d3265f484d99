//! The two sides of a thin part. A node that is behind a facet has either come through it within the step, or it is outside, in front
//! of the other side of a sheet, and has nothing to do with that facet. Where it is now does not tell: a fast node that went right
//! through a sheet is in front of its other side too. Where it was at the start of the step does: nothing was inside then, so a node
//! that was behind the plane of a facet did not come through it.
//!
//! On a convex surface a node that comes in at an angle, or slides from one facet to the next, was behind the plane of the next, too:
//! there it was in front of a facet from which the surface goes on smoothly, or no sheet lies between it and its foot.

use super::super::foot::Foot;
use super::super::skin::{SMOOTH, Skin};
use super::super::source::Placed;
use super::super::{ContactPoint, Vector};
use super::{EDGES, Pass};

/// Cosine of the angle between the normals of two facets from which they are the two sides of a sheet or a wedge.
const OPPOSITE: f64 = -0.5;

/// A facet near a node at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    facet: u32,
    /// Height of the node above its plane.
    height: f64,
    normal: Vector,
    /// Whether the node is in front of it, or of one from which the surface goes on smoothly to it.
    reached: bool,
}

impl Skin {
    /// Height of a place above the plane of a facet, and its normal.
    fn height(&self, facet: u32, x: Vector, at: &impl Placed) -> (f64, Vector) {
        let (nodes, normal) = (self.facets[facet as usize].nodes(), self.normal(facet, at));
        let middle = nodes.iter().map(|n| at.position(self.body, n.index())).sum::<Vector>() / nodes.len() as f64;
        (normal.dot(&(x - middle)), normal)
    }

    fn share_a_node(&self, one: u32, other: u32) -> bool {
        let others = self.facets[other as usize].nodes();
        self.facets[one as usize].nodes().iter().any(|node| others.contains(node))
    }
}

impl Pass {
    /// At the start of a step: notes the pairs in which the node is behind the facet, and not in front of one from which the surface
    /// goes on smoothly to it.
    pub(super) fn note_sides(&mut self, skins: &[Skin], at: &impl Placed) {
        let mut around = std::mem::take(&mut self.around);
        self.behind.clear();
        for group in self.near.chunk_by(|a, b| a.0 == b.0) {
            let k = group[0].0;
            let (slave, master) = (&skins[self.slave], &skins[self.master]);
            let x = at.position(slave.body, slave.nodes[k as usize] as usize);
            around.clear();
            around.extend(group.iter().map(|&(_, facet)| {
                let (height, normal) = master.height(facet, x, at);
                Beside { facet, height, normal, reached: false }
            }));
            if around.iter().all(|beside| beside.height >= -self.slack) {
                continue;
            }
            self.reach_out(master, x, &mut around, at);
            let passed = self.through.binary_search_by_key(&k, |t| t.0).ok().map(|t| self.through[t].1);
            let is_behind = |b: &&Beside| b.height < -self.slack && !b.reached && passed != Some(b.facet);
            self.behind.extend(around.iter().filter(is_behind).map(|b| (k, b.facet)));
        }
        self.around = around;
    }

    /// Marks the facets that a place is in front of, and those that go on smoothly from them.
    fn reach_out(&self, master: &Skin, x: Vector, around: &mut [Beside], at: &impl Placed) {
        for beside in around.iter_mut().filter(|beside| beside.height >= -self.slack) {
            let foot = Foot::of(master, beside.facet, x, 0.0, at);
            beside.reached = foot.is_some_and(|foot| foot.gap >= -self.slack);
        }
        let mut goes_on = around.iter().any(|beside| beside.reached);
        while goes_on {
            goes_on = false;
            for i in 0..around.len() {
                let Beside { facet, normal, .. } = around[i];
                let leads_here =
                    |b: &Beside| b.reached && b.normal.dot(&normal) >= SMOOTH && master.share_a_node(b.facet, facet);
                if !around[i].reached && around.iter().any(leads_here) {
                    (around[i].reached, goes_on) = (true, true);
                }
            }
        }
    }

    /// Whether the node in place `k`, behind a facet, is in front of the other side of the part and did not come through it within
    /// the step. Of a body against itself the other side is the node's own.
    pub(super) fn is_beyond(&self, skins: &[Skin], at: &impl Placed, (k, facet): (u32, u32), foot: &Foot) -> bool {
        if self.behind.binary_search(&(k, facet)).is_err() {
            return false;
        }
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        if slave.body == master.body {
            return true;
        }
        let x = at.position(slave.body, slave.nodes[k as usize] as usize);
        self.lies_between(master, at, self.facets.iter().copied(), facet, [x, x - foot.gap * foot.normal])
    }

    /// Whether the plane of one of these facets, of the other side of a sheet, lies between a place in front of it and its foot on a facet.
    fn lies_between(
        &self,
        master: &Skin,
        at: &impl Placed,
        mut facets: impl Iterator<Item = u32>,
        facet: u32,
        [x, foot]: [Vector; 2],
    ) -> bool {
        let own = master.normal(facet, at);
        facets.any(|other| {
            let (height, normal) = master.height(other, x, at);
            normal.dot(&own) < OPPOSITE && height >= -self.slack && height + normal.dot(&(foot - x)) < 0.0
        })
    }

    /// How deep a point that was found is inside, where a step has ended and what went through a sheet within it was sent back: nothing
    /// if the node is in front of the other side.
    pub(super) fn true_depth(&self, skins: &[Skin], at: &impl Placed, point: &ContactPoint) -> f64 {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        if point.identity.pass == EDGES {
            return self.allowed((point.identity.first, point.identity.second)) - point.gap;
        }
        let known = slave.place_of(point.identity.first);
        let Some(k) = known.filter(|_| point.gap < -self.slack) else { return -point.gap };
        let from = self.near.partition_point(|pair| pair.0 < k as u32);
        let near = self.near[from..].iter().take_while(|pair| pair.0 == k as u32).map(|pair| pair.1);
        let x = at.position(slave.body, point.identity.first as usize);
        let foot = x - point.gap * point.frame[0];
        if self.lies_between(master, at, near, point.identity.second, [x, foot]) { 0.0 } else { -point.gap }
    }
}
