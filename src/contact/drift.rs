//! How far the geometry of contact moved since it was used.
//!
//! Where a step needs many iterations, the geometry of its contacts is kept after the first ones. What it is kept at depends on the
//! course of the iterations; where it belongs does not. So once such a step has converged, its points are found anew, and it ends
//! where those under load have the normals and the places that they were given.

use super::detection::ContactPoint;

/// Points of one look, and which of them carried load.
#[derive(Debug, Clone, Default)]
struct Look {
    points: Vec<ContactPoint>,
    loaded: Vec<bool>,
}

/// Compares the points of an iteration with those of the ones before; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Drift {
    /// The last two looks before the one at hand, and how many of them belong to this step.
    before: [Look; 2],
    known: usize,
    /// Whether a look of this step has been.
    begun: bool,
    /// Points in order of who is held, with their places in a list.
    order: Vec<(Held, u32)>,
}

/// Who is held, whatever holds it: zone, kind and node.
type Held = (u32, u8, u32);

fn held(point: &ContactPoint) -> Held {
    (point.identity.zone, point.identity.pass, point.identity.first)
}

impl Drift {
    /// Ways, of normals in radians and of places as a share of their facet, below which a geometry has settled. Newton's method leaves
    /// as much of a body's size.
    pub(super) const STILL: f64 = 1e-10;

    /// Ways that are short against everything.
    const SHORT: f64 = 1e-5;

    /// Ways that are rounding: the geometry is the same wherever the bodies are, as on a flat wall.
    const ROUNDING: f64 = 1e-14;

    /// A new step, or a new look around within it.
    pub(super) fn begin(&mut self) {
        (self.known, self.begun) = (0, false);
    }

    /// Takes the points and leaves an empty list for those found next; `r` are the reactions they led to.
    pub(super) fn take(&mut self, points: &mut Vec<ContactPoint>, r: &[f64]) {
        let dim = r.len() / points.len().max(1);
        self.before.swap(0, 1);
        let last = &mut self.before[1];
        last.loaded.clear();
        last.loaded.extend(r.chunks_exact(dim.max(1)).map(|r| r[0] > 0.0));
        std::mem::swap(&mut last.points, points);
        points.clear();
        if std::mem::replace(&mut self.begun, true) {
            self.known = (self.known + 1).min(2);
        }
    }

    /// How far contacts under load moved to where they are now, and before that.
    pub(super) fn ways(&mut self, points: &[ContactPoint], size: impl Fn(usize) -> f64) -> Ways {
        let mut ways = Ways { last: f64::INFINITY, before: f64::INFINITY };
        if self.known > 0 {
            ways.last = way(&self.before[1], points, &mut self.order, &size);
        }
        if self.known > 1 {
            ways.before = way(&self.before[0], &self.before[1].points, &mut self.order, &size);
        }
        log::trace!("contacts moved by {:.3e}, before that by {:.3e}", ways.last, ways.before);
        ways
    }
}

/// The last two ways.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    last: f64,
    before: f64,
}

impl Ways {
    /// The way still to come, from the last one and the factor by which it was shorter than the one before.
    fn still_to_come(&self) -> f64 {
        if self.last < self.before && self.before.is_finite() {
            self.last * (self.last / self.before)
        } else {
            self.last
        }
    }

    /// Whether that is as good as nothing; of a geometry that was `kept` since the last look only if it does not depend on where the bodies
    /// are.
    pub(super) fn are_done(&self, kept: bool) -> bool {
        self.last <= Drift::ROUNDING || !kept && self.still_to_come() <= Drift::STILL
    }

    /// Whether the last one is so short that it leads nowhere else.
    pub(super) fn are_short(&self) -> bool {
        self.last <= Drift::SHORT
    }

    /// Whether the last way was shorter than the one before by this factor at least.
    pub(super) fn shrink(&self, factor: f64) -> bool {
        self.last < factor * self.before
    }
}

