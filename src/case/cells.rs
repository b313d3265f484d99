//! What only the mesh can tell about cells: the sets given by boxes, the material of each cell, and whether a body of revolution
//! keeps to its side of the axis.

use super::build::unknown_set;
use super::data::{Body, Case, Geometry};
use super::diagnostic::Diagnostic;
use crate::bodies::nodes_on_axis;
use crate::mesh::{CellId, Mesh};

/// Adds the sets of `cell_sets` to the mesh: the cells whose centre lies in the box.
pub(super) fn name_cell_sets(body: &Body, mesh: &mut Mesh, problems: &mut Vec<Diagnostic>) {
    for set in &body.cell_sets {
        let inside = |cell: CellId| {
            let nodes = mesh.cell_nodes(cell);
            (0..3).all(|i| {
                let centre = nodes.iter().map(|n| mesh.nodes[n.index()][i]).sum::<f64>() / nodes.len() as f64;
                (set.min[i]..=set.max[i]).contains(&centre)
            })
        };
        let cells: Vec<CellId> = mesh.cells().map(|(id, _, _)| id).filter(|&id| inside(id)).collect();
        if mesh.cell_sets.contains_key(&set.name.value) {
            problems.push(set.name.problem(format!("the mesh has a cell set `{}` of its own", set.name.value)));
        } else if cells.is_empty() {
            problems.push(set.name.problem("no cell has its centre in this box"));
        } else {
            mesh.cell_sets.insert(set.name.value.clone(), cells);
        }
    }
}

/// Number of the material of each cell, in the order of the case.
pub(super) fn material_of_cells(body: &Body, mesh: &Mesh, problems: &mut Vec<Diagnostic>) -> Vec<u32> {
    let mut of_cell = vec![body.material.default as u32; mesh.cell_count()];
    let mut claimed: Vec<Option<&str>> = vec![None; mesh.cell_count()];
    for (set, material) in &body.material.sets {
        let Some(cells) = mesh.cell_sets.get(&set.value) else {
            problems.push(unknown_set(&body.name.value, set, "cell", mesh.cell_sets.keys()));
            continue;
        };
        if let Some(cell) = cells.iter().find(|cell| claimed[cell.index()].is_some()) {
            let other = claimed[cell.index()].unwrap_or_default();
            problems.push(set.problem(format!("cell {} is in set `{}` and in set `{other}`", cell.0, set.value)));
            continue;
        }
        for cell in cells {
            claimed[cell.index()] = Some(&set.value);
            of_cell[cell.index()] = *material as u32;
        }
    }
    of_cell
}

/// A body of revolution lies on the side `x >= 0` of the axis and, if it touches the axis, starts without radial velocity.
pub(super) fn axis_problem(case: &Case, body: &Body, mesh: &Mesh) -> Option<Diagnostic> {
    if case.geometry != Geometry::Axisymmetric {
        return None;
    }
    let on_axis: Vec<usize> = nodes_on_axis(mesh).collect();
    let beyond = (0..mesh.node_count()).find(|n| mesh.nodes[*n][0] < 0.0 && on_axis.binary_search(n).is_err());
    if let Some(node) = beyond {
        let x = mesh.nodes[node];
        let message = format!("node {node} at [{}, {}] lies beyond the axis x = 0", x[0], x[1]);
        return Some(body.mesh.problem(message).expecting("x >= 0: the radius of a body of revolution"));
    }
    if body.velocity[0] != 0.0 && !on_axis.is_empty() {
        let message = format!("the body touches the axis: a radial velocity of {} would tear it", body.velocity[0]);
        return Some(body.name.problem(message));
    }
    None
}
