//! Solids made by moving a plane mesh: each of its cells leaves a column of hexahedra or of tetrahedra.

use std::collections::BTreeMap;

use super::super::surface::{boundary, name_sets};
use super::super::{CellKind, Facet, Mesh, MeshError, NodeId};
use super::grid::grid_line;
use super::tets::{PRISM_FACES, push_tets};
use super::{SolidCells, at_least_one, id, limited, positive, resolved};

/// A plane mesh moved along z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extrude {
    /// How far: the solid lies between `z = 0` and `z = height`.
    pub height: f64,
    /// Cells along the height.
    pub layers: usize,
    /// Shape of the cells. By default hexahedra of a base of quadrilaterals, otherwise tetrahedra.
    pub cells: Option<SolidCells>,
}

/// Extrudes a plane mesh. Face and node sets `start`, `end`, `side`, `surface`, and the ones of the base (but `surface`),
/// which now mean the faces and lines they leave behind; cell sets those of the base.
pub fn extrude(base: &Mesh, how: &Extrude) -> Result<Mesh, MeshError> {
    positive("the height", how.height)?;
    between(base, 0.0, how.height, how.layers, how.cells)
}

/// The solid over a plane mesh between two values of z.
pub(super) fn between(
    base: &Mesh,
    bottom: f64,
    top: f64,
    layers: usize,
    cells: Option<SolidCells>,
) -> Result<Mesh, MeshError> {
    let columns = Columns::new(base, layers, cells)?;
    resolved((top - bottom) / layers as f64, bottom.abs().max(top.abs()))?;
    let heights = grid_line(bottom, top, layers);
    let nodes = heights.iter().flat_map(|&z| base.nodes.iter().map(move |&[x, y, _]| [x, y, z])).collect();
    columns.build(nodes)
}

/// How the cells of a plane mesh are stacked.
#[derive(Debug)]
pub(super) struct Columns<'a> {
    base: &'a Mesh,
    layers: usize,
    cells: SolidCells,
    /// Whether the last layer ends at the nodes the first one starts from.
    pub closed: bool,
    /// Whether the base moves against its normal z.
    pub backward: bool,
}

impl<'a> Columns<'a> {
    /// Columns over a base that moves along its normal and does not come back.
    pub fn new(base: &'a Mesh, layers: usize, cells: Option<SolidCells>) -> Result<Self, MeshError> {
        if base.dim() != 2 {
            return Err(MeshError::NotPlane);
        }
        at_least_one("the number of layers", layers)?;
        let triangles = base.cells().any(|(_, kind, _)| kind == CellKind::Tri3);
        let cells = match (cells, triangles) {
            (Some(SolidCells::Hexes), true) => return Err(MeshError::Prisms),
            (Some(cells), _) => cells,
            (None, true) => SolidCells::Tets,
            (None, false) => SolidCells::Hexes,
        };
        let all = layers as u128;
        let nodes = (base.node_count() as u128).saturating_mul(all.saturating_add(1));
        limited(nodes, (base.cell_count() as u128).saturating_mul(all), super::solid_factor(cells))?;
        if let Some(name) = ["start", "end", "side"]
            .iter()
            .find(|name| base.face_sets.contains_key(**name) || base.node_sets.contains_key(**name))
        {
            return Err(MeshError::ReservedSet(name));
        }
        Ok(Columns { base, layers, cells, closed: false, backward: false })
    }

    /// The solid with these nodes: those of the base at the start, after the first layer and so on.
    pub fn build(&self, nodes: Vec<[f64; 3]>) -> Result<Mesh, MeshError> {
        let &Columns { base, layers, cells, closed, backward } = self;
        let per_layer = base.node_count();
        let at = |node: NodeId, layer: usize| {
            let layer = if closed { layer % layers } else { layer };
            id(node.index() + per_layer * layer)
        };
        let mut mesh = Mesh::new(nodes);
        let mut column_of = Vec::with_capacity(base.cell_count() * layers);
        for layer in 0..layers {
            for (cell, kind, corners) in base.cells() {
                let n = corners.len();
                let mut column = [NodeId::default(); 8];
                for (i, &corner) in corners.iter().enumerate() {
                    // A base that moves backward is seen from behind: its corners run the other way.
                    let i = if backward { (n - i) % n } else { i };
                    (column[i], column[n + i]) = (at(corner, layer), at(corner, layer + 1));
                }
                match (cells, kind) {
                    (SolidCells::Hexes, _) => {
                        mesh.push_cell(CellKind::Hex8, &column);
                    }
                    (SolidCells::Tets, CellKind::Tri3) => push_tets(&mut mesh, &column[..6], PRISM_FACES),
                    (SolidCells::Tets, _) => push_tets(&mut mesh, &column, CellKind::Hex8.faces()),
                }
                column_of.resize(mesh.cell_count(), cell);
            }
        }
        self.name_faces(&mut mesh);
        for (name, set) in base.node_sets.iter().filter(|(name, _)| !base.face_sets.contains_key(*name)) {
            let count = if closed { layers } else { layers + 1 };
            let swept = (0..count).flat_map(|layer| set.iter().map(move |&node| at(node, layer))).collect();
            mesh.node_sets.insert(name.clone(), swept);
        }
        for (name, set) in &base.cell_sets {
            let swept = mesh.cells().filter(|(cell, _, _)| set.binary_search(&column_of[cell.index()]).is_ok());
            let swept = swept.map(|(cell, _, _)| cell).collect();
            mesh.cell_sets.insert(name.clone(), swept);
        }
        name_sets(&mut mesh, &[]);
        Ok(mesh)
    }

    /// Face sets: the two ends, and what the edges of the base left behind.
    fn name_faces(&self, mesh: &mut Mesh) {
        let per_layer = self.base.node_count() as u32;
        let last = per_layer * self.layers as u32;
        let mut sets: BTreeMap<String, Vec<Facet>> = BTreeMap::new();
        if !self.closed {
            sets.extend(["start", "end"].map(|name| (name.to_owned(), Vec::new())));
        }
        let edge_of = |nodes: &[NodeId]| {
            let ends = || nodes.iter().map(|node| node.0 % per_layer);
            (ends().min(), ends().max())
        };
        let named = self.base.face_sets.iter().filter(|(name, _)| *name != "surface");
        let mut edges: Vec<_> =
            named.flat_map(|(name, set)| set.iter().map(move |facet| (edge_of(facet.nodes()), name))).collect();
        edges.sort_unstable();
        for facet in boundary(mesh) {
            let nodes = facet.nodes();
            let mut put = |name: &str| sets.entry(name.to_owned()).or_default().push(facet);
            if !self.closed && nodes.iter().all(|node| node.0 < per_layer) {
                put("start");
            } else if !self.closed && nodes.iter().all(|node| node.0 >= last) {
                put("end");
            } else {
                put("side");
                let edge = edge_of(nodes);
                let first = edges.partition_point(|(other, _)| *other < edge);
                edges[first..].iter().take_while(|(other, _)| *other == edge).for_each(|(_, name)| put(name));
            }
        }
        mesh.face_sets = sets;
    }
}
