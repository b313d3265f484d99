//! How large a shape is: a ball around it, for those who want to know whether two of them can be near each other at all, and its width
//! where it is narrowest, for those who want to know whether something can be on its other side after a step.

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

/// Half the width of a solid where it is narrowest; none for what has no end or no inside.
pub fn half_width(obstacle: &Obstacle) -> f64 {
    match &obstacle.shape {
        Shape::Round(round) if !round.inside => round.radius,
        Shape::Revolved(solid) if !solid.inside => (0.5 * solid.length).min(solid.radii[0].max(solid.radii[1])),
        Shape::Block(block) if !block.inside => 0.5 * (block.max - block.min).min(),
        // containers have no volume
        Shape::Chain(_) if Solid::of(obstacle).is_some() => least_half_width(obstacle, 2),
        Shape::Surface(_) if Solid::of(obstacle).is_some() => least_half_width(obstacle, 3),
        _ => f64::INFINITY,
    }
}

/// Half the least distance of two parallel planes around the corners, of planes in many directions.
fn least_half_width(obstacle: &Obstacle, dim: usize) -> f64 {
    let corners: Vec<Vector> = obstacle.corners().iter().map(|corner| corner.point).collect();
    let steps = if dim == 2 { 0..=0 } else { -2..=2 };
    let ways = (-4i32..=4)
        .flat_map(|x| (-4i32..=4).map(move |y| (x, y)))
        .flat_map(|(x, y)| steps.clone().map(move |z| (x, y, z)));
    let directions = ways.filter_map(|(x, y, z)| Vector::new(x.into(), y.into(), z.into()).try_normalize(0.0));
    let width = |d: Vector| {
        let along = corners.iter().map(|corner| corner.dot(&d));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    0.5 * directions.map(width).fold(f64::INFINITY, f64::min).max(0.0)
}
