//! Sparse matrices that keep their pattern: node graphs, nodal matrices, and the lower triangle of a symmetric
//! matrix whose values are assembled again at every iteration.

use sprs::CsMatI;

/// Which nodes share an element with which, each node with itself included; rows sorted.
#[derive(Debug, Clone)]
pub struct NodeGraph {
    /// Start of each node's row in `neighbours`.
    pub offsets: Vec<usize>,
    /// Neighbours, row by row.
    pub neighbours: Vec<u32>,
}

impl NodeGraph {
    /// From the node lists of elements.
    pub fn new<'a>(node_count: usize, elements: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        // elements of each node, by counting sort
        let mut start = vec![0usize; node_count + 1];
        for nodes in elements.clone() {
            for &n in nodes {
                start[n as usize + 1] += 1;
            }
        }
        for n in 0..node_count {
            start[n + 1] += start[n];
        }
        let mut fill = start.clone();
        let mut touching = vec![0u32; start[node_count]];
        let lists: Vec<&[u32]> = elements.collect();
        for (e, nodes) in lists.iter().enumerate() {
            for &n in *nodes {
                touching[fill[n as usize]] = e as u32;
                fill[n as usize] += 1;
            }
        }
        let mut offsets = Vec::with_capacity(node_count + 1);
        let mut neighbours = Vec::new();
        let mut row: Vec<u32> = Vec::new();
        offsets.push(0);
        for n in 0..node_count {
            row.clear();
            row.push(n as u32);
            for &e in &touching[start[n]..start[n + 1]] {
                row.extend_from_slice(lists[e as usize]);
            }
            row.sort_unstable();
            row.dedup();
            neighbours.extend_from_slice(&row);
            offsets.push(neighbours.len());
        }
        NodeGraph { offsets, neighbours }
    }

    /// Nodes that have no neighbour but themselves.
    pub fn diagonal(node_count: usize) -> Self {
        NodeGraph { offsets: (0..=node_count).collect(), neighbours: (0..node_count as u32).collect() }
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbours of a node, itself included, in order.
    pub fn row(&self, node: usize) -> &[u32] {
        &self.neighbours[self.offsets[node]..self.offsets[node + 1]]
    }
}

/// A symmetric matrix by its lower triangle in compressed columns.
#[derive(Debug, Clone)]
pub struct SymmetricMatrix {
    lower: CsMatI<f64, usize>,
}

impl SymmetricMatrix {
    /// A zero matrix over `equation_count` unknowns, with an entry wherever two unknowns of neighbouring nodes meet.
    /// `equations(node)` yields the unknowns of a node that are solved for.
    pub fn over_graph<'a>(graph: &NodeGraph, equation_count: usize, equations: impl Fn(usize) -> &'a [u32]) -> Self {
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); equation_count];
        for node in 0..graph.len() {
            for &column in equations(node).iter().filter(|&&c| (c as usize) < equation_count) {
                let list = &mut columns[column as usize];
                for &other in graph.row(node) {
                    let rows = equations(other as usize).iter();
                    list.extend(rows.filter(|&&r| r >= column && (r as usize) < equation_count).map(|&r| r as usize));
                }
                list.sort_unstable();
            }
        }
        let mut pointers = Vec::with_capacity(equation_count + 1);
        let mut rows = Vec::new();
        pointers.push(0);
        for list in &columns {
            rows.extend_from_slice(list);
            pointers.push(rows.len());
        }
        let values = vec![0.0; rows.len()];
        SymmetricMatrix { lower: CsMatI::new_csc((equation_count, equation_count), pointers, rows, values) }
    }

    /// Unknowns.
    pub fn size(&self) -> usize {
        self.lower.cols()
    }

    /// The lower triangle.
    pub fn lower(&self) -> &CsMatI<f64, usize> {
        &self.lower
    }

    /// Values of the lower triangle, in the order of its pattern.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.lower.data_mut()
    }

    /// Position in the value array of the entry of two unknowns, if the pattern has it.
    pub fn position(&self, a: u32, b: u32) -> Option<u32> {
        let (column, row) = (a.min(b) as usize, a.max(b) as usize);
        let range = self.lower.indptr().outer_inds_sz(column);
        let rows = &self.lower.indices()[range.clone()];
        rows.binary_search(&row).ok().map(|k| (range.start + k) as u32)
    }
}

/// A symmetric matrix with one number for each pair of neighbouring nodes, acting alike on every component of a
/// nodal vector field: the shape of a mass matrix.
#[derive(Debug, Clone)]
pub struct NodalMatrix {
    graph: NodeGraph,
    values: Vec<f64>,
}

impl NodalMatrix {
    /// Zero over the graph.
    pub fn zero(graph: NodeGraph) -> Self {
        let values = vec![0.0; graph.neighbours.len()];
        NodalMatrix { graph, values }
    }

    /// Adds to the entry of two neighbouring nodes.
    pub fn add(&mut self, a: usize, b: usize, value: f64) {
        if let Ok(k) = self.graph.row(a).binary_search(&(b as u32)) {
            self.values[self.graph.offsets[a] + k] += value;
        }
    }

    /// Entries of a row: neighbour and value.
    pub fn row(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.graph.offsets[node]..self.graph.offsets[node + 1];
        self.graph.neighbours[range.clone()].iter().zip(&self.values[range]).map(|(&n, &v)| (n as usize, v))
    }

    /// `out = A x` for nodal vectors with `dim` components.
    pub fn multiply(&self, dim: usize, x: &[f64], out: &mut [f64]) {
        match dim {
            2 => self.multiply_fixed::<2>(x, out),
            _ => self.multiply_fixed::<3>(x, out),
        }
    }

    fn multiply_fixed<const D: usize>(&self, x: &[f64], out: &mut [f64]) {
        for node in 0..self.graph.len() {
            let mut sum = [0.0; D];
            for k in self.graph.offsets[node]..self.graph.offsets[node + 1] {
                let (other, value) = (self.graph.neighbours[k] as usize, self.values[k]);
                for i in 0..D {
                    sum[i] += value * x[other * D + i];
                }
            }
            out[node * D..(node + 1) * D].copy_from_slice(&sum);
        }
    }

    /// The graph.
    pub fn graph(&self) -> &NodeGraph {
        &self.graph
    }
}
