//! Shapes with a signed distance of their own: half-spaces, balls, capsules, cylinders, cones. Outside of a convex one the distance
//! is convex, so that the deepest place of a flat facet is found by sections.

use super::hull::nearest_on;
use crate::geometry::{Core, Obstacle, Revolved, Round, Shape, Vector};

/// Sections of a search: the last is 2e-10 of the first.
const SECTIONS: usize = 46;
/// The golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// Whether only nodes tell: half-spaces, and containers, in which the chord of a facet lies if its nodes do.
pub(super) fn asks_nodes_only(obstacle: &Obstacle) -> bool {
    match &obstacle.shape {
        Shape::Round(round) => round.inside,
        Shape::Revolved(solid) => solid.inside,
        _ => true,
    }
}

/// Signed distance of a place in the obstacle's frame at rest, negative inside.
pub(super) fn distance(obstacle: &Obstacle, x: &Vector) -> f64 {
    let own = obstacle.pose.own(*x);
    match &obstacle.shape {
        Shape::HalfSpace { point, normal } => (own - point).dot(normal),
        Shape::Round(round) => {
            let outside = from_core(round, &own) - round.radius;
            if round.inside { -outside } else { outside }
        }
        Shape::Revolved(solid) => {
            let outside = from_revolved(solid, &own);
            if solid.inside { -outside } else { outside }
        }
        Shape::Chain(_) | Shape::Block(_) | Shape::Surface(_) => f64::INFINITY,
    }
}

fn from_core(round: &Round, x: &Vector) -> f64 {
    match &round.core {
        Core::Point(centre) => (x - centre).norm(),
        Core::Segment([a, b]) => (x - nearest_on(x, &[*a, *b, *b])).norm(),
        Core::Line(point, axis) => (x - point - axis * (x - point).dot(axis)).norm(),
    }
}

/// Distance in the half-plane of the axis and the place: that to a quadrangle, whose fourth side is the axis.
fn from_revolved(solid: &Revolved, x: &Vector) -> f64 {
    let d = x - solid.origin;
    let z = d.dot(&solid.axis);
    let rho = (d - solid.axis * z).norm();
    let place = Vector::new(rho, z, 0.0);
    let [r0, r1] = solid.radii;
    let corners = [[0.0, 0.0], [r0, 0.0], [r1, solid.length], [0.0, solid.length]].map(|[r, z]| Vector::new(r, z, 0.0));
    let mut nearest = f64::INFINITY;
    let mut within = true;
    for k in 0..3 {
        let (a, b) = (corners[k], corners[k + 1]);
        if a == b {
            continue;
        }
        nearest = nearest.min((place - nearest_on(&place, &[a, b, b])).norm());
        let along = b - a;
        within &= along[0] * (place[1] - a[1]) - along[1] * (place[0] - a[0]) >= 0.0;
    }
    if within { -nearest } else { nearest }
}

/// The smallest value of a convex function between 0 and 1, and where.
fn least(value: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut a, mut b) = (1.0 - GOLDEN, GOLDEN);
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..SECTIONS {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = value(b);
        }
    }
    let ends = [(value(0.0), 0.0), (value(1.0), 1.0), (at_a, a), (at_b, b)];
    ends.into_iter().min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((at_a, a))
}

/// The smallest distance of any place of a piece, given where the obstacle rests, and that place.
pub(super) fn least_distance(obstacle: &Obstacle, piece: &[Vector; 3]) -> (f64, Vector) {
    let [a, b, c] = piece;
    match &obstacle.shape {
        Shape::Round(round) => {
            let own = piece.map(|x| obstacle.pose.own(x));
            let from = |core: Vector| (core - nearest_on(&core, &own)).norm();
            let core = match &round.core {
                Core::Point(centre) => *centre,
                Core::Segment([p, q]) => p.lerp(q, least(|share| from(p.lerp(q, share))).1),
                Core::Line(point, axis) => {
                    let along = own.map(|x| (x - point).dot(axis));
                    let (low, high) =
                        along.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(*s), h.max(*s)));
                    let (p, q) = (point + low * axis, point + high * axis);
                    p.lerp(&q, least(|share| from(p.lerp(&q, share))).1)
                }
            };
            let place = nearest_on(&core, &own);
            ((place - core).norm() - round.radius, obstacle.pose.place(place))
        }
        _ if b == c => {
            let (depth, share) = least(|share| distance(obstacle, &a.lerp(b, share)));
            (depth, a.lerp(b, share))
        }
        _ => {
            let on = |s: f64, t: f64| a.lerp(&b.lerp(c, t), s);
            let across = |s: f64| least(|t| distance(obstacle, &on(s, t)));
            let (depth, s) = least(|s| across(s).0);
            (depth, on(s, across(s).1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cylinder_knows_its_side_its_ends_and_its_rims() {
        let solid =
            Revolved { origin: Vector::zeros(), axis: Vector::z(), length: 2.0, radii: [1.0, 1.0], inside: false };
        let cylinder = Obstacle::new("c", Shape::Revolved(solid));
        for (x, expected) in [
            ([2.0, 0.0, 1.0], 1.0),
            ([0.0, 0.5, 1.0], -0.5),
            ([0.0, 0.0, 2.5], 0.5),
            ([0.0, 0.0, 0.25], -0.25),
            ([4.0, 0.0, 6.0], 5.0),
        ] {
            assert!((distance(&cylinder, &Vector::from(x)) - expected).abs() < 1e-15, "{x:?}");
        }
    }

    /// A triangle whose middle dips 0.1 into a ball while its corners are outside; the same ball as a short capsule; and a cone's tip.
    #[test]
    fn what_lies_between_the_corners_of_a_facet_is_seen() {
        let piece = [[-1.0, -1.0, 0.9], [1.0, -1.0, 0.9], [0.0, 2.0, 0.9]].map(Vector::from);
        let round = |core| Obstacle::new("b", Shape::Round(Round { core, radius: 1.0, inside: false, dim: 3 }));
        let along = Vector::new(0.0, 0.0, -1.0);
        for core in [
            Core::Point(Vector::zeros()),
            Core::Segment([Vector::zeros(), along]),
            Core::Line(Vector::zeros(), Vector::x()),
        ] {
            let (depth, place) = least_distance(&round(core), &piece);
            assert!((depth + 0.1).abs() < 1e-9, "{depth}");
            assert!(place[1].abs() < 1e-4);
        }
        let cone =
            Revolved { origin: Vector::zeros(), axis: Vector::z(), length: 1.0, radii: [1.0, 0.0], inside: false };
        let (depth, _) = least_distance(&Obstacle::new("c", Shape::Revolved(cone)), &piece);
        // 0.1 below the tip of a cone of 45 degrees
        assert!((depth + 0.1 * 0.5f64.sqrt()).abs() < 1e-9, "{depth}");
    }
}
