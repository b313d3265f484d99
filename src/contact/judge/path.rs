//! What passes through a surface on the straight ways from the start to the end of a step. What jumps right through is clear at both
//! ends; its way is not.

use super::super::detection::Vector;
use super::Bounded;
use super::caught::ALONG;
use super::hull::{Hull, normal};
use crate::geometry::Bounds;

/// A moving feature of one surface, a point or an edge, that goes through a facet or an edge of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    /// Number of the point, or of the edge.
    pub feature: u32,
    pub is_edge: bool,
    /// Facet that it goes through, or the first facet of the edge.
    pub facet: u32,
    /// Which piece of that facet.
    pub part: u32,
    /// The edge, where an edge goes through one.
    pub other_edge: Option<u32>,
    /// When, as a share of the step.
    pub time: f64,
    /// Whether it goes from front to back.
    pub inwards: bool,
    /// Outward unit normal there, and where.
    pub normal: Vector,
    pub place: Vector,
}

/// Share of a piece by which a place beside it still counts as on it.
const RIM: f64 = 1e-6;

/// Cosine of the angle between the normals of two facets from which their common edge counts as an edge.
const FLAT: f64 = 1.0 - 1e-6;

/// Share of the lengths by which edges must not be parallel.
const PARALLEL: f64 = 1e-3;

/// The first place between 0 and 1 at which a function changes its sign, given its values there (Illinois).
fn root(value: impl Fn(f64) -> f64, mut at: [f64; 2]) -> f64 {
    let mut ends = [0.0, 1.0];
    if at[0] * at[1] >= 0.0 {
        return if at[0].abs() <= at[1].abs() { 0.0 } else { 1.0 };
    }
    let mut last = 2;
    for _ in 0..80 {
        let t = (ends[0] * at[1] - ends[1] * at[0]) / (at[1] - at[0]);
        let f = value(t);
        if f == 0.0 || (ends[1] - ends[0]) < 1e-15 {
            return t;
        }
        let side = usize::from(f * at[1] > 0.0);
        (ends[side], at[side]) = (t, f);
        if last == side {
            at[1 - side] *= 0.5;
        }
        last = side;
    }
    0.5 * (ends[0] + ends[1])
}

/// Whether a place on the plane or line of a piece is on it, its rim included.
fn is_on(dim: usize, x: &Vector, [a, b, c]: &[Vector; 3]) -> bool {
    if dim == 2 {
        let along = b - a;
        let share = (x - a).dot(&along) / along.norm_squared();
        return (-RIM..=1.0 + RIM).contains(&share);
    }
    let n = (b - a).cross(&(c - a));
    let area = n.norm_squared();
    let within = |p: &Vector, q: &Vector| n.dot(&(q - p).cross(&(x - p))) >= -RIM * area;
    within(a, b) && within(b, c) && within(c, a)
}

fn lerp<const N: usize>(before: &[Vector; N], after: &[Vector; N], t: f64) -> [Vector; N] {
    std::array::from_fn(|k| before[k].lerp(&after[k], t))
}

/// Adds the points of a facet of one surface that go through a facet of another: from in front of it, to `tolerance`, to behind it,
/// or back.
pub(super) fn points_through(
    (one, facet): (&Hull, u32),
    (other, through): (&Hull, u32),
    tolerance: f64,
    out: &mut Vec<Event>,
) {
    let dim = one.dim;
    for &point in one.points_of(facet) {
        let way = [0, 1].map(|moment: usize| one.points[moment][point as usize]);
        if !Bounds::around(way).inflated(tolerance).meets(&other.boxes[through as usize]) {
            continue;
        }
        for (piece, part) in other.pieces(through).iter().zip(0..) {
            let [before, after] = [0, 1].map(|moment| other.corners(moment, piece));
            let volume = |t: f64| {
                let corners = lerp(&before, &after, t);
                normal(dim, &corners).dot(&(way[0].lerp(&way[1], t) - corners[0]))
            };
            let at = [volume(0.0), volume(1.0)];
            let heights = [at[0] / normal(dim, &before).norm(), at[1] / normal(dim, &after).norm()];
            let inwards = heights[1] < -tolerance;
            if inwards != (heights[0] >= -tolerance) {
                continue;
            }
            let time = root(volume, at);
            let (corners, place) = (lerp(&before, &after, time), way[0].lerp(&way[1], time));
            if !is_on(dim, &place, &corners) {
                continue;
            }
            let Some(normal) = normal(dim, &corners).try_normalize(0.0) else { continue };
            out.push(Event {
                feature: point,
                is_edge: false,
                facet: through,
                part,
                other_edge: None,
                time,
                inwards,
                normal,
                place,
            });
        }
    }
}

