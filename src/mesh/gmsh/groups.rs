//! Physical groups: which cells a body takes, and the sets they become.

use std::collections::BTreeMap;

use super::super::surface::{boundary, facet_nodes};
use super::super::{CellId, CellKind, Facet, Mesh, NodeId};
use super::reader::GmshError;
use super::sections::{Block, Contents};

/// Cells of a body.
#[derive(Debug)]
pub(super) struct Selection {
    /// Blocks of the file, with the shape of their cells.
    pub cells: Vec<(usize, CellKind)>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// The name of a physical group in the file: the one given to it, or its tag.
fn file_name(contents: &Contents, dim: usize, tag: i32) -> String {
    contents.names.get(&(dim, tag)).cloned().unwrap_or_else(|| tag.to_string())
}

/// The same as a case can write it.
fn set_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

fn tags<'a>(contents: &'a Contents, block: &Block) -> &'a [i32] {
    contents.physical.get(&(block.dim, block.entity)).map_or(&[], Vec::as_slice)
}

/// Chooses the blocks of a body.
pub(super) fn select(contents: &Contents, dim: usize, group: Option<&str>) -> Result<Selection, GmshError> {
    let of_dim = || contents.blocks.iter().enumerate().filter(|(_, block)| block.dim == dim && !block.tags.is_empty());
    let any_group = of_dim().any(|(_, block)| !tags(contents, block).is_empty());
    let named = |block: &Block| match group {
        Some(group) => tags(contents, block).iter().any(|&tag| {
            let name = file_name(contents, dim, tag);
            name == group || set_name(&name) == group || tag.to_string() == group
        }),
        None => !any_group || !tags(contents, block).is_empty(),
    };
    let (mut cells, mut left_out) = (Vec::new(), 0);
    for (number, block) in of_dim() {
        if !named(block) {
            left_out += block.tags.len();
            continue;
        }
        let Some(kind) = block.kind.cell else {
            let tag = block.tags[0];
            let line = if tag.line > 0 { format!(" (line {})", tag.line) } else { String::new() };
            let message = format!("cell {}{line} is a {}, which is not supported", tag.number, block.kind.name);
            return Err(GmshError::whole(message));
        };
        cells.push((number, kind));
    }
    if cells.is_empty() {
        return Err(GmshError::whole(nothing_selected(contents, dim, group)));
    }
    let note = format!("{left_out} cells belong to no physical group and are left out");
    let notes = if group.is_none() && left_out > 0 { vec![note] } else { Vec::new() };
    Ok(Selection { cells, notes })
}

fn nothing_selected(contents: &Contents, dim: usize, group: Option<&str>) -> String {
    let what = if dim == 2 { "plane" } else { "solid" };
    let Some(group) = group else {
        return format!("there are no {what} cells in the file");
    };
    let mut names: Vec<String> = Vec::new();
    for block in contents.blocks.iter().filter(|block| block.dim == dim) {
        names.extend(tags(contents, block).iter().map(|&tag| format!("`{}`", file_name(contents, dim, tag))));
    }
    names.sort();
    names.dedup();
    names.truncate(20);
    let group: String = group.chars().take(60).collect();
    match names.is_empty() {
        true => format!("there is no physical group `{group}` of {what} cells; the file has none"),
        false => format!("there is no physical group `{group}` of {what} cells; the file has {}", names.join(", ")),
    }
}

/// Adds the physical groups to the sets of a mesh. `node` gives the number in the mesh of a node's tag.
pub(super) fn name_groups(
    mesh: &mut Mesh,
    contents: &Contents,
    dim: usize,
    cells: &[(usize, CellKind)],
    node: &dyn Fn(u64) -> Option<NodeId>,
) -> Result<(), GmshError> {
    let mut cell_sets: BTreeMap<String, Vec<CellId>> = BTreeMap::new();
    let mut face_sets: BTreeMap<String, Vec<Facet>> = BTreeMap::new();
    let mut node_sets: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    let mut first_cell = 0;
    for &(number, _) in cells {
        let block = &contents.blocks[number];
        let range = first_cell..first_cell + block.tags.len() as u32;
        first_cell = range.end;
        for name in names(contents, block) {
            let nodes = range.clone().flat_map(|cell| mesh.cell_nodes(CellId(cell)).iter().copied());
            node_sets.entry(name.clone()).or_default().extend(nodes);
            cell_sets.entry(name).or_default().extend(range.clone().map(CellId));
        }
    }
    let surface = boundary(mesh);
    let mut by_nodes: Vec<([u32; 4], usize)> =
        surface.iter().enumerate().map(|(i, facet)| (key(facet.nodes()), i)).collect();
    by_nodes.sort_unstable();
    for block in contents.blocks.iter().filter(|block| block.dim < dim) {
        for name in names(contents, block) {
            for element in block.nodes.chunks_exact(block.kind.nodes) {
                // An element with a node elsewhere lies on another body.
                let Some(nodes) = element.iter().map(|&tag| node(tag)).collect::<Option<Vec<_>>>() else { continue };
                if block.dim + 1 == dim
                    && nodes.len() <= 4
                    && let Ok(at) = by_nodes.binary_search_by_key(&key(&nodes), |entry| entry.0)
                {
                    face_sets.entry(name.clone()).or_default().push(surface[by_nodes[at].1]);
                }
                node_sets.entry(name.clone()).or_default().extend(nodes);
            }
        }
    }
    for (name, meaning, taken) in [
        ("surface", "the whole boundary", face_sets.contains_key("surface")),
        ("all", "all cells", cell_sets.contains_key("all")),
    ] {
        if taken {
            let message = format!("a physical group is called `{name}`, which always means {meaning}; rename it");
            return Err(GmshError::whole(message));
        }
    }
    for (name, mut facets) in face_sets {
        facets.sort_unstable_by_key(|facet| (facet.cell, key(facet.nodes())));
        facets.dedup();
        node_sets.entry(name.clone()).or_default().extend(facet_nodes(&facets));
        mesh.face_sets.insert(name, facets);
    }
    for (name, mut set) in cell_sets {
        set.sort_unstable();
        set.dedup();
        mesh.cell_sets.insert(name, set);
    }
    for (name, mut set) in node_sets {
        set.sort_unstable();
        set.dedup();
        // `all` and `surface` exist and keep their meaning.
        mesh.node_sets.entry(name).or_insert(set);
    }
    Ok(())
}

/// Names of the sets that the elements of a block belong to.
fn names(contents: &Contents, block: &Block) -> Vec<String> {
    tags(contents, block).iter().map(|&tag| set_name(&file_name(contents, block.dim, tag))).collect()
}

/// Up to four nodes in order, which is what a face of a file and a facet of the mesh have in common.
fn key(nodes: &[NodeId]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key.iter_mut().zip(nodes).for_each(|(slot, node)| *slot = node.0);
    key.sort_unstable();
    key
}
