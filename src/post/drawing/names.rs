//! Names of bodies and obstacles in the drawing of a set-up.

use super::{Point, ROOM, SIZE, TEXT, View};
use crate::geometry::Outline;
use crate::model::Assembly;
use crate::post::plot::canvas::{Anchor, Canvas};

/// Parts beyond which names would cover the picture.
const MOST: usize = 16;
/// Height of the letters.
const LETTERS: f64 = 13.0;
/// VTK's number of a polyline: obstacles that are lines have nothing inside to write on.
const POLYLINE: u8 = 4;

/// Writes each body's name in its middle and each obstacle's in the middle of what is seen of it.
pub(super) fn write(model: &Assembly, places: &[Vec<Point>], outlines: &[Outline], view: &View, canvas: &mut Canvas) {
    if places.len() + outlines.len() > MOST {
        return;
    }
    for (b, body) in model.system.all().deformable() {
        let paper: Vec<(f64, f64)> = places[b].iter().map(|x| view.paper(x)).collect();
        if let Some((left, top, right, bottom)) = seen(&paper, view) {
            let middle = (0.5 * (left + right), 0.5 * (top + bottom) + 0.35 * LETTERS);
            canvas.write(middle, LETTERS, TEXT[0], Anchor::Middle, &body.name);
        }
    }
    for (obstacle, outline) in model.obstacles.iter().zip(outlines) {
        let paper: Vec<(f64, f64)> = outline.points.iter().map(|x| view.paper(&Point::from(*x))).collect();
        let Some((left, top, right, bottom)) = seen(&paper, view) else { continue };
        let line = outline.cells.iter().all(|(kind, _)| *kind == POLYLINE);
        let height = if line { bottom - 0.6 * LETTERS } else { 0.5 * (top + bottom) + 0.35 * LETTERS };
        canvas.write((0.5 * (left + right), height), LETTERS, TEXT[1], Anchor::Middle, &obstacle.name);
    }
}

/// The box around places on paper, as far as the picture shows it: left, top, right, bottom.
fn seen(paper: &[(f64, f64)], view: &View) -> Option<(f64, f64, f64, f64)> {
    let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (left, top, right, bottom) =
        paper.iter().fold(start, |(l, t, r, b), &(x, y)| (l.min(x), t.min(y), r.max(x), b.max(y)));
    let (left, right) = (left.max(0.0), right.min(SIZE.0));
    let (top, bottom) = (top.max(ROOM.0), bottom.min(ROOM.0 + view.height));
    (left < right && top <= bottom).then_some((left, top, right, bottom))
}
