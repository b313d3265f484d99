//! Pairs of features that came through each other on the way of a step: the step is done again with them held.
//!
//! Which side the one has to stay on is told by where it was when the step began, not by angles. A point that meets a ridge or a tip
//! meets one feature, however many facets end there, and is held by one condition.

use super::hull::{Edge, Hull, nearest_on, normal};
use super::path::{Event, is_ridge};
use super::who::Source;
use crate::contact::detection::{Obstacle, Vector};

/// Two features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meeting {
    /// A point of the first surface and a flat piece of a facet of the second.
    OnPiece { point: u32, facet: u32, part: u32 },
    /// A point and a ridge.
    OnEdge { point: u32, edge: u32 },
    /// A point and a tip.
    OnPoint { point: u32, tip: u32 },
    /// Two ridges.
    Edges { edges: [u32; 2] },
    /// A place of a facet and a shape that has no facets.
    OnShape { place: Place },
}

impl Meeting {
    /// Kind and numbers of the features.
    fn key(&self) -> (u8, u32, u32) {
        match *self {
            Meeting::OnPiece { point, facet, part } => (0, point, (facet << 2) | part),
            Meeting::OnEdge { point, edge } => (1, point, edge),
            Meeting::OnPoint { point, tip } => (2, point, tip),
            Meeting::Edges { edges: [one, other] } => (3, one, other),
            Meeting::OnShape { place: Place { facet, weights } } => {
                let [a, b] = [weights[0], weights[1]].map(|weight| (SHARES * weight).round() as u32);
                (4, facet, (SHARES as u32 + 1) * a + b)
            }
        }
    }
}

/// Two features that are held for the rest of a step.
#[derive(Debug, Clone, Copy)]
pub(in crate::contact) struct Caught {
    /// Numbers of the two surfaces.
    pub(super) surfaces: [usize; 2],
    /// Who declared that they may touch.
    pub(in crate::contact) source: Source,
    pub(super) meeting: Meeting,
    /// From the second feature to the first when the step began, in the frame of an obstacle; of a shape its normal then.
    towards: Vector,
    /// How deep the one was inside the other when the step began: no deeper is all that is asked, as pushing it out would put energy in.
    pub(in crate::contact) allowed: f64,
}

/// A place of a surface: weights of the corners of a facet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::contact) struct Place {
    pub facet: u32,
    pub weights: [f64; 4],
}

/// Where two features are to each other.
#[derive(Debug, Clone, Copy)]
pub(in crate::contact) struct Apart {
    pub places: [Place; 2],
    /// Unit normal from the second to the first, and the distance along it.
    pub normal: Vector,
    pub gap: f64,
}

/// Share of a facet's edge within which a place is on its rim.
const RIM: f64 = 1e-6;

/// Places of a facet whose shares of its corners differ by less than one part in so many are one.
const SHARES: f64 = 1e4;

/// Cosine of the angle to the outward normals below which these do not tell on which side of an edge another is.
pub(super) const ALONG: f64 = 0.1;

/// Share of a body's size by which a place is right in front of another.
const FRONT: f64 = 1e-4;

/// Share of its depth by which a point may have gone aside from a ridge or a tip below which it is held by that.
const ASIDE: f64 = 0.25;

impl Caught {
    /// The features of an event; `before(side, point)` are places at the start of the step, in the frame of an obstacle.
    pub(super) fn of(
        event: &Event,
        (surfaces, source): ([usize; 2], Source),
        hulls: [&Hull; 2],
        before: impl Fn(usize, u32) -> Vector,
    ) -> Option<Self> {
        let meeting = match event.other_edge {
            Some(edge) => Meeting::Edges { edges: [event.feature, edge] },
            None => on_what(hulls[1], event),
        };
        let mut caught = Caught { surfaces, source, meeting, towards: Vector::zeros(), allowed: 0.0 };
        caught.towards = caught.side(hulls, &before)?;
        caught.allowed = caught.apart(hulls, &before).map_or(0.0, |apart| -apart.gap.min(0.0));
        Some(caught)
    }

