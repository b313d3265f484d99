//! Fill-reducing orders of the nodes of a mesh.
//!
//! Plane meshes take approximate minimum degree, solid ones nested dissection by coordinates: the mesh is cut in two by a
//! plane across its longest extent, the nodes along the cut are eliminated last, and both halves are treated alike. The
//! elimination tree of a dissection is low and wide, its blocks are large, and less is filled in space, where separators are large.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::factorization::FactorizationError;
use super::sparse::NodeGraph;

/// Nodes from which on dissection is worth it in space: a quarter less fill and a third less time at 5 000 nodes. In the plane
/// minimum degree has less fill and the same speed.
const DISSECT_FROM: usize = 600;
/// Parts of this size are not cut any further.
const LEAF: usize = 12;

/// An elimination order of the nodes, for little fill and large blocks.
pub fn order(graph: &NodeGraph, places: &[[f64; 3]]) -> Result<Vec<u32>, FactorizationError> {
    let plane = places.iter().all(|x| x[2] == 0.0);
    let sequence = if plane || graph.len() < DISSECT_FROM {
        minimum_degree(graph)?
    } else {
        let mut nodes: Vec<u32> = (0..graph.len() as u32).collect();
        let mut sequence = Vec::with_capacity(nodes.len());
        let mut label = vec![0u32; nodes.len()];
        dissect(graph, places, &mut nodes, &mut label, &mut 0, &mut sequence);
        sequence
    };
    Ok(postorder(graph, &sequence))
}

/// An order in which the nodes `last` come last, whatever fill that makes among them: for bodies whose compliance is wanted there.
pub fn order_with_last(graph: &NodeGraph, places: &[[f64; 3]], last: &[u32]) -> Result<Vec<u32>, FactorizationError> {
    let mut place = vec![0u32; graph.len()];
    last.iter().for_each(|&n| place[n as usize] = u32::MAX);
    let inner: Vec<u32> = (0..graph.len() as u32).filter(|&n| place[n as usize] != u32::MAX).collect();
    inner.iter().enumerate().for_each(|(k, &n)| place[n as usize] = k as u32);
    let mut offsets = vec![0];
    let mut neighbours = Vec::new();
    for &n in &inner {
        let row = graph.row(n as usize).iter().map(|&m| place[m as usize]);
        neighbours.extend(row.filter(|&k| k != u32::MAX));
        offsets.push(neighbours.len());
    }
    let own: Vec<[f64; 3]> = inner.iter().map(|&n| places[n as usize]).collect();
    let first = order(&NodeGraph { offsets, neighbours }, &own)?;
    let sequence: Vec<u32> = first.iter().map(|&k| inner[k as usize]).chain(last.iter().copied()).collect();
    Ok(postorder(graph, &sequence))
}

fn minimum_degree(graph: &NodeGraph) -> Result<Vec<u32>, FactorizationError> {
    let n = graph.len();
    let rows: Vec<usize> = graph.neighbours.iter().map(|&m| m as usize).collect();
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &graph.offsets, None, &rows);
    let (mut forward, mut backward) = (vec![0usize; n], vec![0usize; n]);
    let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<usize>(n, rows.len()));
    let stack = MemStack::new(&mut memory);
    amd::order_maybe_unsorted(&mut forward, &mut backward, pattern, amd::Control::default(), stack)
        .map_err(|e| FactorizationError::Library(format!("{e:?}")))?;
    Ok(forward.iter().map(|&k| k as u32).collect())
}

/// Appends `nodes` in dissected order to `sequence`. `label` tells the two halves of the current cut apart, by numbers
/// drawn from `fresh`.
fn dissect(
    graph: &NodeGraph,
    places: &[[f64; 3]],
    nodes: &mut [u32],
    label: &mut [u32],
    fresh: &mut u32,
    sequence: &mut Vec<u32>,
) {
    if nodes.len() <= LEAF {
        sequence.extend_from_slice(nodes);
        return;
    }
    let extent = |axis: usize| {
        let values = nodes.iter().map(|&n| places[n as usize][axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let axis = (0..3).max_by(|&a, &b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
    let middle = nodes.len() / 2;
    // ties by number: the order must not depend on anything but the mesh
    nodes.select_nth_unstable_by(middle, |&a, &b| {
        places[a as usize][axis].total_cmp(&places[b as usize][axis]).then(a.cmp(&b))
    });
    let (left, right) = nodes.split_at_mut(middle);
    *fresh += 1;
    for &node in left.iter() {
        label[node as usize] = *fresh;
    }
    // the nodes of the right half next to the left one separate the two
    let touches = |node: u32| graph.row(node as usize).iter().any(|&m| label[m as usize] == *fresh);
    let mut inner: Vec<u32> = Vec::with_capacity(right.len());
    let mut separator = Vec::new();
    for &node in right.iter() {
        if touches(node) { separator.push(node) } else { inner.push(node) }
    }
    dissect(graph, places, left, label, fresh, sequence);
    dissect(graph, places, &mut inner, label, fresh, sequence);
    separator.sort_unstable_by(|&a, &b| {
        let along = (axis + 1) % 3;
        places[a as usize][along].total_cmp(&places[b as usize][along]).then(a.cmp(&b))
    });
    sequence.extend(separator);
}

/// The same elimination with every subtree of the elimination tree numbered without gaps, so that columns of like
/// pattern become neighbours and can be factored as one block. Fill does not change.
fn postorder(graph: &NodeGraph, sequence: &[u32]) -> Vec<u32> {
    let n = sequence.len();
    const NONE: usize = usize::MAX;
    let mut place = vec![0usize; n];
    for (k, &node) in sequence.iter().enumerate() {
        place[node as usize] = k;
    }
    // elimination tree by Liu's algorithm with path compression
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n {
        for &neighbour in graph.row(sequence[k] as usize) {
            let mut i = place[neighbour as usize];
            while i < k && i != NONE {
                let next = ancestor[i];
                ancestor[i] = k;
                if next == NONE {
                    parent[i] = k;
                }
                i = next;
            }
        }
    }
    // children in ascending order, visited depth first
    let (mut first_child, mut sibling) = (vec![NONE; n + 1], vec![NONE; n]);
    for k in (0..n).rev() {
        let above = if parent[k] == NONE { n } else { parent[k] };
        sibling[k] = first_child[above];
        first_child[above] = k;
    }
    let mut result = Vec::with_capacity(n);
    let mut stack = Vec::new();
    let mut root = first_child[n];
    while root != NONE {
        stack.push(root);
        while let Some(&top) = stack.last() {
            let child = first_child[top];
            if child == NONE {
                result.push(sequence[top]);
                stack.pop();
            } else {
                first_child[top] = sibling[child];
                stack.push(child);
            }
        }
        root = sibling[root];
    }
    result
}
