//! A triangulated surface: a closed one bounds a solid, an open one is a sheet with its solid behind it. Inside is told by
//! the normal of the nearest feature, averaged over its faces weighted by their angles (BaerentzenAanaes2005), which is
//! right for every closed surface however sharp its edges.

mod patch;
mod shape;
mod triangles;

use std::collections::HashMap;

use super::super::features::{DOUBT, END, Near, TIE, Touch, counted_depth};
use super::super::{Bounds, Bvh, Vector};
pub use triangles::SurfaceError;
use triangles::{FoundSide, Part, closest, key, sides, weights, weld};

/// How two faces meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    Convex,
    Flat,
    Concave,
    /// The rim of a sheet.
    Rim,
}

#[derive(Debug, Clone, PartialEq)]
struct Side {
    ends: [u32; 2],
    faces: [u32; 2],
    fold: Fold,
    normal: Vector,
    /// Whether it is convex at a slight angle and stands for a smooth surface.
    slight: bool,
}

/// The surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    points: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<Vector>,
    sides: Vec<Side>,
    /// Sides of each triangle: k runs from corner k to corner k + 1.
    sides_of: Vec<[u32; 3]>,
    point_normals: Vec<Vector>,
    /// Whether no folds but slight ones meet at a point.
    smooth_points: Vec<bool>,
    /// Whether only convex and flat folds meet at a point, and a convex one.
    tips: Vec<bool>,
    /// Triangles around each point: places in `ring`.
    ring_of: Vec<u32>,
    ring: Vec<u32>,
    tree: Bvh,
    closed: bool,
    /// Whether it bounds a convex solid, and a ball around it.
    convex: bool,
    around: (Vector, f64),
}

/// Share of a face within which a place counts as level with its rim.
const LEVEL: f64 = 1e-9;
/// Sine of the angle below which an edge counts as flat.
const FLAT: f64 = 1e-7;
/// Angle below which a convex fold counts as slight: the facets of a circle of a dozen chords or more.
const SLIGHT: f64 = std::f64::consts::PI / 6.0;

