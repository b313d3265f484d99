//! Plane obstacles made of straight segments: polygons, with holes or without, and open chains. The solid lies on the left
//! of travel, so the outward normal of `A → B` is `(t_y, −t_x)`; a polygon runs counter-clockwise and its holes clockwise.

use nalgebra::Matrix3;

use super::super::Vector;
use super::super::features::{Corner, DOUBT, END, Faces, Near, TIE, Touch, counted_depth};
use super::super::given::{Given, Lines, Read, Word};
use super::super::outline::{Outline, POLYLINE};
use super::super::shape::Shape;
use super::super::solid::Solid;

/// A polyline with an inside.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its points; a closed line does not repeat the first.
    pub points: Vec<[f64; 2]>,
    /// Whether the last point joins the first.
    pub closed: bool,
}

/// Polylines that bound one solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    lines: Vec<Line>,
    points: Vec<[f64; 2]>,
    /// First and last point of each segment.
    segments: Vec<[usize; 2]>,
    /// Segments that end and start at each point.
    around: Vec<[Option<usize>; 2]>,
    tangents: Vec<[f64; 2]>,
    lengths: Vec<f64>,
}

impl Chain {
    /// Share of a face's length within which a point counts as level with its end.
    const LEVEL: f64 = 1e-9;

    /// From the points of one line; a closed one must run counter-clockwise around its solid and not repeat its first
    /// point.
    pub fn new(points: Vec<[f64; 2]>, closed: bool) -> Self {
        Self::of_lines(vec![Line { points, closed }])
    }

    /// From several lines that do not touch each other.
    pub fn of_lines(lines: Vec<Line>) -> Self {
        let points: Vec<[f64; 2]> = lines.iter().flat_map(|line| line.points.iter().copied()).collect();
        let mut segments = Vec::with_capacity(points.len());
        let mut around = vec![[None; 2]; points.len()];
        let mut first = 0;
        for line in &lines {
            let n = line.points.len();
            for k in 0..if line.closed { n } else { n - 1 } {
                let ends = [first + k, first + (k + 1) % n];
                around[ends[0]][1] = Some(segments.len());
                around[ends[1]][0] = Some(segments.len());
                segments.push(ends);
            }
            first += n;
        }
        let (mut tangents, mut lengths) = (Vec::with_capacity(segments.len()), Vec::with_capacity(segments.len()));
        for [a, b] in segments.iter().map(|ends| ends.map(|v| points[v])) {
            let length = (b[0] - a[0]).hypot(b[1] - a[1]);
            tangents.push([(b[0] - a[0]) / length, (b[1] - a[1]) / length]);
            lengths.push(length);
        }
        Chain { lines, points, segments, around, tangents, lengths }
    }

    /// The lines it is made of.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// A polygon with holes; from inside every line runs the other way.
    pub fn polygon(lines: impl IntoIterator<Item = Vec<[f64; 2]>>, inside: bool) -> Self {
        let line = |mut points: Vec<[f64; 2]>| {
            if inside {
                points.reverse();
            }
            Line { points, closed: true }
        };
        Chain::of_lines(lines.into_iter().map(line).collect())
    }

