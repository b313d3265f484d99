//! Bodies that go through an obstacle within a step, at their nodes or between them.

use super::Vector;
use super::motion::Moment;
use super::zone::{Level, Zone};
use crate::bodies::Deformable;
use crate::geometry::Passage;

impl Zone {
    /// Way, as a share of half the obstacle's width, beyond which a step may lead to its other side unseen.
    const FAST: f64 = 0.25;

    /// Way between two looks, as a share of that: rims are seen down to half of it (`Revolved::support_depth`), so that no look leads from
    /// above the limits below to beyond.
    const APART: f64 = 0.2;

    /// Depth on the way, as a share of that, beyond which the body goes through: what slides round a curved obstacle by its radius has a
    /// chord of an eighth of it. At the other levels steps may end inside, this much deeper than they begin.
    const THROUGH: [f64; 2] = [0.2, 0.25];

    /// Whether the body goes through the obstacle on the way from the start of the step to its end.
    pub fn passes_through(&mut self, body: &Deformable, u0: &[f64], u1: &[f64]) -> bool {
        let width = self.half_width;
        if !width.is_finite() || !self.is_near() {
            return false;
        }
        let (before, after) = (self.seen(body, u0, Moment::Start), self.seen(body, u1, Moment::End));
        let way = |&node: &u32| (after.position(node as usize) - before.position(node as usize)).norm_squared();
        let farthest = self.nodes.iter().map(way).fold(0.0, f64::max).sqrt();
        let passage = Passage {
            way: farthest,
            seen: Self::FAST * width,
            apart: Self::APART * width,
            deeper: Self::THROUGH[usize::from(self.level != Level::Position)] * width,
        };
        let middle = self.obstacle.enclosing_ball().map_or_else(Vector::zeros, |(centre, _)| centre);
        let (start, end) = (before.pose, after.pose);
        let mut between = Vec::new();
        passage.leads_through(|share| {
            between.clear();
            between.extend(u0.iter().zip(u1).map(|(u0, u1)| u0 + share * (u1 - u0)));
            self.penetration_at(body, &between, start.between(&end, middle, share))
        })
    }
}
