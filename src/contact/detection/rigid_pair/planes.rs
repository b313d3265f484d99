//! Two solid boxes: the planes between them say whether they overlap, and where none of their features was found they hold them.

use super::super::crossing::Crossed;
use super::super::motion::Moment;
use super::{ContactPoint, Feature, RigidPair, Side};
use crate::geometry::Block;
use crate::geometry::separation::{Features, Placed, Separation, separation};
use crate::geometry::{AnyShape, Obstacle, Touch};

/// Whether a shape is a box with its solid inside.
pub(super) fn is_solid_box(obstacle: &Obstacle) -> bool {
    matches!(&obstacle.shape, AnyShape::Block(block) if !block.inside)
}

impl RigidPair {
    /// How two solid boxes are apart.
    pub(super) fn separation(&self, moment: Moment) -> Option<Separation> {
        if !self.boxes {
            return None;
        }
        let placed = |side: &Side| Placed::of(|k| side.at(moment).pose.place(side.corners[k].point));
        Some(separation(&[placed(&self.sides[0]), placed(&self.sides[1])]))
    }

    /// Holds two boxes apart that overlap where neither a corner nor a crossing of edges was found that deep.
    pub(super) fn overlooked(&mut self, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let Some(between) = self.separation(moment) else { return };
        let seen = out[first..].iter().any(|p| p.gap <= 0.5 * between.gap);
        let same = self.overlooked.is_some_and(|features| features.is_like(&between.features));
        if between.gap > self.reach || between.gap < -self.depth {
            self.overlooked = None;
            return;
        }
        if !(same || between.gap < -Self::OVERLAP * self.size && !seen) {
            return;
        }
        let there = self.sides[1].at(moment);
        let point = match between.features {
            Features::Corner { slave, corner, axis, upper } => {
                let (side, master) = (&self.sides[slave], &self.sides[1 - slave]);
                let normal = if slave == 0 { between.normal } else { -between.normal };
                let normal = master.at(moment).pose.own_direction(normal);
                let feature = Block::face(axis, upper);
                let touch = Touch { normal, gap: between.gap, feature, sharp: false };
                let (number, core, normals) = (corner as u32, side.corners[corner].point, &[][..]);
                self.point(slave, &Feature { number, core, radius: 0.0, normals, material: true }, &touch, moment)
            }
            Features::Edges { edges, place } => {
                let (place, normal) = (there.pose.own(place), there.pose.own_direction(between.normal));
                self.edge_point(&Crossed { edges, place, normal, gap: between.gap }, moment)
            }
        };
        self.overlooked = Some(between.features);
        if let Some(point) = point
            && !out[first..].iter().any(|p| p.identity == point.identity || self.repeats(p, &point))
        {
            out.push(point);
        }
    }

    /// Share of its size from which boxes count as overlapping.
    const OVERLAP: f64 = 1e-10;
}
