//! Convex solids by what comes first in a direction: a core, and a radius around it. A capsule is a segment with a radius; boxes,
//! cylinders, cones and convex closed surfaces are cores themselves.

use std::f64::consts::TAU;

use super::super::obstacle::{Obstacle, Shape};
use super::{Block, Core, Revolved, Round, Surface, Vector, across};

/// The places of a core that come first in a direction, or would after a small tilt: a corner, the ends of an edge or of a
/// straight line on a curved side, or the corners of a face.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    places: [Vector; Patch::MOST],
    count: usize,
    /// Outward normal, where it is a face. Its places run around it then.
    pub face: Option<Vector>,
}

impl Patch {
    /// Places of the largest.
    pub const MOST: usize = 12;

    /// Sine of the angle by which a face or an edge may be tilted.
    const TILT: f64 = 0.1;

    /// Places that stand for a circle.
    const AROUND: usize = 6;

    /// Sine of the tilt below which no place of a circle comes first.
    const FLAT: f64 = 1e-6;

    fn new() -> Self {
        Patch { places: [Vector::zeros(); Self::MOST], count: 0, face: None }
    }

    fn of(places: &[Vector], face: Option<Vector>) -> Self {
        let mut patch = Patch { face, ..Self::new() };
        places.iter().for_each(|place| patch.push(*place));
        patch
    }

    fn push(&mut self, place: Vector) {
        if self.count < Self::MOST {
            self.places[self.count] = place;
            self.count += 1;
        }
    }

    /// Its places.
    pub fn places(&self) -> &[Vector] {
        &self.places[..self.count]
    }

    /// With every place and the normal taken elsewhere.
    pub fn moved(mut self, place: impl Fn(Vector) -> Vector, turn: impl Fn(Vector) -> Vector) -> Self {
        self.places[..self.count].iter_mut().for_each(|x| *x = place(*x));
        self.face = self.face.map(turn);
        self
    }
}

impl Obstacle {
    /// Whether it is a convex solid in space.
    pub fn is_convex(&self) -> bool {
        match &self.shape {
            Shape::Block(block) => !block.inside,
            Shape::Round(round) => !round.inside && round.dim == 3 && !matches!(round.core, Core::Line(..)),
            Shape::Revolved(solid) => !solid.inside,
            Shape::Surface(surface) => surface.is_convex(),
            Shape::HalfSpace { .. } | Shape::Chain(_) => false,
        }
    }

    /// Radius around its core.
    pub fn rounding(&self) -> f64 {
        if let Shape::Round(round) = &self.shape { round.radius } else { 0.0 }
    }

    /// The place of the core of a convex solid that comes first in a direction, and the number of the piece it belongs to.
    pub fn farthest(&self, towards: Vector) -> (Vector, u32) {
        let d = self.pose.own_direction(towards);
        let (place, piece) = match &self.shape {
            Shape::Block(block) => block.farthest(&d),
            Shape::Round(round) => round.farthest(&d),
            Shape::Revolved(solid) => solid.farthest(&d),
            Shape::Surface(surface) => surface.farthest(&d),
            Shape::HalfSpace { .. } | Shape::Chain(_) => (Vector::zeros(), 0),
        };
        (self.pose.place(place), piece)
    }

    /// A piece of the core of a convex solid, of which the core is the hull: a corner, or a rim by its centre, axis and radius.
    pub fn piece(&self, number: u32) -> (Vector, Vector, f64) {
        let k = number as usize;
        let corner = |place: Vector| (place, Vector::zeros(), 0.0);
        let (place, axis, radius) = match &self.shape {
            Shape::Block(block) => {
                corner(Vector::from_fn(|i, _| if k >> i & 1 == 1 { block.max[i] } else { block.min[i] }))
            }
            Shape::Round(Round { core: Core::Segment(ends), .. }) => corner(ends[k.min(1)]),
            Shape::Round(Round { core: Core::Point(place) | Core::Line(place, _), .. }) => corner(*place),
            Shape::Revolved(solid) => (solid.foremost(k, &None), solid.axis, solid.radii[k.min(1)]),
            Shape::Surface(surface) => corner(surface.points()[k]),
            Shape::HalfSpace { .. } | Shape::Chain(_) => corner(Vector::zeros()),
        };
        (self.pose.place(place), self.pose.turn(axis), radius)
    }

    /// What comes first of it in a direction, a unit vector.
    pub fn patch(&self, towards: Vector) -> Patch {
        let d = self.pose.own_direction(towards);
        let patch = match &self.shape {
            Shape::Block(block) => block.patch(&d),
            Shape::Round(round) => round.patch(&d),
            Shape::Revolved(solid) => solid.patch(&d),
            Shape::Surface(surface) => surface.patch(&d),
            Shape::HalfSpace { .. } | Shape::Chain(_) => Patch::new(),
        };
        patch.moved(|x| self.pose.place(x), |n| self.pose.turn(n))
    }
}

