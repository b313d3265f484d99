//! The check every mesh passes before it becomes a body, generated or read.
//!
//! Refused: no cells, coordinates that are not finite, nodes without cells, cells with a repeated node, flat, folded or
//! inside-out cells, the same cell twice, two nodes at one place, cells that lie on the same side of their common face,
//! faces of more than two cells, and a quadrilateral face against triangles. Noted: separate parts.
//!
//! Limit: overlaps of cells that share no face, and nodes that hang on the middle of an edge, are not looked for.

mod shape;

pub use shape::{measure, turn_around};

use super::surface::{FaceRecord, cell_face, sorted_faces};
use super::{CellId, Mesh, NodeId};
use nalgebra::Vector3;
use shape::{Form, form};

/// The number a node or a cell has in the file it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// Its number there.
    pub number: u64,
    /// Line it stands in, from 1; 0 in a file without lines.
    pub line: u64,
}

/// How nodes and cells are called in messages: by their tags, or by their own numbers where there are none.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// Tags of the nodes.
    pub nodes: Vec<Tag>,
    /// Tags of the cells.
    pub cells: Vec<Tag>,
}

impl Labels {
    /// A node, as messages call it.
    pub fn node(&self, node: NodeId) -> String {
        label("node", node.index(), &self.nodes)
    }

    /// A cell, as messages call it.
    pub fn cell(&self, cell: CellId) -> String {
        label("cell", cell.index(), &self.cells)
    }
}

fn label(what: &str, index: usize, tags: &[Tag]) -> String {
    match tags.get(index) {
        None => format!("{what} {index}"),
        Some(Tag { number, line: 0 }) => format!("{what} {number}"),
        Some(Tag { number, line }) => format!("{what} {number} (line {line})"),
    }
}

/// What is wrong with a mesh. Nodes and cells are named as [`Labels`] call them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Defect {
    /// Nothing to compute with.
    #[error("the mesh has no cells")]
    Empty,
    /// Plane and solid cells in one body.
    #[error("{0} is plane and {1} is solid; a body has cells of one dimension")]
    MixedDimensions(String, String),
    /// A coordinate is infinite or not a number.
    #[error("{0} has the coordinates {1:?}; they must be finite")]
    NotFinite(String, [f64; 3]),
    /// A plane mesh leaves its plane.
    #[error("{0} has z = {1}; a plane mesh must lie in z = 0")]
    OutOfPlane(String, f64),
    /// A node belongs to no cell.
    #[error("{0} belongs to no cell")]
    Orphan(String),
    /// A cell has one node twice.
    #[error("{cell} has {node} twice; collapsed cells are not supported")]
    RepeatedNode {
        /// The cell.
        cell: String,
        /// The node.
        node: String,
    },
    /// A cell has next to no area or volume for its size.
    #[error("{0} is flat: its area or volume is {1:.3e}")]
    Flat(String, f64),
    /// A cell is inside out.
    #[error("{0} is inside out: its area or volume is {1:.3e}")]
    Inverted(String, f64),
    /// A corner of a cell points inward.
    #[error("{cell} is folded or not convex at {node}")]
    Folded {
        /// The cell.
        cell: String,
        /// The node at that corner.
        node: String,
    },
    /// Two cells have the same nodes.
    #[error("{0} and {1} have the same nodes")]
    RepeatedCell(String, String),
    /// Two nodes are at the same place.
    #[error("{0} and {1} are at the same place, {2:?}: the parts beside them are not connected; merge the nodes")]
    Coincident(String, String, [f64; 3]),
    /// Two cells on the same side of a face.
    #[error("{0} and {1} overlap: they lie on the same side of their common face")]
    SameSide(String, String),
    /// A face with more than two cells.
    #[error("{0}, {1} and {2} share one face; a face has at most two cells")]
    CrowdedFace(String, String, String),
    /// A quadrilateral that meets triangles.
    #[error("{0} has a quadrilateral face where {1} has a triangle: they are not connected across it")]
    Mismatch(String, String),
}

/// Checks a mesh. Returns what is worth knowing but not wrong.
///
/// # Errors
/// The first defect found.
pub fn check(mesh: &Mesh, labels: &Labels) -> Result<Vec<String>, Defect> {
    check_nodes(mesh, labels)?;
    for (cell, _, nodes) in mesh.cells() {
        match form(mesh, cell) {
            Form::Sound => {}
            Form::Repeated(i) => {
                return Err(Defect::RepeatedNode { cell: labels.cell(cell), node: labels.node(nodes[i]) });
            }
            Form::Flat(size) => return Err(Defect::Flat(labels.cell(cell), size)),
            Form::Inverted(size) => return Err(Defect::Inverted(labels.cell(cell), size)),
            Form::Folded(i) => {
                return Err(Defect::Folded { cell: labels.cell(cell), node: labels.node(nodes[i]) });
            }
        }
    }
    repeated_cells(mesh, labels)?;
    faces(mesh, labels)?;
    coincident_nodes(mesh, labels)?;
    Ok(parts(mesh, labels).into_iter().collect())
}

