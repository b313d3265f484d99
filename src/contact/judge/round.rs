//! A surface against a shape with a distance of its own.

use super::caught::weights;
use super::couple::{SAGS, Seen};
use super::hull::Hull;
use super::{Bounded, Feature, Finding, Terms};
use crate::contact::detection::{Level, Obstacle, Pose, Vector};

/// A surface and a shape, by their numbers.
pub(super) struct Against<'a> {
    pub numbers: [usize; 2],
    pub hull: &'a Hull,
    pub obstacle: &'a Obstacle,
    /// From rest to where the obstacle is at the start and at the end.
    pub poses: [Pose; 2],
    pub terms: &'a Terms,
    /// Half the obstacle's least width.
    pub half_width: f64,
}

/// Share of half the width by which the way of a node may lead into the obstacle and out again: a chord of what slides round it.
const CHORD: f64 = 0.2;

impl Against<'_> {
    fn distance(&self, moment: usize, x: &Vector) -> f64 {
        self.obstacle.distance(self.poses[moment].own(*x))
    }

    /// Half-spaces, and containers, in which the chord of a facet lies if its nodes do.
    fn asks_nodes_only(&self) -> bool {
        !self.obstacle.is_curved() || self.obstacle.is_container()
    }

    pub(super) fn look(&self) -> Seen {
        let mut seen = Seen::default();
        let hull = self.hull;
        let declared = |facet: &u32| self.terms.sets[0].as_ref().is_none_or(|set| set[*facet as usize]);
        for point in (0..hull.numbers.len() as u32).filter(|point| hull.around(*point).iter().any(declared)) {
            let x = hull.points[1][point as usize];
            let feature = Feature::Node(hull.numbers[point as usize]);
            let began = || -self.distance(0, &hull.points[0][point as usize]);
            self.weigh(feature, Bounded::NODES, -self.distance(1, &x), x, began, &mut seen);
            let (chord, place) = (self.chord(point), hull.points[0][point as usize]);
            if chord > CHORD * self.half_width {
                seen.findings.push(self.finding(feature, chord, place, true, false));
            }
        }
        if self.asks_nodes_only() {
            return seen;
        }
        for facet in (0..hull.facet_count() as u32).filter(declared) {
            let (mut deepest, mut place, mut within) = (0.0, Vector::zeros(), None);
            for piece in hull.pieces(facet) {
                if let Some((depth, x)) = self.within(1, piece).filter(|found| found.0 > deepest) {
                    (deepest, place, within) = (depth, x, Some(piece));
                }
            }
            deepest -= SAGS * hull.warp(1, facet);
            if let Some(piece) = within
                && deepest > Bounded::EDGES * hull.size
                && self.terms.level == Level::Position
            {
                let shares = weights(hull.dim, &place, &hull.corners(1, piece));
                seen.places.push(hull.in_piece(facet, piece, shares));
            }
            let began = || {
                let pieces = hull.pieces(facet).iter().filter_map(|piece| self.within(0, piece));
                pieces.map(|found| found.0).fold(0.0, f64::max) - SAGS * hull.warp(0, facet)
            };
            self.weigh(Feature::Facet(facet), Bounded::EDGES, deepest, place, began, &mut seen);
        }
        seen
    }

    /// How deep a piece is inside between its corners at the deepest place, if it can be.
    fn within(&self, moment: usize, piece: &[u32; 3]) -> Option<(f64, Vector)> {
        let pose = &self.poses[moment];
        let corners = self.hull.corners(moment, piece).map(|x| pose.own(x));
        let middle = corners.iter().sum::<Vector>() / 3.0;
        let radius = corners.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
        if self.obstacle.distance(middle) > radius {
            return None;
        }
        let (least, place) = self.obstacle.least_distance(&corners);
        (least < 0.0).then(|| (-least, pose.place(place)))
    }

    /// How deep the straight way of a point leads into the obstacle, as the obstacle sees it.
    fn chord(&self, point: u32) -> f64 {
        if !self.half_width.is_finite() || self.asks_nodes_only() {
            return 0.0;
        }
        let [a, b] = [0, 1].map(|moment: usize| self.poses[moment].own(self.hull.points[moment][point as usize]));
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a).norm());
        // both ends are outside
        if half <= CHORD * self.half_width || self.obstacle.distance(middle) > half {
            return 0.0;
        }
        -self.obstacle.least_distance(&[a, b, b]).0
    }

    fn weigh(&self, feature: Feature, bound: f64, depth: f64, place: Vector, began: impl Fn() -> f64, seen: &mut Seen) {
        let size = self.hull.size;
        // what coordinates cannot tell apart
        let digits = 64.0 * f64::EPSILON * place.amax();
        if depth <= digits {
            return;
        }
        if depth > seen.depth {
            seen.depth = depth;
            seen.deepest = Some(self.finding(feature, depth, place, false, false));
        }
        if depth <= Bounded::ROUNDING * size {
            return;
        }
        seen.crossings += 1;
        if depth <= bound * size {
            return;
        }
        seen.beyond = true;
        let by_method = self.terms.level != Level::Position && depth <= self.half_width;
        if by_method || depth > began().max(0.0) + Bounded::ROUNDING * size {
            seen.findings.push(self.finding(feature, depth, place, false, by_method));
        }
    }

    fn finding(&self, feature: Feature, depth: f64, place: Vector, through: bool, by_method: bool) -> Finding {
        Finding { surfaces: self.numbers, feature, facet: 0, depth, place, through, by_method }
    }
}
