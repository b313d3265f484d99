//! From an obstacle of a case to the shape that contact looks at, and whether a body starts inside it.

use std::path::Path;

use nalgebra::Unit;

use super::data::{self, SurfaceSource};
use super::diagnostic::Diagnostic;
use super::input;
use super::inside::Cells;
use super::loads::Turn;
use super::overlap::pierced;
use crate::geometry::{Coordinate, Motion, Obstacle, Pose, Surface, Touch, Vector};
use crate::mesh::{Facet, Mesh, NodeId, gmsh, stl};
use crate::time::TimeFunction;

/// The obstacle, placed.
pub(super) fn build(case: &data::Case, obstacle: &data::Obstacle) -> Result<Obstacle, Box<Diagnostic>> {
    let shape = match &obstacle.shape.value {
        data::Shape::Made(shape) => (**shape).clone(),
        data::Shape::Triangles { source, inside } => surface(case, source, *inside)?.into(),
    };
    let place = obstacle.place;
    let pose = Pose::new(place.turn.into(), place.about.into(), place.shift.into());
    // the motion of a body with mass is that of its guides
    let motion = obstacle.motion.as_ref().filter(|_| obstacle.inertial.is_none()).map(motion);
    Ok(Obstacle { name: obstacle.name.value.clone(), shape, pose, motion })
}

fn motion(motion: &data::Motion) -> Motion {
    let degrees = 1f64.to_radians();
    let (centre, axis, angle) = match &motion.rotation {
        None => ([0.0; 3], [0.0, 0.0, 1.0], Coordinate::Place(TimeFunction::ZERO)),
        Some((centre, axis, Turn::Angle(angle))) => (*centre, *axis, Coordinate::Place(angle.times(degrees))),
        Some((centre, axis, Turn::Rate(rate))) => (*centre, *axis, Coordinate::Rate(rate.clone())),
    };
    Motion { shift: motion.shift.clone(), centre: centre.into(), axis: Unit::new_normalize(axis.into()), angle }
}

/// Largest file of triangles: five million of them as STL.
const MAX_SURFACE_BYTES: u64 = 250_000_084;

/// A surface from a file; the path starts at the folder of the case.
fn surface(case: &data::Case, source: &SurfaceSource, inside: bool) -> Result<Surface, Box<Diagnostic>> {
    let (SurfaceSource::Stl(file) | SurfaceSource::Gmsh { file, .. }) = source;
    let folder = Path::new(&case.sources.file).parent().unwrap_or(Path::new(""));
    let path = folder.join(&file.value);
    let problem = |message: String| Box::new(file.problem(format!("{}: {message}", path.display())));
    let bytes = input::read(&path, MAX_SURFACE_BYTES).map_err(&problem)?;
    let triangles = match source {
        SurfaceSource::Stl(_) => stl::parse(&bytes).map_err(|error| problem(error.to_string()))?,
        SurfaceSource::Gmsh { group, .. } => {
            gmsh::triangles(&bytes, group.as_deref()).map_err(|error| problem(error.to_string()))?
        }
    };
    Surface::new(&triangles, inside).map_err(|error| problem(error.to_string()))
}

/// How a surface and an obstacle overlap at the start, if they do by more than round-off of the coordinates.
pub(super) fn overlap(mesh: &Mesh, obstacle: &Obstacle, facets: &[Facet]) -> Option<String> {
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
        let x = mesh.nodes[node.index()];
        return Some(format!("node {} at [{}, {}, {}] is {:.3e} m deep", node.0, x[0], x[1], x[2], -gap));
    }
    let cells = Cells::of(mesh);
    if let Some(corner) = obstacle.corners().into_iter().find(|c| cells.contain(c.point, tolerance)) {
        let p = corner.point;
        return Some(format!("the obstacle's corner [{}, {}, {}] is inside the body", p[0], p[1], p[2]));
    }
    between_nodes(&cells, obstacle, facets, tolerance).or_else(|| {
        let (p, depth) = pierced(mesh, obstacle, tolerance)?;
        Some(format!("[{}, {}, {}] of the body is {depth:.3e} m deep", p[0], p[1], p[2]))
    })
}

/// A curved obstacle that enters a facet or crosses an edge between the nodes.
fn between_nodes(cells: &Cells<'_>, obstacle: &Obstacle, facets: &[Facet], tolerance: f64) -> Option<String> {
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
                return Some(format!("[{}, {}, {}] of the obstacle is inside the body", p[0], p[1], p[2]));
            }
        }
        for k in 0..=last {
            let ends = [x(k), x((k + 1) % nodes.len())];
            for ridge in 0..obstacle.ridge_count() {
                let Some(c) = obstacle.ridge(ridge, ends) else { continue };
                let p = ends[0] + (ends[1] - ends[0]) * c.share;
                if c.gap < -tolerance && obstacle.curved_distance(p).is_some_and(|d| d < -tolerance) {
                    return Some(format!("[{}, {}, {}] of an edge is {:.3e} m deep", p[0], p[1], p[2], -c.gap));
                }
            }
        }
    }
    None
}