impl Block {
    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let number = (0..3).map(|i| u32::from(d[i] > 0.0) << i).sum();
        (Vector::from_fn(|i, _| if d[i] > 0.0 { self.max[i] } else { self.min[i] }), number)
    }

    /// The places of a patch stand in the same order whichever of them comes first: on a face that lies level rounding decides that.
    fn patch(&self, d: &Vector) -> Patch {
        let (first, _) = self.farthest(d);
        let with = |x: Vector, i: usize, upper: bool| {
            let mut x = x;
            x[i] = if upper { self.max[i] } else { self.min[i] };
            x
        };
        let along = |i: usize| d[i].abs() <= Patch::TILT;
        match [along(0), along(1), along(2)].map(usize::from) {
            [x, y, z] if x + y + z == 2 => {
                let across = (0..3).find(|&i| !along(i)).unwrap_or(0);
                let (p, q) = ((across + 1) % 3, (across + 2) % 3);
                let corner = |upper: [bool; 2]| with(with(first, p, upper[0]), q, upper[1]);
                let corners = [[false, false], [true, false], [true, true], [false, true]].map(corner);
                Patch::of(&corners, Some(Vector::ith(across, d[across].signum())))
            }
            [x, y, z] if x + y + z == 1 => {
                let edge = (0..3).find(|&i| along(i)).unwrap_or(0);
                Patch::of(&[false, true].map(|upper| with(first, edge, upper)), None)
            }
            _ => Patch::of(&[first], None),
        }
    }
}

impl Round {
    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        match self.core {
            Core::Segment([a, b]) if (b - a).dot(d) > 0.0 => (b, 1),
            Core::Point(place) | Core::Segment([place, _]) | Core::Line(place, _) => (place, 0),
        }
    }

    fn patch(&self, d: &Vector) -> Patch {
        match self.core {
            Core::Segment([a, b]) if (b - a).dot(d).abs() <= Patch::TILT * (b - a).norm() => Patch::of(&[a, b], None),
            _ => Patch::of(&[self.farthest(d).0], None),
        }
    }
}

impl Revolved {
    /// The place of a rim, or the tip, that comes first.
    fn foremost(&self, end: usize, away: &Option<Vector>) -> Vector {
        let centre = self.origin + self.axis * (end as f64 * self.length);
        away.map_or(centre, |away| centre + away * self.radii[end])
    }

    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let away = (d - self.axis * d.dot(&self.axis)).try_normalize(0.0);
        let ends = [0, 1].map(|end| self.foremost(end, &away));
        if (ends[1] - ends[0]).dot(d) > 0.0 { (ends[1], 1) } else { (ends[0], 0) }
    }

    fn patch(&self, d: &Vector) -> Patch {
        let up = d.dot(&self.axis);
        let tilt = d - self.axis * up;
        let end = usize::from(up > 0.0);
        if tilt.norm() <= Patch::TILT && self.radii[end] > 0.0 {
            let e1 = tilt.try_normalize(Patch::FLAT).unwrap_or_else(|| across(&self.axis));
            let e2 = self.axis.cross(&e1);
            let mut patch = Patch { face: Some(self.axis * up.signum()), ..Patch::new() };
            for k in 0..Patch::AROUND {
                let (sin, cos) = (TAU * k as f64 / Patch::AROUND as f64).sin_cos();
                patch.push(self.foremost(end, &Some(e1 * cos + e2 * sin)));
            }
            return patch;
        }
        let away = tilt.try_normalize(0.0);
        let ends = [0, 1].map(|end| self.foremost(end, &away));
        let line = ends[1] - ends[0];
        if line.dot(d).abs() <= Patch::TILT * line.norm() {
            return Patch::of(&ends, None);
        }
        Patch::of(&[ends[usize::from(line.dot(d) > 0.0)]], None)
    }
}

