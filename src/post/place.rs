//! Where in the bodies a field is largest, in the frame nearest to a time.

use crate::output::{At, Grid, ReadError, ResultFile};

/// A place in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the body or obstacle.
    pub part: String,
    /// Where it is then.
    pub position: [f64; 3],
    /// The value there.
    pub value: f64,
    /// Time of the frame.
    pub time: f64,
}

/// For each cell the number of its part, from the cell field `body`; none if the result has no such field.
pub fn parts_of_cells(file: &ResultFile) -> Result<Option<Vec<usize>>, ReadError> {
    if file.times().is_empty() || !file.fields()?.iter().any(|f| f.name == "body") {
        return Ok(None);
    }
    Ok(Some(file.cell_field(0, "body")?.data.iter().map(|b| *b as usize).collect()))
}

/// For each point the number of a part it belongs to.
fn parts_of_points(grid: &Grid, cells: &[usize]) -> Vec<usize> {
    let mut parts = vec![usize::MAX; grid.points.len()];
    for (cell, ends) in grid.offsets.windows(2).enumerate() {
        for &point in &grid.connectivity[ends[0] as usize..ends[1] as usize] {
            parts[point as usize] = cells.get(cell).copied().unwrap_or(usize::MAX);
        }
    }
    parts
}

/// The place of the largest value of a scalar field (or the longest vector) in the frame nearest to `time`. None if the
/// result does not hold the field, it is zero there, or no frame is nearer to `time` than `within`.
///
/// # Errors
/// The file cannot be read.
pub fn largest(file: &ResultFile, field: &str, time: f64, within: f64) -> Result<Option<Place>, ReadError> {
    let Some(spec) = file.fields()?.into_iter().find(|f| f.name == field) else { return Ok(None) };
    let Some(cells) = parts_of_cells(file)? else { return Ok(None) };
    let distance = |k: &usize| (file.times()[*k] - time).abs();
    let frames = 0..file.times().len();
    let Some(frame) = frames.min_by(|a, b| distance(a).total_cmp(&distance(b))) else { return Ok(None) };
    if distance(&frame) > within {
        return Ok(None);
    }
    let grid = file.grid()?;
    let points = file.points(frame)?;
    let values = match spec.at {
        At::Points => file.point_field(frame, field)?,
        At::Cells => file.cell_field(frame, field)?,
    };
    let size = |k: usize| values.row(k).iter().map(|x| x * x).sum::<f64>().sqrt();
    let finite = (0..values.rows()).filter(|k| size(*k).is_finite());
    let Some(at) = finite.max_by(|a, b| size(*a).total_cmp(&size(*b))) else { return Ok(None) };
    let (part, position) = match spec.at {
        _ if size(at) == 0.0 => return Ok(None),
        At::Points => (parts_of_points(&grid, &cells)[at], points[at]),
        At::Cells => {
            let corners = &grid.connectivity[grid.offsets[at] as usize..grid.offsets[at + 1] as usize];
            let mut centre = [0.0; 3];
            for &corner in corners {
                for axis in 0..3 {
                    centre[axis] += points[corner as usize][axis] / corners.len() as f64;
                }
            }
            (cells[at], centre)
        }
    };
    let part = grid.parts.get(part).map_or_else(String::new, |p| p.0.clone());
    Ok(Some(Place { part, position, value: size(at), time: file.times()[frame] }))
}
