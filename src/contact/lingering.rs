//! Points that come and go within the iterations of a step.

use super::detection::{ContactPoint, Level};

/// Beside an edge of an obstacle a node may be held by a face in one iteration and by nothing in the next,
/// where the edge across a side of the body holds instead and lets the node in again. Once a step has converged with something
/// inside, points that carried load stay although they are not found again: together they hold what each alone lets go. They
/// are left with the step.
#[derive(Debug, Clone, Default)]
pub(super) struct Lingering {
    /// Points with their gap at the start of the step.
    points: Vec<(ContactPoint, f64)>,
}

impl Lingering {
    /// Notes the points of the last iteration that carried load.
    pub(super) fn note(&mut self, points: &[ContactPoint], r: &[f64], gap_at_start: &[f64]) {
        let dim = r.len() / points.len().max(1);
        let held = points.iter().zip(r.chunks_exact(dim.max(1))).zip(gap_at_start);
        let held = held.filter(|((point, r), _)| point.level == Level::Position && r[0] > 0.0);
        self.points.extend(held.map(|((point, _), gap)| (*point, *gap)));
    }

    /// Adds those that were not found again; [`Lingering::gap_at_start`] says where they started.
    pub(super) fn join(&mut self, points: &mut Vec<ContactPoint>) {
        self.points.retain(|(point, _)| points.iter().all(|found| found.identity != point.identity));
        points.extend(self.points.iter().map(|(point, _)| *point));
    }

    /// Gap at the start of the step of number `k` of those that stay.
    pub(super) fn gap_at_start(&self, k: usize) -> f64 {
        self.points[k].1
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.points.clear();
    }
}
