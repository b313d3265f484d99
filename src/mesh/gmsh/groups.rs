//! Physical groups: which cells a body takes, and the sets they become.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::surface::boundary;
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

/// Whether a block belongs to a physical group, told by its name or its tag.
fn is_in(contents: &Contents, block: &Block, group: &str) -> bool {
    tags(contents, block).iter().any(|&tag| {
        let name = file_name(contents, block.dim, tag);
        name == group || set_name(&name) == group || tag.to_string() == group
    })
}

/// Whether the file has cells of dimension `dim` in this physical group.
pub(super) fn has_group(contents: &Contents, dim: usize, group: &str) -> bool {
    contents.blocks.iter().any(|block| block.dim == dim && !block.tags.is_empty() && is_in(contents, block, group))
}

/// The first names of physical groups of cells of dimension `dim`, quoted.
pub(super) fn group_names(contents: &Contents, dim: usize) -> Vec<String> {
    let of_dim = contents.blocks.iter().filter(|block| block.dim == dim);
    let names: BTreeSet<String> =
        of_dim.flat_map(|block| tags(contents, block)).map(|&tag| file_name(contents, dim, tag)).collect();
    names.iter().take(20).map(|name| format!("`{name}`")).collect()
}

/// Chooses the blocks of a body.
pub(super) fn select(contents: &Contents, dim: usize, group: Option<&str>) -> Result<Selection, GmshError> {
    let of_dim = || contents.blocks.iter().enumerate().filter(|(_, block)| block.dim == dim);
    let any_group = of_dim().any(|(_, block)| !tags(contents, block).is_empty());
    let named = |block: &Block| match group {
        Some(group) => is_in(contents, block, group),
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
    let names = group_names(contents, dim);
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
    // The cells of a mesh stand in the order of the blocks they come from.
    let mut ranges: BTreeMap<usize, Range<u32>> = BTreeMap::new();
    let mut first = 0;
    for &(number, _) in cells {
        let end = first + contents.blocks[number].tags.len() as u32;
        ranges.insert(number, first..end);
        first = end;
    }
    let mut blocks_of: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, block) in contents.blocks.iter().enumerate() {
        if block.dim < dim || ranges.contains_key(&number) {
            for &tag in tags(contents, block) {
                blocks_of.entry(set_name(&file_name(contents, block.dim, tag))).or_default().insert(number);
            }
        }
    }
    let surface = boundary(mesh);
    let mut by_nodes: Vec<([u32; 4], u32)> = surface.iter().map(|facet| key(facet.nodes())).zip(0..).collect();
    by_nodes.sort_unstable();
    for (name, blocks) in blocks_of {
        let (mut nodes, mut facets, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for number in blocks {
            let block = &contents.blocks[number];
            if let Some(range) = ranges.get(&number) {
                members.extend(range.clone().map(CellId));
                nodes.extend(range.clone().flat_map(|cell| mesh.cell_nodes(CellId(cell)).iter().copied()));
                continue;
            }
            for element in block.nodes.chunks_exact(block.kind.nodes) {
                let start = nodes.len();
                nodes.extend(element.iter().filter_map(|&tag| node(tag)));
                if nodes.len() - start < element.len() {
                    // An element with a node elsewhere lies on another body.
                    nodes.truncate(start);
                } else if block.dim + 1 == dim
                    && element.len() <= 4
                    && let Ok(at) = by_nodes.binary_search_by_key(&key(&nodes[start..]), |entry| entry.0)
                {
                    facets.push(by_nodes[at].1);
                }
            }
        }
        insert(mesh, name, nodes, facets, members, &surface)?;
    }
    Ok(())
}

/// Adds one group; facets are numbers in `surface`. What it has nothing of gives no set.
fn insert(
    mesh: &mut Mesh,
    name: String,
    mut nodes: Vec<NodeId>,
    mut facets: Vec<u32>,
    members: Vec<CellId>,
    surface: &[Facet],
) -> Result<(), GmshError> {
    let taken = match name.as_str() {
        "surface" if !facets.is_empty() => Some("the whole boundary"),
        "all" if !members.is_empty() => Some("all cells"),
        _ => None,
    };
    if let Some(meaning) = taken {
        let message = format!("a physical group is called `{name}`, which always means {meaning}; rename it");
        return Err(GmshError::whole(message));
    }
    if !facets.is_empty() {
        facets.sort_unstable();
        facets.dedup();
        mesh.face_sets.insert(name.clone(), facets.iter().map(|&facet| surface[facet as usize]).collect());
    }
    if !members.is_empty() {
        mesh.cell_sets.insert(name.clone(), members);
    }
    if !nodes.is_empty() {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.shrink_to_fit();
        // `all` and `surface` exist and keep their meaning.
        mesh.node_sets.entry(name).or_insert(nodes);
    }
    Ok(())
}

/// Up to four nodes in order, which is what a face of a file and a facet of the mesh have in common.
fn key(nodes: &[NodeId]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key.iter_mut().zip(nodes).for_each(|(slot, node)| *slot = node.0);
    key.sort_unstable();
    key
}
