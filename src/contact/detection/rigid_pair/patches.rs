//! Two convex solids: what touches where a face of one is level with a face or an edge of the other, and the one place that
//! touches where no feature of theirs does.

use super::super::apart::{Apart, Convex, apart};
use super::super::crossing::Crossed;
use super::super::motion::Moment;
use super::super::shapes::Patch;
use super::super::{ContactPoint, Identity, Vector};
use super::{Level, RigidPair, Side};

/// The part of a patch above a face.
struct Clipped {
    places: [Vector; Clipped::MOST],
    count: usize,
}

impl Clipped {
    const MOST: usize = 2 * Patch::MOST;

    fn of(places: &[Vector]) -> Self {
        let mut clipped = Clipped { places: [Vector::zeros(); Self::MOST], count: places.len() };
        clipped.places[..places.len()].copy_from_slice(places);
        clipped
    }

    fn places(&self) -> &[Vector] {
        &self.places[..self.count]
    }

    fn push(&mut self, place: Vector) {
        if self.count < Self::MOST {
            self.places[self.count] = place;
            self.count += 1;
        }
    }

    /// What is left of it on the positive side of a plane (SutherlandHodgman1974).
    fn cut(&self, level: impl Fn(&Vector) -> f64) -> Self {
        let mut left = Clipped { places: [Vector::zeros(); Self::MOST], count: 0 };
        for (k, x) in self.places().iter().enumerate() {
            let next = &self.places()[(k + 1) % self.count];
            let (here, there) = (level(x), level(next));
            if here >= 0.0 {
                left.push(*x);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                left.push(x + (next - x) * (here / (here - there)));
            }
        }
        left
    }

    /// The part of a patch above a face with the given normal.
    fn above(patch: &Patch, face: &Patch, normal: &Vector) -> Self {
        let border = face.places();
        let middle = border.iter().sum::<Vector>() / border.len() as f64;
        let mut clipped = Self::of(patch.places());
        for (k, from) in border.iter().enumerate() {
            let inwards = normal.cross(&(border[(k + 1) % border.len()] - from));
            let inwards = if inwards.dot(&(middle - from)) < 0.0 { -inwards } else { inwards };
            clipped = clipped.cut(|x| inwards.dot(&(x - from)));
        }
        clipped
    }
}

