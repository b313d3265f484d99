//! Which part of a body's surface a node stands for: what turns nodal contact forces into pressures, and nodal losses into
//! losses per area.

use nalgebra::Vector3;

use super::deformable::Deformable;
use super::facets::{nodal_areas, rule, tangents};
use crate::mesh::{Facet, surface};

/// The surface of a body, seen from its nodes.
#[derive(Debug, Clone, Default)]
pub struct Tributary {
    facets: Vec<Facet>,
    /// `∫ N_a dA` over each undeformed facet, by corner.
    shares: Vec<[f64; 4]>,
    /// Start of each node's entries in `entries`; one more than there are nodes.
    starts: Vec<u32>,
    /// Facet and corner.
    entries: Vec<(u32, u8)>,
}

/// The area a node stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NodalArea {
    /// Undeformed.
    pub reference: f64,
    /// As it is now.
    pub current: f64,
}

impl Tributary {
    /// A facet belongs to the area that faces an obstacle if it does so at least by this share of the facet that does so
    /// most: at the corner of a block on a floor its bottom, not its side.
    const FACING: f64 = 0.5;

    /// The surface of a body.
    pub fn new(body: &Deformable) -> Self {
        let facets = surface::boundary(&body.mesh);
        let mut all = nodal_areas(&body.mesh, &facets, body.section()).into_iter();
        let mut shares = Vec::with_capacity(facets.len());
        let mut starts = vec![0u32; body.mesh.node_count() + 1];
        for facet in &facets {
            let mut share = [0.0; 4];
            for (place, (node, area, _)) in share.iter_mut().zip(all.by_ref().take(facet.nodes().len())) {
                *place = area;
                starts[node.index() + 1] += 1;
            }
            shares.push(share);
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts.last().map_or(0, |&n| n as usize)];
        for (f, facet) in facets.iter().enumerate() {
            for (corner, node) in facet.nodes().iter().enumerate() {
                entries[next[node.index()] as usize] = (f as u32, corner as u8);
                next[node.index()] += 1;
            }
        }
        Tributary { facets, shares, starts, entries }
    }

    /// The area of a node that faces an obstacle whose normal, towards the body, is `normal`: `∫ N_a dA` over the facets that
    /// look against it. Zero for nodes inside the body.
    pub fn facing(&self, body: &Deformable, u: &[f64], node: usize, normal: &Vector3<f64>) -> NodalArea {
        let entries = &self.entries[self.starts[node] as usize..self.starts[node + 1] as usize];
        let against = |&(facet, corner): &(u32, u8)| {
            let (area, vector) = self.share(body, u, facet as usize, corner as usize);
            (area, -vector.dot(normal) / vector.norm().max(f64::MIN_POSITIVE))
        };
        let most = entries.iter().map(|e| against(e).1).fold(f64::NEG_INFINITY, f64::max);
        // a normal that no facet looks against leaves them all
        let least = if most > 0.0 { Self::FACING * most } else { f64::NEG_INFINITY };
        let mut sum = NodalArea::default();
        for entry in entries {
            let (area, cosine) = against(entry);
            if cosine >= least {
                sum.reference += self.shares[entry.0 as usize][entry.1 as usize];
                sum.current += area;
            }
        }
        sum
    }

    /// `∫ N_a dA` and `∫ N_a n dA` of one corner over the facet as it is now.
    fn share(&self, body: &Deformable, u: &[f64], facet: usize, corner: usize) -> (f64, Vector3<f64>) {
        let nodes = self.facets[facet].nodes();
        let mut x = [Vector3::zeros(); 4];
        for (place, node) in x.iter_mut().zip(nodes) {
            *place = body.position(u, node.index());
        }
        let mut sum = (0.0, Vector3::zeros());
        for point in rule(nodes.len()) {
            let (xi, eta) = tangents(point, &x, nodes.len(), body.section());
            let area = point.weight * point.n[corner] * xi.cross(&eta);
            sum.0 += area.norm();
            sum.1 += area;
        }
        sum
    }
}
