//! Two convex solids: what touches where a face of one is level with a face or an edge of the other, and the one place that
//! touches where no feature of theirs does.

use super::super::crossing::Crossed;
use super::super::motion::Moment;
use super::super::{ContactPoint, Identity, Vector};
use super::{Level, RigidPair, Side};
use crate::geometry::Patch;
use crate::geometry::apart::{Apart, Convex, apart, kept_apart};

/// The part of a patch above a face. Each of its places has a label that stays while the shapes move a little: the number of a
/// corner of the patch, or which border of the face cuts it off there, and whether the outline leaves the face or comes back.
struct Clipped {
    places: [(Vector, u32); Clipped::MOST],
    count: usize,
}

impl Clipped {
    const MOST: usize = 2 * Patch::MOST;

    fn new() -> Self {
        Clipped { places: [(Vector::zeros(), 0); Self::MOST], count: 0 }
    }

    fn of(places: &[Vector]) -> Self {
        let mut clipped = Self::new();
        places.iter().zip(0..).for_each(|(place, label)| clipped.push(*place, label));
        clipped
    }

    fn places(&self) -> &[(Vector, u32)] {
        &self.places[..self.count]
    }

    fn push(&mut self, place: Vector, label: u32) {
        if self.count < Self::MOST {
            self.places[self.count] = (place, label);
            self.count += 1;
        }
    }

    /// What is left of it on the positive side of a plane (SutherlandHodgman1974); cuts are labelled `label` and `label + 1`.
    fn cut(&self, label: u32, level: impl Fn(&Vector) -> f64) -> Self {
        let mut left = Self::new();
        for (k, (x, own)) in self.places().iter().enumerate() {
            let (next, _) = &self.places()[(k + 1) % self.count];
            let (here, there) = (level(x), level(next));
            if here >= 0.0 {
                left.push(*x, *own);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                left.push(x + (next - x) * (here / (here - there)), label + u32::from(here < 0.0));
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
            clipped = clipped.cut((Patch::MOST + 2 * k) as u32, |x| inwards.dot(&(x - from)));
        }
        clipped
    }
}

/// Which of two patches is the face that the other one meets. Where both are faces, it is the one that lies in the plane between them:
/// an edge of the other, tilted face rests on it, and its reactions are along the normal of the face that it rests on. Held along
/// the normal of the tilted one instead, it would be held twice, by normals that differ little, and where it slides such points wedge.
fn master_of(patches: &[Patch; 2], normal: &Vector) -> Option<usize> {
    let tilt = |k: usize| patches[k].face.map_or(f64::INFINITY, |face| face.cross(normal).norm());
    let tilts = [tilt(0), tilt(1)];
    let better = usize::from(tilts[1] <= tilts[0] + LEVELLED);
    tilts[better].is_finite().then_some(better)
}

/// Sine of the tilt below which faces lie in one plane.
const LEVELLED: f64 = 1e-9;

impl RigidPair {
    /// How two convex solids are apart; nothing if no point of theirs is within reach.
    pub(super) fn apart(&self, moment: Moment) -> Option<Apart> {
        let convex = |side: &'_ Side| {
            let pose = &side.at(moment).pose;
            side.around.map(|(middle, _)| (pose.place(middle), *pose))
        };
        let ((here, own), (there, other)) = convex(&self.sides[0]).zip(convex(&self.sides[1]))?;
        let [a, b] = &self.sides;
        let first = Convex { shape: &a.shape, pose: &own, middle: here };
        let second = Convex { shape: &b.shape, pose: &other, middle: there };
        // mostly the last plane says enough
        if kept_apart(&first, &second, &self.axis) > self.reach {
            return None;
        }
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
        let Some(master) = master_of(&patches, &between.normal) else { return };
        let (slave, face) = (1 - master, &patches[master]);
        let Some(normal) = face.face.filter(|_| patches[slave].places().len() > 1) else { return };
        let radius = self.sides[slave].shape.rounding();
        for (x, label) in Clipped::above(&patches[slave], face, &normal).places() {
            let gap = normal.dot(&(x - face.places()[0])) - radius;
            if !(-self.depth..=self.reach).contains(&gap) {
                continue;
            }
            let from_second = if master == 1 { normal } else { -normal };
            let identity = self.identity(Self::LEVEL + label, master as u32);
            if let Some(point) = self.free_point(identity, slave, x - radius * normal, (from_second, gap), moment) {
                self.join(point, first, out);
            }
        }
    }

    /// Adds a point where nothing as near is found beside it.
    fn join(&self, point: ContactPoint, first: usize, out: &mut Vec<ContactPoint>) {
        let near = |p: &ContactPoint| p.gap <= point.gap + Self::SEEN * self.size;
        if !out[first..].iter().any(|p| near(p) && self.is_beside(p, &point)) {
            self.replace(point, first, out);
        }
    }

