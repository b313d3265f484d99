//! What can be seen of a grid: its plane cells and lines, and the outer faces of its solid cells.

use std::collections::BTreeMap;

use crate::output::Grid;

/// Faces with the points and cells they need.
pub(super) struct Faces {
    /// For each face: part, cell, number of points, points; the last two count within `points` and `cells`.
    pub(super) list: Vec<i32>,
    /// Numbers of the points in the grid.
    pub(super) points: Vec<usize>,
    /// Numbers of the cells in the grid.
    pub(super) cells: Vec<usize>,
    /// Whether there are solid bodies.
    pub(super) solid: bool,
}

const HEX: [&[usize]; 6] = [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
const TET: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]];
const WEDGE: [&[usize]; 5] = [&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]];
const PYRAMID: [&[usize]; 5] = [&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];

/// VTK's number of a polyline.
const POLYLINE: u8 = 4;

/// Faces of a cell by its VTK type, corners only; none for plane cells and lines.
fn faces_of(kind: u8) -> Option<&'static [&'static [usize]]> {
    match kind {
        10 | 24 => Some(&TET),
        12 | 25 | 29 => Some(&HEX),
        13 => Some(&WEDGE),
        14 => Some(&PYRAMID),
        _ => None,
    }
}

/// Corners of a plane cell or a line: quadratic cells have further points after them.
fn corners(kind: u8, points: &[i64]) -> &[i64] {
    let count = match kind {
        22 => 3,
        23 | 28 => 4,
        21 => 2,
        _ => points.len(),
    };
    &points[..count.min(points.len())]
}

impl Faces {
    pub(super) fn of(grid: &Grid, parts: &[usize]) -> Self {
        // faces between two cells are inside; equal faces meet under the sorted list of their points
        let mut outer: BTreeMap<Vec<i64>, Option<(usize, Vec<i64>)>> = BTreeMap::new();
        let mut found: Vec<(usize, Vec<i64>)> = Vec::new();
        let body = |cell: usize| grid.parts.get(parts[cell]).is_none_or(|part| part.1 != "obstacle");
        let mut solid = false;
        for (cell, (&kind, ends)) in grid.cell_types.iter().zip(grid.offsets.windows(2)).enumerate() {
            let points = &grid.connectivity[ends[0] as usize..ends[1] as usize];
            let Some(sides) = faces_of(kind) else {
                // lines have no inside to be filled
                match kind {
                    POLYLINE => found.extend(points.windows(2).map(|ends| (cell, ends.to_vec()))),
                    _ => found.push((cell, corners(kind, points).to_vec())),
                }
                continue;
            };
            solid |= body(cell);
            for side in sides {
                let face: Vec<i64> = side.iter().map(|&k| points[k]).collect();
                let mut key = face.clone();
                key.sort_unstable();
                outer.entry(key).and_modify(|known| *known = None).or_insert(Some((cell, face)));
            }
        }
        // obstacles in space can be made of triangles alone
        solid |= grid.points.iter().any(|p| p[2] != 0.0);
        found.extend(outer.into_values().flatten());
        let (mut point_at, mut cell_at) = (vec![-1i32; grid.points.len()], vec![-1i32; grid.cell_types.len()]);
        let mut faces = Faces { list: Vec::new(), points: Vec::new(), cells: Vec::new(), solid };
        let number = |at: &mut Vec<i32>, list: &mut Vec<usize>, k: usize| {
            if at[k] < 0 {
                at[k] = list.len() as i32;
                list.push(k);
            }
            at[k]
        };
        for (cell, points) in found {
            let at = number(&mut cell_at, &mut faces.cells, cell);
            faces.list.extend([parts[cell] as i32, at, points.len() as i32]);
            for point in points {
                let at = number(&mut point_at, &mut faces.points, point as usize);
                faces.list.push(at);
            }
        }
        faces
    }
}
