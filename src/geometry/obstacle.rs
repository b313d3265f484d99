//! Rigid obstacles: a shape, placed. Every question is asked in the frame of the shape and answered in space.

use super::features::{Corner, Crossing, Edge, Faces, Near, Patch, Support, Touch};
use super::registry::ask;
use super::shape::Shape;
use super::solid::Solid;
use super::{AnyShape, Motion, Pose, Vector};

/// A rigid body that stands still or moves as prescribed. Questions to it are asked where it rests; see [`Motion`].
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Name in the case.
    pub name: String,
    /// Its shape.
    pub shape: AnyShape,
    /// Where the shape is placed at rest.
    pub pose: Pose,
    /// How it moves from there.
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// A shape where its own coordinates put it.
    pub fn new(name: impl Into<String>, shape: impl Into<AnyShape>) -> Self {
        Obstacle { name: name.into(), shape: shape.into(), pose: Pose::default(), motion: None }
    }

    /// Where `x` is within `reach` in front of the obstacle, or inside it. An open chain has no inside: there a point
    /// counts down to `depth` behind a segment. Behind a triangulated surface it counts down to `depth` too.
    pub fn touches(&self, x: Vector, reach: f64, depth: f64, out: &mut Vec<Touch>) {
        self.touches_through(x, reach, depth, None, out);
    }

    /// The same for a point that came `through` a face, see [`Near::through`].
    pub fn touches_through(&self, x: Vector, reach: f64, depth: f64, through: Option<u32>, out: &mut Vec<Touch>) {
        let start = out.len();
        let (x, near) = (self.pose.own(x), Near { reach, depth, through });
        ask!(&self.shape, shape => shape.touches(&x, &near, out));
        if !self.pose.is_identity() {
            for touch in &mut out[start..] {
                touch.normal = self.pose.turn(touch.normal);
            }
        }
    }

    /// Signed distance of a place where the obstacle rests, see [`Shape::distance`].
    pub fn distance(&self, x: Vector) -> f64 {
        let own = self.pose.own(x);
        ask!(&self.shape, shape => shape.distance(&own))
    }

    /// The smallest distance of any place of a segment or triangle, and that place, see [`Shape::least_distance`].
    pub fn least_distance(&self, piece: &[Vector; 3]) -> (f64, Vector) {
        let own = piece.map(|x| self.pose.own(x));
        let (distance, place) = ask!(&self.shape, shape => shape.least_distance(&own));
        (distance, self.pose.place(place))
    }

    /// Signed distance of a point from a solid with curved features; none for shapes that have no such features.
    pub fn curved_distance(&self, x: Vector) -> Option<f64> {
        (self.is_curved() && !self.is_container()).then(|| self.distance(x))
    }

    /// Whether it has an inside however deep a point lies. An open chain has not.
    pub fn is_closed(&self) -> bool {
        ask!(&self.shape, shape => shape.is_closed())
    }

    /// Whether it lies around what it holds.
    pub fn is_container(&self) -> bool {
        ask!(&self.shape, shape => shape.is_container())
    }

    /// A place of what has no end.
    pub fn endless(&self) -> Option<Vector> {
        ask!(&self.shape, shape => shape.endless()).map(|x| self.pose.place(x))
    }

    /// Whether its faces are curved: it touches with another of its places as it turns.
    pub fn is_curved(&self) -> bool {
        ask!(&self.shape, shape => shape.is_curved())
    }

    /// Centre of a circle or sphere, with the sign of normals out of it: −1 for a container.
    pub fn ball(&self) -> Option<(Vector, f64)> {
        let (centre, inside) = ask!(&self.shape, shape => (shape.ball()?, shape.is_container()));
        Some((self.pose.place(centre), if inside { -1.0 } else { 1.0 }))
    }

    /// Axis of its rims, if it has flat ones.
    pub fn rim_axis(&self) -> Option<Vector> {
        ask!(&self.shape, shape => shape.rim_axis()).map(|axis| self.pose.turn(axis))
    }

    /// Whether a feature that a [`Touch`] names is a face, not an edge or corner.
    pub fn is_face(&self, feature: u32) -> bool {
        ask!(&self.shape, shape => shape.is_face(feature))
    }

    /// Corners that can dent a body.
    pub fn corners(&self) -> Vec<Corner> {
        let mut corners = ask!(&self.shape, shape => shape.corners());
        for corner in &mut corners {
            corner.point = self.pose.place(corner.point);
            corner.normals.iter_mut().chain(&mut corner.rays).for_each(|n| *n = self.pose.turn(*n));
        }
        corners
    }

    /// Edges that can dent a body in space.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = ask!(&self.shape, shape => shape.edges());
        for edge in &mut edges {
            edge.ends = edge.ends.map(|p| self.pose.place(p));
            edge.normals = edge.normals.map(|n| self.pose.turn(n));
        }
        edges
    }

    /// Number of places that can press on the inside of a facet and depend on how the facet lies.
    pub fn support_count(&self) -> usize {
        ask!(&self.shape, shape => shape.support_count())
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
        let towards = self.pose.own_direction(towards);
        let mut support = ask!(&self.shape, shape => shape.support(k, &towards, rolls))?;
        support.core = self.pose.place(support.core);
        Some(support)
    }

    /// Whether they are other places as the direction turns.
    pub fn supports_move(&self) -> bool {
        ask!(&self.shape, shape => shape.supports_move())
    }

    /// How far behind a facet such a place may be taken to have entered it rather than to lie beyond the body.
    pub fn support_depth(&self) -> f64 {
        ask!(&self.shape, shape => shape.support_depth())
    }

    /// Number of curved features an edge of a body can lie across.
    pub fn ridge_count(&self) -> usize {
        ask!(&self.shape, shape => shape.ridge_count())
    }

    /// Whether feature `k` is smooth, so that what lies across it touches it as a node there would.
    pub fn is_smooth_ridge(&self, k: usize) -> bool {
        ask!(&self.shape, shape => shape.is_smooth_ridge(k))
    }

    /// Where the edge between two places is nearest to feature `k`, if that is between its ends.
    pub fn ridge(&self, k: usize, x: [Vector; 2]) -> Option<Crossing> {
        let x = x.map(|p| self.pose.own(p));
        let mut crossing = ask!(&self.shape, shape => shape.ridge(k, &x))?;
        crossing.normal = self.pose.turn(crossing.normal);
        Some(crossing)
    }

    /// Whether it is a convex solid in space.
    pub fn is_convex(&self) -> bool {
        ask!(&self.shape, shape => shape.is_convex())
    }

    /// Radius around its core.
    pub fn rounding(&self) -> f64 {
        ask!(&self.shape, shape => shape.rounding())
    }

    /// What comes first of it in a direction, a unit vector.
    pub fn patch(&self, towards: Vector) -> Patch {
        let d = self.pose.own_direction(towards);
        let patch = ask!(&self.shape, shape => shape.patch(&d));
        patch.moved(|x| self.pose.place(x), |n| self.pose.turn(n))
    }

    /// Volume, or area, centre and inertia where it is placed; none of a shape without end or with its inside out.
    pub fn solid(&self) -> Option<Solid> {
        let solid = ask!(&self.shape, shape => shape.solid())?;
        let rotation = self.pose.rotation();
        let inertia = rotation * solid.inertia * rotation.transpose();
        Some(Solid { centre: self.pose.place(solid.centre), inertia, ..solid })
    }

    /// A ball that it lies in, where it rests: centre and radius. `None` for what has no end or lies around others.
    pub fn enclosing_ball(&self) -> Option<(Vector, f64)> {
        // containers and open surfaces have no volume
        ask!(&self.shape, shape => shape.solid().and_then(|_| shape.enclosing_ball(&self.pose)))
    }

    /// Half its width where it is narrowest; infinite for what has no end or no inside.
    pub fn half_width(&self) -> f64 {
        if let Some(width) = ask!(&self.shape, shape => shape.half_width()) {
            return width;
        }
        let (solid, plane) = ask!(&self.shape, shape => (shape.solid().is_some(), shape.is_plane()));
        if solid { self.least_half_width(plane) } else { f64::INFINITY }
    }

    /// Half the least distance of two parallel planes around the corners, of planes in many directions.
    fn least_half_width(&self, plane: bool) -> f64 {
        let corners: Vec<Vector> = self.corners().iter().map(|corner| corner.point).collect();
        let steps = if plane { 0..=0 } else { -2..=2 };
        let ways = (-4i32..=4)
            .flat_map(|x| (-4i32..=4).map(move |y| (x, y)))
            .flat_map(|(x, y)| steps.clone().map(move |z| (x, y, z)));
        let directions = ways.filter_map(|(x, y, z)| Vector::new(x.into(), y.into(), z.into()).try_normalize(0.0));
        let width = |d: Vector| {
            let along = corners.iter().map(|corner| corner.dot(&d));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            high - low
        };
        0.5 * directions.map(width).fold(f64::INFINITY, f64::min).max(0.0)
    }

    /// Its faces, if they are flat.
    pub fn faces(&self) -> Option<Faces> {
        let mut faces = ask!(&self.shape, shape => shape.faces())?;
        faces.points.iter_mut().for_each(|x| *x = self.pose.place(*x));
        Some(faces)
    }
}
