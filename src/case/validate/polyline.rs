//! Polygons and chains: simple, without repeated points, polygons counter-clockwise.

use super::super::decode::{Cursor, Range};
use super::all;

/// Points of one polygon or chain. The check for crossings may compare every pair of edges; at this size that takes
/// about half a second.
const MOST_POINTS: usize = 10_000;
/// Area of a polygon relative to its bounding square below which it counts as flat: a few rounding errors.
const FLAT: f64 = 1e-12;

type Point = [f64; 2];

/// Reads a closed polygon of at least three points and turns it counter-clockwise.
pub(super) fn polygon(cursor: &Cursor<'_>) -> Option<Vec<Point>> {
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
