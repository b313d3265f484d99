//! Polygons, their holes, and chains: simple, without repeated points, apart from each other; polygons counter-clockwise
//! and holes clockwise.

use super::super::decode::{Cursor, Range};
use super::super::tree::Value;
use super::all;

/// Points of one polygon or chain. The check for crossings may compare every pair of edges; at this size that takes
/// about half a second.
const MOST_POINTS: usize = 10_000;
/// Area of a polygon relative to its bounding square below which it counts as flat: a few rounding errors.
const FLAT: f64 = 1e-12;

type Point = [f64; 2];

/// A polygon with its holes.
pub(super) struct Region {
    pub outer: Vec<Point>,
    pub holes: Vec<Vec<Point>>,
    pub inside: bool,
}

/// Reads a polygon: a list of points, or a map with `outer`, `holes` and `inside`.
pub(super) fn region(cursor: &Cursor<'_>) -> Option<Region> {
    if !matches!(cursor.value(), Value::Map(_)) {
        return Some(Region { outer: polygon(cursor)?, holes: Vec::new(), inside: false });
    }
    let fields = cursor.fields(&["outer", "holes", "inside"])?;
    let outer = fields.required("outer").and_then(|cursor| polygon(&cursor));
    let inside = fields.or("inside", false, Cursor::truth);
    let holes = fields.or("holes", Vec::new(), |cursor| {
        let read: Vec<_> = cursor.list()?.iter().map(|item| Some((item.clone(), polygon(item)?))).collect();
        all(read)
    });
    let (outer, inside, holes) = (outer?, inside?, holes?);
    let mut known: Vec<(String, &[Point])> = vec![("the outline".to_owned(), &outer)];
    for (number, (item, hole)) in holes.iter().enumerate() {
        if !hole.iter().all(|p| encloses(&outer, *p)) {
            return item.fail("does not lie within the outline");
        }
        for (name, other) in &known {
            if meet(hole, other) {
                return item.fail(format!("touches {name}"));
            }
            if number > 0
                && known.len() > 1
                && *other != outer
                && (encloses(other, hole[0]) || encloses(hole, other[0]))
            {
                return item.fail(format!("overlaps {name}"));
            }
        }
        known.push((format!("hole {number}"), hole));
    }
    let turned = |(_, mut hole): (Cursor<'_>, Vec<Point>)| {
        hole.reverse();
        hole
    };
    Some(Region { outer: outer.clone(), holes: holes.clone().into_iter().map(turned).collect(), inside })
}

/// Reads several open chains that do not touch each other.
pub(super) fn chains(cursor: &Cursor<'_>) -> Option<Vec<Vec<Point>>> {
    let items = cursor.list()?;
    if items.is_empty() {
        return cursor.fail("must have at least one chain");
    }
    let read = all(items.iter().map(chain).collect())?;
    for (k, item) in items.iter().enumerate() {
        if let Some(other) = (0..k).find(|&other| open_meet(&read[k], &read[other])) {
            return item.fail(format!("touches chain {other}"));
        }
    }
    Some(read)
}

fn sides(points: &[Point], closed: bool) -> impl Iterator<Item = [Point; 2]> + Clone + '_ {
    let count = if closed { points.len() } else { points.len() - 1 };
    (0..count).map(|k| [points[k], points[(k + 1) % points.len()]])
}

fn meet(a: &[Point], b: &[Point]) -> bool {
    sides(a, true).any(|s| sides(b, true).any(|t| touch(s, t)))
}

fn open_meet(a: &[Point], b: &[Point]) -> bool {
    sides(a, false).any(|s| sides(b, false).any(|t| touch(s, t)))
}

