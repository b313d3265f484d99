//! Places of contact that move with the iterations of a step, and how they settle.
//!
//! A linearised step keeps the place and the normal of every contact. Where a ball presses on a facet, the facet then tilts, and
//! the place moves by `R` times the tilt; that moves the force, which tilts the facets around. The tangent knows nothing of it: the
//! places follow as a fixed point `x = y(x)`, where `y` are those found at the state that forces at `x` lead to. Where `r R` is more
//! than the facet's resistance to tilting each iteration lands farther on the other side than the last one; elsewhere they creep.
//! So do the places at which rigid bodies touch: where a rim comes first on a floor depends on how its cylinder leans.
//!
//! The last iterations tell how the ways `f = y − x` answer. All places move together, so they are taken together (Anderson1965):
//! the combination `γ` of the changes `ΔF` that leaves least of `f` gives the next places, `x ← y − ΔY γ`. This is exact where the
//! ways answer linearly and as many iterations are remembered as there are directions in which they do.

use super::detection::{Anchor, ContactPoint, Identity, Level, Vector};
use super::solvers::anderson::{MEMORY, least};

/// A place, as weights of the nodes of a facet, or as arms about the centres of two rigid bodies in sizes of those, with its normal;
/// or a change of one.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    weights: [f64; 4],
    arms: [Vector; 2],
    normal: Vector,
}

impl Place {
    /// The longest way that a place may be sent from where it is found, in sizes of its body.
    const FAR: f64 = 0.5;

    fn of(point: &ContactPoint, size: impl Fn(usize) -> f64) -> Self {
        let arm = |anchor: &Anchor| anchor.arm().map_or(Vector::zeros(), |arm| arm / size(anchor.body));
        let arms = [arm(&point.anchor), point.other.as_ref().map_or(Vector::zeros(), arm)];
        Place { weights: point.anchor.weights(), arms, normal: point.frame[0] }
    }

    /// Makes it that of a point.
    fn put(&self, point: &mut ContactPoint, size: impl Fn(usize) -> f64) {
        point.anchor.set_weights(self.weights);
        point.anchor.set_arm(size(point.anchor.body) * self.arms[0]);
        if let Some(other) = point.other.as_mut().filter(|_| point.anchor.arm().is_some()) {
            other.set_arm(size(other.body) * self.arms[1]);
        }
        point.turn(self.normal);
    }

    /// `self + share·other`.
    fn plus(&self, share: f64, other: &Place) -> Self {
        let weights = std::array::from_fn(|k| self.weights[k] + share * other.weights[k]);
        let arms = std::array::from_fn(|k| self.arms[k] + share * other.arms[k]);
        Place { weights, arms, normal: self.normal + share * other.normal }
    }

    fn dot(&self, other: &Place) -> f64 {
        let weights = self.weights.iter().zip(&other.weights).map(|(a, b)| a * b).sum::<f64>();
        weights + self.arms.iter().zip(&other.arms).map(|(a, b)| a.dot(b)).sum::<f64>()
    }

    /// The share of a change that stays within the facet, or near.
    fn room(&self, change: &Place) -> f64 {
        let far = change.arms.iter().map(|arm| arm.norm()).fold(0.0, f64::max);
        let near = if far > Self::FAR { Self::FAR / far } else { 1.0 };
        within(&self.weights, &change.weights).min(near)
    }
}

/// What is known of one point.
#[derive(Debug, Clone, Copy)]
struct Known {
    identity: Identity,
    /// Iterations since it was found first.
    age: usize,
    /// The place that was used.
    used: Place,
    /// The place that was found last, and the way there from the one used for it.
    found: Place,
    way: Place,
    /// Changes of the places found and of the ways over the last iterations, a ring.
    found_changes: [Place; MEMORY],
    way_changes: [Place; MEMORY],
}

