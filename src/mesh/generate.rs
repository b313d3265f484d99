//! Structured meshes of a disc, a rectangle and a block, with the named sets a case refers to.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use super::surface::name_sets;
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
    /// A count (named, with its value) is zero.
    #[error("{0} is {1}; it must be at least 1")]
    TooFew(&'static str, usize),
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

/// A disc as an O-grid: a straight square core of side `radius` inside rings that lead over to the circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    /// Radius of the circle on which the surface nodes lie.
    pub radius: f64,
    /// Centre of the circle.
    pub centre: [f64; 2],
    /// Cells along each side of the core; the circle has four times as many.
    pub core: usize,
    /// Rings of cells between core and circle.
    pub layers: usize,
    /// Shape of the cells.
    pub cells: PlaneCells,
}

/// An axis-parallel rectangle of equal cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Lower left corner.
    pub min: [f64; 2],
    /// Upper right corner.
    pub max: [f64; 2],
    /// Cells along x and y.
    pub divisions: [usize; 2],
    /// Shape of the cells; triangles alternate their diagonal.
    pub cells: PlaneCells,
}

/// An axis-parallel block of equal cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Corner with the least coordinates.
    pub min: [f64; 3],
    /// Corner with the greatest coordinates.
    pub max: [f64; 3],
    /// Cells along x, y and z.
    pub divisions: [usize; 3],
    /// Shape of the cells.
    pub cells: SolidCells,
}

/// Meshes a disc. Node sets `all`, `centre`, `surface`; face set `surface`; cell sets `all`, `core`, `shell`.
///
/// With the centre at the origin the nodes are mirror images in both axes to the last bit.
pub fn disc(disc: &Disc) -> Result<Mesh, MeshError> {
    let &Disc { radius, centre, core: n, layers, cells } = disc;
    for (what, value) in [("the radius", radius), ("the centre's x", centre[0]), ("the centre's y", centre[1])] {
        finite(what, value)?;
    }
    if radius <= 0.0 {
        return Err(MeshError::NotPositive("the radius", radius));
    }
    at_least_one("the number of core cells per side", n)?;
    at_least_one("the number of layers", layers)?;
    let (n_wide, ring) = (n as u128, 4 * n as u128);
    let shell = ring.saturating_mul(layers as u128);
    let nodes = (n_wide + 1).saturating_mul(n_wide + 1).saturating_add(shell);
    limited(nodes, n_wide.saturating_mul(n_wide).saturating_add(shell), plane_factor(cells))?;
    // Rings are thinnest at the core's corners, where they share (1 - 1/√2) R.
    let spacing = radius * (1.0 / n as f64).min((1.0 - FRAC_1_SQRT_2) / layers as f64);
    resolved(spacing, radius + centre[0].abs().max(centre[1].abs()))?;

    let place = |x: f64, y: f64| [centre[0] + radius * x, centre[1] + radius * y, 0.0];
    let odd = |i: usize| 2 * i as i64 - n as i64; // runs over -n, -n + 2, ..., n: mirroring changes its sign
    let core_at = |i: usize| 0.5 * odd(i) as f64 / n as f64;
    let mut nodes = Vec::with_capacity(nodes as usize);
    nodes.extend((0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))).map(|(i, j)| place(core_at(i), core_at(j))));
    for layer in 1..=layers {
        for m in 0..4 * n {
            let [u, v] = ring_point(odd(m % n), n, layer, layers);
            // Sides in turn: bottom, right, top, left; u points outward, v counter-clockwise.
            let (x, y) = [(v, -u), (u, v), (-v, u), (-u, -v)][m / n];
            nodes.push(place(x, y));
        }
    }
    let mut mesh = Mesh::new(nodes);

    let core_id = |i: usize, j: usize| id(i + (n + 1) * j);
    let ring_id = |layer: usize, m: usize| {
        let (side, j) = ((m / n) % 4, m % n);
        match layer {
            0 => [core_id(j, 0), core_id(n, j), core_id(n - j, n), core_id(0, n - j)][side],
            _ => id((n + 1) * (n + 1) + (layer - 1) * 4 * n + side * n + j),
        }
    };
    for j in 0..n {
        for i in 0..n {
            let quad = [core_id(i, j), core_id(i + 1, j), core_id(i + 1, j + 1), core_id(i, j + 1)];
            // The diagonals of a square tie: cut away from the centre, the same in mirrored cells.
            push_quad(&mut mesh, cells, quad, (odd(i) + 1 < 0) == (odd(j) + 1 < 0));
        }
    }
    let core_cells = mesh.cell_count();
    for layer in 0..layers {
        for m in 0..4 * n {
            let quad = [ring_id(layer, m), ring_id(layer + 1, m), ring_id(layer + 1, m + 1), ring_id(layer, m + 1)];
            let (k, next) = (odd(m % n), odd(m % n) + 2);
            let length = |k_in: i64, k_out: i64| {
                let (a, b) = (ring_point(k_in, n, layer, layers), ring_point(k_out, n, layer + 1, layers));
                (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
            };
            // Only cells that are their own mirror image tie (exactly, as ring_point is odd in k): there the
            // cut on the top and on the left mirrors the one on the bottom and on the right.
            let (first, second) = (length(k, next), length(next, k));
            push_quad(&mut mesh, cells, quad, first < second || (first == second && m / n < 2));
        }
    }
    mesh.cell_sets.insert("core".into(), cell_range(0, core_cells));
    mesh.cell_sets.insert("shell".into(), cell_range(core_cells, mesh.cell_count()));
    mesh.node_sets.insert("centre".into(), vec![core_id(n / 2, n / 2)]);
    name_sets(&mut mesh, &[]);
    Ok(mesh)
}

