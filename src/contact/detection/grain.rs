//! The direction that a surface is marked with (grooves, fibres, the lay of a cut), for friction that depends on it. It is given
//! where things are at the start and carried along: by the motion of something rigid, or by a body's surface as it deforms.

use super::{Anchor, Vector, frame};
use crate::geometry::Pose;
use crate::mesh::Facet;

/// Which side of a contact carries the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Carrier {
    /// The first: the body, where the second is an obstacle.
    First,
    /// The second.
    #[default]
    Second,
}

impl Carrier {
    /// The other of the two.
    pub fn other(self) -> Self {
        match self {
            Carrier::First => Carrier::Second,
            Carrier::Second => Carrier::First,
        }
    }
}

/// A direction and what carries it.
#[derive(Debug, Clone)]
pub enum Grain {
    /// Something rigid, which turns it.
    Rigid(Vector),
    /// The surface of a body.
    Drawn(Marked),
}

/// A marked surface: on each facet the direction as a combination of two of its lines, which move with it.
#[derive(Debug, Clone)]
pub struct Marked {
    /// Two lines of nodes of each facet, and the weights that make up the direction.
    facets: Vec<([[u32; 2]; 2], [f64; 2])>,
    /// Nodes and facets, sorted.
    around: Vec<(u32, u32)>,
}

impl Grain {
    /// The direction at a contact point, in space. `pose` is that of the rigid side, `position` says where nodes of the body are
    /// that the point is anchored to.
    pub(super) fn direction(&self, pose: &Pose, anchor: &Anchor, position: impl Fn(usize) -> Vector) -> Vector {
        match self {
            Grain::Rigid(axis) => pose.turn(*axis),
            Grain::Drawn(marked) => marked.direction(anchor, position),
        }
    }
}

impl Marked {
    /// Draws a direction on the surface of a body with nodes at `reference`: its projection on each facet is convected.
    pub fn new(axis: Vector, facets: &[Facet], reference: &[[f64; 3]]) -> Self {
        let mut marked = Marked { facets: Vec::with_capacity(facets.len()), around: Vec::new() };
        for facet in facets {
            let nodes = facet.nodes();
            // diagonals of a quadrilateral, two sides of a triangle
            let lines = match nodes {
                [a, b, c, d] => [[a.0, c.0], [b.0, d.0]],
                [a, b, c] => [[a.0, b.0], [a.0, c.0]],
                _ => continue,
            };
            let at = |node: u32| Vector::from(reference[node as usize]);
            let [e, f] = lines.map(|[from, to]| at(to) - at(from));
            let (ee, ff, ef) = (e.dot(&e), f.dot(&f), e.dot(&f));
            let (ea, fa) = (e.dot(&axis), f.dot(&axis));
            let det = ee * ff - ef * ef;
            marked.around.extend(nodes.iter().map(|node| (node.0, marked.facets.len() as u32)));
            marked.facets.push((lines, [(ff * ea - ef * fa) / det, (ee * fa - ef * ea) / det]));
        }
        marked.around.sort_unstable();
        marked
    }

    /// The direction at a point of the surface whose nodes are at `position`.
    pub(super) fn direction(&self, anchor: &Anchor, position: impl Fn(usize) -> Vector) -> Vector {
        let mut direction = Vector::zeros();
        for (node, weight) in anchor.parts() {
            let first = self.around.partition_point(|&(n, _)| (n as usize) < node);
            let here = self.around[first..].iter().take_while(|&&(n, _)| n as usize == node);
            let (mut sum, mut count) = (Vector::zeros(), 0.0);
            for &(_, facet) in here {
                let (lines, weights) = self.facets[facet as usize];
                for ([from, to], weight) in lines.into_iter().zip(weights) {
                    sum += weight * (position(to as usize) - position(from as usize));
                }
                count += 1.0;
            }
            if count > 0.0 {
                direction += (weight / count) * sum;
            }
        }
        direction
    }
}

/// An orthonormal frame (n, t1, t2) in space whose t1 is the projection of `axis` on the tangent plane. Where the axis stands on
/// that plane it marks no direction, and any frame is as good.
pub fn frame_along(n: Vector, axis: Vector) -> [Vector; 3] {
    let t1 = axis - n.dot(&axis) * n;
    let length = t1.norm();
    if length <= 1e-6 * axis.norm() {
        return frame(n, 3);
    }
    let t1 = t1 / length;
    [n, t1, n.cross(&t1)]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::bodies::{Deformable, DeformableSpec};
    use crate::materials::{Hooke, Law, Material};
    use crate::mesh::generate::{Block, SolidCells, block};

    /// A cube turned by 40° about z and stretched: a line drawn on its lower face goes where `F` takes it, whatever the cells;
    /// an obstacle's line goes where its pose takes it.
    #[test]
    fn a_line_drawn_on_the_surface_goes_with_it() {
        for cells in [SolidCells::Hexes, SolidCells::Tets] {
            let mesh = block(&Block { min: [0.0; 3], max: [1.0; 3], divisions: [2, 3, 2], cells }).unwrap();
            let facets = mesh.face_sets.get("z_min").unwrap().clone();
            let law = Law::Linear(Hooke::new(1.0, 0.3));
            let material = Material { density: 1.0, law };
            let body = Deformable::new(DeformableSpec::new("b", mesh, material)).unwrap();
            let turn = nalgebra::Rotation3::from_axis_angle(&Vector::z_axis(), 40f64.to_radians());
            let f = turn.matrix() * nalgebra::Matrix3::new(1.3, 0.2, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0);
            let u: Vec<f64> = body
                .mesh
                .nodes
                .iter()
                .flat_map(|x| {
                    ((f - nalgebra::Matrix3::identity()) * Vector::from(*x)).iter().copied().collect::<Vec<_>>()
                })
                .collect();
            let axis = Vector::new(0.6, 0.3, 0.5);
            let flat = Vector::new(0.6, 0.3, 0.0);
            let grain = Grain::Drawn(Marked::new(axis, &facets, &body.mesh.nodes));
            let pose = Pose::new(Vector::new(0.0, 0.0, 0.7), Vector::zeros(), Vector::zeros());
            let position = |node: usize| body.position(&u, node);
            for facet in &facets {
                let nodes: Vec<u32> = facet.nodes().iter().map(|n| n.0).collect();
                let weights = vec![1.0 / nodes.len() as f64; nodes.len()];
                for anchor in [Anchor::node(0, nodes[0]), Anchor::combination(0, &nodes, &weights)] {
                    let direction = grain.direction(&pose, &anchor, position);
                    assert!((direction - f * flat).norm() < 1e-12, "{direction:?}");
                    let [n, t1, t2] = frame_along(Vector::z(), direction);
                    assert!(t1.cross(&(f * flat)).norm() < 1e-12 && (n.cross(&t1) - t2).norm() < 1e-15);
                }
            }
            let rigid = Grain::Rigid(axis).direction(&pose, &Anchor::node(0, 0), position);
            assert!((rigid - pose.turn(axis)).norm() < 1e-15);
        }
    }
}
