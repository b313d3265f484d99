//! What shapes show of themselves: places near them, corners, edges, what presses and lies across, what comes first, faces.

use nalgebra::Matrix3;

use super::{Pose, Vector};

/// Where a point is near a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Unit normal out of the shape.
    pub normal: Vector,
    /// Signed distance, positive outside.
    pub gap: f64,
    /// Number of the face, edge or corner.
    pub feature: u32,
    /// Whether the nearest place is an edge or corner rather than a face. Such a point is near, but its distance says
    /// nothing about where it may go: it may pass on either side of the edge.
    pub sharp: bool,
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// In front.
    pub reach: f64,
    /// Behind a face of what has no inside, such as an open chain, and of triangulated surfaces.
    pub depth: f64,
    /// The face that a point inside came through counts as nearest until another one is twice as near. A point that enters along a
    /// diagonal is as deep under one face as under another; without memory, rounding would send it out through either in turn.
    pub through: Option<u32>,
}

/// A corner that can dent a body, with the outward normals of the faces that meet there.
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// Its place.
    pub point: Vector,
    /// Normals of its faces.
    pub normals: Vec<Vector>,
    /// Directions of its edges where its faces may meet at any angle: it pushes along what points away from all of them.
    /// Empty where the normals alone tell (in the plane, and at right angles).
    pub rays: Vec<Vector>,
}

impl Corner {
    /// The direction nearest to `towards` in which the corner can push: one between the normals of its faces.
    pub fn pushing(&self, towards: Vector) -> Option<Vector> {
        let nearest = if !self.rays.is_empty() {
            // away from all edges: what points along one of them is taken off, until nothing is
            let mut n = towards;
            for _ in 0..50 {
                let along = self.rays.iter().map(|ray| (ray, ray.dot(&n) / ray.norm_squared()));
                let (ray, most) = along.fold((&n, 0.0), |best, next| if next.1 > best.1 { next } else { best });
                if most <= 1e-9 {
                    break;
                }
                let off = ray * most;
                n -= off;
            }
            n
        } else if let [a, b] = self.normals[..] {
            // in the plane: between the normals of the two sides
            let turn = |p: Vector, q: Vector| p[0] * q[1] - p[1] * q[0];
            if turn(a, towards) >= 0.0 && turn(towards, b) >= 0.0 {
                towards
            } else if a.dot(&towards) > b.dot(&towards) {
                a
            } else {
                b
            }
        } else if self.normals.len() == 1 {
            // the end of a chain has no other side
            return (self.normals[0].dot(&towards) > 0.0).then_some(towards);
        } else {
            // normals at right angles
            self.normals.iter().map(|n| n * n.dot(&towards).max(0.0)).sum()
        };
        nearest.try_normalize(1e-6)
    }
}

/// An edge of a solid, with the outward normals of its two faces.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Its ends.
    pub ends: [Vector; 2],
    /// Normals of its faces.
    pub normals: [Vector; 2],
    /// Whether its faces meet at a slight angle and stand for a smooth surface rather than for an edge of their own.
    pub slight: bool,
}

/// A point that can press on the inside of a facet: the end of a shape in the direction of the facet,
/// as a place with a ball around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// Centre of the ball.
    pub core: Vector,
    /// Its radius; 0 for a corner or a point of a rim.
    pub radius: f64,
}

/// Where a straight edge of a body is nearest to a feature of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Place along the edge, strictly between 0 and 1.
    pub share: f64,
    /// Unit normal out of the shape.
    pub normal: Vector,
    /// Signed distance, positive outside.
    pub gap: f64,
}

/// The places of a core that come first in a direction, or would after a small tilt: a corner, the ends of an edge or of a
/// straight line on a curved side, or the corners of a face.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    places: [Vector; Patch::MOST],
    count: usize,
    /// Outward normal, where it is a face. Its places run around it then.
    pub face: Option<Vector>,
}

impl Patch {
    /// Places of the largest.
    pub const MOST: usize = 12;

    /// Sine of the angle by which a face or an edge may be tilted.
    pub(super) const TILT: f64 = 0.1;

    /// Places that stand for a circle.
    pub(super) const AROUND: usize = 6;

