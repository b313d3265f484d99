//! The sections of an MSH 4.1 file, read into lists.
//!
//! Format: Gmsh reference manual, "MSH file format", version 4.1.

use std::collections::BTreeMap;

use super::super::check::Tag;
use super::kinds::{Kind, kind};
use super::reader::{GmshError, Reader};

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Names of physical groups by dimension and tag.
    pub names: BTreeMap<(usize, i32), String>,
    /// Physical tags of entities by dimension and tag.
    pub physical: BTreeMap<(usize, i32), Vec<i32>>,
    /// Numbers and lines of the nodes, in the order of the file.
    pub node_tags: Vec<Tag>,
    /// Their coordinates.
    pub nodes: Vec<[f64; 3]>,
    /// Elements, entity by entity.
    pub blocks: Vec<Block>,
}

/// Elements of one shape on one entity.
#[derive(Debug)]
pub(super) struct Block {
    pub dim: usize,
    pub entity: i32,
    pub kind: &'static Kind,
    pub tags: Vec<Tag>,
    /// Node tags, `kind.nodes` for each element.
    pub nodes: Vec<u64>,
}

type Result<T> = std::result::Result<T, GmshError>;

/// Physical groups of one entity: every cell of the entity enters each of their sets, so that without a limit the sets of a
/// small file could fill any memory.
const MOST_GROUPS: usize = 32;

/// Reads a whole file.
pub(super) fn read(bytes: &[u8]) -> Result<Contents> {
    let mut reader = Reader::new(bytes);
    match reader.section()? {
        Some("MeshFormat") => format(&mut reader)?,
        None => return Err(GmshError::whole("the file is empty")),
        Some(_) => return Err(reader.problem("the file does not begin with `$MeshFormat`: not a Gmsh mesh")),
    }
    let mut contents = Contents::default();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = reader.section()? {
        let known = ["MeshFormat", "PhysicalNames", "Entities", "PartitionedEntities", "Nodes", "Elements"];
        if known.contains(&name) && seen.contains(&name) || name == "MeshFormat" {
            return Err(reader.problem(format!("there is a second section `{name}`")));
        }
        match name {
            "PhysicalNames" => physical_names(&mut reader, &mut contents)?,
            "Entities" => entities(&mut reader, &mut contents)?,
            "Nodes" => nodes(&mut reader, &mut contents)?,
            "Elements" => elements(&mut reader, &mut contents)?,
            "PartitionedEntities" => return Err(reader.problem("partitioned meshes are not supported")),
            _ => {
                reader.skip(name)?;
                continue;
            }
        }
        reader.end(name)?;
        seen.push(name);
    }
    for name in ["Nodes", "Elements"] {
        if !seen.contains(&name) {
            return Err(GmshError::whole(format!("there is no section `{name}`")));
        }
    }
    Ok(contents)
}

fn format(reader: &mut Reader<'_>) -> Result<()> {
    let version = reader.word()?;
    if version != "4.1" {
        let message = format!("version {} of the format is not supported; save as version 4.1", version.escape_debug());
        return Err(reader.problem(message));
    }
    let (kind, size) = (reader.word()?, reader.word()?);
    let size = match size {
        "4" => 4,
        "8" => 8,
        other => return Err(reader.problem(format!("the size of a count is `{}`, not 4 or 8", other.escape_debug()))),
    };
    match kind {
        "0" => {}
        "1" => reader.binary(size)?,
        other => return Err(reader.problem(format!("the file type is `{}`, not 0 or 1", other.escape_debug()))),
    }
    reader.end("MeshFormat")
}

/// The names are text in binary files too.
fn physical_names(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<()> {
    let number = |reader: &mut Reader<'_>| {
        let word = reader.word()?;
        word.parse::<i32>().map_err(|_| reader.problem(format!("`{}` is not a whole number", word.escape_debug())))
    };
    let count = number(reader)?;
    for _ in 0..count.max(0) {
        let (dim, tag) = (number(reader)?, number(reader)?);
        let name = reader.quoted()?;
        let dim = dimension(reader, dim)?;
        if contents.names.insert((dim, tag), name.to_owned()).is_some() {
            return Err(reader.problem(format!("physical group {tag} of dimension {dim} is named twice")));
        }
    }
    Ok(())
}

fn dimension(reader: &Reader<'_>, dim: i32) -> Result<usize> {
    match dim {
        0..=3 => Ok(dim as usize),
        _ => Err(reader.problem(format!("the dimension is {dim}; it must be from 0 to 3"))),
    }
}

