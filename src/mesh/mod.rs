//! Meshes: nodes, cells, and the named sets through which a case speaks of parts of a body.
//!
//! Coordinates always have three components; a plane mesh lies in `z = 0` and has `dim() == 2`.
//! Cells are oriented: plane cells run counter-clockwise, solid cells have positive volume, and every
//! boundary [`Facet`] lists its nodes so that its normal points out of the body.

pub mod check;
pub mod generate;
pub mod gmsh;
pub mod placement;
pub mod stl;
pub mod surface;

use std::collections::BTreeMap;

pub use generate::MeshError;

/// Number of a node within its mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

/// Number of a cell within its mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CellId(pub u32);

impl NodeId {
    /// The number as an array index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl CellId {
    /// The number as an array index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The four shapes a cell can have; node order is that of VTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    /// Three-node triangle, plane.
    Tri3,
    /// Four-node quadrilateral, plane.
    Quad4,
    /// Four-node tetrahedron.
    Tet4,
    /// Eight-node hexahedron.
    Hex8,
}

impl CellKind {
    /// Nodes per cell.
    pub const fn node_count(self) -> usize {
        match self {
            CellKind::Tri3 => 3,
            CellKind::Quad4 | CellKind::Tet4 => 4,
            CellKind::Hex8 => 8,
        }
    }

    /// Space dimension of the cell.
    pub const fn dim(self) -> usize {
        match self {
            CellKind::Tri3 | CellKind::Quad4 => 2,
            CellKind::Tet4 | CellKind::Hex8 => 3,
        }
    }

    /// Local node numbers of each face, ordered so that the face normal points out of the cell.
    pub const fn faces(self) -> &'static [&'static [usize]] {
        match self {
            CellKind::Tri3 => &[&[0, 1], &[1, 2], &[2, 0]],
            CellKind::Quad4 => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
            CellKind::Tet4 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            CellKind::Hex8 => {
                &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
            }
        }
    }

    /// The name of the shape, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            CellKind::Tri3 => "Tri3",
            CellKind::Quad4 => "Quad4",
            CellKind::Tet4 => "Tet4",
            CellKind::Hex8 => "Hex8",
        }
    }

    /// The number by which VTK knows this shape.
    pub const fn vtk_type(self) -> u8 {
        match self {
            CellKind::Tri3 => 5,
            CellKind::Quad4 => 9,
            CellKind::Tet4 => 10,
            CellKind::Hex8 => 12,
        }
    }
}

/// A boundary face (an edge in the plane) of one cell, its nodes in outward order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facet {
    /// The cell this is a face of.
    pub cell: CellId,
    nodes: [NodeId; 4],
    count: u8,
}

impl Facet {
    /// A facet of `cell` with two, three or four nodes.
    pub fn new(cell: CellId, nodes: &[NodeId]) -> Self {
        let mut all = [NodeId::default(); 4];
        all[..nodes.len()].copy_from_slice(nodes);
        Facet { cell, nodes: all, count: nodes.len() as u8 }
    }

    /// Its nodes: in the plane `A -> B` with the body on the left, in space counter-clockwise seen from outside.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes[..self.count as usize]
    }
}

/// Nodes, cells and named sets of one body.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Reference coordinates, `z = 0` in the plane.
    pub nodes: Vec<[f64; 3]>,
    kinds: Vec<CellKind>,
    offsets: Vec<u32>,
    connectivity: Vec<NodeId>,
    /// Sets of nodes by name, each sorted and without repeats.
    pub node_sets: BTreeMap<String, Vec<NodeId>>,
    /// Sets of boundary facets by name; `surface` holds the whole boundary.
    pub face_sets: BTreeMap<String, Vec<Facet>>,
    /// Sets of cells by name, each sorted; `all` holds every cell.
    pub cell_sets: BTreeMap<String, Vec<CellId>>,
}

impl Mesh {
    /// A mesh with these nodes and no cells yet.
    pub fn new(nodes: Vec<[f64; 3]>) -> Self {
        Mesh { nodes, offsets: vec![0], ..Mesh::default() }
    }

    /// Appends a cell; `nodes` must hold `kind.node_count()` numbers.
    pub fn push_cell(&mut self, kind: CellKind, nodes: &[NodeId]) -> CellId {
        debug_assert_eq!(nodes.len(), kind.node_count());
        self.kinds.push(kind);
        self.connectivity.extend_from_slice(nodes);
        self.offsets.push(self.connectivity.len() as u32);
        CellId(self.kinds.len() as u32 - 1)
    }

    /// Reverses the order of a cell's nodes: its area or volume changes sign, its shape stays.
    fn turn_cell(&mut self, cell: CellId) {
        let i = cell.index();
        let nodes = &mut self.connectivity[self.offsets[i] as usize..self.offsets[i + 1] as usize];
        match self.kinds[i] {
            CellKind::Tri3 | CellKind::Tet4 => nodes.swap(1, 2),
            CellKind::Quad4 => nodes.swap(1, 3),
            CellKind::Hex8 => {
                nodes.swap(1, 3);
                nodes.swap(5, 7);
            }
        }
    }

    /// How many nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many cells.
    pub fn cell_count(&self) -> usize {
        self.kinds.len()
    }

    /// 2 for plane meshes, 3 for solid ones.
    pub fn dim(&self) -> usize {
        self.kinds.first().map_or(2, |kind| kind.dim())
    }

    /// Shape of a cell.
    pub fn kind(&self, cell: CellId) -> CellKind {
        self.kinds[cell.index()]
    }

    /// Nodes of a cell.
    pub fn cell_nodes(&self, cell: CellId) -> &[NodeId] {
        let i = cell.index();
        &self.connectivity[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// All cells in order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = (CellId, CellKind, &[NodeId])> {
        (0..self.kinds.len()).map(|i| {
            let id = CellId(i as u32);
            (id, self.kinds[i], self.cell_nodes(id))
        })
    }
}
