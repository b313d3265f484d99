//! What a shape is asked. It answers by its features, in a frame of its own: where a place is near it, what of it can dent a body,
//! what of it comes first in a direction, how large it is, how it is drawn.
//!
//! A new shape is one file that implements [`Shape`], its line in [`super::registry`] and its sentences among the keys of a case.
//! What it does not say has an answer that is right for shapes without that feature.

use super::features::{Corner, Crossing, Edge, Faces, Near, Patch, Piece, Support, Touch};
use super::given::Word;
use super::outline::Outline;
use super::sections::least_of_sections;
use super::solid::Solid;
use super::{AnyShape, Bounds, Pose, Vector};

/// A shape in its own frame.
pub trait Shape: Clone + Into<AnyShape> {
    /// The words under which a case gives it.
    const WORDS: &'static [Word];

    // ---- near a place

    /// Where `x` is near it.
    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>);

    /// Signed distance, of a shape with curved faces and of a half space; what has flat faces is asked for these.
    fn distance(&self, _x: &Vector) -> f64 {
        f64::INFINITY
    }

    /// The smallest distance of any place of a segment (whose last corner is given twice) or a triangle, and that place; where shape
    /// and distance are convex, by sections.
    fn least_distance(&self, piece: &[Vector; 3]) -> (f64, Vector) {
        least_of_sections(piece, |x| self.distance(x))
    }

    /// Whether a feature that a [`Touch`] names is a face, not an edge or corner.
    fn is_face(&self, _feature: u32) -> bool {
        true
    }

    // ---- what kind it is

    /// Whether it has an inside however deep a place lies. An open chain has not.
    fn is_closed(&self) -> bool {
        true
    }

    /// Whether it lies around what it holds.
    fn is_container(&self) -> bool {
        false
    }

    /// Whether it goes on without end; and then a place of it.
    fn endless(&self) -> Option<Vector> {
        None
    }

    /// Whether its faces are curved: it touches with another of its places as it turns.
    fn is_curved(&self) -> bool {
        false
    }

    /// Whether it is given in the plane.
    fn is_plane(&self) -> bool {
        false
    }

    /// Centre of a circle or sphere.
    fn ball(&self) -> Option<Vector> {
        None
    }

    /// Axis of its rims, if it has flat ones.
    fn rim_axis(&self) -> Option<Vector> {
        None
    }

    // ---- what can dent a body

    /// Corners that can.
    fn corners(&self) -> Vec<Corner> {
        Vec::new()
    }

    /// Edges that can, in space.
    fn edges(&self) -> Vec<Edge> {
        Vec::new()
    }

    /// Number of places that can press on the inside of a facet and depend on how the facet lies.
    fn support_count(&self) -> usize {
        0
    }

    /// Number `k` of them for a facet in direction `towards`; with `rolls` for a rigid body that may roll on what lies there.
    fn support(&self, _k: usize, _towards: &Vector, _rolls: bool) -> Option<Support> {
        None
    }

    /// Whether they are other places as the direction turns.
    fn supports_move(&self) -> bool {
        false
    }

    /// How far behind a facet such a place may be taken to have entered it rather than to lie beyond the body.
    fn support_depth(&self) -> f64 {
        0.0
    }

    /// Number of curved features an edge of a body can lie across.
    fn ridge_count(&self) -> usize {
        0
    }

    /// Whether feature `k` is smooth, so that what lies across it touches it as a node there would.
    fn is_smooth_ridge(&self, _k: usize) -> bool {
        false
    }

    /// Where the edge between two places is nearest to feature `k`, if that is between its ends.
    fn ridge(&self, _k: usize, _x: &[Vector; 2]) -> Option<Crossing> {
        None
    }

    // ---- a convex solid: a core, the hull of its pieces, and a radius around it

    /// Whether it is one, in space.
    fn is_convex(&self) -> bool {
        false
    }

    /// The radius.
    fn rounding(&self) -> f64 {
        0.0
    }

    /// The place of its core farthest along a direction, and the number of the piece it belongs to.
    fn farthest(&self, _d: &Vector) -> (Vector, u32) {
        (Vector::zeros(), 0)
    }

    /// A piece by its number.
    fn piece(&self, _number: u32) -> Piece {
        Piece::Corner(Vector::zeros())
    }

    /// Calls `visit` with the outward normal of each flat face.
    fn each_face(&self, _visit: &mut dyn FnMut(Vector)) {}

    /// What comes first of it in a direction, a unit vector.
    fn patch(&self, d: &Vector) -> Patch {
        Patch::of(&[self.farthest(d).0], None)
    }

    // ---- how large it is

    /// Volume, or area, centre and inertia; none of what has no end or its inside out.
    fn solid(&self) -> Option<Solid>;

    /// A ball around it where it is placed: centre and radius. Asked of solids only.
    fn enclosing_ball(&self, pose: &Pose) -> Option<(Vector, f64)> {
        let corners = self.corners();
        ball_around(corners.iter().map(|corner| pose.place(corner.point)))
    }

    /// Half the width where it is narrowest; none where its corners tell.
    fn half_width(&self) -> Option<f64> {
        None
    }

    // ---- what it looks like

    /// Its faces, if they are flat.
    fn faces(&self) -> Option<Faces> {
        None
    }

    /// Draws it.
    fn draw(&self, outline: &mut Outline);
}

/// The ball around points with the centre of their box.
pub(super) fn ball_around(points: impl Iterator<Item = Vector> + Clone) -> Option<(Vector, f64)> {
    let bounds = Bounds::around(points.clone());
    let centre = 0.5 * (bounds.low + bounds.high);
    let radius = points.map(|p| (p - centre).norm()).reduce(f64::max)?;
    Some((centre, radius))
}
