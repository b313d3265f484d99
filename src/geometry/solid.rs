//! Volume, centre and second moments of a shape: what a rigid body needs to know of its own form. In the plane they are those
//! of the area, for one metre of thickness.

use nalgebra::Matrix3;

use super::Vector;

/// What a shape filled with matter of density one weighs, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solid {
    /// Volume, or area.
    pub volume: f64,
    /// Centre of volume.
    pub centre: Vector,
    /// Inertia about the centre.
    pub inertia: Matrix3<f64>,
}

impl Solid {
    /// From second moments `∫ x xᵀ` about the origin.
    pub(super) fn from_moments(volume: f64, first: Vector, second: Matrix3<f64>) -> Option<Solid> {
        if volume.is_nan() || volume <= 0.0 {
            return None;
        }
        let centre = first / volume;
        let about = second - volume * centre * centre.transpose();
        Some(Solid { volume, centre, inertia: Matrix3::identity() * about.trace() - about })
    }
}

/// Inertia of what is round about an axis.
pub(super) fn about_axis(axis: Vector, along: f64, across: f64) -> Matrix3<f64> {
    Matrix3::identity() * across + axis * axis.transpose() * (along - across)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::super::{AnyShape, Block, Chain, Core, HalfSpace, Obstacle, Pose, Revolved, Round, Surface};
    use super::*;

    fn solid(shape: impl Into<AnyShape>) -> Solid {
        Obstacle::new("test", shape).solid().unwrap_or(Solid {
            volume: 0.0,
            centre: Vector::zeros(),
            inertia: Matrix3::zeros(),
        })
    }

    fn same(a: &Solid, b: &Solid, tolerance: f64) {
        assert!((a.volume - b.volume).abs() <= tolerance * b.volume, "{a:?} {b:?}");
        assert!((a.centre - b.centre).amax() <= tolerance, "{a:?} {b:?}");
        assert!((a.inertia - b.inertia).amax() <= tolerance * b.inertia.amax(), "{a:?} {b:?}");
    }

    #[test]
    fn rectangle_has_the_moments_of_books() {
        let chain = Chain::new(vec![[1.0, 2.0], [4.0, 2.0], [4.0, 4.0], [1.0, 4.0]], true);
        let found = solid(chain);
        // b h (b² + h²)/12
        assert!((found.volume - 6.0).abs() < 1e-14 && (found.inertia[(2, 2)] - 6.5).abs() < 1e-12, "{found:?}");
        assert!((found.centre - Vector::new(2.5, 3.0, 0.0)).amax() < 1e-14);
    }

    #[test]
    fn a_polygon_of_many_sides_is_a_stadium() {
        // a capsule in the plane against its outline by 20 000 chords
        let (r, length, n) = (0.3, 0.8, 10_000);
        let arc = |k: usize, from: f64, x: f64| {
            let (sin, cos) = (from + PI * k as f64 / n as f64).sin_cos();
            [x + r * cos, r * sin]
        };
        let right = (0..=n).map(|k| arc(k, -0.5 * PI, length));
        let points = right.chain((0..=n).map(|k| arc(k, 0.5 * PI, 0.0))).collect();
        let capsule =
            Round { core: Core::Segment([Vector::zeros(), Vector::x() * length]), radius: r, inside: false, dim: 2 };
        let (a, b) = (solid(capsule), solid(Chain::new(points, true)));
        assert!((a.volume / b.volume - 1.0).abs() < 1e-7 && (a.inertia[(2, 2)] / b.inertia[(2, 2)] - 1.0).abs() < 1e-7);
        assert!((a.centre - b.centre).amax() < 1e-9);
    }

    #[test]
    fn revolved_shapes_have_the_moments_of_books() {
        let axis = Vector::new(1.0, 2.0, -2.0) / 3.0;
        let make = |radii| Revolved { origin: Vector::new(1.0, 0.0, 2.0), axis, length: 0.9, radii, inside: false };
        let (r, h) = (0.4f64, 0.9f64);
        let m = PI * r * r * h;
        let cylinder = Solid {
            volume: m,
            centre: Vector::new(1.0, 0.0, 2.0) + 0.45 * axis,
            inertia: about_axis(axis, 0.5 * m * r * r, m * (3.0 * r * r + h * h) / 12.0),
        };
        same(&solid(make([r, r])), &cylinder, 1e-13);
        let m = m / 3.0;
        let cone = Solid {
            volume: m,
            centre: Vector::new(1.0, 0.0, 2.0) + 0.25 * h * axis,
            inertia: about_axis(axis, 0.3 * m * r * r, m * (0.15 * r * r + 0.0375 * h * h)),
        };
        same(&solid(make([r, 0.0])), &cone, 1e-13);
    }

    #[test]
    fn a_placed_box_is_the_same_as_its_triangles() {
        let (min, max) = (Vector::new(10.0, -1.0, 0.5), Vector::new(10.4, 0.0, 2.5));
        let block = Block { min, max, inside: false };
        let at = |k: usize| Vector::from_fn(|i, _| if k >> i & 1 == 1 { max[i] } else { min[i] });
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[[f64; 3]; 3]> = quads
            .iter()
            .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
            .map(|t| t.map(|k| <[f64; 3]>::from(at(k))))
            .collect();
        let Ok(surface) = Surface::new(&triangles, false) else { panic!("the box is closed") };
        let pose = Pose::new(Vector::new(0.3, -0.2, 0.9), Vector::new(1.0, 1.0, 0.0), Vector::new(0.0, 3.0, 1.0));
        let placed = |shape: AnyShape| Obstacle { pose, ..Obstacle::new("test", shape) }.solid();
        let (Some(a), Some(b)) = (placed(block.into()), placed(surface.into())) else { panic!("both are solids") };
        same(&b, &a, 1e-12);
        assert!(solid(HalfSpace { point: Vector::zeros(), normal: Vector::x() }).volume == 0.0);
    }
}
