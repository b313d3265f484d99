//! How obstacles are drawn: solids by their surface or their area, containers by their wall alone.

use std::f64::consts::TAU;

use super::{Chain, Core, Obstacle, Revolved, Round, Shape, Vector, frame};

const POLYLINE: u8 = 4;
const TRIANGLE: u8 = 5;
const POLYGON: u8 = 7;
const QUAD: u8 = 9;
const HEXAHEDRON: u8 = 12;

/// Chords of a full circle, at most and at least.
const CHORDS: [usize; 2] = [64, 12];
/// Obstacles up to which each is drawn with the most chords; the more there are, the coarser each is.
const FINE: f64 = 16.0;

/// Cells of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// Chords of a full circle.
    chords: usize,
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
        let mut outline = Outline { chords, ..Outline::default() };
        // the scene as the shape sees it
        let middle = obstacle.pose.own(0.5 * (low + high));
        let size = (high - low).norm();
        match &obstacle.shape {
            Shape::Chain(chain) => outline.chain(chain),
            Shape::Block(block) => {
                let d = block.max - block.min;
                let sides = [Vector::x() * d[0], Vector::y() * d[1], Vector::z() * d[2]];
                outline.parallelepiped(block.min, sides, block.inside);
            }
            Shape::HalfSpace { point, normal } => {
                let foot = middle - (middle - point).dot(normal) * normal;
                let [_, t1, t2] = frame(*normal, dim);
                let (half, depth) = (1.5 * size, 0.05 * size);
                if dim == 2 {
                    let corner = |s: f64, d: f64| foot + s * half * t1 - d * depth * normal;
                    outline.cell(QUAD, [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0), corner(-1.0, 0.0)]);
                } else {
                    let start = foot - half * (t1 + t2) - depth * normal;
                    outline.parallelepiped(start, [2.0 * half * t1, 2.0 * half * t2, depth * normal], false);
                }
            }
            Shape::Round(round) if dim == 2 => outline.round_in_plane(round),
            Shape::Round(round) => outline.round(round, middle, size),
            Shape::Revolved(solid) => outline.revolved(solid),
            Shape::Surface(surface) => {
                outline.points = surface.points().iter().map(|p| <[f64; 3]>::from(*p)).collect();
                let cell = |t: &[u32; 3]| (TRIANGLE, t.iter().map(|p| *p as usize).collect());
                outline.cells = surface.triangles().iter().map(cell).collect();
            }
        }
        for p in &mut outline.points {
            *p = obstacle.pose.place(Vector::from(*p)).into();
        }
        outline
    }

    fn cell(&mut self, kind: u8, corners: impl IntoIterator<Item = Vector>) {
        let first = self.points.len();
        self.points.extend(corners.into_iter().map(<[f64; 3]>::from));
        self.cells.push((kind, (first..self.points.len()).collect()));
    }

    /// A closed curve: filled, or as a line that returns to its first point.
    fn closed(&mut self, filled: bool, corners: Vec<Vector>) {
        self.cell(if filled { POLYGON } else { POLYLINE }, corners);
        if !filled && let Some((_, points)) = self.cells.last_mut() {
            points.extend(points.first().copied());
        }
    }

    fn chain(&mut self, chain: &Chain) {
        let lines = chain.lines();
        for line in lines {
            let corners: Vec<Vector> = line.points.iter().map(|p| Vector::new(p[0], p[1], 0.0)).collect();
            let n = corners.len();
            let doubled: f64 = (0..n).map(|k| corners[k].cross(&corners[(k + 1) % n])[2]).sum();
            match line.closed {
                // an area with holes has no cell of its own in VTK: its lines show it
                true => self.closed(lines.len() == 1 && doubled > 0.0, corners),
                false => self.cell(POLYLINE, corners),
            }
        }
    }

    fn parallelepiped(&mut self, start: Vector, sides: [Vector; 3], hollow: bool) {
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

    fn round_in_plane(&mut self, round: &Round) {
        let ends = match &round.core {
            Core::Point(c) | Core::Line(c, _) => [*c, *c],
            Core::Segment(ends) => *ends,
        };
        let d = ends[1] - ends[0];
        let start = if d == Vector::zeros() { 0.0 } else { d[1].atan2(d[0]) - 0.25 * TAU };
        let chords = self.chords;
        let corners = (0..chords).map(|k| {
            let (sin, cos) = (start + TAU * k as f64 / (chords - usize::from(ends[0] != ends[1])) as f64).sin_cos();
            ends[usize::from(2 * k < chords)] + round.radius * Vector::new(cos, sin, 0.0)
        });
        self.closed(!round.inside, corners.collect());
    }

    fn round(&mut self, round: &Round, middle: Vector, size: f64) {
        let r = round.radius;
        let ([from, to], axis, caps) = match &round.core {
            Core::Point(c) => ([*c, *c], Vector::z(), true),
            Core::Segment([a, b]) => ([*a, *b], (b - a).normalize(), true),
            Core::Line(p, e) => {
                let foot = p + e * (middle - p).dot(e);
                ([foot - e * 1.5 * size, foot + e * 1.5 * size], *e, false)
            }
        };
        // the profile: (distance from the axis, place on it)
        let quarter = self.chords / 4;
        let mut profile: Vec<(f64, Vector)> = Vec::new();
        if caps {
            let arc = |k: usize| (0.25 * TAU * k as f64 / quarter as f64).sin_cos();
            profile.extend((0..=quarter).map(|k| (r * arc(k).0, from - axis * (r * arc(k).1))));
            let first = usize::from(from == to);
            profile.extend((first..=quarter).map(|k| (r * arc(k).1, to + axis * (r * arc(k).0))));
        } else {
            profile.extend([(r, from), (r, to)]);
        }
        self.turned(&profile, axis, if round.inside { 0.5 } else { 1.0 });
    }

    fn revolved(&mut self, solid: &Revolved) {
        let (from, to) = (solid.origin, solid.origin + solid.axis * solid.length);
        let mut profile = vec![(solid.radii[0], from), (solid.radii[1], to)];
        if !solid.inside {
            profile.insert(0, (0.0, from));
            profile.push((0.0, to));
        }
        profile.dedup();
        self.turned(&profile, solid.axis, if solid.inside { 0.5 } else { 1.0 });
    }

    /// A profile turned about an axis, all around or by a share of it: a container is drawn half, so that one sees in.
    fn turned(&mut self, profile: &[(f64, Vector)], axis: Vector, share: f64) {
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
