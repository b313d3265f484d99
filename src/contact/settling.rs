//! What keeps the iterations of a step from settling on their contacts, and what helps.
//!
//! Places of contact swing: a linearised step keeps the place and the normal of every contact; where a ball presses on a
//! facet, the facet then tilts, and the place moves by `R` times the tilt, towards the side that rose. The tangent knows nothing
//! of that, so the next iteration presses that side down too far: where `r R` is more than the facet's resistance to tilting, each
//! iteration lands farther on the other side than the last one. A share `ω` of the way from the place that was used to the
//! one found settles it; Aitken's rule finds the share from how the way `a` changed with the last iteration,
//! `ω ← −ω a₀·(a − a₀)/|a − a₀|²`, which is exact where the place answers linearly.

use super::detection::{Anchor, ContactPoint, Identity, Level, Vector};

/// What was used for a point in the last iteration.
#[derive(Debug, Clone, Copy)]
struct Used {
    identity: Identity,
    anchor: Anchor,
    normal: Vector,
    /// The way from the place used before to the one that was found, in weights.
    way: [f64; 4],
    /// The share of it that was gone.
    share: f64,
}

/// Follows the places of contact over the iterations of a step; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Settling {
    /// Sorted.
    last: Vec<Used>,
    next: Vec<Used>,
}

impl Settling {
    /// Places that come nearer to each other by less than this factor in an iteration do not settle by themselves.
    const SLOW: f64 = 0.5;

    /// Changes of a place, as a share of a facet, that are too small to matter: they leave a gap of the order of their square.
    const STILL: f64 = 1e-9;

    /// Bounds of the share.
    const SHARE: [f64; 2] = [0.02, 1.0];

    /// A new step.
    pub(super) fn begin(&mut self) {
        self.last.clear();
    }

    /// Takes the places found for the current iterate; where they swing, goes only a share of the way from those of the last
    /// one. The gaps stay as found, so that the places that settle are exact.
    pub(super) fn settle(&mut self, points: &mut [ContactPoint]) {
        self.next.clear();
        for point in points.iter_mut().filter(|p| follows(p)) {
            let known = self.last.binary_search_by_key(&point.identity, |used| used.identity);
            let mut used = Used {
                identity: point.identity,
                anchor: point.anchor,
                normal: point.frame[0],
                way: [0.0; 4],
                share: 1.0,
            };
            if let Ok(k) = known {
                let last = &self.last[k];
                used.way = point.anchor.offset(&last.anchor);
                used.share = share(last, &used.way);
                if used.share < 1.0 {
                    used.anchor = last.anchor.towards(&point.anchor, used.share);
                    used.normal = last.normal + used.share * (point.frame[0] - last.normal);
                    point.anchor = used.anchor;
                    point.turn(used.normal);
                    used.normal = point.frame[0];
                }
            }
            self.next.push(used);
        }
        self.next.sort_unstable_by_key(|used| used.identity);
        std::mem::swap(&mut self.last, &mut self.next);
    }
}

/// The share of a way to go after the last one.
fn share(last: &Used, way: &[f64; 4]) -> f64 {
    let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (before, now) = (dot(&last.way, &last.way), dot(way, way));
    // the first way has none to compare with
    if before == 0.0 || now <= Settling::STILL * Settling::STILL {
        return last.share;
    }
    let swings = now > Settling::SLOW * Settling::SLOW * before;
    if last.share == 1.0 && !swings {
        return 1.0;
    }
    let change: [f64; 4] = std::array::from_fn(|k| way[k] - last.way[k]);
    let squared = dot(&change, &change);
    let [least, most] = Settling::SHARE;
    if squared > 0.0 { (-last.share * dot(&last.way, &change) / squared).clamp(least, most) } else { last.share }
}

/// Whether the place of a point depends on how the body lies: a curved obstacle on a facet or an edge.
fn follows(point: &ContactPoint) -> bool {
    matches!(point.identity.pass, 3 | 4) && point.level == Level::Position && point.other.is_none()
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
