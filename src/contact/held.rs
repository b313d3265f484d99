//! Pairs of features that the judge found to have come through each other: they are held for the rest of the step, and as long as
//! they carry load.
//!
//! Detection looks for what is near and decides on which side of a surface things are; what it misses, the straight ways of a step
//! tell. The step is then done again with the pair among its points, and cut only where nothing new is found.

use super::detection::{Anchor, ContactPoint, Identity, Level, Vector};
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

/// Cosine by which a normal may lean beyond those of a ridge or tip.
const LEANS: f64 = 1e-3;

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
        let found = (0..self.held.now.len()).filter_map(|k| {
            let (pair, iterate) = (&self.held.now[k], Iterate(system));
            let point = self.held_point(pair, system)?;
            let slack = SAME.0 * system[point.anchor.body].body.size();
            Some((k, point, self.feature(pair, &point, slack, &iterate)))
        });
        let mut found: Vec<(usize, ContactPoint, Option<Feature>)> = found.collect();
        found.sort_by_key(|(_, _, feature)| feature.as_ref().map_or(usize::MAX, |feature| feature.rank));
        let iterate = Iterate(system);
        let mut features: Vec<&Feature> = Vec::new();
        for (k, point, feature) in &found {
            let slack = SAME.0 * system[point.anchor.body].body.size();
            if features.iter().any(|known| known.holds(point, &iterate)) {
                continue;
            }
            if let Some(feature) = feature {
                self.points.retain(|known| !feature.holds(known, &iterate));
                features.push(feature);
            }
            if !self.points.iter().any(|known| say_the_same(known, point, slack)) {
                self.held.points.push((*k, point.identity));
                self.points.push(*point);
            }
        }
    }

    /// The ridge or tip that a held point is at.
    fn feature(&self, pair: &Caught, point: &ContactPoint, slack: f64, at: &impl Placed) -> Option<Feature> {
        let (pose, is_second) = match pair.source {
            Source::Zone(place) => (self.zones[place].pose(Moment::End), self.judge.bodies_of(pair)[0].is_none()),
            Source::Pair(_) => (Default::default(), false),
        };
        let rays = self.judge.rays_of(pair, |body, node| pose.own(at.position(body, node)));
        let sides = sides_of(point, at);
        let [one, other] = if is_second { [1, 0] } else { [0, 1] };
        (!rays.is_empty()).then(|| Feature {
            zone: point.identity.zone,
            rank: usize::from(!pair.is_at_tip()),
            owner: sides[one].0,
            at: [sides[one].1, sides[other].1],
            gap: point.gap,
            slack,
            rays: rays.into_iter().map(|ray| pose.turn(ray)).collect(),
        })
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

/// A point of one body held by a ridge or a tip of another: one condition, whatever else is found of that place.
struct Feature {
    zone: u32,
    /// Tips go before ridges.
    rank: usize,
    /// Whose the point is, none for an obstacle, where it is, and where the ridge or tip is.
    owner: Option<usize>,
    at: [Vector; 2],
    gap: f64,
    slack: f64,
    rays: Vec<Vector>,
}

impl Feature {
    /// Whether a contact point holds the same point by the same place, along a normal of the ridge or tip.
    fn holds(&self, point: &ContactPoint, at: &impl Placed) -> bool {
        if point.level != Level::Position || point.identity.zone != self.zone {
            return false;
        }
        let sides = sides_of(point, at);
        let is_it = |side: &usize| sides[*side].0 == self.owner && (sides[*side].1 - self.at[0]).norm() <= self.slack;
        let Some(side) = (0..2).find(is_it) else { return false };
        let normal = if side == 0 { point.frame[0] } else { -point.frame[0] };
        let apart = (sides[1 - side].1 - self.at[1]).norm();
        apart <= self.slack + self.gap.abs() + point.gap.abs()
            && self.rays.iter().all(|ray| normal.dot(ray) <= LEANS * ray.norm())
    }
}

/// The two sides of a contact point: bodies, none for an obstacle, and places.
fn sides_of(point: &ContactPoint, at: &impl Placed) -> [(Option<usize>, Vector); 2] {
    let place = |anchor: &Anchor| -> Vector {
        anchor.parts().map(|(node, weight)| weight * at.position(anchor.body, node)).sum()
    };
    let own = place(&point.anchor);
    let other = point.other.as_ref().filter(|anchor| anchor.arm().is_none());
    let there = other.map_or_else(|| own - point.gap * point.frame[0], place);
    [(Some(point.anchor.body), own), (point.master(), there)]
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