    /// Sine of the tilt below which no place of a circle comes first.
    pub(super) const FLAT: f64 = 1e-6;

    pub(super) fn of(places: &[Vector], face: Option<Vector>) -> Self {
        let mut patch = Patch { places: [Vector::zeros(); Self::MOST], count: 0, face };
        places.iter().for_each(|place| patch.push(*place));
        patch
    }

    pub(super) fn push(&mut self, place: Vector) {
        if self.count < Self::MOST {
            self.places[self.count] = place;
            self.count += 1;
        }
    }

    /// Its places, to be ordered anew.
    pub(super) fn places_mut(&mut self) -> &mut [Vector] {
        &mut self.places[..self.count]
    }

    /// Its places.
    pub fn places(&self) -> &[Vector] {
        &self.places[..self.count]
    }

    /// With every place and the normal taken elsewhere.
    pub fn moved(mut self, place: impl Fn(Vector) -> Vector, turn: impl Fn(Vector) -> Vector) -> Self {
        self.places[..self.count].iter_mut().for_each(|x| *x = place(*x));
        self.face = self.face.map(turn);
        self
    }
}

/// A piece of the core of a convex solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Piece {
    /// A corner.
    Corner(Vector),
    /// A rim: its centre, its axis and its radius.
    Rim(Vector, Vector, f64),
    /// An ellipsoid `c + A b`, the image of the unit ball under a symmetric `A`.
    Ellipsoid(Vector, Matrix3<f64>),
}

impl Piece {
    /// Placed.
    pub fn at(&self, pose: &Pose) -> Self {
        match *self {
            Piece::Corner(place) => Piece::Corner(pose.place(place)),
            Piece::Rim(centre, axis, radius) => Piece::Rim(pose.place(centre), pose.turn(axis), radius),
            Piece::Ellipsoid(centre, spread) => {
                let q = pose.rotation();
                Piece::Ellipsoid(pose.place(centre), q * spread * q.transpose())
            }
        }
    }

    /// The place farthest along `d`, and how it moves as `d` turns: `∇h` and `∇∇h` of the support function `h(d)`, of an ellipsoid
    /// `c·d + |A d|`. None across a rim, where any of its places is.
    pub fn farthest(&self, d: &Vector) -> Option<(Vector, Matrix3<f64>)> {
        match *self {
            Piece::Corner(place) => Some((place, Matrix3::zeros())),
            Piece::Rim(centre, axis, radius) => {
                let across = d - axis * d.dot(&axis);
                let length = across.norm();
                let away = across.try_normalize(1e-9)?;
                let turn = Matrix3::identity() - axis * axis.transpose() - away * away.transpose();
                Some((centre + radius * away, turn * (radius / length)))
            }
            Piece::Ellipsoid(centre, spread) => {
                let image = spread * d;
                let length = image.norm();
                let away = spread * image / length;
                let turn = (spread * spread - away * away.transpose()) / length;
                Some((centre + away, turn))
            }
        }
    }
}

/// Flat faces: segments in the plane or triangles in space, outward-ordered.
#[derive(Debug, Clone, PartialEq)]
pub struct Faces {
    /// Their corners.
    pub points: Vec<Vector>,
    /// Numbers of the corners of each.
    pub facets: Vec<Vec<u32>>,
}

/// Depth under a face as it counts in the choice of the nearest one: half for the face a point came `through`.
pub(crate) fn counted_depth(depth: f64, face: u32, through: Option<u32>) -> f64 {
    if through == Some(face) { 0.5 * depth } else { depth }
}

/// Share of its distance to a face within which a point counts as level with the face's end: by the time it gets there it
/// may have moved to either side. Left out now, it is taken up in the next iteration if it does enter.
pub(crate) const DOUBT: f64 = 0.1;

/// Share by which a face must be nearer than one named before it to be preferred: equal depths are equal for every node of
/// an edge, whatever rounding says of each.
pub(crate) const TIE: f64 = 1e-6;

/// Share of a face by which a place may be beyond the end of what is open: on a plane of symmetry rounding must not choose.
pub(crate) const END: f64 = 1e-6;
