//! Rigid obstacles: a shape, placed. Every question is asked in the frame of the shape and answered in space.

use super::shapes::{Block, Chain, Core, Crossing, Revolved, Round, Support, Surface};
use super::{Motion, Pose, Vector};

/// Where a point is near an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Unit normal out of the obstacle.
    pub normal: Vector,
    /// Signed distance, positive outside.
    pub gap: f64,
    /// Number of the face, edge or corner.
    pub feature: u32,
    /// Whether the nearest place is an edge or corner rather than a face. Such a point is near, but its distance says
    /// nothing about where it may go: it may pass on either side of the edge.
    pub sharp: bool,
}

/// A corner of an obstacle that can dent a body, with the outward normals of the faces that meet there.
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

/// An edge of a solid obstacle, with the outward normals of its two faces.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Its ends.
    pub ends: [Vector; 2],
    /// Normals of its faces.
    pub normals: [Vector; 2],
    /// Whether its faces meet at a slight angle and stand for a smooth surface rather than for an edge of their own.
    pub slight: bool,
}

/// The shapes an obstacle can have, each in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Everything behind a plane (a line in the plane).
    HalfSpace {
        /// A point of the plane.
        point: Vector,
        /// Unit normal out of the obstacle.
        normal: Vector,
    },
    /// Polygons and open chains of segments, in the plane.
    Chain(Chain),
    /// Box in space.
    Block(Block),
    /// Circle, sphere, capsule or endless cylinder.
    Round(Round),
    /// Cylinder or cone with flat ends.
    Revolved(Revolved),
    /// Triangulated surface in space.
    Surface(Surface),
}

