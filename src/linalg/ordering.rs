//! Fill-reducing orders of the nodes of a mesh.
//!
//! Plane meshes take approximate minimum degree, solid ones nested dissection by coordinates: the mesh is cut in two by a
//! plane across its longest extent, the nodes along the cut are eliminated last, and both halves are treated alike. The
//! elimination tree of a dissection is low and wide, its blocks are large, and less is filled in space, where separators are large.
//!
//! Extents are counted in edges, not in metres: a slab of thin cells is long where its cells are many. Coordinates are those
//! in which the edges of the part at hand have the same mean square every way, `y = L⁻¹x` with `LLᵀ = Σ eeᵀ`; of the planes
//! across the longest of them and across the edges of a node in the middle the one with the fewest nodes along it cuts. So
//! neither the aspect of cells nor how the mesh is turned matters.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use nalgebra::{Matrix3, Vector3};

use super::factorization::FactorizationError;
use super::sparse::NodeGraph;

/// Nodes from which on dissection is worth it in space: a quarter less fill and a third less time at 5 000 nodes. In the plane
/// minimum degree has less fill and the same speed.
const DISSECT_FROM: usize = 600;
/// Parts of this size are not cut any further.
const LEAF: usize = 12;
/// Nodes of a part whose edges are measured.
const MEASURED: usize = 256;
/// Cosine of the angle between directions that are one.
const ALIKE: f64 = 0.9;
/// Correlation of coordinates, and difference of places as a share of the extent, that is rounding.
const ROUNDING: f64 = 1e-6;

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
    let middle = nodes.len() / 2;
    let mut best: Option<(Vec<u32>, Vec<bool>, usize)> = None;
    for across in directions(graph, places, nodes) {
        let mut cut = nodes.to_vec();
        halve(&mut cut, places, &across);
        *fresh += 1;
        for &node in &cut[..middle] {
            label[node as usize] = *fresh;
        }
        // the nodes of the right half next to the left one separate the two
        let touches = |node: &u32| graph.row(*node as usize).iter().any(|&m| label[m as usize] == *fresh);
        let along: Vec<bool> = cut[middle..].iter().map(touches).collect();
        let size = along.iter().filter(|touches| **touches).count();
        if best.as_ref().is_none_or(|(.., least)| size < *least) {
            best = Some((cut, along, size));
        }
    }
    let Some((mut cut, along, _)) = best else { return };
    let (left, right) = cut.split_at_mut(middle);
    let part = |separates: bool| {
        let chosen = right.iter().zip(&along).filter(move |(_, along)| **along == separates);
        chosen.map(|(node, _)| *node).collect::<Vec<u32>>()
    };
    let (mut inner, mut separator) = (part(false), part(true));
    dissect(graph, places, left, label, fresh, sequence);
    dissect(graph, places, &mut inner, label, fresh, sequence);
    separator.sort_unstable();
    sequence.extend(separator);
}

/// Puts the half of the nodes that lies first along a direction first.
fn halve(nodes: &mut [u32], places: &[[f64; 3]], across: &Vector3<f64>) {
    let along = |node: u32| across.dot(&Vector3::from(places[node as usize]));
    let (low, high) =
        nodes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &n| (l.min(along(n)), h.max(along(n))));
    let step = f64::max(ROUNDING * (high - low), f64::MIN_POSITIVE);
    // to rounding, and ties by number: the order must not depend on anything but the mesh
    let rank = |node: u32| (along(node) / step).round();
    nodes.select_nth_unstable_by(nodes.len() / 2, |&a, &b| rank(a).total_cmp(&rank(b)).then(a.cmp(&b)));
}

/// Directions across which a part may be cut: that along which most edges lie one behind the other, and the short edges of a
/// node in its middle, which tell how the cells lie.
fn directions(graph: &NodeGraph, places: &[[f64; 3]], nodes: &[u32]) -> Vec<Vector3<f64>> {
    let place = |node: u32| Vector3::from(places[node as usize]);
    let edges = |node: u32| graph.row(node as usize).iter().map(move |&other| place(other) - place(node));
    let mut spread = Matrix3::zeros();
    for &node in nodes.iter().step_by(nodes.len().div_ceil(MEASURED)) {
        edges(node).for_each(|edge| spread += edge * edge.transpose());
    }
    let white = whitening(&spread);
    let extent = |axis: &Vector3<f64>| {
        let values = nodes.iter().map(|&node| axis.dot(&place(node)));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let axes = [0, 1, 2].map(|k| white.row(k).transpose());
    let longest = axes.into_iter().max_by(|a, b| extent(a).total_cmp(&extent(b)));
    let mut short: Vec<Vector3<f64>> = edges(nodes[nodes.len() / 2]).map(|edge| white * edge).collect();
    short.retain(|edge| edge.norm_squared() > 0.0);
    short.sort_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared()));
    let mut chosen: Vec<Vector3<f64>> = Vec::with_capacity(3);
    for edge in short {
        let alike = |other: &Vector3<f64>| edge.normalize().dot(&other.normalize()).abs() > ALIKE;
        if chosen.len() < 3 && !chosen.iter().any(alike) {
            chosen.push(edge);
        }
    }
    longest.into_iter().chain(chosen.iter().map(|edge| white.transpose() * edge)).collect()
}

/// `L⁻¹`, `LLᵀ = M`. Coordinates that are correlated by rounding alone stay apart; what has no edges at all
/// along some direction keeps its own.
fn whitening(spread: &Matrix3<f64>) -> Matrix3<f64> {
    let mut spread = *spread;
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if spread[(i, j)].abs() <= ROUNDING * (spread[(i, i)] * spread[(j, j)]).sqrt() {
            (spread[(i, j)], spread[(j, i)]) = (0.0, 0.0);
        }
    }
    let inverse = spread.cholesky().and_then(|root| root.l().try_inverse());
    inverse.filter(|rows| rows.iter().all(|x| x.is_finite())).unwrap_or_else(Matrix3::identity)
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