    /// A place of a facet and the shape that it is in; `before(point)` are places at the start of the step, in the frame of the shape.
    pub(super) fn on_shape(
        place: Place,
        (surfaces, source): ([usize; 2], Source),
        (hull, obstacle): (&Hull, &Obstacle),
        before: impl Fn(u32) -> Vector,
    ) -> Option<Self> {
        let meeting = Meeting::OnShape { place };
        let caught = Caught { surfaces, source, meeting, towards: Vector::zeros(), allowed: 0.0 };
        let apart = caught.at_shape(hull, obstacle, before)?;
        Some(Caught { allowed: -apart.gap.min(0.0), towards: apart.normal, ..caught })
    }

    /// The same pair when a step begins: which side the one is on, unless they touch.
    pub(super) fn again(mut self, hulls: [&Hull; 2], before: impl Fn(usize, u32) -> Vector) -> Option<Self> {
        let apart = self.apart(hulls, &before)?;
        let tiny = RIM * hulls[0].size.min(hulls[1].size);
        if apart.gap > tiny {
            self.towards = self.side(hulls, before)?;
        }
        self.allowed = -apart.gap.min(0.0);
        Some(self)
    }

    /// The direction from the second feature to the first; where they touch, or where it is none that the second pushes along, that
    /// of its outward normals.
    fn side(&self, [one, other]: [&Hull; 2], at: impl Fn(usize, u32) -> Vector) -> Option<Vector> {
        let tiny = RIM * one.size.min(other.size);
        let outward = |facets: &[u32]| -> Vector { facets.iter().map(|f| other.outward(*f, |p| at(1, p))).sum() };
        match self.meeting {
            Meeting::OnPiece { facet, part, .. } => {
                let piece = &other.pieces(facet)[part as usize];
                normal(other.dim, &other.corners_at(piece, |p| at(1, p))).try_normalize(0.0)
            }
            Meeting::OnEdge { point, edge } => {
                let (away, faces) = across(other, edge, at(0, point), |p| at(1, p));
                let pushes = away.norm() > tiny && faces.iter().all(|(_, into)| away.dot(into) <= RIM * away.norm());
                if pushes { away } else { outward(&other.edges[edge as usize].facets) }.try_normalize(0.0)
            }
            Meeting::OnPoint { point, tip } => {
                let y = at(1, tip);
                let away = at(0, point) - y;
                let pushes = away.norm() > tiny
                    && other.around(tip).iter().all(|f| {
                        let into = other.middle(*f, |p| at(1, p)) - y;
                        away.dot(&into) <= RIM * away.norm() * into.norm()
                    });
                if pushes { away } else { outward(other.around(tip)) }.try_normalize(0.0)
            }
            Meeting::Edges { edges } => {
                let (places, n) = crossing([one, other], edges, &at)?;
                let away = places[0] - places[1];
                let own: Vector =
                    one.edges[edges[0] as usize].facets.iter().map(|f| one.outward(*f, |p| at(0, p))).sum();
                let mean = outward(&other.edges[edges[1] as usize].facets) - own;
                // outward normals tell, unless the edges lie along each other's sides
                let tells = n.dot(&mean).abs() >= ALONG * mean.norm();
                let towards = if away.norm() > tiny && !tells { away } else { mean };
                Some(if n.dot(&towards) < 0.0 { -n } else { n })
            }
            Meeting::OnShape { .. } => None,
        }
    }

    /// Whether another is the same pair.
    pub(in crate::contact) fn is(&self, other: &Caught) -> bool {
        self.surfaces == other.surfaces && self.meeting.key() == other.meeting.key()
    }

    /// The place of a facet that a shape came into.
    pub(super) fn place(&self) -> Option<Place> {
        if let Meeting::OnShape { place } = self.meeting { Some(place) } else { None }
    }

    /// What identifies the pair beside its surfaces: kind, and the numbers of its features.
    pub(in crate::contact) fn key(&self) -> (u8, u32, u32) {
        self.meeting.key()
    }

