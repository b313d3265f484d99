//! What keeps the iterations of a step from settling on their contacts, and what helps.
//!
//! Places of contact swing: a linearised step keeps the place and the normal of every contact; where a ball presses on a
//! facet, the facet then tilts, and the place moves by `R` times the tilt, towards the side that rose. The tangent knows nothing
//! of that, so the next iteration presses that side down too far: where `r R` is more than the facet's resistance to tilting, each
//! iteration lands farther on the other side than the last one. Half-way between the place that was used and the one found
//! settles it.

use super::detection::{Anchor, ContactPoint, Identity, Level, Vector};

/// Follows the places of contact over the iterations of a step; keeps its memory between calls.
#[derive(Debug, Clone)]
pub(super) struct Settling {
    /// Places and normals used in the last iteration, sorted.
    last: Vec<(Identity, Anchor, Vector)>,
    /// Largest change of a place in the last iteration, as a share of a facet.
    moved: f64,
    swings: bool,
}

impl Default for Settling {
    fn default() -> Self {
        Settling { last: Vec::new(), moved: f64::INFINITY, swings: false }
    }
}

impl Settling {
    /// Places that come nearer to each other by less than this factor in an iteration do not settle by themselves.
    const SLOW: f64 = 0.5;

    /// Changes of a place, as a share of a facet, that are too small to matter: they leave a gap of the order of their square.
    const STILL: f64 = 1e-9;

    /// A new step.
    pub(super) fn begin(&mut self) {
        self.last.clear();
        self.moved = f64::INFINITY;
        self.swings = false;
    }

    /// Takes the places found for the current iterate; where they swing, moves them half-way back to those of the last one. The
    /// gaps stay as found, so that the places that settle are exact.
    pub(super) fn settle(&mut self, points: &mut [ContactPoint]) {
        let last = &self.last;
        let before = |point: &ContactPoint| {
            let k = last.binary_search_by_key(&point.identity, |(identity, _, _)| *identity).ok()?;
            Some((last[k].1, last[k].2))
        };
        let change = |point: &ContactPoint| before(point).map_or(0.0, |(anchor, _)| point.anchor.distance(&anchor));
        let moved = points.iter().filter(|p| follows(p)).map(change).fold(0.0, f64::max);
        self.swings |= moved > Self::STILL && moved > Self::SLOW * self.moved;
        self.moved = if moved > 0.0 { moved } else { f64::INFINITY };
        if self.swings {
            for point in points.iter_mut().filter(|p| follows(p)) {
                if let Some((anchor, normal)) = before(point) {
                    point.anchor = point.anchor.halfway(&anchor);
                    turn(point, normal);
                }
            }
        }
        self.last.clear();
        self.last.extend(points.iter().filter(|p| follows(p)).map(|p| (p.identity, p.anchor, p.frame[0])));
        self.last.sort_unstable_by_key(|(identity, _, _)| *identity);
    }
}

/// Whether the place of a point depends on how the body lies: a curved obstacle on a facet or an edge.
fn follows(point: &ContactPoint) -> bool {
    matches!(point.identity.pass, 3 | 4) && point.level == Level::Position && point.other.is_none()
}

/// Turns the frame of a point so that its normal is half-way to another one.
fn turn(point: &mut ContactPoint, normal: Vector) {
    let Some(n) = (point.frame[0] + normal).try_normalize(0.0) else { return };
    let across = |t: Vector| (t - n * n.dot(&t)).try_normalize(0.0);
    let Some(t1) = across(point.frame[1]) else { return };
    let Some(t2) = across(point.frame[2] - t1 * t1.dot(&point.frame[2])) else { return };
    point.frame = [n, t1, t2];
    point.start = point.frame.map(|axis| -axis.dot(&point.wall));
}

/// Points that come and go. Beside an edge of an obstacle a node may be held by a face in one iteration and by nothing in the next,
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
