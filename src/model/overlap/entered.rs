//! Whether a body starts inside an obstacle, or an obstacle between its nodes.

use super::pierced::pierced;
use crate::geometry::{Obstacle, Touch, Vector};
use crate::mesh::{Facet, Mesh, NodeId};
use crate::model::error::Inside;
use crate::model::inside::Cells;

/// How a surface and an obstacle overlap at the start, if they do by more than round-off of the coordinates.
pub(in crate::model) fn entered(mesh: &Mesh, obstacle: &Obstacle, facets: &[Facet]) -> Option<Inside> {
    let size = mesh.nodes.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let tolerance = 1e-9 * size;
    let mut touches: Vec<Touch> = Vec::new();
    let mut deepest: Option<(f64, NodeId)> = None;
    // an open shape has no inside: only a body on both sides of a face overlaps it
    let mut in_front = false;
    for &node in facets.iter().flat_map(|f| f.nodes()) {
        touches.clear();
        obstacle.touches(Vector::from(mesh.nodes[node.index()]), f64::INFINITY, f64::INFINITY, &mut touches);
        in_front |= touches.iter().any(|t| t.gap > tolerance);
        for t in touches.iter().filter(|t| t.gap < -tolerance) {
            if deepest.is_none_or(|(gap, _)| t.gap < gap) {
                deepest = Some((t.gap, node));
            }
        }
    }
    if let Some((gap, node)) = deepest
        && (obstacle.is_closed() || in_front)
    {
        return Some(Inside::Node(node.0, mesh.nodes[node.index()], -gap));
    }
    let cells = Cells::of(mesh);
    if let Some(corner) = obstacle.corners().into_iter().find(|c| cells.contain(c.point, tolerance)) {
        return Some(Inside::Corner(corner.point.into()));
    }
    between_nodes(&cells, obstacle, facets, tolerance).or_else(|| {
        let (p, depth) = pierced(mesh, obstacle, tolerance)?;
        Some(Inside::Body(p.into(), depth))
    })
}

/// A curved obstacle that enters a facet or crosses an edge between the nodes.
fn between_nodes(cells: &Cells<'_>, obstacle: &Obstacle, facets: &[Facet], tolerance: f64) -> Option<Inside> {
    let place = |n: &NodeId| Vector::from(cells.mesh.nodes[n.index()]);
    for facet in facets {
        let nodes = facet.nodes();
        let x = |k: usize| place(&nodes[k]);
        let last = nodes.len() - 1;
        let side = x(1) - x(0);
        let outward = if last == 1 { Vector::new(side[1], -side[0], 0.0) } else { side.cross(&(x(last) - x(0))) };
        let Some(outward) = outward.try_normalize(0.0) else { continue };
        for k in 0..obstacle.support_count() {
            let Some(support) = obstacle.support(k, -outward) else { continue };
            let p = support.core - outward * support.radius;
            // inside the cells or on a face between two of them, and not on the surface itself
            if cells.contain(p + 2.0 * tolerance * outward, -tolerance) {
                return Some(Inside::Surface(p.into()));
            }
        }
        for k in 0..=last {
            let ends = [x(k), x((k + 1) % nodes.len())];
            for ridge in 0..obstacle.ridge_count() {
                let Some(c) = obstacle.ridge(ridge, ends) else { continue };
                let p = ends[0] + (ends[1] - ends[0]) * c.share;
                if c.gap < -tolerance && obstacle.curved_distance(p).is_some_and(|d| d < -tolerance) {
                    return Some(Inside::Ridge(p.into(), -c.gap));
                }
            }
        }
    }
    None
}