    /// Where the two are to each other, given the places of points: `at(side, point)`. None where they are past each other.
    pub(super) fn apart(&self, [one, other]: [&Hull; 2], at: impl Fn(usize, u32) -> Vector) -> Option<Apart> {
        let on = -RIM..=1.0 + RIM;
        match self.meeting {
            Meeting::OnPiece { point, facet, part } => {
                let piece = &other.pieces(facet)[part as usize];
                let corners = other.corners_at(piece, |p| at(1, p));
                let (x, n) = (at(0, point), normal(other.dim, &corners).try_normalize(0.0)?);
                let gap = n.dot(&(x - corners[0]));
                let weights = weights(other.dim, &(x - gap * n), &corners);
                weights.iter().all(|w| on.contains(w)).then(|| Apart {
                    places: [one.at_point(point), other.in_piece(facet, piece, weights)],
                    normal: n,
                    gap,
                })
            }
            Meeting::OnEdge { point, edge } => {
                let [p, q] = other.edges[edge as usize].ends.map(|end| at(1, end));
                let share = (at(0, point) - p).dot(&(q - p)) / (q - p).norm_squared();
                let (away, faces) = across(other, edge, at(0, point), |p| at(1, p));
                let along = (q - p).normalize();
                let towards = (self.towards - along * self.towards.dot(&along)).try_normalize(0.0)?;
                let (normal, gap) = over_ridge(&away, &faces, &towards, RIM * (q - p).norm())?;
                let places = [one.at_point(point), other.on_edge(edge, share)];
                on.contains(&share).then_some(Apart { places, normal, gap })
            }
            Meeting::OnPoint { point, tip } => {
                let y = at(1, tip);
                let away = at(0, point) - y;
                let around = other.around(tip);
                let rim = RIM * around.iter().map(|f| (other.middle(*f, |p| at(1, p)) - y).norm()).fold(0.0, f64::max);
                let (normal, gap) = if other.dim == 2 {
                    let face = |f: u32| {
                        let into = (other.middle(f, |p| at(1, p)) - y).normalize();
                        (other.outward(f, |p| at(1, p)), into)
                    };
                    let faces = [face(around[0]), face(around[around.len() - 1])];
                    over_ridge(&away, &faces, &self.towards, rim)?
                } else {
                    let height = self.towards.dot(&away);
                    let aside = (away - height * self.towards).norm();
                    if height > rim && height > aside {
                        (away.normalize(), away.norm())
                    } else {
                        (aside <= rim.max(-ASIDE * height)).then_some((self.towards, height))?
                    }
                };
                Some(Apart { places: [one.at_point(point), other.at_point(tip)], normal, gap })
            }
            Meeting::Edges { edges } => {
                let (d, e) = (ends(one, edges[0], |p| at(0, p)), ends(other, edges[1], |p| at(1, p)));
                let shares = shares(&d, &e).filter(|shares| shares.iter().all(|share| on.contains(share)))?;
                let (places, n) = crossing([one, other], edges, &at)?;
                let normal = if n.dot(&self.towards) < 0.0 { -n } else { n };
                let gap = normal.dot(&(places[0] - places[1]));
                let places = [one.on_edge(edges[0], shares[0]), other.on_edge(edges[1], shares[1])];
                Some(Apart { places, normal, gap })
            }
            Meeting::OnShape { .. } => None,
        }
    }

    /// The same of a place of a facet and a shape, in the frame of that.
    pub(super) fn at_shape(&self, hull: &Hull, obstacle: &Obstacle, at: impl Fn(u32) -> Vector) -> Option<Apart> {
        let place = self.place()?;
        let corners = hull.corner_points(place.facet);
        let x = corners.iter().zip(place.weights).map(|(corner, weight)| weight * at(*corner)).sum();
        // along the mean of the normals at both ends of the step no work is done on what slides round a shape
        let normal = (away_from(obstacle, hull, place.facet, x, at)? + self.towards).normalize();
        Some(Apart { places: [place, place], normal, gap: obstacle.distance(x) })
    }

    /// As plain numbers, for a run that is taken up again.
    pub(in crate::contact) fn memory(&self) -> [f64; Caught::NUMBERS] {
        let whole: [u32; 4] = match self.meeting {
            Meeting::OnPiece { point, facet, part } => [0, point, facet, part],
            Meeting::OnEdge { point, edge } => [1, point, edge, 0],
            Meeting::OnPoint { point, tip } => [2, point, tip, 0],
            Meeting::Edges { edges: [one, other] } => [3, one, other, 0],
            Meeting::OnShape { place } => [4, place.facet, 0, 0],
        };
        let [source, number] = self.source.memory();
        let mut out = [0.0; Caught::NUMBERS];
        out[..4].copy_from_slice(&[self.surfaces[0] as f64, self.surfaces[1] as f64, source, number]);
        out[4..8].copy_from_slice(&whole.map(f64::from));
        out[8..11].copy_from_slice(self.towards.as_slice());
        if let Some(place) = self.place() {
            out[11..].copy_from_slice(&place.weights);
        }
        out
    }

