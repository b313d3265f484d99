//! How obstacles are drawn: solids by their surface or their area, containers by their wall alone.

use std::f64::consts::TAU;

use super::registry::ask;
use super::shape::Shape;
use super::{Obstacle, Vector, frame};

pub(super) const POLYLINE: u8 = 4;
pub(super) const TRIANGLE: u8 = 5;
const POLYGON: u8 = 7;
pub(super) const QUAD: u8 = 9;
const HEXAHEDRON: u8 = 12;

/// Chords of a full circle, at most and at least.
const CHORDS: [usize; 2] = [64, 12];
/// Obstacles up to which each is drawn with the most chords; the more there are, the coarser each is.
const FINE: f64 = 16.0;

/// Cells of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// Chords of a full circle.
    pub(super) chords: usize,
    /// Dimension of the scene, its middle and its size.
    pub(super) dim: usize,
    pub(super) middle: Vector,
    pub(super) size: f64,
    /// Places of its points.
    pub points: Vec<[f64; 3]>,
    /// VTK type and points of each cell.
    pub cells: Vec<(u8, Vec<usize>)>,
}

impl Outline {
    /// The picture of an obstacle in a scene that reaches from `low` to `high`: the shape itself, or of what has no end as
    /// much as the scene is wide.
    pub fn of(obstacle: &Obstacle, dim: usize, low: [f64; 3], high: [f64; 3]) -> Outline {
        Self::among(1, obstacle, dim, low, high)
    }

    /// The same for one of `count` obstacles: the points of all together stay about as many as those of a few.
    pub fn among(count: usize, obstacle: &Obstacle, dim: usize, low: [f64; 3], high: [f64; 3]) -> Outline {
        let (low, high) = (Vector::from(low), Vector::from(high));
        let [most, least] = CHORDS;
        let share = (FINE / count as f64).min(1.0);
        let chords = most as f64 * if dim == 2 { share } else { share.sqrt() };
        // a quarter of a circle has whole chords
        let chords = (4 * (chords as usize / 4)).max(least);
        // the scene as the shape sees it
        let (middle, size) = (obstacle.pose.own(0.5 * (low + high)), (high - low).norm());
        let mut outline = Outline { chords, dim, middle, size, ..Outline::default() };
        ask!(&obstacle.shape, shape => shape.draw(&mut outline));
        for p in &mut outline.points {
            *p = obstacle.pose.place(Vector::from(*p)).into();
        }
        outline
    }

    pub(super) fn cell(&mut self, kind: u8, corners: impl IntoIterator<Item = Vector>) {
        let first = self.points.len();
        self.points.extend(corners.into_iter().map(<[f64; 3]>::from));
        self.cells.push((kind, (first..self.points.len()).collect()));
    }

    /// A closed curve: filled, or as a line that returns to its first point.
    pub(super) fn closed(&mut self, filled: bool, corners: Vec<Vector>) {
        self.cell(if filled { POLYGON } else { POLYLINE }, corners);
        if !filled && let Some((_, points)) = self.cells.last_mut() {
            points.extend(points.first().copied());
        }
    }

    pub(super) fn parallelepiped(&mut self, start: Vector, sides: [Vector; 3], hollow: bool) {
        let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
        let place = |k: [i32; 3]| start + (0..3).map(|i| f64::from(k[i]) * sides[i]).sum::<Vector>();
        self.cell(HEXAHEDRON, corners.map(place));
        if hollow {
            // the floor and its frame: what is within stays visible
            self.cells.clear();
            self.cells.push((QUAD, vec![0, 1, 2, 3]));
            self.cells.push((POLYLINE, vec![4, 5, 6, 7, 4]));
            self.cells.extend((0..4).map(|k| (POLYLINE, vec![k, k + 4])));
        }
    }

    /// A profile turned about an axis, all around or by a share of it: a container is drawn half, so that one sees in.
    pub(super) fn turned(&mut self, profile: &[(f64, Vector)], axis: Vector, share: f64) {
        let [_, e1, e2] = frame(axis, 3);
        let chords = self.chords;
        let steps = (chords as f64 * share) as usize;
        let columns = if share < 1.0 { steps + 1 } else { steps };
        let first = self.points.len();
        for &(radius, place) in profile {
            for k in 0..columns {
                let (sin, cos) = (TAU * k as f64 / chords as f64).sin_cos();
                self.points.push((place + radius * (cos * e1 + sin * e2)).into());
            }
        }
        for row in 1..profile.len() {
            for k in 0..steps {
                let at = |row: usize, k: usize| first + row * columns + k % columns;
                let (a, b, c, d) = (at(row - 1, k), at(row - 1, k + 1), at(row, k + 1), at(row, k));
                self.cells.push(match (profile[row - 1].0 == 0.0, profile[row].0 == 0.0) {
                    (true, _) => (TRIANGLE, vec![a, c, d]),
                    (_, true) => (TRIANGLE, vec![a, b, d]),
                    _ => (QUAD, vec![a, b, c, d]),
                });
            }
        }
    }
}