/// Whether a point lies within a polygon, by the number of sides a ray crosses.
fn encloses(points: &[Point], p: Point) -> bool {
    let crosses = |[a, b]: &[Point; 2]| {
        (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    sides(points, true).filter(crosses).count() % 2 == 1
}

/// Reads a closed polygon of at least three points and turns it counter-clockwise.
fn polygon(cursor: &Cursor<'_>) -> Option<Vec<Point>> {
    let (items, mut points) = points(cursor, 3)?;
    let scaled = scaled(&points);
    if let (Some(last), Some(first), Some(item)) = (points.last(), points.first(), items.last())
        && last == first
    {
        return item.fail("the last point repeats the first: a polygon closes by itself");
    }
    check_simple(&items, &scaled, true)?;
    let doubled: f64 = (0..scaled.len()).map(|i| cross(scaled[i], scaled[(i + 1) % scaled.len()])).sum();
    // Written so that a value that is not a number counts as flat.
    let solid = doubled.abs() > 2.0 * FLAT;
    if !solid {
        return cursor.fail("the polygon has no area");
    }
    if doubled < 0.0 {
        points.reverse();
    }
    Some(points)
}

/// Reads an open chain of at least two points.
pub(super) fn chain(cursor: &Cursor<'_>) -> Option<Vec<Point>> {
    let (items, points) = points(cursor, 2)?;
    check_simple(&items, &scaled(&points), false)?;
    Some(points)
}

fn points<'a>(cursor: &Cursor<'a>, fewest: usize) -> Option<(Vec<Cursor<'a>>, Vec<Point>)> {
    let items = cursor.list()?;
    if items.len() < fewest || items.len() > MOST_POINTS {
        let count = items.len();
        return cursor.fail(format!("must have {fewest} to {MOST_POINTS} points, got {count}"));
    }
    let read: Vec<Option<Point>> =
        items.iter().map(|item| item.array("components", |component| component.number(Range::Any))).collect();
    let points = all(read)?;
    Some((items, points))
}

/// The points moved and scaled into the unit square, so that no product under- or overflows.
fn scaled(points: &[Point]) -> Vec<Point> {
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for point in points {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let extent = (high[0] - low[0]).max(high[1] - low[1]);
    points.iter().map(|point| [(point[0] - low[0]) / extent, (point[1] - low[1]) / extent]).collect()
}

/// Reports repeated points, edges that turn back on themselves and edges that touch.
fn check_simple(items: &[Cursor<'_>], points: &[Point], closed: bool) -> Option<()> {
    let count = points.len();
    let edges = if closed { count } else { count - 1 };
    let end = |edge: usize| (edge + 1) % count;
    for edge in 0..edges {
        if points[edge] == points[end(edge)] || points[edge].iter().any(|x| !x.is_finite()) {
            return items[end(edge)].fail("repeats the point before it");
        }
    }
    let corners = if closed { 0..count } else { 1..count - 1 };
    for corner in corners {
        let before = points[(corner + count - 1) % count];
        let (a, b) = (minus(points[corner], before), minus(points[end(corner)], points[corner]));
        if cross(a, b) == 0.0 && dot(a, b) < 0.0 {
            return items[corner].fail("the line turns back on itself here");
        }
    }
    // Sweep along x: an edge is compared only with those that begin before it ends.
    let span = |edge: usize| {
        let (a, b) = (points[edge][0], points[end(edge)][0]);
        (a.min(b), a.max(b))
    };
    let mut order: Vec<usize> = (0..edges).collect();
    order.sort_by(|a, b| span(*a).0.total_cmp(&span(*b).0));
    for (rank, &first) in order.iter().enumerate() {
        for &second in order[rank + 1..].iter().take_while(|second| span(**second).0 <= span(first).1) {
            let neighbours = end(first) == second || end(second) == first;
            if !neighbours && touch([points[first], points[end(first)]], [points[second], points[end(second)]]) {
                let (low, high) = (first.min(second), first.max(second));
                return items[high].fail(format!("the edge from here touches the edge from point {low}"));
            }
        }
    }
    Some(())
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// True if two segments have a point in common.
fn touch(a: [Point; 2], b: [Point; 2]) -> bool {
    let side = |s: [Point; 2], p: Point| {
        let turn = cross(minus(s[1], s[0]), minus(p, s[0]));
        if turn > 0.0 { 1 } else { -i32::from(turn < 0.0) }
    };
    let within = |s: [Point; 2], p: Point| (0..2).all(|k| s[0][k].min(s[1][k]) <= p[k] && p[k] <= s[0][k].max(s[1][k]));
    let (b0, b1, a0, a1) = (side(a, b[0]), side(a, b[1]), side(b, a[0]), side(b, a[1]));
    if b0 * b1 < 0 && a0 * a1 < 0 {
        return true;
    }
    (b0 == 0 && within(a, b[0]))
        || (b1 == 0 && within(a, b[1]))
        || (a0 == 0 && within(b, a[0]))
        || (a1 == 0 && within(b, a[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments() {
        let a = [[0.0, 0.0], [1.0, 1.0]];
        assert!(touch(a, [[0.0, 1.0], [1.0, 0.0]]));
        assert!(touch(a, [[0.5, 0.5], [1.0, 0.0]]));
        assert!(touch(a, [[0.5, 0.5], [2.0, 2.0]]));
        assert!(!touch(a, [[1.1, 1.1], [2.0, 2.0]]));
        assert!(!touch(a, [[0.0, 0.1], [0.4, 0.5]]));
    }

    #[test]
    fn a_tiny_polygon_is_scaled() {
        let points = scaled(&[[1e-200, 0.0], [3e-200, 0.0], [1e-200, 1e-200]]);
        assert_eq!(points, [[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]]);
    }
}