impl RigidPair {
    /// How two convex solids are apart.
    pub(super) fn apart(&self, moment: Moment) -> Option<Apart> {
        if !self.convex {
            return None;
        }
        let convex = |side: &'_ Side| {
            let pose = &side.at(moment).pose;
            side.around.map(|(middle, _)| (pose.place(middle), *pose))
        };
        let ((here, own), (there, other)) = convex(&self.sides[0]).zip(convex(&self.sides[1]))?;
        let [a, b] = &self.sides;
        let first = Convex { shape: &a.shape, pose: &own, middle: here };
        let second = Convex { shape: &b.shape, pose: &other, middle: there };
        Some(apart(&first, &second, self.size))
    }

    /// Whether the two are farther apart than anything is looked for.
    pub(super) fn is_far(&self, moment: Moment) -> bool {
        let [a, b] = &self.sides;
        a.around.zip(b.around).is_some_and(|((x, r), (y, s))| {
            let apart = a.at(moment).pose.place(x) - b.at(moment).pose.place(y);
            apart.norm() > r + s + self.reach
        })
    }

    /// Where a face of one is level with a face or an edge of the other: the corners of what they share, held along the normal of the
    /// face.
    pub(super) fn level(&self, between: &Apart, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let patch = |k: usize, towards: Vector| {
            let (side, pose) = (&self.sides[k], &self.sides[k].at(moment).pose);
            side.shape.patch(pose.own_direction(towards)).moved(|x| pose.place(x), |n| pose.turn(n))
        };
        let patches = [patch(0, -between.normal), patch(1, between.normal)];
        let Some(master) = [1, 0].into_iter().find(|&k| patches[k].face.is_some()) else { return };
        let (slave, face) = (1 - master, &patches[master]);
        let Some(normal) = face.face.filter(|_| patches[slave].places().len() > 1) else { return };
        let radius = self.sides[slave].shape.rounding();
        for (k, x) in Clipped::above(&patches[slave], face, &normal).places().iter().enumerate() {
            let gap = normal.dot(&(x - face.places()[0])) - radius;
            if !(-self.depth..=self.reach).contains(&gap) {
                continue;
            }
            let from_second = if master == 1 { normal } else { -normal };
            let identity = self.identity(Self::LEVEL + k as u32, master as u32);
            let Some(point) = self.free_point(identity, slave, x - radius * normal, (from_second, gap), moment) else {
                continue;
            };
            if !out[first..].iter().any(|p| self.is_beside(p, &point)) {
                out.push(point);
            }
        }
    }

    /// Whether one point next to another says little more.
    fn is_beside(&self, p: &ContactPoint, q: &ContactPoint) -> bool {
        let apart = p.anchor.arm().zip(q.anchor.arm()).map_or(0.0, |(a, b)| (a - b).norm());
        apart <= Self::BESIDE_LEVEL * self.size
            && p.frame[0].dot(&q.frame[0]) > 1.0 - Self::BESIDE_LEVEL * Self::BESIDE_LEVEL
    }

    /// The one place that touches, where no feature was found as near. At position level it takes part once it touches: before, the
    /// normal between two edges or corners says nothing about where they may go.
    pub(super) fn unseen(&mut self, between: &Apart, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let touches = between.gap <= Self::TOUCHING * self.size;
        let asked = touches || self.level != Level::Position || self.wary;
        let seen = |p: &ContactPoint| p.gap <= between.gap + Self::SEEN * self.size;
        if !asked || !(-self.depth..=self.reach).contains(&between.gap) || out[first..].iter().any(seen) {
            return;
        }
        self.wary |= touches;
        let identity = self.identity(Self::NEAREST, 0);
        out.extend(self.free_point(identity, 0, between.place, (between.normal, between.gap), moment));
    }

    fn identity(&self, first: u32, second: u32) -> Identity {
        Identity { zone: self.number, pass: 0, first, second }
    }

    /// A point of two edges. They touch in other places of theirs each time, as rims do.
    pub(super) fn edge_point(&self, crossed: &Crossed, moment: Moment) -> Option<ContactPoint> {
        let there = self.sides[1].at(moment);
        let [own, other] = crossed.edges;
        // behind all corners and rims
        let identity = self.identity(u32::MAX - own, other);
        let (at, normal) = (there.pose.place(crossed.place), there.pose.turn(crossed.normal));
        self.free_point(identity, 0, at, (normal, crossed.gap), moment)
    }

    /// A point at a place of the slave's surface that is another one each time; the normal points from the second to the first.
    fn free_point(
        &self,
        identity: Identity,
        slave: usize,
        at: Vector,
        (normal, gap): (Vector, f64),
        moment: Moment,
    ) -> Option<ContactPoint> {
        let centre = |side: &Side| match moment {
            Moment::Start => side.at(Moment::Start).centre,
            Moment::End => 0.5 * (side.at(Moment::Start).centre + side.at(Moment::End).centre),
        };
        let side = &self.sides[slave];
        let place = centre(side) + at - side.at(moment).centre;
        let anchor = |side: &Side| side.body.map(|body| super::Anchor::rigid(body, place - centre(side)));
        let frame = self.frame(normal, moment);
        let wall = if self.sides[1].body.is_none() { self.course.displacement(moment, at) } else { Vector::zeros() };
        Some(ContactPoint {
            identity,
            anchor: anchor(&self.sides[0])?,
            other: anchor(&self.sides[1]),
            frame,
            gap,
            friction: self.friction,
            level: self.level,
            wall,
            start: frame.map(|axis| -axis.dot(&wall)),
        })
    }

    /// Numbers of such points, behind all corners and rims and before all edges.
    const LEVEL: u32 = 1 << 30;
    const NEAREST: u32 = Self::LEVEL - 1;

    /// Share of its size within which a corner or rim stands for what is level beside it.
    const BESIDE_LEVEL: f64 = 0.03;

    /// Share of its size within which the nearest place counts as touching.
    const TOUCHING: f64 = 1e-7;

    /// Share of its size within which a feature counts as the nearest place.
    const SEEN: f64 = 1e-9;
}