/// A rigid body that stands still or moves as prescribed. Questions to it are asked where it rests; see [`Motion`].
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Name in the case.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Where the shape is placed at rest.
    pub pose: Pose,
    /// How it moves from there.
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// A shape where its own coordinates put it.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Obstacle { name: name.into(), shape, pose: Pose::default(), motion: None }
    }

    /// Where `x` is within `reach` in front of the obstacle, or inside it. An open chain has no inside: there a point
    /// counts down to `depth` behind a segment. Behind a triangulated surface it counts down to `depth` too.
    pub fn touches(&self, x: Vector, reach: f64, depth: f64, out: &mut Vec<Touch>) {
        self.touches_through(x, reach, depth, None, out);
    }

    /// The same for a point that came `through` a face: inside, that face counts as nearest until another one is twice as
    /// near. A point that enters along a diagonal is as deep under one face as under another; without memory, rounding
    /// would send it out through either in turn.
    pub fn touches_through(&self, x: Vector, reach: f64, depth: f64, through: Option<u32>, out: &mut Vec<Touch>) {
        let start = out.len();
        let x = self.pose.own(x);
        match &self.shape {
            Shape::HalfSpace { point, normal } => {
                let gap = (x - point).dot(normal);
                if gap <= reach {
                    out.push(Touch { normal: *normal, gap, feature: 0, sharp: false });
                }
            }
            Shape::Chain(chain) => chain.touches(x, reach, depth, through, out),
            Shape::Block(block) if block.inside => block.walls(&x, reach, out),
            Shape::Block(block) => out.extend(Some(block.touch(&x, through)).filter(|t| t.gap <= reach)),
            Shape::Round(round) => out.extend(Some(round.touch(&x)).filter(|t| t.gap <= reach)),
            Shape::Revolved(solid) if solid.inside => solid.walls(&x, reach, out),
            Shape::Revolved(solid) => {
                out.extend(Some(solid.touch_through(&x, through)).filter(|t| t.gap <= reach));
            }
            Shape::Surface(surface) => surface.touches(&x, reach, depth, through, out),
        }
        if !self.pose.is_identity() {
            for touch in &mut out[start..] {
                touch.normal = self.pose.turn(touch.normal);
            }
        }
    }

    /// Whether it has an inside however deep a point lies. An open chain has not.
    pub fn is_closed(&self) -> bool {
        match &self.shape {
            Shape::Chain(chain) => chain.is_closed(),
            Shape::Surface(surface) => surface.is_closed(),
            _ => true,
        }
    }

    /// Centre of a circle or sphere, with the sign of normals out of it: −1 for a container.
    pub fn ball(&self) -> Option<(Vector, f64)> {
        match &self.shape {
            Shape::Round(Round { core: Core::Point(centre), inside, .. }) => {
                Some((self.pose.place(*centre), if *inside { -1.0 } else { 1.0 }))
            }
            _ => None,
        }
    }

    /// Whether a feature that a [`Touch`] names is a face, not an edge or corner.
    pub fn is_face(&self, feature: u32) -> bool {
        match &self.shape {
            Shape::Chain(chain) => (feature as usize) < chain.segment_count(),
            Shape::Block(_) => [1, 2, 3, 6, 9, 18].contains(&feature),
            Shape::Surface(surface) => (feature as usize) < surface.triangles().len(),
            Shape::Revolved(solid) => solid.is_face(feature),
            Shape::HalfSpace { .. } | Shape::Round(_) => true,
        }
    }

    /// Corners that can dent a body.
    pub fn corners(&self) -> Vec<Corner> {
        let mut corners = match &self.shape {
            Shape::Chain(chain) => chain.corners(),
            Shape::Block(block) => block.corners(),
            Shape::Surface(surface) => surface.corners(),
            Shape::HalfSpace { .. } | Shape::Round(_) | Shape::Revolved(_) => Vec::new(),
        };
        for corner in &mut corners {
            corner.point = self.pose.place(corner.point);
            corner.normals.iter_mut().chain(&mut corner.rays).for_each(|n| *n = self.pose.turn(*n));
        }
        corners
    }

    /// Edges that can dent a body in space.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = match &self.shape {
            Shape::Block(block) => block.edges(),
            Shape::Surface(surface) => surface.edges(),
            Shape::HalfSpace { .. } | Shape::Chain(_) | Shape::Round(_) | Shape::Revolved(_) => Vec::new(),
        };
        for edge in &mut edges {
            edge.ends = edge.ends.map(|p| self.pose.place(p));
            edge.normals = edge.normals.map(|n| self.pose.turn(n));
        }
        edges
    }

    /// Signed distance of a point from a shape with curved features; none for shapes that have no such features.
    pub fn curved_distance(&self, x: Vector) -> Option<f64> {
        match &self.shape {
            Shape::Round(round) if !round.inside => Some(round.touch(&self.pose.own(x)).gap),
            Shape::Revolved(solid) if !solid.inside => Some(solid.touch(&self.pose.own(x)).gap),
            _ => None,
        }
    }

    /// Number of places that can press on the inside of a facet and depend on how the facet lies.
    pub fn support_count(&self) -> usize {
        match &self.shape {
            Shape::Round(round) => round.support_count(),
            Shape::Revolved(solid) => solid.support_count(),
            _ => 0,
        }
    }

    /// Number `k` of them for a facet in direction `towards`.
    pub fn support(&self, k: usize, towards: Vector) -> Option<Support> {
        self.support_of(k, towards, false)
    }

    /// The same for a rigid body that may roll on what lies in direction `towards`.
    pub fn rolling_support(&self, k: usize, towards: Vector) -> Option<Support> {
        self.support_of(k, towards, true)
    }

    fn support_of(&self, k: usize, towards: Vector, rolls: bool) -> Option<Support> {
        let mut support = match &self.shape {
            Shape::Round(round) => round.support(k),
            Shape::Revolved(solid) => solid.support(k, &self.pose.own_direction(towards), rolls),
            _ => None,
        }?;
        support.core = self.pose.place(support.core);
        Some(support)
    }

    /// How far behind a facet such a place may be taken to have entered it rather than to lie beyond the body.
    pub fn support_depth(&self) -> f64 {
        match &self.shape {
            Shape::Round(round) => round.radius,
            Shape::Revolved(solid) => solid.support_depth(),
            _ => 0.0,
        }
    }

    /// Number of curved features an edge of a body can lie across.
    pub fn ridge_count(&self) -> usize {
        match &self.shape {
            Shape::Round(round) => round.ridge_count(),
            Shape::Revolved(solid) => solid.ridge_count(),
            _ => 0,
        }
    }

    /// Whether feature `k` is smooth, so that what lies across it touches it as a node there would.
    pub fn is_smooth_ridge(&self, k: usize) -> bool {
        match &self.shape {
            Shape::Round(_) => true,
            Shape::Revolved(_) => k == 0,
            _ => false,
        }
    }

    /// Where the edge between two places is nearest to feature `k`, if that is between its ends.
    pub fn ridge(&self, k: usize, x: [Vector; 2]) -> Option<Crossing> {
        let x = x.map(|p| self.pose.own(p));
        let mut crossing = match &self.shape {
            Shape::Round(round) => round.ridge(k, &x),
            Shape::Revolved(solid) => solid.ridge(k, &x),
            _ => None,
        }?;
        crossing.normal = self.pose.turn(crossing.normal);
        Some(crossing)
    }
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
