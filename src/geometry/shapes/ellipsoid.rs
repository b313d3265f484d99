//! Ellipsoid with axes along those of space. The nearest place of its surface is that of the one multiplier `t` with
//! `Σ (rᵢyᵢ/(rᵢ² + t))² = 1`, `y = x − c` (Eberly: Distance from a point to an ellipsoid); distances are exact to rounding.

use std::f64::consts::{PI, TAU};

use nalgebra::Matrix3;

use super::super::features::{Crossing, Near, Piece, Support, Touch};
use super::super::given::{Given, Read, Word};
use super::super::outline::Outline;
use super::super::sections::least;
use super::super::shape::Shape;
use super::super::solid::Solid;
use super::super::{Pose, Vector};

/// An ellipsoid, or with `inside` the container around its hollow.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsoid {
    /// Its centre.
    pub centre: Vector,
    /// Half of its length along each axis, > 0.
    pub radii: Vector,
    /// Whether bodies are within it instead of outside.
    pub inside: bool,
}

/// Newton's method for the multiplier rises without overshooting: `Σ…` is convex and falls. It is quadratic near the end.
const ITERATIONS: usize = 100;

/// Corrections of the place where an edge lies across: sections find it to half the digits.
const CORRECTIONS: usize = 3;

impl Ellipsoid {
    /// The place of the surface nearest to `y` from the centre; where several are, at the middle of a flat one, any.
    fn foot(&self, y: &Vector) -> Vector {
        let squares = self.radii.component_mul(&self.radii);
        let pull = self.radii.component_mul(&y.abs());
        let shares = |t: f64| Vector::from_fn(|i, _| if pull[i] == 0.0 { 0.0 } else { pull[i] / (squares[i] + t) });
        // each share is at most one
        let mut t = (pull - squares).max();
        for _ in 0..ITERATIONS {
            let s = shares(t);
            let value = s.norm_squared() - 1.0;
            if value <= 0.0 {
                break;
            }
            let slope: f64 = (0..3).filter(|&i| s[i] != 0.0).map(|i| -2.0 * s[i] * s[i] / (squares[i] + t)).sum();
            let next = t - value / slope;
            if next <= t {
                break;
            }
            t = next;
        }
        let mut s = shares(t);
        // on the plane across the shortest axis, too deep for a foot of its own there: as far along that axis as is left
        let left = 1.0 - s.norm_squared();
        if left > 0.0 {
            let shortest = self.radii.imin();
            if pull[shortest] == 0.0 {
                s[shortest] = left.sqrt();
            }
        }
        let place = s.normalize().component_mul(&self.radii);
        Vector::from_fn(|i, _| if y[i] < 0.0 { -place[i] } else { place[i] })
    }

    /// Distance and normal at a place, whichever side bodies are on.
    fn touch(&self, x: &Vector) -> Touch {
        let y = x - self.centre;
        let foot = self.foot(&y);
        let normal = foot.component_div(&self.radii.component_mul(&self.radii)).normalize();
        let gap = (y - foot).dot(&normal);
        let (gap, normal) = if self.inside { (-gap, -normal) } else { (gap, normal) };
        Touch { normal, gap, feature: 0, sharp: false }
    }
}

fn read(given: &dyn Given) -> Option<Read> {
    let (centre, radii, inside) = (given.place("centre"), given.place("radii"), given.inside());
    let radii = radii?;
    if radii.min() <= 0.0 {
        given.refuse("radii", "must all be > 0");
        return None;
    }
    Some(Ellipsoid { centre: centre?, radii, inside: inside? }.into())
}