/// The largest way of a point under load to where it is found later: infinite if it is not found at all.
fn way(look: &Look, later: &[ContactPoint], order: &mut Vec<(Held, u32)>, size: impl Fn(usize) -> f64) -> f64 {
    order.clear();
    order.extend(later.iter().enumerate().map(|(k, point)| (held(point), k as u32)));
    order.sort_unstable();
    let loaded = look.points.iter().zip(&look.loaded).filter(|(_, loaded)| **loaded).map(|(point, _)| point);
    let ways = loaded.map(|point| {
        let first = order.partition_point(|other| other.0 < held(point));
        let found = order[first..].iter().take_while(|other| other.0 == held(point));
        found.map(|(_, k)| change(point, &later[*k as usize], &size)).fold(f64::INFINITY, f64::min)
    });
    ways.fold(0.0, f64::max)
}

/// The largest change of what a reaction depends on: of the normal, of an arm about the centre of a rigid body as a share of its size
/// or, on the same facet, of a weight.
fn change(one: &ContactPoint, other: &ContactPoint, size: impl Fn(usize) -> f64) -> f64 {
    let mut most = (one.frame[0] - other.frame[0]).norm();
    if let (Some(a), Some(b)) = (one.anchor.arm(), other.anchor.arm()) {
        most = most.max((a - b).norm() / size(one.anchor.body));
    }
    if one.identity != other.identity {
        return most;
    }
    let weights =
        |point: &ContactPoint| [point.anchor.weights(), point.other.map_or([0.0; 4], |other| other.weights())];
    let (a, b) = (weights(one), weights(other));
    a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs()).fold(most, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::detection::{Anchor, Identity, Level, Vector, frame};
    use super::*;

    /// Node 7 beside a facet, a share `w` of the way along it, with a normal turned by `angle`.
    fn point(facet: u32, w: f64, angle: f64) -> ContactPoint {
        ContactPoint {
            identity: Identity { zone: 0, pass: 6, first: 7, second: facet },
            anchor: Anchor::node(0, 7),
            other: Some(Anchor::combination(1, &[facet, facet + 1], &[1.0 - w, w])),
            frame: frame(Vector::new(-angle.sin(), angle.cos(), 0.0), 2),
            gap: 0.0,
            friction: Default::default(),
            level: Level::Position,
            wall: Vector::zeros(),
            start: [0.0; 3],
        }
    }

    /// The ways of a point that is found in one place after another, under load or not.
    fn follow(points: &[ContactPoint], load: f64) -> Ways {
        let mut drift = Drift::default();
        let mut list = Vec::new();
        for (k, point) in points.iter().enumerate() {
            drift.take(&mut list, &[load, 0.0][..2 * k.min(1)]);
            list.push(*point);
        }
        drift.ways(&list, |_| 1.0)
    }

    #[test]
    fn the_way_to_come_goes_on_as_the_last_ones_did() {
        let ways = follow(&[0.3, 0.301, 0.3011].map(|w| point(4, w, 0.0)), 1.0);
        assert!((ways.still_to_come() - 1e-5).abs() < 1e-12, "{ways:?}");
        assert!(ways.shrink(0.75) && !ways.are_done(false));
        // without a second way nothing is known of the factor
        assert!((follow(&[0.3, 0.301].map(|w| point(4, w, 0.0)), 1.0).still_to_come() - 1e-3).abs() < 1e-12);
        assert!(follow(&[point(4, 0.3, 0.0)], 1.0).still_to_come().is_infinite());
    }

    /// A node that goes over from one facet to the next has only turned its normal; one that nothing holds any more is lost.
    #[test]
    fn a_node_is_followed_over_the_end_of_a_facet() {
        let ways = follow(&[point(4, 1.0, 0.0), point(5, 0.0, 1e-6)], 1.0);
        assert!((ways.still_to_come() - 1e-6).abs() < 1e-12, "{ways:?}");
        let mut drift = Drift::default();
        let mut list = vec![point(4, 1.0, 0.0)];
        drift.take(&mut Vec::new(), &[]);
        drift.take(&mut list, &[1.0, 0.0]);
        assert!(drift.ways(&list, |_| 1.0).still_to_come().is_infinite());
    }

    /// What carries no load may be anywhere.
    #[test]
    fn points_without_load_do_not_count() {
        assert!(follow(&[point(4, 0.3, 0.0), point(4, 0.4, 0.2)], 0.0).are_done(true));
    }
}
