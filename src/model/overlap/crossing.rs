//! Where the edges of a surface run through another one: in the plane segments across segments, in space edges across facets.

use super::AtRest;
use crate::contact::detection::{Placed, Skin};
use crate::geometry::{Bounds, Vector};
use crate::mesh::Mesh;

/// Share of an edge within which crossings count as one.
const APART: f64 = 1e-9;

/// Middles of the pieces into which `other` cuts the edges of `own`, of the edges that it cuts or may hold whole, with the nodes of each
/// edge.
pub(super) fn pieces(meshes: &[Mesh], own: &Skin, other: &Skin) -> Vec<([u32; 2], Vector)> {
    let at = AtRest(meshes);
    let mut tree = other.clone();
    tree.update(&at);
    let (mut middles, mut cuts, mut facets) = (Vec::new(), Vec::new(), Vec::new());
    for nodes in own.lines() {
        let ends = nodes.map(|node| at.position(own.body, node as usize));
        let bounds = Bounds::around(ends);
        if !bounds.meets(&tree.bounds) {
            continue;
        }
        facets.clear();
        tree.meeting(&bounds, |facet| facets.push(facet));
        cuts.clear();
        cuts.extend([0.0, 1.0]);
        cuts.extend(facets.iter().filter_map(|&facet| cut(other, facet, ends, &at)));
        cuts.sort_by(f64::total_cmp);
        let apart = cuts.windows(2).filter(|pair| pair[1] - pair[0] > APART);
        middles.extend(apart.map(|pair| (nodes, ends[0] + 0.5 * (pair[0] + pair[1]) * (ends[1] - ends[0]))));
    }
    middles
}

/// Where a facet cuts an edge, as a share of its length.
fn cut(skin: &Skin, facet: u32, [a, b]: [Vector; 2], at: &impl Placed) -> Option<f64> {
    let nodes = skin.facets[facet as usize].nodes();
    let x = |k: usize| at.position(skin.body, nodes[k].index());
    match nodes.len() {
        2 => {
            let (d, e, f) = (b - a, x(1) - x(0), x(0) - a);
            let cross = |u: Vector, v: Vector| u[0] * v[1] - u[1] * v[0];
            let det = cross(d, e);
            let shares = [cross(f, e) / det, cross(f, d) / det];
            (det != 0.0 && shares.iter().all(|share| (0.0..=1.0).contains(share))).then_some(shares[0])
        }
        3 => through([x(0), x(1), x(2)], a, b),
        _ => through([x(0), x(1), x(2)], a, b).or_else(|| through([x(0), x(2), x(3)], a, b)),
    }
}

/// Where a line from `a` to `b` goes through a triangle: Möller and Trumbore.
fn through([p, q, r]: [Vector; 3], a: Vector, b: Vector) -> Option<f64> {
    let (d, e, f) = (b - a, q - p, r - p);
    let h = d.cross(&f);
    let det = e.dot(&h);
    let s = a - p;
    let g = s.cross(&e);
    let (u, v, share) = (s.dot(&h) / det, d.dot(&g) / det, f.dot(&g) / det);
    (det != 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&share)).then_some(share)
}
