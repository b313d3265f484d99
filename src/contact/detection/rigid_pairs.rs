//! All rigid shapes that may touch each other: a pair is made when the two come close for the first time, and asked only in steps in
//! which they are.

use super::Vector;
use super::family::Family;
use super::grain::Carrier;
use super::motion::Moment;
use super::rigid_pair::{RigidPair, RigidPlace};
use super::zone::Level;
use crate::bodies::Span;
use crate::contact::friction::Friction;
use crate::geometry::Bounds;
use crate::geometry::Obstacle;

/// A rigid shape: one that a body with mass carries, or an obstacle.
#[derive(Debug, Clone)]
struct Thing {
    body: Option<usize>,
    shape: Obstacle,
    /// Size of the body.
    size: f64,
    /// A ball around it, where it rests.
    ball: Option<(Vector, f64)>,
}

/// The law of contacts between rigid shapes.
#[derive(Debug, Clone, Copy, Default)]
pub struct RigidTerms {
    /// Coulomb's law.
    pub friction: Friction,
    /// First axis of orthotropic friction at rest, and which of the two carries it.
    pub grain: Option<(Vector, Carrier)>,
    /// What the normal condition is imposed on.
    pub level: Level,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Search distance, if the case gives one.
    pub search: Option<f64>,
}

/// Rigid shapes that may touch each other.
#[derive(Debug, Clone, Default)]
pub struct RigidPairs {
    dim: usize,
    things: Vec<Thing>,
    declared: Vec<(Family, RigidTerms)>,
    /// Pairs that have come close so far, in the order of their numbers.
    pairs: Vec<RigidPair>,
    /// Numbers of those that are close in this step, ascending.
    close: Vec<u32>,
    boxes: Vec<Bounds>,
    /// Numbers of pairs to be made.
    fresh: Vec<u32>,
}

impl RigidPairs {
    /// Share of a body's size within which bodies count as resting on each other.
    const REST: f64 = 1e-6;

    /// Of nothing yet, in the plane or in space.
    pub fn new(dim: usize) -> Self {
        RigidPairs { dim, ..RigidPairs::default() }
    }

    /// Adds a shape with the number and the size of the body that carries it, if one does. Returns its number.
    pub fn add(&mut self, shape: Obstacle, carrier: Option<(usize, f64)>) -> u32 {
        let ball = shape.enclosing_ball().filter(|_| carrier.is_some() || shape.motion.is_none());
        let (body, size) = carrier.unzip();
        self.things.push(Thing { body, shape, size: size.unwrap_or(f64::INFINITY), ball });
        self.things.len() as u32 - 1
    }

