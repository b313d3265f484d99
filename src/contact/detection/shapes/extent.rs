//! A ball around a shape, for those who want to know whether two of them can be near each other at all.

use super::super::obstacle::{Obstacle, Shape};
use super::super::{Vector, bvh::Bounds};
use super::{Core, Round, Solid};

/// A ball that a shape lies in, where it rests: centre and radius. `None` for what has no end or lies around others.
pub fn enclosing_ball(obstacle: &Obstacle) -> Option<(Vector, f64)> {
    // containers and open surfaces have no volume
    Solid::of(obstacle)?;
    let place = |x: Vector| obstacle.pose.place(x);
    match &obstacle.shape {
        Shape::HalfSpace { .. } => None,
        Shape::Chain(_) | Shape::Block(_) => {
            let corners = obstacle.corners();
            around(corners.iter().map(|corner| corner.point))
        }
        Shape::Round(Round { core: Core::Point(centre), radius, .. }) => Some((place(*centre), *radius)),
        Shape::Round(Round { core: Core::Segment(ends), radius, .. }) => {
            around(ends.iter().map(|end| place(*end))).map(|(centre, half)| (centre, half + radius))
        }
        Shape::Round(_) => None,
        Shape::Revolved(solid) => {
            let half = 0.5 * solid.length;
            let radius = solid.radii[0].max(solid.radii[1]).hypot(half);
            Some((place(solid.origin + half * solid.axis), radius))
        }
        Shape::Surface(surface) => {
            let (centre, radius) = surface.ball();
            Some((place(centre), radius))
        }
    }
}

/// The ball around points with the centre of their box.
fn around(points: impl Iterator<Item = Vector> + Clone) -> Option<(Vector, f64)> {
    let bounds = Bounds::around(points.clone());
    let centre = 0.5 * (bounds.low + bounds.high);
    let radius = points.map(|p| (p - centre).norm()).reduce(f64::max)?;
    Some((centre, radius))
}