impl Surface {
    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let mut best = (f64::NEG_INFINITY, 0);
        for (k, point) in self.points().iter().enumerate() {
            let height = point.dot(d);
            if height > best.0 {
                best = (height, k);
            }
        }
        (self.points()[best.1], best.1 as u32)
    }

    /// The corners of the face turned best towards `d`, or the edge at the corner that comes first that rises least, or that corner.
    fn patch(&self, d: &Vector) -> Patch {
        let facing = self.normals().iter().enumerate().map(|(k, n)| (n.dot(d), k));
        let (cos, face) = facing.fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best });
        if cos < (1.0 - Patch::TILT * Patch::TILT).sqrt() {
            return self.edge_patch(d);
        }
        let n = self.normals()[face];
        let level = self.points()[self.triangles()[face][0] as usize];
        let flat = 1e-9 * self.ball().1;
        let on_face = |x: &&Vector| (*x - level).dot(&n).abs() <= flat;
        let e1 = across(&n);
        let e2 = n.cross(&e1);
        let mut patch = Patch { face: Some(n), ..Patch::new() };
        if self.points().iter().filter(on_face).count() > Patch::MOST {
            // what comes first in as many directions runs around the face as well
            for k in 0..Patch::MOST {
                let (sin, cos) = (TAU * k as f64 / Patch::MOST as f64).sin_cos();
                let height = |x: &Vector| (x - level).dot(&(e1 * cos + e2 * sin));
                let first = self.points().iter().filter(on_face).max_by(|a, b| height(a).total_cmp(&height(b)));
                if let Some(first) = first.filter(|first| !patch.places().contains(first)) {
                    patch.push(*first);
                }
            }
            return patch;
        }
        self.points().iter().filter(on_face).for_each(|x| patch.push(*x));
        let middle = patch.places().iter().sum::<Vector>() / patch.count as f64;
        let angle = |x: &Vector| (x - middle).dot(&e2).atan2((x - middle).dot(&e1));
        let count = patch.count;
        patch.places[..count].sort_unstable_by(|a, b| angle(a).total_cmp(&angle(b)));
        patch
    }

    fn edge_patch(&self, d: &Vector) -> Patch {
        let (first, corner) = self.farthest(d);
        let mut best = (Patch::TILT, None);
        for ends in self.ridges().filter(|ends| ends.contains(&corner)) {
            let other = if ends[0] == corner { ends[1] } else { ends[0] };
            let way = first - self.points()[other as usize];
            let fall = way.dot(d) / way.norm();
            if fall <= best.0 {
                best = (fall, Some(other));
            }
        }
        // whichever end comes first
        match best.1 {
            Some(other) => Patch::of(&[corner.min(other), corner.max(other)].map(|k| self.points()[k as usize]), None),
            None => Patch::of(&[first], None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners (±1, ±1, ±1) with an even number of minus signs.
    #[test]
    fn a_tetrahedron_shows_faces_edges_and_corners() {
        let p = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map(|f| f.map(|k| p[k]));
        let Ok(surface) = Surface::new(&faces, false) else { panic!("it is closed") };
        assert!(surface.is_convex());
        let shown = |d: Vector| surface.patch(&d.normalize());
        let face = shown(Vector::new(1.0, 1.0, -1.01));
        assert_eq!(face.places().len(), 3);
        assert!(face.face.is_some_and(|n| (n - Vector::new(1.0, 1.0, -1.0).normalize()).norm() < 1e-14));
        // the upper edge runs from (1, 1, 1) to (−1, −1, 1)
        let edge = shown(Vector::new(0.03, 0.0, 1.0));
        assert_eq!(edge.places(), [Vector::new(1.0, 1.0, 1.0), Vector::new(-1.0, -1.0, 1.0)]);
        assert_eq!(shown(Vector::new(1.0, 1.0, 1.0)).places().len(), 1);
    }

    /// A face that lies level shows its corners in one order, whichever of them rounding puts first; so does an edge.
    #[test]
    fn the_places_of_a_box_stand_in_one_order() {
        let block = Block { min: Vector::new(-1.0, -2.0, -3.0), max: Vector::new(1.0, 2.0, 3.0), inside: false };
        for noise in [[1e-17, 1e-17], [-1e-17, 1e-17], [1e-17, -1e-17], [-1e-17, -1e-17]] {
            let face = block.patch(&Vector::new(noise[0], noise[1], -1.0));
            let expected = [[-1.0, -2.0], [1.0, -2.0], [1.0, 2.0], [-1.0, 2.0]].map(|[x, y]| Vector::new(x, y, -3.0));
            assert_eq!(face.places(), expected);
            let edge = block.patch(&Vector::new(0.8, noise[0], -0.6));
            assert_eq!(edge.places(), [-2.0, 2.0].map(|y| Vector::new(1.0, y, -3.0)));
        }
    }

    /// The end of a prism of thirty sides has more corners than a patch: those it shows lie all around it.
    #[test]
    fn a_face_of_many_corners_is_shown_all_around() {
        let rim = |k: usize, z: f64| {
            let (sin, cos) = (TAU * k as f64 / 30.0).sin_cos();
            [cos, sin, z]
        };
        let mut triangles = Vec::new();
        for k in 0..30 {
            let [a, b, c, d] = [rim(k, 0.0), rim((k + 1) % 30, 0.0), rim((k + 1) % 30, 1.0), rim(k, 1.0)];
            triangles.extend([[a, b, c], [a, c, d], [d, c, [0.0, 0.0, 1.0]], [b, a, [0.0; 3]]]);
        }
        let Ok(surface) = Surface::new(&triangles, false) else { panic!("it is closed") };
        assert!(surface.is_convex());
        let patch = surface.patch(&Vector::z());
        assert_eq!(patch.places().len(), Patch::MOST);
        for k in 0..Patch::MOST {
            let [a, b] = [k, (k + 1) % Patch::MOST].map(|k| patch.places()[k]);
            assert!(a.z == 1.0 && a.xy().norm() > 0.99, "{a:?}");
            let angle = a.xy().perp(&b.xy()).atan2(a.xy().dot(&b.xy()));
            assert!(angle > 0.0 && angle < TAU / 8.0, "they run around: {a:?}, {b:?}");
        }
    }
}