/// Adds the edges of a facet of one surface that go through edges of another, in space. Of two that are both within flat or concave
/// parts neither is looked at: what comes through them comes through a facet.
pub(super) fn edges_through(
    (one, facet): (&Hull, u32),
    (other, through): (&Hull, u32),
    tolerance: f64,
    out: &mut Vec<Event>,
) {
    for number in one.edges_of(facet) {
        let is_sharp = is_ridge(one, number);
        let own = one.edges[number as usize].ends;
        let ends = |moment: usize| own.map(|end| one.points[moment][end as usize]);
        let (own0, own1) = (ends(0), ends(1));
        let bounds = Bounds::around(own0.into_iter().chain(own1)).inflated(tolerance);
        if !bounds.meets(&other.boxes[through as usize]) {
            continue;
        }
        for theirs in other.edges_of(through).filter(|edge| is_sharp || is_ridge(other, *edge)) {
            let edge = other.edges[theirs as usize];
            let ends = |moment: usize| edge.ends.map(|end| other.points[moment][end as usize]);
            let (others0, others1) = (ends(0), ends(1));
            if !bounds.meets(&Bounds::around(others0.into_iter().chain(others1))) {
                continue;
            }
            let across = |t: f64| {
                let ([p, q], [a, b]) = (lerp(&own0, &own1, t), lerp(&others0, &others1, t));
                ((b - a).cross(&(q - p)), p - a, (b - a).norm() * (q - p).norm())
            };
            // outwards at both ends
            let outwards = [0usize, 1].map(|moment| {
                let (n, _, scale) = across(moment as f64);
                let mean: Vector = edge.facets.iter().map(|f| other.normal(moment, *f).normalize()).sum();
                let along = n.dot(&mean);
                if along.abs() < ALONG * n.norm() * mean.norm() || n.norm() < PARALLEL * scale {
                    0.0
                } else {
                    along.signum()
                }
            });
            if outwards[0] == 0.0 || outwards[0] != outwards[1] {
                continue;
            }
            let volume = |t: f64| {
                let (n, offset, _) = across(t);
                outwards[0] * n.dot(&offset)
            };
            let at = [volume(0.0), volume(1.0)];
            let heights = [at[0] / across(0.0).0.norm(), at[1] / across(1.0).0.norm()];
            let inwards = heights[1] < -tolerance;
            if inwards != (heights[0] >= -tolerance) {
                continue;
            }
            let time = root(volume, at);
            let ([p, q], [a, b]) = (lerp(&own0, &own1, time), lerp(&others0, &others1, time));
            let (d, e, offset) = (q - p, b - a, a - p);
            let (dd, de, ee) = (d.dot(&d), d.dot(&e), e.dot(&e));
            let (f, g) = (d.dot(&offset), e.dot(&offset));
            let det = dd * ee - de * de;
            let shares = [(f * ee - g * de) / det, (f * de - g * dd) / det];
            if shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
                continue;
            }
            let normal = outwards[0] * e.cross(&d).normalize();
            let place = p + shares[0] * d;
            out.push(Event {
                feature: number,
                is_edge: true,
                facet: through,
                part: 0,
                other_edge: Some(theirs),
                time,
                inwards,
                normal,
                place,
            });
        }
    }
}

/// Whether the facets beside an edge meet at a convex angle.
pub(super) fn is_ridge(hull: &Hull, edge: u32) -> bool {
    let [first, second] = hull.edges[edge as usize].facets;
    if first == second {
        return false;
    }
    let [n, m] = [first, second].map(|facet| hull.normal(0, facet));
    if n.dot(&m) >= FLAT * n.norm() * m.norm() {
        return false;
    }
    let end = hull.points[0][hull.edges[edge as usize].ends[0] as usize];
    let middle = |facet: u32| {
        let corners = hull.pieces(facet).iter().flatten().map(|point| hull.points[0][*point as usize]);
        let (count, sum) = corners.fold((0.0, Vector::zeros()), |(count, sum), x| (count + 1.0, sum + x));
        sum / count
    };
    n.dot(&(middle(second) - end)) < 0.0
}

/// The share of the full angle under which a surface is seen from a place: one inside, nought outside; by the angle, in the plane, or
/// the solid angle (Van Oosterom and Strackee 1983). The `own` facets of a place on the surface, which are seen edge-on from there, are
/// left out: of them only rounding would count.
pub(super) fn winding(hull: &Hull, moment: usize, x: &Vector, own: &[u32]) -> f64 {
    // what lies on the surface may be beside its box by rounding
    if !hull.bounds.inflated(Bounded::ROUNDING * hull.size).meets(&Bounds { low: *x, high: *x }) {
        return 0.0;
    }
    let mut angle = 0.0;
    let others = (0..hull.facet_count() as u32).filter(|facet| !own.contains(facet));
    for piece in others.flat_map(|facet| hull.pieces(facet)) {
        let [a, b, c] = hull.corners(moment, piece).map(|corner| corner - x);
        if hull.dim == 2 {
            angle += (a[0] * b[1] - a[1] * b[0]).atan2(a.dot(&b)) / std::f64::consts::TAU;
        } else {
            let (l, m, n) = (a.norm(), b.norm(), c.norm());
            let below = l * m * n + a.dot(&b) * n + b.dot(&c) * l + c.dot(&a) * m;
            angle += a.dot(&b.cross(&c)).atan2(below) / std::f64::consts::TAU;
        }
    }
    angle.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Block, Obstacle};

    /// From the middle of an edge of a box the rest of its surface fills a quarter of the full angle, whatever rounding makes of the two
    /// facets that the edge is of.
    #[test]
    fn a_place_on_an_edge_sees_as_much_of_the_rest_as_the_edge_is_sharp() {
        let block = Block { min: Vector::new(0.1, -0.3, 0.7), max: Vector::new(1.3, 0.4, 0.9), inside: false };
        let hull = Hull::of_obstacle(&Obstacle::new("box", block), 1.0).unwrap();
        for edge in hull.edges.iter().filter(|edge| hull.bend(0, edge.facets) < 0.5) {
            let [p, q] = edge.ends.map(|end| hull.points[0][end as usize]);
            for share in [0.1, 0.3, 0.77] {
                let seen = winding(&hull, 0, &p.lerp(&q, share), &edge.facets);
                assert!((seen - 0.25).abs() < 1e-9, "{seen} at {share} of an edge");
            }
        }
    }

    #[test]
    fn a_sign_is_found_where_a_cubic_changes_it() {
        for at in [0.1, 0.5, 0.999] {
            let f = |t: f64| (at - t) * (1.0 + t * t);
            assert!((root(f, [f(0.0), f(1.0)]) - at).abs() < 1e-14);
        }
    }
}