impl Surface {
    /// From triangles, each counter-clockwise seen from outside; a closed surface may also be given inside out. `inside`
    /// makes it the container around what it encloses.
    pub fn new(corners: &[[[f64; 3]; 3]], inside: bool) -> Result<Self, SurfaceError> {
        if corners.is_empty() {
            return Err(SurfaceError::Empty);
        }
        if let Some(bad) = corners.iter().position(|t| t.iter().flatten().any(|c| !c.is_finite())) {
            return Err(SurfaceError::NotFinite(bad));
        }
        let (points, mut triangles) = weld(corners);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|p| points[p as usize]);
            (b - a).cross(&(c - a))
        };
        for (k, t) in triangles.iter().enumerate() {
            let [a, b, c] = t.map(|p| points[p as usize]);
            let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
            if area(t).norm() <= 1e-12 * longest || longest == 0.0 {
                let [x, y, z] = corners[k][0];
                return Err(SurfaceError::Degenerate(k, x, y, z));
            }
        }
        let mut sides = sides(&points, &triangles)?;
        let closed = sides.iter().all(|(_, faces)| faces[1] != u32::MAX);
        let origin = points[0];
        let volume: f64 = triangles.iter().map(|t| (points[t[0] as usize] - origin).dot(&area(t))).sum();
        if (closed && volume < 0.0) != inside {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
            // a side belongs to the same triangles whichever way they face
            sides.iter_mut().for_each(|(ends, _)| ends.swap(0, 1));
        }
        Ok(Self::assemble(points, triangles, sides, closed))
    }

    fn assemble(points: Vec<Vector>, triangles: Vec<[u32; 3]>, found: Vec<FoundSide>, closed: bool) -> Self {
        let place = |p: u32| points[p as usize];
        let corners = |t: &[u32; 3]| t.map(place);
        let normals: Vec<Vector> =
            triangles.iter().map(corners).map(|[a, b, c]| (b - a).cross(&(c - a)).normalize()).collect();
        let sides: Vec<Side> = found
            .into_iter()
            .map(|(ends, faces)| {
                let n0 = normals[faces[0] as usize];
                if faces[1] == u32::MAX {
                    return Side { ends, faces: [faces[0]; 2], fold: Fold::Rim, normal: n0, slight: false };
                }
                let n1 = normals[faces[1] as usize];
                // the corner of the second face beyond the side lies below the first where the fold is convex
                let beyond = triangles[faces[1] as usize].into_iter().find(|p| !ends.contains(p)).unwrap_or(ends[0]);
                let d = place(beyond) - place(ends[0]);
                let rise = n0.dot(&d) / d.norm();
                let bent = n0.cross(&n1).norm() > FLAT || n0.dot(&n1) < 0.0;
                let fold = if !bent {
                    Fold::Flat
                } else if rise < 0.0 {
                    Fold::Convex
                } else {
                    Fold::Concave
                };
                let slight = fold == Fold::Convex && n0.angle(&n1) < SLIGHT;
                Side { ends, faces, fold, normal: (n0 + n1).try_normalize(0.0).unwrap_or(n0), slight }
            })
            .collect();
        let number: HashMap<[u32; 2], u32> = sides.iter().enumerate().map(|(k, s)| (key(s.ends), k as u32)).collect();
        let side = |a: u32, b: u32| number.get(&key([a, b])).copied().unwrap_or(0);
        let sides_of = triangles.iter().map(|&[a, b, c]| [side(a, b), side(b, c), side(c, a)]).collect();
        let mut point_normals = vec![Vector::zeros(); points.len()];
        let mut ring_of = vec![0u32; points.len() + 1];
        for (t, n) in triangles.iter().zip(&normals) {
            for k in 0..3 {
                let [p, q, r] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
                let angle = (place(q) - place(p)).angle(&(place(r) - place(p)));
                point_normals[p as usize] += n * angle;
                ring_of[p as usize + 1] += 1;
            }
        }
        for p in 0..points.len() {
            ring_of[p + 1] += ring_of[p];
        }
        let mut next = ring_of.clone();
        let mut ring = vec![0u32; 3 * triangles.len()];
        for (k, t) in triangles.iter().enumerate() {
            for p in t {
                ring[next[*p as usize] as usize] = k as u32;
                next[*p as usize] += 1;
            }
        }
        let smooth_points = smooth_points(&points, &sides);
        let tips = tips(&points, &sides);
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(corners(t))).collect();
        let tree = Bvh::new(&boxes);
        Surface {
            points,
            triangles,
            normals,
            sides,
            sides_of,
            point_normals,
            smooth_points,
            tips,
            ring_of,
            ring,
            tree,
            closed,
            convex: false,
            around: (Vector::zeros(), 0.0),
        }
        .judged()
    }

    /// Looks whether every point lies behind every face.
    fn judged(mut self) -> Self {
        let all = Bounds::around(self.points.iter().copied());
        let middle = 0.5 * (all.low + all.high);
        let radius = self.points.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max);
        let behind = |t: usize| {
            let (n, level) = (self.normals[t], self.points[self.triangles[t][0] as usize]);
            self.points.iter().all(|p| (p - level).dot(&n) <= 1e-9 * radius)
        };
        let bulges = self.sides.iter().all(|side| matches!(side.fold, Fold::Convex | Fold::Flat));
        self.convex = self.closed && bulges && (0..self.triangles.len()).all(behind);
        self.around = (middle, radius);
        self
    }

    /// Ends of the sides at which its faces bend.
    fn ridges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.sides.iter().filter(|side| side.fold != Fold::Flat).map(|side| side.ends)
    }

    /// Normals of its triangles.
    fn normals(&self) -> &[Vector] {
        &self.normals
    }

    /// Its points.
    pub fn points(&self) -> &[Vector] {
        &self.points
    }

    /// Its triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    fn around(&self, point: u32) -> &[u32] {
        &self.ring[self.ring_of[point as usize] as usize..self.ring_of[point as usize + 1] as usize]
    }

    fn corners_of(&self, t: u32) -> [Vector; 3] {
        self.triangles[t as usize].map(|p| self.points[p as usize])
    }

    /// Where a point is in reach in front of the surface or not too deep behind it: every face in front of it, the
    /// nearest face if it is inside (see [`Near::through`]), and convex edges and corners. At a concave edge both
    /// faces count.
    pub(super) fn touched(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        let Near { reach, depth, through } = *near;
        let start = out.len();
        let mut radius = reach.max(depth);
        if !radius.is_finite() {
            let nearest = |t: u32| (x - closest(x, &self.corners_of(t)).0).norm_squared();
            radius = self.tree.nearest(x, nearest).sqrt() * (1.0 + 1e-9) + f64::MIN_POSITIVE;
        }
        // distance as it counts in the choice, distance, triangle, place and its part
        let mut nearest: Option<(f64, f64, u32, Vector, Part)> = None;
        self.tree.query(&Bounds { low: *x, high: *x }.inflated(radius), |t| {
            let corners = self.corners_of(t);
            let (place, part) = closest(x, &corners);
            let distance = (x - place).norm();
            let n = self.normals[t as usize];
            let gap = (x - corners[0]).dot(&n);
            let counted = counted_depth(distance, t, through.filter(|_| gap < 0.0 && part == Part::Face));
            let tie = if gap < 0.0 { TIE } else { 0.0 };
            let closer = |n: &(f64, f64, u32, Vector, Part)| {
                // of equally near triangles the one that holds the place within it tells most
                counted < (1.0 - tie) * n.0 || (counted <= n.0 && part == Part::Face && n.4 != Part::Face)
            };
            if distance <= radius && nearest.as_ref().is_none_or(closer) {
                nearest = Some((counted, distance, t, place, part));
            }
            if !(-depth..=reach).contains(&gap) {
                return;
            }
            let weights = weights(x, &corners, &n);
            // weight k falls to zero at the side opposite to corner k, which runs from corner k + 1
            let slack = |k: usize| {
                let side = &self.sides[self.sides_of[t as usize][(k + 1) % 3] as usize];
                if side.fold == Fold::Rim { END } else { 1e-12 }
            };
            if (0..3).any(|k| weights[k] < -slack(k)) {
                return;
            }
            out.push(Touch { normal: n, gap, feature: t, sharp: gap >= 0.0 && self.is_level(x - gap * n, t, gap) });
        });
        if let Some((_, distance, t, place, part)) = nearest {
            let is_new = through.is_none_or(|face| face as usize >= self.triangles.len());
            let tied = if is_new && part == Part::Face { self.tied(x, t, &out[start..]) } else { None };
            match tied {
                Some(touch) => {
                    out.truncate(start);
                    out.push(touch);
                }
                None => self.choose(x, (distance, t, place, part), (reach, depth), start, out),
            }
        }
        // of triangles in one plane all but one are left out, after the choice: which of them the choice keeps is their order's
        let same = |a: &Touch, b: &Touch| {
            a.normal.dot(&b.normal) > 1.0 - FLAT * FLAT && (a.gap - b.gap).abs() <= 1e-12 * radius
        };
        let mut kept = start;
        for k in start..out.len() {
            let touch = out[k];
            if !out[start..kept].iter().any(|earlier| same(earlier, &touch)) {
                out[kept] = touch;
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Whether a place on a face, with a point at this height above it, is level with a sharp edge of the plane part that the face is
    /// of: by the time the point gets there it may have moved to either side. Past a slight fold the next face takes the point up,
    /// much as this one does.
    fn is_level(&self, foot: Vector, t: u32, gap: f64) -> bool {
        let margin = LEVEL * self.around.1 + DOUBT * gap;
        let n = self.normals[t as usize];
        let mut level = false;
        self.tree.query(&Bounds { low: foot, high: foot }.inflated(margin), |other| {
            if level || self.normals[other as usize].dot(&n) <= 1.0 - FLAT * FLAT {
                return;
            }
            level = self.sides_of[other as usize].iter().map(|side| &self.sides[*side as usize]).any(|side| {
                let [a, b] = side.ends.map(|end| self.points[end as usize]);
                side.fold == Fold::Convex && !side.slight && (foot - closest(&foot, &[a, b, b]).0).norm() < margin
            });
        });
        level
    }

    /// Of the faces near a point keeps those that hold it: see [`Surface::touched`].
    fn choose(
        &self,
        x: &Vector,
        (distance, t, place, part): (f64, u32, Vector, Part),
        (reach, depth): (f64, f64),
        start: usize,
        out: &mut Vec<Touch>,
    ) {
        let faces = self.triangles.len() as u32;
        match part {
            Part::Face => {
                let sides = self.sides_of[t as usize];
                let beside = |other: u32| {
                    let folded = |s: &&u32| self.sides[**s as usize].fold == Fold::Concave;
                    sides.iter().filter(folded).any(|s| self.sides[*s as usize].faces.contains(&other))
                };
                retain_from(out, start, |touch| touch.gap >= 0.0 || touch.feature == t || beside(touch.feature));
            }
            Part::Side(k) => {
                let number = self.sides_of[t as usize][k];
                let side = &self.sides[number as usize];
                retain_from(out, start, |touch| touch.gap >= 0.0 || side.faces.contains(&touch.feature));
                let within = (x - place).dot(&side.normal) < 0.0;
                if side.fold == Fold::Convex && distance <= LEVEL * self.around.1 {
                    // a point on a ridge has one nearest feature and one condition
                    out.truncate(start);
                    let (normal, feature) = (side.normal, faces + number);
                    out.push(Touch { normal, gap: (x - place).dot(&normal), feature, sharp: false });
                    return;
                }
                let convex = side.fold == Fold::Convex && !within && distance > 0.0 && distance <= reach;
                if convex {
                    let normal = (x - place) / distance;
                    let sharp = !side.slight;
                    out.push(Touch { normal, gap: distance, feature: faces + number, sharp });
                } else if within && side.fold != Fold::Rim && distance <= depth {
                    self.push_faces(x, &side.faces, start, out);
                }
            }
            Part::Corner(k) => {
                let point = self.triangles[t as usize][k];
                let ring = self.around(point);
                retain_from(out, start, |touch| touch.gap >= 0.0 || ring.contains(&touch.feature));
                let feature = faces + self.sides.len() as u32 + point;
                if self.tips[point as usize] && distance <= LEVEL * self.around.1 {
                    out.truncate(start);
                    let normal = self.point_normals[point as usize].normalize();
                    out.push(Touch { normal, gap: (x - place).dot(&normal), feature, sharp: false });
                    return;
                }
                let within = (x - place).dot(&self.point_normals[point as usize]) < 0.0;
                if !within && distance > 0.0 && distance <= reach {
                    let sharp = !self.smooth_points[point as usize];
                    out.push(Touch { normal: (x - place) / distance, gap: distance, feature, sharp });
                } else if within && self.closed && distance <= depth {
                    self.push_faces(x, ring, start, out);
                }
            }
        }
    }

    /// A point that is as deep under one face of a sharp ridge or tip as under another lies straight below it: it has one nearest feature
    /// and one condition, along the mean of the normals.
    fn tied(&self, x: &Vector, t: u32, near: &[Touch]) -> Option<Touch> {
        let own = near.iter().find(|touch| touch.feature == t && touch.gap < 0.0)?;
        let mut normals = vec![own.normal];
        let mut place = None;
        for touch in near.iter().filter(|touch| (touch.gap - own.gap).abs() <= -TIE * own.gap) {
            let Some(point) = self.sharp_between(t, touch.feature) else { continue };
            if normals.iter().all(|n| n.dot(&touch.normal) < SLIGHT.cos()) {
                normals.push(touch.normal);
                place = Some(point);
            }
        }
        let (point, normal) = (place?, normals.iter().sum::<Vector>().try_normalize(0.0)?);
        let gap = (x - self.points[point as usize]).dot(&normal);
        let feature = (self.triangles.len() + self.sides.len()) as u32 + point;
        Some(Touch { normal, gap, feature, sharp: false })
    }

    /// A point that two faces share on a convex fold, or where only such folds meet.
    fn sharp_between(&self, one: u32, other: u32) -> Option<u32> {
        let others = &self.triangles[other as usize];
        let fold = self.sides_of[one as usize].iter().map(|side| &self.sides[*side as usize]);
        let mut shared = fold.filter(|side| side.fold == Fold::Convex && side.faces.contains(&other));
        let tip = || self.triangles[one as usize].into_iter().find(|p| self.tips[*p as usize] && others.contains(p));
        shared.next().map(|side| side.ends[0]).or_else(tip)
    }

    /// Adds the faces a point lies behind, where none is straight above it.
    fn push_faces(&self, x: &Vector, faces: &[u32], start: usize, out: &mut Vec<Touch>) {
        for &t in faces {
            let normal = self.normals[t as usize];
            let gap = (x - self.points[self.triangles[t as usize][0] as usize]).dot(&normal);
            if gap < 0.0 && out[start..].iter().all(|touch| touch.feature != t && touch.normal != normal) {
                out.push(Touch { normal, gap, feature: t, sharp: false });
            }
        }
    }
}

/// Whether only convex and flat folds meet at a point, and a convex one.
fn tips(points: &[Vector], sides: &[Side]) -> Vec<bool> {
    let mut folds = vec![(false, true); points.len()];
    for side in sides {
        for end in side.ends {
            let (some, only) = &mut folds[end as usize];
            *some |= side.fold == Fold::Convex;
            *only &= matches!(side.fold, Fold::Convex | Fold::Flat);
        }
    }
    folds.into_iter().map(|(some, only)| some && only).collect()
}

/// Whether no rim and no fold but slight ones meet at a point, and at least one of those.
fn smooth_points(points: &[Vector], sides: &[Side]) -> Vec<bool> {
    let mut folds = vec![(false, true); points.len()];
    for side in sides {
        for end in side.ends {
            let (some, only) = &mut folds[end as usize];
            *some |= side.slight;
            *only &= side.slight || side.fold == Fold::Flat;
        }
    }
    folds.into_iter().map(|(some, only)| some && only).collect()
}

fn retain_from(out: &mut Vec<Touch>, start: usize, keep: impl Fn(&Touch) -> bool) {
    let mut k = start;
    while k < out.len() {
        if keep(&out[k]) {
            k += 1;
        } else {
            out.remove(k);
        }
    }
}
