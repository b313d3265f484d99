//! Rectangles and blocks of equal cells.

use super::super::surface::name_sets;
use super::super::{CellKind, Mesh, MeshError};
use super::{
    PlaneCells, SolidCells, at_least_one, finite, id, limited, plane_factor, push_quad, resolved, solid_factor,
};

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
    check_grid(&min, &max, &block.divisions, solid_factor(cells))?;
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

/// `n + 1` equally spaced coordinates; the ends are exact, and an interval about 0 comes out exactly symmetric.
pub(super) fn grid_line(min: f64, max: f64, n: usize) -> Vec<f64> {
    (0..=n).map(|i| min * ((n - i) as f64 / n as f64) + max * (i as f64 / n as f64)).collect()
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
