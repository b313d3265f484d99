//! Triangles as they come from a file: which of their corners are one point, which of their sides meet, and where a point
//! is beside one of them.

use std::collections::HashMap;

use super::super::super::{Bounds, Vector};

/// Why triangles do not make a surface. Triangles are numbered from 0 in the order given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// Nothing at all.
    #[error("holds no triangle")]
    Empty,
    /// A coordinate that is no number.
    #[error("triangle {0} has a coordinate that is not finite")]
    NotFinite(usize),
    /// A triangle without area.
    #[error("triangle {0} at [{1}, {2}, {3}] has no area")]
    Degenerate(usize, f64, f64, f64),
    /// An edge of three or more triangles.
    #[error("more than two triangles meet at the edge [{0}, {1}, {2}] to [{3}, {4}, {5}]")]
    Branching(f64, f64, f64, f64, f64, f64),
    /// Neighbours that face opposite ways.
    #[error("the triangles at the edge [{0}, {1}, {2}] to [{3}, {4}, {5}] face opposite ways")]
    Twisted(f64, f64, f64, f64, f64, f64),
}

/// Ends of a side and its triangles, `u32::MAX` where there is no second one.
pub(super) type FoundSide = ([u32; 2], [u32; 2]);

/// A part of a triangle: itself, one of its sides, one of its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    Face,
    Side(usize),
    Corner(usize),
}

/// Share of the size within which points count as the same.
const SAME: f64 = 1e-9;

pub(super) fn key(ends: [u32; 2]) -> [u32; 2] {
    [ends[0].min(ends[1]), ends[0].max(ends[1])]
}

/// Points that lie together become one: the first given.
pub(super) fn weld(corners: &[[[f64; 3]; 3]]) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let all = Bounds::around(corners.iter().flatten().map(|p| Vector::from(*p)));
    let cell = (SAME * (all.high - all.low).norm()).max(f64::MIN_POSITIVE);
    let mut known: HashMap<[i64; 3], u32> = HashMap::new();
    let mut points: Vec<Vector> = Vec::new();
    let mut number = |p: &[f64; 3]| {
        let p = Vector::from(*p);
        let at: [i64; 3] = std::array::from_fn(|i| ((p[i] - all.low[i]) / cell).floor() as i64);
        for shift in 0..27 {
            let near = [at[0] + shift % 3 - 1, at[1] + shift / 3 % 3 - 1, at[2] + shift / 9 - 1];
            if let Some(&k) = known.get(&near)
                && (points[k as usize] - p).norm() <= cell
            {
                return k;
            }
        }
        let k = points.len() as u32;
        known.insert(at, k);
        points.push(p);
        k
    };
    let triangles = corners.iter().map(|t| [number(&t[0]), number(&t[1]), number(&t[2])]).collect();
    (points, triangles)
}

/// Sides with the triangles at them, the first running along the side; a rim has one.
pub(super) fn sides(points: &[Vector], triangles: &[[u32; 3]]) -> Result<Vec<FoundSide>, SurfaceError> {
    let mut records: Vec<([u32; 2], bool, u32)> = Vec::with_capacity(3 * triangles.len());
    for (k, t) in triangles.iter().enumerate() {
        for a in 0..3 {
            let (p, q) = (t[a], t[(a + 1) % 3]);
            records.push((key([p, q]), p > q, k as u32));
        }
    }
    records.sort_unstable();
    let place = |ends: [u32; 2]| (points[ends[0] as usize], points[ends[1] as usize]);
    let mut sides = Vec::with_capacity(records.len() / 2 + 1);
    for group in records.chunk_by(|a, b| a.0 == b.0) {
        let (p, q) = place(group[0].0);
        match group {
            [(ends, backward, t)] => {
                let ends = if *backward { [ends[1], ends[0]] } else { *ends };
                sides.push((ends, [*t, u32::MAX]));
            }
            [(ends, false, t), (_, true, other)] => sides.push((*ends, [*t, *other])),
            [_, _] => return Err(SurfaceError::Twisted(p[0], p[1], p[2], q[0], q[1], q[2])),
            _ => return Err(SurfaceError::Branching(p[0], p[1], p[2], q[0], q[1], q[2])),
        }
    }
    Ok(sides)
}

/// Weights of the foot of a point on the plane of a triangle: each is the share of the area across from its corner.
pub(super) fn weights(x: &Vector, [a, b, c]: &[Vector; 3], n: &Vector) -> [f64; 3] {
    let whole = (b - a).cross(&(c - a)).dot(n);
    let part = |p: &Vector, q: &Vector| (q - p).cross(&(x - p)).dot(n) / whole;
    [part(b, c), part(c, a), part(a, b)]
}

/// The place of a triangle nearest to a point, and which part of the triangle it belongs to.
pub(super) fn closest(x: &Vector, corners: &[Vector; 3]) -> (Vector, Part) {
    let [a, b, c] = corners;
    let n = (b - a).cross(&(c - a));
    let w = weights(x, corners, &n);
    if w.iter().all(|w| *w > 0.0) {
        return (a * w[0] + b * w[1] + c * w[2], Part::Face);
    }
    let mut best = (f64::INFINITY, *a, Part::Corner(0));
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let d = q - p;
        let share = (x - p).dot(&d) / d.norm_squared();
        let (place, part) = if share <= 0.0 {
            (p, Part::Corner(k))
        } else if share >= 1.0 {
            (q, Part::Corner((k + 1) % 3))
        } else {
            (p + d * share, Part::Side(k))
        };
        let distance = (x - place).norm_squared();
        if distance < best.0 {
            best = (distance, place, part);
        }
    }
    (best.1, best.2)
}
