//! Two rigid shapes of which at least the first belongs to a body with mass. Places of one, the slave, are held outside the
//! other: corners, and balls around the ends of what is round (a ball is exact against anything, so one of them is enough);
//! of cylinders and cones the points of their rims that come first. Both shapes are slaves in turn unless one is a ball. In
//! space edges of both that cross are held apart along their common perpendicular.
//!
//! Two convex solids in space also have the plane that separates them best ([`crate::geometry::apart`]): what lies level with a face of
//! either is held at the corners of what they share, and where nothing is found as near as they are, the place that touches
//! in that plane. Its gap is what a step is judged by.
//!
//! Reactions of both act at one place, that of the slave in the middle of the step: momentum and angular momentum are kept
//! to round-off. Limit: surfaces that are not convex have no such plane; they meet by corners and edges alone.

mod depth;
mod halfway;
mod insisted;
mod passing;
mod patches;
mod rims;
mod sides;

use super::crossing::Crossings;
use super::grain::{Carrier, frame_along};
use super::motion::{Course, Moment};
use super::zone::Level;
use super::{Anchor, ContactPoint, Identity, Vector, frame};
use crate::bodies::Span;
use crate::contact::friction::Friction;
use crate::geometry::apart::Apart;
use crate::geometry::{Obstacle, Touch};
use insisted::Insisted;
use rims::Noted;
use sides::{Feature, Side};

pub use sides::RigidPlace;

/// Two rigid shapes that may touch.
#[derive(Debug, Clone)]
pub struct RigidPair {
    /// Number of the contact in the case.
    pub number: u32,
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
    sides: [Side; 2],
    crossings: Crossings,
    /// Motion of the second, where it is an obstacle.
    course: Course,
    /// Whether both are convex solids that features alone do not keep apart.
    convex: bool,
    /// The plane between them where they were last looked at, if they were within reach of each other.
    between: Option<Apart>,
    /// The normal of that plane when it was last looked for.
    axis: Vector,
    /// Whether they touched within the step where no feature was seen.
    wary: bool,
    /// Places of flat rims that came first within the step.
    noted: Vec<Noted>,
    /// Places that were inside where it had converged.
    insisted: Vec<Insisted>,
    dim: usize,
    size: f64,
    reach: f64,
    depth: f64,
    touches: Vec<Touch>,
    found: Vec<ContactPoint>,
    /// Points at rate level that take part in the whole step, as they are at its start.
    held: Vec<ContactPoint>,
}

impl RigidPair {
    /// Share of its size by which a corner is moved into its body before it is looked up.
    const BACK: f64 = 1e-6;

    /// Largest reach of the run so far.
    pub fn depth(&self) -> f64 {
        self.depth
    }

    /// Takes over the largest reach of a run that is taken up again.
    pub fn set_depth(&mut self, depth: f64) {
        self.depth = depth;
    }

    /// The first is carried by body `body`; the second by another, or it is an obstacle. `size` is the length below a
    /// millionth of which bodies count as touching.
    pub fn new(
        number: u32,
        (body, shape): (usize, Obstacle),
        second: (Option<usize>, Obstacle),
        (dim, size): (usize, f64),
        level: Level,
    ) -> Self {
        let edges = |shape: &Obstacle| if dim == 3 { shape.edges() } else { Vec::new() };
        let ball = |shape: &Obstacle| shape.ball().is_some_and(|(_, outward)| outward > 0.0);
        let shapes = [&shape, &second.1];
        // a ball is exact against anything
        let solid = |shape: &Obstacle| shape.is_convex() && shape.enclosing_ball().is_some();
        let convex = dim == 3 && shapes.into_iter().all(|shape| solid(shape) && !ball(shape));
        RigidPair {
            crossings: Crossings::new(edges(&shape), edges(&second.1)),
            number,
            friction: Friction::default(),
            grain: None,
            level,
            restitution: 0.0,
            search: None,
            course: Course::new(second.1.motion.clone()),
            convex,
            between: None,
            axis: Vector::zeros(),
            wary: false,
            noted: Vec::new(),
            insisted: Vec::new(),
            sides: [Side::new((Some(body), shape)), Side::new(second)],
            dim,
            size,
            reach: 0.0,
            depth: 0.0,
            touches: Vec::new(),
            found: Vec::new(),
            held: Vec::new(),
        }
    }