    /// Straight segments of all lines.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    fn normal(&self, k: usize) -> [f64; 2] {
        [self.tangents[k][1], -self.tangents[k][0]]
    }

    /// Segments that end and start at point `v`; an end of an open chain has only one.
    fn around(&self, v: usize) -> (Option<usize>, Option<usize>) {
        (self.around[v][0], self.around[v][1])
    }

    /// Positive where the chain turns to its solid side, i.e. at a convex point of the obstacle.
    fn turn(&self, before: usize, after: usize) -> f64 {
        let (a, b) = (self.tangents[before], self.tangents[after]);
        a[0] * b[1] - a[1] * b[0]
    }

    /// Share of a segment by which a place may be beyond one of its ends: the end of an open chain holds what is on it.
    fn slack(&self, k: usize, end: usize) -> f64 {
        if self.around[self.segments[k][end]][end].is_none() { END } else { 1e-12 }
    }

    fn meet_concave(&self, j: usize, k: usize) -> bool {
        let follows = |a: usize, b: usize| self.segments[a][1] == self.segments[b][0];
        (follows(j, k) && self.turn(j, k) < 0.0) || (follows(k, j) && self.turn(k, j) < 0.0)
    }

    /// Whether a place along segment `k` is level with one of its convex ends. A point in front of a face there is not about
    /// to hit it: on a floor of two slabs it would hit the side of the second one.
    fn is_level(&self, k: usize, along: f64, gap: f64) -> bool {
        let margin = Self::LEVEL * self.lengths[k] + DOUBT * gap.max(0.0);
        let starts_convex = self.around[self.segments[k][0]][0].is_some_and(|before| self.turn(before, k) > 0.0);
        let ends_convex = self.around[self.segments[k][1]][1].is_some_and(|after| self.turn(k, after) > 0.0);
        (starts_convex && along < margin) || (ends_convex && along > self.lengths[k] - margin)
    }

    /// Distance to a concave end of segment `k`, if the point lies inside the obstacle beyond it, where no face is above
    /// it: the two faces that meet there push it out together.
    fn behind_concave_end(&self, k: usize, x: Vector) -> Option<f64> {
        self.segments[k].into_iter().find_map(|v| {
            let (Some(before), Some(after)) = self.around(v) else { return None };
            let d = [x[0] - self.points[v][0], x[1] - self.points[v][1]];
            let (t0, t1) = (self.tangents[before], self.tangents[after]);
            let beyond = d[0] * t0[0] + d[1] * t0[1] > 0.0 && d[0] * t1[0] + d[1] * t1[1] < 0.0;
            (self.turn(before, after) < 0.0 && beyond).then(|| d[0].hypot(d[1]))
        })
    }
}

fn region(given: &dyn Given) -> Option<Read> {
    given.lines(Lines::Region).map(|(lines, inside)| Chain::polygon(lines, inside).into())
}

fn open(given: &dyn Given, kind: Lines) -> Option<Read> {
    let (lines, _) = given.lines(kind)?;
    Some(Chain::of_lines(lines.into_iter().map(|points| Line { points, closed: false }).collect()).into())
}

