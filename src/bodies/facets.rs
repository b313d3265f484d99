//! Integration over facets: what a traction, a pressure or a bedding gives to the nodes.
//!
//! A facet is a map `x(ξ, η) = Σ N_a x_a`; its outward area vector is `x,ξ × x,η`. An edge of a plane body is taken as a strip
//! of the body's thickness, `x,η = thickness · e_z`, an edge of a body of revolution as the whole ring, `x,η = 2πr e_z`.

use nalgebra::Vector3;

use crate::elements::Section;
use crate::mesh::{Facet, Mesh, NodeId};

/// A point of a facet's integration rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct FacetPoint {
    pub(super) weight: f64,
    pub(super) n: [f64; 4],
    pub(super) by_xi: [f64; 4],
    pub(super) by_eta: [f64; 4],
}

const G: f64 = 0.577_350_269_189_625_8;

const fn on_edge(x: f64) -> FacetPoint {
    FacetPoint {
        weight: 1.0,
        n: [0.5 * (1.0 - x), 0.5 * (1.0 + x), 0.0, 0.0],
        by_xi: [-0.5, 0.5, 0.0, 0.0],
        by_eta: [0.0; 4],
    }
}

const fn on_quad(x: f64, y: f64) -> FacetPoint {
    FacetPoint {
        weight: 1.0,
        n: [
            0.25 * (1.0 - x) * (1.0 - y),
            0.25 * (1.0 + x) * (1.0 - y),
            0.25 * (1.0 + x) * (1.0 + y),
            0.25 * (1.0 - x) * (1.0 + y),
        ],
        by_xi: [-0.25 * (1.0 - y), 0.25 * (1.0 - y), 0.25 * (1.0 + y), -0.25 * (1.0 + y)],
        by_eta: [-0.25 * (1.0 - x), -0.25 * (1.0 + x), 0.25 * (1.0 + x), 0.25 * (1.0 - x)],
    }
}

const EDGE: [FacetPoint; 2] = [on_edge(-G), on_edge(G)];
const TRIANGLE: [FacetPoint; 1] = [FacetPoint {
    weight: 0.5,
    n: [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0],
    by_xi: [-1.0, 1.0, 0.0, 0.0],
    by_eta: [-1.0, 0.0, 1.0, 0.0],
}];
// exact for N_a (x,ξ × x,η), which is of second degree in each parent coordinate
const QUAD: [FacetPoint; 4] = [on_quad(-G, -G), on_quad(G, -G), on_quad(G, G), on_quad(-G, G)];

/// The rule of a facet with this many nodes.
pub(super) fn rule(nodes: usize) -> &'static [FacetPoint] {
    match nodes {
        2 => &EDGE,
        3 => &TRIANGLE,
        _ => &QUAD,
    }
}

/// The two tangents at a point of a facet with corners `x`.
pub(super) fn tangents(
    point: &FacetPoint,
    x: &[Vector3<f64>; 4],
    nodes: usize,
    section: Section,
) -> (Vector3<f64>, Vector3<f64>) {
    let sum = |slopes: &[f64; 4]| (0..nodes).map(|a| slopes[a] * x[a]).sum::<Vector3<f64>>();
    let eta = if nodes == 2 { Vector3::new(0.0, 0.0, section.measure(sum(&point.n).x)) } else { sum(&point.by_eta) };
    (sum(&point.by_xi), eta)
}

/// For each node of each facet, `∫ N_a dA` and `∫ N_a n dA` over the undeformed facet, `n` outward.
pub fn nodal_areas(mesh: &Mesh, facets: &[Facet], section: Section) -> Vec<(NodeId, f64, Vector3<f64>)> {
    let mut shares = Vec::with_capacity(4 * facets.len());
    for facet in facets {
        let nodes = facet.nodes();
        let mut x = [Vector3::zeros(); 4];
        for (place, node) in x.iter_mut().zip(nodes) {
            *place = Vector3::from(mesh.nodes[node.index()]);
        }
        let mut sums = [(0.0, Vector3::zeros()); 4];
        for point in rule(nodes.len()) {
            let (xi, eta) = tangents(point, &x, nodes.len(), section);
            let area = point.weight * xi.cross(&eta);
            for (sum, n) in sums.iter_mut().zip(&point.n) {
                sum.0 += n * area.norm();
                sum.1 += *n * area;
            }
        }
        shares.extend(nodes.iter().zip(sums).map(|(node, (area, vector))| (*node, area, vector)));
    }
    shares
}
