//! Volume, centre and second moments of a shape: what a rigid body needs to know of its own form. In the plane they are those
//! of the area, for one metre of thickness.

use std::f64::consts::PI;

use nalgebra::Matrix3;

use super::super::Vector;
use super::super::obstacle::{Obstacle, Shape};
use super::round::{Core, Round};
use super::{Block, Chain, Revolved, Surface};

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
    /// That of an obstacle where it is placed; none of a shape without end or with its inside out.
    pub fn of(obstacle: &Obstacle) -> Option<Solid> {
        let solid = match &obstacle.shape {
            Shape::HalfSpace { .. } => None,
            Shape::Chain(chain) => of_chain(chain),
            Shape::Block(block) => of_block(block),
            Shape::Round(round) => of_round(round),
            Shape::Revolved(solid) => of_revolved(solid),
            Shape::Surface(surface) => of_surface(surface),
        }?;
        let rotation = obstacle.pose.rotation();
        let inertia = rotation * solid.inertia * rotation.transpose();
        Some(Solid { centre: obstacle.pose.place(solid.centre), inertia, ..solid })
    }
}

/// From second moments `∫ x xᵀ` about the origin.
fn from_moments(volume: f64, first: Vector, second: Matrix3<f64>) -> Option<Solid> {
    if volume.is_nan() || volume <= 0.0 {
        return None;
    }
    let centre = first / volume;
    let about = second - volume * centre * centre.transpose();
    Some(Solid { volume, centre, inertia: Matrix3::identity() * about.trace() - about })
}

/// Sums over the triangles between the origin and each segment; holes run the other way and count negative.
fn of_chain(chain: &Chain) -> Option<Solid> {
    if !chain.is_closed() {
        return None;
    }
    let (mut area, mut first, mut second) = (0.0, Vector::zeros(), Matrix3::zeros());
    for line in chain.lines() {
        let at = |k: usize| {
            let p = line.points[k % line.points.len()];
            Vector::new(p[0], p[1], 0.0)
        };
        for k in 0..line.points.len() {
            let (a, b) = (at(k), at(k + 1));
            let part = 0.5 * a.cross(&b).z;
            area += part;
            first += part / 3.0 * (a + b);
            let sum = a + b;
            second += part / 12.0 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
        }
    }
    from_moments(area, first, second)
}

fn of_block(block: &Block) -> Option<Solid> {
    if block.inside {
        return None;
    }
    let sides = block.max - block.min;
    let volume = sides.product();
    let about = Matrix3::from_diagonal(&sides.component_mul(&sides)) * (volume / 12.0);
    Some(Solid { volume, centre: 0.5 * (block.min + block.max), inertia: Matrix3::identity() * about.trace() - about })
}

fn of_round(round: &Round) -> Option<Solid> {
    if round.inside {
        return None;
    }
    let r = round.radius;
    let (ends, axis, length) = match round.core {
        Core::Point(c) => ([c, c], Vector::x(), 0.0),
        Core::Segment([a, b]) => ([a, b], (b - a).normalize(), (b - a).norm()),
        Core::Line(..) => return None,
    };
    let centre = 0.5 * (ends[0] + ends[1]);
    if round.dim == 2 {
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

fn about_axis(axis: Vector, along: f64, across: f64) -> Matrix3<f64> {
    Matrix3::identity() * across + axis * axis.transpose() * (along - across)
}

/// Discs along the axis; three Gauss points are exact for `r⁴` with `r` linear.
fn of_revolved(solid: &Revolved) -> Option<Solid> {
    if solid.inside {
        return None;
    }
    let (mut volume, mut first, mut along, mut across) = (0.0, 0.0, 0.0, 0.0);
    for (x, w) in [(-0.6f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6f64.sqrt(), 5.0 / 18.0)] {
        let share = 0.5 * (1.0 + x);
        let (z, dz) = (share * solid.length, w * solid.length);
        let r = (1.0 - share) * solid.radii[0] + share * solid.radii[1];
        let disc = PI * r * r * dz;
        volume += disc;
        first += disc * z;
        along += 0.5 * disc * r * r;
        across += disc * (0.25 * r * r + z * z);
    }
    let height = first / volume;
    let inertia = about_axis(solid.axis, along, across - volume * height * height);
    Some(Solid { volume, centre: solid.origin + height * solid.axis, inertia })
}

/// Sums over the tetrahedra between the origin and each triangle.
fn of_surface(surface: &Surface) -> Option<Solid> {
    if !surface.is_closed() {
        return None;
    }
    let points = surface.points();
    // about a place near the surface, so that little is lost to rounding far from the origin
    let origin = points.iter().sum::<Vector>() / points.len() as f64;
    let (mut volume, mut first, mut second) = (0.0, Vector::zeros(), Matrix3::zeros());
    for triangle in surface.triangles() {
        let [a, b, c] = triangle.map(|p| points[p as usize] - origin);
        let part = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        volume += part;
        first += part / 4.0 * sum;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += part / 20.0 * (squares + sum * sum.transpose());
    }
    let solid = from_moments(volume, first, second)?;
    Some(Solid { centre: solid.centre + origin, ..solid })
}

#[cfg(test)]
mod tests {
    use super::super::super::pose::Pose;
    use super::*;

    fn solid(shape: Shape) -> Solid {
        Solid::of(&Obstacle::new("test", shape)).unwrap_or(Solid {
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
        let found = solid(Shape::Chain(chain));
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
        let (a, b) = (solid(Shape::Round(capsule)), solid(Shape::Chain(Chain::new(points, true))));
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
        same(&solid(Shape::Revolved(make([r, r]))), &cylinder, 1e-13);
        let m = m / 3.0;
        let cone = Solid {
            volume: m,
            centre: Vector::new(1.0, 0.0, 2.0) + 0.25 * h * axis,
            inertia: about_axis(axis, 0.3 * m * r * r, m * (0.15 * r * r + 0.0375 * h * h)),
        };
        same(&solid(Shape::Revolved(make([r, 0.0]))), &cone, 1e-13);
    }

    #[test]
    fn a_placed_box_is_the_same_as_its_triangles() {
        let (min, max) = (Vector::new(10.0, -1.0, 0.5), Vector::new(10.4, 0.0, 2.5));
        let block = Shape::Block(Block { min, max, inside: false });
        let at = |k: usize| Vector::from_fn(|i, _| if k >> i & 1 == 1 { max[i] } else { min[i] });
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[[f64; 3]; 3]> = quads
            .iter()
            .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
            .map(|t| t.map(|k| <[f64; 3]>::from(at(k))))
            .collect();
        let Ok(surface) = Surface::new(&triangles, false) else { panic!("the box is closed") };
        let pose = Pose::new(Vector::new(0.3, -0.2, 0.9), Vector::new(1.0, 1.0, 0.0), Vector::new(0.0, 3.0, 1.0));
        let placed = |shape| Solid::of(&Obstacle { pose, ..Obstacle::new("test", shape) });
        let (Some(a), Some(b)) = (placed(block), placed(Shape::Surface(surface))) else { panic!("both are solids") };
        same(&b, &a, 1e-12);
        assert!(solid(Shape::HalfSpace { point: Vector::zeros(), normal: Vector::x() }).volume == 0.0);
    }
}
