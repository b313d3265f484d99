//! Everything within a radius of a point, a segment or a line: circle, sphere, capsule, endless cylinder. The distance is
//! that to the core less the radius, exact everywhere.

use std::f64::consts::{PI, TAU};

use nalgebra::Matrix3;

use super::super::features::{Crossing, Near, Patch, Piece, Support, Touch};
use super::super::given::{Given, Read, Word};
use super::super::outline::Outline;
use super::super::sections::{least, nearest_on};
use super::super::shape::{Shape, ball_around};
use super::super::solid::{Solid, about_axis};
use super::super::{Pose, Vector, across};

/// What a round shape surrounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Core {
    /// A point: circle or sphere.
    Point(Vector),
    /// A segment: capsule.
    Segment([Vector; 2]),
    /// A line through a point along a unit vector: endless cylinder.
    Line(Vector, Vector),
}

/// A round shape, or with `inside` the container around its hollow.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// What it surrounds.
    pub core: Core,
    /// Its radius, > 0.
    pub radius: f64,
    /// Whether bodies are within it instead of outside.
    pub inside: bool,
    /// Space dimension: in the plane normals stay in the plane.
    pub dim: usize,
}

impl Round {
    fn nearest(&self, x: &Vector) -> Vector {
        match &self.core {
            Core::Point(c) => *c,
            Core::Segment([a, b]) => {
                let d = b - a;
                a + d * ((x - a).dot(&d) / d.dot(&d)).clamp(0.0, 1.0)
            }
            Core::Line(p, e) => p + e * (x - p).dot(e),
        }
    }

    /// Unit vector away from the core; on the core itself any one across it.
    fn away(&self, d: &Vector) -> Vector {
        d.try_normalize(0.0).unwrap_or_else(|| match &self.core {
            Core::Point(_) => Vector::x(),
            Core::Segment([a, b]) if self.dim == 2 => {
                let t = (b - a).normalize();
                Vector::new(-t[1], t[0], 0.0)
            }
            Core::Segment([a, b]) => across(&(b - a).normalize()),
            Core::Line(_, e) => across(e),
        })
    }

    /// Distance and normal at a point, whichever side bodies are on.
    fn touch(&self, x: &Vector) -> Touch {
        let d = x - self.nearest(x);
        let (gap, normal) = (d.norm() - self.radius, self.away(&d));
        let (gap, normal) = if self.inside { (-gap, -normal) } else { (gap, normal) };
        Touch { normal, gap, feature: 0, sharp: false }
    }

    fn draw_in_plane(&self, outline: &mut Outline) {
        let ends = match &self.core {
            Core::Point(c) | Core::Line(c, _) => [*c, *c],
            Core::Segment(ends) => *ends,
        };
        let d = ends[1] - ends[0];
        let start = if d == Vector::zeros() { 0.0 } else { d[1].atan2(d[0]) - 0.25 * TAU };
        let chords = outline.chords;
        let corners = (0..chords).map(|k| {
            let (sin, cos) = (start + TAU * k as f64 / (chords - usize::from(ends[0] != ends[1])) as f64).sin_cos();
            ends[usize::from(2 * k < chords)] + self.radius * Vector::new(cos, sin, 0.0)
        });
        outline.closed(!self.inside, corners.collect());
    }
}

fn ball(given: &dyn Given) -> Option<Read> {
    let (centre, radius, inside) = (given.place("centre"), given.length("radius"), given.inside());
    Some(Round { core: Core::Point(centre?), radius: radius?, inside: inside?, dim: given.dim()? }.into())
}

fn capsule(given: &dyn Given) -> Option<Read> {
    let (from, to) = (given.place("from"), given.place("to"));
    let (radius, inside) = (given.length("radius"), given.inside());
    let ends = [from?, to?];
    if ends[0] == ends[1] {
        given.refuse("to", "is the same point as `from`: that is a circle or a sphere");
        return None;
    }
    Some(Round { core: Core::Segment(ends), radius: radius?, inside: inside?, dim: given.dim()? }.into())
}

