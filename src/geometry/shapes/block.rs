//! Boxes in space: solid, or the container around their hollow.

use nalgebra::Matrix3;

use super::super::Vector;
use super::super::features::{Corner, DOUBT, Edge, Faces, Near, Patch, Piece, TIE, Touch, counted_depth};
use super::super::given::{Given, Read, Word};
use super::super::outline::Outline;
use super::super::shape::Shape;
use super::super::solid::Solid;
use super::Chain;

/// A box along the axes of its frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Lower corner.
    pub min: Vector,
    /// Upper corner.
    pub max: Vector,
    /// Whether bodies are within it instead of outside.
    pub inside: bool,
}

fn axis(i: usize, upper: bool) -> Vector {
    let mut n = Vector::zeros();
    n[i] = if upper { 1.0 } else { -1.0 };
    n
}

impl Block {
    /// Number of the face across axis `i`.
    fn face(i: usize, upper: bool) -> u32 {
        3u32.pow(i as u32) * if upper { 2 } else { 1 }
    }

    /// Where a point is near the solid box: outside the nearest face, edge or corner, inside the nearest face, where the one
    /// it came `through` is preferred (see [`Near::through`]).
    fn touch(&self, x: &Vector, through: Option<u32>) -> Touch {
        let (min, max) = (&self.min, &self.max);
        let outside = Vector::from_fn(|i, _| if x[i] > max[i] { x[i] - max[i] } else { (x[i] - min[i]).min(0.0) });
        let code: u32 =
            (0..3).map(|i| 3u32.pow(i as u32) * if outside[i] > 0.0 { 2 } else { u32::from(outside[i] < 0.0) }).sum();
        let beyond = outside.iter().filter(|d| **d != 0.0).count();
        // level with an edge, on either side of the face: not about to hit this face (see `Chain::is_level`)
        let level = |j: usize, gap: f64| {
            let margin = 1e-9 * (max[j] - min[j]) + DOUBT * gap;
            x[j] < min[j] + margin || x[j] > max[j] - margin
        };
        if beyond == 0 {
            // the nearest of the six faces
            let mut nearest = (f64::INFINITY, Touch { normal: Vector::zeros(), gap: 0.0, feature: 0, sharp: false });
            for i in 0..3 {
                for (depth, upper) in [(max[i] - x[i], true), (x[i] - min[i], false)] {
                    let feature = Self::face(i, upper);
                    let counted = counted_depth(depth, feature, through);
                    if counted < (1.0 - TIE) * nearest.0 {
                        nearest = (counted, Touch { normal: axis(i, upper), gap: -depth, feature, sharp: false });
                    }
                }
            }
            let mut touch = nearest.1;
            touch.sharp = (0..3).filter(|&j| level(j, 0.0)).count() > 1;
            touch
        } else if beyond == 1 {
            let i = (0..3).find(|&i| outside[i] != 0.0).unwrap_or(0);
            let gap = outside[i].abs();
            let sharp = (0..3).any(|j| j != i && level(j, gap));
            Touch { normal: axis(i, outside[i] > 0.0), gap, feature: code, sharp }
        } else {
            let gap = outside.norm();
            Touch { normal: outside / gap, gap, feature: code, sharp: true }
        }
    }

    /// Every wall of the container within `reach` of a point; in the angle between walls all of them count.
    fn walls(&self, x: &Vector, reach: f64, out: &mut Vec<Touch>) {
        for i in 0..3 {
            for (upper, gap) in [(false, x[i] - self.min[i]), (true, self.max[i] - x[i])] {
                if gap <= reach {
                    out.push(Touch { normal: -axis(i, upper), gap, feature: Self::face(i, upper), sharp: false });
                }
            }
        }
    }

    /// Corner `k`: that with number `1 << i` differs from the first along axis `i`.
    fn corner(&self, k: usize) -> Vector {
        Vector::from_fn(|i, _| if k >> i & 1 == 1 { self.max[i] } else { self.min[i] })
    }
}

fn read(given: &dyn Given) -> Option<Read> {
    let inside = given.inside();
    let ([min, max], inside) = (given.extremes()?, inside?);
    if given.dim() == Some(2) {
        let corners = [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]];
        return Some(Chain::polygon([corners.to_vec()], inside).into());
    }
    Some(Block { min, max, inside }.into())
}

impl Shape for Block {
    const WORDS: &'static [Word] = &[Word { name: "box", dims: &[2, 3], keys: &["min", "max", "inside"], read }];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        match self.inside {
            true => self.walls(x, near.reach, out),
            false => out.extend(Some(self.touch(x, near.through)).filter(|t| t.gap <= near.reach)),
        }
    }

    fn is_face(&self, feature: u32) -> bool {
        [1, 2, 3, 6, 9, 18].contains(&feature)
    }

    fn is_container(&self) -> bool {
        self.inside
    }

    /// A container has none that could dent a body.
    fn corners(&self) -> Vec<Corner> {
        let corner = |k: usize| {
            let upper = |i: usize| k >> i & 1 == 1;
            Corner { point: self.corner(k), normals: (0..3).map(|i| axis(i, upper(i))).collect(), rays: Vec::new() }
        };
        if self.inside { Vec::new() } else { (0..8).map(corner).collect() }
    }

    /// A container has none that could dent a body.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::with_capacity(12);
        for along in (0..3).filter(|_| !self.inside) {
            let (p, q) = ((along + 1) % 3, (along + 2) % 3);
            for k in 0..4 {
                let (up, uq) = (k & 1 == 1, k & 2 == 2);
                let mut low = self.min;
                low[p] = if up { self.max[p] } else { self.min[p] };
                low[q] = if uq { self.max[q] } else { self.min[q] };
                let mut high = low;
                high[along] = self.max[along];
                edges.push(Edge { ends: [low, high], normals: [axis(p, up), axis(q, uq)], slight: false });
            }
        }
        edges
    }

    fn is_convex(&self) -> bool {
        !self.inside
    }

    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let number = (0..3).map(|i| u32::from(d[i] > 0.0) << i).sum();
        (Vector::from_fn(|i, _| if d[i] > 0.0 { self.max[i] } else { self.min[i] }), number)
    }

    fn piece(&self, number: u32) -> Piece {
        Piece::Corner(self.corner(number as usize))
    }

    fn each_face(&self, visit: &mut dyn FnMut(Vector)) {
        (0..3).for_each(|i| [false, true].into_iter().for_each(|upper| visit(axis(i, upper))));
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

    fn solid(&self) -> Option<Solid> {
        if self.inside {
            return None;
        }
        let sides = self.max - self.min;
        let volume = sides.product();
        let about = Matrix3::from_diagonal(&sides.component_mul(&sides)) * (volume / 12.0);
        Some(Solid {
            volume,
            centre: 0.5 * (self.min + self.max),
            inertia: Matrix3::identity() * about.trace() - about,
        })
    }

    fn half_width(&self) -> Option<f64> {
        (!self.inside).then(|| 0.5 * (self.max - self.min).min())
    }

    fn faces(&self) -> Option<Faces> {
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let facets = faces.iter().flat_map(|&[a, b, c, d]| match self.inside {
            false => [vec![a, b, c], vec![a, c, d]],
            true => [vec![c, b, a], vec![d, c, a]],
        });
        Some(Faces { points: (0..8).map(|k| self.corner(k)).collect(), facets: facets.collect() })
    }

    fn draw(&self, outline: &mut Outline) {
        let d = self.max - self.min;
        let sides = [Vector::x() * d[0], Vector::y() * d[1], Vector::z() * d[2]];
        outline.parallelepiped(self.min, sides, self.inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