    /// Declares that shapes may touch each other; two obstacles never do.
    pub fn declare(&mut self, family: Family, terms: RigidTerms) {
        self.declared.push((family, terms));
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether any contact is imposed at this level.
    pub fn has_level(&self, level: Level) -> bool {
        self.declared.iter().any(|(_, terms)| terms.level == level)
    }

    /// Names of all that may touch, and the law.
    pub fn named(&self) -> impl Iterator<Item = ([&str; 2], &RigidTerms)> {
        self.declared.iter().flat_map(move |(family, terms)| {
            let pairs = family.numbers().filter_map(|number| family.pair(number));
            let body = |thing: u32| self.things[thing as usize].body;
            let pairs = pairs.filter(move |pair| body(pair[0]) != body(pair[1]));
            pairs.map(move |pair| (pair.map(|thing| self.things[thing as usize].shape.name.as_str()), terms))
        })
    }

    /// Pairs that are close in this step.
    pub fn close_mut(&mut self) -> impl Iterator<Item = &mut RigidPair> {
        let mut close = self.close.iter().copied().peekable();
        self.pairs.iter_mut().filter(move |pair| close.next_if_eq(&pair.number).is_some())
    }

    /// Takes up a step: which pairs may meet on the way from the start to where the bodies drift to.
    pub fn begin(&mut self, span: &Span, start: impl Fn(usize) -> RigidPlace, drifted: impl Fn(usize) -> RigidPlace) {
        self.close.clear();
        self.meet(span, start, drifted, |_| true);
    }

    /// Looks for pairs at position level that meet where the bodies really went, and says where all are at the end of the step.
    pub fn arrive(&mut self, span: &Span, start: impl Fn(usize) -> RigidPlace, end: impl Fn(usize) -> RigidPlace) {
        if self.has_level(Level::Position) {
            self.meet(span, start, &end, |terms| terms.level == Level::Position);
        }
        self.close_mut().for_each(|pair| pair.place(Moment::End, &end));
    }

    /// Adds the pairs to the close ones whose shapes may meet between two places, and takes up the step with them.
    fn meet(
        &mut self,
        span: &Span,
        start: impl Fn(usize) -> RigidPlace,
        end: impl Fn(usize) -> RigidPlace,
        asks: impl Fn(&RigidTerms) -> bool,
    ) {
        let RigidPairs { things, declared, pairs, close, boxes, fresh, .. } = self;
        // what stays apart by the way of an earlier step, see [`Level::look`]
        let widest = pairs.iter().map(RigidPair::depth).fold(0.0, f64::max);
        boxes.clear();
        boxes.extend(things.iter().map(|thing| thing.swept(&start, &end)));
        fresh.clear();
        for (family, terms) in declared.iter_mut().filter(|(_, terms)| asks(terms)) {
            let margin = terms.search.unwrap_or(0.0).max(terms.level.look(span, 0.0, widest));
            let around = |thing: u32| boxes[thing as usize].inflated(margin);
            family.meeting(around, |number, pair| {
                // two shapes of one body never meet, nor do two obstacles
                let [first, second] = pair.map(|thing| things[thing as usize].body);
                if first != second && close.binary_search(&number).is_err() {
                    fresh.push(number);
                }
            });
        }
        if fresh.is_empty() {
            return;
        }
        let known = pairs.len();
        for &number in fresh.iter() {
            if pairs[..known].binary_search_by_key(&number, |pair| pair.number).is_err() {
                pairs.extend(make(number, things, declared, self.dim));
            }
        }
        if pairs.len() > known {
            pairs.sort_by_key(|pair| pair.number);
        }
        for number in fresh.iter() {
            if let Ok(place) = pairs.binary_search_by_key(number, |pair| pair.number) {
                pairs[place].begin(span, &start, &end);
            }
        }
        close.append(fresh);
        close.sort_unstable();
    }

    /// Largest reach of each pair made so far, behind their count and each behind its number.
    pub(in crate::contact) fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.pairs.len() as f64);
        out.extend(self.pairs.iter().flat_map(|pair| [f64::from(pair.number), pair.depth()]));
    }

    /// Takes over what [`RigidPairs::memory`] gave and returns what follows it; `None` if it does not fit.
    pub(in crate::contact) fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let (count, rest) = memory.split_first()?;
        // whole numbers, exact
        let (own, rest) = rest.split_at_checked((*count as usize).checked_mul(2)?)?;
        self.pairs.clear();
        self.close.clear();
        for &[number, depth] in own.as_chunks::<2>().0 {
            let mut pair = make(number as u32, &self.things, &self.declared, self.dim)?;
            pair.set_depth(depth);
            self.pairs.push(pair);
        }
        Some(rest)
    }
}

impl Thing {
    /// A box around it and twice the way that its places go between two places of its body.
    fn swept(&self, start: impl Fn(usize) -> RigidPlace, end: impl Fn(usize) -> RigidPlace) -> Bounds {
        let Some((centre, radius)) = self.ball else { return Bounds::endless() };
        let Some(body) = self.body else {
            return Bounds { low: centre, high: centre }.inflated(radius);
        };
        let (start, end) = (start(body).pose, end(body).pose);
        let axes = [Vector::x(), Vector::y(), Vector::z()];
        let turn = axes.map(|axis| (end.turn(axis) - start.turn(axis)).norm_squared()).iter().sum::<f64>();
        let places = [start.place(centre), end.place(centre)];
        let way = (places[1] - places[0]).norm() + radius * turn.sqrt();
        Bounds::around(places).inflated(radius + 2.0 * way + RigidPairs::REST * self.size)
    }
}

/// The pair with a number: first the shape with mass.
fn make(number: u32, things: &[Thing], declared: &[(Family, RigidTerms)], dim: usize) -> Option<RigidPair> {
    let (family, terms) = declared.iter().find(|(family, _)| family.numbers().contains(&number))?;
    let [mut first, mut second] = family.pair(number)?.map(|thing| &things[thing as usize]);
    let mut grain = terms.grain;
    if first.body.is_none() {
        (first, second) = (second, first);
        grain = grain.map(|(axis, carrier)| (axis, carrier.other()));
    }
    let size = first.size.min(second.size);
    let sides = ((first.body?, first.shape.clone()), (second.body, second.shape.clone()));
    let mut pair = RigidPair::new(number, sides.0, sides.1, (dim, size), terms.level);
    (pair.friction, pair.grain, pair.restitution, pair.search) =
        (terms.friction, grain, terms.restitution, terms.search);
    Some(pair)
}
