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
