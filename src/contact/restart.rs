//! What a step begins with: points that take part in the whole of it, and which bodies are near anything.

use super::Contact;
use super::detection::{ContactPoint, InStates, Level, Moment, Pass, Vector};
use crate::bodies::{Bodies, BodyState, Span};
use crate::parallel;

impl Contact {
    /// After the zones have looked around: points at rate level, and which bodies are near anything.
    pub(super) fn restart(&mut self, bodies: Bodies<'_>, old: &[BodyState]) {
        let span = self.span;
        self.go_on(Self::GEOMETRY_UPDATES);
        self.continued = 0;
        self.resettled = 0;
        self.drift.begin();
        self.left_inside = f64::INFINITY;
        self.workless.turned = false;
        self.settling.begin();
        self.foreseeing = span.is_explicit();
        self.near.clear();
        self.near.resize(bodies.len(), false);
        self.held_points.clear();
        parallel::each(&mut self.zones, |_, zone| {
            if zone.is_near() && zone.level == Level::Position {
                zone.note_start(bodies.with_nodes(zone.body), &old[zone.body].u, span.moves);
            }
        });
        for zone in self.zones.iter_mut().filter(|z| z.is_near()) {
            match zone.level {
                Level::Position => {
                    self.near[zone.body] = true;
                    zone.carrier.into_iter().for_each(|b| self.near[b] = true);
                }
                Level::Rate => {
                    let first = self.held_points.len();
                    zone.points(bodies.with_nodes(zone.body), &old[zone.body].u, Moment::Start, &mut self.held_points);
                    let mut place = 0;
                    self.held_points.retain(|p| {
                        place += 1;
                        place <= first || p.gap <= 0.0
                    });
                    self.near[zone.body] |= self.held_points.len() > first;
                    zone.carrier.into_iter().for_each(|b| self.near[b] |= self.held_points.len() > first);
                }
                Level::Velocity => {
                    let (body, state) = (bodies.with_nodes(zone.body), &old[zone.body]);
                    let first = self.held_points.len();
                    zone.points(body, &state.u, Moment::Start, &mut self.held_points);
                    let walls = |p: &ContactPoint| zone.wall_velocities(body, &state.u, p);
                    let slack = Self::SLACK * body.size();
                    let law = |_: &ContactPoint| (zone.restitution, slack);
                    impacts(&mut self.held_points, first, bodies, old, &span, law, walls);
                    self.near[zone.body] |= self.held_points.len() > first;
                    zone.carrier.into_iter().for_each(|b| self.near[b] |= self.held_points.len() > first);
                }
            }
        }
        self.restart_rigid(old);
        self.restart_pairs(bodies, old);
        self.note_near();
    }

    /// The same for bodies against bodies.
    fn restart_pairs(&mut self, bodies: Bodies<'_>, old: &[BodyState]) {
        let start = InStates(bodies, old);
        for k in 0..self.pairs.near().len() {
            let number = self.pairs.near()[k] as usize;
            let taking_part = match self.pairs.passes()[number].terms.level {
                Level::Position => true,
                Level::Rate => self.pairs.hold(number, &start),
                Level::Velocity => false,
            };
            if taking_part {
                let pair = self.pairs.bodies_of(&self.pairs.passes()[number]);
                pair.into_iter().for_each(|body| self.near[body] = true);
            }
        }
        let first = self.held_points.len();
        let at_velocity = |pass: &Pass| pass.terms.level == Level::Velocity;
        self.pairs.find(&start, &start, at_velocity);
        self.pairs.join(at_velocity, &mut self.held_points);
        let law = |p: &ContactPoint| {
            let slack =
                p.sides().map(|(anchor, _)| Self::SLACK * bodies.with_nodes(anchor.body).size()).fold(0.0, f64::max);
            (self.pairs.restitution(p.identity.zone), slack)
        };
        impacts(&mut self.held_points, first, bodies, old, &self.span, law, |_| [Vector::zeros(); 2]);
        for point in &self.held_points[first..] {
            point.sides().for_each(|(anchor, _)| self.near[anchor.body] = true);
        }
    }
}

/// Of the points from `first` on, keeps those where the start velocity would close the gap within the step (Newton's law acts
/// there) and notes what that velocity makes of them. `law` is the restitution and the length below which gaps do not differ,
/// `walls` the velocities of an obstacle at the two ends of the step.
fn impacts(
    points: &mut Vec<ContactPoint>,
    first: usize,
    bodies: Bodies<'_>,
    old: &[BodyState],
    span: &Span,
    law: impl Fn(&ContactPoint) -> (f64, f64),
    walls: impl Fn(&ContactPoint) -> [Vector; 2],
) {
    let keep = 1.0 - span.rate * span.dt;
    let mut place = 0;
    points.retain_mut(|p| {
        place += 1;
        if place <= first {
            return true;
        }
        let v = p.relative(bodies.get(p.anchor.body).dim(), |body| old[body].v.as_slice());
        let (wall, (restitution, slack)) = (walls(p), law(p));
        let approach = p.frame[0].dot(&(v - wall[0]));
        p.start = p.frame.map(|axis| axis.dot(&(keep * v - wall[1])) / span.rate);
        p.start[0] += restitution * approach.min(0.0) / span.rate;
        // explicit steps know better where they lead, see [`Contact::foresee`]
        span.is_explicit() || p.gap + span.dt * approach <= slack
    });
}
