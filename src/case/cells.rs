//! What only the mesh can tell about cells: the sets given by boxes, and the material of each cell.

use super::data::Body;
use super::diagnostic::Diagnostic;
use super::locate::unknown_set;
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
            let known: Vec<String> = mesh.cell_sets.keys().cloned().collect();
            let message = format!("body `{}` has no cell set `{}`", body.name.value, set.value);
            problems.push(unknown_set(set, message, &known));
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
