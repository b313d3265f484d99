//! A triangulated surface: a closed one bounds a solid, an open one is a sheet with its solid behind it. Inside is told by
//! the normal of the nearest feature, averaged over its faces weighted by their angles (BaerentzenAanaes2005), which is
//! right for every closed surface however sharp its edges.

use std::collections::HashMap;

use super::super::bvh::{Bounds, Bvh};
use super::super::obstacle::{Corner, DOUBT, Edge, TIE, Touch, counted_depth};
use super::Vector;

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
}

/// Ends of a side and its triangles, `u32::MAX` where there is no second one.
type FoundSide = ([u32; 2], [u32; 2]);

/// A part of a triangle: itself, one of its sides, one of its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Face,
    Side(usize),
    Corner(usize),
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
    /// Triangles around each point: places in `ring`.
    ring_of: Vec<u32>,
    ring: Vec<u32>,
    tree: Bvh,
    closed: bool,
}

/// Share of the size within which points count as the same.
const SAME: f64 = 1e-9;
/// Share of a face within which a place counts as level with its rim.
const LEVEL: f64 = 1e-9;
/// Sine of the angle below which an edge counts as flat.
const FLAT: f64 = 1e-7;

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
                    return Side { ends, faces: [faces[0]; 2], fold: Fold::Rim, normal: n0 };
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
                Side { ends, faces, fold, normal: (n0 + n1).try_normalize(0.0).unwrap_or(n0) }
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
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(corners(t))).collect();
        let tree = Bvh::new(&boxes);
        Surface { points, triangles, normals, sides, sides_of, point_normals, ring_of, ring, tree, closed }
    }

    /// Whether it bounds a solid.
    pub fn is_closed(&self) -> bool {
        self.closed
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

    /// Where a point is within `reach` in front of the surface or within `depth` behind it: every face in front of it, the
    /// nearest face if it is inside (see `Obstacle::touches_through`), and convex edges and corners. At a concave edge both
    /// faces count.
    pub fn touches(&self, x: &Vector, reach: f64, depth: f64, through: Option<u32>, out: &mut Vec<Touch>) {
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
            if weights.iter().any(|w| *w < -1e-12) {
                return;
            }
            let same =
                |touch: &Touch| touch.normal.dot(&n) > 1.0 - FLAT * FLAT && (touch.gap - gap).abs() <= 1e-12 * radius;
            if out[start..].iter().any(same) {
                return;
            }
            // weight k falls to zero at the side opposite to corner k, which runs from corner k + 1
            let convex = |k: usize| self.sides[self.sides_of[t as usize][(k + 1) % 3] as usize].fold == Fold::Convex;
            let doubt = LEVEL + DOUBT * gap / (corners[1] - corners[0]).norm().min((corners[2] - corners[0]).norm());
            let sharp = gap >= 0.0 && (0..3).any(|k| weights[k] < doubt && convex(k));
            out.push(Touch { normal: n, gap, feature: t, sharp });
        });
        let Some((_, distance, t, place, part)) = nearest else { return };
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
                let convex = side.fold == Fold::Convex && !within && distance > 0.0 && distance <= reach;
                if convex {
                    let normal = (x - place) / distance;
                    out.push(Touch { normal, gap: distance, feature: faces + number, sharp: true });
                } else if within && side.fold != Fold::Rim && distance <= depth {
                    self.push_faces(x, &side.faces, start, out);
                }
            }
            Part::Corner(k) => {
                let point = self.triangles[t as usize][k];
                let ring = self.around(point);
                retain_from(out, start, |touch| touch.gap >= 0.0 || ring.contains(&touch.feature));
                let within = (x - place).dot(&self.point_normals[point as usize]) < 0.0;
                if !within && distance > 0.0 && distance <= reach {
                    let feature = faces + self.sides.len() as u32 + point;
                    out.push(Touch { normal: (x - place) / distance, gap: distance, feature, sharp: true });
                } else if within && self.closed && distance <= depth {
                    self.push_faces(x, ring, start, out);
                }
            }
        }
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

    /// Points that can dent a body: those where only convex and flat faces meet.
    pub fn corners(&self) -> Vec<Corner> {
        let mut rays: Vec<Vec<Vector>> = vec![Vec::new(); self.points.len()];
        let mut dents = vec![true; self.points.len()];
        for side in &self.sides {
            let along = (self.points[side.ends[1] as usize] - self.points[side.ends[0] as usize]).normalize();
            for (point, ray) in [(side.ends[0], along), (side.ends[1], -along)] {
                match side.fold {
                    Fold::Convex | Fold::Rim => rays[point as usize].push(ray),
                    Fold::Flat => {}
                    Fold::Concave => dents[point as usize] = false,
                }
            }
        }
        let corner = |(point, rays): (usize, Vec<Vector>)| {
            // two rays of one line are a place within an edge, which the edge itself covers
            let bent = rays.iter().any(|r| r.cross(&rays[0]).norm() > FLAT);
            let normals = self.around(point as u32).iter().map(|t| self.normals[*t as usize]).collect();
            (dents[point] && bent).then(|| Corner { point: self.points[point], normals, rays })
        };
        rays.into_iter().enumerate().filter_map(corner).collect()
    }

    /// Edges that can dent a body: convex ones and the rim of a sheet.
    pub fn edges(&self) -> Vec<Edge> {
        let sharp = self.sides.iter().filter(|s| matches!(s.fold, Fold::Convex | Fold::Rim));
        sharp
            .map(|s| Edge {
                ends: s.ends.map(|p| self.points[p as usize]),
                normals: s.faces.map(|f| self.normals[f as usize]),
            })
            .collect()
    }
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

fn key(ends: [u32; 2]) -> [u32; 2] {
    [ends[0].min(ends[1]), ends[0].max(ends[1])]
}

/// Points that lie together become one: the first given.
fn weld(corners: &[[[f64; 3]; 3]]) -> (Vec<Vector>, Vec<[u32; 3]>) {
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
fn sides(points: &[Vector], triangles: &[[u32; 3]]) -> Result<Vec<FoundSide>, SurfaceError> {
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
fn weights(x: &Vector, [a, b, c]: &[Vector; 3], n: &Vector) -> [f64; 3] {
    let whole = (b - a).cross(&(c - a)).dot(n);
    let part = |p: &Vector, q: &Vector| (q - p).cross(&(x - p)).dot(n) / whole;
    [part(b, c), part(c, a), part(a, b)]
}

/// The place of a triangle nearest to a point, and which part of the triangle it belongs to.
fn closest(x: &Vector, corners: &[Vector; 3]) -> (Vector, Part) {
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
