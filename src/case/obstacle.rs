//! From an obstacle of a case to the shape that contact looks at.

use std::path::Path;

use nalgebra::Unit;

use super::data::{self, SurfaceSource};
use super::diagnostic::Diagnostic;
use super::input;
use super::loads::Turn;
use crate::contact::detection::shapes::{Block, Core, Revolved, Round, Surface};
use crate::contact::detection::{Chain, Coordinate, Line, Motion, Obstacle, Pose, Shape, Vector};
use crate::mesh::{gmsh, stl};
use crate::time::TimeFunction;

/// The obstacle, placed.
pub(super) fn build(case: &data::Case, obstacle: &data::Obstacle) -> Result<Obstacle, Box<Diagnostic>> {
    let dim = case.dimension();
    let shape = match &obstacle.shape.value {
        data::Shape::HalfSpace { point, normal } => {
            Shape::HalfSpace { point: Vector::from(*point), normal: Vector::from(*normal) }
        }
        data::Shape::Polygon { outer, holes, inside } => polygon(outer, holes, *inside),
        data::Shape::Chains(chains) => Shape::Chain(Chain::of_lines(
            chains.iter().map(|points| Line { points: points.clone(), closed: false }).collect(),
        )),
        data::Shape::Box { min, max, inside } if dim == 2 => {
            let corners = [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]];
            polygon(&corners, &[], *inside)
        }
        data::Shape::Box { min, max, inside } => {
            Shape::Block(Block { min: Vector::from(*min), max: Vector::from(*max), inside: *inside })
        }
        &data::Shape::Ball { centre, radius, inside } => {
            Shape::Round(Round { core: Core::Point(centre.into()), radius, inside, dim })
        }
        &data::Shape::Capsule { ends, radius, inside } => {
            Shape::Round(Round { core: Core::Segment(ends.map(Vector::from)), radius, inside, dim })
        }
        &data::Shape::EndlessCylinder { point, direction, radius, inside } => {
            Shape::Round(Round { core: Core::Line(point.into(), direction.into()), radius, inside, dim })
        }
        &data::Shape::Revolved { point, direction, length, radii, inside } => {
            Shape::Revolved(Revolved { origin: point.into(), axis: direction.into(), length, radii, inside })
        }
        data::Shape::Surface { source, inside } => Shape::Surface(surface(case, source, *inside)?),
    };
    let place = obstacle.place;
    let pose = Pose::new(place.turn.into(), place.about.into(), place.shift.into());
    // the motion of a body with mass is that of its guides
    let motion = obstacle.motion.as_ref().filter(|_| obstacle.carrier.is_none()).map(motion);
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

/// A polygon with holes; from inside every line runs the other way.
fn polygon(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>], inside: bool) -> Shape {
    let line = |points: &[[f64; 2]]| {
        let mut points = points.to_vec();
        if inside {
            points.reverse();
        }
        Line { points, closed: true }
    };
    let lines = std::iter::once(line(outer)).chain(holes.iter().map(|hole| line(hole))).collect();
    Shape::Chain(Chain::of_lines(lines))
}
