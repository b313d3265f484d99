//! Places that were inside where a step had converged.
//!
//! Of two faces that all but lie on each other the deepest place is another one with the least tilt. Held alone, it lets the next one
//! in, and the iterations lead from one to the other and back. So where a step converged with something inside, that place is held in
//! all iterations from then on, fixed to both bodies, beside the one that is deepest now.

use super::super::Vector;
use super::super::motion::Moment;
use super::{ContactPoint, RigidPair};

/// Such a place, as it rests: of the first surface, of the second one, and the normal as the second carries it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Insisted {
    places: [Vector; 2],
    normal: Vector,
}

impl RigidPair {
    /// Holds the place that is deepest inside at the end of the step, if it is deeper than `limit`.
    pub fn insist(&mut self, limit: f64) {
        let Some(between) = self.between.filter(|between| between.gap < -limit) else { return };
        if self.insisted.len() < Self::MOST_INSISTED {
            let [first, second] = self.sides.each_ref().map(|side| &side.at(Moment::End).pose);
            let (place, normal) = (between.place, between.normal);
            let places = [first.own(place), second.own(place - between.gap * normal)];
            self.insisted.push(Insisted { places, normal: second.own_direction(normal) });
        }
    }

    /// Adds the places that are held so.
    pub(super) fn insisted(&self, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let [here, there] = self.sides.each_ref().map(|side| &side.at(moment).pose);
        for (held, number) in self.insisted.iter().zip(1..) {
            let (place, normal) = (here.place(held.places[0]), there.turn(held.normal));
            let gap = normal.dot(&(place - there.place(held.places[1])));
            if gap > self.reach {
                continue;
            }
            let identity = self.identity(Self::NEAREST - number, 0);
            if let Some(point) = self.free_point(identity, 0, place, (normal, gap), moment)
                && !out[first..].iter().any(|p| self.repeats(p, &point))
            {
                out.push(point);
            }
        }
    }

    const MOST_INSISTED: usize = 12;
}

#[cfg(test)]
mod tests {
    use super::super::super::{Level, Pose, RigidPlace};
    use super::*;
    use crate::bodies::Span;
    use crate::geometry::Obstacle;
    use crate::geometry::{Block, Revolved};

    /// A box narrower than the end of a cylinder stands on it, tilted by a millionth. What is inside is held once it is insisted on,
    /// goes with both bodies, and is let go of when the next step begins.
    #[test]
    fn a_place_that_was_inside_is_held_where_both_bodies_go() {
        let half = Vector::new(0.036, 0.07, 0.02);
        let block = Obstacle::new("box", Block { min: -half, max: half, inside: false });
        let post =
            Revolved { origin: -0.1 * Vector::z(), axis: Vector::z(), length: 0.1, radii: [0.054; 2], inside: false };
        let post = Obstacle::new("post", post);
        let tilt = 1e-6 * Vector::new(0.8, 0.6, 0.0);
        let placed = |shift: f64| {
            let centre = Vector::new(0.001, -0.002, half.z + shift);
            let below = RigidPlace { centre: -0.05 * Vector::z(), ..RigidPlace::default() };
            [RigidPlace { pose: Pose::new(tilt, Vector::zeros(), centre), centre }, below]
        };
        let mut pair = RigidPair::new(0, (0, block), (Some(1), post), (3, 0.1), Level::Position);
        let span = Span { start: 0.0, dt: 1e-3, weight: 0.5, rate: 2e3, moves: true };
        let entered = placed(3e-8);
        pair.begin(&span, |b| entered[b], |b| entered[b]);
        let depth = pair.penetration();
        assert!(depth > 1e-9, "the tilt lets something in: {depth:e}");
        pair.insist(2.0 * depth);
        assert!(pair.insisted.is_empty(), "less than the limit is left alone");
        pair.insist(0.5 * depth);
        for shift in [0.0, 1e-8, 1e-3] {
            let now = placed(3e-8 + shift);
            pair.search = Some(1e-2);
            pair.reach = 1e-2;
            pair.place(Moment::End, |b| now[b]);
            let mut held = Vec::new();
            pair.insisted(Moment::End, 0, &mut held);
            assert_eq!(held.len(), 1);
            let gap = shift - depth;
            assert!((held[0].gap - gap).abs() < 1e-15 + 1e-11 * shift, "{:e} instead of {gap:e}", held[0].gap);
        }
        pair.begin(&span, |b| entered[b], |b| entered[b]);
        assert!(pair.insisted.is_empty());
    }
}