fn check_nodes(mesh: &Mesh, labels: &Labels) -> Result<(), Defect> {
    let Some((first, _, _)) = mesh.cells().next() else { return Err(Defect::Empty) };
    let dim = mesh.dim();
    if let Some((other, _, _)) = mesh.cells().find(|(_, kind, _)| kind.dim() != dim) {
        let (plane, solid) = if dim == 2 { (first, other) } else { (other, first) };
        return Err(Defect::MixedDimensions(labels.cell(plane), labels.cell(solid)));
    }
    let mut used = vec![false; mesh.node_count()];
    mesh.cells().flat_map(|(_, _, nodes)| nodes).for_each(|node| used[node.index()] = true);
    for (i, x) in mesh.nodes.iter().enumerate() {
        let node = NodeId(i as u32);
        if x.iter().any(|c| !c.is_finite()) {
            return Err(Defect::NotFinite(labels.node(node), *x));
        }
        if dim == 2 && x[2] != 0.0 {
            return Err(Defect::OutOfPlane(labels.node(node), x[2]));
        }
        if !used[i] {
            return Err(Defect::Orphan(labels.node(node)));
        }
    }
    Ok(())
}

fn repeated_cells(mesh: &Mesh, labels: &Labels) -> Result<(), Defect> {
    let mut keys: Vec<([u32; 8], CellId)> = Vec::with_capacity(mesh.cell_count());
    for (cell, _, nodes) in mesh.cells() {
        let mut key = [u32::MAX; 8];
        key.iter_mut().zip(nodes).for_each(|(slot, node)| *slot = node.0);
        key.sort_unstable();
        keys.push((key, cell));
    }
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Defect::RepeatedCell(labels.cell(pair[0].1), labels.cell(pair[1].1))),
        None => Ok(()),
    }
}

/// Every face belongs to one cell, or to two that lie on different sides of it.
fn faces(mesh: &Mesh, labels: &Labels) -> Result<(), Defect> {
    let records = sorted_faces(mesh);
    let mut single: Vec<FaceRecord> = Vec::new();
    for same in records.chunk_by(|a, b| a.0 == b.0) {
        match *same {
            [face] => single.push(face),
            [a, b] => {
                if direction(mesh, a) == direction(mesh, b) {
                    return Err(Defect::SameSide(labels.cell(a.1), labels.cell(b.1)));
                }
            }
            [a, b, c, ..] => {
                return Err(Defect::CrowdedFace(labels.cell(a.1), labels.cell(b.1), labels.cell(c.1)));
            }
            [] => {}
        }
    }
    if mesh.dim() == 3 {
        // The free place of a triangle's key holds the largest number, so the key of a triangle is its three nodes.
        for &([a, b, c, d], cell, _) in single.iter().filter(|face| face.0[3] != u32::MAX) {
            for key in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|[a, b, c]| [a, b, c, u32::MAX]) {
                if let Ok(at) = single.binary_search_by_key(&key, |face| face.0) {
                    return Err(Defect::Mismatch(labels.cell(cell), labels.cell(single[at].1)));
                }
            }
        }
    }
    Ok(())
}

/// The node after the smallest one, going around a face as its cell sees it from outside.
fn direction(mesh: &Mesh, (_, cell, face): FaceRecord) -> Option<NodeId> {
    let facet = cell_face(mesh, cell, face as usize);
    let nodes = facet.nodes();
    let first = (0..nodes.len()).min_by_key(|&i| nodes[i])?;
    // An edge has two directions: it starts at its smaller node or it does not.
    if nodes.len() == 2 { Some(nodes[0]) } else { Some(nodes[(first + 1) % nodes.len()]) }
}

/// Two nodes closer than a millionth of the shortest edge.
fn coincident_nodes(mesh: &Mesh, labels: &Labels) -> Result<(), Defect> {
    let at = |node: NodeId| Vector3::from(mesh.nodes[node.index()]);
    let mut shortest = f64::INFINITY;
    for (_, kind, nodes) in mesh.cells() {
        for face in kind.faces() {
            for k in 0..face.len() {
                let edge = at(nodes[face[k]]) - at(nodes[face[(k + 1) % face.len()]]);
                shortest = shortest.min(edge.norm());
            }
        }
    }
    let tolerance = 1e-6 * shortest;
    // Along a direction that no regular mesh is aligned with, few nodes are near each other that are not so in space.
    let along = Vector3::new(0.617_034_9, 0.558_178_3, 0.554_627_1);
    let mut order: Vec<(f64, NodeId)> =
        (0..mesh.node_count() as u32).map(NodeId).map(|n| (at(n).dot(&along), n)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (k, &(place, node)) in order.iter().enumerate() {
        for &(_, other) in order[k + 1..].iter().take_while(|(other, _)| other - place <= tolerance) {
            if (at(node) - at(other)).norm() <= tolerance {
                let (a, b) = (node.min(other), node.max(other));
                return Err(Defect::Coincident(labels.node(a), labels.node(b), mesh.nodes[a.index()]));
            }
        }
    }
    Ok(())
}

/// A note if the mesh falls into parts that share no node.
fn parts(mesh: &Mesh, labels: &Labels) -> Option<String> {
    let mut parent: Vec<u32> = (0..mesh.node_count() as u32).collect();
    for (_, _, nodes) in mesh.cells() {
        for pair in nodes.windows(2) {
            let (a, b) = (root(&mut parent, pair[0].0), root(&mut parent, pair[1].0));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let count = (0..parent.len()).filter(|&i| parent[i] == i as u32).count();
    if count < 2 {
        return None;
    }
    let first = root(&mut parent, mesh.cells().next().map_or(0, |(_, _, nodes)| nodes[0].0));
    let apart = mesh.cells().find(|(_, _, nodes)| root(&mut parent, nodes[0].0) != first)?;
    Some(format!("the mesh has {count} separate parts; {} is not connected to the first cell", labels.cell(apart.0)))
}

/// The node that stands for the part a node belongs to.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        // Each step halves the way, so that later searches are short.
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

#[cfg(test)]
mod tests;