fn entities(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<()> {
    // The least an entity takes: "1 0 0 0 0 " for a point, "1 0 0 0 0 0 0 0 0 " for others.
    let least = |dim: usize| if dim == 0 { [9, 4 + 3 * 8 + 4] } else { [17, 4 + 6 * 8 + 8] };
    let mut counts = [0; 4];
    for (dim, count) in counts.iter_mut().enumerate() {
        *count = reader.count("entities", least(dim))?;
    }
    for (dim, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = reader.int()?;
            for _ in 0..if dim == 0 { 3 } else { 6 } {
                reader.double()?;
            }
            let groups = reader.count("physical tags", [2, 4])?;
            if groups > MOST_GROUPS {
                let message =
                    format!("entity {tag} is in {groups} physical groups; at most {MOST_GROUPS} are supported");
                return Err(reader.problem(message));
            }
            // The sign of a physical tag is an orientation, which a mesh of volume cells gives anew.
            let groups =
                (0..groups).map(|_| reader.int().map(|tag| tag.saturating_abs())).collect::<Result<Vec<_>>>()?;
            if dim > 0 {
                for _ in 0..reader.count("bounding entities", [2, 4])? {
                    reader.int()?;
                }
            }
            if contents.physical.insert((dim, tag), groups).is_some() {
                return Err(reader.problem(format!("entity {tag} of dimension {dim} occurs twice")));
            }
        }
    }
    Ok(())
}

fn nodes(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<()> {
    // A block takes at least "0 1 0 0 ", a node "1 0 0 0 ".
    let blocks = reader.count("blocks of nodes", [7, 16])?;
    let total = reader.count("nodes", [7, 4 + 3 * 8])?;
    // Least and greatest tag.
    reader.size()?;
    reader.size()?;
    contents.node_tags.reserve_exact(total);
    contents.nodes.reserve_exact(total);
    for _ in 0..blocks {
        let (dim, _entity, parametric) = (reader.int()?, reader.int()?, reader.int()?);
        let dim = dimension(reader, dim)?;
        if !(0..=1).contains(&parametric) {
            return Err(reader.problem(format!("the mark of parametric coordinates is {parametric}, not 0 or 1")));
        }
        let count = reader.count("nodes", [7, 4 + 3 * 8])?;
        if contents.nodes.len() + count > total {
            return Err(reader.problem(format!("the blocks have more than the {total} nodes announced")));
        }
        for _ in 0..count {
            let number = reader.size()?;
            contents.node_tags.push(Tag { number, line: reader.line() });
        }
        for _ in 0..count {
            contents.nodes.push([reader.double()?, reader.double()?, reader.double()?]);
            for _ in 0..if parametric == 1 { dim } else { 0 } {
                reader.double()?;
            }
        }
    }
    if contents.nodes.len() != total {
        return Err(reader.problem(format!("{total} nodes are announced, the blocks have {}", contents.nodes.len())));
    }
    Ok(())
}

fn elements(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<()> {
    // A block takes at least "0 1 15 0 ", an element "1 1 ".
    let blocks = reader.count("blocks of elements", [8, 16])?;
    let total = reader.count("elements", [3, 8])?;
    // Least and greatest tag.
    reader.size()?;
    reader.size()?;
    let mut read = 0;
    for _ in 0..blocks {
        let (dim, entity, number) = (reader.int()?, reader.int()?, reader.int()?);
        let dim = dimension(reader, dim)?;
        let Some(kind) = kind(number) else {
            return Err(reader.problem(format!("elements of type {number} are not known")));
        };
        if kind.dim != dim {
            let message = format!("a {} on an entity of dimension {dim}", kind.name);
            return Err(reader.problem(message));
        }
        let least = 1 + kind.nodes;
        let count = reader.count("elements", [2 * least - 1, 4 * least])?;
        read += count;
        if read > total {
            return Err(reader.problem(format!("the blocks have more than the {total} elements announced")));
        }
        let (mut tags, mut nodes) = (Vec::with_capacity(count), Vec::with_capacity(count * kind.nodes));
        for _ in 0..count {
            let number = reader.size()?;
            tags.push(Tag { number, line: reader.line() });
            for _ in 0..kind.nodes {
                nodes.push(reader.size()?);
            }
        }
        if count > 0 {
            contents.blocks.push(Block { dim, entity, kind, tags, nodes });
        }
    }
    if read != total {
        return Err(reader.problem(format!("{total} elements are announced, the blocks have {read}")));
    }
    Ok(())
}
