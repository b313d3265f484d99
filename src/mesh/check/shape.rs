//! The shape of one cell: its size, and whether its corners point outward.

use nalgebra::{Matrix3, Vector3};

use super::super::{CellId, CellKind, Mesh};

/// A cell with less area or volume than this part of its longest edge squared or cubed is flat.
const FLAT: f64 = 1e-9;

/// For each corner the ends of its edges, right-handed as seen from inside.
const HEX_CORNERS: [[usize; 3]; 8] =
    [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]];

/// What [`form`] finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Sound,
    /// The local node that occurs twice.
    Repeated(usize),
    /// Area or volume.
    Flat(f64),
    /// Area or volume.
    Inverted(f64),
    /// The local node of a corner that points inward.
    Folded(usize),
}

/// Area or volume of a cell, negative if it is inside out. Exact for cells with straight edges.
pub fn measure(mesh: &Mesh, cell: CellId) -> f64 {
    let nodes = mesh.cell_nodes(cell);
    let p = |i: usize| Vector3::from(mesh.nodes[nodes[i].index()]);
    match mesh.kind(cell) {
        CellKind::Tri3 => 0.5 * (p(1) - p(0)).cross(&(p(2) - p(0))).z,
        CellKind::Quad4 => 0.5 * (p(2) - p(0)).cross(&(p(3) - p(1))).z,
        CellKind::Tet4 => (p(1) - p(0)).cross(&(p(2) - p(0))).dot(&(p(3) - p(0))) / 6.0,
        CellKind::Hex8 => {
            // The Jacobian has degree two along each axis: two Gauss points a direction integrate it exactly.
            let gauss = [0.5 - 0.5 / 3f64.sqrt(), 0.5 + 0.5 / 3f64.sqrt()];
            let mut volume = 0.0;
            for [a, b, c] in [0, 1, 2, 3, 4, 5, 6, 7].map(|k| [gauss[k & 1], gauss[k >> 1 & 1], gauss[k >> 2]]) {
                let mix = |i: usize, j: usize, k: usize, l: usize, s: f64, t: f64| {
                    (p(i) * (1.0 - s) + p(j) * s) * (1.0 - t) + (p(k) * (1.0 - s) + p(l) * s) * t
                };
                let d_a = mix(1, 2, 5, 6, b, c) - mix(0, 3, 4, 7, b, c);
                let d_b = mix(3, 2, 7, 6, a, c) - mix(0, 1, 4, 5, a, c);
                let d_c = mix(4, 5, 7, 6, a, b) - mix(0, 1, 3, 2, a, b);
                volume += Matrix3::from_columns(&[d_a, d_b, d_c]).determinant() / 8.0;
            }
            volume
        }
    }
}

/// Judges the shape of a cell.
pub(super) fn form(mesh: &Mesh, cell: CellId) -> Form {
    let (kind, nodes) = (mesh.kind(cell), mesh.cell_nodes(cell));
    if let Some(i) = (1..nodes.len()).find(|&i| nodes[..i].contains(&nodes[i])) {
        return Form::Repeated(i);
    }
    let p = |i: usize| Vector3::from(mesh.nodes[nodes[i].index()]);
    let mut longest = 0.0f64;
    for face in kind.faces() {
        for k in 0..face.len() {
            longest = longest.max((p(face[k]) - p(face[(k + 1) % face.len()])).norm());
        }
    }
    let size = measure(mesh, cell);
    let least = FLAT * longest.powi(kind.dim() as i32);
    // Written so that a size that is not a number counts as flat.
    if size < -least {
        return Form::Inverted(size);
    }
    if !(size > least && size.is_finite()) {
        return Form::Flat(size);
    }
    let folded = match kind {
        CellKind::Tri3 | CellKind::Tet4 => None,
        CellKind::Quad4 => (0..4).find(|&i| {
            let (a, b) = (p((i + 1) % 4) - p(i), p((i + 3) % 4) - p(i));
            a.cross(&b).z < -FLAT * longest * longest
        }),
        CellKind::Hex8 => (0..8).find(|&i| {
            let [a, b, c] = HEX_CORNERS[i].map(|j| p(j) - p(i));
            a.cross(&b).dot(&c) < -FLAT * longest.powi(3)
        }),
    };
    folded.map_or(Form::Sound, Form::Folded)
}

/// Turns the cells around whose area or volume is negative; returns how many, and the first of them.
///
/// Files may list plane cells clockwise: they are the same cells seen from behind. Call it before facets are made.
pub fn turn_around(mesh: &mut Mesh) -> Option<(usize, CellId)> {
    let inverted: Vec<CellId> =
        (0..mesh.cell_count() as u32).map(CellId).filter(|&cell| measure(mesh, cell) < 0.0).collect();
    for &cell in &inverted {
        mesh.turn_cell(cell);
    }
    inverted.first().map(|&first| (inverted.len(), first))
}