    /// Adds a point in place of what is beside it, which is the same contact less exactly: one contact that is held along two normals
    /// which differ a little wedges where it slides, and the contact problem may have no solution then, or several.
    fn replace(&self, point: ContactPoint, first: usize, out: &mut Vec<ContactPoint>) {
        let mut place = 0;
        out.retain(|p| {
            place += 1;
            place <= first || !self.is_beside(p, &point)
        });
        out.push(point);
    }

    /// Whether one point next to another says little more.
    fn is_beside(&self, p: &ContactPoint, q: &ContactPoint) -> bool {
        let apart = p.anchor.arm().zip(q.anchor.arm()).map_or(0.0, |(a, b)| (a - b).norm());
        apart <= Self::BESIDE_LEVEL * self.size && p.frame[0].dot(&q.frame[0]) > Self::BESIDE_NORMAL
    }

    /// The one place that touches, where no feature was found as near. At position level it takes part once it touches: before, the
    /// normal between two edges or corners says nothing about where they may go. From then on it does in all iterations of the
    /// step, in place of what is beside it.
    pub(super) fn unseen(&mut self, between: &Apart, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let touches = between.gap <= Self::TOUCHING * self.size;
        let asked = touches || self.level != Level::Position || self.wary;
        let seen = |p: &ContactPoint| p.gap <= between.gap + Self::SEEN * self.size;
        let overlooked = self.wary || !out[first..].iter().any(seen);
        if !asked || !(-self.depth..=self.reach).contains(&between.gap) || !overlooked {
            return;
        }
        self.wary |= touches;
        let identity = self.identity(Self::NEAREST, 0);
        if let Some(point) = self.free_point(identity, 0, between.place, (between.normal, between.gap), moment) {
            self.replace(point, first, out);
        }
    }

    pub(super) fn identity(&self, first: u32, second: u32) -> Identity {
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
    pub(super) fn free_point(
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
    pub(super) const NEAREST: u32 = Self::LEVEL - 1;

    /// Share of its size within which a corner or rim stands for what is level beside it.
    const BESIDE_LEVEL: f64 = 0.03;

    /// Cosine of the angle within which it does: faces that count as level are tilted against each other by less.
    const BESIDE_NORMAL: f64 = 0.98;

    /// Share of its size within which the nearest place counts as touching.
    const TOUCHING: f64 = 1e-7;

    /// Share of its size within which a feature counts as the nearest place.
    const SEEN: f64 = 1e-9;
}

#[cfg(test)]
mod tests {
    use super::super::super::{Pose, RigidPlace};
    use super::*;
    use crate::bodies::Span;
    use crate::geometry::Obstacle;
    use crate::geometry::{Block, Revolved};

    /// A box tilted by a degree stands with an edge on the end of a cylinder: whichever of the two comes first, everything that
    /// touches is held along the axis of the cylinder, and no place twice.
    #[test]
    fn an_edge_on_a_face_is_held_along_the_normal_of_the_face() {
        let tilt = 1f64.to_radians();
        let half = Vector::new(0.05, 0.03, 0.02);
        let block = Obstacle::new("box", Block { min: -half, max: half, inside: false });
        let post =
            Revolved { origin: -0.1 * Vector::z(), axis: Vector::z(), length: 0.1, radii: [0.065; 2], inside: false };
        let post = Obstacle::new("post", post);
        let lowest = half.x * tilt.sin() + half.z * tilt.cos();
        for gap in [0.0, 1e-9, -1e-11] {
            let centre = Vector::new(0.001, -0.002, lowest + gap);
            let tilted = RigidPlace { pose: Pose::new(tilt * Vector::y(), Vector::zeros(), centre), centre };
            let places = [RigidPlace { centre: -0.05 * Vector::z(), ..RigidPlace::default() }, tilted];
            for first in [0, 1] {
                let shapes = [&post, &block];
                let second = (Some(1 - first), shapes[1 - first].clone());
                let mut pair = RigidPair::new(0, (first, shapes[first].clone()), second, (3, 0.1), Level::Position);
                pair.search = Some(1e-3);
                let span = Span { start: 0.0, dt: 1e-3, weight: 0.5, rate: 2e3, moves: true };
                pair.begin(&span, |b| places[b], |b| places[b]);
                let mut found = Vec::new();
                pair.points(Moment::End, &mut found);
                found.retain(|p| p.gap < 1e-6);
                assert!(found.len() >= 2, "an edge stands on two places: {found:?}");
                let up = if first == 0 { -Vector::z() } else { Vector::z() };
                for (k, p) in found.iter().enumerate() {
                    assert!((p.frame[0] - up).norm() < 1e-9, "gap {gap:e}: {:?}", p.frame[0]);
                    assert!((p.gap - gap).abs() < 1e-13, "{:e} for {gap:e}", p.gap);
                    assert!(found[..k].iter().all(|q| !pair.is_beside(p, q)), "{:?} is held twice", p.anchor);
                }
            }
        }
    }
}
