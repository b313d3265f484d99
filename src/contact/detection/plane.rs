//! A node beside a segment of a deforming line in the plane.
//!
//! Where segments meet at a slight angle they stand for a smooth curve: their common node has the mean of their normals, and
//! along a segment the normal turns from that of one end to that of the other. So every place near a curved surface is
//! above exactly one segment, and a node that slides over it meets no jump. The gap is measured along that normal; it is
//! zero just where the node lies on the segment. At a corner each segment keeps its own normal to its end.

use super::Vector;
use super::foot::{Foot, LEVEL};
use super::skin::{SMOOTH, Skin};
use super::source::Placed;
use crate::geometry::features::END;

fn turned(t: Vector) -> Vector {
    Vector::new(t[1], -t[0], 0.0)
}

fn cross(a: Vector, b: Vector) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// How the line goes on at an end of a segment.
enum End {
    /// Smoothly: the mean of the normals.
    Smooth(Vector),
    /// Round a convex corner.
    Convex,
    /// Not at all.
    Open,
    /// Round a concave corner.
    Concave,
}

/// The foot of `x` on a segment, if the place is above it. Inside a body, beyond a concave corner, where no segment is above
/// the place, both count, to the distance `beyond`.
pub(super) fn foot(skin: &Skin, facet: u32, x: Vector, beyond: f64, at: &impl Placed) -> Option<Foot> {
    let nodes = skin.facets[facet as usize].nodes();
    let ends = [at.position(skin.body, nodes[0].index()), at.position(skin.body, nodes[1].index())];
    let along = ends[1] - ends[0];
    let length = along.norm();
    if length == 0.0 {
        return None;
    }
    let tangent = along / length;
    let own = turned(tangent);
    let next = |k: usize| -> End {
        let Some(place) = skin.place_of(nodes[k].0) else { return End::Open };
        let Some(&other) = skin.around(place).iter().find(|f| **f != facet) else { return End::Open };
        let normal = skin.normal(other, at);
        if normal.dot(&own) >= SMOOTH {
            return End::Smooth((normal + own).normalize());
        }
        // the line turns to its solid side at a convex node
        let turn = if k == 0 { cross(normal, own) } else { cross(own, normal) };
        if turn > 0.0 { End::Convex } else { End::Concave }
    };
    let sides = [next(0), next(1)];
    let [a, b] = [0, 1].map(|k: usize| if let End::Smooth(mean) = sides[k] { mean } else { own });
    // (x − A − ξ(B − A)) × ((1−ξ) a + ξ b) = 0, the root that is −r/q for a = b
    let (d, m) = (x - ends[0], b - a);
    let (p, q, r) = (-cross(along, m), cross(d, m) - cross(along, a), cross(d, a));
    let discriminant = q * q - 4.0 * p * r;
    if q <= 0.0 || discriminant < 0.0 {
        return None;
    }
    let share = -2.0 * r / (q + discriminant.sqrt());
    let margins = [0, 1].map(|k: usize| if matches!(sides[k], End::Open) { END } else { LEVEL });
    let over = (-margins[0]..=1.0 + margins[1]).contains(&share);
    let clamped = share.clamp(0.0, 1.0);
    let normal = ((1.0 - clamped) * a + clamped * b).normalize();
    let gap = (d - clamped * along).dot(&normal);
    if !over {
        let end = usize::from(share > 0.5);
        let far = (share - clamped).abs() * length;
        if !(matches!(sides[end], End::Concave) && gap < 0.0 && far <= beyond) {
            return None;
        }
    }
    let near_end = if share < LEVEL { Some(0) } else { (share > 1.0 - LEVEL).then_some(1) };
    let shared = near_end.filter(|&end| matches!(sides[end], End::Smooth(_))).map(|end| [nodes[end].0; 2]);
    Some(Foot { weights: [1.0 - clamped, clamped, 0.0, 0.0], normal, gap, shared })
}