impl Shape for Chain {
    const WORDS: &'static [Word] = &[
        Word { name: "polygon", dims: &[2], keys: &[], read: region },
        Word { name: "chain", dims: &[2], keys: &[], read: |given| open(given, Lines::Chain) },
        Word { name: "chains", dims: &[2], keys: &[], read: |given| open(given, Lines::Chains) },
    ];

    // Where a point is within reach of the chain: every face in front of it, the nearest face if it is inside (behind
    // an open chain by at most `near.depth`), and convex points in whose sector it
    // lies. At a concave point both faces count.
    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        let start = out.len();
        let depth = if self.is_closed() { f64::INFINITY } else { near.depth };
        // the nearest feature tells inside from outside, near or far
        let mut nearest = (f64::INFINITY, u32::MAX);
        for k in 0..self.tangents.len() {
            let (a, t, n) = (self.points[self.segments[k][0]], self.tangents[k], self.normal(k));
            let d = [x[0] - a[0], x[1] - a[1]];
            let along = d[0] * t[0] + d[1] * t[1];
            let gap = d[0] * n[0] + d[1] * n[1];
            let slack = [0, 1].map(|end| self.slack(k, end) * self.lengths[k]);
            let over = (-slack[0]..=self.lengths[k] + slack[1]).contains(&along);
            let distance = if over {
                gap.abs()
            } else if let Some(distance) = self.behind_concave_end(k, *x) {
                distance
            } else {
                continue;
            };
            let counted = counted_depth(distance, k as u32, near.through.filter(|_| gap < 0.0));
            if counted < (1.0 - TIE) * nearest.0 {
                nearest = (counted, k as u32);
            }
            // beyond a concave end a face pushes only what is behind it
            if (-depth..=near.reach).contains(&gap) && (over || gap < 0.0) {
                let sharp = gap >= -Self::LEVEL * self.lengths[k] && self.is_level(k, along, gap);
                out.push(Touch { normal: Vector::new(n[0], n[1], 0.0), gap, feature: k as u32, sharp });
            }
        }
        for v in 0..self.points.len() {
            let (Some(before), Some(after)) = self.around(v) else { continue };
            let d = [x[0] - self.points[v][0], x[1] - self.points[v][1]];
            let (t0, t1) = (self.tangents[before], self.tangents[after]);
            let distance = d[0].hypot(d[1]);
            let in_sector = d[0] * t0[0] + d[1] * t0[1] > 0.0 && d[0] * t1[0] + d[1] * t1[1] < 0.0;
            if self.turn(before, after) > 0.0 && in_sector && distance > 0.0 {
                let normal = Vector::new(d[0] / distance, d[1] / distance, 0.0);
                let feature = (self.tangents.len() + v) as u32;
                if distance < nearest.0 {
                    nearest = (distance, feature);
                }
                if distance <= near.reach {
                    out.push(Touch { normal, gap: distance, feature, sharp: true });
                }
            }
        }
        // A face behind the point counts only if the point is inside, next to that face, or in a concave corner with it.
        let faces = self.tangents.len() as u32;
        let mut k = start;
        while k < out.len() {
            let touch = out[k];
            let corner = nearest.1 < faces
                && touch.feature < faces
                && self.meet_concave(nearest.1 as usize, touch.feature as usize);
            if touch.gap < 0.0 && touch.feature != nearest.1 && !corner {
                out.remove(k);
            } else {
                k += 1;
            }
        }
    }

    fn is_face(&self, feature: u32) -> bool {
        (feature as usize) < self.segment_count()
    }

    /// Whether every line joins its ends.
    fn is_closed(&self) -> bool {
        self.lines.iter().all(|line| line.closed)
    }

    fn is_container(&self) -> bool {
        self.is_closed() && self.solid().is_none()
    }

    fn is_plane(&self) -> bool {
        true
    }

    /// Convex points and the ends of an open chain.
    fn corners(&self) -> Vec<Corner> {
        let mut corners = Vec::new();
        for v in 0..self.points.len() {
            let (before, after) = self.around(v);
            let convex = match (before, after) {
                (Some(b), Some(a)) => self.turn(b, a) > 1e-9,
                _ => true,
            };
            if convex {
                let normal = |k: usize| Vector::new(self.normal(k)[0], self.normal(k)[1], 0.0);
                let own = [before, after].into_iter().flatten().map(normal).collect();
                corners.push(Corner {
                    point: Vector::new(self.points[v][0], self.points[v][1], 0.0),
                    normals: own,
                    rays: Vec::new(),
                });
            }
        }
        corners
    }

    /// Sums over the triangles between the origin and each segment; holes run the other way and count negative.
    fn solid(&self) -> Option<Solid> {
        if !self.is_closed() {
            return None;
        }
        let (mut area, mut first, mut second) = (0.0, Vector::zeros(), Matrix3::zeros());
        for line in self.lines() {
            let at = |k: usize| {
                let p = line.points[k % line.points.len()];
                Vector::new(p[0], p[1], 0.0)
            };
            for k in 0..line.points.len() {
                let (a, b) = (at(k), at(k + 1));
                let part = 0.5 * a.cross(&b).z;
                area += part;
                first += part / 3.0 * (a + b);
                let sum = a + b;
                second += part / 12.0 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
            }
        }
        Solid::from_moments(area, first, second)
    }

    fn faces(&self) -> Option<Faces> {
        let points = self.points.iter().map(|p| Vector::new(p[0], p[1], 0.0)).collect();
        let facets = self.segments.iter().map(|ends| ends.iter().map(|p| *p as u32).collect()).collect();
        Some(Faces { points, facets })
    }

    fn draw(&self, outline: &mut Outline) {
        let lines = self.lines();
        for line in lines {
            let corners: Vec<Vector> = line.points.iter().map(|p| Vector::new(p[0], p[1], 0.0)).collect();
            let n = corners.len();
            let doubled: f64 = (0..n).map(|k| corners[k].cross(&corners[(k + 1) % n])[2]).sum();
            match line.closed {
                // an area with holes has no cell of its own in VTK: its lines show it
                true => outline.closed(lines.len() == 1 && doubled > 0.0, corners),
                false => outline.cell(POLYLINE, corners),
            }
        }
    }
}
