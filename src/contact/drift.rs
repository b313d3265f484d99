//! How far the geometry of contact moved since it was used.
//!
//! Where a step needs many iterations, the geometry of its contacts is kept after the first ones. What it is kept at depends on the
//! course of the iterations; where it belongs does not. So once such a step has converged, its points are found anew, and it ends
//! where those under load have the normals and the places that they were given.

use super::detection::{ContactPoint, Identity, Vector};

/// What a reaction depends on.
#[derive(Debug, Clone, Copy)]
struct Used {
    identity: Identity,
    normal: Vector,
    /// Weights of the nodes it acts on, on the two sides.
    weights: [[f64; 4]; 2],
    /// Its arm about the centre of a rigid body, in sizes of that.
    arm: Vector,
}

impl Used {
    fn of(point: &ContactPoint, size: impl Fn(usize) -> f64) -> Self {
        let weights = [point.anchor.weights(), point.other.map_or([0.0; 4], |other| other.weights())];
        let arm = point.anchor.arm().map_or(Vector::zeros(), |arm| arm / size(point.anchor.body));
        Used { identity: point.identity, normal: point.frame[0], weights, arm }
    }

    /// Who is held, whatever holds it.
    fn held(&self) -> (u32, u8, u32) {
        (self.identity.zone, self.identity.pass, self.identity.first)
    }

    /// The largest change of a normal, of an arm or, on the same facet, of a weight.
    fn change(&self, other: &Used) -> f64 {
        let turned = (self.normal - other.normal).norm().max((self.arm - other.arm).norm());
        if self.identity != other.identity {
            return turned;
        }
        let weights = self.weights.as_flattened().iter().zip(other.weights.as_flattened());
        weights.map(|(a, b)| (a - b).abs()).fold(turned, f64::max)
    }
}

/// Compares the points of one iteration with those found next; keeps its memory between calls.
#[derive(Debug, Clone)]
pub(super) struct Drift {
    loaded: Vec<Used>,
    found: Vec<Used>,
    /// The last two ways.
    ways: [f64; 2],
    /// Whether nothing was found in this step yet.
    first: bool,
}

impl Default for Drift {
    fn default() -> Self {
        Drift { loaded: Vec::new(), found: Vec::new(), ways: [f64::INFINITY; 2], first: true }
    }
}

impl Drift {
    /// Ways, of normals in radians and of places as a share of their facet, below which a geometry has settled. Newton's method leaves
    /// as much of a body's size.
    pub(super) const STILL: f64 = 1e-10;

    /// Ways that are rounding: the geometry is the same wherever the bodies are, as on a flat wall.
    const ROUNDING: f64 = 1e-14;

    /// A new step, or a new look around within it.
    pub(super) fn begin(&mut self) {
        (self.ways, self.first) = ([f64::INFINITY; 2], true);
    }

    /// Notes the points under load before others are found.
    pub(super) fn note(&mut self, points: &[ContactPoint], r: &[f64], size: impl Fn(usize) -> f64) {
        let dim = r.len() / points.len().max(1);
        let loaded = points.iter().zip(r.chunks_exact(dim.max(1))).filter(|(_, r)| r[0] > 0.0);
        self.loaded.clear();
        self.loaded.extend(loaded.map(|(point, _)| Used::of(point, &size)));
    }

    /// Measures the largest way of one of them to where it is found now: infinite if it is not found at all.
    pub(super) fn measure(&mut self, points: &[ContactPoint], size: impl Fn(usize) -> f64) {
        if std::mem::take(&mut self.first) {
            return;
        }
        self.found.clear();
        self.found.extend(points.iter().map(|point| Used::of(point, &size)));
        self.found.sort_unstable_by_key(|used| used.identity);
        let way = |used: &Used| {
            let first = self.found.partition_point(|f| f.held() < used.held());
            let held = self.found[first..].iter().take_while(|f| f.held() == used.held());
            held.map(|f| used.change(f)).fold(f64::INFINITY, f64::min)
        };
        self.ways = [self.ways[1], self.loaded.iter().map(way).fold(0.0, f64::max)];
        log::trace!("contacts moved by {:.3e}", self.ways[1]);
    }

    /// The way still to come, from the last one and the factor by which it was shorter than the one before.
    pub(super) fn to_come(&self) -> f64 {
        let [before, last] = self.ways;
        if last < before && before.is_finite() { last * (last / before) } else { last }
    }

    /// Whether the geometry does not depend on where the bodies are.
    pub(super) fn is_none(&self) -> bool {
        self.ways[1] <= Self::ROUNDING
    }

    /// Whether the last way was shorter than the one before by this factor at least.
    pub(super) fn shrinks(&self, factor: f64) -> bool {
        self.ways[1] < factor * self.ways[0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::detection::{Anchor, Level, frame};
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

    /// What `drift` makes of one point after another, each under load.
    fn follow(points: &[ContactPoint]) -> Drift {
        let mut drift = Drift::default();
        for k in 0..points.len() {
            drift.note(&points[k.saturating_sub(1)..=k.saturating_sub(1)], &[1.0, 0.0], |_| 1.0);
            drift.measure(&points[k..=k], |_| 1.0);
        }
        drift
    }

    #[test]
    fn the_way_to_come_goes_on_as_the_last_ones_did() {
        let drift = follow(&[0.3, 0.301, 0.3011].map(|w| point(4, w, 0.0)));
        assert!((drift.to_come() - 1e-5).abs() < 1e-12, "{}", drift.to_come());
        assert!(drift.shrinks(0.75) && !drift.is_none());
        // without a second way nothing is known of the factor
        assert!((follow(&[0.3, 0.301].map(|w| point(4, w, 0.0))).to_come() - 1e-3).abs() < 1e-12);
        assert!(follow(&[point(4, 0.3, 0.0)]).to_come().is_infinite());
    }

    /// A node that goes over from one facet to the next has only turned its normal; one that nothing holds any more is lost.
    #[test]
    fn a_node_is_followed_over_the_end_of_a_facet() {
        let drift = follow(&[point(4, 1.0, 0.0), point(5, 0.0, 1e-6)]);
        assert!((drift.to_come() - 1e-6).abs() < 1e-12, "{}", drift.to_come());
        let mut drift = Drift::default();
        drift.measure(&[], |_| 1.0);
        drift.note(&[point(4, 1.0, 0.0)], &[1.0, 0.0], |_| 1.0);
        drift.measure(&[], |_| 1.0);
        assert!(drift.to_come().is_infinite());
    }

    /// What carries no load may be anywhere.
    #[test]
    fn points_without_load_do_not_count() {
        let mut drift = Drift::default();
        drift.measure(&[], |_| 1.0);
        drift.note(&[point(4, 0.3, 0.0)], &[0.0, 0.0], |_| 1.0);
        drift.measure(&[point(4, 0.4, 0.2)], |_| 1.0);
        assert!(drift.is_none());
    }
}
