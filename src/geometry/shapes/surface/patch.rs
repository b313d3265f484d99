//! What of a convex surface comes first in a direction.

use std::f64::consts::TAU;

use super::super::super::features::Patch;
use super::super::super::shape::Shape;
use super::super::super::{Vector, across};
use super::Surface;

impl Surface {
    /// The corners of the face turned best towards `d`, or the edge at the corner that comes first that rises least, or that corner.
    pub(super) fn shown(&self, d: &Vector) -> Patch {
        let facing = self.normals().iter().enumerate().map(|(k, n)| (n.dot(d), k));
        let (cos, face) = facing.fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best });
        if cos < (1.0 - Patch::TILT * Patch::TILT).sqrt() {
            return self.edge_patch(d);
        }
        let n = self.normals()[face];
        let level = self.points()[self.triangles()[face][0] as usize];
        let flat = 1e-9 * self.around.1;
        let on_face = |x: &&Vector| (*x - level).dot(&n).abs() <= flat;
        let e1 = across(&n);
        let e2 = n.cross(&e1);
        let mut patch = Patch::of(&[], Some(n));
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
        let middle = patch.places().iter().sum::<Vector>() / patch.places().len() as f64;
        let angle = |x: &Vector| (x - middle).dot(&e2).atan2((x - middle).dot(&e1));
        patch.places_mut().sort_unstable_by(|a, b| angle(a).total_cmp(&angle(b)));
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
