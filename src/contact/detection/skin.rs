//! The surface of a deforming body: which facets meet where, and a tree of boxes that follows the motion.

use super::Vector;
use super::projection::surface_edges;
use super::source::Placed;
use crate::geometry::{Bounds, Bvh};
use crate::mesh::Facet;

/// Cosine of the angle between the normals of two facets up to which their common node or edge counts as smooth: facets of
/// a curved surface, not the corner of a part.
pub(super) const SMOOTH: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Part of a body's surface.
#[derive(Debug, Clone)]
pub struct Skin {
    /// Number of the body.
    pub body: usize,
    /// Its facets.
    pub facets: Vec<Facet>,
    /// Its nodes, sorted.
    pub nodes: Vec<u32>,
    /// Facets at each node of `nodes`: `around[offsets[k]..offsets[k + 1]]`.
    offsets: Vec<u32>,
    around: Vec<u32>,
    /// Edges in space with the facets on their two sides, sorted.
    pub(super) edges: Vec<([u32; 2], [u32; 2])>,
    /// Edges of each facet, by number: those of facet `k` are `sides[starts[k]..starts[k + 1]]`.
    sides: Vec<u32>,
    starts: Vec<u32>,
    boxes: Vec<Bounds>,
    tree: Bvh,
    /// Size of the tree when it was built.
    built: f64,
    /// Box around all facets.
    pub bounds: Bounds,
}

impl Skin {
    /// Growth of a tree's boxes from which it is built anew.
    const DEGRADED: f64 = 2.0;

    /// Over facets of a body.
    pub fn new(body: usize, facets: Vec<Facet>) -> Self {
        let nodes: Vec<u32> = crate::mesh::surface::facet_nodes(&facets).into_iter().map(|n| n.0).collect();
        let mut of_node: Vec<(u32, u32)> = Vec::new();
        for (k, facet) in facets.iter().enumerate() {
            of_node.extend(facet.nodes().iter().map(|n| (n.0, k as u32)));
        }
        of_node.sort_unstable();
        let mut offsets: Vec<u32> =
            nodes.iter().map(|n| of_node.partition_point(|(node, _)| node < n) as u32).collect();
        offsets.push(of_node.len() as u32);
        let around = of_node.into_iter().map(|(_, facet)| facet).collect();
        let boxes = vec![Bounds::empty(); facets.len()];
        let solid = facets.first().is_some_and(|facet| facet.nodes().len() > 2);
        let edges = if solid { surface_edges(&facets) } else { Vec::new() };
        let mut sides: Vec<(u32, u32)> = Vec::new();
        for (k, (_, owners)) in edges.iter().enumerate() {
            sides.extend(owners.iter().map(|&facet| (facet, k as u32)));
        }
        sides.sort_unstable();
        sides.dedup();
        let starts = (0..=facets.len() as u32).map(|f| sides.partition_point(|(facet, _)| *facet < f) as u32).collect();
        let sides = sides.into_iter().map(|(_, edge)| edge).collect();
        Skin {
            body,
            facets,
            nodes,
            offsets,
            around,
            edges,
            sides,
            starts,
            boxes,
            tree: Bvh::default(),
            built: 0.0,
            bounds: Bounds::empty(),
        }
    }

