//! Structured meshes with the named sets a case refers to: plane ones ([`disc()`], [`ring()`], [`rectangle()`], [`spur_gear()`]), solid ones
//! ([`block()`], [`cylinder()`], [`tube()`], [`sphere()`]), and solids made by moving a plane mesh ([`extrude()`], [`sweep()`]).

mod disc;
mod gear;
mod grid;
mod prism;
mod ring;
mod round;
mod sphere;
mod sweep;
mod tets;

pub use disc::{Disc, disc};
pub use gear::{GearCells, GearError, GearMesh, Profile, ProfilePoint, SpurGear, TipRelief, Tooth, spur_gear};
pub use grid::{Block, Rectangle, block, rectangle};
pub use prism::{Extrude, extrude};
pub use ring::{Ring, ring};
pub use round::{Cylinder, Tube, cylinder, tube};
pub use sphere::{Sphere, sphere};
pub use sweep::{Path, Screw, Sweep, sweep};

use super::{CellId, CellKind, Mesh, NodeId};

/// No generated mesh has more nodes or more cells than this.
const LIMIT: u128 = 50_000_000;

/// Why a mesh cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A number (named, with its value) is infinite or not a number.
    #[error("{0} is {1}; it must be a finite number")]
    NotFinite(&'static str, f64),
    /// A length (named, with its value) is zero or negative.
    #[error("{0} is {1}; it must be greater than zero")]
    NotPositive(&'static str, f64),
    /// A count (named, with its value) is smaller than the least one that makes a mesh.
    #[error("{0} is {1}; it must be at least {2}")]
    TooFew(&'static str, usize, usize),
    /// A body ends before it begins: axis, start, end.
    #[error("the body runs from {1} to {2} along {0}; the end must be greater than the start")]
    Empty(&'static str, f64, f64),
    /// The mesh would have too many nodes or cells (numbers saturate).
    #[error("the mesh would have {nodes} nodes and {cells} cells; the limit is {LIMIT} of each")]
    TooLarge {
        /// Nodes asked for.
        nodes: u128,
        /// Cells asked for.
        cells: u128,
    },
    /// The cells are so small beside the coordinates, or either is so extreme, that rounding would destroy them.
    #[error("cells {spacing:e} wide at coordinates up to {magnitude:e} are beyond double precision")]
    Unresolved {
        /// Width of the narrowest cell.
        spacing: f64,
        /// Largest coordinate.
        magnitude: f64,
    },
    /// A direction is zero or not finite.
    #[error("{0:?} is not a direction; it must be finite and not zero")]
    NoDirection([f64; 3]),
    /// A solid mesh was given where a plane one is swept.
    #[error("only a plane mesh can be extruded or swept")]
    NotPlane,
    /// Triangles were to be swept into hexahedra.
    #[error(
        "a mesh with triangles sweeps out prisms, which must be cut into tetrahedra; leave out `cells` or say `tets`"
    )]
    Prisms,
    /// A set of the section has a name that the sweep gives to a face set of its own.
    #[error("the section has a set `{0}`, a name that the solid needs for its own face; rename it")]
    ReservedSet(&'static str),
    /// A section touches or crosses the axis it turns about.
    #[error("the axis touches the section; it must lie wholly on one side of the axis")]
    AxisThroughSection,
    /// The turns of a helix run into each other.
    #[error("a rise of {pitch} a turn is not more than the section's width {width} along the axis: the turns overlap")]
    TurnsOverlap {
        /// Rise of one turn.
        pitch: f64,
        /// Extent of the section along the axis.
        width: f64,
    },
    /// The path bends so much after this piece (from 1) that the section runs into itself.
    #[error("the path bends too sharply for its section at the end of piece {0}")]
    TooSharp(usize),
    /// A gear that cannot be made.
    #[error(transparent)]
    Gear(#[from] GearError),
}

/// Cell shape of a plane mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneCells {
    /// Four-node quadrilaterals.
    Quads,
    /// Three-node triangles, two per quadrilateral.
    Triangles,
}

/// Cell shape of a solid mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolidCells {
    /// Eight-node hexahedra.
    Hexes,
    /// Four-node tetrahedra, six per hexahedron.
    Tets,
}

/// Appends a counter-clockwise quadrilateral, or its halves cut along the diagonal 0-2 or else 1-3.
fn push_quad(mesh: &mut Mesh, cells: PlaneCells, [a, b, c, d]: [NodeId; 4], cut_0_2: bool) {
    let halves = match (cells, cut_0_2) {
        (PlaneCells::Quads, _) => {
            mesh.push_cell(CellKind::Quad4, &[a, b, c, d]);
            return;
        }
        (PlaneCells::Triangles, true) => [[a, b, c], [a, c, d]],
        (PlaneCells::Triangles, false) => [[a, b, d], [b, c, d]],
    };
    for half in halves {
        mesh.push_cell(CellKind::Tri3, &half);
    }
}

/// Node number from an index, which the limit keeps far below 2^32.
fn id(index: usize) -> NodeId {
    NodeId(index as u32)
}

fn cell_range(start: usize, end: usize) -> Vec<CellId> {
    (start..end).map(|i| CellId(i as u32)).collect()
}

fn plane_factor(cells: PlaneCells) -> u128 {
    if cells == PlaneCells::Triangles { 2 } else { 1 }
}

fn solid_factor(cells: SolidCells) -> u128 {
    if cells == SolidCells::Tets { 6 } else { 1 }
}

fn finite(what: &'static str, value: f64) -> Result<(), MeshError> {
    if value.is_finite() { Ok(()) } else { Err(MeshError::NotFinite(what, value)) }
}

fn positive(what: &'static str, value: f64) -> Result<(), MeshError> {
    finite(what, value)?;
    if value > 0.0 { Ok(()) } else { Err(MeshError::NotPositive(what, value)) }
}

fn at_least_one(what: &'static str, given: usize) -> Result<(), MeshError> {
    if given >= 1 { Ok(()) } else { Err(MeshError::TooFew(what, given, 1)) }
}

/// Checks the size of a mesh of `boxes` quadrilaterals or hexahedra, each cut into `factor` cells.
fn limited(nodes: u128, boxes: u128, factor: u128) -> Result<(), MeshError> {
    let cells = boxes.saturating_mul(factor);
    if nodes.max(cells) <= LIMIT { Ok(()) } else { Err(MeshError::TooLarge { nodes, cells }) }
}

/// A cell must be a thousand roundings wide to keep its shape, and its volume must neither under- nor overflow.
fn resolved(spacing: f64, magnitude: f64) -> Result<(), MeshError> {
    let sound = spacing >= 1e3 * f64::EPSILON * magnitude && spacing >= 1e-100 && magnitude <= 1e100;
    if sound { Ok(()) } else { Err(MeshError::Unresolved { spacing, magnitude }) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::surface::facet_nodes;
    use super::super::surface::tests::{flux, measures};
    use super::*;
    use std::collections::BTreeSet;
    use std::f64::consts::PI;

    const BOTH: [PlaneCells; 2] = [PlaneCells::Quads, PlaneCells::Triangles];
    const DISC: Disc = Disc { radius: 0.01, centre: [0.0; 2], core: 8, layers: 4, cells: PlaneCells::Quads };
    const RECTANGLE: Rectangle =
        Rectangle { min: [-1.0, 0.1], max: [1.0, 0.4], divisions: [5, 3], cells: PlaneCells::Quads };
    const BLOCK: Block =
        Block { min: [-1.0, 0.1, 2.0], max: [1.0, 0.4, 2.5], divisions: [4, 3, 2], cells: SolidCells::Hexes };

    /// Positive cells that fill `volume`, a closed outward surface, and sets that agree with each other.
    pub fn sound(mesh: &Mesh, volume: f64) {
        let measures = measures(mesh);
        assert!(measures.iter().all(|&m| m > 1e-9 * volume));
        assert!((measures.iter().sum::<f64>() - volume).abs() < 1e-12 * volume);
        let (surface, d) = (&mesh.face_sets["surface"], mesh.dim());
        assert!((flux(mesh, surface) - d as f64 * volume).abs() < 1e-11 * volume);
        for (name, facets) in &mesh.face_sets {
            assert_eq!(mesh.node_sets[name], facet_nodes(facets), "{name}");
        }
        for set in mesh.node_sets.values() {
            assert!(!set.is_empty() && set.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(mesh.node_sets["all"].len(), mesh.node_count());
        assert_eq!(mesh.cell_sets["all"].len(), mesh.cell_count());
        assert!(mesh.cells().flat_map(|(_, _, nodes)| nodes).collect::<BTreeSet<_>>().len() == mesh.node_count());
    }

    #[test]
    fn discs_are_sound() {
        for (core, layers, cells) in
            [1, 2, 3, 8, 17].map(|c| [1, 4, 9].map(|l| BOTH.map(|b| (c, l, b)))).concat().concat()
        {
            let mesh = disc(&Disc { core, layers, cells, centre: [0.3, -0.2], ..DISC }).unwrap();
            let n = 4.0 * core as f64;
            sound(&mesh, 0.5 * n * 1e-4 * (2.0 * PI / n).sin());
            assert_eq!(mesh.node_count(), (core + 1).pow(2) + 4 * core * layers);
            assert_eq!(mesh.cell_count(), (core * core + 4 * core * layers) * plane_factor(cells) as usize);
            assert_eq!(mesh.cell_sets["core"].len() + mesh.cell_sets["shell"].len(), mesh.cell_count());
            assert_eq!(mesh.face_sets["surface"].len(), 4 * core);
            for node in &mesh.node_sets["surface"] {
                let [x, y, _] = mesh.nodes[node.index()];
                assert!(((x - 0.3).hypot(y + 0.2) - 0.01).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn disc_of_the_reference_case() {
        let mesh = disc(&DISC).unwrap();
        assert_eq!((mesh.node_count(), mesh.cell_count()), (209, 192));
        assert!((measures(&mesh).iter().sum::<f64>() - 3.12145e-4).abs() < 5e-10);
        assert_eq!(mesh.nodes[mesh.node_sets["centre"][0].index()], [0.0; 3]);
    }

    /// Each cell as the set of its corners' coordinates, mirrored and down to the bit.
    fn images(mesh: &Mesh, sign: [f64; 2]) -> BTreeSet<Vec<[u64; 2]>> {
        // Adding 0 turns -0 into 0.
        let image = |id: &NodeId| [0, 1].map(|axis| (sign[axis] * mesh.nodes[id.index()][axis] + 0.0).to_bits());
        let cell = |nodes: &[NodeId]| nodes.iter().map(image).collect::<BTreeSet<_>>().into_iter().collect();
        mesh.cells().map(|(_, _, nodes)| cell(nodes)).collect()
    }

    #[test]
    fn discs_and_grids_are_mirror_symmetric_to_the_bit() {
        for (core, layers, cells) in [(8, 4, BOTH[0]), (7, 3, BOTH[0]), (8, 4, BOTH[1]), (50, 11, BOTH[1])] {
            let mesh = disc(&Disc { core, layers, cells, radius: 0.3, ..DISC }).unwrap();
            for sign in [[-1.0, 1.0], [1.0, -1.0]] {
                assert_eq!(images(&mesh, sign), images(&mesh, [1.0, 1.0]), "{core} {layers} {cells:?}");
            }
        }
        let mesh = rectangle(&Rectangle { min: [-0.7, 0.0], max: [0.7, 1.0], ..RECTANGLE }).unwrap();
        assert_eq!(images(&mesh, [-1.0, 1.0]), images(&mesh, [1.0, 1.0]));
        // Triangles of an odd core: all but those on the mirror line, which no diagonal can keep symmetric.
        let mesh = disc(&Disc { core: 3, layers: 2, cells: BOTH[1], ..DISC }).unwrap();
        let (plain, mirrored) = (images(&mesh, [1.0, 1.0]), images(&mesh, [-1.0, 1.0]));
        assert_eq!(plain.difference(&mirrored).count(), 2 * (3 + 2 * 2));
    }

    #[test]
    fn rectangles_are_sound() {
        for cells in BOTH {
            let mesh = rectangle(&Rectangle { cells, ..RECTANGLE }).unwrap();
            sound(&mesh, 0.6);
            assert_eq!((mesh.node_count(), mesh.cell_count()), (24, 15 * plane_factor(cells) as usize));
            let faces = ["left", "right", "bottom", "top", "surface"].map(|name| mesh.face_sets[name].len());
            assert_eq!(faces, [3, 3, 5, 5, 16]);
            let corner = |name: &str| mesh.nodes[mesh.node_sets[name][0].index()];
            assert_eq!([corner("bottom_left"), corner("top_right")], [[-1.0, 0.1, 0.0], [1.0, 0.4, 0.0]]);
            assert_eq!([corner("bottom_right"), corner("top_left")], [[1.0, 0.1, 0.0], [-1.0, 0.4, 0.0]]);
        }
    }

    #[test]
    fn blocks_are_sound_and_conforming() {
        for (cells, per_hex, per_face) in [(SolidCells::Hexes, 1, 1), (SolidCells::Tets, 6, 2)] {
            let mesh = block(&Block { cells, ..BLOCK }).unwrap();
            sound(&mesh, 0.3);
            assert_eq!((mesh.node_count(), mesh.cell_count()), (60, 24 * per_hex));
            let names = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max", "surface"];
            // A face that did not match its neighbour would be counted as surface.
            assert_eq!(names.map(|name| mesh.face_sets[name].len() / per_face), [6, 6, 8, 8, 12, 12, 52]);
            assert_eq!(mesh.face_sets["surface"].len(), 52 * per_face);
            assert_eq!(mesh.node_sets["z_max"].len(), 20);
            sound(&block(&Block { cells, divisions: [1; 3], ..BLOCK }).unwrap(), 0.3);
        }
    }

    #[test]
    fn bad_numbers_are_errors_that_show_them() {
        let message = |result: Result<Mesh, MeshError>| result.unwrap_err().to_string();
        assert_eq!(message(disc(&Disc { radius: -2.5, ..DISC })), "the radius is -2.5; it must be greater than zero");
        assert!(message(disc(&Disc { radius: f64::NAN, ..DISC })).contains("radius is NaN"));
        assert!(message(disc(&Disc { centre: [0.0, f64::INFINITY], ..DISC })).contains("centre's y is inf"));
        assert!(message(disc(&Disc { core: 0, ..DISC })).contains("is 0; it must be at least 1"));
        assert!(message(disc(&Disc { layers: 0, ..DISC })).contains("layers is 0"));
        assert!(message(disc(&Disc { centre: [1e20, 0.0], ..DISC })).contains("coordinates up to 1e20"));
        for (core, layers) in [(7072, 1), (usize::MAX, usize::MAX), (1, usize::MAX)] {
            assert!(message(disc(&Disc { core, layers, ..DISC })).contains("limit is 50000000"));
        }
        for radius in [0.0, 5e-324, 1e300, f64::MAX] {
            assert!(disc(&Disc { radius, ..DISC }).is_err());
        }
        let empty = Rectangle { max: [1.0, -3.0], ..RECTANGLE };
        assert_eq!(rectangle(&empty).unwrap_err(), MeshError::Empty("y", 0.1, -3.0));
        assert!(message(rectangle(&Rectangle { divisions: [2, 0], ..RECTANGLE })).contains("along y is 0"));
        assert!(rectangle(&Rectangle { min: [-f64::MAX; 2], max: [f64::MAX; 2], ..RECTANGLE }).is_err());
        assert!(message(block(&Block { max: [1.0, 2.0, f64::NAN], ..BLOCK })).contains("greatest z is NaN"));
        let tets = Block { divisions: [300, 300, 100], cells: SolidCells::Tets, ..BLOCK };
        assert_eq!(block(&tets).unwrap_err(), MeshError::TooLarge { nodes: 9_150_701, cells: 54_000_000 });
        assert!(block(&Block { divisions: [usize::MAX; 3], ..BLOCK }).is_err());
    }
}
