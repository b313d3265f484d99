//! The element types of Gmsh, those we compute with and those we refuse by name.

use super::super::CellKind;

/// An element type.
#[derive(Debug, PartialEq)]
pub(super) struct Kind {
    pub number: i32,
    pub name: &'static str,
    pub dim: usize,
    pub nodes: usize,
    /// The cell it becomes.
    pub cell: Option<CellKind>,
}

const fn other(number: i32, name: &'static str, dim: usize, nodes: usize) -> Kind {
    Kind { number, name, dim, nodes, cell: None }
}

const fn cell(number: i32, name: &'static str, cell: CellKind) -> Kind {
    Kind { number, name, dim: cell.dim(), nodes: cell.node_count(), cell: Some(cell) }
}

/// Numbers, shapes and node counts of the Gmsh reference manual, "MSH file format". The node order of the four cells is
/// that of VTK.
const KINDS: [Kind; 19] = [
    other(15, "point", 0, 1),
    other(1, "line", 1, 2),
    other(8, "three-node line", 1, 3),
    cell(2, "triangle", CellKind::Tri3),
    cell(3, "quadrilateral", CellKind::Quad4),
    other(9, "six-node triangle", 2, 6),
    other(16, "eight-node quadrilateral", 2, 8),
    other(10, "nine-node quadrilateral", 2, 9),
    cell(4, "tetrahedron", CellKind::Tet4),
    cell(5, "hexahedron", CellKind::Hex8),
    other(6, "prism", 3, 6),
    other(7, "pyramid", 3, 5),
    other(11, "ten-node tetrahedron", 3, 10),
    other(17, "twenty-node hexahedron", 3, 20),
    other(12, "27-node hexahedron", 3, 27),
    other(18, "fifteen-node prism", 3, 15),
    other(13, "eighteen-node prism", 3, 18),
    other(19, "thirteen-node pyramid", 3, 13),
    other(14, "fourteen-node pyramid", 3, 14),
];

/// The element type with this number.
pub(super) fn kind(number: i32) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.number == number)
}
