//! Bodies that start inside each other: where and how deep, and how to get them out.

use super::obstacle::contains;
use crate::contact::detection::{Placed, Skin, Vector, depth};
use crate::mesh::Mesh;

/// Bodies at rest where their meshes are.
pub(super) struct AtRest<'a>(pub &'a [Mesh]);

impl Placed for AtRest<'_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        Vector::from(self.0[body].nodes[node])
    }
}

/// A node that starts inside a body.
pub(super) struct Overlap {
    /// The node's body and the one it is inside of.
    pub bodies: [usize; 2],
    node: u32,
    at: Vector,
    depth: f64,
    out: Vector,
}

impl std::fmt::Display for Overlap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Overlap { node, at, depth, .. } = self;
        write!(f, "node {node} at [{}, {}, {}] is {depth:.3e} m deep", at[0], at[1], at[2])
    }
}

/// Share of a body's coordinates within which a node counts as on the surface.
const ROUNDING: f64 = 1e-9;

/// Nodes of `slave` inside the body of `master`.
fn inside(meshes: &[Mesh], slave: &Skin, master: &Skin) -> Vec<Overlap> {
    let mesh = &meshes[master.body];
    let (mut low, mut high) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    for x in &mesh.nodes {
        (low, high) = (low.inf(&Vector::from(*x)), high.sup(&Vector::from(*x)));
    }
    let tolerance = ROUNDING * low.abs().max().max(high.abs().max());
    let mut found = Vec::new();
    if slave.body == master.body {
        return found;
    }
    for &node in &slave.nodes {
        let at = Vector::from(meshes[slave.body].nodes[node as usize]);
        if (0..3).all(|i| low[i] <= at[i] && at[i] <= high[i])
            // inside a cell or on a face between two of them
            && contains(mesh, at, -tolerance)
            && let Some((depth, out)) = depth(master, at, &AtRest(meshes))
            && depth > tolerance
        {
            found.push(Overlap { bodies: [slave.body, master.body], node, at, depth, out });
        }
    }
    found
}

/// The deepest node of either surface inside the other's body.
pub(super) fn find(meshes: &[Mesh], [slave, master]: [&Skin; 2]) -> Option<Overlap> {
    let found = inside(meshes, slave, master).into_iter().chain(inside(meshes, master, slave));
    found.max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// Moves nodes of either side that start inside to the surface they are nearest to, before anything is strained.
pub(super) fn push_out(meshes: &mut [Mesh], [slave, master]: [&Skin; 2]) {
    // a node that moves carries its facets along, which may leave others inside
    const ROUNDS: usize = 10;
    for _ in 0..ROUNDS {
        let mut moved = false;
        for (own, other) in [(slave, master), (master, slave)] {
            for overlap in inside(meshes, own, other) {
                let x = &mut meshes[own.body].nodes[overlap.node as usize];
                *x = (overlap.at + overlap.depth * overlap.out).into();
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}
