//! The place of a segment or triangle that is nearest to a place, or where a convex function is least.

use super::Vector;

/// Sections of a search: the last is 2e-10 of the first.
const SECTIONS: usize = 46;
/// The golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The smallest value of a convex function between 0 and 1, and where.
pub(super) fn least(value: impl Fn(f64) -> f64) -> (f64, f64) {
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

/// The smallest value of a convex function over a triangle, or over a segment whose last two corners are one, and where.
pub(super) fn least_of_sections([a, b, c]: &[Vector; 3], value: impl Fn(&Vector) -> f64) -> (f64, Vector) {
    if b == c {
        let (depth, share) = least(|share| value(&a.lerp(b, share)));
        return (depth, a.lerp(b, share));
    }
    let on = |s: f64, t: f64| a.lerp(&b.lerp(c, t), s);
    let across = |s: f64| least(|t| value(&on(s, t)));
    let (depth, s) = least(|s| across(s).0);
    (depth, on(s, across(s).1))
}

/// The place of a triangle, or of a segment whose last two corners are one, that is nearest to `x` (Ericson 2005, 5.1.5).
pub(crate) fn nearest_on(x: &Vector, [a, b, c]: &[Vector; 3]) -> Vector {
    let on_side = |a: &Vector, b: &Vector| {
        let along = b - a;
        let length = along.norm_squared();
        let share = if length > 0.0 { ((x - a).dot(&along) / length).clamp(0.0, 1.0) } else { 0.0 };
        a + share * along
    };
    let n = (b - a).cross(&(c - a));
    let (u, v, w) = (n.dot(&(c - b).cross(&(x - b))), n.dot(&(a - c).cross(&(x - c))), n.dot(&(b - a).cross(&(x - a))));
    if u > 0.0 && v > 0.0 && w > 0.0 {
        return x - n * (n.dot(&(x - a)) / n.norm_squared());
    }
    let sides = [on_side(a, b), on_side(b, c), on_side(c, a)];
    let away = |p: &Vector| (x - p).norm_squared();
    sides.into_iter().min_by(|p, q| away(p).total_cmp(&away(q))).unwrap_or(*a)
}

#[cfg(test)]
mod tests {
    use super::super::{AnyShape, Core, Obstacle, Revolved, Round};
    use super::*;

    fn placed(shape: impl Into<AnyShape>) -> Obstacle {
        Obstacle::new("shape", shape)
    }

    #[test]
    fn a_cylinder_knows_its_side_its_ends_and_its_rims() {
        let solid =
            Revolved { origin: Vector::zeros(), axis: Vector::z(), length: 2.0, radii: [1.0, 1.0], inside: false };
        let cylinder = placed(solid);
        for (x, expected) in [
            ([2.0, 0.0, 1.0], 1.0),
            ([0.0, 0.5, 1.0], -0.5),
            ([0.0, 0.0, 2.5], 0.5),
            ([0.0, 0.0, 0.25], -0.25),
            ([4.0, 0.0, 6.0], 5.0),
        ] {
            assert!((cylinder.distance(x.into()) - expected).abs() < 1e-15, "{x:?}");
        }
    }

    /// A triangle whose middle dips 0.1 into a ball while its corners are outside; the same ball as a short capsule; and a cone's tip.
    #[test]
    fn what_lies_between_the_corners_of_a_facet_is_seen() {
        let piece = [[-1.0, -1.0, 0.9], [1.0, -1.0, 0.9], [0.0, 2.0, 0.9]].map(Vector::from);
        let along = Vector::new(0.0, 0.0, -1.0);
        for core in [
            Core::Point(Vector::zeros()),
            Core::Segment([Vector::zeros(), along]),
            Core::Line(Vector::zeros(), Vector::x()),
        ] {
            let (depth, place) = placed(Round { core, radius: 1.0, inside: false, dim: 3 }).least_distance(&piece);
            assert!((depth + 0.1).abs() < 1e-9, "{depth}");
            assert!(place[1].abs() < 1e-4);
        }
        let cone =
            Revolved { origin: Vector::zeros(), axis: Vector::z(), length: 1.0, radii: [1.0, 0.0], inside: false };
        let (depth, _) = placed(cone).least_distance(&piece);
        // 0.1 below the tip of a cone of 45 degrees
        assert!((depth + 0.1 * 0.5f64.sqrt()).abs() < 1e-9, "{depth}");
    }
}