/// Follows the places of contact over the iterations of a step; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Settling {
    /// Sorted by identity.
    last: Vec<Known>,
    next: Vec<Known>,
    /// Iterations of the step so far that found a place again.
    iterations: usize,
    /// `Σ f²` of the last iteration.
    squared: f64,
    /// Whether places did not settle by themselves.
    creeps: bool,
}

impl Settling {
    /// Places that come nearer to each other by less than this factor in an iteration do not settle by themselves.
    const SLOW: f64 = 0.5;

    /// Ways, as a share of a facet, below which a place has settled.
    pub(super) const STILL: f64 = 1e-9;

    /// Ways that are rounding: they tell nothing.
    const ROUNDING: f64 = 1e-14;

    /// A new step.
    pub(super) fn begin(&mut self) {
        self.last.clear();
        (self.iterations, self.squared, self.creeps) = (0, 0.0, false);
    }

    /// Takes the places found for the current iterate and says which ones to use for the next. The gaps stay as found, so that the
    /// places that settle are exact.
    pub(super) fn settle(&mut self, points: &mut [ContactPoint], rigid: bool, size: impl Fn(usize) -> f64) {
        self.note(points, rigid, &size);
        let squared: f64 = self.last.iter().map(|known| known.way.dot(&known.way)).sum();
        self.creeps |= self.squared > 0.0 && squared > Self::SLOW * Self::SLOW * self.squared;
        self.squared = squared;
        let tells = self.last.iter().any(|known| known.age > 1) && squared > Self::ROUNDING * Self::ROUNDING;
        if !(self.creeps && tells) {
            return;
        }
        let shares = self.combination();
        for point in points.iter_mut().filter(|p| follows(p, rigid)) {
            let Ok(at) = self.last.binary_search_by_key(&point.identity, |known| known.identity) else { continue };
            let known = &mut self.last[at];
            let changes = shares.iter().zip(&known.found_changes);
            let change = changes.fold(Place::default(), |sum, (share, change)| sum.plus(-share, change));
            known.used = known.found.plus(known.found.room(&change), &change);
            known.used.put(point, &size);
        }
    }

    /// Notes what was found, and how that and the ways changed; what is used next is what was found, until said otherwise.
    fn note(&mut self, points: &[ContactPoint], rigid: bool, size: impl Fn(usize) -> f64) {
        self.next.clear();
        let column = self.iterations % MEMORY;
        for point in points.iter().filter(|p| follows(p, rigid)) {
            let found = Place::of(point, &size);
            let mut known = Known {
                identity: point.identity,
                age: 0,
                used: found,
                found,
                way: Place::default(),
                found_changes: [Place::default(); MEMORY],
                way_changes: [Place::default(); MEMORY],
            };
            if let Ok(at) = self.last.binary_search_by_key(&point.identity, |known| known.identity) {
                let last = &self.last[at];
                known.age = last.age + 1;
                known.way = found.plus(-1.0, &last.used);
                (known.found_changes, known.way_changes) = (last.found_changes, last.way_changes);
                // the first way has none to compare with
                let compares = last.age > 0;
                known.found_changes[column] = if compares { found.plus(-1.0, &last.found) } else { Place::default() };
                known.way_changes[column] = if compares { known.way.plus(-1.0, &last.way) } else { Place::default() };
            }
            self.next.push(known);
        }
        self.next.sort_unstable_by_key(|known| known.identity);
        std::mem::swap(&mut self.last, &mut self.next);
        self.iterations += usize::from(self.last.iter().any(|known| known.age > 1));
    }

    /// The combination of the changes of the ways that is nearest to the ways themselves.
    fn combination(&self) -> [f64; MEMORY] {
        let (mut gram, mut right) = ([[0.0; MEMORY]; MEMORY], [0.0; MEMORY]);
        for known in &self.last {
            for i in 0..MEMORY {
                right[i] += known.way_changes[i].dot(&known.way);
                for j in 0..MEMORY {
                    gram[i][j] += known.way_changes[i].dot(&known.way_changes[j]);
                }
            }
        }
        least(&gram, right, MEMORY)
    }