impl Shape for Ellipsoid {
    const WORDS: &'static [Word] =
        &[Word { name: "ellipsoid", dims: &[3], keys: &["centre", "radii", "inside"], read }];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        out.extend(Some(self.touch(x)).filter(|t| t.gap <= near.reach));
    }

    fn distance(&self, x: &Vector) -> f64 {
        self.touch(x).gap
    }

    fn is_container(&self) -> bool {
        self.inside
    }

    fn is_curved(&self) -> bool {
        true
    }

    /// The place that comes first. A container has none: a facet is within a convex hollow if its nodes are.
    fn support_count(&self) -> usize {
        usize::from(!self.inside)
    }

    fn support(&self, _k: usize, towards: &Vector, _rolls: bool) -> Option<Support> {
        Some(Support { core: self.farthest(towards).0, radius: 0.0 })
    }

    fn supports_move(&self) -> bool {
        true
    }

    fn support_depth(&self) -> f64 {
        self.radii.min()
    }

    fn ridge_count(&self) -> usize {
        usize::from(!self.inside)
    }

    fn is_smooth_ridge(&self, _k: usize) -> bool {
        true
    }

    fn ridge(&self, _k: usize, x: &[Vector; 2]) -> Option<Crossing> {
        let along = x[1] - x[0];
        let at = |share: f64| self.touch(&(x[0] + along * share));
        let mut share = least(|share| at(share).gap).1;
        // there the normal is across the edge
        let step = 1e-6;
        for _ in 0..CORRECTIONS {
            let (here, slope) =
                (at(share).normal.dot(&along), (at(share + step).normal - at(share - step).normal) / (2.0 * step));
            let turn = slope.dot(&along);
            if turn > 0.0 {
                share -= here / turn;
            }
        }
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let Touch { normal, gap, .. } = at(share);
        Some(Crossing { share, normal, gap })
    }

    fn is_convex(&self) -> bool {
        !self.inside
    }

    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let image = self.radii.component_mul(d);
        let first = image.try_normalize(0.0).map_or_else(Vector::zeros, |image| self.radii.component_mul(&image));
        (self.centre + first, 0)
    }

    fn piece(&self, _number: u32) -> Piece {
        Piece::Ellipsoid(self.centre, Matrix3::from_diagonal(&self.radii))
    }

    fn solid(&self) -> Option<Solid> {
        if self.inside {
            return None;
        }
        let volume = 4.0 / 3.0 * PI * self.radii.product();
        let squares = self.radii.component_mul(&self.radii);
        let inertia = Matrix3::from_diagonal(&(Vector::repeat(squares.sum()) - squares)) * (0.2 * volume);
        Some(Solid { volume, centre: self.centre, inertia })
    }

    fn enclosing_ball(&self, pose: &Pose) -> Option<(Vector, f64)> {
        Some((pose.place(self.centre), self.radii.max()))
    }

    fn half_width(&self) -> Option<f64> {
        (!self.inside).then(|| self.radii.min())
    }

    fn draw(&self, outline: &mut Outline) {
        let half = outline.chords / 2;
        let ring = |k: usize| {
            let (sin, cos) = (0.5 * TAU * k as f64 / half as f64).sin_cos();
            (if k == 0 || k == half { 0.0 } else { sin }, -cos * Vector::z())
        };
        let (first, profile) = (outline.points.len(), (0..=half).map(ring).collect::<Vec<_>>());
        outline.turned(&profile, Vector::z(), if self.inside { 0.5 } else { 1.0 });
        for p in &mut outline.points[first..] {
            *p = (self.centre + self.radii.component_mul(&Vector::from(*p))).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a place of the surface out or in along the normal there, as far as the least radius of curvature, the way back is the
    /// shortest: the distance is known without a search.
    #[test]
    fn distances_are_those_along_the_normal() {
        let radii = Vector::new(0.5, 1.3, 0.2);
        let shape = Ellipsoid { centre: Vector::new(3.0, -1.0, 2.0), radii, inside: false };
        let sharpest = radii.min().powi(2) / radii.max();
        for (i, h) in [-0.9 * sharpest, -1e-6, 0.0, 1e-9, 0.3, 20.0].into_iter().enumerate() {
            for k in 0..60 {
                let (polar, around) = (0.05 + 0.05 * k as f64, 0.7 * k as f64 + 0.1 * i as f64);
                let unit = Vector::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos());
                let place = radii.component_mul(&unit);
                let normal = unit.component_div(&radii).normalize();
                let touch = shape.touch(&(shape.centre + place + h * normal));
                assert!((touch.gap - h).abs() < 1e-14 * (1.0 + h.abs()), "{k}: {} of {h}", touch.gap);
                assert!((touch.normal - normal).amax() < 1e-9, "{k}: {:?} {normal:?}", touch.normal);
            }
        }
        assert!((shape.distance(&shape.centre) + 0.2).abs() < 1e-15);
        // on the plane across the shortest axis, deep inside
        let x = Vector::new(0.1, 0.0, 0.0);
        let foot = shape.foot(&x);
        let steps = 200_000;
        let least = (0..=steps).map(|k| {
            let (sin, cos) = (0.25 * TAU * k as f64 / steps as f64).sin_cos();
            (Vector::new(0.5 * cos, 0.0, 0.2 * sin) - x).norm()
        });
        assert!(((foot - x).norm() - least.fold(f64::INFINITY, f64::min)).abs() < 1e-10);
    }

    #[test]
    fn an_edge_lies_across_where_its_normal_is_square_to_it() {
        let shape = Ellipsoid { centre: Vector::zeros(), radii: Vector::new(1.0, 2.0, 0.5), inside: false };
        let unit = Vector::new(0.4, 0.5, 0.6).normalize();
        let place = shape.radii.component_mul(&unit);
        let normal = unit.component_div(&shape.radii).normalize();
        let across = normal.cross(&Vector::new(0.3, -0.2, 0.9)).normalize();
        let touch = place + 0.01 * normal;
        let Some(found) = shape.ridge(0, &[touch - across, touch + 3.0 * across]) else { panic!("it lies across") };
        assert!((found.gap - 0.01).abs() < 1e-14 && (found.share - 0.25).abs() < 1e-10, "{found:?}");
        assert!((found.normal - normal).amax() < 1e-10);
    }

    #[test]
    fn equal_radii_are_a_ball() {
        let shape = Ellipsoid { centre: Vector::x(), radii: Vector::repeat(0.3), inside: false };
        let Some(solid) = shape.solid() else { panic!("a solid") };
        assert!((solid.volume - 4.0 / 3.0 * PI * 0.027).abs() < 1e-15);
        assert!((solid.inertia - Matrix3::identity() * (0.4 * 0.09 * solid.volume)).amax() < 1e-16);
        assert!((shape.distance(&Vector::new(1.0, 2.0, 0.0)) - 1.7).abs() < 1e-15);
    }
}
