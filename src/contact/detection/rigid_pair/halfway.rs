//! Points at rate level: those that touch at the start of a step, and where they are in its middle. There reactions act on both
//! bodies, at one place, so that together they turn nothing: `Δ(c × mv) = c̄ × mΔv` for a step with `Δc = Δt v̄`. In explicit steps,
//! with `Δc = Δt v₁`, that is so at their start.

use super::super::motion::Moment;
use super::super::{Anchor, ContactPoint, Vector};
use super::RigidPair;
use super::sides::{RigidPlace, Side};
use crate::bodies::Span;

impl Side {
    fn mean(&self, at: impl Fn(&RigidPlace) -> Vector) -> Vector {
        0.5 * (at(self.at(Moment::Start)) + at(self.at(Moment::End)))
    }

    fn mean_centre(&self) -> Vector {
        self.mean(|placed| placed.centre)
    }

    /// Whether it touches with another of its places as it turns.
    fn is_round(&self) -> bool {
        self.shape.is_curved()
    }

    /// The middle of its way, of the place that is at `x` at the start: of what rolls, of the place that is there each time.
    fn middle_of(&self, x: Vector) -> Vector {
        let start = self.at(Moment::Start);
        match self.shape.ball() {
            Some((core, _)) => x - start.pose.place(core) + self.mean(|placed| placed.pose.place(core)),
            None if self.is_round() => x - start.centre + self.mean_centre(),
            None => self.mean(|placed| placed.pose.place(start.pose.own(x))),
        }
    }
}

impl RigidPair {
    /// Takes up the points that touch at the start of the step, to within `slack`: bodies put down side by side touch to rounding. Returns
    /// whether there are any.
    pub fn hold(&mut self, slack: f64) -> bool {
        let mut held = std::mem::take(&mut self.held);
        held.clear();
        self.points(Moment::Start, &mut held);
        held.retain(|point| point.gap <= slack);
        self.held = held;
        !self.held.is_empty()
    }

    /// Those points, where the scheme takes the moments of their reactions.
    pub fn held_points(&self, span: &Span) -> impl Iterator<Item = ContactPoint> + '_ {
        let explicit = span.is_explicit();
        self.held.iter().map(move |point| if explicit { *point } else { self.halfway(*point) })
    }

    fn halfway(&self, mut point: ContactPoint) -> ContactPoint {
        let [first, second] = &self.sides;
        let (Some(other), Some(arm)) = (point.other, point.anchor.arm()) else { return point };
        let x = first.at(Moment::Start).centre + arm;
        let ways = [first.middle_of(x) - x, second.middle_of(x) - x];
        let mut place = x + match (first.is_round(), second.is_round()) {
            (true, false) => ways[0],
            (false, true) => ways[1],
            _ => 0.5 * (ways[0] + ways[1]),
        };
        if let (Some((a, out)), Some((b, other_out))) = (first.shape.ball(), second.shape.ball()) {
            // the normal of the middle passes through both centres: without friction nothing turns
            let core = |side: &Side, own: Vector| side.mean(|placed| placed.pose.place(own));
            let apart = core(first, a) - core(second, b);
            let share = |side: &Side, own: Vector| (x - side.at(Moment::Start).pose.place(own)).dot(&point.frame[0]);
            let (along_first, along_second) = (share(first, a), share(second, b));
            point.turn(out * other_out * apart);
            let n = point.frame[0];
            place = 0.5 * ((core(first, a) + along_first * n) + (core(second, b) + along_second * n));
        }
        point.anchor.set_arm(place - first.mean_centre());
        point.other = Some(Anchor::rigid(other.body, place - second.mean_centre()));
        point
    }
}
