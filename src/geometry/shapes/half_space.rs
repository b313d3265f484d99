//! Everything behind a plane; in the plane, behind a line.

use super::super::features::{Near, Touch};
use super::super::given::{Given, Read, Word};
use super::super::outline::{Outline, QUAD};
use super::super::shape::Shape;
use super::super::solid::Solid;
use super::super::{Vector, frame};

/// A half space.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfSpace {
    /// A point of the plane.
    pub point: Vector,
    /// Unit normal out of the obstacle.
    pub normal: Vector,
}

fn read(given: &dyn Given) -> Option<Read> {
    let (point, normal) = (given.place("point"), given.direction("normal"));
    Some(HalfSpace { point: point?, normal: normal? }.into())
}

impl Shape for HalfSpace {
    const WORDS: &'static [Word] = &[Word { name: "half_space", dims: &[2, 3], keys: &["point", "normal"], read }];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        let gap = self.distance(x);
        if gap <= near.reach {
            out.push(Touch { normal: self.normal, gap, feature: 0, sharp: false });
        }
    }

    fn distance(&self, x: &Vector) -> f64 {
        (x - self.point).dot(&self.normal)
    }

    fn endless(&self) -> Option<Vector> {
        Some(self.point)
    }

    fn solid(&self) -> Option<Solid> {
        None
    }

    fn draw(&self, outline: &mut Outline) {
        let (middle, normal) = (outline.middle, self.normal);
        let foot = middle - (middle - self.point).dot(&normal) * normal;
        let [_, t1, t2] = frame(normal, outline.dim);
        let (half, depth) = (1.5 * outline.size, 0.05 * outline.size);
        if outline.dim == 2 {
            let corner = |s: f64, d: f64| foot + s * half * t1 - d * depth * normal;
            outline.cell(QUAD, [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0), corner(-1.0, 0.0)]);
        } else {
            let start = foot - half * (t1 + t2) - depth * normal;
            outline.parallelepiped(start, [2.0 * half * t1, 2.0 * half * t2, depth * normal], false);
        }
    }
}
