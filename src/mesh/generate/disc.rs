//! A disc as an O-grid.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use super::super::surface::name_sets;
use super::super::{Mesh, MeshError};
use super::{PlaneCells, at_least_one, cell_range, finite, id, limited, plane_factor, positive, push_quad, resolved};

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

/// Meshes a disc. Node sets `all`, `centre`, `surface`; face set `surface`; cell sets `all`, `core`, `shell`.
///
/// With the centre at the origin the nodes are mirror images in both axes to the last bit.
pub fn disc(disc: &Disc) -> Result<Mesh, MeshError> {
    let &Disc { radius, centre, core: n, layers, cells } = disc;
    positive("the radius", radius)?;
    finite("the centre's x", centre[0])?;
    finite("the centre's y", centre[1])?;
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