    /// How many they are.
    pub(in crate::contact) const NUMBERS: usize = 15;

    /// Takes over what [`Caught::memory`] gave.
    pub(in crate::contact) fn recall(memory: &[f64; Caught::NUMBERS]) -> Option<Self> {
        // whole numbers, exact
        let whole: [u32; 4] = std::array::from_fn(|k| memory[4 + k] as u32);
        let weights = std::array::from_fn(|k| memory[11 + k]);
        let meeting = match whole {
            [0, point, facet, part] => Meeting::OnPiece { point, facet, part },
            [1, point, edge, _] => Meeting::OnEdge { point, edge },
            [2, point, tip, _] => Meeting::OnPoint { point, tip },
            [3, one, other, _] => Meeting::Edges { edges: [one, other] },
            [4, facet, ..] => Meeting::OnShape { place: Place { facet, weights } },
            _ => return None,
        };
        let surfaces = [memory[0] as usize, memory[1] as usize];
        let source = Source::recall([memory[2], memory[3]])?;
        Some(Caught { surfaces, source, meeting, towards: Vector::new(memory[8], memory[9], memory[10]), allowed: 0.0 })
    }
}

/// Unit normal of a shape at a place of a facet: that of the shape right in front of the place, where rims and tips have one, too.
fn away_from(
    obstacle: &Obstacle,
    hull: &Hull,
    facet: u32,
    place: Vector,
    at: impl Fn(u32) -> Vector,
) -> Option<Vector> {
    let front = place - FRONT * hull.size * hull.outward(facet, at);
    let step = FRONT * FRONT * hull.size;
    let slope = |axis: usize| {
        let mut aside = Vector::zeros();
        aside[axis] = step;
        obstacle.distance(front + aside) - obstacle.distance(front - aside)
    };
    Vector::new(slope(0), slope(1), if hull.dim == 2 { 0.0 } else { slope(2) }).try_normalize(0.0)
}

/// From the line of an edge to a place, across it, and of each facet beside the edge the outward normal and the direction into it,
/// across the edge.
fn across(hull: &Hull, edge: u32, x: Vector, at: impl Fn(u32) -> Vector) -> (Vector, [(Vector, Vector); 2]) {
    let Edge { ends, facets } = hull.edges[edge as usize];
    let [p, q] = ends.map(&at);
    let along = (q - p).normalize();
    let off = |v: Vector| v - along * v.dot(&along);
    let face = |facet: u32| {
        let into = off(hull.middle(facet, &at) - p).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        (hull.outward(facet, &at), into)
    };
    (off(x - p), facets.map(face))
}

/// Normal and height of a place above a ridge, `away` from its line: it is held by one condition. Over a face that is the face's; in
/// front of the ridge, the distance from it; and straight below, what lies the way it came from.
fn over_ridge(away: &Vector, faces: &[(Vector, Vector); 2], towards: &Vector, rim: f64) -> Option<(Vector, f64)> {
    let height = away.dot(towards);
    let aside = (away - height * towards).norm();
    if aside <= rim.max(-ASIDE * height) {
        return Some((*towards, height));
    }
    let over = faces.iter().filter(|(_, into)| away.dot(into) > 0.0);
    let highest = over.map(|(n, _)| (*n, n.dot(away))).max_by(|a, b| a.1.total_cmp(&b.1));
    // the rim of a sheet holds nothing beside it
    let in_front = height > 0.0 && faces[0] != faces[1];
    highest.or_else(|| in_front.then(|| (away.normalize(), away.norm())))
}

