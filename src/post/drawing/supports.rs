//! What holds, moves and loads the bodies of a drawing.

use super::{INK, Point, View};
use crate::bodies::Deformable;
use crate::model::Assembly;
use crate::post::plot::canvas::{Canvas, Colour, Fill, Segment, Stroke};

/// Ink of loads, and of springs and dashpots.
pub(super) const LOADS: [Colour; 2] = [0x00_72b2, 0xe6_9f00];

/// A triangle below each node that a support holds or moves.
pub(super) fn draw(model: &Assembly, places: &[Vec<Point>], view: &View, canvas: &mut Canvas) {
    for (b, body) in model.system.all().deformable() {
        for support in body.supports() {
            let colour = if support.moves() { INK[3] } else { INK[2] };
            for node in nodes(body, support.dofs.iter().copied()) {
                let (x, y) = view.paper(&places[b][node]);
                let foot = |dx: f64| Segment::Line(x + dx, y + 7.0);
                let triangle = vec![Segment::Move(x, y), foot(-4.0), foot(4.0), Segment::Close];
                canvas.path(triangle, Some(Fill { colour, opacity: 0.85 }), None);
            }
        }
        for (loaded, colour) in [loaded(body), sprung(body)].into_iter().zip(LOADS) {
            for node in loaded {
                canvas.ring(view.paper(&places[b][node]), 3.5, Stroke::plain(colour, 1.6));
            }
        }
    }
}

/// Nodes under forces, tractions and pressures. Loads on the whole body are not drawn.
pub(super) fn loaded(body: &Deformable) -> Vec<usize> {
    let loads = body.loads();
    let whole = |count: usize| count == body.mesh.node_count();
    let mut all = Vec::new();
    for load in &loads.dead {
        let nodes = nodes(body, load.forces.iter().filter(|(_, force)| *force != 0.0).map(|(dof, _)| *dof));
        all.extend(Some(nodes).filter(|nodes| !whole(nodes.len())).into_iter().flatten());
    }
    let facets = loads.pressures.iter().flat_map(|pressure| &pressure.facets);
    all.extend(facets.flat_map(|facet| facet.nodes().iter().map(|node| node.index())));
    all.sort_unstable();
    all.dedup();
    all
}

/// Nodes at springs and dashpots.
pub(super) fn sprung(body: &Deformable) -> Vec<usize> {
    let loads = body.loads();
    nodes(body, loads.springs.iter().chain(&loads.dashpots).map(|(dof, _)| *dof))
}

fn nodes(body: &Deformable, dofs: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut nodes: Vec<usize> = dofs.map(|dof| dof as usize / body.dim()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
