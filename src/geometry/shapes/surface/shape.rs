//! What a triangulated surface answers.

use nalgebra::Matrix3;

use super::super::super::features::{Corner, Edge, Faces, Near, Patch, Piece, Touch};
use super::super::super::given::{Given, Read, Word};
use super::super::super::outline::{Outline, TRIANGLE};
use super::super::super::shape::Shape;
use super::super::super::solid::Solid;
use super::super::super::{Pose, Vector};
use super::{FLAT, Fold, Surface};

fn read(given: &dyn Given) -> Option<Read> {
    given.inside().map(|inside| Read::Triangles { inside })
}

impl Shape for Surface {
    const WORDS: &'static [Word] =
        &[Word { name: "surface", dims: &[3], keys: &["stl", "gmsh", "group", "inside"], read }];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        self.touched(x, near, out);
    }

    fn is_face(&self, feature: u32) -> bool {
        (feature as usize) < self.triangles.len()
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn is_container(&self) -> bool {
        self.closed && self.solid().is_none()
    }

    /// Points where only convex and flat faces meet.
    fn corners(&self) -> Vec<Corner> {
        let mut rays: Vec<Vec<Vector>> = vec![Vec::new(); self.points.len()];
        let mut dents = vec![true; self.points.len()];
        for side in &self.sides {
            let along = (self.points[side.ends[1] as usize] - self.points[side.ends[0] as usize]).normalize();
            for (point, ray) in [(side.ends[0], along), (side.ends[1], -along)] {
                match side.fold {
                    Fold::Convex | Fold::Rim => rays[point as usize].push(ray),
                    Fold::Flat => {}
                    Fold::Concave => dents[point as usize] = false,
                }
            }
        }
        let corner = |(point, rays): (usize, Vec<Vector>)| {
            // two rays of one line are a place within an edge, which the edge itself covers
            let bent = rays.iter().any(|r| r.cross(&rays[0]).norm() > FLAT);
            let normals = self.around(point as u32).iter().map(|t| self.normals[*t as usize]).collect();
            (dents[point] && bent).then(|| Corner { point: self.points[point], normals, rays })
        };
        rays.into_iter().enumerate().filter_map(corner).collect()
    }

    /// Convex ones and the rim of a sheet.
    fn edges(&self) -> Vec<Edge> {
        let sharp = self.sides.iter().filter(|s| matches!(s.fold, Fold::Convex | Fold::Rim));
        sharp
            .map(|s| Edge {
                ends: s.ends.map(|p| self.points[p as usize]),
                normals: s.faces.map(|f| self.normals[f as usize]),
                slight: s.slight,
            })
            .collect()
    }

    fn is_convex(&self) -> bool {
        self.convex
    }

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

    fn piece(&self, number: u32) -> Piece {
        Piece::Corner(self.points[number as usize])
    }

    fn each_face(&self, visit: &mut dyn FnMut(Vector)) {
        self.normals().iter().for_each(|n| visit(*n));
    }

    fn patch(&self, d: &Vector) -> Patch {
        self.shown(d)
    }

    /// Sums over the tetrahedra between the origin and each triangle.
    fn solid(&self) -> Option<Solid> {
        if !self.is_closed() {
            return None;
        }
        let points = self.points();
        // about a place near the surface, so that little is lost to rounding far from the origin
        let origin = points.iter().sum::<Vector>() / points.len() as f64;
        let (mut volume, mut first, mut second) = (0.0, Vector::zeros(), Matrix3::zeros());
        for triangle in self.triangles() {
            let [a, b, c] = triangle.map(|p| points[p as usize] - origin);
            let part = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            first += part / 4.0 * sum;
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += part / 20.0 * (squares + sum * sum.transpose());
        }
        let solid = Solid::from_moments(volume, first, second)?;
        Some(Solid { centre: solid.centre + origin, ..solid })
    }

    fn enclosing_ball(&self, pose: &Pose) -> Option<(Vector, f64)> {
        Some((pose.place(self.around.0), self.around.1))
    }

    fn faces(&self) -> Option<Faces> {
        let facets = self.triangles.iter().map(|corners| corners.to_vec()).collect();
        Some(Faces { points: self.points.clone(), facets })
    }

    fn draw(&self, outline: &mut Outline) {
        outline.points = self.points.iter().map(|p| <[f64; 3]>::from(*p)).collect();
        let cell = |t: &[u32; 3]| (TRIANGLE, t.iter().map(|p| *p as usize).collect());
        outline.cells = self.triangles.iter().map(cell).collect();
    }
}