/// Meshes a rectangle. Face and node sets `left`, `right`, `bottom`, `top`, `surface`; node sets `all` and the corners
/// `bottom_left`, `bottom_right`, `top_right`, `top_left`; cell set `all`.
pub fn rectangle(rectangle: &Rectangle) -> Result<Mesh, MeshError> {
    let &Rectangle { min, max, divisions: [nx, ny], cells } = rectangle;
    check_grid(&min, &max, &[nx, ny], plane_factor(cells))?;
    let [x, y] = [(0, nx), (1, ny)].map(|(axis, n)| grid_line(min[axis], max[axis], n));
    let mut mesh = Mesh::new(y.iter().flat_map(|&y| x.iter().map(move |&x| [x, y, 0.0])).collect());
    let at = |i: usize, j: usize| id(i + (nx + 1) * j);
    for j in 0..ny {
        for i in 0..nx {
            push_quad(&mut mesh, cells, [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)], (i + j) % 2 == 0);
        }
    }
    let corners = [("bottom_left", 0, 0), ("bottom_right", nx, 0), ("top_right", nx, ny), ("top_left", 0, ny)];
    for (name, i, j) in corners {
        mesh.node_sets.insert(name.into(), vec![at(i, j)]);
    }
    name_sets(&mut mesh, &[("left", 0, min[0]), ("right", 0, max[0]), ("bottom", 1, min[1]), ("top", 1, max[1])]);
    Ok(mesh)
}

