//! Pairs of features that the judge found to have come through each other: they are held for the rest of the step, and as long as
//! they carry load.
//!
//! Detection looks for what is near and decides on which side of a surface things are; what it misses, the straight ways of a step
//! tell. The step is then done again with the pair among its points, and cut only where nothing new is found.

use super::detection::{Anchor, ContactPoint, Identity, Level};
use super::judge::{Apart, Caught, Source};
use super::rigid::{self, placed};
use super::{Contact, Moment};
use crate::bodies::{Bodies, Body, BodyState};
use crate::contact::detection::source::{Iterate, Placed};
use crate::integrator::Linearised;

/// Kinds of points: those of [`Caught`] stand behind all others.
const FIRST_KIND: u8 = 9;

/// Share of a body's size, and cosine, within which two points say the same.
const SAME: (f64, f64) = (1e-9, 1.0 - 1e-6);

/// The pairs.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Those that carried load at the end of the last step that holds.
    kept: Vec<Caught>,
    /// Those of the step at hand.
    now: Vec<Caught>,
    /// Those of them that have a point at the current iterate, by their places.
    points: Vec<(usize, Identity)>,
}

impl Held {
    /// Adds pairs; whether any of them is new.
    fn take(&mut self, caught: &[Caught]) -> bool {
        let known = self.now.len();
        for pair in caught {
            if !self.now.iter().any(|other| other.is(pair)) {
                self.now.push(*pair);
            }
        }
        self.now.len() > known
    }

    /// Appends them, as plain numbers.
    pub(super) fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.kept.len() as f64);
        out.extend(self.kept.iter().flat_map(Caught::memory));
    }

    /// Takes over what [`Held::memory`] gave and returns what follows it; `None` if it does not fit.
    pub(super) fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let (count, rest) = memory.split_first()?;
        // whole numbers, exact
        let (pairs, rest) = rest.split_at_checked((*count as usize).checked_mul(Caught::NUMBERS)?)?;
        self.kept = pairs.as_chunks::<{ Caught::NUMBERS }>().0.iter().map(Caught::recall).collect::<Option<_>>()?;
        Some(rest)
    }
}

impl Contact {
    /// What was held at the end of the last step is a candidate of the next.
    pub(super) fn hold_on(&mut self, bodies: Bodies<'_>, old: &[BodyState]) {
        self.held.now.clear();
        if self.held.kept.is_empty() {
            return;
        }
        let mut judge = std::mem::take(&mut self.judge);
        let again = self.held.kept.iter().filter_map(|pair| judge.again(self, bodies, old, *pair)).collect();
        self.judge = judge;
        self.held.now = again;
        self.note_near();
    }

    /// Holds what came through in a step; whether anything of it was not held yet.
    pub(super) fn catch(&mut self) -> bool {
        let new = self.held.take(self.judge.caught());
        self.note_near();
        new
    }

    /// Bodies that something is held on are near it.
    pub(super) fn note_near(&mut self) {
        for pair in &self.held.now {
            let bodies = self.judge.bodies_of(pair).into_iter().flatten();
            let carrier = match pair.source {
                Source::Zone(place) => self.zones[place].carrier,
                Source::Pair(_) => None,
            };
            bodies.chain(carrier).for_each(|body| self.near[body] = true);
        }
    }

    /// A step holds: of the pairs those stay that carry load.
    pub(super) fn keep(&mut self) {
        let Contact { held: Held { kept, now, points: places }, points, r, problem, .. } = self;
        kept.clear();
        for (place, identity) in places {
            let mut loads = points.iter().zip(r.chunks_exact(problem.dim.max(1)));
            if loads.any(|(point, r)| point.identity == *identity && r[0] > 0.0) {
                kept.push(now[*place]);
            }
        }
    }

    /// Adds the points of the pairs at the current iterate, but for those that say what another point says.
    pub(super) fn add_held(&mut self, system: &[Linearised<'_>]) {
        if self.held.now.is_empty() {
            return;
        }
        for zone in self.zones.iter_mut().filter(|zone| zone.carrier.is_some()) {
            rigid::carry(zone, Moment::End, |b| placed(system, b));
        }
        self.held.points.clear();
        for k in 0..self.held.now.len() {
            let Some(point) = self.held_point(&self.held.now[k], system) else { continue };
            let slack = SAME.0 * system[point.anchor.body].body.size();
            if !self.points.iter().any(|known| say_the_same(known, &point, slack)) {
                self.held.points.push((k, point.identity));
                self.points.push(point);
            }
        }
    }

    fn held_point(&self, pair: &Caught, system: &[Linearised<'_>]) -> Option<ContactPoint> {
        let iterate = Iterate(system);
        let (kind, first, second) = pair.key();
        match pair.source {
            Source::Zone(place) => {
                let zone = &self.zones[place];
                let pose = zone.pose(Moment::End);
                let Apart { places, normal, gap } = self
                    .judge
                    .apart(pair, Some(&zone.obstacle), |body, node| pose.own(iterate.position(body, node)))?;
                let bodies = self.judge.bodies_of(pair);
                let side = usize::from(bodies[0].is_none());
                let body = &system[zone.body];
                let Body::Deformable(surface) = body.body else { return None };
                let anchor = self.judge.anchor(pair, side, zone.body, &places[side]);
                let normal = if side == 0 { normal } else { -normal };
                let kind = FIRST_KIND + 2 * kind + u8::from(side == 1);
                Some(zone.point_at(surface, body.u, (kind, first, second), anchor, (normal, gap)))
            }
            Source::Pair(number) => {
                let apart = self.judge.apart(pair, None, |body, node| iterate.position(body, node))?;
                let [Some(one), Some(other)] = self.judge.bodies_of(pair) else { return None };
                let anchors =
                    [(0, one), (1, other)].map(|(side, b)| self.judge.anchor(pair, side, b, &apart.places[side]));
                let dim = system[one].body.dim();
                let key = (number, FIRST_KIND + 2 * kind + u8::from(one > other), first, second);
                self.pairs.point_at(key, anchors, (apart.normal, apart.gap), &iterate, dim)
            }
        }
        .filter(|point| point.level == Level::Position)
        .map(|point| ContactPoint { gap: point.gap + pair.allowed, ..point })
    }
}

/// Whether two points are one condition.
fn say_the_same(one: &ContactPoint, other: &ContactPoint, slack: f64) -> bool {
    let along = one.frame[0].dot(&other.frame[0]);
    if one.level != Level::Position || along.abs() < SAME.1 || (one.gap - other.gap).abs() > slack {
        return false;
    }
    let are_one = |a: Option<&Anchor>, b: Option<&Anchor>| match (a, b) {
        (Some(a), Some(b)) => a.body == b.body && a.arm().is_some() == b.arm().is_some() && are_alike(a, b),
        (None, None) => true,
        _ => false,
    };
    let [a, b] = [one, other].map(|point| (Some(&point.anchor), point.other.as_ref()));
    if along > 0.0 { are_one(a.0, b.0) && are_one(a.1, b.1) } else { are_one(a.0, b.1) && are_one(a.1, b.0) }
}

/// Whether two places are combinations of the same nodes, to a millionth.
fn are_alike(one: &Anchor, other: &Anchor) -> bool {
    let weight =
        |anchor: &Anchor, node: usize| anchor.parts().filter(|part| part.0 == node).map(|part| part.1).sum::<f64>();
    let nodes = one.parts().chain(other.parts());
    nodes.into_iter().all(|(node, _)| (weight(one, node) - weight(other, node)).abs() <= 1e-6)
}
