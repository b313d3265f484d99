//! Everything within a radius of a point, a segment or a line: circle, sphere, capsule, endless cylinder. The distance is
//! that to the core less the radius, exact everywhere.

use super::super::obstacle::Touch;
use super::{Crossing, Support, Vector, across};

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
    pub fn touch(&self, x: &Vector) -> Touch {
        let d = x - self.nearest(x);
        let (gap, normal) = (d.norm() - self.radius, self.away(&d));
        let (gap, normal) = if self.inside { (-gap, -normal) } else { (gap, normal) };
        Touch { normal, gap, feature: 0, sharp: false }
    }

    /// Places that press on the inside of a facet: all balls at the ends of the core. A container has none: a facet is
    /// within a convex hollow if its nodes are.
    pub fn support_count(&self) -> usize {
        match self.core {
            _ if self.inside => 0,
            Core::Point(_) => 1,
            Core::Segment(_) => 2,
            Core::Line(..) => 0,
        }
    }

    /// Number `k` of them.
    pub fn support(&self, k: usize) -> Option<Support> {
        let core = match &self.core {
            Core::Point(c) => *c,
            Core::Segment(ends) => *ends.get(k)?,
            Core::Line(..) => return None,
        };
        Some(Support { core, radius: self.radius })
    }

    /// Features an edge can lie across: the core itself, and each end of a capsule, which an edge along it meets.
    pub fn ridge_count(&self) -> usize {
        match self.core {
            _ if self.inside || self.dim == 2 => 0,
            Core::Point(_) | Core::Line(..) => 1,
            Core::Segment(_) => 3,
        }
    }

    /// Where the edge `x0 → x1` is nearest to feature `k`, if that is between its ends.
    pub fn ridge(&self, k: usize, x: &[Vector; 2]) -> Option<Crossing> {
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