/// Meshes a block. Face and node sets `x_min`, `x_max`, `y_min`, `y_max`, `z_min`, `z_max`, `surface`; node set `all`;
/// cell set `all`.
pub fn block(block: &Block) -> Result<Mesh, MeshError> {
    let &Block { min, max, divisions: [nx, ny, nz], cells } = block;
    check_grid(&min, &max, &block.divisions, if cells == SolidCells::Tets { 6 } else { 1 })?;
    let [x, y, z] = [(0, nx), (1, ny), (2, nz)].map(|(axis, n)| grid_line(min[axis], max[axis], n));
    let mut nodes = Vec::with_capacity(x.len() * y.len() * z.len());
    for &z in &z {
        nodes.extend(y.iter().flat_map(|&y| x.iter().map(move |&x| [x, y, z])));
    }
    let mut mesh = Mesh::new(nodes);
    for cell in 0..nx * ny * nz {
        let low = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        let at = |[i, j, k]: [usize; 3]| id(low[0] + i + (nx + 1) * (low[1] + j + (ny + 1) * (low[2] + k)));
        match cells {
            SolidCells::Hexes => {
                let square = [[0, 0], [1, 0], [1, 1], [0, 1]];
                let [a, b, c, d] = square.map(|[i, j]| at([i, j, 0]));
                let [e, f, g, h] = square.map(|[i, j]| at([i, j, 1]));
                mesh.push_cell(CellKind::Hex8, &[a, b, c, d, e, f, g, h]);
            }
            // Kuhn: one tetrahedron per order in which a path from corner 000 to 111 can take the three axes. All
            // hexahedra are cut alike, so that the diagonals of shared faces agree.
            SolidCells::Tets => {
                for (first, second, even) in
                    [(0, 1, true), (1, 2, true), (2, 0, true), (1, 0, false), (2, 1, false), (0, 2, false)]
                {
                    let (mut p, mut q) = ([0; 3], [0; 3]);
                    (p[first], q[first], q[second]) = (1, 1, 1);
                    // An odd order of the axes is left-handed; exchanging two nodes makes its volume positive.
                    let (p, q) = if even { (at(p), at(q)) } else { (at(q), at(p)) };
                    mesh.push_cell(CellKind::Tet4, &[at([0; 3]), p, q, at([1; 3])]);
                }
            }
        }
    }
    let [low, high] = [["x_min", "y_min", "z_min"], ["x_max", "y_max", "z_max"]];
    let sides = [0, 1, 2].map(|axis| [(low[axis], axis, min[axis]), (high[axis], axis, max[axis])]);
    name_sets(&mut mesh, sides.as_flattened());
    Ok(mesh)
}

/// Node `k` of ring `layer` on the side that faces `u`, in the disc of radius 1; `k / core` runs from -1 to 1.
///
/// On a straight ray from the core, `(1/2, k/(2 core))`, to the circle at the angle `φ = (π/4) k/core`. `u` is exactly
/// even and `v` exactly odd in `k`, whatever the library's sine does, because only `|k|` goes into them.
fn ring_point(k: i64, core: usize, layer: usize, layers: usize) -> [f64; 2] {
    let part = k.abs() as f64 / core as f64;
    // The rounded sine and cosine of π/4 differ; two sides meet there and must agree.
    let (sin, cos) = if part == 1.0 { (FRAC_1_SQRT_2, FRAC_1_SQRT_2) } else { (FRAC_PI_4 * part).sin_cos() };
    let (inner, outer) = ((layers - layer) as f64 / layers as f64, layer as f64 / layers as f64);
    [0.5 * inner + cos * outer, k.signum() as f64 * (0.5 * part * inner + sin * outer)]
}

/// `n + 1` equally spaced coordinates; the ends are exact, and an interval about 0 comes out exactly symmetric.
fn grid_line(min: f64, max: f64, n: usize) -> Vec<f64> {
    (0..=n).map(|i| min * ((n - i) as f64 / n as f64) + max * (i as f64 / n as f64)).collect()
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

fn finite(what: &'static str, value: f64) -> Result<(), MeshError> {
    if value.is_finite() { Ok(()) } else { Err(MeshError::NotFinite(what, value)) }
}

fn at_least_one(what: &'static str, given: usize) -> Result<(), MeshError> {
    if given >= 1 { Ok(()) } else { Err(MeshError::TooFew(what, given)) }
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

/// Checks the numbers of a rectangle or block.
fn check_grid(min: &[f64], max: &[f64], divisions: &[usize], factor: u128) -> Result<(), MeshError> {
    const NAMES: [[&str; 4]; 3] = [
        ["x", "the least x", "the greatest x", "the number of cells along x"],
        ["y", "the least y", "the greatest y", "the number of cells along y"],
        ["z", "the least z", "the greatest z", "the number of cells along z"],
    ];
    let (mut nodes, mut boxes) = (1u128, 1u128);
    for (((&min, &max), &n), [axis, least, greatest, count]) in min.iter().zip(max).zip(divisions).zip(NAMES) {
        finite(least, min)?;
        finite(greatest, max)?;
        at_least_one(count, n)?;
        if max <= min {
            return Err(MeshError::Empty(axis, min, max));
        }
        resolved((max - min) / n as f64, min.abs().max(max.abs()))?;
        nodes = nodes.saturating_mul(n as u128 + 1);
        boxes = boxes.saturating_mul(n as u128);
    }
    limited(nodes, boxes, factor)
}

#[cfg(test)]
mod tests {
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
    fn sound(mesh: &Mesh, volume: f64) {
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