impl Shape for Round {
    const WORDS: &'static [Word] = &[
        Word { name: "circle", dims: &[2], keys: &["centre", "radius", "inside"], read: ball },
        Word { name: "sphere", dims: &[3], keys: &["centre", "radius", "inside"], read: ball },
        Word { name: "capsule", dims: &[2, 3], keys: &["from", "to", "radius", "inside"], read: capsule },
    ];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        out.extend(Some(self.touch(x)).filter(|t| t.gap <= near.reach));
    }

    fn distance(&self, x: &Vector) -> f64 {
        self.touch(x).gap
    }

    fn least_distance(&self, piece: &[Vector; 3]) -> (f64, Vector) {
        let from = |core: Vector| (core - nearest_on(&core, piece)).norm();
        let core = match &self.core {
            Core::Point(centre) => *centre,
            Core::Segment([p, q]) => p.lerp(q, least(|share| from(p.lerp(q, share))).1),
            Core::Line(point, axis) => {
                let along = piece.map(|x| (x - point).dot(axis));
                let (low, high) =
                    along.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(*s), h.max(*s)));
                let (p, q) = (point + low * axis, point + high * axis);
                p.lerp(&q, least(|share| from(p.lerp(&q, share))).1)
            }
        };
        let place = nearest_on(&core, piece);
        ((place - core).norm() - self.radius, place)
    }

    fn is_container(&self) -> bool {
        self.inside
    }

    fn endless(&self) -> Option<Vector> {
        if let Core::Line(point, _) = self.core { Some(point) } else { None }
    }

    fn is_curved(&self) -> bool {
        true
    }

    fn ball(&self) -> Option<Vector> {
        if let Core::Point(centre) = self.core { Some(centre) } else { None }
    }

    /// All balls at the ends of the core. A container has none: a facet is within a convex hollow if its nodes are.
    fn support_count(&self) -> usize {
        match self.core {
            _ if self.inside => 0,
            Core::Point(_) => 1,
            Core::Segment(_) => 2,
            Core::Line(..) => 0,
        }
    }

    fn support(&self, k: usize, _towards: &Vector, _rolls: bool) -> Option<Support> {
        let core = match &self.core {
            Core::Point(c) => *c,
            Core::Segment(ends) => *ends.get(k)?,
            Core::Line(..) => return None,
        };
        Some(Support { core, radius: self.radius })
    }

    fn support_depth(&self) -> f64 {
        self.radius
    }

    /// The core itself, and each end of a capsule, which an edge along it meets.
    fn ridge_count(&self) -> usize {
        match self.core {
            _ if self.inside || self.dim == 2 => 0,
            Core::Point(_) | Core::Line(..) => 1,
            Core::Segment(_) => 3,
        }
    }

    fn is_smooth_ridge(&self, _k: usize) -> bool {
        true
    }

    fn ridge(&self, k: usize, x: &[Vector; 2]) -> Option<Crossing> {
        let along = x[1] - x[0];
        let (share, core) = match (&self.core, k) {
            (Core::Point(c), _) => (on_line(c, x), *c),
            (Core::Segment(ends), 1 | 2) => (on_line(&ends[k - 1], x), ends[k - 1]),
            (Core::Segment([a, b]), _) => {
                let (share, place) = between_lines(x, &along, a, &(b - a))?;
                if !(0.0..=1.0).contains(&place) {
                    return None;
                }
                (share, a + (b - a) * place)
            }
            (Core::Line(p, e), _) => {
                let (share, place) = between_lines(x, &along, p, e)?;
                (share, p + e * place)
            }
        };
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let d = x[0] + along * share - core;
        let distance = d.norm();
        Some(Crossing { share, normal: d.try_normalize(0.0)?, gap: distance - self.radius })
    }

    fn is_convex(&self) -> bool {
        !self.inside && self.dim == 3 && !matches!(self.core, Core::Line(..))
    }

    fn rounding(&self) -> f64 {
        self.radius
    }

    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        match self.core {
            Core::Segment([a, b]) if (b - a).dot(d) > 0.0 => (b, 1),
            Core::Point(place) | Core::Segment([place, _]) | Core::Line(place, _) => (place, 0),
        }
    }

    fn piece(&self, number: u32) -> Piece {
        Piece::Corner(match self.core {
            Core::Segment(ends) => ends[(number as usize).min(1)],
            Core::Point(place) | Core::Line(place, _) => place,
        })
    }

    fn patch(&self, d: &Vector) -> Patch {
        match self.core {
            Core::Segment([a, b]) if (b - a).dot(d).abs() <= Patch::TILT * (b - a).norm() => Patch::of(&[a, b], None),
            _ => Patch::of(&[self.farthest(d).0], None),
        }
    }

    fn solid(&self) -> Option<Solid> {
        if self.inside {
            return None;
        }
        let r = self.radius;
        let (ends, axis, length) = match self.core {
            Core::Point(c) => ([c, c], Vector::x(), 0.0),
            Core::Segment([a, b]) => ([a, b], (b - a).normalize(), (b - a).norm()),
            Core::Line(..) => return None,
        };
        let centre = 0.5 * (ends[0] + ends[1]);
        if self.dim == 2 {
            // a rectangle and two half discs
            let volume = 2.0 * r * length + PI * r * r;
            let polar = r * length * (length * length + 4.0 * r * r) / 6.0
                + 0.5 * PI * r.powi(4)
                + 0.25 * PI * (r * length).powi(2)
                + 4.0 / 3.0 * r.powi(3) * length;
            return Some(Solid { volume, centre, inertia: Matrix3::from_diagonal(&Vector::new(0.0, 0.0, polar)) });
        }
        // a cylinder and two half balls
        let (cylinder, ball) = (PI * r * r * length, 4.0 / 3.0 * PI * r.powi(3));
        let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
        let across = cylinder * (length * length / 12.0 + 0.25 * r * r)
            + ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
        Some(Solid { volume: cylinder + ball, centre, inertia: about_axis(axis, along, across) })
    }

    fn enclosing_ball(&self, pose: &Pose) -> Option<(Vector, f64)> {
        let (centre, half) = match self.core {
            Core::Point(centre) => (pose.place(centre), 0.0),
            Core::Segment(ends) => ball_around(ends.iter().map(|end| pose.place(*end)))?,
            Core::Line(..) => return None,
        };
        Some((centre, half + self.radius))
    }

    fn half_width(&self) -> Option<f64> {
        (!self.inside).then_some(self.radius)
    }

    fn draw(&self, outline: &mut Outline) {
        if outline.dim == 2 {
            return self.draw_in_plane(outline);
        }
        let (r, middle, size) = (self.radius, outline.middle, outline.size);
        let ([from, to], axis, caps) = match &self.core {
            Core::Point(c) => ([*c, *c], Vector::z(), true),
            Core::Segment([a, b]) => ([*a, *b], (b - a).normalize(), true),
            Core::Line(p, e) => {
                let foot = p + e * (middle - p).dot(e);
                ([foot - e * 1.5 * size, foot + e * 1.5 * size], *e, false)
            }
        };
        // the profile: (distance from the axis, place on it)
        let quarter = outline.chords / 4;
        let mut profile: Vec<(f64, Vector)> = Vec::new();
        if caps {
            let arc = |k: usize| (0.25 * TAU * k as f64 / quarter as f64).sin_cos();
            profile.extend((0..=quarter).map(|k| (r * arc(k).0, from - axis * (r * arc(k).1))));
            let first = usize::from(from == to);
            profile.extend((first..=quarter).map(|k| (r * arc(k).1, to + axis * (r * arc(k).0))));
        } else {
            profile.extend([(r, from), (r, to)]);
        }
        outline.turned(&profile, axis, if self.inside { 0.5 } else { 1.0 });
    }
}

fn on_line(p: &Vector, x: &[Vector; 2]) -> f64 {
    let d = x[1] - x[0];
    (p - x[0]).dot(&d) / d.dot(&d)
}

/// Where two lines are nearest to each other, as shares of their direction vectors. None if they are parallel: what lies
/// along a feature meets it at its ends, which other features see.
pub(super) fn between_lines(x: &[Vector; 2], d1: &Vector, p: &Vector, d2: &Vector) -> Option<(f64, f64)> {
    let (a, b, c) = (d1.dot(d1), d1.dot(d2), d2.dot(d2));
    let det = a * c - b * b;
    if det <= 1e-12 * a * c {
        return None;
    }
    let offset = p - x[0];
    let (e, f) = (d1.dot(&offset), d2.dot(&offset));
    Some(((e * c - b * f) / det, (b * e - a * f) / det))
}
