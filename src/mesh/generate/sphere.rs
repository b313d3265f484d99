//! A ball: a cube inside six caps that lead over to the sphere.

use std::f64::consts::FRAC_PI_4;

use super::super::surface::name_sets;
use super::super::{CellKind, Mesh, MeshError, NodeId};
use super::tets::push_tets;
use super::{SolidCells, at_least_one, cell_range, finite, id, limited, positive, resolved, solid_factor};

/// Half the side of the core as a part of the radius: its corners are then two thirds of the way out.
const CORE: f64 = 0.4;

/// A ball of hexahedra.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Radius of the sphere on which the surface nodes lie.
    pub radius: f64,
    /// Its centre.
    pub centre: [f64; 3],
    /// Cells along each edge of the core.
    pub core: usize,
    /// Layers of cells between core and surface.
    pub layers: usize,
    /// Shape of the cells.
    pub cells: SolidCells,
}

/// Meshes a ball. Node sets `all`, `centre`, `surface`; face set `surface`; cell sets `all`, `core`, `shell`.
///
/// With the centre at the origin the nodes are mirror images in the three planes of the axes to the last bit.
pub fn sphere(sphere: &Sphere) -> Result<Mesh, MeshError> {
    let &Sphere { radius, centre, core: n, layers, cells } = sphere;
    positive("the radius", radius)?;
    for (what, value) in ["the centre's x", "the centre's y", "the centre's z"].into_iter().zip(centre) {
        finite(what, value)?;
    }
    at_least_one("the number of core cells per edge", n)?;
    at_least_one("the number of layers", layers)?;
    let (wide, shells) = (n as u128, layers as u128);
    let square = wide.saturating_mul(wide);
    let surface = square.saturating_mul(6).saturating_add(2);
    let lattice = square.saturating_add(2 * wide + 1).saturating_mul(wide + 1);
    let count = lattice.saturating_add(surface.saturating_mul(shells));
    let boxes = square.saturating_mul(wide).saturating_add(square.saturating_mul(6).saturating_mul(shells));
    limited(count, boxes, solid_factor(cells))?;
    let spacing = radius * (2.0 * CORE / n as f64).min((1.0 - CORE * 3f64.sqrt()) / layers as f64);
    resolved(spacing, radius + centre.iter().fold(0.0, |m, c| c.abs().max(m)))?;

    let side = n + 1;
    let lattice_id = |[i, j, k]: [usize; 3]| i + side * (j + side * k);
    let lattice_of = |number: usize| [number % side, number / side % side, number / (side * side)];
    let mut nodes: Vec<[f64; 3]> = Vec::with_capacity(count as usize);
    let place = |x: [f64; 3]| std::array::from_fn(|axis| centre[axis] + radius * x[axis]);
    nodes.extend((0..side.pow(3)).map(|number| place(shell_point(lattice_of(number), n, 0.0))));
    // Points on the surface of the core, each the start of a ray outward.
    let mut ray_of = vec![u32::MAX; side.pow(3)];
    let on_surface = |point: [usize; 3]| point.iter().any(|&c| c == 0 || c == n);
    let rays: Vec<usize> = (0..side.pow(3)).filter(|&number| on_surface(lattice_of(number))).collect();
    for (ray, &number) in rays.iter().enumerate() {
        ray_of[number] = ray as u32;
    }
    for layer in 1..=layers {
        let part = layer as f64 / layers as f64;
        nodes.extend(rays.iter().map(|&number| place(shell_point(lattice_of(number), n, part))));
    }
    let mut mesh = Mesh::new(nodes);
    let mut push = |column: [NodeId; 8]| match cells {
        SolidCells::Hexes => {
            mesh.push_cell(CellKind::Hex8, &column);
        }
        SolidCells::Tets => push_tets(&mut mesh, &column, CellKind::Hex8.faces()),
    };
    let square = [[0, 0], [1, 0], [1, 1], [0, 1]];
    for number in 0..n.pow(3) {
        let low = [number % n, number / n % n, number / (n * n)];
        let corner = |[i, j]: [usize; 2], k: usize| id(lattice_id([low[0] + i, low[1] + j, low[2] + k]));
        let ([a, b, c, d], [e, f, g, h]) = (square.map(|c| corner(c, 0)), square.map(|c| corner(c, 1)));
        push([a, b, c, d, e, f, g, h]);
    }
    let shell_id = |number: usize, layer: usize| match layer {
        0 => id(number),
        _ => id(side.pow(3) + (layer - 1) * rays.len() + ray_of[number] as usize),
    };
    for layer in 0..layers {
        for (axis, end) in [(0, 0), (0, n), (1, 0), (1, n), (2, 0), (2, n)] {
            for number in 0..n * n {
                let corner = |[i, j]: [usize; 2]| {
                    let mut point = [0; 3];
                    point[axis] = end;
                    point[(axis + 1) % 3] = number % n + i;
                    point[(axis + 2) % 3] = number / n + j;
                    lattice_id(point)
                };
                // Counter-clockwise seen from outside: the axes after `axis` turn so about its positive end.
                let mut quad = square.map(corner);
                if end == 0 {
                    quad.reverse();
                }
                let [a, b, c, d] = quad.map(|number| shell_id(number, layer));
                let [e, f, g, h] = quad.map(|number| shell_id(number, layer + 1));
                push([a, b, c, d, e, f, g, h]);
            }
        }
    }
    let core_cells = n.pow(3) * solid_factor(cells) as usize;
    mesh.cell_sets.insert("core".into(), cell_range(0, core_cells));
    mesh.cell_sets.insert("shell".into(), cell_range(core_cells, mesh.cell_count()));
    mesh.node_sets.insert("centre".into(), vec![id(lattice_id([n / 2; 3]))]);
    name_sets(&mut mesh, &[]);
    Ok(mesh)
}

/// A point on the ray through lattice point `point`, a part of the way from the core to the unit sphere.
///
/// The rays end where the planes at the angles `(π/4) k/n` about the axes meet, so that cells on the sphere are nearly
/// equal. Each component is exactly odd in its own lattice number and even in the others.
fn shell_point(point: [usize; 3], n: usize, part: f64) -> [f64; 3] {
    let odd = point.map(|i| 2 * i as i64 - n as i64);
    let fraction = odd.map(|k| k.abs() as f64 / n as f64);
    let ray = fraction.map(|f| if f == 1.0 { 1.0 } else { (FRAC_PI_4 * f).tan() });
    // Summed by size: rays that are images of each other under exchanged axes get the same length.
    let mut squares = ray.map(|t| t * t);
    squares.sort_by(f64::total_cmp);
    let length = (squares[0] + squares[1] + squares[2]).sqrt();
    std::array::from_fn(|axis| {
        let inside = CORE * fraction[axis];
        let outside = if part == 0.0 { 0.0 } else { ray[axis] / length };
        odd[axis].signum() as f64 * (inside * (1.0 - part) + outside * part)
    })
}