    /// The bodies it concerns.
    pub fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.sides.iter().filter_map(|side| side.body)
    }

    /// Names of the two.
    pub fn names(&self) -> [&str; 2] {
        self.sides.each_ref().map(|side| side.shape.name.as_str())
    }

    /// Their shapes at rest.
    pub fn shapes(&self) -> [&Obstacle; 2] {
        self.sides.each_ref().map(|side| &side.shape)
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Size of the bodies.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Says where the bodies are at one end of the step.
    pub fn place(&mut self, moment: Moment, place: impl Fn(usize) -> RigidPlace) {
        for side in &mut self.sides {
            side.placed[moment as usize] = match side.body {
                Some(body) => place(body),
                None => RigidPlace { pose: self.course.pose(moment), centre: Vector::zeros() },
            };
        }
    }

    /// Takes up a step, with the bodies at its start and where they drift to: how far to look.
    pub fn begin(&mut self, span: &Span, start: impl Fn(usize) -> RigidPlace, drifted: impl Fn(usize) -> RigidPlace) {
        self.course.begin(span);
        self.wary = false;
        self.noted.clear();
        self.insisted.clear();
        self.place(Moment::Start, start);
        self.place(Moment::End, drifted);
        let mut farthest = 0.0f64;
        for (slave, master) in [(0, 1), (1, 0)] {
            let (slave, master) = (&self.sides[slave], &self.sides[master]);
            let seen = |moment: Moment, x: Vector| master.at(moment).pose.own(slave.at(moment).pose.place(x));
            slave.features(Vector::x(), |f| {
                farthest = farthest.max((seen(Moment::End, f.core) - seen(Moment::Start, f.core)).norm());
            });
        }
        let needed = 2.0 * farthest + 1e-6 * self.size;
        self.reach = self.search.unwrap_or(0.0).max(self.level.look(span, needed, self.depth));
        self.depth = self.depth.max(self.reach);
    }

    /// Whether anything is near at the start of the step, or where the bodies drift to.
    pub fn is_near(&mut self) -> bool {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut near = false;
        for moment in [Moment::Start, Moment::End] {
            self.points(moment, &mut found);
            near |= !found.is_empty() || self.between.is_some();
        }
        self.found = found;
        near
    }

    /// The contact points of the bodies at the start or the end of the step. Those of its end act in the middle of the step.
    pub fn points(&mut self, moment: Moment, out: &mut Vec<ContactPoint>) {
        self.between = None;
        if self.is_far(moment) {
            return;
        }
        if self.convex {
            let Some(between) = self.apart(moment) else { return };
            self.axis = between.normal;
            if between.gap > self.reach {
                return;
            }
            self.between = Some(between);
        }
        let mut touches = std::mem::take(&mut self.touches);
        let mut noted = std::mem::take(&mut self.noted);
        let first = out.len();
        let slaves = match (self.sides[0].is_ball(), self.sides[1].is_ball()) {
            (true, _) => 0..1,
            (false, true) => 1..2,
            (false, false) => 0..2,
        };
        for slave in slaves {
            let (side, master) = (&self.sides[slave], &self.sides[1 - slave]);
            let (here, there) = (side.at(moment), master.at(moment));
            let mut consider = |feature: &Feature<'_>, touch: &Touch| {
                let rolls = feature.radius > 0.0 || !feature.material;
                if let Some(point) = self.point(slave, feature, touch, moment)
                    && !out[first..].iter().any(|p| self.repeats(p, &point) || rolls && self.mirrors(p, &point))
                {
                    out.push(point);
                }
            };
            if side.shape.supports_move() {
                self.rims(slave, moment, self.between.as_ref(), (&mut touches, &mut noted), &mut consider);
                continue;
            }
            side.features(Vector::x(), |feature| {
                touches.clear();
                // A corner is looked up from a little inside its own body: on the edge of the other shape it is as near to one
                // face as to the next, and rounding must not choose the one it does not come from.
                let mut back = Vector::zeros();
                if feature.radius == 0.0 && !master.corners.is_empty() {
                    back = -Self::BACK * self.size * here.pose.turn(feature.normals.iter().sum());
                }
                let x = here.pose.place(feature.core) + back;
                let reach = self.reach + feature.radius + back.norm();
                master.shape.touches(there.pose.own(x), reach, self.depth, &mut touches);
                for touch in &mut touches {
                    touch.gap -= there.pose.turn(touch.normal).dot(&back);
                    consider(feature, touch);
                }
            });
        }
        (self.touches, self.noted) = (touches, noted);
        self.crossed(moment, first, out);
        if let Some(between) = self.between {
            self.level(&between, moment, first, out);
            self.unseen(&between, moment, first, out);
            self.insisted(moment, first, out);
        }
    }

    /// Edges that cross, as far as no corner is held in the same place.
    fn crossed(&self, moment: Moment, first: usize, out: &mut Vec<ContactPoint>) {
        let (here, there) = (self.sides[0].at(moment), self.sides[1].at(moment));
        let seen = |x: Vector| there.pose.own(here.pose.place(x));
        let turned = |d: Vector| there.pose.own_direction(here.pose.turn(d));
        self.crossings.each(seen, turned, (self.depth, self.reach), |crossed| {
            if let Some(point) = self.edge_point(&crossed, moment)
                && !out[first..].iter().any(|p| self.repeats(p, &point))
            {
                out.push(point);
            }
        });
    }

    /// Whether two points are one.
    fn repeats(&self, p: &ContactPoint, q: &ContactPoint) -> bool {
        let apart = p.anchor.arm().zip(q.anchor.arm()).map_or(0.0, |(a, b)| (a - b).norm());
        apart <= 1e-9 * self.size && p.frame[0].dot(&q.frame[0]) > 1.0 - 1e-9
    }

    /// Whether two points are one that both shapes see: a rim on the end of a capsule is where that end is on the rim. They act in
    /// the middle of the step, where a place that stays with its body and one that rolls on are not the same.
    fn mirrors(&self, p: &ContactPoint, q: &ContactPoint) -> bool {
        let apart = p.anchor.arm().zip(q.anchor.arm()).map_or(0.0, |(a, b)| (a - b).norm());
        p.identity.first % 2 != q.identity.first % 2
            && (p.gap - q.gap).abs() <= 1e-9 * self.size
            && p.frame[0].dot(&q.frame[0]) > 1.0 - 1e-9
            && apart <= Self::BESIDE * self.size + p.gap.abs()
    }

    fn point(&self, slave: usize, feature: &Feature<'_>, touch: &Touch, moment: Moment) -> Option<ContactPoint> {
        let (side, master) = (&self.sides[slave], &self.sides[1 - slave]);
        let (here, there) = (side.at(moment), master.at(moment));
        if touch.gap - feature.radius > self.reach {
            return None;
        }
        let mut normal = there.pose.turn(touch.normal);
        // A corner level with the end of a face is held by that face if the face is in front of it. The corner at the end
        // has no normal for it: as the other shape's feature it meets this one's faces.
        let opposed = |n: &Vector| here.pose.turn(*n).dot(&normal) <= 1e-9;
        let held = feature.normals.iter().all(opposed) && master.shape.is_face(touch.feature);
        if touch.sharp && feature.radius == 0.0 && !held {
            return None;
        }
        let mean = |at: &dyn Fn(&RigidPlace) -> Vector, of: &Side| match moment {
            Moment::Start => at(of.at(Moment::Start)),
            Moment::End => 0.5 * (at(of.at(Moment::Start)) + at(of.at(Moment::End))),
        };
        let centre = |of: &Side| mean(&|placed| placed.centre, of);
        let core = match feature.material {
            true => mean(&|placed| placed.pose.place(feature.core), side),
            // a rim touches with another of its points each time
            false => centre(side) + here.pose.place(feature.core) - here.centre,
        };
        if feature.radius > 0.0
            && let Some((other, outward)) = master.shape.ball()
        {
            // between two balls the normal of the middle: it does no work that the change of the gap does not explain
            let apart = core - mean(&|placed| placed.pose.place(other), master);
            normal = (outward * apart).try_normalize(0.0).unwrap_or(normal);
        }
        let place = core - feature.radius * normal;
        let normal = if slave == 0 { normal } else { -normal };
        let frame = self.frame(normal, moment);
        let anchor = |side: &Side| side.body.map(|body| Anchor::rigid(body, place - centre(side)));
        let at = here.pose.place(feature.core) - feature.radius * there.pose.turn(touch.normal);
        let wall = if self.sides[1].body.is_none() { self.course.displacement(moment, at) } else { Vector::zeros() };
        Some(ContactPoint {
            identity: Identity {
                zone: self.number,
                pass: 0,
                first: 2 * feature.number + slave as u32,
                second: touch.feature,
            },
            anchor: anchor(&self.sides[0])?,
            other: anchor(&self.sides[1]),
            frame,
            gap: touch.gap - feature.radius,
            friction: self.friction,
            level: self.level,
            wall,
            start: frame.map(|axis| -axis.dot(&wall)),
        })
    }

    /// Axes of a contact with the given normal.
    fn frame(&self, normal: Vector, moment: Moment) -> [Vector; 3] {
        match self.grain {
            Some((axis, carrier)) => {
                let side = &self.sides[usize::from(carrier == Carrier::Second)];
                frame_along(normal, side.at(moment).pose.turn(axis))
            }
            None => frame(normal, self.dim),
        }
    }

    /// Velocities of the obstacle at the place of a contact point of the start, at the start and the end of the step.
    pub fn wall_velocities(&self, point: &ContactPoint) -> [Vector; 2] {
        match self.sides[1].body {
            Some(_) => [Vector::zeros(); 2],
            None => {
                let centre = self.sides[0].at(Moment::Start).centre;
                self.course.velocities(centre + point.anchor.arm().unwrap_or_default())
            }
        }
    }
}
