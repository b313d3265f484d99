//! Rigid bodies in contact: where they are, and where their reactions act.

use super::Contact;
use super::detection::{Anchor, ContactPoint, Level, Moment, RigidPlace, Vector, Zone};
use crate::bodies::{Bodies, BodyState, Span};
use crate::integrator::Linearised;

/// A rigid body with displacements `u`.
pub(super) fn placed_at(bodies: Bodies<'_>, u: &[f64], number: usize) -> RigidPlace {
    bodies.get(number).rigid().map_or_else(RigidPlace::default, |body| RigidPlace::of(body, u))
}

/// A rigid body at the start of the step.
pub(super) fn start(bodies: Bodies<'_>, old: &[BodyState], number: usize) -> RigidPlace {
    placed_at(bodies, &old[number].u, number)
}

/// A rigid body where its velocity takes it within the step.
pub(super) fn drifted(bodies: Bodies<'_>, old: &[BodyState], dt: f64, number: usize) -> RigidPlace {
    bodies.get(number).rigid().map_or_else(RigidPlace::default, |body| {
        RigidPlace::of(body, &body.drifted(&old[number].u, &old[number].v, dt))
    })
}

/// A rigid body at the current iterate.
pub(super) fn placed(system: &[Linearised<'_>], number: usize) -> RigidPlace {
    system[number].body.rigid().map_or_else(RigidPlace::default, |body| RigidPlace::of(body, system[number].u))
}

/// Puts the obstacle of a zone where the body that carries it is, if one does.
pub(super) fn carry(zone: &mut Zone, moment: Moment, place: impl Fn(usize) -> RigidPlace) {
    if let Some(body) = zone.carrier {
        zone.carry(moment, &place(body));
    }
}

/// Length below which the displacements of points between rigid bodies are rounding: gaps are differences of places, turned and
/// projected by some dozen operations. Where a body lies flat on more than three points they do not agree below it, and in short
/// steps that is much beside what a body moves.
pub(super) fn rounding(points: &[ContactPoint], system: &[Linearised<'_>]) -> f64 {
    let farthest = |point: &ContactPoint| {
        let body = &system[point.anchor.body];
        body.body.rigid().zip(point.anchor.arm()).map_or(0.0, |(rigid, arm)| (rigid.centre(body.u) + arm).norm())
    };
    32.0 * f64::EPSILON * points.iter().map(farthest).fold(0.0, f64::max)
}

/// Points up to which reactions are chosen: it takes factors of the whole problem.
const CHOSEN: usize = 48;

/// Whether no deformable body has a share in a point.
pub(super) fn is_between_rigid(point: &ContactPoint) -> bool {
    point.sides().all(|(anchor, _)| anchor.arm().is_some())
}

/// Whether many reactions may obey the laws: points that only rigid bodies share, more than one on one of them. Deformable bodies yield
/// where they are touched.
pub(super) fn are_indeterminate(points: &[ContactPoint]) -> bool {
    if points.len() > CHOSEN {
        return false;
    }
    let rigid = || points.iter().filter(|point| is_between_rigid(point));
    let shares = |p: &ContactPoint, q: &ContactPoint| p.sides().any(|(a, _)| q.sides().any(|(b, _)| a.body == b.body));
    rigid().enumerate().any(|(k, point)| rigid().skip(k + 1).any(|other| shares(point, other)))
}

/// How far from each other the reaction of a point between two rigid bodies acts on them in the middle of the step: its arms are those of the
/// iterate that it was found at, and where they differ it turns what should not turn. Points that stay as they are at the start of the
/// step are left out.
pub(super) fn apart(point: &ContactPoint, span: &Span, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> f64 {
    let stays = match point.level {
        Level::Position => false,
        Level::Rate => span.is_explicit(),
        Level::Velocity => true,
    };
    let place = |anchor: &Anchor| {
        let (rigid, arm) = bodies.get(anchor.body).rigid().zip(anchor.arm())?;
        Some(arm + 0.5 * (rigid.centre(&old[anchor.body].u) + rigid.centre(u[anchor.body])))
    };
    let places = place(&point.anchor).zip(point.other.as_ref().and_then(place));
    places.filter(|_| !stays).map_or(0.0, |(one, other)| (one - other).norm())
}

/// Lets the reaction of a point between a deformable and a rigid body act on both at the same place, that of the deformable one
/// in the middle of the step. On a ball the normal is that of the middle too: it passes through the centre, so that it does
/// not turn the ball. At velocity level, where the condition is one on the velocities of the start, the place and the normal
/// of the start stay.
pub(super) fn settle(zone: &Zone, point: &mut ContactPoint, system: &[Linearised<'_>]) {
    let Some(other) = point.other.filter(|_| point.level != Level::Velocity) else { return };
    let (slave, master) = (&system[point.anchor.body], &system[other.body]);
    let (Some(surface), Some(rigid)) = (slave.body.deformable(), master.body.rigid()) else { return };
    let mean = |at: &dyn Fn(&[f64], &[f64]) -> Vector| 0.5 * (at(slave.u, master.u) + at(&slave.old.u, &master.old.u));
    let place = |u: &[f64]| point.anchor.position(surface, u);
    let arm = mean(&|u, v| place(u) - rigid.centre(v));
    if let Some((core, outward)) = zone.obstacle.ball() {
        let apart = mean(&|u, v| place(u) - RigidPlace::of(rigid, v).pose.place(core));
        // an iterate may lead through the middle of a small ball, and the way out is that of the start nevertheless
        if let Some(n) = (outward * apart).try_normalize(0.0).filter(|n| n.dot(&point.frame[0]) > 0.0) {
            let along = (point.frame[1] - n * n.dot(&point.frame[1])).normalize();
            point.frame = [n, along, n.cross(&along)];
        }
    }
    point.other = Some(Anchor::rigid(other.body, arm));
}

impl Contact {
    /// Points between rigid bodies that take part in the whole step, and which bodies are near anything.
    pub(super) fn restart_rigid(&mut self, old: &[BodyState]) {
        let span = self.span;
        let keep = 1.0 - span.rate * span.dt;
        let dim = self.rigid.dim();
        for pair in self.rigid.close_mut() {
            let first = self.held_points.len();
            let near = match pair.level {
                Level::Position => pair.is_near(),
                Level::Rate => pair.hold(Self::SLACK * pair.size()),
                Level::Velocity => {
                    pair.points(Moment::Start, &mut self.held_points);
                    let slack = Self::SLACK * pair.size();
                    let mut place = 0;
                    self.held_points.retain_mut(|p| {
                        place += 1;
                        if place <= first {
                            return true;
                        }
                        let v = p.relative(dim, |b| &old[b].v);
                        let wall = pair.wall_velocities(p);
                        let approach = p.frame[0].dot(&(v - wall[0]));
                        p.start = p.frame.map(|axis| axis.dot(&(keep * v - wall[1])) / span.rate);
                        p.start[0] += pair.restitution * approach.min(0.0) / span.rate;
                        span.is_explicit() || p.gap + span.dt * approach <= slack
                    });
                    self.held_points.len() > first
                }
            };
            pair.bodies().for_each(|b| self.near[b] |= near);
        }
    }
}
