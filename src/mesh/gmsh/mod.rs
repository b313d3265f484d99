//! Meshes from Gmsh: `.msh` files of version 4.1, as text or binary in either byte order.
//!
//! A body takes the cells of its dimension that belong to the physical group asked for. Without a group it takes all that
//! belong to any physical group of that dimension or, if the file has none, all cells, as Gmsh does when it writes a file.
//! Physical groups become sets by their names, or by their tags where they have none; characters that no set of a case
//! may have become `_`. A group of cells gives a cell set and a node set, a group of faces (edges in the plane) a face set
//! of its facets on the boundary of the body and a node set, any other group a node set. Nodes without cells are left out.
//!
//! Plane cells listed clockwise are turned around, and so are inside-out solid cells; a note says so.

mod groups;
mod kinds;
mod outer;
mod reader;
mod sections;

pub use outer::triangles;
pub use reader::{GmshError, Place};

use super::check::{Labels, check, turn_around};
use super::surface::name_sets;
use super::{CellId, Mesh, NodeId};
use groups::{Selection, name_groups, select};
use sections::Contents;

/// A mesh that was read, with what is worth knowing about it.
#[derive(Debug)]
pub struct Read {
    /// The mesh; it has passed [`check`].
    pub mesh: Mesh,
    /// Numbers and lines of its nodes and cells in the file.
    pub labels: Labels,
    /// What was done to it or left out.
    pub notes: Vec<String>,
}

/// A mesh of dimension `dim` from the bytes of a file.
///
/// Memory stays within a fixed multiple of the number of bytes, whatever counts they announce.
///
/// # Errors
/// The first problem of the file or of the mesh in it.
pub fn read(bytes: &[u8], dim: usize, group: Option<&str>) -> Result<Read, GmshError> {
    let contents = sections::read(bytes)?;
    let selection = select(&contents, dim, group)?;
    let index = NodeIndex::new(&contents)?;
    let (mut mesh, labels, file_nodes) = body(&contents, &selection, &index)?;
    let mut notes = selection.notes;
    notes.extend(orphans(&contents, &index));
    if dim == 2 {
        flatten(&mut mesh, &labels)?;
    }
    if let Some((count, first)) = turn_around(&mut mesh) {
        let (are, them) = if count == 1 { ("cell was", "it has") } else { ("cells were", "they have") };
        let first = labels.cell(first);
        notes.push(format!("{count} {are} inside out or clockwise, the first one {first}; {them} been turned around"));
    }
    notes.extend(check(&mesh, &labels).map_err(|defect| GmshError::whole(defect.to_string()))?);
    name_sets(&mut mesh, &[]);
    name_groups(&mut mesh, &contents, dim, &selection.cells, &|tag| file_nodes[index.find(tag)?])?;
    Ok(Read { mesh, labels, notes })
}

/// Where in the file a node stands that has a given tag.
struct NodeIndex {
    sorted: Vec<(u64, u32)>,
}

impl NodeIndex {
    fn new(contents: &Contents) -> Result<Self, GmshError> {
        let tags = &contents.node_tags;
        if u32::try_from(tags.len()).is_err() {
            return Err(GmshError::whole(format!("{} nodes are more than a mesh can have", tags.len())));
        }
        let mut sorted: Vec<(u64, u32)> = tags.iter().enumerate().map(|(i, tag)| (tag.number, i as u32)).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let labels = Labels { nodes: tags.clone(), cells: Vec::new() };
            let [first, second] = [pair[0].1, pair[1].1].map(|i| labels.node(NodeId(i)));
            return Err(GmshError::whole(format!("{first} and {second} have the same tag")));
        }
        Ok(NodeIndex { sorted })
    }

    fn find(&self, tag: u64) -> Option<usize> {
        // Files that Gmsh has just written number their nodes without gaps.
        let first = self.sorted.first()?.0;
        let guess = usize::try_from(tag.checked_sub(first)?).ok()?;
        match self.sorted.get(guess) {
            Some(&(found, index)) if found == tag => Some(index as usize),
            _ => self.sorted.binary_search_by_key(&tag, |entry| entry.0).ok().map(|at| self.sorted[at].1 as usize),
        }
    }
}

/// Nodes and cells of the selection, and for each node of the file its number in the mesh.
fn body(
    contents: &Contents,
    selection: &Selection,
    index: &NodeIndex,
) -> Result<(Mesh, Labels, Vec<Option<NodeId>>), GmshError> {
    let mut numbers: Vec<Option<NodeId>> = vec![None; contents.nodes.len()];
    let mut places = Vec::new();
    let mut labels = Labels::default();
    for &(block, _) in &selection.cells {
        let block = &contents.blocks[block];
        for (element, tag) in block.nodes.chunks_exact(block.kind.nodes).zip(&block.tags) {
            for &node in element {
                let Some(at) = index.find(node) else {
                    let cell = Labels { cells: vec![*tag], ..Labels::default() }.cell(CellId(0));
                    return Err(GmshError::whole(format!("{cell} has node {node}, which the file does not have")));
                };
                numbers[at] = Some(NodeId::default());
                places.push(at);
            }
            labels.cells.push(*tag);
        }
    }
    let mut kept = Vec::new();
    for (at, number) in numbers.iter_mut().enumerate().filter(|(_, number)| number.is_some()) {
        *number = Some(NodeId(kept.len() as u32));
        kept.push(contents.nodes[at]);
        labels.nodes.push(contents.node_tags[at]);
    }
    let mut mesh = Mesh::new(kept);
    let mut places = places.into_iter();
    for &(block, kind) in &selection.cells {
        for _ in &contents.blocks[block].tags {
            let mut nodes = [NodeId::default(); 8];
            for (node, at) in nodes.iter_mut().zip(places.by_ref().take(kind.node_count())) {
                *node = numbers[at].unwrap_or_default();
            }
            mesh.push_cell(kind, &nodes[..kind.node_count()]);
        }
    }
    Ok((mesh, labels, numbers))
}

/// A plane mesh must lie in the plane z = 0, but for round-off.
fn flatten(mesh: &mut Mesh, labels: &Labels) -> Result<(), GmshError> {
    let size = mesh.nodes.iter().fold(0.0f64, |size, [x, y, _]| size.max(x.abs()).max(y.abs()));
    for (i, node) in mesh.nodes.iter_mut().enumerate() {
        if node[2].abs() > 1e-9 * size {
            let label = labels.node(NodeId(i as u32));
            return Err(GmshError::whole(format!("{label} has z = {}; a plane mesh must lie in z = 0", node[2])));
        }
        node[2] = 0.0;
    }
    Ok(())
}

/// A note on nodes that no element of the file has.
fn orphans(contents: &Contents, index: &NodeIndex) -> Option<String> {
    let mut used = vec![false; contents.nodes.len()];
    for tag in contents.blocks.iter().flat_map(|block| &block.nodes) {
        if let Some(at) = index.find(*tag) {
            used[at] = true;
        }
    }
    let first = used.iter().position(|used| !used)?;
    let count = used.iter().filter(|used| !**used).count();
    let label = Labels { nodes: vec![contents.node_tags[first]], ..Labels::default() }.node(NodeId(0));
    let (are, them) = if count == 1 { ("node belongs", "it is") } else { ("nodes belong", "they are") };
    Some(format!("{count} {are} to no element, the first one {label}; {them} left out"))
}