/// What of a surface a point came through: a facet, or the ridge or tip at its rim.
fn on_what(other: &Hull, event: &Event) -> Meeting {
    let (point, facet, part) = (event.feature, event.facet, event.part);
    let place = |p: u32| other.points[0][p as usize].lerp(&other.points[1][p as usize], event.time);
    let is_rim = |Edge { facets: [a, b], .. }: &Edge| a == b;
    let ridge = |edge: &u32| is_ridge(other, *edge) || is_rim(&other.edges[*edge as usize]);
    if other.dim == 2 {
        let [a, b, _] = other.pieces(facet)[part as usize];
        let size = (place(b) - place(a)).norm();
        let near = [a, b].into_iter().find(|end| (place(*end) - event.place).norm() <= RIM * size);
        return match near.filter(|end| is_convex(other, *end)) {
            Some(tip) => Meeting::OnPoint { point, tip },
            None => Meeting::OnPiece { point, facet, part },
        };
    }
    let edges = other.sides(facet);
    let near = |edge: &u32| {
        let [p, q] = other.edges[*edge as usize].ends.map(place);
        (event.place - nearest_on(&event.place, &[p, q, q])).norm() <= RIM * (q - p).norm()
    };
    let rims: Vec<u32> = edges.iter().copied().filter(|edge| near(edge)).collect();
    let tip = rims.iter().flat_map(|edge| other.edges[*edge as usize].ends).find(|end| {
        let size = rims.iter().map(|edge| ends(other, *edge, place)).map(|[p, q]| (q - p).norm()).fold(0.0, f64::max);
        (place(*end) - event.place).norm() <= RIM * size
            && other.edges_at(*end).iter().filter(|edge| ridge(edge)).count() > 2
    });
    if let Some(tip) = tip {
        return Meeting::OnPoint { point, tip };
    }
    match rims.into_iter().find(|edge| ridge(edge)) {
        Some(edge) => Meeting::OnEdge { point, edge },
        None => Meeting::OnPiece { point, facet, part },
    }
}

/// Whether a point of a line is a convex corner of it.
fn is_convex(hull: &Hull, point: u32) -> bool {
    let [one, other] = hull.around(point) else { return true };
    let (n, m) = (hull.normal(0, *one), hull.normal(0, *other));
    let middle = hull.middle(*other, |p| hull.points[0][p as usize]);
    n.dot(&(middle - hull.points[0][point as usize])) < -RIM * n.norm() * m.norm()
}

fn ends(hull: &Hull, edge: u32, at: impl Fn(u32) -> Vector) -> [Vector; 2] {
    hull.edges[edge as usize].ends.map(at)
}

/// Places along two lines where they come nearest to each other.
fn shares([p, q]: &[Vector; 2], [a, b]: &[Vector; 2]) -> Option<[f64; 2]> {
    let (d, e, offset) = (q - p, b - a, a - p);
    let (dd, de, ee) = (d.dot(&d), d.dot(&e), e.dot(&e));
    let (f, g) = (d.dot(&offset), e.dot(&offset));
    let det = dd * ee - de * de;
    (det > 0.0).then(|| [(f * ee - g * de) / det, (f * de - g * dd) / det])
}

/// Places of two edges that are nearest to each other, and the unit normal on both.
fn crossing(
    [one, other]: [&Hull; 2],
    edges: [u32; 2],
    at: &impl Fn(usize, u32) -> Vector,
) -> Option<([Vector; 2], Vector)> {
    let (d, e) = (ends(one, edges[0], |p| at(0, p)), ends(other, edges[1], |p| at(1, p)));
    let [s, t] = shares(&d, &e)?;
    let n = (d[1] - d[0]).cross(&(e[1] - e[0])).try_normalize(0.0)?;
    Some(([d[0].lerp(&d[1], s), e[0].lerp(&e[1], t)], n))
}

/// Weights of the corners of a piece at a place in its plane.
pub(super) fn weights(dim: usize, x: &Vector, [a, b, c]: &[Vector; 3]) -> [f64; 3] {
    if dim == 2 {
        let share = (x - a).dot(&(b - a)) / (b - a).norm_squared();
        return [1.0 - share, share, 0.0];
    }
    let n = (b - a).cross(&(c - a));
    let part = |p: &Vector, q: &Vector| n.dot(&(q - p).cross(&(x - p))) / n.norm_squared();
    [part(b, c), part(c, a), part(a, b)]
}