    /// The longest way of a point under load from the place used to the one found, as a share of its facet.
    pub(super) fn longest_way(&self, points: &[ContactPoint], r: &[f64]) -> f64 {
        let dim = r.len() / points.len().max(1);
        let loaded = points.iter().zip(r.chunks_exact(dim.max(1))).filter(|(_, r)| r[0] > 0.0);
        let known = loaded.filter_map(|(point, _)| {
            self.last.binary_search_by_key(&point.identity, |known| known.identity).ok().map(|at| &self.last[at].way)
        });
        known.map(|way| way.dot(way)).fold(0.0, f64::max).sqrt()
    }
}

/// The share of a change of weights that stays within the facet.
fn within(weights: &[f64; 4], change: &[f64; 4]) -> f64 {
    let room = |(w, c): (&f64, &f64)| if *c > 0.0 { (1.0 - w).max(0.0) / c } else { w.max(0.0) / -c };
    weights.iter().zip(change).filter(|(_, c)| **c != 0.0).map(room).fold(1.0, f64::min)
}

/// Whether the place of a point depends on how the body lies: corners, edges and curved faces of obstacles on facets and edges, and
/// rigid bodies.
fn follows(point: &ContactPoint, rigid: bool) -> bool {
    (matches!(point.identity.pass, 1..=4) || rigid && point.anchor.arm().is_some()) && point.level == Level::Position
}

#[cfg(test)]
mod tests {
    use super::super::detection::frame;
    use super::*;

    /// A curved obstacle on a facet of two nodes, a share `w` of the way along it.
    fn point(number: u32, w: f64) -> ContactPoint {
        ContactPoint {
            identity: Identity { zone: 0, pass: 3, first: 0, second: number },
            anchor: Anchor::combination(0, &[number, number + 1], &[1.0 - w, w]),
            other: None,
            frame: frame(Vector::y(), 2),
            gap: 0.0,
            friction: Default::default(),
            level: Level::Position,
            wall: Vector::zeros(),
            start: [0.0; 3],
        }
    }

    /// Three places of which one swings with growing strides, one creeps and one follows the others. Alone the first would never
    /// settle and the second take two hundred iterations.
    #[test]
    fn places_that_swing_and_creep_together_settle() {
        let limit = [0.4, 0.6, 0.5];
        let answer = [[-3.0, 0.3, 0.0], [0.2, 0.95, 0.0], [0.4, -0.3, 0.0]];
        let mut used = [0.41, 0.58, 0.5];
        let mut settling = Settling::default();
        settling.begin();
        let mut iterations = 0;
        loop {
            let off: [f64; 3] = std::array::from_fn(|k| used[k] - limit[k]);
            let found: [f64; 3] =
                std::array::from_fn(|k| limit[k] + answer[k].iter().zip(&off).map(|(a, x)| a * x).sum::<f64>());
            let mut points: [ContactPoint; 3] = [0, 1, 2].map(|k| point(k as u32, f64::clamp(found[k], 0.0, 1.0)));
            settling.settle(&mut points, true, |_| 1.0);
            used = points.each_ref().map(|p| p.anchor.weights()[1]);
            iterations += 1;
            if iterations > 1 && settling.longest_way(&points, &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]) <= Settling::STILL {
                break;
            }
            assert!(iterations < 20, "off by {off:?}");
        }
        for (used, limit) in used.iter().zip(limit) {
            assert!((used - limit).abs() < 1e-8, "{used} instead of {limit} after {iterations} iterations");
        }
    }

    /// Places that come fast are left alone.
    #[test]
    fn places_that_settle_by_themselves_are_used_as_found() {
        let mut settling = Settling::default();
        settling.begin();
        for k in 0..6 {
            let found = 0.3 + 0.1 * 0.2f64.powi(k);
            let mut points = [point(0, found)];
            settling.settle(&mut points, true, |_| 1.0);
            assert_eq!(points[0].anchor.weights()[1], found);
        }
    }
}
