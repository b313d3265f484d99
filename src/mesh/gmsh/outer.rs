//! Triangles of a file as a surface in space: its surface cells, or the outer faces of its solid cells. Quads are cut along
//! their shorter diagonal.

use std::collections::VecDeque;

use super::super::check::{check, turn_around};
use super::super::surface::boundary;
use super::super::{Mesh, NodeId};
use super::groups::{group_names, has_group, select};
use super::{GmshError, NodeIndex, body, sections};

/// The surface of a file: the cells of a physical group, of dimension 2 or else of dimension 3. Without a group the outer
/// faces of the solid cells of the file or, if it has none, its surface cells.
///
/// Gmsh meshes each surface of a model the way it is parametrised, so neighbours may face opposite ways: surface cells are
/// turned to face as the first one of what they hang together with.
///
/// # Errors
/// The first problem of the file or of the cells taken.
pub fn triangles(bytes: &[u8], group: Option<&str>) -> Result<Vec<[[f64; 3]; 3]>, GmshError> {
    let contents = sections::read(bytes)?;
    let solid = match group {
        None => contents.blocks.iter().any(|block| block.dim == 3),
        Some(group) if has_group(&contents, 2, group) => false,
        Some(group) if has_group(&contents, 3, group) => true,
        Some(group) => {
            let group: String = group.chars().take(60).collect();
            let names: Vec<String> = [2, 3].into_iter().flat_map(|dim| group_names(&contents, dim)).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(GmshError::whole(format!(
                "there is no physical group `{group}` of surface or solid cells; the file has {known}"
            )));
        }
    };
    let selection = select(&contents, if solid { 3 } else { 2 }, group)?;
    let index = NodeIndex::new(&contents)?;
    let (mut mesh, labels, _) = body(&contents, &selection, &index)?;
    let mut corners = Vec::new();
    if solid {
        turn_around(&mut mesh);
        check(&mesh, &labels).map_err(|defect| GmshError::whole(defect.to_string()))?;
        boundary(&mesh).iter().for_each(|facet| cut(&mesh, facet.nodes(), &mut corners));
    } else {
        mesh.cells().for_each(|(_, _, nodes)| cut(&mesh, nodes, &mut corners));
        agree(&mut corners);
    }
    Ok(corners.into_iter().map(|t| t.map(|n| mesh.nodes[n.index()])).collect())
}

fn cut(mesh: &Mesh, nodes: &[NodeId], out: &mut Vec<[NodeId; 3]>) {
    match *nodes {
        [a, b, c] => out.push([a, b, c]),
        [a, b, c, d] => {
            let length = |p: NodeId, q: NodeId| {
                let (p, q) = (mesh.nodes[p.index()], mesh.nodes[q.index()]);
                (0..3).map(|i| (q[i] - p[i]).powi(2)).sum::<f64>()
            };
            let pair = if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] };
            out.extend(pair);
        }
        _ => {}
    }
}

/// Turns triangles so that two which share an edge run along it in opposite directions. Edges of three or more triangles
/// and surfaces with one side only are left as they are: no choice would do.
fn agree(triangles: &mut [[NodeId; 3]]) {
    // nodes of an edge, whether the triangle runs from the larger to the smaller, and the triangle
    let mut edges: Vec<([NodeId; 2], bool, u32)> = Vec::with_capacity(3 * triangles.len());
    for (number, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], a > b, number as u32));
        }
    }
    edges.sort_unstable();
    // each pair of neighbours, both ways round, with whether they face opposite ways
    let mut pairs: Vec<(u32, u32, bool)> = Vec::with_capacity(edges.len());
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, first, t), (_, second, other)] = *group {
            pairs.extend([(t, other, first == second), (other, t, first == second)]);
        }
    }
    pairs.sort_unstable();
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut waiting = VecDeque::new();
    for start in 0..triangles.len() {
        if turned[start].is_some() {
            continue;
        }
        turned[start] = Some(false);
        waiting.push_back(start as u32);
        while let Some(t) = waiting.pop_front() {
            let own = turned[t as usize].unwrap_or_default();
            let first = pairs.partition_point(|pair| pair.0 < t);
            for &(_, other, opposite) in pairs[first..].iter().take_while(|pair| pair.0 == t) {
                if turned[other as usize].is_none() {
                    turned[other as usize] = Some(own != opposite);
                    waiting.push_back(other);
                }
            }
        }
    }
    for (t, turned) in triangles.iter_mut().zip(turned) {
        if turned == Some(true) {
            t.swap(1, 2);
        }
    }
}