    /// Place in `nodes` of a node of the surface.
    pub fn place_of(&self, node: u32) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Facets at the node in place `k`.
    pub fn around(&self, k: usize) -> &[u32] {
        &self.around[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    /// Whether a facet of the same body has the node in place `k` or shares a node with one that has.
    pub fn is_beside(&self, k: usize, facet: &Facet) -> bool {
        let shares = |own: &u32| self.facets[*own as usize].nodes().iter().any(|n| facet.nodes().contains(n));
        self.around(k).iter().any(shares)
    }

    /// Takes over where the body is: boxes are refitted, and the tree is built anew when they overlap too much.
    pub fn update(&mut self, at: &impl Placed) {
        for (bounds, facet) in self.boxes.iter_mut().zip(&self.facets) {
            *bounds = Bounds::around(facet.nodes().iter().map(|n| at.position(self.body, n.index())));
        }
        self.tree.refit(&self.boxes);
        if self.tree.is_empty() || self.tree.size() > Self::DEGRADED * self.built {
            self.tree = Bvh::new(&self.boxes);
            self.built = self.tree.size();
        }
        self.bounds = self.tree.bounds();
    }

    /// Calls `each` with every facet whose box comes within `reach` of a place.
    pub fn near(&self, x: Vector, reach: f64, each: impl FnMut(u32)) {
        self.meeting(&Bounds { low: x, high: x }.inflated(reach), each);
    }

    /// Calls `each` with every facet whose box meets another.
    pub fn meeting(&self, bounds: &Bounds, mut each: impl FnMut(u32)) {
        self.tree.query(bounds, |facet| {
            if bounds.meets(&self.boxes[facet as usize]) {
                each(facet);
            }
        });
    }

    /// Its lines: segments in the plane, edges in space.
    pub fn lines(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let segment = |facet: &Facet| match facet.nodes() {
            [a, b] => Some([a.0, b.0]),
            _ => None,
        };
        self.facets.iter().filter_map(segment).chain(self.edges.iter().map(|(nodes, _)| *nodes))
    }

    /// Edges of a facet in space.
    pub(super) fn edges_of(&self, facet: u32) -> &[u32] {
        &self.sides[self.starts[facet as usize] as usize..self.starts[facet as usize + 1] as usize]
    }

    /// Outward normal of a facet.
    pub fn normal(&self, facet: u32, at: &impl Placed) -> Vector {
        let nodes = self.facets[facet as usize].nodes();
        let x = |k: usize| at.position(self.body, nodes[k].index());
        let normal = match nodes.len() {
            2 => {
                let t = x(1) - x(0);
                Vector::new(t[1], -t[0], 0.0)
            }
            3 => (x(1) - x(0)).cross(&(x(2) - x(0))),
            _ => (x(2) - x(0)).cross(&(x(3) - x(1))),
        };
        normal.try_normalize(0.0).unwrap_or_else(Vector::zeros)
    }

    /// Outward direction at the node in place `k`: the mean of its facets' normals.
    pub fn outward(&self, k: usize, at: &impl Placed) -> Vector {
        self.around(k).iter().map(|&facet| self.normal(facet, at)).sum()
    }

    /// Outward normal at the node in place `k`, if the surface is smooth there.
    pub fn smooth_normal(&self, k: usize, at: &impl Placed) -> Option<Vector> {
        let mean = self.outward(k, at).try_normalize(0.0)?;
        // half the angle that two facets may make
        let limit = (0.5 * (1.0 + SMOOTH)).sqrt();
        self.around(k).iter().all(|&facet| self.normal(facet, at).dot(&mean) >= limit).then_some(mean)
    }

    /// Whether two facets meet at a concave corner or edge.
    pub fn meet_concave(&self, j: u32, k: u32, at: &impl Placed) -> bool {
        let (one, other) = (self.facets[j as usize].nodes(), self.facets[k as usize].nodes());
        let shared = |n: &&crate::mesh::NodeId| other.contains(n);
        let common = if one.len() == 2 { 1 } else { 2 };
        if j == k || one.iter().filter(shared).count() != common {
            return false;
        }
        let (n, m) = (self.normal(j, at), self.normal(k, at));
        let middle = |nodes: &[crate::mesh::NodeId]| -> Vector {
            nodes.iter().map(|n| at.position(self.body, n.index())).sum::<Vector>() / nodes.len() as f64
        };
        n.dot(&m) < SMOOTH && (middle(other) - middle(one)).dot(&(n - m)) > 0.0
    }

    /// Length of the first edge of a facet.
    pub(super) fn length(&self, facet: u32, at: &impl Placed) -> f64 {
        let nodes = self.facets[facet as usize].nodes();
        (at.position(self.body, nodes[1].index()) - at.position(self.body, nodes[0].index())).norm()
    }

    /// Mean length of the facets' edges in the reference state of a body.
    pub fn fineness(&self, at: &impl Placed) -> f64 {
        let sum: f64 = (0..self.facets.len() as u32).map(|facet| self.length(facet, at)).sum();
        sum / self.facets.len().max(1) as f64
    }
}
