//! Where a place is above a facet of a deforming surface.

use super::skin::{SMOOTH, Skin};
use super::source::Placed;
use super::{Vector, plane, space};
use crate::mesh::NodeId;

/// Share of a facet within which a foot counts as at its end.
pub(super) const LEVEL: f64 = 1e-9;

/// The foot of a place on a facet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Foot {
    /// Weights of the facet's nodes.
    pub weights: [f64; 4],
    /// Unit normal out of the body.
    pub normal: Vector,
    /// Distance along it, negative inside.
    pub gap: f64,
    /// First and last node of the edge that the foot lies on (twice the same: a node), if the surface is smooth there: the
    /// facets beside it have the same foot.
    pub shared: Option<[u32; 2]>,
}

impl Foot {
    /// The foot of `x`, if the place is above the facet. Inside a body, beyond a concave corner, where no facet is above the
    /// place, those that meet there count, to the distance `beyond`.
    pub(super) fn of(skin: &Skin, facet: u32, x: Vector, beyond: f64, at: &impl Placed) -> Option<Self> {
        if skin.facets[facet as usize].nodes().len() == 2 {
            plane::foot(skin, facet, x, beyond, at)
        } else {
            space::foot(skin, facet, x, beyond, at)
        }
    }

    /// Whether two feet on facets with these nodes are one place of an edge or a node that both facets have.
    pub(super) fn is_at_rim_of(&self, other: &Foot, nodes: [&[NodeId]; 2]) -> bool {
        let carried = |foot: &Foot, nodes: &[NodeId], node: &NodeId| {
            nodes.iter().position(|n| n == node).is_some_and(|k| foot.weights[k] > LEVEL)
        };
        let most = if nodes[0].len() == 2 { 1 } else { 2 };
        self.weights.iter().filter(|w| **w > LEVEL).count() <= most
            && nodes.into_iter().flatten().all(|node| carried(self, nodes[0], node) == carried(other, nodes[1], node))
    }

    /// The same place seen along the mean of the two surfaces' normals, so that neither side is preferred; `outward` is that
    /// of the slave. In the plane the foot moves along the segment, so that force and gap stay in one line.
    pub(super) fn between(&self, skin: &Skin, facet: u32, outward: Vector, at: &impl Placed) -> Self {
        let own = skin.normal(facet, at);
        let Some(normal) = (self.normal - outward).try_normalize(0.0) else { return *self };
        let slope = normal.dot(&own);
        if slope < 0.5 {
            return *self;
        }
        // the height above the facet's plane is the same along either normal
        let gap = self.gap * self.normal.dot(&own) / slope;
        let mut weights = self.weights;
        if let [a, b] = skin.facets[facet as usize].nodes() {
            let along = at.position(skin.body, b.index()) - at.position(skin.body, a.index());
            let share = (self.gap * self.normal - gap * normal).dot(&along) / along.norm_squared();
            weights = [weights[0] - share, weights[1] + share, 0.0, 0.0];
        }
        Foot { weights, normal, gap, ..*self }
    }
}

/// How deep a place lies inside a surface, and the way out: nothing if the facet it is nearest to has it in front or on it.
pub fn depth(skin: &Skin, x: Vector, at: &impl Placed) -> Option<(f64, Vector)> {
    let feet = (0..skin.facets.len() as u32).filter_map(|facet| Foot::of(skin, facet, x, f64::INFINITY, at));
    let nearest = feet.min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()))?;
    (nearest.gap < 0.0).then_some((-nearest.gap, nearest.normal))
}

/// The same through a face that looks in a given direction, to 45° of it.
pub fn depth_towards(skin: &Skin, x: Vector, direction: Vector, at: &impl Placed) -> Option<(f64, Vector)> {
    let feet = (0..skin.facets.len() as u32).filter_map(|facet| Foot::of(skin, facet, x, f64::INFINITY, at));
    let there = feet.filter(|foot| foot.normal.dot(&direction) >= SMOOTH);
    let nearest = there.min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()))?;
    (nearest.gap < 0.0).then_some((-nearest.gap, nearest.normal))
}
